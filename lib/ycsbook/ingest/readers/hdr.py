"""HdrHistogram interval logs (.hdr), encodings V1 and V2: all intervals of a file, summed exactly.

All intervals of a file share one mapping from value to index, so their sum is a sum of arrays; they are decoded many
at a time. HdrLogs of several clients are summed by `merged`; raw latencies become one by `of_values`.
"""

import math
import re
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from ycsbook.errors import RunLogError, shown
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.readers.hdr_codec import MAX_COUNT, Corrupt, Layout, add_leb128, add_words, inflate
from ycsbook.ingest.readers.hdr_log import PERCENTILES, YCSB_MAPPING, HdrLog, merged, of_values

__all__ = ["PERCENTILES", "HdrLog", "decode", "merged", "of_values", "read", "read_sections"]

MAX_LINE = 16 * 1024 * 1024
# Runs appended to one file; each needs the memory of a histogram.
MAX_SECTIONS = 1000
# Histograms decoded at a time: enough to keep NumPy busy, little enough for its arrays to stay in the cache.
BATCH_BYTES = 64 * 1024
_ALLOCATOR_BYTES = 8 * 1024 * 1024

_COLUMNS = b'"StartTimestamp"'
_HEADERS = (b"#[Logging for: ", b"#[Histogram log format version ", b"#[StartTime: ", _COLUMNS)
_TIME = re.compile(rb"#\[(Start|Base)Time: (\d{1,12}(?:\.\d{1,9})?) ")
_NUMBER = rb"-?\d{1,15}(?:\.\d{1,15})?(?:[eE][-+]?\d{1,2})?"
_INTERVAL = re.compile(rb"(?:Tag=[^,\n]{0,255},)?(%b),(%b),%b," % ((_NUMBER,) * 3))


def read(source: Source | Path) -> HdrLog:
    """Decode and sum all intervals of a .hdr file (.gz and .zst too), of all runs appended to it.

    Raises
        RunLogError: unreadable, a line that is no interval, a histogram that is damaged, too large or mapped
            otherwise than those before it.
    """
    source = _source(source)
    with _within_memory(source):
        total = _Sum(source)
        sections = list(_sections(source, lambda: total))
        total.flush()
    first = sections[0].start_time_s
    later = [s.start_time_s - first for s in sections]
    shift = np.nan_to_num(later) if np.isfinite(later).all() else np.zeros(len(later))
    starts = np.concatenate([s.starts() + by for s, by in zip(sections, shift, strict=True)])
    lengths = np.concatenate([s.lengths for s in sections])
    return total.log(starts, lengths, first, len(sections), any(s.truncated for s in sections))


def read_sections(source: Source | Path) -> list[HdrLog]:
    """One HdrLog for each run appended to a .hdr file, in the file's order: each has a header of its own.

    Java's HistogramLogProcessor stops at the second header.

    Raises
        RunLogError: as read.
    """
    source = _source(source)
    logs = []
    with _within_memory(source):
        for section in _sections(source, lambda: _Sum(source)):
            section.sum.flush()
            logs.append(section.sum.log(section.starts(), section.lengths, section.start_time_s, 1, section.truncated))
    return logs


def decode(text: bytes, encoding: int = 2) -> HdrLog:
    """One base64 histogram, as `HdrLog.encode` writes it.

    It doesn't say which files it was summed from. Where these were V1, `encoding=1` gives the percentiles that the
    files gave, by their rank; a histogram that is V1 itself has them anyway.

    Raises
        RunLogError: not a histogram.
    """
    name = Source(Path("histogram"))
    total = _Sum(name)
    try:
        total.add(text, 1)
    except Corrupt as e:
        raise RunLogError(name, None, f"{e}") from None
    total.flush()
    log = total.log(np.zeros(0), np.zeros(0), math.nan, 1, False)
    return replace(log, encoding=min(encoding, log.encoding))


class _Sum:
    """Adds up the histograms of one file, a batch at a time."""

    def __init__(self, source: Source):
        # glibc gives every batch's arrays back to the system and fetches them anew, which takes half of all time,
        # until it has seen a block of this size come and go.
        np.empty(_ALLOCATOR_BYTES, np.uint8)
        self.source = source
        self.layout: Layout | None = None
        self.encoding = 1
        self.counts = np.zeros(0, np.int64)
        self.total = 0
        self.per_interval: list[np.ndarray] = []
        self._payloads: list[bytes] = []
        self._lines: list[int] = []
        self._bytes = 0

    def add(self, text: bytes, line: int) -> None:
        """Raises Corrupt for what cannot be decoded, RunLogError for what can but does not fit."""
        layout, payload = inflate(text, self.layout)
        if self.layout is None:
            self.counts = np.zeros(layout.mapping.length, np.int64)
        elif layout.mapping != self.layout.mapping:
            reason = f"its mapping is {layout.mapping}, that of the intervals before is {self.layout.mapping}"
            raise RunLogError(self.source, line, f"{reason}; expected one mapping in a file")
        self.layout, self.encoding = layout, max(self.encoding, layout.encoding)
        if layout.word:
            self.flush()
            self._count(np.array([add_words(self.counts, payload, layout.word)]), line)
            return
        self._payloads.append(payload)
        self._lines.append(line)
        self._bytes += len(payload)
        if self._bytes >= BATCH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Raises RunLogError with the line of the damaged interval."""
        if not self._payloads:
            return
        try:
            self._count(add_leb128(self.counts, self._payloads), self._lines[-1])
        except Corrupt:
            # Which one it is, they say one by one.
            for payload, line in zip(self._payloads, self._lines, strict=True):
                try:
                    self._count(add_leb128(self.counts, [payload]), line)
                except Corrupt as e:
                    raise _damaged(self.source, line, e) from None
        self._payloads, self._lines, self._bytes = [], [], 0

    def _count(self, sums: np.ndarray, line: int) -> None:
        self.per_interval.append(sums)
        self.total += int(sums.sum())
        if self.total > MAX_COUNT:
            raise RunLogError(self.source, line, f"more than {MAX_COUNT:,} values up to here, which no run makes")

    def log(
        self, start_s: np.ndarray, length_s: np.ndarray, start_time_s: float, sections: int, truncated: bool
    ) -> HdrLog:
        mapping = self.layout.mapping if self.layout else YCSB_MAPPING
        counts = self.counts if self.layout else np.zeros(mapping.length, np.int64)
        per_interval = np.concatenate([np.zeros(0, np.int64), *self.per_interval])
        encoding = self.encoding if self.layout else 2
        return HdrLog(mapping, counts, start_s, length_s, per_interval, start_time_s, sections, truncated, encoding)


class _Section:
    """One run's part of a file: its header, and when its intervals were."""

    def __init__(self, total: _Sum):
        self.sum = total
        self.start_time_s = self.base_time_s = math.nan
        self.in_body = self.seen = self.truncated = False
        self.lengths = array("d")
        self._starts = array("d")

    def header(self, line: bytes) -> None:
        self.seen |= line.startswith(_HEADERS)
        self.in_body |= line.startswith(_COLUMNS)
        if match := _TIME.match(line):
            if match[1] == b"Base":
                self.base_time_s = float(match[2])
            elif math.isnan(self.start_time_s):
                self.start_time_s = float(match[2])

    def interval(self, line: bytes, number: int) -> None:
        """Raises RunLogError, but for a line that was cut."""
        try:
            if not (match := _INTERVAL.match(line)):
                raise Corrupt(f"got {shown(line[:4000])}")
            self.sum.add(line[match.end() :].rstrip(b"\r\n"), number)
        except Corrupt as e:
            if line.endswith(b"\n"):
                raise _damaged(self.sum.source, number, e) from None
            self.truncated = True
            return
        self.seen = self.in_body = True
        self._starts.append(float(match[1]))
        self.lengths.append(float(match[2]))

    def starts(self) -> np.ndarray:
        """Seconds from the section's start to that of each interval, whichever clock they were logged by."""
        starts = np.array(self._starts)
        if math.isfinite(self.base_time_s - self.start_time_s):
            return starts + (self.base_time_s - self.start_time_s)
        absolute = len(starts) and starts[0] >= self.start_time_s
        return starts - self.start_time_s if absolute else starts


def _sections(source: Source, total: Callable[[], _Sum]) -> Iterator[_Section]:
    section, count = _Section(total()), 1
    for number, line in enumerate(source.lines(MAX_LINE), 1):
        if len(line) == MAX_LINE and not line.endswith(b"\n"):
            raise RunLogError(source, number, f"a line of more than {MAX_LINE:,} bytes, which no interval has")
        header = line
        if not line.startswith((b"#", _COLUMNS)):
            # A run that was killed in the middle of a line leaves it without end to the header of the next one.
            whole, mark, rest = line.partition(b"#")
            if whole.strip():
                section.interval(whole, number)
            if not mark:
                continue
            header = mark + rest
        if section.in_body and header.startswith(_HEADERS):
            count += 1
            if count > MAX_SECTIONS:
                raise RunLogError(source, number, f"more than {MAX_SECTIONS:,} runs in one file; split it")
            yield section
            section = _Section(total())
        section.header(header)
    if count == 1 and not section.seen and not section.truncated:
        raise RunLogError(source, None, "holds no HdrHistogram log: no header and no interval")
    yield section


@contextmanager
def _within_memory(source: Source) -> Iterator[None]:
    """For five significant digits 300 MB may be needed, which nobody records."""
    try:
        yield
    except MemoryError:
        reason = "needs more memory than there is; expected histograms of three significant digits, as YCSB's are"
        raise RunLogError(source, None, reason) from None


def _source(source: Source | Path) -> Source:
    return source if isinstance(source, Source) else Source(Path(source))


def _damaged(source: Source, line: int, error: Corrupt) -> RunLogError:
    return RunLogError(source, line, f"{error}; expected a HdrHistogram interval, encoding V1 or V2")
