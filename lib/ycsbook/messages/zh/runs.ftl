### 运行未完成的原因：由日志、计划和服务器得出。多个原因以分号连接。

reasons = { CLAUSES($reasons) }
# 旧版本写下的文字。
reason-text = { $text }

# 关于一次运行的一行：读自何处、如何结束、为何。
run-unfinished = { $source }：{ $outcome }：{ $reason }

## 多个客户端中的哪些。

reason-of-clients = { COMMAS($clients) }：{ $reason }
reason-client = 客户端 { $client }

## 日志自身显示的问题。

reason-summaries = 日志中有 { $n } 个{ $ycsb ->
    [true] {" "}[OVERALL] 块
   *[false] 最终汇总
}，应为一个
reason-last-status = 最后一条状态行在开始后 { DURATION($seconds) }：客户端被终止，或其后的内容已丢失
reason-nothing = 其中没有任何运行内容：客户端没有输出，或输出到了别的文件
reason-no-clock = 运行时间 { NUM($runtime_ms) } 毫秒，吞吐量 { NUM($throughput_ops_s) } ops/s：正常走时的时钟不会给出这样的数字
reason-mean-of-logs = 操作计数出现小数：这是多份日志的平均值；请改为导入那些日志
reason-clock-went-back = 运行期间客户端时钟回拨：运行时长有误
reason-clock-set = 运行期间本机时钟被调整了 { $seconds } 秒：运行时长和吞吐量有误
reason-summary-empty = 完成了 { FIXED($operations) } 次操作，但汇总中一次也没有列出
reason-no-operation = 没有完成任何操作
reason-cut = 日志在汇总中途结束
reason-never-succeeded = 所有 { $operation } 均失败（{ FIXED($n) } 次）
reason-no-success = 最后 { DURATION($seconds) } 内没有操作成功
reason-runs-in-log = 日志中有 { $n } 次运行，应为一次
reason-codes = 某种操作的返回码之和与其计数不符
reason-totals = 汇总列出 { FIXED($listed) } 次操作，[OVERALL] 对应 { FIXED($overall) } 次
reason-first-error = 首个错误：{ $text }
reason-first-error-of-client = 客户端 { $client } 的首个错误：{ $text }
reason-clients-apart = 各客户端并非同时运行；起止时间见各自的日志
reason-clients-without-clock = 某个客户端的日志没有带时间的状态行，无法得知各客户端是否同时运行；请用 -s 运行 YCSB，并保留 stderr

## 计划之中而未做到的。

reason-records = 插入了 { FIXED($inserted) } 条记录，应为 { FIXED($planned) } 条
reason-threads = 实际运行了 { $ran } 个客户端线程，应为 { $planned } 个
reason-too-short = 运行了 { FIXED($seconds, digits: 1) } 秒，应为 { NUM($planned) } 秒
reason-operations = 完成了 { FIXED($finished) } 次操作，应为 { FIXED($planned) } 次
reason-failures = { FIXED($attempted) } 次操作中有 { FIXED($failed) } 次失败（{ PERCENT($share, digits: 2) }%），允许 { PERCENT($allowed, digits: 2) }%（max_failed）

## 审计无法证明任何事的故障切换（ycsbook.runner.failover）。

reason-not-struck = 客户端在{ failover-role }出故障之前就已结束：增加操作数，或降低每秒操作数，才能按计划进行
reason-failover-error = 故障切换未能完整执行：{ $text }
reason-not-read-back = 文档无法读回：{ $text }
reason-ledger-line = 账本损坏或被截断：{ $file } 第 { FIXED($line) } 行
reason-ledger-missing = 账本缺少 { FIXED($n) } 次写入
reason-ledger-unanswered = 账本中有 { FIXED($n) } 次写入没有应答
reason-ledger-strange = 有 { FIXED($n) } 次写入或文档不属于本次运行
reason-ledger-twice = 有 { FIXED($n) } 个文档被读回两次

## 使运行中断，或事后改变了它的。

reason-ended-early = 提前结束：{ $stop_reason }
reason-others-ended = 其余客户端随即被终止
reason-client-error = 因错误而结束：{ $text }
reason-worker-lost = 其工作进程已丢失
reason-worker-silent = 其工作进程 { NUM($seconds) } 秒没有应答
reason-client-was-the-limit = 客户端是瓶颈：改用 { $clients } 个客户端重新运行
reason-server-restarted = { DURATION($seconds) }后服务器重新启动，或由另一成员应答
reason-server-gone = 服务器不再应答
reason-server-taken = 运行期间服务器 { $hosts } 被另一个运行程序占用
reason-server-silent = 最后 { DURATION($seconds) } 内服务器没有任何反馈
reason-changed = 运行完成后文件被改动：{ COMMAS($files) }
run-altered = 文件缺失或已被改动：{ COMMAS($files, $more) }；下次运行时重新测量

## 观察正在进行的测试

watch-progress = { $name }：已完成 { NUM($total) } 次运行中的 { NUM($done) } 次{ $seconds ->
    [0] {""}
   *[other] ，约剩 { DURATION($seconds) }
}
watch-current = 当前：{ $run }{ $pace ->
    [missing] {""}
   *[other] {" "}{ $pace }
}
watch-idle = 当前无人测量
watch-run = { $at } { $spec }，{ $workload }，{ NUM($threads) } 线程，第 { NUM($repeat) } 次：{ $outcome }{ $reasons ->
    [missing] {""}
   *[other] ：{ $reasons }
}
watch-findings = 目前有 { NUM($n) } 项发现{ $shown ->
    [missing] {""}
   *[other] ，最严重的 { NUM($shown) } 项：
}

## 工作文件夹

init-done = { $folder } 已就绪。下一步：cd { $folder }; ycsbook doctor; ycsbook report params/qingcloud-4.0.3.yml
