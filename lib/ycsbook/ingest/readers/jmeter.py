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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ycsbook import units
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.files.textlog import is_page, numbered
from ycsbook.ingest.log.latencies import Calls, Latencies
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.log.status_series import done
from ycsbook.ingest.readers.text_runs import ERROR, MAX_RUNS, TextRun, or_empty, with_failures
from ycsbook.operations import DATABASE_OPERATIONS, OK

FORMAT = "jmeter"
SAMPLE = "SAMPLE"
MAX_OPERATIONS = 500
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
    return or_empty([log for source in sources for log in _logs(source)], FORMAT)


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
    first = source.head(4096).decode("utf-8", errors="replace").split("\n", 1)[0]
    columns = _columns(first)
    return _summarised(source) if columns is None else [_sampled(source, columns)]


def _columns(header: str) -> list[str] | None:
    names = header.lstrip("\ufeff").rstrip("\r\n").split(",")
    return names if len(names) <= MAX_COLUMNS and names[0] == _NEEDED[0] and set(_NEEDED) <= set(names) else None


# -- results files


def _sampled(source: Source, columns: list[str]) -> RunLog:
    run = TextRun(FORMAT, str(source))
    calls = Calls(us=units.US_PER_MS, max_operations=MAX_OPERATIONS)
    threads = junk = 0
    for cells in _rows(_texts(source, len(columns), run)):
        row = dict(zip(columns, cells, strict=False)) if len(cells) == len(columns) else {}
        if not _is_sample(row):
            junk += bool(cells)
        elif not row.get("responseMessage", "").startswith(_CONTROLLER):
            name = operation_of(row["label"]) + ("" if row["success"] == "true" else "-FAILED")
            if not calls.add(name, int(row["timeStamp"]), int(row["elapsed"])):
                junk += 1
            elif _MS.fullmatch(row.get("allThreads", "")):
                threads = max(threads, int(row["allThreads"]))
    calls.close()
    if threads:
        run.columns["threads"] = float(threads)
    by_operation = calls.by_operation
    of_database = [name for name in by_operation if name.removesuffix("-FAILED") in DATABASE_OPERATIONS]
    log = replace(
        run.head(),
        series=calls.series(of_database or [*by_operation]),
        status_source=run.source if by_operation else "",
        source=f"{run.source}:1",
    )
    if run.truncated or not by_operation:
        return log
    runtime_ms = calls.runtime_ms
    log = replace(
        log,
        overall_count=1,
        runtime_ms=runtime_ms,
        summaries=tuple(_summaries(by_operation, log.source)),
        conflicts=("CSV rows",) if junk else (),
    )
    n = log.attempted or sum(latencies.count for latencies in by_operation.values())
    return replace(log, throughput_ops_s=n / (runtime_ms / units.MS_PER_S) if runtime_ms else math.nan)


def _rows(texts: Iterable[str]) -> Iterator[list[str]]:
    """The cells of each row; one cell where csv cannot read it. Not pandas: an open quote may not take all memory."""
    reader = csv.reader(texts)
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield [""]


def _texts(source: Source, columns: int, run: TextRun) -> Iterator[str]:
    """The lines after the header. A last one without end is whole where it ends in 0: no other number begins with 0."""
    for number, text, whole in numbered(source):
        # csv refuses NULs in some releases of Python and takes them in others.
        line = text.replace("\0", "\ufffd")
        if not whole and not any(len(cells) == columns and cells[-1] == "0" for cells in _rows([line])):
            run.truncated = True
        elif number > 1:
            yield line + "\n"


def _is_sample(row: dict[str, str]) -> bool:
    return row.get("success") in ("true", "false") and all(
        _MS.fullmatch(row[name]) for name in ("timeStamp", "elapsed")
    )


def _summaries(by_operation: dict[str, Latencies], where: str) -> Iterator[Summary]:
    summaries = {name: _summary(name, latencies, where) for name, latencies in by_operation.items()}
    for name in dict.fromkeys(name.removesuffix("-FAILED") for name in summaries):
        yield from with_failures(name, summaries.get(name), summaries.get(f"{name}-FAILED"))


def _summary(name: str, latencies: Latencies, where: str) -> Summary:
    mean = latencies.total * units.US_PER_MS / latencies.count
    low, high = latencies.min * units.US_PER_MS, latencies.max * units.US_PER_MS
    percentiles = tuple((p, v * units.US_PER_MS) for p, v in latencies.percentiles())
    return Summary(name, float(latencies.count), mean, low, high, percentiles, source=where)


# -- the summariser


@dataclass
class _SummarisedRun(TextRun):
    """The last line of the run's total, and of an interval since."""

    name: str = ""
    total: re.Match | None = None
    line: int = 0
    interval: re.Match | None = None
    has_ended: bool = False

    def add(self, number: int, match: re.Match) -> None:
        # The first interval is all there is so far, and has no line of its own for that.
        is_first = self.total is None and self.interval is None
        if match[2] == "+":
            self.interval = match
        if is_first or match[2] == "=":
            interval = match if is_first else self.interval
            details = []
            if interval is not None:
                mean_us, max_us = (float(interval[i]) * units.US_PER_MS for i in (9, 11))
                details = [done(SAMPLE, float(interval[3]), mean_us, max_us)]
            self.series.add(number, _elapsed_s(match), int(match[3]), details)
        if match[2] == "=":
            self.total, self.line, self.interval = match, number, None

    def log(self) -> RunLog:
        where = f"{self.source}:{self.line}"
        log = replace(self.head(truncated=not self.has_ended), status_source=self.source, source=where)
        if self.total is None or not self.has_ended:
            return log
        count, errors, rate = int(self.total[3]), int(self.total[12]), float(self.total[8].replace(",", "."))
        elapsed_s = _elapsed_s(self.total)
        low, high = count / (rate + _ROUNDING), count / max(rate - _ROUNDING, 1e-9)
        agrees = high >= elapsed_s - _ROUNDING_S and low <= elapsed_s + _ROUNDING_S and errors <= count
        mean_us, min_us, max_us = (float(self.total[i]) * units.US_PER_MS for i in (9, 10, 11))
        codes = ((OK, count - errors), *([(ERROR, errors)] if errors else [])) if errors <= count else ()
        samples = Summary(SAMPLE, float(count), mean_us, min_us, max_us, return_codes=codes, source=where)
        return replace(
            log,
            overall_count=1,
            runtime_ms=units.MS_PER_S * (count / rate if agrees and rate else elapsed_s),
            throughput_ops_s=rate,
            summaries=(samples,),
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
                runs.append(_SummarisedRun(FORMAT, str(source), name=match[1]))
            if match[1] == runs[-1].name:
                runs[-1].add(number, match)
    return [run.log() for run in runs]
