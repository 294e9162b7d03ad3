### 句子的组成部分：列举、时间、规格与负载的名称。

## 列举：COMMAS 用逗号，AND 与 OR 如其名，CLAUSES 用分号。

list-commas = { $rest }、{ $last }
list-and = { $rest }和{ $last }
list-or = { $rest }或{ $last }
list-clauses = { $rest }；{ $last }
list-sentences = { $rest }{ $last }
percent-sign = %
list-more = { $shown }等（其余 { $more } 项略）

## 时间，供 DURATION 使用。

duration = { $hours ->
    [0] { $minutes ->
        [0] { $seconds } s
       *[other] { $minutes } 分钟{ $seconds ->
            [0] {""}
           *[other] {" "}{ $seconds } s
        }
    }
   *[other] { $hours } 小时{ $minutes ->
        [0] {""}
       *[other] {" "}{ $minutes } 分钟
    }
}
duration-short = { DIGITS($seconds) } s

## 运行或一组运行的名称。

# 32核240GB；形态未知时用代号。
spec = { $cores ->
    [missing] { $spec }
   *[other] { NUM($cores) }核{ $ram_gib ->
        [missing] {""}
       *[other] { NUM($ram_gib) }{ $ram_unit }
    }
}
spec-listed = { spec }
cores = { NUM($cores) } 核
# 公布的读写比例以百分数表示。
mix = { $reads ->
    [missing] { $workload ->
        [load] 加载
        [insert] 插入
        [missing] 读写比例未知
        [d] D（读最新 + 插入）
        [e] E（扫描 + 插入）
        [f] F（读-改-写）
       *[other] 负载 { $workload }
    }
   *[other] { $reads }:{ $writes }
}
threads = { $threads ->
    [-1] 各用自己的线程数
    [missing] 线程数未知
   *[other] { NUM($threads) } 线程
}
at-threads = { $threads ->
    [missing] {""}
    [-1] 、各规格用各自的线程数
    [0] 、各取最佳线程数
   *[other] 、{ threads }
}
in-threads = { $threads ->
    [missing] {""}
    [-1] （各用自己的线程数）
    [0] （各取最佳线程数）
   *[other] （{ threads }）
}
cell = { spec }，{ mix }，{ threads }
spec-mix = { spec }，{ mix }
spec-mix-plain = { spec-listed } { mix }
spec-threads = { spec }，{ threads }
row = { spec-listed } { mix } { threads }
