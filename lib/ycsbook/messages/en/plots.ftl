### The words in pictures, beside names from the data.

plot-cores = cores (log scale)
plot-threads = client threads (log scale)
plot-throughput = throughput (ops/s)
plot-throughput-log = throughput (ops/s, log scale)
plot-per-core = throughput per core (ops/s)
plot-utilisation = throughput × latency / threads
plot-cpu-per-operation = CPU per operation (µs, log scale)
plot-threads-ceiling = threads / lowest latency
plot-ceiling = threads / latency
plot-mix = reads to updates
plot-limit = all threads busy
plot-latency = latency (ms, log scale)
plot-percentile = percentile
plot-time = time since start (s)
plot-residual = beyond the law
plot-warmup = warm-up
plot-stalled = stalled
plot-measured = measured
plot-published = published
plot-flagged = flagged
plot-doubtful = in doubt
plot-proportional = proportional
plot-gain = gain
plot-loss = loss
plot-flagged-loss = flagged loss
plot-point = { $spec }, { NUM($threads) } thr.
