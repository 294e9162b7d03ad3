"""go-ycsb's output: plain lines, JSON arrays, tables, and the CSV of every latency.

Lines are cumulative since the operation's first call, so an interval is the difference of two blocks of lines. The last
block follows `Run finished, takes 4m25.29s`. Latencies are in us; means are cut to whole us, so that of an interval is
as exact as (n2 + n1) / (n2 - n1) us. go-ycsb prints no throughput of the whole run: here it is the operations over the
run time, less the warm-up that the property table names, in which nothing is measured. A CSV has no end: the run time
of a file that is nothing else goes from the first start to the last end.
"""

import re
from collections.abc import Sequence

from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.files.textlog import is_overlong, is_page, numbered
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.readers import go_ycsb_rows
from ycsbook.ingest.readers.go_ycsb_rows import GoYcsbRow, duration_ms
from ycsbook.ingest.readers.go_ycsb_run import KEPT_PROPERTIES, RAW_HEADER, GoYcsbRun
from ycsbook.ingest.readers.text_runs import MAX_RUNS, or_empty
from ycsbook.secrets import redact

FORMAT = "go-ycsb"

_TABLE = "***************** properties *****************"
_PROPERTY = re.compile(r'"([\w.-]{1,80})"="(.{0,2000})"')
_FINISHED = re.compile(r"Run finished, takes (\S{1,40})\s*")
_COMMAND = re.compile(r"(?:\S{0,200}[#$>%] ?)?((?:\S{0,300}/)?go-ycsb(?:\.exe)?\s{1,4}(load|run)\s.{0,4000})")
_THREADS = re.compile(r"--threads[ =]{1,2}(\d{1,9})(?=\s|$)|-p\s{1,2}threadcount=(\d{1,9})(?=\s|$)", re.ASCII)
_WRITE_CONCERN = re.compile(r"[?&]w=([A-Za-z0-9]{1,20})(?=&|$)", re.ASCII)
_ERROR_LINE = re.compile(r"operation err: |Got signal \[|panic: |.{0,80}\b(?:failed|error|Error|fatal)\b")
_HEAD = re.compile(
    rb"^(?:[A-Za-z][\w-]{0,59} {1,6}- Takes\(s\): \d|\[\{\"[^\n]{0,400}\"Takes\(s\)\":\"\d"
    rb"|\| +OPERATION +\| +TAKES\(S\) |\*{17} properties \*{17}\r?$|Run finished, takes \d)",
    re.MULTILINE | re.IGNORECASE,
)


def recognises(head: bytes, name: str = "") -> bool:
    """Whether this is from a log or a CSV of go-ycsb, and not from a page that quotes one."""
    if head.lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0].rstrip(b"\r") == RAW_HEADER.encode():
        return True
    return bool(_HEAD.search(head)) and b"[OVERALL], " not in head and not is_page(head)


def parse(sources: Sequence[Source]) -> list[RunLog]:
    """The runs of the files, in order; at least one, which may be empty.

    READ_ERROR and the like are READ's failed calls and stand as READ-FAILED beside it, as in YCSB. Batches count as
    their rows where the property table tells how many those are.

    Raises
        RunLogError: a file cannot be read.
    """
    runs = [run for source in sources for run in _runs(source)]
    begun = [run for run in runs if run.is_begun] or runs[:1]
    return or_empty([run.log() for run in begun], FORMAT)


def _runs(source: Source) -> list[GoYcsbRun]:
    reader = _Reader(str(source))
    for number, text, whole in numbered(source):
        reader.line(number, text, whole)
    return reader.runs


class _Reader:
    """Shares the lines of one file out to its runs."""

    def __init__(self, name: str):
        self.name = name
        self.runs = [GoYcsbRun(FORMAT, name)]
        self._columns: list[str] = []

    def line(self, number: int, text: str, whole: bool) -> None:
        run = self.runs[-1]
        if run.calls and run.add_call(text, whole):
            return
        if not whole and not text.startswith("[{") and not go_ycsb_rows.is_whole(text):
            run.overlong += is_overlong(text, whole)
            run.truncated |= not is_overlong(text, whole)
        elif rows := self._rows(number, text):
            for row in rows:
                self._row(row)
            self.runs[-1].is_json = text.startswith("[{")
        elif text == RAW_HEADER:
            self._begin_if(run.calls is not None)
            self.runs[-1].begin_calls(number)
        elif match := _FINISHED.fullmatch(text):
            self._begin_if(run.takes_line > 0)
            self.runs[-1].close_block()
            self.runs[-1].takes_ms, self.runs[-1].takes_line = duration_ms(match[1]), number
        elif text:
            self._text(text)
            # JSON that was cut.
            self.runs[-1].truncated |= not whole

    def _rows(self, number: int, text: str) -> list[GoYcsbRow]:
        if text.startswith("[{"):
            return go_ycsb_rows.json_rows(text, number)
        if cells := go_ycsb_rows.table_cells(text):
            if cells[0].upper() == "OPERATION":
                self._columns = cells
            row = go_ycsb_rows.table_row(self._columns, cells, number)
        else:
            row = go_ycsb_rows.plain(text, number)
        return [] if row is None else [row]

    def _row(self, row: GoYcsbRow) -> None:
        self._begin_if(self.runs[-1].is_next(row))
        self.runs[-1].add(row)

    def _text(self, text: str) -> None:
        if text == _TABLE:
            self._begin_if(self.runs[-1].is_begun)
        elif "go-ycsb" in text and (match := _COMMAND.fullmatch(text)):
            self._begin_if(self.runs[-1].is_begun)
            self._command(match[1], match[2])
        run = self.runs[-1]
        run.other_lines += 1
        run.interrupted |= text.startswith("Got signal [")
        if match := _PROPERTY.fullmatch(text):
            if match[1] in KEPT_PROPERTIES:
                run.properties[match[1]] = match[2]
            elif match[1] == "mongodb.url" and (concern := _WRITE_CONCERN.search(match[2])):
                run.columns["write_concern"] = concern[1]
        elif _ERROR_LINE.match(text):
            run.note_error(text)

    def _command(self, text: str, verb: str) -> None:
        run = self.runs[-1]
        run.command_line, run.columns["phase"] = redact(text), verb
        for match in _THREADS.finditer(text):
            run.columns["threads"] = float(match[1] or match[2])

    def _begin_if(self, is_next: bool) -> None:
        if is_next and len(self.runs) < MAX_RUNS:
            self.runs[-1].close_block()
            self.runs.append(GoYcsbRun(FORMAT, self.name))
