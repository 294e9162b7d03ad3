### What reports say of experiments (ycsbook.report.systems).

## Several experiments.

plot-records = { FIXED($records) } 条文档
plot-records-axis = 文档数

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
   *[seed] 2012 年
}
system-crud-interval = { $low ->
    [missing] {""}
   *[other] （95 %：{ SIG($low) } 至 { SIG($high) }）
}
system-crud-pattern = { plot-records }时，无索引的模糊查询比主键查询慢 { SIG($factor) } 倍{ system-crud-interval }。
system-crud-prefix = 有索引时，前缀查询的速度是模糊查询的 { SIG($factor) } 倍{ system-crud-interval }。
system-crud-order = 组合索引使排序速度变为 { SIG($factor) } 倍{ system-crud-interval }。
system-crud-keys = 与驱动生成的主键相比，自增主键的插入速度是 { SIG($factor) } 倍{ system-crud-interval }。
system-crud-together = 每次 { $together } 条，按每条文档计算，速度是单条的几倍：{ COMMAS($parts) }。
system-crud-records = 文档数增加到 { DIGITS($times) } 倍时，{ $operation }下降最多，速度变为 { SIG($factor) } 倍{ system-crud-interval }。
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
   *[other] ；{ $last } 线程时降为最高值的 { SIG($factor) } 倍{ system-crud-interval }
}。
system-crud-change = { $operation }（{ SIG($factor) } 倍）
system-crud-varied = { $setting ->
    [indexes] { $value } 个索引与 { $base } 个相比
   *[other] { $value } 与 { $base } 相比
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
system-crud-ratio = { SIG($factor) }{ $low ->
    [missing] {""}
   *[other] （{ SIG($low) }–{ SIG($high) }）
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
system-failover-note = 每次运行插入 { FIXED($records) } 条文档。先是一个从节点、然后主节点出故障，之后恢复。丢失：已确认（写关注为 0 时：已发出）、而副本集恢复完整后不存在。未知：客户端未得到任何答复。无主节点：从主节点出故障到成员有了接受写入的主节点。延迟：最落后的成员落后于主节点的最大时间；离开的成员会越来越落后。
system-failover-seconds = 逐秒情况
system-failover-panel = 主节点{ $fault }，写关注 { $concern }：{ $lost ->
    [0] 无丢失
   *[other] 丢失 { FIXED($lost) } 次
}
system-failover-alt = 成员{ $fault }、写关注为 { $concern } 的运行，每秒一个柱：留下的、丢失的（{ FIXED($lost) }）和失败的写入。
system-failover-caption = { $dataset }；{ $server }，{ $date }。写入按应答的那一秒计；中断之后客户端会补上。
plot-failover-role = { $role ->
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
