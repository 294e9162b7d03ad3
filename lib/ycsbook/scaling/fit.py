"""Fit one law to one group of points, with profile-likelihood intervals."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy import stats

from ycsbook.errors import FitError, shown
from ycsbook.scaling import claims
from ycsbook.scaling.laws import LAWS, Law
from ycsbook.scaling.points import spec_means, throughput_column, usable
from ycsbook.scaling.profile import Problem, intervals
from ycsbook.scaling.solver import solve
from ycsbook.tables import conform

CONFIDENCE = 0.95
# Below this variance of ln X the points lie on the law to rounding, and intervals shrink to the estimate.
_EXACT = 1e-20
_HELD_BACK = 0.99
_UNIFORM = ("dataset", "outcome", "workload", "threads")


def fit(points: pd.DataFrame, law: str = "usl", x: str = "cores", y: str | None = None, *, scale: str = "ln") -> "Fit":
    """Fit a scaling law by bounded least squares on ln X, over spec means.

    Parameters
        points: one row per run, repeats kept, of one workload and one number of threads, measured or published but
            not both. Rows of a load phase or of a run that did not complete are left out where `phase` and
            `outcome` say so. An optional bool column `saturated` says which points are shown not to hang
            on the number of threads.
        law: linear, power, amdahl or usl.
        x: what is scaled: cores, or threads at one spec.
        y: the throughput column, ops/s; by default steady_ops_s where every point has one, else goodput_ops_s,
            else throughput_ops_s.
        scale: "ln" (errors are a share of X), or "raw" (errors in ops/s), which published coefficients use.
    Returns
        Fit: tidy(), glance(), augment(), predict().
    Raises
        FitError: an unknown law; missing or non-positive values; several workloads or thread counts in one, or
            measured and published rows;
            fewer distinct x than parameters, or no degree of freedom left.
    References
        Intervals: bounded profile likelihood cut at t²(n-k) with s² from the unbounded fit; Bates and Watts (1988).
    Examples
        >>> runs = pd.DataFrame({"cores": [1, 2, 4, 8, 16, 32], "goodput_ops_s": [10, 19, 35, 60, 92, 118]})
        >>> float(fit(runs, law="amdahl").tidy().set_index("term").estimate["sigma"].round(3))
        0.054
    """
    if law not in LAWS:
        raise FitError(f"law: got {shown(law)}, expected one of {', '.join(LAWS)}")
    if scale not in ("ln", "raw"):
        raise FitError(f"scale: got {shown(scale)}, expected ln or raw")
    if {"phase", "outcome"} <= set(points.columns):
        points = usable(points)
    _one_group(points, x)
    y = y if y is not None else throughput_column(points)
    means = spec_means(points, x, y)
    chosen, n, distinct = LAWS[law], len(means), means[x].nunique()
    if distinct < max(2, chosen.parameters):
        raise FitError(
            f"{law}: {distinct} distinct {x} ({_listed(means[x])}) cannot fix its {chosen.parameters} parameters; "
            f"measure at least {max(2, chosen.parameters)}, and {chosen.min_x} to claim it"
        )
    if n <= chosen.parameters:
        raise FitError(
            f"{law}: {n} points fit its {chosen.parameters} parameters exactly, which says nothing about the error; "
            f"measure at least {chosen.parameters + 1} specs"
        )
    problem = Problem(chosen, means[x].to_numpy(float), means["log_y"].to_numpy(float), scale == "raw")
    bounded = problem.best()
    unbounded = problem.best(bounded=False, extra=bounded.theta)
    sse, free_sse, df = float(bounded.sse[0]), float(unbounded.sse[0]), n - chosen.parameters
    # Bounds that cost significantly many squares mean that the law is wrong here, not that the noise is small:
    # then s² is the bounded fit's, or the interval would be the narrower the worse the law fits.
    held_back = sse - free_sse > stats.f.ppf(_HELD_BACK, max(len(chosen.terms), 1), df) * len(chosen.terms) * max(
        free_sse / df, _EXACT
    )
    return Fit(
        law=chosen, x=x, y=y, means=means, problem=problem, best=bounded.theta[0], sse=sse, held_back=held_back,
        variance=(sse if held_back else free_sse) / df, converged=bool(bounded.converged[0]),
        group={c: points[c].iloc[0] for c in _UNIFORM if c in points}, ceiling=_ceiling(points, x),
    )  # fmt: skip


@dataclass
class Fit:
    """A fitted law. Throughput in the unit of y (ops/s), parameters as design names them.

    Attributes
        law, x, y: the law, the column it runs over, and the throughput column.
        means: the spec means fitted: x, log_y, n_runs, and the spec's shape where known.
        best: ln lambda and the shape's parameters; sse: the sum of squares there (ln X, or y / max y if raw).
        variance: s², from the unbounded fit (from the bounded one if held_back).
        held_back: whether the bounds cost significantly: the points rise faster than the law allows.
        ceiling: whether a fixed number of threads may be what bends the curve.
        group: dataset, outcome, workload and threads, where the points have them.
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
    label: str = ""

    @property
    def df(self) -> int:
        """Residual degrees of freedom: points less parameters."""
        return len(self.means) - self.law.parameters

    @property
    def n_specs(self) -> int:
        """Distinct x, core counts as a rule: specs that differ in RAM only count once."""
        return int(self.means[self.x].nunique())

    @cached_property
    def residuals(self) -> np.ndarray:
        """ln observed - ln fitted, one per spec mean."""
        return self.problem.log_y - self._log_curve(self.problem.x)

    @property
    def residual_se(self) -> float:
        """Residual standard error of ln X: the share by which a spec typically misses the law."""
        return float(np.sqrt((self.residuals**2).sum() / self.df))

    @property
    def limit(self) -> str:
        """Which parameters lie at a bound, such as `kappa at 0`."""
        at = [
            f"{term} at {low if value <= low else high:g}"
            for term, value, low, high in zip(self.law.terms, self.best[1:], self.law.low, self.law.high, strict=True)
            if value <= low or value >= high
        ]
        return ", ".join(at)

    @cached_property
    def parameters(self) -> pd.DataFrame:
        """term, estimate, std_error, conf_low, conf_high; a parameter at a bound has no standard error."""
        k = self.law.parameters
        low, high = self._intervals(np.ones(k), np.arange(k))
        low[0], high[0] = np.exp(low[0]), np.exp(high[0])
        errors = self._standard_errors()
        estimate = self.best.copy()
        estimate[0] = np.exp(self.best[0])
        errors[0] *= estimate[0]
        frame = {"term": ["lambda", *self.law.terms], "estimate": estimate, "std_error": errors}
        return pd.DataFrame({**frame, "conf_low": low, "conf_high": high})

    @cached_property
    def loo_error(self) -> float:
        """Root mean square of ln X at each point when it alone is left out; NaN where x then is too few."""
        n = len(self.means)
        counts = self.means[self.x].map(self.means[self.x].value_counts())
        if ((self.n_specs - (counts == 1)) < self.law.parameters).any():
            return float("nan")
        low, high = self.problem.bounds()
        model = self.problem.model(np.ones(n), 1 - np.eye(n))
        left_out = solve(model, np.tile(self.best, (n, 1)), low, high)
        g, _ = self.law.log_shape(self.problem.x, left_out.theta[:, 1:])
        missed = self.problem.log_y - left_out.theta[:, 0] - np.diagonal(g)
        return float(np.sqrt(np.mean(missed**2)))

    @property
    def aicc(self) -> float:
        """Corrected Akaike criterion, the variance counted as a parameter; NaN with fewer than k + 2 points."""
        n, k = len(self.means), self.law.parameters + 1
        if n < k + 2:
            return float("nan")
        return n * float(np.log(max(self.sse / n, 1e-300))) + 2 * k + 2 * k * (k + 1) / (n - k - 1)

    def tidy(self) -> pd.DataFrame:
        """One row per parameter, the columns of fit_tidy."""
        return conform(self.parameters.assign(**self._names()), "fit_tidy")

    def glance(self) -> pd.DataFrame:
        """One row: how good the fit is and what may be claimed from it; the columns of fit_glance."""
        row = {
            **self._names(), "y": self.y, "n_obs": len(self.means), "n_runs": self.means["n_runs"].sum(),
            "n_specs": self.n_specs, "aicc": self.aicc, "loo_error": self.loo_error, "residual_se": self.residual_se,
            "converged": self.converged, "limit": self.limit, "verdict": self.verdict,
        }  # fmt: skip
        return conform(pd.DataFrame([row]), "fit_glance")

    def augment(self) -> pd.DataFrame:
        """One row per spec mean with its fitted value, residual and the mean curve's interval."""
        curve = self.predict(self.problem.x)
        shape = {c: self.means[c].to_numpy() for c in ("spec", "cores", "ram_gib") if c in self.means}
        frame = pd.DataFrame(
            {**shape, "n_runs": self.means["n_runs"], "observed": np.exp(self.problem.log_y),
             "residual": self.residuals, **{c: curve[c] for c in ("fitted", "conf_low", "conf_high")}}
        )  # fmt: skip
        return conform(frame.assign(**self._names()), "fit_augment")

    def predict(self, x: object, interval: bool = True) -> pd.DataFrame:
        """The law's mean throughput at x.

        Parameters
            x: one value or many, > 0.
        Returns
            x under its own name, fitted, conf_low, conf_high (ops/s; NaN without interval; the 95 % interval of the
            mean curve, not of a new run) and extrapolated (bool: outside the measured range).
        Raises
            FitError: x is not positive.
        """
        at = np.atleast_1d(np.asarray(x, dtype=float))
        if not (np.isfinite(at) & (at > 0)).all():
            raise FitError(f"predict: got {shown(x)}, expected {self.x} > 0")
        low = high = np.full(len(at), np.nan)
        if interval:
            places, back = np.unique(at, return_inverse=True)
            ends = self._intervals(places, np.zeros(len(places), int))
            low, high = np.exp(ends[0])[back], np.exp(ends[1])[back]
        measured = self.problem.x
        outside = (at < measured.min()) | (at > measured.max())
        frame = {self.x: at, "fitted": np.exp(self._log_curve(at)), "conf_low": low, "conf_high": high}
        return pd.DataFrame({**frame, "extrapolated": outside})

    @cached_property
    def verdict(self) -> str:
        """`claimed`, or `shown: ` and why it is not claimed."""
        return claims.verdict(self)

    def _log_curve(self, x: np.ndarray) -> np.ndarray:
        g, _ = self.law.log_shape(x, self.best[None, 1:])
        return self.best[0] + g[0]

    def _intervals(self, anchor: np.ndarray, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self.variance < _EXACT:
            centre = np.where(index == 0, self._log_curve(anchor), self.best[index])
            return centre.copy(), centre.copy()
        cut = stats.t.ppf((1 + CONFIDENCE) / 2, self.df) ** 2 * self.variance
        return intervals(self.problem, self.best, sse=self.sse, cut=cut, anchor=anchor, index=index)

    def _standard_errors(self) -> np.ndarray:
        _, jacobian = self.problem.model(np.ones(1))(self.best[None, :])
        free = np.array([True, *(low < v < high for v, low, high in zip(
            self.best[1:], self.law.low, self.law.high, strict=True))])  # fmt: skip
        inverse = np.linalg.pinv(jacobian[0][:, free].T @ jacobian[0][:, free], hermitian=True)
        errors = np.full(self.law.parameters, np.nan)
        errors[free] = np.sqrt(np.diagonal(inverse) * self.variance)
        return errors

    def _names(self) -> dict:
        threads, workload = self.group.get("threads", float("nan")), self.group.get("workload", "")
        names = {"group": self.label, "workload": workload, "threads": threads, "law": self.law.name}
        return {**names, "outcome": self.group.get("outcome", "")}


def _one_group(points: pd.DataFrame, x: str) -> None:
    for column in _UNIFORM:
        if column in points and column != x and points[column].nunique() > 1:
            raise FitError(
                f"the points mix {points[column].nunique()} values of {column} ({_listed(points[column])}), which no "
                f"one curve describes; fit each alone, or use ycsbook.scaling.analyse for all"
            )


def _ceiling(points: pd.DataFrame, x: str) -> bool:
    if x == "threads" or "threads" not in points:
        return False
    return "saturated" not in points or not points["saturated"].all()


def _listed(values: pd.Series) -> str:
    names = [f"{v:g}" if isinstance(v, float | int) else str(v) for v in values.drop_duplicates()]
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
