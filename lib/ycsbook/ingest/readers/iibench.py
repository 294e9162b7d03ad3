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

import re
from collections.abc import Sequence

from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.files.textlog import MAX_ERRORS, is_page, numbered, shortened
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.readers.iibench_java import (
    IibenchRow,
    JavaIibenchRun,
    console_row,
    is_tsv_header,
    parameters_in,
    tsv_row,
)
from ycsbook.ingest.readers.iibench_python import PythonIibenchRun, columns_of

FORMAT = "iibench"
MAX_RUNS = 10_000

_BEGIN, _DONE = "Application Parameters", "Done!"
_ERROR = re.compile(r"(?:Exception|EXCEPTION|[Ee]rror)\b")
_CONSOLE = re.compile(rb" inserts : [\d.,]{1,20} seconds : cum ips=\d")
_PYTHON = re.compile(rb"^(?:i_sec[ \t]|#rows )[^\r\n]{0,400}", re.MULTILINE)


def recognises(head: bytes, name: str = "") -> bool:
    """Whether this is one of iibench's outputs, and not a page that quotes one."""
    if is_page(head):
        return False
    first = head.lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", errors="replace").rstrip("\r")
    if is_tsv_header(first) or _CONSOLE.search(head):
        return True
    return any(columns_of(match[0].decode("utf-8", errors="replace")) for match in _PYTHON.finditer(head))


def parse(sources: Sequence[Source]) -> list[RunLog]:
    """The runs of the files, in order; at least one, which may be empty.

    Raises
        RunLogError: a file cannot be read.
    """
    logs = [log for source in sources for log in _Reader(source).logs()]
    return logs or [RunLog(format=FORMAT, source=str(sources[0]) if sources else "")]


class _Reader:
    """Shares the lines of one file out to its runs."""

    def __init__(self, source: Source):
        self._name = str(source)
        self._runs: list[JavaIibenchRun | PythonIibenchRun] = []
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
        elif is_tsv_header(text):
            self._columns = text.split("\t")
            self._begin(JavaIibenchRun(self._name, is_tsv=True))
        elif columns := columns_of(text):
            self._begin(PythonIibenchRun(FORMAT, self._name, columns))
        elif isinstance(run, PythonIibenchRun) and run.line(number, text):
            return
        elif self._columns and isinstance(run, JavaIibenchRun) and (row := tsv_row(self._columns, text, number)):
            self._row(run, row)
        elif row := console_row(text, number):
            if not isinstance(run, JavaIibenchRun) or run.is_tsv:
                run = self._begin(JavaIibenchRun(self._name, is_tsv=False))
            self._row(run, row)
        else:
            self._text(text)

    def _row(self, run: JavaIibenchRun, row: IibenchRow) -> None:
        if run.last is not None and (row.inserts < run.last.inserts or run.is_done):
            run = self._begin(JavaIibenchRun(self._name, is_tsv=run.is_tsv))
        run.add(row)

    def _text(self, text: str) -> None:
        if text.endswith(_BEGIN):
            self._begin(JavaIibenchRun(self._name, is_tsv=False))
        if not self._runs:
            return
        run = self._runs[-1]
        if isinstance(run, JavaIibenchRun):
            run.is_done |= text.endswith(_DONE)
            run.parameters |= parameters_in(text)
        if len(run.errors) < MAX_ERRORS and _ERROR.search(text):
            run.errors.setdefault(shortened(text))

    def _begin(self, run: JavaIibenchRun | PythonIibenchRun) -> JavaIibenchRun | PythonIibenchRun:
        if len(self._runs) < MAX_RUNS:
            self._runs.append(run)
        return self._runs[-1]


def _is_whole_row(text: str, columns: list[str]) -> bool:
    """Whether a line without end is whole all the same: it ends in no exceptions, and no other number begins with 0."""
    return (
        bool(columns) and columns[-1] == "exceptions" and text.count("\t") == len(columns) - 1 and text.endswith("\t0")
    )
