"""Which law to show first for a group of points; the answer may be that they cannot tell."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from ycsbook.errors import FitError
from ycsbook.facts import Fact, fact
from ycsbook.scaling import claims
from ycsbook.scaling.fitted import Fit
from ycsbook.scaling.fitting import Sample, fit_sample, sample
from ycsbook.scaling.laws import all_laws
from ycsbook.scaling.points import refusal

# Two laws closer than this in AICc are not told apart; a law further behind than CLEARLY_WORSE does not describe
# the points. Burnham and Anderson (2002), Model Selection and Multimodel Inference, ch. 2.
NOT_TOLD_APART = 2.0
CLEARLY_WORSE = 6.0
_WITHOUT_CROSSTALK = ("linear", "power", "amdahl")


@dataclass(frozen=True)
class Choice:
    """The law to show first ("" where the points are too few for any), whether it is claimed, and what it says.

    `verdict` is `claimed` or `not-identifiable` with the reason. `fits` and `refusals`, the reasons, are by law.
    `rivals`: the laws that describe the points about as well as any.
    """

    law: str
    verdict: Fact
    sentence: Fact
    fits: dict[str, Fit] = field(default_factory=dict)
    refusals: dict[str, Fact] = field(default_factory=dict)
    rivals: tuple[str, ...] = ()

    def curve(self, at: np.ndarray) -> pd.DataFrame:
        """The law shown, at these x: fitted, and the ends the envelope of its intervals and its rivals'.

        The same points chose the law, so that its own interval alone holds the truth less often than it says.
        """
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
    for `fit`. places: where intervals of the curves will be asked for.
    """
    try:
        sampled = sample(points, x, y)
    except FitError as e:
        return nothing_fits(dict.fromkeys(all_laws(), refusal(e)))
    fits, refusals = _fits_of_server_or_points(sampled, tuple(places))
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
    is_worse = bool(claimed) and not is_bent and score[law] - score[best] > CLEARLY_WORSE
    if is_worse or not claimed:
        law = best if is_worse else law
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
    at = at[below > MUCH_BELOW]
    if not len(at):
        return None
    first = at.min() if at.min() < at.max() else None
    return fact("law-undercut", x=x, first=first, last=at.max(), most=1 - float(np.exp(-below.max())))


def nothing_fits(refusals: dict[str, Fact]) -> Choice:
    """The choice where every law is refused, with the first reason."""
    reason = next(iter(refusals.values()))
    return Choice("", claims.not_identifiable(reason), fact("law-none", reason=reason), {}, refusals)


def _fits_of_server_or_points(sampled: Sample, places: tuple[float, ...]) -> tuple[dict[str, Fit], dict[str, Fact]]:
    """The laws of the server; where too few points are its own, those of all points, without a claim."""
    fits, refusals = _fits(sampled, places)
    if fits or not sampled.means["censored"].any():
        return fits, refusals
    reason = refusals["power"].values.get("reason", refusals["power"])
    as_they_are = replace(sampled, means=sampled.means.assign(censored=False), ceiling=True)
    return _fits(as_they_are, places, reservation=fact("law-not-the-server", reason=reason))


def _fits(
    sampled: Sample, places: tuple[float, ...], reservation: Fact | None = None
) -> tuple[dict[str, Fit], dict[str, Fact]]:
    fits: dict[str, Fit] = {}
    refusals: dict[str, Fact] = {}
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
