"""When the clients of one run ran, by wall clock, what they did in the time they had in common, and their interval
series as one: resampled to common intervals and summed."""

import itertools
import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np

from ycsbook import units
from ycsbook.errors import RunLogError
from ycsbook.ingest.log.intervals import Intervals
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.log.series import Series
from ycsbook.operations import TOTAL

# Zones differ by multiples of this.
ZONE_STEP_S = 15 * 60
# Clients of one run start within this; a start that is off by whole zone steps and at most this is another zone.
MAX_ZONE_REST_S = 60.0
# A histogram's log starts with its first value, not long after its client.
MAX_HISTOGRAM_DELAY_S = 300.0
# Common intervals at most; longer ones are taken where a run is longer.
MAX_INTERVALS = 2**19
# Below this share of an operation a bin holds none: what rounding leaves.
_NOTHING = 1e-6
_ADVICE = "each is read as a run of its own"


class Window(NamedTuple):
    """One client's time, in s since 1970 on a clock that all clients share.

    `start`, `end`: of the run; `first`, `last`: of its status lines, between which the counters are known."""

    start: float
    end: float
    first: float
    last: float


def windows(logs: Sequence[RunLog], started_s: Sequence[float], ahead_s: Sequence[float] = ()) -> list[Window] | None:
    """The clients' windows; None where a client's status lines have no clock, so that nobody knows. These show the
    machine's local time: the zones are known by `started_s`, the start of each client's histograms, s since 1970 UTC
    (NaN: not known), or `ahead_s`, how far each clock, in UTC, was ahead of one they share; else the clocks are taken
    as they are. Raises RunLogError for clients that did not run at the same time, or may show different zones."""
    clients = [_window(log) for log in logs]
    if None in clients:
        return None
    shifts = [-s for s in ahead_s] or [_shift(w, utc) for w, utc in zip(clients, started_s, strict=True)]
    if None not in shifts:
        clients = [Window(*(at + s for at in w)) for w, s in zip(clients, shifts, strict=True)]
    elif reason := _zones(clients):
        raise RunLogError(logs[0].source, None, f"{reason} {_shown(clients)}; {_ADVICE}")
    if max(w.first for w in clients) >= min(w.last for w in clients):
        reason = "these are no clients of one run, because they did not all run at the same time:"
        raise RunLogError(logs[0].source, None, f"{reason} {_shown(clients)}; {_ADVICE}")
    return clients


def common(clients: Sequence[Window]) -> tuple[float, float]:
    return max(w.first for w in clients), min(w.last for w in clients)


def union_s(clients: Sequence[Window]) -> float:
    """From the first client's start to the last one's end, s; clocks are printed to the ms."""
    return round(max(w.end for w in clients) - min(w.start for w in clients), 3)


def throughput_ops_s(logs: Sequence[RunLog], clients: Sequence[Window]) -> float:
    """Operations of all clients inside the common window over its length, interpolated between their status lines."""
    window = common(clients)
    done = []
    for log, w in zip(logs, clients, strict=True):
        operations, _, ends = log.series.totals()
        at = np.append(w.first, w.first + (ends - log.series.first_elapsed_s))
        before = log.series.last_operations - operations.sum()
        at_start, at_end = np.interp(window, at, before + np.append(0.0, np.cumsum(operations)))
        done.append(float(at_end - at_start))
    return math.fsum(done) / (window[1] - window[0])


def _window(log: RunLog) -> Window | None:
    series = log.series
    if series.first_at_ms is None or not log.runtime_ms > 0:
        return None
    _, _, ends = series.totals()
    if not len(ends):
        return None
    first = series.first_at_ms / units.MS_PER_S
    start = first - max(0.0, series.first_elapsed_s)
    last = first + float(ends[-1]) - series.first_elapsed_s
    return Window(start, max(start + log.runtime_ms / units.MS_PER_S, last), first, last)


def _shift(window: Window, utc_s: float) -> float | None:
    """What brings a client's clock to UTC, by the start of its histograms."""
    if math.isnan(utc_s):
        return None
    shift = round((utc_s - window.start) / ZONE_STEP_S) * ZONE_STEP_S
    return shift if abs(window.start + shift - utc_s) <= MAX_HISTOGRAM_DELAY_S else None


def _zones(clients: Sequence[Window]) -> str:
    """Why the clients' clocks may show different zones; empty where they do not."""
    for a, b in itertools.combinations(clients, 2):
        apart = abs(b.start - a.start)
        steps = round(apart / ZONE_STEP_S)
        if steps and abs(apart - steps * ZONE_STEP_S) <= MAX_ZONE_REST_S:
            offset, rest_s = units.duration(steps * ZONE_STEP_S), abs(apart - steps * ZONE_STEP_S)
            return (
                f"two clients started {offset} apart, give or take {rest_s:.0f} s: either they "
                "did not run at the same time, or their clocks show different time zones, which nothing here tells:"
            )
    return ""


def _shown(clients: Sequence[Window]) -> str:
    parts = [f"client {i} from {_clock(w.start)} to {_clock(w.end)}" for i, w in enumerate(clients)]
    return ", ".join(parts[:8]) + (f" and {len(parts) - 8} more" if len(parts) > 8 else "")


def _clock(at_s: float) -> str:
    try:
        return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):  # beyond what a date can be
        return f"{at_s:.0f} s after 1970"


def merged_series(logs: Sequence[RunLog], windows: Sequence[Window]) -> Series:
    """One series for the clients' status lines, in intervals as long as the longest of theirs, whole seconds.
    Operations are spread evenly over the interval that they were counted in, and summed; means are weighted by count;
    maxima are those of the intervals whose middle lies inside; percentiles cannot be merged: NaN. The steady state is
    looked for in the time that all have in common."""
    origin = min(w.start for w in windows)
    first, last = min(w.first for w in windows), max(w.last for w in windows)
    steps_s = (float(np.round(np.median(log.series.totals()[1]))) for log in logs)
    edges = _edges(first, last, max(1.0, *steps_s))
    nothing = np.vstack([np.zeros((3, len(edges) - 1)), np.full(len(edges) - 1, np.nan)])
    bins: dict[str, np.ndarray] = {}
    for log, window in zip(logs, windows, strict=True):
        shift = window.first - log.series.first_elapsed_s
        for block in log.series.blocks():
            for code in np.unique(block.name).tolist():
                of_operation = bins.setdefault(block.names[code], nothing.copy())
                _add(of_operation, block.of(block.name == code), shift, edges)
    total = bins.pop(TOTAL)
    rows = _rows({TOTAL: total, **{name: bins[name] for name in sorted(bins)}}, edges, origin)
    inside = np.flatnonzero((edges[:-1] >= common(windows)[0]) & (edges[1:] <= common(windows)[1]))
    length = np.round(np.diff(edges), 3)
    totals = np.stack([total[0][inside], length[inside], np.round(edges[1:][inside] - origin, 3)])
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
        gapped=any(s.gapped for s in series),
    )


def _edges(first: float, last: float, step: float) -> np.ndarray:
    while (last - first) / step > MAX_INTERVALS:
        step *= 2
    edges = np.arange(first, last, step)
    # A rest that is next to nothing belongs to the interval before it.
    if len(edges) > 1 and last - edges[-1] < 0.01 * step:
        edges = edges[:-1]
    return np.append(edges, last)


def _add(bins: np.ndarray, rows: Intervals, shift: float, edges: np.ndarray) -> None:
    """Add the rows of one operation, in order of time, to its figures in the common intervals: the count, that with a
    known mean, the sum and the maximum of latencies; `shift` brings the rows' ends to the wall clock."""
    has_count = ~np.isnan(rows.operations)
    end = rows.elapsed_s[has_count] + shift
    start = end - rows.interval_s[has_count]
    count, mean, high = rows.operations[has_count], rows.mean_us[has_count], rows.max_us[has_count]
    if not len(end):
        return
    # Intervals do not overlap, but for what rounding to ms leaves.
    ends = np.maximum.accumulate(np.column_stack([start, end]).ravel())
    timed = np.isfinite(mean)
    for i, amount in enumerate((count, np.where(timed, count, 0.0), np.where(timed, count * mean, 0.0))):
        done = np.cumsum(np.column_stack([np.zeros(len(amount)), amount]).ravel())
        bins[i] += np.diff(np.interp(edges, ends, done, left=0.0, right=done[-1]))
    at = np.clip(np.searchsorted(edges, (start + end) / 2, side="right") - 1, 0, len(edges) - 2)
    np.fmax.at(bins[3], at, high)


def _rows(bins: dict[str, np.ndarray], edges: np.ndarray, origin: float) -> Intervals:
    """A row per interval and operation, in order of time, TOTAL first; operations only where they happened."""
    n, length = len(edges) - 1, np.round(np.diff(edges), 3)
    count, timed, time, high = np.stack(list(bins.values()), axis=2).reshape(4, -1)
    name = np.tile(np.arange(len(bins), dtype=np.int32), n)
    has_row = (name == 0) | (count > _NOTHING)
    is_timed = (count > _NOTHING) & (timed >= count * (1 - _NOTHING))
    mean = np.divide(time, timed, out=np.full(len(count), np.nan), where=is_timed)
    interval, count = np.repeat(np.arange(n), len(bins))[has_row], count[has_row]
    return Intervals(
        name[has_row],
        np.round(edges[1:] - origin, 3)[interval],
        length[interval],
        count,
        count / length[interval],
        mean[has_row],
        high[has_row],
        np.full(len(count), np.nan),
        np.zeros(len(count), np.int64),
        tuple(bins),
    )
