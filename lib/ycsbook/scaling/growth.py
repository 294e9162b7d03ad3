"""How throughput grows with cores over the specs that were measured: on average per doubling, and where it stops.

This describes the cells that were measured and needs no law. What a law says of servers that were not measured is
another question (fitting, capacity).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import exp, inf, isfinite, log, log2, nan, sqrt

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from ycsbook.facts import Fact, fact
from ycsbook.scaling.cells import Noise
from ycsbook.scaling.points import KIND
from ycsbook.scaling.variance import run_noise

CONFIDENCE = 0.95
# Less than this per doubling of cores is no growth worth buying: where it stays below, growth has stopped.
STOPPED = 1.15
# Core counts whose throughput differs by no more than this are flat.
FLAT = 1.15
# Growth fades where the upper half of the cores brings less than this share of what the lower half brings.
FADING = 0.9
_SHAPE = ["spec", "cores", "ram_gib"]


@dataclass(frozen=True)
class Level:
    """A core count and the geometric mean of the throughput of its specs, ops/s."""

    cores: float
    ops_s: float


@dataclass(frozen=True)
class Growth:
    """Growth of one series: the specs at one workload and thread count of one dataset and kind.

    Attributes
        factor, low, high: by what a doubling of cores multiplies throughput, the least-squares slope of ln X over ln
            cores, with its 95 % interval; NaN where there is none.
        evidence: where the interval comes from: `repeats`, the noise of the runs, for these specs; `scatter` of the
            specs around the line, where nothing was repeated; `none`.
        spec_low, spec_high: the 95 % interval from the scatter of the specs around the line: what another set of
            servers of this kind would give; NaN with fewer than three specs.
        levels: the core counts with their throughput.
        stops: the level from which on growth stays below STOPPED per doubling, over a doubling of cores at least.
        flat: first and last level of the longest stretch of three core counts or more, a doubling apart at least, whose
            throughput differs by FLAT at most; none where growth stops at its start.
        lower, upper: growth per doubling below and above the middle of the cores; NaN with fewer than four counts.
    """

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
    stops: Level | None
    flat: tuple[Level, Level] | None
    middle: float
    lower: float
    upper: float

    @property
    def first(self) -> Level:
        """The fewest cores."""
        return self.levels[0]

    @property
    def last(self) -> Level:
        """The most cores."""
        return self.levels[-1]

    @property
    def fades(self) -> bool:
        """Whether the upper half of the cores brings clearly less per doubling than the lower half."""
        return self.upper < FADING * self.lower


def growths(rows: pd.DataFrame) -> list[Growth]:
    """The growth of every series with two core counts or more.

    Parameters
        rows: points.with_throughput(runs): one row per run, repeats kept.
    """
    known = rows[(rows["y"] > 0) & (rows["cores"] > 0)]
    series = []
    for _, kind in known.groupby(list(KIND), dropna=False):
        noise = run_noise(kind)
        groups = kind.groupby(["workload", "threads"], dropna=False)
        series += [_growth(group, noise) for _, group in groups if group["cores"].nunique() > 1]
    return series


def _growth(group: pd.DataFrame, noise: Noise) -> Growth:
    logs = group.assign(log_y=np.log(group["y"]), log_cores=np.log2(group["cores"]))
    cells = logs.groupby(_SHAPE, dropna=False).agg(
        log_y=("log_y", "mean"), log_cores=("log_cores", "first"), n=("log_y", "size")
    )
    factor, *ends = _slope(cells, noise)
    by_cores = cells["log_y"].groupby(level="cores").mean()
    levels = tuple(Level(float(cores), exp(value)) for cores, value in by_cores.items())
    stops = _stops(levels)
    flat = _flat(levels)
    middle = _middle(levels)
    return Growth(
        **{column: group[column].iloc[0] for column in (*KIND, "workload", "threads")}, n_specs=len(cells),
        n_runs=len(group), factor=factor, low=ends[0], high=ends[1], evidence=ends[2], spec_low=ends[3],
        spec_high=ends[4], levels=levels, stops=stops, flat=None if stops and flat and flat[0] == stops else flat,
        middle=middle.cores if middle else nan, lower=_per_doubling(levels[0], middle) if middle else nan,
        upper=_per_doubling(middle, levels[-1]) if middle else nan,
    )  # fmt: skip


def _slope(cells: pd.DataFrame, noise: Noise) -> tuple[float, float, float, str, float, float]:
    """The factor per doubling, its interval, where that comes from, and the interval from the scatter of the specs."""
    x, y = cells["log_cores"].to_numpy(), cells["log_y"].to_numpy()
    centred = x - x.mean()
    weights = centred / (centred @ centred)
    slope = float(weights @ y)
    scattered = _ends(slope, _scatter(centred, y, slope), weights, np.ones(len(x)))
    repeated = _ends(slope, noise, weights, cells["n"].to_numpy(float))
    ends, evidence = (repeated, "repeats") if noise.df else (scattered, "scatter")
    if np.isnan(ends[0]):
        evidence = "none"
    return exp(slope), *ends, evidence, *scattered


def _scatter(centred: np.ndarray, y: np.ndarray, slope: float) -> Noise:
    df = len(y) - 2
    squares = float(np.square(y - y.mean() - slope * centred).sum())
    return Noise(squares / df if df > 0 else nan, max(df, 0))


def _ends(slope: float, noise: Noise, weights: np.ndarray, n: np.ndarray) -> tuple[float, float]:
    if noise.df < 1:
        return nan, nan
    reach = float(stdtrit(noise.df, (1 + CONFIDENCE) / 2)) * sqrt(noise.variance * float((weights**2 / n).sum()))
    # Of two or three points an end may lie beyond any number.
    return exp(slope - reach), exp(slope + reach) if slope + reach < 700 else inf


def _per_doubling(a: Level, b: Level) -> float:
    return exp(log(b.ops_s / a.ops_s) / log2(b.cores / a.cores))


def _stops(levels: tuple[Level, ...]) -> Level | None:
    for i, level in enumerate(levels[:-1]):
        if levels[-1].cores < 2 * level.cores:
            return None
        if all(_per_doubling(level, later) <= STOPPED for later in levels[i + 1 :]):
            return level
    return None


def _flat(levels: tuple[Level, ...]) -> tuple[Level, Level] | None:
    stretches = [
        (levels[i], levels[j])
        for i in range(len(levels))
        for j in range(i + 2, len(levels))
        if levels[j].cores >= 2 * levels[i].cores and _spread(levels[i : j + 1]) <= FLAT
    ]
    return max(stretches, key=lambda ends: ends[1].cores / ends[0].cores, default=None)


def _spread(levels: tuple[Level, ...]) -> float:
    ops = [level.ops_s for level in levels]
    return max(ops) / min(ops)


def _middle(levels: tuple[Level, ...]) -> Level | None:
    """The core count nearest to the middle of the range on a log scale."""
    if len(levels) < 4:
        return None
    centre = sqrt(levels[0].cores * levels[-1].cores)
    return min(levels[1:-1], key=lambda level: abs(log(level.cores / centre)))


def steps(growth: Growth) -> list[tuple[float, float, float]]:
    """From one core count to the next: cores, cores, and the growth per doubling."""
    return [(a.cores, b.cores, _per_doubling(a, b)) for a, b in pairwise(growth.levels)]


def average(growth: Growth, mix: Fact) -> Fact:
    """By what a doubling of cores multiplies throughput, and where that fades.

    Where the interval comes from repeats of these servers, what others of their sizes would give stands beside it.
    """
    apart = growth.evidence == "repeats" and isfinite(growth.spec_high)
    return fact(
        "short-growth", mix=mix, threads=growth.threads, factor=growth.factor, low=growth.low, high=growth.high,
        first=growth.first.cores, cores=growth.last.cores, middle=growth.middle if growth.fades else None,
        upper=growth.upper, others_low=growth.spec_low if apart else None,
        others_high=growth.spec_high if apart else None,
    )  # fmt: skip


def plateau(growth: Growth, mix: Fact, more: Growth | None = None, read_ms: float | None = None) -> Iterator[Fact]:
    """Where growth stops, or is flat in between; nothing where it does neither.

    more: the same workload with more threads, where these bring more on the most cores. read_ms: the lowest mean
        latency of its reads.
    """
    named = {"mix": mix, "threads": growth.threads}
    if stop := growth.stops:
        last = growth.last
        yield fact("short-stops", **named, cores=stop.cores, ops=stop.ops_s, last=last.cores, then=last.ops_s,
                   more=more and more.threads, more_ops=more and more.last.ops_s, read_ms=read_ms)  # fmt: skip
    elif growth.flat:
        start, end = growth.flat
        ops = sqrt(start.ops_s * end.ops_s)
        yield fact("short-flat", **named, ops=ops, first=start.cores, cores=end.cores)
