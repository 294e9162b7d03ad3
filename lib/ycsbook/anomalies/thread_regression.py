"""Less throughput with more client threads on one spec and workload.

With repeats each neighbouring pair is tested on ln X with the variance pooled over the dataset, and Holm's procedure
keeps the chance of any false warning in the whole dataset at FALSE_ALARMS. Published rows are single: a loss of more
than 9 % is flagged, smaller ones are counted in one note, because nothing tells them from noise. What this cannot
know: whether the server, the network, the pool or the client lost the throughput.
"""

from collections.abc import Iterator
from itertools import pairwise

import pandas as pd

from ycsbook.anomalies import wording
from ycsbook.anomalies.comparing import SINGLE_RATIO, Comparison, compare, within_budget
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.little_law import SUSPECT
from ycsbook.anomalies.registry import Finding, Settings, rule
from ycsbook.scaling.points import KIND

FALSE_ALARMS = 0.003
# Per pair: what is too weak for a warning under the budget may still be worth a note.
NOTE_LEVEL = 0.003
_ADVICE = (
    "repeat both thread counts, interleaved, and measure one between; watch server CPU, lock waits and the client's "
    "own CPU while throughput falls"
)


@rule
def thread_regression(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """One finding per flagged pair, one note per dataset for the small losses of single runs."""
    for kind, cells in evidence.cells.groupby(list(KIND), sort=True):
        pairs = _pairs(cells)
        compared = [compare(a, b, evidence.noise[kind]) for a, b in pairs]
        sure = within_budget(compared, FALSE_ALARMS)
        small = []
        for (first, second), found, flagged in zip(pairs, compared, sure, strict=True):
            if flagged or (not found.repeated and found.ratio < SINGLE_RATIO):
                yield _finding("warning", first, second, found)
            elif found.repeated and found.p < NOTE_LEVEL:
                yield _finding("note", first, second, found)
            elif not found.repeated and found.ratio < 1:
                small.append((first, second, found))
        if small:
            yield _small(str(kind[0]), small)


def _pairs(cells: pd.DataFrame) -> list[tuple[dict, dict]]:
    pairs = []
    for _, ladder in cells[cells["threads"].notna()].groupby(["workload", "spec"], sort=False):
        rungs = ladder.sort_values("threads").to_dict("records")
        pairs += list(pairwise(rungs))
    return pairs


def _finding(severity: str, first: dict, second: dict, found: Comparison) -> Finding:
    effect = found.ratio - 1
    interval = ""
    if found.repeated:
        interval = f"; 95 % interval {wording.change(found.low - 1)} to {wording.change(found.high - 1)}"
    sentence = (
        f"{wording.spec(first)}, {wording.mix(first)}: throughput falls from {wording.ops(first['log_y'])} to "
        f"{wording.ops(second['log_y'])} ops/s ({wording.change(effect)}{interval}) when threads rise from "
        f"{first['threads']:g} to {second['threads']:g}"
    )
    suspects = [row for row in (first, second) if row["utilisation"] > SUSPECT]
    if suspects:
        named = " and ".join(f"{r['threads']:g}-thread row ({r['utilisation']:.2f})" for r in suspects)
        sentence += f"; suspect: the {named} itself breaks Little's law"
    return Finding(
        severity, first["dataset"], (*first["run_ids"], *second["run_ids"]), sentence, _ADVICE, found.evidence,
        effect, found.low - 1, found.high - 1,
    )  # fmt: skip


def _small(dataset: str, small: list[tuple[dict, dict, Comparison]]) -> Finding:
    losses = sorted(found.ratio - 1 for _, _, found in small)
    first, second, _ = min(small, key=lambda item: item[2].ratio)
    reach = wording.change(losses[0]) if len(losses) == 1 else (
        f"{wording.change(losses[-1])} to {wording.change(losses[0])}"
    )  # fmt: skip
    pairs = wording.count(len(small), "pair of rows loses", "pairs of rows lose")
    return Finding(
        "note", dataset, tuple(dict.fromkeys(r for a, b, _ in small for r in (*a["run_ids"], *b["run_ids"]))),
        f"{pairs} throughput with more threads ({reach}; most at {wording.spec(first)}, {wording.mix(first)}, "
        f"{first['threads']:g} to {second['threads']:g} threads), too little for single runs to tell from noise",
        "repeat the pairs that matter at least 3 times", "single", losses[0],
    )  # fmt: skip
