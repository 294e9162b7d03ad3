"""Comparing two cells: the ratio, its interval from repeats, and a budget for false alarms over many pairs."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import stats

from ycsbook.scaling.cells import Noise

# Single runs say nothing about noise; a loss of more than 9 % is called one (design: retrograde).
SINGLE_RATIO = 0.91


@dataclass(frozen=True)
class Comparison:
    """second / first: the ratio, its 95 % interval (NaN without repeats), and p for "second is not lower"."""

    ratio: float
    low: float
    high: float
    p: float

    @property
    def repeated(self) -> bool:
        return not np.isnan(self.p)

    @property
    def evidence(self) -> str:
        return "repeats" if self.repeated else "single"


def compare(first: Mapping, second: Mapping, noise: Noise) -> Comparison:
    """Compare two cells by their mean ln throughput.

    The variance is pooled over the dataset: with 3 repeats a cell's own has 2 degrees of freedom, and a test on
    4 would miss what 72 pooled ones see. Cells without a repeat give the ratio alone.
    """
    difference = float(second["log_y"] - first["log_y"])
    if noise.df < 1 or first["n"] + second["n"] < 3:
        return Comparison(float(np.exp(difference)), float("nan"), float("nan"), float("nan"))
    error = float(np.sqrt(max(noise.variance, 1e-12) * (1 / first["n"] + 1 / second["n"])))
    reach = float(stats.t.ppf(0.975, noise.df)) * error
    ends = np.exp([difference - reach, difference + reach])
    p = float(stats.t.cdf(difference / error, noise.df))
    return Comparison(float(np.exp(difference)), float(ends[0]), float(ends[1]), p)


def within_budget(comparisons: list[Comparison], budget: float) -> list[bool]:
    """Which pairs are lower by Holm's procedure: the chance that any one of them is a false alarm is `budget`.

    References
        Holm (1979), Scand. J. Statist. 6.
    """
    p = np.array([c.p for c in comparisons])
    order = [i for i in np.argsort(p) if not np.isnan(p[i])]
    flagged = [False] * len(comparisons)
    for rank, i in enumerate(order):
        if p[i] > budget / (len(order) - rank):
            break
        flagged[i] = True
    return flagged
