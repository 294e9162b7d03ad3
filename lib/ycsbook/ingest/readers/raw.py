"""YCSB's raw measurements (`measurementtype=raw`): every latency, in a file of its own or within stdout.

For each operation a header, `READ latency raw data: op, timestamp(ms), latency(us)`, and its rows,
`READ,1795252549013,34139`. The file is opened to append: it may hold several runs.

References
    YCSB, OneMeasurementRaw.
"""

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import numpy as np

from ycsbook.errors import RunLogError, shown
from ycsbook.ingest.files.sources import MAX_LINE, Source
from ycsbook.ingest.log.latencies import PERCENTILES, Latencies
from ycsbook.ingest.readers.hdr import YCSB_MAPPING, HdrLog

# Operations of all runs in a file; each needs the memory of a histogram.
MAX_SERIES = 1000
_BLOCK_BYTES = 1024 * 1024
_CLEANUP = "CLEANUP"
# Operations of one run go on at the same time; the next run's JVM takes longer than this to start.
_SAME_RUN_MS = 500

_NAME = rb"[^\s,\[\]\"]{1,64}"
_MARK = b" latency raw data: op, timestamp(ms), latency(us)\n"
_HEADER = re.compile(rb"%b%b?\r?\n?" % (_NAME, re.escape(_MARK[:-1])))
# 13 digits: ms since 1970, from 2001 to 2286. go-ycsb's are us.
_ROW = re.compile(rb"(%b),(\d{13}),(\d{1,10})\r?\n?" % _NAME)
# Rows of one operation.
_ALIKE = re.compile(rb"(%b),\d{13},\d{1,10}\n(?:\1,\d{13},\d{1,10}\n)*" % _NAME)
# A run that was killed while it wrote leaves its last row without end to the header of the next one.
_BEGINS = re.compile(
    rb"(?P<cut>%b,(?:\d{0,13}|\d{13},\d{0,10})(?=[^\d\s,]))?(?P<name>%b)%b" % (_NAME, _NAME, re.escape(_MARK))
)


def is_raw(line: bytes) -> bool:
    """Whether a line, of a log that may hold others too, is a header or a row for RawRows."""
    return _ROW.fullmatch(line) is not None or _HEADER.fullmatch(line) is not None


def recognises(head: bytes, name: str = "") -> bool:
    """Whether a file that begins like this holds raw measurements and nothing else."""
    first, end, _ = head.partition(b"\n")
    return bool(end) and _HEADER.fullmatch(first) is not None


@dataclass
class RawLatencies(Latencies):
    """All latencies of one operation, in us.

    `first_ms`, `last_ms`: when the first and the last call ended, ms since 1970. `truncated`: the file ends, or a run
    in it, within a line, which was left out."""

    operation: str = ""
    first_ms: float = math.nan
    last_ms: float = math.nan
    truncated: bool = False

    @property
    def histogram(self) -> HdrLog:
        index = YCSB_MAPPING.index(self.values)
        counts = np.bincount(index, self.counts, YCSB_MAPPING.length).astype(np.int64)
        return HdrLog(YCSB_MAPPING, counts, truncated=self.truncated)

    def percentiles(self, percents: tuple[float, ...] = PERCENTILES) -> dict[float, float]:
        """Value at each percentile (0 to 100), empty without values: a latency that was measured, not a bucket's end.

        As YCSB prints them: number int(percentile / 100 x count), counted from 0, of the sorted latencies."""
        if not self.count:
            return {}
        # YCSB multiplies by the literal 0.999, which 99.9 / 100 is not.
        ranks = [min(int(self.count * float(Decimal(str(p)) / 100)), self.count - 1) + 1 for p in percents]
        return dict(zip(percents, self.at_ranks(ranks), strict=True))

    def take(self, values: np.ndarray, first_ms: int, last_ms: int) -> None:
        """Take further latencies, of calls that ended within this time."""
        self.add(values)
        self.first_ms = float(np.fmin(self.first_ms, first_ms))
        self.last_ms = float(np.fmax(self.last_ms, last_ms))


def read_sections(path: Path) -> list[dict[str, RawLatencies]]:
    """The latencies of each operation of each run appended to a file of raw measurements, in the file's order. Raises
    RunLogError: unreadable, a line that is neither header nor row, or no header at all."""
    rows = RawRows(str(path))
    for chunk in Source(path).chunks(_BLOCK_BYTES):
        rows.add(chunk)
    runs = rows.runs()
    if not runs:
        raise RunLogError(path, None, 'holds no raw measurements: no line "READ latency raw data: ..."')
    return runs


class RawRows:
    """Collects raw measurements; then `runs` says what they were. Raises RunLogError where is_raw is false."""

    def __init__(self, source: str = ""):
        self.source, self.truncated = source, False
        self._lines = 0
        self._series: list[RawLatencies] = []
        self._latest: dict[bytes, RawLatencies] = {}

    def add(self, lines: bytes) -> None:
        """Take whole lines; only the last of all may have no end, and is left out."""
        end = lines.rfind(b"\n") + 1
        if len(lines) - end > MAX_LINE:
            raise RunLogError(self.source, None, f"a line of more than {MAX_LINE:,} bytes, which no raw row is")
        self.truncated |= len(lines) > end
        text, at = lines[:end].replace(b"\r\n", b"\n"), 0
        while at < len(text):
            if match := _ALIKE.match(text, at):
                cells = match[0].replace(b"\n", b",").split(b",")
                values = np.fromiter(map(int, cells[2::3]), np.int64)
                self._lines += len(values)
                name = cells[0]
                (self._latest.get(name) or self._begin(name)).take(values, int(cells[1]), int(cells[-3]))
            else:
                self._lines += 1
                if not (match := _BEGINS.match(text, at)):
                    got = shown(text[at : text.index(b"\n", at) + 1][:4000])
                    expected = "expected a row such as READ,1795252549013,34139 or the header before such rows"
                    raise RunLogError(self.source, self._lines, f"got {got}; {expected}")
                self.truncated |= match["cut"] is not None
                self._begin(match["name"])
            at = match.end()

    def runs(self) -> list[dict[str, RawLatencies]]:
        """The latencies of each operation of each run; empty where nothing was added."""
        runs: list[list[RawLatencies]] = []
        for series in self._series:
            series.truncated = self.truncated
            if not runs or not _belongs(series, runs[-1]):
                runs.append([])
            runs[-1].append(series)
        return [{series.operation: series for series in run} for run in runs]

    def _begin(self, name: bytes) -> RawLatencies:
        if len(self._series) == MAX_SERIES:
            raise RunLogError(self.source, self._lines, f"more than {MAX_SERIES:,} operations in one file; split it")
        series = self._latest[name] = RawLatencies(operation=name.decode(errors="backslashreplace"))
        self._series.append(series)
        return series


def _belongs(following: RawLatencies, run: list[RawLatencies]) -> bool:
    """In a run an operation comes once, and all but CLEANUP, its threads' end, go on at the same time."""
    if any(series.operation == following.operation for series in run):
        return False
    timed = [s for s in run if _is_timed(s)]
    if not timed or not _is_timed(following):
        return True
    begin, end = min(s.first_ms for s in timed), max(s.last_ms for s in timed)
    return following.first_ms <= end + _SAME_RUN_MS and following.last_ms >= begin - _SAME_RUN_MS


def _is_timed(series: RawLatencies) -> bool:
    return series.operation != _CLEANUP and not math.isnan(series.first_ms)
