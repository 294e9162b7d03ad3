"""One law for cores and client threads together: the server's own growth, and the ceiling of a closed loop.

X(p, N) = [(C p^a)^-m + (N / R0)^-m]^(-1/m)

N threads that wait R0 each for an idle server cannot bring more than N / R0, whatever its cores; at a single thread
count that ceiling bends any curve just as contention does. Fitted over several thread counts it is told apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from ycsbook.errors import FitError
from ycsbook.facts import Fact, fact, in_columns
from ycsbook.scaling import claims
from ycsbook.scaling.cells import student_t
from ycsbook.scaling.points import SHAPE, UnfitError, analysable, spec_means
from ycsbook.scaling.problem import EXACT, Solution, lower_bound_residual, solve
from ycsbook.tables import dicts, from_rows

TERMS = ("c", "exponent", "r0_us", "m")
MIN_THREADS, MIN_CORES, MIN_DF = 2, 3, 3
_AT_BOUND = 1e-6
_UNIFORM = ("dataset", "outcome", "workload")
# R0 cannot be longer than N / X, the time for an operation, at any point; below a tenth of the shortest of those the
# ceiling is out of sight. m below a half would make it felt everywhere, above 50 it is a plain minimum.
_R0_FROM, _R0_TO = 0.1, 3.0
_M_FROM, _M_TO = 0.5, 50.0
_EXPONENT = (-2.0, 4.0)
_ROUNDS, _SMALLEST_ERROR = 4, 1e-4
# Relative difference of the sums of squares below which two searches ended in the same minimum.
_SAME_MINIMUM = 1e-9
# Below this weight of the ceiling in every point it is out of sight.
_UNSEEN = 1e-6
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

    @property
    def exact(self) -> np.ndarray:
        """(n,) bool: the points that are measurements."""
        return ~self.censored

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest of ln C, a, ln R0 and ln m."""
        waits = self.log_n - self.log_y
        low = [-np.inf, _EXPONENT[0], waits.min() + np.log(_R0_FROM), np.log(_M_FROM)]
        return np.array(low), np.array([np.inf, _EXPONENT[1], waits.max() + np.log(_R0_TO), np.log(_M_TO)])

    def residuals(self, parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Residuals and their Jacobian for rows of ln C, a, ln R0 and ln m."""
        c, a, log_r0, log_m = (parameters[:, i, None] for i in range(4))
        fitted, server, u, v = log_curve((c, a, log_r0, log_m), self.log_p, self.log_n)
        # d ln X / d ln m: the corner gets sharper and X rises towards the lower of the two.
        mix = -(server * u + (1 - server) * v)
        jacobian = [server, server * self.log_p, server - 1, -fitted - mix]
        residual, jacobian = fitted - self.log_y, np.stack(jacobian, axis=-1)
        if self.censored.any():
            softened, slope = lower_bound_residual(residual[:, self.censored], self.error)
            residual[:, self.censored] = softened
            jacobian[:, self.censored] *= slope[..., None]
        return residual, jacobian

    def missed(self, best: np.ndarray) -> np.ndarray:
        """ln fitted less ln y of the points that are measurements."""
        residual, _ = self.residuals(best[None, :])
        return residual[0][self.exact]


def log_curve(parameters: Sequence, log_p: np.ndarray, log_n: np.ndarray) -> tuple[np.ndarray, ...]:
    """ln X of (ln C, a, ln R0, ln m); the server's weight in it (1: the threads do not matter); ln of both limits."""
    c, a, log_r0, log_m = parameters
    m = np.exp(log_m)
    u, v = c + a * log_p, log_n - log_r0
    total = np.logaddexp(-m * u, -m * v)
    return -total / m, np.exp(-m * u - total), u, v


@dataclass
class JointFit:
    """The joint law fitted to the points of one workload. best: ln C, a, ln R0 (s), ln m. sse: sum of squares on ln X.
    specs: the spec of each cell, as a number from 0: at several thread counts it is one machine. group: dataset,
    outcome, workload where the points have one value."""

    best: np.ndarray
    sse: float
    converged: bool
    problem: JointProblem
    specs: np.ndarray
    group: dict
    label: str = ""

    @property
    def n(self) -> int:
        """Points that are measurements."""
        return int(self.problem.exact.sum())

    @property
    def n_specs(self) -> int:
        """Specs with a measured point."""
        return len(np.unique(self.specs[self.problem.exact]))

    @property
    def df(self) -> int:
        """Degrees of freedom of the intervals: measured specs, not points, less the 4 parameters; at least 1."""
        return max(self.n_specs - len(TERMS), 1)

    @property
    def residual_se(self) -> float:
        """The share by which a point typically misses the law: all measured points count."""
        missed = self.problem.missed(self.best)
        return float(np.sqrt(missed @ missed / (self.n - len(TERMS))))

    @cached_property
    def variance(self) -> float:
        """The variance behind the intervals, clustered by spec, as its points miss the law together: n r² of a spec
        with n points, mean residual r, summed over the specs and divided by df. Where u is the variance between specs
        and v that within one, it estimates v + n u, with which the error of C and of the exponent grows; for R0 and m
        it is on the safe side."""
        _, spec, points = np.unique(self.specs[self.problem.exact], return_inverse=True, return_counts=True)
        missed = np.bincount(spec, self.problem.missed(self.best))
        return max(float((missed**2 / points).sum()) / self.df, self.residual_se**2)

    @cached_property
    def parameters(self) -> pd.DataFrame:
        """term, estimate, conf_low, conf_high, identifiable: c in ops/s of one core, R0 in microseconds. A term is
        identifiable where the points give both ends of its interval; one that is not has no number at all, and neither
        has any term of a fit that did not converge or has fewer than 3 degrees of freedom."""
        if not self.converged or self.n_specs < len(TERMS) + MIN_DF:
            nothing = dict.fromkeys(("estimate", "conf_low", "conf_high"), np.nan)
            return pd.DataFrame({"term": TERMS, **nothing, "identifiable": False})
        first, last = self.problem.bounds()
        low, high = np.full(4, np.nan), np.full(4, np.nan)
        # With R0 or m at its lower bound no corner is seen, and the two say nothing by themselves.
        terms = np.arange(2 if (self.best[2:] <= first[2:] + _AT_BOUND).any() else 4)
        if self.variance < EXACT:
            low[terms] = high[terms] = self.best[terms]
        else:
            cut = student_t(self.df) ** 2 * self.variance
            low[terms], high[terms] = _profile_ends(self.problem, self.best, sse=self.sse, cut=cut, index=terms)
        low, high = np.where(low <= first + _AT_BOUND, np.nan, low), np.where(high >= last - _AT_BOUND, np.nan, high)
        identifiable = np.isfinite(low) & np.isfinite(high)
        columns = {"term": TERMS}
        for name, row in (("estimate", self.best), ("conf_low", low), ("conf_high", high)):
            c, a, log_r0, log_m = np.where(identifiable, row, np.nan)
            columns[name] = [np.exp(c), a, 1e6 * np.exp(log_r0), np.exp(log_m)]
        return pd.DataFrame({**columns, "identifiable": identifiable})

    @cached_property
    def identifiable(self) -> bool:
        """Whether the points fix the server's growth and tell it from the ceiling: c, a and R0."""
        return bool(self.parameters["identifiable"].iloc[:3].all())

    @cached_property
    def verdict(self) -> Fact:
        """`claimed`, or `not-identifiable` with the reason."""
        reason, needed = None, len(TERMS) + MIN_DF
        terms = self.parameters["term"][~self.parameters["identifiable"]].tolist()
        if not self.converged:
            reason = fact("law-not-converged")
        elif self.n_specs < needed:
            reason = fact("joint-needs", needed=needed, n=self.n_specs)
        elif self.residual_se > claims.MAX_SCATTER:
            reason = fact("joint-poor", scatter=self.residual_se)
        elif not self.identifiable:
            reason = fact("joint-no-ceiling" if "r0_us" in terms else "joint-open", terms=terms)
        else:
            reason = claims.unclear_growth(*2 ** self.parameters.loc[1, ["conf_low", "conf_high"]].to_numpy(float))
        return claims.not_identifiable(reason) if reason else fact(claims.CLAIMED)

    @property
    def sentence(self) -> Fact:
        """What the fit says, with intervals."""
        row = self.parameters.set_index("term")
        if not row["identifiable"].any():
            return fact("joint-nothing", scatter=self.residual_se)

        def of(term: str, key: str, scale: float = 1.0) -> Fact:
            if not row.loc[term, "identifiable"]:
                return fact(f"{key}-open")
            estimate, low, high = (row.loc[term, c] * scale for c in ("estimate", "conf_low", "conf_high"))
            return fact(key, estimate=estimate, low=low, high=high)

        return fact(
            "joint-says", one=of("c", "joint-one"), growth=of("exponent", "joint-growth"),
            ceiling=of("r0_us", "joint-ceiling", 1e-3), scatter=self.residual_se,
        )  # fmt: skip

    def rows(self) -> list[dict]:
        """tidy() as dicts, for many fits in one table."""
        names = {"group": self.label, **{c: self.group.get(c, "") for c in ("workload", "outcome")}}
        names |= in_columns("verdict", self.verdict) | in_columns("sentence", self.sentence)
        return [{**names, **row} for row in dicts(self.parameters)]

    def tidy(self) -> pd.DataFrame:
        """One row per term, the columns of fit_joint."""
        return from_rows(self.rows(), "fit_joint")


def fit_joint(points: pd.DataFrame, y: str | None = None) -> JointFit:
    """Fit the joint law by least squares on ln X over all cells (spec x threads) of one workload.

    Parameters
        points: one row per run, repeats kept: cores, threads, y (ops/s), and spec, ram_gib where known. `censored`, a
            bool column, says where something besides server and threads limited the point: what is held back by its
            threads is no lower bound here.
        y: the throughput column, as for `fit`.
    Raises
        FitError: several workloads, datasets or kinds in one; missing or non-positive values; fewer than 2 thread
            counts (then R0 and the curve's bend cannot be told apart), 3 core counts or 5 measured cells.
    References
        A smooth minimum of two limits: Churchill and Usagi (1972), AIChE Journal 18. N / R0: the asymptotic bound of
        closed systems, Lazowska et al. (1984), Quantitative System Performance, ch. 5.
    """
    points, y = analysable(points, y)
    for column in _UNIFORM:
        if column in points and points[column].nunique() > 1:
            raise FitError(f"joint law: the points mix {points[column].nunique()} values of {column}; fit each alone")
    cells = spec_means(points, ["threads", "cores"], y)
    measured = cells[~cells["censored"]]
    for column, least in (("threads", MIN_THREADS), ("cores", MIN_CORES)):
        if (n := measured[column].nunique()) < least:
            raise UnfitError(fact("joint-too-few", at=fact("law-count", n=n, x=column), needed=least))
    if len(measured) <= len(TERMS):
        raise UnfitError(fact("joint-too-few-cells", n=len(measured), parameters=len(TERMS)))
    problem = JointProblem(*(np.log(cells[c].to_numpy(float)) for c in ("cores", "threads")),
                       cells["log_y"].to_numpy(float), cells["censored"].to_numpy(bool))  # fmt: skip
    problem, best = _solved(problem)
    group = {c: points[c].iloc[0] for c in _UNIFORM if c in points}
    specs = cells.groupby([c for c in SHAPE if c in cells], dropna=False).ngroup().to_numpy()
    return JointFit(best.theta[0], float(best.sse[0]), bool(best.converged[0]), problem, specs, group)


def _solved(problem: JointProblem) -> tuple[JointProblem, Solution]:
    """The best fit, and the problem with the error that suits its lower bounds."""
    if not problem.censored.any():
        return problem, _best(problem, _starts(problem))
    exact = problem.exact
    part = JointProblem(problem.log_p[exact], problem.log_n[exact], problem.log_y[exact], problem.censored[exact])
    best = _best(part, _starts(part))
    for _ in range(_ROUNDS):
        missed = problem.missed(best.theta[0])
        error = max(float(np.sqrt(missed @ missed / (exact.sum() - len(TERMS)))), _SMALLEST_ERROR)
        problem = replace(problem, error=error)
        best = _best(problem, best.theta)
    return problem, best


def _best(problem: JointProblem, starts: np.ndarray) -> Solution:
    solution = solve(problem.residuals, starts, *problem.bounds())
    # Starts that reach the same minimum differ by rounding alone, which must not decide whether it counts as reached.
    equal = solution.sse <= np.nanmin(solution.sse) * (1 + _SAME_MINIMUM)
    reached = equal & solution.converged
    i = int(np.argmax(reached if reached.any() else equal))
    best = Solution(*(part[i : i + 1] for part in solution))
    server = log_curve(best.theta[0], problem.log_p, problem.log_n)[1]
    if (1 - server).max() > _UNSEEN:
        return best
    # No thread count matters at any point, so R0 and m may be anything: put where their bounds leave the server alone.
    low, high = problem.bounds()
    return best._replace(theta=np.array([[*best.theta[0, :2], low[2], high[3]]]), converged=np.array([True]))


def _starts(problem: JointProblem) -> np.ndarray:
    """The corner low, in the middle and above the points, soft and sharp, growth slow and proportional."""
    least = float((problem.log_n - problem.log_y).min())
    return np.array(
        [
            [float((problem.log_y - a * problem.log_p).max()), a, least + away, np.log(m)]
            for a in (0.7, 1.1) for away in (-0.05, -0.7, -2.0) for m in (2.0, 10.0)
        ]
    )  # fmt: skip


def _profile_ends(
    problem: JointProblem, best: np.ndarray, *, sse: float, cut: float, index: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper profile ends, NaN where they are open; parameters as for profile.intervals, for terms alone. Away
    from its best the law has several valleys (a soft corner, a ceiling far away or below all points), of which rounding
    alone may choose one: so each step outward is made from all starts, the best of the step before among them."""
    n_ends, rows = len(index), np.arange(2 * len(index))
    # The lower ends first, then the upper ones.
    index = np.tile(index, 2)
    direction = np.repeat([-1.0, 1.0], n_ends)
    theta = np.tile(best, (2 * n_ends, 1))
    low, high = problem.bounds()
    wall = np.where(direction < 0, low[index], high[index])
    profiled = index[:, None] == np.arange(len(TERMS))
    everywhere = np.vstack([best, _starts(problem)])[:, None].repeat(2 * n_ends, axis=1)
    inner, inner_excess = theta[rows, index], np.full(2 * n_ends, -np.sqrt(cut))
    outer, outer_excess = inner.copy(), np.full(2 * n_ends, -1.0)

    def look(value: np.ndarray, idle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Move the inner or the outer place of those that are not idle to a value, by whether it is within the cut;
        by how much each exceeds the cut there, and which are beyond it."""
        nonlocal theta, inner, inner_excess, outer, outer_excess
        starts = np.concatenate([theta[None], everywhere])
        starts[:, rows, index] = value
        fixed = np.tile(profiled | idle[:, None], (len(starts), 1))
        reached, squares, _ = solve(problem.residuals, starts.reshape(-1, len(TERMS)), low, high, fixed)
        squares = np.where(np.isfinite(squares), squares, np.inf).reshape(len(starts), -1)
        lowest = squares.argmin(axis=0)
        excess = np.sqrt(np.maximum(squares[lowest, rows] - sse, 0.0)) - np.sqrt(cut)
        inside, beyond = ~idle & (excess < 0), ~idle & ~(excess < 0)
        theta = np.where(inside[:, None], reached.reshape(starts.shape)[lowest, rows], theta)
        inner, inner_excess = np.where(inside, value, inner), np.where(inside, excess, inner_excess)
        outer, outer_excess = np.where(beyond, value, outer), np.where(beyond, excess, outer_excess)
        return excess, beyond

    def secant() -> np.ndarray:
        return np.divide(-inner_excess, outer_excess - inner_excess, out=np.zeros(2 * n_ends), where=outer_excess >= 0)

    idle = inner == wall
    _, jacobian = problem.residuals(theta)
    inverse = np.linalg.pinv(np.matmul(jacobian.transpose(0, 2, 1), jacobian), hermitian=True)
    step = np.clip(np.sqrt(np.maximum(inverse[rows, index, index], 0.0) * cut), *_FIRST_STEP)
    for _ in range(_MAX_STEPS):
        if idle.all():
            break
        value = np.where(direction < 0, np.maximum(inner - step, wall), np.minimum(inner + step, wall))
        _, beyond = look(value, idle)
        idle = idle | beyond | (inner == wall)
        step = _LONGER * step
    # Where the walls or the steps ended first, nothing lies beyond, and the end stays where it is.
    idle = outer_excess < 0
    for _ in range(_MAX_ROOT_STEPS):
        if idle.all():
            break
        value = inner + (outer - inner) * np.clip(secant(), *_WITHIN)
        excess, _ = look(np.where(idle, inner, value), idle)
        idle = idle | (np.abs(excess) <= _END_TOLERANCE * np.sqrt(cut))
    ends = inner + (outer - inner) * secant()
    # With the exponent at a bound of the search, an end is the search's and not the points'.
    ends[(theta[:, 1] <= low[1] + _AT_BOUND) | (theta[:, 1] >= high[1] - _AT_BOUND)] = np.nan
    return ends[:n_ends], ends[n_ends:]
