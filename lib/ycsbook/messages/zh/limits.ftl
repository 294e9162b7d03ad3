### 每个点受什么限制。每条消息对应一条判定规则。

limit-change = { NUM($threads_to) } 线程的吞吐量是 { NUM($threads_from) } 线程的 { WITHIN($ratio, $low, $high) } 倍{ $low ->
    [missing] {""}
   *[other] （95% 置信区间 { WITHIN($low, $low, $high) } 至 { WITHIN($high, $low, $high) }）
}
limit-falls = { $falls ->
    [true] （反降：线程少时反而更快）
   *[false] {""}
}
limit-saturated = { limit-change }{ limit-falls }，可见瓶颈不在线程数
limit-busy = 服务器 CPU 利用率为 { PERCENT($cpu, digits: 0) }%
limit-bigger = 相同线程数下，{ $spec } 的吞吐量是该规格的 { DIGITS($best, digits: 3) } 倍{ $best_low ->
    [missing] {""}
   *[other] （95% 置信区间 { DIGITS($best_low, digits: 3) } 至 { DIGITS($best_high, digits: 3) }）
}
limit-open = 介于证实与否定服务器为瓶颈的界限之间

limit-little = 本行的 X R / N 为 { FIXED($utilisation, digits: 3) }，而闭环不允许超过 1.05
limit-held = 各种规格的吞吐量都相同，而线程只有 { PERCENT($utilisation, digits: 0) }% 的时间在等待数据库：客户端并未要求做得更多
limit-throttled = 已达到目标吞吐量（target_ops_s）：并未要求服务器做得更多
limit-too-much = { limit-change }，超过了线程数之比
limit-rises-full = { limit-change }，尽管服务器 CPU 利用率已达 { PERCENT($cpu, digits: 0) }%
limit-rises = { limit-change }：线程太少
limit-grows-free = { limit-change }，而{ limit-busy }：线程太少
limit-fallen = { limit-change }：线程更少时反而更快，因此该值不是服务器的能力
limit-flat-full = { limit-saturated }；{ limit-busy }
limit-bigger-idle = { limit-bigger-faster }；{ limit-busy }：受限的不是核数，而是磁盘、网络或配额
limit-bigger-much = { limit-bigger-faster }
limit-pool = { limit-change }{ limit-falls }；客户端连接池只有 { NUM($pool) } 个连接
limit-in-flight = { limit-change }{ limit-falls }；无论线程多少，同时进行的调用至多约 { FIXED($calls) } 个：请增大 maxPoolSize 或增加客户端
limit-flat-free = { limit-saturated }；{ limit-busy }
limit-flat-between = { limit-saturated }；{ limit-busy }，既未用满也不空闲
limit-bigger-faster = { limit-saturated }；{ limit-bigger }
limit-bigger-held = { limit-saturated }；{ limit-bigger }，但该规格增加线程后仍会更快，因此无法判定
limit-bigger-same = { limit-saturated }；{ limit-bigger }
limit-bigger-between = { limit-saturated }；{ limit-bigger }：{ limit-open }（1.10 与 1.25）
limit-no-bigger = { limit-saturated }；没有在相同线程数下测量过核数为其两倍、内存不小于它的规格
limit-full-pair = { limit-busy }；{ limit-change }{ limit-falls }
limit-full = { limit-busy }
limit-void = { limit-change }，但表中增加线程带来的提升都不到 25%，如同连接池小于线程数时那样
limit-top = { limit-change }：未证实已经持平（每翻一倍 1.10），也未尝试更多线程，因此未证实饱和
limit-between = { limit-change }：{ limit-open }（线程数每翻一倍 1.10 与 1.25）
limit-partner = 无法比较：其他线程数的那一行不可能
limit-single = 只测了一种线程数，无法看出瓶颈

## 命令 `ycsbook limits`

limits-held = { $mix }：{ NUM($first) } 至 { NUM($cores) } 核的吞吐量都约为 { SIG($ops) } ops/s，而线程最多只有 { PERCENT($used, digits: 0) }% 的时间在等待数据库。可见客户端并未要求做得更多：增加核数或线程数都说明不了什么。请取消目标速率，或找出限制客户端的原因。
limits-flat = { $mix }：{ NUM($first) } 至 { NUM($cores) } 核的吞吐量都约为 { SIG($ops) } ops/s。核数增至 { NUM($times) } 倍也没有任何变化，可见瓶颈不在核数，而在客户端、网络{ $counts ->
    [0] 、线程数
    [1] 、线程数
   *[other] {""}
}、连接池，或这些服务器共有的某处。再测更多规格也说明不了什么；请先找出饱和之处。
limits-shared = { where }从 { cores }起，{ NUM($n) } 种读写比例的吞吐量都止于约 { SIG($ops) } ops/s，而核数更少时各不相同。可见瓶颈在其共用的部分，如{ $threads ->
    [1] 线程数不足、客户端或网络；选购前请用更多线程和第二台客户端重测这些规格。
   *[other] 客户端或网络；选购前请用第二台客户端重测这些规格。
}
limits-nothing = 没有可判断的数据：没有带吞吐量且已完成的运行
limits-more = --all 列出每个点及其原因。
compare-more = --all 列出各规格的 { NUM($n) } 个单元。
