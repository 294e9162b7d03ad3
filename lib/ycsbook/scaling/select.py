"""Which law to show first for a group of points; the answer may be that they cannot tell."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from ycsbook.errors import FitError
from ycsbook.scaling import claims
from ycsbook.scaling.fitted import Fit
from ycsbook.scaling.fitting import Sample, fit_sample, sample
from ycsbook.scaling.laws import LAWS
from ycsbook.units import significant

# Two laws closer than this in AICc are not told apart; a law further behind than CLEARLY_WORSE does not describe
# the points. Burnham and Anderson (2002), Model Selection and Multimodel Inference, ch. 2.
NOT_TOLD_APART = 2.0
CLEARLY_WORSE = 6.0
_UNITS = {"lambda": " ops/s"}


@dataclass(frozen=True)
class Choice:
    """The law to show first ("" where the points are too few for any), whether it is claimed, and why, as a sentence.

    `verdict` is `claimed` or `not identifiable: ` with the reason. `fits` and `refusals` are by law.
    """

    law: str
    verdict: str
    sentence: str
    fits: dict[str, Fit] = field(default_factory=dict)
    refusals: dict[str, str] = field(default_factory=dict)


def select(
    points: pd.DataFrame, x: str = "cores", y: str | None = None, *, ram: str = "apart", places: Iterable[float] = ()
) -> Choice:
    """Fit every law and choose.

    All laws see the same points. Where some are lower bounds (a column `censored`) and enough are measurements, the
    laws are those of the server. Where too few are, the laws describe the points as they are, and none is claimed.
    Among the laws that may be claimed the one with the lowest AICc is taken (leave-one-out error where there are
    too few points for AICc). When a law that may not be claimed describes the points clearly better, the answer
    is "not identifiable".

    Parameters
        points, x, y, ram: as for `fit`.
        places: where intervals of the curves will be asked for.
    """
    try:
        of = sample(points, x, y)
    except FitError as e:
        return _none({law: str(e) for law in LAWS})
    fits, refusals = _fits(of, ram, tuple(places))
    if not fits and of.means["censored"].any():
        refused = refusals
        fits, refusals = _fits(replace(of, means=of.means.assign(censored=False), ceiling=True), ram, tuple(places))
        reason = refused["power"].removeprefix("power: ")
        for found in fits.values():
            found.reservation = f"the curve describes the points, not the server: {reason}"
    if not fits:
        return _none(refusals)
    score = _scores(fits)
    claimed = {law: score[law] for law, found in fits.items() if found.verdict == claims.CLAIMED}
    able = [law for law, found in fits.items() if claims.eligible(found)]
    best = min(able or score, key=score.__getitem__)
    if not claimed:
        law = "power" if "power" in fits else best
        if not able:
            # Points too few for any law: a line through them would promise what nothing supports.
            verdict = f"not identifiable: {fits[law].verdict.removeprefix('shown: ')}"
            return Choice("", verdict, "The points are too few for any law.", fits, refusals)
        reason = fits[law].verdict.removeprefix("shown: ")
        return Choice(law, f"not identifiable: {reason}", _sentence(fits[law]), fits, refusals)
    law = min(claimed, key=claimed.__getitem__)
    if score[law] - score[best] > CLEARLY_WORSE:
        reason = f"{best} describes the points better, but {fits[best].verdict.removeprefix('shown: ')}"
        return Choice(law, f"not identifiable: {reason}", _sentence(fits[law]), fits, refusals)
    rivals = [r for r in able if r != law and score[r] - score[law] < NOT_TOLD_APART]
    told = f" The points do not tell it from {' or '.join(rivals)}." if rivals else ""
    remark = claims.remark(fits[law])
    return Choice(law, claims.CLAIMED, f"{_sentence(fits[law])}{told} {remark}".rstrip(), fits, refusals)


def _none(refusals: dict[str, str]) -> Choice:
    reason = next(iter(refusals.values()))
    return Choice("", f"not identifiable: {reason}", f"No law can be fitted: {reason}.", {}, refusals)


def _fits(of: Sample, ram: str, places: tuple[float, ...]) -> tuple[dict[str, Fit], dict[str, str]]:
    fits: dict[str, Fit] = {}
    refusals: dict[str, str] = {}
    for law in LAWS:
        try:
            fits[law] = fit_sample(of, law, ram=ram)
        except FitError as e:
            refusals[law] = str(e)
    # One USL for the intervals of all beyond the measured range.
    for found in fits.values():
        found.usl = lambda: fits.get("usl")
        found.places = places
    return fits, refusals


def _scores(fits: dict[str, Fit]) -> dict[str, float]:
    """AICc, or on the same scale the leave-one-out error, where a law has too few points for AICc."""
    aicc = {law: found.aicc for law, found in fits.items()}
    if not any(np.isnan(v) for v in aicc.values()):
        return aicc
    scores = {}
    for law, found in fits.items():
        error = found.loo_error
        scores[law] = found.n_measured * float(np.log(max(error**2, 1e-300))) if np.isfinite(error) else float("inf")
    return scores


def _sentence(found: Fit) -> str:
    first, last = found.range
    terms = ", ".join(
        f"{row.term} {significant(row.estimate)}{_UNITS.get(row.term, '')} "
        f"({significant(row.conf_low)} to {significant(row.conf_high)})".replace("-", "−")
        for row in found.parameters.itertuples()
    )
    bounds = int(found.problem.censored.sum())
    threads = found.group.get("threads", float("nan"))
    loop = (
        f" All at {threads:g} threads: the closed loop's ceiling of threads / response time may bend this too, so it "
        "is the throughput of that many threads, not of the server alone."
    )
    ceiling = loop if found.ceiling and not np.isnan(threads) else ""
    more = "1 more point is a lower bound" if bounds == 1 else f"{bounds} more points are lower bounds"
    return (
        f"From {first:g} to {last:g} {found.x} the {found.law.name} law {_growth(found)} ({terms}); the specs scatter "
        f"{100 * found.residual_se:.0f} % around it{f'; {more}' if bounds else ''}.{ceiling}"
    )


def _growth(found: Fit) -> str:
    """What the law says of the measured range: a ratio only with its interval, and none where the law presumes it."""
    first, last = found.range
    if found.law.name == "linear":
        return f"makes throughput proportional to {found.x}"
    if found.law.name == "usl":
        # Of two terms together: the profile gives the curve's interval at a place, not that of a ratio.
        ends = found.predict([first, last])
        at = [
            f"{significant(row.fitted)} ops/s ({significant(row.conf_low)} to {significant(row.conf_high)})"
            for row in ends.itertuples()
        ]
        return f"gives {at[0]} and {at[1]}"
    # A function of one term, so the ends of its interval are those of the ratio.
    term = found.parameters.iloc[1]
    ratios = [_ratio(found, float(term[c])) for c in ("estimate", "conf_low", "conf_high")]
    low, high = min(ratios[1:]), max(ratios[1:])
    return f"gives {ratios[0]:.1f} times ({low:.1f} to {high:.1f}) the throughput"


def _ratio(found: Fit, term: float) -> float:
    """Throughput at the end of the range over that at its start, by the law with this exponent or sigma."""
    shape = np.array([[term, *found.best[2:]]])
    g, _ = found.law.log_shape(np.array(found.range), shape)
    return float(np.exp(g[0, 1] - g[0, 0]))
