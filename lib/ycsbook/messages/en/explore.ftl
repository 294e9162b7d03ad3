### Widgets and pictures of a notebook that looks around.

explore-dataset = Dataset
explore-all = all
explore-best = what is claimed
explore-choose-run = click a point, or choose it here
explore-runs-of-finding = every run of the finding
explore-workload-title = { $mix ->
    [missing] Every run
   *[other] { $mix }
}
explore-workload-law = { $mix }, { explore-laws }{ $claimed ->
    [none] , not claimed
    [some] , not claimed of every series
   *[all] {""}
}
# What laws are called together.
explore-laws = { $n ->
    [0] no law
   *[other] { AND($laws) } law
}
explore-scaling-alt = Throughput over cores: { $mix }, { explore-laws }, { explore-runs }.
explore-runs = { $runs ->
    [one] { $runs } run
   *[other] { $runs } runs
}
explore-latency-alt = Mean latency over throughput, a point per run.
explore-series-alt = Throughput over time of { $runs ->
    [one] one run
   *[other] { $runs } runs
}. { $title }
explore-series-of-finding = Runs of the finding { $rule }
explore-law-fits = { $group }, { explore-laws }: { $scatter ->
    [missing] {""}
   *[other] the specs scatter { PERCENT($scatter, digits: 0) } % around it;{" "}
}{ $verdict }.
explore-threads-unknown = threads unknown
explore-repeat = repeat { NUM($repeat) }
explore-run-line = { $run }: { FIXED($value) } ops/s
explore-throughput = { FIXED($value) } ops/s ({ $source ->
    [steady_ops_s] steady, without the warm-up
    [goodput_ops_s] successes only
   *[throughput_ops_s] as the client printed it
})
explore-cpu = server's CPU { PERCENT($share, digits: 0) } %
explore-grade = trust { $grade }
explore-at = at { NUM($elapsed) } s: { FIXED($value) } ops/s
explore-nothing-found = Nothing was found in these runs.
explore-no-series = { $published ->
    [true] No series second by second: these runs were published as means.
   *[false] No series second by second: these runs have none.
}
explore-choose-another = Choose another dataset.
