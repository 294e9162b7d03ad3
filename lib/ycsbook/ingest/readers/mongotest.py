"""mongotest's result blocks, one after another in one console log, also inside a page that shows them.

A block begins with `Total thread:100` and ends with `Total mongo insert Result:4805row/sec`; one without its end is a
run that hung or was cut. Times are whole seconds and rates whole rows per second, cut off by integer division: the
throughput here is the rows over the time, checked against the printed one.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ycsbook import units
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.files.textlog import MAX_ERRORS, numbered, shortened
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.operations import OK

FORMAT = "mongotest"
MAX_RUNS = 10_000
OPERATIONS = {"insert": "INSERT", "select": "READ", "update": "UPDATE"}

_VERBS = "|".join(OPERATIONS)
# What follows the threads is the host and, for MySQL, the password.
_COMMAND = re.compile(
    rf".{{0,200}}?(java\s.{{0,200}}mongotest\S{{0,20}}\.jar (?:mongo|mysql) ({_VERBS}) \d{{1,12}} (\d{{1,6}}))\s.*"
)
_BEGIN = re.compile(r"Total thread:\s?(\d{1,6})\s*", re.ASCII)
_FIGURES = {
    "runtime_s": re.compile(r"Total run time:\s?(\d{1,9}) sec\s*", re.ASCII),
    "thread_rows": re.compile(r"Per-thread rows:\s?(\d{1,12})\s*", re.ASCII),
    "rows": re.compile(r"Total rows:\s?(\d{1,15})\s*", re.ASCII),
}
_RESULT = re.compile(rf"Total (?:mongo|mysql) ({_VERBS}) Result:\s?(\d{{1,12}})\s?row/sec\s*", re.ASCII)
_ERROR = re.compile(r"(?:Exception|Error)\b")
_HEAD = re.compile(
    rb"^Total thread:\s?\d{1,6}\s{0,3}\r?\nTotal run time:"
    rb"|\bmongotest\S{0,20}\.jar mongo (?:insert|select|update) \d{1,12} \d{1,6} ",
    re.MULTILINE,
)


def recognises(head: bytes, name: str = "") -> bool:
    """Whether a result block or a command that starts mongotest is in it; nothing else prints such lines."""
    return bool(_HEAD.search(head))


def parse(sources: Sequence[Source]) -> list[RunLog]:
    """The runs of the files, in order; at least one, which may be empty.

    Raises
        RunLogError: a file cannot be read.
    """
    runs = [run for source in sources for run in _runs(source)]
    return [run.log() for run in runs] or [RunLog(format=FORMAT, source=str(sources[0]) if sources else "")]


@dataclass
class _Run:
    """One run while its lines go by."""

    source: str
    line: int
    command_line: str = ""
    threads: int | None = None
    figures: dict[str, int] = field(default_factory=dict)
    operation: str = ""
    result: int | None = None
    errors: dict[str, None] = field(default_factory=dict)
    has_block: bool = False
    truncated: bool = False

    def log(self) -> RunLog:
        head = {
            "format": FORMAT,
            "command_line": self.command_line,
            "said": {} if self.threads is None else {"threads": float(self.threads)},
            "errors": tuple(self.errors),
            "truncated": self.truncated or self.result is None,
            "source": f"{self.source}:{self.line}",
        }
        rows, runtime_s = self._rows(), self.figures.get("runtime_s")
        if self.result is None or rows is None or runtime_s is None:
            return RunLog(**head)
        return RunLog(
            **head,
            overall_count=1,
            runtime_ms=float(runtime_s * units.MS_PER_S),
            throughput_ops_s=rows / runtime_s if runtime_s else math.nan,
            summaries=(
                Summary(OPERATIONS[self.operation], float(rows), return_codes=((OK, rows),), source=head["source"]),
            ),
            conflicts=self._conflicts(rows, runtime_s),
        )

    def _rows(self) -> int | None:
        """Rows of all threads; None where the block does not tell."""
        if "rows" in self.figures:
            return self.figures["rows"]
        each = self.figures.get("thread_rows")
        return None if each is None or self.threads is None else each * self.threads

    def _conflicts(self, rows: int, runtime_s: int) -> tuple[str, ...]:
        each = self.figures.get("thread_rows")
        conflicts = []
        if each is not None and self.threads is not None and each * self.threads != rows:
            conflicts.append("Total rows")
        if runtime_s and not rows // (runtime_s + 1) <= self.result <= rows // runtime_s:
            conflicts.append(f"{OPERATIONS[self.operation]} Result")
        return tuple(conflicts)


def _runs(source: Source) -> list[_Run]:
    runs: list[_Run] = []
    for number, text, whole in numbered(source):
        run = runs[-1] if runs else None
        if run is not None and run.result is None and (match := _RESULT.fullmatch(text)):
            # The only line whose end is known without a line's end.
            run.operation, run.result, run.line = match[1], int(match[2]), number
        elif not whole:
            if run is not None:
                run.truncated = run.result is None
        elif "mongotest" in text and len(runs) < MAX_RUNS and (match := _COMMAND.fullmatch(text)):
            runs.append(_Run(str(source), number, match[1], int(match[3])))
        elif match := _BEGIN.fullmatch(text):
            if (run is None or run.has_block) and len(runs) < MAX_RUNS:
                runs.append(_Run(str(source), number))
            runs[-1].has_block, runs[-1].threads = True, int(match[1])
        elif run is not None and run.result is None:
            _take(run, text)
    return runs


def _take(run: _Run, text: str) -> None:
    for name, pattern in _FIGURES.items():
        if match := pattern.fullmatch(text):
            run.figures.setdefault(name, int(match[1]))
            return
    if len(run.errors) < MAX_ERRORS and _ERROR.search(text):
        run.errors.setdefault(shortened(text))
