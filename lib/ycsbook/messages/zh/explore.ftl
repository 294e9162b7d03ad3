### 浏览用笔记本中的控件与图。

explore-dataset = 数据集
explore-all = 全部
explore-best = 可采信的模型
explore-choose-run = 点击一个数据点，或在此选择
explore-runs-of-finding = 该发现涉及的全部运行
explore-workload-title = { $mix ->
    [missing] 全部运行
   *[other] { $mix }
}
explore-workload-law = { $mix }，{ explore-laws }{ $claimed ->
    [none] （不足采信）
    [some] （并非每个系列都可采信）
   *[all] {""}
}
explore-laws = { $n ->
    [0] 无模型
   *[other] { AND($laws) }模型
}
explore-scaling-alt = 吞吐量随核数的变化：{ $mix }，{ explore-laws }，{ explore-runs }。
explore-runs = { $runs } 次运行
explore-latency-alt = 平均时延随吞吐量的变化，每次运行一个点。
explore-series-alt = { $runs ->
    [1] 一次运行
   *[other] { $runs } 次运行
}的吞吐量随时间的变化。{ $title }
explore-series-of-finding = 发现“{ $rule }”涉及的运行
explore-law-fits = { $group }，{ explore-laws }：{ $scatter ->
    [missing] {""}
   *[other] 各规格偏离该模型约 { PERCENT($scatter, digits: 0) }%；
}{ $verdict }。
explore-threads-unknown = 线程数未知
explore-repeat = 第 { NUM($repeat) } 次重复
explore-run-line = { $run }：{ FIXED($value) } ops/s
explore-throughput = { FIXED($value) } ops/s（{ $source ->
    [steady_ops_s] 稳态，不含预热
    [goodput_ops_s] 仅计成功的操作
   *[throughput_ops_s] 客户端所印的值
}）
explore-cpu = 服务器 CPU { PERCENT($share, digits: 0) }%
explore-grade = 可信度 { $grade }
explore-at = 第 { NUM($elapsed) } s：{ FIXED($value) } ops/s
explore-nothing-found = 这些运行中没有任何发现。
explore-no-series = { $published ->
    [true] 没有逐秒的数据：这些运行只公布了平均值。
   *[false] 没有逐秒的数据：这些运行未记录。
}
explore-choose-another = 请选择其他数据集。
