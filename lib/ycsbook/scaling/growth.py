"""What the specs that were measured show by themselves: how throughput changes with cores, RAM and client threads.

This needs no law. What a law says of servers that were not measured is another question (fitting, capacity).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import exp, inf, isfinite, isnan, log, log2, nan, sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd

from ycsbook.facts import Fact, fact
from ycsbook.names import natural
from ycsbook.scaling.cells import Noise, run_noise, student_t
from ycsbook.scaling.points import KIND, OWN_THREADS, SHAPE
from ycsbook.units import MS_PER_S, US_PER_MS, US_PER_S

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
# Throughput this close to what the threads can do at their lowest latency is limited by these.
NEAR_CEILING = 1.25
# Threads are nearly all in service where an operation takes at most so many times the least with fewer threads, so many
# times fewer at least.
NEARLY_IN_SERVICE, FAR_FEWER = 1.25, 1.5


class Level(NamedTuple):
    """A core count, the geometric mean of the throughput of its specs, ops/s, and how many these are."""

    cores: float
    ops_s: float
    specs: int


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
        falls: whether the throughput at the last level is clearly below that where growth stops.
        stops: the level from which on growth stays below STOPPED per doubling, over a doubling of cores at least.
        flat: first and last level of the longest stretch of three core counts or more, a doubling apart at least, whose
            throughput differs by FLAT at most; none where growth stops at its start.
        bend: the core count beyond which growth falls most against that before it, with a doubling of cores at least on
            either side; NaN where it does not fall clearly. upper: growth per doubling beyond it.
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
    falls: bool
    flat: tuple[Level, Level] | None
    bend: float
    upper: float

    @property
    def kind(self) -> tuple[str, str, str]:
        """Its dataset, outcome and workload."""
        return self.dataset, self.outcome, self.workload

    @property
    def series(self) -> tuple[str, ...]:
        """The same and its threads, as text: unknown ones are NaN, which is unlike itself."""
        return *self.kind, f"{self.threads:g}"

    def is_of(self, rows: pd.DataFrame) -> pd.Series:
        """Which rows are of this series."""
        named = pd.Series(True, index=rows.index)
        for column in (*KIND, "workload", "threads"):
            value = getattr(self, column)
            named &= rows[column].eq(value) | (rows[column].isna() & pd.isna(value))
        return named

    def trusted(self, sound: Iterable["Growth"], least: int = LEAST_LEVELS) -> "Growth":
        """The growth of this series among those without the rows in doubt, where `least` core counts are left; else its
        own, of all rows."""
        return next((one for one in sound if one.series == self.series and len(one.levels) >= least), self)

    @property
    def first(self) -> Level:
        """The fewest cores."""
        return self.levels[0]

    @property
    def last(self) -> Level:
        """The most cores."""
        return self.levels[-1]

    @property
    def is_flat(self) -> bool:
        """Whether twice the cores bring nothing, of so many core counts that it is known."""
        return len(self.levels) > 2 and self.high < STOPPED and self.stops == self.first and not self.falls


class StraightLine(NamedTuple):
    """y = level + slope (x - centre) by least squares.

    squares: of x around its centre. variance: of y around the line, NaN with fewer than three points; df: behind it.
    """

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
    thread count has two, that of the specs at their own threads.

    Parameters
        rows: points.with_throughput(runs): one row per run, repeats kept.
    """
    known = rows[(rows["y"] > 0) & (rows["cores"] > 0)]
    series = []
    for _, kind in known.groupby(list(KIND), dropna=False):
        noise = run_noise(kind)
        for _, mix in kind.groupby("workload", dropna=False):
            groups = [g for _, g in mix.groupby("threads", dropna=False) if g["cores"].nunique() > 1]
            groups = groups or [at_best_threads(mix)]
            series += [_growth(group, noise) for group in groups if group["cores"].nunique() > 1]
    return series


def at_best_threads(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of each spec at the thread count that brings it most, as one series, whose threads are BEST_THREADS, or
    OWN_THREADS where each spec has one only.

    Parameters
        rows: points.with_throughput(runs): one row per run, repeats kept.
    """
    known = rows[(rows["y"] > 0) & rows["threads"].notna()]
    spec = [known[column] for column in (*KIND, "workload", "spec")]
    means = np.log(known["y"]).groupby([*spec, known["threads"]], dropna=False).transform("mean")
    counts = known["threads"].groupby(spec, dropna=False).nunique()
    threads = BEST_THREADS if (counts > 1).any() else OWN_THREADS
    return known[means == means.groupby(spec, dropna=False).transform("max")].assign(threads=threads)


def with_more_threads(growth: Growth, series: Iterable[Growth]) -> Growth | None:
    """Of these series the one of the same workload with more threads that brings most on the most cores, if that is
    clearly more."""
    more = [one for one in series if one.kind == growth.kind and one.threads > growth.threads > 0]
    best = max(more, key=lambda one: one.last.ops_s, default=None)
    return best if best and best.last.ops_s > MORE * growth.last.ops_s else None


def _growth(group: pd.DataFrame, noise: Noise) -> Growth:
    logs = group.assign(log_y=np.log(group["y"]), log_cores=np.log2(group["cores"]))
    cells = logs.groupby(SHAPE, dropna=False).agg(
        log_y=("log_y", "mean"), log_cores=("log_cores", "first"), n=("log_y", "size")
    )
    by_cores = cells["log_y"].groupby(level="cores").agg(["mean", "size"])
    levels = tuple(Level(cores, exp(mean), specs) for cores, mean, specs in by_cores.itertuples())
    runs = group.groupby("cores").size().to_numpy(float)
    variance = noise.or_assumed.variance
    bend = _bend(levels, runs, variance)
    stops, flat = _stops(levels), _flat(levels)
    return Growth(
        **{column: group[column].iloc[0] for column in (*KIND, "workload", "threads")}, n_specs=len(cells),
        n_runs=len(group), **_slope(cells, noise), levels=levels, stops=stops,
        falls=stops is not None and _falls(stops, levels, runs, variance),
        flat=None if stops and flat and flat[0] == stops else flat, bend=bend.cores if bend else nan,
        upper=per_doubling(bend, levels[-1]) if bend else nan,
    )  # fmt: skip


def _slope(cells: pd.DataFrame, noise: Noise) -> dict[str, float | str]:
    """The factor per doubling with its two intervals, and where the first comes from."""
    line = straight_line(cells["log_cores"].to_numpy(), cells["log_y"].to_numpy())
    weights = (cells["log_cores"].to_numpy() - line.centre) / line.squares
    spec_low, spec_high = _ends(line.slope, Noise(line.variance, line.df), 1 / line.squares)
    low, high = _ends(line.slope, noise.or_assumed, float((weights**2 / cells["n"]).sum()))
    # Other servers are no surer than these, though few specs may lie on a line by chance.
    spec_low, spec_high = min(spec_low, low), max(spec_high, high)
    evidence = "repeats"
    if not noise.df:
        (low, high), evidence = (spec_low, spec_high), "scatter"
    return {
        "factor": exp(line.slope), "low": low, "high": high, "evidence": "none" if isnan(low) else evidence,
        "spec_low": spec_low, "spec_high": spec_high,
    }  # fmt: skip


def _ends(slope: float, noise: Noise, share: float) -> tuple[float, float]:
    """The interval of a factor; share: the variance of its slope over that of the noise."""
    if noise.df < 1:
        return nan, nan
    reach = student_t(noise.df) * sqrt(noise.variance * share)
    # Of two or three points an end may lie beyond any number.
    return exp(slope - reach), exp(slope + reach) if slope + reach < 700 else inf


def per_doubling(a: Level, b: Level) -> float:
    """By what a doubling of cores multiplies throughput between two core counts."""
    return exp(log(b.ops_s / a.ops_s) / log2(b.cores / a.cores))


def _stops(levels: tuple[Level, ...]) -> Level | None:
    for i, level in enumerate(levels[:-1]):
        if levels[-1].cores < 2 * level.cores:
            return None
        if all(per_doubling(level, later) <= STOPPED for later in levels[i + 1 :]):
            return level
    return None


def _falls(stop: Level, levels: tuple[Level, ...], runs: np.ndarray, variance: float) -> bool:
    """Whether the last level is below that where growth stops, by more than FLAT and by more than noise; as _bend."""
    error = sqrt(variance * (1 / runs[levels.index(stop)] + 1 / runs[-1]))
    return log(stop.ops_s / levels[-1].ops_s) > max(log(FLAT), CLEARLY * error)


def _flat(levels: tuple[Level, ...]) -> tuple[Level, Level] | None:
    stretches = [
        (levels[i], levels[j])
        for i in range(len(levels))
        for j in range(i + 2, len(levels))
        if levels[j].cores >= 2 * levels[i].cores
        and max(level.ops_s for level in levels[i : j + 1]) <= FLAT * min(level.ops_s for level in levels[i : j + 1])
    ]
    return max(stretches, key=lambda ends: ends[1].cores / ends[0].cores, default=None)


def _bend(levels: tuple[Level, ...], runs: np.ndarray, variance: float) -> Level | None:
    """The level beyond which growth falls most, if it falls clearly and by more than noise.

    runs: how many each level is the mean of. variance: of ln X of one.
    """
    first, last = levels[0], levels[-1]
    falls = []
    for level, n in zip(levels[1:-1], runs[1:-1], strict=True):
        before, beyond = log2(level.cores / first.cores), log2(last.cores / level.cores)
        if min(before, beyond) >= 1:
            fall = log(per_doubling(level, last) / per_doubling(first, level))
            weights = np.array([1 / before, 1 / before + 1 / beyond, 1 / beyond])
            error = sqrt(variance * float((weights**2 / [runs[0], n, runs[-1]]).sum()))
            falls.append((fall, -CLEARLY * error, level))
    fall, noise, level = min(falls, default=(0.0, 0.0, None))
    return level if fall < min(log(FADING), noise) else None


def steps(growth: Growth) -> list[tuple[float, float, float]]:
    """From one core count to the next: cores, cores, and the growth per doubling."""
    return [(a.cores, b.cores, per_doubling(a, b)) for a, b in pairwise(growth.levels)]


def average(growth: Growth, mix: Fact, *, first_mix: bool = True, ram: bool = False) -> Fact:
    """By what a doubling of cores multiplies throughput, and where that fades.

    Where the interval comes from repeats of these servers, what others of their sizes would give stands beside it.
    first_mix: of several, whether it is the first. ram: whether RAM rises with the cores.
    """
    # Around a bend the scatter is that of the curve.
    apart = growth.evidence == "repeats" and isfinite(growth.spec_high) and isnan(growth.bend)
    vague = growth.high / growth.low > VAGUE
    beyond = "falls" if growth.upper < 1 / LEVEL else "level" if growth.upper < LEVEL else "less"
    return fact(
        "short-growth", mix=mix, threads=growth.threads, factor=growth.factor, low=growth.low, high=growth.high,
        vague=bool(vague), first_mix=first_mix, ram=ram, first=growth.first.cores, cores=growth.last.cores,
        bend=growth.bend, beyond=beyond, others_low=growth.spec_low if apart else None,
        others_high=growth.spec_high if apart else None,
    )  # fmt: skip


def plateau(
    growth: Growth, mix: Fact, more: Growth | None = None, *, doubted: bool = False, least_us: float = nan
) -> Iterator[Fact]:
    """Where growth stops, or is flat in between; nothing where it does neither.

    more: the same workload with more threads, where these bring more on the most cores measured with them.
    doubted: whether rows in doubt are among those between which it is flat or falls.
    least_us: the lowest mean latency of the series, µs, at which its threads do most; NaN: not known.
    """
    named = {"mix": mix, "threads": growth.threads}
    last = growth.last
    if (stop := growth.stops) and growth.falls:
        yield fact("short-falls", **named, cores=stop.cores, ops=stop.ops_s, last=last.cores, then=last.ops_s,
                   change=last.ops_s / stop.ops_s - 1, doubted=doubted)  # fmt: skip
    elif stop and (more or growth.bend != stop.cores):
        yield fact("short-stops", **named, cores=stop.cores, ops=stop.ops_s, last=last.cores, then=last.ops_s,
                   less=bool(last.ops_s < stop.ops_s), more=more and more.threads,
                   more_ops=more and more.last.ops_s, more_cores=more and more.last.cores,
                   **_ceiling(growth, least_us))  # fmt: skip
    elif growth.flat:
        start, end = growth.flat
        ops = sqrt(start.ops_s * end.ops_s)
        yield fact("short-flat", **named, ops=ops, first=start.cores, cores=end.cores, doubted=doubted)


def _ceiling(growth: Growth, least_us: float) -> dict[str, float | None]:
    """What the threads of a series do at the lowest mean latency, N / R, where it is about what was measured."""
    at_most = growth.threads / least_us * US_PER_S
    if not 1 / NEAR_CEILING <= at_most / growth.last.ops_s <= NEAR_CEILING:
        return {"least_ms": None, "at_most": None}
    return {"least_ms": least_us / US_PER_MS, "at_most": at_most}


def leaps(growth: Growth) -> Iterator[tuple[Level, Level]]:
    """The steps from one core count to the next that bring more than cores can give."""
    return ((a, b) for a, b in pairwise(growth.levels) if per_doubling(a, b) > LEAP)


def in_service(growth: Growth, mix: Fact, series: Iterable[Growth]) -> Iterator[Fact]:
    """Where operations wait hardly longer on the most cores than with far fewer threads: nearly all threads are in
    service there, and no server could do more with them. By N = X R, the time of N threads is N / X."""
    fewer = [one for one in series if one.kind == growth.kind and 0 < FAR_FEWER * one.threads <= growth.threads]
    times = [one.threads / level.ops_s for one in fewer for level in one.levels]
    if times and (takes := growth.threads / growth.last.ops_s) <= NEARLY_IN_SERVICE * min(times):
        yield fact("scaling-in-service", mix=mix, threads=growth.threads, cores=growth.last.cores, ms=MS_PER_S * takes,
                   least_ms=MS_PER_S * min(times))  # fmt: skip


def thread_changes(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per kind, workload and spec: the most threads against fewer, of several counts those that do best.

    Parameters
        rows: points.with_throughput(runs): one row per run, repeats kept.
    Returns
        By workload, cores and RAM: KIND, workload, spec, cores, ram_gib; threads_low, threads_high; low and high, the
        geometric means of the repeats (ops/s) at these; change, a fraction; ids_low and ids_high, their runs, separated
        by spaces.
    """
    known = rows[(rows["y"] > 0) & rows["threads"].notna()]
    series = [*KIND, "workload"]
    cells = known.assign(log_y=np.log(known["y"])).groupby([*series, *SHAPE, "threads"], dropna=False)
    cells = cells.agg(log_y=("log_y", "mean"), ids=("run_id", " ".join)).reset_index()
    most = cells.groupby(series, dropna=False)["threads"].transform("max")
    below, high = cells[cells["threads"] < most], cells[cells["threads"] == most]
    low = pd.concat([_at_best(part) for _, part in below.groupby(series, dropna=False)] or [below])
    pairs = low.merge(high, on=[*series, *SHAPE], suffixes=("_low", "_high"))
    pairs = pairs.assign(
        low=np.exp(pairs["log_y_low"]), high=np.exp(pairs["log_y_high"]),
        change=np.expm1(pairs["log_y_high"] - pairs["log_y_low"]),
    )  # fmt: skip
    columns = [*series, *SHAPE, "threads_low", "threads_high", "low", "high", "change", "ids_low", "ids_high"]
    return pairs[columns].sort_values([*series, "cores", "ram_gib", "spec"], key=natural, ignore_index=True)


def _at_best(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells of one series at the thread count that is best for its specs on average, of those that most have."""
    short = cells["log_y"] - cells.groupby("spec")["log_y"].transform("max")
    by_threads = short.groupby(cells["threads"]).agg(["size", "mean"])
    commonest = by_threads[by_threads["size"] == by_threads["size"].max()]
    return cells[cells["threads"] == commonest["mean"].idxmax()]
