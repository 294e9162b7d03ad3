"""HdrHistograms summed exactly: of the intervals of a log, of raw latencies, of several clients."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ycsbook.errors import RunLogError
from ycsbook.ingest.readers.hdr_codec import MAX_COUNT, Mapping, deflate

PERCENTILES = (50.0, 90.0, 95.0, 99.0, 99.9, 99.99)
# As YCSB records: three significant digits from 1 us up.
YCSB_MAPPING = Mapping(3, 1)
# No latency is longer (142 years), and it is exact as a float.
MAX_VALUE_US = 2**52


def _none() -> np.ndarray:
    return np.zeros(0)


@dataclass(frozen=True)
class HdrLog:
    """All intervals of a .hdr file, summed. Values are in the unit recorded: YCSB records microseconds.

    `start_s` (since `start_time_s`), `length_s` and `interval_counts` have one element per interval, none where it was
    not summed from intervals; `start_time_s` is the log's start, s since 1970 (NaN: not there). `sections` counts
    headers: more than one means that runs were appended. `truncated`: a line was cut and left out. `encoding`: 1
    where all intervals were written as V1, else 2; percentiles are ranked by it.
    """

    mapping: Mapping
    counts: np.ndarray
    start_s: np.ndarray = field(default_factory=_none)
    length_s: np.ndarray = field(default_factory=_none)
    interval_counts: np.ndarray = field(default_factory=_none)
    start_time_s: float = math.nan
    sections: int = 1
    truncated: bool = False
    encoding: int = 2
    count: int = field(init=False)
    _index: np.ndarray = field(init=False, repr=False)

    def __post_init__(self):
        object.__setattr__(self, "_index", np.flatnonzero(self.counts))
        object.__setattr__(self, "count", int(self.counts[self._index].sum()))

    @property
    def minimum(self) -> float:
        """Smallest value, as the low end of its bucket; NaN when empty."""
        return float(self.mapping.low(self._index[:1])[0]) if len(self._index) else math.nan

    @property
    def maximum(self) -> float:
        """Largest value, as the high end of its bucket; NaN when empty."""
        return float(self._highest(self._index[-1:])[0]) if len(self._index) else math.nan

    @property
    def mean(self) -> float:
        """Mean of the buckets' middles, weighted by count; NaN when empty."""
        if not len(self._index):
            return math.nan
        width = self.mapping.width(self._index)
        middle = self.mapping.low(self._index) + (width >> 1)
        return float(np.dot(middle.astype(float), self.counts[self._index].astype(float)) / self.count)

    def percentiles(self, wanted: tuple[float, ...] = PERCENTILES) -> dict[float, float]:
        """Value at each percentile (0 to 100): the high end of the bucket that holds it; empty without values.

        The rank is taken as the library that wrote the file takes it, so that the figures equal those that YCSB
        printed: percentile / 100 x count is rounded half up by those that write V1 (2.1.4, up to YCSB 0.17 as
        shipped) and rounded up by today's, which write V2. The two differ by
        one rank at most, which may be a bucket further up.
        """
        if not len(self._index):
            return {}
        cumulative = np.cumsum(self.counts[self._index])
        ranks = [min(_rank(p, self.count, self.encoding), self.count) for p in wanted]
        at = self._index[np.searchsorted(cumulative, ranks)]
        return dict(zip(wanted, self._highest(at).astype(float).tolist(), strict=True))

    def encode(self) -> bytes:
        """The sum as one histogram: encoding V2, which every reader knows, deflated, base64."""
        stop = int(self._index[-1]) + 1 if len(self._index) else 0
        highest = max(int(self.maximum) if stop else 0, 2 * self.mapping.lowest)
        return deflate(self.mapping, self.counts[:stop], highest)

    def _highest(self, index: np.ndarray) -> np.ndarray:
        return self.mapping.low(index) + (self.mapping.width(index) - 1)


def of_values(values_us: np.ndarray) -> HdrLog:
    """The histogram of latencies, mapped as YCSB maps them (3 significant digits).

    Large data is counted in chunks: their HdrLogs are summed by `merged`.

    Parameters
        values_us: integers from 0 to MAX_VALUE_US (us), in any order.
    Raises
        RunLogError: a value out of range.
    """
    values = np.asarray(values_us)
    if values.size and not (values.dtype.kind in "iu" and values.min() >= 0 and values.max() <= MAX_VALUE_US):
        raise RunLogError("latencies", None, f"are no integers from 0 to {MAX_VALUE_US:,} us")
    return HdrLog(YCSB_MAPPING, np.bincount(YCSB_MAPPING.index(values), minlength=YCSB_MAPPING.length))


def merged(logs: Sequence[HdrLog]) -> HdrLog:
    """The histograms of several clients of one run, or of several runs, summed exactly: nothing is estimated.

    Percentiles of the sum are ranked as for V1 where all of them were V1, else as for V2. Intervals are those of all
    logs, one log after the other, on the clock of the earliest start; none where a start is not known.

    Raises
        RunLogError: no log, histograms that map values otherwise, or more values than can be counted.
    """
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
    origin = min((log.start_time_s for log in filled), key=lambda s: (math.isnan(s), s))
    known = all(math.isfinite(log.start_time_s) and len(log.start_s) for log in filled)
    together = filled if known else []
    return HdrLog(
        mapping,
        counts,
        np.concatenate([_none(), *(log.start_s + (log.start_time_s - origin) for log in together)]),
        np.concatenate([_none(), *(log.length_s for log in together)]),
        np.concatenate([np.zeros(0, np.int64), *(log.interval_counts for log in together)]),
        origin,
        sum(log.sections for log in logs),
        any(log.truncated for log in logs),
        max(log.encoding for log in filled),
    )


def _rank(percentile: float, count: int, encoding: int) -> int:
    if encoding == 1:
        return max(1, int(percentile / 100 * count + 0.5))
    # One step down first: 99.9 is not exact in binary, and must not reach the next rank by that.
    return max(1, math.ceil(math.nextafter(percentile, -math.inf) * count / 100))
