"""Latencies that a log lists one by one: their count, mean, extremes, percentiles and seconds, in bounded memory."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ycsbook import units
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
class Seconds:
    """What was finished in each second of the wall clock, per operation: count, sum and maximum of the latencies."""

    _found: dict[str, dict[int, tuple[int, int, int]]] = field(default_factory=dict)
    _kept: int = 0
    _too_many: bool = False

    def add(self, operation: str, end_s: np.ndarray, latencies: np.ndarray) -> None:
        """Take further operations: the second since 1970 in which each ended, and its latency."""
        if self._too_many or not len(end_s):
            return
        known = self._found.setdefault(operation, {})
        before = len(known)
        order = np.argsort(end_s, kind="stable")
        seconds, starts = np.unique(end_s[order], return_index=True)
        ordered = latencies[order]
        sums, highest = np.add.reduceat(ordered, starts), np.maximum.reduceat(ordered, starts)
        counts = np.diff(np.append(starts, len(ordered)))
        for second, n, total, high in zip(*(a.tolist() for a in (seconds, counts, sums, highest)), strict=True):
            old = known.get(second, (0, 0, 0))
            known[second] = (old[0] + n, old[1] + total, max(old[2], high))
        self._kept += len(known) - before
        if self._kept > MAX_SECONDS:
            self._found.clear()
            self._too_many = True

    def status_lines(self, start_us: int, us: int, counted: Sequence[str]) -> list[StatusLine]:
        """One status line at the start and one at the end of every second in which something ended.

        Parameters
            start_us: when the run started, us since 1970.
            us: microseconds per unit of latency.
            counted: the operations that the cumulative counter counts.
        """
        ends = sorted({second for known in self._found.values() for second in known})
        lines, done = [], 0
        if ends:
            lines.append(StatusLine(start_us // units.US_PER_MS, 0.0, 0, ()))
        for second in ends:
            here = {name: known[second] for name, known in self._found.items() if second in known}
            done += sum(n for name, (n, _, _) in here.items() if name in counted)
            details = tuple(
                OperationStatus(name, float(n), us * total / n, float(us * high), math.nan)
                for name, (n, total, high) in here.items()
            )
            at_us = (second + 1) * units.US_PER_S
            elapsed_s = round((at_us - start_us) / units.US_PER_S, 3)
            lines.append(StatusLine(at_us // units.US_PER_MS, elapsed_s, done, details))
        return lines
