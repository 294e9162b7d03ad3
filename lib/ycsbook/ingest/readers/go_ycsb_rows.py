"""The grammar of go-ycsb's output: one row per operation, as a plain line, in a JSON array or in a table."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from ycsbook import units
from ycsbook.ingest.log.runlog import Summary
from ycsbook.ingest.log.status import OperationStatus
from ycsbook.ingest.readers.text_runs import FAILED
from ycsbook.operations import DATABASE_OPERATIONS, READ_MODIFY_WRITE, TOTAL

BATCH = "BATCH_"
MAX_COLUMNS = 40
# The last percentile of every release but the first.
HIGHEST = 99.99

_PLAIN = re.compile(r"([A-Za-z][\w-]{0,59}) {1,6}- ((?:Takes\(s\)|Count): .{1,2000})", re.ASCII)
_NAME = re.compile(r"[A-Za-z][\w-]{0,59}", re.ASCII)
_PERCENTILE = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)th\(us\)", re.ASCII | re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,18}(?:\.\d{1,9})?", re.ASCII)
_DURATION_PART = re.compile(r"(\d{1,12})(?:\.(\d{1,9}))?(h|ms|m|s|µs|μs|us|ns)", re.ASCII)
_NS = {"h": 3600 * 10**9, "m": 60 * 10**9, "s": 10**9, "ms": 10**6, "µs": 10**3, "μs": 10**3, "us": 10**3, "ns": 1}
_FIELDS = ("count", "avg(us)", "min(us)", "max(us)", "takes(s)", "ops")


@dataclass(frozen=True)
class GoYcsbRow:
    """One operation of one block, as YCSB names it: everything since its first call. Latencies in us. First releases
    print neither time nor rate: NaN."""

    operation: str
    takes_s: float
    count: int
    ops_s: float
    mean_us: float
    min_us: float
    max_us: float
    percentiles: tuple[tuple[float, float], ...]
    line: int

    @property
    def is_failed(self) -> bool:
        return self.operation.endswith(FAILED)

    @property
    def base(self) -> str:
        """The operation whose good or failed calls these are: READ for READ-FAILED and BATCH_READ."""
        return self.operation.removesuffix(FAILED).removeprefix(BATCH)

    def summary(self, source: str) -> Summary:
        latencies = (self.mean_us, self.min_us, self.max_us, self.percentiles) if self.count else ()
        return Summary(self.operation, float(self.count), *latencies, source=f"{source}:{self.line}")


def is_whole(text: str) -> bool:
    """Whether a plain line without end is whole all the same: it ends in the 99.99th percentile, which with one more
    digit would be beyond the maximum, also where that is the upper end of a bucket of 1 ms."""
    row = plain(text, 0)
    if row is None or not row.percentiles or row.percentiles[-1][0] != HIGHEST or text[-1:].isspace():
        return False
    return 10 * row.percentiles[-1][1] > 1.1 * row.max_us + units.US_PER_MS


def plain(text: str, line: int) -> GoYcsbRow | None:
    """The row in a plain line, or None."""
    match = _PLAIN.fullmatch(text.replace("**", ""))  # what people emphasise
    pairs = [part.partition(": ") for part in match[2].rstrip().split(", ")] if match else []
    is_row = all(
        (name.lower() in _FIELDS or _PERCENTILE.fullmatch(name)) and _NUMBER.fullmatch(value)
        for name, _, value in pairs
    )
    return row_of(match[1], {name: value for name, _, value in pairs}, line) if pairs and is_row else None


def json_rows(text: str, line: int) -> list[GoYcsbRow]:
    """The rows of a JSON array, whose values are strings; none where it is not whole or something else."""
    try:
        cells = json.loads(text)
    except (ValueError, RecursionError):
        return []
    if not isinstance(cells, list) or not all(isinstance(row, dict) for row in cells):
        return []
    rows = (row_of(str(row.get("Operation", "")), {k: str(v) for k, v in row.items()}, line) for row in cells)
    return [row for row in rows if row is not None]


def table_cells(text: str) -> list[str]:
    """The cells of a line of a table; none where it is none."""
    if not (text.startswith("|") and text.rstrip().endswith("|")):
        return []
    return [cell.strip() for cell in text.strip().strip("|").split("|")[:MAX_COLUMNS]]


def duration_ms(text: str) -> float:
    """A duration as Go prints it, in ms; NaN for anything else."""
    total, at = 0, 0
    while match := _DURATION_PART.match(text, at):
        unit, at = _NS[match[3]], match.end()
        total += int(match[1]) * unit + int((match[2] or "").ljust(9, "0")) * unit // 10**9
    return total / 10**6 if at and at == len(text) else math.nan


def name_of(operation: str) -> str:
    """The operation as YCSB names it."""
    name = operation.removesuffix("_ERROR")
    return (READ_MODIFY_WRITE if name == "READ_MODIFY_WRITE" else name) + (FAILED if name != operation else "")


def is_counted(operation: str) -> bool:
    """Whether TOTAL counts it: every good call of the database, but not what is made of such calls."""
    return operation not in (TOTAL, READ_MODIFY_WRITE) and not operation.endswith(FAILED)


def attempted(rows: Mapping[str, GoYcsbRow], batch: int | None) -> int:
    """Operations of the workload behind the rows, as RunLog counts them."""
    calls = sum((batch or 0) * r.count if n.startswith(BATCH) else r.count
                for n, r in rows.items() if r.base in DATABASE_OPERATIONS)  # fmt: skip
    rmw = rows.get(READ_MODIFY_WRITE)
    return max(0, calls - (rmw.count if rmw else 0))


def difference(row: GoYcsbRow, before: GoYcsbRow | None, batch: int | None) -> OperationStatus:
    """What happened between two rows of one operation. Percentiles of cumulative rows are not those of an interval.

    The maximum is known where it rose. A batch's latency is none of its rows'."""
    n1, mean1, max1 = (before.count, before.mean_us, before.max_us) if before else (0, 0.0, -1.0)
    n = row.count - n1
    if row.operation.startswith(BATCH):
        return OperationStatus(row.operation.removeprefix(BATCH), float(n * batch) if batch else math.nan)
    # Means are cut to whole us: where few calls came to many, the difference may be nothing but that.
    mean = (row.count * row.mean_us - n1 * mean1) / n if n > 0 else math.nan
    highest = row.max_us if row.max_us > max1 else math.nan
    return OperationStatus(row.operation, float(n), mean if mean >= 0 else math.nan, highest)


def row_of(operation: str, cells: Mapping[str, str], line: int) -> GoYcsbRow | None:
    values = {name.lower(): text for name, text in cells.items()}
    texts = [values.get(name, "") for name in _FIELDS]
    printed = texts if any(texts[4:]) else texts[:4]
    if not _NAME.fullmatch(operation) or not all(map(_NUMBER.fullmatch, printed)) or "." in texts[0]:
        return None
    percentiles = sorted(
        (float(match[1]), float(text))
        for name, text in values.items()
        if (match := _PERCENTILE.fullmatch(name)) and float(match[1]) <= 100 and _NUMBER.fullmatch(text)
    )
    _, *latencies, takes, ops = (float(text or "nan") for text in texts)
    return GoYcsbRow(name_of(operation), takes, int(texts[0]), ops, *latencies, tuple(percentiles), line)
