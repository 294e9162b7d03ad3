### In short: the sentences at the head of a report, at most 25 words each (ycsbook.report.short).

short = In short
short-term = { $mix } is { AND($shares) }
short-terms = { $n ->
    [0] {""}
   *[other] { CLAUSES($terms) };{" "}
}threads are the load generator's; ops/s is operations per second.
short-verdict-range = Twice the cores{ with-ram } multiply throughput by { SIG($least) } ({ $least_mix }) to { SIG($most) } ({ $most_mix }){ $upper ->
    [missing] {""}
   *[other] { $all ->
        [true] {" "}at first; beyond { OR($turns) } cores { short-verdict-beyond }
       *[false] ; beyond { OR($turns) } cores { short-verdict-beyond } ({ COMMAS($mixes, $mixes_more) })
    }
}.{ $cores ->
    [missing] {""}
   *[other] {" "}At { cores }: { DIGITS($slow_ops, digits: 3) } ops/s ({ $slow_mix }) to { DIGITS($fast_ops, digits: 3) } ({ $fast_mix }).
}
short-verdict-beyond = { $nothing ->
    [true] nothing more
   *[false] by at most { SIG($upper) }
}
short-verdict-held = { $mix }: about { DIGITS($ops, digits: 3) } ops/s from { NUM($first) } to { cores }, threads { PERCENT($used, digits: 0) } % busy at most: the client asks for no more.
short-verdict-flat = { $mix }{ at-threads }: { DIGITS($first_ops, digits: 3) } ops/s at { first-cores }, { DIGITS($last_ops, digits: 3) } at { NUM($last) }: { $open ->
    [true] too few threads to show what cores bring: measure with more
   *[false] cores bring nothing, check { short-where }
}.
short-verdict-times = { $mix }{ at-threads }: { on-average }{ DIGITS($first_ops, digits: 3) } ops/s at { first-cores }, { $middle_ops ->
    [missing] {""}
   *[other] { DIGITS($middle_ops, digits: 3) } at { NUM($bend) },{" "}
}{ DIGITS($last_ops, digits: 3) } at { NUM($last) }{ $peak ->
    [missing] {""}
   *[other] , peak near { SIG($peak, digits: 2) } cores (USL)
}{ $middle_ops ->
    [missing] { $few ->
        [true] ; too few specs for a rate
       *[false] ; { $more_ram ->
            [missing] twice the cores{ with-ram } give
           *[other] at equal RAM twice the cores give
        } { $bend ->
            [missing] { $low ->
                [missing] ×{ SIG($factor) }{ short-idle-short }
               *[other] ×{ WITHIN($low, $low, $high) } to ×{ WITHIN($high, $low, $high) }
            }{ $more_ram ->
                [missing] {""}
               *[other] , at equal cores twice the RAM ×{ SIG($more_ram) }
            }
           *[other] ×{ SIG($lower) } up to { NUM($bend) }, ×{ SIG($upper) } beyond
        }
    }
   *[other] { $later ->
        [true] ; beyond { NUM($bend) } ×{ SIG($upper) } per doubling{ $ram ->
            [none] {""}
           *[other] , RAM included
        }
       *[false] {""}
    }
}.
short-idle-short = { $idles ->
    [0] {""}
   *[other] , but nothing from { AND($idle) }
}
short-verdict-ceiling = { $mix } stays near { DIGITS($ops, digits: 3) } ops/s from { cores } on{ $busy ->
    [missing] {""}
   *[other] , servers at most { PERCENT($busy, digits: 0) } % busy
}: check { short-where }.
short-where = { $other ->
    [missing] { $few ->
        [true] thread count,{" "}
       *[false] {""}
    }client, network, pool, disk, locks
   *[other] disk or locks ({ $other } does { DIGITS($other_ops, digits: 3) } there)
}
short-verdict-tied = Threads rise with the cores{ $busy ->
    [missing] {""}
   *[other] , and no server was more than { PERCENT($busy, digits: 0) } % busy
}: what cores bring is not tested; measure with more threads.
short-verdict-check = Measure { $spec } again before you buy it: { $slower } does { PERCENT($share, digits: 0) } % less ({ $mix }).
short-verdict-slower = { $spec } does { $least ->
    [missing] {""}
   *[other] { PERCENT($least, digits: 0) } to{" "}
}{ PERCENT($most, digits: 0) } % less than { $smaller ->
    [missing] the specs beside it allow{ $some ->
        [true] {" "}on { AND($mixes) }: measure that again first
       *[false] : measure it again before you build on it
    }
   *[other] { $smaller }{ $some ->
        [true] {" "}on { AND($mixes) }: do not buy it for that
       *[false] : do not buy it unless a new run shows otherwise
    }
}.
short-verdict-buy = { $is_most ->
    [true] Most throughput for each core
   *[false] As much for each core as any, within the noise
}: { COMMAS($specs) }{ $specs_more ->
    [0] {""}
   *[other] ; on other mixes other specs (below)
}{ $is_most ->
    [true] { $alike ->
        [true] ; some others are as good within noise{ $some ->
            [true] {" "}({ AND($alike_mixes) })
           *[false] {""}
        }
       *[false] {""}
    }
   *[false] {""}
}.
short-verdict-spec = { $spec } for { AND($mixes) }
short-verdict-half = Enough for { $half ->
    [true] half
   *[false] { PERCENT($share, digits: 0) } %
} of the highest throughput: { COMMAS($specs, $specs_more) }.
short-verdict-even = { AND($mixes) }: each core does as much on every spec, within the noise.
short-verdict-nearly-even = { AND($mixes) }: each core does nearly as much on every spec, at most { PERCENT($less, digits: 0) } % less.
short-verdict-best = { $several ->
    [true] At best, from { DIGITS($least, digits: 3) } ops/s ({ $least_mix }) to { DIGITS($most, digits: 3) } ({ $most_mix }).
   *[false] At best { COMMAS($of) }.
}
short-at-least = { $at_least ->
    [true] {" "}or more
   *[false] {""}
}
short-best = { DIGITS($ops, digits: 3) } ops/s{ short-at-least } ({ $mix }{ at-threads }{ $spec ->
    [missing] {""}
   *[other] {" "}on { $spec }
})
short-verdict-fewer = Use { $threads ->
    [missing] fewer threads
   *[other] { threads }
} for { AND($where) }: with { $high ->
    [missing] the most
   *[other] { NUM($high) }
} throughput falls by { range-of-loss }.{ $any ->
    [true] {" "}It rises on { AND($better, $better_more) }.
   *[false] {""}
}
short-verdict-unproven = Single runs, not proven: with { $threads ->
    [missing] more threads
   *[other] { threads }
} { COMMAS($cells, $cells_more) } lose { range-of-loss }.
most-threads = { $threads ->
    [missing] the most threads tried
   *[other] { threads }
}
range-of-loss = { $least ->
    [missing] {""}
   *[other] { PERCENT($least, digits: 0, lost: 1) } to{" "}
}{ PERCENT($most, digits: 0, lost: 1) } %
short-verdict-lost = { AND($mixes) } { $place ->
    [all] on all specs
    [specs] on { AND($specs, $specs_more) }
   *[cores] at { AND($cores) } cores
}
short-verdict-gain = Use { most-threads }{ $everywhere ->
    [true] {""}
   *[false] {" "}for { AND($cells, $cells_more) }
}: throughput rises by up to { PERCENT($most, digits: 0) } %{ short-may-grow }.
short-spec-mixes = { $spec ->
    [missing] { AND($mixes) }
   *[other] { $spec }{ $all ->
        [true] {""}
       *[false] {" "}({ AND($mixes) })
    }
}
short-may-grow = { $open ->
    [true] ; with more it may still grow
   *[false] {""}
}
short-verdict-no-gain = { $threads ->
    [missing] The most threads tried
   *[other] { threads }
} bring { $any ->
    [true] only { $least ->
        [missing] {""}
       *[other] { PERCENT($least, digits: 1) } to{" "}
    }{ PERCENT($most, digits: 1) } % more
   *[false] no more
} throughput than { $low ->
    [missing] fewer
   *[other] { NUM($low) }
}.
short-verdict-more = { $rising ->
    [true] Measure with more than { most-threads }: throughput still rises { AND($where) }.
   *[false] Use { most-threads } { AND($where) }{ $everywhere ->
        [true] { short-may-grow }.
       *[false] ; on smaller specs they mostly add latency.
    }
}
short-verdict-where = { $place ->
    [all] on all specs
    [one] at { first-cores }
   *[from] from { first-cores } on
} ({ AND($mixes) })
short-early = Left out: { early_rounds-what }{ early_rounds-why }.
short-far-below = { noise-left-out }.
short-verdict-far-below = Left out: { $times ->
    [missing] { $n ->
        [one] one of { $total } runs did { PERCENT($less, digits: 0) } % less than the other repeats of its configuration
       *[other] { $n } of { $total } runs{ noise-all-on } did up to { PERCENT($less, digits: 0) } % less than the other repeats of their configurations
    }
   *[other] { $n } of { $total } runs did { SIG($times, digits: 2) } times as much as the other repeats (a digit too many?)
}.
short-verdict-failed = { $n } of { $total } runs { $blank ->
    [true] have no throughput
   *[false] did not complete
}{ $threads ->
    [missing] {""}
   *[other] , all at { threads }
}.
short-verdict-busy = Other work held the machine in { $n } of { $total } runs: their figures are too low, measure again.
short-verdict-stalled = { $total ->
    [one] Throughput stood still for { DURATION($lost_s) }
   *[other] Throughput stood still in { $n } of { $total } runs, for { DURATION($lost_s) } at most
}: find out why first.
short-verdict-asked = { $total ->
    [one] This row is a rate that was
   *[other] { $n ->
        [one] One of { short-rows-that-count } is a rate that was
       *[other] { $n } of { short-rows-that-count } are rates that were
    }
} asked for: the server's limit was not reached.
short-rows-that-count = { $left_out ->
    [0] { $total } rows
   *[other] the { $total } rows that count ({ $left_out } are left out)
}
short-verdict-rates = The highest rate that was kept: { CLAUSES($rates, $rates_more) }.
short-rates = { $mix } { AND($ends) }
short-rate = { $rate ->
    [missing] less than { FIXED($least) } ops/s
   *[other] { FIXED($rate) } ops/s
} on { $spec }{ $p99_ms ->
    [missing] {""}
   *[other] {" "}(p99 { DIGITS($p99_ms, digits: 3) } ms{ $lower_p99_ms ->
        [missing] )
       *[other] , { DIGITS($lower_p99_ms, digits: 3) } ms at { FIXED($lower) })
    }
}
short-verdict-missed = Less than the rate that was asked for: { COMMAS($rows, $rows_more) }.
short-missed = { $spec } { DIGITS($ops, digits: 3) } of { FIXED($target) } ops/s
short-verdict-short = { $n ->
    [one] The run lasted only { DURATION($most) }
   *[other] No run lasted more than { DURATION($most) }
}{ $printed ->
    [true] {" "}by the counts of the source
   *[false] {""}
}: too short to build on, as caches and checkpoints need 20 minutes.
short-verdict-lengths = { $apart ->
    [true] { COMMAS($specs, $specs_more) }
   *[false] { $n } of { $total } rows
} ran for at most { DURATION($most) }, { $aside ->
    [true] their repeats for at least { DURATION($least) }: the short ones are left out.
   *[false] the others for at least { DURATION($least) }: do not compare the two.
}
short-verdict-doubt = { $total ->
    [one] The only row is in doubt: do not build on it.
   *[other] { short-verdict-doubtful }
}
short-verdict-doubtful = Do not build on { $n ->
    [one] one
   *[other] { $n }
} of { $total } rows: { $why ->
    [impossible] { $n ->
        [one] it is impossible
       *[other] they are impossible
    }
    [others] { $n ->
        [one] it does not fit the others
       *[other] they do not fit the others
    }
    [failed] operations failed in { $n ->
        [one] it
       *[other] them
    }
   *[several] { short-doubt-kinds }
}.{ $located ->
    [true] {" "}In doubt: { CLAUSES($where) }.
   *[false] {""}
}
short-doubt-kinds = { $impossible ->
    [0] {""}
    [one] one is impossible
   *[other] { $impossible } are impossible
}{ $others ->
    [0] {""}
   *[other] { $impossible ->
        [0] {""}
       *[other] ,{" "}
    }{ $others ->
        [one] one does not fit the others
       *[other] { $others } do not fit the others
    }
}{ $failed ->
    [0] {""}
   *[other] , operations failed in { $failed ->
        [one] one
       *[other] { $failed }
    }
}
short-verdict-causes = Check first: { CLAUSES($causes) }.
short-cause = { $cause ->
    [little_law-unit] latencies in another unit ({ rows })
    [little_family-unit] latencies in another unit ({ rows })
    [little_law-client_threads] threads of one client instead of all ({ rows })
    [little_law-client_ops] throughput of one client instead of all ({ rows })
    [copied_rows] rows copied from others ({ $n })
    [wrong_digits] a digit too few or too many ({ rows })
    [two_levels-groups] two groups of rows under one name ({ rows })
    [host_drift-rounds] a machine that changed by { CHANGE($effect) } { $round ->
        [missing] over the rounds
       *[other] in round { NUM($round) }
    }
    [host_drift-order] { $round ->
        [missing] why the last repeat of each configuration differs ({ CHANGE($effect) } against the first)
       *[other] why repeat { NUM($round) } of each configuration differs ({ CHANGE($effect) } against the others)
    }
    [slow_stretch] runs from { $first } on, { $n } in a row, { CHANGE($effect) } against their repeats
    [percentile_below_mean] mean and percentile exchanged ({ rows })
   *[other] labels of rows exchanged ({ rows })
}
short-doubted-at = { AND($mixes) } at { $n ->
    [0] { AND($some) }
   *[other] { AND($whole) }
} { $last ->
    [one] core
   *[other] cores
}{ $n ->
    [0] {" "}(some)
   *[other] { $n_some ->
        [0] {""}
       *[other] {" "}and some at { AND($some) }
    }
}
short-verdict-unknown = Nobody knows { OR($parts) }.
on-average = { $several ->
    [true] on average{" "}
   *[false] {""}
}
with-ram = { $ram ->
    [twice] {" "}and RAM
    [more] {" "}and more RAM
   *[none] {""}
}
short-verdict-enough = Use { CLAUSES($uses) }: enough for at least { PERCENT($share, digits: 0) } % of the most.{ $jump ->
    [missing] {""}
   *[other] {" "}{ $jump }
}
short-p99-jump = { $mix }{ $spec ->
    [missing] {""}
   *[other] {" "}on { $spec }
}: p99 is { DIGITS($high_ms, digits: 2) } ms with { threads }, { DIGITS($low_ms, digits: 2) } with { NUM($fewer) }, which do { PERCENT($share, digits: 0) } % as much.
short-verdict-use = { COMMAS($parts) }{ $of ->
    [one] {""}
    [all] {" "}(all mixes)
   *[some] {" "}({ AND($mixes) })
}
short-enough-at = { threads }{ $open ->
    [true] {" "}or more
   *[false] {""}
}{ $place ->
    [alone] {""}
    [all] {" "}on all specs
    [one] {" "}at { first-cores }
   *[several] {" "}at { NUM($first) } to { $last ->
        [one] 1 core
       *[other] { NUM($last) } cores
    }
}
short-verdict-together = With { most-threads }{ $low ->
    [missing] {""}
   *[other] {" "}instead of { NUM($low) }
} throughput falls by { range-of-loss }{ $fall ->
    [missing] {""}
   *[other] ; by { PERCENT($fall, digits: 0) } % from { NUM($fall_from) } to { NUM($fall_to) } alone
}.
short-enough = { PERCENT($share, digits: 0) } % of the most takes { CLAUSES($uses) }{ $fewer ->
    [true] ; more threads mostly add latency{ $high_ms ->
        [missing] {""}
       *[other] : p99 rises from { DIGITS($low_ms, digits: 2) } to { DIGITS($high_ms, digits: 2) } ms{ short-costly-mix }
    }
   *[false] {""}
}.
short-costly-mix = { $costly ->
    [missing] {""}
   *[other] {" "}({ $costly })
}
first-cores = { $first ->
    [one] 1 core
   *[other] { NUM($first) } cores
}
short-falls = { $mix }{ at-threads } does most at { cores }: { DIGITS($ops, digits: 3) } ops/s there, { DIGITS($then, digits: 3) } at { NUM($last) } ({ CHANGE($change) }).{ $doubted ->
    [true] {" "}Rows in doubt are among them.
   *[false] {" "}Do not buy more cores for it.
}
short-loss-cpu = On { $one ->
    [true] it
   *[false] these
} an operation takes { $one ->
    [true] {""}
   *[false] { $least ->
        [missing] {""}
       *[other] { SIG($least) } to{" "}
    }
}{ SIG($most) } times the CPU time: the server works more for less.
short-effect = ×{ SIG($factor) } ({ $mix })
up-to-threads = { $low ->
    [missing] with { most-threads } instead of fewer
   *[other] from { NUM($low) } to { most-threads }
}
short-about = { $about ->
    [measured] Measured
    [cores] Cores
    [threads] Threads
    [doubt] Rows in doubt
    [buy] What to buy
   *[unknown] Not known
}
short-ranks = { $mix } behind { $spec }{ $latency_ms ->
    [missing] {""}
   *[other] {" "}({ DIGITS($latency_ms, digits: 3) } ms)
}: { COMMAS($behind, $behind_more) }.
short-behind = { $spec } { DIGITS($ops, digits: 3) } ops/s ({ CHANGE($change) }{ $latency_ms ->
    [missing] {""}
   *[other] , { DIGITS($latency_ms, digits: 3) } ms
})
short-alone = { $mix }{ at-threads }{ $spec ->
    [missing] {""}
   *[other] {" "}on { $spec }
}: { DIGITS($ops, digits: 3) } ops/s{ short-at-least }{ $alone ->
    [true] {""}
   *[false] {" "}at best
}{ $early_s ->
    [missing] {""}
   *[other] , without the first { DURATION($early_s) } ({ DIGITS($whole, digits: 3) } with them)
}{ $read_ms ->
    [missing] {""}
   *[other] ; a read takes { DIGITS($read_ms, digits: 3) } ms on average{ short-alone-whole }
}{ $write_ms ->
    [missing] {""}
   *[other] ; a write takes { DIGITS($write_ms, digits: 3) } ms on average{ short-alone-whole }
}.
short-alone-whole = { $early_s ->
    [missing] {""}
   *[other] {" "}of the whole run
}
short-alone-many = At best: { COMMAS($of) }.
short-growth = { $mix }{ at-threads }: { $first_mix ->
    [true] twice the cores{ with-ram } give ×{ WITHIN($factor, $low, $high) }
   *[false] ×{ WITHIN($factor, $low, $high) }
}{ $low ->
    [missing] {""}
   *[other] {" "}(95 %: { WITHIN($low, $low, $high) } to { WITHIN($high, $low, $high) })
}, from { NUM($first) } to { cores }{ $bend ->
    [missing] {""}
   *[other] . From { NUM($start) } to { NUM($bend) } ×{ WITHIN($lower, $lower_low, $lower_high) } ({ $assumed ->
        [missing] 95 %
       *[other] { PERCENT($assumed, digits: 0) } % noise assumed
    }: { WITHIN($lower_low, $lower_low, $lower_high) } to { WITHIN($lower_high, $lower_low, $lower_high) }), beyond ×{ WITHIN($upper, $upper_low, $upper_high) } ({ WITHIN($upper_low, $upper_low, $upper_high) } to { WITHIN($upper_high, $upper_low, $upper_high) })
}.{ $others_low ->
    [missing] {""}
   *[other] {" "}Other specs like these: { WITHIN($others_low, $others_low, $others_high) } to { WITHIN($others_high, $others_low, $others_high) } times.
}{ short-idle-steps }
short-growth-turns = { $mix }{ at-threads }: twice the cores{ with-ram } give ×{ SIG($lower) } from { NUM($first) } to { cores }; beyond, up to { NUM($last) }, { $beyond ->
    [falls] it falls (×{ SIG($upper) })
   *[level] nothing more
}.{ short-idle-steps }
short-idle = { NUM($first) } to { NUM($last) }
short-idle-steps = { $idles ->
    [0] {""}
   *[other] {" "}From { AND($idle) } cores throughput does not grow.
}
short-growth-vague = { $mix }{ at-threads }: ×{ SIG($factor) } in all from { NUM($first) } to { cores }; too few specs for a rate.
short-steep = { AND($mixes) }: { $cores ->
    [missing] {""}
   *[other] up to { cores }{" "}
}more than proportional, which cores alone cannot give. RAM, caches or other hosts may; do not extrapolate.
short-leap = { AND($mixes) }: throughput grows { $least ->
    [missing] {""}
   *[other] { SIG($least, digits: 2) } to{" "}
}{ SIG($most, digits: 2) } times from { NUM($first) } to { cores }: more than cores can give.
short-ram-rises = RAM rises with the cores; { $holds }.
short-holds = only from { $spec } on the default cache holds the { DIGITS($data) } GB of data
short-stops = { $mix }{ at-threads } gains { $less ->
    [true] nothing
   *[false] little
} beyond { cores }: { DIGITS($ops, digits: 3) } ops/s there, { DIGITS($then, digits: 3) } at { NUM($last) }.{ $more ->
    [missing] {""}
   *[other] {" "}With { $more ->
        [one] 1 thread
       *[other] { NUM($more) } threads
    } it is { DIGITS($more_ops, digits: 3) } at { $more_cores ->
        [one] 1 core
       *[other] { NUM($more_cores) } cores
    }. { NUM($threads) } may be too few{ $least_ms ->
        [missing] {""}
       *[other] : at their lowest mean latency, { DIGITS($least_ms, digits: 3) } ms, they do { DIGITS($at_most, digits: 3) }
    }.
}
short-too-few = { $mix }: { COMMAS($of, $of_more) } bring little more with more cores: too few threads. With { NUM($more) } on { $last ->
    [one] 1 core
   *[other] { NUM($last) } cores
} it is { DIGITS($more_ops, digits: 3) }.
short-too-few-at = { threads } from { cores } on ({ DIGITS($ops, digits: 3) } ops/s)
short-flat = { $mix }{ at-threads } stays near { DIGITS($ops) } ops/s from { NUM($first) } to { cores }{ $doubted ->
    [true] {" "}(some in doubt)
   *[false] {""}
}.
short-loss = { $low ->
    [missing] With { most-threads } instead of fewer
   *[other] From { NUM($low) } to { most-threads }
} { SENTENCES($lost) }
short-lost = { $mix } loses on { COMMAS($specs, $specs_more) }.
short-spec-change = { $cell } ({ CHANGE($change) })
short-spec-at = { $cell }{ at-threads } ({ CHANGE($change) })
short-spec-change-from = { $cell } ({ CHANGE($change) } from { NUM($low) } to { threads })
short-loss-doubted = { $cell } shows { CHANGE($change) }, but one of its rows is impossible.
short-together = { $low ->
    [missing] With { most-threads } instead of fewer
   *[other] From { NUM($low) } to { most-threads }
} all { $n } lose throughput, { range-of-loss }: together that is more than noise.
short-no-loss = { $size ->
    [none] Nothing loses throughput { up-to-threads }
    [noticed] { $assumed ->
        [true] More than the assumed noise may explain is lost by { COMMAS($less, $less_more) }: single runs, repeat them
       *[false] Perhaps lost: { COMMAS($less, $less_more) }. Of so many pairs a few are off that far by chance; repeat these
    }
    [unclear] No loss { up-to-threads } is more than noise may be. The largest: { COMMAS($less, $less_more) }; repeat these runs
   *[small] No loss { up-to-threads } is clear: the largest is { PERCENT($most, digits: 1) } %
}.
short-gain = { $any ->
    [true] { $threads ->
        [missing] The most threads tried
       *[other] { threads }
    } { $noise ->
        [true] do more on { COMMAS($gained, $gained_more) }, perhaps by noise
       *[false] gain on { COMMAS($gained, $gained_more) }
    }.{ $n ->
        [0] {""}
        [one] {" "}One other gain ({ CHANGE($most) }) rests on a row in doubt.
       *[other] {" "}{ $n } other gains ({ range-of-change }) rest on rows in doubt.
    }
   *[false] { $n ->
        [one] The only gain of { PERCENT($gain, digits: 0) } % and more with { most-threads } ({ CHANGE($most) }) rests on a row in doubt.
       *[other] All { $n } gains of { PERCENT($gain, digits: 0) } % and more with { most-threads } ({ range-of-change }) rest on rows in doubt.
    }
}
short-costly = { threads } give { AND($mixes) } { range-of-change }, but { $p99 ->
    [true] p99 rises
   *[false] a read's mean rises
} from { DIGITS($low_ms, digits: 2) } to { DIGITS($high_ms, digits: 2) } ms.
short-gains = With { most-threads } { AND($gained) }.
short-gains-fewer = On fewer cores, of rows not in doubt: { AND($parts) }.
short-range = { $mix } { range-of-change }
range-of-change = { $least ->
    [missing] {""}
   *[other] { CHANGE($least) } to{" "}
}{ CHANGE($most) }
short-gained-doubted = At { first-cores } { $mix } gains { range-of-loss }, but each pair has a row in doubt.
short-gained = { $mix } { $place ->
    [all] gains more than { PERCENT($gain, digits: 0) } % on { $gaining } of { $n } specs ({ range-of-change })
    [one] gains { range-of-loss } at { first-cores }
   *[from] gains { range-of-loss } from { first-cores } on
}
short-impossible = { $n ->
    [one] One of { $total } rows is impossible
   *[other] { $n } of { $total } rows are impossible
}{ $by_little ->
    [true] {" "}(throughput × latency exceeds the threads by more than 5 %)
   *[false] {""}
}: { CLAUSES($rows, $rows_more) }.
short-set-aside = { $n ->
    [one] One run is left out, as { short-failed-share } of its operations failed, and its repeats stay
   *[other] { $n } runs are left out, as { short-failed-share } of their operations failed, and their repeats stay
}: { CLAUSES($rows, $rows_more) }.
short-not-completed = { $n ->
    [one] One run did not complete or has no throughput, and is left out
   *[other] { $n } runs did not complete or have no throughput, and are left out
}: { COMMAS($rows, $rows_more) }.
short-held-back = { $n ->
    [one] One run is left out, as it was
   *[other] { $n } runs are left out, as they were
} held to a lower rate (target) than others of the same spec, mix and threads: what { $n ->
    [one] it does
   *[other] they do
} is that rate, not what the server can do.
short-failed = In { $n ->
    [one] one of { $total } rows { short-failed-share } of the operations failed
   *[other] { $n } of { $total } rows { short-failed-share } of the operations failed
}: { CLAUSES($rows, $rows_more) }.
short-failed-share = { $most ->
    [missing] some
   *[other] { $least ->
        [missing] {""}
       *[other] { PERCENT($least, significant: 2) } to{" "}
    }{ PERCENT($most, significant: 2) } %
}
short-rows-at = { $mix }{ at-threads } on { COMMAS($specs, $specs_more) }
short-more = { $more ->
    [true] more{" "}
   *[false] {""}
}
short-contradicted = { $n ->
    [one] One { short-more }row does not fit the others
   *[other] { $n } { short-more }rows do not fit the others
} (grade D): { CLAUSES($rows, $rows_more) }.
short-otherwise-growth = If the rows in doubt were right, { $mix }{ at-threads } would grow ×{ SIG($of_all) } per doubling, not ×{ SIG($factor) }.
short-otherwise-buy = If the rows in doubt were right, most throughput for each core would be that of { COMMAS($specs) }.
short-unsettled = { $n ->
    [one] One row
   *[other] { $n } rows
} had not settled when the run ended: read { $n ->
    [one] it
   *[other] them
} as lower bounds.
short-hint = { $n } of these rows would fit the others if their { repair_hint-figure } were exactly { FIXED($difference) } { $higher ->
    [true] higher
   *[false] lower
}: { CLAUSES($cells) }. Chance does this in at most { PERCENT($alike, digits: 1) } % of cases.
short-cpu-refuted = The CPU column contradicts itself: in { $n } of { $total } pairs it reads full, yet { threads } give at least { PERCENT($least, digits: 0) } % more.
short-most-per-core = { $is_most ->
    [true] the most
   *[false] as much as any
} per core
short-buy = { $mix }: { $spec }{ at-threads } gives { short-most-per-core }: { DIGITS($ops, digits: 3) } ops/s{ $top ->
    [missing] {""}
   *[other] , { PERCENT($share, digits: 0) } % of the { DIGITS($top_ops, digits: 3) } on { $top }
}.{ $read_ms ->
    [missing] {""}
   *[other] {" "}A read takes { DIGITS($read_ms, digits: 2) } ms.
}{ short-alike }
short-alike = { $alike ->
    [missing] {""}
   *[other] {" "}As good within the noise ({ PERCENT($reach, digits: 0) } %{ $assumed ->
        [missing] {""}
       *[other] , assumed
    }): { COMMAS($alike, $alike_more) }.
}
short-buy-several = { AND($mixes) }: { $spec }{ at-threads } gives { short-most-per-core }, { $least ->
    [missing] {""}
   *[other] { PERCENT($least, digits: 0) } to{" "}
}{ PERCENT($most, digits: 0) } % of the most that was measured.{ short-alike }
short-buy-half = { $half ->
    [true] Half
   *[false] { PERCENT($share, digits: 0) } %
} of the most takes { $spec }{ at-threads }: { DIGITS($ops, digits: 3) } ops/s.
short-buy-even = { AND($mixes) }: each core does as much on every spec, within { $assumed ->
    [missing] the noise
   *[other] the assumed noise ({ PERCENT($assumed, digits: 0) } % a run, nothing was repeated)
}{ $priced ->
    [true] {""}
   *[false] : the price decides
}.
short-money = { AND($mixes) }: { $spec }{ at-threads } gives the most for the money: { NUM($price) } per hour, { $least ->
    [missing] {""}
   *[other] { SIG($least) } to{" "}
}{ SIG($million) } for a million operations{ $currency ->
    [missing] {""}
   *[other] {" "}({ $currency })
}.
short-apart-range = Of { NUM($n) } mixes twice the cores at equal RAM give ×{ SIG($cores_low) } to ×{ SIG($cores_high) }, twice the RAM at equal cores ×{ SIG($ram_low) } to ×{ SIG($ram_high) }.
short-buy-first = At equal RAM twice the cores give { COMMAS($cores) }; at equal cores twice the RAM gives { COMMAS($ram) }.
short-verdict-ram = RAM decides: at { AND($cores) } cores { NUM($ram_to) } instead of { NUM($ram) } { $unit } give { $least ->
    [missing] {""}
   *[other] ×{ SIG($least, digits: 2) } to{" "}
}×{ SIG($most, digits: 2) } for { AND($mixes) }{ $enough ->
    [true] ; more brings little
   *[false] {""}
}.
short-verdict-outgrown = With { NUM($ram) } { $unit } of RAM the { DIGITS($data, digits: 3) } { $unit } of data hardly fit: each core does { $least ->
    [missing] {""}
   *[other] { SIG($least, digits: 2) } to{" "}
}{ SIG($most, digits: 2) } times less than with { NUM($ram_to) } ({ AND($mixes) }).
short-ram-most = RAM brings most at { cores }: { NUM($ram_to) } instead of { NUM($ram) } { $unit } give ×{ SIG($factor) } ({ $mix }{ at-threads }), but ×{ SIG($least) } for { $least_mix }.
short-ram-step = At { cores }, { NUM($ram_to) } instead of { NUM($ram) } { $unit } of RAM changes throughput by { range-of-change }.
short-unknown = { CLAUSES($parts) }.
short-unknown-writes = whether writes succeeded (write concern 0)
short-unknown-concern = which write concern was used (not stated)
short-unknown-length = how long runs lasted (no counts stated)
short-unknown-counts = how long each row ran (the stated count is an example)
short-unknown-threads = how many client threads (not stated)
short-unknown-latency = how long operations took (no latencies)
short-unknown-clients = how many client machines (not stated)
short-unknown-clients-of-rows = which rows had one client machine and which several
short-unknown-records = what cores alone bring (record counts differ)
short-unknown-families = what cores alone bring (several server families)
short-unknown-noise = how much repeats differ (one figure a row)
short-unknown-cpu = how busy the server was (no CPU figures)
short-unknown-slowest = how slow the slowest operations are (mean latencies only)
short-unknown-more = what more than { threads } would bring
short-unknown-date = when it was measured (not stated)
short-beside = Throughput { $equal ->
    [true] on equal specs
   *[false] at equal cores
}: { CLAUSES($of) }{ $of_more ->
    [0] {""}
   *[other] ; not told here: { $of_more } { $of_more ->
        [one] other
       *[other] others
    }
}.{ $fall ->
    [missing] {""}
   *[other] {" "}{ $fall }
}
short-beside-fall = Throughput falls to { FIXED($times, digits: 2) } times from { $low } to { $high } records.
short-beside-one = { $verdict ->
    [same] not told apart from { $name } ({ short-beside-times })
   *[shown] { $several ->
        [true] { COMMAS($parts) }
       *[false] { short-beside-times }
    } that of { $name }{ $verdict ->
        [hidden] , as much as two days alone may differ by
        [unproven] , not proven by so few runs
       *[shown] {""}
    }
}{ $p99 ->
    [missing] {""}
   *[other] , p99 is { FIXED($p99, digits: 2) } times as high
}{ $reads ->
    [missing] {""}
   *[other] , reads take { FIXED($reads, digits: 2) } times as long, writes { FIXED($writes, digits: 2) } times
}
short-beside-times = { $ratio ->
    [missing] { $low ->
        [missing] {""}
       *[other] { FIXED($low, digits: 2) } to{" "}
    }{ FIXED($high, digits: 2) } times
   *[other] { WITHIN($ratio, $low, $high) } (95 %: { WITHIN($low, $low, $high) } to { WITHIN($high, $low, $high) }) times
}
short-beside-part = { $named ->
    [true] { AND($mixes) }{" "}
   *[false] {""}
}{ $low ->
    [missing] {""}
   *[other] { FIXED($low, digits: 2) }{ $least ->
        [missing] {""}
       *[other] {" "}({ $least })
    } to{" "}
}{ FIXED($high, digits: 2) } times{ $most ->
    [missing] {""}
   *[other] {" "}({ $most })
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
