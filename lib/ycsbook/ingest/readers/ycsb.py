"""YCSB's text output: the summary on stdout and the status lines on stderr, in one file or in two.

Only whole lines count. A log that was cut gives what was whole, and says that it was cut. Several runs one after
another in one file are several runs.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ycsbook import units
from ycsbook.ingest.files.sources import MAX_LINE, Source
from ycsbook.ingest.log.intervals import StatusLines
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.log.status import StatusLine, parse_details, parse_line
from ycsbook.ingest.log.summary import MAX_OPERATIONS, number
from ycsbook.ingest.readers import prefixes
from ycsbook.ingest.readers.text_runs import MAX_ERRORS, MAX_RUNS, REMARK, shortened
from ycsbook.ingest.readers.ycsb_runs import TYPED, Run, assembled, is_continued, typed_command
from ycsbook.operations import NOT_OPERATIONS, is_failure_series
from ycsbook.secrets import redact

FORMAT = "ycsb"

# Pages end lines in tags, or in a backslash, so that they stay lines; tables and strings in marks.
_MARKS_BEHIND = r"\"'`*,;|\])}"
_END = rf"[{_MARKS_BEHIND}]{{0,9}}\s*(?:[\\|]{{1,2}}\s*|(?:</?\w{{1,10}}\s?/?>\s*){{1,9}}|(?<=\s){REMARK})?"
SUMMARY = re.compile(
    r"\[([^\[\]]{1,80})\],[ \t]{0,8}\*{0,2}([^,\s*][^,]{0,59})(?:,[ \t]{0,8}Count)?,[ \t]{0,8}"
    rf"([^\s\\<]{{0,39}}[^\s\\<{_MARKS_BEHIND}]){_END}",
    re.ASCII,
)
_COMMAND = re.compile(r"Command line: (.*)")
_JAVA = re.compile(r"(?:[$#>+]\s)?\S{0,200}\bjava\s.*?\b(?:site|com\.yahoo)\.ycsb\.Client\s(.*)")
_VERSION = re.compile(r"YCSB Client (\d+(?:\.\d+){1,3}\S{0,20})", re.ASCII)
_ERROR = re.compile(
    r"(?:Caused by: |op: |Exception in thread \"[^\"]{0,80}\" )?[\w.$]{0,120}(?:Exception|Error)\b"
    r"|Error\b|op: |ycsbook: "
)
# Status lines with a time without milliseconds are YCSB-cpp's.
_MARKS = re.compile(
    rb"\[OVERALL\](?:,|(?:[;\t]| \|)? {0,2}(?:RunTime|Throughput)\((?:ms|ops/sec)\)[,:;\t |])"
    rb"|YCSB Client \d|Command line: -"
    rb"|\bycsb\.Client |^[ \t>]{0,8}OVERALL\]?, \w|\[[A-Z][A-Z-]{1,40}\], Operations, \d"
    rb"|(?:^|(?<!\s\d\d:\d\d:\d\d)(?<!\s\d:\d\d:\d\d) )\d{1,10} sec: \d+ operations;",
    re.MULTILINE,
)
# Some of them, for a look that costs next to nothing.
_PLAIN_MARKS = (b"[OVERALL],", b"Command line: -", b".ycsb.Client ")
# What ends a line of strings or of cells, though the file ends there, too.
_CLOSED = ('"', "'", "}", "]", ">", "|", ";")
# A section of a page, in Markdown or HTML.
_HEADING = re.compile(r"(?:#{1,6} {1,4}|<h[1-6][^<>]{0,200}>).{1,300}", re.IGNORECASE)
# What people put for lines that they leave out.
_ELIDED = re.compile(r"\W{0,20}(?:\.\.\.|…)\W{0,20}")
_RAW_ROWS = "latency raw data: op, timestamp(ms), latency(us)"


def recognises(head: bytes, name: str = "") -> bool:
    return any(mark in head for mark in _PLAIN_MARKS) or bool(_MARKS.search(head))


def parse(
    source: bytes | str | Source | Path | Iterable[Source | Path],
    *,
    feed: Callable[["Stream", bytes], None] = lambda stream, chunk: stream.feed(chunk),
) -> list[RunLog]:
    """Read the runs of a log, in order; at least one, which may be empty. `source`: bytes or text, a file, or several
    files that hold the streams of the same runs (stdout first); `feed`: has a stream take a chunk of whole lines.
    Raises RunLogError where a file cannot be read."""
    if isinstance(source, str):
        source = source.encode()
    if isinstance(source, bytes):
        stream = Stream("")
        feed(stream, source)
        return runs_of([stream])
    items = [source] if isinstance(source, Source | Path) else list(source)
    streams = []
    for item in items:
        file = item if isinstance(item, Source) else Source(item)
        stream = Stream(str(file))
        for chunk in file.chunks():
            feed(stream, chunk)
        streams.append(stream)
    return runs_of(streams)


def line_text(raw: bytes) -> str:
    """A line as text, without its end and what people put before it when they quote it: blanks, the > of mails, the
    byte order mark of Windows' tools, tags of a page."""
    text = raw.decode("utf-8", errors="replace").rstrip("\r\n").lstrip("\ufeff \t>")
    while text.startswith("<") and (tag := prefixes.TAGS.match(text)):
        text = text[tag.end() :].lstrip()
    return text


def begins_anew(line: StatusLine, last: StatusLine) -> bool:
    """Whether a status line is the first of another run than the one before it: by the clock, as a client prints its
    first line once, or where that is lost, by time and operations that are far behind."""
    if line.elapsed_s or line.operations:
        return 2 * line.elapsed_s <= last.elapsed_s and line.operations < last.operations
    is_later = None not in (line.at_ms, last.at_ms) and line.at_ms - last.at_ms >= units.MS_PER_S
    return bool(last.operations or last.elapsed_s or is_later)


def depends_on_its_place(text: str) -> bool:
    """Whether a line, which is no status line, may begin a run, continue the line before it, or be of a summary."""
    if text.startswith("[") and (SUMMARY.fullmatch(text) or parse_details(text)):
        return True
    is_plain = prefixes.lines(text) == [("", prefixes.with_commas(text))]
    return is_continued(text) or _header(text) is not None or not is_plain


def _header(text: str) -> tuple[str, str] | None:
    """What a line says of the run as a whole, and what kind of header it is; None: nothing."""
    if match := _COMMAND.match(text) or _JAVA.match(text):
        return "command" if text.startswith("Command") else "java", redact(match[1])
    if match := _VERSION.match(text):
        return "version", match[1]
    command = typed_command(text)
    is_load = command.startswith("load ") or " -load" in command
    return (TYPED[0] if is_load else TYPED[1], command) if command else None


class Stream:
    """Reads one file, or one stream of output, a chunk of whole lines at a time."""

    def __init__(self, name: str):
        self.name = name
        self.runs = [Run(source=name)]
        self.at = 0
        self.has_colons = self._in_status = False
        self._continued = ""
        self.has_headings = False  # as a page has that quotes logs
        # What each of several printed whose lines bear its name, but for the first.
        self.first_name = ""
        self.named: dict[str, Stream] = {}

    def feed(self, chunk: bytes) -> None:
        """Take further lines; only the last chunk of a file may end without a line's end."""
        if chunk.endswith(b"\n") and not chunk.strip():
            # Megabytes of blank lines are not worth looking at one by one.
            self.at += chunk.count(b"\n")
            return
        for raw in chunk.splitlines(keepends=True):
            self.at += 1
            is_complete = raw.endswith((b"\n", b"\r"))
            if (len(raw) > MAX_LINE or (len(raw) == MAX_LINE and not is_complete)) and b"\\n" not in raw:
                continue  # no log has lines of that length, but strings that hold one have
            text = line_text(raw)
            # Behind a log they say nothing new.
            if self.has_colons or not self.runs[0].is_begun:
                self.has_colons |= (plain := prefixes.with_commas(text)) != text
                text = plain
            *parts, (name, last) = prefixes.lines(text)
            for printer, part in parts:
                self._of(printer)._line(part, True)
            self._of(name)._line(last, is_complete or (bool(parts) and text.endswith(_CLOSED)))

    def take_status(self, before: bytes, status: StatusLines | Series, count: int, within: bytes, after: bytes) -> None:
        """Take a chunk whose status lines have been read: the lines, or the series of a whole run; `count`: how many
        lines of the file they take; `within`: others among them, which do not depend on their place."""
        self.feed(before)
        at = self.at
        self.at += 1  # where a run begins that begins with these
        run = self._unsummed()
        self.feed(within)
        if isinstance(status, Series):
            run.series = status
        else:
            run.series.add(status)
        series = run.series
        run.status_source = self.name
        run.last = StatusLine(series.last_at_ms, series.last_elapsed_s, int(series.last_operations), ())
        self.at = at + count
        self._in_status = True
        self.feed(after)

    def _of(self, name: str) -> "Stream":
        """What takes the lines of a printer: of the first, if nothing stands before them, this itself. In a log without
        names, what looks like one is part of a torn line."""
        first = self.runs[0]
        if not self.first_name and name.startswith("?") and (first.is_begun or first.headers):
            return self
        if not (self.first_name or first.is_begun):
            self.first_name = name
        if name in ("", self.first_name) or (name not in self.named and len(self.named) >= prefixes.MAX_PRINTERS):
            return self
        stream = self.named.setdefault(name, Stream(self.name))
        stream.at = self.at
        return stream

    def goes_on_with(self, name: str, lines: StatusLines) -> bool:
        """Whether it takes the lines of a printer itself, and these status lines go on where the run is."""
        last = self.runs[-1].last
        return self._of(name) is self and (last is None or lines.elapsed_s[0] > last.elapsed_s)

    def _line(self, text: str, is_complete: bool) -> None:
        split_status, self._in_status = self._in_status, False
        if self._continued and not (text.startswith("[") or parse_line(text)):
            text = f"{self._continued[:-1].rstrip()} {text.strip()}"
        self._continued = text if is_continued(text) else ""
        if self._continued:
            return
        run = self.runs[-1]
        if text.startswith("["):
            if match := SUMMARY.fullmatch(text):
                self._metric(match[1], match[2], match[3], is_complete)
            elif split_status and (details := parse_details(text)):
                run.extend_last(details)
            elif header := _header(text):  # behind a prompt in brackets
                self._header(*header)
            elif not is_complete:
                run.truncated = True
            return
        if line := parse_line(text):
            self._status(line)
        elif header := _header(text):
            self._header(*header)
        elif text.endswith(_RAW_ROWS):
            run.raw_rows = True
        else:
            self._words(text)
        if not is_complete and not self.runs[-1].summary.overall:
            self.runs[-1].truncated = True

    def _words(self, text: str) -> None:
        """Take a line that is none of YCSB's: an error, or words of a page that quotes logs, which has headings."""
        run = self.runs[-1]
        run.in_words |= run.summary.overall > 0 and bool(text.strip())
        run.elided |= run.summary.is_whole and bool(_ELIDED.fullmatch(text))
        if len(run.errors) < MAX_ERRORS and _ERROR.match(text):
            run.errors.setdefault(shortened(text))
        else:
            self.has_headings |= text.startswith(("#", "<h", "<H")) and bool(_HEADING.fullmatch(text))

    def _metric(self, operation: str, metric: str, text: str, is_complete: bool) -> None:
        run, value = self.runs[-1], number(text)
        if not is_complete and not run.summary.completes(operation, metric, value):
            # What CLEANUP took is no figure of the run, and how long failures took decides nothing.
            is_aside = is_failure_series(operation) and RunLog(**run.summary.fields()).totals_agree
            run.truncated |= not (is_aside or operation in NOT_OPERATIONS)
            return
        if value is None:
            return
        if operation == "OVERALL":
            if run.summary.is_begun_by(metric):
                self._begin()
            self.runs[-1].in_page = self.has_headings
        elif run.summary.ends_before(operation, metric):
            self._begin()
        self.runs[-1].in_words = False
        self.runs[-1].totals_alone &= operation == "OVERALL"
        self.runs[-1].summary.add(operation, metric, value, (self.name, self.at))

    def _status(self, line: StatusLine) -> None:
        last = self._unsummed().last
        if last is not None:
            if begins_anew(line, last):
                self._begin()
            elif (line.at_ms, line.elapsed_s, line.operations) == (last.at_ms, last.elapsed_s, last.operations):
                return
        run = self.runs[-1]
        run.status_source, run.last = self.name, line
        run.histogram_status |= any(math.isnan(d.count) for d in line.details)
        if len(run.names) < MAX_OPERATIONS:
            run.names.update(d.operation for d in line.details)
        elif not run.names.issuperset(d.operation for d in line.details):
            details = tuple(d for d in line.details if d.operation in run.names)
            line = StatusLine(line.at_ms, line.elapsed_s, line.operations, details)
        run.series.take(self.at, line)
        self._in_status = True

    def _header(self, kind: str, text: str) -> None:
        """A header that the run has already, or that stands behind its summary, is the next run's. Of typed commands
        those nearest to the log count."""
        run = self.runs[-1]
        if run.summary.overall or (kind in run.headers and run.is_begun):
            self._begin()
        headers, typed = self.runs[-1].headers, self.runs[-1].typed
        if kind in TYPED:
            headers.pop(kind, "")  # so that the last is the nearest
            typed += [(kind, text)] if len(typed) < MAX_RUNS else []
        headers.setdefault(kind, text)

    def _unsummed(self) -> Run:
        """The run that status lines are of: what stands behind a summary is another's, as far as one can tell yet."""
        if self.runs[-1].summary.is_whole:
            self._begin()
        return self.runs[-1]

    def _begin(self) -> None:
        if len(self.runs) < MAX_RUNS:
            self.runs[-1].series.flush()
            self.runs.append(Run(source=f"{self.name}:{self.at}"))


def runs_of(streams: Sequence[Stream]) -> list[RunLog]:
    """The runs that the streams of one or several runs tell of; the first stream has the summaries."""
    for stream in streams:
        for name, part in {stream.first_name: stream, **stream.named}.items() if stream.named else ():
            for run in part.runs:
                run.printer = name.removeprefix("?")
    return assembled([[run for part in (stream, *stream.named.values()) for run in part.runs] for stream in streams])
