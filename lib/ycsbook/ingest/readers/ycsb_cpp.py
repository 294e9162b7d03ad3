"""YCSB-C, YCSB-cpp and their forks.

YCSB-cpp prints `Run throughput(ops/sec): 44454.2` after status lines that count from the start. The run is its last
status line, cumulative like go-ycsb's, and the three figures of its end. Those have six digits, so the throughput here
is the operations over the run time, checked against the printed one. Where operations failed and no line says which,
they stand under the first operation. A file may hold a load and a run.

YCSB-C prints `# Transaction throughput (KTPS)`, and below it or behind it the figure: thousands of operations per
second with six digits; forks print (MOPS) or (OPS). Loads tell how many records were stored, and forks print their
rate; of a run nothing is printed but its rate, so that it stands as an excerpt: what failed is not known. The database
has no column of its own and stands as the data set, so that rows of two of them are not taken for repeats.
"""

import math
import re
from dataclasses import dataclass, field, replace

from ycsbook import units
from ycsbook.ingest.log.labels import settings_of_text
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.log.status import epoch_ms
from ycsbook.ingest.readers.go_ycsb_rows import GoYcsbRow, difference
from ycsbook.ingest.readers.text_runs import CommandRun, command, counted, with_failures
from ycsbook.operations import DATABASE_OPERATIONS, READ_MODIFY_WRITE, TOTAL

# Six digits are printed.
DIGITS = 2e-5
# How far the clocks of a run's status lines may be off what they count; summer time is an hour.
CLOCK_S = 2 * 3600
# Status lines that wait for the end of their run.
MAX_STATUSES = 4096

_NUMBER = r"\d{1,18}(?:\.\d{1,18})?(?:e[+-]\d{1,3})?"
_STATUS = re.compile(
    r"(?:(\d{4}-\d\d?-\d\d? \d\d?:\d\d:\d\d) )?\s?(\d{1,9}) sec: (\d{1,18}) operations;(.{0,4000})", re.ASCII
)
_GROUP = re.compile(r"\[([A-Z][A-Z_-]{1,40}): (Count=\d{1,18} Max=[^\]]{1,300})\]", re.ASCII)
_PAIR = re.compile(r"([A-Z][a-z]{2,4}|\d\d(?:\.\d{1,4})?)=(\d{1,18}(?:\.\d{1,9})?)(?=\s|$)", re.ASCII)
_FIGURE = re.compile(
    rf"(Load|Run) (runtime\(sec\)|operations(?: (?:success|fail))?\(ops\)|throughput\(ops/sec\)): ({_NUMBER})\s*",
    re.ASCII,
)

_RATE = r"(\d{1,9}(?:\.\d{1,9})?(?:e[+-]\d{1,3})?)"
_RECORDS = re.compile(r"# Loading records:\s{1,9}(\d{1,15})(?: takes .{1,40})?", re.ASCII)
_TIMES = {"": 1, "K": 1000, "M": 1_000_000}
_THROUGHPUT = re.compile(
    rf"# (Load|Transaction|Run) throughput \(([KM]?)(?:TPS|OPS)\)(?::?\s{{1,9}}{_RATE})?", re.ASCII
)
# The database, the file of the workload, the threads, and below the label the figure; forks leave some out.
_ROW = re.compile(
    r"(?:(?:Load_stage: )?(?:(\S{1,60})\s{1,9})?((?!\d+\s)\S{1,300})\s{1,9}(\d{1,6})(?:\s{1,9}|$))?" rf"{_RATE}?",
    re.ASCII,
)


@dataclass
class YcsbCpp(CommandRun):
    """A load or a run: `rows` of its last status line, `figures` of its end by what is printed, in ops and s."""

    FORMAT = "ycsb-cpp"
    HEAD = re.compile(
        rb"^\s{0,8}(?:(?:Load|Run) (?:runtime\(sec\)|throughput\(ops/sec\)): \d|(?:\d{4}-\d\d?-\d\d? \d\d?:\d\d:\d\d )?"
        rb"\d{1,9} sec: \d{1,18} operations; ?(?:\[[A-Z_-]+: Count=\d+ Max=|\r?$))",
        re.MULTILINE,
    )
    COMMAND = command(r"ycsb(?:c|-cpp)?\s(?=.{0,2000}(?:-db|-P)\s).{1,4000}")
    KEPT = ("command_line",)

    rows: dict[str, GoYcsbRow] = field(default_factory=dict)
    before: dict[str, GoYcsbRow] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)
    statuses: list[tuple[int, float, int, dict[str, GoYcsbRow]]] = field(default_factory=list)

    @property
    def has_ended(self) -> bool:
        return "throughput(ops/sec)" in self.figures

    def take_line(self, number: int, text: str) -> bool:
        if match := _STATUS.fullmatch(text):
            elapsed_s, done = float(match[2]), int(match[3])
            at_ms = epoch_ms(match[1])
            began_s = math.nan if at_ms is None else at_ms / units.MS_PER_S - elapsed_s
            is_earlier = done < self.figures.get("done", 0) or elapsed_s < self.figures.get("elapsed", 0)
            if self.has_ended or is_earlier or abs(began_s - self.figures.get("began", began_s)) > CLOCK_S:
                return False
            self.figures |= {"done": done, "elapsed": elapsed_s, "began": began_s}
            self._add_status(number, elapsed_s, done, match[4])
        elif text.startswith("[") and self.statuses and not self.statuses[-1][3] and not self.has_ended:
            at, elapsed_s, done, _ = self.statuses.pop()
            self._add_status(at, elapsed_s, done, text)
        elif match := _FIGURE.fullmatch(text):
            if match[2] in self.figures:
                return False
            self.columns["phase"] = match[1].lower()
            self.figures[match[2]], self.line = float(match[3]), number
        return True

    def _add_status(self, number: int, elapsed_s: float, operations: int, details: str) -> None:
        self.begin_progress(number)
        rows = {row.operation: row for row in _rows(details, elapsed_s, number)}
        self.statuses.append((number, elapsed_s, operations, rows))
        self.rows |= rows
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
        rmw = calls - operations if self.has_ended and calls > operations else 0
        self._close_statuses(rmw / self.rows["UPDATE"].count if rmw and "UPDATE" in self.rows else 0.0)
        if not self.has_ended:
            return self.head()
        runtime_s, rate = self.figures.get("runtime(sec)", math.nan), self.figures["throughput(ops/sec)"]
        is_known = operations / runtime_s > 0 if runtime_s else False
        rates = [n / runtime_s for n in (operations, succeeded)] if is_known else [rate]
        is_odd = not any(math.isclose(rate, of_calls, rel_tol=DIGITS) for of_calls in rates)
        return self.with_figures(
            self.head(),
            self.line,
            runtime_s,
            self._summaries(operations, failed, calls) if is_known else (),
            throughput_ops_s=operations / runtime_s if is_known else rate,
            conflicts={"throughput": is_odd},
        )

    def _summaries(self, operations: float, failed: int, calls: int) -> list[Summary]:
        is_of_good = calls == operations - failed  # of some forks
        if calls < operations and not is_of_good:
            # Without status lines, or with the last one before the end: only the number is known.
            name = "INSERT" if self.columns["phase"] == "load" else TOTAL
            return [counted(name, int(operations) - failed, failed, source=f"{self.source}:{self.line}")]
        summaries = [*with_failures(row.summary(self.source) for row in self.rows.values())]
        if calls > operations:
            summaries.append(Summary(READ_MODIFY_WRITE, calls - operations, source=f"{self.source}:{self.line}"))
        elif failed and not any(s.errors for s in summaries):
            first = summaries[0]
            n_good = int(first.count) - (0 if is_of_good else failed)
            summaries[0] = replace(first, return_codes=(("OK", n_good), ("ERROR", failed)))
        return summaries


def _rows(details: str, elapsed_s: float, line: int) -> list[GoYcsbRow]:
    rows = []
    for match in _GROUP.finditer(details):
        pairs = {name: float(value) for name, value in _PAIR.findall(match[2])}
        percentiles = tuple((float(name), value) for name, value in pairs.items() if name[0].isdigit())
        latencies = [pairs.get(name, math.nan) for name in ("Avg", "Min", "Max")]
        name = match[1].replace("_FAILED", "-FAILED")
        rows.append(GoYcsbRow(name, elapsed_s, int(pairs["Count"]), math.nan, *latencies, percentiles, line))
    return rows


@dataclass
class YcsbC(CommandRun):
    """A load or a run: `records` that were loaded for it; `label`: what the row that follows is of; `rate` in ops/s."""

    FORMAT = "ycsb-c"
    HEAD = re.compile(
        rb"^[ \t]{0,8}# (?:(?:Load|Transaction|Run) throughput \([KM]?(?:TPS|OPS)\)|Loading records:[ \t]+\d{1,15})",
        re.MULTILINE,
    )
    COMMAND = command(r"ycsbc\s(?=.{0,2000}-db\s).{1,4000}")
    KEPT = ("command_line", "records", "settings")

    records: float = math.nan
    label: str = ""
    times: float = math.nan
    settings: dict[str, float | str] = field(default_factory=dict)
    rate: float = math.nan

    @property
    def has_ended(self) -> bool:
        return self.rate >= 0

    def take_line(self, number: int, text: str) -> bool:
        records, throughput = _RECORDS.fullmatch(text), _THROUGHPUT.fullmatch(text)
        if self.has_ended:
            return not (records or throughput)
        if records:
            self.records, self.line = float(records[1]), number
        elif throughput:
            self.label, self.times, self.line = throughput[1], _TIMES[throughput[2]], number
            self._take_rate(number, throughput[3])
        elif text and (match := _ROW.fullmatch(text)) and bool(match[4]) == bool(self.label):
            if match[3]:
                settings = {**settings_of_text(match[2].rpartition("/")[2]), "dataset": match[1]}
                named = {name: settings[name] for name in ("dataset", "workload") if settings.get(name)}
                self.settings = {"threads": float(match[3]), **named}
            self._take_rate(number, match[4])
        return True

    def _take_rate(self, number: int, printed: str | None) -> None:
        if printed:
            self.rate, self.line = float(printed) * self.times, number

    def log(self) -> RunLog:
        is_load = self.label == "Load"
        self.columns |= self.settings | {"phase": "load" if is_load else "run"}
        if self.records > 0:
            self.columns["records"] = self.records
        if not self.rate > 0:
            return self.head()
        runtime_s, summaries = math.nan, []
        if is_load and self.records > 0:
            runtime_s = self.records / self.rate
            summaries = [counted("INSERT", int(self.records), source=f"{self.source}:{self.line}")]
        return self.with_figures(self.head(), self.line, runtime_s, summaries, throughput_ops_s=self.rate)
