"""What readers of text share: lines, a run of another load generator while they go by, and summaries of operations.

A reader is a class derived from TextRun, which knows its lines and by which of them its files are told.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from ycsbook import units
from ycsbook.errors import MAX_SHOWN
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.log.status import OperationStatus, StatusLine
from ycsbook.operations import DATABASE_OPERATIONS, OK
from ycsbook.secrets import redact

MAX_ERRORS = 5
# What only a page has that talks about a log: fences, headings, links, tags. A root prompt also starts with one #.
_PAGE = re.compile(
    rb"^[ \t]{0,3}(?:```|~~~|#{2,6} |<!DOCTYPE|</?(?:html|body|div|p|pre|table|code|h[1-6])[ >])|\]\(https?://",
    re.MULTILINE | re.IGNORECASE,
)
# A line that says how many threads there were and nothing else.
OF_THREADS = re.compile(
    r"^\W{0,20}(?:(?:(?:client |number of |(?:Ч|ч)исло )?(?:threads|thread ?count|(?:П|п)отоков)|(?:并发)?线程数"
    r"|并发数)\W{1,6}\d{1,6}|\d{1,6} (?:threads?|clients|поток(?:а|ов)))\W{0,20}$".encode(),
    re.MULTILINE | re.IGNORECASE,
)
# A command of any of these, and how it goes on in the next line.
_COMMAND_BEGINS = re.compile(r"(?<![\w.-])(?:go-ycsb|ycsb(?:c|-cpp)?|wrk2?|ab|hey|sysbench)\s")
_GOES_ON = re.compile(r"\s{0,80}(?:-|https?://|(?:load|run)\s)")
# Longer than any command; a page may end every line in a backslash.
MAX_COMMAND = 16_000
# What people write behind a figure and a blank.
REMARK = r"(?:#|//|<[-<=]).*"
# More runs than any file holds; lines beyond are passed over.
MAX_RUNS = 10_000
# The return code of a call that failed, and how YCSB calls the series of such calls.
ERROR, FAILED = "ERROR", "-FAILED"


def command(program: str) -> re.Pattern[str]:
    """What somebody typed to start a run, perhaps behind a prompt: group 1 is `program`, a pattern, with its path."""
    return re.compile(rf"(?:.{{0,4000}}(?:&&|;) ?|\S{{0,200}}[#$>%] ?)?((?:\S{{0,300}}/)?{program})")


@dataclass
class TextRun(ABC):
    """One run of a text log while its lines go by; `line`: the one it is known by; `truncated`: a line was cut."""

    FORMAT: ClassVar[str] = ""
    # What only files of this format hold near their beginning.
    HEAD: ClassVar[re.Pattern[bytes]]
    # The fields that the next run in the same file has from this one.
    KEPT: ClassVar[tuple[str, ...]] = ()

    source: str
    line: int = 0
    command_line: str = ""
    version: str = ""
    columns: dict[str, float | str] = field(default_factory=dict)
    errors: dict[str, None] = field(default_factory=dict)
    truncated: bool = False
    has_progress: bool = False
    _series: Series = field(default_factory=Series)

    @classmethod
    def recognises(cls, head: bytes, name: str = "") -> bool:
        return bool(cls.HEAD.search(head))

    @classmethod
    def parse(cls, sources: Sequence[Source]) -> list[RunLog]:
        return [run.log() for run in cls.begun(sources)]

    @classmethod
    def begun(cls, sources: Sequence[Source]) -> list[Self]:
        """Like parse, but as runs of this class."""
        runs: list[Self] = []
        for source in sources:
            of_file = [cls(str(source))]
            for number, text, is_complete in with_whole_commands(numbered(source)):
                if not of_file[-1].take(number, text, is_complete) and len(of_file) < MAX_RUNS:
                    of_file.append(cls(str(source), **{name: getattr(of_file[-1], name) for name in cls.KEPT}))
                    of_file[-1].take(number, text, is_complete)
            runs += of_file
        return [run for run in runs if run.is_begun] or runs[:1]

    @property
    def is_begun(self) -> bool:
        """Whether more than a head was read."""
        return self.has_progress or self.line > 0

    @property
    def has_ended(self) -> bool:
        """Whether what comes last in a whole run was seen; True where nothing tells the end."""
        return True

    @abstractmethod
    def take(self, number: int, text: str, is_complete: bool) -> bool:
        """Take a line, numbered from 1; False where it is the first of the next run; `is_complete`: it had an end."""

    @abstractmethod
    def log(self) -> RunLog:
        """The run as far as it is whole."""

    def add_progress(self, number: int, elapsed_s: float, operations: int, details: Iterable[OperationStatus]) -> None:
        """Take a progress line: `operations` done since the start, `details` of what was done since the line before.
        The run begins with nothing done at 0 s."""
        self.begin_progress(number)
        self._series.take(number, StatusLine(None, elapsed_s, operations, tuple(details)))

    def begin_progress(self, number: int) -> None:
        if not self.has_progress:
            self.has_progress = True
            self._series.take(number, StatusLine(None, 0.0, 0, ()))

    def note_error(self, text: str) -> None:
        if len(self.errors) < MAX_ERRORS:
            self.errors.setdefault(shortened(text))

    def head(self, *, truncated: bool | None = None) -> RunLog:
        """The log without final figures; `truncated`: None where the run's end tells it."""
        return RunLog(
            format=self.FORMAT,
            version=self.version,
            command_line=self.command_line,
            columns=self.columns,
            errors=tuple(self.errors),
            truncated=self.truncated or not self.has_ended if truncated is None else truncated,
            series=self._series.close(),
            status_source=self.source if self.has_progress else "",
            source=self.source,
        )

    def with_figures(
        self,
        log: RunLog,
        line: int,
        runtime_s: float,
        summaries: Iterable[Summary],
        *,
        throughput_ops_s: float | None = None,
        conflicts: Mapping[str, object] | None = None,
    ) -> RunLog:
        """The log with the final figures of its run, which stand in `line`; `throughput_ops_s`: None where it is the
        operations over the time; `conflicts`: whether figures are odd, by their names."""
        log = replace(
            log,
            overall_count=1,
            runtime_ms=runtime_s * units.MS_PER_S,
            summaries=tuple(summaries),
            conflicts=tuple(name for name, is_odd in (conflicts or {}).items() if is_odd),
            source=f"{self.source}:{line}",
        )
        if throughput_ops_s is None:
            throughput_ops_s = log.attempted / runtime_s if runtime_s else math.nan
        return replace(log, throughput_ops_s=throughput_ops_s)


class CommandRun(TextRun):
    """A run that begins at the command that started it."""

    # The command that starts a run, and by columns what its options say.
    COMMAND: ClassVar[re.Pattern[str]]
    OPTIONS: ClassVar[Mapping[str, re.Pattern[str]]] = {}

    def take(self, number: int, text: str, is_complete: bool) -> bool:
        text = text.strip()
        if not is_complete:
            self.truncated |= not self.has_ended
            return True
        if not (match := self.COMMAND.fullmatch(text)):
            return self.take_line(number, text)
        if self.is_begun:
            return False
        self.command_line = redact(match[1])
        for name, option in self.OPTIONS.items():
            if value := option.search(match[1]):
                self.columns[name] = float(value[1]) if value[1][0].isdigit() else value[1].lower()
        return True

    @abstractmethod
    def take_line(self, number: int, text: str) -> bool:
        """Like take, for a whole line that is no command, without blanks around it."""


def with_failures(summaries: Iterable[Summary], *, ok_code: str = OK) -> Iterator[Summary]:
    """The summaries of operations, each with that of its failed calls behind it, called READ-FAILED of READ; one of the
    database has both in its return codes."""
    by_name = {summary.operation: summary for summary in summaries}
    for name in dict.fromkeys(name.removesuffix(FAILED) for name in by_name):
        good, failed = by_name.get(name), by_name.get(name + FAILED)
        summary = good or Summary(name, 0.0, source=failed.source)
        if name in DATABASE_OPERATIONS:
            counts = ((ok_code, good), (ERROR, failed))
            summary = replace(summary, return_codes=tuple((code, int(calls.count)) for code, calls in counts if calls))
        yield summary
        if failed:
            yield failed


def counted(
    operation: str, succeeded: int, failed: int = 0, *, error_code: str = ERROR, source: str = "", **latencies: object
) -> Summary:
    """The summary of an operation of which only successes and failures are counted, with latencies (us) if known."""
    codes = ((OK, succeeded), *([(error_code, failed)] if failed else []))
    return Summary(operation, float(succeeded), return_codes=codes, source=source, **latencies)


def numbered(source: Source) -> Iterator[tuple[int, str, bool]]:
    """Every line with its number from 1, without its end, and whether it had one. Bytes that are no UTF-8 become
    replacement characters; a line that was cut to MAX_LINE is not whole. Raises RunLogError where it cannot be read."""
    for number, raw in enumerate(source.lines(), start=1):
        yield number, raw.decode("utf-8", errors="replace").rstrip("\r\n"), raw.endswith(b"\n")


def with_whole_commands(lines: Iterable[tuple[int, str, bool]]) -> Iterator[tuple[int, str, bool]]:
    """The lines as `numbered` gives them; a command over lines that end in a backslash is one, numbered as its last."""
    begun = None
    for number, text, is_complete in lines:
        goes_on = begun and _GOES_ON.match(text)
        if begun and not goes_on:
            yield begun
        line = (number, f"{begun[1][:-1].rstrip()} {text.strip()}" if goes_on else text, is_complete)
        is_begun = line[1].endswith("\\") and len(line[1]) < MAX_COMMAND and _COMMAND_BEGINS.search(line[1])
        begun = line if is_begun else None
        if not begun:
            yield line
    if begun:
        yield begun


def is_page(head: bytes) -> bool:
    return bool(_PAGE.search(head))


def has_titles(head: bytes) -> bool:
    """Whether words around a log may say what it is of: those of a page, or a line with its threads."""
    return is_page(head) or bool(OF_THREADS.search(head))


def shortened(text: str) -> str:
    """A line as it may be shown: without passwords, cut to MAX_SHOWN."""
    # Redacted before it is cut to what is shown, so that no password is cut out of its pattern.
    text = redact(text[: 10 * MAX_SHOWN]).strip()
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def us(printed_ms: float) -> float:
    """Milliseconds as printed in us, without what binary fractions add."""
    return round(printed_ms * units.US_PER_MS, 6)
