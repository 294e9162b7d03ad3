### What the scaling laws say of a series, and what may be claimed of them.

## Names

# A series of the tables: its workload, threads and spec; its dataset where there are several.
series = { $dataset ->
    [missing] {""}
   *[other] { $dataset }:{" "}
}{ COMMAS($parts) }
series-threads = { $threads ->
    [-1] each spec at its own threads
    [missing] threads unknown
    [one] { NUM($threads) } thread
   *[other] { NUM($threads) } threads
}
series-published = published
series-law = { $series }, { $law }
law-name = { $law }
law-x = { $x ->
    [threads] threads
   *[cores] cores
}
law-count = { $n ->
    [one] { NUM($n) } { $x ->
        [threads] thread count
       *[cores] core count
    }
   *[other] { NUM($n) } distinct { law-x }
}
law-bounds = { $bounds ->
    [one] 1 more is a lower bound
   *[other] { NUM($bounds) } more are lower bounds
}
law-interval = { WITHIN($low, $low, $high) } to { WITHIN($high, $low, $high) }
law-term = { $term } { WITHIN($estimate, $low, $high) }{ $term ->
    [lambda] {" "}ops/s
   *[other] {""}
} ({ law-interval })
sentences = { SENTENCES($parts) }

## Verdicts

claimed = claimed
shown = shown, not claimed: { $reason }
refused = refused: { $reason }
not-identifiable = not identifiable: { $reason }
law-as-for = as for { $series }

## Why a law is not fitted

law-refused = { law-name }: { $reason }
law-error = { $text }
law-none = No law can be fitted: { $reason }.
law-none-eligible = The points are too few for any law.
law-all-left-out = { $n ->
    [one] the only point is suspect or inconsistent
   *[other] all { NUM($n) } points are suspect or inconsistent
}
law-few-measured = { $n ->
    [0] none of { $of ->
        [one] 1 point
       *[other] { NUM($of) } points
    } is shown to be the server's own throughput, all are lower bounds
   *[other] only { NUM($n) } of { $of ->
        [one] 1 point
       *[other] { NUM($of) } points
    }, at { $at }, { $n ->
        [one] is
       *[other] are
    } shown to be the server's own throughput, the others are lower bounds
}; it needs { NUM($needed) } at { NUM($needed_x) } distinct { law-x }; measure with other thread counts
law-few-x = { $at } ({ $values }) cannot fix its { law-parameters }; measure at least { NUM($needed) }, and { NUM($needed_x) } to claim it
law-few-points = { $n ->
    [one] 1 point fits
   *[other] { NUM($n) } points fit
} its { law-parameters } exactly, which says nothing about the error; measure at least { $needed ->
    [one] 1 spec
   *[other] { NUM($needed) } specs
}
law-parameters = { $parameters ->
    [one] 1 parameter
   *[other] { NUM($parameters) } parameters
}

## Why a law is shown and not claimed

law-not-converged = the fit did not converge
law-part-of-a-core = some specs have less than one core (a CPU quota), where only the power law and the local elasticities mean anything
law-needs = needs at least { NUM($needed_x) } distinct { law-x } and { $needed_df ->
    [one] 1 residual degree
   *[other] { NUM($needed_df) } residual degrees
} of freedom, here { NUM($n) } and { NUM($df) }{ $bounds ->
    [0] {""}
   *[other] ; { law-bounds }, which something else than the server limited
}
law-held-back = the points rise faster with { law-x } than this law allows
law-left-out = it misses a spec that is left out by { PERCENT($error, digits: 0) } %, so it predicts poorly
law-poor = the specs scatter { PERCENT($scatter, digits: 0) } % around it, so it describes them poorly
law-not-proportional = the points scale with an exponent of { WITHIN($estimate, $low, $high) } ({ law-interval }), not 1
law-not-shown-proportional = a doubling brings ×{ WITHIN($low, $low, $high) } to ×{ WITHIN($high, $low, $high) } (95 %), not close enough to ×2 to call it proportional
law-undercut = at { $first ->
    [missing] {""}
   *[other] { NUM($first) } to{" "}
}{ $last ->
    [one] { NUM($last) } { $x ->
        [threads] thread
       *[cores] core
    }
   *[other] { NUM($last) } { law-x }
} throughput lies up to { PERCENT($most, digits: 0) } % below it, and nothing tells whether the server is the limit there
law-misfit = { law-x } alone do not explain the points: specs of equal { law-x } lie closer together than to the law
law-flat = its { $n } points of the server's own throughput are too few, or too alike, to show how it changes with { law-x }
law-no-growth = a doubling brings ×{ WITHIN($low, $low, $high) } to ×{ WITHIN($high, $low, $high) } (95 %): no growth is shown
law-wide = a doubling brings ×{ WITHIN($low, $low, $high) } to ×{ WITHIN($high, $low, $high) } (95 %), too wide to claim
law-wide-at = at { NUM($at) } { $at ->
    [one] { $x ->
        [threads] thread
       *[cores] core
    }
   *[other] { law-x }
} it gives { WITHIN($low, $low, $high) } to { WITHIN($high, $low, $high) } ops/s (95 %), too wide to claim
law-sigma-open = sigma's interval ({ law-interval }) includes 0: not told apart from proportional scaling
law-kappa-open = kappa's interval ({ law-interval }) includes 0: neither crosstalk nor a peak is shown
law-at-bound = { $terms } at a bound
law-peak-outside = its peak, at { WITHIN($at, $low, $high) } { law-x } ({ law-interval }), lies outside the measured { NUM($first) } to { NUM($last) }
law-ceiling = at { $threads ->
    [missing] a fixed number of threads
    [one] { NUM($threads) } thread
   *[other] { NUM($threads) } threads
} throughout, a closed loop's ceiling of threads / response time bends the curve just as { $what ->
    [contention] contention
    [crosstalk] crosstalk
   *[other] such a law
} does, and not every point is shown to be saturated
law-not-the-server = the curve describes the points, not the server: { $reason }
law-better = the { law-name } law describes the points much better

## What a law says

law-range = From { NUM($first) } to { NUM($last) } { $last ->
    [one] { $x ->
        [threads] thread
       *[cores] core
    }
   *[other] { law-x }
}
law-proportional = { law-range } the { law-name } law makes throughput proportional to { law-x } ({ COMMAS($terms) }){ law-tail }
law-ratio = { law-range } the { law-name } law gives { SIG($ratio, digits: 2) } times ({ SIG($low, digits: 2) } to { SIG($high, digits: 2) }) the throughput ({ COMMAS($terms) }){ law-tail }
law-ends = { law-range } the { law-name } law gives { $at_first } and { $at_last } ({ COMMAS($terms) }){ law-tail }
law-throughput = { WITHIN($estimate, $low, $high) } ops/s ({ law-interval })
law-tail = ; the specs scatter { PERCENT($scatter, digits: 0) } % around it{ $bounds ->
    [0] {""}
    [one] ; 1 more point is a lower bound
   *[other] ; { NUM($bounds) } more points are lower bounds
}.{ $threads ->
    [missing] {""}
    [one] {" "}All at 1 thread: { law-ceiling-too }
   *[other] {" "}All at { NUM($threads) } threads: { law-ceiling-too }
}
law-ceiling-too = the closed loop's ceiling of threads / response time may bend this too, so it is the throughput of that many threads, not of the server alone.
law-rivals = The points do not tell it from { OR($laws) }.
law-above-proportional = An exponent above 1 ({ law-interval }) means that each core brings more than the one before it: the larger specs have more than { law-x } ahead of the smaller ones, or something else held the small ones back.
law-peak = Its peak is at { WITHIN($at, $low, $high) } { law-x } ({ law-interval }).
law-scatter = 95 % are of the law's mean; the { $n ->
    [one] spec scatters
   *[other] { NUM($n) } specs scatter
} { PERCENT($scatter, digits: 0) } % around it{ $bounds ->
    [0] {""}
   *[other] , { law-bounds }
}

## A law fitted to a data frame

fit-title = { law-name } law over { law-x }: { $n ->
    [one] 1 point
   *[other] { NUM($n) } points
} from { $runs ->
    [one] 1 run
   *[other] { NUM($runs) } runs
}
fit-finding = { law-range }: { SIG($low) } to { SIG($high) } ops/s by the { law-name } law,
    { $claimed ->
        [true] which may be claimed
       *[false] which is shown and not claimed
    }
fit-none = These points do not tell how throughput changes with { law-x }
fit-verdict = Verdict: { $verdict }.
fit-lack = { $p ->
    [missing] Lack of fit cannot be tested: too few specs have equal { law-x }.
   *[other] { $shown ->
        [true] Lack of fit is shown (p = { DIGITS($p) }): specs of equal { law-x } lie closer together than to the law.
       *[false] No lack of fit is shown (p = { DIGITS($p) }).
    }
}
fit-left-out = { $n ->
    [0] {""}
    [one] 1 run cannot be right and is left out; yb.limits says why.
   *[other] { NUM($n) } runs cannot be right and are left out; yb.limits says why.
}
fit-other-rows = { $n ->
    [0] {""}
    [one] 1 row more is of another series or lacks a figure.
   *[other] { NUM($n) } rows more are of other series or lack a figure.
}

## Cores and threads together

joint-too-few = { $at } measured; it needs at least { NUM($needed) }, or the ceiling of the threads and the server's own limit cannot be told apart
joint-too-few-cells = { $n ->
    [one] 1 measured cell
   *[other] { NUM($n) } measured cells
} cannot fix its { NUM($parameters) } parameters
joint-needs = needs { NUM($needed) } measured specs, here { NUM($n) }
joint-poor = the points scatter { PERCENT($scatter, digits: 0) } % around the joint law
joint-no-ceiling = no ceiling of the threads is seen ({ COMMAS($terms) } without an interval)
joint-open = the points leave open ({ COMMAS($terms) } without an interval)
joint-nothing = Over cores and threads together no term of the law is identifiable; { joint-scatter }
joint-says = Over cores and threads together: { $one }, { $growth }; { $ceiling }; { joint-scatter }
joint-scatter = the points scatter { PERCENT($scatter, digits: 0) } % around it.
joint-one = { WITHIN($estimate, $low, $high) } ops/s ({ law-interval }) with one core
joint-one-open = what one core brings is not identifiable
joint-growth = growing with the exponent { WITHIN($estimate, $low, $high) } ({ law-interval })
joint-growth-open = the exponent of the growth with cores is not identifiable
joint-ceiling = N threads bring at most N / R0 with R0 = { WITHIN($estimate, $low, $high) } ms ({ law-interval })
joint-ceiling-open = the time R0 of an idle server, and with it the ceiling of the threads, is not identifiable

## The command `ycsbook scaling`

scaling-more = --all lists every law, what it says, and what each step to more cores brings.
scaling-in-service = { $mix }: at { cores } even { threads } may be too few: an operation takes { SIG($ms) } ms, hardly more than with fewer threads ({ SIG($least_ms) } ms).
scaling-doubted = In doubt{ $left_out ->
    [true] {" "}and left out
   *[false] , and too few others are left
}: { COMMAS($specs, $specs_more) }.
scaling-nothing = nothing to fit: no completed run whose cores are known; runs of 'ycsbook run' know them, of other logs say them: ycsbook ingest --set cores=8, --pattern '{ $pattern }' or a ycsbook.yml (docs/ingest.md)
scaling-points = { $n ->
    [one] 1 point
   *[other] { NUM($n) } points
}{ $own ->
    [missing] {""}
   *[other] , { NUM($own) } of them the server's own
}, { $cores ->
    [one] 1 core count
   *[other] { NUM($cores) } core counts
}{ $left_out ->
    [0] {""}
   *[other] , { NUM($left_out) } left out
}
scaling-verdicts = { CLAUSES($series, $series_more) }: { $law ->
    [missing] {""}
   *[other] the { law-name } law,{" "}
}{ $verdict }.
scaling-few-measured = What the servers can do by themselves is not known: too few points, or at too few core counts, are shown to be limited by the server ({ CLAUSES($series, $series_more) }). A law needs { NUM($needed) }, at { NUM($needed_x) } core counts; measure with other thread counts.
scaling-own-points = { $series }: { NUM($n) } of { NUM($of) }{ $n ->
    [0] {""}
   *[other] {" "}at { $at }
}
scaling-verdict = { $title }: { $verdict }.
scaling-joint = { $series }, cores and threads together
scaling-threads = { $series }, over its thread counts
scaling-scatter = { $low ->
    [missing] No law has an interval here.
   *[other] 95 % intervals are of the law's mean curve; single specs lie { PERCENT($low, digits: 0) } % to { PERCENT($high, digits: 0) } % (standard deviation) from the laws.
}
