"""Neighbouring thread counts of one spec and workload: what more client threads bring, with its interval; and the knee,
where a closed loop's asymptotes cross.

Arrays throughout, because thousands of simulated sweeps are judged by them.
"""

from collections import namedtuple
from collections.abc import Mapping
from math import exp, sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from ycsbook.closed_loop import is_counted
from ycsbook.columns import CELL, KIND
from ycsbook.facts import Fact, fact, in_columns
from ycsbook.groups import group_means, group_tuples, numbers_of
from ycsbook.names import mixes, natural
from ycsbook.scaling.cells import ASSUMED_NOISE, SMALLEST_VARIANCE, Noise, moderated, priors, student_t
from ycsbook.scaling.points import SHAPE, with_throughput
from ycsbook.scaling.repeats import spec_or_run_id
from ycsbook.tables import empty, from_rows
from ycsbook.units import US_PER_S

# What a doubling of the threads brings at least where it helps, and at most where it does not.
RISING, FLAT = 1.25, 1.10
# The least that a sum of squares is divided by.
_EXACT = 1e-300


def beyond(noise: float) -> float:
    """A loss between two runs that such noise does not explain: three standard deviations of their difference."""
    return 1 - exp(-3 * sqrt(2) * noise)


BEYOND_ASSUMED = beyond(ASSUMED_NOISE)


class Ratios(NamedTuple):
    """second / first, element by element: the ratio, its 95 % interval, p that it is not below 1 (NaN: unknown)."""

    ratio: np.ndarray
    conf_low: np.ndarray
    conf_high: np.ndarray
    p_falls: np.ndarray


def ratios(difference: np.ndarray, error: np.ndarray, df: np.ndarray) -> Ratios:
    """Ratios from differences of ln X: exp of the t interval, and the one-sided p of "the second is not lower".
    difference: ln second - ln first. error: its standard error. df: degrees of freedom behind the error. All of one
    shape; NaN error or df < 1 means that nothing was repeated."""
    difference, error, df = (np.asarray(a, dtype=float) for a in (difference, error, df))
    has_error = (df > 0) & np.isfinite(error)
    df, error = np.where(has_error, df, np.nan), np.where(has_error, error, np.nan)
    reach = student_t(df) * error
    # Of one degree of freedom an end may lie beyond any number.
    with np.errstate(over="ignore"):
        low, high = np.exp(difference - reach), np.exp(difference + reach)
    return Ratios(np.exp(difference), low, high, special.stdtr(df, difference / error))


def satterthwaite(*spreads: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The variance of a sum and its degrees of freedom, from those of its parts (Welch 1947, Satterthwaite 1946); of a
    part that is known the degrees of freedom are infinite.

    Examples
        >>> tuple(map(float, satterthwaite((1.0, 4), (1.0, 4), (0.5, np.inf))))
        (2.5, 12.5)
        >>> tuple(map(float, satterthwaite((1.0, 0), (1.0, 4))))
        (2.0, 0.0)
    """
    variance = sum(part for part, _ in spreads)
    # Without any degrees of freedom of a part there are none.
    with np.errstate(divide="ignore", invalid="ignore"):
        return variance, variance**2 / np.maximum(sum(np.square(part) / np.float64(df) for part, df in spreads), _EXACT)


def pooled_error(noise: Noise, n_first: np.ndarray, n_second: np.ndarray) -> np.ndarray:
    """Standard error of a difference of two means of ln X; NaN where neither was repeated. The variance is pooled over
    the kind: a test on the 4 degrees of freedom of 3 repeats each would miss what 72 pooled ones see."""
    n_first, n_second = np.asarray(n_first, dtype=float), np.asarray(n_second, dtype=float)
    error = np.sqrt(max(noise.variance, SMALLEST_VARIANCE) * (1 / n_first + 1 / n_second))
    return np.where((n_first + n_second > 2) & (noise.df > 0), error, np.nan)


# Ratios of pairs of cells by the pooled noise; p_averaged: that p over how unequal the cells' noise may be.
Compared = namedtuple("Compared", (*Ratios._fields, "p_averaged"))


def compared(cells: pd.DataFrame, first: np.ndarray, second: np.ndarray, noise: Noise) -> Compared:
    """second / first of pairs of cells of one kind; interval and p are NaN where neither cell was repeated. cells: as
    cells.cells gives them, of one dataset and outcome. noise: of that kind. first, second: positions in `cells`, one
    pair each. Source: Welch (1947), Biometrika 34, for two cells with different variances."""
    log_y, n, variance, cell_df = (cells[c].to_numpy(float) for c in ("log_y", "n", "variance", "df"))
    difference = log_y[second] - log_y[first]
    tested = ratios(difference, pooled_error(noise, n[first], n[second]), np.full(len(first), float(noise.df)))
    # Where neither of a pair was repeated nothing is known, whatever the others say.
    p_averaged = np.zeros(len(first)) if noise.df > 0 else np.full(len(first), np.nan)
    p_averaged[np.isnan(tested.p_falls)] = np.nan
    for prior in priors(variance, cell_df, noise) if noise.df > 0 else ():
        of_run, df = moderated(variance, cell_df, noise, prior)
        of_mean = np.maximum(of_run, SMALLEST_VARIANCE) / n
        of_pair = of_mean[first] + of_mean[second]
        # No two cells can know more than all of them together.
        df = np.minimum(of_pair**2 / ((of_mean**2 / df)[first] + (of_mean**2 / df)[second]), noise.df)
        p_averaged += prior.weight * special.stdtr(df, difference / np.sqrt(of_pair))
    return Compared(*tested, p_averaged)


def lost(tested: Compared | pd.DataFrame, budget: float) -> np.ndarray:
    """Which pairs have lost throughput: a warning; never one whose noise is unknown. Noise pooled over the kind sees
    most, but is too small for the cells that are noisier than most: so the loss must show as well where cells may have
    a noise of their own. tested: pairs as `compared` gives them, all of one family. budget: the chance of any where
    none has lost."""
    return (holm(tested.p_falls) <= budget) & (holm(tested.p_averaged) <= budget)


def holm(p: np.ndarray) -> np.ndarray:
    """Holm's adjusted p values: each is the smallest family-wise level at which its hypothesis is rejected. Where all
    that are at most a budget are rejected, the chance that any true one is among them is at most that budget, whatever
    the dependence between the tests: pairs that share a cell and a pooled variance are dependent. p: NaN where nothing
    was tested, which stays NaN and does not count. Source: Holm (1979), A simple sequentially rejective multiple test
    procedure, Scand. J. Statist. 6, 65-70.

    Examples
        >>> holm(np.array([0.01, np.nan, 0.04, 0.03])).round(3).tolist()
        [0.03, nan, 0.06, 0.06]
    """
    p = np.asarray(p, dtype=float)
    order = np.argsort(p)[: int(np.isfinite(p).sum())]
    steps = p[order] * (len(order) - np.arange(len(order)))
    adjusted = np.full(p.shape, np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def pairs(cells: pd.DataFrame, noise: Mapping[tuple[str, str], Noise]) -> pd.DataFrame:
    """One row per pair of neighbouring thread counts on one spec and workload, in the order of CELL. cells: as
    cells.cells gives them, in any order. Those without a thread count or of two levels are in none. noise: as
    cells.noise gives it for these cells. Returns CELL of the lower thread count, threads_to, octaves (log2 of the
    thread ratio), what Compared has of X at threads_to over X at threads, and low, high: the two cells' labels in
    `cells`."""
    rungs = cells.loc[cells["threads"].notna() & ~cells["mixed"], [*CELL, "log_y", "n", "variance", "df"]]
    ladder = numbers_of(rungs, CELL[:-1])
    order = np.lexsort((rungs["threads"], ladder))
    rungs, ladder = rungs.iloc[order], ladder[order]
    kind, first = numbers_of(rungs, KIND), np.flatnonzero(ladder[1:] == ladder[:-1])
    low, high = rungs.iloc[first], rungs.iloc[first + 1]
    paired = low[CELL].reset_index(drop=True)
    paired["threads_to"] = high["threads"].to_numpy()
    # Rounded, so that 100 to 200 threads is one octave to the last digit.
    paired["octaves"] = np.round(np.log2(paired["threads_to"] / paired["threads"]), 9)
    tested = {name: np.full(len(paired), np.nan) for name in Compared._fields}
    for number in np.unique(kind[first]):
        at, of_kind = np.flatnonzero(kind[first] == number), np.flatnonzero(kind == number)
        ends = (np.searchsorted(of_kind, positions[at]) for positions in (first, first + 1))
        of_noise = noise[tuple(paired.loc[at[0], list(KIND)])]
        for name, values in compared(rungs.iloc[of_kind], *ends, of_noise)._asdict().items():
            tested[name][at] = values
    return paired.assign(**tested, low=low.index.to_numpy(), high=high.index.to_numpy())


def rises(ratio: np.ndarray, low: np.ndarray, octaves: np.ndarray | float = 1.0) -> np.ndarray:
    """Whether more threads bring more: the ratio X(N2) / X(N1) is 1.25 or more for a doubling of the threads, and the
    lower end of its 95 % interval above 1.10; NaN, where nothing was repeated, leaves it to the ratio.
    octaves: log2 of N2 / N1; 1.25 and 1.10 are taken to that power."""
    return (ratio >= RISING**octaves) & (np.isnan(low) | (low > FLAT**octaves))


def stays(ratio: np.ndarray, low: np.ndarray, high: np.ndarray, octaves: np.ndarray | float = 1.0) -> np.ndarray:
    """Whether more threads bring no more: X(N2) / X(N1) is at most 1.10 for a doubling; with an interval (low not NaN),
    whether that reaches down to 1.10 and not up to 1.25. Parameters as for `rises`; high: the interval's upper end."""
    return np.where(np.isnan(low), ratio <= FLAT**octaves, (high < RISING**octaves) & (low <= FLAT**octaves))


def topped_out(limits: pd.DataFrame) -> pd.Series:
    """Rows of a table `limits` that brought hardly more than fewer threads: still more would tell nothing."""
    octaves = np.log2(limits["threads_to"] / limits["threads_from"])
    return (limits["threads"] == limits["threads_to"]) & (limits["ratio"] <= FLAT**octaves)


def thread_changes(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per kind, workload and spec, by cores and RAM: the most threads against fewer, of several counts those
    that do best. rows: points.with_throughput(runs). Returns KIND, workload, SHAPE; threads_low, threads_high; low and
    high, the geometric means of the repeats (ops/s) at these; change, a fraction; ids_low and ids_high, their runs,
    separated by spaces."""
    series = [*KIND, "workload"]
    keys = [*series, *SHAPE, "threads"]
    loaded = rows.loc[(rows["y"] > 0) & rows["threads"].notna(), [*keys, "run_id", "y"]]
    cell = numbers_of(loaded, keys)
    cells = loaded[keys].iloc[np.unique(cell, return_index=True)[1]].reset_index(drop=True)
    ids = [" ".join(ids) for ids in group_tuples(loaded["run_id"], cell)]
    cells = cells.assign(log_y=group_means(np.log(loaded["y"]), cell), ids=ids)
    most = cells.groupby(series, dropna=False)["threads"].transform("max")
    below, high = cells[cells["threads"] < most], cells[cells["threads"] == most]
    low = pd.concat([_at_best(part) for _, part in below.groupby(series, dropna=False)] or [below])
    pairs = low.merge(high, on=[*series, *SHAPE], suffixes=("_low", "_high"))
    logs = pairs["log_y_low"], pairs["log_y_high"]
    pairs = pairs.assign(low=np.exp(logs[0]), high=np.exp(logs[1]), change=np.expm1(logs[1] - logs[0]))
    columns = [*series, *SHAPE, "threads_low", "threads_high", "low", "high", "change", "ids_low", "ids_high"]
    return pairs[columns].sort_values([*series, "cores", "ram_gib", "spec"], key=natural, ignore_index=True)


def _at_best(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells of one series at the thread count that is best for its specs on average, of those that most have."""
    short = cells["log_y"] - cells.groupby("spec")["log_y"].transform("max")
    by_threads = short.groupby(cells["threads"]).agg(["size", "mean"])
    commonest = by_threads[by_threads["size"] == by_threads["size"].max()]
    return cells[cells["threads"] == commonest["mean"].idxmax()]


def steepest_fall(rows: pd.DataFrame, loss: Mapping[str, object]) -> dict[str, float | None]:
    """Between which of several thread counts most of a loss happens: `fall_from` and `fall_to`, threads, and `fall`, a
    fraction, the mean of all specs and workloads; None where no step is half of the loss (of ln X), or there is one.
    rows: as for `thread_changes`. loss: `low`, the threads from which on throughput falls, and `most`, by what."""
    cells = np.log(rows["y"]).groupby([rows["workload"], rows["spec"], rows["threads"]]).mean()
    level = cells.unstack().dropna(axis=1).mean()
    steps = level.diff()[level.index > (loss["low"] or np.inf)]
    if len(steps) < 2 or steps.min() > np.log1p(-loss["most"]) / 2:
        return {"fall": None, "fall_from": None, "fall_to": None}
    last = steps.idxmin()
    return {"fall": -np.expm1(steps.min()), "fall_from": level.index[level.index < last][-1], "fall_to": last}


_SPEC = [*KIND, "workload", "spec", "cores", "ram_gib"]
# Fewer thread counts than these are no ladder.
LADDER = 3


def knee(
    runs: pd.DataFrame, operations: pd.DataFrame | None = None, limits: pd.DataFrame | None = None
) -> pd.DataFrame:
    """N* = X_sat R0 of each spec and workload.

    With fewer threads the response time is R0 and throughput N / R0; with more, throughput is X_sat.

    Parameters
        runs, operations: the tables of these names. limits: the table `limits` of the same runs.
    Returns
        The table `knee`. saturated_ops_s (X_sat): the highest throughput among the spec's cells whose limit is the
        server. r0_us (R0): mean latency of the run at one thread, weighted by the operations' counts; where
        latencies are missing 1 / X, which holds the client's own time too. NaN where one of them is not known;
        `sentence` then says how to get it.
    References
        Denning and Buzen (1978), The operational analysis of queueing network models, ACM Comput. Surv. 10.
    """
    rows = with_throughput(runs).query("y > 0")
    rows = rows.assign(spec=spec_or_run_id(rows))
    made = empty("operations") if operations is None else operations
    made = made[made["operation"].map(is_counted).astype(bool) & (made["count"] > 0)]
    sums = (made["mean_us"] * made["count"]).groupby(made["run_id"]).sum(min_count=1)
    latency = sums / made["count"].groupby(made["run_id"]).sum()
    limits = limits if limits is not None else empty("limits")
    flat = set(map(tuple, limits.loc[topped_out(limits), _SPEC[:-2]].to_numpy(object)))
    saturated = limits[limits["measured"]].groupby(_SPEC[:-2])["observed"].max().to_dict()
    several, called = rows["dataset"].nunique() > 1, mixes(rows)
    rungs = []
    for key, group in rows.groupby(_SPEC, dropna=False, sort=True):
        names = dict(zip(_SPEC, key, strict=True))
        dataset = names["dataset"] if several and names["dataset"] else None
        place = {"dataset": dataset, "spec": names["spec"], "mix": called[names["workload"]]}
        alone = group[group["threads"] == 1]
        r0 = float(alone["run_id"].map(latency).fillna(US_PER_S / alone["y"]).mean()) if len(alone) else np.nan
        top = saturated.get(key[:-2], np.nan)
        figures = {"saturated_ops_s": top, "r0_us": r0, "knee_threads": top * r0 / US_PER_S}
        sentence = _sentence(place, figures, group["threads"].nunique(), key[:-2] in flat)
        rungs.append({**names, **figures, **in_columns("sentence", sentence)})
    return from_rows(rungs, "knee").sort_values([*KIND, "workload", "cores", "ram_gib"], ignore_index=True)


def _sentence(place: Mapping[str, object], figures: Mapping[str, float], counts: int, flat: bool) -> Fact:
    saturated, r0_us, knee_threads = figures.values()
    if np.isfinite(knee_threads):
        return fact("knee", **place, knee=knee_threads, saturated=saturated, r0_us=r0_us)
    missing = [] if np.isfinite(r0_us) else [fact("knee-no-single-thread")]
    if not np.isfinite(saturated):
        missing.append(fact("knee-no-ladder") if counts < LADDER else fact("knee-not-saturated", flat=flat))
    return fact("knee-unknown", **place, missing=missing, laddered=np.isfinite(r0_us) and counts >= LADDER)
