"""Bigger servers that are slower: more cores and no less RAM, or more RAM at equal cores."""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from ycsbook.anomalies import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import SINGLE_LOSS, Finding, Thresholds, evidence_of, rule
from ycsbook.facts import fact
from ycsbook.scaling.cells import Noise
from ycsbook.scaling.pairs import Ratio, holm, pooled_error, ratios
from ycsbook.scaling.points import KIND

MORE_CORES_ALARMS, MORE_RAM_ALARMS = 0.0005, 0.0004
SINGLE_WARNING = 0.25
_ADVICE = fact("inversion-advice")
_CANNOT_KNOW = (
    "whether the specs share hardware, storage and network: their labels may hide more than they say; and without "
    "repeats, whether a loss of less than 25 % is more than noise"
)
_SOURCE = "one-sided t test on ln X with the variance pooled over the sweep; Holm (1979) over all pairs of specs"


@rule(
    budget=MORE_CORES_ALARMS, cannot_know=_CANNOT_KNOW, source=_SOURCE,
    defaults={"budget": MORE_CORES_ALARMS, "single_loss": SINGLE_LOSS, "single_warning": SINGLE_WARNING},
)  # fmt: skip
def more_cores_slower(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """A spec with more cores and at least the RAM, yet less throughput at the same threads.

    `budget`: chance of any warning in a clean sweep with repeats. Without repeats a loss of at least `single_loss` is
    a note, from `single_warning` a warning.
    """
    yield from _inversions(evidence, settings, lambda cores, ram: (cores > cores.T) & ~(ram < ram.T))


@rule(
    budget=MORE_RAM_ALARMS, cannot_know=_CANNOT_KNOW, source=_SOURCE,
    defaults={"budget": MORE_RAM_ALARMS, "single_loss": SINGLE_LOSS, "single_warning": SINGLE_WARNING},
)  # fmt: skip
def more_ram_slower(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """A spec with more RAM at equal cores, yet less throughput at the same threads; graded as more_cores_slower."""
    yield from _inversions(evidence, settings, lambda cores, ram: (cores == cores.T) & (ram > ram.T))


Bigger = Callable[[np.ndarray, np.ndarray], np.ndarray]


def _inversions(evidence: Evidence, settings: Thresholds, bigger: Bigger) -> Iterator[Finding]:
    """`bigger` gives, of cores and RAM as rows, a matrix: whether the column's spec is the bigger one of two."""
    for kind, cells in evidence.cells.groupby(list(KIND), sort=True):
        group = cells.groupby(["workload", "threads"], dropna=False).ngroup().to_numpy()
        cores, ram = (cells[c].to_numpy(float)[np.newaxis, :] for c in ("cores", "ram_gib"))
        small, big = np.nonzero(bigger(cores, ram) & (group == group[:, np.newaxis]))
        tested = _compared(cells, small, big, evidence.noise[kind])
        unknown = np.isnan(tested.p_falls)
        single_losses = 1 - tested.ratio >= settings["single_loss"]
        flagged = np.where(unknown, single_losses, holm(tested.p_falls) <= settings["budget"]).astype(bool)
        lost = Ratio(*(values[flagged] for values in tested))
        yield from _worst_of_each(cells, small[flagged], big[flagged], lost, settings["single_warning"])


def _compared(cells: pd.DataFrame, first: np.ndarray, second: np.ndarray, noise: Noise) -> Ratio:
    """second / first of pairs of cells of one kind, by their mean ln throughput and the noise pooled over the kind.

    Parameters
        cells: as cells.cells gives them, of one dataset and outcome.
        first, second: positions in `cells`, one pair each.
        noise: of that kind.
    Returns
        Ratio, one element per pair; interval and p are NaN where neither cell was repeated.
    """
    log_y, n = cells["log_y"].to_numpy(float), cells["n"].to_numpy(float)
    error = pooled_error(noise, n[first], n[second])
    return ratios(log_y[second] - log_y[first], error, np.full(len(first), float(noise.df)))


def _worst_of_each(
    cells: pd.DataFrame, small: np.ndarray, big: np.ndarray, lost: Ratio, single_warning: float
) -> Iterator[Finding]:
    """One finding per slower spec, against the smaller spec that beats it most. `small`, `big`: positions of cells."""
    for slow in np.unique(big):
        against = np.flatnonzero(big == slow)
        i = against[np.argmin(lost.ratio[against])]
        first, second = (cells.iloc[at[i]].to_dict() for at in (small, big))
        effect, low, high = (float(v[i]) - 1 for v in lost[:3])
        yield Finding(
            "warning" if not np.isnan(low) or -effect >= single_warning else "note",
            second["dataset"], (*first["run_ids"], *second["run_ids"]),
            fact("inversion", cell=names.cell(second), second=np.exp(second["log_y"]), effect=effect,
                 smaller=names.spec(first), first=np.exp(first["log_y"]), others=len(against) - 1,
                 doubt=names.doubts((first, second), "doubt-spec")),
            evidence_of(low), effect, low, high,
            workload=second["workload"], spec=second["spec"], threads=second["threads"], advice=_ADVICE,
        )  # fmt: skip
