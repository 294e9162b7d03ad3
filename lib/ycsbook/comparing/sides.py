"""The two sides of a comparison: their cells, their noise, and the curves through them.

A curve says what a side does at core counts that it did not measure: by its law where one is claimed, else between its
cells.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from ycsbook.columns import KIND
from ycsbook.names import natural
from ycsbook.scaling import Fit
from ycsbook.scaling.cells import ASSUMED_NOISE, SMALLEST_VARIANCE, Noise, cells, noise, student_t, with_utilisation
from ycsbook.scaling.claims import CLAIMED
from ycsbook.scaling.fitting import select
from ycsbook.scaling.growth import straight_line
from ycsbook.scaling.limits import LEFT_OUT, LimitKind, decided, judge
from ycsbook.tables import Tables

# What a server is called where neither side says which it was: who compares the two holds them to be alike.
UNNAMED = "unnamed"
# The thread count of runs of which nobody knows it: one of its own, which NaN, unequal to itself, cannot be.
UNKNOWN_THREADS = 0.0
# The basis of a ratio.
LAW, BETWEEN = "law", "between cells"
# Of fewer degrees of freedom the scatter of specs says nothing of single runs, and their noise is assumed: so that an
# interval of 95 % reaches three standard deviations, as for losses of single runs (pairs.BEYOND_ASSUMED).
LEAST_SCATTER = 3
ASSUMED_VARIANCE = (3 / student_t(np.inf) * ASSUMED_NOISE) ** 2
Line = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Curve:
    """Throughput over cores of one workload and thread count. basis: LAW or BETWEEN. first, last: the cores that it
    spans. scatter: standard deviation of ln X of the specs around it, with df degrees of freedom; NaN and 0 of two
    specs. at: of cores (q,), ln X and its standard error without the scatter of one more spec, (q,) each. line: the
    same, smooth over all cores, for what speaks of all of them: the law, or the line of growth."""

    basis: str
    first: float
    last: float
    scatter: float
    df: int
    at: Line
    line: Line


@dataclass(frozen=True)
class Side:
    """One kind (dataset, measured or published) of one of the two sides. name: how the tables call it. published:
    whether a vendor measured it. cells: as scaling.cells gives them, with limit_kind; unknown threads are
    UNKNOWN_THREADS. noise: between its repeats. write_concerns: those of its runs that are known. started_at: of each
    run, empty where unknown."""

    name: str
    published: bool
    cells: pd.DataFrame
    noise: Noise
    write_concerns: frozenset[str]
    started_at: pd.Series
    _curves: dict = field(default_factory=dict, repr=False)

    @cached_property
    def groups(self) -> dict[tuple[str, float], pd.DataFrame]:
        return dict(tuple(self.cells.groupby(["workload", "threads"])))

    def curve(self, workload: str, threads: float) -> Curve | None:
        """Throughput over the cores of these cells, whatever limits it; rows that cannot be right are left out. None
        where there are fewer than two core counts."""
        key = (workload, threads)
        if key not in self._curves:
            points = self.groups[key]
            points = points[~points["limit_kind"].isin(LEFT_OUT) & points["cores"].notna()]
            # Of threads that nobody noted it is not known that their number was fixed.
            threads_column = ["threads"] if threads != UNKNOWN_THREADS else []
            columns = [*KIND, "workload", *threads_column, "spec", "cores", "ram_gib", "limit_kind", "y"]
            self._curves[key] = _curve(points.assign(y=np.exp(points["log_y"]))[columns])
        return self._curves[key]

    def spread(self, cell: pd.Series) -> tuple[float, float]:
        """Variance of a cell's mean ln X and its degrees of freedom. Where nothing was repeated, the scatter of the
        specs around their curve stands in for the noise, rather too wide, as it holds what RAM and other hardware do as
        well; of too few specs for that, the noise that is assumed of a run, with infinite degrees of freedom."""
        if self.noise.df > 0:
            return max(self.noise.variance, SMALLEST_VARIANCE) / cell["n"], self.noise.df
        curve = self.curve(cell["workload"], cell["threads"])
        if curve is None or curve.df < LEAST_SCATTER:
            return ASSUMED_VARIANCE / cell["n"], np.inf
        return max(curve.scatter, ASSUMED_NOISE) ** 2, curve.df


def _curve(points: pd.DataFrame) -> Curve | None:
    if points["cores"].nunique() < 2:
        return None
    if decided(points["limit_kind"]).any():
        points = points.assign(censored=points["limit_kind"] != LimitKind.SERVER)
        if points["censored"].any():
            # A law may be claimed of the server then, but not of what is had with so many threads.
            return _between(points)
    choice = select(points, y="y")
    return _by_law(choice.fits[choice.law]) if choice.verdict.key == CLAIMED else _between(points)


def _by_law(fit: Fit) -> Curve:
    def at(cores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        drawn = fit.predict(cores)
        error = np.log(drawn["conf_high"] / drawn["conf_low"]) / (2 * student_t(fit.df))
        return np.log(drawn["fitted"].to_numpy(float)), error.to_numpy(float)

    return Curve(LAW, float(fit.means["cores"].min()), float(fit.means["cores"].max()), fit.residual_se, fit.df, at, at)


def _between(points: pd.DataFrame) -> Curve:
    """Straight between the neighbouring core counts, in ln X over ln cores; specs of equal cores are averaged. How far
    the specs lie from the line of their growth tells the scatter, or from a parabola where they are closer to that."""
    x, y = np.log(points["cores"].to_numpy(float)), np.log(points["y"].to_numpy(float))
    log_cores, at_cores, n = np.unique(x, return_inverse=True, return_counts=True)
    levels, growth = np.bincount(at_cores, y) / n, straight_line(x, y)
    line_scatter = scatter = float(np.sqrt(growth.variance))
    df = growth.df
    if len(log_cores) > 3:
        left = y - np.polynomial.Polynomial.fit(x, y, 2)(x)
        scatter, df = min((scatter, df), (float(np.sqrt(left @ left / (len(x) - 3))), len(x) - 3))

    def at(cores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        asked = np.log(np.asarray(cores, dtype=float))
        low = np.clip(np.searchsorted(log_cores, asked) - 1, 0, len(log_cores) - 2)
        share = (asked - log_cores[low]) / (log_cores[low + 1] - log_cores[low])
        error = scatter * np.sqrt((1 - share) ** 2 / n[low] + share**2 / n[low + 1])
        return (1 - share) * levels[low] + share * levels[low + 1], error

    def line(cores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        away = np.log(np.asarray(cores, dtype=float)) - growth.centre
        return growth.level + growth.slope * away, line_scatter * np.sqrt(1 / len(x) + away**2 / growth.squares)

    cores = points["cores"]
    return Curve(BETWEEN, float(cores.min()), float(cores.max()), scatter, df, at, line)


def sides(a: Tables, b: Tables, names: tuple[str, str] | None = None) -> tuple[list[Side], list[Side]]:
    """A Side for each dataset and kind of the two, called by `names`, or as the datasets are, so that names differ."""
    unnamed = (a.runs["spec"] == "").all() and (b.runs["spec"] == "").all()
    return _kinds(a, 0, names, unnamed, b), _kinds(b, 1, names, unnamed, a)


def _kinds(tables: Tables, which: int, names: tuple[str, str] | None, unnamed: bool, other_side: Tables) -> list[Side]:
    runs = tables.runs.assign(spec=UNNAMED) if unnamed else tables.runs
    rows = with_utilisation(runs, tables.operations)
    table = cells(rows)
    variances = noise(table)
    limit_kind, threads = judge(table, variances)["limit_kind"], table["threads"].fillna(UNKNOWN_THREADS)
    table = table.assign(limit_kind=limit_kind, threads=threads)
    several = table.groupby("dataset")["outcome"].nunique()
    shared = set(other_side.runs["dataset"])
    parts = []
    # From small to large, not by the letters of their names.
    table = table.sort_values(["workload", "cores", "ram_gib", "spec", "threads"], key=natural)
    for kind, part in table.groupby(list(KIND)):
        dataset, published = kind[0], kind[1] == "published"
        name = names[which] if names else (dataset or "unnamed")
        if not names and dataset in shared:
            name += f" ({'ab'[which]})"
        if several[dataset] > 1 and published:
            name += ", published"
        runs = rows[(rows["dataset"] == dataset) & (rows["outcome"] == kind[1])]
        concerns = frozenset(runs["write_concern"]) - {""}
        parts.append(Side(name, published, part.reset_index(drop=True), variances[kind], concerns, runs["started_at"]))
    return parts
