### What the rules find. A message has the name of its rule; the short form (brief) is what a finding of the same cause adds.

## Parts of several messages.

where = { $where ->
    [missing] {""}
   *[other] { $where }:{" "}
}
unnamed-dataset = unnamed dataset
interval = 95 % interval { CHANGE($low) } to { CHANGE($high) }
interval-too = { $low ->
    [missing] {""}
   *[other] ; { interval }
}
threads-to = { $threads_to ->
    [one] { NUM($threads_to) } thread
   *[other] { NUM($threads_to) } threads
}
host-cores = { $host_cores ->
    [one] { NUM($host_cores) } core
   *[other] { NUM($host_cores) } cores
}
runs = { $n ->
    [one] { $n } run
   *[other] { $n } runs
}
rows = { $n ->
    [one] { $n } row
   *[other] { $n } rows
}
published-rows = { $n ->
    [one] { $n } published row
   *[other] { $n } published rows
}
configurations = { $n ->
    [one] { $n } configuration
   *[other] { $n } configurations
}
doubt = ; in doubt, as the { AND($rows) } { $n ->
    [one] is
   *[other] are
} impossible
doubt-threads = { NUM($threads) }-thread row ({ FIXED($utilisation, digits: 2) })
doubt-spec = row of { spec } ({ FIXED($utilisation, digits: 2) })

## Findings with one cause.

group = { $lead }{ $summary ->
    [true] {" "}(and { $more } single { $more ->
        [one] case
       *[other] cases
    })
   *[false] { $more ->
        [0] {""}
       *[other] {" "}({ $more } more like it)
    }
}{ $others ->
    [missing] {""}
   *[other] ; { CLAUSES($others) }
}
group-other = also: { $what }

## The machine and the server.

busy_host = { where }other work took { DIGITS($taken) } of { host-cores } of the client's machine ({ $cell }; at least { PERCENT($least) } % of them in { $n } of { $runs }), { $full ->
    [true] while hardly a core was idle: client and server had to wait for them
   *[false] and left cores idle
}
    .brief = { where }other work took { DIGITS($taken) } of { host-cores } of the client's machine
busy_host-load = { where }the load average was up to { DIGITS($load, digits: 3) } on { host-cores }, of which client and server used { DIGITS($own) } ({ $cell }; likewise in { $n } of { $runs }): others kept the machine busy, or its disk
    .brief = { where }the load average was up to { DIGITS($load, digits: 3) } on { host-cores }, of which client and server used { DIGITS($own) }
busy_host-full = { where }{ DIGITS($busy) } of { host-cores } of the client's machine were busy, and the server runs on it as well: the client used { DIGITS($client) }, how much of the rest was the server's and how much others' is not known ({ $cell }; likewise in { $n } of { $runs })
    .brief = { where }the machine that client and server share was full
busy_host-full-advice = measure from a machine of its own, or give the server's user the role clusterMonitor, by which a single server tells its share
busy_host-advice = stop what else runs on the machine, or take one that nobody shares, and measure again
host_drift = the host's own speed changed by more than { PERCENT($tolerance) } % during { $n } of { $runs }, most ({ CHANGE($effect) }) at { $cell }
    .brief = the host's own speed changed by more than { PERCENT($tolerance) } % during { $n } of { $runs }
early_rounds = { where }{ early_rounds-what }, which agree{ early_rounds-why }. { $n ->
    [one] It is
   *[other] They are
} left out of all that is said
early_rounds-why = { $other_day ->
    [true] {" "}(on another day)
   *[false] { $slow ->
        [true] {" "}(cold caches, or a server just started?)
       *[false] {" "}(burst credits?)
    }
}
early_rounds-what = { $everywhere ->
    [true] {""}
   *[false] on { COMMAS($specs, $specs_more) }{" "}
}the first { $n ->
    [one] round
   *[other] { $n } of { $rounds } rounds
} did { $slow ->
    [true] { PERCENT($less, digits: 0) } % less than
   *[false] { SIG($times, digits: 2) } times as much as
} the later ones
early_rounds-advice = warm the server up, and measure until its rounds agree; look for burst credits
host_drift-rounds = over { $configurations } { host_drift-which } ({ CHANGE($low) } to { CHANGE($high) }) against { $round ->
    [missing] the first: the machine or the server drifted
   *[other] the others: something slowed the machine or the server, or sped it up, for that time
}
    .brief = over { $configurations } { host_drift-which }
host_drift-which = { $round ->
    [missing] the last round of repeats
   *[other] round { NUM($round) } of the repeats
} was { CHANGE($effect) }
host_drift-rounds-advice = repeat on a quiet machine; interleaved repeats keep such a drift out of comparisons between specs
host_drift-order = over { $configurations } { host_drift-which } ({ CHANGE($low) } to { CHANGE($high) }) against the { $round ->
    [missing] first
   *[other] others
}, all repeats of a configuration in a row: they warm something up, or wear it out
    .brief = over { $configurations } { host_drift-which }, repeats in a row
host_drift-order-advice = warm the server up before the first repeat, and pause between them
slow_stretch = { where }{ $n } runs in a row, from { $first } to { $last }, were { CHANGE($effect) } against their repeats: something else slowed the machine or the server then
    .brief = { where }{ $n } runs in a row from { $first } on were { CHANGE($effect) } against their repeats
slow_stretch-advice = find what else ran then, and measure these runs again
same_server = { where }specs { COMMAS($specs, $specs_more) } were measured on the same server ({ $address ->
    [true] at the same address
   *[false] by the same process
}): what differs between them is no effect of cores or RAM
    .brief = { where }specs { COMMAS($specs, $specs_more) } were measured on the same server
same_server-advice = check the address of each spec (uri_env), and measure the specs concerned again
spec_label = { where }spec { $spec } is said to have { $cores ->
    [one] { NUM($cores) } core
   *[other] { NUM($cores) } cores
}{ $ram ->
    [missing] {""}
   *[other] {" "}and { NUM($ram) } GiB of RAM
}: one of name and columns is wrong
spec_label-advice = see what the server has; until then build nothing on this spec
server_size-cores = { where }spec { $spec } says { $wanted ->
    [one] { NUM($wanted) } core
   *[other] { NUM($wanted) } cores
}, its server tells { $seen ->
    [one] { DIGITS($seen, digits: 3) } core
   *[other] { DIGITS($seen, digits: 3) } cores
}{ server_size-outside }
server_size-ram = { where }spec { $spec } says { NUM($wanted) } GiB, its server tells { DIGITS($seen, digits: 3) } GiB{ server_size-outside }
server_size-outside = { $outside ->
    [true] : is it limited from outside?
   *[false] {""}
}

## Little's law.

little_law = { little_law.brief }. One of its figures is wrong, or unequal runs or clients were mixed; the row alone cannot say which
    .brief = { $cell }: impossible, as throughput × latency is { FIXED($utilisation, digits: 2) } times what { threads } can do
little_law-any_mix = { little_law-any_mix.brief }. One of its figures is wrong, or unequal runs or clients were mixed; the row alone cannot say which
    .brief = { $cell }: impossible, as throughput × latency is at least { FIXED($utilisation, digits: 2) } times what { threads } can do, whatever the mix (that of the faster operation alone)
little_law-reads = { little_law-reads.brief }. One of its figures is wrong, or unequal runs or clients were mixed; the row alone cannot say which
    .brief = { $cell }: impossible, as throughput × latency is by its reads alone { FIXED($utilisation, digits: 2) } times what { threads } can do
little_law-writes = { little_law-writes.brief }. One of its figures is wrong, or unequal runs or clients were mixed; the row alone cannot say which
    .brief = { $cell }: impossible, as throughput × latency is by its writes alone { FIXED($utilisation, digits: 2) } times what { threads } can do
little_law-slip = { little_law.brief }{ little-slip }
    .brief = { little_law.brief }
little_family-slip = { little_family.brief }{ little-slip }
    .brief = { little_family.brief }
little-slip = { $power ->
    [3] . That is 1,000 times too much: microseconds in a column of milliseconds, or operations in a column of thousands?
    [2] . That is 100 times too much: two digits too many?
    [1] . That is 10 times too much: a digit too many?
    [-1] . That is a tenth of the usual: a digit left out?
    [-2] . That is a hundredth of the usual: two digits left out?
    [-3] . That is a thousandth of the usual: milliseconds in a column of microseconds, or thousands in a column of operations?
   *[0] {""}
}{ $fits ->
    [missing] {""}
   *[other] { $power ->
        [0] .
       *[other] {""}
    } It is the throughput: about { OPS($fits) } ops/s would fit its latency and its neighbours
}
little_law-advice = check throughput, latencies, thread count and mix against the log
little_law-unit = { little_law-unit.brief }; so a unit looks wrong, such as { $large ->
    [true] microseconds in a column of milliseconds
   *[false] milliseconds in a column of microseconds, or thousands of operations in one of single ones
}
    .brief = throughput × latency is about { $large ->
        [true] 1,000 times
       *[false] a thousandth of
    } what the threads can do in { $n } of { $rows } (the median is { DIGITS($utilisation, digits: 3) })
little_law-unit-advice = check the units of the latencies and of the throughput, and name them in the headings: read_us, read_ms, QPS(k)
little_law-client_threads = in { $n } of { $rows } with several clients throughput × latency is as many times what the threads can do as there are clients (the median is { DIGITS($utilisation, digits: 3) }): the threads are those of one client
little_law-client_ops = in { $n } of { $rows } with several clients throughput × latency is only one client's part of what the threads can do (the median is { DIGITS($utilisation, digits: 3) }): the throughput is that of one client, not of all
little_law-client-advice = write the threads and the throughput of all clients together
little_law-near = { $rows } slightly above what the threads can do, at most { FIXED($utilisation, digits: 3) } times ({ $cell }); a mean of unequal runs explains up to { NUM($limit) } times
little_law-near-advice = nothing to do
little_family = { little_family.brief }; { $outside ->
    [true] its threads spent more time outside the database than those of the other runs
   *[false] one of its figures is probably another run's or a slip
}
    .brief = { $cell }: throughput × latency / threads is { FIXED($utilisation, digits: 3) }, far { $above ->
        [true] above
       *[false] below
    } the { FIXED($usual, digits: 3) } that is usual in its { $n } rows
little_family-block = { little_family-block.brief } ({ $rows } of { $specs } specs in a row, { AND($sides) }; throughput × latency / threads is usually { FIXED($usual, digits: 3) }, here it goes to { FIXED($utilisation, digits: 3) })
    .brief = { $mix }: every spec from { $first } to { $last } has a row whose throughput and latency do not fit the others
little_family-above = { $n } above
little_family-below = { $n } below
little_family-unit = { little_family-unit.brief }: { $power ->
    [3] microseconds in a column of milliseconds
   *[other] milliseconds in a column of microseconds
}? Their throughputs fit the others
    .brief = { $mix }: the latencies of { $rows } are { $power ->
        [3] 1,000 times the usual
       *[other] a thousandth of the usual
    }, on { AND($specs, $specs_more) }
little_family-unit-advice = check the unit of these latencies; until then do not use them
little_family-published-advice = check these rows against their source, and leave them out of fits until then
little_family-measured-advice = look at the client's own CPU and at pauses during these runs, and repeat them
repair_hint = { repair_hint.brief }; a hint only
    .brief = { $cell }: { repair_hint-figure } { FIXED($becomes) } instead of { FIXED($was) }, exchanged with { $other }, would make both rows fit the others
repair_hint-common = { repair_hint-common.brief } ({ CLAUSES($changes) }); { repair_hint-alike }
    .brief = { $n } rows that do not fit would fit the others if their { repair_hint-figure } were exactly { FIXED($difference) } { $higher ->
        [true] higher
       *[false] lower
    }, one digit each
repair_hint-alike = a hint only: chance does this in at most { PERCENT($alike, digits: 1) } % of cases
repair_hint-change = { $cell }: { FIXED($was) } to { FIXED($becomes) }
repair_hint-figure = { $figure ->
    [throughput_ops_s] throughput
    [read_us] read latency
   *[write_us] write latency
}
copied_rows = { copied_rows.brief }, as a copy has and a measurement has not{ $same_threads ->
    [true] {""}
   *[false] : with N threads throughput × latency is N
}
    .brief = the rows of { AND($cells, $cells_more) } have the same throughput and latency to the last digit
copied_rows-advice = check these rows against their source; one of them has the figures of the other, or its thread count
wrong_digits = { wrong_digits.brief }. { FIXED($fits) } ops/s would fit: { $power ->
    [1] is a digit too many?
    [-1] is one digit too few?
   *[other] is a unit wrong, such as thousands?
}
    .brief = { $cell }: { OPS($ops) } ops/s is about { $power ->
        [3] a thousand times
        [2] a hundred times
        [1] ten times
        [-1] a tenth of
        [-2] a hundredth of
       *[-3] a thousandth of
    } what its other thread counts or the servers beside it allow
wrong_digits-advice = check this row against its source; until then do not build on it
lone_row = { lone_row.brief }. { FIXED($fits) } ops/s would fit
    .brief = { $cell }: { OPS($ops) } ops/s is { CHANGE($change) } against the rows beside it, which agree
lone_row-advice = measure this row again; until then do not build on it
swapped_rows = { swapped_rows.brief }. Exchanged, both would fit; a hint only
    .brief = { $first }, and { $second }: { OPS($first_ops) } and { OPS($second_ops) } ops/s fit neither row's neighbours
swapped_rows-specs = { swapped_rows-specs.brief }. Exchanged, all would fit: are the two labels exchanged? A hint only
    .brief = { $n ->
        [one] the row
       *[other] all { $n } rows
    } of { $first } do more, and those of { $second } less, than the specs beside them allow
swapped_rows-specs-advice = check the labels of the two specs against the source; build on neither until then
thread_hint = { thread_hint.brief }; a hint only: { PERCENT($by_chance, digits: 0) } % of rows with a random error would fit some usual thread count, too
    .brief = { $cell }: throughput × latency is { FIXED($busy, digits: 1) }, which fits { NUM($fits) } { $fits ->
        [one] thread
       *[other] threads
    }, not { NUM($printed) }{ $exchanged ->
        [true] ; this row and the one with { NUM($fits) } may be exchanged
       *[false] {""}
    }
repair_hint-advice = ask the publisher, or look for the figure in another copy of the table; do not repair it by this hint

## Threads and specs.

thread_regression = { $at }: throughput falls from { OPS($first) } to { OPS($second) } ops/s ({ CHANGE($effect) }{ interval-too }) when threads rise from { NUM($threads) } to { NUM($threads_to) }{ $small ->
    [true] , too little to tell from noise without repeats
   *[false] {""}
}{ $doubt }
    .brief = { $at }: throughput falls from { OPS($first) } to { OPS($second) } ops/s
thread_regression-together = { thread_regression-together.brief }; noise does not explain it (p = { DIGITS($p) })
    .brief = { where }all { $specs } specs with { cores } lose on { $mix } from { NUM($threads) } to { threads-to }: { CHANGE($effect) } on average
thread_regression-repeat-advice = repeat the pairs that matter at least 3 times
thread_regression-watch-advice = repeat both thread counts in turn, and measure one between; watch the server's CPU and lock waits and the client's CPU
inversion = { inversion.brief } ({ CHANGE($effect) }){ $others ->
    [0] {""}
    [one] , and less than { $others } other smaller spec
   *[other] , and less than { $others } other smaller specs
}{ $doubt }
    .brief = { $cell }: { OPS($second) } ops/s, less than the { OPS($first) } of the smaller { $smaller }
inversion-advice = repeat both specs in turn, on the same day, with the same data and client; compare their storage
dip = { dip.brief }{ $some ->
    [true] {" "}on { AND($mixes) }
   *[false] {""}
}, at { $n } of { $total } mixes and thread counts
    .brief = { $spec } does { $least ->
        [missing] {""}
       *[other] { PERCENT($least, digits: 0) } to{" "}
    }{ PERCENT($most, digits: 0) } % less than { $smaller } and { $larger } beside it allow
dip-advice = measure this spec again, on another host if it can be; see whether its disk or machine type is another, or its RAM just too small for the data
mix_order = { $at }: { $mix } does { SIG($ratio) } times the ops/s of { $fewer } ({ OPS($ops) } and { OPS($fewer_ops) }), { SIG($other_ratio) } times on { $other }
mix_order-advice = measure both mixes on both specs in turn; until then do not count on this gain by RAM
scaling_outlier = { $cell }: { OPS($observed) } ops/s, where the other specs suggest { OPS($fitted) } ({ CHANGE($effect) }; { $law } law, { FIXED($errors, digits: 1) } standard errors)
scaling_outlier-advice = repeat this spec; where it stands, look for what sets it apart (RAM, storage, host), and fit without it

## CPU.

cpu_contradiction = { $at }: the server's CPU is { PERCENT($cpu, digits: 0) } % busy at { threads }, and yet { threads-to } give { OPS($second) } instead of { OPS($first) } ops/s ({ CHANGE($effect) }{ interval-too }){ $doubt }
    .brief = { $at }: the server's CPU is { PERCENT($cpu, digits: 0) } % busy at { threads }, and yet { threads-to } give { OPS($second) } instead of { OPS($first) } ops/s
superlinear_threads = { superlinear_threads.brief } ({ CHANGE($effect) }{ interval-too }){ $doubt }
    .brief = { $at }: { threads-to } give { FIXED($ratio, digits: 2) } times the throughput of { NUM($threads) }, more than the threads grew: { OPS($second) } instead of { OPS($first) } ops/s
cpu_per_operation = { cpu_per_operation.brief } ({ FIXED($deviations, digits: 1) } robust standard deviations)
    .brief = { $cell }: an operation took { FIXED($cpu_us) } µs of CPU; { FIXED($usual_us) } µs is the median of { $n } configurations
cpu-advice = repeat both thread counts in turn, and record the server's CPU from inside it
not_saturated = at the highest thread count the server's CPU was below 90 % in { $n } of { $configurations }, so it may not be the limit there: { COMMAS($names, $names_more) }; least busy { $cell } ({ PERCENT($cpu, digits: 0) } %)
not_saturated-advice = use more client threads or machines, and check the pool, before reading these points as the server's

## Throughput within a run, and latency.

stall = { $cell }: throughput stood still for { DURATION($lost_s) }{ $stretches ->
    [1] {""}
   *[other] {" "}in { $stretches } stretches, the longest of { DURATION($longest_s) }
} from { DURATION($start_s) } after the start, below { PERCENT($share) } % of the usual { OPS($usual) } ops/s
stall-published = { $server ->
    [missing] the server
   *[other] { $server }
} stood still for “{ $words }”{ $minutes ->
    [missing] {""}
   *[other] {" "}in a run of { $minutes } min
}, by its publisher's words{ $line ->
    [missing] {""}
   *[other] {" "}(line { $line } of the source)
}; no series was published that would show when or how often
stall-advice = look at the server's log and disk for that time (checkpoints, cache eviction, elections), and give latencies with their highest percentiles: a closed loop sends nothing while it waits, so few operations show the stall
degradation = { $cell }: throughput falls within the run by { CHANGE($effect) } ({ interval }) after the warm-up
degradation-advice = run longer and see where it settles; a mean over a drift depends on the length of the run
not_settled = { $n } of { $runs } had not settled: { $cell } warmed up for at least { DURATION($warmup_s) } of its { DURATION($runtime_s) }, which changes its throughput by { CHANGE($effect) }
not_settled-advice = run at least four times as long as the warm-up takes; until then read the figure as a lower bound and size nothing by it
warmup = the warm-up matters in { $n } of { $runs }: leaving it out changes throughput most at { $cell } ({ CHANGE($effect) }, the first { DURATION($warmup_s) })
warmup-advice = read steady_ops_s, which leaves it out, and run longer than a few warm-ups
sawtooth = { $cell }: throughput swings by { PERCENT($height, digits: 0) } % every { DIGITS($period_s, digits: 3) } s, { $fits ->
    [true] as often as the server's checkpoints
   *[false] which are not the server's checkpoints
} ({ NUM($every_s) } s, { $known ->
    [seen] as the server was seen to write them
    [printed] as its source prints
   *[default] the default
})
sawtooth-advice = run for many periods, so that the mean does not hang on where it stops; compare with the times in the server's log
tail = { $cell }: { $figures ->
    [p99] p99 of { $operation } is { DIGITS($ratio, digits: 3) } times its mean
   *[p999] p99.9 of { $operation } is { DIGITS($ratio, digits: 3) } times its p99
}; { DIGITS($usual, digits: 3) } times is usual in { $n } runs alike
percentile_below_mean = { percentile_below_mean.brief }: the slowest { PERCENT($slowest) } % would have to take at least { FIXED($slowest_us) } µs on average. Percentiles averaged over clients, and exchanged columns, look so
    .brief = { $cell }: p{ NUM($percentile) } of { $operation } is { FIXED($latency_us) } µs, below its mean of { FIXED($mean_us) } µs
percentile_below_mean-advice = check both figures against the log
tail-advice = look at the run's slowest seconds in its series, and at the server's log there; repeat it

## Pool and writes.

mixed_folders = { mixed_folders.brief }, and count as repeats of { $cells ->
    [one] 1 configuration
   *[other] { NUM($cells) } configurations
}; in the mean they differ by { PERCENT($apart, significant: 2) } %
    .brief = { where }{ $runs } come from folders whose names say nothing known: { COMMAS($folders, $folders_more) }
mixed_folders-advice = where these are other servers or settings, read them again with --pattern '{ $pattern }': then they are data sets of their own
at_once = { at_once.brief }{ $is_named ->
    [true] , and count as repeats
   *[false] {""}
}: if they are clients of one run, their throughputs add up
    .brief = { where }{ $n } of { $runs } were under way at the same time as another one alike ({ $cell }), by the clocks of their logs
at_once-advice = where they are clients of one run, name them under clients in a ycsbook.yml; else measure one after the other
pool = { $cell }: at least { FIXED($busy) } reads were under way at once, more than { $recorded ->
    [true] the { NUM($size) } connections that its command line allows: others were used, or throughput or latency is wrong
   *[false] the { NUM($size) } connections that one client has by default: several clients, a larger pool or a wrong figure; the source does not say which
}
pool-advice = say the pool's size (maxPoolSize) with the figures, and set it to at least the number of threads
pool-recorded = { pool-recorded.brief } ({ $threads ->
    [missing] threads unknown
   *[other] { COMMAS($threads, $threads_more) } threads
}): the pool was measured, and more threads could only wait for it
    .brief = in { $n } of { $runs } the connection pool was smaller than the number of threads
pool-recorded-advice = set maxPoolSize to at least the number of threads and repeat these runs
pool-shown = no more than about { FIXED($calls) } calls were under way at { AND($threads, $threads_more) } threads, on every spec: the others waited for a connection or in the client
pool-shown-advice = raise maxPoolSize to the number of threads, or add clients, and repeat these runs
unacked_writes = { $all ->
    [true] { $n ->
        [1] {""}
       *[other] all{" "}
    }
   *[false] { $n } of{" "}
}{ $rows } measured with write concern 0: writes were sent, and nobody waited for an answer{ $below ->
    [0] {""}
   *[other] ; in { $below } of { $written } the mean write latency is below the network round trip of { FIXED($rtt_us) } µs
}
unacked_writes-advice = repeat with write concern 1 or majority; the write latency is only the time to send
unacked_writes-below = in { $rows } the mean write latency is below the network round trip (least { FIXED($write_us) } of { FIXED($rtt_us) } µs: { $cell }): no answer comes that fast
unacked_writes-below-advice = check the write concern that the client really used, and measure the round trip again
writes_slower_than_reads = { writes_slower_than_reads.brief } ({ FIXED($write_us) } against { FIXED($read_us) } µs): probably the server could not keep up, and throughput is what the connections took, not what was written. Rows: { COMMAS($names, $names_more) }
    .brief = in { $rows } writes that nobody waits for took longer than reads, most at { $row }
writes_slower_than_reads-advice = repeat with write concern 1, and watch the server's queues
write_latency_outliers = at { threads } sending a write usually took { FIXED($usual_us) } µs (median of { $n } rows), and something else in { $odd }: { COMMAS($names, $names_more) }
write_latency_outliers-row = { spec-mix-plain } { FIXED($write_us) } µs
write_latency_outliers-advice = repeat these rows with write concern 1 before reading their latency

## History, repeats and what a publisher prints.

change_point = { $cell }: throughput changed by { CHANGE($effect) } ({ interval }) with the run of { $started_at }, { $before ->
    [one] { $before } run
   *[other] { $before } runs
} before and { $since } since; { $versions ->
    [changed] it began with version { $version } ({ $version_before } before)
    [throughout] the server's version is { $version } throughout
    [as-before] the version was { $version } then as before
   *[unknown] the server's version is not recorded
}
    .brief = { $cell }: throughput changed by { CHANGE($effect) }
change_point-advice = run both versions again on the same host, interleaved, and compare them with ycsbook compare
noise = { where }{ $cell }: its { $n } repeats vary by { PERCENT($sd, digits: 1) } %{ $wilder ->
    [true] , { DIGITS($times) } times as much as the repeats of the other { $others } ({ PERCENT($usual, digits: 1) } %)
   *[false] , so much that their mean says little
}
    .brief = { where }{ $cell }: its { $n } repeats vary by { PERCENT($sd, digits: 1) } %
noise-runs = { noise-far }, which agree: { COMMAS($rows, $rows_more) }
noise-left-out = { noise-far }, which agree, and { $n ->
    [one] is
   *[other] are
} left out: { COMMAS($rows, $rows_more) }
noise-far = { where }{ $n ->
    [one] one of { $total } runs is far from the other repeats of its configuration
   *[other] { $n } of { $total } runs{ noise-all-on } are far from the other repeats of their configurations
} ({ CHANGE($low) }{ $high ->
    [missing] {""}
   *[other] {" "}to { CHANGE($high) }
})
noise-all-on = { $only ->
    [missing] {""}
   *[other] , all on { $only } in repeat { $repeat },
}
noise-run = { $cell }{ $repeat ->
    [missing] {""}
   *[other] {" "}(repeat { $repeat })
}
noise-advice = look for other load on the machine or a stall in one of the runs, and repeat them
two_levels = { two_levels.brief }: { $n_low } near { OPS($low) } ops/s and { $n_high } near { OPS($high) }, each close together
    .brief = { where }{ $cell }: its { $n } repeats fall into two groups, { PERCENT($apart, digits: 0) } % apart
two_levels-advice = find what differed between the two groups (host, placement, cache, settings) before you use this row
two_levels-groups = { where }the { $rows } are of two groups, { DIGITS($times) } times apart at every core count: two kinds of servers under one name?
two_levels-groups-advice = give the two groups names in a column, such as vendor or spec
noise-unknown = { where }the { $rows } have one figure each, so nothing is known of noise: small differences prove nothing
noise-copied = { where }all repeats of the { $rows } are equal to the last digit, as copies are and measurements are not: they count as one, and nothing is known of noise
noise-copied-advice = give each run its own figure, or each figure once
noise-unknown-advice = measure each configuration at least 3 times, in turn
noise-power = { where }repeats vary by { PERCENT($sd, digits: 1) } % ({ $configurations }, { $repeats ->
    [missing] by the figures printed beside them
   *[other] { $repeats } repeats
}, { $df ->
    [one] { $df } degree
   *[other] { $df } degrees
} of freedom){ $few_sd ->
    [missing] {""}
   *[other] , from { PERCENT($few_sd, digits: 1) } % on { NUM($few) } to { PERCENT($many_sd, digits: 1) } % on { $many ->
        [one] 1 core
       *[other] { NUM($many) } cores
    }
}. A loss of { PERCENT($loss, digits: 1) } % is found in { PERCENT($power, digits: 0) } of 100 sweeps, one of { PERCENT($larger_loss, digits: 1) } % in { PERCENT($higher_power, digits: 0) }. To find { PERCENT($change, digits: 0) } % in { PERCENT($power, digits: 0) } of 100 takes { $over ->
    [true] more than { $needed } repeats
   *[false] { $needed } repeats
} of each
noise-power-advice = plan as many repeats as the smallest change that matters needs
settings_implausible = the page prints operationcount={ $operations }: at the printed throughput { $short ->
    [0] {""}
    [one] { $short } of the { $rows } rows lasts less than 1 s and{" "}
   *[other] { $short } of the { $rows } rows last less than 1 s and{" "}
}the longest lasts { DURATION($longest_s) }{ $asked ->
    [missing] {""}
   *[other] ; the same page asks for “{ $asked }”
}
settings_implausible-example = the page prints operationcount={ $operations } as an example only: “{ $words }”. Neither the counts nor the run times of the rows are printed
settings_implausible-default = the page prints no { $lacks ->
    [operation] operation
   *[both] record or operation
} count: its commands as printed would do { $count } operations in { DURATION($longest_s) } at most{ $data ->
    [missing] {""}
   *[other] , over { $count } records, while the page speaks of “{ $data }”
}
settings_implausible-stated = the page prints no operation count, but a run time: that of { $count } operations in { DURATION($longest_s) }
settings_implausible-advice = ask the publisher for the counts and the run times; until then assume that caches had not warmed up

## Runs that are doubtful by what their logs say.

invalid_run-not_completed = { where }{ $n } of { $runs } did not complete{ $reasons ->
    [missing] {""}
   *[other] {" "}({ COMMAS($reasons, $reasons_more) })
} and count nowhere: { COMMAS($run_ids, $run_ids_more) }
    .brief = { where }{ $n } of { $runs } did not complete
invalid_run-not_completed-advice = read their logs, then measure them again: ycsbook run keeps what is finished
invalid_run-operations_failed = { where }operations failed in { $n } of { $runs }{ $cell ->
    [missing] {""}
   *[other] , most at { $cell }: { PERCENT($share, significant: 2) } %{ $operations ->
        [missing] {""}
       *[other] {" "}of { FIXED($operations) }
    }
}
invalid_run-short_run = { where }{ $n } of { $runs } lasted less than 20 min{ $shortest_s ->
    [missing] {""}
   *[other] , the shortest { DURATION($shortest_s) }
}{ $planned ->
    [true] , as the plan asks
   *[false] {""}
}
invalid_run-cores_not_enforced = { where }the cores of { COMMAS($specs, $specs_more) } were recorded, not enforced: throughput against cores means nothing here
invalid_run-counts_disagree = { where }figures contradict each other in { $n } of { $runs }: in { $run_id } throughput x run time is { FIXED($behind) } operations, { FIXED($operations) } are counted; a log that was edited by hand or put together of two looks so
invalid_run-columns_unread = { where }{ $what } ({ $n } of { $runs })
invalid_run-warned = { where }{ $warning } in { $n } of { $runs }: { COMMAS($run_ids, $run_ids_more) }

## The names of the rules.

rule-little_law = more than the threads can do
rule-thread_regression = loss with more threads
rule-more_cores_slower = slower with more cores
rule-more_ram_slower = slower with more RAM
rule-little_family = throughput and latency do not fit
rule-repair_hint = possible typing errors
rule-copied_rows = figures of another row
rule-wrong_digits = a wrong number of digits
rule-lone_row = a row that fits none beside it
rule-swapped_rows = exchanged rows
rule-thread_hint = another thread count fits
rule-unacked_writes = unacknowledged writes
rule-writes_slower_than_reads = writes held up
rule-write_latency_outliers = unusual write latencies
rule-cpu_contradiction = CPU figure contradicts itself
rule-superlinear_threads = gain beyond the threads
rule-cpu_per_operation = unusual CPU per operation
rule-mix_order = two mixes change places
rule-dip = less than the specs beside it
rule-scaling_outlier = far from the other specs
rule-not_saturated = server's CPU not the limit
rule-stall = throughput stood still
rule-degradation = fall within a run
rule-warmup = warm-up
rule-not_settled = not settled
rule-sawtooth = periodic swings
rule-percentile_below_mean = percentile below the mean
rule-tail = long latency tail
rule-mixed_folders = folders taken for repeats
rule-at_once = runs at the same time
rule-pool = connection pool too small
rule-invalid_run = doubtful runs
rule-early_rounds = first rounds apart
rule-host_drift = the host changed
rule-slow_stretch = slow runs in a row
rule-busy_host = other work on the machine
rule-same_server = one server for several specs
rule-spec_label = name and size of a spec differ
rule-server_size = server smaller or larger than its spec
rule-settings_implausible = implausible settings
rule-change_point = change in the history
rule-noise = noise of the repeats
rule-two_levels = two groups of repeats
