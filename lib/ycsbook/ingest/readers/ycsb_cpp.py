"""YCSB-cpp and its forks: `Run throughput(ops/sec): 44454.2` after status lines that count from the start.

The run is its last status line, cumulative like go-ycsb's, and the three figures of its end. Those have six digits, so
the throughput here is the operations over the run time, checked against the printed one. Where operations failed and
no line says which, they stand under the first operation. A file may hold a load
and a run.
"""

import math
import re
from dataclasses import dataclass, field, replace

from ycsbook import units
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.readers.go_ycsb_rows import FAILED, GoYcsbRow, difference
from ycsbook.ingest.readers.text_runs import TextRun, counted, with_failures
from ycsbook.operations import DATABASE_OPERATIONS, READ_MODIFY_WRITE, TOTAL
from ycsbook.secrets import redact

FORMAT = "ycsb-cpp"
# Six digits are printed.
DIGITS = 2e-5
# Status lines that wait for the end of their run.
MAX_STATUSES = 4096

_NUMBER = r"\d{1,18}(?:\.\d{1,18})?(?:e[+-]\d{1,3})?"
_STATUS = re.compile(
    r"(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d )?\s?(\d{1,9}) sec: (\d{1,18}) operations;(.{0,4000})", re.ASCII
)
_GROUP = re.compile(r"\[([A-Z][A-Z_-]{1,40}): (Count=\d{1,18} Max=[^\]]{1,300})\]", re.ASCII)
_PAIR = re.compile(r"([A-Z][a-z]{2,4}|\d\d(?:\.\d{1,4})?)=(\d{1,18}(?:\.\d{1,9})?)(?=\s|$)", re.ASCII)
_FIGURE = re.compile(
    rf"(Load|Run) (runtime\(sec\)|operations(?: (?:success|fail))?\(ops\)|throughput\(ops/sec\)): ({_NUMBER})\s*",
    re.ASCII,
)
_COMMAND = re.compile(r"(?:\S{0,200}[#$>%] ?)?((?:\S{0,300}/)?ycsb(?:c|-cpp)?\s(?=.{0,2000}(?:-db|-P)\s).{1,4000})")
_HEAD = re.compile(
    rb"^\s{0,8}(?:(?:Load|Run) (?:runtime\(sec\)|throughput\(ops/sec\)): \d"
    rb"|(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d )?\d{1,9} sec: \d{1,18} operations; ?(?:\[[A-Z_-]+: Count=\d+ Max=|\r?$))",
    re.MULTILINE,
)


@dataclass
class _Run(TextRun):
    """A load or a run: `rows` of its last status line, `figures` of its end by what is printed, in ops and s."""

    FORMAT, HEAD = FORMAT, _HEAD

    rows: dict[str, GoYcsbRow] = field(default_factory=dict)
    before: dict[str, GoYcsbRow] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)
    statuses: list[tuple[int, float, int, dict[str, GoYcsbRow]]] = field(default_factory=list)

    @property
    def is_ended(self) -> bool:
        return "throughput(ops/sec)" in self.figures

    def following(self) -> "_Run":
        return _Run(self.source, command_line=self.command_line)

    def take(self, number: int, text: str, whole: bool) -> bool:
        text = text.strip()
        if not whole:
            self.truncated |= not self.is_ended
        elif match := _STATUS.fullmatch(text):
            if self.is_ended or int(match[2]) < self.figures.get("done", 0):
                return False
            self._add_status(number, float(match[1]), int(match[2]), match[3])
        elif match := _FIGURE.fullmatch(text):
            if match[2] in self.figures:
                return False
            self.columns["phase"] = match[1].lower()
            self.figures[match[2]], self.line = float(match[3]), number
        elif "ycsb" in text and (match := _COMMAND.fullmatch(text)):
            if self.is_begun:
                return False
            self.command_line = redact(match[1])
        return True

    def _add_status(self, number: int, elapsed_s: float, operations: int, details: str) -> None:
        self.figures["done"] = operations
        self.begin_progress(number)
        self.statuses.append(
            (number, elapsed_s, operations, {r.operation: r for r in _rows(details, elapsed_s, number)})
        )
        self.rows |= self.statuses[-1][3]
        if len(self.statuses) > MAX_STATUSES:
            self._close_statuses()

    def _close_statuses(self, inside: float = 0.0) -> None:
        """Make intervals of the status lines; `inside`: how much of the UPDATEs is inside of READ-MODIFY-WRITEs."""
        for number, elapsed_s, calls, rows in self.statuses:
            parts = [difference(row, self.before.get(name), None) for name, row in rows.items()]
            operations = calls - int(inside * rows["UPDATE"].count) if "UPDATE" in rows else calls
            self.add_progress(number, elapsed_s, operations, parts)
            self.before |= rows
        self.statuses = []

    def log(self) -> RunLog:
        failed = int(self.figures.get("operations fail(ops)", 0))
        succeeded = self.figures.get("operations success(ops)", math.nan)
        operations = self.figures.get("operations(ops)", succeeded + failed)
        calls = sum(row.count for row in self.rows.values() if row.base in DATABASE_OPERATIONS)
        # The READ and UPDATE inside of a READ-MODIFY-WRITE count besides.
        whole = calls - operations if self.is_ended and calls > operations else 0
        self._close_statuses(whole / self.rows["UPDATE"].count if whole and "UPDATE" in self.rows else 0.0)
        log = self.head(truncated=self.truncated or not self.is_ended)
        if not self.is_ended:
            return log
        runtime_s, rate = self.figures.get("runtime(sec)", math.nan), self.figures["throughput(ops/sec)"]
        is_known = operations / runtime_s > 0 if runtime_s else False
        is_odd = is_known and not math.isclose(rate, operations / runtime_s, rel_tol=DIGITS)
        return replace(
            log,
            overall_count=1,
            runtime_ms=runtime_s * units.MS_PER_S,
            throughput_ops_s=operations / runtime_s if is_known else rate,
            summaries=tuple(self._summaries(operations, failed, calls)) if is_known else (),
            conflicts=("throughput",) if is_odd else (),
            source=f"{self.source}:{self.line}",
        )

    def _summaries(self, operations: float, failed: int, calls: int) -> list[Summary]:
        if calls < operations:
            # Without status lines, or with the last one before the end: only the number is known.
            name = "INSERT" if self.columns["phase"] == "load" else TOTAL
            return [counted(name, int(operations) - failed, failed, source=f"{self.source}:{self.line}")]
        summaries = []
        for name in dict.fromkeys(row.operation.removesuffix(FAILED) for row in self.rows.values()):
            good, bad = (self._summary(self.rows.get(key)) for key in (name, name + FAILED))
            summaries += with_failures(name, good, bad)
        if calls > operations:
            summaries.append(Summary(READ_MODIFY_WRITE, calls - operations, source=f"{self.source}:{self.line}"))
        elif failed and not any(s.errors for s in summaries):
            first = summaries[0]
            summaries[0] = replace(first, return_codes=(("OK", int(first.count) - failed), ("ERROR", failed)))
        return summaries

    def _summary(self, row: GoYcsbRow | None) -> Summary | None:
        if row is None:
            return None
        latencies = (row.mean_us, row.min_us, row.max_us, row.percentiles) if row.count else ()
        return Summary(row.base, float(row.count), *latencies, source=f"{self.source}:{row.line}")


def _rows(details: str, elapsed_s: float, line: int) -> list[GoYcsbRow]:
    """The operations of a status line, everything since the start."""
    rows = []
    for match in _GROUP.finditer(details):
        pairs = {name: float(value) for name, value in _PAIR.findall(match[2])}
        percentiles = tuple((float(name), value) for name, value in pairs.items() if name[0].isdigit())
        latencies = [pairs.get(name, math.nan) for name in ("Avg", "Min", "Max")]
        name = match[1].replace("-FAILED", FAILED).replace("_FAILED", FAILED)
        rows.append(GoYcsbRow(name, elapsed_s, int(pairs["Count"]), math.nan, *latencies, percentiles, line))
    return rows


recognises, parse = _Run.recognises, _Run.parse
