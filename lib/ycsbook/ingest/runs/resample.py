"""The interval series of several clients as one: resampled by wall clock to common intervals and summed."""

from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.log.status import Intervals
from ycsbook.ingest.runs.client_windows import Window, common
from ycsbook.operations import TOTAL

# Common intervals at most; longer ones are taken where a run is longer.
MAX_INTERVALS = 2**19
# Below this share of an operation a bin holds none: what rounding leaves.
_NOTHING = 1e-6


def merged_series(logs: Sequence[RunLog], windows: Sequence[Window]) -> Series:
    """One series for the clients' status lines.

    The intervals are as long as the longest of the clients', whole seconds. Operations are spread evenly over the
    interval that they were counted in, and summed; means are weighted by count; maxima are those of the intervals
    whose middle lies inside. Percentiles of several clients cannot be merged: NaN. The steady state is looked for
    in the time that the clients have in common only.
    """
    origin = min(w.start for w in windows)
    first, last = min(w.first for w in windows), max(w.last for w in windows)
    edges = _edges(first, last, max(_step_s(log.series) for log in logs))
    bins: dict[str, _Bins] = {}
    for log, window in zip(logs, windows, strict=True):
        shift = window.first - log.series.first_elapsed_s
        for block in log.series.blocks():
            for code in np.unique(block.name).tolist():
                rows = _only(block, block.name == code)
                bins.setdefault(block.names[code], _Bins(edges)).add(rows, shift)
    total = bins.pop(TOTAL)
    rows = _rows({TOTAL: total, **{name: bins[name] for name in sorted(bins)}}, edges, origin)
    inside = np.flatnonzero((edges[:-1] >= common(windows)[0]) & (edges[1:] <= common(windows)[1]))
    length = np.round(np.diff(edges), 3)
    totals = np.stack([total.count[inside], length[inside], np.round(edges[1:][inside] - origin, 3)])
    series = [log.series for log in logs]
    earliest = min(range(len(logs)), key=lambda i: (windows[i].start, series[i].first_at_ms))
    success = (w.first - s.first_elapsed_s + s.last_success_s - origin for s, w in zip(series, windows, strict=True))
    return Series.of_intervals(
        rows,
        totals,
        lines=sum(s.lines for s in series),
        first_at_ms=series[earliest].first_at_ms,
        first_elapsed_s=series[earliest].first_elapsed_s,
        last_elapsed_s=round(last - origin, 3),
        last_operations=sum(s.last_operations for s in series),
        last_success_s=max(success),
        stepped=any(s.stepped for s in series),
    )


def _step_s(series: Series) -> float:
    """The usual length of a client's intervals, in whole seconds."""
    _, length, _ = series.totals()
    return max(1.0, float(np.round(np.median(length))))


def _only(block: Intervals, chosen: np.ndarray) -> Intervals:
    return Intervals(*(getattr(block, f.name)[chosen] for f in fields(block)[:-1]), block.names)


def _edges(first: float, last: float, step: float) -> np.ndarray:
    while (last - first) / step > MAX_INTERVALS:
        step *= 2
    edges = np.arange(first, last, step)
    # A rest that is next to nothing belongs to the interval before it.
    if len(edges) > 1 and last - edges[-1] < 0.01 * step:
        edges = edges[:-1]
    return np.append(edges, last)


class _Bins:
    """One operation's figures in the common intervals."""

    def __init__(self, edges: np.ndarray):
        self.edges = edges
        n = len(edges) - 1
        self.count, self.timed, self.time = np.zeros(n), np.zeros(n), np.zeros(n)
        self.max = np.full(n, -np.inf)

    def add(self, rows: Intervals, shift: float) -> None:
        """Rows of one operation, in order of time; `shift` brings their ends to the wall clock."""
        known = ~np.isnan(rows.operations)
        end = rows.elapsed_s[known] + shift
        start = end - rows.interval_s[known]
        count, mean, high = rows.operations[known], rows.mean_us[known], rows.max_us[known]
        if not len(end):
            return
        self.count += self._spread(start, end, count)
        timed = np.isfinite(mean)
        self.timed += self._spread(start, end, np.where(timed, count, 0.0))
        self.time += self._spread(start, end, np.where(timed, count * mean, 0.0))
        at = np.clip(np.searchsorted(self.edges, (start + end) / 2, side="right") - 1, 0, len(self.max) - 1)
        np.maximum.at(self.max, at[~np.isnan(high)], high[~np.isnan(high)])

    def _spread(self, start: np.ndarray, end: np.ndarray, amount: np.ndarray) -> np.ndarray:
        # Intervals do not overlap, but for what rounding to ms leaves.
        at = np.maximum.accumulate(np.column_stack([start, end]).ravel())
        done = np.cumsum(np.column_stack([np.zeros(len(amount)), amount]).ravel())
        return np.diff(np.interp(self.edges, at, done, left=0.0, right=done[-1]))

    @property
    def mean_us(self) -> np.ndarray:
        """Weighted by count; NaN where a part of the count has no mean."""
        whole = (self.count > _NOTHING) & (self.timed >= self.count * (1 - _NOTHING))
        return np.divide(self.time, self.timed, out=np.full(len(self.count), np.nan), where=whole)


def _rows(bins: dict[str, _Bins], edges: np.ndarray, origin: float) -> Intervals:
    """A row per interval and operation, in order of time, TOTAL first; operations only where they happened."""
    n, length = len(edges) - 1, np.round(np.diff(edges), 3)
    each = list(bins.values())
    count = np.stack([b.count for b in each], axis=1).ravel()
    name = np.tile(np.arange(len(each), dtype=np.int32), n)
    kept = (name == 0) | (count > _NOTHING)
    interval = np.repeat(np.arange(n), len(each))[kept]
    count = count[kept]
    high = np.stack([b.max for b in each], axis=1).ravel()[kept]
    return Intervals(
        name[kept],
        np.round(edges[1:] - origin, 3)[interval],
        length[interval],
        count,
        count / length[interval],
        np.stack([b.mean_us for b in each], axis=1).ravel()[kept],
        np.where(np.isfinite(high), high, np.nan),
        np.full(len(count), np.nan),
        np.zeros(len(count), np.int64),
        tuple(bins),
    )
