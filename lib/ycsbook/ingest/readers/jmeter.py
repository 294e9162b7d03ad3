"""JMeter's results file (.jtl as CSV), and what its Summary Report and Aggregate Report save.

A sample is an operation; a word of its label says which (find, insert, ...). Samples with other labels (a login, a
script) stand under these, and throughput does not count them, unless there are no others. A file that ends in a whole
line is read, from the first sample's start to the last one's end. Rows of a transaction controller repeat the samples
inside it and do not count. A report has a row for each label, with latencies in ms of all samples, failed ones too, and
ends in TOTAL, whose rate is all labels'. JMeter's summariser tells neither labels nor percentiles and is not read.
"""

import csv
import functools
import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ycsbook import units
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.log.latencies import Calls
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.log.summary import number
from ycsbook.ingest.readers.text_runs import FAILED, counted, numbered, us, with_failures
from ycsbook.operations import DATABASE_OPERATIONS

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
# Of a report: what its columns must begin with, and what it has of them.
_REPORT = ["Label", "# Samples", "Average"]
_LINE = {"Median": 50.0, "90% Line": 90.0, "95% Line": 95.0, "99% Line": 99.0}
# How a transaction controller's row says that it repeats others.
_CONTROLLER = "Number of samples in transaction"


def recognises(head: bytes, name: str = "") -> bool:
    """Whether this is a results file."""
    return _columns(head) is not None


def parse(sources: Sequence[Source]) -> list[RunLog]:
    headed = ((source, _columns(source.head(4096))) for source in sources)
    logs = [(_report if columns[:3] == _REPORT else _log)(source, columns) for source, columns in headed if columns]
    return logs or [RunLog(format=FORMAT)]


@functools.lru_cache(maxsize=4096)
def operation_of(label: str) -> str:
    """The operation that a label names: YCSB's where a word of it is that of one, else the label."""
    words = _WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", label[:200]).lower())
    return next(
        (name for word in words for name, forms in _WORDS.items() if word in forms), label.strip()[:80] or SAMPLE
    )


def _columns(head: bytes) -> list[str] | None:
    """The columns of a results file or of a report that begins so; None: it is neither."""
    names = head.decode("utf-8-sig", errors="replace").split("\n", 1)[0].rstrip("\r").split(",")
    is_results = names[0] == _NEEDED[0] and set(_NEEDED) <= set(names)
    is_report = names[:3] == _REPORT and {"Min", "Max", "Error %", "Throughput"} <= set(names)
    return names if len(names) <= MAX_COLUMNS and (is_results or is_report) else None


def _report(source: Source, columns: list[str]) -> RunLog:
    texts = (text + "\n" for _, text, _ in numbered(source))
    of_columns = (dict(zip(columns, cells, strict=True)) for cells in _rows(texts) if len(cells) == len(columns))
    *of_labels, total = rows = [*itertools.islice(of_columns, 1, MAX_OPERATIONS)] or [{}]
    rate, _, time = total.get("Throughput", "").partition("/")
    rate_ops_s = (number(rate) or math.nan) / {"min": 60.0, "hour": units.SECONDS_PER_HOUR}.get(time, 1.0)
    counts = [_figure(row, name) for row in of_labels for name in ("# Samples", "Error %")]
    log = RunLog(format=FORMAT, source=f"{source}:{len(rows) + 1}")
    if total.get("Label") != "TOTAL" or not rate_ops_s > 0 or any(map(math.isnan, counts)):
        return replace(log, truncated=True)
    names = [operation_of(row["Label"]) for row in of_labels]
    if len(set(names)) < len(names):  # two searches, say, whose percentiles nobody can add
        names = [row["Label"].strip()[:80] for row in of_labels]
    summaries = tuple(map(_of_label, names, of_labels, [log.source] * len(names)))
    n = sum(counts[::2])
    log = replace(log, overall_count=1, runtime_ms=n / rate_ops_s * units.MS_PER_S, summaries=summaries)
    return replace(log, throughput_ops_s=rate_ops_s * (log.attempted / n if n else math.nan))


def _of_label(name: str, row: dict[str, str], where: str) -> Summary:
    count = int(_figure(row, "# Samples"))
    failed = round(_figure(row, "Error %") / 100 * count)
    mean_us, min_us, max_us, *of_lines = (us(_figure(row, key)) for key in ("Average", "Min", "Max", *_LINE))
    percentiles = tuple((p, value) for p, value in zip(_LINE.values(), of_lines, strict=True) if not math.isnan(value))
    latencies = {"mean_us": mean_us, "min_us": min_us, "max_us": max_us, "percentiles": percentiles}
    return counted(name, count - failed, failed, source=where, **latencies)


def _figure(row: dict[str, str], name: str) -> float:
    value = number(row.get(name, "").rstrip("%"))
    return math.nan if value is None else value


def _log(source: Source, columns: list[str]) -> RunLog:
    calls = Calls(us=units.US_PER_MS, max_operations=MAX_OPERATIONS)
    threads = junk = 0
    truncated: list[int] = []
    for cells in _rows(_texts(source, len(columns), truncated)):
        row = dict(zip(columns, cells, strict=False)) if len(cells) == len(columns) else {}
        times = [row.get(name, "") for name in ("timeStamp", "elapsed")]
        if row.get("success") not in ("true", "false") or not all(map(_MS.fullmatch, times)):
            junk += bool(cells)
        elif not row.get("responseMessage", "").startswith(_CONTROLLER):
            name = operation_of(row["label"]) + ("" if row["success"] == "true" else FAILED)
            if not calls.add(name, *map(int, times)):
                junk += 1
            elif _MS.fullmatch(row.get("allThreads", "")):
                threads = max(threads, int(row["allThreads"]))
    calls.close()
    by_operation = calls.by_operation
    of_database = [name for name in by_operation if name.removesuffix(FAILED) in DATABASE_OPERATIONS]
    log = RunLog(
        format=FORMAT,
        columns={"threads": float(threads)} if threads else {},
        series=calls.series(of_database or [*by_operation]),
        status_source=str(source) if by_operation else "",
        truncated=bool(truncated),
        source=f"{source}:1",
    )
    if truncated or not by_operation:
        return log
    runtime_ms, summaries = calls.runtime_ms, tuple(with_failures(calls.summaries(log.source)))
    conflicts = ("CSV rows",) if junk else ()
    log = replace(log, overall_count=1, runtime_ms=runtime_ms, summaries=summaries, conflicts=conflicts)
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


def _texts(source: Source, columns: int, truncated: list[int]) -> Iterator[str]:
    """The lines after the header; numbers of those that were cut are added to `truncated`.

    A last one without end is whole where it ends in 0: no other number begins with 0."""
    for at, text, is_complete in numbered(source):
        # csv refuses NULs in some releases of Python and takes them in others.
        line = text.replace("\0", "\ufffd")
        if not is_complete and not any(len(cells) == columns and cells[-1] == "0" for cells in _rows([line])):
            truncated.append(at)
        elif at > 1:
            yield line + "\n"
