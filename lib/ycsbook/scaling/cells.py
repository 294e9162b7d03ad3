"""One cell per spec, workload and thread count, and the noise between its repeats.

The one model of noise is ln X = cell + round + machine + run, over all repeated cells of a dataset's kind at once. A
round is what all cells have in common when a sweep goes over them once more: a host that is slow for an hour makes a
whole round slow, and is no noise of a cell. Of several client machines one may be slower than another.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from ycsbook.closed_loop import MAX_UTILISATION, of_runs
from ycsbook.columns import CELL, KIND
from ycsbook.groups import group_firsts, group_maxima, group_means, group_medians, group_tuples, numbers_of
from ycsbook.scaling.points import with_throughput
from ycsbook.scaling.repeats import cell_numbers, levels, spec_or_run_id

CONFIDENCE = 0.95
# Standard deviation of ln X between repeats that is assumed where nothing was repeated, no noise is printed, and the
# rows show no larger one.
ASSUMED_NOISE = 0.05
# Degrees of freedom of a noise that is assumed.
KNOWN = 1_000_000
# Where twice the threads bring so much, there were too few: that is no noise.
TOO_FEW_THREADS = 1.5
# Of fewer differences nothing is told of the noise of single runs.
LEAST_DIFFERENCES = 4
# The median absolute deviation of a normal distribution is 1 / 1.4826 of its standard deviation.
MAD_TO_SD = 1.4826
# Repeats that agree to the last digit leave no variance; a t test needs some.
SMALLEST_VARIANCE = 1e-12
# Threads that are inside the database for less than this share of their time wait for something else. Throughputs of so
# many sizes of servers that differ by no more are those of one rate.
IDLE, SAME_RATE, LEAST_SIZES = 0.5, 1.02, 3
# Threads that are inside the database for so much of their time do not wait for a target throughput; such a run is held
# to it only if it reaches so much of it.
BUSY, REACHED = 0.90, 0.99
# ln X that differ by no more are the same figure.
SAME = 1e-12
# How much the variances of cells may differ, as degrees of freedom of what they have in common: infinite, not at all;
# 2, so that the logarithm of the noise has a standard deviation of 0.6. Values between make no better test.
SPREADS = (2.0, np.inf)
# Of fewer repeated cells, what a round did cannot be told from what a cell did.
LEAST_CELLS = 4


class Noise(NamedTuple):
    """Variance of ln X between repeats, pooled over the cells of a dataset's kind, and its degrees of freedom; assumed:
    the standard deviation that is assumed where df is 0."""

    variance: float
    df: int
    assumed: float = ASSUMED_NOISE

    @property
    def or_assumed(self) -> "Noise":
        """The noise; where nothing was repeated the assumed one, with infinite degrees of freedom."""
        return self if self.df else self._replace(variance=self.assumed**2, df=KNOWN)

    @property
    def reach(self) -> float:
        """By how much, as a share, one run may do less than another by noise alone."""
        variance, df, _ = self.or_assumed
        return float(1 - np.exp(-student_t(df) * np.sqrt(2 * variance)))


def student_t(df: float | np.ndarray, of: int = 1) -> float | np.ndarray:
    """Student's quantile that a 95 % interval reaches to on either side; of: how many the one shown was chosen from."""
    return special.stdtrit(df, 1 - (1 - CONFIDENCE) / 2 / of)


def with_fewest_threads(rows: pd.DataFrame, row: pd.Series, share: float) -> pd.Series:
    """Of the rows of one spec, with `y` in ops/s, that do less than `row` by no more than this share, the one with the
    fewest threads, as operations wait least there; where threads are unknown, any."""
    alike = rows[(rows["spec"] == row["spec"]) & (rows["y"] >= row["y"] * (1 - share))]
    return alike.loc[alike["threads"].fillna(np.inf).idxmin()]


class Prior(NamedTuple):
    """A distribution that the variances of a kind's cells may come from. weight: how far the cells speak for it; df:
    infinite where the variances do not differ."""

    weight: float
    df: float
    variance: float


def with_utilisation(runs: pd.DataFrame, operations: pd.DataFrame, *, far_off: bool = False) -> pd.DataFrame:
    """points.with_throughput with what closed_loop.of_runs gives, and `held`, whether the client asked for no more,
    which is `throttled` as well."""
    rows = with_throughput(runs, far_off=far_off)
    used = of_runs(rows, operations)
    rows = rows.assign(**{name: rows["run_id"].map(values).astype(float) for name, values in used.items()})
    held = _held(rows)
    return rows.assign(held=held, throttled=is_throttled(rows, rows["utilisation"]) | held)


def is_throttled(rows: pd.DataFrame, utilisation: pd.Series) -> pd.Series:
    """Which rows (bool), as points.with_throughput gives them, did what they were held to: those `throttled` whose
    threads were not too busy to wait for anything but the server, by Little's law (X R / N, with the index of rows)."""
    return rows["throttled"] & ((rows["y"] >= REACHED * rows["target_ops_s"]) | ~(utilisation >= BUSY))


def _held(rows: pd.DataFrame) -> pd.Series:
    """Which rows (bool) are of a workload that does the same on servers of several sizes, and on none more, while its
    threads are mostly idle: a closed loop whose threads never wait for the server is held to a rate by its client."""
    held = pd.Series(False, index=rows.index)
    if not (rows["utilisation"] < IDLE).any():
        return held
    placed = rows.loc[(rows["y"] > 0) & (rows["cores"] > 0), [*KIND, "workload", "utilisation", "y", "cores"]]
    for _, part in placed.groupby([*KIND, "workload"]):
        # Smaller servers may do less.
        top = part[~(part["cores"] <= part.loc[part["y"] * SAME_RATE < part["y"].max(), "cores"].max())]
        if (top["utilisation"] < IDLE).all() and top["cores"].nunique() >= LEAST_SIZES:
            held[top.index] = True
    return held


def _in_flight(rows: pd.DataFrame) -> pd.Series:
    """The most calls that were under way at once, X R, where that is the same at two thread counts or more and at
    LEAST_SIZES rows with many more threads than that: the others waited in the client. NaN where it is not."""
    most = pd.Series(np.nan, index=rows.index)
    free = rows.loc[(rows["threads"] > 0) & ~rows["throttled"], [*KIND, "threads", "utilisation"]]
    for _, part in free.groupby(list(KIND)):
        calls = part["utilisation"] * part["threads"]
        at_most = calls.max() / SAME_RATE
        is_full, waits = calls >= at_most, part["threads"] >= TOO_FEW_THREADS * calls.max()
        several = waits.sum() >= LEAST_SIZES and part.loc[is_full, "threads"].nunique() > 1
        if several and is_full[waits].all():
            most[part.index] = calls[is_full].median()
    return most


def cells(runs: pd.DataFrame, residuals: pd.DataFrame | None = None) -> pd.DataFrame:
    """One row per CELL, sorted, of runs as `with_utilisation` gives them: mean ln y over repeats and the rest, without
    runs far off their repeats. residuals: what `within` gives of the runs with a positive `y`, where it is known.
    Returns CELL, cores, ram_gib, vendor, called, read_fraction, log_y, variance (of ln y, without what a round did) and
    df (its degrees of freedom), n, run_ids (tuple), utilisation (highest, of an unknown one the least it can be if that
    breaks Little's law), cpu_utilisation (median), pool_size (smallest), y_column, throttled and held (any), mixed
    (whether its repeats are of two levels, repeats.levels), in_flight (the most calls under way at once, where a pool
    or the clients are shown to bound them)."""
    rows = runs[runs["y"] > 0]
    residuals = within(rows) if residuals is None else residuals
    rows, residuals = (of[residuals["far_off"] == 0] for of in (rows, residuals))
    cell = cell_numbers(rows)
    _, first, n = np.unique(cell, return_index=True, return_counts=True)
    squares, df = (np.bincount(cell, of) for of in (residuals["residual"] ** 2, residuals["df"]))
    least_used = rows["least_utilisation"].where(rows["least_utilisation"] > MAX_UTILISATION)
    cpu, pool = (rows[name].to_numpy(float) for name in ("cpu_utilisation", "pool_size"))
    means = rows.assign(spec=spec_or_run_id(rows))[[*CELL, "vendor", "called", "y_column"]].iloc[first]
    return means.reset_index(drop=True).assign(
        **{name: group_firsts(rows[name].to_numpy(float), cell) for name in ("cores", "ram_gib", "read_fraction")},
        log_y=group_means(np.log(rows["y"]), cell),
        variance=np.divide(squares, df, out=np.full(len(n), np.nan), where=df > 0),
        df=df,
        # A standard deviation that is printed is of two runs at least.
        n=np.where((n == 1) & (df > 0), 2, n),
        run_ids=group_tuples(rows["run_id"], cell),
        utilisation=group_maxima(rows["utilisation"].fillna(least_used).to_numpy(float), cell),
        cpu_utilisation=group_medians(cpu, cell),
        pool_size=-group_maxima(-pool, cell),
        throttled=np.bincount(cell, rows["throttled"]) > 0,
        held=np.bincount(cell, rows["held"]) > 0,
        mixed=np.bincount(cell, residuals["level"]) > 0,
        in_flight=group_firsts(_in_flight(rows).to_numpy(), cell),
    )


def noise(cells: pd.DataFrame) -> dict[tuple[str, str], Noise]:
    """Repeat noise by dataset and outcome; df 0 where nothing was repeated."""
    return {
        kind: _or_assumed(pooled(float((part["variance"].fillna(0) * part["df"]).sum()), float(part["df"].sum())), part)
        for kind, part in cells.groupby(list(KIND))
    }


def within(rows: pd.DataFrame) -> pd.DataFrame:
    """The residuals of each run's ln X without the effects of its cell, its round and its client machine. rows: one row
    per run with a positive `y` (ops/s), the columns of CELL, and `repeat`, the number of the round. `client_machine`,
    where it is known. Rounds of several kinds have nothing in common. Returns with the index of rows: `residual`, of ln
    X, and `df`, each run's share in the degrees of freedom: both 0 for a run that was not repeated, and of a kind all
    of whose repeats are the same: copies tell no noise. A row alone that prints how far its runs lie apart has that as
    its residual, and a degree of freedom. And the columns of repeats.levels: each level of a cell and each run far off
    its repeats counts as a cell of its own."""
    log_y, rounds = np.log(rows["y"].to_numpy(float)), rows["repeat"].fillna(1.0).to_numpy()
    split = levels(rows)
    cell = 3 * cell_numbers(rows) + split["level"].to_numpy() + 2 * (split["far_off"] != 0).to_numpy()
    size = np.bincount(cell)[cell] if len(rows) else cell
    printed = rows["printed_noise"].to_numpy(float) if "printed_noise" in rows else np.full(len(rows), np.nan)
    is_mean = (size == 1) & (printed > 0)
    residual, df = np.where(is_mean, printed, 0.0), is_mean.astype(float)
    if size.max(initial=0) < 2:
        return split.assign(residual=residual, df=df)
    machines = rows["client_machine"].to_numpy() if "client_machine" in rows else np.full(len(rows), "")
    kind = numbers_of(rows, KIND)
    for number in range(kind.max(initial=-1) + 1):
        repeated = np.flatnonzero((kind == number) & (size > 1))
        cells = np.unique(cell[repeated], return_inverse=True)[1]
        residuals, share = _centred(log_y[repeated, None], cells), 1 - 1 / size[repeated]
        if np.abs(residuals).max(initial=0.0) < SAME:
            continue
        by_round, by_machine = (pd.get_dummies(v[repeated].astype(str)).to_numpy(float) for v in (rounds, machines))
        with_machines = [np.hstack([by_round, by_machine])] if by_machine.shape[1] > 1 else []
        for common in (*with_machines, by_round):
            effects = _centred(common, cells)
            solved, _, rank, _ = np.linalg.lstsq(effects, residuals, rcond=None)
            if cells.max(initial=-1) + 1 >= LEAST_CELLS and rank <= share.sum() / 2:
                residuals, share = residuals - effects @ solved, share * (1 - rank / share.sum())
                break
        residual[repeated], df[repeated] = residuals[:, 0], share
    return split.assign(residual=residual, df=df)


def _centred(values: np.ndarray, cells: np.ndarray) -> np.ndarray:
    return values - np.column_stack([group_means(column, cells)[cells] for column in values.T])


def run_noise(rows: pd.DataFrame) -> Noise:
    """The noise of a run of one kind, from rows as `within` takes them; those without a throughput are left out."""
    residuals = within(with_y := rows[rows["y"] > 0])
    noise = pooled(float(np.square(residuals["residual"]).sum()), float(residuals["df"].sum()))
    return _or_assumed(noise, with_y.assign(log_y=np.log(with_y["y"])))


def _or_assumed(noise: Noise, cells: pd.DataFrame) -> Noise:
    return noise if noise.df else noise._replace(assumed=max(ASSUMED_NOISE, least_noise(cells)))


def least_noise(cells: pd.DataFrame) -> float:
    """The standard deviation of ln X that single runs show at least; 0 where there are too few to tell. What more
    threads bring changes little by little from one spec to the next larger one. How far it lies from the mean of its
    two neighbours', in the median, is noise, unless some specs gain or lose by themselves: so it is the smallest of
    these medians without any two neighbouring core counts. A gain of TOO_FEW_THREADS is left out. cells: of a kind."""
    placed = cells[(cells["cores"] > 0) & (cells["threads"] > 0)].fillna({"ram_gib": 0.0})
    if placed.empty:
        return 0.0
    rung, mix = (numbers_of(placed, names) for names in (["workload", "cores", "ram_gib", "spec"], ["workload"]))
    counts, count = np.unique(placed["threads"], return_inverse=True)
    _, first = np.unique(rung, return_index=True)
    cores, mixes = placed["cores"].to_numpy(float)[first], mix[first]
    log_y = np.full((len(first), len(counts)), np.nan)
    at, place = np.unique(rung * len(counts) + count, return_inverse=True)
    log_y.flat[at] = group_means(placed["log_y"], place)
    gains = np.diff(log_y, axis=1)
    gains[gains >= np.log(TOO_FEW_THREADS) * np.diff(np.log2(counts))] = np.nan
    series = [(cores[mixes == name], column[mixes == name]) for name in np.unique(mixes) for column in gains.T]
    levels, least = np.unique(cores), np.inf
    for two in pairwise(levels):
        gains_elsewhere = [gain[np.isfinite(gain) & ~np.isin(at, two)] for at, gain in series]
        apart = np.concatenate([(gain[1:-1] - (gain[:-2] + gain[2:]) / 2) for gain in gains_elsewhere] or [[]])
        if len(apart) < LEAST_DIFFERENCES:
            return 0.0
        # Of six runs: a change and half of two others, each the difference of two.
        least = min(least, MAD_TO_SD * float(np.median(np.abs(apart))) / np.sqrt(3))
    return least if np.isfinite(least) else 0.0


def pooled(squares: float, df: float) -> Noise:
    """Noise from a sum of squares and its degrees of freedom; variance NaN and df 0 without repeats."""
    # Rounded: shares of a whole number add up to it but for the last digit.
    return Noise(squares / df, round(df)) if df > 0.5 else Noise(float("nan"), 0)


def priors(variance: np.ndarray, df: np.ndarray, noise: Noise) -> list[Prior]:
    """How unequal the noise of the cells may be, each of SPREADS weighted by the likelihood of their variances. With
    three repeats each, a few dozen cells do not tell how much their noise differs. So no single estimate of that is
    trusted: a test is made under each, and its p averaged. variance, df: of each cell, (cells,); those with df 0 are
    unknown. noise: pooled over them, with df 1 or more. Source: The scaled F distribution of variances: Smyth (2004),
    Linear models and empirical Bayes methods, Stat. Appl. Genet. Mol. Biol. 3(1), 3, section 6."""
    has_df = df > 0
    s2, half = np.maximum(variance[has_df], SMALLEST_VARIANCE), df[has_df] / 2
    pooled_variance = max(noise.variance, SMALLEST_VARIANCE)
    if not has_df.any():  # the repeats are of other cells
        return [Prior(1.0, np.inf, pooled_variance)]
    log_likelihoods, scales = [], []
    for spread in SPREADS:
        if np.isinf(spread):
            scale, log_likelihood = pooled_variance, -(half * (np.log(pooled_variance) + s2 / pooled_variance)).sum()
        else:
            scale, prior_half = _scale(s2, df[has_df], spread), spread / 2
            together = prior_half * scale + half * s2
            log_likelihood = (
                prior_half * np.log(prior_half * scale) - special.gammaln(prior_half)
                + special.gammaln(prior_half + half) - (prior_half + half) * np.log(together)
            ).sum()  # fmt: skip
        log_likelihoods.append(log_likelihood)
        scales.append(scale)
    weights = special.softmax(log_likelihoods)
    return [Prior(float(w), spread, scale) for w, spread, scale in zip(weights, SPREADS, scales, strict=True)]


def _scale(variance: np.ndarray, df: np.ndarray, spread: float) -> float:
    """The most likely centre of variances whose true ones differ with `spread` degrees of freedom, by fixed point."""
    scale = float(np.average(variance, weights=df))
    for _ in range(200):
        before, scale = scale, 1 / float(np.mean((spread + df) / (spread * scale + df * variance)))
        if abs(scale - before) < 1e-9 * scale:
            break
    return scale


def moderated(variance: np.ndarray, df: np.ndarray, noise: Noise, prior: Prior) -> tuple[np.ndarray, np.ndarray]:
    """Each cell's variance, drawn towards that of the other cells, and its degrees of freedom: Smyth (2004), as above,
    section 4. variance, df, noise: as for `priors`; prior: one of these."""
    if np.isinf(prior.df):
        return np.full(len(df), prior.variance), np.full(len(df), float(noise.df))
    squares = np.where(df > 0, df * np.nan_to_num(variance), 0.0)
    # No cell can know more than all of them together.
    return (prior.df * prior.variance + squares) / (prior.df + df), np.minimum(prior.df + df, noise.df)
