### 图中除数据名称以外的文字。

plot-cores = 核数（对数刻度）
plot-threads = 线程数（对数刻度）
plot-throughput = 吞吐量（ops/s）
plot-throughput-log = 吞吐量（ops/s，对数刻度）
plot-per-core = 单核吞吐量（ops/s）
plot-utilisation = 吞吐量 × 时延 / 线程数
plot-cpu-per-operation = 单次操作 CPU 时间（µs，对数刻度）
plot-threads-ceiling = 线程数 / 最低时延
plot-ceiling = 线程数 / 时延
plot-mix = 读写比例
plot-limit = 全部线程繁忙
plot-latency = 时延（ms，对数刻度）
plot-percentile = 百分位
plot-time = 运行时间（s）
plot-residual = 偏离模型
plot-warmup = 预热
plot-stalled = 停顿
plot-measured = 实测
plot-published = 公布
plot-flagged = 被标记
plot-doubtful = 存疑
plot-proportional = 成比例
plot-gain = 提升
plot-loss = 下降
plot-flagged-loss = 被标记的下降
plot-point = { $spec }，{ NUM($threads) } 线程
