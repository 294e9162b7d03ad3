"""The one model of noise: ln X = cell + round + run, estimated over all repeated cells of a dataset's kind at once.

A round is what all cells have in common when a sweep goes over them once more: a host that is slow for an hour makes a
whole round slow, and is no noise of a cell. What specs differ by beside their cores is no noise either: see fitting.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special

from ycsbook.scaling.points import KIND

CELL = [*KIND, "workload", "spec", "threads"]
# Standard deviation of ln X between repeats that is assumed where nothing was repeated.
ASSUMED_NOISE = 0.05
# Repeats that agree to the last digit leave no variance; a t test needs some.
SMALLEST_VARIANCE = 1e-12
# Of fewer repeated cells, what a round did cannot be told from what a cell did.
LEAST_CELLS = 4


@dataclass(frozen=True)
class Noise:
    """Variance of ln X between repeats, pooled over the cells of a dataset's kind, and its degrees of freedom."""

    variance: float
    df: int


@dataclass(frozen=True)
class Prior:
    """What the variances of a kind's cells have in common; df: infinite where they do not differ."""

    df: float
    variance: float


def within(rows: pd.DataFrame) -> pd.DataFrame:
    """What is left of each run's ln X once its cell and its round are taken out.

    Parameters
        rows: one row per run with a positive `y` (ops/s), the columns of CELL, and `repeat`, the number of the round.
            Rounds of several kinds have nothing in common; a run without a spec is nobody's repeat.
    Returns
        With the index of rows: `residual`, of ln X, and `df`, each run's share in the degrees of freedom: both 0 for a
        run that was not repeated. The sum of squares over the sum of df is the variance of a run.
    """
    residual, df = np.zeros(len(rows)), np.zeros(len(rows))
    log_y, rounds = np.log(rows["y"].to_numpy(float)), rows["repeat"].fillna(1.0).to_numpy()
    cell = rows.assign(spec=spec_or_run_id(rows)).groupby(CELL, dropna=False).ngroup().to_numpy()
    size = np.bincount(cell)[cell] if len(rows) else cell
    for at in rows.groupby(list(KIND), dropna=False).indices.values():
        repeated = at[size[at] > 1]
        cells = np.unique(cell[repeated], return_inverse=True)[1]
        left, share = _centred(log_y[repeated, None], cells), 1 - 1 / size[repeated]
        places, place = np.unique(rounds[repeated], return_inverse=True)
        if cells.max(initial=-1) + 1 >= LEAST_CELLS and len(places) - 1 <= share.sum() / 2:
            effects = _centred((place[:, None] == np.arange(len(places))).astype(float), cells)
            solved, _, rank, _ = np.linalg.lstsq(effects, left, rcond=None)
            left, share = left - effects @ solved, share * (1 - rank / share.sum())
        residual[repeated], df[repeated] = left[:, 0], share
    return pd.DataFrame({"residual": residual, "df": df}, index=rows.index)


def spec_or_run_id(rows: pd.DataFrame) -> pd.Series:
    """The spec of each run; its own name where the server is unknown: such logs are nobody's repeats."""
    return rows["spec"].where(rows["spec"] != "", rows["run_id"])


def run_noise(rows: pd.DataFrame) -> Noise:
    """The noise of a run of one kind, pooled over its cells; variance NaN and df 0 without repeats.

    Parameters
        rows: as `within` takes them; those without a throughput are left out.
    """
    left = within(rows[rows["y"] > 0])
    return pooled(float(np.square(left["residual"]).sum()), float(left["df"].sum()))


def pooled(squares: float, df: float) -> Noise:
    """Noise from a sum of squares and its degrees of freedom."""
    # Rounded: shares of a whole number add up to it but for the last digit.
    return Noise(squares / df, round(df)) if df > 0.5 else Noise(float("nan"), 0)


def prior(variance: np.ndarray, df: np.ndarray, noise: Noise) -> Prior:
    """What variances of cells have in common, by the moments of their logarithms.

    Parameters
        variance, df: of each cell, (cells,); those with df 0 are unknown. noise: pooled over them.
    References
        Smyth (2004), Linear models and empirical Bayes methods, Stat. Appl. Genet. Mol. Biol. 3(1), 3, section 6.2.
    """
    known = df > 0
    if known.sum() < LEAST_CELLS:
        return Prior(np.inf, noise.variance)
    half = df[known] / 2
    logs = np.log(np.maximum(variance[known], SMALLEST_VARIANCE)) - special.digamma(half) + np.log(half)
    excess = float(logs.var(ddof=1) - special.polygamma(1, half).mean())
    if excess <= 0:
        return Prior(np.inf, noise.variance)
    half_prior = _inverse_trigamma(excess)
    centre = float(np.exp(logs.mean() + special.digamma(half_prior) - np.log(half_prior)))
    return Prior(2 * half_prior, max(centre, SMALLEST_VARIANCE))


def moderated(variance: np.ndarray, df: np.ndarray, noise: Noise) -> tuple[np.ndarray, np.ndarray]:
    """Each cell's variance drawn towards what the others have, and its degrees of freedom.

    Parameters
        variance, df: of each cell, (cells,); NaN and 0 for one that was not repeated. noise: pooled over the cells.
    References
        Smyth (2004), as above, section 4.
    """
    common = prior(variance, df, noise)
    if np.isinf(common.df):
        return np.full(len(df), noise.variance), np.full(len(df), float(noise.df))
    own = np.where(df > 0, df * np.nan_to_num(variance), 0.0)
    # No cell can know more than all of them together.
    return (common.df * common.variance + own) / (common.df + df), np.minimum(common.df + df, noise.df)


def _centred(values: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Columns less their means over each cell."""
    sums = np.zeros((cells.max(initial=-1) + 1, values.shape[1]))
    np.add.at(sums, cells, values)
    return values - (sums / np.bincount(cells)[:, None])[cells]


def _inverse_trigamma(value: float) -> float:
    """y with trigamma(y) = value, by Newton's method on 1 / trigamma, which is nearly straight."""
    y = 0.5 + 1 / value
    for _ in range(50):
        trigamma = float(special.polygamma(1, y))
        step = trigamma * (1 - trigamma / value) / float(special.polygamma(2, y))
        y += step
        if abs(step) < 1e-8 * y:
            break
    return y
