"""What a fitted law says about places: its mean curve, one new run there, and either beyond the measured range.

Inside the range every law that fits gives about the same curve, and the chosen law's own interval is used. Outside
they part, and the interval of a law with fewer parameters would be narrow because it is wrong: there the interval is
that of the Universal Scalability Law, whichever law was chosen.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

INTERVAL_LAW = "usl"


@dataclass(frozen=True)
class Curve:
    """A fitted law as prediction needs it; everything about throughput is ln ops/s.

    Attributes
        law: its name.
        fitted: x (q,) -> ln of the fitted throughput.
        ends: x (q,) -> the two ends of the mean curve's interval.
        t: Student's quantile that belongs to those ends, for the fit's degrees of freedom.
        s: standard error of one spec around the law, as a share: the square root of the variance the ends rest on.
    """

    law: str
    fitted: Callable[[np.ndarray], np.ndarray]
    ends: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
    t: float
    s: float


def run_interval(
    fitted: np.ndarray, low: np.ndarray, high: np.ndarray, *, t: float, s: float
) -> tuple[np.ndarray, np.ndarray]:
    """Where one run on a new spec falls, from the interval of the mean curve.

    Each side of the curve's interval is joined in squares with t s, what one spec strays from the law. For a law
    that is linear in its parameters this is the textbook's prediction interval.

    Parameters
        fitted, low, high: ln of the mean curve and of its interval's ends, any equal shapes.
        t: Student's quantile the ends were cut at; s: the residual standard error of ln X, spec to spec. A further
            repeat on a spec already measured strays by the repeats' error around that spec's own mean instead.
    Returns
        The two ends, ln; NaN where the curve's are.
    References
        Draper and Smith (1998), Applied Regression Analysis, 3.1, side by side as in Zou and Donner (2008), Statistics
        in Medicine 27.
    Examples
        >>> low, high = run_interval(np.log([1000.0]), np.log([970.0]), np.log([1030.0]), t=2.0, s=0.03)
        >>> np.exp(low).round(), np.exp(high).round()
        (array([935.]), array([1069.]))
    """
    alone = (t * s) ** 2
    return fitted - np.sqrt((fitted - low) ** 2 + alone), fitted + np.sqrt((high - fitted) ** 2 + alone)


def predicted(at: np.ndarray, measured: np.ndarray, own: Curve, usl: Curve | None) -> pd.DataFrame:
    """The chosen law at some places, with the intervals of its mean curve and of a new run.

    Parameters
        at: (q,) places, > 0; measured: the x of the points fitted.
        own: the chosen law.
        usl: the USL fitted to the same points; None where they cannot fix one, and beyond the range there is then no
            interval.
    Returns
        fitted, conf_low, conf_high (mean curve), run_low, run_high (new run), all ops/s; interval_law, the law the
        ends come from ("" where there are none); extrapolated (bool).
    """
    places, back = np.unique(np.asarray(at, dtype=float), return_inverse=True)
    outside = (places < measured.min()) | (places > measured.max())
    ends = np.full((4, len(places)), np.nan)
    laws = np.full(len(places), "", dtype=object)
    for curve, here in ((own, ~outside), (usl, outside)):
        if curve is None or not here.any():
            continue
        low, high = curve.ends(places[here])
        ends[:, here] = low, high, *run_interval(curve.fitted(places[here]), low, high, t=curve.t, s=curve.s)
        laws[here] = curve.law
    columns = ("conf_low", "conf_high", "run_low", "run_high")
    frame = {"fitted": np.exp(own.fitted(places)), **dict(zip(columns, np.exp(ends), strict=True))}
    table = pd.DataFrame({**frame, "interval_law": laws.astype(str), "extrapolated": outside})
    return table.iloc[back].reset_index(drop=True)
