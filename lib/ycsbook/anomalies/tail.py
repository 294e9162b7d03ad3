"""Latency tails that are out of proportion to the other runs'."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ycsbook import closed_loop, names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.families import Family
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.facts import fact
from ycsbook.scaling.points import KIND

# Runs of one ladder differ a little in their tails: a family that agrees closer than this has found no outlier.
LEAST_SD = 0.10
# A percentile stands on the operations beyond it; so few are chance.
LEAST_BEYOND = 10
_RATIOS = (("p99", 99.0, None), ("p999", 99.9, 99.0))
_FAMILY = [*KIND, "workload", "threads", "operation"]


@rule(
    cannot_know="the cause: collections of garbage, checkpoints, an election, a throttled CPU; and what a closed loop "
    "hid, since it sends nothing while it waits. A fault that all runs share is their family, and stays unseen.",
    source="median and 1.4826 times the median absolute deviation of the logarithms.",
    defaults={"deviations": 5.0, "factor": 2.0, "runs": 8},
)
def tail(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """p99 to mean, or p99.9 to p99, more than `deviations` robust standard deviations and `factor` times above the
    other runs with the same workload, threads and operation, of which there are at least `runs`."""
    table = _latencies(evidence)
    for name, above, below in _RATIOS:
        if above not in table or (below or "mean") not in table:
            continue
        enough = table["count"] * (1 - above / 100) >= LEAST_BEYOND
        ratio = table[above] / table[below or "mean"]
        # A latency of 0, below what a log resolves, has no logarithm.
        ratio = np.log(ratio.where(enough & (ratio > 0)))
        rows = table.assign(log_ratio=ratio)[np.isfinite(ratio)]
        for _, part in rows.groupby(_FAMILY, dropna=False):
            if len(part) < settings["runs"]:
                continue
            family = Family.of(part["log_ratio"].to_numpy(), LEAST_SD)
            far = family.deviations(part["log_ratio"].to_numpy()) > settings["deviations"]
            for row in part[far & (part["log_ratio"] - family.median > np.log(settings["factor"]))].to_dict("records"):
                yield _finding(name, row, family, len(part))


def _finding(figures: str, row: dict, family: Family, n: int) -> Finding:
    ratio, usual = np.exp(row["log_ratio"]), np.exp(family.median)
    return Finding(
        "notice", row["dataset"], (row["run_id"],),
        fact("tail", cell=names.cell(row), figures=figures, operation=row["operation"], ratio=ratio, usual=usual, n=n),
        effect=float(ratio / usual - 1), cause="tail",
    )  # fmt: skip


def _latencies(evidence: Evidence) -> pd.DataFrame:
    """One row per run and operation: the run's columns, count, mean, and a column per percentile (us)."""
    percentiles, operations = evidence.tables.percentiles, evidence.tables.operations
    if percentiles.empty:
        return pd.DataFrame()
    wanted = percentiles[percentiles["percentile"].isin([99.0, 99.9])]
    wide = wanted.pivot_table(index=["run_id", "operation"], columns="percentile", values="latency_us").reset_index()
    counted = operations["operation"].map(closed_loop.is_counted).astype(bool)
    means = operations.loc[counted, ["run_id", "operation", "count", "mean_us"]].rename(columns={"mean_us": "mean"})
    about = evidence.runs[["run_id", *KIND, "workload", "threads", "spec", "cores", "ram_gib", "vendor",
                           "read_fraction"]]  # fmt: skip
    return wide.merge(means, on=["run_id", "operation"]).merge(about, on="run_id")
