"""What a fit may be said to show: `claimed`, or `shown` with the reason why it is not claimed.

A law is claimed only where its own term is needed: kappa for the USL, sigma for Amdahl's law; where growth is shown at
all, in a narrow interval; and where the points lie no farther from it than specs of equal cores from each other.
Proportional is claimed where the factor per doubling is shown to be about 2, never for want of evidence against it. A
closed loop with N threads cannot exceed N / R0, whatever the server; that ceiling bends any curve just as contention
and crosstalk do, so neither is claimed while it may be at work (design: a perfectly linear server then fits a peak). It
can flatten a curve and never bring it down: where the most cores do less than fewer, crosstalk is shown. Where it is
known what limits each point (limits.limits), the points that something else than the server limited are lower bounds in
the fit, and the rules here count the others alone: a law is claimed from what was measured of the server.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import special

from ycsbook.facts import Fact, fact, from_json
from ycsbook.scaling.cells import student_t
from ycsbook.scaling.laws import usl_peak

# Squares of ln X below this are rounding.
_EXACT = 1e-18

if TYPE_CHECKING:
    import pandas as pd

    from ycsbook.scaling.fitted import Fit

CLAIMED = "claimed"
# A law that the typical spec misses by more than a third describes the table, not the server.
MAX_SCATTER = 0.35
# A factor per doubling, or a throughput, that is known no better than this (high end over low end) is not claimed.
MAX_WIDTH = 1.5
# The factors per doubling that count as proportional: an equivalence test, as two one-sided tests at 2.5 % each.
PROPORTIONAL = (1.8, 2.2)
# Growth, at this chance of claiming it of points that are all alike.
NO_GROWTH = 0.01
# Lack of fit, at this chance of refusing a law that is right.
LACK_OF_FIT = 0.05
# A fall at the most cores, at this chance of seeing one where more cores never do less.
NO_FALL = 0.05


def shown(reason: Fact) -> Fact:
    """A verdict: drawn, not claimed."""
    return fact("shown", reason=reason)


def not_identifiable(reason: Fact) -> Fact:
    """A verdict on a whole series: the points cannot tell."""
    return fact("not-identifiable", reason=reason)


def few_measured(full: Fact) -> Mapping[str, object] | None:
    """The values of law-few-measured where a verdict is that too few points are the server's own; None elsewhere."""
    reason = full.values.get("reason")
    inner = reason.values.get("reason") if reason else None
    return inner.values if inner and inner.key == "law-few-measured" else None


def without_repeated_reasons(series: Iterable[Fact], verdicts: Iterable[Fact]) -> list[Fact]:
    """Verdicts one below the other, each reason given the first time only and then by the series that has it.

    Examples
        >>> reason = shown(fact("law-at-bound"))
        >>> [v.values["reason"].key for v in without_repeated_reasons([fact("a"), fact("b")], [reason, reason])]
        ['law-at-bound', 'law-as-for']
    """
    first: dict[Fact, Fact] = {}
    shortened = []
    for name, full in zip(series, verdicts, strict=True):
        is_repeated = "reason" in full.values and first.setdefault(full, name) != name
        shortened.append(fact(full.key, reason=fact("law-as-for", series=first[full])) if is_repeated else full)
    return shortened


def verdict(fit: "Fit") -> Fact:
    reason = _ineligible(fit) or _poor(fit) or _flat(fit)
    if not reason and lack_of_fit(fit).p < LACK_OF_FIT:
        reason = fact("law-misfit", x=fit.x)
    reason = reason or _OWN_TERM.get(fit.law.name, _any_law)(fit)
    # Of steps a smooth law misses each left-out point more than it misses those it was fitted to; where the threads
    # set a ceiling, that is the reason.
    if not reason and fit.loo_error > MAX_SCATTER and not fit.ceiling:
        reason = fact("law-left-out", error=fit.loo_error)
    return shown(reason) if reason else fact(CLAIMED)


def eligible(fit: "Fit") -> bool:
    """Whether the points are of the kind and number that this law needs at all."""
    return _ineligible(fit) is None


def remark(fit: "Fit") -> Fact | None:
    """What a reader of a claimed law should know besides; None where there is nothing."""
    if fit.law.name == "power" and (ends := _ends(fit, "exponent"))["low"] > 1:
        return fact("law-above-proportional", x=fit.x, **ends)
    if fit.law.name == "usl" and _ends(fit, "kappa")["low"] > 0:
        return fact("law-peak", x=fit.x, **fit.peak._asdict())
    return None


def peaks(choices: "pd.DataFrame") -> dict[tuple[str, float], float]:
    """The cores at which a law that is claimed has its peak, by workload and threads, of the table `choices`."""
    return {
        (row.workload, row.threads): part.values["at"]
        for row in choices[choices["verdict_key"] == CLAIMED].itertuples()
        for part in from_json(row.sentence_key, row.sentence_values).values.get("parts", ())
        if part.key == "law-peak"
    }


def _ineligible(fit: "Fit") -> Fact | None:
    law = fit.law
    if fit.x == "cores" and law.name != "power" and fit.problem.x.min() < 1:
        return fact("law-part-of-a-core")
    if fit.n_specs < law.min_x or fit.df < law.min_df:
        return fact("law-needs", needed_x=law.min_x, needed_df=law.min_df, x=fit.x, n=fit.n_specs, df=fit.df,
                    bounds=len(fit.means) - fit.n_measured)  # fmt: skip
    return None


def bends(fit: "Fit") -> bool:
    """Whether crosstalk is shown: the interval of kappa does not reach down to 0, and no number of threads fakes it."""
    return not _poor(fit) and (not fit.ceiling or _falls(fit)) and bool(_ends(fit, "kappa")["low"] > 0)


def _falls(fit: "Fit") -> bool:
    """Whether the most cores do less than some fewer, by more than the scatter around the law (Holm over all fewer)."""
    exact = fit.problem.exact
    _, at, n = np.unique(fit.problem.x[exact], return_inverse=True, return_counts=True)
    levels = np.bincount(at, fit.problem.log_y[exact]) / n
    error = np.sqrt(np.maximum(fit.variance, _EXACT) * (1 / n[:-1] + 1 / n[-1]))
    p = special.stdtr(fit.df, (levels[-1] - levels[:-1]) / error)
    return bool(len(p) * p.min() <= NO_FALL)


def _poor(fit: "Fit") -> Fact | None:
    if not fit.converged:
        return fact("law-not-converged")
    if fit.held_back:
        return fact("law-held-back", x=fit.x)
    if fit.residual_se > MAX_SCATTER:
        return fact("law-poor", scatter=fit.residual_se)
    return None


def _flat(fit: "Fit") -> Fact | None:
    """Whether the points may as well be all alike: an F test against their mean."""
    exact = fit.problem.exact
    log_y, residuals, terms = fit.problem.log_y[exact], fit.residuals[exact], fit.law.parameters - 1
    if terms < 1 or fit.df < 1:
        return None
    squares = max(float(residuals @ residuals), _EXACT)
    gained = float(np.square(log_y - log_y.mean()).sum()) - squares
    shown_by = special.fdtrc(terms, fit.df, max(gained, 0.0) / terms / (squares / fit.df))
    return fact("law-flat", x=fit.x, n=int(exact.sum())) if shown_by > NO_GROWTH else None


def _linear(fit: "Fit") -> Fact | None:
    exact = fit.problem.exact
    log_x, residuals = np.log(fit.problem.x[exact]), fit.residuals[exact]
    centred = log_x - log_x.mean()
    squares, df = centred @ centred, len(log_x) - 2
    slope = float(centred @ residuals / squares)
    reach = float(student_t(df)) * float(np.sqrt(((residuals - slope * centred) ** 2).sum() / df / squares))
    ends = {"low": 1 + slope - reach, "high": 1 + slope + reach}
    if abs(slope) > max(reach, 1e-9):
        return fact("law-not-proportional", estimate=1 + slope, **ends)
    low, high = 2 ** ends["low"], 2 ** ends["high"]
    is_shown = PROPORTIONAL[0] <= low and high <= PROPORTIONAL[1]
    return None if is_shown else fact("law-not-shown-proportional", low=low, high=high)


class LackOfFit(NamedTuple):
    """Whether specs of equal cores lie closer together than to the law: F with its degrees of freedom, and p, the
    chance of such an F where the law is right; NaN where too few specs have equal cores to tell."""

    df: int
    pure_df: int
    f: float
    p: float


def lack_of_fit(fit: "Fit") -> LackOfFit:
    """The scatter of the means of equal cores around the law, over that of the specs around these means. Source: Fisher
    (1922), J. R. Stat. Soc. 85; Draper and Smith (1998), Applied Regression Analysis, ch. 2."""
    residuals = fit.residuals[fit.problem.exact]
    groups, at, n = np.unique(fit.problem.x[fit.problem.exact], return_inverse=True, return_counts=True)
    means = np.bincount(at, residuals) / n
    df, pure_df = len(groups) - fit.law.parameters, len(residuals) - len(groups)
    if df < 1 or pure_df < 2:
        return LackOfFit(df, pure_df, float("nan"), float("nan"))
    pure, lack = float(np.square(residuals - means[at]).sum()), float((n * means**2).sum())
    f = (lack / df) / max(pure / pure_df, _EXACT)
    return LackOfFit(df, pure_df, f, 1.0 if lack <= _EXACT else float(special.fdtrc(df, pure_df, f)))


def unclear_growth(low: float, high: float) -> Fact | None:
    """Why nothing is claimed of a factor per doubling with these ends; None where it may be."""
    if low <= 1 <= high:
        return fact("law-no-growth", low=low, high=high)
    return fact("law-wide", low=low, high=high) if high > MAX_WIDTH * low else None


def _wide(fit: "Fit") -> Fact | None:
    """What the law is said to give (fitting.describe) must be known: of one term a factor, of several the ends."""
    if len(fit.law.terms) == 1:
        return unclear_growth(*(end ** float(1 / np.log2(fit.range[1] / fit.range[0])) for end in fit.ratio[1:]))
    for at in fit.predict(fit.range).itertuples(index=False):
        if at.conf_high > MAX_WIDTH * at.conf_low:
            return fact("law-wide-at", x=fit.x, at=at[0], low=at.conf_low, high=at.conf_high)
    return None


def _amdahl(fit: "Fit") -> Fact | None:
    sigma = _ends(fit, "sigma")
    if not sigma["low"] > 0:
        return fact("law-sigma-open", **sigma)
    return _wide(fit) or _ceiling(fit, "contention")


def _usl(fit: "Fit") -> Fact | None:
    kappa = _ends(fit, "kappa")
    if not kappa["low"] > 0:
        return fact("law-kappa-open", **kappa)
    first, last = fit.range
    if not first <= usl_peak(*fit.best[1:3]) <= last:
        return fact("law-peak-outside", x=fit.x, first=first, last=last, **fit.peak._asdict())
    return _wide(fit) or (None if _falls(fit) else _ceiling(fit, "crosstalk"))


def _any_law(fit: "Fit") -> Fact | None:
    """A law from elsewhere: every term of its own must lie inside its bounds."""
    return fact("law-at-bound", terms=fit.limit) if fit.limit else _wide(fit) or _ceiling(fit, "other")


def _ceiling(fit: "Fit", shape: str) -> Fact | None:
    # Where it is known what limits the points, those the threads limit are lower bounds, and bend nothing.
    return fact("law-ceiling", threads=fit.group.get("threads"), what=shape) if fit.ceiling else None


def _ends(fit: "Fit", term: str) -> dict[str, float]:
    row = fit.parameters.set_index("term").loc[term]
    return {"low": row["conf_low"], "high": row["conf_high"]}


_OWN_TERM = {"linear": _linear, "power": _wide, "amdahl": _amdahl, "usl": _usl}
