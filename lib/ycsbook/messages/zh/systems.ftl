### What reports say of experiments (ycsbook.report.systems).

## Several experiments.

plot-records = { FIXED($records) } 条文档
plot-records-axis = 文档数
plot-server-cpu-us = 每次操作的服务器 CPU（微秒，对数刻度）

## Create, read, update, delete (ycsbook.report.systems.crud).

system-crud-operation = { $operation ->
    [insert-one] 单条插入
    [insert-increasing] 自增主键插入
    [insert-many] 批量插入
    [update-key] 按主键更新
    [update-many] 批量更新
    [find-key] 按主键查询
    [find-index] 按索引查询
    [find-prefix] 前缀查询
    [find-pattern] 模糊查询
    [find-sorted] 无索引排序
    [find-compound] 组合索引排序
    [delete-key] 按主键删除
    [delete-many] 批量删除
   *[other] { $operation }
}
system-crud-verdict = { $name }，{ plot-records }，{ $threads } 线程：{ $alone ->
    [true] { $fast }每秒 { DIGITS($fast_ops, digits: 3) } 次。
   *[false] { $fast }最快，每秒 { DIGITS($fast_ops, digits: 3) } 次；{ $slow }最慢，每秒 { DIGITS($slow_ops, digits: 3) } 次。
}
system-crud-gateways = { $name }，{ $threads } 个连接：{ $operation }每秒 { DIGITS($ops, digits: 3) } 次。{ AND($parts) }。
system-crud-gateway = 经 { $name } 为 { DIGITS($ops, digits: 3) } 次（为其 1/{ SIG($factor) }）
system-crud-durable = InnoDB 在应答之前已把每次写入落盘；写关注为 1 的 MongoDB 和 MyISAM 则没有，机器断电时可能丢失写入。
system-crud-about = { $about ->
    [servers] 数据库
    [pattern] 模糊查询
    [prefix] 前缀查询
    [order] 排序
    [keys] 主键
    [together] 批量
    [records] 文档更多时
    [threads] 线程
    [indexes] 索引
    [write_concern] 写关注
    [fastest] 操作
   *[seed] 2012 年
}
factor-interval = { $low ->
    [missing] {""}
   *[other] （95 %：{ WITHIN($low, $low, $high) } 至 { WITHIN($high, $low, $high) }）
}
system-crud-pattern = { plot-records }时，无索引的模糊查询比主键查询慢 { WITHIN($factor, $low, $high) } 倍{ factor-interval }。
system-crud-prefix = 有索引时，前缀查询的速度是模糊查询的 { WITHIN($factor, $low, $high) } 倍{ factor-interval }。
system-crud-order = 组合索引使排序速度变为 { WITHIN($factor, $low, $high) } 倍{ factor-interval }。
system-crud-keys = 与驱动生成的主键相比，自增主键的插入速度是 { WITHIN($factor, $low, $high) } 倍{ factor-interval }。
system-crud-together = 每次 { $together } 条，按每条文档计算，速度是单条的几倍：{ COMMAS($parts) }。
system-crud-records = 文档数增加到 { DIGITS($times) } 倍时，{ $operation }下降最多，速度变为 { WITHIN($factor, $low, $high) } 倍{ factor-interval }。
system-crud-seed = MongoDB 2.0，{ plot-records }：{ COMMAS($parts) }。服务器、网络和客户端都不同。
system-crud-seed-part = { $operation }每秒 { DIGITS($then, digits: 3) } 次（本次 { DIGITS($now, digits: 3) } 次）
system-crud-part = { $operation }（{ SIG($factor) } 倍）
system-crud-between = { plot-records }：{ $n_faster ->
    [0] {""}
   *[other] { $one } 在以下操作上快于 { $other }：{ AND($faster) }。
}{ $n_slower ->
    [0] {""}
   *[other] { $other } 在以下操作上快于 { $one }：{ AND($slower) }。
}{ $n_alike ->
    [0] {""}
   *[other] 以下操作未见差别：{ AND($alike) }。
}{ $single ->
    [true] 未重复测试，小的差别可能是噪声。
   *[false] {""}
}
system-crud-overview = 各项操作
system-crud-overview-title = { $n } 项操作，越靠左越慢
system-crud-overview-alt = { $n } 项操作各占一行，每个点是一种数据库和文档数；越靠右越快。
system-crud-overview-caption = { $dataset }；{ $server }，{ $date }；{ $n } 次运行。
system-crud-then-and-now = 当年与今天
system-crud-then = { $engine ->
    [mongo] MongoDB 2.0
    [innodb] MySQL 5.5 InnoDB
   *[other] MySQL 5.5 MyISAM
}，2012
system-crud-seed-title = { $operation }，{ $threads } 线程
system-crud-seed-alt = 2012 年与今天的柱状图：{ $operation }，按文档数。
system-crud-seed-caption = 斜线：金融界（JRJC）2012 年的幻灯片（10 线程；Xeon E5310，8 GB；客户端相隔两跳，3 毫秒）。实心：本次测量，客户端与服务器在同一台机器上。MyISAM 数列的位置为推定。
system-crud-every = 全部数据
system-crud-note = 每秒操作数为重复测试的几何平均。“批量”的一次操作涉及 { $together } 条文档。{ $single ->
    [true] 未重复测试，因此没有区间。
   *[false] 区间为 95 %，来自重复测试的噪声。
}
system-crud-column = { $column ->
    [operation] 操作
    [records] 文档数
    [indexes] 索引数
    [write_concern] 写关注
   *[threads] 线程
}
system-crud-column-ops = { $name }，ops/s
system-crud-column-p99 = { $name }，p99 毫秒
system-crud-column-ratio = { $one } / { $other }
system-crud-threads = { $operation }：{ $one } 线程时每秒 { DIGITS($one_ops, digits: 3) } 次，最高为 { $threads } 线程时的 { DIGITS($ops, digits: 3) } 次{ $last ->
    [missing] {""}
   *[other] ；{ $last } 线程时降为最高值的 { WITHIN($factor, $low, $high) } 倍{ factor-interval }
}。
system-crud-varied = { $setting ->
    [indexes] { $value } 个索引与 { $base } 个相比
   *[other] 写关注 { $value } 与 { $base } 相比
}：{ $n ->
    [0] 未见差别
   *[other] { AND($parts) }的速度发生变化
}。
system-crud-over-threads = { $n } 项操作随客户端线程数的变化
system-crud-over-threads-alt = 每项操作一条线，客户端线程数从 { $low } 到 { $high }。
system-crud-by-threads = 随线程数
system-mongotest-2010 = mongotest，2010 年
system-mongotest = mongotest 的输出格式
system-mongotest-note = 与 mongotest 2010 年的输出相同：整秒、每秒整行数，余数舍去。
system-crud-ratio = { WITHIN($factor, $low, $high) }{ $low ->
    [missing] {""}
   *[other] （{ WITHIN($low, $low, $high) }–{ WITHIN($high, $low, $high) }）
}

## What operations cost the server (ycsbook.report.systems).

system-resources = 资源占用
system-resources-title = 每次操作的服务器 CPU 时间
system-resources-alt = { $n } 种负载各占一行，每个点是一种数据库和线程数；越靠左越省。
system-resources-caption = { $dataset }；{ $server }，{ $date }。
system-resources-note = 重复测试的平均值，取每次运行的稳定段。数据大小为运行之前的值；向空集合插入的运行则为运行之后的值。字节数由服务器自己统计。
system-resources-column = { $column ->
    [server_cpu_us_per_op] CPU 微秒/次
    [server_rss_peak_gib] 内存 GiB
    [written_bytes_per_op] 写盘 B/次
    [read_bytes_per_op] 读盘 B/次
    [network_bytes_per_op] 网络 B/次
    [data_bytes] 数据 MiB
    [storage_bytes] 文件 MiB
   *[index_bytes] 索引 MiB
}

## Several systems in one report (ycsbook.report.together).

together-title = 各系统
together-systems = 系统
together-verdict = 测量了 { $n } 个系统{ $left_out ->
    [0] {""}
   *[other] ，{ $left_out } 个未测
}。
together-left-out = 未测
together-more = 其余内容：{ $command }

## 故障切换（ycsbook.report.systems.failover）。

system-failover-fault = { $fault ->
    [kill] 被杀死
    [freeze] 被冻结
    [cut] 断网
    [split] 与其他成员隔离
   *[other] { $fault }
}
system-failover-verdict = { SENTENCES($parts) }
system-failover-loss = 写关注为 { $concern } 时，{ $lost ->
    [0] 已确认的 { FIXED($of) } 次写入无一丢失。
   *[other] { FIXED($of) } 次写入中有 { FIXED($lost) } 次{ $silent ->
        [true] 悄无声息地丢失
       *[false] 虽已确认却丢失
    }。
}
system-failover-about = { $about ->
    [failed] 失败的写入
    [primary] 新主节点
    [same] 主节点未变
    [seed] 2012 年
   *[other] 写关注 { $about }
}
system-failover-of-fault = 主节点{ $fault }时 { FIXED($lost) } 次
system-failover-lost-by = 丢失：{ COMMAS($parts) }。
system-failover-failed = { $failed ->
    [0] 没有写入被报告为失败：主节点消失后，驱动会再发送一次写入（写关注为 0 时除外）。
   *[other] { FIXED($failed) } 次写入被报告为失败；{ $resurrected ->
        [0] 之后都不存在。
       *[other] 其中 { FIXED($resurrected) } 次之后仍然存在。
    }
}
system-failover-primary = 主节点出故障后，其他成员在 { $n ->
    [one] { FIXED($low, digits: 1) } 秒
   *[other] { FIXED($low, digits: 1) } 到 { FIXED($high, digits: 1) } 秒
}内选出新主节点。它们等待 { NUM($patience) } 秒后才投票。
system-failover-same = 有 { FIXED($n) } 次运行没有选出其他主节点。
system-failover-seed = MongoDB 2.0.2 的 100,000 次写入中，NORMAL（0）丢失 { FIXED($normal) } 次，SAFE（1）丢失 { FIXED($safe) } 次，REPLICAS_SAFE（2 个成员）丢失 { FIXED($replicas_safe) } 次。
system-failover-table = 每次写入的去向
system-failover-column = { $column ->
    [fault] 成员
    [concern] 写关注
    [acknowledged] 已确认
    [failed] 失败
    [unknown] 未知
    [lost] 丢失
    [resurrected] 失败却存在
    [elected_s] 无主节点，秒
    [duration_s] 耗时，秒
   *[lag_s] 延迟，秒
}
system-failover-note = 每次运行插入 { FIXED($records) } 条文档。先是一个从节点、然后主节点出故障，之后恢复。丢失：已确认（写关注为 0 时：已发出）、而副本集恢复完整后不存在。未知：客户端未得到任何答复。无主节点：从主节点出故障到成员有了接受写入的主节点。延迟：最落后的成员落后于主节点的最大时间；离开的成员会越来越落后。与其他成员隔离：客户端仍能访问该成员，其他成员不能。
system-failover-seconds = 逐秒情况
system-failover-panel = 主节点{ $fault }，写关注 { $concern }：{ $lost ->
    [0] 无丢失
   *[other] 丢失 { FIXED($lost) } 次
}
system-failover-alt = 成员{ $fault }、写关注为 { $concern } 的运行，每秒一个柱：留下的、丢失的（{ FIXED($lost) }）和失败的写入。
system-failover-caption = { $dataset }；{ $server }，{ $date }。写入按应答的那一秒计；中断之后客户端会补上。
failover-role = { $role ->
    [primary] 主节点
   *[other] 从节点
}
plot-failover-elapsed = 秒
plot-failover-writes = 每秒写入
plot-failover-part = { $part ->
    [kept] 已确认
    [lost] 其中丢失
    [failed] 失败
    [away] 成员离开
   *[elected] 新主节点
}
system-failover-then-and-now = 当年与如今
system-failover-meaning = 2012：{ $name }（写关注 { $concern }）
system-failover-today = 如今，被杀死：写关注 { $concern }
system-failover-seed-note = 2012：金融界（JRJC）的幻灯片；MongoDB 2.0.2，三台服务器，插入 100,000 条文档期间杀死一个从节点和主节点。REPLICAS_SAFE 等待两个成员，与 majority 不同：成员更多时，两个不是多数。如今的驱动在主节点消失后会再发送一次写入，2012 年的不会。失败与丢失的计法相同：既未报告失败、又找不到的为丢失。

## Index insertion (ycsbook.report.systems.insertion).

plot-inserts = 文档/秒
plot-inserted = 插入
plot-checkpoint = 检查点
plot-slow-second = 慢的一秒

system-insertion-indexes = { $indexes ->
    [missing] {""}
    [0] 无二级索引
   *[other] { NUM($indexes) } 个索引
}
system-insertion-rate = { $indexes ->
    [missing] {""}
   *[other] { system-insertion-indexes }时
}每秒 { DIGITS($ips, digits: 3) } 条
system-insertion-verdict = 插入 { FIXED($documents) } 条文档：{ COMMAS($parts) }。
system-insertion-about = { $about ->
    [stalls] 停顿
    [checkpoints] 检查点
    [response] 最慢响应
    [cost] 每条文档的开销
   *[seed] 2015 年
}
system-insertion-stall = { $seconds ->
    [0] 没有停顿。最慢的一秒插入 { DIGITS($slowest, digits: 3) } 条，为该次运行平均值的 { PERCENT($share, significant: 2) }%（{ $label }）。
   *[other] 几乎没有插入的最长时间为 { DURATION($seconds) }（{ $label }）。
}
system-insertion-checkpoints-shown = 慢的秒落在检查点内的次数多于偶然（p = { DIGITS($p) }）：{ FIXED($slow) } 秒中有 { FIXED($inside) } 秒，而检查点只占 { PERCENT($share, significant: 2) }% 的时间。{ system-insertion-during }
system-insertion-checkpoints-not-shown = 没有证据表明慢的秒落在检查点内的次数多于偶然（p = { DIGITS($p) }）：{ FIXED($slow) } 秒中有 { FIXED($inside) } 秒，检查点占 { PERCENT($share, significant: 2) }% 的时间。{ system-insertion-during }
system-insertion-checkpoints-too-few = 无法判断是否与检查点有关：{ FIXED($slow) } 个慢的秒和 { FIXED($n) } 个检查点太少，无法与偶然区分。运行更久才能判断。
system-insertion-checkpoints-no-slow = 无法判断是否与检查点有关：没有慢的秒。
system-insertion-checkpoints-no-checkpoints = 无法判断是否与检查点有关：插入期间没有看到检查点。
system-insertion-during = { $during ->
    [missing] {""}
   *[other] 检查点内通常一秒的插入数是其前后的 { PERCENT($during, significant: 2) }%。
}
system-insertion-response = 一次插入 { $together } 条文档，最长用时 { DIGITS($ms, digits: 3) } 毫秒。
system-insertion-cost = { CLAUSES($parts) }。
system-insertion-cost-part = { system-insertion-indexes }：服务器 CPU { DIGITS($cpu_us, digits: 3) } 微秒，写入 { DIGITS($bytes, digits: 3) } 字节
system-insertion-seed = 2 亿条文档、一个索引：{ COMMAS($parts) }。{ $ips ->
    [missing] {""}
   *[other] 本次一个索引时每秒 { DIGITS($ips, digits: 3) } 条。
}服务器、磁盘和文档数都不同。
system-insertion-then = MongoDB { $version } 用时 { NUM($minutes) } 分钟（每秒 { DIGITS($ips, digits: 3) } 条）
system-insertion-over-time = 插入速度随时间的变化
system-insertion-title = { $label }：{ $seconds ->
    [0] { $slow ->
        [0] 没有慢的秒
       *[other] { $slow } 个慢的秒
    }
   *[other] 停顿 { DURATION($seconds) }
}
system-insertion-alt = 每秒插入文档数的折线，检查点以底色标出，慢的秒加圈。{ $finding }
system-insertion-caption = { $dataset }；{ $server }，{ $date }；{ $n } 次运行{ $more ->
    [0] {""}
   *[other] ，另有 { $more } 次见表
}。底色：正在写检查点。圈：慢的秒，即一次运行中与前后半分钟相比最慢的十分之一。
system-insertion-columns = iibench 的各列
system-insertion-note = ips：每秒插入的文档数。qps：同时进行的查询每秒次数。最慢插入和最慢查询：最长的响应时间，每次插入 { $together } 条文档。CPU 和写入：服务器为每条文档所用，写入为服务器写到磁盘的字节，包括日志。横线表示未知。
system-insertion-column = { $column ->
    [label] 运行
    [indexes] 索引数
    [documents] 文档数
    [seconds] 用时
    [ips] ips
    [qps] qps
    [max_insert_ms] 最慢插入，毫秒
    [max_query_ms] 最慢查询，毫秒
    [cpu_us] CPU，微秒/条
    [written_bytes] 写入，字节/条
    [data_gib] 数据，GiB
    [index_gib] 索引，GiB
    [stall_s] 最长停顿，秒
    [slowest_ips] 最慢一秒，条
    [checkpoints] 检查点
    [share] 所占时间
    [slow] 慢的秒
    [inside] 在检查点内
    [p] p
   *[stall] 最长停顿
}
system-insertion-stalls = 停顿与检查点
system-insertion-stalls-note = 停顿：低于该次运行通常速度的 5%。慢的秒：一次运行中最慢的十分之一，且低于前后 { NUM($around_s) } 秒中位数的 { PERCENT($below) }%，以及所有停顿。p：这么多慢的秒偶然落在检查点内的概率，由检查点相对插入的所有循环移位得出（Lotwick 和 Silverman，1982）；太少而无法判断时为横线。同时发生不说明谁是原因。
system-insertion-then-and-now = 当年与现在
system-insertion-then-name = MongoDB { $version }，2015 年
system-insertion-now-name = MongoDB { $version }
system-insertion-then-stall = 约一分钟
system-insertion-seconds = { $seconds ->
    [missing] –
    [0] 无
   *[other] { DURATION($seconds) }
}
system-insertion-duration = { DURATION($seconds) }
system-insertion-seed-note = 原文（chszs，MongoDB 3.2 Wiredtiger 存储引擎性能测试）给出文档数和分钟数，并说 3.2 有“一分钟左右”拒绝处理数据；每秒文档数由此算出。当年：Xeon E5-2680，P3600 SSD，缓存 10 GB，每 900 秒一个检查点，日志不压缩。本次：{ NUM($cores) } 核，缓存 { NUM($gib) } GiB。文档大小、线程数、每批条数和客户端所在位置原文没有给出。本次客户端和服务器在同一台机器上。
