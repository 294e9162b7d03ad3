"""Write latencies that are no latencies: writes nobody answered, and what then shows in their place."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.families import families_of
from ycsbook.anomalies.invalid_run import carries
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.facts import fact
from ycsbook.scaling.points import KIND
from ycsbook.verdicts import Warn

# What slow writes without an answer have in common.
_BACK_PRESSURE = "back-pressure on unanswered writes"


def _unacked(runs: pd.DataFrame) -> pd.Series:
    """Which runs (bool) wrote without an answer, by their settings."""
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
                 **names.listed("names", map(names.cell_listed, part.to_dict("records")), 8)),
            effect=float(ratio[worst.name] - 1), cause=_BACK_PRESSURE,
        )  # fmt: skip


@rule(
    cannot_know="whether the others or the outliers show the database: without answers neither does",
    source="median and 1.4826 times the median absolute deviation of ln latency: Hampel (1974), JASA 69, 383-393",
    defaults={"deviations": 4.5, "rows": 8, "most_sd": 1.0, "least_sd": 0.05},
)
def write_latency_outliers(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Times to send unanswered writes that are out of family at their number of threads.

    More than `deviations` robust standard deviations of ln latency from the median of at least `rows` rows. Where
    that deviation is above `most_sd` the rows are no family, and nothing is said; it is taken to be at least
    `least_sd`.
    """
    runs = evidence.runs[_unacked(evidence.runs) & (evidence.runs["write_us"] > 0) & evidence.runs["threads"].notna()]
    runs = runs.assign(log_us=np.log(runs["write_us"]))
    for family, rows in families_of(runs, [*KIND, "threads"], "log_us", settings["rows"], settings["least_sd"]):
        odd = rows[rows["z"].abs() > settings["deviations"]]
        if odd.empty or family.sd > settings["most_sd"]:
            continue
        change = odd["write_us"] / np.exp(family.median)
        rows_named = (names.with_write_latency(row) for row in odd.to_dict("records"))
        yield Finding(
            "note", odd["dataset"].iloc[0], tuple(odd["run_id"]),
            fact("write_latency_outliers", threads=odd["threads"].iloc[0], usual_us=np.exp(family.median), n=len(rows),
                 odd=len(odd), **names.listed("names", rows_named, 8)),
            effect=float(change.loc[np.log(change).abs().idxmax()] - 1), cause=_BACK_PRESSURE,
        )  # fmt: skip
