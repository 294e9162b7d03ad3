"""A fitted law: its terms, how good it is, its points and its predictions, each as a tidy frame."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.special import log_ndtr

from ycsbook.errors import FitError, shown
from ycsbook.facts import Fact, fact, in_columns
from ycsbook.scaling import claims
from ycsbook.scaling.cells import student_t
from ycsbook.scaling.laws import Law
from ycsbook.scaling.problem import EXACT, Problem, solve
from ycsbook.scaling.profile import Peak, intervals, peak
from ycsbook.tables import dicts, from_rows

INTERVALS = ("curve", "run", None)
# An error of ln X below the smallest is rounding.
_SMALLEST_SQUARES, _SMALLEST_ERROR = 1e-300, 1e-12


@dataclass
class Fit:
    """A fitted law. Throughput in the unit of y (ops/s), parameters as design names them.

    Attributes
        law, x, y: the law, the column it runs over, and the throughput column.
        means: the spec means fitted: x, log_y, n_runs, censored, and the spec's shape where known.
        best: ln lambda and the shape's parameters; sse: the sum of squares there (ln X, or y / max y if raw).
        variance: s², from the unbounded fit (from the bounded one if held_back).
        held_back: whether the bounds cost significantly: the points rise faster than the law allows.
        ceiling: whether a fixed number of threads may be what bends the curve: nothing is known of what limits the
            points.
        group: dataset, outcome, workload, threads and spec, where the points have one value of each.
        usl: gives the USL of the same points, or None.
        reservation: why nothing may be claimed, whatever the fit says; None: nothing against it.
        places: x at which the curve's interval will be asked for: found together with the first one asked for.
        n_left_out: points of the group that were not fitted, because they cannot be right.
    """

    law: Law
    x: str
    y: str
    means: pd.DataFrame
    problem: Problem
    best: np.ndarray
    sse: float
    variance: float
    held_back: bool
    converged: bool
    group: dict
    ceiling: bool
    usl: Callable[[], "Fit | None"]
    label: str = ""
    reservation: Fact | None = None
    n_left_out: int = 0
    places: tuple[float, ...] = ()
    _ends: dict[tuple[float, int], tuple[float, float]] = field(default_factory=dict, repr=False)

    @property
    def n_measured(self) -> int:
        """Points that are measurements, not lower bounds."""
        return int(self.problem.exact.sum())

    @property
    def df(self) -> int:
        """Residual degrees of freedom: measured points less parameters."""
        return self.n_measured - self.law.parameters

    @property
    def n_specs(self) -> int:
        """Distinct x measured, core counts as a rule: specs that differ in RAM only count once."""
        return len(np.unique(self.problem.x[self.problem.exact]))

    @property
    def range(self) -> tuple[float, float]:
        """Lowest and highest x that is a measurement."""
        x = self.problem.x[self.problem.exact]
        return float(x.min()), float(x.max())

    @property
    def ratio(self) -> tuple[float, float, float]:
        """Throughput at the end of the range over that at its start, by a law of one term, with its interval."""
        # A function of one term, so the ends of its interval are those of the ratio.
        term = self.parameters.loc[1, ["estimate", "conf_low", "conf_high"]].to_numpy(float)
        g, _ = self.law.log_shape(np.array(self.range), np.column_stack([term, np.tile(self.best[2:], (3, 1))]))
        ratio, *ends = np.exp(g[:, 1] - g[:, 0]).tolist()
        return ratio, min(ends), max(ends)

    @cached_property
    def residuals(self) -> np.ndarray:
        """ln observed - ln fitted, one per spec mean; of a lower bound how far the law lies below it."""
        return self.problem.log_y - self._log_curve(self.problem.x)

    @property
    def residual_se(self) -> float:
        """Residual standard error of ln X: the share by which a measured spec typically misses the law."""
        return float(np.sqrt((self.residuals[self.problem.exact] ** 2).sum() / self.df))

    @property
    def scatter(self) -> Fact:
        """How far single specs lie from the law, which the 95 % interval does not cover."""
        n = self.n_measured
        return fact("law-scatter", n=n, scatter=self.residual_se, bounds=len(self.means) - n)

    @property
    def limit(self) -> str:
        """Which parameters lie at a bound, such as `kappa at 0`."""
        terms = zip(self.law.terms, self.best[1:], self.law.low, self.law.high, strict=True)
        at_bound = ((term, low if value <= low else high) for term, value, low, high in terms if not low < value < high)
        return ", ".join(f"{term} at {bound:g}" for term, bound in at_bound)

    @cached_property
    def parameters(self) -> pd.DataFrame:
        """term, estimate, std_error, conf_low, conf_high; a parameter at a bound has no standard error."""
        k = self.law.parameters
        low, high = self._intervals(np.ones(k), np.arange(k))
        low[0], high[0] = np.exp(low[0]), np.exp(high[0])
        frame = {"term": self._terms, "estimate": [np.exp(self.best[0]), *self.best[1:]]}
        errors = np.sqrt(np.diagonal(self.covariance))
        return pd.DataFrame({**frame, "std_error": errors, "conf_low": low, "conf_high": high})

    @cached_property
    def covariance(self) -> pd.DataFrame:
        """Of the estimates of the terms (lambda in ops/s), s² (J'J)⁻¹ where they are; NaN for a term at a bound.
        Source: Bates and Watts (1988), Nonlinear Regression Analysis, ch. 2."""
        _, jacobian = self.problem.model(np.ones(1))(self.best[None, :])
        low, high = self.problem.bounds()
        free = (low < self.best) & (self.best < high)
        inverse = np.linalg.pinv(jacobian[0][:, free].T @ jacobian[0][:, free], hermitian=True)
        # The fit is of ln lambda.
        scale = np.array([np.exp(self.best[0]), *np.ones(len(self.best) - 1)])[free]
        covariance = np.full((len(free), len(free)), np.nan)
        covariance[np.ix_(free, free)] = inverse * self.variance * np.outer(scale, scale)
        return pd.DataFrame(covariance, index=self._terms, columns=self._terms)

    @cached_property
    def loo_error(self) -> float:
        """Root mean square of ln X at each measured point when it alone is left out; lower bounds stay in. NaN where a
        left-out point leaves too few x."""
        problem, exact = self.problem, np.flatnonzero(self.problem.exact)
        n, x = len(exact), problem.x[exact]
        alone = np.array([(x == value).sum() == 1 for value in x])
        if (self.n_specs - alone < self.law.parameters).any():
            return float("nan")
        weight = np.ones((n, len(problem.x)))
        weight[np.arange(n), exact] = 0.0
        left_out = solve(problem.model(np.ones(n), weight), np.tile(self.best, (n, 1)), *problem.bounds())
        g, _ = self.law.log_shape(x, left_out.theta[:, 1:])
        missed = problem.log_y[exact] - left_out.theta[:, 0] - np.diagonal(g)
        error = float(np.sqrt(np.mean(missed**2)))
        return error if error > _SMALLEST_ERROR else 0.0

    @cached_property
    def aicc(self) -> float:
        """Corrected Akaike criterion, the variance counted as a parameter; NaN with fewer than k + 2 measured points.
        Lower bounds add -2 ln of the probability to lie above them. Comparable only between fits to the same points.
        Source: Hurvich and Tsai (1989), Biometrika 76."""
        n, k = self.n_measured, self.law.parameters + 1
        if n < k + 2:
            return float("nan")
        exact = self.problem.exact
        squares = self.sse if self.problem.raw else float((self.residuals[exact] ** 2).sum())
        above = -self.residuals[~exact] / max(float(np.sqrt(squares / n)), _SMALLEST_ERROR)
        bounds = -2 * float(log_ndtr(above).sum())
        return n * float(np.log(max(squares / n, _SMALLEST_SQUARES))) + bounds + 2 * k + 2 * k * (k + 1) / (n - k - 1)

    @cached_property
    def peak(self) -> Peak:
        """Where the curve of a USL fit is highest, with its interval; FitError for a law that has no peak."""
        if self.law.name != "usl":
            raise FitError(f"the {self.law.name} law has no peak; fit the law usl")
        return peak(self.problem, self.best, sse=self.sse, cut=student_t(self.df) ** 2 * self.variance)

    def tidy(self) -> pd.DataFrame:
        """One row per parameter, the columns of fit_tidy."""
        return from_rows(self.tidy_rows(), "fit_tidy")

    def glance(self) -> pd.DataFrame:
        """One row: how good the fit is and what may be claimed from it; the columns of fit_glance."""
        return from_rows([self.glance_row()], "fit_glance")

    def augment(self) -> pd.DataFrame:
        """One row per spec mean with its fitted value, residual and the mean curve's interval."""
        return from_rows(self.augment_rows(), "fit_augment")

    def tidy_rows(self) -> list[dict]:
        """tidy() as dicts, for many fits in one table."""
        return [{**self._names(), **row} for row in dicts(self.parameters)]

    def glance_row(self) -> dict:
        """glance() as a dict."""
        return {
            **self._names(), "y": self.y, "n_obs": float(len(self.means)), "n_runs": float(self.means["n_runs"].sum()),
            "n_specs": float(self.n_specs), "aicc": self.aicc, "loo_error": self.loo_error,
            "residual_se": self.residual_se, "converged": self.converged, "limit": self.limit,
            "n_censored": float((~self.problem.exact).sum()), "n_left_out": float(self.n_left_out),
            **in_columns("verdict", self.verdict), **in_columns("scatter", self.scatter),
        }  # fmt: skip

    def augment_rows(self) -> list[dict]:
        """augment() as dicts."""
        shape = self.means[[c for c in ("spec", "cores", "ram_gib", "n_runs", "limit_kind") if c in self.means]]
        curve = self.curve(self.problem.x)[["fitted", "conf_low", "conf_high"]]
        points = shape.join(curve).assign(observed=np.exp(self.problem.log_y), residual=self.residuals)
        return [{**self._names(), **point} for point in dicts(points)]

    def predict(self, x: object, *, interval: str | None = "curve") -> pd.DataFrame:
        """The law's mean throughput at x.

        Parameters
            x: one value or many, > 0.
            interval: "curve" (95 % interval of the mean curve), "run" (of a new run on a new spec: the specs' scatter
                around the law counts too), or None.
        Returns
            x under its own name, fitted, conf_low, conf_high (ops/s; NaN without interval), extrapolated (bool: outside
            `range`) and interval_law, as of `curve`.
        Raises
            FitError: x is not positive, or no such interval.
        """
        try:
            at = np.ravel(np.asarray(x, dtype=float))
        except (TypeError, ValueError):
            at = np.array([np.nan])
        if not (np.isfinite(at) & (at > 0)).all():
            raise FitError(f"predict: got {shown(x)}, expected {self.x} > 0")
        if interval not in INTERVALS:
            raise FitError(f"predict: interval: got {shown(interval)}, expected curve, run or None")
        curve = self.curve(at, interval=interval is not None)
        ends = ("run_low", "run_high") if interval == "run" else ("conf_low", "conf_high")
        frame = {self.x: at, "fitted": curve["fitted"], "conf_low": curve[ends[0]], "conf_high": curve[ends[1]]}
        law = curve["interval_law"] if interval else ""
        return pd.DataFrame({**frame, "extrapolated": curve["extrapolated"], "interval_law": law})

    def curve(self, at: np.ndarray, interval: bool = True) -> pd.DataFrame:
        """The law at x > 0: fitted, conf_low, conf_high (mean curve), run_low, run_high (a new run on a new spec), all
        ops/s; interval_law, the law the ends come from ("": there are none), and extrapolated. Inside the measured
        range every law that fits gives about the same curve. Outside they part, and the interval of a law with fewer
        parameters would be narrow because it is wrong: there it is that of the Universal Scalability Law, widened to
        hold this law's own value, and there is none where the points cannot fix one."""
        x, back = np.unique(np.asarray(at, dtype=float), return_inverse=True)
        first, last = self.range
        outside = (x < first) | (x > last)
        ends, laws = np.full((4, len(x)), np.nan), np.full(len(x), "", dtype=object)
        for inside, side in ((True, ~outside), (False, outside)):
            if not interval or not side.any():
                continue
            fit = self if inside or self.law.name == "usl" else self.usl()
            if fit is not None:
                low, high = fit._intervals(x[side], np.zeros(side.sum(), int))
                spread = {"t": student_t(fit.df), "s": float(np.sqrt(fit.variance))}
                ends[:, side] = low, high, *run_interval(fit._log_curve(x[side]), low, high, **spread)
                mid = self._log_curve(x[side])
                ends[::2, side], ends[1::2, side] = np.minimum(ends[::2, side], mid), np.maximum(ends[1::2, side], mid)
                laws[side] = fit.law.name
        columns = ("conf_low", "conf_high", "run_low", "run_high")
        frame = {"fitted": np.exp(self._log_curve(x)), **dict(zip(columns, np.exp(ends), strict=True))}
        table = pd.DataFrame({**frame, "interval_law": laws.astype(str), "extrapolated": outside})
        return table.iloc[back].reset_index(drop=True)

    @cached_property
    def verdict(self) -> Fact:
        """`claimed`, or `shown` with the reason why it is not claimed."""
        return claims.shown(self.reservation) if self.reservation else claims.verdict(self)

    def _log_curve(self, x: np.ndarray) -> np.ndarray:
        g, _ = self.law.log_shape(x, self.best[None, 1:])
        return self.best[0] + g[0]

    def _intervals(self, anchor: np.ndarray, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self.variance < EXACT:
            centre = np.where(index == 0, self._log_curve(anchor), self.best[index])
            return centre.copy(), centre.copy()
        keys = [(float(a), int(i)) for a, i in zip(anchor, index, strict=True)]
        if not set(keys) <= self._ends.keys():
            # Many ends together cost little more than one.
            batch = {*keys, *((1.0, i) for i in range(self.law.parameters)), *((float(x), 0) for x in self.places)}
            new = sorted(batch - self._ends.keys())
            anchors, indices = np.array([a for a, _ in new]), np.array([i for _, i in new])
            cut = student_t(self.df) ** 2 * self.variance
            low, high = intervals(self.problem, self.best, sse=self.sse, cut=cut, anchor=anchors, index=indices)
            self._ends.update(zip(new, zip(low, high, strict=True), strict=True))
        return tuple(np.array([self._ends[key] for key in keys]).reshape(-1, 2).T.copy())

    @property
    def _terms(self) -> list[str]:
        return ["lambda", *self.law.terms]

    def _names(self) -> dict:
        names = {c: self.group[c] for c in ("workload", "threads", "outcome") if c in self.group}
        return {"group": self.label, **names, "law": self.law.name}


def run_interval(
    fitted: np.ndarray, low: np.ndarray, high: np.ndarray, *, t: float, s: float
) -> tuple[np.ndarray, np.ndarray]:
    """Where one run on a new spec falls, ln, from the interval of the mean curve; NaN where that is. Each side of the
    curve's interval is joined in squares with t s, what one spec strays from the law. For a law that is linear in its
    parameters this is the textbook's prediction interval. fitted, low, high: ln of the mean curve and of its interval's
    ends, any equal shapes. t: Student's quantile the ends were cut at; s: the residual standard error of ln X, spec to
    spec. Source: Draper and Smith (1998), Applied Regression Analysis, 3.1, side by side as in Zou and Donner (2008),
    Statistics in Medicine 27.

    Examples
        >>> low, high = run_interval(np.log([1000.0]), np.log([970.0]), np.log([1030.0]), t=2.0, s=0.03)
        >>> np.exp(low).round(), np.exp(high).round()
        (array([935.]), array([1069.]))
    """
    alone = (t * s) ** 2
    return fitted - np.sqrt((fitted - low) ** 2 + alone), fitted + np.sqrt((high - fitted) ** 2 + alone)
