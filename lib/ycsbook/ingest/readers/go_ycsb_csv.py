"""go-ycsb's raw measurements: one CSV row per call, grouped by operation, not in order of time."""

import math
import re
from dataclasses import dataclass, field

import numpy as np

from ycsbook import units
from ycsbook.ingest.log.latencies import Latencies, Seconds
from ycsbook.ingest.log.operations import DATABASE_OPERATIONS, TOTAL
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.readers.go_ycsb_rows import Row, is_counted, name_of

HEADER = "operation,timestamp_us,latency_us"
MAX_OPERATIONS = 64
_BATCH = 8192

# At most 2,000 years and eleven days, so that no sum overflows.
_ROW = re.compile(r"([A-Za-z][\w-]{0,59}),(\d{1,17}),(\d{1,12})", re.ASCII)


def recognises(head: bytes) -> bool:
    """Whether this begins as such a CSV does."""
    return head.lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0].rstrip(b"\r") == HEADER.encode()


@dataclass
class Rows:
    """The rows of one run while they go by. `junk` counts lines with as many columns that are no rows."""

    first_line: int
    latencies: dict[str, Latencies] = field(default_factory=dict)
    junk: int = 0
    start_us: int = 0
    end_us: int = 0
    _seconds: Seconds = field(default_factory=Seconds)
    _waiting: dict[str, tuple[list[int], list[int]]] = field(default_factory=dict)

    def line(self, text: str, whole: bool) -> bool:
        """Take a line; False where it is none of ours."""
        match = _ROW.fullmatch(text) if whole else None
        if match is None:
            self.junk += whole and text.count(",") == 2
            return False
        name = match[1]
        if name not in self._waiting:
            if len(self._waiting) == MAX_OPERATIONS:
                self.junk += 1
                return True
            self._waiting[name] = ([], [])
        starts, lasted = self._waiting[name]
        starts.append(int(match[2]))
        lasted.append(int(match[3]))
        if len(starts) == _BATCH:
            self._count(name)
        return True

    def close(self) -> None:
        """No further row comes."""
        for name in self._waiting:
            self._count(name)

    @property
    def runtime_ms(self) -> float:
        """From the first start to the last end."""
        return (self.end_us - self.start_us) / units.US_PER_MS

    def rows(self) -> dict[str, Row]:
        """The totals of each operation, as the other outputs tell them."""
        return {name: _row(name, one, self.first_line) for name, one in self.latencies.items()}

    def series(self) -> Series:
        counted = [name for name in DATABASE_OPERATIONS] + [f"{name}-FAILED" for name in DATABASE_OPERATIONS]
        return Series.of(self._seconds.status_lines(self.start_us, 1, counted))

    def is_whole(self) -> bool:
        """Whether there are as many rows of TOTAL as of all operations together; true where there are none."""
        total = self.latencies.get(TOTAL)
        return total is None or total.count == sum(
            one.count for name, one in self.latencies.items() if is_counted(name)
        )

    def _count(self, name: str) -> None:
        starts, lasted = (np.array(values, np.int64) for values in self._waiting[name])
        self._waiting[name] = ([], [])
        if not len(starts):
            return
        ends = starts + lasted
        first, last = int(starts.min()), int(ends.max())
        self.start_us = min(self.start_us, first) if self.latencies else first
        self.end_us = max(self.end_us, last)
        self.latencies.setdefault(name, Latencies()).add(lasted)
        if name != TOTAL:
            self._seconds.add(name_of(name), ends // units.US_PER_S, lasted)


def _row(name: str, one: Latencies, line: int) -> Row:
    low, high = (math.nan if v is None else float(v) for v in (one.min, one.max))
    return Row(name, 0.0, one.count, 0.0, one.mean, low, high, one.percentiles(), line)
