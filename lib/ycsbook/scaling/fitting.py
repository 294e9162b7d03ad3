"""One law fitted to one group of points: which points, whether they suffice, and the least squares; and all laws, with
the one to show first: the answer may be that they cannot tell."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from ycsbook.errors import FitError, shown
from ycsbook.facts import Fact, fact
from ycsbook.scaling import claims
from ycsbook.scaling.fitted import Fit
from ycsbook.scaling.laws import Law, all_laws
from ycsbook.scaling.points import UnfitError, analysable, refusal, spec_means
from ycsbook.scaling.problem import Problem, Solution, held_back, solve

_UNIFORM = ("dataset", "outcome", "workload", "threads")
# Lower bounds are softened by the residual error, which needs the fit, which needs the error.
_ROUNDS, _SETTLED, _SMALLEST_ERROR = 4, 1e-2, 1e-4


def fit(points: pd.DataFrame, law: str = "usl", x: str = "cores", y: str | None = None, *, scale: str = "ln") -> Fit:
    """Fit a scaling law by bounded least squares on ln X, over spec means.

    Parameters
        points: one row per run, repeats kept, of one workload and one number of threads (x = "cores") or one spec
            (x = "threads"), measured or published but not both. Rows of a load phase or of a run that did not complete
            are left out where `phase` and `outcome` say so. A `limit_kind` (scaling.limits) is carried to augment().
            `censored`, a bool column, says where the throughput is only a lower bound; over threads nothing is.
        law: linear, power, amdahl or usl.
        x: what is scaled: cores, or threads at one spec.
        y: the throughput column, ops/s; by default steady_ops_s where every point has one, else goodput_ops_s,
            else throughput_ops_s.
        scale: "ln" (errors are a share of X), or "raw" (errors in ops/s), which published coefficients use.
    Raises
        FitError: an unknown law; missing or non-positive values; several workloads, specs or thread counts in one, or
            measured and published rows; fewer distinct x than parameters, or no degree of freedom left; too few
            measurements beside lower bounds.
    References
        Intervals: bounded profile likelihood cut at t²(n-k) with s² from the unbounded fit, or from the bounded one
        where the bounds cost significantly (Fit.held_back); Bates and Watts (1988). Lower bounds: Tobin (1958).
    Examples
        >>> runs = pd.DataFrame({"cores": [1, 2, 4, 8, 16, 32], "goodput_ops_s": [10, 19, 35, 60, 92, 118]})
        >>> float(fit(runs, law="amdahl").tidy().set_index("term").estimate["sigma"].round(3))
        0.054
    """
    if law not in all_laws():
        raise FitError(f"law: got {shown(law)}, expected one of {', '.join(all_laws())}")
    return fit_sample(sample(points, x, y), law, scale=scale)


@dataclass(frozen=True)
class Sample:
    """The spec means of one group of runs, which all laws are fitted to, as points.spec_means gives them of the columns
    x and y. group: the values they share; ceiling: as of Fit."""

    means: pd.DataFrame
    x: str
    y: str
    group: dict
    ceiling: bool


def sample(points: pd.DataFrame, x: str = "cores", y: str | None = None) -> Sample:
    """The points that `fit` fits a law to; parameters and errors as there."""
    points, y = analysable(points, y)
    group = _one_group(points, x)
    if x != "cores":
        points = points.drop(columns="censored", errors="ignore")
    ceiling = x == "cores" and "threads" in points and "censored" not in points
    return Sample(spec_means(points, [x], y), x, y, group, ceiling)


def fit_sample(of: Sample, law: str, *, scale: str = "ln") -> Fit:
    """Fit one law to spec means; parameters, result and errors as for `fit`."""
    if scale not in ("ln", "raw"):
        raise FitError(f"scale: got {shown(scale)}, expected ln or raw")
    means, x = of.means, of.x
    chosen = all_laws()[law]
    if scale == "raw" and means["censored"].any():
        raise FitError('scale="raw": lower bounds need scale="ln"')
    _enough(means, chosen, x)
    problem = Problem(
        chosen, means[x].to_numpy(float), means["log_y"].to_numpy(float), scale == "raw",
        means["censored"].to_numpy(bool),
    )  # fmt: skip
    problem, bounded = _bounded(problem)
    squares, df = _squares(problem, bounded), int(problem.exact.sum()) - chosen.parameters
    free = problem.best(bounded=False, extra=bounded.theta)
    is_held_back = bool(held_back(bounded.sse[0], free.sse[0], df, int(np.isfinite(chosen.low).sum())))
    return Fit(
        law=chosen, x=x, y=of.y, means=means, problem=problem, best=bounded.theta[0], sse=float(bounded.sse[0]),
        held_back=is_held_back, variance=(squares if is_held_back else _squares(problem, free)) / df,
        converged=bool(bounded.converged[0]), ceiling=of.ceiling, group=of.group, usl=lambda: _usl(of, scale),
    )  # fmt: skip


def _usl(of: Sample, scale: str) -> Fit | None:
    """The USL of the same points, whose interval holds beyond the measured range; None where it cannot be fitted."""
    try:
        return fit_sample(of, "usl", scale=scale)
    except FitError:
        return None


def _bounded(problem: Problem) -> tuple[Problem, Solution]:
    """The best fit inside the bounds and, where there are lower bounds, the problem with the error that suits it."""
    if problem.exact.all():
        return problem, problem.best()
    df, best = problem.exact.sum() - problem.law.parameters, problem.measured().best()
    for i in range(_ROUNDS):
        error = max(float(np.sqrt(_squares(problem, best) / df)), _SMALLEST_ERROR)
        if abs(error - problem.error) <= _SETTLED * error:
            break
        problem = replace(problem, error=error)
        again = problem.model(np.ones(1))
        best = problem.best(extra=best.theta) if i == 0 else solve(again, best.theta, *problem.bounds())
    return problem, best


def _squares(problem: Problem, solution: Solution) -> float:
    """Sum of squares over the points that are measurements."""
    residual, _ = problem.model(np.ones(1))(solution.theta)
    return float((residual[0][problem.exact] ** 2).sum())


def _enough(means: pd.DataFrame, law: Law, x: str) -> None:
    measured = means[~means["censored"]]
    n, distinct, k = len(measured), measured[x].nunique(), law.parameters
    at, reason = fact("law-count", n=distinct, x=x), None
    if n < len(means) and (n <= k or distinct < law.min_x):
        reason = fact("law-few-measured", n=n, of=len(means), at=at, needed=k + 1, needed_x=law.min_x, x=x)
    elif distinct < max(2, k):
        values = _listed(means[x])
        reason = fact("law-few-x", at=at, values=values, parameters=k, needed=max(2, k), needed_x=law.min_x)
    elif n <= k:
        reason = fact("law-few-points", n=n, parameters=k, needed=k + 1)
    if reason is not None:
        raise UnfitError(fact("law-refused", law=law.name, reason=reason))


def _one_group(points: pd.DataFrame, x: str) -> dict:
    """The values of the columns that the points share; FitError where they must share one and do not."""
    group = {}
    for column in (c for c in (*_UNIFORM, "spec") if c in points):
        values = points[column].dropna().unique()
        if len(values) == 1:
            group[column] = values[0]
        elif len(values) and column != x and (column != "spec" or x == "threads"):
            raise FitError(
                f"the points mix {len(values)} values of {column} ({_listed(points[column])}), which no "
                f"one curve describes; take one of them, or ycsbook.scaling.analyse for each alone"
            )
    return group


def _listed(values: pd.Series) -> str:
    names = [f"{v:g}" if isinstance(v, float | int) else str(v) for v in values.drop_duplicates()]
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")


# Two laws closer than this in AICc are not told apart; a law further behind than CLEARLY_WORSE does not describe
# the points. Burnham and Anderson (2002), Model Selection and Multimodel Inference, ch. 2.
NOT_TOLD_APART = 2.0
CLEARLY_WORSE = 6.0
_WITHOUT_CROSSTALK = ("linear", "power", "amdahl")


@dataclass(frozen=True)
class Choice:
    """The law to show first ("" where the points are too few for any), whether it is claimed, and what it says.
    `verdict` is `claimed` or `not-identifiable` with the reason. `fits` and `refusals`, the reasons, are by law.
    `rivals`: the laws that describe the points about as well as any."""

    law: str
    verdict: Fact
    sentence: Fact
    fits: dict[str, Fit] = field(default_factory=dict)
    refusals: dict[str, Fact] = field(default_factory=dict)
    rivals: tuple[str, ...] = ()

    def curve(self, at: np.ndarray) -> pd.DataFrame:
        """The law shown, at these x: fitted, and the ends the envelope of its intervals and its rivals'. The same
        points chose the law, so that its own interval alone holds the truth less often than it says."""
        curve = self.fits[self.law].curve(at)
        rival_curves = [self.fits[law].curve(at) for law in self.rivals if law != self.law]
        for end, reach in (("low", np.fmin), ("high", np.fmax)):
            for column in (f"conf_{end}", f"run_{end}"):
                curve[column] = reach.reduce([c[column].to_numpy() for c in (curve, *rival_curves)])
        return curve


# Points this far below a law, as ln X, are no noise.
MUCH_BELOW = 0.2


def select(points: pd.DataFrame, x: str = "cores", y: str | None = None, *, places: Iterable[float] = ()) -> Choice:
    """Fit every law and choose.

    All laws see the same points: where some are lower bounds (a column `censored`) and enough are measurements, those
    of the server; where too few are, the points as they are, and no law is claimed. Among the laws that may be claimed
    the one with the lowest AICc is taken (leave-one-out error where there are too few points for AICc). No law is
    claimed where another describes the points clearly better, none without crosstalk where that is shown. Where no law
    may be claimed, the power law or one clearly better is shown, and the answer is "not identifiable". points, x, y: as
    for `fit`. places: where intervals of the curves will be asked for."""
    try:
        sampled = sample(points, x, y)
    except FitError as e:
        return nothing_fits(dict.fromkeys(all_laws(), refusal(e)))
    fits, refusals = _fits(sampled, tuple(places))
    if not fits and sampled.means["censored"].any():
        # Too few points are the server's own: the laws of all points, without a claim.
        reason = refusals["power"].values.get("reason", refusals["power"])
        as_they_are = replace(sampled, means=sampled.means.assign(censored=False), ceiling=True)
        fits, refusals = _fits(as_they_are, tuple(places), fact("law-not-the-server", reason=reason))
    if not fits:
        return nothing_fits(refusals)
    score = _scores(fits)
    eligible = [law for law, fit in fits.items() if claims.eligible(fit)]
    best = min(eligible or score, key=score.__getitem__)
    if not eligible:
        # Points too few for any law: a line through them would promise what nothing supports.
        reason = fits.get("power", fits[best]).verdict.values["reason"]
        return Choice("", claims.not_identifiable(reason), fact("law-none-eligible"), fits, refusals)
    rivals = _rivals({law: fits[law] for law in eligible})
    # Not for its number of terms alone.
    worse = {law for law in fits if score[law] - score[best] > CLEARLY_WORSE} - set(rivals)
    is_bent = "usl" in eligible and claims.bends(fits["usl"])
    if is_bent:
        # Kappa's own interval tells crosstalk from none, and the laws that cannot bend so are wrong then. Of six points
        # AICc asks 30 for a third parameter, whatever it does.
        worse, best = fits.keys() & set(_WITHOUT_CROSSTALK), "usl"
    for law, fit in fits.items():
        better = fact("law-better", law=best) if law in worse else None
        if fit.verdict.key == claims.CLAIMED and (reason := better or _undercut(points, x, sampled.y, fit)):
            fit.verdict = claims.shown(reason)
    claimed = {law: score[law] for law, fit in fits.items() if fit.verdict.key == claims.CLAIMED}
    law = min(claimed, key=claimed.__getitem__) if claimed else "power" if "power" in fits.keys() - worse else best
    if not claimed or (not is_bent and score[law] - score[best] > CLEARLY_WORSE):
        law = best if claimed else law
        reason = fits[law].verdict.values["reason"]
        return Choice(law, claims.not_identifiable(reason), describe(fits[law]), fits, refusals, rivals)
    near = [r for r in eligible if r != law and abs(score[r] - score[law]) < NOT_TOLD_APART]
    alike = fact("law-rivals", laws=[fact("law-name", law=r) for r in near]) if near else None
    sentence = fact("sentences", parts=list(filter(None, (describe(fits[law]), alike, claims.remark(fits[law])))))
    return Choice(law, fact(claims.CLAIMED), sentence, fits, refusals, rivals)


def _undercut(points: pd.DataFrame, x: str, y: str, fit: Fit) -> Fact | None:
    """Whether points of which nobody knows what limited them lie far below the law: it may be the server itself."""
    if "undecided" not in points or not points["undecided"].any():
        return None
    at, unknown = (points.loc[points["undecided"], column].to_numpy(float) for column in (x, y))
    below = np.log(fit.curve(at, interval=False)["fitted"].to_numpy(float) / unknown)
    if not len(at := at[below > MUCH_BELOW]):
        return None
    first = at.min() if at.min() < at.max() else None
    return fact("law-undercut", x=x, first=first, last=at.max(), most=1 - float(np.exp(-below.max())))


def nothing_fits(refusals: dict[str, Fact]) -> Choice:
    """The choice where every law is refused, with the first reason."""
    reason = next(iter(refusals.values()))
    return Choice("", claims.not_identifiable(reason), fact("law-none", reason=reason), {}, refusals)


def _fits(
    sampled: Sample, places: tuple[float, ...], reservation: Fact | None = None
) -> tuple[dict[str, Fit], dict[str, Fact]]:
    fits, refusals = {}, {}
    for law in all_laws():
        try:
            fit = fits[law] = fit_sample(sampled, law)
        except FitError as e:
            refusals[law] = refusal(e)
            continue
        # One USL for the intervals of all beyond the measured range.
        fit.usl, fit.places, fit.reservation = lambda: fits.get("usl"), places, reservation
    return fits, refusals


def _rivals(fits: dict[str, Fit]) -> tuple[str, ...]:
    """The laws within CLEARLY_WORSE of the best by AIC: AICc rules a law of three terms out at six points, unseen."""
    aic = {
        law: fit.n_measured * float(np.log(max(fit.sse, 1e-300))) + 2 * fit.law.parameters for law, fit in fits.items()
    }
    return tuple(law for law, value in aic.items() if value - min(aic.values()) < CLEARLY_WORSE)


def _scores(fits: dict[str, Fit]) -> dict[str, float]:
    """AICc, or on the same scale the leave-one-out error, where a law has too few points for AICc."""
    aicc = {law: fit.aicc for law, fit in fits.items()}
    if not any(np.isnan(v) for v in aicc.values()):
        return aicc
    errors = {law: fit.n_measured * float(np.log(max(fit.loo_error**2, 1e-300))) for law, fit in fits.items()}
    return {law: error if np.isfinite(error) else float("inf") for law, error in errors.items()}


def describe(fit: Fit) -> Fact:
    """What the law says of the measured range: a ratio only with its interval, and none where the law presumes it."""
    first, last = fit.range
    terms = [
        fact("law-term", term=row.term, estimate=row.estimate, low=row.conf_low, high=row.conf_high)
        for row in fit.parameters.itertuples()
    ]
    shared = {
        "law": fit.law.name, "x": fit.x, "first": first, "last": last, "terms": terms, "scatter": fit.residual_se,
        "bounds": int((~fit.problem.exact).sum()), "threads": fit.group.get("threads") if fit.ceiling else None,
    }  # fmt: skip
    if fit.law.name == "linear":
        return fact("law-proportional", **shared)
    if len(fit.law.terms) == 1:
        ratio, low, high = fit.ratio
        return fact("law-ratio", ratio=ratio, low=low, high=high, **shared)
    # Of several terms together: the profile gives the curve's interval at a place, not that of a ratio.
    at = [
        fact("law-throughput", estimate=row.fitted, low=row.conf_low, high=row.conf_high)
        for row in fit.predict([first, last]).itertuples()
    ]
    return fact("law-ends", at_first=at[0], at_last=at[1], **shared)
