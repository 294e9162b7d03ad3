"""Profile likelihood: intervals as the values at which the best fit left gets significantly worse.

The law is written through the curve's value at an anchor a: ln X(p) = c + g(p; theta) - g(a; theta). With c held
and theta free, the sum of squares profiles the mean curve at a, and at a = 1 it profiles ln lambda.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ycsbook.scaling.laws import Law
from ycsbook.scaling.solver import Solution, solve

MAX_DOUBLINGS = 60
MAX_ROOT_STEPS = 40
# An interval's end is settled when the cut is met to this share of it.
_END_TOLERANCE = 1e-7


@dataclass(frozen=True)
class Problem:
    """Points and a law: x (n,), ln y (n,), and whether residuals are taken on ln y or on y itself."""

    law: Law
    x: np.ndarray
    log_y: np.ndarray
    raw: bool = False

    def model(self, anchor: np.ndarray, weight: np.ndarray | None = None) -> Callable:
        """Residuals and Jacobian for parameters (c, theta), one anchor per problem."""
        y_scale = np.exp(self.log_y).max() if self.raw else 1.0
        observed = np.exp(self.log_y) / y_scale if self.raw else self.log_y

        def residuals(parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            theta = parameters[:, 1:]
            g, gradient = self.law.log_shape(self.x, theta)
            g_anchor, gradient_anchor = self.law.log_shape(anchor[:, None], theta)
            fitted = parameters[:, :1] + g - g_anchor
            jacobian = np.concatenate([np.ones((*fitted.shape, 1)), gradient - gradient_anchor], axis=-1)
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
        """The law's starting points, each with the c that suits it best."""
        theta = np.array(self.law.starts, dtype=float).reshape(len(self.law.starts), -1)
        g, _ = self.law.log_shape(self.x, theta)
        return np.concatenate([(self.log_y - g).mean(axis=1, keepdims=True), theta], axis=1)

    def best(self, bounded: bool = True, extra: np.ndarray | None = None) -> Solution:
        """The best of the fits from all starts, as a batch of one; c is ln lambda."""
        starts = self.starts() if extra is None else np.vstack([self.starts(), extra])
        low, high = self.bounds(bounded)
        found = solve(self.model(np.ones(len(starts))), starts, low, high)
        i = int(np.nanargmin(found.sse))
        return Solution(found.theta[i : i + 1], found.sse[i : i + 1], found.converged[i : i + 1])


def intervals(
    problem: Problem, best: np.ndarray, *, sse: float, cut: float, anchor: np.ndarray, index: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper ends for many quantities of one fit.

    Parameters
        best: (k,) ln lambda and theta at the minimum; sse: its sum of squares.
        cut: how much the sum of squares may grow: t² s².
        anchor: (q,) the x of each quantity's parametrisation.
        index: (q,) 0 for the curve at the anchor (ln y), j for the law's j-th shape parameter.
    Returns
        Two arrays (q,); an end that the bounds reach first is the bound.
    References
        Bates and Watts (1988), Nonlinear Regression Analysis, ch. 6.
    """
    many, k = len(anchor), len(best)
    anchor2, index2 = np.concatenate([anchor, anchor]), np.concatenate([index, index])
    direction = np.repeat([-1.0, 1.0], many)
    rows = np.arange(2 * many)
    start = np.tile(best, (2 * many, 1))
    g_anchor, _ = problem.law.log_shape(anchor2[:, None], start[:, 1:])
    start[:, 0] += g_anchor[:, 0]
    centre = start[rows, index2]
    low, high = problem.bounds()
    wall = np.where(direction < 0, low[index2], high[index2])
    model = problem.model(anchor2)
    fixed = index2[:, None] == np.arange(k)
    warm = start.copy()

    def excess(value: np.ndarray) -> np.ndarray:
        warm[rows, index2] = value
        found = solve(model, warm, low, high, fixed)
        warm[:] = found.theta
        return np.sqrt(np.maximum(found.sse - sse, 0.0)) - np.sqrt(cut)

    step = _first_steps(model, start, index2, cut)
    inner, outer = centre.copy(), _towards(centre, direction * step, wall)
    inner_excess = np.full(2 * many, -np.sqrt(cut))
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
    ends = _roots(excess, (inner, inner_excess), (outer, outer_excess), float(np.sqrt(cut)))
    return ends[:many], ends[many:]


def _towards(value: np.ndarray, step: np.ndarray, wall: np.ndarray) -> np.ndarray:
    return np.where(step < 0, np.maximum(value + step, wall), np.minimum(value + step, wall))


def _first_steps(model: Callable, start: np.ndarray, index: np.ndarray, cut: float) -> np.ndarray:
    """How far each end would be if the sum of squares were a parabola."""
    _, jacobian = model(start)
    normal = np.einsum("bni,bnj->bij", jacobian, jacobian)
    inverse = np.linalg.pinv(normal, hermitian=True)
    width = np.sqrt(np.maximum(inverse[np.arange(len(index)), index, index], 0.0) * cut)
    return np.where(np.isfinite(width) & (width > 0), width, 1e-6)


def _roots(
    excess: Callable, low_side: tuple[np.ndarray, np.ndarray], high_side: tuple[np.ndarray, np.ndarray], scale: float
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
