### 扩展性模型对一个系列的说明，以及可以采信的内容。

## 名称

# 表中的一个系列：负载、线程数与规格；有多个数据集时带上数据集名。
series = { $dataset ->
    [missing] {""}
   *[other] { $dataset }：
}{ COMMAS($parts) }
series-threads = { $threads ->
    [-1] 各规格各自的线程数
    [missing] 线程数未知
   *[other] { NUM($threads) } 线程
}
series-published = 公布
series-law = { $series }，{ law-name }
law-name = { $law ->
    [linear] 线性
    [power] 幂律
    [amdahl] Amdahl
    [usl] USL
   *[other] { $law }
}
law-x = { $x ->
    [threads] 线程数
   *[cores] 核数
}
law-count = { NUM($n) } 档{ law-x }
law-bounds = 另有 { NUM($bounds) } 个只是下界
law-interval = { WITHIN($low, $low, $high) } 至 { WITHIN($high, $low, $high) }
law-term = { $term ->
    [lambda] λ
    [sigma] σ
    [kappa] κ
    [exponent] 指数
   *[other] { $term }
} { WITHIN($estimate, $low, $high) }{ $term ->
    [lambda] {" "}ops/s
   *[other] {""}
}（{ law-interval }）
sentences = { SENTENCES($parts) }

## 结论

claimed = 可以采信
shown = 仅供展示：{ $reason }
refused = 未拟合：{ $reason }
not-identifiable = 无法确定：{ $reason }
law-as-for = 同“{ $series }”

## 为何没有拟合

law-refused = { law-name }：{ $reason }
law-error = { $text }
law-none = 无法拟合任何模型：{ $reason }。
law-none-eligible = 数据点太少，不足以支持任何模型。
law-all-left-out = 全部 { NUM($n) } 个数据点均可疑或前后不一致
law-few-measured = { $n ->
    [0] { NUM($of) } 个数据点都只是下界，没有一个证实为服务器自身的吞吐量
   *[other] { NUM($of) } 个数据点中只有 { NUM($n) } 个（{ $at }）证实为服务器自身的吞吐量，其余只是下界
}；至少需要 { NUM($needed) } 个、分布于 { NUM($needed_x) } 档{ law-x }；应以其他线程数测量
law-few-x = { $at }（{ $values }）不足以确定其 { law-parameters }；至少测量 { NUM($needed) } 档，{ NUM($needed_x) } 档方可采信
law-few-points = { NUM($n) } 个数据点恰好确定其 { law-parameters }，无从得知误差；至少测量 { NUM($needed) } 个规格
law-parameters = { NUM($parameters) } 个参数

## 为何仅供展示

law-not-converged = 拟合未收敛
law-part-of-a-core = 部分规格不足一核（CPU 配额），此时只有幂律模型和局部弹性有意义
law-needs = 至少需要 { NUM($needed_x) } 档{ law-x }和 { NUM($needed_df) } 个残差自由度，这里分别为 { NUM($n) } 和 { NUM($df) }{ $bounds ->
    [0] {""}
   *[other] ；{ law-bounds }，其瓶颈不在服务器
}
law-held-back = 数据点随{ law-x }的增长快于该模型所能允许的
law-left-out = 对留出的规格，预测误差达 { PERCENT($error, digits: 0) }%，预测效果差
law-poor = 各规格与拟合曲线的离散程度达 { PERCENT($scatter, digits: 0) }%，拟合效果差
law-not-proportional = 数据点的扩展指数为 { WITHIN($estimate, $low, $high) }（{ law-interval }），而不是 1
law-not-shown-proportional = 每翻一倍为 ×{ WITHIN($low, $low, $high) } 至 ×{ WITHIN($high, $low, $high) }（95%），不足以证明成比例增长（×2）
law-undercut = { law-x }为 { $first ->
    [missing] {""}
   *[other] { NUM($first) }～
}{ NUM($last) } 时吞吐量比它最多低 { PERCENT($most, digits: 0) }%，而瓶颈是否为服务器尚不清楚
law-misfit = 仅凭{ law-x }不能解释数据点：{ law-x }相同的规格彼此之间比与该模型更接近
law-flat = 能反映服务器自身吞吐量的 { $n } 个数据点太少或彼此接近，看不出随{ law-x }的变化
law-no-growth = 每翻一倍为 ×{ WITHIN($low, $low, $high) } 至 ×{ WITHIN($high, $low, $high) }（95%）：未显示增长
law-wide = 每翻一倍为 ×{ WITHIN($low, $low, $high) } 至 ×{ WITHIN($high, $low, $high) }（95%），区间过宽，不能下结论
law-wide-at = { law-x }为 { NUM($at) } 时吞吐量为 { WITHIN($low, $low, $high) } 至 { WITHIN($high, $low, $high) } ops/s（95%），区间过宽，不能下结论
law-sigma-open = σ 的置信区间（{ law-interval }）包含 0：与成比例扩展无法区分
law-kappa-open = κ 的置信区间（{ law-interval }）包含 0：既未显示串扰，也未显示峰值
law-at-bound = { $terms } 位于边界
law-peak-outside = 其峰值位于 { WITHIN($at, $low, $high) } { law-x }（{ law-interval }），超出实测范围 { NUM($first) } 至 { NUM($last) }
law-ceiling = 线程数始终{ $threads ->
    [missing] 固定
   *[other] 为 { NUM($threads) }
}，闭环的上限“线程数 / 响应时间”会像{ $what ->
    [contention] 争用
    [crosstalk] 串扰
   *[other] 这样的模型
}一样使曲线弯曲，而且并非每个点都已证实饱和
law-not-the-server = 曲线描述的是数据点，而不是服务器：{ $reason }
law-better = { law-name }模型明显更贴合数据点

## 模型的说明

law-range = { law-x }从 { NUM($first) } 增至 { NUM($last) }
law-proportional = 按{ law-name }模型，{ law-range } 时吞吐量与{ law-x }成正比（参数：{ COMMAS($terms) }）{ law-tail }
law-ratio = 按{ law-name }模型，{ law-range } 时吞吐量变为 { SIG($ratio, digits: 2) } 倍（{ SIG($low, digits: 2) } 至 { SIG($high, digits: 2) }；参数：{ COMMAS($terms) }）{ law-tail }
law-ends = 按{ law-name }模型，{ law-x }为 { NUM($first) } 和 { NUM($last) } 时吞吐量分别为 { $at_first } 和 { $at_last }（参数：{ COMMAS($terms) }）{ law-tail }
law-throughput = { WITHIN($estimate, $low, $high) } ops/s（{ law-interval }）
law-tail = ；各规格围绕它的离散程度为 { PERCENT($scatter, digits: 0) }%{ $bounds ->
    [0] {""}
   *[other] ；另有 { NUM($bounds) } 个数据点只是下界
}。{ $threads ->
    [missing] {""}
   *[other] 全部在 { NUM($threads) } 线程下测得：{ law-ceiling-too }
}
law-ceiling-too = 闭环的上限“线程数 / 响应时间”同样可能使曲线弯曲，因此这是该线程数的吞吐量，而不仅仅是服务器的吞吐量。
law-rivals = 数据点无法将其与{ OR($laws) }模型区分开来。
law-above-proportional = 指数大于 1（{ law-interval }）意味着每增加一核的收益都高于前一核：较大的规格所领先的不只是{ law-x }，或者较小的规格受到了别的限制。
law-peak = 其峰值位于 { WITHIN($at, $low, $high) } { law-x }（{ law-interval }）。
law-scatter = 95% 置信区间针对模型的均值；{ NUM($n) } 个规格围绕它的离散程度为 { PERCENT($scatter, digits: 0) }%{ $bounds ->
    [0] {""}
   *[other] ，{ law-bounds }
}

## 对数据框拟合的模型

fit-title = { law-name } 模型随{ law-x }的变化：{ NUM($n) } 个数据点，来自 { NUM($runs) } 次运行
fit-finding = { law-name } 模型：{ law-x } { NUM($first) } 至 { NUM($last) }，吞吐量 { SIG($low) } 至 { SIG($high) } ops/s
    { $claimed ->
        [true] 可以采信
       *[false] 仅供展示，不足采信
    }
fit-none = 这些数据点不足以说明吞吐量如何随{ law-x }变化
fit-verdict = 结论：{ $verdict }。
fit-lack = { $p ->
    [missing] 无法检验失拟：{ law-x }相同的规格太少。
   *[other] { $shown ->
        [true] 存在失拟（p = { DIGITS($p) }）：{ law-x }相同的规格彼此接近，却都偏离模型。
       *[false] 未发现失拟（p = { DIGITS($p) }）。
    }
}
fit-left-out = { $n ->
    [0] {""}
   *[other] { NUM($n) } 次运行的数据不可能成立，已排除；原因见 yb.limits。
}
fit-other-rows = { $n ->
    [0] {""}
   *[other] 另有 { NUM($n) } 行属于其他系列或缺少数值。
}

## 综合核数与线程数

joint-too-few = 只测了{ $at }；至少需要 { NUM($needed) } 档，否则无法区分线程数的上限与服务器自身的限制
joint-too-few-cells = { NUM($n) } 个实测单元不足以确定其 { NUM($parameters) } 个参数
joint-needs = 至少需要 { NUM($needed) } 个实测规格，这里只有 { NUM($n) } 个
joint-poor = 数据点围绕联合模型的离散程度达 { PERCENT($scatter, digits: 0) }%
joint-no-ceiling = 看不出线程数的上限（{ COMMAS($terms) } 没有置信区间）
joint-open = 数据点无法确定（{ COMMAS($terms) } 没有置信区间）
joint-nothing = 综合核数与线程数，模型的任何参数都无法确定；{ joint-scatter }
joint-says = 综合核数与线程数：{ $one }，{ $growth }；{ $ceiling }；{ joint-scatter }
joint-scatter = 数据点围绕它的离散程度为 { PERCENT($scatter, digits: 0) }%。
joint-one = 单核 { WITHIN($estimate, $low, $high) } ops/s（{ law-interval }）
joint-one-open = 单核的贡献无法确定
joint-growth = 增长指数 { WITHIN($estimate, $low, $high) }（{ law-interval }）
joint-growth-open = 随核数增长的指数无法确定
joint-ceiling = N 个线程至多达到 N / R0，其中 R0 = { WITHIN($estimate, $low, $high) } ms（{ law-interval }）
joint-ceiling-open = 空闲服务器的响应时间 R0 以及线程数的上限均无法确定

## 命令 `ycsbook scaling`

scaling-more = --all 列出每个模型及其说明，以及每一步增加核数带来的变化。
scaling-in-service = { $mix }：{ NUM($cores) } 核时 { NUM($threads) } 线程可能仍然太少：每次操作耗时 { SIG($ms) } ms，与线程更少时（{ SIG($least_ms) } ms）相差无几。
scaling-doubted = { $left_out ->
    [true] 已剔除的存疑数据行
   *[false] 存疑数据行（余下的数据太少，未剔除）
}：{ COMMAS($specs, $specs_more) }。
scaling-nothing = 没有可拟合的数据：没有已知核数且已完成的运行；“ycsbook run”的运行自带核数，其他日志须注明：ycsbook ingest --set cores=8、--pattern '{ $pattern }' 或 ycsbook.yml（docs/ingest.md）
scaling-points = { NUM($n) } 个数据点{ $own ->
    [missing] {""}
   *[other] ，其中 { NUM($own) } 个为服务器自身的吞吐量
}，{ NUM($cores) } 档核数{ $left_out ->
    [0] {""}
   *[other] ，剔除 { NUM($left_out) } 个
}
scaling-verdicts = { CLAUSES($series, $series_more) }：{ $law ->
    [missing] {""}
   *[other] { law-name }模型，
}{ $verdict }。
scaling-few-measured = 服务器自身的能力未知：证实受服务器限制的数据点太少，或核数档位太少（{ CLAUSES($series, $series_more) }）。模型至少需要 { NUM($needed) } 个、分布于 { NUM($needed_x) } 档核数；应以其他线程数测量。
scaling-own-points = { $series }：{ NUM($of) } 个中 { NUM($n) } 个{ $n ->
    [0] {""}
   *[other] （{ $at }）
}
scaling-verdict = { $title }：{ $verdict }。
scaling-joint = { $series }，综合核数与线程数
scaling-threads = { $series }，按线程数
scaling-scatter = { $low ->
    [missing] 这里没有带置信区间的模型。
   *[other] 95% 置信区间针对模型的平均曲线；单个规格与模型的偏差（标准差）为 { PERCENT($low, digits: 0) }% 至 { PERCENT($high, digits: 0) }%。
}
