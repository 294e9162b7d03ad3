"""What the checks find in a whole table: pools, writes, changes, noise, repairs, settings; in Chinese."""

PAIRS: tuple[tuple[str, str], ...] = (
    # pool
    (
        "{cell}: {#busy} reads are in flight even at the lowest read latency known, more than {pool}, or throughput or "
        "latency is wrong",
        "{cell}：即使按已知最低读延迟计算，仍有 {busy} 个读操作同时在途，超过{pool}；否则便是吞吐量或延迟有误",
    ),
    (
        "{cell}: {#busy} reads are in flight even at the lowest read latency known, more than {pool}",
        "{cell}：即使按已知最低读延迟计算，仍有 {busy} 个读操作同时在途，超过{pool}",
    ),
    (
        "the driver's default pool of {#n} connections: the pool was larger, which is not said",
        "驱动默认连接池的 {n} 个连接：连接池实际更大而未作说明",
    ),
    (
        "the {#n} connections that its command line allows: others were used",
        "其命令行所允许的 {n} 个连接：实际使用了别的连接",
    ),
    (
        "in {#k} of {runs} the connection pool was smaller than the number of threads ({threads}): the pool was "
        "measured, and more threads could only wait for it{tail?}",
        "{runs}中有 {k} 次连接池小于线程数（{threads}）：测到的是连接池，更多的线程只能排队等待{tail}",
    ),
    (
        "in {k} of {runs} the connection pool was smaller than the number of threads",
        "{runs}中有 {k} 次连接池小于线程数",
    ),
    ("threads unknown", "线程数未知"),
    (" threads", " 线程"),
    # writes
    (
        "all {rows} measured with write concern 0: writes were sent, not answered",
        "全部 {rows}均以写关注 0 测得：写入只是发出，并未得到应答",
    ),
    (
        "{#k} of {rows} measured with write concern 0: writes were sent, not answered",
        "{rows}中有 {k} 行以写关注 0 测得：写入只是发出，并未得到应答",
    ),
    (
        "all {#n} rows measured with write concern 0: writes were sent, not answered",
        "全部 {n} 行均以写关注 0 测得：写入只是发出，并未得到应答",
    ),
    (
        "in {#k} of {#n} the mean write latency is below the network round trip of {#us} µs",
        "{n} 行中有 {k} 行的平均写延迟低于 {us} µs 的网络往返时间",
    ),
    (
        "in {rows} the mean write latency is below the network round trip (least {#write} of {#rtt} µs: {cell}): no "
        "answer comes that fast{tail?}",
        "有 {rows}的平均写延迟低于网络往返时间（最低 {write} µs，往返 {rtt} µs：{cell}）：应答不可能这么快{tail}",
    ),
    (
        "in {rows} the mean write latency is below the network round trip",
        "有 {rows}的平均写延迟低于网络往返时间",
    ),
    (
        "in {rows} unanswered writes took longer than reads, most at {row} ({#write} against {#read} µs): "
        "back-pressure, so their throughput is what the connections took, not what the server wrote. Rows: {names}",
        "有 {rows}的未应答写入比读取还慢，最明显的是 {row}（写 {write} µs，读 {read} µs）：这是反压，"
        "其吞吐量反映的是连接的承受能力，而不是服务器写入的速度。数据行：{names}",
    ),
    (
        "in {rows} unanswered writes took longer than reads, most at {row}",
        "有 {rows}的未应答写入比读取还慢，最明显的是 {row}",
    ),
    ("back-pressure on unanswered writes", "未应答写入的反压"),
    (
        "at {threads} sending a write took {#us} µs in the median of {#n} rows, and far from that in {#k}: {names}",
        "{threads}时，发送一次写入的耗时中位数为 {us} µs（{n} 行），其中 {k} 行相去甚远：{names}",
    ),
    ("{cell} {#us} µs", "{cell} {us} µs"),
    # change points
    (
        "{cell}: throughput changed by {#effect} (95 % interval {#low} to {#high}) with the run of {when}, {#before} "
        "runs before and {#since} since; {versions}",
        "{cell}：自 {when} 的运行起，吞吐量变化 {effect}（95 % 置信区间 {low} 至 {high}），此前 {before} 次运行，"
        "此后 {since} "
        "次；{versions}",
    ),
    ("{cell}: throughput changed by {#effect}", "{cell}：吞吐量变化 {effect}"),
    ("it began with version {new} ({old} before)", "变化始于版本 {new}（此前为 {old}）"),
    ("the server's version is {version} throughout", "服务器版本始终为 {version}"),
    ("the server's version is not recorded", "未记录服务器版本"),
    ("the version was {version} then as before", "此时的版本仍为 {version}，与此前相同"),
    ("change {version}", "变化 {version}"),
    # host
    (
        "the host's own speed changed by more than {#share} % during {#k} of {runs}, most ({#change}) at {cell}",
        "{runs}中有 {k} 次主机自身速度变化超过 {share} %，最大（{change}）的是 {cell}",
    ),
    (
        "the host's own speed changed by more than {share} % during {k} of {runs}, most",
        "{runs}中有 {k} 次主机自身速度变化超过 {share} %",
    ),
    (
        "over {n} the last round of repeats was {#effect} ({#low} to {#high}) against the first: the machine or the "
        "server drifted",
        "在 {n}中，最后一轮重复与第一轮相比为 {effect}（{low} 至 {high}）：机器或服务器发生了漂移",
    ),
    ("over {n} the last round of repeats was {#effect}", "在 {n}中，最后一轮重复与第一轮相比为 {effect}"),
    # invalid runs
    (
        "{#k} of {rows} did not complete ({why}) and count nowhere: {names}",
        "{rows}中有 {k} 次未完成（{why}），不计入任何结果：{names}",
    ),
    ("{#k} of {rows} did not complete and count nowhere: {names}", "{rows}中有 {k} 次未完成，不计入任何结果：{names}"),
    ("{#k} of {rows} did not complete", "{rows}中有 {k} 次未完成"),
    ("not completed", "未完成"),
    (
        "{#k} of {rows} lasted less than 20 min, the shortest {time}, as the plan asks",
        "{rows}中有 {k} 次不足 20 分钟，最短 {time}，与计划一致",
    ),
    ("{#k} of {rows} lasted less than 20 min, the shortest {time}", "{rows}中有 {k} 次不足 20 分钟，最短 {time}"),
    ("{#k} of {rows} lasted less than 20 min{tail?}", "{rows}中有 {k} 次不足 20 分钟{tail}"),
    (", the shortest {time}", "，最短 {time}"),
    (", as the plan asks", "，与计划一致"),
    ("the shortest {time}", "最短 {time}"),
    ("as the plan asks", "与计划一致"),
    (
        "the cores of {specs} were recorded, not enforced: throughput against cores means nothing here",
        "{specs} 的核数仅作记录，并未实际限制：吞吐量与核数的关系在此没有意义",
    ),
    ("{words} in {#k} of {rows}: {names}", "{rows}中有 {k} 次出现“{words}”：{names}"),
    (
        "operations failed in {#k} of {rows}, most at {cell}: {#share} % of {n}",
        "{rows}中有 {k} 次出现操作失败，最多的是 {cell}：{n} 次操作的 {share} %",
    ),
    ("operations failed in {#k} of {rows}", "{rows}中有 {k} 次出现操作失败"),
    (", most at {cell}: {#share} % of {n}", "，最多的是 {cell}：{n} 次操作的 {share} %"),
    ("stalled", "停顿"),
    # noise
    (
        "{cell}: its {#n} repeats vary by {#own}, {#ratio} times as much as the repeats of the other {others} "
        "({#usual})",
        "{cell}：其 {n} 次重复的波动为 {own}，是其余 {others}（{usual}）的 {ratio} 倍",
    ),
    (
        "{cell}: its {#n} repeats vary by {#own}, so much that their mean says little",
        "{cell}：其 {n} 次重复的波动达 {own}，平均值已无多大意义",
    ),
    (", so much that their mean says little", "，平均值已无多大意义"),
    (
        ", {#ratio} times as much as the repeats of the other {others} ({#usual})",
        "，是其余 {others}（{usual}）的 {ratio} 倍",
    ),
    ("{cell}: its {#n} repeats vary by {#own}", "{cell}：其 {n} 次重复的波动为 {own}"),
    (
        "the smallest change that shows cannot be said: the {rows} are single runs, and nothing is known of noise",
        "无法给出能够检出的最小变化：这 {rows}均为单次运行，噪声未知",
    ),
    (
        "repeats vary by {#sd} ({cells}, {#n} repeats, {#df} degrees of freedom): between two of them a loss of "
        "{seen}; "
        "one of {#change} % would need {needed} of each to be found in {#power} %",
        "重复运行的波动为 {sd}（{cells}，{n} 次重复，自由度 {df}）：两两比较时，下降 {seen}；若要在 {power} % "
        "的测试中检出 "
        "{change} % 的下降，每个配置需{needed}",
    ),
    ("repeats vary by {#sd}", "重复运行的波动为 {sd}"),
    (
        "{#a} is found in {#p} % of sweeps, one of {#b} is found in {#q} % of sweeps",
        "{a} 可在 {p} % 的测试中检出，下降 {b} 可在 {q} % 的测试中检出",
    ),
    ("{#loss} is found in {#power} % of sweeps", "{loss} 可在 {power} % 的测试中检出"),
    (", one of ", "，下降 "),
    ("more than {#n} repeats", "重复 {n} 次以上"),
    ("{#n} repeats", "重复 {n} 次"),
    # repairs
    (
        "{cell}: one other digit would bring the row back to its family: {mends}",
        "{cell}：改动一个数字即可使该行回到同组：{mends}",
    ),
    (
        "{cell}: two exchanged cells would bring the row back to its family: {mends}",
        "{cell}：交换两个单元格即可使该行回到同组：{mends}",
    ),
    (
        "{cell}: {kinds} would bring the row back to its family: {mends}",
        "{cell}：{kinds}即可使该行回到同组：{mends}",
    ),
    ("one other digit", "改动一个数字"),
    ("two exchanged cells", "交换两个单元格"),
    ("{change} (exchanged with {cell})", "{change}（与 {cell} 交换）"),
    ("throughput {#new} instead of {#old}", "吞吐量应为 {new} 而非 {old}"),
    ("read latency {#new} instead of {#old}", "读延迟应为 {new} 而非 {old}"),
    ("write latency {#new} instead of {#old}", "写延迟应为 {new} 而非 {old}"),
    ("{figure} {#new} instead of {#old}", "{figure}应为 {new} 而非 {old}"),
    ("and {#n} other change", "以及另外 {n} 种改法"),
    ("and {#n} other changes", "以及另外 {n} 种改法"),
    (", and {changes}", "，以及{changes}"),
    ("other change", "另一种改法"),
    ("throughput", "吞吐量"),
    ("read latency", "读延迟"),
    ("write latency", "写延迟"),
    (
        "{figure} exactly {#by} higher, one digit each, would bring {#n} failing rows back to their family "
        "({changes}); "
        "{hint}",
        "{figure}恰好各高 {by}（各改一个数字），即可使 {n} 个不合格的数据行回到同组（{changes}）；{hint}",
    ),
    (
        "{figure} exactly {#by} lower, one digit each, would bring {#n} failing rows back to their family ({changes}); "
        "{hint}",
        "{figure}恰好各低 {by}（各改一个数字），即可使 {n} 个不合格的数据行回到同组（{changes}）；{hint}",
    ),
    (
        "{figure} exactly {by} {side}, one digit each, would bring {n} failing rows back to their family",
        "{figure}恰好各差 {by}（{side}，各改一个数字），即可使 {n} 个不合格的数据行回到同组",
    ),
    (
        "{figure} exactly {#by} higher, one digit each, would bring {#n} failing rows back to their family",
        "{figure}恰好各高 {by}（各改一个数字），即可使 {n} 个不合格的数据行回到同组",
    ),
    (
        "{figure} exactly {#by} lower, one digit each, would bring {#n} failing rows back to their family",
        "{figure}恰好各低 {by}（各改一个数字），即可使 {n} 个不合格的数据行回到同组",
    ),
    ("higher", "偏高"),
    ("lower", "偏低"),
    ("{cell}: {#was} to {#becomes}", "{cell}：{was} 改为 {becomes}"),
    (
        "a hint only: one other digit would also mend {#a} % of rows corrupted at random ({#b} % by the throughput "
        "alone)",
        "仅供参考：随机损坏的数据行中，也有 {a} % 改动一个数字即可修复（仅改吞吐量时为 {b} %）",
    ),
    # settings
    (
        "the page prints operationcount={n}: at the printed throughput {short} of the {rows} rows last less than 1 s "
        "and the longest lasts {time}",
        "页面给出 operationcount={n}：按所载吞吐量计算，{rows} 行中有 {short} 行不足 1 s，最长的也只有 {time}",
    ),
    (
        "the page prints operationcount={n}: at the printed throughput the longest lasts {time}",
        "页面给出 operationcount={n}：按所载吞吐量计算，最长的也只有 {time}",
    ),
    (
        "the page prints operationcount={n}: at the printed throughput {quick}the longest lasts {time}",
        "页面给出 operationcount={n}：按所载吞吐量计算，{quick}最长的也只有 {time}",
    ),
    ("{#short} of the {#rows} rows last less than 1 s and ", "{rows} 行中有 {short} 行不足 1 s，"),
    ("the same page asks for “{words}”", "而同一页面要求“{words}”"),
    ("; the same page asks for “{words}”", "；而同一页面要求“{words}”"),
    (
        "the page prints no {lacks} count: YCSB's workloada then means {#n} operations, at the printed throughput {a} "
        "to {b} a run{tail?}",
        "页面未给出{lacks}数：YCSB 的 workloada 此时默认为 {n} 次操作，按所载吞吐量计算，每次运行 {a} 至 {b}{tail}",
    ),
    (", over {#n} records; the page speaks of “{data}”", "，针对 {n} 条记录；而页面称“{data}”"),
    ("over {#n} records", "针对 {n} 条记录"),
    ("the page speaks of “{data}”", "而页面称“{data}”"),
    ("record or operation", "记录数或操作"),
    ("record", "记录"),
    ("operation", "操作"),
    ("printed counts", "所载次数"),
    # groups
    ("{message} ({#n} more like it)", "{message}（另有 {n} 条类似）"),
    (" ({#n} more like it)", "（另有 {n} 条类似）"),
    ("{message} (beside {#n} single ones)", "{message}（另有 {n} 条单独的）"),
    ("{message} (beside {#n} single one)", "{message}（另有 {n} 条单独的）"),
    (" (beside {#n} single ones)", "（另有 {n} 条单独的）"),
    (" (beside {#n} single one)", "（另有 {n} 条单独的）"),
    ("; {more}", "；{more}"),
)
