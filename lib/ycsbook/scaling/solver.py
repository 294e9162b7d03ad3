"""Bounded least squares for many small problems at once (Levenberg-Marquardt with projection on the bounds).

A profile interval is a root of a function whose every value is a fit. Solving the fits of all ends, all points
of a curve and all left-out points together costs a few matrix operations instead of thousands of solver calls.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

MAX_STEPS = 300
_DAMPING_START, _DAMPING_MIN, _DAMPING_MAX = 1e-3, 1e-12, 1e12
_RELATIVE_GAIN = 1e-13
_NOTHING = 1e-28

# theta (problems, k) -> residuals (problems, n) and their Jacobian (problems, n, k)
Model = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Solution:
    """theta (problems, k), sum of squares (problems,), converged (problems,)."""

    theta: np.ndarray
    sse: np.ndarray
    converged: np.ndarray


def solve(
    model: Model, start: np.ndarray, low: np.ndarray, high: np.ndarray, fixed: np.ndarray | None = None
) -> Solution:
    """Minimise each problem's sum of squares inside the bounds.

    Parameters
        model: residuals and Jacobian of all problems; a step to where they are not finite is refused.
        start: (problems, k), inside the bounds.
        low, high: (k,) bounds, infinite where there is none.
        fixed: (problems, k), True where a parameter keeps its start.
    References
        Marquardt (1963), J. SIAM 11; the bounds as in Kanzow, Yamashita and Fukushima (2004), J. Comput.
        Appl. Math. 172: a parameter on its bound stays there while the gradient pushes outward.
    """
    theta = start.astype(float).copy()
    fixed = np.zeros(theta.shape, bool) if fixed is None else fixed
    residual, jacobian = model(theta)
    sse = (residual**2).sum(axis=1)
    damping = np.full(len(theta), _DAMPING_START)
    done = ~np.isfinite(sse) | fixed.all(axis=1)
    converged = fixed.all(axis=1) & np.isfinite(sse)
    diagonal = np.arange(theta.shape[1])
    for _ in range(MAX_STEPS):
        if done.all():
            break
        gradient = np.einsum("bnk,bn->bk", jacobian, residual)
        held = fixed | ((theta <= low) & (gradient > 0)) | ((theta >= high) & (gradient < 0))
        normal = np.einsum("bni,bnj->bij", jacobian, jacobian)
        normal[held] = 0.0
        normal.transpose(0, 2, 1)[held] = 0.0
        scale = normal[:, diagonal, diagonal]
        normal[:, diagonal, diagonal] = np.where(held | (scale <= 0), 1.0, scale * (1 + damping[:, None]))
        step = -np.linalg.solve(normal, np.where(held, 0.0, gradient)[..., None])[..., 0]
        # What a step still promises, on the scale of the sum of squares: below rounding there is nothing to gain.
        promised = np.abs(np.einsum("bk,bk->b", np.where(held, 0.0, gradient), step))
        tried = np.where(done[:, None], theta, np.clip(theta + step, low, high))
        tried_residual, tried_jacobian = model(tried)
        tried_sse = (tried_residual**2).sum(axis=1)
        better = np.isfinite(tried_sse) & (tried_sse < sse) & ~done
        gain = np.where(better, sse - tried_sse, 0.0)
        settled = (better & (gain <= _RELATIVE_GAIN * sse)) | held.all(axis=1)
        stuck = (promised <= _RELATIVE_GAIN * sse + _NOTHING) & (damping <= _DAMPING_START)
        stuck |= ~better & (np.abs(tried - theta) <= 1e-12 * (np.abs(theta) + 1e-12)).all(axis=1)
        theta = np.where(better[:, None], tried, theta)
        residual = np.where(better[:, None], tried_residual, residual)
        jacobian = np.where(better[:, None, None], tried_jacobian, jacobian)
        sse = np.where(better, tried_sse, sse)
        damping = np.where(better, np.maximum(damping / 6, _DAMPING_MIN), damping * 4)
        finished = ~done & (settled | stuck | (damping > _DAMPING_MAX))
        converged |= finished
        done |= finished
    return Solution(theta, sse, converged)
