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
from ycsbook.ingest.files.textlog import is_page, numbered
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
from ycsbook.ingest.readers.text_runs import MAX_RUNS, or_empty

FORMAT = "iibench"

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
    logs = [run.log() for source in sources for run in _runs(source)]
    return or_empty(logs, FORMAT, sources[0] if sources else "")


def _runs(source: Source) -> list[JavaIibenchRun | PythonIibenchRun]:
    """The runs of one file, each with its lines."""
    runs: list[JavaIibenchRun | PythonIibenchRun] = []
    header: list[str] = []
    for number, line, whole in numbered(source):
        text = line.lstrip("\ufeff") if number == 1 else line
        run = runs[-1] if runs else None
        if not whole and not _is_whole_row(text, header):
            if run:
                run.truncated = True
        elif is_tsv_header(text):
            header = text.split("\t")
            _begin(runs, JavaIibenchRun(FORMAT, str(source), is_tsv=True))
        elif columns := columns_of(text):
            _begin(runs, PythonIibenchRun(FORMAT, str(source), header=columns))
        elif isinstance(run, PythonIibenchRun) and run.line(number, text):
            continue
        elif header and isinstance(run, JavaIibenchRun) and (row := tsv_row(header, text, number)):
            _add(runs, row, JavaIibenchRun(FORMAT, str(source), is_tsv=run.is_tsv))
        elif row := console_row(text, number):
            _add(runs, row, JavaIibenchRun(FORMAT, str(source)))
        else:
            if text.endswith(_BEGIN):
                _begin(runs, JavaIibenchRun(FORMAT, str(source)))
            if runs:
                _take_text(runs[-1], text)
    return runs


def _begin(runs: list, run: JavaIibenchRun | PythonIibenchRun) -> None:
    if len(runs) < MAX_RUNS:
        runs.append(run)


def _add(runs: list, row: IibenchRow, following: JavaIibenchRun) -> None:
    """Add a row to the last run, or to the one that follows where the last has ended or is of another kind."""
    run = runs[-1] if runs else None
    if not isinstance(run, JavaIibenchRun) or run.is_tsv != following.is_tsv or run.is_before(row):
        _begin(runs, following)
    if isinstance(runs[-1], JavaIibenchRun):
        runs[-1].add(row)


def _take_text(run: JavaIibenchRun | PythonIibenchRun, text: str) -> None:
    if isinstance(run, JavaIibenchRun):
        run.is_done |= text.endswith(_DONE)
        run.parameters |= parameters_in(text)
    if _ERROR.search(text):
        run.note_error(text)


def _is_whole_row(text: str, columns: list[str]) -> bool:
    """Whether a line without end is whole all the same: it ends in no exceptions, and no other number begins with 0."""
    return (
        bool(columns) and columns[-1] == "exceptions" and text.count("\t") == len(columns) - 1 and text.endswith("\t0")
    )
