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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ycsbook import units
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.files.textlog import is_page
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.log.status import OperationStatus
from ycsbook.ingest.readers.iibench_python import ERROR_LINE, PythonIibenchRun, columns_of
from ycsbook.ingest.readers.iibench_rows import IibenchRow, console_row, is_tsv_header, parameters_in, tsv_row
from ycsbook.ingest.readers.text_runs import TextRun, counted, done, read_runs

FORMAT = "iibench"

_BEGIN, _DONE = "Application Parameters", "Done!"
# What the scripts say where they mean no limit.
NO_LIMIT = 999_999
_SNIFFED_BYTES = 64 * 1024
_CONSOLE = re.compile(rb" inserts : [\d.,]{1,20} seconds : cum ips=\d")
_PYTHON = re.compile(rb"^(?:\xef\xbb\xbf)?(i_sec[ \t][^\r\n]{0,400})", re.MULTILINE)


def recognises(head: bytes, name: str = "") -> bool:
    """Whether this is one of iibench's outputs, and not a page that quotes one."""
    if is_page(head):
        return False
    first = head.lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", errors="replace").rstrip("\r")
    if is_tsv_header(first) or _CONSOLE.search(head):
        return True
    return _is_python(head)


def parse(sources: Sequence[Source]) -> list[RunLog]:
    """The runs of the files, in order; at least one, which may be empty.

    Raises
        RunLogError: a file cannot be read.
    """
    is_python = any(_is_python(source.head(_SNIFFED_BYTES)) for source in sources)
    return read_runs(sources, PythonIibenchRun if is_python else _Run)


def _is_python(head: bytes) -> bool:
    return any(columns_of(match[1].decode("utf-8", errors="replace")) for match in _PYTHON.finditer(head))


@dataclass
class _Run(TextRun):
    """One run of iibench-mongodb while its lines go by; `header`: the columns of a TSV file."""

    FORMAT = FORMAT

    header: list[str] = field(default_factory=list)
    parameters: dict[str, int] = field(default_factory=dict)
    is_done: bool = False
    before: IibenchRow | None = None
    last: IibenchRow | None = None
    exceptions: int | None = None

    @property
    def is_begun(self) -> bool:
        return bool(self.last or self.parameters or self.is_done)

    def following(self) -> "_Run":
        return _Run(self.source, header=self.header)

    def take(self, number: int, text: str, whole: bool) -> bool:
        text = text.removeprefix("\ufeff")
        if not whole and not _is_whole_row(text, self.header):
            self.truncated |= bool(self.header or self.is_begun)
        elif is_tsv_header(text):
            if self.last or self.is_done:
                return False
            self.header = text.split("\t")
        elif row := (self.header and tsv_row(self.header, text, number)) or console_row(text, number):
            if self.last and (row.inserts < self.last.inserts or self.is_done):
                return False
            self._add(row)
        else:
            if text.endswith(_BEGIN):
                if self.is_begun:
                    return False
                self.header = []
            self.is_done |= text.endswith(_DONE)
            self.parameters |= parameters_in(text)
            if ERROR_LINE.search(text):
                self.note_error(text)
        return True

    def _add(self, row: IibenchRow) -> None:
        if row.exceptions is not None:
            self.exceptions = row.exceptions
        self.begin_progress(row.line)
        # The last line may name rows that were not inserted.
        if row.is_consistent:
            self.add_progress(row.line, row.at_s, row.inserts, _since(row, self.last))
        self.before, self.last = self.last, row

    def log(self) -> RunLog:
        # The last line of a run that came to its end tells no exceptions, unlike those before it.
        tells_exceptions = self.exceptions is not None
        has_ended = self.is_done or (tells_exceptions and self.last.exceptions is None)
        self._note_parameters()
        log = self.head(truncated=self.truncated or not (has_ended or (self.header and not tells_exceptions)))
        row = self.last
        # The last line may name rows that were not inserted; then it is the one before it.
        if self.before and self.before.is_consistent and not row.is_consistent:
            row = self.before
        if row is None or not (has_ended or self.header):
            return log
        where = f"{self.source}:{row.line}"
        failed = (self.exceptions or 0) * self.parameters.get("batch", 1)
        summaries = [counted("INSERT", row.inserts, failed, error_code="EXCEPTION", source=where)]
        if not math.isnan(row.all_queries_mean_us):
            summaries.append(Summary("SCAN", mean_us=row.all_queries_mean_us, source=where))
        return replace(
            log,
            overall_count=1,
            runtime_ms=units.MS_PER_S * (row.inserts / row.ips if row.is_consistent else row.elapsed_s),
            throughput_ops_s=row.ips,
            summaries=tuple(summaries),
            conflicts=() if row.is_consistent else ("INSERT count",),
            source=where,
        )

    def _note_parameters(self) -> None:
        given = self.parameters
        if "writers" in given:
            self.columns["threads"] = float(given["writers"] + given.get("queriers", 0))
        if 0 < given.get("limit", 0) < NO_LIMIT:
            self.columns["target_ops_s"] = float(given["limit"])


def _since(row: IibenchRow, before: IibenchRow | None) -> Iterator[OperationStatus]:
    yield done("INSERT", float(row.inserts - (before.inserts if before else 0)))
    if row.qps > 0:
        yield done("SCAN", row.qps * (row.at_s - (before.at_s if before else 0.0)), row.query_mean_us)


def _is_whole_row(text: str, columns: list[str]) -> bool:
    """Whether a line without end is whole all the same: it ends in no exceptions, and no other number begins with 0."""
    return columns[-1:] == ["exceptions"] and text.count("\t") == len(columns) - 1 and text.endswith("\t0")
