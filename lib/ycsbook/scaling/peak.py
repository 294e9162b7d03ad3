"""The Universal Scalability Law's peak, with its profile interval."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import special

from ycsbook.scaling.laws import usl_peak
from ycsbook.scaling.solver import solve

if TYPE_CHECKING:
    from ycsbook.scaling.fitted import Fit

CONFIDENCE = 0.95
# Where the profile is looked at: from a tenth of the smallest x to a thousand times the largest.
_BELOW, _ABOVE, _PLACES, _FINER = 0.1, 1e3, 48, 12


class Peak(NamedTuple):
    """Where the curve is highest, in units of x, and the 95 % interval of that; infinite: no peak within reach."""

    at: float
    low: float
    high: float


def peak(fit: "Fit") -> Peak:
    """The peak of a USL fit, sqrt((1 - sigma) / kappa), and the values that the points do not rule out.

    The profile of the sum of squares over the peak P, with kappa = (1 - sigma) / P², cut at t²(n-k) s² as every other
    interval here. It is looked at on a grid of ln P, finer around its two ends, and interpolated there.

    Parameters
        fit: of the law usl.
    References
        Gunther (2007), Guerrilla Capacity Planning, ch. 5; Bates and Watts (1988), ch. 6.
    """
    sigma, kappa = fit.best[1:3]
    at = usl_peak(float(sigma), float(kappa))
    x = fit.problem.x
    cut = float(special.stdtrit(fit.df, (1 + CONFIDENCE) / 2)) ** 2 * fit.variance
    places = np.unique(np.append(np.geomspace(_BELOW * x.min(), _ABOVE * x.max(), _PLACES), at))
    places = places[np.isfinite(places)]
    inside = np.flatnonzero(_profile(fit, places) <= fit.sse + cut)
    if not len(inside):
        return Peak(at, at, at)
    first, last = inside[0], inside[-1]
    low = _end(fit, cut, places[first], places[first - 1]) if first else 0.0
    high = _end(fit, cut, places[last], places[last + 1]) if last + 1 < len(places) else float("inf")
    return Peak(at, low, high)


def _end(fit: "Fit", cut: float, inside: float, outside: float) -> float:
    """Where the sum of squares reaches the cut, between a place within it and one beyond."""
    places = np.geomspace(inside, outside, _FINER)
    over = np.sqrt(np.maximum(_profile(fit, places) - fit.sse, 0.0)) - np.sqrt(cut)
    i = max(int(np.argmax(over > 0)), 1)
    share = over[i - 1] / (over[i - 1] - over[i])
    return float(np.exp(np.log(places[i - 1]) + share * np.log(places[i] / places[i - 1])))


def _profile(fit: "Fit", peaks: np.ndarray) -> np.ndarray:
    """The smallest sum of squares for each peak."""
    model = fit.problem.model(np.ones(len(peaks)))
    per_kappa = 1 / peaks**2

    def through_peak(parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        kappa = (1 - parameters[:, 1]) * per_kappa
        residual, jacobian = model(np.insert(parameters, 2, kappa, axis=1))
        of_kappa = jacobian[..., 2]
        jacobian = np.delete(jacobian, 2, axis=-1)
        jacobian[..., 1] -= of_kappa * per_kappa[:, None]
        return residual, jacobian

    best = np.delete(fit.best, 2)
    low, high = (np.delete(bound, 2) for bound in fit.problem.bounds())
    starts = np.array([np.where(np.arange(len(best)) == 1, sigma, best) for sigma in (min(float(best[1]), 0.99), 0.0)])
    found = [solve(through_peak, np.tile(start, (len(peaks), 1)), low, high).sse for start in starts]
    return np.nanmin(found, axis=0)
