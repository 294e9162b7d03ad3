-- The requests of one wrk: arguments are the method, the path with {} for a key or an age, which of them, how many
-- documents there are. The latencies that wrk does not print, 95 % and 99.9 %, stand behind its report.

local method, before, after, drawn, records
local next_key
local head = {["Content-Type"] = "application/json"}
-- As ycsbook.CrudRecord has them: 256 bytes of Chinese and ASCII.
local pattern = "asdf123456撒旦法！#￥%QWE7890"
local tail = string.rep(pattern, math.floor(248 / #pattern))
tail = tail .. string.rep("x", 248 - #tail)

function init(arguments)
  method, drawn, records = arguments[1], arguments[3], tonumber(arguments[4])
  before, after = string.match(arguments[2], "^(.-){}(.*)$")
  before, after = before or arguments[2], after or ""
  next_key = records
  math.randomseed(1)
end

local function text()
  return string.format('"%08x%s"', math.random(0, 2147483647), tail)
end

function request()
  if drawn == "next" then
    local body = string.format('{"_id":%d,"age":%d,"test1":%s,"test2":%s,"test3":%s,"test4":%s}',
      next_key, math.random(0, 100), text(), text(), text(), text())
    next_key = next_key + 1
    return wrk.format(method, before .. after, head, body)
  end
  local value = drawn == "age" and math.random(0, 100) or math.random(0, records - 1)
  return wrk.format(method, before .. value .. after)
end

function done(summary, latency)
  for _, p in ipairs({95, 99.9}) do
    io.write(string.format("  %g%%  %.2fus\n", p, latency:percentile(p)))
  end
end
