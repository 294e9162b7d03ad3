### What more cores bring, which spec carries a load, and what to run next.

## On what a step rests

step-equal-ram = equal RAM: { COMMAS($sizes) } GiB{ step-bound }
step-equal-cores = equal cores{ step-bound }
step-one-each = one spec each, RAM differs{ step-bound }
step-all-specs = means of all specs, RAM differs{ step-bound }
step-ram-unknown = RAM not given{ step-bound }
step-bound = { $bound ->
    [larger] ; the larger is a lower bound
    [smaller] ; the smaller is a lower bound
    [both] ; both are lower bounds
   *[none] {""}
}

## What a step brings

step-cores = From { NUM($from) } to { $to ->
    [one] 1 core
   *[other] { NUM($to) } cores
}{ step-asides } { step-bargain }{ $rate ->
    [missing] {""}
   *[other] : { step-at-least }{ SIG($rate) } ops/s for each core added
}.
step-ram = At { cores }, from { NUM($from) } to { NUM($to) } GiB{ step-asides } { step-bargain }{ $rate ->
    [missing] {""}
   *[other] : { step-at-least }{ SIG($rate) } ops/s for each GiB added
}.
step-asides = { $aside ->
    [ram] , with more RAM,
    [threads] , at { step-threads },
    [both] , with more RAM, at { step-threads },
   *[none] {""}
}
step-threads = { $threads ->
    [one] { NUM($threads) } thread
   *[other] { NUM($threads) } threads
}
step-at-least = { $at_least ->
    [true] at least{" "}
   *[false] {""}
}
step-gain = { $low ->
    [missing] { DIGITS($gain, digits: 3) }x (not repeated, no interval
   *[other] { WITHIN($gain, $low, $high) }x ({ WITHIN($low, $low, $high) } to { WITHIN($high, $low, $high) }
})
step-bargain = { $shown ->
    [true] { $paid ->
        [missing] throughput is { step-at-least }{ step-gain }
       *[other] you pay { DIGITS($paid, digits: 3) }x for { step-at-least }{ step-gain }
    }
   *[false] { $paid ->
        [missing] {""}
       *[other] you pay { DIGITS($paid, digits: 3) }x and{" "}
    }no gain in throughput is shown: { step-gain }
}

## The spec that carries a load

capacity-of = { $dataset }, { $outcome }: { $answer }
capacity-goal = { FIXED($qps) } ops/s of { $mix }{ $p99_ms ->
    [missing] {""}
   *[other] {" "}with a p99 of { NUM($p99_ms) } ms
}
capacity-enough = The { $priced ->
    [true] cheapest
   *[false] smallest
} spec that carries { $goal } is { $spec }.
capacity-doubted = { $specs_n ->
    [0] Its row is in doubt, and no sound row suffices: measure it again.
   *[other] Smaller, but in doubt: { COMMAS($specs) }.
}
capacity-none = { $open ->
    [true] No row reaches
   *[false] No spec carries
} { $goal }: the highest row is { FIXED($observed) } ops/s ({ capacity-place }), { PERCENT($share, digits: 0) } % of the goal{ $open ->
    [true] ; nothing shows that the spec was its limit, so with more threads it may be more
   *[false] {""}
}.
capacity-some = { $p99_ms ->
    [missing] No spec
   *[other] No spec that was measured within { NUM($p99_ms) } ms
}
capacity-refuted = { capacity-some } is shown to carry { $goal }: { $spec } would by its law, but was itself measured at { SIG($observed) } ops/s with the server as the limit.
capacity-unsure = { capacity-some } is { PERCENT($sure, digits: 0) } % sure to carry { $goal }; the likeliest is { $spec }.
capacity-no-tails = No p99 was measured, so nothing can be said about a p99 of { NUM($p99_ms) } ms.
capacity-too-slow = No spec was measured within { NUM($p99_ms) } ms; the nearest is { capacity-place }: { capacity-tail }.
capacity-unknown = How far another server of { COMMAS($specs) } would be off is unknown: no law can be fitted to what was measured at the same threads.
capacity-unjudged = Not judged, as a p99 needs a sound measurement: { COMMAS($specs) }.
capacity-place = { $spec }{ next-at }
capacity-tail = p99 measured { DIGITS($p99_ms_measured, digits: 3) } ms { $n ->
    [one] in one run
   *[other] in the worst of { NUM($n) } repeats
}, at { SIG($observed) } ops/s
capacity-spec = { capacity-place }: { $probability }{ $p99_ms_measured ->
    [missing] {""}
   *[other] {" "}for the throughput; { capacity-tail }
} ({ $measured ->
    [true] itself measured at { SIG($observed) } ops/s;{" "}
   *[false] not measured, or not soundly;{" "}
}the { law-name } law gives { SIG($fitted) } ops/s{ $at_least ->
    [true] , or more with more threads
   *[false] {""}
}; the specs scatter { PERCENT($scatter, digits: 0) } % around it{ $mixed ->
    [true] ; it takes lower bounds as measured, unlike the laws of the scaling analysis
   *[false] {""}
})
capacity-again = { capacity-place }: measured at { SIG($observed) } ops/s { $n ->
    [one] in one run
   *[other] in the mean of { NUM($n) } repeats
}, { $again } to reach it again{ $probability ->
    [missing] {""}
   *[other] ; by the law over all specs { $probability }
}{ $p99_ms_measured ->
    [missing] {""}
   *[other] ; { capacity-tail }
}
probability-unknown = unknown
probability-high = more than 99 %
probability-low = less than 1 %
probability = { PERCENT($value, digits: 0) } %
capacity-note = “Again”: whether the very server that was measured reaches the load once more, by its own runs, or by the share of them that did where that is far lower (5 % noise is assumed where nothing was repeated). “Chance”: whether another server of the spec does, by the law over all specs. ≥: more threads might bring more. (D): the row does not fit the others; (F): it is impossible.
capacity-no-prices = { $file }: no prices; with '{ $example }' there is a cost per million operations

## What stands in the way of an answer

capacity-bad-number = capacity: got { $value } { $what ->
    [p99] ms as the p99
    [threads] as the number of threads
   *[qps] ops/s
}, expected a number > 0
capacity-no-workload = { $n ->
    [0] no completed run has a throughput
   *[other] no completed run of { $mix }; the tables have { COMMAS($mixes) }
}
capacity-no-cores = { $n ->
    [one] 1 completed run of { $mix } says
   *[other] { NUM($n) } completed runs of { $mix } say
} nothing of the server's cores, by which specs are compared; say them: ycsbook ingest --set cores=8, --pattern '{ $pattern }' or a ycsbook.yml (docs/ingest.md)
capacity-no-threads = no run of { $mix } at { step-threads }; there are { COMMAS($counts) }
capacity-nothing-sound = every point of { $mix } is suspect or inconsistent: see ycsbook anomalies
capacity-no-percentiles = no p99 was measured, so nothing can be said about a p99 of { NUM($p99_ms) } ms; ask without one, or measure with histograms

## The knee

knee-place = { $dataset ->
    [missing] {""}
   *[other] { $dataset }:{" "}
}{ $spec }, { $mix }
knee = { knee-place }: more than { SIG($knee, digits: 2) } threads only queue: the server does { SIG($saturated) } ops/s, and one thread alone waits { SIG($r0_us) } us.
knee-unknown = { knee-place }: { AND($missing) }{ $laddered ->
    [true] {""}
   *[false] ; { ladder-how }
}.
knee-no-single-thread = no run at one thread
knee-no-ladder = no thread ladder
knee-not-saturated = { $flat ->
    [true] more threads bring no more, but nothing shows that the server is the limit: measure a spec with twice the cores at the same threads
   *[false] no thread count is shown to saturate the server: use more threads
}
ladder-how = measure 1, 2, 4, ... threads ('ladder: true' in a params file)

## What to run next

next-repeat-all = Every run once more, or better twice: nothing was repeated, so the noise is unknown.
next-narrows = { next-title }{ $mix } on { $spec ->
    [missing] a server with { cores }
   *[other] { $spec }
}{ next-at }{ $how ->
    [repeat] {" "}{ next-times }
    [larger] , one size larger than any measured
    [smaller] , one size smaller than any measured
   *[inside] {""}
}: the 95 % interval of { $term ->
    [goal] the throughput where the goal is reached
    [kappa] kappa (how much each core slows the others down)
   *[exponent] the growth with cores
} would be { SIG($saved, digits: 2) } % narrower.
next-check = { next-title }check and repeat { $mix } on { $spec }{ next-at }: { $n ->
    [one] this row is
   *[other] this row and { $more ->
        [one] 1 other are
       *[other] { NUM($more) } others are
    }
} in doubt{ $impossible ->
    [true] {" "}(its latency and throughput need { SIG($utilisation, digits: 3) } times its threads)
   *[false] {""}
}; ycsbook anomalies says why.
next-between = { next-title }{ $mix } on { $spec }{ next-at }: { PERCENT($lost, digits: 0) } % is lost from { NUM($threads_from) } to { threads-to }; a run between shows where the loss begins.
next-client = { next-title }{ $mix } with a second client machine on { $spec }{ next-at }: { first-cores } and more all do about { DIGITS($ops, digits: 3) } ops/s{ $busy ->
    [missing] {""}
   *[other] , at most { PERCENT($busy, digits: 0) } % busy
}; if it brings no more, try a larger connection pool, then the network.
next-times = { $times ->
    [one] once more
   *[other] { NUM($times) } times more
}
next-title = { $title ->
    [missing] {""}
   *[other] { $title }:{" "}
}
next-at = { $threads ->
    [missing] {""}
    [one] {" "}at { NUM($threads) } thread
   *[other] {" "}at { NUM($threads) } threads
}
next-more-threads = { $series }: more threads may bring more on { NUM($n) } of { $of ->
    [one] 1 spec
   *[other] { NUM($of) } specs
}, of which none was measured with more; do so, { $spec } first.
next-too-few = { next-title }{ $mix }{ $several ->
    [true] {" "}at { AND($counts) } threads
   *[false] { next-at }
}: { $n ->
    [one] 1 number of cores is
   *[other] { NUM($n) } different numbers of cores are
} too few for any law with an interval; measure { NUM($more) } more, spread over the range.
next-ladder = { next-title }{ $mix } on { $spec } with 1, 2, 4, ... threads{ $more ->
    [0] {""}
    [one] , so 1 other mix or data set
   *[other] , so { NUM($more) } other mixes or data sets
}: there is no thread ladder, and nothing shows what limits the points; { $planned ->
    [true] run what the params file plans
   *[false] { ladder-how }
}.
next-nothing = no further run would narrow an interval by 1 % or more
next-knees-unknown = From how many threads on operations only queue is unknown for { NUM($n) } of { NUM($of) }, such as { $first }
