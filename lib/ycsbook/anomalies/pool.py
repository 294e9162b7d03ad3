"""More connections at work than the client's pool had."""

import math
from collections.abc import Iterator

import pandas as pd

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.invalid_run import carries
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.facts import fact
from ycsbook.scaling.points import KIND
from ycsbook.verdicts import Outcome, Warn


@rule(
    cannot_know="the pool's size where neither log nor source says it; then the driver's default is assumed. Writes, "
    "and reads above the lowest latency, need connections as well, so that more are missing than it says; "
    "where the mix is unknown it says nothing.",
    source="Little's law for the connections: reads in flight = reads per second x time a read holds its connection.",
    defaults={"default_pool": 100},
)
def pool(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Reads in flight at the lowest read latency (each run's own, or the lowest mean of a published workload) beyond
    the connections of the pool (the driver's `default_pool` where nothing is said), with more threads than those; and
    runs whose log shows a pool smaller than their threads."""
    everything = evidence.tables.runs
    for dataset, part in evidence.by_dataset(everything[carries(everything, Warn.POOL_BELOW_THREADS)]):
        counts = sorted(set(part["threads"].dropna()))
        yield Finding(
            "warning", dataset, tuple(part["run_id"]),
            fact("pool-recorded", n=len(part), runs=evidence.total(everything, part),
                 **names.listed("threads", counts) if counts else {"threads": None, "threads_more": 0}),
            cause="pool",
        )  # fmt: skip
    runs = evidence.runs
    size = runs["pool_size"].fillna(settings["default_pool"])
    small = carries(runs, Warn.POOL_BELOW_THREADS)
    busy = runs["throughput_ops_s"] * runs["read_fraction"] * _lowest_read_us(evidence, runs) / 1e6
    # More than the threads is no fact of the pool: little_law says that such a row is wrong.
    busy = busy.clip(upper=runs["threads"])
    for row in runs.assign(busy=busy, size=size)[(busy > size) & (runs["threads"] > size) & ~small].to_dict("records"):
        yield Finding(
            "notice", row["dataset"], (row["run_id"],),
            fact("pool", cell=names.cell(row), busy=row["busy"], size=row["size"],
                 recorded=not math.isnan(row["pool_size"])),
            effect=row["busy"] / row["size"] - 1, cause="pool",
        )  # fmt: skip


def _lowest_read_us(evidence: Evidence, runs: pd.DataFrame) -> pd.Series:
    """The shortest time that a read is known to take, us, by row of `runs`."""
    reads = evidence.tables.operations
    reads = reads[reads["operation"] == "READ"].drop_duplicates("run_id").set_index("run_id")
    lowest = runs["run_id"].map(reads["min_us"]).astype(float)
    least = runs.groupby([*KIND, "workload"])["read_us"].transform("min")
    return lowest.where(runs["outcome"] != Outcome.PUBLISHED, least)
