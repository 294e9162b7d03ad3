"""Steady throughput: where the warm-up ends, and what the rest of the run delivered.

The warm-up is found by MSER truncation (White 1997): of all truncation points d in the first half of the series,
the one that minimises the marginal standard error of what remains,

    MSER(d) = sum_{i >= d} (y_i - mean_d)^2 / (n - d)^2.

It trades the bias of the warm-up against the variance of a shorter rest, has no threshold to tune, and is
two-sided: it cuts a slow start (a JIT compiler, a cold cache) and a fast one (an empty log, a full cache) alike,
so noise is not turned into speed, as it would be by cutting slow starts only. The limit of half the series keeps it
from choosing a few equal intervals at the end.

Two things would fool it. The last interval is usually a fragment that holds the shutdown: it is left out when it
is shorter than half the usual one. And one stall early in a long run would be worth cutting everything before it,
while the same stall later would be kept: only the choice of d therefore looks at values clipped to
median +- 3 robust standard deviations of the second half; throughput is computed from the values as they are.
A tighter clip would hide long warm-ups; with this one a stall right after the warm-up may still be cut with it.

References
    White (1997), An effective truncation heuristic for bias reduction in simulation output. Simulation 69(6).
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

MIN_INTERVALS = 4
# Below this the second half is too short to tell an outlier from the rest.
CLIP_FROM = 20
CLIP_DEVIATIONS = 3.0
# Scale of the median absolute deviation for a normal distribution, and the least scale as a share of the median.
MAD_TO_SD = 1.4826
LEAST_SPREAD = 0.005


@dataclass(frozen=True)
class Steady:
    """The steady part of a run.

    warmup_s: end of the warm-up from the start of the run, s. steady_ops_s: operations over elapsed time of the
    rest. n_intervals: intervals in it. Both figures are NaN where there are too few intervals to tell.
    end_s: end of the steady part, s.
    """

    warmup_s: float
    steady_ops_s: float
    n_intervals: int
    end_s: float = float("nan")


def steady_state(intervals_total: pd.DataFrame) -> Steady:
    """Find the warm-up of one run and leave it out.

    Parameters
        intervals_total: the TOTAL rows of one run in order: `operations` (count), `interval_s` and `elapsed_s`
            (s, end of the interval).
    Returns
        Steady: with fewer than MIN_INTERVALS whole intervals no warm-up can be told, and its figures are NaN.
    Examples
        >>> rate = [600.0, 900, 1000, 1010, 990, 1000, 1005, 995]
        >>> frame = pd.DataFrame({"operations": rate, "interval_s": 1.0, "elapsed_s": range(1, 9)})
        >>> steady_state(frame)
        Steady(warmup_s=2.0, steady_ops_s=1000.0, n_intervals=6, end_s=8.0)
    """
    done = intervals_total["operations"].to_numpy(float)
    length = intervals_total["interval_s"].to_numpy(float)
    end = intervals_total["elapsed_s"].to_numpy(float)
    whole = len(done)
    if whole > 1 and length[-1] < 0.5 * np.median(length[:-1]):
        whole -= 1
    done, length, end = done[:whole], length[:whole], end[:whole]
    if whole < MIN_INTERVALS:
        return Steady(np.nan, np.nan, whole)
    cut = _mser(_clipped(done / length))
    return Steady(
        warmup_s=float(end[cut] - length[cut]) if cut else 0.0,
        steady_ops_s=float(done[cut:].sum() / length[cut:].sum()),
        n_intervals=whole - cut,
        end_s=float(end[-1]),
    )


def _mser(values: np.ndarray) -> int:
    """The truncation with the least marginal standard error, at most half the series; the first of equals."""
    n = len(values)
    # Sums over i >= d of the values around their mean, which keeps the cancellation small.
    centred = values - values.mean()
    first = np.cumsum(centred[::-1])[::-1]
    second = np.cumsum((centred**2)[::-1])[::-1]
    rest = n - np.arange(n // 2 + 1)
    spread = second[: n // 2 + 1] - first[: n // 2 + 1] ** 2 / rest
    return int(np.argmin(np.maximum(spread, 0.0) / rest.astype(float) ** 2))


def _clipped(values: np.ndarray) -> np.ndarray:
    if len(values) < CLIP_FROM:
        return values
    later = values[len(values) // 2 :]
    centre = np.median(later)
    spread = max(MAD_TO_SD * np.median(np.abs(later - centre)), LEAST_SPREAD * abs(centre))
    return np.clip(values, centre - CLIP_DEVIATIONS * spread, centre + CLIP_DEVIATIONS * spread)
