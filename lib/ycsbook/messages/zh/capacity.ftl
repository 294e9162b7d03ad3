### 更多核带来什么、哪种规格能承载负载、接下来跑什么。

## 一步的依据

step-equal-ram = 内存相同：{ COMMAS($sizes) } GiB{ step-bound }
step-equal-cores = 核数相同{ step-bound }
step-one-each = 各一个规格，内存不同{ step-bound }
step-all-specs = 全部规格的平均值，内存不同{ step-bound }
step-ram-unknown = 未给出内存{ step-bound }
step-bound = { $bound ->
    [larger] ；较大者为下界
    [smaller] ；较小者为下界
    [both] ；二者均为下界
   *[none] {""}
}

## 一步的收益

step-cores = 从 { NUM($from) } 核到 { NUM($to) } 核{ step-asides }{ step-bargain }{ $rate ->
    [missing] {""}
   *[other] ：每增加一核 { step-at-least }{ SIG($rate) } ops/s
}。
step-ram = { NUM($cores) } 核时，从 { NUM($from) } GiB 到 { NUM($to) } GiB{ step-asides }{ step-bargain }{ $rate ->
    [missing] {""}
   *[other] ：内存每 GiB { step-at-least }{ SIG($rate) } ops/s
}。
step-asides = { $aside ->
    [ram] （内存也更大），
    [threads] （{ step-threads }时），
    [both] （内存也更大，{ step-threads }时），
   *[none] ，
}
step-threads = { NUM($threads) } 线程
step-at-least = { $at_least ->
    [true] 至少{" "}
   *[false] {""}
}
step-gain = { $low ->
    [missing] { DIGITS($gain, digits: 3) } 倍（没有重复，无置信区间
   *[other] { WITHIN($gain, $low, $high) } 倍（{ WITHIN($low, $low, $high) } 至 { WITHIN($high, $low, $high) }
}）
step-bargain = { $shown ->
    [true] { $paid ->
        [missing] 吞吐量变为 { step-at-least }{ step-gain }
       *[other] 投入 { DIGITS($paid, digits: 3) } 倍，换来 { step-at-least }{ step-gain }
    }
   *[false] { $paid ->
        [missing] 未证实吞吐量有增益：{ step-gain }
       *[other] 投入 { DIGITS($paid, digits: 3) } 倍，但未证实吞吐量有增益：{ step-gain }
    }
}

## 能承载负载的规格

capacity-of = { $dataset }，{ $outcome ->
    [published] 公布
    [completed] 已完成
   *[other] { $outcome }
}：{ $answer }
capacity-goal = { $mix } { FIXED($qps) } ops/s{ $p99_ms ->
    [missing] {""}
   *[other] 、p99 为 { NUM($p99_ms) } ms
}
capacity-enough = 能承载 { $goal } 的{ $priced ->
    [true] 最便宜
   *[false] 最小
}规格是 { $spec }。
capacity-doubted = { $specs_n ->
    [0] 该行存疑，且没有可靠的行满足要求：请重测。
   *[other] 更小但存疑：{ COMMAS($specs) }。
}
capacity-none = { $open ->
    [true] 没有任何一行达到
   *[false] 没有规格能承载
} { $goal }：最高的一行为 { FIXED($observed) } ops/s（{ capacity-place }），为目标的 { PERCENT($share, digits: 0) }%{ $open ->
    [true] ；没有证据表明受限于该规格，增加线程可能更高
   *[false] {""}
}。
capacity-some = { $p99_ms ->
    [missing] 没有一个规格
   *[other] 在 { NUM($p99_ms) } ms 以内测得的规格中，没有一个
}
capacity-refuted = { capacity-some }证实能承载 { $goal }：按模型 { $spec } 应当可以，但其自身实测为 { SIG($observed) } ops/s，且瓶颈在服务器。
capacity-unsure = { capacity-some }能以 { PERCENT($sure, digits: 0) }% 的把握承载 { $goal }；可能性最大的是 { $spec }。
capacity-no-tails = 未测量 p99，因此无法判断 p99 是否为 { NUM($p99_ms) } ms。
capacity-too-slow = 没有在 { NUM($p99_ms) } ms 以内测得的规格；最接近的是 { capacity-place }：{ capacity-tail }。
capacity-unknown = 另一台 { COMMAS($specs) } 服务器会相差多少未知：相同线程数下的测量值无法拟合任何模型。
capacity-unjudged = 未作判断（p99 须有可靠的实测）：{ COMMAS($specs) }。
capacity-place = { $spec }{ $threads ->
    [missing] {""}
   *[other] （{ NUM($threads) } 线程）
}
capacity-tail = p99 实测为 { DIGITS($p99_ms_measured, digits: 3) } ms（{ $n ->
    [one] 单次运行
   *[other] { NUM($n) } 次重复中的最差值
}，{ SIG($observed) } ops/s 时）
capacity-spec = { capacity-place }：{ $probability }{ $p99_ms_measured ->
    [missing] {""}
   *[other] （就吞吐量而言）；{ capacity-tail }
}（{ $measured ->
    [true] 自身实测 { SIG($observed) } ops/s；
   *[false] 未测量，或测量不可靠；
}{ law-name }模型给出 { SIG($fitted) } ops/s{ $at_least ->
    [true] ，线程更多时可能更高
   *[false] {""}
}；各规格围绕它的离散程度为 { PERCENT($scatter, digits: 0) }%{ $mixed ->
    [true] ；它把下界按实测值计入，与扩展性分析中的模型不同
   *[false] {""}
}）
capacity-again = { capacity-place }：{ $n ->
    [1] 一次运行
   *[other] { NUM($n) } 次重复的均值
}实测 { SIG($observed) } ops/s，再次达到的概率为 { $again }{ $probability ->
    [missing] {""}
   *[other] ；按全部规格拟合的模型为 { $probability }
}{ $p99_ms_measured ->
    [missing] {""}
   *[other] ；{ capacity-tail }
}
probability-unknown = 未知
probability-high = 超过 99%
probability-low = 不足 1%
probability = { PERCENT($value, digits: 0) }%
capacity-note = “再测”：实测过的这台服务器能否再次达到该负载，依据它自己的运行（若其中达到者所占比例远低于此，则以该比例为准；没有重复时假定噪声为 5%）。“概率”：同规格的另一台服务器能否达到，依据全部规格拟合的模型。≥ 表示增加线程或可更高。（D）表示该行与其他行难以吻合，（F）表示该行不可能正确。
capacity-no-prices = { $file }：没有价格；注明“{ $example }”便可算出每百万次操作的成本

## 为何没有答案

capacity-bad-number = capacity：得到 { $what ->
    [p99] { $value } ms（p99）
    [threads] { $value }（线程数）
   *[qps] { $value } ops/s
}，应为大于 0 的数
capacity-no-workload = { $n ->
    [0] 没有任何已完成的运行带有吞吐量
   *[other] 没有{ $mix } 的已完成运行；表中有 { COMMAS($mixes) }
}
capacity-no-cores = { $mix } 的 { NUM($n) } 次已完成运行未注明服务器核数，而规格须按核数比较；可注明：ycsbook ingest --set cores=8、--pattern '{ $pattern }' 或 ycsbook.yml（docs/ingest.md）
capacity-no-threads = 没有{ $mix } 在 { step-threads }下的运行；现有 { COMMAS($counts) }
capacity-nothing-sound = { $mix } 的每个点都可疑或前后不一致：见 ycsbook anomalies
capacity-no-percentiles = 未测量 p99，因此无法判断 p99 是否为 { NUM($p99_ms) } ms；不要求 p99，或以直方图测量

## 拐点

knee-place = { $dataset ->
    [missing] {""}
   *[other] { $dataset }：
}{ $spec }，{ $mix }
knee = { knee-place }：超过 { SIG($knee, digits: 2) } 个线程只是排队：服务器能达到 { SIG($saturated) } ops/s，而单个线程独占时时延为 { SIG($r0_us) } us。
knee-unknown = { knee-place }：{ AND($missing) }{ $laddered ->
    [true] {""}
   *[false] ；{ ladder-how }
}。
knee-no-single-thread = 没有单线程的运行
knee-no-ladder = 没有逐级增加的线程数
knee-not-saturated = { $flat ->
    [true] 更多线程不再带来提升，但无法证实瓶颈在服务器：应在相同线程数下测量核数为其两倍的规格
   *[false] 没有任何线程数证实使服务器饱和：应使用更多线程
}
ladder-how = 请在参数文件中设置“ladder: true”

## 接下来跑什么

next-repeat-all = 每个运行再做一次，最好两次：没有任何重复，因此噪声未知。
next-narrows = { next-title }{ $mix } 在 { $spec ->
    [missing] 一台 { NUM($cores) } 核的服务器
   *[other] { $spec }
}上{ next-at }{ $how ->
    [repeat] { next-times }
    [larger] （比已测的都大一级）
    [smaller] （比已测的都小一级）
   *[inside] {""}
}，可使{ $term ->
    [goal] 达到目标处吞吐量
    [kappa] κ（每个核拖慢其他核的程度）
   *[exponent] 随核数增长的程度
}的 95% 置信区间收窄 { SIG($saved, digits: 2) }%。
next-check = { next-title }核对并重测 { $mix }，{ $spec }{ next-at }：{ $n ->
    [1] 这一行存疑
   *[other] 这一行及另外 { NUM($more) } 行存疑
}{ $impossible ->
    [true] （按其时延与吞吐量需要 { SIG($utilisation, digits: 3) } 倍的线程）
   *[false] {""}
}；原因见 ycsbook anomalies。
next-between = { next-title }{ $mix } 在 { $spec } 上{ next-at }：从 { NUM($threads_from) } 到 { NUM($threads_to) } 线程损失 { PERCENT($lost, digits: 0) }%；在两者之间跑一次可看出从何处开始下降。
next-client = { next-title }{ $mix } 在 { $spec } 上{ next-at }加一台客户端机器：{ first-cores }及以上都约为 { DIGITS($ops, digits: 3) } ops/s{ $busy ->
    [missing] {""}
   *[other] ，CPU 最高 { PERCENT($busy, digits: 0) }%
}；若没有提升，再试更大的连接池，然后检查网络。
next-times = 再跑 { NUM($times) } 次
next-title = { $title ->
    [missing] {""}
   *[other] { $title }：
}
next-at = { $threads ->
    [missing] {""}
   *[other] 以 { NUM($threads) } 线程
}
next-more-threads = { $series }：{ NUM($of) } 个规格中有 { NUM($n) } 个以更多线程或可更快，且都没有以更多线程测量过；应补测，先测 { $spec }。
next-too-few = { next-title }{ $mix }{ $several ->
    [true] ，{ AND($counts) } 线程
   *[false] { next-at }
}：{ NUM($n) } 种核数太少，任何模型都没有置信区间；再测 { NUM($more) } 种，分布于整个范围。
next-ladder = { next-title }{ $mix } 在 { $spec } 上以 1、2、4……线程运行{ $more ->
    [0] {""}
   *[other] ，另外 { NUM($more) } 个读写比或数据集同样如此
}：没有逐级增加的线程数，看不出各点受什么限制；{ $planned ->
    [true] 按参数文件的计划运行
   *[false] { ladder-how }
}。
next-nothing = 再没有哪个运行能使置信区间收窄 1% 以上
next-knees-unknown = { NUM($of) } 个拐点中有 { NUM($n) } 个未知，例如 { $first }
