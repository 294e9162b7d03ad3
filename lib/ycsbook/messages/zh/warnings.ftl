### 运行的警告（verdicts.Warn）：各自的含义与对策；name：名称。

warning-operations_failed = 部分操作失败：应看有效吞吐量而非总吞吐量，并检查错误
    .name = 操作失败
warning-operations_unmeasured = 实测的操作数略少于要求：其余操作可能已失败
    .name = 有操作未计入
warning-batched_latency = 写入是批量进行的：其时延只是写缓冲区的时延，应忽略
    .name = 批量写入的时延
warning-intended_latency = 时延从操作应当开始的时刻计起（measurement.interval=intended；wrk），因此包含等待时间：不要与其他运行的时延比较
    .name = 含等待时间的时延
warning-unacked_writes = 写关注为 0：写入是否成功无从得知，写时延只是发送所需的时间；应以写关注 1 或 majority 重测
    .name = 写入未确认
warning-short_run = 不足 20 分钟：缓存和检查点来不及稳定；应增大 min_duration
    .name = 运行过短
warning-clock_stepped = 运行期间时钟被调整，时长有误；应重测
    .name = 时钟被调整
warning-counts_disagree = 日志自身的数字相互矛盾；查明原因之前不要使用
    .name = 计数不一致
warning-p95_is_p90 = 该版本的 YCSB 将第 90 百分位误标为第 95 百分位
    .name = p95 实为 p90
warning-unit_label_wrong = 标注为 ms 的时延实为微秒
    .name = 单位标注错误
warning-censored = 超出最后一个桶的时延未被测量：高百分位只是下界
    .name = 时延被截断
warning-truncated = 日志不完整，提前结束
    .name = 日志不完整
warning-derived = 这是多份日志的平均值，而非一份日志
    .name = 由多份日志平均得出
warning-threads_unknown = 日志中没有客户端线程数：请在附属文件中或用 --set 注明
    .name = 线程数未知
warning-threads_clipped = 实际运行的客户端线程少于要求：应增加操作数
    .name = 线程数不足
warning-little_law = 吞吐量 × 时延超过线程数，任何闭环都不可能如此：至少有一个数字有误
    .name = 违反利特尔定律
warning-pool_below_threads = 连接池小于线程数：测到的是连接池
    .name = 连接池小于线程数
warning-cores_not_enforced = 在此系统上，规格的核数仅作记录，并未实际限制
    .name = 核数未实际限制
warning-host_speed_changed = 运行期间主机自身速度变化超过 10%；应重测
    .name = 主机速度变化
warning-tls_not_verified = URI 关闭了对服务器证书或主机名的校验：无从得知应答者是谁；应改用 tlsCAFile
    .name = TLS 未校验
warning-workload_inferred = 日志中没有命令行说明工作负载：由文件名和文件夹名推断，否则由操作比例推断；可在 ycsbook.yml 中或用 --set 指明
    .name = 工作负载为推断
warning-workload_contradicted = 操作比例与同名的标准工作负载不符：请在 ycsbook.yml 中或用 --set 指明正确的工作负载，或给自定义的比例另取名称
    .name = 工作负载与操作比例不符
warning-settings_inferred = 线程数、记录数、重复次数或规格取自文件名和文件夹名，或网页的线程数、服务器规格取自正文，别处没有说明；可在 ycsbook.yml 中或用 --set 指明
    .name = 设置为推断
warning-excerpt = 只有汇总中的总计：操作是否失败、哪些失败均无从得知；请查找完整日志
    .name = 汇总摘录
warning-percentiles_averaged = 多个客户端的百分位数被平均，所得并非全体的百分位数：不要用于比较
    .name = 百分位数取了平均
warning-operation_unknown = 表中没有说明延迟属于哪种操作，或者是所有操作合计的：不要与读或写的延迟比较
    .name = 操作未知
warning-columns_unread = 表中有未能识别的列，其内容没有读入：请改列名并写明单位，例如 读平均延迟(us)；每小时价格请按规格写在参数文件的 prices 下，并用 --params 指定
    .name = 有列未读入
warning-repeat_twice = 同一规格、负载和线程数下有重复编号出现两次：可能混入了不同服务器或不同设置的数据；请增加一列加以区分
    .name = 重复编号出现两次
columns-unread = { $n ->
    [one] 列 { COMMAS($columns) } 未读入
   *[other] 列 { COMMAS($columns) } 未读入
}

## 运行提前结束的原因。

stop-timeout = 超时
stop-stalled = 停顿
stop-server_lost = 服务器失联
stop-disk_full = 磁盘已满
stop-killed = 被终止
