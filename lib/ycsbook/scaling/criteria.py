"""How well a law fits for the parameters it spends: AICc and the leave-one-out error, lower bounds included."""

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import log_ndtr

from ycsbook.scaling.solver import solve

if TYPE_CHECKING:
    from ycsbook.scaling.fitted import Fit

_SMALLEST_SQUARES, _SMALLEST_ERROR = 1e-300, 1e-12


def aicc(fit: "Fit") -> float:
    """Corrected Akaike criterion, the variance counted as a parameter; NaN with fewer than k + 2 measured points.

    Lower bounds add -2 ln of the probability to lie above them. Comparable only between fits to the same points.

    References
        Hurvich and Tsai (1989), Biometrika 76.
    """
    n, k = fit.n_measured, fit.law.parameters + 1
    if n < k + 2:
        return float("nan")
    exact = fit.problem.exact
    squares = fit.sse if fit.problem.raw else float((fit.residuals[exact] ** 2).sum())
    above = -fit.residuals[~exact] / max(float(np.sqrt(squares / n)), _SMALLEST_ERROR)
    bounds = -2 * float(log_ndtr(above).sum())
    return n * float(np.log(max(squares / n, _SMALLEST_SQUARES))) + bounds + 2 * k + 2 * k * (k + 1) / (n - k - 1)


def loo_error(fit: "Fit") -> float:
    """Root mean square of ln X at each measured point when it alone is left out.

    Lower bounds stay in and are not predicted. NaN where a left-out point leaves too few x, or a RAM ratio without any
    point.
    """
    problem = fit.problem
    exact = np.flatnonzero(problem.exact)
    x, members, n = problem.x[exact], problem.covariates[exact], len(exact)
    alone = np.array([(x == value).sum() == 1 for value in x])
    if ((fit.n_specs - alone) < fit.law.parameters - members.shape[1]).any():
        return float("nan")
    if any((members != 0)[:, column].sum() == 1 for column in range(members.shape[1])):
        return float("nan")
    low, high = problem.bounds()
    weight = np.ones((n, len(problem.x)))
    weight[np.arange(n), exact] = 0.0
    left_out = solve(problem.model(np.ones(n), weight), np.tile(fit.best, (n, 1)), low, high)
    g, _ = fit.law.log_shape(x, left_out.theta[:, 1:])
    extra = members.shape[1]
    factor = (left_out.theta[:, -extra:] * members).sum(axis=1) if extra else 0.0
    missed = problem.log_y[exact] - left_out.theta[:, 0] - np.diagonal(g) - factor
    return float(np.sqrt(np.mean(missed**2)))
