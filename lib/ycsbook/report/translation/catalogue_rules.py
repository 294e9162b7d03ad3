"""What the checks find in a run or a row, in Chinese."""

PAIRS: tuple[tuple[str, str], ...] = (
    # the server and the machine
    (
        "specs {specs} were measured on the same server ({how}): what differs between them is no effect of cores or "
        "RAM",
        "规格 {specs} 是在同一台服务器上测得的（{how}）：它们之间的差异并非核数或内存所致",
    ),
    ("specs {specs} were measured on the same server", "规格 {specs} 是在同一台服务器上测得的"),
    ("at the same address", "地址相同"),
    ("by the same process", "同一进程"),
    (
        "check the address of each spec (uri_env), and measure the specs concerned again",
        "检查各规格的地址（uri_env），并重新测量相关规格",
    ),
    (
        "spec {spec} says {#said} GiB, its server tells {#told} GiB: is it limited from outside?",
        "规格 {spec} 标称 {said} GiB，其服务器报告 {told} GiB：是否由外部加以限制？",
    ),
    (
        "spec {spec} says {#said} cores, its server tells {#told} cores: is it limited from outside?",
        "规格 {spec} 标称 {said} 核，其服务器报告 {told} 核：是否由外部加以限制？",
    ),
    (
        "spec {spec} says {#said} GiB, its server tells {#told} GiB",
        "规格 {spec} 标称 {said} GiB，其服务器报告 {told} GiB",
    ),
    (
        "spec {spec} says {#said} cores, its server tells {#told} cores",
        "规格 {spec} 标称 {said} 核，其服务器报告 {told} 核",
    ),
    (
        "spec {spec} says {#said} {unit}, its server tells {told}",
        "规格 {spec} 标称 {said} {unit}，其服务器报告 {told}",
    ),
    (": is it limited from outside?", "：是否由外部加以限制？"),
    (
        "other work took {#taken} of {#all} cores of the client's machine ({cell}; at least {#least} % of them in {#n} "
        "of {runs}), {meaning}",
        "其他程序占用了客户端所在机器 {all} 核中的 {taken} 核（{cell}；{runs}中有 {n} 次至少占 {least} %），{meaning}",
    ),
    (
        "other work took {#taken} of {#all} cores of the client's machine",
        "其他程序占用了客户端所在机器 {all} 核中的 {taken} 核",
    ),
    (
        "while hardly a core was idle: client and server had to wait for them",
        "且几乎没有空闲的核：客户端与服务器不得不等待",
    ),
    ("and left cores idle", "但仍有空闲的核"),
    (
        "the load average was up to {#load} on {#all} cores, of which client and server used {#own} ({cell}; likewise "
        "in {#n} of {runs}): others kept the machine busy, or its disk",
        "{all} 核的机器上平均负载高达 {load}，而客户端与服务器仅用了 {own} 核（{cell}；{runs}中有 {n} 次如此）："
        "其他程序占用了机器或其磁盘",
    ),
    (
        "the load average was up to {#load} on {#all} cores, of which client and server used {#own}",
        "{all} 核的机器上平均负载高达 {load}，而客户端与服务器仅用了 {own} 核",
    ),
    (
        "stop what else runs on the machine, or take one that nobody shares, and measure again",
        "停止机器上的其他程序，或换用无人共享的机器，然后重新测量",
    ),
    # Little's law
    (
        "{cell}: throughput x latency / threads = {#u}, more than the {#n} threads can do; throughput, latency, thread "
        "count or mix is wrong, and the row alone cannot say which{tail?}",
        "{cell}：吞吐量 × 延迟 / 线程数 = {u}，超出 {n} 个线程所能达到的上限；吞吐量、延迟、"
        "线程数或读写比例中必有错误，"
        "但仅凭这一行无法判断是哪一项{tail}",
    ),
    ("{name}: throughput, latency and threads do not agree", "{name}：吞吐量、延迟与线程数互不相符"),
    (
        "{rows} slightly above Little's law (throughput x latency / threads between 1 and {#limit}; highest {#u}: "
        "{cell}), as means of unequal repeats give{tail?}",
        "{rows}略高于利特尔定律（吞吐量 × 延迟 / 线程数介于 1 与 {limit} 之间；最高为 {u}：{cell}），"
        "对长短不一的重复运行求平均时会出现这种情况{tail}",
    ),
    (
        "{cell}: throughput x latency / threads = {#u}, {#z} robust standard deviations above the {#usual} that is "
        "usual "
        "in its {#n} rows; {meaning}",
        "{cell}：吞吐量 × 延迟 / 线程数 = {u}，比同组 {n} 行的通常值 {usual} 高出 {z} 个稳健标准差；{meaning}",
    ),
    (
        "{cell}: throughput x latency / threads = {#u}, {#z} robust standard deviations below the {#usual} that is "
        "usual "
        "in its {#n} rows; {meaning}",
        "{cell}：吞吐量 × 延迟 / 线程数 = {u}，比同组 {n} 行的通常值 {usual} 低 {z} 个稳健标准差；{meaning}",
    ),
    (
        "{cell}: throughput x latency / threads = {u}, {z} robust standard deviations {side} the {usual} that is usual "
        "in its {n} rows",
        "{cell}：吞吐量 × 延迟 / 线程数 = {u}，与同组 {n} 行的通常值 {usual} 相差 {z} 个稳健标准差（{side}）",
    ),
    ("{cell}: throughput x latency / threads = {#u}", "{cell}：吞吐量 × 延迟 / 线程数 = {u}"),
    (
        "its threads spent more time outside the database than those of the other runs",
        "其线程在数据库之外花费的时间多于其他运行",
    ),
    (
        "one of its figures is likely to be another run's or a slip",
        "其中某个数字很可能来自另一次运行，或属笔误",
    ),
    (
        "{mix}: every spec from {first} to {last} has a row out of family in throughput x latency / threads ({rows} of "
        "{n} neighbouring specs, {sides}; usual {usual}, furthest {far}): a block of bad rows{tail?}",
        "{mix}：从 {first} 到 {last} 的每个规格都有一行的“吞吐量 × 延迟 / 线程数”偏离同组（相邻 {n} 个规格中有 {rows}，"
        "{sides}；通常值 {usual}，最远 {far}）：这是一整片有问题的数据{tail}",
    ),
    (
        "{mix}: every spec from {first} to {last} has a row out of family in throughput x latency / threads",
        "{mix}：从 {first} 到 {last} 的每个规格都有一行的“吞吐量 × 延迟 / 线程数”偏离同组",
    ),
    ("above", "偏高"),
    ("below", "偏低"),
    ("{#n} above", "{n} 行偏高"),
    ("{#n} below", "{n} 行偏低"),
    # threads
    (
        "{where}: throughput falls from {a} to {b} ops/s ({effect}) when threads rise from {#low} to {#high}",
        "{where}：线程数从 {low} 增至 {high}，吞吐量从 {a} 降至 {b} ops/s（{effect}）",
    ),
    (
        "{where}: throughput falls from {a} to {b} ops/s ({effect}) when threads rise from {#low} to {#high}, too "
        "little "
        "for single runs to tell from noise{tail?}",
        "{where}：线程数从 {low} 增至 {high}，吞吐量从 {a} 降至 {b} ops/s（{effect}），幅度太小，"
        "单次运行无法与噪声区分{tail}",
    ),
    (
        "{where}: throughput falls from {a} to {b} ops/s ({effect}) when threads rise from {#low} to {#high}; {tail}",
        "{where}：线程数从 {low} 增至 {high}，吞吐量从 {a} 降至 {b} ops/s（{effect}）；{tail}",
    ),
    (
        "{where}: throughput falls from {a} to {b} ops/s ({effect}) when threads rise from {low} to {high}",
        "{where}：线程数从 {low} 增至 {high}，吞吐量从 {a} 降至 {b} ops/s（{effect}）",
    ),
    ("{where}: throughput falls from {a} to {b} ops/s", "{where}：吞吐量从 {a} 降至 {b} ops/s"),
    ("too little for single runs to tell from noise", "幅度太小，单次运行无法与噪声区分"),
    (", too little for single runs to tell from noise", "，幅度太小，单次运行无法与噪声区分"),
    ("; suspect: the {rows} itself breaks Little's law", "；存疑：{rows}本身违反利特尔定律"),
    ("; 95 % interval {low} to {high}", "；95 % 置信区间 {low} 至 {high}"),
    ("suspect: the {rows} itself breaks Little's law", "存疑：{rows}本身违反利特尔定律"),
    ("{#n}-thread row", "{n} 线程的数据行"),
    ("{#n}-thread row ({#u})", "{n} 线程的数据行（{u}）"),
    ("row of {spec} ({#u})", "{spec} 的数据行（{u}）"),
    ("row of {spec}", "{spec} 的数据行"),
    ("95 % interval {#low} to {#high}", "95 % 置信区间 {low} 至 {high}"),
    (
        "the {#n} specs with {#cores} cores, {mix}, lose throughput together from {#low} to {#high} threads: {#effect} "
        "on average (95 % interval {#a} to {#b}, not adjusted); {significant} significant over {groups} of equal cores "
        "(adjusted p {#p}){tail?}",
        "{cores} 核的 {n} 个规格（{mix}）在线程数从 {low} 增至 {high} 时吞吐量普遍下降：平均 {effect}（95 % 置信区间 "
        "{a} 至 {b}，未校正）；在 {groups}核数相同的规格中{significant}显著（校正后 p = {p}）{tail}",
    ),
    (
        "{where}: the {n} specs with {cores} cores, {mix}, lose throughput together from {low} to {high} threads: "
        "{effect} on average",
        "{where}：{cores} 核的 {n} 个规格（{mix}）在线程数从 {low} 增至 {high} 时吞吐量普遍下降：平均 {effect}",
    ),
    (
        "the {n} specs with {cores} cores, {mix}, lose throughput together from {low} to {high} threads: "
        "{effect} on average",
        "{cores} 核的 {n} 个规格（{mix}）在线程数从 {low} 增至 {high} 时吞吐量普遍下降：平均 {effect}",
    ),
    ("still", "仍然"),
    ("not", "并不"),
    ("{#n} group", "{n} 组"),
    ("{#n} groups", "{n} 组"),
    # CPU
    (
        "{where}: the server's CPU is {#cpu} % busy at {#low} threads, and yet {#high} threads give {b} instead of {a} "
        "ops/s ({effect}){tail?}",
        "{where}：{low} 线程时服务器 CPU 利用率已达 {cpu} %，而 {high} 线程却仍能达到 {b} ops/s，而非 {a} ops/s"
        "（{effect}）{tail}",
    ),
    (
        "{where}: {#high} threads give {#ratio} times the throughput of {#low}, more than the threads grew: {b} "
        "instead "
        "of {a} ops/s ({effect}){tail?}",
        "{where}：{high} 线程的吞吐量是 {low} 线程的 {ratio} 倍，超过线程数之比：{b} ops/s 对 {a} ops/s（{effect}）"
        "{tail}",
    ),
    (
        "{where}: {#high} threads give {#ratio} times the throughput of {#low}, more than the threads grew: {b} "
        "instead "
        "of {a} ops/s",
        "{where}：{high} 线程的吞吐量是 {low} 线程的 {ratio} 倍，超过线程数之比：{b} ops/s 对 {a} ops/s",
    ),
    (
        "the server's CPU is {cpu} % busy at {low} threads, and yet {high} threads give",
        "{low} 线程时服务器 CPU 利用率已达 {cpu} %，而 {high} 线程却仍能达到",
    ),
    (
        "{high} threads give {ratio} times the throughput of {low}, more than the threads grew:",
        "{high} 线程的吞吐量是 {low} 线程的 {ratio} 倍，超过线程数之比：",
    ),
    (
        "{where}: the server's CPU is {cpu} % busy at {low} threads, and yet {high} threads give {b} instead of {a} "
        "ops/s",
        "{where}：{low} 线程时服务器 CPU 利用率已达 {cpu} %，而 {high} 线程却仍能达到 {b} ops/s，而非 {a} ops/s",
    ),
    (
        "{where}: {says} {b} instead of {a} ops/s ({effect}){tail?}",
        "{where}：{says} {b} ops/s，而非 {a} ops/s（{effect}）{tail}",
    ),
    (
        "{cell}: an operation took {#us} µs of CPU, against {#usual} µs in the median of {#n} cells ({#z} robust "
        "standard deviations){tail?}",
        "{cell}：每次操作消耗 CPU {us} µs，而 {n} 个配置的中位数为 {usual} µs（相差 {z} 个稳健标准差）{tail}",
    ),
    (
        "{cell}: an operation took {us} µs of CPU, against {usual} µs in the median of {n} cells",
        "{cell}：每次操作消耗 CPU {us} µs，而 {n} 个配置的中位数为 {usual} µs",
    ),
    (
        "{workload} on {spec}: CPU, threads and throughput contradict each other",
        "{spec} 上的负载 {workload}：CPU、线程数与吞吐量相互矛盾",
    ),
    (
        "in {#k} of {total} the server was not busy at the highest thread count, so its CPU was not the limit: "
        "{names}; "
        "least busy {spec}, {mix}, {threads} at {#cpu} %{tail?}",
        "{total}中有 {k} 个在最高线程数下服务器仍不繁忙，因此瓶颈不在其 CPU：{names}；最空闲的是 {spec}，{mix}，"
        "{threads}，"
        "CPU 利用率 {cpu} %{tail}",
    ),
    (
        "in {k} of {total} the server was not busy at the highest thread count, so its CPU was not the limit: {names}",
        "{total}中有 {k} 个在最高线程数下服务器仍不繁忙，因此瓶颈不在其 CPU：{names}",
    ),
    # inversions
    (
        "{cell}: {a} ops/s, {effect} against the smaller {spec} ({b} ops/s), and {others} too{tail?}",
        "{cell}：{a} ops/s，与更小的规格 {spec}（{b} ops/s）相比 {effect}，也不及{others}{tail}",
    ),
    (
        "{cell}: {a} ops/s, {effect} against the smaller {spec} ({b} ops/s){tail?}",
        "{cell}：{a} ops/s，与更小的规格 {spec}（{b} ops/s）相比 {effect}{tail}",
    ),
    ("{cell}: {a} ops/s, {effect} against the smaller {spec}", "{cell}：{a} ops/s，与更小的规格 {spec} 相比 {effect}"),
    ("{#n} other smaller spec", "另外 {n} 个更小的规格"),
    ("{#n} other smaller specs", "另外 {n} 个更小的规格"),
    (", and {others} too", "，也不及{others}"),
    ("other smaller spec", "另一个更小的规格"),
    # outliers
    (
        "{cell}: {a} ops/s, {effect} against the {b} ops/s of the {law} law, {#z} standard errors by the other specs' "
        "scatter{tail?}",
        "{cell}：{a} ops/s，与{law}模型的 {b} ops/s 相比 {effect}，按其余规格的离散程度计相差 {z} 个标准误{tail}",
    ),
    # series
    (
        "{cell}: throughput stood still for {span} in {#n} stretches, the longest of {long} from {start} after the "
        "start, below {#share} % of the usual {rate} ops/s{tail?}",
        "{cell}：吞吐量停顿共 {span}，分为 {n} 段，最长的持续 {long}，始于运行开始后 {start}，低于通常值 {rate} "
        "ops/s 的 "
        "{share} %{tail}",
    ),
    (
        "{cell}: throughput stood still for {span} from {start} after the start, below {#share} % of the usual {rate} "
        "ops/s{tail?}",
        "{cell}：吞吐量停顿 {span}，始于运行开始后 {start}，低于通常值 {rate} ops/s 的 {share} %{tail}",
    ),
    (" in {#n} stretches, the longest of {long}", "，分为 {n} 段，最长的持续 {long}"),
    (
        "{server} stood still for “{words}”{length?}, by its publisher's words{line?}; no series was published that "
        "would show when or how often{tail?}",
        "据发布方所述，{server}曾停顿“{words}”{length}{line}；但没有公布能说明发生时间和次数的时间序列{tail}",
    ),
    (" in a run of {#n} min", "（运行时长 {n} 分钟）"),
    (" (line {#n} of the source)", "（来源第 {n} 行）"),
    ("the server", "服务器"),
    (
        "{cell}: throughput falls within the run by {#effect} (95 % interval {#low} to {#high}) after the warm-up: "
        "{meaning}",
        "{cell}：预热之后，吞吐量在运行期间持续下降 {effect}（95 % 置信区间 {low} 至 {high}）：{meaning}",
    ),
    (
        "{cell}: throughput rises within the run by {#effect} (95 % interval {#low} to {#high}) after the warm-up: "
        "{meaning}",
        "{cell}：预热之后，吞吐量在运行期间持续上升 {effect}（95 % 置信区间 {low} 至 {high}）：{meaning}",
    ),
    ("{cell}: throughput falls within the run by {#effect}", "{cell}：吞吐量在运行期间持续下降 {effect}"),
    ("{cell}: throughput rises within the run by {#effect}", "{cell}：吞吐量在运行期间持续上升 {effect}"),
    ("it degrades", "性能在退化"),
    ("its warm-up was not over", "预热尚未结束"),
    ("still rising", "仍在上升"),
    (
        "the warm-up matters in {#k} of {runs}: leaving it out changes throughput most at {cell} ({#change}, the first "
        "{span}); in {#long} of them it takes about half the run, so it may not have been over{tail?}",
        "{runs}中有 {k} 次预热影响明显：去除预热后吞吐量变化最大的是 {cell}（{change}，最初 {span}）；其中 {long} "
        "次预热约占"
        "全程一半，可能尚未结束{tail}",
    ),
    (
        "the warm-up matters in {#k} of {runs}: leaving it out changes throughput most at {cell} ({#change}, the first "
        "{span}){tail?}",
        "{runs}中有 {k} 次预热影响明显：去除预热后吞吐量变化最大的是 {cell}（{change}，最初 {span}）{tail}",
    ),
    (
        "the warm-up matters in {k} of {runs}: leaving it out changes throughput most at {cell}",
        "{runs}中有 {k} 次预热影响明显：去除预热后吞吐量变化最大的是 {cell}",
    ),
    (
        "; in {#long} of them it takes about half the run, so it may not have been over",
        "；其中 {long} 次预热约占全程一半，可能尚未结束",
    ),
    (
        "{cell}: throughput swings by {#height} % every {#period} s, as often as the server's checkpoints ({#every} s, "
        "{known}){tail?}",
        "{cell}：吞吐量每 {period} s 波动 {height} %，与服务器检查点的间隔一致（{every} s，{known}）{tail}",
    ),
    (
        "{cell}: throughput swings by {#height} % every {#period} s, which are not the server's checkpoints ({#every} "
        "s, {known}){tail?}",
        "{cell}：吞吐量每 {period} s 波动 {height} %，但与服务器检查点的间隔不符（{every} s，{known}）{tail}",
    ),
    (
        "{cell}: throughput swings by {#height} % every {#period} s, {cause}",
        "{cell}：吞吐量每 {period} s 波动 {height} %，{cause}",
    ),
    ("as often as the server's checkpoints ({#every} s, {known})", "与服务器检查点的间隔一致（{every} s，{known}）"),
    (
        "which are not the server's checkpoints ({#every} s, {known})",
        "但与服务器检查点的间隔不符（{every} s，{known}）",
    ),
    ("as often as the server's checkpoints", "与服务器检查点的间隔一致"),
    ("which are not the server's checkpoints", "但与服务器检查点的间隔不符"),
    ("as the server was seen to write them", "由服务器实际写入的情况得知"),
    ("as its source prints", "见其来源"),
    ("the default", "默认值"),
    (
        "{cell}: the ratio of {name} of {operation} is {#ratio}, against {#usual} in the middle of {#n} runs "
        "alike{tail?}",
        "{cell}：{operation} 的 {name} 之比为 {ratio}，而 {n} 次同类运行的中间值为 {usual}{tail}",
    ),
    ("p99 to mean", "p99 与平均值"),
    ("p99.9 to p99", "p99.9 与 p99"),
)
