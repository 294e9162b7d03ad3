"""mongotest's result blocks, one after another in one console log, also inside a page that shows them.

A block begins with `Total thread:100` and ends with `Total mongo insert Result:4805row/sec`; one without its end is a
run that hung or was cut. Times are whole seconds and rates whole rows per second, cut off by integer division: the
throughput here is the rows over the time, checked against the printed one.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ycsbook import units
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.files.textlog import numbered
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.readers.text_runs import MAX_RUNS, TextRun, counted, or_empty

FORMAT = "mongotest"
OPERATIONS = {"insert": "INSERT", "select": "READ", "update": "UPDATE"}

_VERBS = "|".join(OPERATIONS)
# What follows the threads is the host and, for MySQL, the password.
_COMMAND = re.compile(
    rf".{{0,200}}?(java\s.{{0,200}}mongotest\S{{0,20}}\.jar (?:mongo|mysql) (?:{_VERBS}) \d{{1,12}} (\d{{1,6}}))\s.*"
)
_BEGIN = re.compile(r"Total thread:\s?(\d{1,6})\s*", re.ASCII)
_FIGURE = re.compile(r"(Total run time(?=:\s?\d+ sec)|Per-thread rows|Total rows):\s?(\d{1,15})(?: sec)?\s*", re.ASCII)
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
    logs = [run.log() for source in sources for run in _runs(source)]
    return or_empty(logs, FORMAT, sources[0] if sources else "")


@dataclass
class _Run(TextRun):
    """`figures` by their labels; `result`: rows per second as printed, None where the block has no end."""

    line: int = 0
    figures: dict[str, int] = field(default_factory=dict)
    operation: str = ""
    result: int | None = None
    has_block: bool = False

    def log(self) -> RunLog:
        where = f"{self.source}:{self.line}"
        log = replace(self.head(truncated=self.truncated or self.result is None), source=where)
        runtime_s, per_thread = self.figures.get("Total run time"), self.figures.get("Per-thread rows")
        of_threads = None if per_thread is None or log.threads is None else per_thread * log.threads
        rows = self.figures.get("Total rows", of_threads)
        if self.result is None or rows is None or runtime_s is None:
            return log
        conflicts = []
        if of_threads is not None and of_threads != rows:
            conflicts.append("Total rows")
        if runtime_s and not rows // (runtime_s + 1) <= self.result <= rows // runtime_s:
            conflicts.append(f"{self.operation} Result")
        return replace(
            log,
            overall_count=1,
            runtime_ms=float(runtime_s * units.MS_PER_S),
            throughput_ops_s=rows / runtime_s if runtime_s else math.nan,
            summaries=(counted(self.operation, rows, source=where),),
            conflicts=tuple(conflicts),
        )


def _runs(source: Source) -> list[_Run]:
    runs: list[_Run] = []
    for number, text, whole in numbered(source):
        run = runs[-1] if runs else None
        if run and run.result is None and (match := _RESULT.fullmatch(text)):
            # The only line whose end is known without a line's end.
            run.operation, run.result, run.line = OPERATIONS[match[1]], int(match[2]), number
        elif not whole:
            if run:
                run.truncated = run.result is None
        elif "mongotest" in text and len(runs) < MAX_RUNS and (match := _COMMAND.fullmatch(text)):
            threads = {"threads": float(match[2])}
            runs.append(_Run(FORMAT, str(source), command_line=match[1], columns=threads, line=number))
        elif match := _BEGIN.fullmatch(text):
            if (run is None or run.has_block) and len(runs) < MAX_RUNS:
                runs.append(_Run(FORMAT, str(source), line=number))
            runs[-1].has_block, runs[-1].columns["threads"] = True, float(match[1])
        elif run and run.result is None:
            if match := _FIGURE.fullmatch(text):
                run.figures.setdefault(match[1], int(match[2]))
            elif _ERROR.search(text):
                run.note_error(text)
    return runs
