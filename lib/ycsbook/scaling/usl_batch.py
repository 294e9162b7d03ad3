"""The Universal Scalability Law fitted to very many small sets of points at once, and resamples of one set.

ln lambda is linear on ln X and drops out; what is left are two parameters and a two by two system in closed form for
each problem, so that a step for all problems is a dozen passes over one array. Repeats at one core count are
reduced to their mean with their number as weight: the optimum is the same, and the array is as many times smaller.
"""

import numpy as np
import pandas as pd

from ycsbook.errors import FitError
from ycsbook.scaling.solver import Solution

MAX_STEPS = 200
# Problems that are worked on together: their arrays stay in the processor's cache.
_TOGETHER = 1024
_PROMISE = 1e-14
_NOTHING = 1e-28
_DAMPING_START, _DAMPING_MIN, _DAMPING_MAX = 1e-6, 1e-12, 1e12
_TERMS = ("lambda", "sigma", "kappa")
# The search starts where the law's reciprocal, which is linear, fits best, but not on a bound.
_START_LOW, _START_HIGH = np.array([[1e-3], [1e-7]]), np.array([[0.9], [0.1]])


def fit_many(x: np.ndarray, log_y: np.ndarray, weight: np.ndarray | None = None) -> Solution:
    """Fit X(p) = lambda p / (1 + sigma (p - 1) + kappa p (p - 1)) on ln X to each row, sigma and kappa in [0, 1].

    Parameters
        x: (n,) core counts > 0, the same for all rows.
        log_y: (problems, n) ln throughput; where the weight is 0 anything.
        weight: (problems, n) or (n,): how many observations each value is the mean of, 0 for none; None: one each.
    Returns
        Solution: theta (problems, 3) is ln lambda, sigma and kappa; sse the weighted sum of squares around the
        values given; converged, False too where fewer than three distinct core counts have weight.
    References
        Eliminating the linear parameter: Golub and Pereyra (1973), SIAM J. Numer. Anal. 10.
    Examples
        >>> x = np.array([1.0, 2, 4, 8, 16, 32])
        >>> found = fit_many(x, np.log([900 * x / (1 + 0.05 * (x - 1) + 1e-3 * x * (x - 1))]))
        >>> found.theta[0, 1:].round(6)
        array([0.05 , 0.001])
    """
    x, log_y = np.asarray(x, dtype=float), np.atleast_2d(np.asarray(log_y, dtype=float))
    weight = np.ones(len(x)) if weight is None else np.asarray(weight, dtype=float)
    weight = np.broadcast_to(weight, log_y.shape)
    theta, sse, converged = np.empty((len(log_y), 3)), np.empty(len(log_y)), np.empty(len(log_y), bool)
    for first in range(0, len(log_y), _TOGETHER):
        rows = slice(first, first + _TOGETHER)
        theta[rows], sse[rows], converged[rows] = _fit(x, log_y[rows].T, weight[rows].T)
    places = np.unique(x)
    seen = sum((weight[:, x == place] > 0).any(axis=1).astype(int) for place in places)
    return Solution(theta, sse, converged & (seen >= len(_TERMS)))


def resampled(x: np.ndarray, log_y: np.ndarray, resamples: int, seed: int | list[int]) -> Solution:
    """Fit resamples of one set of points, drawn with replacement, repeats and all.

    What they show is how much single points decide, not an interval: their percentiles hold the truth less often than
    they say (77-94 % where they say 95 %), because few specs are few however often they are drawn.

    Parameters
        x, log_y: (n,) core counts, and ln throughput of each run.
        resamples: how many; seed: of the generator, so that an answer can be repeated.
    Raises
        FitError: fewer than three distinct core counts.
    """
    x, log_y = np.asarray(x, dtype=float), np.asarray(log_y, dtype=float)
    places, place = np.unique(x, return_inverse=True)
    if len(places) < len(_TERMS):
        raise FitError(
            f"usl: {len(places)} distinct core counts cannot fix {len(_TERMS)} parameters; measure at least 3"
        )
    drawn = np.random.default_rng(seed).integers(0, len(x), (resamples, len(x)))
    row = np.arange(resamples)[:, None] * len(places)
    cell, size = row + place[drawn], resamples * len(places)
    count = np.bincount(cell.ravel(), minlength=size).reshape(resamples, -1)
    total = np.bincount(cell.ravel(), weights=log_y[drawn].ravel(), minlength=size).reshape(resamples, -1)
    return fit_many(places, total / np.maximum(count, 1), count)


def percentiles(found: Solution, shares: tuple[float, ...] = (2.5, 97.5)) -> pd.DataFrame:
    """Percentiles of each parameter over the resamples that converged.

    Returns
        One row per term: term, n_resamples, n_failed (not converged, left out), and a column `percentile_2.5` and so
        on for each share asked for. They are no confidence limits: see `resampled`.
    """
    kept = found.theta[found.converged]
    values = np.column_stack([np.exp(kept[:, 0]), kept[:, 1:]])
    columns = {f"percentile_{share:g}": np.percentile(values, share, axis=0) for share in shares}
    counts = {"n_resamples": len(found.theta), "n_failed": int((~found.converged).sum())}
    return pd.DataFrame({"term": _TERMS, **counts, **columns})


def _fit(x: np.ndarray, log_y: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """theta (problems, 3), sse and converged of problems in columns: log_y and weight (n, problems)."""
    contention, crosstalk = (x - 1)[:, None], (x * (x - 1))[:, None]
    share = weight / np.maximum(weight.sum(axis=0), _NOTHING)
    z = np.where(weight > 0, log_y - np.log(x)[:, None], 0.0)
    many = z.shape[1]
    shape, squares, converged = np.empty((2, many)), np.empty(many), np.zeros(many, bool)
    problems, now = np.arange(many), _start(contention, crosstalk, z, share)
    damping, growth = np.full(many, _DAMPING_START), np.full(many, 2.0)
    moments = _moments(contention, crosstalk, z, share, now)
    for _ in range(MAX_STEPS):
        tried, promised = _step(now, moments, damping)
        after = _moments(contention, crosstalk, z, share, tried)
        gain = moments[0] - after[0]
        better = gain > 0
        settled = promised <= _PROMISE * moments[0] + _NOTHING
        now, moments = np.where(better, tried, now), np.where(better, after, moments)
        damping = np.where(better, np.maximum(damping / 8, _DAMPING_MIN), damping * growth)
        growth = np.where(better, 2.0, 2 * growth)
        ended = settled | (damping > _DAMPING_MAX)
        if ended.any():
            shape[:, problems], squares[problems] = now, moments[0]
            converged[problems[ended]] = True
            left = ~ended
            if not left.any():
                break
            # Those at their minimum stay in the array until they are many: taking columns out costs a pass, too.
            if left.mean() < 0.7:
                problems, now, moments = problems[left], now[:, left], moments[:, left]
                damping, growth = damping[left], growth[left]
                z, share = z[:, left], share[:, left]
    shape[:, problems], squares[problems] = now, moments[0]
    below = 1 + shape[0] * contention + shape[1] * crosstalk
    everything = np.where(weight > 0, log_y - np.log(x)[:, None], 0.0) + np.log(below)
    total = weight.sum(axis=0)
    log_lambda = (everything * weight).sum(axis=0) / np.maximum(total, _NOTHING)
    return np.column_stack([log_lambda, *shape]), squares * total, converged


def _start(contention: np.ndarray, crosstalk: np.ndarray, z: np.ndarray, share: np.ndarray) -> np.ndarray:
    """(2, problems): p / X is linear in its coefficients; weights apart, as this is only where the search begins."""
    centre = (z * share).sum(axis=0)
    reciprocal = np.exp(np.where(share > 0, centre - z, 0.0))
    basis = np.hstack([np.ones_like(contention), contention, crosstalk])
    coefficients = np.linalg.pinv(basis) @ reciprocal
    start = coefficients[1:] / np.where(coefficients[0] > 0, coefficients[0], np.inf)
    return np.clip(start, _START_LOW, _START_HIGH)


def _moments(
    contention: np.ndarray, crosstalk: np.ndarray, z: np.ndarray, share: np.ndarray, at: np.ndarray
) -> np.ndarray:
    """(6, problems): variance of the residuals, their covariances with both derivatives, and those' own."""
    below = 1 + at[0] * contention + at[1] * crosstalk
    by_sigma = contention / below
    by_kappa = crosstalk / below
    residual = z + np.log(below)
    weighted = share * residual
    mean = weighted.sum(axis=0)
    weighted_sigma, weighted_kappa = share * by_sigma, share * by_kappa
    mean_sigma, mean_kappa = weighted_sigma.sum(axis=0), weighted_kappa.sum(axis=0)
    residual -= mean
    return np.array([
        np.einsum("np,np,np->p", share, residual, residual),
        np.einsum("np,np->p", weighted_sigma, residual),
        np.einsum("np,np->p", weighted_kappa, residual),
        np.einsum("np,np->p", weighted_sigma, by_sigma) - mean_sigma**2,
        np.einsum("np,np->p", weighted_sigma, by_kappa) - mean_sigma * mean_kappa,
        np.einsum("np,np->p", weighted_kappa, by_kappa) - mean_kappa**2,
    ])  # fmt: skip


def _step(now: np.ndarray, moments: np.ndarray, damping: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A damped step inside the bounds, and what of the variance it promises to win."""
    _, g_sigma, g_kappa, ss, sk, kk = moments
    held_sigma = ((now[0] <= 0) & (g_sigma > 0)) | ((now[0] >= 1) & (g_sigma < 0))
    held_kappa = ((now[1] <= 0) & (g_kappa > 0)) | ((now[1] >= 1) & (g_kappa < 0))
    g_sigma, g_kappa = np.where(held_sigma, 0.0, g_sigma), np.where(held_kappa, 0.0, g_kappa)
    sk = np.where(held_sigma | held_kappa, 0.0, sk)
    ss, kk = ss * (1 + damping) + _NOTHING, kk * (1 + damping) + _NOTHING
    determinant = np.maximum(ss * kk - sk**2, 1e-14 * ss * kk)
    sigma = (sk * g_kappa - kk * g_sigma) / determinant
    kappa = (sk * g_sigma - ss * g_kappa) / determinant
    promised = -(g_sigma * sigma + g_kappa * kappa)
    return np.clip(now + np.array([sigma, kappa]), 0.0, 1.0), promised
