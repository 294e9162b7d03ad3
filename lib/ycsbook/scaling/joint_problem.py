"""The joint law's residuals and how its profile intervals are found: continued outward from the best fit.

Away from its best the law has several valleys (a soft corner, a ceiling far away or below all points), so each step
outward starts from the best of the step before, never from beyond.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ycsbook.scaling.problem import lower_bound_residual
from ycsbook.scaling.solver import Solution, solve

PARAMETERS = 4
# R0 cannot be longer than N / X, the time for an operation, at any point; below a tenth of the shortest of those the
# ceiling is out of sight. m below a half would make it felt everywhere, above 50 it is a plain minimum.
_R0_FROM, _R0_TO = 0.1, 3.0
_M_FROM, _M_TO = 0.5, 50.0
_EXPONENT = (-2.0, 4.0)
_ROUNDS, _SMALLEST_ERROR = 4, 1e-4
# Relative difference of the sums of squares below which two searches ended in the same minimum.
_SAME_MINIMUM = 1e-9
_FIRST_STEP, _LONGER, _MAX_STEPS = (0.03, 0.5), 1.7, 25
_MAX_ROOT_STEPS, _END_TOLERANCE, _WITHIN = 8, 1e-3, (0.1, 0.9)


@dataclass(frozen=True)
class JointProblem:
    """ln cores, ln threads and ln y, (n,) each; which y are lower bounds, and how soft those are."""

    log_p: np.ndarray
    log_n: np.ndarray
    log_y: np.ndarray
    censored: np.ndarray
    error: float = 1.0

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest of ln C, a, ln R0 and ln m."""
        waits = self.log_n - self.log_y
        low = [-np.inf, _EXPONENT[0], waits.min() + np.log(_R0_FROM), np.log(_M_FROM)]
        return np.array(low), np.array([np.inf, _EXPONENT[1], waits.max() + np.log(_R0_TO), np.log(_M_TO)])

    def model(self, anchor: np.ndarray):
        """Residuals for parameters (ln C anchor^a, a, ln R0, ln m), one anchor per problem."""
        log_anchor = np.log(anchor)[:, None]

        def residuals(parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            c, a, log_r0, log_m = (parameters[:, i, None] for i in range(4))
            fitted, server, u, v = log_curve((c, a, log_r0, log_m), self.log_p - log_anchor, self.log_n)
            # d ln X / d ln m: the corner gets sharper and X rises towards the lower of the two.
            mix = -(server * u + (1 - server) * v)
            jacobian = [server, server * (self.log_p - log_anchor), server - 1, -fitted - mix]
            residual, jacobian = fitted - self.log_y, np.stack(jacobian, axis=-1)
            if self.censored.any():
                softened, slope = lower_bound_residual(residual[:, self.censored], self.error)
                residual[:, self.censored] = softened
                jacobian[:, self.censored] *= slope[..., None]
            return residual, jacobian

        return residuals


def log_curve(parameters: Sequence, log_p: np.ndarray, log_n: np.ndarray) -> tuple[np.ndarray, ...]:
    """ln X of (ln C, a, ln R0, ln m); the server's weight in it (1: the threads do not matter); ln of both limits."""
    c, a, log_r0, log_m = parameters
    m = np.exp(log_m)
    u, v = c + a * log_p, log_n - log_r0
    total = np.logaddexp(-m * u, -m * v)
    return -total / m, np.exp(-m * u - total), u, v


def solved(problem: JointProblem) -> tuple[JointProblem, Solution]:
    """The best fit, and the problem with the error that suits its lower bounds."""
    best = _best(problem, _starts(problem))
    if problem.censored.any():
        exact = ~problem.censored
        part = JointProblem(problem.log_p[exact], problem.log_n[exact], problem.log_y[exact], problem.censored[exact])
        best = _best(part, _starts(part))
        for _ in range(_ROUNDS):
            missed = residuals(problem, best.theta[0])[exact]
            error = max(float(np.sqrt(missed @ missed / (exact.sum() - PARAMETERS))), _SMALLEST_ERROR)
            problem = replace(problem, error=error)
            best = _best(problem, best.theta)
    return problem, best


def _best(problem: JointProblem, starts: np.ndarray) -> Solution:
    ends = solve(problem.model(np.ones(len(starts))), starts, *problem.bounds())
    # Starts that reach the same minimum differ by rounding alone, which must not decide whether it counts as reached.
    equal = ends.sse <= np.nanmin(ends.sse) * (1 + _SAME_MINIMUM)
    reached = equal & ends.converged
    i = int(np.argmax(reached if reached.any() else equal))
    return Solution(ends.theta[i : i + 1], ends.sse[i : i + 1], ends.converged[i : i + 1])


def _starts(problem: JointProblem) -> np.ndarray:
    """The corner low, in the middle and above the points, soft and sharp, growth slow and proportional."""
    least = float((problem.log_n - problem.log_y).min())
    return np.array(
        [
            [float((problem.log_y - a * problem.log_p).max()), a, least + away, np.log(m)]
            for a in (0.7, 1.1) for away in (-0.05, -0.7, -2.0) for m in (2.0, 10.0)
        ]
    )  # fmt: skip


def residuals(problem: JointProblem, best: np.ndarray) -> np.ndarray:
    """ln fitted less ln y of each point; of a lower bound softened."""
    residual, _ = problem.model(np.ones(1))(best[None, :])
    return residual[0]


def ends(
    problem: JointProblem, best: np.ndarray, *, sse: float, cut: float, anchor: np.ndarray, index: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper profile ends; parameters and result as for profile.intervals, the curve being the core law's."""
    many, rows = len(anchor), np.arange(2 * len(anchor))
    anchor, index = np.tile(anchor, 2), np.tile(index, 2)
    direction = np.repeat([-1.0, 1.0], many)
    theta = np.tile(best, (2 * many, 1))
    theta[:, 0] += best[1] * np.log(anchor)
    low, high = problem.bounds()
    wall = np.where(direction < 0, low[index], high[index])
    model, held = problem.model(anchor), index[:, None] == np.arange(PARAMETERS)

    def tried(start: np.ndarray, value: np.ndarray, idle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        start = start.copy()
        start[rows, index] = value
        found = solve(model, start, low, high, held | idle[:, None])
        return found.theta, np.sqrt(np.maximum(found.sse - sse, 0.0)) - np.sqrt(cut)

    inner, inner_excess = theta[rows, index], np.full(2 * many, -np.sqrt(cut))
    outer, outer_excess = inner.copy(), np.zeros(2 * many)
    idle = inner == wall
    _, jacobian = model(theta)
    inverse = np.linalg.pinv(np.matmul(jacobian.transpose(0, 2, 1), jacobian), hermitian=True)
    step = np.clip(np.sqrt(np.maximum(inverse[rows, index, index], 0.0) * cut), *_FIRST_STEP)
    for _ in range(_MAX_STEPS):
        if idle.all():
            break
        value = np.where(direction < 0, np.maximum(inner - step, wall), np.minimum(inner + step, wall))
        there, excess = tried(theta, value, idle)
        inside, beyond = ~idle & (excess < 0), ~idle & ~(excess < 0)
        theta = np.where(inside[:, None], there, theta)
        inner, inner_excess = np.where(inside, value, inner), np.where(inside, excess, inner_excess)
        outer, outer_excess = np.where(beyond, value, outer), np.where(beyond, excess, outer_excess)
        idle = idle | beyond | (inner == wall)
        step = _LONGER * step
    # Where the walls or the steps ended first, nothing lies beyond, and the end stays where it is.
    idle = ~(outer_excess > 0)

    def secant() -> np.ndarray:
        return np.divide(-inner_excess, outer_excess - inner_excess, out=np.zeros(2 * many), where=outer_excess > 0)

    for _ in range(_MAX_ROOT_STEPS):
        if idle.all():
            break
        value = inner + (outer - inner) * np.clip(secant(), *_WITHIN)
        there, excess = tried(theta, np.where(idle, inner, value), idle)
        inside, beyond = ~idle & (excess < 0), ~idle & ~(excess < 0)
        theta = np.where(inside[:, None], there, theta)
        inner, inner_excess = np.where(inside, value, inner), np.where(inside, excess, inner_excess)
        outer, outer_excess = np.where(beyond, value, outer), np.where(beyond, excess, outer_excess)
        idle = idle | (np.abs(excess) <= _END_TOLERANCE * np.sqrt(cut))
    found = inner + (outer - inner) * secant()
    return found[:many], found[many:]
