"""The columns of `samples.csv`: what is written beside a run once a second, and read again."""

# What the server counts from its start, and its state, as its own status tells them.
COUNTED = (
    "inserts", "queries", "updates", "deletes", "commands", "evicted_by_application", "written_bytes", "read_bytes",
    "network_bytes",
)  # fmt: skip
STATES = ("connections", "cache_bytes", "cache_dirty_bytes", "checkpoint_running", "checkpoint_ms")
# CPU times are cumulative seconds of the whole process tree; an empty cell is not known.
COLUMNS = (
    "epoch_s", "server_cpu_s", "client_cpu_s", "server_rss_bytes", "client_rss_bytes", "load_average",
    *COUNTED, *STATES, "host_cpu_s",
)  # fmt: skip
