"""Runs that were under way at the same time and count as several: clients of one run, or each in the other's way."""

from collections.abc import Iterator

import pandas as pd

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.facts import fact
from ycsbook.verdicts import Outcome

_ALIKE = ["workload", "spec", "threads", "client_machine"]


@rule(
    cannot_know="whether runs without a spec are of one server; when runs were whose logs have no clock; time zones.",
    source="the start of each run by its own clock, and how long it ran.",
    defaults={"share": 0.5},
)
def at_once(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Runs of one data set, workload, spec and number of threads that were under way together for more than `share` of
    the shorter one: they may be clients of one run, whose throughputs add up, and are no repeats. A notice where no
    spec says that they are of one server."""
    runs = evidence.runs
    timed = runs["started_at"].str.len() > len("2024-06-01")  # of a day alone nobody knows the hour
    runs = runs[(runs["outcome"] == Outcome.COMPLETED) & timed & (runs["runtime_ms"] > 0)]
    begin = pd.to_datetime(runs["started_at"], format="ISO8601", utc=True, errors="coerce")
    runs = runs.assign(begin=begin, length=pd.to_timedelta(runs["runtime_ms"], unit="ms"))
    runs = runs.dropna(subset="begin").sort_values("begin", kind="stable")
    for dataset, part in evidence.by_dataset(runs):
        for is_named, alike in part.groupby(part["spec"] != "", sort=True):
            groups = alike.groupby(_ALIKE, dropna=False, sort=True)
            found = pd.concat([_together(group, settings["share"]) for _, group in groups])
            if found.empty:
                continue
            yield Finding(
                "warning" if is_named else "notice", dataset, tuple(found["run_id"]),
                fact("at_once", where=evidence.where(dataset), n=len(found), runs=evidence.total(runs, part),
                     cell=names.cell(found.iloc[0]), is_named=bool(is_named)),
                cause="clients",
            )  # fmt: skip


def _together(runs: pd.DataFrame, share: float) -> pd.DataFrame:
    """Those of some runs, in order of their begin, that overlap with any before them, or the next with them."""
    end, before = runs["begin"] + runs["length"], runs["length"].shift()
    latest = end.cummax().shift()
    common = end.where(end < latest, latest) - runs["begin"]
    overlaps = common > share * runs["length"].where(runs["length"] < before, before)
    return runs[overlaps | overlaps.shift(-1, fill_value=False)]
