"""YCSB's text output: the summary on stdout and the status lines on stderr, in one file or in two.

Only whole lines count. A log that was cut gives what was whole, and says that it was cut.
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ycsbook.errors import MAX_SHOWN, RunLogError
from ycsbook.ingest.status import StatusSeries, parse_details, parse_line
from ycsbook.ingest.ycsb_log import Summary, YcsbLog
from ycsbook.params.secrets import redact

MAX_LINE = 64 * 1024
MAX_ERRORS = 5
MAX_OPERATIONS = 500
MAX_METRICS = 500

_SUMMARY = re.compile(r"\[([^\[\]]{1,80})\], ([^,]{1,60}), (\S{1,40})\s*", re.ASCII)
_NUMBER = re.compile(r"-?\d{1,19}(?:\.\d{1,19})?(?:[eE][-+]?\d{1,3})?", re.ASCII)
_PERCENTILE = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)(?:st|nd|rd|th)?PercentileLatency\((us|ms)\)", re.ASCII)
_RAW_PERCENTILE = re.compile(r"p(\d{1,3}(?:\.\d{1,6})?)", re.ASCII)
_COMMAND = re.compile(r"Command line: (.*)")
_JAVA = re.compile(r"\S{0,200}\bjava\s.*?\b(?:site|com\.yahoo)\.ycsb\.Client\s(.*)")
_VERSION = re.compile(r"YCSB Client (\d+(?:\.\d+){1,3}\S{0,20})", re.ASCII)
_ERROR = re.compile(
    r"(?:Caused by: |op: |Exception in thread \"[^\"]{0,80}\" )?[\w.$]{0,120}(?:Exception|Error)\b"
    r"|Error\b|op: |ycsbook: "
)

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


def parse(source: bytes | str | Path | Iterable[Path | str | bytes]) -> YcsbLog:
    """Read one run's log.

    Parameters
        source: the bytes or text of a log, a file, lines of text, or several files that make up one run
            (stdout first, then stderr).
    Raises
        RunLogError: a file cannot be opened or read.
    """
    reader = _Reader()
    if isinstance(source, str):
        source = source.encode()
    if isinstance(source, bytes):
        reader.feed("", source.splitlines(keepends=True))
    elif isinstance(source, Path):
        reader.feed_file(source)
    else:
        items = list(source)
        if items and isinstance(items[0], Path):
            for path in items:
                reader.feed_file(path)
        else:
            reader.feed("", (i if isinstance(i, bytes) else _whole(i).encode() for i in items))
    return reader.log()


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


def _whole(line: str) -> str:
    return line if line.endswith("\n") else line + "\n"


def _capped_lines(path: Path) -> Iterator[bytes]:
    """Lines of at most MAX_LINE bytes; of a longer one its head without end, the rest is passed over."""
    try:
        with path.open("rb") as file:
            while line := file.readline(MAX_LINE):
                yield line
                while len(line) == MAX_LINE and not line.endswith(b"\n"):
                    line = file.readline(MAX_LINE)
    except OSError as e:
        raise RunLogError(path, None, f"cannot be read: {e.strerror}; check that it is a file and its mode") from e


@dataclass
class _Reader:
    """The state while the lines go by."""

    found: dict = field(default_factory=dict)
    operations: dict[str, dict] = field(default_factory=dict)
    series: list[StatusSeries] = field(default_factory=list)
    errors: dict[str, None] = field(default_factory=dict)
    conflicts: dict[str, None] = field(default_factory=dict)
    runtimes: int = 0
    overall: int = 0
    overlong: int = 0
    truncated: bool = False
    in_status: bool = False
    overall_before: int = 0

    def feed_file(self, path: Path) -> None:
        self.feed(str(path), _capped_lines(path))

    def feed(self, name: str, lines: Iterable[bytes]) -> None:
        # With timeseries measurements YCSB prints its status lines on both streams: one series per file.
        self.series.append(StatusSeries())
        self.in_status, self.overall_before = False, self.overall
        for at, raw in enumerate(lines, start=1):
            whole = raw.endswith((b"\n", b"\r"))
            if len(raw) > MAX_LINE or (len(raw) == MAX_LINE and not whole):
                self.overlong += 1
                continue
            self._line(raw.decode("utf-8", errors="replace").rstrip("\r\n"), f"{name}:{at}", whole)

    def _line(self, text: str, where: str, whole: bool) -> None:
        split, self.in_status = self.in_status, False
        if text.startswith("["):
            if match := _SUMMARY.fullmatch(text):
                self._summary(match[1], match[2], match[3], where, whole)
            elif split and (details := parse_details(text)):
                self.series[-1].extend_last(details)
            elif not whole:
                self.truncated = True
            return
        if line := parse_line(text):
            self.series[-1].add(line, self.overall > self.overall_before)
            self.in_status = True
        elif match := _COMMAND.match(text) or _JAVA.match(text):
            if text.startswith("Command") or "command_line" not in self.found:
                self.found["command_line"] = redact(match[1])
        elif match := _VERSION.match(text):
            self.found.setdefault("version", match[1])
        elif len(self.errors) < MAX_ERRORS and _ERROR.match(text):
            self.errors.setdefault(_shortened(text))
        if not whole:
            self.truncated = True

    def _summary(self, operation: str, metric: str, text: str, where: str, whole: bool) -> None:
        if not whole and not self._completes(operation, metric, text):
            self.truncated = True
            return
        value = number(text)
        if operation == "OVERALL":
            self._overall(metric, value, where)
        elif operation == "TOTAL_GC_TIME" and metric == "Time(ms)" and value is not None:
            self.found["gc_time_ms"] = value
        elif value is not None and (key := _key(metric)):
            self._operation(operation, key, value, where)

    def _completes(self, operation: str, metric: str, text: str) -> bool:
        """Whether a last line without end is whole all the same: the return codes now add up to the operations."""
        known, value = self.operations.get(operation), number(text)
        if not known or not metric.startswith("Return=") or not value:
            return False
        codes = sum(v for k, v in known.items() if isinstance(k, tuple) and k[0] == "return")
        return known.get("count") == codes + value

    def _overall(self, metric: str, value: float | None, where: str) -> None:
        if metric == "RunTime(ms)" and value is not None:
            self.runtimes += 1
            self.found.setdefault("runtime_ms", value)
        elif metric == "Throughput(ops/sec)" and value is not None:
            self.overall += 1
            self.found.setdefault("throughput_ops_s", value)
            self.found.setdefault("source", where)

    def _operation(self, operation: str, key: str | tuple, value: float, where: str) -> None:
        if operation not in self.operations and len(self.operations) == MAX_OPERATIONS:
            return
        known = self.operations.setdefault(operation, {"source": where})
        if key not in known:
            if len(known) < MAX_METRICS:
                known[key] = value
        elif (key == "count" or key[0] == "return") and known[key] != value and not math.isnan(value):
            self.conflicts.setdefault(f"{operation} {'count' if key == 'count' else key[1]}")

    def log(self) -> YcsbLog:
        series = max(self.series, key=lambda s: len(s.lines), default=StatusSeries())
        return YcsbLog(
            **self.found,
            # [OVERALL] is there when both of its lines are.
            overall_count=min(self.overall, self.runtimes) if self.overall <= 1 else self.overall,
            summaries=tuple(_summary_of(name, known) for name, known in self.operations.items()),
            status=tuple(series.lines),
            errors=tuple(self.errors),
            conflicts=tuple(self.conflicts),
            truncated=self.truncated,
            restarts=series.restarts,
            overlong_lines=self.overlong,
        )


def _key(metric: str) -> str | tuple | None:
    if metric in _FIELDS:
        return _FIELDS[metric]
    if metric.startswith("Return="):
        return ("return", metric.removeprefix("Return="))
    if match := _PERCENTILE.fullmatch(metric):
        return (match[2], float(match[1]))
    if match := _RAW_PERCENTILE.fullmatch(metric):
        return ("us", float(match[1]))
    return "censored" if metric.startswith(">") else None


def _summary_of(operation: str, known: dict) -> Summary:
    count = known.get("count", math.nan)
    sampled = count != 0
    values = {k: known.get(k, math.nan) if sampled else math.nan for k in ("mean_us", "min_us", "max_us")}
    percentiles, ms_is_us = [], False
    for key, value in known.items():
        if isinstance(key, tuple) and key[0] in ("us", "ms") and key[1] <= 100 and sampled:
            # Whole milliseconds are rounded, so up to one more than the maximum is honest.
            mislabelled = key[0] == "ms" and value > values["max_us"] / 1000 + 1
            ms_is_us |= mislabelled
            percentiles.append((key[1], value * 1000 if key[0] == "ms" and not mislabelled else value))
    codes = tuple((k[1], int(v)) for k, v in known.items() if isinstance(k, tuple) and k[0] == "return" and v >= 0)
    censored = known.get("censored", 0.0)
    return Summary(
        operation, count, **values, percentiles=tuple(sorted(percentiles)), return_codes=codes, source=known["source"],
        censored=int(censored) if censored > 0 else 0, ms_is_us=ms_is_us,
    )  # fmt: skip


def _shortened(text: str) -> str:
    # Redacted before it is cut to what is shown, so that no password is cut out of its pattern.
    text = redact(text[: 10 * MAX_SHOWN]).strip()
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


__all__ = ["Summary", "YcsbLog", "number", "parse"]
