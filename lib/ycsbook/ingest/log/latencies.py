"""Latencies that a log lists one by one: their count, mean, extremes, percentiles and seconds, in bounded memory."""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from ycsbook import units
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.log.status import OperationStatus, StatusLine

PERCENTILES = (50.0, 90.0, 95.0, 99.0, 99.9, 99.99)
# Distinct latencies that are kept apart; a real run has some ten thousand.
MAX_DISTINCT = 1_000_000
# Seconds and operations that are kept apart: three days of one operation. No series where there are more.
MAX_SECONDS = 250_000
# Values of which no sum of a run overflows 64 bits within one batch.
MAX_VALUE = 10**12
# Significant bits kept of a latency where there are more distinct ones than MAX_DISTINCT: an error under 0.1 %.
_BITS = 10
# Latencies that wait to be counted together.
_BATCH = 65_536
# Calls of one operation that wait to become an array.
_CALLS = 8192


@dataclass
class Latencies:
    """The latencies of one operation, in any whole unit: count, sum and extremes exact, percentiles by nearest rank.

    The value of a percentile is the smallest latency that so many per cent of the operations did not exceed, as
    HdrHistogram defines it. Beyond MAX_DISTINCT different latencies they are rounded to three digits: `is_exact`.
    """

    count: int = 0
    total: int = 0
    min: int | None = None
    max: int | None = None
    is_exact: bool = True
    _values: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    _counts: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    _waiting: list[np.ndarray] = field(default_factory=list)
    _n_waiting: int = 0

    def add(self, values: np.ndarray) -> None:
        """Take further latencies: whole numbers from 0 to MAX_VALUE."""
        if not len(values):
            return
        self.count += len(values)
        self.total += int(values.sum())
        low, high = int(values.min()), int(values.max())
        self.min = low if self.min is None else min(self.min, low)
        self.max = high if self.max is None else max(self.max, high)
        self._waiting.append(values)
        self._n_waiting += len(values)
        if self._n_waiting >= max(_BATCH, len(self._values)):
            self._count_waiting()

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else math.nan

    def percentiles(self, wanted: Sequence[float] = PERCENTILES) -> tuple[tuple[float, float], ...]:
        """Pairs of percentile and latency; none where there is no sample."""
        if not self.count:
            return ()
        self._count_waiting()
        done = np.cumsum(self._counts)
        # The rank is rounded first: 99.9 per cent of 1,000 are 999, not 999.0000000000001.
        ranks = [min(self.count, max(1, math.ceil(round(p * self.count / 100, 6)))) for p in wanted]
        at = np.searchsorted(done, ranks)
        return tuple((p, float(min(v, self.max))) for p, v in zip(wanted, self._values[at].tolist(), strict=True))

    def _count_waiting(self) -> None:
        if not self._waiting:
            return
        new, n = np.unique(self._kept(np.concatenate(self._waiting)), return_counts=True)
        self._waiting, self._n_waiting = [], 0
        self._values, self._counts = _summed(
            np.concatenate([self._values, new]), np.concatenate([self._counts, n])
        )  # fmt: skip
        if self.is_exact and len(self._values) > MAX_DISTINCT:
            self.is_exact = False
            self._values, self._counts = _summed(self._kept(self._values), self._counts)

    def _kept(self, values: np.ndarray) -> np.ndarray:
        if self.is_exact:
            return values
        shift = np.maximum(np.frexp(values.astype(float))[1] - _BITS, 0)
        return (values >> shift) << shift


def _summed(values: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different values in order, each with the sum of its counts."""
    found, inverse = np.unique(values, return_inverse=True)
    return found, np.bincount(inverse, counts, len(found)).astype(np.int64)


@dataclass
class Calls:
    """Calls that a log lists one by one, in any order: per operation their latencies, per second what was finished.

    Parameters
        us: microseconds per unit of start and latency.
        max_operations: operations that are kept apart; calls of further ones are refused.
        total: the operation, if any, that repeats the calls of the others: it has no part in the series.

    `start` and `end` are of the first start and the last end, in the same unit.
    """

    us: int
    max_operations: int
    total: str = ""
    by_operation: dict[str, Latencies] = field(default_factory=dict)
    start: int = 0
    end: int = 0
    _waiting: dict[str, tuple[list[int], list[int]]] = field(default_factory=dict)
    _seconds: dict[str, dict[int, tuple[int, int, int]]] = field(default_factory=dict)
    _n_seconds: int = 0

    def add(self, operation: str, start: int, latency: int) -> bool:
        """Take a call; False where it is of one operation too many."""
        if operation not in self._waiting:
            if len(self._waiting) >= self.max_operations:
                return False
            self._waiting[operation] = ([], [])
        starts, latencies = self._waiting[operation]
        starts.append(start)
        latencies.append(latency)
        if len(starts) == _CALLS:
            self._count(operation)
        return True

    def close(self) -> None:
        """No further call comes."""
        for operation in self._waiting:
            self._count(operation)

    @property
    def runtime_ms(self) -> float:
        """From the first start to the last end."""
        return (self.end - self.start) * self.us / units.US_PER_MS

    def series(self, counted: Collection[str], name_of: Callable[[str], str] = str) -> Series:
        """One status line at the start and one at the end of every second in which something ended.

        Parameters
            counted: the operations that the cumulative counter counts.
            name_of: how an operation is called in the series.
        """
        start_us, done = self.start * self.us, 0
        ends = sorted({second for seconds in self._seconds.values() for second in seconds})
        lines = [StatusLine(start_us // units.US_PER_MS, 0.0, 0, ())] if ends else []
        for second in ends:
            here = {name_of(name): seconds[second] for name, seconds in self._seconds.items() if second in seconds}
            done += sum(n for name, (n, _, _) in here.items() if name in counted)
            details = tuple(
                OperationStatus(name, float(n), self.us * total / n, float(self.us * high), math.nan)
                for name, (n, total, high) in here.items()
            )
            at_us = (second + 1) * units.US_PER_S
            elapsed_s = round((at_us - start_us) / units.US_PER_S, 3)
            lines.append(StatusLine(at_us // units.US_PER_MS, elapsed_s, done, details))
        return Series.of(lines)

    def _count(self, operation: str) -> None:
        starts, latencies = (np.array(values, np.int64) for values in self._waiting[operation])
        self._waiting[operation] = ([], [])
        if not len(starts):
            return
        ends = starts + latencies
        self.start = min(self.start, int(starts.min())) if self.by_operation else int(starts.min())
        self.end = max(self.end, int(ends.max()))
        self.by_operation.setdefault(operation, Latencies()).add(latencies)
        if operation != self.total and self._n_seconds <= MAX_SECONDS:
            self._count_seconds(self._seconds.setdefault(operation, {}), ends // (units.US_PER_S // self.us), latencies)

    def _count_seconds(
        self, seconds: dict[int, tuple[int, int, int]], end_s: np.ndarray, latencies: np.ndarray
    ) -> None:
        """Count, sum and maximum of the latencies in each second since 1970."""
        before = len(seconds)
        order = np.argsort(end_s, kind="stable")
        found, starts = np.unique(end_s[order], return_index=True)
        ordered = latencies[order]
        sums, highest = np.add.reduceat(ordered, starts), np.maximum.reduceat(ordered, starts)
        counts = np.diff(np.append(starts, len(ordered)))
        for second, n, total, high in zip(*(a.tolist() for a in (found, counts, sums, highest)), strict=True):
            old = seconds.get(second, (0, 0, 0))
            seconds[second] = (old[0] + n, old[1] + total, max(old[2], high))
        self._n_seconds += len(seconds) - before
        if self._n_seconds > MAX_SECONDS:
            self._seconds.clear()
