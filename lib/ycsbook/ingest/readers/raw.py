"""YCSB's raw measurements (`measurementtype=raw`): every latency, in a file of its own or within stdout.

For each operation a header, `READ latency raw data: op, timestamp(ms), latency(us)`, and its rows,
`READ,1795252549013,34139`. The file is opened to append: it may hold several runs.

References
    YCSB, OneMeasurementRaw.
"""

import math
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import groupby
from pathlib import Path

import numpy as np

from ycsbook.errors import RunLogError, shown
from ycsbook.ingest.files.sources import MAX_LINE, Source
from ycsbook.ingest.readers.hdr_log import PERCENTILES, HdrLog, merged, of_values

# Latencies that are kept as they are, of one file: 80 MB. With more there are only histograms.
MAX_EXACT = 20_000_000
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
# A run that was killed while it wrote leaves its last row without end to the header of the next one.
_CUT_ROW = re.compile(rb"%b,(?:\d{0,13}|\d{13},\d{0,10})(?=[^\d\s,])(%b)%b" % (_NAME, _NAME, re.escape(_MARK)))


def is_raw(line: bytes) -> bool:
    """Whether a line, of a log that may hold others too, is a header or a row for RawRows."""
    return _ROW.fullmatch(line) is not None or _HEADER.fullmatch(line) is not None


def recognises(head: bytes, name: str = "") -> bool:
    """Whether a file that begins like this holds raw measurements and nothing else."""
    first, end, _ = head.partition(b"\n")
    return bool(end) and _HEADER.fullmatch(first) is not None


@dataclass(frozen=True)
class RawLatencies:
    """All latencies of one operation. `mean`, `minimum`, `maximum` and `count` are exact; NaN where there is none.

    `values_us`: the latencies, sorted; None where there were too many to keep: then percentiles come from the
    histogram. `first_ms`, `last_ms`: when the first and the last call ended, ms since 1970. `truncated`: the file
    ends, or a run in it, within a line, which was left out.
    """

    operation: str
    histogram: HdrLog
    total_us: int
    minimum: float
    maximum: float
    values_us: np.ndarray | None
    first_ms: float = math.nan
    last_ms: float = math.nan
    truncated: bool = False

    @property
    def count(self) -> int:
        return self.histogram.count

    @property
    def mean(self) -> float:
        return self.total_us / self.count if self.count else math.nan

    def encode(self) -> bytes:
        """The latencies as one histogram, see HdrLog.encode."""
        return self.histogram.encode()

    def percentiles(self, wanted: tuple[float, ...] = PERCENTILES) -> dict[float, float]:
        """Value at each percentile (0 to 100), empty without values: a latency that was measured, not a bucket's end.

        As YCSB prints them: number int(percentile / 100 x count), counted from 0, of the sorted latencies.
        """
        if self.values_us is None:
            return self.histogram.percentiles(wanted)
        if not self.count:
            return {}
        # YCSB multiplies by the literal 0.999, which 99.9 / 100 is not.
        ranks = [int(self.count * float(Decimal(str(p)) / 100)) for p in wanted]
        return {p: float(self.values_us[min(r, self.count - 1)]) for p, r in zip(wanted, ranks, strict=True)}


def read_sections(source: Source | Path) -> list[dict[str, RawLatencies]]:
    """The latencies of each operation of each run appended to a file of raw measurements, in the file's order.

    Raises
        RunLogError: unreadable, a line that is neither header nor row, or no header at all.
    """
    source = source if isinstance(source, Source) else Source(Path(source))
    rows = RawRows(str(source))
    for chunk in source.chunks(_BLOCK_BYTES):
        rows.add(chunk)
    runs = rows.runs()
    if not runs:
        raise RunLogError(source, None, 'holds no raw measurements: no line "READ latency raw data: ..."')
    return runs


class RawRows:
    """Collects raw measurements, given as they come, whole lines or not; then `runs` says what they were.

    Takes memory for MAX_EXACT latencies, then only for histograms.

    Raises
        RunLogError: at a line that is_raw does not know, with `source` and its number among those added.
    """

    def __init__(self, source: str = "", max_exact: int = MAX_EXACT):
        self.source, self.max_exact = source, max_exact
        self.exact, self.truncated = True, False
        self._lines = self._kept = self._waiting_bytes = 0
        self._waiting: list[bytes] = []
        self._series: list[_Series] = []
        self._latest: dict[bytes, _Series] = {}

    def add(self, chunk: bytes) -> None:
        self._waiting.append(chunk)
        self._waiting_bytes += len(chunk)
        if self._waiting_bytes >= _BLOCK_BYTES:
            self._flush()

    def runs(self) -> list[dict[str, RawLatencies]]:
        """The latencies of each operation of each run; empty where nothing was added. Nothing can be added after."""
        self._flush()
        self.truncated |= self._waiting_bytes > 0
        return [{s.operation: s.latencies(self.truncated) for s in run} for run in _by_run(self._series)]

    def _flush(self) -> None:
        text = b"".join(self._waiting)
        end = text.rfind(b"\n") + 1
        if len(text) - end > MAX_LINE:
            raise RunLogError(self.source, None, f"a line of more than {MAX_LINE:,} bytes, which no raw row is")
        self._waiting, self._waiting_bytes = [text[end:]], len(text) - end
        text = text[:end].replace(b"\r\n", b"\n")
        at = 0
        while (mark := text.find(_MARK, at)) >= 0:
            begin = max(text.rfind(b"\n", at, mark) + 1, at)
            self._rows(text[at:begin])
            at = mark + len(_MARK)
            self._lines += 1
            if cut := _CUT_ROW.fullmatch(text[begin:at]):
                self.truncated = True
                self._begin(cut[1])
            elif _HEADER.fullmatch(text[begin:at]):
                self._begin(text[begin:mark])
            else:
                self._refuse(text[begin:at])
        self._rows(text[at:])

    def _rows(self, text: bytes) -> None:
        if not text:
            return
        if (alike := _alike(text)) is not None:
            self._lines += len(alike)
            stamps = text.find(b",") + 1, text.rfind(b",") - 13
            self._take(text[: stamps[0] - 1], alike, *(int(text[at : at + 13]) for at in stamps))
            return
        parsed = []
        for line in text.splitlines(keepends=True):
            self._lines += 1
            match = _ROW.fullmatch(line)
            if not match:
                self._refuse(line)
            parsed.append((match[1], int(match[2]), int(match[3])))
        for name, rows in groupby(parsed, key=lambda row: row[0]):
            _, stamps, values = zip(*rows, strict=True)
            self._take(name, np.array(values), stamps[0], stamps[-1])

    def _refuse(self, line: bytes) -> None:
        expected = "expected a row such as READ,1795252549013,34139 or the header before such rows"
        raise RunLogError(self.source, self._lines, f"got {shown(line[:4000])}; {expected}")

    def _begin(self, name: bytes) -> "_Series":
        if len(self._series) == MAX_SERIES:
            raise RunLogError(self.source, self._lines, f"more than {MAX_SERIES:,} operations in one file; split it")
        series = self._latest[name] = _Series(name.decode(errors="backslashreplace"))
        self._series.append(series)
        if not self.exact:
            series.count_only()
        return series

    def _take(self, name: bytes, values: np.ndarray, first_ms: int, last_ms: int) -> None:
        series = self._latest.get(name) or self._begin(name)
        series.add(values, first_ms, last_ms)
        self._kept += len(values)
        if self.exact and self._kept > self.max_exact:
            self.exact = False
            for series in self._series:
                series.count_only()


class _Series:
    """What follows one header."""

    def __init__(self, operation: str):
        self.operation = operation
        self.first_ms = self.last_ms = math.nan
        self.total, self.minimum, self.maximum = 0, math.nan, math.nan
        self._values: list[np.ndarray] = []
        self._histogram: HdrLog | None = None

    def add(self, values: np.ndarray, first_ms: int, last_ms: int) -> None:
        self.first_ms = float(np.fmin(self.first_ms, first_ms))
        self.last_ms = float(np.fmax(self.last_ms, last_ms))
        self.total += int(values.sum())
        self.minimum = float(np.fmin(self.minimum, values.min()))
        self.maximum = float(np.fmax(self.maximum, values.max()))
        self._values.append(values.astype(np.int32) if self.maximum < 2**31 else values)
        if self._histogram is not None:
            self.count_only()

    def count_only(self) -> None:
        """From now on keep counts instead of values."""
        own = of_values(self._together())
        self._histogram = own if self._histogram is None else merged([self._histogram, own])
        self._values = []

    def latencies(self, truncated: bool) -> RawLatencies:
        values = None
        if self._histogram is None:
            values = np.sort(self._together())
            self._values = []
        histogram = replace(of_values(values) if values is not None else self._histogram, truncated=truncated)
        facts = (self.total, self.minimum, self.maximum, values, self.first_ms, self.last_ms)
        return RawLatencies(self.operation, histogram, *facts, truncated)

    def _together(self) -> np.ndarray:
        return np.concatenate([np.zeros(0, np.int32), *self._values])


def _alike(text: bytes) -> np.ndarray | None:
    """The latencies of rows that are all of one operation and all well-formed; None where they are not."""
    data = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    commas = np.flatnonzero(data == ord(","))
    name = text[: text.find(b",")]
    if len(commas) != 2 * len(ends) or not re.fullmatch(_NAME, name):
        return None
    starts = np.concatenate([[0], ends[:-1] + 1])
    digits = ends - commas[1::2] - 1
    well_formed = (commas[::2] - starts == len(name)) & (commas[1::2] - commas[::2] == 14)
    if not well_formed.all() or digits.min() < 1 or digits.max() > 10:
        return None
    if any((data[starts + place] != byte).any() for place, byte in enumerate(name)):
        return None
    # All names being alike, whatever else is no digit would be one byte too many.
    numbers = b"0123456789"
    if len(text.translate(None, numbers)) != len(ends) * (len(name.translate(None, numbers)) + 3):
        return None
    values = (data[ends - 1] - ord("0")).astype(np.int64)
    at = np.flatnonzero(digits > 1)
    for place in range(1, int(digits.max())):
        values[at] += (data[ends[at] - 1 - place] - ord("0")).astype(np.int64) * 10**place
        at = at[digits[at] > place + 1]
    return values


def _by_run(series: list[_Series]) -> list[list[_Series]]:
    """The runs: in each an operation comes once, and all but CLEANUP, its threads' end, go on at the same time."""
    runs: list[list[_Series]] = []
    for following in series:
        if not runs or not _belongs(following, runs[-1]):
            runs.append([])
        runs[-1].append(following)
    return runs


def _belongs(following: _Series, run: list[_Series]) -> bool:
    if any(series.operation == following.operation for series in run):
        return False
    timed = [s for s in run if _is_timed(s)]
    if not timed or not _is_timed(following):
        return True
    begin, end = min(s.first_ms for s in timed), max(s.last_ms for s in timed)
    return following.first_ms <= end + _SAME_RUN_MS and following.last_ms >= begin - _SAME_RUN_MS


def _is_timed(series: _Series) -> bool:
    return series.operation != _CLEANUP and not math.isnan(series.first_ms)
