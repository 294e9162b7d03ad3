"""Which law to show first for a group of points; the answer may be that they cannot tell."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ycsbook.errors import FitError
from ycsbook.scaling import claims
from ycsbook.scaling.fit import Fit, fit
from ycsbook.scaling.laws import LAWS
from ycsbook.units import significant

# Two laws closer than this in AICc are not told apart; a law further behind than CLEARLY_WORSE does not describe
# the points. Burnham and Anderson (2002), Model Selection and Multimodel Inference, ch. 2.
NOT_TOLD_APART = 2.0
CLEARLY_WORSE = 6.0
_UNITS = {"lambda": " ops/s"}


@dataclass(frozen=True)
class Choice:
    """The law to show first ("" where none could be fitted), whether it is claimed, and why, as a sentence.

    `verdict` is `claimed` or `not identifiable: ` with the reason. `fits` and `refusals` are by law.
    """

    law: str
    verdict: str
    sentence: str
    fits: dict[str, Fit] = field(default_factory=dict)
    refusals: dict[str, str] = field(default_factory=dict)


def select(points: pd.DataFrame, x: str = "cores", y: str | None = None) -> Choice:
    """Fit every law and choose.

    Among the laws that may be claimed the one with the lowest AICc is taken (leave-one-out error where there are
    too few points for AICc). When a law that may not be claimed describes the points clearly better, the answer
    is "not identifiable".

    Parameters
        points, x, y: as for `fit`.
    """
    fits: dict[str, Fit] = {}
    refusals: dict[str, str] = {}
    for law in LAWS:
        try:
            fits[law] = fit(points, law, x, y)
        except FitError as e:
            refusals[law] = str(e)
    if not fits:
        reason = next(iter(refusals.values()))
        return Choice("", f"not identifiable: {reason}", f"No law can be fitted: {reason}.", fits, refusals)
    score = _scores(fits)
    claimed = {law: score[law] for law, found in fits.items() if found.verdict == claims.CLAIMED}
    able = [law for law, found in fits.items() if claims.eligible(found)]
    best = min(able or score, key=score.__getitem__)
    if not claimed:
        law = "power" if "power" in fits else best
        reason = fits[law].verdict.removeprefix("shown: ")
        return Choice(law, f"not identifiable: {reason}", _sentence(fits[law]), fits, refusals)
    law = min(claimed, key=claimed.__getitem__)
    if score[law] - score[best] > CLEARLY_WORSE:
        reason = f"{best} describes the points better, but {fits[best].verdict.removeprefix('shown: ')}"
        return Choice(law, f"not identifiable: {reason}", _sentence(fits[law]), fits, refusals)
    rivals = [r for r in able if r != law and score[r] - score[law] < NOT_TOLD_APART]
    told = f" The points do not tell it from {' or '.join(rivals)}." if rivals else ""
    return Choice(law, claims.CLAIMED, _sentence(fits[law]) + told, fits, refusals)


def _scores(fits: dict[str, Fit]) -> dict[str, float]:
    """AICc, or on the same scale the leave-one-out error, where a law has too few points for AICc."""
    aicc = {law: found.aicc for law, found in fits.items()}
    if not any(np.isnan(v) for v in aicc.values()):
        return aicc
    scores = {}
    for law, found in fits.items():
        n, error = len(found.means), found.loo_error
        scores[law] = n * float(np.log(max(error**2, 1e-300))) if np.isfinite(error) else float("inf")
    return scores


def _sentence(found: Fit) -> str:
    first, last = found.problem.x.min(), found.problem.x.max()
    ends = found.predict([first, last], interval=False)["fitted"]
    terms = ", ".join(
        f"{row.term} {significant(row.estimate)}{_UNITS.get(row.term, '')} "
        f"({significant(row.conf_low)} to {significant(row.conf_high)})"
        for row in found.parameters.itertuples()
    )
    return (
        f"From {first:g} to {last:g} {found.x} the {found.law.name} law gives {ends.iloc[1] / ends.iloc[0]:.1f} times "
        f"the throughput ({terms}); the specs scatter {100 * found.residual_se:.0f} % around it."
    )
