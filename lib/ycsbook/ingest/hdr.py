"""HdrHistogram interval logs (.hdr), encodings V1 and V2: all intervals of a file, summed exactly.

All intervals of a file share one mapping from value to index, so their sum is a sum of arrays; they are decoded many
at a time.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ycsbook.errors import RunLogError, shown
from ycsbook.ingest.hdr_codec import Corrupt, Mapping, deflate, inflate, unzigzag

PERCENTILES = (50.0, 90.0, 95.0, 99.0, 99.9, 99.99)
MAX_LINE = 16 * 1024 * 1024
# No interval counts more; beyond it a sum of intervals might overflow.
MAX_COUNT = 2**48
# Histograms decoded at a time: enough to keep NumPy busy, little enough for its arrays to stay in the cache.
BATCH_BYTES = 256 * 1024

_COLUMNS = b'"StartTimestamp"'
_START_TIME = re.compile(rb"#\[StartTime: (\d{1,12}(?:\.\d{1,9})?) ")
_NUMBER = re.compile(rb"-?\d{1,15}(?:\.\d{1,15})?(?:[eE][-+]?\d{1,3})?")


@dataclass(frozen=True)
class HdrLog:
    """All intervals of a .hdr file, summed. Values are in the unit recorded: YCSB records microseconds.

    `start_s`, `length_s` (s) and `interval_counts` have one element per interval; `start_time_s` is the log's start,
    s since 1970 (NaN: not there). `sections` counts headers: more than one means that runs were appended.
    `truncated`: the last line was cut and left out. `encoding`: 1 or 2, of the first interval.
    """

    mapping: Mapping
    counts: np.ndarray
    start_s: np.ndarray
    length_s: np.ndarray
    interval_counts: np.ndarray
    start_time_s: float = float("nan")
    sections: int = 1
    truncated: bool = False
    encoding: int = 2
    _index: np.ndarray = field(init=False, repr=False)

    def __post_init__(self):
        object.__setattr__(self, "_index", np.flatnonzero(self.counts))

    @property
    def count(self) -> int:
        return int(self.counts.sum())

    @property
    def minimum(self) -> float:
        """Smallest value, as the low end of its bucket; NaN when empty."""
        return float(self.mapping.low(self._index[:1])[0]) if len(self._index) else float("nan")

    @property
    def maximum(self) -> float:
        """Largest value, as the high end of its bucket; NaN when empty."""
        return float(self._highest(self._index[-1:])[0]) if len(self._index) else float("nan")

    @property
    def mean(self) -> float:
        """Mean of the buckets' middles, weighted by count; NaN when empty."""
        if not len(self._index):
            return float("nan")
        width = self.mapping.width(self._index)
        middle = self.mapping.low(self._index) + (width >> 1)
        return float(np.dot(middle.astype(float), self.counts[self._index].astype(float)) / self.count)

    def percentiles(self, wanted: tuple[float, ...] = PERCENTILES) -> dict[float, float]:
        """Value at each percentile (0 to 100): the high end of the bucket that holds it; empty without values.

        The rank is taken as the library that wrote the file takes it, so that the figures equal those that YCSB
        printed: percentile / 100 x count is rounded half up by those that write V1 (2.1.4, up to YCSB 0.17 as
        shipped) and rounded up by today's, which write V2.
        """
        if not len(self._index):
            return {}
        cumulative = np.cumsum(self.counts[self._index])
        ranks = {p: min(_rank(p, self.count, self.encoding), self.count) for p in wanted}
        at = self._index[np.searchsorted(cumulative, list(ranks.values()))]
        return dict(zip(wanted, self._highest(at).astype(float).tolist(), strict=True))

    def encode(self) -> bytes:
        """The sum as one histogram: encoding V2, deflated, base64."""
        stop = int(self._index[-1]) + 1 if len(self._index) else 0
        highest = max(int(self.maximum) if stop else 0, 2 * self.mapping.lowest)
        return deflate(self.mapping, self.counts[:stop], highest)

    def _highest(self, index: np.ndarray) -> np.ndarray:
        return self.mapping.low(index) + (self.mapping.width(index) - 1)


def read(path: Path) -> HdrLog:
    """Decode and sum all intervals of a .hdr file.

    Raises
        RunLogError: unreadable, a line that is no interval, a histogram that is damaged, too large or mapped
            otherwise than those before it.
    """
    total = _Sum()
    starts, lengths, sections, start_time, truncated = [], [], 0, float("nan"), False
    at = 0
    try:
        for number, line in _lines(path):
            at = number
            if line.startswith(_COLUMNS):
                sections += 1
            elif line.startswith(b"#"):
                if (match := _START_TIME.match(line)) and np.isnan(start_time):
                    start_time = float(match[1])
            elif line.strip():
                try:
                    start, length, text = _fields(line)
                    total.add(*inflate(text))
                except Corrupt:
                    if line.endswith(b"\n"):
                        raise
                    truncated = True
                    continue
                starts.append(start)
                lengths.append(length)
        total.flush()
    except Corrupt as e:
        raise RunLogError(path, at, f"{e}; expected a HdrHistogram interval, encoding V1 or V2") from None
    except OSError as e:
        raise RunLogError(path, None, f"cannot be read: {e.strerror}") from e
    if total.mapping is None and not sections:
        raise RunLogError(path, None, "holds no HdrHistogram log: no header and no interval")
    mapping = total.mapping or Mapping(3, 1)
    counts = total.counts if total.counts is not None else np.zeros(mapping.length, np.int64)
    per_interval = np.concatenate(total.per_interval) if total.per_interval else np.zeros(0, np.int64)
    return HdrLog(
        mapping,
        counts,
        np.array(starts),
        np.array(lengths),
        per_interval,
        start_time,
        max(sections, 1),
        truncated,
        total.encoding,
    )


def decode(text: bytes) -> HdrLog:
    """One base64 histogram, as `HdrLog.encode` writes it.

    Raises
        RunLogError: not a histogram.
    """
    total = _Sum()
    try:
        total.add(*inflate(text))
        total.flush()
    except Corrupt as e:
        raise RunLogError("histogram", None, f"{e}") from None
    nothing = np.zeros(1)
    counts = np.concatenate(total.per_interval)
    return HdrLog(total.mapping, total.counts, nothing, nothing, counts, encoding=total.encoding)


@dataclass
class _Sum:
    """Adds up histograms, a batch at a time."""

    mapping: Mapping | None = None
    encoding: int = 2
    counts: np.ndarray | None = None
    per_interval: list[np.ndarray] = field(default_factory=list)
    _payloads: list[bytes] = field(default_factory=list)
    _bytes: int = 0

    def add(self, mapping: Mapping, word: int, payload: bytes) -> None:
        if self.mapping is None:
            self.mapping, self.encoding, self.counts = mapping, 1 if word else 2, np.zeros(mapping.length, np.int64)
        elif mapping != self.mapping:
            raise Corrupt(f"its mapping is {mapping}, that of the intervals before is {self.mapping}")
        if word:
            self.flush()
            self._add_words(np.frombuffer(payload, f">u{word}"))
            return
        # Checked here and not per batch, so that a message names the line.
        if payload and payload[-1] >= 0x80:
            raise Corrupt("the last count has no end")
        self._payloads.append(payload)
        self._bytes += len(payload)
        if self._bytes >= BATCH_BYTES:
            self.flush()

    def _add_words(self, words: np.ndarray) -> None:
        if len(words) > len(self.counts) or int(words.max(initial=0)) > MAX_COUNT:
            raise Corrupt("a count or the number of counts is beyond what a histogram can hold")
        self.counts[: len(words)] += words.astype(np.int64)
        self.per_interval.append(np.array([int(words.sum())]))

    def flush(self) -> None:
        if not self._payloads:
            return
        sizes = np.array([len(p) for p in self._payloads])
        values, owner = unzigzag(np.frombuffer(b"".join(self._payloads), np.uint8), sizes)
        self._payloads, self._bytes = [], 0
        steps = np.where(values < 0, -values, 1)
        if int(steps.max(initial=0)) > self.mapping.length:
            raise Corrupt("a run of zeros is longer than a histogram")
        if int(values.max(initial=0)) > MAX_COUNT:
            raise Corrupt(f"a count of more than {MAX_COUNT:,}")
        after = np.cumsum(steps)
        first = np.searchsorted(owner, np.arange(len(sizes)))
        before = np.concatenate([[0], after])[first]
        index = after - 1 - before[owner]
        kept = np.flatnonzero(values > 0)
        index, values, owner = index[kept], values[kept], owner[kept]
        if int(index.max(initial=0)) >= self.mapping.length:
            raise Corrupt("a histogram has more counts than its mapping allows")
        np.add.at(self.counts, index, values)
        sums = np.zeros(len(sizes), np.int64)
        np.add.at(sums, owner, values)
        self.per_interval.append(sums)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as file:
        at = 0
        while line := file.readline(MAX_LINE):
            at += 1
            if len(line) == MAX_LINE:
                raise RunLogError(path, at, f"a line of more than {MAX_LINE:,} bytes, which no interval has")
            yield at, line


def _fields(line: bytes) -> tuple[float, float, bytes]:
    parts = line.rstrip(b"\r\n").split(b",")
    if parts[0].startswith(b"Tag="):
        parts = parts[1:]
    if len(parts) != 4 or not all(_NUMBER.fullmatch(p) for p in parts[:3]):
        raise Corrupt(f"got {shown(line[:60])}")
    return float(parts[0]), float(parts[1]), parts[3]


def _rank(percentile: float, count: int, encoding: int) -> int:
    if encoding == 1:
        return max(1, int(percentile * count / 100 + 0.5))
    # One step down first: 99.9 is not exact in binary, and must not reach the next rank by that.
    return max(1, math.ceil(math.nextafter(percentile, -math.inf) * count / 100))
