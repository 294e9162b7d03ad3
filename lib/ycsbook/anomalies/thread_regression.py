"""Less throughput with more client threads on one spec and workload."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ycsbook import names
from ycsbook.anomalies import little_law
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import BEYOND_DOUBT, Finding, Thresholds, evidence_of, rule
from ycsbook.columns import KIND
from ycsbook.facts import Fact, fact
from ycsbook.scaling.cells import CONFIDENCE
from ycsbook.scaling.pairs import BEYOND_ASSUMED, beyond, lost, ratios

FALSE_ALARMS = 0.003
# Fewer specs than this show nothing together.
LEAST_TOGETHER = 3
# What losses that single runs cannot tell from noise have in common.
_SMALL = "small losses with more threads"
_REPEAT, _WATCH = fact("thread_regression-repeat-advice"), fact("thread_regression-watch-advice")


@rule(
    budget=FALSE_ALARMS,
    cannot_know="whether the server, the network, the connection pool or the client lost the throughput; and without "
    "repeats, whether a loss of one spec alone is more than a run that stalled",
    source="one-sided t test on ln X with the variance pooled over the sweep, Holm (1979) over all its pairs; and "
    "averaged over how unequal the cells' noise may be (Smyth 2004, Welch 1947)",
    defaults={"budget": FALSE_ALARMS, "notice_level": 0.0095, "single_loss": BEYOND_ASSUMED},
)
def thread_regression(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """Neighbouring thread counts of one spec: the higher one does less.

    With repeats, `budget` is the chance that a clean sweep has any warning, and `notice_level` the one-sided level
    of a single pair for a notice: at 3 repeats and 3 % noise a loss of 10 % reaches it in 97 of 100 sweeps of 18
    pairs. Without, a smaller loss than `single_loss` (three standard deviations at the noise that is assumed, 5 %; more
    where the rows show more noise) is a note, and a larger one a notice; a warning where it is half or more, or where
    the specs of the same and the next core counts lose so much in the median. Small losses of several specs of equal
    cores are tested together: a notice where noise does not explain them.
    """
    pairs, cells = evidence.pairs, evidence.cells
    for kind, part in pairs.groupby(list(KIND), sort=True):
        severity = _severities(part, cells, settings, evidence.noise[kind].assumed)
        for i in np.flatnonzero(severity != ""):
            pair, small = part.iloc[i], severity[i] == "note"
            first, second = (cells.loc[pair[end]].to_dict() for end in ("low", "high"))
            effect, low, high = (float(pair[c]) - 1 for c in ("ratio", "conf_low", "conf_high"))
            advice, cause = (_REPEAT, _SMALL) if small else (_WATCH, "")
            if doubt := names.doubts((first, second), "doubt-threads"):
                advice, cause = little_law.ADVICE, little_law.cause(first["workload"])
            yield Finding(
                str(severity[i]), first["dataset"], (*first["run_ids"], *second["run_ids"]),
                fact("thread_regression", at=names.spec_and_mix(first), first=np.exp(first["log_y"]),
                     second=np.exp(second["log_y"]), effect=effect, low=low, high=high, threads=first["threads"],
                     threads_to=second["threads"], small=bool(small), doubt=doubt),
                evidence_of(low), effect, low, high, cause=cause, advice=advice,
            )  # fmt: skip
        single = part[part["conf_low"].isna()]
        if len(single) >= LEAST_TOGETHER:
            yield from _together(str(kind[0]), single, cells, evidence.where(str(kind[0])))


def _severities(pairs: pd.DataFrame, cells: pd.DataFrame, settings: Thresholds, assumed: float) -> np.ndarray:
    """The severity of each pair, empty where nothing is to be said. assumed: the noise of single runs."""
    loss, p = 1 - pairs["ratio"].to_numpy(float), pairs["p_falls"].to_numpy(float)
    single, least = np.isnan(p), settings["single_loss"]
    sure = (loss >= BEYOND_DOUBT) | _shared(pairs, cells, single, least, assumed)
    warned = lost(pairs, settings["budget"]) | (single & (loss >= least) & sure)
    noticed = (p < settings["notice_level"]) | (single & (loss >= max(least, beyond(assumed))))
    return np.select([warned, noticed, single & (loss > 0)], ["warning", "notice", "note"], "")


def _shared(pairs: pd.DataFrame, cells: pd.DataFrame, single: np.ndarray, least: float, assumed: float) -> np.ndarray:
    """Whether the median loss of each single pair and its neighbours, specs of the same or the next core count, two at
    least, is `least` or more, and more than noise makes of it. One run that stalled is alone with its loss."""
    cores = cells["cores"].reindex(pairs["low"]).to_numpy(float)
    loss, shared = 1 - pairs["ratio"].to_numpy(float), np.zeros(len(pairs), dtype=bool)
    for at in pairs[single].groupby(["workload", "threads", "threads_to"]).indices.values():
        rows = np.flatnonzero(single)[at]
        counts = np.unique(cores[rows][cores[rows] > 0])
        rank = np.searchsorted(counts, cores[rows])
        for row, own_rank in zip(rows, rank, strict=True):
            near = rows[(abs(rank - own_rank) <= 1) & (cores[rows] > 0)]
            if len(near) > 1 and row in near:
                # The median of n has 1.25 / sqrt(n) of the noise of one.
                shared[row] = np.median(loss[near]) >= max(least, beyond(1.25 * assumed / np.sqrt(len(near))))
    return shared


def _together(dataset: str, single: pd.DataFrame, cells: pd.DataFrame, where: str | Fact | None) -> Iterator[Finding]:
    """Whether specs of equal cores lose throughput together: the most striking group of at least 3, if any is, by a t
    test over the specs of one workload and core count, each a single pair of runs; `cells`: those of the pairs."""
    keyed = single.assign(cores=cells["cores"].reindex(single["low"]).to_numpy(), change=np.log(single["ratio"]))
    groups = keyed.groupby(["workload", "cores", "threads", "threads_to"], sort=True)["change"]
    tested = groups.agg(["mean", "std", "size"])
    tested = tested[(tested["size"] >= LEAST_TOGETHER) & (tested["std"] > 0)]
    if tested.empty:
        return
    together = ratios(tested["mean"], tested["std"] / np.sqrt(tested["size"]), tested["size"] - 1)
    best = int(np.argmin(together.p_falls))
    # The smallest of so many p values, by Bonferroni.
    adjusted = 2 * float(together.p_falls[best]) * len(tested)
    if adjusted >= 1 - CONFIDENCE:
        return
    key, (effect, low, high) = tested.index[best], (float(values[best]) - 1 for values in together[:3])
    lost = keyed.iloc[groups.indices[key]]
    first = cells.loc[lost["low"].iloc[0]].to_dict()
    yield Finding(
        "notice", dataset,
        tuple(r for i in (*lost["low"], *lost["high"]) for r in cells["run_ids"][i]),
        fact("thread_regression-together", where=where, specs=len(lost), cores=first["cores"], mix=names.mix(first),
             threads=key[2], threads_to=key[3], effect=effect, p=adjusted),
        "single", effect, low, high, cause=_SMALL, advice=_REPEAT,
    )  # fmt: skip
