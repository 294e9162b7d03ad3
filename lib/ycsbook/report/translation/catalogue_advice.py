"""What to do next about a finding, in Chinese."""

PAIRS: tuple[tuple[str, str], ...] = (
    (
        "check throughput, latencies, thread count and mix against the log; until then do not build on this row. "
        "Averaging unequal repeats explains an excess of cv² only",
        "对照日志核对吞吐量、延迟、线程数和读写比例；核对之前不要以此行为依据。对长短不一的重复运行求平均，"
        "最多只能解释 cv² 的偏差",
    ),
    ("nothing, unless the rows are single runs", "无需处理，除非这些数据行来自单次运行"),
    (
        "check these rows against their source, and leave them out of fits until then",
        "对照来源核对这些数据行，核对之前不要用于拟合",
    ),
    (
        "look at the client's own CPU and at pauses during these runs, and repeat them",
        "检查这些运行期间客户端自身的 CPU 和停顿，然后重测",
    ),
    ("repeat the pairs that matter at least 3 times", "对重要的配对至少重复测量 3 次"),
    (
        "repeat both thread counts, interleaved, and measure one between; watch server CPU, lock waits and the "
        "client's "
        "own CPU while throughput falls",
        "交错重测两种线程数，并补测一个中间值；吞吐量下降时观察服务器 CPU、锁等待和客户端自身的 CPU",
    ),
    (
        "repeat both thread counts, interleaved, and record the server's CPU from inside it",
        "交错重测两种线程数，并在服务器内部记录其 CPU",
    ),
    (
        "which of the two rows is wrong: the lower one may have been measured cold, or on a busy machine",
        "查明两行中哪一行有误：较低的一行可能是在冷启动或机器繁忙时测得的",
    ),
    ("whether throughput, CPU or the number of cores is wrong", "查明有误的是吞吐量、CPU 还是核数"),
    (
        "repeat both specs, interleaved, on the same day, with the same data and client; compare their storage",
        "在同一天用相同的数据和客户端交错重测两个规格，并比较二者的存储",
    ),
    (
        "repeat this spec; where it stands, look for what sets it apart (RAM, storage, host), and fit without it",
        "重测该规格；若结果不变，查找它的特殊之处（内存、存储、主机），并在拟合时将其排除",
    ),
    (
        "look at the server's log and disk for that time (checkpoints, cache eviction, elections), and give latencies "
        "with their highest percentiles: a closed loop sends nothing while it waits, so few operations show the stall",
        "查看服务器当时的日志和磁盘（检查点、缓存驱逐、选举），并给出延迟的最高百分位："
        "闭环客户端在等待时不发送任何请求，"
        "因此只有少数操作能反映这次停顿",
    ),
    (
        "run longer and see where it settles; a mean over a drift depends on the length of the run",
        "延长运行时间，看它稳定在何处；存在漂移时，平均值取决于运行时长",
    ),
    (
        "read steady_ops_s, which leaves it out, and run longer than a few warm-ups",
        "采用去除预热的 steady_ops_s，并使运行时长数倍于预热时间",
    ),
    (
        "run for many periods, so that the mean does not hang on where it stops; compare with the times in the "
        "server's "
        "log",
        "运行时长应覆盖多个周期，使平均值不取决于停止的时刻；并与服务器日志中的时间比对",
    ),
    (
        "look at the run's slowest seconds in its series, and at the server's log there; repeat it",
        "在时间序列中查看该次运行最慢的几秒以及服务器当时的日志，然后重测",
    ),
    (
        "use more client threads or machines, and check the pool, before reading these points as the server's",
        "先增加客户端线程或机器并检查连接池，再将这些数据点视为服务器的能力",
    ),
    (
        "say the pool's size (maxPoolSize) with the figures, and set it to at least the number of threads",
        "公布数据时应注明连接池大小（maxPoolSize），并将其设为不小于线程数",
    ),
    (
        "set maxPoolSize to at least the number of threads and repeat these runs",
        "将 maxPoolSize 设为不小于线程数，然后重测这些运行",
    ),
    (
        "check the write concern that the client really used, and measure the round trip again",
        "核对客户端实际使用的写关注，并重新测量网络往返时间",
    ),
    ("repeat with write concern 1, and watch the server's queues", "以写关注 1 重测，并观察服务器的队列"),
    (
        "repeat these rows with write concern 1 before reading their latency",
        "先以写关注 1 重测这些数据行，再解读其延迟",
    ),
    ("measure again with write concern 1", "以写关注 1 重新测量"),
    (
        "run both versions again on the same host, interleaved, and compare them with ycsbook compare",
        "在同一主机上交错重测两个版本，并用“ycsbook compare”比较",
    ),
    (
        "repeat on a quiet machine; interleaved repeats keep such a drift out of comparisons between specs",
        "在空闲的机器上重测；交错重复可使这种漂移不影响规格之间的比较",
    ),
    (
        "read their logs, then measure them again: ycsbook run keeps what is finished",
        "查看这些运行的日志，然后重新测量；“ycsbook run”会保留已完成的运行",
    ),
    (
        "look for other load on the machine or a stall in one of the runs, and repeat them",
        "检查机器上是否有其他负载，或某次运行中是否有停顿，然后重测",
    ),
    ("measure each configuration at least 3 times, interleaved", "每个配置至少交错测量 3 次"),
    (
        "plan as many repeats as the smallest change that matters needs",
        "按需要检出的最小变化来确定重复次数",
    ),
    (
        "ask the publisher, or look for the figure in another copy of the table; do not repair it by this hint",
        "向发布方求证，或在该表的其他版本中查找这一数字；不要仅凭此提示修改",
    ),
    (
        "ask the publisher for the counts and the run times; until then take caches and warm-up for unsettled",
        "向发布方索取操作数和运行时长；在此之前，应视缓存和预热尚未稳定",
    ),
    # the warnings of a run
    (
        "some operations failed: read goodput, not throughput, and look at the errors",
        "部分操作失败：应看有效吞吐量而非总吞吐量，并检查错误",
    ),
    (
        "writes were batched: their latencies are those of a buffer, ignore them",
        "写入是批量进行的：其延迟只是写缓冲区的延迟，应忽略",
    ),
    (
        "latencies count from when an operation was due (measurement.interval=intended), so they hold waiting: do not "
        "compare them with those of other runs",
        "延迟从操作应当开始的时刻计起（measurement.interval=intended），因此包含等待时间：不要与其他运行的延迟比较",
    ),
    (
        "write concern 0: nobody knows whether the writes succeeded, and the write latency is the time to send; repeat "
        "with write concern 1 or majority",
        "写关注为 0：写入是否成功无从得知，写延迟只是发送所需的时间；应以写关注 1 或 majority 重测",
    ),
    (
        "shorter than 20 minutes: caches and checkpoints had no time to settle; raise min_duration",
        "不足 20 分钟：缓存和检查点来不及稳定；应增大 min_duration",
    ),
    (
        "the clock moved during the run, so its duration is wrong; repeat the run",
        "运行期间时钟被调整，时长有误；应重测",
    ),
    (
        "the log's own figures contradict each other; do not use it until you know why",
        "日志自身的数字相互矛盾；查明原因之前不要使用",
    ),
    (
        "this YCSB release prints the 90th percentile under the name of the 95th",
        "该版本的 YCSB 将第 90 百分位误标为第 95 百分位",
    ),
    ("latencies labelled ms are microseconds", "标注为 ms 的延迟实为微秒"),
    (
        "latencies beyond the last bucket were not measured: high percentiles are lower bounds",
        "超出最后一个桶的延迟未被测量：高百分位只是下界",
    ),
    ("the log ends early", "日志不完整，提前结束"),
    ("this is a mean of several logs, not a log", "这是多份日志的平均值，而非一份日志"),
    (
        "the number of client threads is not in the log: say it in a sidecar or with --set",
        "日志中没有客户端线程数：请在附属文件中或用 --set 注明",
    ),
    (
        "fewer client threads ran than were asked for: raise the operation count",
        "实际运行的客户端线程少于要求：应增加操作数",
    ),
    (
        "throughput x latency exceeds the threads, which no closed loop can do: at least one of the figures is wrong",
        "吞吐量 × 延迟超过线程数，任何闭环都不可能如此：至少有一个数字有误",
    ),
    (
        "the connection pool is smaller than the threads: the pool was measured",
        "连接池小于线程数：测到的是连接池",
    ),
    ("the spec's cores were recorded, not enforced, on this system", "在此系统上，规格的核数仅作记录，并未实际限制"),
    (
        "the host's own speed changed by more than 10 % during the run; repeat it",
        "运行期间主机自身速度变化超过 10 %；应重测",
    ),
    (
        "the URI switches the check of the server's certificate or host name off: nobody knows who answered; give "
        "tlsCAFile instead",
        "URI 关闭了对服务器证书或主机名的校验：无从得知应答者是谁；应改用 tlsCAFile",
    ),
)
