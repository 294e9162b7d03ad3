"""When the clients of one run ran, by wall clock, and what they did in the time they had in common."""

import itertools
import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np

from ycsbook import units
from ycsbook.errors import RunLogError
from ycsbook.ingest.log.runlog import RunLog

# Zones differ by multiples of this.
ZONE_STEP_S = 15 * 60
# Clients of one run start within this; a start that is off by whole zone steps and at most this is another zone.
MAX_ZONE_REST_S = 60.0
# A histogram's log starts with its first value, not long after its client.
MAX_HISTOGRAM_DELAY_S = 300.0


class Window(NamedTuple):
    """One client's time, in s since 1970 on a clock that all clients share.

    `start`, `end`: of the run; `first`, `last`: of its status lines, between which the counters are known.
    """

    start: float
    end: float
    first: float
    last: float


def windows(logs: Sequence[RunLog], started_s: Sequence[float], ahead_s: Sequence[float] = ()) -> list[Window] | None:
    """The clients' windows; None where a client's status lines have no clock, so that nobody knows.

    Status lines show the machine's local time. Where every client has histograms, which say their start in UTC, the
    zones are known. Otherwise the clocks are taken as they are.

    Parameters
        started_s: start of each client's histograms, s since 1970 UTC; NaN: not known.
        ahead_s: how far each client's clock, which is UTC then, was ahead of one they share, s; empty: not known.
    Raises
        RunLogError: clients that did not run at the same time, or whose clocks may show different zones.
    """
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


_ADVICE = "each is read as a run of its own"


def common(clients: Sequence[Window]) -> tuple[float, float]:
    """From the latest first status line to the earliest last one."""
    return max(w.first for w in clients), min(w.last for w in clients)


def union_s(clients: Sequence[Window]) -> float:
    """From the first client's start to the last one's end, s; clocks are printed to the ms."""
    return round(max(w.end for w in clients) - min(w.start for w in clients), 3)


def skew_s(clients: Sequence[Window]) -> float:
    """From the first client's start to the last one's, s."""
    return round(max(w.start for w in clients) - min(w.start for w in clients), 3)


def throughput_ops_s(logs: Sequence[RunLog], clients: Sequence[Window]) -> float:
    """Operations of all clients inside the common window over its length.

    Each client's cumulative counter is interpolated linearly between its status lines.
    """
    window = common(clients)
    done = []
    for log, w in zip(logs, clients, strict=True):
        at, counter = counters(log, w)
        at_start, at_end = np.interp(window, at, counter)
        done.append(float(at_end - at_start))
    return math.fsum(done) / (window[1] - window[0])


def counters(log: RunLog, window: Window) -> tuple[np.ndarray, np.ndarray]:
    """A client's cumulative counter: at the times (s since 1970) of its status lines, and its values."""
    operations, _, ends = log.series.totals()
    at = np.append(window.first, window.first + (ends - log.series.first_elapsed_s))
    before = log.series.last_operations - operations.sum()
    return at, before + np.append(0.0, np.cumsum(operations))


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
            shown, rest_s = units.duration(steps * ZONE_STEP_S), abs(apart - steps * ZONE_STEP_S)
            return (
                f"two clients started {shown} apart, give or take {rest_s:.0f} s: either they "
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
