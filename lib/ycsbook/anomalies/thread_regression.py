"""Less throughput with more client threads on one spec and workload."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy import special

from ycsbook.anomalies import wording
from ycsbook.anomalies.comparing import SINGLE_LOSS, doubts, evidence_of, thread_row
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.multiplicity import bonferroni, holm
from ycsbook.anomalies.naming import of_dataset
from ycsbook.anomalies.registry import Finding, Settings, rule
from ycsbook.scaling.pairs import CONFIDENCE
from ycsbook.scaling.points import KIND

FALSE_ALARMS = 0.003
# Fewer specs than this show nothing together.
LEAST_TOGETHER = 3
# What losses that single runs cannot tell from noise have in common.
_SMALL = "small losses with more threads"
_REPEAT = "repeat the pairs that matter at least 3 times"
_WATCH = (
    "repeat both thread counts, interleaved, and measure one between; watch server CPU, lock waits and the client's "
    "own CPU while throughput falls"
)


@rule(
    budget=FALSE_ALARMS,
    cannot_know="whether the server, the network, the connection pool or the client lost the throughput; and without "
    "repeats, whether a loss below 10 % is more than noise",
    source="one-sided t test on ln X with the variance pooled over the sweep; Holm (1979) over all its pairs",
    defaults={"budget": FALSE_ALARMS, "notice_level": 0.0095, "single_loss": SINGLE_LOSS},
)
def thread_regression(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """Neighbouring thread counts of one spec: the higher one does less.

    With repeats, `budget` is the chance that a clean sweep has any warning, and `notice_level` the one-sided level
    of a single pair for a notice: at 3 repeats and 3 % noise a loss of 10 % reaches it in 97 of 100 sweeps of 18
    pairs. Without, a loss of at least `single_loss` is a warning and a smaller one a note; small losses of several
    specs of equal cores are tested together.
    """
    found, cells = evidence.pairs, evidence.cells
    for kind, part in found.groupby(list(KIND), sort=True):
        severity = _severities(part, settings)
        for i in np.flatnonzero(severity != ""):
            pair = part.iloc[i].to_dict()
            yield _finding(severity[i], pair, cells.loc[pair["low"]].to_dict(), cells.loc[pair["high"]].to_dict())
        single = part[part["conf_low"].isna()]
        if len(single) >= LEAST_TOGETHER:
            yield from _together(str(kind[0]), single, cells, of_dataset(evidence, str(kind[0])))


def _severities(pairs: pd.DataFrame, settings: Settings) -> np.ndarray:
    """The severity of each pair, empty where nothing is to be said."""
    loss, p = 1 - pairs["ratio"].to_numpy(float), pairs["p_falls"].to_numpy(float)
    return np.select(
        [
            np.isnan(p) & (loss >= settings["single_loss"]),
            np.isnan(p) & (loss > 0),
            holm(p, settings["budget"]),
            p < settings["notice_level"],
        ],
        ["warning", "note", "warning", "notice"],
        "",
    )


def _finding(severity: str, pair: dict, first: dict, second: dict) -> Finding:
    effect, low, high = (pair[c] - 1 for c in ("ratio", "conf_low", "conf_high"))
    interval, small = "", severity == "note"
    if not np.isnan(low):
        interval = f"; 95 % interval {wording.change(low)} to {wording.change(high)}"
    sentence = (
        f"{wording.spec(first)}, {wording.mix(first)}: throughput falls from {wording.ops(first['log_y'])} to "
        f"{wording.ops(second['log_y'])} ops/s ({wording.change(effect)}{interval}) when threads rise from "
        f"{first['threads']:g} to {second['threads']:g}"
        f"{', too little for single runs to tell from noise' if small else ''}{doubts((first, second), thread_row)}"
    )
    return Finding(
        str(severity), first["dataset"], (*first["run_ids"], *second["run_ids"]), sentence,
        _REPEAT if small else _WATCH, evidence_of(low), effect, low, high, cause=_SMALL if small else "",
    )  # fmt: skip


def _together(dataset: str, single: pd.DataFrame, cells: pd.DataFrame, where: str) -> Iterator[Finding]:
    """Whether specs of equal cores lose throughput together: the most striking group of at least 3, if any is.

    A t test over the specs of one workload and core count, each a single pair of runs; `cells`: those of the pairs;
    `where`: what the message begins with.
    """
    keyed = single.assign(cores=cells["cores"].reindex(single["low"]).to_numpy(), change=np.log(single["ratio"]))
    groups = keyed.groupby(["workload", "cores", "threads", "threads_to"], sort=True)["change"]
    tested = groups.agg(["mean", "std", "size"])
    tested = tested[(tested["size"] >= LEAST_TOGETHER) & (tested["std"] > 0)]
    if tested.empty:
        return
    error, df = tested["std"] / np.sqrt(tested["size"]), tested["size"] - 1
    p = pd.Series(special.stdtr(df, tested["mean"] / error), index=tested.index)
    key = p.idxmin()
    if p[key] >= (1 - CONFIDENCE) / 2:
        return
    reach = float(special.stdtrit(df[key], (1 + CONFIDENCE) / 2) * error[key])
    mean = float(tested["mean"][key])
    effect, low, high = (float(np.expm1(v)) for v in (mean, mean - reach, mean + reach))
    lost = keyed.iloc[groups.indices[key]]
    first = cells.loc[lost["low"].iloc[0]].to_dict()
    adjusted = bonferroni(2 * float(p[key]), len(tested))
    significant = adjusted < 1 - CONFIDENCE
    yield Finding(
        "notice" if significant else "note", dataset,
        tuple(r for i in (*lost["low"], *lost["high"]) for r in cells["run_ids"][i]),
        f"{where}the {len(lost)} specs with {first['cores']:g} cores, {wording.mix(first)}, lose throughput together "
        f"from {key[2]:g} to {key[3]:g} threads: {wording.change(effect)} on average (95 % interval "
        f"{wording.change(low)} to {wording.change(high)}, not adjusted); "
        f"{'still' if significant else 'not'} significant over {wording.count(len(tested), 'group')} of equal cores "
        f"(adjusted p {adjusted:.2g})",
        _REPEAT, "single", effect, low, high, cause=_SMALL,
    )  # fmt: skip
