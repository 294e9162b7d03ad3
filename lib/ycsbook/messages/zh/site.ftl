### 已发布报告的索引。

site-title = 测试报告
site-report = 报告
site-best = 最高吞吐量（ops/s）
site-at = 规格与线程数
site-spec-threads = { $spec }，{ threads }
site-per-core = 每核最高
site-ops-on = { FIXED($ops) }{ $spec ->
    [missing] {""}
   *[other] （{ $spec }）
}
site-latency = 最低平均读时延（ms）
site-doubtful = 存疑数据行
site-growth = { $growth }{ at-threads }
site-of = { $total } 行中 { $n } 行
site-how = 按负载分组，吞吐量高者在前。可信度为该行数据的等级：A、B 有重复，C 为单次运行或计划外不足 20 分钟，D 相互矛盾，F 不可能正确。折线、每核最高与最低时延只计可信的数据行。
site-overview =
    { $mix }
    最高：{ $dataset }，{ cores }，{ DIGITS($ops, digits: 3) } ops/s
site-overview-alt = 各数据集的吞吐量随核数的变化，读写比 { $mix }，每个数据集和线程数一条线
site-factor = 核数每翻一倍的倍率
site-trend = 趋势
site-vendor = { $title }, { $profile } 格式
site-vendors = 相同数据
site-deviations = { CLAUSES($parts) }。
vendor-deviation-blanks = 地址、用户名和密码以占位符代替
vendor-deviation-layout = 未保留原页面的列宽和链接
vendor-deviation-means = 每个数值为至多 { $n } 次运行的平均值
vendor-deviation-rows = 以下数据行明显有误，仍按原文给出，未作标记：{ COMMAS($rows) }
site-history = { $title }: 已发布 { $n } 次
site-follows = 每个数字都由页面旁的表格得出；`ycsbook publish --check` 会重新推导。
