"""Profile likelihood: intervals as the values at which the best fit left gets significantly worse.

The law is written through the curve's value at an anchor a: ln X(p) = c + g(p; theta) - g(a; theta). With c held
and theta free, the sum of squares profiles the mean curve at a, and at a = 1 it profiles ln lambda. The peak of the
Universal Scalability Law has a profile of its own.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ycsbook.closed_loop import Figures
from ycsbook.scaling.laws import usl_peak
from ycsbook.scaling.problem import Problem, solve

MAX_DOUBLINGS = 60
MAX_ROOT_STEPS = 40
# An interval's end is settled when the cut is met to this share of it, and a fit on the way when it wins no more.
_END_TOLERANCE = 1e-6
_LEAST_GAIN = 1e-11
# Where the profile over the peak is looked at: from a tenth of the smallest x to a thousand times the largest.
_BELOW, _ABOVE, _PLACES, _FINER = 0.1, 1e3, 48, 12


# Of many ends at once: places, and by how much the sum of squares exceeds the cut there.
Sides = tuple[np.ndarray, np.ndarray]


def intervals(
    problem: Problem, best: np.ndarray, *, sse: Figures, cut: Figures, anchor: np.ndarray, index: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper ends for many quantities of one fit, or of one fit each. best: (k,) or (q, k) ln lambda and theta
    at the minimum; sse: the sum of squares there, one or (q,). cut: how much the sum of squares may grow: t² s², one or
    (q,). anchor: (q,) the x of each quantity's parametrisation. index: (q,) 0 for the curve at the anchor (ln y), j for
    the law's j-th shape parameter. Returns two arrays (q,); an end that the bounds reach first is the bound. Source:
    Bates and Watts (1988), Nonlinear Regression Analysis, ch. 6."""
    n = len(anchor)
    rows = np.arange(2 * n)
    if problem.log_y.ndim == 2:
        problem = replace(problem, log_y=np.tile(problem.log_y, (2, 1)))
    # The lower ends first, then the upper ones.
    anchor2, index2 = np.tile(anchor, 2), np.tile(index, 2)
    direction = np.repeat([-1.0, 1.0], n)
    sse, root_cut = np.tile(np.broadcast_to(sse, n), 2), np.tile(np.sqrt(np.broadcast_to(cut, n)), 2)
    start = np.tile(np.broadcast_to(best, (n, np.shape(best)[-1])), (2, 1))
    g_anchor, _ = problem.law.log_shape(anchor2[:, None], start[:, 1:])
    start[:, 0] += g_anchor[:, 0]
    centre = start[rows, index2]
    low, high = problem.bounds()
    wall = np.where(direction < 0, low[index2], high[index2])
    model = problem.model(anchor2)
    fixed = index2[:, None] == np.arange(start.shape[1])
    warm = start.copy()

    def excess(value: np.ndarray) -> np.ndarray:
        """By how much the root of the sum of squares has grown too much where each quantity has this value."""
        warm[rows, index2] = value
        solution = solve(model, warm, low, high, fixed, least_gain=_LEAST_GAIN)
        warm[:] = solution.theta
        return np.sqrt(np.maximum(solution.sse - sse, 0.0)) - root_cut

    # How far each end would be if the sum of squares were a parabola.
    _, jacobian = model(start)
    inverse = np.linalg.pinv(np.matmul(jacobian.transpose(0, 2, 1), jacobian), hermitian=True)
    width = np.sqrt(np.maximum(inverse[rows, index2, index2], 0.0)) * root_cut
    step = direction * np.where(np.isfinite(width) & (width > 0), width, 1e-6)
    ends = _roots(excess, *_around_ends(excess, centre, step, wall, root_cut), root_cut)
    return ends[:n], ends[n:]


def _around_ends(
    excess: Callable, centre: np.ndarray, step: np.ndarray, wall: np.ndarray, root_cut: np.ndarray
) -> tuple[Sides, Sides]:
    """A (place, excess) on each side of every end, found by steps outward that double; both at the bound where that
    comes first: there is no root then, and none is waited for."""
    inner, inner_excess = centre, -root_cut
    outer = _towards(centre, step, wall)
    outer_excess = excess(outer)
    for _ in range(MAX_DOUBLINGS):
        short = (outer_excess < 0) & (outer != wall)
        if not short.any():
            break
        inner, inner_excess = np.where(short, outer, inner), np.where(short, outer_excess, inner_excess)
        step = np.where(short, 2 * step, step)
        outer = np.where(short, _towards(outer, step, wall), outer)
        outer_excess = excess(outer)
    at_wall = outer_excess < 0
    inner, inner_excess = np.where(at_wall, outer, inner), np.where(at_wall, 0.0, inner_excess)
    return (inner, inner_excess), (outer, np.where(at_wall, 0.0, outer_excess))


def _towards(value: np.ndarray, step: np.ndarray, wall: np.ndarray) -> np.ndarray:
    return np.where(step < 0, np.maximum(value + step, wall), np.minimum(value + step, wall))


def _roots(excess: Callable, low_side: Sides, high_side: Sides, scale: np.ndarray) -> np.ndarray:
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


class Peak(NamedTuple):
    """Where the curve is highest, in units of x, and the 95 % interval of that; infinite: no peak within reach."""

    at: float
    low: float
    high: float


def peak(problem: Problem, best: np.ndarray, *, sse: float, cut: float) -> Peak:
    """The peak of a USL fit, sqrt((1 - sigma) / kappa), and the values that the points do not rule out. The profile of
    the sum of squares over the peak P, with kappa = (1 - sigma) / P², is looked at on a grid of ln P, finer around its
    two ends, and interpolated there. problem: with the law usl; the others as for `intervals`. Source: Gunther (2007),
    Guerrilla Capacity Planning, ch. 5; Bates and Watts (1988), ch. 6."""
    at, x = usl_peak(float(best[1]), float(best[2])), problem.x
    candidates = np.unique(np.append(np.geomspace(_BELOW * x.min(), _ABOVE * x.max(), _PLACES), at))
    # The peak of the fit itself is at 0 where sigma is 1, and infinite where kappa is 0.
    candidates = candidates[np.isfinite(candidates) & (candidates > 0)]
    inside = np.flatnonzero(_over_peak(problem, best, candidates) <= sse + cut)
    if not len(inside):
        return Peak(at, at, at)
    first, last = inside[0], inside[-1]

    def end(within: float, beyond: float) -> float:
        """Where the sum of squares reaches the cut, between a place within it and one beyond."""
        finer = np.geomspace(within, beyond, _FINER)
        over = np.sqrt(np.maximum(_over_peak(problem, best, finer) - sse, 0.0)) - np.sqrt(cut)
        i = max(int(np.argmax(over > 0)), 1)
        share = over[i - 1] / (over[i - 1] - over[i])
        return float(np.exp(np.log(finer[i - 1]) + share * np.log(finer[i] / finer[i - 1])))

    low = end(candidates[first], candidates[first - 1]) if first else 0.0
    high = end(candidates[last], candidates[last + 1]) if last + 1 < len(candidates) else float("inf")
    # A peak beyond the places looked at is its own end.
    return Peak(at, min(low, at), max(high, at))


def _over_peak(problem: Problem, best: np.ndarray, peaks: np.ndarray) -> np.ndarray:
    """The smallest sum of squares for each peak."""
    model = problem.model(np.ones(len(peaks)))
    per_kappa = 1 / peaks**2

    def through_peak(parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        kappa = (1 - parameters[:, 1]) * per_kappa
        residual, jacobian = model(np.insert(parameters, 2, kappa, axis=1))
        of_kappa = jacobian[..., 2]
        jacobian = np.delete(jacobian, 2, axis=-1)
        jacobian[..., 1] -= of_kappa * per_kappa[:, None]
        return residual, jacobian

    free = np.delete(best, 2)
    low, high = (np.delete(bound, 2) for bound in problem.bounds())
    starts = np.array([np.where(np.arange(len(free)) == 1, sigma, free) for sigma in (min(float(free[1]), 0.99), 0.0)])
    squares = [solve(through_peak, np.tile(start, (len(peaks), 1)), low, high).sse for start in starts]
    # Below one core there may be no such law at all.
    return np.nan_to_num(squares, nan=np.inf, posinf=np.inf).min(axis=0)
