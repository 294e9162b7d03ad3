"""Local elasticities: what each step from one core count to the next brought."""

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise
from math import exp, inf, isnan, log, nan, sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from ycsbook.scaling.points import throughput_column, usable
from ycsbook.tables import from_rows

CONFIDENCE = 0.95
# On what a step rests where both sides share no RAM size.
ONE_EACH, ALL_SPECS = "one spec each, RAM differs", "means of all specs, RAM differs"
# Which side of a step is a lower bound; only where the larger alone is, the gain is a lower bound too.
LARGER_BOUND, SMALLER_BOUND, BOTH_BOUND = BOUNDS = (
    "; the larger is a lower bound", "; the smaller is a lower bound", "; both are lower bounds",
)  # fmt: skip
_SHAPE = (("spec", ""), ("cores", nan), ("ram_gib", nan))
_NAMES = (("workload", ""), ("threads", nan), ("outcome", ""))


class Cell(NamedTuple):
    """One spec of a group: cores, RAM (GiB, NaN if unknown), mean of ln y, over how many runs, and whether that is
    only a lower bound of what the server can do."""

    spec: str
    cores: float
    ram_gib: float
    mean: float
    size: int
    bound: bool = False


@dataclass(frozen=True)
class Means:
    """The spec means of one group of points.

    Attributes
        cells: one per spec, sorted by cores and RAM.
        variance, df: of ln y between repeats, pooled over the cells; NaN and 0 where nothing was repeated.
        names: workload, threads and outcome of the group.
    """

    cells: list[Cell]
    variance: float
    df: int
    names: dict

    @cached_property
    def t(self) -> float:
        """The t quantile of the pooled variance; NaN where nothing was repeated."""
        return float(special.stdtrit(self.df, (1 + CONFIDENCE) / 2)) if self.df else nan

    def interval(self, step: "Step") -> tuple[float, float]:
        """The 95 % interval of a step's ln ratio, from the noise between repeats; NaN without repeats."""
        reach = self.t * sqrt(self.variance * step.of_means) if self.df else nan
        return step.log_ratio - reach, step.log_ratio + reach


@dataclass(frozen=True)
class Step:
    """Two core counts, or two RAM sizes, compared: pairs of cells on both sides, and on what basis.

    One pair per equal RAM where there is such, else one pair of all. The basis ends in one of BOUNDS where a side is a
    lower bound of what its server can do.
    """

    cores_from: float
    cores_to: float
    pairs: list[tuple[list[Cell], list[Cell]]]
    basis: str

    @property
    def log_ratio(self) -> float:
        """The mean of the pairs' ln throughput ratios."""
        return sum(mean(b) - mean(a) for a, b in self.pairs) / len(self.pairs)

    @property
    def of_means(self) -> float:
        """The variance of log_ratio, in units of one run's variance."""
        return sum(_of_mean(a) + _of_mean(b) for a, b in self.pairs) / len(self.pairs) ** 2


def elasticities(points: pd.DataFrame, y: str | None = None, *, label: str = "") -> pd.DataFrame:
    """One row per step between neighbouring core counts of one group.

    Specs of equal RAM are compared where both counts have them, and the ln ratios averaged; otherwise all specs
    of a count are averaged, and `basis` says which. An elasticity of 1 is proportional, 0 no gain. The interval
    needs repeats: it uses their variance pooled over the group, so it speaks of the noise between repeats, not
    of the scatter between specs.

    Parameters
        points: one row per run, repeats kept: spec, cores, ram_gib, y, and workload and threads.
    Returns
        The columns of the table elasticities; conf_low and conf_high are of the elasticity, NaN without repeats.
    """
    return from_rows(elasticity_rows(spec_cells(points, y), label), "elasticities")


def elasticity_rows(means: Means, label: str) -> list[dict]:
    """As `elasticities`, as plain rows from the spec means of one group."""
    rows = []
    for step in steps(means):
        span = log(step.cores_to / step.cores_from)
        low, high = means.interval(step)
        rows.append(
            {"group": label, **means.names, "cores_from": step.cores_from, "cores_to": step.cores_to,
             "gain": exp(step.log_ratio), "elasticity": step.log_ratio / span, "conf_low": low / span,
             "conf_high": high / span, "basis": step.basis}
        )  # fmt: skip
    return rows


def spec_cells(points: pd.DataFrame, y: str | None = None) -> Means:
    """The means of ln y per spec, and the noise between repeats.

    Parameters
        points: one row per run of one workload and one thread count, repeats kept: cores, y, and spec, ram_gib,
            workload, threads, outcome, censored (whether y is a lower bound) where known. y: the throughput column,
            ops/s, chosen if None.
    """
    if {"phase", "outcome"} <= set(points.columns):
        points = usable(points)
    y = y if y is not None else throughput_column(points)
    known = points[y].to_numpy(float) > 0
    columns = (points[c].to_numpy()[known] if c in points else [m] * int(known.sum()) for c, m in _SHAPE)
    bounds = points["censored"].to_numpy(bool)[known] if "censored" in points else np.zeros(int(known.sum()), bool)
    runs: dict[tuple, list[tuple[float, bool]]] = {}
    logs = np.log(points[y].to_numpy(float)[known]).tolist()
    for *shape, value, bound in zip(*columns, logs, bounds.tolist(), strict=True):
        # NaN is no key: RAM that is not known is None here.
        key = tuple(None if isinstance(v, float) and isnan(v) else v for v in shape)
        runs.setdefault(key, []).append((value, bound))
    cells, squares, df = [], 0.0, 0
    for (spec, cores, ram), here in runs.items():
        if cores is not None:
            values = [value for value, _ in here]
            centre = sum(values) / len(values)
            bound = any(flag for _, flag in here)
            cells.append(Cell(spec, float(cores), nan if ram is None else float(ram), centre, len(values), bound))
            squares, df = squares + sum((v - centre) ** 2 for v in values), df + len(values) - 1
    cells.sort(key=lambda c: (c.cores, inf if isnan(c.ram_gib) else c.ram_gib, c.spec))
    names = {c: points[c].iloc[0] if c in points and len(points) else missing for c, missing in _NAMES}
    return Means(cells, squares / df if df else nan, df, names)


def steps(means: Means) -> list[Step]:
    """The steps between neighbouring core counts, lowest first."""
    by_cores = [list(cells) for _, cells in groupby(means.cells, key=lambda c: c.cores)]
    return [_step(low, high) for low, high in pairwise(by_cores)]


def mean(cells: list[Cell]) -> float:
    """The mean of ln y over the cells."""
    return sum(c.mean for c in cells) / len(cells)


def _step(low: list[Cell], high: list[Cell]) -> Step:
    cores = low[0].cores, high[0].cores
    shared = sorted({c.ram_gib for c in low if not isnan(c.ram_gib)} & {c.ram_gib for c in high})
    if shared:
        pairs = [([c for c in low if c.ram_gib == r], [c for c in high if c.ram_gib == r]) for r in shared]
        return Step(*cores, pairs, f"equal RAM: {', '.join(f'{r:g}' for r in shared)} GiB{bounded(pairs)}")
    basis = ONE_EACH if len(low) == len(high) == 1 else ALL_SPECS
    if all(isnan(c.ram_gib) for c in (*low, *high)):
        basis = "RAM not given"
    return Step(*cores, [(low, high)], basis + bounded([(low, high)]))


def bounded(pairs: list[tuple[list[Cell], list[Cell]]]) -> str:
    """Which of BOUNDS holds for these pairs; "" where no cell is known to be a lower bound."""
    smaller, larger = (any(cell.bound for pair in pairs for cell in pair[side]) for side in (0, 1))
    return BOTH_BOUND if smaller and larger else SMALLER_BOUND if smaller else LARGER_BOUND if larger else ""


def _of_mean(cells: list[Cell]) -> float:
    """Variance of the cells' mean, in units of one run's variance."""
    return sum(1 / c.size for c in cells) / len(cells) ** 2
