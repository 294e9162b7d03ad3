"""JMeter's results file (.jtl as CSV) and the lines of its summariser.

A sample is an operation; its label says which, where a word of it is that of an operation (find, insert, ...). Samples
with other labels (a login, a script) stand under their label and are none of the operations that throughput counts,
unless there are no others. The results file has no end: it is read where it ends in a whole line, from the first
sample's start to the last one's end. Rows of a transaction controller repeat the samples inside it and do not count.
The summariser tells no labels (SAMPLE), and its last line is followed by `... end of run`; its times are whole seconds,
so the run time is the samples over the rate, where both agree.
"""

import csv
import functools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ycsbook import units
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.files.textlog import is_page, numbered
from ycsbook.ingest.log.latencies import Calls, Latencies
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.log.status_series import StatusSeries, done
from ycsbook.operations import DATABASE_OPERATIONS, OK

FORMAT = "jmeter"
SAMPLE = "SAMPLE"
MAX_OPERATIONS = 500
MAX_RUNS = 10_000
MAX_COLUMNS = 64

_NEEDED = ("timeStamp", "elapsed", "label", "success")
_WORDS = {
    "READ": ("read", "find", "select", "get", "query"),
    "INSERT": ("insert", "create"),
    "UPDATE": ("update", "replace"),
    "DELETE": ("delete", "remove"),
    "SCAN": ("scan",),
}
_WORD = re.compile(r"[a-z]{1,30}")
_MS = re.compile(r"\d{1,13}", re.ASCII)
# How a transaction controller's row says that it repeats others.
_CONTROLLER = "Number of samples in transaction"
_LINE = re.compile(
    r"(?:.{0,160}[:\s])?(\S{1,60}) ([+=]) {1,12}(\d{1,15})"
    r" in {1,12}(?:(\d{1,6}):(\d\d):(\d\d)|(\d{1,9}(?:[.,]\d)?)s) = {1,12}(\d{1,12}[.,]\d)/s"
    r" Avg: {1,12}(\d{1,12}) Min: {1,12}(\d{1,12}) Max: {1,12}(\d{1,12}) Err: {1,12}(\d{1,12}) \(.{0,60}"
)
_HEAD = re.compile(rb" [+=] {1,12}\d{1,15} in {1,12}[\d:.,]{1,12}s? = {1,12}\d{1,12}[.,]\d/s Avg: ")
_END = "... end of run"
_ROUNDING_S, _ROUNDING = 0.5, 0.05


def recognises(head: bytes, name: str = "") -> bool:
    """Whether this is a results file or has lines of the summariser, and is no page that quotes one."""
    first = head.lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", errors="replace")
    return _columns(first) is not None or (bool(_HEAD.search(head)) and not is_page(head))


def parse(sources: Sequence[Source]) -> list[RunLog]:
    """The runs of the files, in order; at least one, which may be empty.

    Raises
        RunLogError: a file cannot be read.
    """
    logs = [log for source in sources for log in _logs(source)]
    return logs or [RunLog(format=FORMAT)]


@functools.lru_cache(maxsize=4096)
def operation_of(label: str) -> str:
    """The operation that a label names: YCSB's where a word of it is that of one, else the label.

    Examples
        >>> operation_of("Mongo find by id"), operation_of("insertMany"), operation_of("login")
        ('READ', 'INSERT', 'login')
    """
    words = _WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", label[:200]).lower())
    return next(
        (name for word in words for name, known in _WORDS.items() if word in known), label.strip()[:80] or SAMPLE
    )


def _logs(source: Source) -> list[RunLog]:
    first = source.head(4096).decode("utf-8", errors="replace").lstrip("\ufeff").split("\n", 1)[0]
    columns = _columns(first)
    return _summarised(source) if columns is None else [_Samples(str(source), columns).log(source)]


def _columns(header: str) -> list[str] | None:
    names = header.lstrip("\ufeff").rstrip("\r\n").split(",")
    return names if len(names) <= MAX_COLUMNS and names[0] == _NEEDED[0] and set(_NEEDED) <= set(names) else None


@dataclass
class _Samples:
    """The samples of a results file while its rows go by."""

    source: str
    columns: list[str]
    calls: Calls = field(default_factory=lambda: Calls(us=units.US_PER_MS, max_operations=MAX_OPERATIONS))
    threads: int = 0
    junk: int = 0
    truncated: bool = False

    def log(self, source: Source) -> RunLog:
        for row in self._rows(source):
            self.junk += not self._take(row)
        self.calls.close()
        operations = self.calls.by_operation
        counted = [name for name in operations if name.removesuffix("-FAILED") in DATABASE_OPERATIONS]
        log = RunLog(
            format=FORMAT,
            series=self.calls.series(counted or [*operations]),
            status_source=self.source if operations else "",
            said={"threads": float(self.threads)} if self.threads else {},
            truncated=self.truncated,
            source=f"{self.source}:1",
        )
        if self.truncated or not operations:
            return log
        runtime_ms = self.calls.runtime_ms
        log = replace(
            log, overall_count=1, runtime_ms=runtime_ms, summaries=tuple(self._summaries()),
            conflicts=("CSV rows",) if self.junk else (),
        )  # fmt: skip
        n = log.attempted or sum(latencies.count for latencies in operations.values())
        return replace(log, throughput_ops_s=n / (runtime_ms / units.MS_PER_S) if runtime_ms else math.nan)

    def _rows(self, source: Source) -> Iterator[dict[str, str]]:
        reader = csv.reader(self._texts(source))
        while True:
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error:
                self.junk += 1
                continue
            if len(cells) == len(self.columns):
                yield dict(zip(self.columns, cells, strict=True))
            else:
                self.junk += bool(cells)

    def _texts(self, source: Source) -> Iterator[str]:
        for number, text, whole in numbered(source):
            if not whole and not self._is_whole(text):
                self.truncated = True
            elif number > 1:
                # csv refuses NULs in some releases of Python and takes them in others.
                yield text.replace("\0", "\ufffd") + "\n"

    def _is_whole(self, text: str) -> bool:
        """Whether a last row without end is whole all the same: no number but 0 begins with 0."""
        try:
            cells = next(csv.reader([text]), [])
        except csv.Error:
            return False
        return len(cells) == len(self.columns) and cells[-1] == "0"

    def _take(self, row: dict[str, str]) -> bool:
        """Take a row; False where it is none."""
        at, elapsed = row["timeStamp"], row["elapsed"]
        if row["success"] not in ("true", "false") or not (_MS.fullmatch(at) and _MS.fullmatch(elapsed)):
            return False
        if row.get("responseMessage", "").startswith(_CONTROLLER):
            return True
        name = operation_of(row["label"]) + ("" if row["success"] == "true" else "-FAILED")
        if not self.calls.add(name, int(at), int(elapsed)):
            return False
        if _MS.fullmatch(row.get("allThreads", "")):
            self.threads = max(self.threads, int(row["allThreads"]))
        return True

    def _summaries(self) -> Iterator[Summary]:
        operations = self.calls.by_operation
        for name in dict.fromkeys(name.removesuffix("-FAILED") for name in operations):
            good, bad = operations.get(name), operations.get(f"{name}-FAILED")
            codes = ((OK, good.count),) if good else ()
            codes += (("ERROR", bad.count),) if bad else ()
            yield self._summary(name, good, codes if name in DATABASE_OPERATIONS else ())
            if bad is not None:
                yield self._summary(f"{name}-FAILED", bad, ())

    def _summary(self, name: str, latencies: Latencies | None, codes: tuple) -> Summary:
        where, k = f"{self.source}:1", units.US_PER_MS
        if latencies is None:
            return Summary(name, 0.0, return_codes=codes, source=where)
        return Summary(
            name,
            float(latencies.count),
            mean_us=latencies.total * k / latencies.count,
            min_us=float(latencies.min * k),
            max_us=float(latencies.max * k),
            percentiles=tuple((p, v * k) for p, v in latencies.percentiles()),
            return_codes=codes,
            source=where,
        )


@dataclass
class _SummarisedRun:
    """One run of the summariser while its lines go by: the last line of its total, and of an interval since."""

    source: str
    name: str
    total: re.Match | None = None
    line: int = 0
    interval: re.Match | None = None
    has_ended: bool = False
    series: StatusSeries = field(default_factory=StatusSeries)

    def add(self, number: int, match: re.Match) -> None:
        is_interval = match[2] == "+"
        if self.total is None and self.interval is None:
            # The first interval is all there is so far, and has no line of its own for that.
            self._status(number, match, match)
        elif not is_interval:
            self._status(number, match, self.interval)
        if is_interval:
            self.interval = match
        else:
            self.total, self.line, self.interval = match, number, None

    def _status(self, number: int, total: re.Match, interval: re.Match | None) -> None:
        details = ()
        if interval is not None:
            mean, highest = (float(interval[i]) * units.US_PER_MS for i in (9, 11))
            details = (done(SAMPLE, float(interval[3]), mean, highest),)
        self.series.add(number, _elapsed_s(total), int(total[3]), details)

    def log(self) -> RunLog:
        head = {
            "format": FORMAT, "series": self.series.close(), "status_source": self.source,
            "truncated": not self.has_ended, "source": f"{self.source}:{self.line}",
        }  # fmt: skip
        if self.total is None or not self.has_ended:
            return RunLog(**head)
        count, errors, rate = int(self.total[3]), int(self.total[12]), float(self.total[8].replace(",", "."))
        elapsed_s = _elapsed_s(self.total)
        low, high = count / (rate + _ROUNDING), count / max(rate - _ROUNDING, 1e-9)
        agrees = high >= elapsed_s - _ROUNDING_S and low <= elapsed_s + _ROUNDING_S and errors <= count
        mean, lowest, highest = (float(self.total[i]) * units.US_PER_MS for i in (9, 10, 11))
        codes = ((OK, count - errors), *([("ERROR", errors)] if errors else [])) if errors <= count else ()
        return RunLog(
            **head,
            overall_count=1,
            runtime_ms=units.MS_PER_S * (count / rate if agrees and rate else elapsed_s),
            throughput_ops_s=rate,
            summaries=(
                Summary(SAMPLE, float(count), mean, lowest, highest, return_codes=codes, source=head["source"]),
            ),
            conflicts=() if agrees else ("summary rate",),
        )


def _elapsed_s(match: re.Match) -> float:
    if match[7] is not None:
        return float(match[7].replace(",", "."))
    return float(int(match[4]) * 3600 + int(match[5]) * 60 + int(match[6]))


def _summarised(source: Source) -> list[RunLog]:
    runs: list[_SummarisedRun] = []
    for number, text, whole in numbered(source):
        if text.rstrip().endswith(_END) and runs:
            runs[-1].has_ended = runs[-1].total is not None
        elif whole and "/s Avg:" in text and (match := _LINE.match(text)):
            if (not runs or runs[-1].has_ended) and len(runs) < MAX_RUNS:
                runs.append(_SummarisedRun(str(source), match[1]))
            if match[1] == runs[-1].name:
                runs[-1].add(number, match)
    return [run.log() for run in runs]
