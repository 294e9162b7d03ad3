### 已发布报告的索引。

site-title = 测试报告
site-report = 报告
site-best = 最高吞吐量（ops/s）
site-spec = 规格
site-factor = 核数每翻一倍的倍率
site-date = 日期
site-trend = 趋势
site-vendor = { $title }, { $profile } 格式
site-vendors = 相同数据
site-figure = 吞吐量与核数：{ $title }
site-history = { $title }: 已发布 { $n } 次
site-follows = 每个数字都由页面旁的表格得出；`ycsbook publish --check` 会重新推导。
site-alt = 历次发布的吞吐量（ops/s）：{ $values }
