"""Steady throughput: where the warm-up ends, and what the rest of the run delivered.

The warm-up is found by MSER truncation (White 1997): of all truncation points d in the first half of the series,
the one that minimises the marginal standard error of what remains,

    MSER(d) = sum_{i >= d} (y_i - mean_d)^2 / (n - d)^2.

It has no threshold to tune and cuts a slow start (a JIT compiler, a cold cache) and a fast one (an empty log, a full
cache) alike, so noise is not turned into speed. The limit of half the series keeps it from a few equal intervals at the
end.

A last interval shorter than half the usual one is a fragment that holds the shutdown, and left out. One stall early in
a long run would be worth cutting everything before it: only the choice of d therefore looks at values clipped to median
+- 3 robust standard deviations of the second half; throughput is computed from the values as they are.

References
    White (1997), An effective truncation heuristic for bias reduction in simulation output. Simulation 69(6).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

MIN_INTERVALS = 4
# Below this the second half is too short to tell an outlier from the rest.
CLIP_FROM = 20
CLIP_DEVIATIONS = 3.0
# Scale of the median absolute deviation for a normal distribution, and the least scale as a share of the median.
MAD_TO_SD = 1.4826
LEAST_SPREAD = 0.005


@dataclass(frozen=True)
class Steady:
    """The steady part of a run: `warmup_s`, `end_s`: its start and end from the start of the run, s; `steady_ops_s`:
    its operations over its time; `n_intervals`. Figures are NaN where there are too few intervals to tell."""

    warmup_s: float
    steady_ops_s: float
    n_intervals: int
    end_s: float = float("nan")


def steady_state(operations: np.ndarray, interval_s: np.ndarray, elapsed_s: np.ndarray) -> Steady:
    """Find the warm-up of one run and leave it out: operations of each interval, its length and its end (s), in order.
    With fewer than MIN_INTERVALS whole intervals the figures are NaN."""
    return steady_states([(operations, interval_s, elapsed_s)])[0]


def steady_states(runs: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> list[Steady]:
    """Like steady_state, for many runs: those with equally many intervals together."""
    by_length: dict[int, list[int]] = {}
    for i, (operations, _, _) in enumerate(runs):
        by_length.setdefault(len(operations), []).append(i)
    by_run: dict[int, Steady] = {}
    for n, indices in by_length.items():
        done, length, end = (np.array([runs[i][k] for i in indices], float) for k in range(3))
        cut = length[:, -1] < 0.5 * _medians(length[:, :-1]) if n > 1 else np.zeros(len(indices), bool)
        for rows, until in ((np.flatnonzero(~cut), n), (np.flatnonzero(cut), n - 1)):
            if len(rows):
                states = _of_equal_length(*(np.ascontiguousarray(part[rows, :until]) for part in (done, length, end)))
                by_run.update(zip((indices[row] for row in rows.tolist()), states, strict=True))
    return [by_run[i] for i in range(len(runs))]


def _of_equal_length(done: np.ndarray, length: np.ndarray, end: np.ndarray) -> list[Steady]:
    runs, n = done.shape
    if n < MIN_INTERVALS:
        return [Steady(np.nan, np.nan, n)] * runs
    row, cut = np.arange(runs), _mser(_clipped(done / length))
    warmup = np.where(cut > 0, end[row, cut] - length[row, cut], 0.0)
    steady_sums = [np.cumsum(part[:, ::-1], axis=1)[row, n - 1 - cut] for part in (done, length)]
    figures = (warmup, steady_sums[0] / steady_sums[1], n - cut, end[:, -1])
    return [Steady(*values) for values in zip(*(of.tolist() for of in figures), strict=True)]


def _mser(values: np.ndarray) -> np.ndarray:
    """The truncation with the least marginal standard error, at most half the series; the first of equals."""
    n = values.shape[1]
    # Sums over i >= d of the values around their mean, which keeps the cancellation small.
    centred = values - values.mean(axis=1, keepdims=True)
    first = np.cumsum(centred[:, ::-1], axis=1)[:, ::-1]
    second = np.cumsum((centred**2)[:, ::-1], axis=1)[:, ::-1]
    remaining = n - np.arange(n // 2 + 1)
    spread = second[:, : n // 2 + 1] - first[:, : n // 2 + 1] ** 2 / remaining
    return np.argmin(np.maximum(spread, 0.0) / remaining.astype(float) ** 2, axis=1)


def _clipped(values: np.ndarray) -> np.ndarray:
    n = values.shape[1]
    if n < CLIP_FROM:
        return values
    later = values[:, n // 2 :]
    centre = _medians(later)[:, None]
    spread = np.maximum(MAD_TO_SD * _medians(np.abs(later - centre))[:, None], LEAST_SPREAD * np.abs(centre))
    return np.clip(values, centre - CLIP_DEVIATIONS * spread, centre + CLIP_DEVIATIONS * spread)


def _medians(values: np.ndarray) -> np.ndarray:
    """The median of each row; numpy's own takes most of the time of a short run."""
    ordered = np.sort(values, axis=1)
    n = values.shape[1]
    return (ordered[:, (n - 1) // 2] + ordered[:, n // 2]) / 2
