### 摘要：报告开头的几句话（ycsbook.report.short）。

short = 摘要
short-term = { $mix } 指{ COMMAS($shares) }
short-terms = { $n ->
    [0] {""}
   *[other] { CLAUSES($terms) }；
}线程数指压测端的并发数；ops/s 指每秒操作数，各类操作合计。
short-verdict-range = 核数每翻一倍{ with-ram }，吞吐量的增长倍数：{ $least_mix } 最低，为 { SIG($least) }；{ $most_mix } 最高，为 { SIG($most) }{ $upper ->
    [missing] {""}
   *[other] ；{ $all ->
        [true] {""}
       *[false] { COMMAS($mixes, $mixes_more) }{" "}
    }超过 { OR($turns) } 核后{ short-verdict-beyond }
}。{ $cores ->
    [missing] {""}
   *[other] { cores }：{ DIGITS($slow_ops, digits: 3) } ops/s（{ $slow_mix }）至 { DIGITS($fast_ops, digits: 3) }（{ $fast_mix }）。
}
short-verdict-beyond = { $nothing ->
    [true] 不再增长
   *[false] 至多为 { SIG($upper) }
}
short-verdict-held = { $mix }：{ NUM($first) } 至 { NUM($cores) } 核都约为 { DIGITS($ops, digits: 3) } ops/s，线程最多只有 { PERCENT($used, digits: 0) }% 的时间在忙：客户端并未要求做得更多。
short-verdict-flat = { $mix }{ at-threads }：{ first-cores } { DIGITS($first_ops, digits: 3) } ops/s，{ NUM($last) } 核 { DIGITS($last_ops, digits: 3) }；{ $open ->
    [true] 线程太少，看不出核数的作用，请增加线程重测
   *[false] 增加核数没有收益，请检查{ short-where }
}。
short-verdict-times = { $mix }{ at-threads }：{ on-average }{ first-cores } { DIGITS($first_ops, digits: 3) } ops/s，{ $middle_ops ->
    [missing] {""}
   *[other] { NUM($bend) } 核 { DIGITS($middle_ops, digits: 3) }，
}{ NUM($last) } 核 { DIGITS($last_ops, digits: 3) }{ $peak ->
    [missing] {""}
   *[other] ，峰值约在 { SIG($peak, digits: 2) } 核（USL）
}{ $middle_ops ->
    [missing] { $few ->
        [true] ；规格太少，无法给出增长倍数
       *[false] ；核数每翻一倍{ $more_ram ->
            [missing] { with-ram }
           *[other] （内存不变）
        }，吞吐量变为原来的 { $bend ->
            [missing] { $low ->
                [missing] { SIG($factor) }
               *[other] { WITHIN($low, $low, $high) }～{ WITHIN($high, $low, $high) }
            } 倍{ short-idle-short }{ $more_ram ->
                [missing] {""}
               *[other] ，内存每翻一倍（核数不变）为 { SIG($more_ram) } 倍
            }
           *[other] { SIG($lower) } 倍（{ NUM($bend) } 核及以下），超过后为 { SIG($upper) } 倍
        }
    }
   *[other] { $later ->
        [true] ；超过 { NUM($bend) } 核后，核数每翻一倍{ with-ram }，吞吐量变为原来的 { SIG($upper) } 倍
       *[false] {""}
    }
}。
short-idle-short = { $idles ->
    [0] {""}
   *[other] ，但 { COMMAS($idle) }没有增长
}
on-average = { $several ->
    [true] 平均吞吐量{" "}
   *[false] {""}
}
short-verdict-ceiling = { $mix } 从 { cores }起停留在 { DIGITS($ops, digits: 3) } ops/s 左右{ $busy ->
    [missing] {""}
   *[other] ，而服务器 CPU 最高只有 { PERCENT($busy, digits: 0) }%
}：加核之前，请先检查{ short-where }。
short-where = { $other ->
    [missing] { $few ->
        [true] 线程数、
       *[false] {""}
    }客户端、网络、连接池、磁盘和锁
   *[other] 磁盘和锁（{ $other } 在此可达 { DIGITS($other_ops, digits: 3) }）
}
short-verdict-tied = 线程数随核数增加{ $busy ->
    [missing] {""}
   *[other] ，且服务器 CPU 最高只有 { PERCENT($busy, digits: 0) }%
}：看不出核数的作用，请增加线程重测。
short-verdict-check = 购买 { $spec } 之前请重新测量：{ $slower } 比它低 { PERCENT($share, digits: 0) }%（{ $mix }）。
short-verdict-slower = { $spec } 比{ $smaller ->
    [missing] 相邻规格之间应有的吞吐量
   *[other] {" "}{ $smaller }{" "}
}低 { $least ->
    [missing] {""}
   *[other] { PERCENT($least, digits: 0) }～
}{ PERCENT($most, digits: 0) }%{ $some ->
    [true] （{ COMMAS($mixes) }）
   *[false] {""}
}：{ $smaller ->
    [missing] 复测之前不要以它为依据
   *[other] { $some ->
        [true] 不要为此选购
       *[false] 除非复测推翻这一结果，否则不要选购
    }
}。
short-verdict-buy = { $is_most ->
    [true] 每核吞吐量最高的规格
   *[false] 每核吞吐量在噪声范围内不低于其他规格
}：{ COMMAS($specs) }{ $specs_more ->
    [0] {""}
   *[other] ；其余读写比例见下文
}{ $is_most ->
    [true] { $alike ->
        [true] ；另有规格在噪声范围内与之相当{ $some ->
            [true] （{ COMMAS($alike_mixes) }）
           *[false] {""}
        }
       *[false] {""}
    }
   *[false] {""}
}。
short-verdict-spec = { $spec }（{ COMMAS($mixes) }）
short-verdict-half = 达到最高吞吐量的{ $half ->
    [true] 一半
   *[false] {" "}{ PERCENT($share, digits: 0) }%{" "}
}需要：{ COMMAS($specs, $specs_more) }。
short-verdict-even = { COMMAS($mixes) }：各规格的每核吞吐量在噪声范围内相当。
short-verdict-nearly-even = { COMMAS($mixes) }：各规格的每核吞吐量相近，最多低 { PERCENT($less, digits: 0) }%。
short-verdict-best = { $several ->
    [true] 最高吞吐量从 { DIGITS($least, digits: 3) } ops/s（{ $least_mix }）到 { DIGITS($most, digits: 3) } ops/s（{ $most_mix }）。
   *[false] 最高吞吐量：{ COMMAS($of) }。
}
short-at-least = { $at_least ->
    [true] 至少{" "}
   *[false] {""}
}
short-best = { short-at-least }{ DIGITS($ops, digits: 3) } ops/s（{ $mix }{ at-threads }{ $spec ->
    [missing] {""}
   *[other] 、{ $spec }
}）
short-verdict-fewer = { COMMAS($where) }建议使用{ $threads ->
    [missing] 更少的线程
   *[other] {" "}{ NUM($threads) } 线程
}：{ $high ->
    [missing] 最大线程数
   *[other] { NUM($high) } 线程
}时吞吐量下降 { range-of-loss }。{ $any ->
    [true] { COMMAS($better, $better_more) } 则上升。
   *[false] {""}
}
short-verdict-unproven = { COMMAS($cells, $cells_more) } 在 { $threads ->
    [missing] 更多线程
   *[other] { NUM($threads) } 线程
}时吞吐量下降 { range-of-loss }，仅单次运行，尚未证实。
most-threads = { $threads ->
    [missing] 最大线程数
   *[other] { NUM($threads) } 线程
}
range-of-loss = { $least ->
    [missing] {""}
   *[other] { PERCENT($least, digits: 0, lost: 1) }%～
}{ PERCENT($most, digits: 0, lost: 1) }%
short-verdict-lost = { COMMAS($mixes) } 的{ $place ->
    [all] 所有规格
    [specs] {" "}{ COMMAS($specs, $specs_more) }
   *[cores] {" "}{ COMMAS($cores) } 核规格
}
short-verdict-gain = { $everywhere ->
    [true] {""}
   *[false] { COMMAS($cells, $cells_more) }：
}建议使用 { most-threads }，吞吐量最多提升 { PERCENT($most, digits: 0) }%{ short-may-grow }。
short-spec-mixes = { $spec ->
    [missing] { COMMAS($mixes) }
   *[other] { $spec }{ $all ->
        [true] {""}
       *[false] （{ COMMAS($mixes) }）
    }
}
short-may-grow = { $open ->
    [true] ；线程更多时还可能提升
   *[false] {""}
}
short-verdict-no-gain = { most-threads }的吞吐量{ $any ->
    [true] 仅比
   *[false] 并不高于
}{ $low ->
    [missing] 更少的线程
   *[other] {" "}{ NUM($low) } 线程
}{ $any ->
    [true] 高 { $least ->
        [missing] {""}
       *[other] { PERCENT($least, digits: 1) }～
    }{ PERCENT($most, digits: 1) }%
   *[false] {""}
}。
short-verdict-more = { $rising ->
    [true] 请用多于 { most-threads }的线程数测量：{ COMMAS($where) }的吞吐量仍在提升。
   *[false] 以下规格建议使用 { most-threads }：{ COMMAS($where) }{ $everywhere ->
        [true] { short-may-grow }。
       *[false] ；更小的规格多半只会增加时延。
    }
}
short-verdict-where = { $place ->
    [all] 所有规格
    [one] { NUM($first) } 核
   *[from] { NUM($first) } 核及以上
}（{ COMMAS($mixes) }）
short-early = 不计入：{ early_rounds-what }{ early_rounds-why }。
short-far-below = { noise-left-out }。
short-verdict-far-below = 不计入：{ $total } 次运行中有 { $n } 次{ noise-all-on }{ $times ->
    [missing] 远低于同一配置的其余重复（最多低 { PERCENT($less, digits: 0) }%）
   *[other] 远高于同一配置的其余重复（最高达 { SIG($times, digits: 2) } 倍，可能多写了一位数字）
}。
short-verdict-failed = { $total } 次运行中有 { $n } 次{ $blank ->
    [true] 没有吞吐量数据
   *[false] 未完成
}{ $threads ->
    [missing] {""}
   *[other] ，均为 { NUM($threads) } 线程
}。
short-verdict-busy = { $total } 次运行中有 { $n } 次机器被其他负载占用：数值偏低，请重新测量。
short-verdict-stalled = { $total ->
    [1] 吞吐量曾停滞 { DURATION($lost_s) }
   *[other] { $total } 次运行中有 { $n } 次吞吐量停滞，最长 { DURATION($lost_s) }
}：请先查明原因。
short-verdict-asked = { $total ->
    [1] 该行
   *[other] { short-rows-that-count }中有 { $n } 行
}的吞吐量是设定的目标速率：未达到服务器的上限。
short-rows-that-count = { $left_out ->
    [0] { $total } 行
   *[other] 计入的 { $total } 行（另有 { $left_out } 行未计入）
}
short-verdict-rates = 达到的最高目标速率：{ CLAUSES($rates, $rates_more) }。
short-rates = { $mix }：{ COMMAS($ends) }
short-rate = { $spec } { $rate ->
    [missing] 低于 { FIXED($least) } ops/s
   *[other] 为 { FIXED($rate) } ops/s
}{ $p99_ms ->
    [missing] {""}
   *[other] （p99 { DIGITS($p99_ms, digits: 3) } ms{ $lower_p99_ms ->
        [missing] ）
       *[other] ，{ FIXED($lower) } ops/s 时 { DIGITS($lower_p99_ms, digits: 3) } ms）
    }
}
short-verdict-missed = 未达到目标速率：{ COMMAS($rows, $rows_more) }。
short-missed = { $spec }（目标 { FIXED($target) } ops/s，实际 { DIGITS($ops, digits: 3) }）
short-verdict-short = { $printed ->
    [true] 按来源给出的操作数，
   *[false] {""}
}{ $n ->
    [one] 该次测试仅持续 { DURATION($most) }
   *[other] 每次测试最长仅 { DURATION($most) }
}，不足以作为依据：缓存和检查点需要 20 分钟才能稳定。
short-verdict-lengths = { $apart ->
    [true] { COMMAS($specs, $specs_more) }
   *[false] { $total } 行数据中有 { $n } 行
} 的测试时长不超过 { DURATION($most) }，{ $aside ->
    [true] 相同配置的其他测试不少于 { DURATION($least) }：过短的未计入。
   *[false] 其余不少于 { DURATION($least) }：两者不可比较。
}
short-verdict-doubt = { $total ->
    [1] 唯一的一行数据存疑。
   *[other] { short-verdict-doubtful }
}
short-verdict-doubtful = { $total } 行数据中有 { $n } 行存疑，不可采信{ $why ->
    [impossible] （不可能成立）
    [others] （与其他数据不符）
    [failed] （其操作有失败）
   *[several] ，其中{ short-doubt-kinds }
}。{ $located ->
    [true] 存疑的是 { CLAUSES($where) }。
   *[false] {""}
}
short-doubt-kinds = { $impossible ->
    [0] {""}
   *[other] {" "}{ $impossible } 行不可能成立
}{ $others ->
    [0] {""}
   *[other] { $impossible ->
        [0] {" "}
       *[other] ，
    }{ $others } 行与其他数据不符
}{ $failed ->
    [0] {""}
   *[other] ，{ $failed } 行有操作失败
}
short-verdict-causes = 请先检查：{ CLAUSES($causes) }。
short-cause = { $cause ->
    [little_law-unit] 时延单位有误（{ $n } 行）
    [little_family-unit] 时延单位有误（{ $n } 行）
    [little_law-client_threads] 线程数是单个客户端的，而非合计（{ $n } 行）
    [little_law-client_ops] 吞吐量是单个客户端的，而非合计（{ $n } 行）
    [copied_rows] 有复制的数据（{ $n } 行）
    [wrong_digits] 数字多一位或少一位（{ $n } 行）
    [two_levels-groups] 同名的两组数据（{ $n } 行）
    [host_drift-rounds] { $round ->
        [missing] 各轮之间机器性能变化 { CHANGE($effect) }
       *[other] 第 { NUM($round) } 轮机器性能相差 { CHANGE($effect) }
    }
    [host_drift-order] { $round ->
        [missing] 每个配置最后一次重复与第一次相差 { CHANGE($effect) } 的原因
       *[other] 每个配置第 { NUM($round) } 次重复与其他各次相差 { CHANGE($effect) } 的原因
    }
    [slow_stretch] 自 { $first } 起连续 { $n } 次运行，与各自的重复相比 { CHANGE($effect) }
    [percentile_below_mean] 平均值与百分位数互换（{ $n } 行）
   *[other] 行的标签互换（{ $n } 行）
}
short-doubted-at = { COMMAS($mixes) } 的 { $n ->
    [0] { COMMAS($some) } 核（部分）
   *[other] { COMMAS($whole) } { $last ->
       *[other] 核
    }{ $n_some ->
        [0] {""}
       *[other] 和 { COMMAS($some) } 核（部分）
    }
}
short-verdict-unknown = 无从得知：{ CLAUSES($parts) }。
with-ram = { $ram ->
    [twice] （内存同时翻倍）
    [more] （内存随之增加）
   *[none] {""}
}
short-verdict-enough = 建议线程数：{ CLAUSES($uses) }，至少可达最高吞吐量的 { PERCENT($share, digits: 0) }%。{ $jump ->
    [missing] {""}
   *[other] { $jump }
}
short-p99-jump = { $mix }{ $spec ->
    [missing] {""}
   *[other] （{ $spec }）
}：{ NUM($threads) } 线程时 p99 时延为 { DIGITS($high_ms, digits: 2) } ms；{ NUM($fewer) } 线程时为 { DIGITS($low_ms, digits: 2) } ms，吞吐量为其 { PERCENT($share, digits: 0) }%。
short-verdict-use = { COMMAS($parts) }{ $of ->
    [one] {""}
    [all] （所有读写比例）
   *[some] （{ COMMAS($mixes) }）
}
short-enough-at = { $place ->
    [alone] {""}
    [all] 所有规格{" "}
    [one] { first-cores }{" "}
   *[several] { NUM($first) }～{ NUM($last) } 核{" "}
}{ $open ->
    [true] 至少{" "}
   *[false] {""}
}{ NUM($threads) } 线程
short-verdict-together = { $low ->
    [missing] 增至 { most-threads }时，
   *[other] 线程数从 { NUM($low) } 增至{ $threads ->
        [missing] 最大值
       *[other] {" "}{ NUM($threads) }{" "}
    }时，
}吞吐量下降 { range-of-loss }{ $fall ->
    [missing] {""}
   *[other] ；仅从 { NUM($fall_from) } 到 { NUM($fall_to) } 线程就下降 { PERCENT($fall, digits: 0) }%
}。
short-enough = 达到最高吞吐量的 { PERCENT($share, digits: 0) }% 需要：{ CLAUSES($uses) }{ $fewer ->
    [true] ；继续增加线程主要是增加时延{ $high_ms ->
        [missing] {""}
       *[other] ：p99 时延由 { DIGITS($low_ms, digits: 2) } ms 升至 { DIGITS($high_ms, digits: 2) } ms{ short-costly-mix }
    }
   *[false] {""}
}。
short-costly-mix = { $costly ->
    [missing] {""}
   *[other] （{ $costly }）
}
first-cores = { NUM($first) } 核
short-falls = { $mix }{ at-threads }：{ cores }时吞吐量最高，为 { DIGITS($ops, digits: 3) } ops/s；{ NUM($last) } 核为 { DIGITS($then, digits: 3) } ops/s（{ CHANGE($change) }）{ $doubted ->
    [true] （其中有存疑数据）
   *[false] ，不宜为此购买更多的核
}。
short-loss-cpu = { $one ->
    [true] 该规格
   *[false] 这些规格
}每次操作消耗的 CPU 时间增至 { $one ->
    [true] {""}
   *[false] { $least ->
        [missing] {""}
       *[other] { SIG($least) }～
    }
}{ SIG($most) } 倍：服务器消耗更多，完成得更少。
short-effect = { SIG($factor) } 倍（{ $mix }）
up-to-threads = { $low ->
    [missing] 线程数增至{ $threads ->
        [missing] 最大值
       *[other] {" "}{ NUM($threads) }{" "}
    }时，
   *[other] 线程数从 { NUM($low) } 增至{ $threads ->
        [missing] 最大值
       *[other] {" "}{ NUM($threads) }{" "}
    }时，
}
short-about = { $about ->
    [measured] 测量结果
    [cores] 核数扩展性
    [threads] 并发线程数
    [doubt] 存疑数据
    [buy] 选型建议
   *[unknown] 尚不明确
}
short-ranks = { $mix }：次于 { $spec }{ $latency_ms ->
    [missing] {""}
   *[other] （平均时延 { DIGITS($latency_ms, digits: 3) } ms）
}的有 { COMMAS($behind, $behind_more) }。
short-behind = { $spec } { DIGITS($ops, digits: 3) } ops/s（{ CHANGE($change) }{ $latency_ms ->
    [missing] {""}
   *[other] ，{ DIGITS($latency_ms, digits: 3) } ms
}）
short-alone = { $mix }{ at-threads }{ $spec ->
    [missing] {""}
   *[other] 、{ $spec }
}：{ $alone ->
    [true] {""}
   *[false] 最高{" "}
}{ short-at-least }{ DIGITS($ops, digits: 3) } ops/s{ $early_s ->
    [missing] {""}
   *[other] （不含最初 { DURATION($early_s) }；全程为 { DIGITS($whole, digits: 3) }）
}{ $read_ms ->
    [missing] {""}
   *[other] ；{ short-alone-whole }读平均时延 { DIGITS($read_ms, digits: 3) } ms
}{ $write_ms ->
    [missing] {""}
   *[other] ；{ short-alone-whole }写平均时延 { DIGITS($write_ms, digits: 3) } ms
}。
short-alone-whole = { $early_s ->
    [missing] {""}
   *[other] 全程
}
short-alone-many = 最高吞吐量：{ COMMAS($of) }。
short-growth = { $mix }{ at-threads }：从 { NUM($first) } 核到 { cores }，{ $first_mix ->
    [true] 核数每翻一倍{ with-ram }，吞吐量平均变为原来的
   *[false] 每翻一倍为
} { WITHIN($factor, $low, $high) } 倍{ $low ->
    [missing] {""}
   *[other] （95% 置信区间 { WITHIN($low, $low, $high) }～{ WITHIN($high, $low, $high) }）
}{ $bend ->
    [missing] {""}
   *[other] ：{ NUM($start) } 核到 { NUM($bend) } 核每翻一倍为 { WITHIN($lower, $lower_low, $lower_high) } 倍（{ $assumed ->
        [missing] {""}
       *[other] 假定噪声为 { PERCENT($assumed, digits: 0) }% 时，
    }95% 置信区间 { WITHIN($lower_low, $lower_low, $lower_high) }～{ WITHIN($lower_high, $lower_low, $lower_high) }），此后为 { WITHIN($upper, $upper_low, $upper_high) } 倍（{ WITHIN($upper_low, $upper_low, $upper_high) }～{ WITHIN($upper_high, $upper_low, $upper_high) }）
}。{ $others_low ->
    [missing] {""}
   *[other] 换用同类规格，则为 { WITHIN($others_low, $others_low, $others_high) }～{ WITHIN($others_high, $others_low, $others_high) } 倍。
}{ short-idle-steps }
short-growth-turns = { $mix }{ at-threads }：从 { NUM($first) } 核到 { cores }，核数每翻一倍{ with-ram }，吞吐量变为原来的 { SIG($lower) } 倍；此后到 { NUM($last) } 核，{ $beyond ->
    [falls] 吞吐量反而下降（每翻一倍为 { SIG($upper) } 倍）
   *[level] 不再增长
}。{ short-idle-steps }
short-idle = { NUM($first) } 核到 { NUM($last) } 核
short-idle-steps = { $idles ->
    [0] {""}
   *[other] 从 { COMMAS($idle) }吞吐量没有增长。
}
short-growth-vague = { $mix }{ at-threads }：从 { NUM($first) } 核到 { cores }，吞吐量共增至 { SIG($factor) } 倍；规格太少，无法给出增长倍数。
short-steep = { COMMAS($mixes) } { $cores ->
    [missing] {""}
   *[other] 在 { cores }以内{" "}
}的增长超过正比，仅靠核数做不到，可能来自内存、缓存或主机差异；不要外推。
short-leap = { COMMAS($mixes) } 从 { NUM($first) } 核到 { cores }，吞吐量增至 { $least ->
    [missing] {""}
   *[other] { SIG($least, digits: 2) }～
}{ SIG($most, digits: 2) } 倍，仅靠核数做不到。
short-ram-rises = 各规格的内存随核数同步增加；{ $holds }。
short-holds = 从 { $spec } 起，默认缓存才能容纳全部 { DIGITS($data) } GB 数据
short-stops = { $mix }{ at-threads }：超过 { cores }后吞吐量{ $less ->
    [true] 不再提升
   *[false] 提升很小
}，{ cores }为 { DIGITS($ops, digits: 3) } ops/s，{ NUM($last) } 核为 { DIGITS($then, digits: 3) } ops/s。{ $more ->
    [missing] {""}
   *[other] { NUM($more_cores) } 核、{ NUM($more) } 线程时可达 { DIGITS($more_ops, digits: 3) } ops/s，{ NUM($threads) } 线程可能太少{ $least_ms ->
        [missing] {""}
       *[other] ：以其最低平均时延 { DIGITS($least_ms, digits: 3) } ms 计，只能做到 { DIGITS($at_most, digits: 3) } ops/s
    }。
}
short-too-few = { $mix }：{ COMMAS($of, $of_more) }，此后增加核数几乎没有收益，可见线程太少；{ NUM($last) } 核、{ NUM($more) } 线程时可达 { DIGITS($more_ops, digits: 3) } ops/s。
short-too-few-at = { NUM($threads) } 线程到 { cores }为止（{ DIGITS($ops, digits: 3) } ops/s）
short-flat = { $mix }{ at-threads }：从 { NUM($first) } 核到 { cores }，吞吐量基本持平，约 { DIGITS($ops) } ops/s{ $doubted ->
    [true] （其中有存疑数据）
   *[false] {""}
}。
short-loss = { up-to-threads }{ SENTENCES($lost) }
short-lost = { $mix } 的以下规格吞吐量下降：{ COMMAS($specs, $specs_more) }。
short-spec-change = { $cell }（{ CHANGE($change) }）
short-spec-at = { $cell }{ in-threads }（{ CHANGE($change) }）
short-spec-change-from = { $cell }（{ NUM($low) }→{ NUM($threads) } 线程，{ CHANGE($change) }）
short-loss-doubted = { $cell } 为 { CHANGE($change) }，但其中一行数据不可能成立。
short-together = { up-to-threads }{ $n } 组吞吐量全部下降 { range-of-loss }：合起来看，已超出噪声范围。
short-no-loss = { $size ->
    [noticed] {""}
   *[other] { up-to-threads }
}{ $size ->
    [none] 各规格的吞吐量均未下降
    [noticed] { $assumed ->
        [true] 以下规格的降幅超出假定的噪声：{ COMMAS($less, $less_more) }；均为单次运行，请重复测量
       *[false] 以下规格或有下降：{ COMMAS($less, $less_more) }；比较的组数多，个别偏差可能出于偶然，请重复测量
    }
    [unclear] 吞吐量的下降均未超出可能的噪声；降幅最大的是 { COMMAS($less, $less_more) }，请重复测量
   *[small] 吞吐量无明确下降，最大降幅为 { PERCENT($most, digits: 1) }%
}。
short-gain = { $any ->
    [true] 增至 { most-threads }后，以下规格的吞吐量提升{ $noise ->
        [true] （可能是噪声）
       *[false] {""}
    }：{ COMMAS($gained, $gained_more) }{ $n ->
        [0] 。
       *[other] ；另有 { $n } 组提升（{ range-of-change }）来自存疑数据。
    }
   *[false] 增至 { most-threads }后的 { $n } 组 { PERCENT($gain, digits: 0) }% 及以上的提升（{ range-of-change }）均来自存疑数据。
}
short-costly = { NUM($threads) } 线程时 { COMMAS($mixes) } 的吞吐量仅变化 { range-of-change }，{ $p99 ->
    [true] p99 时延
   *[false] 读平均时延
}却由 { DIGITS($low_ms, digits: 2) } ms 升至 { DIGITS($high_ms, digits: 2) } ms。
short-gains = { most-threads }时，{ CLAUSES($gained) }。
short-gains-fewer = 核数更少时（不含存疑数据）：{ COMMAS($parts) }。
short-range = { $mix } { range-of-change }
range-of-change = { $least ->
    [missing] {""}
   *[other] { CHANGE($least) }～
}{ CHANGE($most) }
short-gained-doubted = { first-cores }规格的存疑数据中，{ $mix } 的吞吐量提升 { range-of-loss }。
short-gained = { $mix } { $place ->
    [all] 在 { $n } 个规格中有 { $gaining } 个提升超过 { PERCENT($gain, digits: 0) }%（{ range-of-change }）
    [one] 在 { first-cores }规格上，吞吐量提升 { range-of-loss }
   *[from] 在 { first-cores }及以上规格上，吞吐量提升 { range-of-loss }
}
short-impossible = { $total } 行数据中有 { $n } 行{ $by_little ->
    [true] 不可能成立（吞吐量与时延之积超出线程数 5% 以上）
   *[false] 自相矛盾
}，核实前请勿采信：{ CLAUSES($rows, $rows_more) }。
short-set-aside = 另有 { $n } 次运行有 { short-failed-share } 的操作失败，未计入，其重复运行照常计入：{ CLAUSES($rows, $rows_more) }。
short-not-completed = { $n } 次运行未完成或没有吞吐量，未计入：{ COMMAS($rows, $rows_more) }。
short-held-back = 另有 { $n } 次运行限制了目标速率（target），且低于同一规格、读写比例和线程数的其他运行，其吞吐量不是服务器的能力，未计入。
short-failed = { $total } 行数据中有 { $n } 行有 { short-failed-share } 的操作失败：{ CLAUSES($rows, $rows_more) }。
short-failed-share = { $most ->
    [missing] 部分
   *[other] { $least ->
        [missing] {""}
       *[other] { PERCENT($least, significant: 2) }% 至{" "}
    }{ PERCENT($most, significant: 2) }%
}
short-rows-at = { $mix }{ in-threads }：{ COMMAS($specs, $specs_more) }
short-more = { $more ->
    [true] 另有
   *[false] 有
}
short-contradicted = { short-more } { $n } 行与其他数据难以相互印证（可信度 D）：{ CLAUSES($rows, $rows_more) }。
short-otherwise-growth = 若存疑数据属实，{ $mix }{ at-threads }：核数每翻一倍，吞吐量将变为原来的 { SIG($of_all) } 倍，而不是 { SIG($factor) } 倍。
short-otherwise-buy = 若存疑数据属实，每核吞吐量最高的将是 { COMMAS($specs) }。
short-unsettled = { $n } 行在运行结束时尚未稳定：只能视为下界。
short-hint = 其中 { $n } 行的{ repair_hint-figure }若恰好{ $higher ->
    [true] 增加
   *[false] 减少
} { FIXED($difference) }，便与其他行相符：{ CLAUSES($cells) }。纯属巧合的概率不超过 { PERCENT($alike, digits: 1) }%。
short-cpu-refuted = CPU 数据自相矛盾：{ $total } 组对比中有 { $n } 组显示 CPU 已用满，但增至 { NUM($threads) } 线程后吞吐量仍提升 { PERCENT($least, digits: 0) }% 以上。
short-most-per-core = 每核吞吐量{ $is_most ->
    [true] 最高的是
   *[false] 与最高者相当的是
}
short-buy = { $mix }：{ short-most-per-core } { $spec }{ in-threads }：总吞吐量 { DIGITS($ops, digits: 3) } ops/s{ $top ->
    [missing] {""}
   *[other] ，为最高值（{ $top }，{ DIGITS($top_ops, digits: 3) } ops/s）的 { PERCENT($share, digits: 0) }%
}{ $read_ms ->
    [missing] {""}
   *[other] ；读平均时延 { DIGITS($read_ms, digits: 2) } ms
}。{ short-alike }
short-alike = { $alike ->
    [missing] {""}
   *[other] 在噪声范围（{ $assumed ->
        [missing] {""}
       *[other] 假定{" "}
    }{ PERCENT($reach, digits: 0) }%）内同样好的还有：{ COMMAS($alike, $alike_more) }。
}
short-buy-several = { COMMAS($mixes) }：{ short-most-per-core } { $spec }{ in-threads }：总吞吐量为实测最高值的 { $least ->
    [missing] {""}
   *[other] { PERCENT($least, digits: 0) }%～
}{ PERCENT($most, digits: 0) }%。{ short-alike }
short-buy-half = 达到最高吞吐量的{ $half ->
    [true] 一半
   *[false] {" "}{ PERCENT($share, digits: 0) }%{" "}
}需要 { $spec }{ in-threads }：{ DIGITS($ops, digits: 3) } ops/s。
short-buy-even = { COMMAS($mixes) }：各规格的每核吞吐量相当，差距在{ $assumed ->
    [missing] 噪声以内
   *[other] 假定噪声以内（未重复测量，假定每次运行 { PERCENT($assumed, digits: 0) }%）
}{ $priced ->
    [true] {""}
   *[false] ，可按价格选择
}。
short-money = { COMMAS($mixes) }：性价比最高的是 { $spec }{ in-threads }：每小时 { NUM($price) }，每百万次操作 { $least ->
    [missing] {""}
   *[other] { SIG($least) }～
}{ SIG($million) }{ $currency ->
    [missing] {""}
   *[other] （{ $currency }）
}。
short-apart-range = { NUM($n) } 种读写比例下：内存不变、核数翻倍，吞吐量变为 { SIG($cores_low) }～{ SIG($cores_high) } 倍；核数不变、内存翻倍，变为 { SIG($ram_low) }～{ SIG($ram_high) } 倍。
short-buy-first = 内存不变、核数翻倍，吞吐量变为 { COMMAS($cores) }；核数不变、内存翻倍，变为 { COMMAS($ram) }。
short-verdict-ram = 内存起决定作用：{ COMMAS($cores) } 核规格的内存由 { NUM($ram) } { $unit } 增至 { NUM($ram_to) } { $unit }，{ COMMAS($mixes) } 的吞吐量增至 { $least ->
    [missing] {""}
   *[other] { SIG($least, digits: 2) }～
}{ SIG($most, digits: 2) } 倍{ $enough ->
    [true] ，再增加收益很小
   *[false] {""}
}。
short-verdict-outgrown = 内存为 { NUM($ram) } { $unit } 时难以容纳 { DIGITS($data, digits: 3) } { $unit } 数据：{ COMMAS($mixes) } 的每核吞吐量仅为 { NUM($ram_to) } { $unit } 时的 1/{ SIG($most, digits: 2) }{ $least ->
    [missing] {""}
   *[other] {" "}至 1/{ SIG($least, digits: 2) }
}。
short-ram-most = { cores }规格上增加内存的收益最大：{ $mix }{ at-threads }，内存由 { NUM($ram) } { $unit } 增至 { NUM($ram_to) } { $unit }，吞吐量增至 { SIG($factor) } 倍（{ $least_mix } 则为 { SIG($least) } 倍）。
short-ram-step = { cores }规格的内存由 { NUM($ram) } { $unit } 增至 { NUM($ram_to) } { $unit }，吞吐量变化 { range-of-change }。
short-unknown = { CLAUSES($parts) }。
short-unknown-writes = 写入是否成功（w=0，非应答式写入）
short-unknown-concern = 使用的写关注级别（未说明）
short-unknown-length = 每次测试的时长（未给出操作数）
short-unknown-counts = 每次测试的时长（页面给出的操作数只是示例）
short-unknown-threads = 客户端线程数（未注明）
short-unknown-latency = 操作时延（无时延数据）
short-unknown-clients = 每行数据所用压测客户端的台数（未说明）
short-unknown-clients-of-rows = 哪些行由一台客户端压测、哪些由多台压测（未注明）
short-unknown-records = 核数本身的影响有多大（各规格的记录数不同）
short-unknown-families = 核数本身的影响有多大（各规格属于不同的实例族）
short-unknown-noise = 重复测试的结果会有多大波动（每行只有一个数值）
short-unknown-cpu = 服务器的繁忙程度（没有 CPU 数据）
short-unknown-slowest = 最慢的请求有多慢（只有平均时延）
short-unknown-more = 线程数超过 { NUM($threads) } 时的表现
short-unknown-date = 测试时间（未说明）
short-beside = { $equal ->
    [true] 相同规格下的吞吐量
   *[false] 相同核数下的吞吐量
}：{ CLAUSES($of, $of_more) }。{ $fall ->
    [missing] {""}
   *[other] { $fall }
}
short-beside-fall = 从 { $low } 条记录到 { $high } 条，吞吐量降至 { FIXED($times, digits: 2) } 倍。
short-beside-one = { $verdict ->
    [same] 与 { $name } 无法区分（{ short-beside-times }）
   *[shown] 为 { $name } 的{" "}{ $several ->
        [true] { COMMAS($parts) }
       *[false] { short-beside-times }
    }{ $verdict ->
        [hidden] （两次测量的时段差异也可能有这么大）
        [unproven] （测试次数太少，未经证实）
       *[shown] {""}
    }
}{ $p99 ->
    [missing] {""}
   *[other] ，p99 时延为其 { FIXED($p99, digits: 2) } 倍
}{ $reads ->
    [missing] {""}
   *[other] ，读时延为其 { FIXED($reads, digits: 2) } 倍，写时延为其 { FIXED($writes, digits: 2) } 倍
}
short-beside-times = { $ratio ->
    [missing] { $low ->
        [missing] {""}
       *[other] { FIXED($low, digits: 2) }～
    }{ FIXED($high, digits: 2) } 倍
   *[other] { WITHIN($ratio, $low, $high) } 倍（95 %：{ WITHIN($low, $low, $high) }～{ WITHIN($high, $low, $high) }）
}
short-beside-part = { $named ->
    [true] { COMMAS($mixes) }{" "}
   *[false] {""}
}{ $low ->
    [missing] {""}
   *[other] { FIXED($low, digits: 2) } 倍{ $least ->
        [missing] {""}
       *[other] （{ $least }）
    }至{" "}
}{ FIXED($high, digits: 2) } 倍{ $most ->
    [missing] {""}
   *[other] （{ $most }）
}
short-beside-where = { $threads ->
    [missing] { $spec ->
        [missing] { $mix ->
            [missing] {""}
           *[other] { $mix }
        }
       *[other] { $spec }{ $mix ->
            [missing] {""}
           *[other] {" "}{ $mix }
        }
    }
   *[other] { threads }
}
