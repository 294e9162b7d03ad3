"""YCSB's summary, metric by metric, as its text and JSON exporters print it, whatever the release.

All releases print (operation, metric, value). What the names mean, and which of them lie, is known here alone.
"""

import itertools
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ycsbook import units
from ycsbook.ingest.log.latencies import PERCENTILES
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.operations import BATCHED_OK, DATABASE_OPERATIONS, GOOD_CODES, is_failure_series

MAX_OPERATIONS = 500
MAX_METRICS = 500
# Buckets of 1 ms or points in time per operation; nobody prints more, and an attacker shall not fill the memory.
MAX_POINTS = 1_000_000
# How far from a whole number a count may be that was computed of rounded figures.
_WHOLE = 0.01
_BOUNDS = ("min_us", "max_us")

# Thousands may be marked, as people who copy figures do.
_NUMBER = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d{1,19})(?:\.\d{1,19})?(?:[eE][-+]?\d{1,3})?", re.ASCII)
_P = r"(\d{1,3}(?:\.\d{1,6})?)"
_PERCENTILE = re.compile(rf"{_P}(?:st|nd|rd|th)?PercentileLatency\((ns|us|ms|s)\)|p{_P}", re.ASCII)
_LATENCY = re.compile(r"(Average|Min|Max)(?:Latency\((ns|us|ms|s)\))?")
_POINT = re.compile(r"\d{1,15}", re.ASCII)

# Metric names over all releases: from 0.1.4's to those of the raw exporter.
_FIELDS = {"Operations": "count", "Total Operations": "count"}
_BOUND = {"Average": "mean", "Min": "min", "Max": "max"}

# HdrHistogram of 3 significant digits tells every whole number below this from the next.
HDR_EXACT = 2048

Key = str | tuple


def number(text: str) -> float | None:
    """A number as Java prints one; NaN for what means "no sample", None for what is no number."""
    if text in ("NaN", "?", "Infinity", "-Infinity"):
        return math.nan
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text.replace(",", ""))
    return math.nan if value >= 2**63 else value


def key_of(metric: str) -> Key | None:
    """What a metric's name stands for: a field, ("return", code), (unit, percentile), ("point", n), None: unknown."""
    if metric in _FIELDS:
        return _FIELDS[metric]
    if match := _LATENCY.fullmatch(metric):
        return f"{_BOUND[match[1]]}_{match[2] or 'us'}"
    if metric.startswith("Return="):
        return ("return", metric.removeprefix("Return="))
    if match := _PERCENTILE.fullmatch(metric):
        return (match[2] or "us", float(match[1] or match[3]))
    if _POINT.fullmatch(metric):
        return ("point", int(metric))
    return "censored" if metric.startswith(">") else None


def ends_early(operations: Mapping[str, Iterable[Key]]) -> bool:
    """Whether the last operation, a call of the database, lacks what all others, or their calls, have (by `key_of`)."""
    *earlier, last = operations or [""]
    if not earlier or last not in DATABASE_OPERATIONS:
        return False
    printed = {name: {"return" if key[0] == "return" else key for key in keys} for name, keys in operations.items()}
    lacks_codes = any("return" in printed[name] for name in earlier) and "return" not in printed[last]
    return lacks_codes or not set.intersection(*(printed[name] for name in earlier)) <= printed[last]


@dataclass
class SummaryBuilder:
    """Takes the figures of one run in the order printed, and makes of them what a RunLog holds."""

    operations: dict[str, dict[Key, float]] = field(default_factory=dict)
    points: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    where: dict[str, tuple[str, int]] = field(default_factory=dict)
    conflicts: dict[str, None] = field(default_factory=dict)
    runtimes: int = 0
    overall: int = 0
    totals: dict = field(default_factory=dict)
    # Whether means are labelled ms, as in 0.1.0.
    means_in_ms: bool = False
    # Whether some are in ns or s, so that fractions of a us are nothing odd.
    is_fine: bool = False
    # What ycsb-rs prints before its run time, which is all that it prints.
    threads: float = math.nan
    # Whether operations stand before the totals, as forks print them.
    totals_last: bool = False

    def add(self, operation: str, metric: str, value: float, where: tuple[str, int]) -> None:
        """Take one figure; `where` are its file and line. Metrics nobody knows are passed over."""
        if operation == "OVERALL":
            self._overall(metric, value, where)
        elif (key := key_of(metric)) is not None:
            self._figure(operation, key, value, where)

    def _figure(self, operation: str, key: Key, value: float, where: tuple[str, int]) -> None:
        if value < 0:
            # Nothing that is counted or timed is below 0: a clock or an overflow went wrong.
            value = math.nan
        if operation not in self.operations and len(self.operations) == MAX_OPERATIONS:
            return
        figures = self.operations.setdefault(operation, {})
        self.where.setdefault(operation, where)
        name, _, unit = key.partition("_") if isinstance(key, str) else ("", "", key[0])
        # Percentiles in ms stay as they are: some are us.
        if unit in ("ns", "s") or (name and unit == "ms"):
            self.means_in_ms |= unit == "ms"  # 0.1.0 prints all latencies so
            self.is_fine |= unit != "ms"
            key, value = f"{name}_us" if name else ("us", key[1]), units.us(value, unit)
        if key[0] == "point":
            points = self.points.setdefault(operation, [])
            if len(points) < MAX_POINTS:
                points.append((key[1], value))
        elif key not in figures:
            if len(figures) < MAX_METRICS:
                figures[key] = value
        elif (key == "count" or key[0] == "return") and figures[key] != value and not math.isnan(value):
            self.conflicts.setdefault(f"{operation} {'count' if key == 'count' else key[1]}")

    def completes(self, operation: str, metric: str, value: float | None) -> bool:
        """Whether a last line without end is whole all the same: with it the return codes add up to the operations,
        the failures to those that are counted apart, or all calls to [OVERALL]."""
        key = key_of(metric)
        if not value or operation not in self.operations or key is None or key[0] != "return":
            return False
        figures = {**self.operations[operation], key: value}
        log = RunLog(**replace(self, operations={**self.operations, operation: figures}).fields())
        counted = log.by_operation[operation]
        apart = sum(s.count for s in log.summaries if is_failure_series(s.operation, operation))
        return (
            counted.count == sum(n for _, n in counted.return_codes)
            or (key[1] not in (*GOOD_CODES, BATCHED_OK) and counted.errors == apart)
            or abs(log.attempted - log.throughput_ops_s * log.runtime_ms / units.MS_PER_S) < 0.5
        )

    def is_begun_by(self, metric: str) -> bool:
        """Whether a line of [OVERALL] is the next run's: it repeats this one's, which is behind its operations.

        Some releases and forks print the throughput first."""
        if metric in ("RunTime(ms)", "ThreadCount"):
            return self.runtimes > 0
        # An excerpt may have nothing but the throughput.
        return metric == "Throughput(ops/sec)" and self.overall > 0 and (bool(self.operations) or not self.runtimes)

    def ends_before(self, operation: str, metric: str) -> bool:
        """Whether a line of an operation is the next run's: this one's stood before its totals, and has it already."""
        return self.totals_last and self.is_whole and key_of(metric) in self.operations.get(operation, ())

    @property
    def is_whole(self) -> bool:
        return min(self.overall, self.runtimes) > 0

    @property
    def is_derived(self) -> bool:
        """Whether it is a mean of several logs: a fraction where YCSB counts or prints whole ms or us. Of one whose
        clock is finer, throughput x run time is a whole number all the same, as far as the decimals printed tell."""
        of_all = (item for figures in self.operations.values() for item in figures.items())
        counts = [value for key, value in of_all if key == "count" or key[0] == "return"]
        runtime_ms, throughput = (self.totals.get(name, math.nan) for name in ("runtime_ms", "throughput_ops_s"))
        slack = max(_WHOLE, runtime_ms / units.MS_PER_S / 10 ** len(f"{throughput}".partition(".")[2]))
        bounds = (figures.get(name, 0.0) for figures in self.operations.values() for name in _BOUNDS)
        times = [runtime_ms, *(() if self.is_fine else bounds)]
        is_mean = slack < throughput * runtime_ms / units.MS_PER_S % 1 < 1 - slack and any(t % 1 > 0 for t in times)
        return is_mean or any(v % 1 for v in counts if not math.isnan(v))

    def fields(self, *, histogram_status: bool = False) -> dict:
        """The fields of RunLog that a summary gives; `histogram_status`: the status lines are those of the 1 ms
        histogram, so that the 95th percentile is one."""
        ms_is_us = any(map(_is_mislabelled, self.operations.values()))
        p95_is_p90 = not (ms_is_us or histogram_status) and self._is_from_hdr_in_ms()
        return {
            **self.totals,
            "overall_count": min(self.overall, self.runtimes) if self.overall <= 1 else self.overall,
            "summaries": tuple(self._summary(name, ms_is_us, p95_is_p90) for name in self.operations),
            "conflicts": tuple(self.conflicts),
            "derived": self.is_derived,
        }

    def buckets(self, operation: str) -> list[tuple[int, float]]:
        """The buckets of an operation; empty where its points are none: buckets add up to the count."""
        points, figures = self.points.get(operation, []), self.operations[operation]
        if [i for i, _ in points] != sorted({i for i, _ in points}):
            return []
        censored = figures.get("censored", 0.0)
        return points if sum(n for _, n in points) + max(censored, 0.0) == figures.get("count") else []

    def time_series(self, operation: str) -> list[tuple[int, float]]:
        """Points in time (ms from the start, mean latency in us); empty where the points are none: only means have
        fractions, and times that repeat or go back are of several series."""
        points = list(dict.fromkeys(self.points.get(operation, [])))
        means = [v for _, v in points if not math.isnan(v)]
        is_rising = all(a < b for (a, _), (b, _) in itertools.pairwise(points))
        if not is_rising or "censored" in self.operations[operation] or not any(v % 1 for v in means):
            return []
        return [(at, mean * units.US_PER_MS) for at, mean in points] if self.means_in_ms else points

    def _is_from_hdr_in_ms(self) -> bool:
        """Whether the percentiles can be HdrHistogram's in releases 0.2.0 to 0.3.1, which print the 90th as the 95th
        (YCSB issue 440). Their 1 ms histogram prints ms, too, but buckets, and largest latencies to the microsecond;
        later releases print names of return codes."""
        all_figures = self.operations.values()
        in_ms = any(("ms", 95.0) in figures for figures in all_figures)
        if self.means_in_ms or not in_ms or any(map(self.buckets, self.points)):
            return False
        codes = (k[1] for figures in all_figures for k in figures if k[0] == "return")
        are_numbers = all(map(_NUMBER.fullmatch, codes))
        return are_numbers and all(_is_of_hdr(figures.get("max_us", math.nan)) for figures in all_figures)

    def same_as(self, other: "SummaryBuilder") -> bool:
        """Whether it says the same as another: printed twice, for no two runs agree in every digit."""
        mine, theirs = (
            (b.totals.get("runtime_ms"), b.totals.get("throughput_ops_s"), str(b.operations)) for b in (self, other)
        )
        return mine == theirs

    def _overall(self, metric: str, value: float, where: tuple[str, int]) -> None:
        self.totals_last |= bool(self.operations) and not (self.runtimes or self.overall)
        if metric == "ThreadCount":
            self.threads = value
        elif metric == "RunTime(ms)":
            self.runtimes += 1
            self.totals.setdefault("runtime_ms", value)
        elif metric == "Throughput(ops/sec)":
            self.overall += 1
            self.totals.setdefault("throughput_ops_s", value)
            self.totals.setdefault("source", "{}:{}".format(*where))

    def _summary(self, operation: str, ms_is_us: bool, p95_is_p90: bool) -> Summary:
        figures = self.operations[operation]
        count = figures.get("count", math.nan)
        sampled = count != 0
        values = {k: figures.get(k, math.nan) if sampled else math.nan for k in ("mean_us", "min_us", "max_us")}
        buckets = self.buckets(operation) if operation in self.points else []
        in_ms = sampled and any(key[0] == "ms" for key in figures)
        p95_is_p90 &= in_ms and {("ms", 95.0), ("ms", 99.0)} <= figures.keys()
        percentiles = {}
        for key, value in figures.items():
            if key[0] in ("us", "ms") and key[1] <= 100 and sampled:
                percentile = 90.0 if p95_is_p90 and key[1] == 95 else key[1]
                percentiles.setdefault(percentile, value * 1000 if key[0] == "ms" and not ms_is_us else value)
        censored = figures.get("censored", 0.0)
        # With measurement.histogram.verbose they are HdrHistogram's, in us; none of 1 ms is beyond the maximum.
        is_beyond = bool(buckets) and buckets[-1][0] > figures.get("max_us", math.nan) / units.US_PER_MS
        in_us = is_beyond and all(n for _, n in buckets)
        buckets = [(i if in_us else i * units.US_PER_MS, n) for i, n in buckets]
        estimated = _from_buckets(buckets, count) if buckets and sampled else ()
        return Summary(
            operation,
            count,
            **values,
            percentiles=tuple(sorted(percentiles.items())),
            return_codes=tuple((k[1], int(v)) for k, v in figures.items() if k[0] == "return" and v >= 0),
            source="{}:{}".format(*self.where[operation]),
            censored=int(censored) if censored > 0 else 0,
            ms_is_us=ms_is_us and in_ms,
            p95_is_p90=p95_is_p90,
            estimated=tuple((p, v) for p, v in estimated if p not in percentiles),
        )


def _is_mislabelled(figures: dict[Key, float]) -> bool:
    """Whether a percentile labelled ms can only be in us: one exporter labels all of them alike.

    Whole milliseconds are rounded, so up to one more than the maximum is honest."""
    most_ms = figures.get("max_us", math.nan) / 1000 + 1
    return any(key[0] == "ms" and value > most_ms for key, value in figures.items()) and figures.get("count") != 0


def _is_of_hdr(max_us: float) -> bool:
    """Whether HdrHistogram of 3 digits prints this as a maximum: the upper end of a bucket; NaN says nothing."""
    if math.isnan(max_us) or max_us < HDR_EXACT:
        return True
    return (int(max_us) + 1) % (1 << (int(max_us).bit_length() - HDR_EXACT.bit_length() + 1)) == 0


def _from_buckets(buckets: list[tuple[int, float]], count: float) -> tuple[tuple[float, float], ...]:
    """Percentiles from buckets, as YCSB takes them: the bucket in which the share is reached.

    A percentile beyond the last bucket is not known and left out."""
    reached = np.searchsorted(np.cumsum([n for _, n in buckets]), np.array(PERCENTILES) / 100 * count).tolist()
    return tuple((p, float(buckets[at][0])) for p, at in zip(PERCENTILES, reached, strict=True) if at < len(buckets))
