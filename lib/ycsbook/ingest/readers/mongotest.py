"""mongotest's result blocks, one after another in one console log, also inside a page that shows them.

A block begins with `Total thread:100` and ends with `Total mongo insert Result:4805row/sec`; one without its end is a
run that hung or was cut. Times are whole seconds and rates whole rows per second, cut off by integer division: the
throughput here is the rows over the time, checked against the printed one.
"""

import re
from dataclasses import dataclass, field, replace

from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.readers.text_runs import TextRun, counted

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


@dataclass
class _Run(TextRun):
    """`figures` by their labels; `result`: rows per second as printed, None where the block has no end."""

    FORMAT, HEAD = FORMAT, _HEAD

    figures: dict[str, int] = field(default_factory=dict)
    operation: str = ""
    result: int | None = None
    has_block: bool = False

    @property
    def has_ended(self) -> bool:
        return self.result is not None

    def take(self, number: int, text: str, is_complete: bool) -> bool:
        is_open = self.is_begun and not self.has_ended
        if is_open and (match := _RESULT.fullmatch(text)):
            # The only line whose end is known without a line's end.
            self.operation, self.result, self.line = OPERATIONS[match[1]], int(match[2]), number
        elif not is_complete:
            self.truncated = not self.has_ended
        elif "mongotest" in text and (match := _COMMAND.fullmatch(text)):
            if self.is_begun:
                return False
            self.command_line, self.columns["threads"], self.line = match[1], float(match[2]), number
        elif match := _BEGIN.fullmatch(text):
            if self.has_block:
                return False
            self.line = self.line or number
            self.has_block, self.columns["threads"] = True, float(match[1])
        elif is_open:
            if match := _FIGURE.fullmatch(text):
                self.figures.setdefault(match[1], int(match[2]))
            elif _ERROR.search(text):
                self.note_error(text)
        return True

    def log(self) -> RunLog:
        log = replace(self.head(), source=f"{self.source}:{self.line}")
        runtime_s, per_thread = self.figures.get("Total run time"), self.figures.get("Per-thread rows")
        of_threads = None if per_thread is None or log.threads is None else per_thread * log.threads
        rows = self.figures.get("Total rows", of_threads)
        if self.result is None or rows is None or runtime_s is None:
            return log
        is_off = runtime_s and not rows // (runtime_s + 1) <= self.result <= rows // runtime_s
        conflicts = {"Total rows": of_threads not in (None, rows), f"{self.operation} Result": is_off}
        summary = counted(self.operation, rows, source=log.source)
        return self.with_figures(log, self.line, float(runtime_s), [summary], conflicts=conflicts)


recognises, parse = _Run.recognises, _Run.parse
