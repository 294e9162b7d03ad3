"""YCSB's summary, metric by metric, as its text and JSON exporters print it, whatever the release.

All releases print (operation, metric, value). What the names mean, and which of them lie, is known here alone.
"""

import math
import re
from dataclasses import dataclass, field

from ycsbook.ingest.runlog import Summary

MAX_OPERATIONS = 500
MAX_METRICS = 500
# Buckets of 1 ms or points in time per operation; nobody prints more, and an attacker shall not fill the memory.
MAX_POINTS = 1_000_000
# Percentiles counted from buckets where YCSB prints none.
ESTIMATED = (50.0, 90.0, 95.0, 99.0, 99.9, 99.99)

_NUMBER = re.compile(r"-?\d{1,19}(?:\.\d{1,19})?(?:[eE][-+]?\d{1,3})?", re.ASCII)
_PERCENTILE = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)(?:st|nd|rd|th)?PercentileLatency\((us|ms)\)", re.ASCII)
_RAW_PERCENTILE = re.compile(r"p(\d{1,3}(?:\.\d{1,6})?)", re.ASCII)
_POINT = re.compile(r"\d{1,15}", re.ASCII)

# Metric names over all releases: from 0.1.4's to those of the raw exporter.
_FIELDS = {
    "Operations": "count",
    "Total Operations": "count",
    "AverageLatency(us)": "mean_us",
    "Average": "mean_us",
    "MinLatency(us)": "min_us",
    "Min": "min_us",
    "MaxLatency(us)": "max_us",
    "Max": "max_us",
}

Key = str | tuple


def number(text: str) -> float | None:
    """A number as Java prints one; NaN for what means "no sample", None for what is no number.

    Examples
        >>> number("1.287E7"), number("499.0"), number("NaN"), number("9223372036854775807"), number("1_0")
        (12870000.0, 499.0, nan, nan, None)
    """
    if text in ("NaN", "?", "Infinity", "-Infinity"):
        return math.nan
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return math.nan if value >= 2**63 else value


def key_of(metric: str) -> Key | None:
    """What a metric's name stands for: a field, ("return", code), (unit, percentile), ("point", n), None: unknown."""
    if metric in _FIELDS:
        return _FIELDS[metric]
    if metric.startswith("Return="):
        return ("return", metric.removeprefix("Return="))
    if match := _PERCENTILE.fullmatch(metric):
        return (match[2], float(match[1]))
    if match := _RAW_PERCENTILE.fullmatch(metric):
        return ("us", float(match[1]))
    if _POINT.fullmatch(metric):
        return ("point", int(metric))
    return "censored" if metric.startswith(">") else None


@dataclass
class SummaryBuilder:
    """Takes the figures of one run in the order printed, and makes of them what a RunLog holds."""

    operations: dict[str, dict[Key, float]] = field(default_factory=dict)
    points: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    where: dict[str, tuple[str, int]] = field(default_factory=dict)
    conflicts: dict[str, None] = field(default_factory=dict)
    runtimes: int = 0
    overall: int = 0
    found: dict = field(default_factory=dict)

    def add(self, operation: str, metric: str, value: float, where: tuple[str, int]) -> None:
        """Take one figure; `where` are its file and line. Metrics nobody knows are passed over."""
        if operation == "OVERALL":
            self._overall(metric, value, where)
        elif operation == "TOTAL_GC_TIME" and metric == "Time(ms)":
            self.found["gc_time_ms"] = value
        elif (key := key_of(metric)) is not None:
            self.take(operation, key, value, where)

    def take(self, operation: str, key: Key, value: float, where: tuple[str, int]) -> None:
        """Take one figure of an operation whose metric is known."""
        if value < 0:
            # Nothing that is counted or timed is below 0: a clock or an overflow went wrong.
            value = math.nan
        known = self.operations.get(operation)
        if known is None:
            if len(self.operations) == MAX_OPERATIONS:
                return
            known = self.operations[operation] = {}
            self.where[operation] = where
        if key[0] == "point":
            points = self.points.setdefault(operation, [])
            if len(points) < MAX_POINTS:
                points.append((key[1], value))
        elif key not in known:
            if len(known) < MAX_METRICS:
                known[key] = value
        elif (key == "count" or key[0] == "return") and known[key] != value and not math.isnan(value):
            self.conflicts.setdefault(f"{operation} {'count' if key == 'count' else key[1]}")

    def completes(self, operation: str, metric: str, value: float | None) -> bool:
        """Whether a last line without end is whole all the same: the return codes now add up to the operations."""
        known = self.operations.get(operation)
        if not known or not metric.startswith("Return=") or not value:
            return False
        codes = sum(v for k, v in known.items() if k[0] == "return")
        return known.get("count") == codes + value

    @property
    def is_whole(self) -> bool:
        """Whether both lines of [OVERALL] were seen."""
        return min(self.overall, self.runtimes) > 0

    @property
    def is_derived(self) -> bool:
        """Whether it is a mean of several logs: a fraction where YCSB counts or prints whole milliseconds."""
        counts = [v for known in self.operations.values() for k, v in known.items() if k == "count" or k[0] == "return"]
        return any(v % 1 for v in (*counts, self.found.get("runtime_ms", 0.0)) if not math.isnan(v))

    def fields(self, *, histogram_status: bool = False) -> dict:
        """The fields of RunLog that a summary gives.

        Parameters
            histogram_status: the status lines are those of the 1 ms histogram, so that the 95th percentile is one.
        """
        return {
            **self.found,
            "overall_count": min(self.overall, self.runtimes) if self.overall <= 1 else self.overall,
            "summaries": tuple(self._summary(name, histogram_status) for name in self.operations),
            "conflicts": tuple(self.conflicts),
            "derived": self.is_derived,
        }

    def buckets(self, operation: str) -> list[tuple[int, float]]:
        """The 1 ms buckets of an operation; empty where its points are none: buckets add up to the count."""
        points, known = self.points.get(operation, []), self.operations[operation]
        if [i for i, _ in points] != sorted({i for i, _ in points}):
            return []
        censored = known.get("censored", 0.0)
        return points if sum(n for _, n in points) + max(censored, 0.0) == known.get("count") else []

    def time_series(self, operation: str) -> list[tuple[int, float]]:
        """Points in time (ms from the start, mean latency in us); empty where the points are buckets."""
        return [] if self.buckets(operation) else self.points.get(operation, [])

    def same_as(self, other: "SummaryBuilder") -> bool:
        """Whether it says the same as another: printed twice, for no two runs agree in every digit."""
        mine, theirs = (
            (b.found.get("runtime_ms"), b.found.get("throughput_ops_s"), str(b.operations)) for b in (self, other)
        )
        return mine == theirs

    def _overall(self, metric: str, value: float, where: tuple[str, int]) -> None:
        if metric == "RunTime(ms)":
            self.runtimes += 1
            self.found.setdefault("runtime_ms", value)
        elif metric == "Throughput(ops/sec)":
            self.overall += 1
            self.found.setdefault("throughput_ops_s", value)
            self.found.setdefault("source", "{}:{}".format(*where))

    def _summary(self, operation: str, histogram_status: bool) -> Summary:
        known = self.operations[operation]
        count = known.get("count", math.nan)
        sampled = count != 0
        values = {k: known.get(k, math.nan) if sampled else math.nan for k in ("mean_us", "min_us", "max_us")}
        buckets = self.buckets(operation) if operation in self.points else []
        # The 1 ms histogram always printed its buckets while labels were in ms. Without them it was HdrHistogram, and
        # its releases 0.2.0 to 0.3.1 print the 90th percentile as the 95th (YCSB issue 440).
        p95_is_p90 = ("ms", 95.0) in known and ("ms", 99.0) in known and not (buckets or histogram_status)
        percentiles, ms_is_us = {}, False
        for key, value in known.items():
            if key[0] in ("us", "ms") and key[1] <= 100 and sampled:
                # Whole milliseconds are rounded, so up to one more than the maximum is honest.
                mislabelled = key[0] == "ms" and value > values["max_us"] / 1000 + 1
                ms_is_us |= mislabelled
                percentile = 90.0 if p95_is_p90 and key[1] == 95 else key[1]
                percentiles.setdefault(percentile, value * 1000 if key[0] == "ms" and not mislabelled else value)
        censored = known.get("censored", 0.0)
        estimated = _from_buckets(buckets, count) if buckets and sampled else ()
        return Summary(
            operation,
            count,
            **values,
            percentiles=tuple(sorted(percentiles.items())),
            return_codes=tuple((k[1], int(v)) for k, v in known.items() if k[0] == "return" and v >= 0),
            source="{}:{}".format(*self.where[operation]),
            censored=int(censored) if censored > 0 else 0,
            ms_is_us=ms_is_us,
            p95_is_p90=p95_is_p90 and sampled,
            estimated=tuple((p, v) for p, v in estimated if p not in percentiles),
        )


def _from_buckets(buckets: list[tuple[int, float]], count: float) -> tuple[tuple[float, float], ...]:
    """Percentiles in us from buckets of 1 ms, as YCSB takes them: the bucket in which the share is reached.

    A percentile beyond the last bucket is not known and left out.
    """
    found, done, wanted = [], 0.0, list(ESTIMATED)
    for i, n in buckets:
        done += n
        while wanted and done >= wanted[0] / 100 * count:
            found.append((wanted.pop(0), i * 1000.0))
    return tuple(found)
