"""Profile likelihood: intervals as the values at which the best fit left gets significantly worse.

The law is written through the curve's value at an anchor a: ln X(p) = c + g(p; theta) - g(a; theta). With c held
and theta free, the sum of squares profiles the mean curve at a, and at a = 1 it profiles ln lambda.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import fdtri

from ycsbook.scaling.laws import Law
from ycsbook.scaling.solver import Model, Solution, solve

MAX_DOUBLINGS = 60
MAX_ROOT_STEPS = 40
# An interval's end is settled when the cut is met to this share of it, and a fit on the way when it wins no more.
_END_TOLERANCE = 1e-6
_LEAST_GAIN = 1e-11
# Below this variance of ln X the points lie on the law to rounding, and intervals shrink to the estimate.
EXACT = 1e-20
_HELD_BACK = 0.99
# Where a law fitted without bounds is looked at between the points.
_PLACES = 33


@dataclass(frozen=True)
class Problem:
    """Points and a law: x (n,), ln y (n,), and whether residuals are taken on ln y or on y itself.

    ln y may be (problems, n), to fit many sets of points over the same x at once: then `best` gives one solution a
    row, and `intervals` and `model` want one row for each of their quantities.
    """

    law: Law
    x: np.ndarray
    log_y: np.ndarray
    raw: bool = False

    def model(self, anchor: np.ndarray, weight: np.ndarray | None = None) -> Model:
        """Residuals and Jacobian for parameters (c, theta), one anchor per problem."""
        y_scale = np.exp(self.log_y).max(axis=-1, keepdims=True) if self.raw else 1.0
        observed = np.exp(self.log_y) / y_scale if self.raw else self.log_y
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
            if weight is not None:
                residual, jacobian = residual * weight, jacobian * weight[..., None]
            return residual, jacobian

        return residuals

    def bounds(self, bounded: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of (c, theta): c has none."""
        if not bounded:
            return np.full(self.law.parameters, -np.inf), np.full(self.law.parameters, np.inf)
        return np.array([-np.inf, *self.law.low]), np.array([np.inf, *self.law.high])

    def starts(self) -> np.ndarray:
        """The law's starting points (..., starts, k), each with the c that suits it best."""
        theta = np.array(self.law.starts, dtype=float).reshape(len(self.law.starts), -1)
        g, _ = self.law.log_shape(self.x, theta)
        c = (self.log_y[..., None, :] - g).mean(axis=-1, keepdims=True)
        return np.concatenate([c, np.broadcast_to(theta, (*c.shape[:-1], theta.shape[1]))], axis=-1)

    def best(self, bounded: bool = True, extra: np.ndarray | None = None) -> Solution:
        """The best of the fits from all starts, one row per problem (one where ln y is one row); c is ln lambda.

        Parameters
            bounded: whether the law's bounds hold.
            extra: (problems, k) further starts, such as the bounded optimum for the search without bounds.
        """
        many, k = np.atleast_2d(self.log_y), self.law.parameters
        starts = self.starts().reshape(len(many), -1, k)
        if extra is not None:
            starts = np.concatenate([starts, extra.reshape(len(many), -1, k)], axis=1)
        each = starts.shape[1]
        start = starts.reshape(-1, k)
        low, high = self.bounds(bounded)
        model = replace(self, log_y=np.repeat(many, each, axis=0)).model(np.ones(len(start)))
        found = solve(model, start, low, high)
        theta, sse, converged = found.theta, found.sse, found.converged
        if not bounded and (lost := self._has_a_pole(theta)).any():
            theta = np.where(lost[:, None], start, theta)
            at_start = np.square(model(start)[0]).sum(axis=1)
            sse = np.where(lost, np.where(self._has_a_pole(start), np.inf, at_start), sse)
            converged = converged & ~lost
        sse = np.where(np.isfinite(sse), sse, np.inf)
        chosen = np.arange(len(many)) * each + sse.reshape(-1, each).argmin(axis=1)
        return Solution(theta[chosen], sse[chosen], converged[chosen])

    def _has_a_pole(self, parameters: np.ndarray) -> np.ndarray:
        """(rows,) whether the law is not positive somewhere between the points: without bounds it can be, and is then
        no law, however well it meets the points to both sides."""
        between = np.geomspace(self.x.min(), self.x.max(), _PLACES)
        return ~np.isfinite(self.law.log_shape(between, parameters[:, 1:])[0]).all(axis=1)


def noise_variance(sse: np.ndarray, free_sse: np.ndarray, df: int, terms: int) -> tuple[np.ndarray, np.ndarray]:
    """s², the variance of one spec around the law, and whether the law's bounds cost significantly.

    It is that of the fit without bounds: with a parameter on its bound the squares of the bounded fit hold a share
    that is not noise, and intervals would cover too much. Where the bounds cost significantly many squares (F test at
    1 %), though, the law is wrong and the noise is not small: then s² is the bounded fit's, or the intervals would
    be the narrower the worse the law fits.

    Parameters
        sse, free_sse: sums of squares with and without bounds, of any equal shape.
        df: residual degrees of freedom; terms: how many parameters have bounds.
    """
    sse, free_sse = np.asarray(sse, dtype=float), np.asarray(free_sse, dtype=float)
    terms = max(terms, 1)
    limit = fdtri(terms, df, _HELD_BACK) * terms * np.maximum(free_sse / df, EXACT)
    held_back = sse - free_sse > limit
    return np.where(held_back, sse, free_sse) / df, held_back


def intervals(
    problem: Problem,
    best: np.ndarray,
    *,
    sse: float | np.ndarray,
    cut: float | np.ndarray,
    anchor: np.ndarray,
    index: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper ends for many quantities of one fit, or of one fit each.

    Parameters
        best: (k,) or (q, k) ln lambda and theta at the minimum; sse: the sum of squares there, one or (q,).
        cut: how much the sum of squares may grow: t² s², one or (q,).
        anchor: (q,) the x of each quantity's parametrisation.
        index: (q,) 0 for the curve at the anchor (ln y), j for the law's j-th shape parameter.
    Returns
        Two arrays (q,); an end that the bounds reach first is the bound.
    References
        Bates and Watts (1988), Nonlinear Regression Analysis, ch. 6.
    """
    many = len(anchor)
    rows = np.arange(2 * many)
    if problem.log_y.ndim == 2:
        problem = replace(problem, log_y=np.tile(problem.log_y, (2, 1)))
    anchor2, index2 = np.tile(anchor, 2), np.tile(index, 2)
    direction = np.repeat([-1.0, 1.0], many)
    sse, root_cut = np.tile(np.broadcast_to(sse, many), 2), np.tile(np.sqrt(np.broadcast_to(cut, many)), 2)
    start = np.tile(np.broadcast_to(best, (many, np.shape(best)[-1])), (2, 1))
    g_anchor, _ = problem.law.log_shape(anchor2[:, None], start[:, 1:])
    start[:, 0] += g_anchor[:, 0]
    centre = start[rows, index2]
    low, high = problem.bounds()
    wall = np.where(direction < 0, low[index2], high[index2])
    model = problem.model(anchor2)
    fixed = index2[:, None] == np.arange(start.shape[1])
    warm = start.copy()

    def excess(value: np.ndarray) -> np.ndarray:
        warm[rows, index2] = value
        found = solve(model, warm, low, high, fixed, least_gain=_LEAST_GAIN)
        warm[:] = found.theta
        return np.sqrt(np.maximum(found.sse - sse, 0.0)) - root_cut

    step = _first_steps(model, start, index2, root_cut)
    inner, outer = centre.copy(), _towards(centre, direction * step, wall)
    inner_excess = -root_cut
    outer_excess = excess(outer)
    for _ in range(MAX_DOUBLINGS):
        short = (outer_excess < 0) & (outer != wall)
        if not short.any():
            break
        inner, inner_excess = np.where(short, outer, inner), np.where(short, outer_excess, inner_excess)
        step = np.where(short, 2 * step, step)
        outer = np.where(short, _towards(outer, direction * step, wall), outer)
        outer_excess = excess(outer)
    at_wall = outer_excess < 0
    # An end at its bound has no root: it rests where it is, and is not waited for.
    inner, inner_excess = np.where(at_wall, outer, inner), np.where(at_wall, 0.0, inner_excess)
    outer_excess = np.where(at_wall, 0.0, outer_excess)
    ends = _roots(excess, (inner, inner_excess), (outer, outer_excess), root_cut)
    return ends[:many], ends[many:]


def _towards(value: np.ndarray, step: np.ndarray, wall: np.ndarray) -> np.ndarray:
    return np.where(step < 0, np.maximum(value + step, wall), np.minimum(value + step, wall))


def _first_steps(model: Model, start: np.ndarray, index: np.ndarray, root_cut: np.ndarray) -> np.ndarray:
    """How far each end would be if the sum of squares were a parabola."""
    _, jacobian = model(start)
    normal = np.matmul(jacobian.transpose(0, 2, 1), jacobian)
    inverse = np.linalg.pinv(normal, hermitian=True)
    width = np.sqrt(np.maximum(inverse[np.arange(len(index)), index, index], 0.0)) * root_cut
    return np.where(np.isfinite(width) & (width > 0), width, 1e-6)


def _roots(
    excess: Callable,
    low_side: tuple[np.ndarray, np.ndarray],
    high_side: tuple[np.ndarray, np.ndarray],
    scale: np.ndarray,
) -> np.ndarray:
    """Where the excess crosses zero between two (place, excess): Illinois' variant of regula falsi."""
    (inner, weight_in), (outer, weight_out) = low_side, high_side
    end, last = outer.copy(), np.zeros(len(outer))
    for _ in range(MAX_ROOT_STEPS):
        with np.errstate(invalid="ignore", divide="ignore"):
            guess = (inner * weight_out - outer * weight_in) / (weight_out - weight_in)
        inside = np.isfinite(guess) & (guess >= np.minimum(inner, outer)) & (guess <= np.maximum(inner, outer))
        end = np.where(inside, guess, (inner + outer) / 2)
        value = excess(end)
        if ((np.abs(value) <= _END_TOLERANCE * scale) | (inner == outer)).all():
            break
        beyond = value >= 0
        outer, weight_out = np.where(beyond, end, outer), np.where(beyond, value, weight_out)
        inner, weight_in = np.where(beyond, inner, end), np.where(beyond, weight_in, value)
        side = np.where(beyond, 1.0, -1.0)
        weight_in = np.where(beyond & (last == side), weight_in / 2, weight_in)
        weight_out = np.where(~beyond & (last == side), weight_out / 2, weight_out)
        last = side
    return end
