"""HdrHistogram interval logs (.hdr), encodings V1 and V2: all intervals of a file, summed exactly.

All intervals of a file share one mapping from value to index, so their sum is a sum of arrays; they are decoded many
at a time. HdrLogs of several clients are summed by `merged`.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np

from ycsbook.errors import RunLogError, shown
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.log.intervals import keep_freed_memory
from ycsbook.ingest.log.latencies import PERCENTILES
from ycsbook.ingest.readers import hdr_codec
from ycsbook.ingest.readers.hdr_codec import MAX_COUNT, Corrupt, Mapping

# As YCSB records: three significant digits from 1 us up.
YCSB_MAPPING = Mapping(3, 1)
MAX_LINE = 16 * 1024 * 1024
# Runs appended to one file; each needs the memory of a histogram.
MAX_SECTIONS = 1000
# Histograms decoded at a time: enough to keep NumPy busy, little enough for its arrays to stay in the cache.
BATCH_BYTES = 64 * 1024

_COLUMNS = b'"StartTimestamp"'
_HEADERS = (b"#[Logging for: ", b"#[Histogram log format version ", b"#[StartTime: ", _COLUMNS)
_START = re.compile(rb"#\[StartTime: (\d{1,12}(?:\.\d{1,9})?) ")
_NUMBER = rb"-?\d{1,15}(?:\.\d{1,15})?(?:[eE][-+]?\d{1,2})?"
_INTERVAL = re.compile(rb"(?:Tag=[^,\n]{0,255},)?%b,%b,%b," % ((_NUMBER,) * 3))


@dataclass(frozen=True)
class HdrLog:
    """All intervals of a .hdr file, summed. Values are in the unit recorded: YCSB records microseconds.

    `start_time_s` is the log's start, s since 1970 (NaN: not there). `truncated`: a line was cut and left out.
    `encoding`: 1 where all intervals were written as V1, else 2; percentiles are ranked by it."""

    mapping: Mapping
    counts: np.ndarray
    start_time_s: float = math.nan
    truncated: bool = False
    encoding: int = 2

    @cached_property
    def _index(self) -> np.ndarray:
        return np.flatnonzero(self.counts)

    @cached_property
    def count(self) -> int:
        return int(self.counts.sum())

    @property
    def min(self) -> float:
        return float(self.mapping.low(self._index[:1])[0]) if len(self._index) else math.nan

    @property
    def max(self) -> float:
        return float(self._highest(self._index[-1:])[0]) if len(self._index) else math.nan

    @property
    def mean(self) -> float:
        """Mean of the buckets' middles, weighted by count; NaN when empty."""
        if not len(self._index):
            return math.nan
        width = self.mapping.width(self._index)
        middle = self.mapping.low(self._index) + (width >> 1)
        return float(np.dot(middle.astype(float), self.counts[self._index].astype(float)) / self.count)

    def percentiles(self, percents: tuple[float, ...] = PERCENTILES) -> dict[float, float]:
        """Value at each percentile (0 to 100): the high end of the bucket that holds it; empty without values. The rank
        is that of the library that wrote the file, so that the figures equal those that YCSB printed: percentile / 100
        x count, rounded half up by those that write V1 (up to YCSB 0.17) and rounded up by today's, which write V2."""
        if not len(self._index):
            return {}
        cumulative = np.cumsum(self.counts[self._index])
        ranks = [min(_rank(p, self.count, self.encoding), self.count) for p in percents]
        at = self._index[np.searchsorted(cumulative, ranks)]
        return dict(zip(percents, self._highest(at).astype(float).tolist(), strict=True))

    @property
    def histogram(self) -> Self:
        """Itself: all that has exact latencies has a histogram."""
        return self

    def encode(self) -> bytes:
        """The sum as one histogram: encoding V2, which every reader knows, deflated, base64."""
        stop = int(self._index[-1]) + 1 if len(self._index) else 0
        highest = max(int(self.max) if stop else 0, 2 * self.mapping.lowest)
        return hdr_codec.deflate(self.mapping, self.counts[:stop], highest)

    def _highest(self, index: np.ndarray) -> np.ndarray:
        return self.mapping.low(index) + (self.mapping.width(index) - 1)


def read(path: Path) -> HdrLog:
    """Decode and sum all intervals of a .hdr file (.gz and .zst too), of all runs appended to it. Raises RunLogError:
    unreadable, a line that is no interval, a histogram that is damaged, too large or mapped otherwise."""
    return read_sections(path, apart=False)[0]


def read_sections(path: Path, *, apart: bool = True) -> list[HdrLog]:
    """One HdrLog for each run appended to a .hdr file, in the file's order: each has a header of its own. Not `apart`:
    one for all of them. Raises as read."""
    source = Source(path)
    try:
        return [section.log() for section in _sections(source, apart=apart)]
    except MemoryError:
        # For five significant digits 300 MB may be needed, which nobody records.
        reason = "needs more memory than there is; expected histograms of three significant digits, as YCSB's are"
        raise RunLogError(source, None, reason) from None


def decode(text: bytes) -> HdrLog:
    """One base64 histogram, as `HdrLog.encode` writes it. Raises RunLogError for what is none."""
    source = Source(Path("histogram"))
    section = _Section(source)
    try:
        section.add(text, 1)
    except Corrupt as e:
        raise RunLogError(source, None, f"{e}") from None
    return section.log()


def merged(logs: Sequence[HdrLog]) -> HdrLog:
    """The histograms of several clients or runs, summed exactly, ranked as for V1 where all of them were V1. Raises
    RunLogError for no log, histograms that map values otherwise, or more values than can be counted."""
    filled = [log for log in logs if log.count] or list(logs[:1])
    if not filled:
        raise RunLogError("histograms", None, "are none; expected at least one to merge")
    mapping = filled[0].mapping
    if other := next((log.mapping for log in filled if log.mapping != mapping), None):
        reason = f"map values as {mapping} and as {other}; they can't be summed: record both with the same digits"
        raise RunLogError("histograms", None, reason)
    if (count := sum(log.count for log in filled)) > MAX_COUNT:
        raise RunLogError("histograms", None, f"count {count:,} values; at most {MAX_COUNT:,} can be summed exactly")
    counts = np.zeros(mapping.length, np.int64)
    for log in filled:
        counts[: len(log.counts)] += log.counts
    start = min((log.start_time_s for log in filled), key=lambda s: (math.isnan(s), s))
    return HdrLog(mapping, counts, start, any(log.truncated for log in logs), max(log.encoding for log in filled))


def _rank(percentile: float, count: int, encoding: int) -> int:
    if encoding == 1:
        return max(1, int(percentile / 100 * count + 0.5))
    # One step down first: 99.9 is not exact in binary, and must not reach the next rank by that.
    return max(1, math.ceil(math.nextafter(percentile, -math.inf) * count / 100))


class _Section:
    """One run's part of a file, or all of them: what its header says, and its histograms, added a batch at a time."""

    def __init__(self, source: Source):
        keep_freed_memory()
        self.source = source
        self.start_time_s = math.nan
        self.in_body = self.seen = self.truncated = False
        self._mapping: Mapping | None = None
        self._encoding = 1
        self._counts = np.zeros(0, np.int64)
        self._total = 0
        self._waiting: list[tuple[int, bytes]] = []  # lines and what they hold
        self._bytes = 0

    def header(self, line: bytes) -> None:
        self.seen |= line.startswith(_HEADERS)
        self.in_body |= line.startswith(_COLUMNS)
        if math.isnan(self.start_time_s) and (match := _START.match(line)):
            self.start_time_s = float(match[1])

    def interval(self, line: bytes, number: int) -> None:
        """Raises RunLogError, but for a line that was cut."""
        if line.startswith(b"\0" * 8):
            # Two threads that make YCSB's first operation at once may both open its file, and the later one empties it.
            reason = (
                "begins with zero bytes: what stood here is lost, as where YCSB opens its file twice or power fails; "
                "the percentiles of the summary hold, measure again for the histogram"
            )
            raise RunLogError(self.source, number, reason)
        try:
            if not (match := _INTERVAL.match(line)):
                raise Corrupt(f"got {shown(line[:4000])}")
            self.add(line[match.end() :].rstrip(b"\r\n"), number)
        except Corrupt as e:
            if line.endswith(b"\n"):
                raise _damaged(self.source, number, e) from None
            self.truncated = True
            return
        self.seen = self.in_body = True

    def add(self, text: bytes, line: int) -> None:
        """Raises Corrupt for what cannot be decoded, RunLogError for what can but does not fit."""
        mapping, word, payload = hdr_codec.inflate(text)
        if self._mapping is None:
            self._mapping, self._counts = mapping, np.zeros(mapping.length, np.int64)
        elif mapping != self._mapping:
            reason = f"its mapping is {mapping}, that of the intervals before is {self._mapping}"
            raise RunLogError(self.source, line, f"{reason}; expected one mapping in a file")
        if word:
            self._flush()
            self._count(hdr_codec.add_words(self._counts, payload, word), line)
            return
        self._encoding = 2
        self._waiting.append((line, payload))
        self._bytes += len(payload)
        if self._bytes >= BATCH_BYTES:
            self._flush()

    def log(self) -> HdrLog:
        """All that was added. Raises RunLogError with the line of a damaged interval."""
        self._flush()
        if self._mapping is None:
            nothing = np.zeros(YCSB_MAPPING.length, np.int64)
            return HdrLog(YCSB_MAPPING, nothing, self.start_time_s, self.truncated)
        return HdrLog(self._mapping, self._counts, self.start_time_s, self.truncated, self._encoding)

    def _flush(self) -> None:
        if not self._waiting:
            return
        try:
            payloads = [payload for _, payload in self._waiting]
            self._count(hdr_codec.add_leb128(self._counts, payloads), self._waiting[-1][0])
        except Corrupt:
            for line, payload in self._waiting:
                try:
                    self._count(hdr_codec.add_leb128(self._counts, [payload]), line)
                except Corrupt as e:
                    raise _damaged(self.source, line, e) from None
        self._waiting, self._bytes = [], 0

    def _count(self, values: int, line: int) -> None:
        self._total += values
        if self._total > MAX_COUNT:
            raise RunLogError(self.source, line, f"more than {MAX_COUNT:,} values up to here, which no run makes")


def _sections(source: Source, *, apart: bool) -> Iterator[_Section]:
    section, count = _Section(source), 1
    for number, line in enumerate(source.lines(MAX_LINE), 1):
        if len(line) == MAX_LINE and not line.endswith(b"\n"):
            raise RunLogError(source, number, f"a line of more than {MAX_LINE:,} bytes, which no interval has")
        header = line
        if not line.startswith((b"#", _COLUMNS)):
            # A run that was killed in the middle of a line leaves it without end to the header of the next one.
            interval_line, mark, next_header = line.partition(b"#")
            if interval_line.strip():
                section.interval(interval_line, number)
            if not mark:
                continue
            header = mark + next_header
        if section.in_body and header.startswith(_HEADERS):
            count += 1
            if count > MAX_SECTIONS:
                raise RunLogError(source, number, f"more than {MAX_SECTIONS:,} runs in one file; split it")
            section.in_body = False
            if apart:
                yield section
                section = _Section(source)
        section.header(header)
    if count == 1 and not section.seen and not section.truncated:
        raise RunLogError(source, None, "holds no HdrHistogram log: no header and no interval")
    yield section


def _damaged(source: Source, line: int, error: Corrupt) -> RunLogError:
    return RunLogError(source, line, f"{error}; expected a HdrHistogram interval, encoding V1 or V2")
