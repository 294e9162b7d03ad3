"""YCSB's status lines (`-s`): the cumulative counter and the per-interval latencies, as intervals."""

import itertools
import math
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ycsbook import units

TOTAL = "TOTAL"
# CLEANUP is the end of a thread, and TOTAL is a name of ours.
NOT_OPERATIONS = ("CLEANUP", TOTAL)
MAX_OPERATIONS_PER_LINE = 64
# How far the clock in front of a line may be off the line's own whole seconds: those are rounded down.
CLOCK_TOLERANCE_S = 1.5

_HEAD = re.compile(
    r"(?:(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[:.,](\d{1,3}) )?\s{0,8}(-?\d{1,10}) sec: (\d{1,18}) operations;", re.ASCII
)
_GROUP = re.compile(r"\[([^\[\]]{1,600})\]")
_NEW = re.compile(r"([^\s:=,]{1,80}): (Count=.*)", re.ASCII)
_OLD = re.compile(r"([^\s:=,]{1,80}) AverageLatency\(us\)=(.*)", re.ASCII)
_NUMBER = re.compile(r"-?\d{1,19}(?:[.,]\d{1,19})?(?:[eE][-+]?\d{1,3})?", re.ASCII)


@dataclass(frozen=True)
class OperationStatus:
    """One operation within one interval: its count and its latencies in us; NaN where not printed."""

    operation: str
    count: float
    mean_us: float
    max_us: float
    p99_us: float


@dataclass(frozen=True)
class StatusLine:
    """One status: `at_ms` is the client's local wall clock, ms since 1970 as if it were UTC (None: not printed)."""

    at_ms: int | None
    elapsed_s: float
    operations: int
    details: tuple[OperationStatus, ...]


@dataclass
class StatusSeries:
    """Collects the status lines of one run while a log is read.

    A line that starts anew at `0 sec: 0 operations` opens another run: what a cut run left before the summary is
    dropped, and what follows a summary is not recorded; `restarts` counts both.
    """

    lines: list[StatusLine] = field(default_factory=list)
    restarts: int = 0
    _closed: bool = False

    def add(self, line: StatusLine, summary_seen: bool) -> None:
        """Take one status line; an exact repetition of the last one is dropped."""
        if self._closed:
            return
        last = self.lines[-1] if self.lines else None
        if last is not None and line.elapsed_s == 0 and line.operations == 0 and (last.operations or last.elapsed_s):
            self.restarts += 1
            if summary_seen:
                self._closed = True
                return
            self.lines.clear()
        elif last is not None and (line.at_ms, line.elapsed_s, line.operations) == (
            last.at_ms,
            last.elapsed_s,
            last.operations,
        ):
            return
        self.lines.append(line)

    def extend_last(self, details: tuple[OperationStatus, ...]) -> None:
        """Add the second physical line of a status that `hdrhistogram+X` splits in two."""
        if self._closed or not self.lines:
            return
        last = self.lines[-1]
        known = {d.operation for d in last.details if not math.isnan(d.count)}
        merged = tuple(d for d in last.details if d.operation in known)
        merged += tuple(d for d in details if d.operation not in known)
        self.lines[-1] = StatusLine(last.at_ms, last.elapsed_s, last.operations, merged)


def parse_line(text: str) -> StatusLine | None:
    """The status in a line; None where the line is none."""
    head = _HEAD.match(text)
    if not head:
        return None
    return StatusLine(
        _epoch_ms(head[1], head[2]), float(head[3]), int(head[4]), parse_details(text[head.end() :])
    )  # fmt: skip


def parse_details(text: str) -> tuple[OperationStatus, ...]:
    """The bracketed operations of a status line; a bracket that is not closed is left out."""
    found = []
    for match in _GROUP.finditer(text):
        if detail := _detail(match[1]):
            found.append(detail)
        if len(found) == MAX_OPERATIONS_PER_LINE:
            break
    return tuple(found)


def number(text: str) -> float:
    """A number as a status line prints it, decimal comma allowed; NaN for `NaN`, `?`, nothing or anything else."""
    return float(text.replace(",", ".")) if _NUMBER.fullmatch(text) else math.nan


def _detail(inside: str) -> OperationStatus | None:
    if match := _NEW.fullmatch(inside):
        # Values are separated by comma and blank, so that a decimal comma stays inside its value.
        pairs = dict(p.split("=", 1) for p in match[2].split(", ") if "=" in p)
        count = number(pairs.get("Count", ""))
        if math.isnan(count):
            return None
        values = [number(pairs.get(k, "")) if count > 0 else math.nan for k in ("Avg", "Max", "99")]
        return OperationStatus(match[1], count, *values)
    if match := _OLD.fullmatch(inside):
        return OperationStatus(match[1], math.nan, number(match[2]), math.nan, math.nan)
    return None


def _epoch_ms(stamp: str | None, millis: str | None) -> int | None:
    if stamp is None:
        return None
    try:
        at = datetime.strptime(stamp, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return int(at.timestamp()) * units.MS_PER_S + int(millis)


def clock_stepped(lines: list[StatusLine]) -> bool:
    """Whether the client's clock went back: YCSB takes its elapsed seconds from it."""
    return any(b.elapsed_s < a.elapsed_s for a, b in itertools.pairwise(lines))


def interval_rows(run_id: str, lines: list[StatusLine]) -> list[dict]:
    """Rows of the `intervals` table: one TOTAL row per interval and one per operation.

    TOTAL comes from the cumulative counter, the length of an interval from the milliseconds in front of the lines.
    Where those are missing or contradict the seconds by more than CLOCK_TOLERANCE_S (summer time, a stepped clock)
    the seconds are taken. Intervals without length are joined to the one before.

    Parameters
        lines: the status lines of one run, in order.
    """
    rows: list[dict] = []
    elapsed = lines[0].elapsed_s if lines else 0.0
    for before, line in itertools.pairwise(lines):
        length = _length_s(before, line)
        done = line.operations - before.operations
        if length <= 0 or done < 0:
            if rows and done > 0:
                _join(rows, done)
            continue
        elapsed += length
        at = {"run_id": run_id, "elapsed_s": round(elapsed, 3), "interval_s": length}
        rows.append({**at, "operation": TOTAL, "operations": float(done), "throughput_ops_s": done / length})
        rows += [
            {
                **at,
                "operation": d.operation,
                "operations": d.count,
                "throughput_ops_s": d.count / length,
                "mean_us": d.mean_us,
                "max_us": d.max_us,
                "p99_us": d.p99_us,
            }
            for d in line.details
            if d.operation not in NOT_OPERATIONS
        ]
    return rows


def _join(rows: list[dict], done: int) -> None:
    total = next(row for row in reversed(rows) if row["operation"] == TOTAL)
    total["operations"] += done
    total["throughput_ops_s"] = total["operations"] / total["interval_s"]


def _length_s(before: StatusLine, line: StatusLine) -> float:
    seconds = line.elapsed_s - before.elapsed_s
    if before.at_ms is None or line.at_ms is None:
        return seconds
    exact = (line.at_ms - before.at_ms) / units.MS_PER_S
    return exact if abs(exact - seconds) <= CLOCK_TOLERANCE_S and exact >= 0 else seconds
