"""Bigger servers that are slower: more cores and no less RAM, or more RAM at equal cores."""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from ycsbook import names
from ycsbook.anomalies import little_law
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import BEYOND_DOUBT, SINGLE_LOSS, Finding, Thresholds, evidence_of, rule
from ycsbook.facts import fact
from ycsbook.scaling.pairs import Compared, beyond, compared, lost
from ycsbook.scaling.points import KIND

ALARMS = 0.0004
_ADVICE = fact("inversion-advice")
_GRADED = {
    "budget": ALARMS,
    "cannot_know": "whether the specs share hardware, storage and network: their labels may hide more than they say; "
    "and without repeats, whether a loss of less than half is more than a run that stalled",
    "source": "one-sided t test on ln X with the variance pooled over the sweep, Holm (1979) over all pairs of specs; "
    "and averaged over how unequal the cells' noise may be (Smyth 2004, Welch 1947)",
    "defaults": {"budget": ALARMS, "single_loss": SINGLE_LOSS, "single_warning": BEYOND_DOUBT},
}


@rule(**_GRADED)
def more_cores_slower(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """A spec with more cores and at least the RAM, yet less throughput at the same threads.

    `budget`: chance of any warning in a clean sweep with repeats. Without repeats a loss of at least `single_loss` is
    a note, beyond the noise that is assumed a notice, from `single_warning` a warning.
    """
    yield from _inversions(evidence, settings, lambda cores, ram: (cores > cores.T) & ~(ram < ram.T))


@rule(**_GRADED)
def more_ram_slower(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """A spec with more RAM at equal cores, yet less throughput at the same threads; graded as more_cores_slower."""
    yield from _inversions(evidence, settings, lambda cores, ram: (cores == cores.T) & (ram > ram.T))


Bigger = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _inversions(evidence: Evidence, settings: Thresholds, bigger: Bigger) -> Iterator[Finding]:
    """`bigger` gives, of cores and RAM as rows, a matrix: whether the column's spec is the bigger one of two."""
    for kind, cells in evidence.compared.groupby(list(KIND), sort=True):
        group = cells.groupby(["workload", "threads"], dropna=False).ngroup().to_numpy()
        cores, ram = (cells[c].to_numpy(float)[np.newaxis, :] for c in ("cores", "ram_gib"))
        small, big = np.nonzero(bigger(cores, ram) & (group == group[:, np.newaxis]))
        tested = compared(cells, small, big, evidence.noise[kind])
        unknown = np.isnan(tested.p_falls)
        single_losses = 1 - tested.ratio >= settings["single_loss"]
        flagged = np.where(unknown, single_losses, lost(tested, settings["budget"]))
        slower = Compared(*(values[flagged] for values in tested))
        graded = {**settings, "notable": beyond(evidence.noise[kind].assumed)}
        yield from _worst_of_each(cells, small[flagged], big[flagged], slower, graded)


def _worst_of_each(
    cells: pd.DataFrame, small: np.ndarray, big: np.ndarray, slower: Compared, settings: Thresholds
) -> Iterator[Finding]:
    """One finding per slower spec, against the smaller spec that beats it most. `small`, `big`: positions of cells."""
    for slow in np.unique(big):
        against = np.flatnonzero(big == slow)
        i = against[np.argmin(slower.ratio[against])]
        first, second = (cells.iloc[at[i]].to_dict() for at in (small, big))
        effect, low, high = (float(v[i]) - 1 for v in slower[:3])
        doubt = names.doubts((first, second), "doubt-spec")
        yield Finding(
            _severity(-effect, settings) if np.isnan(low) else "warning",
            second["dataset"], (*first["run_ids"], *second["run_ids"]),
            fact("inversion", cell=names.cell(second), second=np.exp(second["log_y"]), effect=effect,
                 smaller=names.spec(first), first=np.exp(first["log_y"]), others=len(against) - 1,
                 doubt=doubt),
            evidence_of(low), effect, low, high,
            workload=second["workload"], spec=second["spec"], threads=second["threads"],
            cause=little_law.cause(second["workload"]) if doubt else "", advice=little_law.ADVICE if doubt else _ADVICE,
        )  # fmt: skip


def _severity(loss: float, settings: Thresholds) -> str:
    """Of one run against one run, where nothing tells the noise."""
    if loss >= settings["single_warning"]:
        return "warning"
    return "notice" if loss >= settings["notable"] else "note"
