"""What a fit may be said to show: `claimed`, or `shown: ` with the reason why not.

A law is claimed only where its own term is needed: kappa for the USL, sigma for Amdahl's law. A closed loop with N
threads cannot exceed N / R0, whatever the server; that ceiling bends any curve just as contention and crosstalk
do, so neither is claimed while it may be at work (design: a perfectly linear server then fits a peak). Where it is
known what limits each point (limits.limits), the points that something else than the server limited are lower bounds
in the fit, and the rules here count the others alone: a law is claimed from what was measured of the server.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from ycsbook.scaling.laws import usl_peak
from ycsbook.scaling.peak import peak
from ycsbook.units import significant

if TYPE_CHECKING:
    from ycsbook.scaling.fitted import Fit

CLAIMED = "claimed"
# A law that the typical spec misses by more than a third describes the table, not the server.
MAX_SCATTER = 0.35


def shown(reason: str) -> str:
    """A verdict: drawn, not claimed."""
    return f"shown: {reason}"


def refused(reason: str) -> str:
    """A verdict: not fitted at all."""
    return f"refused: {reason}"


def counts(n: int, x: str) -> str:
    """How many different values of x, "cores" or "threads".

    Examples
        >>> counts(1, "cores"), counts(2, "cores")
        ('1 core count', '2 distinct cores')
    """
    return f"1 {x.removesuffix('s')} count" if n == 1 else f"{n} distinct {x}"


def once(series: Iterable[str], verdicts: Iterable[str]) -> list[str]:
    """Verdicts one below the other, each reason said in full the first time only.

    Parameters
        series: of whom each verdict is, such as `a, 4 threads`.
    Examples
        >>> once(["a", "b"], ["shown: the points are far too few", "shown: the points are far too few"])
        ['shown: the points are far too few', 'shown: as for a']
    """
    first: dict[str, str] = {}
    told = []
    for name, text in zip(series, verdicts, strict=True):
        status, _, reason = text.partition(": ")
        shorter = f"{status}: as for {first.setdefault(text, name)}" if reason else text
        told.append(shorter if first.get(text, name) != name and len(shorter) < len(text) else text)
    return told


def verdict(fit: "Fit") -> str:
    """What may be claimed from this fit."""
    reason = _meaningless(fit) or _poor(fit) or _OWN_TERM[fit.law.name](fit)
    return shown(reason) if reason else CLAIMED


def eligible(fit: "Fit") -> bool:
    """Whether the points are of the kind and number that this law needs at all."""
    return not _meaningless(fit)


def remark(fit: "Fit") -> str:
    """What a reader of a claimed law should know besides, as a sentence; "" where there is nothing."""
    terms = fit.parameters.set_index("term")
    if fit.law.name == "power" and terms.loc["exponent", "conf_low"] > 1:
        return (
            f"An exponent above 1 ({_interval(terms.loc['exponent'])}) means that each core brings more than the one "
            f"before it: the larger specs have more than {fit.x} ahead of the smaller ones, or something else held the "
            "small ones back."
        )
    if fit.law.name == "usl" and terms.loc["kappa", "conf_low"] > 0:
        top = peak(fit)
        return f"Its peak is at {significant(top.at)} {fit.x} ({significant(top.low)} to {significant(top.high)})."
    return ""


def measured(fit: "Fit") -> np.ndarray:
    """Which of the fit's points are measurements of the server, not lower bounds: bool, one per spec mean."""
    return ~fit.means["censored"].to_numpy(bool)


def _meaningless(fit: "Fit") -> str:
    law = fit.law
    if fit.x == "cores" and law.name != "power" and fit.problem.x.min() < 1:
        return (
            "some specs have less than one core (a CPU quota), where only the power law and the local elasticities "
            "mean anything"
        )
    if fit.n_specs < law.min_x or fit.df < law.min_df:
        bounds = int((~measured(fit)).sum())
        noun = "is a lower bound" if bounds == 1 else "are lower bounds"
        beside = f"; {bounds} more {noun}, which something else than the server limited" if bounds else ""
        return (
            f"needs at least {law.min_x} distinct {fit.x} and {law.min_df} residual degrees of freedom, "
            f"here {fit.n_specs} and {fit.df}{beside}"
        )
    return ""


def _poor(fit: "Fit") -> str:
    if not fit.converged:
        return "the fit did not converge"
    if fit.held_back:
        return f"the points rise faster with {fit.x} than this law allows"
    if fit.residual_se > MAX_SCATTER:
        return f"the specs scatter {100 * fit.residual_se:.0f} % around it, so it describes them poorly"
    return ""


def _linear(fit: "Fit") -> str:
    mask = measured(fit)
    log_x, residuals = np.log(fit.problem.x[mask]), fit.residuals[mask]
    centred = log_x - log_x.mean()
    slope = float(centred @ residuals / (centred @ centred))
    df = len(log_x) - 2
    if df < 1:
        return "two points cannot show a departure from proportional scaling"
    error = float(np.sqrt(((residuals - slope * centred) ** 2).sum() / df / (centred @ centred)))
    reach = float(special.stdtrit(df, 0.975)) * error
    if abs(slope) <= max(reach, 1e-9):
        return ""
    return (
        f"the points scale with an exponent of {significant(1 + slope)} "
        f"({significant(1 + slope - reach)} to {significant(1 + slope + reach)}), not 1"
    )


def _power(fit: "Fit") -> str:
    return ""


def _amdahl(fit: "Fit") -> str:
    sigma = fit.parameters.set_index("term").loc["sigma"]
    if not sigma["conf_low"] > 0:
        return f"sigma's interval ({_interval(sigma)}) includes 0: not told apart from proportional scaling"
    return _ceiling(fit, "contention")


def _usl(fit: "Fit") -> str:
    kappa = fit.parameters.set_index("term").loc["kappa"]
    if not kappa["conf_low"] > 0:
        return f"kappa's interval ({_interval(kappa)}) includes 0: neither crosstalk nor a peak is shown"
    x = fit.problem.x[measured(fit)]
    if not x.min() <= usl_peak(*fit.best[1:3]) <= x.max():
        top = peak(fit)
        return (
            f"its peak, at {significant(top.at)} {fit.x} ({significant(top.low)} to {significant(top.high)}), lies "
            f"outside the measured {x.min():g} to {x.max():g}"
        )
    return _ceiling(fit, "crosstalk")


def _ceiling(fit: "Fit", what: str) -> str:
    # Where it is known what limits the points, those the threads limit are lower bounds, and bend nothing.
    if not fit.ceiling:
        return ""
    threads = fit.group.get("threads", float("nan"))
    loops = "a fixed number of" if np.isnan(threads) else f"{threads:g}"
    return (
        f"at {loops} threads throughout, a closed loop's ceiling of threads / response time bends the curve just "
        f"as {what} does, and not every point is shown to be saturated"
    )


def _interval(term: object) -> str:
    return f"{significant(term['conf_low'])} to {significant(term['conf_high'])}"


_OWN_TERM = {"linear": _linear, "power": _power, "amdahl": _amdahl, "usl": _usl}
