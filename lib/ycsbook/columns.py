"""The columns of every table, of which glossary.py says what each means.

Missing is NaN (or an empty string for text), never 0. A column that is not in GLOSSARY is a bug, and a test says so.
"""

from ycsbook.glossary import GLOSSARY

# Raised with every column that is added, and where a Parquet file says it.
SCHEMA_VERSION, VERSION_KEY = 15, b"ycsbook_schema"
# The best measure of a run's throughput first: without its warm-up, of successes only, as YCSB prints it.
THROUGHPUTS = ("steady_ops_s", "goodput_ops_s", "throughput_ops_s")

# What a vendor published and what was measured are never repeats of one another, whatever the dataset is called.
KIND = ("dataset", "outcome")
# Runs with the same are repeats of one cell.
CELL = [*KIND, "workload", "spec", "threads"]

# The tables that ingest writes.
INGESTED = ("runs", "operations", "percentiles", "intervals", "histograms", "samples", "failovers")


def _said(column: str) -> tuple[str, str, str]:
    return f"{column}_key", f"{column}_values", column


SCHEMAS: dict[str, tuple[str, ...]] = {
    "runs": (
        "run_id", "dataset", "vendor", "format", "server_version", "topology", "spec", "spec_label", "cores", "ram_gib",
        "cache_gib", "workload", "read_fraction", "records", "indexes", "batch_size", "data_bytes",
        "storage_bytes", "index_bytes", "threads", "clients", "repeat", "phase",
        "write_concern", "read_preference", "distribution", "target_ops_s", "pool_size", "throughput_ops_s",
        "printed_noise", "goodput_ops_s", "steady_ops_s", "client_sum_ops_s",
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
