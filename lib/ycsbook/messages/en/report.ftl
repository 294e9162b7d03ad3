### What a report says beside its data. Names of sections and figures begin with the module of ycsbook.report that uses them.

## The page.

report-kicker = YCSB benchmark report
report-skip = Skip to the report
report-contents = Contents
report-footer = Made by ycsbook from the tables beside this page. The same inputs give the same bytes.
report-data = Data
report-as-html = This report as one HTML page, with tables that sort
report-sort = Sort by
report-top = Back to the top
report-show-all = Show all { FIXED($n) } { $n ->
    [one] row
   *[other] rows
}
report-severity = { $severity ->
    [error] Error
    [warning] Warning
    [notice] Notice
    [note] Note
   *[other] { $severity }
}
report-evidence = { $evidence ->
    [repeats] repeated runs
    [single] single runs
    [published] published rows
   *[other] { $evidence }
}
report-what-to-do = What to do:
report-command = Command:
# Follows a sentence.
report-aside = {" "}({ $text })
report-stop = { $text }.
report-label = { $name }:
report-description = { report-kicker }: { $server }, { $date }
# A title of several lines, as one sentence.
report-title-line = { $rest }: { $last }

## What several sections name.

report-server-unknown = not stated
report-server = { $kind ->
    [missing] {""}
   *[other] { $kind }{" "}
}{ AND($versions) }{ $topology ->
    [replica_set] , replica set
   *[other] {""}
}
report-title = { $publisher }: { $server }{ $date ->
    [missing] {""}
   *[other] , { $date }
}
report-dates = { $first } to { $last }
report-date-unknown = date unknown
report-workload = { COMMAS($shares) }
report-workload-named = { COMMAS($shares) } (workload { $name })
report-workload-unknown = { $named ->
    [true] Workload { $name }
   *[false] all operations
}
report-share = { PERCENT($share, significant: 3) } % { $operation ->
    [read] reads
    [update] updates
    [insert] inserts
    [scan] scans
    [readmodifywrite] read-modify-writes
   *[write] writes
}
report-span = { $low } to { $high }
report-effect = { $value } ({ $low } to { $high })
report-of-series = { $series }: { $text }
# What a caption begins with.
report-dataset = { $dataset }; { $server }; { $date }
report-specs = { $n ->
    [one] { $n } spec
   *[other] { $n } specs
}

report-or = { OR($parts) }
report-percent = { $share ->
    [missing] –
   *[other] { PERCENT($share, digits: 0) } %
}
report-times = { $ratio ->
    [missing] –
   *[other] ×{ WITHIN($ratio, $low, $high) }
}

## Headings of columns, which several tables have.

column-spec = Spec
column-threads = Threads
column-workload = Workload
column-target = Target (ops/s)
column-qps = QPS (ops/s)
column-ral = RAL (us)
column-wal = WAL (us)
column-all = Mean latency (us)
column-p99 = p99 (us)
column-cpu = CPU
column-side = { $side ->
    [measured] { $heading }, measured
   *[published] { $heading }, published
}
column-qps-at = QPS at { NUM($threads) }
column-change = Change
column-trust = Trust
column-per-doubling = Per doubling of cores
column-with-doubt = With rows in doubt
column-these-specs = 95 %, these specs
column-another-server = 95 %, other specs like these
column-per-step = Per doubling, step by step
column-series = Series
column-law = Law
column-term = Parameter
column-estimate = Estimate
column-interval = 95 % interval
column-points = Points
column-core-counts = Core counts
column-loo-error = Leave-one-out error
column-aicc = AICc
column-verdict = Verdict
column-step = Cores{ $more_ram ->
    [true] , with more RAM
   *[false] {""}
}
column-ram-step = RAM
column-gain = Gain
column-cost-ratio = Cost
column-efficiency = Gain / cost
column-per-core = ops/s per core added
column-per-gib = ops/s per { $unit } added
column-capacity-measured = Measured (ops/s)
column-again = Again
column-capacity-law = Law (ops/s)
column-capacity-new = New server, 95 % (ops/s)
column-probability = Probability
column-p99-ms = p99 (ms)
column-cost = Per million operations
column-operation = Operation
column-p99-range = p99, lowest to highest
column-name = Name
column-value = Value
column-setting = Setting
column-basis = Basis
column-runs = Runs
column-what-to-do = What to do
column-whole = Whole run
column-steady = Steady
column-warmup = Warm-up (s)
column-ratio = Whole / steady
column-repeat = Repeat
column-run = Run
column-outcome = Outcome
column-stop-reason = Reason
column-warnings = Warnings
column-source = Source
column-place = File and line

## opening: the values under the title, and the finding.

opening-server = Server
opening-cores = Cores of a spec
opening-date = Date
opening-specs = Specs
opening-runs = Runs
opening-findings = Findings
opening-measured = { $n } measured
opening-published = { published-rows }
opening-left-out = { $n } left out
opening-no-throughput = No row has a throughput: of what the servers can do nothing is known, only how long operations took.
opening-no-figures = No row has a throughput or a latency, so there is nothing to judge.
opening-no-points = { $reasons ->
    [missing] No run was completed and no published row is at hand, so there is nothing to plot.
   *[other] No run was completed: { COMMAS($reasons, $reasons_more) }.
}
opening-no-font = No font with Chinese letters was found, so the pictures keep English words and the slugs of specs. Install one (Debian: fonts-noto-cjk; Fedora: google-noto-sans-cjk-fonts; Homebrew: font-noto-sans-cjk; “ycsbook doctor” prints the command for this machine) and write the report again.

## results: the table in the vendors' shape, and lower against higher thread counts.

results = Results
results-note = QPS is { OR($throughput) }; RAL and WAL are mean read and write latencies{ $steady ->
    [true] {" "}of the whole run
   *[false] {""}
}.{ $repeats ->
    [missing] {""}
    [one] {" "}Measured values come from one run each: no spread is known.
   *[other] {" "}Measured values are means, of QPS geometric ones, ± standard deviation over { $repeats } repeats.
}{ $published ->
    [true] {" "}Values are as published.
   *[false] {""}
}
results-throughput = { $column ->
    [steady_ops_s] the steady throughput, successful operations per second without the warm-up
    [goodput_ops_s] successful operations per second over the whole run
   *[throughput_ops_s] YCSB's overall throughput, failed operations included
}
results-trust = Trust: { COMMAS($grades) }. A: repeated, consistent, acknowledged. B: repeated. C: single, disturbed, or under 20 min unplanned. D: contradicted, or not settled. F: impossible or failed.
results-grade = { $n } × { $grade }
results-loads = Loading
results-not-stated = not stated
results-unacked = Write concern 0: the write latency is the time to send.
threads-section = { NUM($low) } against { NUM($high) } { $high ->
    [one] thread
   *[other] threads
}
threads-caption = { report-dataset }; n = { report-specs }.{ $doubtful ->
    [true] {" "}Hollow dots are in doubt.
   *[false] {""}
}{ $most ->
    [missing] {""}
   *[other] {" "}Only the { $most } specs that change most are drawn; the table has all.
}
ladder-title = { $workload ->
    [missing] Most
   *[other] { $workload }: most
} throughput at { $low ->
    [missing] {""}
   *[other] { NUM($low) } to{" "}
}{ $high ->
    [one] 1 thread
   *[other] { NUM($high) } threads
}
ladder-alt = Throughput over client threads on log scales, a line per spec or workload. { $finding }
ladder-caption = { report-dataset }; n = { report-specs }. Points are the means of each thread count{ $doubtful ->
    [true] ; hollow ones are in doubt
   *[false] {""}
}.
threads-title =
    { $workload }
    { $n ->
        [0] { $noticed ->
            [0] { $change ->
                [missing] every pair has a row in doubt
               *[other] no loss beyond noise, the median change is { CHANGE($change) }
            }
            [one] 1 spec may lose throughput: { CHANGE($most) }
           *[other] { $noticed } specs may lose throughput, up to { CHANGE($most) }
        }
       *[other] { $n } of { $total ->
            [one] { $total } spec loses throughput
           *[other] { $total } specs lose throughput
        }: { CHANGE($change) }{ $n ->
            [one] {""}
           *[other] {" "}to { CHANGE($most) }
        }{ $doubtful ->
            [0] {""}
           *[other] ; { $doubtful } more in doubt
        }
    }
threads-alt = Throughput of each spec at { NUM($low) } and at { NUM($high) } { $high ->
    [one] thread
   *[other] threads
}. { $finding }

## loops: the figures of the details.

heat-title =
    { NUM($low) } to { threads }: of { $total ->
        [one] 1 pair
       *[other] { $total } pairs
    } { $loss } lose and { $gain } gain over 10 %{ $doubtful ->
        [0] {""}
       *[other] {" "}({ $doubtful } in doubt)
    }
heat-alt = Heat map of the change with more threads, a row per spec, a column per mix of reads to updates. { $finding }
heat-caption = { report-dataset }; n = { report-specs }. Columns are reads to updates; pale means little change{ $doubtful ->
    [true] , hatched means in doubt
   *[false] {""}
}.
per-core-title =
    { $workload }
    most per core: { $spec }, { threads }, { FIXED($ops) } ops/s
per-core-alt = Throughput per core over cores on log scales, one colour per thread count. { $finding }
per-core-caption = { report-dataset }; n = { rows }. A level line is proportional growth; { lines-join }.
loop-title =
    { $workload }
    { $near } of { $total } rows fit threads / latency{ $above ->
        [0] {""}
       *[other] , { $above } impossibly above
    }
loop-alt = Mean latency over throughput on log scales, an arrow per spec from the fewest to the most threads. { $finding }
loop-caption = { report-dataset }; n = { rows }. Mean latency of all operations. A dashed line is what so many threads can do at that latency, so a row beyond its line is impossible{ $arrows ->
    [true] ; arrows go from fewer to more threads
   *[false] {""}
}.
utilisation-title =
    { $workload }
    { $n ->
        [0] no row is above { NUM($limit) }
        [1] 1 of { $total } rows is above { NUM($limit) }: impossible
       *[other] { $n } of { $total } rows are above { NUM($limit) }: impossible
    }
utilisation-alt = Throughput times latency over threads of every row over cores, with the line at 1. { $finding }
utilisation-caption = { report-dataset }; n = { rows }. At 1 all threads wait for the server all the time. More is impossible for one run; means of unequal runs may show up to 1.05.
cpu-title =
    { $workload }
    { DIGITS($low, digits: 3) } to { DIGITS($high, digits: 3) } µs of CPU per operation
cpu-alt = The server's CPU time per operation over cores on log scales. { $finding }
cpu-caption = { report-dataset }; n = { rows }. Cores times CPU utilisation over throughput.

## scaling: the plot of throughput over cores.

scaling-alt = { column-qps } over cores on a log scale{ $n ->
    [0] {""}
   *[other] , one colour per thread count ({ COMMAS($threads) })
}. { $finding }
lines-join = lines join the means of the rows not in doubt{ $same_ram ->
    [true] , of specs with the same RAM for each core
   *[false] {""}
}
scaling-caption = { report-dataset }; n = { AND($counts) }. { $points }; { lines-join }{ $doubtful ->
    [true] ; hollow points are in doubt
   *[false] {""}
}.
scaling-drawn = Points are { $shown }
scaling-drawn-both = Full points are { $measured }, faint ones { $published }
scaling-measured = { $column ->
    [steady_ops_s] the steady throughput of each run without its warm-up (steady_ops_s)
    [goodput_ops_s] the successful operations per second of each whole run (goodput_ops_s)
   *[throughput_ops_s] YCSB's overall throughput of each run (throughput_ops_s)
}
scaling-published = the published values ({ $columns })
scaling-factor = { threads }: { $upper ->
    [missing] { $vague ->
        [true] too few specs for a rate
       *[false] ×{ WITHIN($factor, $low, $high) }{ $low ->
            [missing] {""}
           *[other] {" "}({ WITHIN($low, $low, $high) } to { WITHIN($high, $low, $high) })
        } per doubling
    }
   *[other] ×{ SIG($factor) } per doubling up to { cores }, ×{ SIG($upper) } beyond
}
scaling-flat = { threads }: about { DIGITS($ops) } ops/s from { NUM($first) } to { cores }{ $doubted ->
    [true] , some in doubt
   *[false] {""}
}
scaling-factors = ×{ SIG($low) } to ×{ SIG($high) } per doubling{ $turns ->
    [true] {" "}at first
   *[false] {""}
} at { $n } thread counts

## growth: what a doubling of cores brings, without a law.

growth = Growth with cores
growth-note = The least-squares slope of ln throughput over ln cores, as a factor per doubling. { $repeated ->
    [true] The first interval is from the noise between repeats and holds for these specs. The second counts how far the specs scatter around the line.
   *[false] Nothing was repeated, so the interval is from how far the specs scatter around the line.
}{ $doubtful ->
    [true] {" "}Rows in doubt are left out; only “{ column-with-doubt }” counts them.
   *[false] {""}
}
growth-threads = { $threads ->
    [missing] –
    [-1] each its own
    [0] the best
   *[other] { NUM($threads) }
}
growth-step = { NUM($first) }→{ NUM($last) } ×{ SIG($factor) }

## laws: parameters, residuals, what may be claimed.

laws = Scaling per workload and threads
laws-none = There are too few points for any fit.
laws-parameters = Parameters
laws-parameters-note = Of the series whose points tell which law it is, with 95 % intervals. λ is the throughput of one core.
laws-term = { $term ->
    [lambda] λ (ops/s)
    [sigma] σ
    [kappa] κ
    [exponent] exponent a
   *[other] { $term }
}
laws-verdicts = What may be claimed
laws-verdicts-note = Errors are on ln X: 0.05 is about 5 %. A law that the points single out bears a star.
residuals = Residuals
residuals-note = What each spec does beyond the law that is drawn: 0 is on the line, +10 % a tenth above it.{ $bounds ->
    [true] {" "}Faint points are lower bounds: below the line they agree with it.
   *[false] {""}
}
residuals-caption = { report-dataset }; n = { $n ->
    [one] { $n } spec mean
   *[other] { $n } spec means
}. Shares of the fitted throughput, { OR($laws) } law.
residuals-alt = Residuals of the law over cores, one colour per thread count. { $finding }
residuals-title =
    { $workload }
    farthest: { $spec }, { threads }, { CHANGE($residual) }

## sizing: what limited each point, what more brings, the smallest spec.

limits = What limited each point
limits-counted = Of { $n ->
    [one] { $n } point
   *[other] { $n } points
}: { CLAUSES($kinds) }{ $slower ->
    [0] {""}
    [one] ; in one pair more threads bring less
   *[other] ; in { $slower } pairs more threads bring less
}.
limits-count = { $n } { $kind }
limits-kind = { $kind ->
    [server] bound by the server
    [concurrency] bound by the number of threads
    [elsewhere] bound by something else than server and threads
    [retrograde] slower than with fewer threads
    [contradiction] CPU full, yet faster with more threads
    [inconsistent] more gain than threads allow
    [suspect] impossible
    [undecided] undecided
   *[single] one thread count only
}{ $retrograde ->
    [true] { $kind ->
        [retrograde] {""}
       *[other] , slower with more threads
    }
   *[false] {""}
}
limits-graded = { $kind } ({ $grade })
limits-note = Decided from throughput, latency, thread counts and the server's CPU alone. Only a point bound by the server measures the server; every other point is a lower bound. Each reason: ycsbook limits.
limits-reach = With more threads, ops/s
limits-reach-note = “With more threads” goes from the best that was measured to the most that any number of threads could bring. The limit may be the server, the network or the client.
limits-at = { threads }
marginals = What more cores and more RAM bring
marginals-note = { $prices ->
    [true] Cost is the ratio of the prices in the params file
   *[false] Cost is the ratio of the cores, as no prices are known
}; gain / cost is 1 where throughput grows as fast as the cost. Intervals come from the noise between repeats, where there are any. Specs of equal RAM are compared where both core counts have them, else all{ $doubted ->
    [true] ; rows in doubt (D, F) are left out
   *[false] {""}
}.
marginals-core-step = { NUM($first) } → { NUM($last) }{ $more_ram ->
    [true] , with more RAM
   *[false] {""}
}
marginals-ram-step = { cores }, { NUM($first) } → { NUM($last) } { $unit }
capacity = The smallest spec for the goal
capacity-goal-note = The probability is that of another server of this spec. It counts how uncertain the law is and how far the measured specs scatter around it. Nothing is said beyond the measured cores.
capacity-cost = { WITHIN($cost, $low, $high) } ({ $span })

## measured: latency percentiles, and throughput second by second.

latency = Latency percentiles
latency-none = The source gives { $means ->
    [true] mean latencies only: no percentiles can be shown.
   *[false] no latencies.
}
latency-note = Latencies in us: the median of the repeats, and for p99 also their lowest to highest. Percentiles of several runs are never averaged.
latency-intended = Runs with a target throughput are open loops: their Intended- latencies count from when an operation was due and hold its waiting, the others from when it was sent.
latency-alt = Latency over percentile on a log scale. { $finding }
latency-caption = { report-dataset }; n = { runs }. Median run of each spec{ $cores ->
    [true] ; deeper colours are more cores
   *[false] {""}
}.
latency-title = { $workload }, { $operation }
latency-title-p99 =
    { latency-title }
    p99 { $low ->
        [missing] { SIG($high, digits: 2) } ms
       *[other] from { SIG($low, digits: 2) } to { SIG($high, digits: 2) } ms over all specs
    }
timeline = Throughput over time
timeline-none = The source gives no time series.
timeline-alt = Throughput per interval since the start of the run. { $finding }
timeline-caption = { report-dataset }; n = { runs }.{ $warmup ->
    [true] {" "}The shaded warm-up is left out of the steady throughput.
   *[false] {""}
}{ $cores ->
    [true] {" "}Deeper colours are more cores.
   *[false] {""}
}{ $stalls ->
    [true] {" "}Marked spans are stalls.
   *[false] {""}
}{ $band ->
    [missing] {""}
   *[other] {" "}Of more than { $band } runs the line is the median and the band the range.
}
timeline-title = { $workload }, { threads }

## findings.

findings = Findings and what to do
findings-alike = { $n } more like it
findings-others = The other findings
findings-none = None of the checks fired.
findings-count = { $n ->
    [one] { $n } finding
   *[other] { $n } findings, those with one cause as one, the gravest first
}.

## method: how it was done and on what, and what is in no figure.

method = Method
method-closed = Each YCSB thread waits for its answer before it sends the next operation. Such a closed loop obeys Little's law, N = X (R + Z): threads N, throughput X, mean latency R weighted by operation counts, think time Z. So X R / N cannot exceed 1; a row where it does contradicts itself.
method-laws = Laws fitted to ln X per workload and thread count, over the means of the specs; p is the number of cores:
method-law-name = { $law ->
    [linear] linear
    [power] power
    [amdahl] Amdahl
   *[usl] USL
}
method-fits = σ is contention, κ crosstalk, λ the throughput of one core. Intervals come from the profile likelihood with the cut t²(n − k). A law is claimed only where the points can tell it from the others; “not identifiable from these points” is a result. At a fixed number of threads the ceiling N / R bends every curve and looks like crosstalk.
method-ram = Where specs differ in RAM at the same cores, their points are fitted one by one; lines only join their means.{ $local ->
    [true] {" "}On a local server the RAM axis is nearly flat, because the operating system caches the files too.
   *[false] {""}
}
method-settings = Settings
method-basis = { $basis ->
    [printed] printed
    [assumed] not stated; used to measure again
   *[other] { $basis }
}
method-environment = Environment
method-provenance = Provenance
method-source = Source: { $parts }.
method-cores-by = How cores were enforced
method-cores = { $way ->
    [none] The cores of the specs were recorded, not enforced, in { runs }: the operating system offers no way.
   *[other] Cores were enforced by { method-cores-way } in { runs }.
}
method-cores-way = { $way ->
    [cgroup2] CPU quota (cgroup v2, 10 ms period)
    [cgroup1] CPU quota (cgroup v1, 10 ms period)
    [duty_cycle] SIGSTOP/SIGCONT duty cycle (20 ms period)
    [none] recorded, not enforced on this system
    [missing] as deployed
   *[other] { $way }
}
method-host-speed = Speed of the host
method-host = { $moved ->
    [0] A probe before and after each run found the host's own speed within { PERCENT($low, digits: 0) } % to { PERCENT($high, digits: 0) } % of where it was (n = { $n }).
    [one] The host's own speed moved to { PERCENT($low, digits: 0) } %–{ PERCENT($high, digits: 0) } % of what it was during a run (n = { $n }); { $moved } run moved by more than 10 % and should be repeated.
   *[other] The host's own speed moved to { PERCENT($low, digits: 0) } %–{ PERCENT($high, digits: 0) } % of what it was during a run (n = { $n }); { $moved } runs moved by more than 10 % and should be repeated.
}
method-both = Whole run and steady part
method-both-note = Both throughput figures of every measured run, in ops/s. The whole run includes the client's warm-up.
method-warnings = Warnings
rejected = What was left out
rejected-none = No run failed or was left out, and every input could be read.
rejected-note = These runs are in no figure and no fit.
rejected-inputs = Inputs that could not be read
rejected-inputs-note = Of the inputs { $n } could not be read; nothing in this report follows from them.

## Headings and names of environment.json, and its values that are no data, each by its name there.

environment-Machine = Machine
environment-Server = Server
environment-Client = Client
environment-Commands = Commands
environment-Inputs = Inputs
environment-Versions = Versions
environment-Published-source = Published source
environment-Made-with = Made with
environment-Load-generator = Load generator
environment-dataset = dataset
environment-title = title
environment-publisher = publisher
environment-date = date
environment-document = document
environment-csv = csv
environment-client = client
environment-server = server
environment-server_machine = server_machine
environment-disk = disk
environment-data = data
environment-load_options = load_options
environment-run_options = run_options
environment-kind = kind
environment-version = version
environment-topology = topology
environment-cores-of-a-spec = cores of a spec
environment-WiredTiger-cache = WiredTiger cache
environment-memory-GiB = memory (GiB)
environment-kernel = kernel
environment-system = system
environment-binding = binding
environment-MongoDB-driver = MongoDB driver
environment-cores-of-all-members = cores of all members
environment-cores-that-the-server-tells = cores that the server tells
environment-RAM-that-the-server-tells = RAM that the server tells
environment-shortest-round-trip = shortest round trip
environment-ycsbook-commit = ycsbook commit
environment-SHA-256-of-the-jars = SHA-256 of the jars
environment-load = load
environment-as-deployed = as deployed

## What a vendor's page says of the machines.

vendor-part = { $part ->
    [ycsb] YCSB { $value }
    [driver] MongoDB driver { $value }
    [java] Java { $value }
    [cores] { $value } cores
    [memory] { $value } GiB RAM
   *[other] { $value }
}

## The latency at a given rate

rates = Latency at a given rate
rates-about = Rate with a p99
rates-found = { $spec }, { $mix }, { threads }: { $rate ->
    [0] no rate that was tried keeps a p99 of { NUM($goal_ms) } ms
   *[other] { $whole ->
        [true] full speed, { DIGITS($rate, digits: 3) } ops/s, keeps a p99 of { NUM($goal_ms) } ms
       *[false] { DIGITS($rate, digits: 3) } ops/s keep a p99 of { NUM($goal_ms) } ms, { PERCENT($share, digits: 0) } % of full speed
    }{ $n ->
        [one] {""}
       *[other] {" "}({ NUM($n) } searches: { DIGITS($low, digits: 3) } to { DIGITS($high, digits: 3) })
    }
}.
rates-title = { $mix }: { $rate ->
    [missing] p99 over the rate that was asked for
   *[other] p99 within { NUM($goal_ms) } ms up to { DIGITS($rate, digits: 3) } ops/s
}
rates-alt = { $mix }, { $workload }: the 99th percentile of latency over throughput, a dot per run.
rates-caption = { report-dataset }; n = { runs }; the line goes through the medians.
rates-note = With a target operations are due at fixed times, whether the server is ready or not, and their latency counts from then. So a server that stands still is charged for all who wait. At full speed each thread sends its next operation when the last one returned: its latency counts from then, and is lower than what others would wait. A rate keeps the goal if the p99 of the slowest operation does. The p99 is of the whole run, its beginning included.{ $short_s ->
    [missing] {""}
   *[other] {" "}The shortest run here took { NUM($short_s) } s: the client's own start decides its p99. Three minutes are enough.
}
rates-column = { $column ->
    [mix] mix
    [kept] ops/s with p99 ≤ { NUM($goal_ms) } ms
    [range] of the repeats
    [broken] ops/s with more
   *[full] ops/s at full speed
}

## A sweep with a question

until-about = Question
until-runs = { $n ->
    [one] 1 run
   *[other] { NUM($n) } runs
}
until-stopped = { $why ->
    [reached] Answered after { until-runs } of at most { NUM($most) }.
    [border] Stopped after { until-runs } of at most { NUM($most) }: what is still open lies so close to the border that more runs would not tell.
    [runs] Stopped without the answer after { until-runs }, as many as the whole matrix has.
    [hours] Stopped without the answer after { until-runs }: another one would take longer than the { NUM($hours) } h that were allowed.
    [cost] Stopped without the answer after { until-runs }: another one would cost more than the { NUM($cost) }{ $currency ->
        [missing] {""}
       *[other] {" "}{ $currency }
    } that were allowed.
   *[going-on] { until-runs } of at most { NUM($most) } made, and no answer yet.
}
until-factor = { $widest ->
    [missing] Growth per doubling of cores is asked for to ±{ PERCENT($goal, significant: 2) } %; no interval is known yet.
   *[other] Growth per doubling of cores is known to ±{ PERCENT($widest, significant: 2) } % for every mix and thread count, asked was ±{ PERCENT($goal, significant: 2) } %.
} { $n ->
    [0] {""}
   *[other] It is the average from { NUM($first) } to { $last ->
        [one] 1 core
       *[other] { NUM($last) } cores
    }; what lies between was not measured.
}
until-lost = { $cell }{ $threads_to ->
    [missing] {""}
   *[other] {" "}(threads { NUM($threads_from) } to { NUM($threads_to) })
} { CHANGE($change) } ({ CHANGE($low) } to { CHANGE($high) })
until-regression = { $threads_to ->
    [missing] With more threads
   *[other] With more threads, { NUM($threads_from) } to { NUM($threads_to) },
} { $lost_n ->
    [0] none of { NUM($n) } is shown to lose throughput
    [one] 1 of { NUM($n) } loses throughput, { COMMAS($lost, $lost_more) }
   *[other] { NUM($lost_n) } of { NUM($n) } lose throughput, { COMMAS($lost, $lost_more) }
}; { $holds ->
    [0] none is shown not to lose { PERCENT($goal, significant: 2) } %
    [one] 1 is shown not to lose { PERCENT($goal, significant: 2) } %
   *[other] { NUM($holds) } are shown not to lose { PERCENT($goal, significant: 2) } %
}{ $open_n ->
    [0] {""}
   *[other] ; open: { COMMAS($still, $still_more) }
}.
until-qps = { $mix }: { $enough ->
    [missing] no spec is shown to deliver { DIGITS($qps, digits: 3) } ops/s; the most that was measured is { DIGITS($most, digits: 3) }
   *[other] { $priced ->
        [true] { $enough } is the cheapest that delivers { DIGITS($qps, digits: 3) } ops/s
       *[false] { $enough } is the smallest that delivers { DIGITS($qps, digits: 3) } ops/s
    }
}{ $close ->
    [missing] { $short ->
        [missing] {""}
       *[other] ; { $short } does not
    }
   *[other] ; { $close } lies at the border
}.
until-next-between = Next would be those between: { COMMAS($specs, $specs_more) }, { until-runs }, about { DURATION($took_s) }.
until-next-round = Next would be { until-runs } on { COMMAS($specs, $specs_more) }, about { DURATION($took_s) }.

## A sweep that is being made

report-running = Running: { NUM($done) } of { NUM($total) } done, as of { $at } UTC. All figures are of these.
report-stopped = Not finished: { NUM($done) } of { NUM($total) } done, as of { $at } UTC. All figures are of these.
report-measured = Measured: { NUM($done) } of { NUM($total) } done, as of { $at } UTC. “ycsbook report” adds the details.

## Earlier occasions

history = History
history-title = { $n ->
    [0] { NUM($days) } days: no change is shown
    [one] { NUM($days) } days, 1 change: { CHANGE($effect) } on { $day }
   *[other] { NUM($days) } days, { NUM($n) } changes, the largest { CHANGE($effect) } on { $day }
}
history-day = { $n ->
    [one] 1 configuration
   *[other] { NUM($n) } configurations
} changed by { CHANGE($low) }{ $alike ->
    [true] {""}
   *[false] {" "}to { CHANGE($high) }
}{ $version ->
    [missing] {""}
   *[other] , with server { $before } replaced by { $version }
}.
history-alt = Throughput by day, each configuration beside its own mean. { $finding }
history-caption = { report-dataset }; { $n ->
    [one] 1 configuration
   *[other] { NUM($n) } configurations
}, each beside its own mean over all days.
history-no-change = No configuration is shown to have changed. Fewer than ten runs with a start time, or fewer than five since a change, show nothing yet.
