"""iibench: iibench-mongodb's TSV file and console, and the Python iibench.

iibench-mongodb's lines hold rows inserted and seconds since the start; its last line holds no exceptions, and `Done!`
follows on the console. A TSV file without that last line was cut or copied before the end, but each of its lines is a
measurement of everything before it: it is read, and is `truncated`. A console without its end is incomplete. The time
is printed in whole seconds, so the run time is the rows over the rate, which is exact to the ms, where both agree.

The run is its inserts, as its rate is; queries run beside them at a rate of their own. They are SCAN, because each
reads a range of an index, and their number is not printed: their rate stands in the intervals, per second whether the
fork printed it per second or per minute. An exception is one batch that failed; it counts as its rows where the console
tells how many those are.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ycsbook import units
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.files.textlog import MAX_ERRORS, is_page, numbered, shortened
from ycsbook.ingest.log.intervals import StatusLines
from ycsbook.ingest.log.operations import OK
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.log.status import OperationStatus, StatusLine
from ycsbook.ingest.readers import iibench_rows
from ycsbook.ingest.readers.iibench_python import PythonRun, columns_of
from ycsbook.ingest.readers.iibench_rows import Row

FORMAT = "iibench"
MAX_RUNS = 10_000
STATUS_BATCH = 4096
# What iibench-mongodb's scripts say where they mean no limit.
NO_LIMIT = 999_999

_PARAMETERS = {
    "writers": re.compile(r"\s(\d{1,6}) writer thread\(s\)$", re.ASCII),
    "queriers": re.compile(r"\s(\d{1,6}) query thread\(s\)$", re.ASCII),
    "batch": re.compile(r"Documents Per Insert = (\d{1,7})$", re.ASCII | re.IGNORECASE),
    "limit": re.compile(r"Maximum of ([\d.,]{1,15}) insert\(s\) per second$", re.ASCII),
}
_BEGIN, _DONE = "Application Parameters", "Done!"
_ERROR = re.compile(r"(?:Exception|EXCEPTION|[Ee]rror)\b")
_CONSOLE = re.compile(rb" inserts : [\d.,]{1,20} seconds : cum ips=\d")
_PYTHON = re.compile(rb"^(?:i_sec[ \t]|#rows )[^\r\n]{0,400}", re.MULTILINE)


def recognises(head: bytes) -> bool:
    """Whether this is one of iibench's outputs, and not a page that quotes one."""
    if is_page(head):
        return False
    first = head.lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", errors="replace").rstrip("\r")
    if iibench_rows.is_tsv_header(first) or _CONSOLE.search(head):
        return True
    return any(columns_of(match[0].decode("utf-8", errors="replace")) for match in _PYTHON.finditer(head))


def parse(sources: Sequence[Source]) -> list[RunLog]:
    """The runs of the files, in order; at least one, which may be empty.

    Raises
        RunLogError: a file cannot be read.
    """
    logs = [log for source in sources for log in _Reader(source).logs()]
    return logs or [RunLog(format=FORMAT, source=str(sources[0]) if sources else "")]


@dataclass
class _JavaRun:
    """One run of iibench-mongodb while its lines go by."""

    source: str
    is_tsv: bool
    parameters: dict[str, int] = field(default_factory=dict)
    errors: dict[str, None] = field(default_factory=dict)
    truncated: bool = False
    is_done: bool = False
    before: Row | None = None
    last: Row | None = None
    exceptions: int = 0
    tells_exceptions: bool = False
    series: Series = field(default_factory=Series)
    waiting: list[tuple[int, StatusLine]] = field(default_factory=list)

    def add(self, row: Row) -> None:
        if row.exceptions is not None:
            self.exceptions, self.tells_exceptions = row.exceptions, True
        if self.last is None:
            self.waiting.append((row.line, StatusLine(None, 0.0, 0, ())))
        # The last line may name rows that were not inserted.
        if row.is_consistent:
            self.waiting.append((row.line, _status(row, self.last)))
        self.before, self.last = self.last, row
        if len(self.waiting) > STATUS_BATCH:
            self.flush()

    @property
    def has_ended(self) -> bool:
        """Whether the last line is that of a run that came to its end."""
        return self.is_done or (self.tells_exceptions and self.last is not None and self.last.exceptions is None)

    def log(self) -> RunLog:
        self.flush()
        row = self._measured()
        ended = self.has_ended or (self.is_tsv and row is not None)
        head = {
            "format": FORMAT, "said": self._said(), "errors": tuple(self.errors), "series": self.series.close(),
            "status_source": self.source if self.series.lines else "",
            "truncated": self.truncated or not (self.has_ended or (self.is_tsv and not self.tells_exceptions)),
        }  # fmt: skip
        if row is None or not ended:
            return RunLog(**head, source=self.source)
        where = f"{self.source}:{row.line}"
        return RunLog(
            **head,
            overall_count=1,
            runtime_ms=units.MS_PER_S * (row.inserts / row.ips if row.is_consistent else row.elapsed_s),
            throughput_ops_s=row.ips,
            summaries=self._summaries(row, where),
            conflicts=() if row.is_consistent else ("INSERT count",),
            source=where,
        )

    def _measured(self) -> Row | None:
        """The last line, or the one before it where the last names rows that were not inserted."""
        if self.last is None or self.last.is_consistent or self.before is None:
            return self.last
        return self.before if self.before.is_consistent else self.last

    def _summaries(self, row: Row, where: str) -> tuple[Summary, ...]:
        codes = ((OK, row.inserts),)
        if self.exceptions:
            codes += (("EXCEPTION", self.exceptions * self.parameters.get("batch", 1)),)
        inserts = Summary("INSERT", float(row.inserts), return_codes=codes, source=where)
        if math.isnan(row.all_queries_mean_us):
            return (inserts,)
        return inserts, Summary("SCAN", mean_us=row.all_queries_mean_us, source=where)

    def _said(self) -> dict[str, float | str]:
        said, found = {}, self.parameters
        if "writers" in found:
            said["threads"] = float(found["writers"] + found.get("queriers", 0))
        if 0 < found.get("limit", 0) < NO_LIMIT:
            said["target_ops_s"] = float(found["limit"])
        return said

    def flush(self) -> None:
        if self.waiting:
            self.series.add(StatusLines.of(self.waiting))
            self.waiting.clear()


def _status(row: Row, before: Row | None) -> StatusLine:
    inserts = float(row.inserts - (before.inserts if before else 0))
    details = [OperationStatus("INSERT", inserts, math.nan, math.nan, math.nan)]
    if row.qps > 0:
        length_s = row.at_s - (before.at_s if before else 0.0)
        details.append(OperationStatus("SCAN", row.qps * length_s, row.query_mean_us, math.nan, math.nan))
    return StatusLine(None, row.at_s, row.inserts, tuple(details))


class _Reader:
    """Shares the lines of one file out to its runs."""

    def __init__(self, source: Source):
        self._name = str(source)
        self._runs: list[_JavaRun | PythonRun] = []
        self._columns: list[str] = []
        for number, text, whole in numbered(source):
            self._line(number, text.lstrip("\ufeff") if number == 1 else text, whole)

    def logs(self) -> list[RunLog]:
        return [run.log() for run in self._runs]

    def _line(self, number: int, text: str, whole: bool) -> None:
        run = self._runs[-1] if self._runs else None
        if not whole and not _is_whole_row(text, self._columns):
            if run is not None:
                run.truncated = True
        elif iibench_rows.is_tsv_header(text):
            self._columns = text.split("\t")
            self._begin(_JavaRun(self._name, is_tsv=True))
        elif columns := columns_of(text):
            self._begin(PythonRun(FORMAT, self._name, columns))
        elif isinstance(run, PythonRun) and run.line(number, text):
            return
        elif self._columns and isinstance(run, _JavaRun) and (row := iibench_rows.tsv_row(self._columns, text, number)):
            self._row(run, row)
        elif row := iibench_rows.console_row(text, number):
            if not isinstance(run, _JavaRun) or run.is_tsv:
                run = self._begin(_JavaRun(self._name, is_tsv=False))
            self._row(run, row)
        else:
            self._text(text)

    def _row(self, run: _JavaRun, row: Row) -> None:
        if run.last is not None and (row.inserts < run.last.inserts or run.is_done):
            run = self._begin(_JavaRun(self._name, is_tsv=run.is_tsv))
        run.add(row)

    def _text(self, text: str) -> None:
        if text.endswith(_BEGIN):
            self._begin(_JavaRun(self._name, is_tsv=False))
        if not self._runs:
            return
        run = self._runs[-1]
        if isinstance(run, _JavaRun):
            run.is_done |= text.endswith(_DONE)
            for key, pattern in _PARAMETERS.items():
                if match := pattern.search(text):
                    run.parameters[key] = int(re.sub(r"\D", "", match[1]))
        if len(run.errors) < MAX_ERRORS and _ERROR.search(text):
            run.errors.setdefault(shortened(text))

    def _begin(self, run: _JavaRun | PythonRun) -> _JavaRun | PythonRun:
        if len(self._runs) < MAX_RUNS:
            self._runs.append(run)
        return self._runs[-1]


def _is_whole_row(text: str, columns: list[str]) -> bool:
    """Whether a line without end is whole all the same: it ends in no exceptions, and no other number begins with 0."""
    return (
        bool(columns) and columns[-1] == "exceptions" and text.count("\t") == len(columns) - 1 and text.endswith("\t0")
    )
