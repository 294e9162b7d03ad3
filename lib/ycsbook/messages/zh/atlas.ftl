### 已发表结果总览：所有发表的表格在一页上。

atlas-title = 已发表 YCSB 结果总览
atlas-intro = 各发布者印出的数字，作为数据，用同一规则评判。问号表示页面没有说明，或这些行得不出数字。
atlas-settings = 决定数字能否比较的设置
atlas-groups = 按可比较的组列出的数字
atlas-why = 同一组的行读写比相同，写入都确认或都不确认，数据都能或都不能放进一半内存（约为 WiredTiger 缓存）。各组之间、组内各表之间都不排名：线程数、往返时延、记录数和年份也各不相同。最高吞吐量照印出的写，并附该行等级（A、B 有重复，C 单次运行或不足 20 分钟，D 有矛盾，F 照印出的不可能正确）；每核吞吐量、延迟和线程影响只取不是 D 或 F 的行。数据大小取页面所说，否则每条记录按 1 kB 计。
atlas-publishers = 数据说明了各发布者的什么
atlas-follows = 每个数字都来自 data/published 中的表；`ycsbook publish --atlas --check --to docs` 会重新推导。
atlas-mix = { $mix ->
    [a] 50 % 读，50 % 更新
    [b] 95 % 读，5 % 更新
    [c] 只读
    [load] 加载
   *[other] { $name ->
        [insert] 只插入
       *[other] { $reads } % 读，{ $rest } % 其他操作
    }{ $name ->
        [insert] {""}
        [missing] {""}
       *[other] （负载 { $name }）
    }
}
atlas-acknowledged = { $state ->
    [yes] 写入已确认
    [no] 写入未确认
    [no-writes] 没有写入
   *[unknown] 未说明写关注
}
atlas-in-ram = { $state ->
    [yes] 数据放得进缓存（内存的一半）
    [no] 数据大于缓存（内存的一半）
   *[unknown] 未说明数据或内存
}
atlas-throttled = 限速到目标值
atlas-table = 表
atlas-highest = 最高 ops/s
atlas-at = 位置
atlas-threads = { $n } 线程
atlas-grade = 其等级
atlas-per-core = 每核最高 ops/s
atlas-latency = 最低平均读延迟 (ms)
atlas-threads-effect = 增加线程的效果（各规格中位数）
atlas-trust = 各等级行数
atlas-server = 服务器
atlas-topology = 架构
atlas-concern = 写关注
atlas-records = 记录数
atlas-data = 数据 (GiB)
atlas-ram = 内存 (GiB)
atlas-threads-heading = 线程
atlas-clients = 客户端
atlas-rtt = 往返 (ms)
atlas-nothing = 没有规则在其表中发现问题。
atlas-all-impossible = 其 { $n } 行中没有一行可能如所印那样正确
