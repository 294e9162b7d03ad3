"""What the points and lists say of a run and of a finding."""

from collections.abc import Mapping

import pandas as pd

from ycsbook import units
from ycsbook.plots import style

_SOURCES = {
    "steady_ops_s": "steady, without the warm-up", "goodput_ops_s": "successes only",
    "throughput_ops_s": "as the client printed it",
}  # fmt: skip

# What the client prints beside the operations of the workload.
NOT_ASKED = ("CLEANUP", "TOTAL")


def spec(row: Mapping) -> str:
    """What a run's spec is called: the vendor's label, else the slug."""
    return style.spec_name(row["spec_label"], row["spec"])


def run(row: Mapping) -> str:
    """A run in a list: its spec, threads, repeat and throughput.

    Examples
        >>> run({"spec": "8c", "spec_label": "", "workload": "a", "threads": 16.0, "repeat": 2.0, "y": 8123.4})
        '8c, workload a, 16 threads, repeat 2: 8,123 ops/s'
    """
    repeat = f", repeat {row['repeat']:g}" if row["repeat"] > 1 else ""
    return f"{_shape(row)}{repeat}: {row['y']:,.0f} ops/s"


def lines(row: Mapping, latencies: Mapping[str, float]) -> tuple[str, ...]:
    """A point's words: the run, its throughput and where that comes from, its mean latencies (us), its id."""
    means = ", ".join(f"{name.lower()} {value / units.US_PER_MS:.3g} ms" for name, value in latencies.items())
    cpu = row["cpu_utilisation"]
    return (
        _shape(row) + (f", repeat {row['repeat']:g}" if row["repeat"] > 1 else ""),
        f"{row['y']:,.0f} ops/s ({_SOURCES.get(row['y_column'], row['y_column'])})",
        *([means] if means else []),
        *([f"server's CPU {100 * cpu:.0f} %"] if pd.notna(cpu) else []),
        row["run_id"],
    )


def latencies(operations: pd.DataFrame) -> dict[str, dict[str, float]]:
    """The mean latency of each operation (us) by run id and operation, where it is known."""
    known = operations[operations["mean_us"].notna() & ~operations["operation"].isin(NOT_ASKED)]
    found: dict[str, dict[str, float]] = {}
    for run_id, operation, mean in zip(known["run_id"], known["operation"], known["mean_us"], strict=True):
        found.setdefault(run_id, {})[operation] = mean
    return found


def _shape(row: Mapping) -> str:
    threads = "threads unknown" if pd.isna(row["threads"]) else f"{row['threads']:g} threads"
    workload = f"workload {row['workload']}, " if row["workload"] else ""
    return f"{spec(row)}, {workload}{threads}"
