"""A series of intervals from the progress lines of load generators other than YCSB."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from ycsbook.ingest.log.intervals import StatusLines
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.log.status import OperationStatus, StatusLine

# Lines that wait to be added together.
_BATCH = 4096


@dataclass
class StatusSeries:
    """Add progress lines in order, and at the end ask for `close`. The run begins with nothing done at 0 s."""

    lines: int = 0
    _series: Series = field(default_factory=Series)
    _waiting: list[tuple[int, StatusLine]] = field(default_factory=list)

    def add(self, number: int, elapsed_s: float, operations: int, details: Iterable[OperationStatus]) -> None:
        """Take a line.

        Parameters
            number: of the line in its file, from 1.
            operations: done since the start.
            details: what was done since the line before.
        """
        self.start(number)
        self.lines += 1
        self._waiting.append((number, StatusLine(None, elapsed_s, operations, tuple(details))))
        if len(self._waiting) > _BATCH:
            self._flush()

    def start(self, number: int) -> None:
        """The run has begun by this line, whether it counts or not."""
        if not self._series.lines and not self._waiting:
            self._waiting.append((number, StatusLine(None, 0.0, 0, ())))

    def close(self) -> Series:
        self._flush()
        return self._series.close()

    def _flush(self) -> None:
        if self._waiting:
            self._series.add(StatusLines.of(self._waiting))
            self._waiting.clear()


def done(operation: str, count: float, mean_us: float = math.nan, max_us: float = math.nan) -> OperationStatus:
    """What was done of an operation between two lines; the 99th percentile is not told."""
    return OperationStatus(operation, count, mean_us, max_us, math.nan)
