"""Runs that count as repeats of one configuration and may be none: under way at the same time, or of several
folders."""

import re
from collections.abc import Iterator
from pathlib import PurePath

import numpy as np
import pandas as pd

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.columns import CELL
from ycsbook.facts import fact
from ycsbook.ingest.log.labels import settings_of_text, shape_inside
from ycsbook.verdicts import Outcome

_OF_ONE_CLIENT = ["workload", "spec", "threads", "client_machine"]


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
            groups = alike.groupby(_OF_ONE_CLIENT, dropna=False, sort=True)
            overlapping = pd.concat([_together(group, settings["share"]) for _, group in groups])
            if overlapping.empty:
                continue
            yield Finding(
                "warning" if is_named else "notice", dataset, tuple(overlapping["run_id"]),
                fact("at_once", where=evidence.where(dataset), n=len(overlapping), runs=evidence.total(runs, part),
                     cell=names.cell(overlapping.iloc[0]), is_named=bool(is_named)),
                cause="clients",
            )  # fmt: skip


def _together(runs: pd.DataFrame, share: float) -> pd.DataFrame:
    """Those of some runs, in order of their begin, that overlap with any before them, or the next with them."""
    end, before = runs["begin"] + runs["length"], runs["length"].shift()
    latest = end.cummax().shift()
    common = end.where(end < latest, latest) - runs["begin"]
    overlaps = common > share * runs["length"].where(runs["length"] < before, before)
    return runs[overlaps | overlaps.shift(-1, fill_value=False)]


# Names that number or date what is measured once more.
_ONCE_MORE = re.compile(
    r"(?:runs?|r|rep|repeat|iter|iteration|trial|round|pass|attempt|test|try|batch|day|week|part|第)?[\W_]*\d*[\W_]*(?:轮|次)?"
    r"|.*(?:19|20)\d\d.*|[\d\W_tz]+",
    re.IGNORECASE,
)
_TEXTS = ("dataset", "vendor", "server_version", "topology", "spec", "spec_label", "workload", "client_machine")


@rule(
    cannot_know="what the names of folders mean; where the folders hold repeats of one thing, nothing is wrong.",
    source="the paths of the logs: a name that returns for several runs, beside another for the same configurations.",
)
def mixed_folders(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Configurations whose repeats come from several folders, each with several runs, whose names say neither a spec,
    a workload, threads nor a repeat, and are no date or number: what is averaged may be of several servers."""
    runs = evidence.runs
    runs = runs[(runs["outcome"] == Outcome.COMPLETED) & (runs["spec"] != "") & (runs["y"] > 0)]
    for dataset, part in evidence.by_dataset(runs):
        folders = [PurePath(source).parts[:-1] for source in part["source"]]
        depth = len(folders[0])
        if any(len(folder) != depth for folder in folders):
            continue
        for level in range(depth):
            folder_of_run = pd.Series([folder[level] for folder in folders], index=part.index)
            if (several := _several(part, folder_of_run)) is None:
                continue
            level_means = np.log(several["y"]).groupby(folder_of_run[several.index]).mean()
            apart = float(np.expm1(level_means.max() - level_means.min()))
            pattern = "/".join(["{dataset}", *["*"] * (depth - level)])
            yield Finding(
                "notice", dataset, tuple(several["run_id"]),
                fact("mixed_folders", where=evidence.where(dataset), runs=evidence.counted(several, len(several)),
                     cells=len(several[CELL].drop_duplicates()), apart=apart,
                     **names.listed("folders", sorted(level_means.index))),
                effect=apart, cause="folders", advice=fact("mixed_folders-advice", pattern=pattern),
            )  # fmt: skip
            break


def _several(runs: pd.DataFrame, folder_of_run: pd.Series) -> pd.DataFrame | None:
    """The runs of configurations with repeats under several of these names; None: none, or the names are understood."""
    texts_of_runs = {str(value) for column in _TEXTS for value in runs[column].unique()}
    counts = folder_of_run.value_counts()
    if len(counts) < 2 or counts.min() < 2 or not texts_of_runs.isdisjoint(counts.index):
        return None
    if any(_ONCE_MORE.fullmatch(name) or settings_of_text(name) or shape_inside(name.replace("-", " "))
           for name in counts.index):  # fmt: skip
        return None
    several = folder_of_run.groupby([runs[name] for name in CELL], dropna=False).transform("nunique") > 1
    return runs[several] if several.any() else None
