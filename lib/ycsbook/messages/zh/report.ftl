### 报告中数据以外的文字。章节与图的键以使用它们的 ycsbook.report 模块命名。

## 页面。

report-kicker = YCSB 性能测试报告
report-skip = 跳到报告正文
report-contents = 目录
report-footer = 本页由 ycsbook 根据同目录下的数据表生成；输入相同，输出逐字节相同。
report-data = 数据
report-as-html = 本报告的 HTML 单页版（表格可排序）
report-sort = 排序
report-top = 返回顶部
report-show-all = 显示全部 { FIXED($n) } 行
report-severity = { $severity ->
    [error] 错误
    [warning] 警告
    [notice] 注意
    [note] 说明
   *[other] { $severity }
}
report-evidence = { $evidence ->
    [repeats] 重复运行
    [single] 单次运行
    [published] 公布数据
   *[other] { $evidence }
}
report-what-to-do = 建议：
report-command = 命令：
report-aside = （{ $text }）
report-stop = { $text }。
report-label = { $name }：
report-description = { report-kicker }：{ $server }，{ $date }
report-title-line = { $rest }：{ $last }

## 多个章节共用。

report-server-unknown = 未注明
report-server = { $kind ->
    [missing] {""}
   *[other] { $kind }{" "}
}{ AND($versions) }{ $topology ->
    [replica_set] ，副本集
   *[other] {""}
}
report-title = { $publisher } { $server } 性能测试{ $date ->
    [missing] {""}
   *[other] （{ $date }）
}
report-dates = { $first } 至 { $last }
report-date-unknown = 日期未注明
report-workload = { COMMAS($shares) }
report-workload-named = { COMMAS($shares) }（负载 { $name }）
report-workload-unknown = { $named ->
    [true] 负载 { $name }
   *[false] 全部操作
}
report-share = { $operation ->
    [read] 读
    [update] 更新
    [insert] 插入
    [scan] 扫描
    [readmodifywrite] 读改写
   *[write] 写
} { PERCENT($share, significant: 3) }%
report-span = { $low } 至 { $high }
report-effect = { $value }（{ $low } 至 { $high }）
report-of-series = { $series }：{ $text }
report-dataset = { $dataset }；{ $server }；{ $date }
report-specs = { $n } 个规格

report-or = { OR($parts) }
report-percent = { $share ->
    [missing] –
   *[other] { PERCENT($share, digits: 0) }%
}
report-times = { $ratio ->
    [missing] –
   *[other] ×{ WITHIN($ratio, $low, $high) }
}

## 多个表格共用的列名。

column-spec = 规格
column-threads = 线程数
column-workload = 负载
column-target = 目标吞吐量（ops/s）
column-qps = QPS（ops/s）
column-ral = RAL（us）
column-wal = WAL（us）
column-all = 平均时延（us）
column-p99 = p99（us）
column-cpu = CPU
column-side = { $side ->
    [measured] { $heading }，实测
   *[published] { $heading }，公布
}
column-qps-at = { NUM($threads) } 线程的 QPS
column-change = 变化
column-trust = 可信度
column-per-doubling = 核数翻倍
column-with-doubt = 计入存疑数据行
column-these-specs = 95%，这些规格
column-another-server = 95% 置信区间（其他同类规格）
column-per-step = 相邻档位（折算为每翻一倍）
column-series = 组别
column-law = 模型
column-term = 参数
column-estimate = 估计值
column-interval = 95% 置信区间
column-points = 数据点
column-core-counts = 核数档数
column-loo-error = 留一法误差
column-aicc = AICc
column-verdict = 结论
column-step = 核数{ $more_ram ->
    [true] （内存同时增加）
   *[false] {""}
}
column-ram-step = 内存
column-gain = 吞吐量倍数
column-cost-ratio = 投入
column-efficiency = 产出投入比
column-per-core = 每增加 1 核的 ops/s
column-per-gib = 每增加 1 { $unit } 的 ops/s
column-capacity-measured = 实测（ops/s）
column-again = 再测
column-capacity-law = 模型（ops/s）
column-capacity-new = 新服务器，95%（ops/s）
column-probability = 概率
column-p99-ms = p99（ms）
column-cost = 每百万次操作
column-operation = 操作
column-p99-range = p99 最低至最高
column-name = 名称
column-value = 值
column-setting = 配置项
column-basis = 依据
column-runs = 运行次数
column-what-to-do = 建议
column-whole = 全程
column-steady = 稳态
column-warmup = 预热（s）
column-ratio = 全程 / 稳态
column-repeat = 重复
column-run = 运行
column-outcome = 结果
column-stop-reason = 原因
column-warnings = 警告
column-source = 来源
column-place = 文件与行号

## opening：标题下的数值，以及结论。

opening-server = 测试对象
opening-cores = 规格的核数
opening-date = 日期
opening-specs = 规格数
opening-runs = 测试数据
opening-findings = 发现
opening-measured = 实测 { $n } 次
opening-published = 公布数据 { $n } 行
opening-left-out = 剔除 { $n } 次
opening-no-throughput = 数据中没有吞吐量，无法得知服务器能承受多大负载，只有操作时延可看。
opening-no-figures = 数据中既没有吞吐量，也没有时延，因此无从判断。
opening-no-points = { $reasons ->
    [missing] 没有完成的运行，也没有公布的数据，因此无图可绘。
   *[other] 没有完成的运行：{ COMMAS($reasons, $reasons_more) }。
}
opening-no-font = 未找到中文字体，图中改用英文和规格的英文名。请安装中文字体（Debian：fonts-noto-cjk；Fedora：google-noto-sans-cjk-fonts；Homebrew：font-noto-sans-cjk；“ycsbook doctor”会给出本机的安装命令），然后重新生成报告。

## results：厂商形式的表格，以及较低与较高线程数的对比。

results = 测试结果
results-note = QPS 为{ OR($throughput) }；RAL 与 WAL 分别为{ $steady ->
    [true] 全程的
   *[false] {""}
}平均读时延和平均写时延。{ $repeats ->
    [missing] {""}
    [1] 实测值均来自单次运行，离散程度未知。
   *[other] 实测值为 { $repeats } 次重复运行的平均值（QPS 为几何平均值）± 标准差。
}{ $published ->
    [true] 数值照录来源，未作改动。
   *[false] {""}
}
results-throughput = { $column ->
    [steady_ops_s] 稳态吞吐量，即去除预热后每秒成功的操作数
    [goodput_ops_s] 整个运行期间每秒成功的操作数
   *[throughput_ops_s] 总吞吐量（由 YCSB 统计，包含失败的操作）
}
results-trust = 可信度：{ COMMAS($grades) }。A 为有重复、一致且写入已确认；B 为有重复；C 为单次运行、机器另有负载，或计划外不足 20 分钟；D 与其他行或自身数据难以吻合，或尚未稳定；F 不可能正确，或有操作失败。
results-grade = { $grade } { $n } 行
results-loads = 数据加载
results-not-stated = 未注明
results-unacked = 写关注（write concern）为 0：写时延只是发送所需的时间，写入是否成功无从得知。
threads-section = { NUM($low) } 线程与 { NUM($high) } 线程对比
threads-caption = { report-dataset }；n = { report-specs }。{ $doubtful ->
    [true] 空心点存疑。
   *[false] {""}
}{ $most ->
    [missing] {""}
   *[other] 只画出变化最大的 { $most } 个规格，表中有全部。
}
ladder-title = { $workload ->
    [missing] {""}
   *[other] { $workload }：
}吞吐量最高时的线程数为 { $low ->
    [missing] {""}
   *[other] { NUM($low) }～
}{ NUM($high) }
ladder-alt = 吞吐量随客户端线程数的变化（对数坐标），每条线为一个规格或一种读写比例。{ $finding }
ladder-caption = { report-dataset }；n = { report-specs }。点为各线程数的平均值{ $doubtful ->
    [true] ，空心点存疑
   *[false] {""}
}。
threads-title =
    { $workload }
    { $n ->
        [0] { $noticed ->
            [0] { $change ->
                [missing] 每一对都有存疑数据
               *[other] 未见超出噪声的下降，变化的中位数为 { CHANGE($change) }
            }
           *[other] { $noticed } 个规格的吞吐量可能下降，最多 { CHANGE($most) }
        }
       *[other] { $total } 个规格中有 { $n } 个吞吐量下降：{ CHANGE($change) }{ $n ->
            [one] {""}
           *[other] 至 { CHANGE($most) }
        }{ $doubtful ->
            [0] {""}
           *[other] ；另有 { $doubtful } 个存疑
        }
    }
threads-alt = 各规格在 { NUM($low) } 线程与 { NUM($high) } 线程时的吞吐量。{ $finding }

## loops：详细部分的图。

heat-title =
    { NUM($low) } → { NUM($threads) } 线程：{ $total } 组中 { $loss } 组下降、{ $gain } 组提升超过 10%{ $doubtful ->
        [0] {""}
       *[other] （其中 { $doubtful } 组存疑）
    }
heat-alt = 线程增多后吞吐量变化的热力图，每行一个规格，每列一种读写比例。{ $finding }
heat-caption = { report-dataset }；n = { report-specs }。各列为读写比例；浅色表示变化很小{ $doubtful ->
    [true] ，斜线表示存疑
   *[false] {""}
}。
per-core-title =
    { $workload }
    每核最高：{ $spec }，{ threads }，{ FIXED($ops) } ops/s
per-core-alt = 每核吞吐量随核数的变化（对数坐标），每种颜色对应一个线程数。{ $finding }
per-core-caption = { report-dataset }；n = { rows }。水平线为成比例增长；{ lines-join }。
loop-title =
    { $workload }
    { $total } 行中 { $near } 行位于 线程数 / 时延 线上{ $above ->
        [0] {""}
       *[other] ，{ $above } 行超出，不可能成立
    }
loop-alt = 平均时延与吞吐量的关系（对数坐标），每个规格一个箭头，由最少线程指向最多线程。{ $finding }
loop-caption = { report-dataset }；n = { rows }。时延为全部操作的平均值。虚线为该时延下这么多线程所能达到的吞吐量，越过虚线的数据行自相矛盾{ $arrows ->
    [true] ；箭头由较少线程指向较多线程
   *[false] {""}
}。
utilisation-title =
    { $workload }
    { $n ->
        [0] 没有数据行超过 { NUM($limit) }
       *[other] { $total } 行中有 { $n } 行超过 { NUM($limit) }，不可能成立
    }
utilisation-alt = 每行数据的吞吐量 × 时延 / 线程数，随核数变化，并标出 1 的位置。{ $finding }
utilisation-caption = { report-dataset }；n = { rows }。1 表示全部线程始终在等待服务器。单次运行不可能更高；多次不等的运行取平均，最高可到 1.05。
cpu-title =
    { $workload }
    每次操作耗用 CPU { DIGITS($low, digits: 3) } 至 { DIGITS($high, digits: 3) } µs
cpu-alt = 服务器每次操作的 CPU 时间随核数的变化（对数坐标）。{ $finding }
cpu-caption = { report-dataset }；n = { rows }。由核数 × CPU 利用率 / 吞吐量得出。

## scaling：吞吐量随核数的变化图。

scaling-alt = { column-qps }随核数（对数刻度）的变化{ $n ->
    [0] {""}
   *[other] ，每种颜色对应一个线程数（{ COMMAS($threads) }）
}。{ $finding }
lines-join = 折线连接不存疑数据行的均值{ $same_ram ->
    [true] （每核内存相同的规格）
   *[false] {""}
}
scaling-caption = { report-dataset }；n = { AND($counts) }。{ $points }；{ lines-join }{ $doubtful ->
    [true] ；空心点存疑
   *[false] {""}
}。
scaling-drawn = 数据点为{ $shown }
scaling-drawn-both = 实心点为{ $measured }，淡色点为{ $published }
scaling-measured = { $column ->
    [steady_ops_s] 每次运行去除预热后的稳态吞吐量（steady_ops_s）
    [goodput_ops_s] 每次运行全程每秒成功的操作数（goodput_ops_s）
   *[throughput_ops_s] 每次运行的 YCSB 总吞吐量（throughput_ops_s）
}
scaling-published = 公布值（{ $columns }）
scaling-factor = { threads }：{ $upper ->
    [missing] { $vague ->
        [true] 规格太少，无法给出增长倍数
       *[false] 每翻一倍 ×{ WITHIN($factor, $low, $high) }{ $low ->
            [missing] {""}
           *[other] （{ WITHIN($low, $low, $high) } 至 { WITHIN($high, $low, $high) }）
        }
    }
   *[other] { cores }以内每翻一倍 ×{ SIG($factor) }，超过后 ×{ SIG($upper) }
}
scaling-flat = { threads }：{ NUM($first) }～{ NUM($cores) } 核约为 { DIGITS($ops) } ops/s{ $doubted ->
    [true] （部分存疑）
   *[false] {""}
}
scaling-factors = { $n } 种线程数：{ $turns ->
    [true] 起初
   *[false] {""}
}每翻一倍 ×{ SIG($low) } 至 ×{ SIG($high) }

## growth：核数翻倍带来的增长，不依赖任何定律。

growth = 吞吐量随核数的变化
growth-note = ln 吞吐量对 ln 核数的最小二乘斜率，换算为核数每翻一倍的增长倍数。{ $repeated ->
    [true] 第一个区间来自重复之间的噪声，只针对这些规格；第二个区间还包括各规格偏离直线的程度。
   *[false] 没有重复运行，因此区间来自各规格偏离直线的程度。
}{ $doubtful ->
    [true] 存疑数据行不计入，仅“{ column-with-doubt }”一列计入。
   *[false] {""}
}
growth-threads = { $threads ->
    [missing] –
    [-1] 各用自己的
    [0] 最佳
   *[other] { NUM($threads) }
}
growth-step = { NUM($first) }→{ NUM($last) } ×{ SIG($factor) }

## laws：参数、残差与可以得出的结论。

laws = 扩展性模型拟合
laws-none = 数据点太少，无法进行任何拟合。
laws-parameters = 模型参数
laws-parameters-note = 仅列出数据点足以确定模型的组别，附 95% 置信区间。λ 为单核吞吐量。
laws-term = { $term ->
    [lambda] λ（ops/s）
    [sigma] σ
    [kappa] κ
    [exponent] 指数 a
   *[other] { $term }
}
laws-verdicts = 模型适用性判定
laws-verdicts-note = 误差以 ln X 计：0.05 约合 5%。数据点足以确定的模型标有星号。
residuals = 残差分析
residuals-note = 各规格偏离所绘模型的程度：0 表示正好落在曲线上，+10% 表示比曲线高出十分之一。{ $bounds ->
    [true] 淡色点为下界：位于曲线下方即与之相符。
   *[false] {""}
}
residuals-caption = { report-dataset }；n = { $n } 个规格平均值。以{ OR($laws) }模型拟合吞吐量的百分比表示。
residuals-alt = 模型残差随核数的变化，每种颜色对应一个线程数。{ $finding }
residuals-title =
    { $workload }
    偏离最远：{ $spec }，{ threads }，{ CHANGE($residual) }

## sizing：瓶颈、增配的收益与最小规格。

limits = 瓶颈分析
limits-counted = 共 { $n } 个数据点：{ CLAUSES($kinds) }{ $slower ->
    [0] {""}
   *[other] ；有 { $slower } 组在线程增多后吞吐量反而下降
}。
limits-count = { $n } 个{ $kind }
limits-kind = { $kind ->
    [server] 受限于服务器
    [concurrency] 受限于线程数
    [elsewhere] 瓶颈在别处
    [retrograde] 慢于线程更少时
    [contradiction] CPU 已满，增加线程却更快
    [inconsistent] 增幅超过线程数的增幅
    [suspect] 不可能成立
    [undecided] 无法判定
   *[single] 仅有一种线程数
}{ $retrograde ->
    [true] { $kind ->
        [retrograde] {""}
       *[other] ，线程增多反而变慢
    }
   *[false] {""}
}
limits-graded = { $kind }（{ $grade }）
limits-note = 只根据吞吐量、时延、线程数和服务器 CPU 判断。只有受服务器限制的才是对服务器的测量，其余都是下限。各项理由见 ycsbook limits。
limits-reach = 增加线程的上限，ops/s
limits-reach-note = 增加线程时：从实测最高值到任意线程数可能达到的最大值。限制它的可能是服务器、网络或客户端。
limits-at = { threads }
marginals = CPU 与内存升配收益
marginals-note = { $prices ->
    [true] “投入”为参数文件中价格之比；吞吐量与价格同比例增长时，“产出投入比”为 1。
   *[false] 由于没有价格，“投入”按核数计算；吞吐量与投入同比例增长时，“产出投入比”为 1。
}置信区间针对收益倍数，由重复运行之间的噪声得出。两档核数都有相同内存的规格时只比较这些规格，否则比较全部规格。{ $doubted ->
    [true] 存疑数据行（D、F）不计入。
   *[false] {""}
}
marginals-core-step = { NUM($first) } → { NUM($last) }{ $more_ram ->
    [true] （内存同时增加）
   *[false] {""}
}
marginals-ram-step = { NUM($cores) } 核，{ NUM($first) } → { NUM($last) } { $unit }
capacity = 达到目标的最小规格
capacity-goal-note = 另一台同规格服务器达到目标的概率，既计入模型的不确定性，也计入实测规格围绕模型的离散程度。超出实测核数的情形不作判断。
capacity-cost = { WITHIN($cost, $low, $high) }（{ $span }）

## measured：时延百分位，以及逐秒的吞吐量。

latency = 时延百分位数
latency-none = { $means ->
    [true] 来源只给出平均时延，因此没有百分位数。
   *[false] 来源没有给出时延。
}
latency-note = 时延单位为 us，取重复运行的中位数；p99 另给出最低值与最高值。多次运行的百分位从不求平均。
latency-intended = 设有目标吞吐量的运行是开环的：Intended- 时延从操作应当开始的时刻计起，包含等待时间；其余时延从实际发出的时刻计起。
latency-alt = 时延（对数刻度）随百分位的变化。{ $finding }
latency-caption = { report-dataset }；n = { runs }。每个规格取中位数{ $cores ->
    [true] ；颜色越深，核数越多
   *[false] {""}
}。
latency-title = { $workload }，{ $operation }
latency-title-p99 =
    { latency-title }
    { $low ->
        [missing] p99 为 { SIG($high, digits: 2) } ms
       *[other] 所有规格的 p99 为 { SIG($low, digits: 2) } 至 { SIG($high, digits: 2) } ms
    }
timeline = 吞吐量随时间的变化
timeline-none = 数据来源没有给出时间序列。
timeline-alt = 自运行开始起各时间间隔内的吞吐量。{ $finding }
timeline-caption = { report-dataset }；n = { runs }。{ $warmup ->
    [true] 阴影部分为预热，不计入稳态吞吐量。
   *[false] {""}
}{ $cores ->
    [true] 颜色越深，核数越多。
   *[false] {""}
}{ $stalls ->
    [true] 标出的时段为停顿。
   *[false] {""}
}{ $band ->
    [missing] {""}
   *[other] 运行超过 { $band } 次时，线条为全部运行的中位数，色带为其范围。
}
timeline-title = { $workload }，{ threads }

## findings：发现。

findings = 问题与建议
findings-alike = 另有 { $n } 项同类问题
findings-others = 其他问题
findings-none = 所有检查均未触发。
findings-count = 共 { $n } 项发现（同一原因合并为一项），按严重程度排列。

## method：如何得出，以及未列入图表的内容。

method = 分析方法
method-closed = 每个 YCSB 线程都要等到应答之后才发送下一个操作。这样的闭环系统遵循利特尔定律 N = X (R + Z)：N 为线程数，X 为吞吐量，R 为按操作数加权的平均时延，Z 为思考时间。利用率 X R / N 不可能超过 1；超过 1 的数据行自相矛盾。
method-laws = 按负载和线程数分组，对 ln X 拟合下列模型，数据为各规格的平均值；p 为核数：
method-law-name = { $law ->
    [linear] 线性
    [power] 幂律
    [amdahl] Amdahl
   *[usl] USL
}
method-fits = σ 表示争用，κ 表示串扰（一致性开销），λ 为单核吞吐量。置信区间由剖面似然得出，临界值为 t²(n − k)。只有当数据点足以将某个模型与其他模型区分开来时，才采信该模型；“这些数据点无法确定参数”本身也是一种结果。线程数固定时，上限 N / R 会使每条曲线向下弯曲，看上去与串扰无异。
method-ram = 核数相同而内存不同的规格，其数据点逐一绘制和拟合，不取平均。{ $local ->
    [true] 在本地服务器上，由于操作系统同样会缓存文件，内存大小对结果几乎没有影响。
   *[false] {""}
}
method-settings = 测试参数
method-basis = { $basis ->
    [printed] 来源已注明
    [assumed] 未注明，重测时采用
   *[other] { $basis }
}
method-environment = 测试环境
method-provenance = 数据来源
method-source = 来源：{ $parts }。
method-cores-by = 核数的限制方式
method-cores = { $way ->
    [none] { runs }中的规格核数仅作记录，并未实际限制：操作系统未提供相应手段。
   *[other] { runs }的核数限制方式：{ method-cores-way }。
}
method-cores-way = { $way ->
    [cgroup2] CPU 配额（cgroup v2，周期 10 ms）
    [cgroup1] CPU 配额（cgroup v1，周期 10 ms）
    [duty_cycle] SIGSTOP/SIGCONT 占空比（周期 20 ms）
    [none] 仅作记录，此系统未加限制
    [missing] 按部署时的配置
   *[other] { $way }
}
method-host-speed = 主机速度
method-host = { $moved ->
    [0] 每次运行前后的探测表明，主机自身速度保持在原来的 { PERCENT($low, digits: 0) }% 至 { PERCENT($high, digits: 0) }% 之间（n = { $n }）。
   *[other] 运行期间主机自身速度变为原来的 { PERCENT($low, digits: 0) }%–{ PERCENT($high, digits: 0) }%（n = { $n }）；其中 { $moved } 次运行变化超过 10%，应当重测。
}
method-both = 全程与稳态
method-both-note = 每次实测运行的两种吞吐量，单位 ops/s。全程吞吐量包含客户端的预热阶段。
method-warnings = 告警
rejected = 剔除的数据
rejected-none = 没有失败或被剔除的运行，所有输入均可读取。
rejected-note = 这些运行不出现在任何图表和拟合中。
rejected-inputs = 无法读取的输入
rejected-inputs-note = 输入中有 { $n } 个无法读取；本报告的任何内容均不依赖它们。

## environment.json 中的标题、名称和非数据的取值，按其在文件中的名称查找。

environment-Machine = 机器
environment-Server = 服务器
environment-Client = 客户端
environment-Commands = 命令
environment-Inputs = 输入
environment-Versions = 版本
environment-Published-source = 公布来源
environment-Made-with = 生成工具
environment-Load-generator = 压测工具
environment-dataset = 数据集
environment-title = 标题
environment-publisher = 发布方
environment-date = 日期
environment-document = 文档
environment-csv = CSV
environment-client = 客户端
environment-server = 服务器
environment-server_machine = 服务器机型
environment-disk = 磁盘
environment-data = 数据
environment-load_options = 加载阶段的选项
environment-run_options = 运行阶段的选项
environment-kind = 类型
environment-version = 版本
environment-topology = 拓扑
environment-cores-of-a-spec = 规格的核数
environment-WiredTiger-cache = WiredTiger 缓存
environment-memory-GiB = 内存（GiB）
environment-kernel = 内核
environment-system = 操作系统
environment-binding = 数据库绑定
environment-MongoDB-driver = MongoDB 驱动
environment-cores-of-all-members = 全部成员的核数
environment-cores-that-the-server-tells = 服务器报告的核数
environment-RAM-that-the-server-tells = 服务器报告的内存
environment-shortest-round-trip = 最短往返时间
environment-ycsbook-commit = ycsbook 提交
environment-SHA-256-of-the-jars = jar 包的 SHA-256
environment-load = 加载
environment-as-deployed = 按部署时的配置

## 厂商页面中对机器的说明。

vendor-part = { $part ->
    [ycsb] YCSB { $value }
    [driver] MongoDB 驱动 { $value }
    [java] Java { $value }
    [cores] { $value } 核
    [memory] { $value } GiB RAM
   *[other] { $value }
}

## 给定速率下的时延

rates = 给定速率下的时延
rates-about = 满足 p99 的速率
rates-found = { $spec }，{ $mix }，{ threads }：{ $rate ->
    [0] 所试速率均不能将 p99 保持在 { NUM($goal_ms) } ms 以内
   *[other] { $whole ->
        [true] 全速 { DIGITS($rate, digits: 3) } ops/s 时 p99 不超过 { NUM($goal_ms) } ms
       *[false] { DIGITS($rate, digits: 3) } ops/s 时 p99 不超过 { NUM($goal_ms) } ms，为全速的 { PERCENT($share, digits: 0) }%
    }{ $n ->
        [one] {""}
       *[other] （{ NUM($n) } 次搜索：{ DIGITS($low, digits: 3) } 至 { DIGITS($high, digits: 3) }）
    }
}。
rates-title = { $mix }：{ $rate ->
    [missing] p99 与所要求的速率
   *[other] { DIGITS($rate, digits: 3) } ops/s 以内 p99 不超过 { NUM($goal_ms) } ms
}
rates-alt = { $mix }，{ $workload }：p99 随吞吐量的变化，每个点为一次运行。
rates-caption = { report-dataset }；n = { runs }；连线经过中位数。
rates-note = 设有目标时，操作按固定时刻到期，无论服务器是否就绪，时延从到期时刻计起；因此服务器停顿的代价由所有等待者计入。全速时，每个线程在上一个操作返回后才发出下一个，时延从发出时刻计起，低于其他人实际等待的时间。最慢操作的 p99 达标时，该速率视为达标；p99 取自整次运行，包括开头。{ $short_s ->
    [missing] {""}
   *[other] 此处最短的运行只有 { NUM($short_s) } 秒：其 p99 取决于客户端自身的启动。三分钟即足够。
}
rates-column = { $column ->
    [mix] 读写比
    [kept] p99 ≤ { NUM($goal_ms) } ms 的 ops/s
    [range] 各次重复
    [broken] 超出目标的 ops/s
   *[full] 全速 ops/s
}

## 带着问题的测试

until-about = 问题
until-runs = { NUM($n) } 次运行
until-stopped = { $why ->
    [reached] 最多 { NUM($most) } 次运行，{ NUM($n) } 次之后已有答案。
    [border] 最多 { NUM($most) } 次运行，{ NUM($n) } 次之后停止：尚未确定的部分过于接近界限，再多运行也无法判断。
    [runs] 运行 { NUM($n) } 次后停止，仍无答案：已与完整矩阵的次数相同。
    [hours] 运行 { NUM($n) } 次后停止，仍无答案：再运行一次将超过允许的 { NUM($hours) } 小时。
    [cost] 运行 { NUM($n) } 次后停止，仍无答案：再运行一次的费用将超过允许的 { NUM($cost) }{ $currency ->
        [missing] {""}
       *[other] {" "}{ $currency }
    }。
   *[going-on] 最多 { NUM($most) } 次运行，已完成 { NUM($n) } 次，尚无答案。
}
until-factor = { $widest ->
    [missing] 要求以 ±{ PERCENT($goal, significant: 2) }% 的精度得到核数每翻一倍的增长；尚无区间。
   *[other] 各读写比、各线程数下，核数每翻一倍的增长已知到 ±{ PERCENT($widest, significant: 2) }%，要求为 ±{ PERCENT($goal, significant: 2) }%。
}{ $n ->
    [0] {""}
   *[other] 这是从 { NUM($first) } 核到 { NUM($last) } 核的平均值；其间的规格未测。
}
until-lost = { $cell }{ $threads_to ->
    [missing] {""}
   *[other] ，{ NUM($threads_from) } 至 { NUM($threads_to) } 线程
} { CHANGE($change) }（{ CHANGE($low) } 至 { CHANGE($high) }）
until-regression = { $threads_to ->
    [missing] 线程增多时
   *[other] 从 { NUM($threads_from) } 到 { NUM($threads_to) } 线程
}，{ NUM($n) } 组比较中{ $lost_n ->
    [0] 没有一组证实吞吐量下降
   *[other] { NUM($lost_n) } 组吞吐量下降：{ COMMAS($lost, $lost_more) }
}；{ $holds ->
    [0] 没有一组证实损失不到 { PERCENT($goal, significant: 2) }%
   *[other] { NUM($holds) } 组证实损失不到 { PERCENT($goal, significant: 2) }%
}{ $open_n ->
    [0] {""}
   *[other] ；未定：{ COMMAS($still, $still_more) }
}。
until-qps = { $mix }：{ $enough ->
    [missing] 没有规格证实可达 { DIGITS($qps, digits: 3) } ops/s；测得最高为 { DIGITS($most, digits: 3) }
   *[other] { $priced ->
        [true] { $enough } 是可达 { DIGITS($qps, digits: 3) } ops/s 的规格中最便宜的
       *[false] { $enough } 是可达 { DIGITS($qps, digits: 3) } ops/s 的最小规格
    }
}{ $close ->
    [missing] { $short ->
        [missing] {""}
       *[other] ；{ $short } 达不到
    }
   *[other] ；{ $close } 处于界限
}。
until-next-between = 接下来应测其间的规格：{ COMMAS($specs, $specs_more) }，{ until-runs }，约 { DURATION($took_s) }。
until-next-round = 接下来应在 { COMMAS($specs, $specs_more) } 上进行 { until-runs }，约 { DURATION($took_s) }。

## 正在进行的测试

report-running = 进行中：截至 { $at } UTC 已完成 { NUM($total) } 次运行中的 { NUM($done) } 次，所有数字均出自这些运行。
report-stopped = 未完成：截至 { $at } UTC 已完成 { NUM($total) } 次运行中的 { NUM($done) } 次，所有数字均出自这些运行。
report-measured = 测量完成：截至 { $at } UTC 已完成 { NUM($total) } 次运行中的 { NUM($done) } 次，细节由 ycsbook report 补全。

## 更早的时段

history = 历史
history-title = { $n ->
    [0] { NUM($days) } 天：未证实变化
   *[other] { NUM($days) } 天，{ NUM($n) } 处变化，最大为 { $day } 的 { CHANGE($effect) }
}
history-day = { NUM($n) } 个配置变化 { CHANGE($low) }{ $alike ->
    [true] {""}
   *[false] {" "}至 { CHANGE($high) }
}{ $version ->
    [missing] {""}
   *[other] ，同时服务器由 { $before } 换为 { $version }
}。
history-alt = 各配置逐日吞吐量与其自身均值之比。{ $finding }
history-caption = { report-dataset }；{ NUM($n) } 个配置，各与其全部日期的均值相比。
history-no-change = 未证实任何配置发生变化。有开始时间的运行不足十次，或变化之后不足五次时，尚无法判断。
