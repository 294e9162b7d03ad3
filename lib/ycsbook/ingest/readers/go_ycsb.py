"""go-ycsb's output: plain lines, JSON arrays, tables, and the CSV of every latency.

Lines are cumulative since the operation's first call, so an interval is the difference of two blocks of lines. The last
block follows `Run finished, takes 4m25.29s`. Latencies are in us; means are cut to whole us, so that of an interval is
as exact as (n2 + n1) / (n2 - n1) us. READ_ERROR and the like are READ's failed calls and stand as READ-FAILED beside
it, as in YCSB. Batches count as their rows where the property table tells how many those are. go-ycsb prints no
throughput of the whole run: here it is the operations over the run time, less the warm-up that the property table
names, in which nothing is measured. A CSV has no end: the run time of a file that is nothing else goes from the first
start to the last end.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ycsbook import units
from ycsbook.ingest.files.sources import MAX_LINE, Source
from ycsbook.ingest.log.latencies import Calls
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.readers import go_ycsb_rows
from ycsbook.ingest.readers.go_ycsb_rows import BATCH, GoYcsbRow
from ycsbook.ingest.readers.text_runs import FAILED, TextRun, command, is_page, with_failures
from ycsbook.operations import BATCHED_OK, DATABASE_OPERATIONS, TOTAL
from ycsbook.secrets import redact

FORMAT = "go-ycsb"
MAX_OPERATIONS, MAX_RAW_OPERATIONS = 500, 64
RAW_HEADER = "operation,timestamp_us,latency_us"
# Times and rates are printed with one decimal.
ROUNDING = 0.1
# Races between threads lose counts, and early releases those of some failures; a line that was cut off is more.
MAX_UNMEASURED = 0.01
# Lines of one block are printed at once, blocks a second apart at least.
SAME_BLOCK_S = 0.5

_NUMBER = re.compile(r"\d{1,18}(?:\.\d{1,18})?", re.ASCII)
_WHOLE = re.compile(r"\d{1,15}", re.ASCII)
# At most 2,000 years and eleven days, so that no sum overflows.
_RAW_ROW = re.compile(r"([A-Za-z][\w-]{0,59}),(\d{1,17}),(\d{1,12})", re.ASCII)
_PROPORTIONS = tuple(f"{name}proportion" for name in ("read", "update", "insert", "scan", "readmodifywrite"))
# The rest of the property table may hold passwords and is not kept.
KEPT_PROPERTIES = frozenset(
    ("threadcount", "dotransactions", "target", "operationcount", "recordcount", "insertcount", "warmuptime",
     "batch.size", "maxexecutiontime", *_PROPORTIONS)
)  # fmt: skip
_TABLE = "***************** properties *****************"
_PROPERTY = re.compile(r'"([\w.-]{1,80})"="(.{0,2000})"')
_FINISHED = re.compile(r"(?:Message:\s{1,40})?Run finished, takes (\S{1,40})\s*")  # kubectl says whose it is
_COMMAND = command(r"go-ycsb(?:\.exe)?\s{1,4}(load|run)\s.{0,4000}")
_OPTION = re.compile(r"(?:--(threads|target)[ =]{1,2}|-p\s{1,2}([\w.]+)=)[\"']?(\w{1,15})(?=[\s\"']|$)", re.ASCII)
# What a fork prints of its settings above a run.
_THREAD_NUM = re.compile(r"ThreadNum: (\d{1,7})", re.ASCII)
_WRITE_CONCERN = re.compile(r"[?&]w=([A-Za-z0-9]{1,20})(?=&|$)", re.ASCII)
_ERROR_LINE = re.compile(r"operation err: |Got signal \[|panic: |.{0,80}\b(?:failed|error|Error|fatal)\b")
_FIGURES = rb" {1,6}- \*{0,2}(?:Takes\(s\): \d|Count: \d{1,15}, Avg\(us\): )"
_HEAD = re.compile(
    rb"^[ \t]{0,8}(?:[A-Za-z][\w-]{0,59}" + _FIGURES + rb"|\[\{\"[^\n]{0,400}\"Takes\(s\)\":\"\d"
    rb"|\| +OPERATION +\| +TAKES\(S\) |\*{17} properties \*{17}\r?$|Run finished, takes \d)",
    re.MULTILINE | re.IGNORECASE,
)
# What a page quotes of a run.
_QUOTED = re.compile(rb"^[ \t]{0,8}[A-Z][A-Z_]{1,40}" + _FIGURES, re.MULTILINE)


def recognises(head: bytes, name: str = "") -> bool:
    """Whether this is from a log or a CSV of go-ycsb, or from a page that quotes its lines."""
    if head.lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0].rstrip(b"\r") == RAW_HEADER.encode():
        return True
    if b"[OVERALL], " in head:
        return False
    return bool(_QUOTED.search(head)) or (bool(_HEAD.search(head)) and not is_page(head))


@dataclass
class _Run(TextRun):
    """`columns` are those that lines other than the property table tell of; `takes_ms` and `takes_line` are those of
    `Run finished`; `interrupted`: a signal ended it. `calls` are the rows of its CSV, which begins in `calls_line`;
    `junk` counts lines in it with as many columns that are no rows. `header`: the columns of a table of rows.
    `commands`: those above it; `has_left_fence`: its quote in a page is over."""

    FORMAT, KEPT = FORMAT, ("header",)

    header: list[str] = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)
    takes_ms: float = math.nan
    takes_line: int = 0
    calls: Calls | None = None
    calls_line: int = 0
    junk: int = 0
    interrupted: bool = False
    other_lines: int = 0
    commands: list[re.Match] = field(default_factory=list)
    has_left_fence: bool = False
    is_json: bool = False
    final: dict[str, GoYcsbRow] = field(default_factory=dict)
    _block: dict[str, GoYcsbRow] = field(default_factory=dict)
    _before: dict[str, GoYcsbRow] = field(default_factory=dict)
    _blocks: int = 0

    @classmethod
    def parse(cls, sources: Sequence[Source]) -> list[RunLog]:
        runs, commands = cls.begun(sources), []
        for run in runs:
            # Pages name all commands before they quote what these printed.
            commands = run.commands or commands
            while commands and not run.take_command(commands.pop(0)):
                pass
        return [run.log() for run in runs]

    @property
    def is_begun(self) -> bool:
        return bool(self._block or self._before or self.calls or self.takes_line)

    def take(self, number: int, text: str, is_complete: bool) -> bool:
        text = text.lstrip()  # pages indent what they quote
        is_complete |= text.startswith(("`", "~", "<"))  # and end it so
        if self.calls and self._add_call(text, is_complete):
            return True
        if not is_complete and not text.startswith("[{") and not go_ycsb_rows.is_whole(text):
            self.truncated |= len(text.encode(errors="replace")) < MAX_LINE  # no log has longer ones
        elif rows := self._rows(number, text):
            if any(map(self._is_next, rows)):
                return False
            for row in rows:
                self._add(row)
            self.is_json = text.startswith("[{")
        elif text == RAW_HEADER:
            if self.calls is not None:
                return False
            # A row for every call, grouped by operation, not in order of time.
            self.calls, self.calls_line = Calls(us=1, max_operations=MAX_RAW_OPERATIONS, total=TOTAL), number
        elif match := _FINISHED.fullmatch(text):
            if self.takes_line:
                return False
            self._close_block()
            self.has_left_fence = False  # the same run's end, quoted after its course
            self.takes_ms, self.takes_line = go_ycsb_rows.duration_ms(match[1]), number
        elif text:
            typed = _COMMAND.fullmatch(text) if "go-ycsb" in text else None
            if (typed or text == _TABLE or _THREAD_NUM.fullmatch(text)) and self.is_begun:
                return False
            self.commands += [typed] if typed else []
            self._take_text(text)
            self.truncated |= not is_complete
        return True

    def _rows(self, number: int, text: str) -> list[GoYcsbRow]:
        if text.startswith("[{"):
            return go_ycsb_rows.json_rows(text, number)
        if cells := go_ycsb_rows.table_cells(text):
            if cells[0].upper() == "OPERATION":
                self.header = cells
            is_row = len(cells) == len(self.header) and cells != self.header
            row = go_ycsb_rows.row_of(cells[0], dict(zip(self.header, cells, strict=True)), number) if is_row else None
        else:
            row = go_ycsb_rows.plain(text, number)
        return [] if row is None else [row]

    def take_command(self, typed: re.Match) -> bool:
        """Take what started the run; False where a load did not do what this one did."""
        done = {row.base for row in (*self._before.values(), *self._block.values())} & {*DATABASE_OPERATIONS}
        if typed[2] == "load" and not done <= {"INSERT"}:
            return False
        self.command_line = redact(typed[1])
        options = [("", "dotransactions", f"{typed[2] == 'run'}".lower()), *_OPTION.findall(typed[1])]
        by_name = {"threadcount" if flag == "threads" else flag or name: value for flag, name, value in options}
        self.properties = {name: value for name, value in by_name.items() if name in KEPT_PROPERTIES} | self.properties
        return True

    def _take_text(self, text: str) -> None:
        self.other_lines += 1
        self.interrupted |= text.startswith("Got signal [")
        self.has_left_fence |= text.startswith(("```", "~~~")) and bool(self._block or self._before)
        if match := _THREAD_NUM.fullmatch(text):
            self.columns["threads"] = float(match[1])
        elif match := _PROPERTY.fullmatch(text):
            if match[1] in KEPT_PROPERTIES:
                self.properties[match[1]] = match[2]
            elif match[1] == "mongodb.url" and (concern := _WRITE_CONCERN.search(match[2])):
                self.columns["write_concern"] = concern[1]
        elif _ERROR_LINE.match(text):
            self.note_error(text)

    def _is_next(self, row: GoYcsbRow) -> bool:
        """Whether a row is the next run's: a counter is lower than before, the last block is whole already, what did
        nothing but insert, a load, now does something else, or a page quotes another."""
        if self.has_left_fence:
            return True
        is_load = {before.base for before in self._before.values()} == {"INSERT"}
        if is_load and not row.is_failed and row.base in DATABASE_OPERATIONS and row.base != "INSERT":
            return True
        last = self._block.get(row.operation) or self._before.get(row.operation)
        has_fallen = last is not None and row.count < last.count
        return has_fallen or bool(self.final) or (self.takes_line > 0 and not self._fits(row))

    def _add(self, row: GoYcsbRow) -> None:
        if not self._fits(row):
            self._close_block()
        if len(self._block) < MAX_OPERATIONS:
            self._block[row.operation] = row

    def _add_call(self, text: str, is_complete: bool) -> bool:
        """Take a row of the CSV; False where it is none."""
        match = _RAW_ROW.fullmatch(text) if is_complete else None
        if match is None:
            self.junk += is_complete and text.count(",") == 2
            return False
        self.junk += not self.calls.add(go_ycsb_rows.name_of(match[1]), int(match[2]), int(match[3]))
        return True

    def _close_block(self) -> None:
        """No further row of the block comes: it is one status line, or the summary."""
        rows = {name: row for name, row in self._block.items() if name != TOTAL}
        if self.takes_line and not self.final:
            self.final = dict(self._block)
        # A block that lacks an operation was cut: cumulative lines never go away.
        if rows and set(self._before) <= set(rows):
            details = [go_ycsb_rows.difference(row, self._before.get(name), self._batch) for name, row in rows.items()]
            elapsed_s, lines = max(r.takes_s for r in rows.values()), [r.line for r in rows.values()]
            if elapsed_s >= 0:  # printed
                self.begin_progress(min(lines))
                self.add_progress(max(lines), elapsed_s, go_ycsb_rows.attempted(rows, self._batch), details)
            self._before = rows
            self._blocks += 1
        self._block = {}

    def log(self) -> RunLog:
        self._close_block()
        self._note_properties()
        if self.calls:
            return self._log_of_calls(self.calls)
        is_alone = self.is_json and self._blocks == 1 and not self.other_lines
        # As many as were asked for are all of them, however many threads there were.
        is_all = (asked := self._asked(1)) and go_ycsb_rows.attempted(self._before, self._batch) >= asked
        if not self.takes_line and (is_alone or is_all):
            # Somebody took the summary out of a log. Its time is rounded.
            self.final = dict(self._before)
            self.takes_ms = units.MS_PER_S * max(row.takes_s for row in self.final.values())
            self.takes_line = min(row.line for row in self.final.values())
        log = self.head()
        rows = {name: row for name, row in self.final.items() if name != TOTAL}
        if not rows:
            return replace(log, truncated=log.truncated or bool(self._before and not self.has_progress))
        if not self._is_whole(rows):
            return replace(log, truncated=True)
        figures = {"conflicts": tuple(self._conflicts(rows)), "unmeasured": self._unmeasured(rows)}
        summaries = self._summaries(row.summary(self.source) for row in rows.values())
        return self._with_throughput(replace(log, summaries=summaries, **figures))

    def _log_of_calls(self, calls: Calls) -> RunLog:
        calls.close()
        of = calls.by_operation
        counted = [*DATABASE_OPERATIONS, *(name + FAILED for name in DATABASE_OPERATIONS)]
        log = replace(self.head(), series=calls.series(counted), status_source=self.source)
        # TOTAL comes last, a row for each good call.
        is_whole = TOTAL not in of or of[TOTAL].count == sum(
            c.count for name, c in of.items() if go_ycsb_rows.is_counted(name)
        )
        summaries = self._summaries(calls.summaries(f"{self.source}:{self.calls_line}"))
        if self.truncated or not summaries or not is_whole:
            return replace(log, truncated=True)
        if not self.takes_line:
            self.takes_ms, self.takes_line = calls.runtime_ms, self.calls_line
        conflicts = ("CSV rows",) if self.junk else ()
        return self._with_throughput(replace(log, summaries=summaries, conflicts=conflicts))

    def _with_throughput(self, log: RunLog) -> RunLog:
        warmup_s = _whole(self.properties.get("warmuptime")) or 0
        # Nothing is measured in the warm-up, which a load has not.
        runtime_ms = self.takes_ms - (warmup_s * units.MS_PER_S if self.columns.get("phase") == "run" else 0)
        rate_ops_s = log.attempted / (runtime_ms / units.MS_PER_S) if runtime_ms else math.nan
        where = f"{self.source}:{self.takes_line}"
        return replace(log, overall_count=1, runtime_ms=runtime_ms, throughput_ops_s=rate_ops_s, source=where)

    def _note_properties(self) -> None:
        columns, table = self.columns, self.properties
        for column, name in (("threads", "threadcount"), ("target_ops_s", "target")):
            if number := _whole(table.get(name)):
                columns[column] = float(number)
        if phase := {"true": "run", "false": "load"}.get(table.get("dotransactions")):
            columns["phase"] = phase
        shares = {name: float(table[name]) for name in _PROPORTIONS if _NUMBER.fullmatch(table.get(name, ""))}
        if columns.get("phase") == "run" and math.isclose(sum(shares.values()), 1.0):
            columns["read_fraction"] = shares.get("readproportion", 0.0) + shares.get("scanproportion", 0.0)

    @property
    def _batch(self) -> int | None:
        return _whole(self.properties.get("batch.size")) or None

    def _fits(self, row: GoYcsbRow) -> bool:
        """Whether the row goes on with the block: each operation once, sorted, or printed at the same time."""
        if not self._block:
            return True
        latest = max(r.takes_s for r in self._block.values())
        return row.operation not in self._block and (
            row.operation > max(self._block) or abs(row.takes_s - latest) < SAME_BLOCK_S
        )

    def _summaries(self, calls: Iterable[Summary]) -> tuple[Summary, ...]:
        """What was done by these calls, of which a batch is one."""
        of_one: list[Summary] = []
        of_batches: dict[str, Summary] = {}
        for summary in calls:
            name = summary.operation.removeprefix(BATCH)
            if name == summary.operation:
                of_one.append(summary)
            elif self._batch:
                of_batches[name] = replace(summary, operation=name, count=self._batch * summary.count)
            else:
                name = summary.operation.removesuffix(FAILED)
                of_batches.setdefault(name, Summary(name, source=summary.source))
        return *with_failures(of_batches.values(), ok_code=BATCHED_OK), *with_failures(of_one)

    def _is_whole(self, rows: dict[str, GoYcsbRow]) -> bool:
        """Whether the last block has all lines of earlier ones, TOTAL is not more than the others, and the operations
        are as many as the property table asks but for what go-ycsb may lose, unless the run was ended early."""
        if not self.takes_ms > 0 or not set(self._before) <= set(rows):
            return False
        good = sum(row.count for row in rows.values() if not row.is_failed)
        if TOTAL in self.final and self.final[TOTAL].count > good:
            return False
        # Where calls failed, theirs may be the line that was cut off.
        return self._unmeasured(rows) <= (0 if self.errors else MAX_UNMEASURED * self._asked())

    def _unmeasured(self, rows: dict[str, GoYcsbRow]) -> int:
        """How many operations less than the threads were told to do the last block has; 0 where that is not known."""
        asked = 0 if self.interrupted else self._asked()
        return max(0, asked - go_ycsb_rows.attempted(rows, self._batch))

    def _asked(self, threads: int = 0) -> int:
        """Operations that the threads were told to do; 0 where the property table tells of none."""
        table = self.properties
        threads = _whole(table.get("threadcount")) or threads
        kind = {"true": ("operationcount",), "false": ("insertcount", "recordcount")}.get(table.get("dotransactions"))
        if not threads or kind is None or _whole(table.get("maxexecutiontime")) or self._batch:
            return 0
        count = next((n for key in kind if (n := _whole(table.get(key))) is not None), 0)
        return count // threads * threads

    def _conflicts(self, rows: dict[str, GoYcsbRow]) -> Iterator[str]:
        if TOTAL in self.final:
            good = {name: row.count for name, row in rows.items() if not row.is_failed}
            counted = sum(n for name, n in good.items() if go_ycsb_rows.is_counted(name))
            if self.final[TOTAL].count not in (counted, sum(good.values())):
                yield "TOTAL count"
        for name, row in self.final.items():
            lowest = row.count / (row.takes_s + ROUNDING) - ROUNDING
            if row.ops_s < lowest or (
                row.takes_s > ROUNDING and row.ops_s > row.count / (row.takes_s - ROUNDING) + ROUNDING
            ):
                yield f"{name} OPS"
        if max(row.takes_s for row in rows.values()) > self.takes_ms / units.MS_PER_S + ROUNDING:
            yield "run time"


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and _WHOLE.fullmatch(text) else None


parse = _Run.parse
