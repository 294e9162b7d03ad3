"""The columns of every table: one glossary for all of them, one schema per table.

Missing is NaN (or an empty string for text), never 0. A column that is not in GLOSSARY is a bug, and a
test says so. Latencies are microseconds, throughput operations per second, RAM GiB.
"""

# 2: the format, the merged clients and the line of every value. 3: what limits a point, findings by cause. 4: what a
# server tells of itself, who else used the client's machine. 5: what is said, as the key of a message and its values.
# 6: why a run did not complete as well. 7: the mix of limits, what series are called. 8: the records of the data set.
# 10: their indexes. 11: what a server writes, and how large its data are. 12: failovers.
# 13: what an operation costs a server. 14: which machine the clients ran on.
SCHEMA_VERSION = 14
# Where a Parquet file says its schema version.
VERSION_KEY = b"ycsbook_schema"

# column: (pandas dtype, unit or "", meaning)
GLOSSARY: dict[str, tuple[str, str, str]] = {
    # what was measured
    "run_id": ("str", "", "readable slug and hash of the run's full inputs and repeat number"),
    "dataset": ("str", "", "the sweep or published table the run belongs to"),
    "vendor": ("str", "", "who published it; empty for our own runs"),
    "server_version": ("str", "", "version of the server"),
    "topology": ("str", "", "standalone or replica_set"),
    "format": ("str", "", "what the figures were read from: ycsb, ycsb-json, go-ycsb, iibench, ... or published"),
    "spec": ("str", "", "slug of the server's shape, such as 8c64g"),
    "spec_label": ("str", "", "the shape as its vendor spells it"),
    "cores": ("float64", "cores", "CPU cores of the server; fractions come from a CPU quota"),
    "ram_gib": ("float64", "GiB", "RAM of the server"),
    "cache_gib": ("float64", "GiB", "WiredTiger cache"),
    "workload": ("str", "", "name of the operation mix"),
    "read_fraction": ("float64", "", "share of reads in the mix"),
    "records": ("float64", "", "records in the data set; NaN: not said"),
    "indexes": ("float64", "", "indexes that an experiment's records have beside their keys'; NaN: not said"),
    "batch_size": ("float64", "", "records that one operation inserts together; NaN: one, or not said"),
    "data_bytes": (
        "float64",
        "B",
        "size of the records as documents, at the end of a run that inserts, else before it",
    ),
    "storage_bytes": ("float64", "B", "size of the files with records and indexes, then"),
    "index_bytes": ("float64", "B", "those with indexes"),
    "threads": ("float64", "", "YCSB client threads, all clients together"),
    "clients": ("float64", "", "YCSB client processes"),
    "repeat": ("float64", "", "repeat number, from 1"),
    "phase": ("str", "", "load or run"),
    "write_concern": ("str", "", "MongoDB write concern: 0, 1 or majority"),
    "read_preference": ("str", "", "which members are read from: primary, secondary, nearest, ..."),
    "distribution": ("str", "", "how keys are drawn: zipfian, uniform, latest, ..."),
    "target_ops_s": ("float64", "ops/s", "YCSB's -target throttle; NaN: none"),
    "pool_size": ("float64", "", "connections that the driver may open, all clients together; NaN: not said"),
    # how it went
    "throughput_ops_s": ("float64", "ops/s", "YCSB OVERALL, which counts failed operations"),
    "goodput_ops_s": ("float64", "ops/s", "successful operations per second"),
    "steady_ops_s": ("float64", "ops/s", "goodput without the warm-up, from the interval series"),
    "client_sum_ops_s": ("float64", "ops/s", "plain sum of the clients' own throughputs; NaN: one client"),
    "union_ops_s": ("float64", "ops/s", "operations of all clients over the time from the first start to the last end"),
    "client_skew_s": ("float64", "s", "time between the first and the last client's start"),
    "warmup_s": ("float64", "s", "warm-up left out of steady_ops_s"),
    "runtime_ms": ("float64", "ms", "run time that was printed; of several clients from first start to last end"),
    "operations": ("float64", "", "operations, failed ones included"),
    "failed_operations": ("float64", "", "operations with a return code other than OK or BATCHED_OK"),
    "cpu_utilisation": ("float64", "", "server CPU time over wall time x cores, in the steady part"),
    "client_cpu": ("float64", "cores", "CPU cores the clients used, in the steady part"),
    "server_rss_peak_gib": ("float64", "GiB", "most resident memory of the server"),
    "server_cpu_us_per_op": ("float64", "us", "CPU time of the server for one operation, in the steady part"),
    "written_bytes_per_op": ("float64", "B", "bytes that the server wrote to its disk for one operation, then"),
    "read_bytes_per_op": ("float64", "B", "bytes that it read from its files for one operation, then"),
    "network_bytes_per_op": ("float64", "B", "bytes that it received and sent for one operation, then"),
    "host_speed": ("float64", "", "the client machine's own speed after the run over that before it"),
    "client_machine": ("str", "", "mark of the machine that its clients ran on, of several of each; empty: this one"),
    "cores_enforced_by": ("str", "", "cgroup2, cgroup1, duty_cycle or none"),
    "rtt_us": ("float64", "us", "network round trip to the server"),
    "server_id": ("str", "", "of a server given by URI: its process as it tells, else a hash of its address after at-"),
    "server_cores": ("float64", "cores", "CPU cores that a server given by URI tells"),
    "server_ram_gib": ("float64", "GiB", "RAM that a server given by URI tells"),
    "host_cores": ("float64", "cores", "logical cores of the client's machine"),
    "host_cpu": (
        "float64",
        "cores",
        "CPU cores in use on the client's machine, stolen ones included, in the steady part",
    ),
    "other_cpu": ("float64", "cores", "those of them that neither client nor server used"),
    "outcome": ("str", "", "completed, failed, incomplete or published"),
    "reason": ("str", "", "why, in words; of a run that is not completed messages.worded adds it"),
    "stop_reason": ("str", "", "why a run ended early"),
    "warnings": ("str", "", "names from the warnings list, separated by spaces"),
    "started_at": ("str", "", "start, ISO 8601: UTC for runs of the store, else the client's local time"),
    "source": ("str", "", "file and line the figures come from"),
    "status_source": ("str", "", "file the status lines come from"),
    # per operation
    "operation": ("str", "", "READ, UPDATE, INSERT, SCAN, READ-MODIFY-WRITE, ..."),
    "count": ("float64", "", "operations with a latency"),
    "ok": ("float64", "", "return code OK"),
    "batched_ok": ("float64", "", "return code BATCHED_OK"),
    "errors": ("float64", "", "all other return codes"),
    "return_codes": ("str", "", "every return code with its count, as JSON"),
    "mean_us": ("float64", "us", "mean latency"),
    "min_us": ("float64", "us", "smallest latency"),
    "max_us": ("float64", "us", "largest latency"),
    "percentile": ("float64", "", "0 to 100"),
    "latency_us": ("float64", "us", "latency at that percentile"),
    "latency_low_us": ("float64", "us", "smallest of the clients' values, where they cannot be merged"),
    "latency_high_us": ("float64", "us", "largest of the clients' values, where they cannot be merged"),
    "percentile_source": (
        "str",
        "",
        "hdr (exact histogram), raw (every latency), summary (printed), buckets (of 1 ms) or clients (not mergeable)",
    ),
    # per second
    "elapsed_s": ("float64", "s", "end of the interval, from the start of the run"),
    "interval_s": ("float64", "s", "length of the interval"),
    "p99_us": ("float64", "us", "99th percentile within the interval"),
    "histogram": ("bytes", "", "HdrHistogram, encoding V2, base64"),
    "server_cpu_cores": ("float64", "cores", "CPU cores the server used in the interval"),
    "client_cpu_cores": ("float64", "cores", "CPU cores the clients used in the interval"),
    "server_rss_gib": ("float64", "GiB", "resident memory of the server"),
    "load_average": ("float64", "", "the client machine's one-minute load average"),
    "inserts_s": ("float64", "1/s", "inserts that the server counted"),
    "queries_s": ("float64", "1/s", "queries that the server counted"),
    "updates_s": ("float64", "1/s", "updates that the server counted"),
    "deletes_s": ("float64", "1/s", "deletes that the server counted"),
    "commands_s": ("float64", "1/s", "other commands that the server counted"),
    "evicted_by_application_s": ("float64", "1/s", "cache pages that clients' threads had to evict themselves"),
    "written_bytes_s": (
        "float64",
        "B/s",
        "bytes that the server wrote to its disk, journal included, as it counted them",
    ),
    "read_bytes_s": ("float64", "B/s", "bytes that the server read from its files, as it counted them"),
    "network_bytes_s": ("float64", "B/s", "bytes that the server received and sent, as it counted them"),
    "connections": ("float64", "", "connections open on the server"),
    "cache_used_gib": ("float64", "GiB", "WiredTiger cache in use"),
    "cache_dirty_gib": ("float64", "GiB", "changed and not yet written part of it"),
    "checkpoint_running": ("float64", "", "1 while a checkpoint is being written"),
    "checkpoint_ms": ("float64", "ms", "how long the last checkpoint took"),
    "host_cpu_cores": ("float64", "cores", "CPU cores in use on the client's machine, stolen ones included"),
    # through a failover (docs/systems.md)
    "event": (
        "str",
        "",
        "struck, elected, written (a new primary's first write), back or whole; empty: the row is of a second",
    ),
    "role": ("str", "", "what the member was when it was struck: secondary or primary"),
    "member": ("str", "", "the member's host:port"),
    "acknowledged": (
        "float64",
        "",
        "inserts answered as written; with write concern 0, inserts that were sent",
    ),
    "unknown": ("float64", "", "inserts without an answer"),
    "resurrected": ("float64", "", "inserts reported as failed and found afterwards"),
    "lag_s": ("float64", "s", "how far the last secondary is behind the primary; NaN: there is no primary"),
    # findings
    "rule": ("str", "", "which check fired"),
    "severity": ("str", "", "error, warning, notice or note"),
    "run_ids": ("str", "", "the runs concerned, separated by spaces"),
    "effect": ("float64", "", "size of the effect as a fraction: -0.66 is two thirds less; NaN: of how many runs"),
    "evidence": ("str", "", "repeats, single or published: whether noise is known"),
    "message_key": ("str", "", "what is found: the key of a message (ycsbook.messages)"),
    "message_values": ("str", "", "the figures and names in that message, as JSON"),
    "advice_key": ("str", "", "what to do next: the key of a message"),
    "advice_values": ("str", "", "the figures and names in that message, as JSON"),
    "message": ("str", "", "the finding in English, for people; no program reads it"),
    "next_step": ("str", "", "what to do next in English, for people"),
    "cause": ("str", "", "findings with the same are one to a reader; empty: none known"),
    # fits
    "group": (
        "str",
        "",
        "which points were fitted: workload and threads, and whether published",
    ),
    "series": ("str", "", "the group in words, for people"),
    "law": ("str", "", "linear, power, amdahl or usl"),
    "term": ("str", "", "parameter: lambda, exponent, sigma, kappa; of the joint law c, exponent, r0_us, m"),
    "estimate": ("float64", "", "its best value"),
    "std_error": ("float64", "", "its standard error"),
    "conf_low": ("float64", "", "lower end of its 95 % interval"),
    "conf_high": ("float64", "", "upper end of its 95 % interval"),
    "n_obs": ("float64", "", "points fitted (spec means)"),
    "n_runs": ("float64", "", "runs behind them"),
    "n_specs": ("float64", "", "distinct core counts"),
    "aicc": ("float64", "", "corrected Akaike information criterion, ln scale; NaN: too few points"),
    "loo_error": ("float64", "", "leave-one-out root mean square error of ln X"),
    "residual_se": ("float64", "", "residual standard error of ln X"),
    "converged": ("bool", "", "whether the fit converged"),
    "limit": ("str", "", "parameters at a bound"),
    "verdict": (
        "str",
        "",
        "of a law: claimed, shown (not claimed) or refused, with the reason; of a ratio: what is shown",
    ),
    "sentence": ("str", "", "the same in a sentence, for people"),
    "scatter": ("str", "", "how far the points lie from the law, beside what 95 % is claimed of"),
    "n_censored": ("float64", "", "points taken as lower bounds: something else than the server limited them"),
    "n_left_out": ("float64", "", "points left out: suspect or inconsistent"),
    "run_low": ("float64", "ops/s", "lower end of the 95 % interval of a new run"),
    "run_high": ("float64", "ops/s", "upper end of the 95 % interval of a new run"),
    "interval_law": ("str", "", "the law whose interval it is: beyond the measured range usl"),
    "identifiable": ("bool", "", "whether the data determine it"),
    # what limits a point
    "utilisation": ("float64", "", "X R / N: the share of the time that a client thread waits for the server"),
    "threads_from": ("float64", "", "lower thread count of the pair that decided"),
    "threads_to": ("float64", "", "higher thread count of the pair that decided"),
    "ratio": ("float64", "", "throughput of the second over that of the first"),
    "limit_kind": (
        "str",
        "",
        "server, concurrency, elsewhere, contradiction, inconsistent, suspect, undecided or single",
    ),
    "retrograde": ("bool", "", "slower with more threads (not where the rows cannot be right)"),
    "measured": ("bool", "", "whether the throughput is the server's own; else it is a lower bound"),
    "at_most": ("float64", "ops/s", "the most that any number of threads would bring, by the closed loop"),
    # steps between specs, comparisons
    "from_spec": ("str", "", "the smaller spec of a step"),
    "to_spec": ("str", "", "the larger spec of a step"),
    "ram_from": ("float64", "GiB", "RAM of the smaller spec"),
    "ram_to": ("float64", "GiB", "RAM of the larger spec"),
    "cost_ratio": ("float64", "", "price, or else cores, of the larger over the smaller"),
    "efficiency": ("float64", "", "gain over cost_ratio"),
    "ops_per_core": ("float64", "ops/s", "throughput gained per core added"),
    "ops_per_gib": ("float64", "ops/s", "throughput gained per GiB added, at equal cores"),
    # capacity, cost, what to run next
    "law_scatter": ("float64", "", "spec-to-spec standard deviation of ln X around the law"),
    "probability": ("float64", "", "that another server of the spec reaches the throughput asked for"),
    "again": ("float64", "", "that one more run of the measured spec reaches it, from its own runs"),
    "at_least": ("bool", "", "whether more threads might bring more: the spec itself is not shown to be the limit"),
    "suffices": ("bool", "", "whether the spec is good enough for what was asked"),
    "price_per_hour": ("float64", "", "price of the spec per hour, in the currency of the params file"),
    "cost_per_million": ("float64", "", "price of a million operations of a server in full use"),
    "cost_low": ("float64", "", "lower end of its 95 % interval"),
    "cost_high": ("float64", "", "upper end of its 95 % interval"),
    "suggestion": (
        "str",
        "",
        "check, between, repeats, spec, threads or ladder (ycsbook.scaling.next_runs.suggest)",
    ),
    "reduction": ("float64", "", "share of its interval's width that the run would save"),
    "saturated_ops_s": ("float64", "ops/s", "highest throughput of a spec that is shown to be its server's"),
    "r0_us": ("float64", "us", "mean latency of one client thread alone"),
    "knee_threads": ("float64", "", "saturated_ops_s x r0_us: from so many threads on operations queue"),
    "a": ("str", "", "what it is compared with: the reference"),
    "b": ("str", "", "what is compared"),
    "spec_a": ("str", "", "the spec of a; empty: the mean over specs"),
    "spec_b": ("str", "", "the spec of b; empty: its law, between its cells, or the mean over specs"),
    "p": ("float64", "", "two-sided p that they are equal, adjusted by Holm; NaN: not tested"),
    "y": ("str", "", "which throughput column was fitted"),
    "observed": ("float64", "ops/s", "the spec's mean throughput"),
    "fitted": ("float64", "ops/s", "the law's throughput"),
    "residual": ("float64", "", "ln observed - ln fitted"),
    "cores_from": ("float64", "cores", "lower core count of a step"),
    "cores_to": ("float64", "cores", "upper core count of a step"),
    "elasticity": ("float64", "", "ln throughput ratio over ln cores ratio of a step"),
    "gain": ("float64", "", "throughput ratio of a step"),
    "basis": ("str", "", "what is compared: specs at equal RAM, equal specs, the means of all, a law, between cells"),
    "extrapolated": ("bool", "", "whether the point lies outside the measured range"),
    # only in published tables
    "ral_us": ("float64", "us", "mean read latency as published"),
    "wal_us": ("float64", "us", "mean write latency as published"),
    "source_line": ("float64", "", "line of the source document, from 1"),
    "query": ("str", "", "what the query chart shows: primary_key or index"),
    "engine": ("str", "", "database or storage engine, as its source names it"),
    "placement": ("str", "", "printed, or assumed where a printed series has fewer values than sizes"),
    "succeeded": ("float64", "", "inserts reported as successful"),
    "failed": ("float64", "", "inserts reported as failed"),
    "lost": ("float64", "", "inserts neither reported as failed nor found afterwards"),
    "duration_s": ("float64", "s", "duration as published"),
    "duration_min": ("float64", "min", "duration as published"),
    "stall": ("str", "", "how long the server refused work, in the source's words"),
    "rows_per_thread": ("float64", "", "rows each client thread worked on"),
    "rows": ("float64", "", "rows of all client threads"),
    "thread_throughput_ops_s": ("float64", "ops/s", "rows per second of one client thread"),
}

# What tables say to people, as the key of a message and its values, beside the column for the English sentence.
GLOSSARY |= {
    f"{column}_{part}": ("str", "", f"{what} of `{column}` (ycsbook.messages)")
    for column in ("series", "verdict", "sentence", "scatter", "basis", "reason")
    for part, what in (("key", "key of the message"), ("values", "values of the message, as JSON text,"))
}

# The tables that ingest writes.
INGESTED = ("runs", "operations", "percentiles", "intervals", "histograms", "samples", "failovers")


def _said(column: str) -> tuple[str, str, str]:
    """A fact and its English sentence."""
    return f"{column}_key", f"{column}_values", column


SCHEMAS: dict[str, tuple[str, ...]] = {
    "runs": (
        "run_id", "dataset", "vendor", "format", "server_version", "topology", "spec", "spec_label", "cores", "ram_gib",
        "cache_gib", "workload", "read_fraction", "records", "indexes", "batch_size", "data_bytes",
        "storage_bytes", "index_bytes", "threads", "clients", "repeat", "phase",
        "write_concern", "read_preference", "distribution", "target_ops_s", "pool_size", "throughput_ops_s",
        "goodput_ops_s", "steady_ops_s", "client_sum_ops_s",
        "union_ops_s", "client_skew_s", "warmup_s", "runtime_ms",
        "operations", "failed_operations", "cpu_utilisation", "client_cpu", "server_rss_peak_gib",
        "server_cpu_us_per_op", "written_bytes_per_op", "read_bytes_per_op", "network_bytes_per_op",
        "host_speed", "client_machine", "cores_enforced_by",
        "rtt_us", "server_id", "server_cores", "server_ram_gib", "host_cores", "host_cpu", "other_cpu", "outcome",
        "reason_key", "reason_values", "stop_reason", "warnings", "started_at", "source", "status_source",
    ),
    "operations": (
        "run_id", "operation", "count", "ok", "batched_ok", "errors", "return_codes", "mean_us", "min_us",
        "max_us", "source",
    ),
    "percentiles": (
        "run_id", "operation", "percentile", "latency_us", "latency_low_us", "latency_high_us", "percentile_source",
        "source",
    ),
    "intervals": (
        "run_id", "operation", "elapsed_s", "interval_s", "operations", "throughput_ops_s", "mean_us", "max_us",
        "p99_us", "source_line",
    ),
    "histograms": ("run_id", "operation", "count", "histogram", "source"),
    "samples": (
        "run_id", "elapsed_s", "interval_s", "server_cpu_cores", "client_cpu_cores", "server_rss_gib",
        "load_average", "inserts_s", "queries_s", "updates_s", "deletes_s", "commands_s", "evicted_by_application_s",
        "written_bytes_s", "read_bytes_s", "network_bytes_s",
        "connections", "cache_used_gib", "cache_dirty_gib", "checkpoint_running", "checkpoint_ms",
        "host_cpu_cores",
    ),
    "failovers": (
        "run_id", "elapsed_s", "event", "role", "member", "acknowledged", "failed", "unknown", "lost", "resurrected",
        "lag_s",
    ),
    "findings": (
        "rule", "severity", "dataset", "workload", "spec", "threads", "run_ids", "effect", "conf_low", "conf_high",
        "evidence", "message_key", "message_values", "advice_key", "advice_values", "message", "next_step", "cause",
    ),
    "fit_tidy": (
        "group", "workload", "threads", "outcome", "law", "term", "estimate", "std_error", "conf_low", "conf_high",
    ),
    "fit_glance": (
        "group", "workload", "threads", "outcome", "law", "y", "n_obs", "n_runs", "n_specs", "aicc", "loo_error",
        "residual_se", "converged", "limit", *_said("verdict"), "n_censored", "n_left_out", *_said("scatter"),
    ),
    "fit_augment": (
        "group", "workload", "threads", "outcome", "law", "spec", "cores", "ram_gib", "n_runs", "observed", "fitted",
        "residual", "conf_low", "conf_high", "limit_kind",
    ),
    "elasticities": (
        "group", "workload", "threads", "outcome", "cores_from", "cores_to", "gain", "elasticity", "conf_low",
        "conf_high", *_said("basis"),
    ),
    "fit_curves": (
        "group", "workload", "threads", "outcome", "law", "cores", "fitted", "conf_low", "conf_high", "run_low",
        "run_high", "interval_law", "extrapolated",
    ),
    "fit_choices": (
        "group", *_said("series"), "workload", "threads", "outcome", "law", *_said("verdict"), *_said("sentence"),
    ),
    "fit_joint": (
        "group", *_said("series"), "workload", "outcome", "term", "estimate", "conf_low", "conf_high", "identifiable",
        *_said("verdict"), *_said("sentence"),
    ),
    "fit_threads": (
        "group", *_said("series"), "workload", "spec", "outcome", "law", "term", "estimate", "conf_low",
        "conf_high", "n_obs", "residual_se", *_said("verdict"), *_said("sentence"),
    ),
    "limits": (
        "dataset", "outcome", "workload", "read_fraction", "spec", "cores", "ram_gib", "threads", "n_runs", "y",
        "observed", "utilisation", "cpu_utilisation", "threads_from", "threads_to", "ratio", "conf_low", "conf_high",
        "limit_kind", "retrograde", "measured", "at_most", *_said("reason"),
    ),
    "marginals": (
        "group", "workload", "threads", "outcome", *_said("basis"), "from_spec", "to_spec", "cores_from", "cores_to",
        "ram_from", "ram_to", "cost_ratio", "gain", "elasticity", "efficiency", "ops_per_core", "ops_per_gib",
        "conf_low", "conf_high", *_said("sentence"),
    ),
    "capacity": (
        "dataset", "outcome", "workload", "read_fraction", "spec", "cores", "ram_gib", "threads", "n_runs", "basis",
        "law", "observed", "again", "at_least", "fitted", "conf_low", "conf_high", "run_low", "run_high", "law_scatter",
        "probability", "p99_us", "suffices", "price_per_hour", "cost_per_million", "cost_low", "cost_high",
    ),
    "next_runs": (
        "group", "workload", "threads", "outcome", "suggestion", "spec", "cores", "ram_gib", "term", "reduction",
        *_said("sentence"),
    ),
    "knee": (
        "dataset", "outcome", "workload", "spec", "cores", "ram_gib", "saturated_ops_s", "r0_us", "knee_threads",
        *_said("sentence"),
    ),
    "comparisons": (
        "a", "b", "workload", "read_fraction", "spec_a", "spec_b", "threads", "basis", "ratio", "conf_low", "conf_high",
        "p", "evidence", *_said("verdict"),
    ),
}  # fmt: skip

# Text that repeats from row to row: kept as an index into its values.
POINTED = {"intervals": ("run_id", "operation")}


def arrow_schema(table: str):
    """The pyarrow schema of a table, with the schema's version in its metadata."""
    import pyarrow as pa

    types = {"str": pa.string(), "float64": pa.float64(), "bytes": pa.binary(), "bool": pa.bool_()}
    pointed = pa.dictionary(pa.int32(), pa.string())
    return pa.schema(
        [(c, pointed if c in POINTED.get(table, ()) else types[GLOSSARY[c][0]]) for c in SCHEMAS[table]],
        {VERSION_KEY: str(SCHEMA_VERSION).encode()},
    )


def reference() -> str:
    """The tables and their columns as a Markdown page: docs/tables.md."""
    parts = [
        "# Tables\n\nMissing is NaN, or an empty text, never 0. "
        f"Schema version {SCHEMA_VERSION}, which each Parquet file carries as `{VERSION_KEY.decode()}`.\n\n"
        "Written by `python -c 'from ycsbook.columns import reference; print(reference(), end=\"\")'`.\n"
    ]
    for table, columns in SCHEMAS.items():
        rows = "".join(f"| `{c}` | {GLOSSARY[c][1] or _KINDS[GLOSSARY[c][0]]} | {GLOSSARY[c][2]} |\n" for c in columns)
        parts.append(f"\n## {table}\n\n| column | unit | meaning |\n| --- | --- | --- |\n{rows}")
    return "".join(parts)


_KINDS = {"str": "text", "float64": "number", "bytes": "bytes", "bool": "true or false"}
