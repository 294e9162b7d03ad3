"""What the specs that were measured show by themselves: how throughput changes with cores, RAM and client threads.

This needs no law. What a law says of servers that were not measured is another question (fitting, capacity).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import exp, inf, isnan, log, log2, nan, sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd

from ycsbook.columns import KIND
from ycsbook.groups import group_means
from ycsbook.scaling.cells import Noise, run_noise, student_t
from ycsbook.scaling.points import OWN_THREADS, SHAPE, cell_means

# What twice the cores bring at most by themselves.
PROPORTIONAL = 2.0
# A step that multiplies throughput by so much per doubling of cores is no growth by cores.
LEAP = 3.0
# Less than this per doubling of cores is no growth worth buying: where it stays below, growth has stopped.
STOPPED = 1.15
# Core counts whose throughput differs by no more than this are flat.
FLAT = 1.15
# An interval wider than this (high / low) says that there are too few specs.
VAGUE = 3.0
# Growth per doubling that is none, and one over it.
LEVEL = 1.03
# Stands for each spec's own best thread count.
BEST_THREADS = 0.0
# Growth fades where the cores beyond the bend bring less than this share of what those before it bring.
FADING = 0.9
# And by more standard errors than this: the largest fall of several is taken.
CLEARLY = 2.5
# Another series that reaches so many times as much reaches clearly more.
MORE = 1.10
# So many core counts without rows in doubt stand for a series.
LEAST_LEVELS = 3
# Unlike RAM that multiplies a step between averages by more than this passes for growth with cores.
UNLIKE_RAM = 1.35


class Level(NamedTuple):
    """A core count, the geometric mean of the throughput of its specs, ops/s, how many these are, and the variance of
    that mean's logarithm over the variance of one run's."""

    cores: float
    ops_s: float
    specs: int
    share: float


class Stretch(NamedTuple):
    """Growth per doubling of cores on one side of a bend, with its 95 % interval."""

    factor: float
    low: float
    high: float


@dataclass(frozen=True)
class Growth:
    """Growth of one series: the specs at one workload and thread count of one dataset and kind. factor, low, high: by
    what a doubling of cores multiplies throughput, the least-squares slope of ln X over ln cores, with its 95 %
    interval; NaN where there is none. evidence: where the interval comes from: `repeats`, the noise of the runs, for
    these specs; `scatter` of the specs around the line, where nothing was repeated; `none`. spec_low, spec_high: the 95
    % interval from the scatter of the specs around the line: what another set of servers of this kind would give; NaN
    with fewer than three specs. levels: the core counts with their throughput. noise: of a run, or the one that is
    assumed. ram_per_core: GiB, where only the specs with so much count (_ram_per_core); NaN: all do."""

    dataset: str
    outcome: str
    workload: str
    threads: float
    n_specs: int
    n_runs: int
    factor: float
    low: float
    high: float
    evidence: str
    spec_low: float
    spec_high: float
    levels: tuple[Level, ...]
    noise: Noise
    ram_per_core: float

    @property
    def kind(self) -> tuple[str, str, str]:
        return self.dataset, self.outcome, self.workload

    @property
    def series(self) -> tuple[str, ...]:
        """The same and its threads, as text: unknown ones are NaN, which is unlike itself."""
        return *self.kind, f"{self.threads:g}"

    def is_of(self, rows: pd.DataFrame) -> pd.Series:
        columns = [*KIND, "workload", "threads"]
        values = pd.Series([getattr(self, name) for name in columns], columns, dtype=object)
        return (rows[columns].eq(values) | (rows[columns].isna() & values.isna())).all(axis=1)

    def trusted(self, sound: Iterable["Growth"], least: int = LEAST_LEVELS) -> "Growth":
        """Its growth among those of `sound` rows, where `least` core counts are left; else its own, of all rows."""
        return next((other for other in sound if other.series == self.series and len(other.levels) >= least), self)

    def part(self, a: Level, b: Level) -> Stretch:
        """Growth between two of its core counts, such as to the bend. Its interval is from the noise of a run, and wide
        enough for a bend that was chosen from several places (Benjamini and Yekutieli 2005, JASA 100, 71)."""
        factor, share = per_doubling(a, b), (a.share + b.share) / log2(b.cores / a.cores) ** 2
        return Stretch(factor, *_ends(log(factor), self.noise, share, max(len(self._places), 1)))

    @property
    def first(self) -> Level:
        return self.levels[0]

    @property
    def last(self) -> Level:
        return self.levels[-1]

    @cached_property
    def stops(self) -> Level | None:
        """The level from which on growth stays below STOPPED per doubling, over a doubling of cores at least."""
        for i, level in enumerate(self.levels[:-1]):
            if self.last.cores < 2 * level.cores:
                return None
            if all(per_doubling(level, later) <= STOPPED for later in self.levels[i + 1 :]):
                return level
        return None

    @cached_property
    def falls(self) -> bool:
        """Whether the last level is below that where growth stops, by more than FLAT and by more than noise."""
        if self.stops is None:
            return False
        error = sqrt(self.noise.variance * (self.stops.share + self.last.share))
        return log(self.stops.ops_s / self.last.ops_s) > max(log(FLAT), CLEARLY * error)

    @cached_property
    def flat(self) -> tuple[Level, Level] | None:
        """First and last level of the longest stretch of three core counts or more, a doubling apart at least, whose
        throughput differs by FLAT at most; none where growth stops at its start."""
        stretches = [self.levels[i:j] for i in range(len(self.levels)) for j in range(i + 3, len(self.levels) + 1)]
        ends = [
            (levels[0], levels[-1])
            for levels in stretches
            if levels[-1].cores >= 2 * levels[0].cores
            and max(level.ops_s for level in levels) <= FLAT * min(level.ops_s for level in levels)
        ]
        longest = max(ends, key=lambda ends: ends[1].cores / ends[0].cores, default=None)
        return None if longest and longest[0] == self.stops else longest

    @property
    def _places(self) -> list[Level]:
        """The levels with a doubling of cores at least on either side, where growth may bend."""
        return [level for level in self.levels if 2 * self.first.cores <= level.cores <= self.last.cores / 2]

    @cached_property
    def bend(self) -> Level | None:
        """The level beyond which growth falls most against that before it; None: not clearly, or within noise."""
        falls = []
        for level in self._places:
            before, beyond = log2(level.cores / self.first.cores), log2(self.last.cores / level.cores)
            fall = log(per_doubling(level, self.last) / per_doubling(self.first, level))
            weights = np.array([1 / before, 1 / before + 1 / beyond, 1 / beyond])
            shares = [self.first.share, level.share, self.last.share]
            falls.append((fall, -CLEARLY * sqrt(self.noise.variance * float((weights**2 * shares).sum())), level))
        fall, noise, level = min(falls, default=(0.0, 0.0, None))
        return level if fall < min(log(FADING), noise) else None

    @property
    def upper(self) -> float:
        """Growth per doubling beyond the bend; NaN without one."""
        return per_doubling(self.bend, self.last) if self.bend else nan

    @property
    def turn(self) -> Level | None:
        """Up to where throughput rises before it fades, levels or falls: the bend, or of a series that falls beyond it
        the core count that does most; None of a series that one slope describes."""
        turn = max(self.levels, key=lambda level: level.ops_s) if self.upper < 1 else self.bend
        return turn if turn and self.first.cores < turn.cores < self.last.cores else None

    @property
    def rise(self) -> float:
        """By what a doubling of cores multiplies throughput up to the turn; where there is none, everywhere."""
        return per_doubling(self.first, self.turn) if self.turn else self.factor

    @property
    def is_averaged(self) -> bool:
        return self.n_specs > len(self.levels)

    @property
    def is_vague(self) -> bool:
        """Whether there are too few specs for a rate."""
        return self.high / self.low > VAGUE

    @property
    def is_flat(self) -> bool:
        """Whether twice the cores bring nothing, of so many core counts that it is known."""
        return len(self.levels) > 2 and self.high < STOPPED and self.stops == self.first and not self.falls


class StraightLine(NamedTuple):
    """y = level + slope (x - centre) by least squares. squares: of x around its centre. variance: of y around the line,
    NaN with fewer than three points; df: behind it."""

    centre: float
    level: float
    slope: float
    squares: float
    variance: float
    df: int


def straight_line(x: np.ndarray, y: np.ndarray) -> StraightLine:
    """The line through these points, (n,) each, of two x or more."""
    centre, level, df = float(x.mean()), float(y.mean()), len(x) - 2
    squares = float(np.square(x - centre).sum())
    slope = float((x - centre) @ y) / squares
    left = y - level - slope * (x - centre)
    return StraightLine(centre, level, slope, squares, float(left @ left) / df if df > 0 else nan, max(df, 0))


def growths(rows: pd.DataFrame) -> list[Growth]:
    """The growth of every series with two core counts or more; where the threads rise with the cores, so that no
    thread count has two, that of the specs at their own threads. rows: points.with_throughput(runs)."""
    placed = rows[(rows["y"] > 0) & (rows["cores"] > 0)]
    series = []
    for _, kind in placed.groupby(list(KIND), dropna=False):
        noise = run_noise(kind)
        groups: list[pd.DataFrame] = []
        for _, mix in kind.groupby("workload", dropna=False):
            of_mix = [g for _, g in mix.groupby("threads", dropna=False) if g["cores"].nunique() > 1]
            groups += of_mix or [g for g in [at_best_threads(mix)] if g["cores"].nunique() > 1]
        logs = [np.log(group["y"].to_numpy()) for group in groups]
        cells = [cell_means(of, SHAPE, y, np.zeros(len(y), bool)) for of, y in zip(groups, logs, strict=True)]
        size = _ram_per_core(cells)
        series += [_growth(group.iloc[0], of, noise, size) for group, of in zip(groups, cells, strict=True)]
    return series


def at_best_threads(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of each spec at the thread count that brings it most, as one series, whose threads are BEST_THREADS, or
    OWN_THREADS where each spec has one only. rows: points.with_throughput(runs)."""
    loaded = rows[(rows["y"] > 0) & rows["threads"].notna()]
    spec = [loaded[column] for column in (*KIND, "workload", "spec")]
    means = np.log(loaded["y"]).groupby([*spec, loaded["threads"]], dropna=False).transform("mean")
    counts = loaded["threads"].groupby(spec, dropna=False).nunique()
    threads = BEST_THREADS if (counts > 1).any() else OWN_THREADS
    return loaded[means == means.groupby(spec, dropna=False).transform("max")].assign(threads=threads)


def with_more_threads(growth: Growth, series: Iterable[Growth]) -> Growth | None:
    """The series of the same workload with more threads that brings most on the most cores, if clearly more."""
    more = [other for other in series if other.kind == growth.kind and other.threads > growth.threads > 0]
    best = max(more, key=lambda other: other.last.ops_s, default=None)
    return best if best and best.last.ops_s > MORE * growth.last.ops_s else None


def _ram_per_core(series: list[pd.DataFrame]) -> float:
    """The RAM for each core, GiB, of the specs that stand for all of some series: where averages over specs of unlike
    RAM would show RAM as growth with cores, and specs of one such size are there of every core count. NaN: all count.
    series: of each the means of its specs."""
    is_unlike, of_all = False, None
    for cells in series:
        cores, each = cells["cores"].to_numpy(float), _each(cells)
        counts, log_y = np.unique(cores), cells["log_y"].to_numpy()
        lines = [(np.log2(each[at]), log_y[at]) for at in (cores == count for count in counts)]
        by_ram = [straight_line(*line).slope if np.ptp(line[0]) > 0 else 0.0 for line in lines]
        steps = np.abs(np.diff([x.mean() for x, _ in lines])) * np.maximum(by_ram[:-1], by_ram[1:])
        is_unlike |= bool((steps > log(UNLIKE_RAM)).any())
        sizes = {size for size in each if len(set(cores[each == size])) == len(counts)}
        of_all = sizes if of_all is None else of_all & sizes
    return float(sorted(of_all)[len(of_all) // 2]) if is_unlike and of_all else nan


def _each(cells: pd.DataFrame) -> np.ndarray:
    return (cells["ram_gib"] / cells["cores"]).to_numpy(float)


def _growth(named: pd.Series, cells: pd.DataFrame, noise: Noise, ram_per_core: float) -> Growth:
    """The growth of one series from the means of its specs; named: any row of it."""
    if not isnan(ram_per_core):
        cells = cells[_each(cells) == ram_per_core]
    cores, at, specs = np.unique(cells["cores"], return_inverse=True, return_counts=True)
    means, shares = (group_means(of.to_numpy(), at) for of in (cells["log_y"], 1 / cells["n_runs"]))
    levels = tuple(map(Level, cores.tolist(), np.exp(means).tolist(), specs.tolist(), (shares / specs).tolist()))
    return Growth(
        **{column: named[column] for column in (*KIND, "workload", "threads")}, n_specs=len(cells),
        n_runs=int(cells["n_runs"].sum()), **_slope(cells, noise), levels=levels, noise=noise.or_assumed,
        ram_per_core=ram_per_core,
    )  # fmt: skip


def _slope(cells: pd.DataFrame, noise: Noise) -> dict[str, float | str]:
    """The factor per doubling with its two intervals, and where the first comes from."""
    log_cores = np.log2(cells["cores"].to_numpy(float))
    line = straight_line(log_cores, cells["log_y"].to_numpy())
    weights = (log_cores - line.centre) / line.squares
    spec_low, spec_high = _ends(line.slope, Noise(line.variance, line.df), 1 / line.squares)
    low, high = _ends(line.slope, noise.or_assumed, float((weights**2 / cells["n_runs"]).sum()))
    # Other servers are no surer than these, though few specs may lie on a line by chance.
    spec_low, spec_high = min(spec_low, low), max(spec_high, high)
    evidence = "repeats"
    if not noise.df:
        (low, high), evidence = (spec_low, spec_high), "scatter"
    ends = {"low": low, "high": high, "spec_low": spec_low, "spec_high": spec_high}
    return {"factor": exp(line.slope), "evidence": "none" if isnan(low) else evidence, **ends}


def _ends(slope: float, noise: Noise, share: float, of: int = 1) -> tuple[float, float]:
    """The interval of a factor; share: the variance of its slope over that of the noise; of: as student_t."""
    if noise.df < 1:
        return nan, nan
    reach = student_t(noise.df, of) * sqrt(noise.variance * share)
    # Of two or three points an end may lie beyond any number.
    return exp(slope - reach), exp(slope + reach) if slope + reach < 700 else inf


def per_doubling(a: Level, b: Level) -> float:
    """By what a doubling of cores multiplies throughput between two core counts."""
    return exp(log(b.ops_s / a.ops_s) / log2(b.cores / a.cores))


def steps(growth: Growth) -> list[tuple[float, float, float]]:
    """From one core count to the next: cores, cores, and the growth per doubling."""
    return [(a.cores, b.cores, per_doubling(a, b)) for a, b in pairwise(growth.levels)]


def leaps(growth: Growth) -> Iterator[tuple[Level, Level]]:
    """The steps from one core count to the next that bring more than cores can give."""
    return ((a, b) for a, b in pairwise(growth.levels) if per_doubling(a, b) > LEAP)
