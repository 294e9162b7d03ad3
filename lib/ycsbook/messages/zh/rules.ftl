### 各规则的发现。消息以规则命名；简短形式（brief）用于补充同一原因的发现。

## 多条消息共用的部分。

where = { $where ->
    [missing] {""}
   *[other] { $where }：
}
unnamed-dataset = 未命名数据集
interval = 95% 置信区间 { CHANGE($low) } 至 { CHANGE($high) }
interval-too = { $low ->
    [missing] {""}
   *[other] ；{ interval }
}
threads-to = { NUM($threads_to) } 线程
host-cores = { NUM($host_cores) } 核
runs = { $n } 次运行
rows = { $n } 行
published-rows = { $n } 行公布数据
configurations = { $n } 个配置
doubt = { $n ->
   *[other] ；存疑：{ AND($rows) }本身违反利特尔定律
}
doubt-threads = { NUM($threads) } 线程的数据行（{ FIXED($utilisation, digits: 2) }）
doubt-spec = { spec } 的数据行（{ FIXED($utilisation, digits: 2) }）

## 同一原因的发现。

group = { $lead }{ $summary ->
    [true] （另有 { $more } 条单独的）
   *[false] { $more ->
        [0] {""}
       *[other] （另有 { $more } 条类似）
    }
}{ $others ->
    [missing] {""}
   *[other] ；{ CLAUSES($others) }
}
group-other = 另见：{ $what }

## 机器与服务器。

busy_host = { where }其他程序占用了客户端所在机器 { host-cores }中的 { DIGITS($taken) } 核（{ $cell }；{ $runs }中有 { $n } 次至少占 { PERCENT($least) }%），{ $full ->
    [true] 且几乎没有空闲的核：客户端与服务器不得不等待
   *[false] 但仍有空闲的核
}
    .brief = { where }其他程序占用了客户端所在机器 { host-cores }中的 { DIGITS($taken) } 核
busy_host-load = { where }{ host-cores }的机器上平均负载高达 { DIGITS($load, digits: 3) }，而客户端与服务器仅用了 { DIGITS($own) } 核（{ $cell }；{ $runs }中有 { $n } 次如此）：其他程序占用了机器或其磁盘
    .brief = { where }{ host-cores }的机器上平均负载高达 { DIGITS($load, digits: 3) }，而客户端与服务器仅用了 { DIGITS($own) } 核
busy_host-full = { where }客户端所在机器 { host-cores }中有 { DIGITS($busy) } 核繁忙，而服务器也运行在这台机器上：客户端用了 { DIGITS($client) } 核，其余有多少属于服务器、多少属于其他程序，无从得知（{ $cell }；{ $runs }中有 { $n } 次如此）
    .brief = { where }客户端与服务器共用的机器已满载
busy_host-full-advice = 从单独的机器上测量，或为服务器用户授予 clusterMonitor 角色，这样单台服务器可报告自身的 CPU 占用
busy_host-advice = 停止机器上的其他程序，或换用无人共享的机器，然后重新测量
host_drift = { $runs }中有 { $n } 次主机自身速度变化超过 { PERCENT($tolerance) }%，最大（{ CHANGE($effect) }）的是 { $cell }
    .brief = { $runs }中有 { $n } 次主机自身速度变化超过 { PERCENT($tolerance) }%
early_rounds = { where }{ early_rounds-what }，后面各轮则彼此一致{ early_rounds-why }；这些轮次不计入任何结论
early_rounds-why = { $other_day ->
    [true] （在另一天测的）
   *[false] { $slow ->
        [true] （或为缓存未预热，或服务器刚启动）
       *[false] （或为突发性能积分耗尽）
    }
}
early_rounds-what = { $everywhere ->
    [true] {""}
   *[false] 在 { COMMAS($specs, $specs_more) }上，
}{ $rounds } 轮中前 { $n } 轮的吞吐量{ $slow ->
    [true] 比后面各轮低 { PERCENT($less, digits: 0) }%
   *[false] 为后面各轮的 { SIG($times, digits: 2) } 倍
}
early_rounds-advice = 先预热服务器，测到各轮一致为止；并检查是否有突发性能积分
host_drift-rounds = 在 { $configurations }中，{ host_drift-which }（{ CHANGE($low) } 至 { CHANGE($high) }）：{ $round ->
    [missing] 机器或服务器发生了漂移
   *[other] 那段时间机器或服务器的速度有变
}
    .brief = 在 { $configurations }中，{ host_drift-which }
host_drift-which = { $round ->
    [missing] 最后一轮重复与第一轮相比
   *[other] 第 { NUM($round) } 轮重复与其他各轮相比
}为 { CHANGE($effect) }
host_drift-rounds-advice = 在空闲的机器上重测；交错重复可使这种漂移不影响规格之间的比较
host_drift-order = 在 { $configurations }中，{ host_drift-which }（{ CHANGE($low) } 至 { CHANGE($high) }），每个配置的重复是连续进行的：前面的运行使服务器预热或疲劳
    .brief = 在 { $configurations }中，{ host_drift-which }，重复是连续进行的
host_drift-order-advice = 先预热服务器再做第一次重复，各次之间留出间隔
slow_stretch = { where }自 { $first } 至 { $last } 连续 { $n } 次运行与各自的重复相比为 { CHANGE($effect) }：当时有其他因素拖慢了机器或服务器
    .brief = { where }自 { $first } 起连续 { $n } 次运行与各自的重复相比为 { CHANGE($effect) }
slow_stretch-advice = 查明当时还运行了什么，并重新测量这些运行
same_server = { where }规格 { COMMAS($specs, $specs_more) } 是在同一台服务器上测得的（{ $address ->
    [true] 地址相同
   *[false] 同一进程
}）：它们之间的差异并非核数或内存所致
    .brief = { where }规格 { COMMAS($specs, $specs_more) } 是在同一台服务器上测得的
same_server-advice = 检查各规格的地址（uri_env），并重新测量相关规格
spec_label = { where }规格 { $spec } 的列中写的是 { NUM($cores) } 核{ $ram ->
    [missing] {""}
   *[other] 、{ NUM($ram) } GiB 内存
}：名称与列必有一处有误
spec_label-advice = 核对服务器的实际配置；核对之前不要以该规格为依据
server_size-cores = { where }规格 { $spec } 标称 { NUM($wanted) } 核，其服务器报告 { DIGITS($seen, digits: 3) } 核{ server_size-outside }
server_size-ram = { where }规格 { $spec } 标称 { NUM($wanted) } GiB，其服务器报告 { DIGITS($seen, digits: 3) } GiB{ server_size-outside }
server_size-outside = { $outside ->
    [true] ：是否由外部加以限制？
   *[false] {""}
}

## 利特尔定律。

little_law = { little_law.brief }；吞吐量、时延、线程数或读写比例中必有错误，或混入了长短不一的运行或多个客户端，仅凭这一行无法判断是哪一项
    .brief = { $cell }：不可能成立，吞吐量 × 时延达到 { NUM($threads) } 个线程所能达到上限的 { FIXED($utilisation, digits: 2) } 倍
little_law-any_mix = { little_law-any_mix.brief }；吞吐量、时延或线程数中必有错误，或混入了长短不一的运行或多个客户端，仅凭这一行无法判断是哪一项
    .brief = { $cell }：不可能成立，无论读写比例如何，吞吐量 × 时延（仅取较快的操作）至少达到 { NUM($threads) } 个线程所能达到上限的 { FIXED($utilisation, digits: 2) } 倍
little_law-reads = { little_law-reads.brief }；吞吐量、时延、线程数或读写比例中必有错误，或混入了长短不一的运行或多个客户端，仅凭这一行无法判断是哪一项
    .brief = { $cell }：不可能成立，仅读操作的吞吐量 × 时延就已达到 { NUM($threads) } 个线程所能达到上限的 { FIXED($utilisation, digits: 2) } 倍
little_law-writes = { little_law-writes.brief }；吞吐量、时延、线程数或读写比例中必有错误，或混入了长短不一的运行或多个客户端，仅凭这一行无法判断是哪一项
    .brief = { $cell }：不可能成立，仅写操作的吞吐量 × 时延就已达到 { NUM($threads) } 个线程所能达到上限的 { FIXED($utilisation, digits: 2) } 倍
little_law-slip = { little_law.brief }{ little-slip }
    .brief = { little_law.brief }
little_family-slip = { little_family.brief }{ little-slip }
    .brief = { little_family.brief }
little-slip = { $power ->
    [3] ；约为应有值的 1,000 倍：是否把微秒写进了毫秒列，或把单次操作数写进了千次列？
    [2] ；约为应有值的 100 倍：是否多写了两位数字？
    [1] ；约为应有值的 10 倍：是否多写了一位数字？
    [-1] ；约为通常值的十分之一：是否漏写了一位数字？
    [-2] ；约为通常值的百分之一：是否漏写了两位数字？
    [-3] ；约为通常值的千分之一：是否把毫秒写进了微秒列，或把千次操作数写进了单次列？
   *[0] ；
}{ $fits ->
    [missing] {""}
   *[other] 有误的是吞吐量：约 { OPS($fits) } ops/s 才与其时延及相邻各行相符
}
little_law-advice = 对照日志核对吞吐量、时延、线程数和读写比例
little_law-unit = { little_law-unit.brief }；看来单位有误，例如{ $large ->
    [true] 微秒写在毫秒列中
   *[false] 毫秒写在微秒列中，或千次操作写在单次操作列中
}
    .brief = { $rows }中有 { $n } 行的吞吐量 × 时延约为线程所能达到上限的{ $large ->
        [true] 一千倍
       *[false] 千分之一
    }（中位数为 { DIGITS($utilisation, digits: 3) }）
little_law-unit-advice = 核对时延和吞吐量的单位，并在列名中写明：read_us、read_ms、QPS(k)
little_law-client_threads = 多客户端的{ $rows }中有 { $n } 行，吞吐量 × 时延与线程所能达到上限之比恰为客户端数（中位数为 { DIGITS($utilisation, digits: 3) }）：线程数应是单个客户端的
little_law-client_ops = 多客户端的{ $rows }中有 { $n } 行，吞吐量 × 时延与线程所能达到上限之比恰为客户端数的倒数（中位数为 { DIGITS($utilisation, digits: 3) }）：吞吐量应是单个客户端的，而非合计
little_law-client-advice = 线程数和吞吐量均填写所有客户端的合计
little_law-near = { $rows }略超利特尔定律上限（吞吐量 × 时延 / 线程数介于 1 与 { NUM($limit) } 之间；最高为 { FIXED($utilisation, digits: 3) }：{ $cell }）；对差异较大的多次运行求平均，可能造成这种偏差
little_law-near-advice = 无需处理
little_family = { little_family.brief }；{ $outside ->
    [true] 其线程在数据库之外花费的时间多于其他运行
   *[false] 其中某个数字很可能来自另一次运行，或属笔误
}
    .brief = { $cell }：吞吐量 × 时延 / 线程数 = { FIXED($utilisation, digits: 3) }，明显{ $above ->
        [true] 高于
       *[false] 低于
    }同组 { $n } 行的通常值 { FIXED($usual, digits: 3) }
little_family-block = { $mix }：从 { $first } 到 { $last } 的每个规格都有一行的“吞吐量 × 时延 / 线程数”偏离同组（相邻 { $specs } 个规格中有 { $rows }，{ AND($sides) }；通常值 { FIXED($usual, digits: 3) }，最远 { FIXED($utilisation, digits: 3) }）：这是一整片有问题的数据
    .brief = { $mix }：从 { $first } 到 { $last } 的每个规格都有一行的“吞吐量 × 时延 / 线程数”偏离同组
little_family-above = { $n } 行偏高
little_family-below = { $n } 行偏低
little_family-unit = { little_family-unit.brief }：{ $power ->
    [3] 毫秒列中写入了微秒
   *[other] 微秒列中写入了毫秒
}？吞吐量与其他行吻合
    .brief = { $mix }：{ $rows }的时延是通常的 { $power ->
        [3] 1,000 倍
       *[other] 千分之一
    }，规格为 { AND($specs, $specs_more) }
little_family-unit-advice = 核对这些时延的单位，在此之前不要使用
little_family-published-advice = 对照来源核对这些数据行，核对之前不要用于拟合
little_family-measured-advice = 检查这些运行期间客户端自身的 CPU 和停顿，然后重测
repair_hint = { repair_hint.brief }；仅供参考
    .brief = { $cell }：{ repair_hint-figure }应为 { FIXED($becomes) } 而非 { FIXED($was) }（与 { $other } 交换），两行即与同组数据吻合
repair_hint-common = { repair_hint-common.brief }（{ CLAUSES($changes) }）；{ repair_hint-alike }
    .brief = { repair_hint-figure }恰好各{ $higher ->
        [true] 高
       *[false] 低
    } { FIXED($difference) }（各改一个数字），{ $n } 个异常行即与同组数据吻合
repair_hint-alike = 仅供参考：各自随机损坏的数据行出现这种巧合的概率不超过 { PERCENT($alike, digits: 1) }%
repair_hint-change = { $cell }：{ FIXED($was) } 改为 { FIXED($becomes) }
repair_hint-figure = { $figure ->
    [throughput_ops_s] 吞吐量
    [read_us] 读时延
   *[write_us] 写时延
}
copied_rows = { copied_rows.brief }，应为复制而非测量所得{ $same_threads ->
    [true] {""}
   *[false] ：N 个线程时吞吐量 × 时延等于 N
}
    .brief = { AND($cells, $cells_more) } 各行的吞吐量和时延完全相同
copied_rows-advice = 对照来源核对这些行；其中一行的数字或线程数来自另一行
wrong_digits = { wrong_digits.brief }；若为 { FIXED($fits) } ops/s 则吻合：{ $power ->
    [1] 是否多写了一位数字？
    [-1] 是否漏写了一位数字？
   *[other] 是否弄错了单位（如“千次”）？
}
    .brief = { $cell }：{ OPS($ops) } ops/s 约为其他线程数及相邻规格所对应数值的 { $power ->
        [3] 1,000 倍
        [2] 100 倍
        [1] 10 倍
        [-1] 1/10
        [-2] 1/100
       *[-3] 1/1,000
    }
wrong_digits-advice = 对照来源核对这一行；核实前请勿采信
lone_row = { lone_row.brief }；若为 { FIXED($fits) } ops/s 则吻合
    .brief = { $cell }：{ OPS($ops) } ops/s，与彼此吻合的相邻各行相比为 { CHANGE($change) }
lone_row-advice = 重新测量这一行；此前请勿采信
swapped_rows = { swapped_rows.brief }；互换后两行都吻合，仅供参考
    .brief = { $first } 与 { $second }：{ OPS($first_ops) } 和 { OPS($second_ops) } ops/s 都与各自相邻的行不符
swapped_rows-specs = { swapped_rows-specs.brief }；互换后全部吻合：两者的规格标签是否写反？仅供参考
    .brief = 与相邻规格相比，{ $first } 的全部 { $n } 行偏高，{ $second } 的偏低
swapped_rows-specs-advice = 对照来源核对这两个规格的标签；核实前两者均请勿采信
thread_hint = { thread_hint.brief }；仅供参考：随机损坏的数据行中，也有 { PERCENT($by_chance, digits: 0) }% 会与某个常用线程数吻合
    .brief = { $cell }：吞吐量 × 时延相当于 { FIXED($busy, digits: 1) } 个线程，与 { NUM($fits) } 线程吻合，而非 { NUM($printed) } 线程{ $exchanged ->
        [true] ；该行与 { NUM($fits) } 线程的一行可能互换
       *[false] {""}
    }
repair_hint-advice = 向发布方求证，或在该表的其他版本中查找这一数字；不要仅凭此提示修改

## 线程与规格。

thread_regression = { $at }：线程数从 { NUM($threads) } 增至 { NUM($threads_to) }，吞吐量从 { OPS($first) } 降至 { OPS($second) } ops/s（{ CHANGE($effect) }{ interval-too }）{ $small ->
    [true] ，幅度太小，没有重复便无法与噪声区分
   *[false] {""}
}{ $doubt }
    .brief = { $at }：吞吐量从 { OPS($first) } 降至 { OPS($second) } ops/s
thread_regression-together = { thread_regression-together.brief }；无法用噪声解释（p = { DIGITS($p) }）
    .brief = { where }{ cores }的 { $specs } 个规格（{ $mix }）在线程数从 { NUM($threads) } 增至 { NUM($threads_to) } 时吞吐量普遍下降：平均 { CHANGE($effect) }
thread_regression-repeat-advice = 对重要的配对至少重复测量 3 次
thread_regression-watch-advice = 交替重测两种线程数，并补测一个中间值；吞吐量下降时观察服务器 CPU、锁等待和客户端自身的 CPU
inversion = { $cell }：{ OPS($second) } ops/s，与更小的规格 { $smaller }（{ OPS($first) } ops/s）相比 { CHANGE($effect) }{ $others ->
    [0] {""}
   *[other] ，也不及另外 { $others } 个更小的规格
}{ $doubt }
    .brief = { $cell }：{ OPS($second) } ops/s，低于更小的规格 { $smaller }（{ OPS($first) } ops/s）
inversion-advice = 在同一天用相同的数据和客户端交替重测两个规格，并比较二者的存储
dip = { dip.brief }（{ $some ->
    [true] { COMMAS($mixes) }；
   *[false] {""}
}{ $total } 种负载与线程数组合中有 { $n } 种如此）
    .brief = { $spec } 比相邻规格 { $smaller } 和 { $larger } 之间应有的吞吐量低 { $least ->
        [missing] {""}
       *[other] { PERCENT($least, digits: 0) }～
    }{ PERCENT($most, digits: 0) }%
dip-advice = 尽可能换一台主机重测该规格；并检查其磁盘或机型是否不同，或内存是否恰好容纳不下数据
mix_order = { $at }：{ $mix } 为 { OPS($ops) } ops/s，仅为 { $fewer }（{ OPS($fewer_ops) } ops/s）的 { SIG($ratio) } 倍；而 { $other } 上为 { SIG($other_ratio) } 倍
mix_order-advice = 在同一天用相同的数据在两个规格上重测两种负载；在此之前不要依据该差异判断内存的收益
scaling_outlier = { $cell }：{ OPS($observed) } ops/s，与{ method-law-name }模型的 { OPS($fitted) } ops/s 相比 { CHANGE($effect) }，按其余规格的离散程度计相差 { FIXED($errors, digits: 1) } 个标准误
scaling_outlier-advice = 重测该规格；若结果不变，查找它的特殊之处（内存、存储、主机），并在拟合时将其排除

## CPU。

cpu_contradiction = { cpu_contradiction.brief }（{ CHANGE($effect) }{ interval-too }）{ $doubt }
    .brief = { $at }：{ threads }时服务器 CPU 利用率已达 { PERCENT($cpu, digits: 0) }%，但 { threads-to }的吞吐量却从 { OPS($first) } ops/s 升至 { OPS($second) } ops/s
superlinear_threads = { superlinear_threads.brief }（{ CHANGE($effect) }{ interval-too }）{ $doubt }
    .brief = { $at }：{ threads-to }的吞吐量是 { NUM($threads) } 线程的 { FIXED($ratio, digits: 2) } 倍，超过线程数之比：{ OPS($second) } ops/s 对 { OPS($first) } ops/s
cpu_per_operation = { cpu_per_operation.brief }（相差 { FIXED($deviations, digits: 1) } 个稳健标准差）
    .brief = { $cell }：每次操作消耗 CPU { FIXED($cpu_us) } µs，而 { $n } 个配置的中位数为 { FIXED($usual_us) } µs
cpu-advice = 交替重测两种线程数，并在服务器内部记录其 CPU
not_saturated = { $configurations }中有 { $n } 个在最高线程数下服务器 CPU 利用率低于 90%，瓶颈可能不在 CPU：{ COMMAS($names, $names_more) }；最空闲的是 { $cell }，CPU 利用率 { PERCENT($cpu, digits: 0) }%
not_saturated-advice = 先增加客户端线程或机器并检查连接池，再将这些数据点视为服务器的能力

## 运行过程中的吞吐量，时延。

stall = { $cell }：吞吐量停顿{ $stretches ->
    [1] {" "}{ DURATION($lost_s) }
   *[other] 共 { DURATION($lost_s) }，分为 { $stretches } 段，最长的持续 { DURATION($longest_s) }
}，始于运行开始后 { DURATION($start_s) }，低于通常值 { OPS($usual) } ops/s 的 { PERCENT($share) }%
stall-published = 据发布方所述，{ $server ->
    [missing] 服务器
   *[other] { $server } {""}
}曾停顿“{ $words }”{ $minutes ->
    [missing] {""}
   *[other] （运行时长 { $minutes } 分钟）
}{ $line ->
    [missing] {""}
   *[other] （来源第 { $line } 行）
}；但没有公布能说明发生时间和次数的时间序列
stall-advice = 查看服务器当时的日志和磁盘（检查点、缓存驱逐、选举），并给出时延的最高百分位：闭环客户端在等待时不发送任何请求，因此只有少数操作能反映这次停顿
degradation = { $cell }：预热之后，吞吐量在运行期间持续下降 { CHANGE($effect) }（{ interval }）：性能在退化
degradation-advice = 延长运行时间，看它稳定在何处；存在漂移时，平均值取决于运行时长
not_settled = { $runs }中有 { $n } 次尚未稳定：{ $cell } 运行 { DURATION($runtime_s) }，其中预热至少占 { DURATION($warmup_s) }，使吞吐量变化 { CHANGE($effect) }
not_settled-advice = 运行时间至少应为预热时间的四倍；在此之前，其吞吐量只能视为下界，不可据此选型
warmup = { $runs }中有 { $n } 次预热影响明显：去除预热后吞吐量变化最大的是 { $cell }（{ CHANGE($effect) }，最初 { DURATION($warmup_s) }）
warmup-advice = 采用去除预热的 steady_ops_s，并使运行时长数倍于预热时间
sawtooth = { $cell }：吞吐量每 { DIGITS($period_s, digits: 3) } s 波动 { PERCENT($height, digits: 0) }%，{ $fits ->
    [true] 与服务器检查点的间隔一致
   *[false] 但与服务器检查点的间隔不符
}（{ NUM($every_s) } s，{ $known ->
    [seen] 由服务器实际写入的情况得知
    [printed] 见其来源
   *[default] 默认值
}）
sawtooth-advice = 运行时长应覆盖多个周期，使平均值不取决于停止的时刻；并与服务器日志中的时间比对
tail = { $cell }：{ $operation } 的 { $figures ->
    [p99] p99 与平均值
   *[p999] p99.9 与 p99
} 之比为 { DIGITS($ratio, digits: 3) }，而 { $n } 次同类运行的中间值为 { DIGITS($usual, digits: 3) }
percentile_below_mean = { percentile_below_mean.brief }：最慢的 { PERCENT($slowest) }% 平均至少须达 { FIXED($slowest_us) } µs；对多个客户端的百分位求平均，或两列写反，都会如此
    .brief = { $cell }：{ $operation } 的 p{ NUM($percentile) } 为 { FIXED($latency_us) } µs，低于其均值 { FIXED($mean_us) } µs
percentile_below_mean-advice = 对照日志核对这两个数字
tail-advice = 在时间序列中查看该次运行最慢的几秒以及服务器当时的日志，然后重测

## 连接池与写入。

mixed_folders = { mixed_folders.brief }，被当作 { NUM($cells) } 个配置的重复运行；其平均吞吐量相差 { PERCENT($apart, significant: 2) }%
    .brief = { where }{ $runs }来自名称含义不明的文件夹：{ COMMAS($folders, $folders_more) }
mixed_folders-advice = 若它们属于不同的服务器或设置，应以 --pattern '{ $pattern }' 重新读取，使其各成一个数据集
at_once = { at_once.brief }{ $is_named ->
    [true] ，却被当作重复运行
   *[false] {""}
}；若为同一次运行的多个客户端，吞吐量应当相加
    .brief = { where }按日志时钟，{ $runs }中有 { $n } 次与另一次相同配置的运行（{ $cell }）同时进行
at_once-advice = 若为同一次运行的多个客户端，应在 ycsbook.yml 的 clients 中列出；否则应逐次测量
pool = { $cell }：即使按已知最低读时延计算，仍有 { FIXED($busy) } 个读操作同时在途，超过{ $recorded ->
    [true] 其命令行所允许的 { NUM($size) } 个连接：实际使用了别的连接，或吞吐量、时延有误
   *[false] 驱动默认连接池的 { NUM($size) } 个连接：可能用了多个客户端、调大了连接池，或数字有误，来源未作说明
}
pool-advice = 公布数据时应注明连接池大小（maxPoolSize），并将其设为不小于线程数
pool-recorded = { pool-recorded.brief }（{ $threads ->
    [missing] 线程数未知
   *[other] { COMMAS($threads, $threads_more) } 线程
}）：测到的是连接池，更多的线程只能排队等待
    .brief = { $runs }中有 { $n } 次连接池小于线程数
pool-recorded-advice = 将 maxPoolSize 设为不小于线程数，然后重测这些运行
pool-shown = 在 { COMMAS($threads, $threads_more) } 线程下，各规格上同时进行的调用都至多约 { FIXED($calls) } 个：其余线程在等待连接，或停在客户端
pool-shown-advice = 将 maxPoolSize 增至线程数，或增加客户端，然后重测这些运行
unacked_writes = { $all ->
    [true] { $n ->
        [1] {""}
       *[other] 全部{" "}
    }{ $rows }均
   *[false] { $rows }中有 { $n } 行
}以写关注 0 测得：写入只是发出，并未得到应答{ $below ->
    [0] {""}
   *[other] ；{ $written } 行中有 { $below } 行的平均写时延低于 { FIXED($rtt_us) } µs 的网络往返时间
}
unacked_writes-advice = 以写关注 1 或 majority 重测；写时延只是发送所需的时间
unacked_writes-below = 有 { $rows }的平均写时延低于网络往返时间（最低 { FIXED($write_us) } µs，往返 { FIXED($rtt_us) } µs：{ $cell }）：应答不可能这么快
unacked_writes-below-advice = 核对客户端实际使用的写关注，并重新测量网络往返时间
writes_slower_than_reads = { writes_slower_than_reads.brief }（写 { FIXED($write_us) } µs，读 { FIXED($read_us) } µs）：可能是反压；若是，则其吞吐量反映的是连接的承受能力，而不是服务器写入的速度。数据行：{ COMMAS($names, $names_more) }
    .brief = 有 { $rows }的未应答写入比读取还慢，最明显的是 { $row }
writes_slower_than_reads-advice = 以写关注 1 重测，并观察服务器的队列
write_latency_outliers = { threads }时，发送一次写入的耗时中位数为 { FIXED($usual_us) } µs（{ $n } 行），其中 { $odd } 行明显偏离：{ COMMAS($names, $names_more) }
write_latency_outliers-row = { spec-mix-plain } { FIXED($write_us) } µs
write_latency_outliers-advice = 先以写关注 1 重测这些数据行，再解读其时延

## 历史、重复运行，以及发布方载明的设置。

change_point = { $cell }：自 { $started_at } 的运行起，吞吐量变化 { CHANGE($effect) }（{ interval }），此前 { $before } 次运行，此后 { $since } 次；{ $versions ->
    [changed] 变化始于版本 { $version }（此前为 { $version_before }）
    [throughout] 服务器版本始终为 { $version }
    [as-before] 此时的版本仍为 { $version }，与此前相同
   *[unknown] 未记录服务器版本
}
    .brief = { $cell }：吞吐量变化 { CHANGE($effect) }
change_point-advice = 在同一主机上交替重测两个版本，并用“ycsbook compare”比较
noise = { noise.brief }{ $wilder ->
    [true] ，是其余 { $others }（{ PERCENT($usual, digits: 1) }%）的 { DIGITS($times) } 倍
   *[false] ，平均值已无多大意义
}
    .brief = { where }{ $cell }：其 { $n } 次重复的波动为 { PERCENT($sd, digits: 1) }%
noise-runs = { noise-far }，而其余各次彼此一致：{ COMMAS($rows, $rows_more) }
noise-left-out = { noise-far }，而其余各次彼此一致，因此未计入：{ COMMAS($rows, $rows_more) }
noise-far = { where }{ $total } 次运行中有 { $n } 次{ noise-all-on }与同一配置的其余重复相差很大（{ CHANGE($low) }{ $high ->
    [missing] {""}
   *[other] {" "}至 { CHANGE($high) }
}）
noise-all-on = { $only ->
    [missing] {""}
   *[other] （均在 { $only } 的第 { $repeat } 轮）
}
noise-run = { $cell }{ $repeat ->
    [missing] {""}
   *[other] （第 { $repeat } 次）
}
noise-advice = 检查机器上是否有其他负载，或某次运行中是否有停顿，然后重测
two_levels = { two_levels.brief }：{ $n_low } 次在 { OPS($low) } ops/s 附近，{ $n_high } 次在 { OPS($high) } 附近，各组内部接近
    .brief = { where }{ $cell }：其 { $n } 次重复分为两组，相差 { PERCENT($apart, digits: 0) }%
two_levels-advice = 使用该行之前，先找出两组运行的差别（主机、部署位置、缓存、设置）
two_levels-groups = { where }{ $rows }分为两组，在每种核数下都相差 { DIGITS($times) } 倍：是否为同名的两种服务器？
two_levels-groups-advice = 增加一列（如 vendor 或 spec）写明两组的名称
noise-unknown = { where }{ $rows }均只有一个数值，波动未知：微小的差异不能说明问题
noise-copied = { where }{ $rows }的重复数值完全相同，应是复制而非重复测量：按单次计，波动未知
noise-copied-advice = 填写每次运行各自的数值，或每个数值只保留一行
noise-unknown-advice = 每个配置至少交替测量 3 次
noise-power = { where }重复运行的波动为 { PERCENT($sd, digits: 1) }%（{ $configurations }，{ $repeats ->
    [missing] 按表中所载标准差
   *[other] { $repeats } 次重复
}，自由度 { $df }）{ $few_sd ->
    [missing] {""}
   *[other] ，{ NUM($few) } 核时为 { PERCENT($few_sd, digits: 1) }%，{ NUM($many) } 核时为 { PERCENT($many_sd, digits: 1) }%
}：两两比较时，下降 { PERCENT($loss, digits: 1) }% 可在 { PERCENT($power, digits: 0) }% 的测试中检出，下降 { PERCENT($larger_loss, digits: 1) }% 可在 { PERCENT($higher_power, digits: 0) }% 的测试中检出；若要在 { PERCENT($power, digits: 0) }% 的测试中检出 { PERCENT($change, digits: 0) }% 的下降，每个配置需重复 { $needed } 次{ $over ->
    [true] 以上
   *[false] {""}
}
noise-power-advice = 按需要检出的最小变化来确定重复次数
settings_implausible = 页面给出 operationcount={ $operations }：按所载吞吐量计算，{ $short ->
    [0] {""}
   *[other] { $rows } 行中有 { $short } 行不足 1 s，
}最长的也只有 { DURATION($longest_s) }{ $asked ->
    [missing] {""}
   *[other] ；而同一页面要求“{ $asked }”
}
settings_implausible-example = 页面给出的 operationcount={ $operations } 只是示例：“{ $words }”。各行数据的操作数和运行时长均未给出
settings_implausible-default = 页面未给出{ $lacks ->
    [operation] 操作
   *[both] 记录数或操作
}数：按页面所列命令只会执行 { $count } 次操作，每次运行最长 { DURATION($longest_s) }{ $data ->
    [missing] {""}
   *[other] ，针对 { $count } 条记录；而页面称“{ $data }”
}
settings_implausible-stated = 页面未给出操作数，但给出了运行时长：即 { $count } 次操作、{ DURATION($longest_s) }
settings_implausible-advice = 向发布方索取操作数和运行时长；在此之前，应视为缓存与预热可能尚未稳定

## 日志本身表明存疑的运行。

invalid_run-not_completed = { invalid_run-not_completed.brief }{ $reasons ->
    [missing] {""}
   *[other] （{ COMMAS($reasons, $reasons_more) }）
}，不计入任何结果：{ COMMAS($run_ids, $run_ids_more) }
    .brief = { where }{ $runs }中有 { $n } 次未完成
invalid_run-not_completed-advice = 查看这些运行的日志，然后重新测量；“ycsbook run”会保留已完成的运行
invalid_run-operations_failed = { where }{ $runs }中有 { $n } 次出现操作失败{ $cell ->
    [missing] {""}
   *[other] ，最多的是 { $cell }：{ $operations ->
        [missing] {""}
       *[other] { FIXED($operations) } 次操作的{" "}
    }{ PERCENT($share, significant: 2) }%
}
invalid_run-short_run = { where }{ $runs }中有 { $n } 次不足 20 分钟{ $shortest_s ->
    [missing] {""}
   *[other] ，最短 { DURATION($shortest_s) }
}{ $planned ->
    [true] ，与计划一致
   *[false] {""}
}
invalid_run-cores_not_enforced = { where }{ COMMAS($specs, $specs_more) } 的核数仅作记录，并未实际限制：吞吐量与核数的关系在此没有意义
invalid_run-counts_disagree = { where }{ $runs } 中有 { $n } 个的数字互相矛盾：{ $run_id } 的吞吐量 × 运行时间为 { FIXED($behind) } 次操作，而计数为 { FIXED($operations) } 次；手工修改过的日志或由两份日志拼成的日志会如此
invalid_run-columns_unread = { where }{ $what }（{ $runs }中的 { $n } 个）
invalid_run-warned = { where }{ $runs }中有 { $n } 次出现“{ $warning }”：{ COMMAS($run_ids, $run_ids_more) }

## 规则的名称。

rule-little_law = 违反利特尔定律
rule-thread_regression = 线程增多吞吐量反降
rule-more_cores_slower = 核数增多吞吐量反降
rule-more_ram_slower = 内存增大吞吐量反降
rule-little_family = 利特尔定律比值异常
rule-repair_hint = 疑似录入错误
rule-copied_rows = 与另一行数字相同
rule-wrong_digits = 数字位数有误
rule-lone_row = 与相邻各行均不符
rule-swapped_rows = 两行互换
rule-thread_hint = 与其他线程数吻合
rule-unacked_writes = 写入未确认
rule-writes_slower_than_reads = 写入反压
rule-write_latency_outliers = 写时延异常
rule-cpu_contradiction = CPU 与线程数矛盾
rule-superlinear_threads = 增幅超过线程数之比
rule-cpu_per_operation = 单次操作 CPU 开销异常
rule-mix_order = 两种负载快慢颠倒
rule-dip = 低于相邻规格
rule-scaling_outlier = 远离扩展模型
rule-not_saturated = 瓶颈不在服务器 CPU
rule-stall = 吞吐量停顿
rule-degradation = 运行中下降
rule-warmup = 预热
rule-not_settled = 尚未稳定
rule-sawtooth = 周期性波动
rule-percentile_below_mean = 百分位低于均值
rule-tail = 长尾时延
rule-mixed_folders = 被当作重复的文件夹
rule-at_once = 同时进行的运行
rule-pool = 连接池过小
rule-invalid_run = 运行结果存疑
rule-early_rounds = 前几轮与后几轮不一致
rule-host_drift = 主机速度变化
rule-slow_stretch = 连续多次运行偏慢
rule-busy_host = 机器上另有负载
rule-same_server = 多个规格用了同一台服务器
rule-spec_label = 规格名称与配置不符
rule-server_size = 服务器与规格不符
rule-settings_implausible = 配置不合理
rule-change_point = 历史数据突变
rule-noise = 重复运行的噪声
rule-two_levels = 重复分为两组
