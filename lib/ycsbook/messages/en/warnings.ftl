### The warnings of a run (verdicts.Warn): what each means and what to do about it; name: what it is called.

warning-operations_failed = some operations failed: read goodput, not throughput, and look at the errors
    .name = operations failed
warning-operations_unmeasured = somewhat fewer operations were measured than were asked for: the others may have failed
    .name = operations not measured
warning-batched_latency = writes were batched: their latencies are those of a buffer, ignore them
    .name = batched latency
warning-intended_latency = latencies count from when an operation was due (measurement.interval=intended; wrk), so they hold waiting: do not compare them with those of other runs
    .name = intended latency
warning-unacked_writes = write concern 0: nobody knows whether the writes succeeded, and the write latency is the time to send; repeat with write concern 1 or majority
    .name = unacked writes
warning-short_run = shorter than 20 minutes: caches and checkpoints had no time to settle; raise min_duration
    .name = short run
warning-clock_stepped = the clock moved during the run, so its duration is wrong; repeat the run
    .name = clock stepped
warning-counts_disagree = the log's own figures contradict each other; do not use it until you know why
    .name = counts disagree
warning-p95_is_p90 = this YCSB release prints the 90th percentile under the name of the 95th
    .name = p95 is p90
warning-unit_label_wrong = latencies labelled ms are microseconds
    .name = unit label wrong
warning-censored = latencies beyond the last bucket were not measured: high percentiles are lower bounds
    .name = censored
warning-truncated = the log ends early
    .name = truncated
warning-derived = this is a mean of several logs, not a log
    .name = derived
warning-threads_unknown = the number of client threads is not in the log: say it in a sidecar or with --set
    .name = threads unknown
warning-threads_clipped = fewer client threads ran than were asked for: raise the operation count
    .name = threads clipped
warning-little_law = throughput x latency exceeds the threads, which no closed loop can do: at least one of the figures is wrong
    .name = little law
warning-pool_below_threads = the connection pool is smaller than the threads: the pool was measured
    .name = pool below threads
warning-cores_not_enforced = the spec's cores were recorded, not enforced, on this system
    .name = cores not enforced
warning-host_speed_changed = the host's own speed changed by more than 10 % during the run; repeat it
    .name = host speed changed
warning-tls_not_verified = the URI switches the check of the server's certificate or host name off: nobody knows who answered; give tlsCAFile instead
    .name = tls not verified
warning-workload_inferred = no command line names the workload: it was inferred from the names of file and folders, else from the mix of operations; say it in a sidecar or with --set
    .name = workload inferred
warning-workload_contradicted = the operations are not those of the standard workload of that name: say the right one in a sidecar or with --set, or give a mix of your own a name of its own
    .name = workload contradicted
warning-settings_inferred = the threads, records, repeat or spec were taken from the names of file and folders, or a page's threads or server from its text, as nothing else says them; say them in a sidecar or with --set
    .name = settings inferred
warning-excerpt = only the totals of a summary are there: nobody knows whether operations failed, or which; look for the whole log
    .name = excerpt
warning-percentiles_averaged = percentiles of several clients were averaged, which gives no percentile of all: do not compare them
    .name = percentiles averaged
warning-operation_unknown = the table does not say of which operations its latencies are, or they are of all together: do not compare them with those of reads or of writes
    .name = operation unknown
warning-columns_unread = the table has columns that are not understood, so nothing of them is here: rename them, with their unit, such as Read avg (us); prices per hour stand by spec under prices in a params file, given with --params
    .name = columns not read
warning-repeat_twice = a repeat number stands twice for one spec, mix and number of threads: rows of two servers or settings may be mixed; add a column that tells them apart
    .name = repeat number twice
columns-unread = { $n ->
    [one] column { COMMAS($columns) } was not read
   *[other] columns { COMMAS($columns) } were not read
}

## Why a run ended early.

stop-timeout = timeout
stop-stalled = stalled
stop-server_lost = server_lost
stop-disk_full = disk_full
stop-killed = killed
