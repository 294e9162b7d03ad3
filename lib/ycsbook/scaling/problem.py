"""Points and a law as bounded least squares, and the solver of many such problems at once.

A profile interval is a root of a function whose every value is a fit. Solving the fits of all ends, all points
of a curve and all left-out points together costs a few matrix operations instead of thousands of solver calls.

A point that the number of client threads held back says "at least so much". Its residual is the square root of its
deviance in the censored normal model (Tobit): none where the law lies far above it, the plain distance where the law
lies below. Squares of such residuals add to those of measured points.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import fdtri, log_ndtr

from ycsbook.scaling.laws import Law

# Below this variance of ln X the points lie on the law to rounding, and intervals shrink to the estimate.
EXACT = 1e-20
_HELD_BACK = 0.99
# Where a law fitted without bounds is looked at between the points.
_PLACES = 33
# Beyond so many standard errors above a bound the residual underflows, and its derivative is 0 / 0.
_FAR_ABOVE = 8.0
_LN_SQRT_2PI = 0.5 * np.log(2 * np.pi)
MAX_STEPS = 300
_DAMPING_START, _DAMPING_MIN, _DAMPING_MAX = 1e-3, 1e-12, 1e12
_LEAST_GAIN = 1e-13
# A step that wins less than this share of what the linear model promised was luck, and is refused.
_LEAST_SHARE = 1e-4
_NOTHING = 1e-28
# At a minimum no parameter's column of the Jacobian may lie closer to the residuals than this cosine, squared.
_ALIGNED = 1e-8
_ROUNDING = 1e-24


# theta (problems, k) -> residuals (problems, n) and their Jacobian (problems, n, k). Residuals may be anything whose
# squares are to be minimised: differences, weighted ones, or square roots of a deviance (lower bounds).
Model = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


class Solution(NamedTuple):
    """theta (problems, k), sum of squares (problems,), converged (problems,). `converged` is False where the steps ran
    out, and where the search ended on a plain: a free parameter that the residuals no longer depend on is not an
    estimate."""

    theta: np.ndarray
    sse: np.ndarray
    converged: np.ndarray


@np.errstate(over="ignore", invalid="ignore")
def solve(
    model: Model, start: np.ndarray, low: np.ndarray, high: np.ndarray, fixed: np.ndarray | None = None,
    *, least_gain: float = _LEAST_GAIN,
) -> Solution:  # fmt: skip
    """Minimise each problem's sum of squares inside the bounds. model: residuals and Jacobian of all problems; a step
    to where they are not finite is refused. start: (problems, k), inside the bounds. low, high: (k,) bounds, infinite
    where there is none. fixed: (problems, k), True where a parameter keeps its start. least_gain: the share of the sum
    of squares that is not worth a step; the parameters end within about its root, in standard errors. Source: Marquardt
    (1963), J. SIAM 11; the damping as in Nielsen (1999), IMM-REP-1999-05, the scaling as in More (1978), Lecture Notes
    in Mathematics 630: by the largest derivative met so far; the bounds as in Kanzow, Yamashita and Fukushima (2004),
    J. Comput. Appl. Math. 172: a parameter on its bound stays there while the gradient pushes outward."""
    theta, bounds = start.astype(float).copy(), (low, high)
    fixed = np.zeros(theta.shape, bool) if fixed is None else fixed
    residual, jacobian = model(theta)
    sse = np.square(residual).sum(axis=1)
    damping, growth = np.full(len(theta), _DAMPING_START), np.full(len(theta), 2.0)
    done = ~np.isfinite(sse) | fixed.all(axis=1)
    finished, largest = np.zeros(len(theta), bool), np.zeros(theta.shape)
    for _ in range(MAX_STEPS):
        if done.all():
            break
        gradient = np.matmul(residual[:, None, :], jacobian)[:, 0, :]
        pinned = _pinned(theta, gradient, bounds, fixed)
        step, promised = _step(gradient, jacobian, pinned, damping, largest)
        stuck = (promised <= least_gain * sse + _NOTHING) & (damping <= _DAMPING_START)
        finished |= ~done & (stuck | pinned.all(axis=1))
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
        theta = np.where(better[:, None], tried, theta)
        residual = np.where(better[:, None], tried_residual, residual)
        jacobian = np.where(better[:, None, None], tried_jacobian, jacobian)
        sse = np.where(better, sse - gain, sse)
        damping = damping * np.where(better, np.maximum(1 / 6, 1 - (2 * np.minimum(share, 1.0) - 1) ** 3), growth)
        damping, growth = np.maximum(damping, _DAMPING_MIN), np.where(better, 2.0, 2 * growth)
        finished |= ~done & (settled | (damping > _DAMPING_MAX))
        done |= finished
    sse = np.square(residual).sum(axis=1)
    gradient = np.matmul(residual[:, None, :], jacobian)[:, 0, :]
    # At a minimum every free parameter matters, and none can win anything by moving alone.
    curvature = np.square(jacobian).sum(axis=1)
    wins_nothing = (curvature > 0) & (gradient**2 <= curvature * np.maximum(_ALIGNED * sse, _ROUNDING)[:, None])
    settled = wins_nothing | _pinned(theta, gradient, bounds, fixed)
    nothing_free = fixed.all(axis=1) & np.isfinite(sse)
    return Solution(theta, sse, nothing_free | (finished & settled.all(axis=1)))


def _step(
    gradient: np.ndarray, jacobian: np.ndarray, pinned: np.ndarray, damping: np.ndarray, largest: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The damped step, and what it promises to take off the sum of squares: below rounding there is nothing to gain.
    `largest`, the largest curvature met so far, is brought up to date."""
    diagonal = np.arange(pinned.shape[1])
    gradient = np.where(pinned, 0.0, gradient)
    normal = np.matmul(jacobian.transpose(0, 2, 1), jacobian)
    normal[pinned] = 0.0
    normal.transpose(0, 2, 1)[pinned] = 0.0
    curvature = normal[:, diagonal, diagonal]
    np.maximum(largest, curvature, out=largest)
    damped = damping[:, None] * np.where(pinned, 0.0, largest)
    normal[:, diagonal, diagonal] = np.where(pinned | (largest <= 0), 1.0, curvature + damped)
    step = -np.linalg.solve(normal, gradient[..., None])[..., 0]
    return step, -(gradient * step).sum(axis=1) + (damped * step**2).sum(axis=1)


def _pinned(
    theta: np.ndarray, gradient: np.ndarray, bounds: tuple[np.ndarray, np.ndarray], fixed: np.ndarray
) -> np.ndarray:
    low, high = bounds
    return fixed | ((theta <= low) & (gradient >= 0)) | ((theta >= high) & (gradient <= 0))


@dataclass(frozen=True)
class Problem:
    """Points and a law: x (n,), ln y (n,), and whether residuals are taken on ln y or on y itself. ln y may be
    (problems, n), to fit many sets of points over the same x at once: then `best` gives one solution a row, and
    `intervals` and `model` want one row for each of their quantities. censored: (n,) bool, True for a lower bound;
    None: all are measurements. error: standard error of ln X that decides how soft a bound is."""

    law: Law
    x: np.ndarray
    log_y: np.ndarray
    raw: bool = False
    censored: np.ndarray | None = None
    error: float = 1.0

    @property
    def exact(self) -> np.ndarray:
        """(n,) bool: the points that are measurements."""
        return np.ones(len(self.x), bool) if self.censored is None else ~self.censored

    def measured(self) -> "Problem":
        """The same without its lower bounds."""
        exact = self.exact
        return replace(self, x=self.x[exact], log_y=self.log_y[exact], censored=None)

    def model(self, anchor: np.ndarray, weight: np.ndarray | None = None) -> Model:
        """Residuals and Jacobian for parameters (c, theta), one anchor per problem."""
        y_scale = np.exp(self.log_y).max(axis=-1, keepdims=True) if self.raw else 1.0
        observed = np.exp(self.log_y) / y_scale if self.raw else self.log_y
        bounds = np.flatnonzero(~self.exact)
        # Every law's shape is 1 at one core.
        moved = bool((anchor != 1).any())

        def residuals(parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            theta = parameters[:, 1:]
            g, gradient = self.law.log_shape(self.x, theta)
            fitted = parameters[:, :1] + g
            jacobian = np.empty((*fitted.shape, parameters.shape[1]))
            jacobian[..., 0], jacobian[..., 1:] = 1.0, gradient
            if moved:
                g_anchor, gradient_anchor = self.law.log_shape(anchor[:, None], theta)
                fitted -= g_anchor
                jacobian[..., 1:] -= gradient_anchor
            if self.raw:
                fitted = np.exp(fitted) / y_scale
                jacobian = jacobian * fitted[..., None]
            residual = fitted - observed
            if len(bounds):
                softened, slope = lower_bound_residual(residual[:, bounds], self.error)
                residual[:, bounds] = softened
                jacobian[:, bounds] *= slope[..., None]
            if weight is not None:
                residual, jacobian = residual * weight, jacobian * weight[..., None]
            return residual, jacobian

        return residuals

    def bounds(self, bounded: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of (c, theta): c has none."""
        if not bounded:
            return np.full(self.law.parameters, -np.inf), np.full(self.law.parameters, np.inf)
        return np.array([-np.inf, *self.law.low]), np.array([np.inf, *self.law.high])

    def best(self, bounded: bool = True, extra: np.ndarray | None = None) -> Solution:
        """The best of the fits from all starts, one row per problem (one where ln y is one row); c is ln lambda.
        bounded: whether the law's bounds hold. extra: (problems, k) further starts."""
        log_y, k = np.atleast_2d(self.log_y), self.law.parameters
        theta = np.array(self.law.starts, dtype=float).reshape(len(self.law.starts), -1)
        # Each with the c that suits it best.
        c = (log_y[:, None, :] - self.law.log_shape(self.x, theta)[0]).mean(axis=-1, keepdims=True)
        starts = np.concatenate([c, np.broadcast_to(theta, (*c.shape[:-1], k - 1))], axis=-1)
        if extra is not None:
            starts = np.concatenate([starts, extra.reshape(len(log_y), -1, k)], axis=1)
        n_starts = starts.shape[1]
        start = starts.reshape(-1, k)
        low, high = self.bounds(bounded)
        model = replace(self, log_y=np.repeat(log_y, n_starts, axis=0)).model(np.ones(len(start)))
        theta, sse, converged = solve(model, start, low, high)
        if not bounded and (lost := self._has_a_pole(theta)).any():
            theta = np.where(lost[:, None], start, theta)
            at_start = np.square(model(start)[0]).sum(axis=1)
            sse = np.where(lost, np.where(self._has_a_pole(start), np.inf, at_start), sse)
            converged = converged & ~lost
        sse = np.where(np.isfinite(sse), sse, np.inf)
        chosen = np.arange(len(log_y)) * n_starts + sse.reshape(-1, n_starts).argmin(axis=1)
        return Solution(theta[chosen], sse[chosen], converged[chosen])

    def _has_a_pole(self, parameters: np.ndarray) -> np.ndarray:
        """(rows,) whether the law is not positive somewhere between the points: without bounds it can be, and is then
        no law, however well it meets the points to both sides."""
        between = np.geomspace(self.x.min(), self.x.max(), _PLACES)
        return ~np.isfinite(self.law.log_shape(between, parameters[:, 1:])[0]).all(axis=1)


def lower_bound_residual(above: np.ndarray, error: float) -> tuple[np.ndarray, np.ndarray]:
    """Signed-root deviance of lower bounds, and its derivative. above: ln fitted - ln bound, any shape. error: the
    residual standard error of ln X, > 0. Returns error * sqrt(-2 ln Phi(above / error)), and its derivative in `above`;
    both 0 far above the bound. Source: Tobin (1958), Econometrica 26; deviance residuals: McCullagh and Nelder (1989),
    Generalized Linear Models, 2.4.

    Examples
        >>> [round(float(v), 3) for v in lower_bound_residual(np.array([-0.3, 0.0, 0.3]), 0.03)[0]]
        [0.31, 0.035, 0.0]
    """
    z = above / error
    near = z < _FAR_ABOVE
    z = np.where(near, z, 0.0)
    log_tail = log_ndtr(z)
    root = np.sqrt(-2 * log_tail)
    slope = -np.exp(-0.5 * z**2 - _LN_SQRT_2PI - log_tail) / root
    return np.where(near, error * root, 0.0), np.where(near, slope, 0.0)


def held_back(sse: np.ndarray, free_sse: np.ndarray, df: int, terms: int) -> np.ndarray:
    """Whether the law's bounds cost significantly many squares (F test at 1 %). s², the variance of one spec around the
    law, is that of the fit without bounds: with a parameter on its bound the squares of the bounded fit hold a share
    that is not noise, and intervals would cover too much. Where the fit is held back, though, the law is wrong and the
    noise is not small: then s² is the bounded fit's, or the intervals would be the narrower the worse the law fits.
    sse, free_sse: sums of squares with and without bounds, of any equal shape. df: residual degrees of freedom; terms:
    how many parameters have bounds."""
    terms = max(terms, 1)
    return sse - free_sse > fdtri(terms, df, _HELD_BACK) * terms * np.maximum(free_sse / df, EXACT)
