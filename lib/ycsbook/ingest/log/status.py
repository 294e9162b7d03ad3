"""The grammar of YCSB's status lines (`-s`): how many operations were finished since the start, and what happened since
the line before. Whoever looks on while a run is made reads them, too, so nothing here loads arrays.
"""

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

from ycsbook import units

MAX_OPERATIONS_PER_LINE = 64
# How far the clock in front of a line may be off the line's own whole seconds: those are rounded down.
CLOCK_TOLERANCE_S = 1.5

_HEAD = re.compile(
    r"(?:(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[:.,](\d{1,3}) )?\s{0,8}(-?\d{1,10}) sec: (\d{1,18}) operations;", re.ASCII
)
_GROUP = re.compile(r"\[([^\[\]]{1,600})\]")
_NEW = re.compile(r"([^\s:=,]{1,80}): (Count=.*)", re.ASCII)
_OLD = re.compile(r"([^\s:=,]{1,80}) AverageLatency\((ns|us|ms|s)\)=(.*)", re.ASCII)
_NUMBER = re.compile(r"\d{1,19}(?:[.,]\d{1,19})?(?:[eE][-+]?\d{1,3})?", re.ASCII)


@dataclass(frozen=True)
class OperationStatus:
    """One operation within one interval: its count and its latencies in us; NaN where not printed."""

    operation: str
    count: float
    mean_us: float = math.nan
    max_us: float = math.nan
    p99_us: float = math.nan


@dataclass(frozen=True)
class StatusLine:
    """One status: `at_ms` is the client's local wall clock, ms since 1970 as if it were UTC (None: not printed)."""

    at_ms: int | None
    elapsed_s: float
    operations: int
    details: tuple[OperationStatus, ...]


def parse_line(text: str) -> StatusLine | None:
    head = _HEAD.match(text)
    if not head:
        return None
    details = parse_details(text[head.end() :])
    return StatusLine(epoch_ms(head[1], head[2]), float(head[3]), int(head[4]), details)


def parse_details(text: str) -> tuple[OperationStatus, ...]:
    """The bracketed operations of a status line; a bracket that is not closed is left out."""
    details = (_detail(match[1]) for match in _GROUP.finditer(text))
    return tuple(islice(filter(None, details), MAX_OPERATIONS_PER_LINE))


def number(text: str) -> float:
    """A number as a status line prints it, decimal comma allowed; NaN for `NaN`, `?`, nothing, less
    than 0, more than a double holds, or anything else."""
    value = float(text.replace(",", ".")) if _NUMBER.fullmatch(text) else math.nan
    return value if value < math.inf else math.nan


def _detail(inside: str) -> OperationStatus | None:
    if match := _NEW.fullmatch(inside):
        # Values are separated by comma and blank, so that a decimal comma stays inside its value.
        pairs = dict(p.split("=", 1) for p in match[2].split(", ") if "=" in p)
        count = number(pairs.get("Count", ""))
        if math.isnan(count):
            return None
        return OperationStatus(match[1], count, *(number(pairs.get(k, "")) for k in ("Avg", "Max", "99") if count > 0))
    if match := _OLD.fullmatch(inside):
        return OperationStatus(match[1], math.nan, units.us(number(match[3]), match[2]))
    return None


def epoch_ms(stamp: str | None, millis: str | None = "0") -> int | None:
    if stamp is None:
        return None
    try:
        at = datetime.strptime(stamp, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return int(at.timestamp()) * units.MS_PER_S + int(millis)
