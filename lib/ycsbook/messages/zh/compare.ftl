### 两组表的比较说明了什么。

compare-higher = 更高
compare-lower = 更低
compare-not-shown = 未证实
compare-hidden = 未证实：{ compare-in-turn }
compare-in-turn = 差异可能全部来自假定的不同时段之差（{ PERCENT($effect) }%）；请交替测量双方
compare-unrepeated = 未证实：没有重复测量，规格也太少，无法给出离散程度
compare-depends = 取决于核数：{ NUM($fewest) } 核时 { FIXED($at_fewest, digits: 2) }，{ NUM($most) } 核时 { FIXED($at_most, digits: 2) }{ $even_from ->
    [missing] {""}
   *[other] ，{ NUM($even_from) } 至 { NUM($even_to) } 核之间相等
}
compare-some = { COMMAS($parts) }
compare-some-part = { AND($specs, $specs_more) } { $higher ->
    [true] 更高
   *[false] 更低
}（{ $low ->
    [missing] {""}
   *[other] { FIXED($low, digits: 2) }～
}{ FIXED($high, digits: 2) } 倍）
compare-not-comparable = 不可比：{ $reason }

## 为何不可比

compare-mixes = 读写比例不同：读 { PERCENT($b, digits: 0) }% 对 { PERCENT($a, digits: 0) }%
compare-unacknowledged = 只有 { $side } 以写关注 0 发送写入，未经应答
compare-suspect = { $side } 的这一行违反 Little 定律
compare-inconsistent = { $side } 的这一行增幅超过线程数之比
compare-no-run = { $side } 没有该负载在{ $threads ->
    [missing] 未知线程数
   *[other] {" "}{ NUM($threads) } 线程
}下的运行
compare-no-cores = 其核数未知，而 { $side } 没有这个规格
compare-no-curve = { $side } 的核数不足两种，也没有这个规格
compare-outside = { NUM($cores) } 核超出 { $side } 的实测范围（{ NUM($first) } 至 { NUM($last) }）

## 还有什么不同

compare-differs = { $what ->
    [vendor] 厂商
    [server_version] 服务器版本
    [topology] 拓扑
    [write_concern] 写关注
    [clients] 客户端进程数
    [format] 读取自
    [target_ops_s] 目标吞吐量（ops/s）
   *[throughput] 吞吐量
}：{ $b } 对 { $a }
compare-doubted = 所依据的也有存疑数据行（D：与其他行难以吻合；F：不可能正确）：{ CLAUSES($rows, $rows_more) }
compare-doubted-rows = { $side ->
    [missing] {""}
   *[other] { $side }{" "}
}{ $mix }{ in-threads }：{ COMMAS($specs) }
compare-unknown = 未知
compare-values = { COMMAS($values) }
compare-measures = { AND($values) }
compare-measure = { $column ->
    [steady_ops_s] 去除预热
    [goodput_ops_s] 仅成功的操作
   *[throughput_ops_s] 全部操作
}
compare-unanswered = 双方均为写关注 0：写入只是发送而未经应答，无人知道有多少成功
compare-unnamed = 双方都未注明服务器：按同一台服务器比较

## 总体

compare-p99 = 在双方都测过的配置上，p99 时延为 { FIXED($times, digits: 2) } 倍。
compare-trade = 在双方都测过的配置上，读时延为 { FIXED($reads, digits: 2) } 倍，写时延为 { FIXED($writes, digits: 2) } 倍。
compare-nothing = 二者没有可比之处。
compare-sides = { $b } 对 { $a }。
compare-mean-depends = { $mix }，{ threads }：{ $some ->
    [true] { $verdict }；相同规格的均值未证实有差异。
   *[false] 比值{ $verdict }。
}
compare-all = 在全部 { NUM($n) } 个系列中，{ $b } 的吞吐量都是对方的 { $close ->
    [true] {""}
   *[false] { FIXED($least, digits: 2) }～
}{ FIXED($most, digits: 2) } 倍。
compare-mean = { $mix }，{ threads }：{ $by ->
    [specs] 相同规格之比的
    [law] 按各自模型得出的
   *[growth] 按各自增长直线得出的
}平均吞吐量为 { WITHIN($ratio, $low, $high) } 倍（95% 置信区间 { WITHIN($low, $low, $high) } 至 { WITHIN($high, $low, $high) }）：{ $verdict ->
    [higher] 更高
    [lower] 更低
    [hidden] 未证实差异：{ compare-in-turn }
    [many] 未证实差异，因为同时检验了多项，而该区间只针对这一项
   *[none] 未证实差异
}。
compare-counts = 检验了 { NUM($tested) } 个单元（{ NUM($equal) } 个规格相同{ $by_law ->
    [0] {""}
   *[other] ，{ NUM($by_law) } 个按 { $b } 的模型
}{ $between ->
    [0] {""}
   *[other] ，{ NUM($between) } 个在 { $b } 相邻实测核数之间插值
}）：{ NUM($higher) } 个更高，{ NUM($lower) } 个更低，{ NUM($open) } 个未证实差异{ $apart ->
    [0] {""}
   *[other] ；{ NUM($cells) } 个中有 { NUM($apart) } 个不可比
}。
compare-cells-need-more = 同时检验了 { NUM($n) } 个单元，单个单元需要更大的差异才能得到证实。
compare-occasion = 两者不是交替测量：假定不同时段相差 { PERCENT($effect) }%，已计入每个区间
compare-scatter = 没有重复测量时，以各规格围绕其模型或增长直线的离散程度代替噪声。
compare-assumed = 部分数据行只测了一次，规格又太少，无法得知噪声。对这些行假定每次运行的噪声为 { PERCENT($noise) }%。小于 { PERCENT($difference, digits: 0) }% 的差异无法与之区分。

## 下降是否超出允许范围

gate-word = { $verdict ->
    [slower] 更慢
    [faster] 更快
    [holds] 未变慢
   *[not-shown] 未证实
}
gate-all = 全部合计
gate-heading = { $verdict ->
    [slower] 变慢超过 { PERCENT($limit) }%
    [faster] 变快
    [holds] 变慢不超过 { PERCENT($limit) }%
   *[not-shown] 未证实：{ PERCENT($limit) }% 的下降与噪声无法区分
}
gate-verdict = { $verdict ->
    [slower] 变慢：{ $slower ->
        [0] 全部单元合计
       *[other] { NUM($cells) } 个单元中有 { NUM($slower) } 个
    }下降超过 { PERCENT($limit) }%。最差的是{ $row }：吞吐量为此前的 { WITHIN($ratio, $low, $high) } 倍（{ WITHIN($low, $low, $high) } 至 { WITHIN($high, $low, $high) }）。
    [faster] 变快，且没有单元下降超过 { PERCENT($limit) }%。
    [holds] 未变慢：没有单元下降超过 { PERCENT($limit) }%。
   *[not-shown] 未证实：{ NUM($cells) } 个单元中有 { NUM($open) } 个无法判断是否下降超过 { PERCENT($limit) }%。{ $apart ->
        [true] 在同一时段交替测量双方最有效。
       *[false] 增加重复次数即可判断。
    }
}
gate-together = 全部合计：吞吐量为 { WITHIN($ratio, $low, $high) } 倍{ $low ->
    [missing] {""}
   *[other] ，{ PERCENT($confidence) }% 置信区间 { WITHIN($low, $low, $high) } 至 { WITHIN($high, $low, $high) }
}。
gate-found-from = { $loss ->
    [missing] 没有重复测量，噪声未知。
   *[other] 单个单元下降 { PERCENT($loss, digits: 0) }% 时，五次这样的比较中有四次能够发现。
}
gate-occasions = { $n ->
    [0] 双方交替测量。
    [1] 双方在不同时段测量，假定不同时段相差 { PERCENT($effect) }%。有至少 { $least } 个更早的时段（--history）时，该差异由测量得出。
   *[other] 不同时段的差异由 { $n } 个更早的时段测得。
}
gate-left-out = 未比较：{ CLAUSES($parts) }。
gate-left-out-cells = { NUM($n) } 个单元（{ $reason }）
gate-no-counterpart = 并非所有更早的时段都有
gate-every = 全部 { NUM($n) } 行
gate-more = --all 另列出 { NUM($n) } 个未变慢的单元。
