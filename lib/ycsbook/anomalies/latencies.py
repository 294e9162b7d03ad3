"""Latencies that are none, or out of proportion: writes nobody answered and what then shows in their place, and tails
beyond those of other runs or below their own means."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ycsbook import closed_loop, names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.families import families_of, last_place, written
from ycsbook.anomalies.invalid_run import carries
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.columns import KIND
from ycsbook.facts import fact
from ycsbook.tables import dicts
from ycsbook.verdicts import Warn

# What slow writes without an answer have in common.
_BACK_PRESSURE = "back-pressure on unanswered writes"


def _unacked(runs: pd.DataFrame) -> pd.Series:
    return carries(runs, Warn.UNACKED_WRITES) | (runs["write_concern"] == "0")


@rule(
    cannot_know="how many writes reached the database, and so the goodput; a round trip that was measured at another "
    "time than the run may have been longer",
    source="the stock binding takes every write without an exception as OK; an answer takes a round trip at least",
)
def unacked_writes(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Write concern 0, or writes faster than the network's round trip: their latency is the time to send.

    A warning where the settings say so, and a notice where only the latency does. Goodput is then unknowable.
    """
    runs, unacked = evidence.runs, _unacked(evidence.runs)
    below = runs["write_us"] < runs["rtt_us"]
    for dataset, part in evidence.by_dataset(runs[unacked]):
        total = len(evidence.alike(evidence.runs, part))
        faster = part[below[part.index]]
        yield Finding(
            "warning", dataset, tuple(part["run_id"]),
            fact("unacked_writes", all=len(part) == total, n=len(part), rows=evidence.counted(part, total, "rows"),
                 below=len(faster), written=int(part["write_us"].notna().sum()), rtt_us=faster["rtt_us"].min()),
        )  # fmt: skip
    for dataset, part, row in evidence.worst_of(runs[below & ~unacked], -runs["write_us"] / runs["rtt_us"]):
        yield Finding(
            "notice", dataset, tuple(part["run_id"]),
            fact("unacked_writes-below", rows=evidence.counted(part, len(part)), write_us=row["write_us"],
                 rtt_us=row["rtt_us"], cell=names.cell(row)),
            effect=float(row["write_us"] / row["rtt_us"] - 1),
        )  # fmt: skip


@rule(
    cannot_know="what pushed back: full socket buffers, a busy server or a slow network all make a send wait",
    source="a send without an answer takes microseconds unless buffers are full",
)
def writes_slower_than_reads(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Unanswered writes that took longer than reads, which wait for an answer: the sends were held back."""
    runs = evidence.runs[_unacked(evidence.runs)]
    ratio = runs["write_us"] / runs["read_us"]
    for dataset, part, worst in evidence.worst_of(runs[ratio > 1], ratio):
        yield Finding(
            "notice", dataset, tuple(part["run_id"]),
            fact("writes_slower_than_reads", rows=fact("rows", n=len(part)), row=names.cell_listed(worst),
                 write_us=worst["write_us"], read_us=worst["read_us"],
                 **names.listed("names", map(names.cell_listed, dicts(part)), 8)),
            effect=float(ratio[worst.name] - 1), cause=_BACK_PRESSURE,
        )  # fmt: skip


@rule(
    cannot_know="whether the others or the outliers show the database: without answers neither does",
    source="median and 1.4826 times the median absolute deviation of ln latency: Hampel (1974), JASA 69, 383-393",
    defaults={"deviations": 4.5, "rows": 8, "most_sd": 1.0, "least_sd": 0.05},
)
def write_latency_outliers(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Times to send unanswered writes that are out of family at their number of threads.

    More than `deviations` robust standard deviations of ln latency from the median of at least `rows` rows. Where that
    deviation is above `most_sd` the rows are no family, and nothing is said; it is taken to be at least `least_sd`.
    """
    runs = evidence.runs[_unacked(evidence.runs) & (evidence.runs["write_us"] > 0) & evidence.runs["threads"].notna()]
    runs = runs.assign(log_us=np.log(runs["write_us"]))
    for family, rows in families_of(runs, [*KIND, "threads"], "log_us", settings["rows"], settings["least_sd"]):
        odd = rows[rows["z"].abs() > settings["deviations"]]
        if odd.empty or family.sd > settings["most_sd"]:
            continue
        change = odd["write_us"] / np.exp(family.median)
        rows_named = map(names.with_write_latency, dicts(odd))
        yield Finding(
            "note", odd["dataset"].iloc[0], tuple(odd["run_id"]),
            fact("write_latency_outliers", threads=odd["threads"].iloc[0], usual_us=np.exp(family.median), n=len(rows),
                 odd=len(odd), **names.listed("names", rows_named, 8)),
            effect=float(change.loc[np.log(change).abs().idxmax()] - 1), cause=_BACK_PRESSURE,
        )  # fmt: skip


# Runs of one ladder differ a little in their tails: a family that agrees closer than this has found no outlier.
LEAST_SD = 0.10
# A percentile stands on the operations beyond it; so few are chance.
LEAST_BEYOND = 10
_RATIOS = (("p99", 99.0, None), ("p999", 99.9, 99.0))
# A percentile below the mean by less is the rounding of either.
_BELOW = 0.05
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
    for name, above, below in _RATIOS if len(table) else ():
        enough = table["count"] * (1 - above / 100) >= LEAST_BEYOND
        ratio = table[above] / table[below or "mean"]
        # A latency of 0, below what a log resolves, has no logarithm.
        ratio = np.log(ratio.where(enough & (ratio > 0)))
        rows = table.assign(log_ratio=ratio)[np.isfinite(ratio)]
        for family, part in families_of(rows, _FAMILY, "log_ratio", settings["runs"], LEAST_SD):
            least = family.median + np.log(settings["factor"])
            far = (part["z"] > settings["deviations"]) & (part["log_ratio"] > least)
            for row in dicts(part[far]):
                ratio, usual = np.exp(row["log_ratio"]), np.exp(family.median)
                yield Finding(
                    "notice", row["dataset"], (row["run_id"],),
                    fact("tail", cell=names.cell(row), figures=name, operation=row["operation"], ratio=ratio,
                         usual=usual, n=len(part)),
                    effect=float(ratio / usual - 1), cause="tail",
                )  # fmt: skip


@rule(
    cannot_know="whether mean or percentile is wrong: a few operations that stood still for long give a true mean "
    "above a true percentile",
    source="all operations below the percentile take less than it, so the rest of the mean is the slowest ones'",
    defaults={"below": _BELOW},
)
def percentile_below_mean(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """A 95th or 99th percentile below the mean of the same operation by more than `below`: a notice in a table that
    somebody wrote, with how slow the slowest operations would have to be, and a note of a log. Effect: over the mean,
    minus 1."""
    table = _latencies(evidence, (95.0, 99.0))
    if table.empty:
        return
    for percentile in (95.0, 99.0):
        # Old logs print whole milliseconds, and 0 for less.
        highest = table[percentile] + table.groupby("dataset")[percentile].transform(last_place)
        rows = table[(table[percentile] > 0) & (highest < table["mean"] * (1 - settings["below"]))]
        for row in dicts(rows.assign(is_written=written(rows))):
            slowest = 1 - percentile / 100
            yield Finding(
                "notice" if row["is_written"] else "note", row["dataset"], (row["run_id"],),
                fact("percentile_below_mean", cell=names.cell(row), percentile=percentile, operation=row["operation"],
                     latency_us=row[percentile], mean_us=row["mean"], slowest=slowest,
                     slowest_us=row[percentile] + (row["mean"] - row[percentile]) / slowest),
                effect=row[percentile] / row["mean"] - 1, cause="percentile below mean",
            )  # fmt: skip


def _latencies(evidence: Evidence, chosen: tuple[float, ...] = (99.0, 99.9)) -> pd.DataFrame:
    """One row per run and operation: the run's columns, count, mean, and a column per chosen percentile (us); none of
    these columns where nobody printed such percentiles."""
    percentiles, operations = evidence.tables.percentiles, evidence.tables.operations
    of_chosen = percentiles[percentiles["percentile"].isin(chosen)]
    if of_chosen.empty:
        return of_chosen
    means = of_chosen.groupby(["run_id", "operation", "percentile"])["latency_us"].mean()
    wide = means.unstack().reindex(columns=list(chosen)).reset_index()
    counted = operations["operation"].map(closed_loop.is_counted).astype(bool)
    means = operations.loc[counted, ["run_id", "operation", "count", "mean_us"]].rename(columns={"mean_us": "mean"})
    about = evidence.runs[["run_id", *KIND, "workload", "threads", "spec", "cores", "ram_gib", "vendor",
                           "called", "read_fraction", "format"]]  # fmt: skip
    return wide.merge(means, on=["run_id", "operation"]).merge(about, on="run_id")
