### In short: the sentences at the head of a report, at most 25 words each (ycsbook.report.short).

short = In short
short-terms = { $mix ->
    [missing] {""}
   *[other] { $mix } is { AND($shares) };{" "}
}ops/s is operations per second, all kinds together.
short-about = { $about ->
    [cores] Cores
    [threads] Threads
    [doubt] Rows in doubt
    [buy] What to buy
   *[unknown] Not known
}
short-growth = { $mix } grows ×{ SIG($factor) } per doubling of cores, from { NUM($first) } to { cores } at { threads }{ $low ->
    [missing] {""}
   *[other] {" "}(95 %: { SIG($low) } to { SIG($high) })
}{ $middle ->
    [missing] {""}
   *[other] ; beyond { $middle ->
        [one] 1 core
       *[other] { NUM($middle) } cores
    } only ×{ SIG($upper) }
}.
short-growth-without = Without the rows in doubt it is ×{ SIG($factor) }.
short-ram-rises = RAM rises with the cores, so this is the growth of both{ $holds ->
    [missing] {""}
   *[other] ; { $holds }
}.
short-holds = { $spec } is the smallest whose default cache holds the { DIGITS($data) } GiB of data
short-stops = { $mix } at { threads } gains little beyond { cores }: { DIGITS($ops, digits: 3) } ops/s there, { DIGITS($then, digits: 3) } at { NUM($last) }{ $more ->
    [missing] {""}
   *[other] , { DIGITS($more_ops, digits: 3) } with { $more ->
        [one] 1 thread
       *[other] { NUM($more) } threads
    }
}.
short-flat = { $mix } at { threads } stays near { DIGITS($ops) } ops/s from { NUM($first) } to { cores }.
short-loss = From { NUM($low) } to { threads } { AND($lost) }; use { NUM($low) } on those.
short-lost = { $mix } loses { $least ->
    [missing] {""}
   *[other] { PERCENT($least, digits: 0) } to{" "}
}{ PERCENT($most, digits: 0) } % { $where ->
    [up] from { $first ->
        [one] 1 core
       *[other] { NUM($first) } cores
    } on
    [one] at { cores }
   *[between] at { NUM($first) } to { cores }
}
short-no-loss = { $unclear ->
    [true] No loss is shown from { NUM($low) } to { threads }, but specs lose up to { PERCENT($most, digits: 0) } % and the runs are too few or too noisy to tell: repeat them
   *[false] No spec loses more than { PERCENT($most, digits: 1) } % from { NUM($low) } to { threads }
}.
short-gain = { threads } gain { PERCENT($least, digits: 0) } to { PERCENT($most, digits: 0) } % in { $n ->
    [one] one other case
   *[other] { $n } other cases
}{ $beyond ->
    [0] {""}
    [one] ; one of these gains is more than threads can give
   *[other] ; { $beyond } of these gains are more than threads can give
}.
short-gains = From { NUM($low) } to { threads } { AND($gained) }.
short-gained = { $mix } gains { PERCENT($least, digits: 0) } to { PERCENT($most, digits: 0) } % from { $first ->
    [one] 1 core
   *[other] { NUM($first) } cores
} on
short-impossible = { $n ->
    [one] One of { $total } rows cannot be right; do not build on it:
   *[other] { $n } of { $total } rows cannot be right; do not build on them:
} { COMMAS($rows, $rows_more) }.
short-mended = { $n } of them would fit the other rows if exactly { FIXED($difference) } ops/s were { $higher ->
    [true] added
   *[false] taken off
}. That is a hint, no proof: one changed digit would also mend { PERCENT($by_throughput, digits: 0) } % of random errors.
short-more = { $more ->
    [true] more{" "}
   *[false] {""}
}
short-contradicted = { $n ->
    [one] One { short-more }row contradicts another row or its own CPU figure
   *[other] { $n } { short-more }rows contradict other rows or their own CPU figures
} (grade D).
short-buy = { $mix }: { $spec } at { threads } gives the most per core, { DIGITS($ops, digits: 3) } ops/s{ $top ->
    [missing] {""}
   *[other] , { PERCENT($share, digits: 0) } % of the { DIGITS($top_ops, digits: 3) } on { $top }
}.
short-apart = { $mix } at { threads }: twice the cores at the same RAM give ×{ SIG($by_cores) }, twice the RAM at the same cores ×{ SIG($by_ram) }.
short-buy-first = { $cores ->
    [true] Buy cores before RAM.
   *[false] RAM pays as much as cores here.
}
short-ram-step = At { cores }, { NUM($ram_to) } instead of { NUM($ram) } { $unit } of RAM changes throughput by { CHANGE($least) } to { CHANGE($most) }.
short-unknown = { CLAUSES($parts) }.
short-unknown-writes = whether the writes succeeded (write concern 0)
short-unknown-concern = which write concern was used (not stated)
short-unknown-length = how long the runs lasted and over how much data (no counts stated)
short-unknown-counts = how long each row ran (only an example of the count is stated)
short-unknown-clients = how many client machines each row used (not stated)
short-unknown-noise = how much a second run would differ (one figure per row)
short-unknown-cpu = how busy the server was (no CPU figures)
short-unknown-slowest = how slow the slowest operations are (mean latencies only)
short-unknown-date = when it was measured (not stated)
