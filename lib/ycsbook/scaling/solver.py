"""Bounded least squares for many small problems at once (Levenberg-Marquardt with projection on the bounds).

A profile interval is a root of a function whose every value is a fit. Solving the fits of all ends, all points
of a curve and all left-out points together costs a few matrix operations instead of thousands of solver calls.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

MAX_STEPS = 300
_DAMPING_START, _DAMPING_MIN, _DAMPING_MAX = 1e-3, 1e-12, 1e12
_LEAST_GAIN = 1e-13
# A step that wins less than this share of what the linear model promised was luck, and is refused.
_LEAST_SHARE = 1e-4
_NOTHING = 1e-28
# At a minimum no parameter's column of the Jacobian may lie closer to the residuals than this cosine, squared.
_ALIGNED = 1e-8
_EXACT = 1e-24

# theta (problems, k) -> residuals (problems, n) and their Jacobian (problems, n, k). Residuals may be anything whose
# squares are to be minimised: differences, weighted ones, or square roots of a deviance (lower bounds).
Model = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Solution:
    """theta (problems, k), sum of squares (problems,), converged (problems,).

    `converged` is False where the steps ran out, and where the search ended on a plain: a free parameter that the
    residuals no longer depend on is not an estimate.
    """

    theta: np.ndarray
    sse: np.ndarray
    converged: np.ndarray


def solve(
    model: Model, start: np.ndarray, low: np.ndarray, high: np.ndarray, fixed: np.ndarray | None = None,
    *, least_gain: float = _LEAST_GAIN,
) -> Solution:  # fmt: skip
    """Minimise each problem's sum of squares inside the bounds.

    Parameters
        model: residuals and Jacobian of all problems; a step to where they are not finite is refused.
        start: (problems, k), inside the bounds.
        low, high: (k,) bounds, infinite where there is none.
        fixed: (problems, k), True where a parameter keeps its start.
        least_gain: the share of the sum of squares that is not worth a step; the parameters end within about its
            root, in standard errors.
    References
        Marquardt (1963), J. SIAM 11; the damping as in Nielsen (1999), IMM-REP-1999-05, the scaling as in More
        (1978), Lecture Notes in Mathematics 630: by the largest derivative met so far; the bounds as in Kanzow,
        Yamashita and Fukushima (2004), J. Comput. Appl. Math. 172: a parameter on its bound stays there while the
        gradient pushes outward.
    """
    theta = start.astype(float).copy()
    fixed = np.zeros(theta.shape, bool) if fixed is None else fixed
    with np.errstate(over="ignore", invalid="ignore"):
        return _descend(model, theta, (low, high), fixed, least_gain)


def _descend(
    model: Model, theta: np.ndarray, bounds: tuple[np.ndarray, np.ndarray], fixed: np.ndarray, least_gain: float
) -> Solution:
    residual, jacobian = model(theta)
    sse = np.square(residual).sum(axis=1)
    damping, growth = np.full(len(theta), _DAMPING_START), np.full(len(theta), 2.0)
    done = ~np.isfinite(sse) | fixed.all(axis=1)
    finished = np.zeros(len(theta), bool)
    largest = np.zeros(theta.shape)
    diagonal = np.arange(theta.shape[1])
    for _ in range(MAX_STEPS):
        if done.all():
            break
        gradient = np.matmul(residual[:, None, :], jacobian)[:, 0, :]
        held = _held(theta, gradient, bounds, fixed)
        gradient[held] = 0.0
        normal = np.matmul(jacobian.transpose(0, 2, 1), jacobian)
        normal[held] = 0.0
        normal.transpose(0, 2, 1)[held] = 0.0
        curvature = normal[:, diagonal, diagonal]
        largest = np.maximum(largest, curvature)
        damped = damping[:, None] * np.where(held, 0.0, largest)
        normal[:, diagonal, diagonal] = np.where(held | (largest <= 0), 1.0, curvature + damped)
        step = -np.linalg.solve(normal, gradient[..., None])[..., 0]
        # What a step still promises, on the scale of the sum of squares: below rounding there is nothing to gain.
        promised = -(gradient * step).sum(axis=1) + (damped * step**2).sum(axis=1)
        stuck = (promised <= least_gain * sse + _NOTHING) & (damping <= _DAMPING_START)
        finished |= ~done & (stuck | held.all(axis=1))
        done |= finished
        if done.all():
            break
        tried = np.where(done[:, None], theta, np.clip(theta + step, *bounds))
        tried_residual, tried_jacobian = model(tried)
        gain = sse - np.square(tried_residual).sum(axis=1)
        share = np.divide(gain, promised, out=np.zeros(len(gain)), where=promised > 0)
        better = np.isfinite(gain) & (gain > 0) & (share > _LEAST_SHARE) & ~done
        settled = better & (gain <= least_gain * sse) & (damping <= 1)
        settled |= ~better & (np.abs(tried - theta) <= 1e-12 * (np.abs(theta) + 1e-12)).all(axis=1)
        if better.all():
            theta, residual, jacobian = tried, tried_residual, tried_jacobian
        else:
            theta = np.where(better[:, None], tried, theta)
            residual = np.where(better[:, None], tried_residual, residual)
            jacobian = np.where(better[:, None, None], tried_jacobian, jacobian)
        sse = np.where(better, sse - gain, sse)
        damping = damping * np.where(better, np.maximum(1 / 6, 1 - (2 * np.minimum(share, 1.0) - 1) ** 3), growth)
        damping, growth = np.maximum(damping, _DAMPING_MIN), np.where(better, 2.0, 2 * growth)
        ended = ~done & (settled | (damping > _DAMPING_MAX))
        finished |= ended
        done |= ended
    sse = np.square(residual).sum(axis=1)
    free = ~_held(theta, np.matmul(residual[:, None, :], jacobian)[:, 0, :], bounds, fixed)
    everything = fixed.all(axis=1) & np.isfinite(sse)
    return Solution(theta, sse, everything | (finished & _at_minimum(residual, jacobian, sse, free)))


def _held(
    theta: np.ndarray, gradient: np.ndarray, bounds: tuple[np.ndarray, np.ndarray], fixed: np.ndarray
) -> np.ndarray:
    low, high = bounds
    return fixed | ((theta <= low) & (gradient >= 0)) | ((theta >= high) & (gradient <= 0))


def _at_minimum(residual: np.ndarray, jacobian: np.ndarray, sse: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Whether every free parameter matters and none can win anything by moving alone."""
    gradient = np.matmul(residual[:, None, :], jacobian)[:, 0, :]
    curvature = np.square(jacobian).sum(axis=1)
    slight = gradient**2 <= curvature * np.maximum(_ALIGNED * sse, _EXACT)[:, None]
    return (~free | (slight & (curvature > 0))).all(axis=1)
