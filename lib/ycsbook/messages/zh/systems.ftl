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
