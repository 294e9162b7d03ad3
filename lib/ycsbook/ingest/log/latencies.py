"""Calls that a log lists one by one: per operation their latencies, per second what ended; in bounded memory."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from ycsbook import units
from ycsbook.ingest.log.runlog import Summary
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.log.status import OperationStatus, StatusLine

PERCENTILES = (50.0, 90.0, 95.0, 99.0, 99.9, 99.99)
# Distinct latencies that are kept apart; a real run has some ten thousand.
MAX_DISTINCT = 1_000_000
# Seconds and operations that are kept apart: three days of one operation. No series where there are more.
MAX_SECONDS = 250_000
# Significant bits kept of a latency where there are more distinct ones than MAX_DISTINCT: an error under 0.1 %.
_BITS = 10
# Calls that wait to be counted together.
_BATCH = 65_536


@dataclass
class Latencies:
    """The latencies of one operation, in any whole unit: the different `values`, ascending, and how often each was
    (`counts`). Count, sum and extremes are exact; a percentile is the smallest latency that so many per cent did not
    exceed, rounded to three digits beyond MAX_DISTINCT different ones (`is_exact`)."""

    count: int = 0
    total: int = 0
    min: float = math.nan
    max: float = math.nan
    is_exact: bool = True
    values: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    counts: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))

    def add(self, values: np.ndarray) -> None:
        """Take further latencies: whole numbers of which no sum overflows."""
        self.count += len(values)
        self.total += int(values.sum())
        self.min, self.max = float(np.fmin(self.min, values.min())), float(np.fmax(self.max, values.max()))
        self._sum_up(np.append(self.values, values), np.append(self.counts, np.ones(len(values), np.int64)))
        if len(self.values) > MAX_DISTINCT:
            self.is_exact = False
            self._sum_up(self.values, self.counts)

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else math.nan

    def percentiles(self, percents: Sequence[float] = PERCENTILES) -> tuple[tuple[float, float], ...]:
        """Pairs of percentile and latency, of one sample at least."""
        # The rank is rounded first: 99.9 per cent of 1,000 are 999, not 999.0000000000001.
        ranks = [min(self.count, max(1, math.ceil(round(p * self.count / 100, 6)))) for p in percents]
        return tuple(zip(percents, self.at_ranks(ranks), strict=True))

    def at_ranks(self, ranks: Sequence[int]) -> list[float]:
        values = self.values[np.searchsorted(np.cumsum(self.counts), ranks)]
        return [min(float(v), self.max) for v in values.tolist()]

    def _sum_up(self, values: np.ndarray, counts: np.ndarray) -> None:
        if not self.is_exact:
            shift = np.maximum(np.frexp(values.astype(float))[1] - _BITS, 0)
            values = (values >> shift) << shift
        self.values, inverse = np.unique(values, return_inverse=True)
        self.counts = np.bincount(inverse, counts, len(self.values)).astype(np.int64)


@dataclass
class Calls:
    """Add calls in any order with `add`, then `close`. `us`: microseconds per unit of start and latency, and of `start`
    and `end`, the first and the last; calls of more than `max_operations` are refused; `total`: the operation, if any,
    that repeats the calls of the others and has no part in the series."""

    us: int
    max_operations: int
    total: str = ""
    by_operation: dict[str, Latencies] = field(default_factory=dict)
    start: float = math.inf
    end: int = 0
    _waiting: list[tuple[str, int, int]] = field(default_factory=list)
    # Count, sum and maximum of the latencies of an operation in a second since 1970.
    _seconds: dict[tuple[int, str], tuple[int, int, int]] = field(default_factory=dict)
    _too_many_seconds: bool = False

    def add(self, operation: str, start: int, latency: int) -> bool:
        """Take a call; False where it is of one operation too many."""
        if operation not in self.by_operation:
            if len(self.by_operation) >= self.max_operations:
                return False
            self.by_operation[operation] = Latencies()
        self._waiting.append((operation, start, latency))
        if len(self._waiting) == _BATCH:
            self.close()
        return True

    def close(self) -> None:
        """Count the calls that still wait."""
        for operation, calls in groupby(sorted(self._waiting), key=lambda call: call[0]):
            _, starts, latencies = (np.array(column) for column in zip(*calls, strict=True))
            ends = starts + latencies
            self.start, self.end = min(self.start, int(starts.min())), max(self.end, int(ends.max()))
            self.by_operation[operation].add(latencies)
            if operation != self.total and not self._too_many_seconds:
                self._count_seconds(operation, ends // (units.US_PER_S // self.us), latencies)
        self._waiting.clear()

    @property
    def runtime_ms(self) -> float:
        return (self.end - self.start) * self.us / units.US_PER_MS

    def summaries(self, where: str) -> Iterator[Summary]:
        """The summary of each operation; `where`: file:line."""
        for name, calls in self.by_operation.items():
            if name != self.total:
                mean_us = calls.total * self.us / calls.count
                percentiles = tuple((p, value * self.us) for p, value in calls.percentiles())
                extremes = calls.min * self.us, calls.max * self.us
                yield Summary(name, float(calls.count), mean_us, *extremes, percentiles, source=where)

    def series(self, counted: Collection[str]) -> Series:
        """One status line at the start and one at the end of every second in which something ended; `counted`: the
        operations that the cumulative counter counts."""
        if not self._seconds:
            return Series.of([])
        start_us, done = self.start * self.us, 0
        lines = [StatusLine(start_us // units.US_PER_MS, 0.0, 0, ())]
        rank = {name: i for i, name in enumerate(self.by_operation)}
        keys = sorted(self._seconds, key=lambda key: (key[0], rank[key[1]]))
        for second, of_second in groupby(keys, key=lambda key: key[0]):
            figures = {key[1]: self._seconds[key] for key in of_second}
            done += sum(n for name, (n, _, _) in figures.items() if name in counted)
            details = tuple(
                OperationStatus(name, float(n), self.us * total / n, float(self.us * high))
                for name, (n, total, high) in figures.items()
            )
            at_us = (second + 1) * units.US_PER_S
            elapsed_s = round((at_us - start_us) / units.US_PER_S, 3)
            lines.append(StatusLine(at_us // units.US_PER_MS, elapsed_s, done, details))
        return Series.of(lines)

    def _count_seconds(self, operation: str, end_s: np.ndarray, latencies: np.ndarray) -> None:
        order = np.argsort(end_s, kind="stable")
        seconds, starts, counts = np.unique(end_s[order], return_index=True, return_counts=True)
        sums, highest = (of.reduceat(latencies[order], starts) for of in (np.add, np.maximum))
        for second, n, total, high in zip(*(a.tolist() for a in (seconds, counts, sums, highest)), strict=True):
            before = self._seconds.get((second, operation), (0, 0, 0))
            self._seconds[second, operation] = before[0] + n, before[1] + total, max(before[2], high)
        if len(self._seconds) > MAX_SECONDS:
            self._too_many_seconds = True
            self._seconds.clear()
