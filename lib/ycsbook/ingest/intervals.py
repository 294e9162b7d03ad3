"""Intervals from status lines: pure functions on arrays, for one run or for thousands at once.

A status line tells how many operations were finished since the start, and what happened since the line before it.
An interval is what lies between two lines: one TOTAL row from the cumulative counter and one row per operation.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np

from ycsbook import units
from ycsbook.ingest.operations import DATABASE_OPERATIONS, NOT_OPERATIONS, TOTAL
from ycsbook.ingest.status import CLOCK_TOLERANCE_S, StatusLine

NO_CLOCK = np.iinfo(np.int64).min


@dataclass(frozen=True)
class StatusLines:
    """Status lines of one or several runs as arrays.

    `at_ms` (int64, NO_CLOCK: not printed), `elapsed_s`, `operations` (cumulative) and `line` (in the file, from 1) have
    one element per line. `owner` (index of the line, ascending), `name` (index into `names`), `count`, `mean_us`,
    `max_us` and `p99_us` have one per line and operation; NaN where not printed.
    """

    at_ms: np.ndarray
    elapsed_s: np.ndarray
    operations: np.ndarray
    line: np.ndarray
    owner: np.ndarray
    name: np.ndarray
    count: np.ndarray
    mean_us: np.ndarray
    max_us: np.ndarray
    p99_us: np.ndarray
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.elapsed_s)

    @classmethod
    def of(cls, lines: Sequence[tuple[int, StatusLine]]) -> "StatusLines":
        """From line numbers and status lines."""
        details = [(i, d) for i, (_, s) in enumerate(lines) for d in s.details]
        names = tuple(dict.fromkeys(d.operation for _, d in details))
        code = {name: i for i, name in enumerate(names)}
        clock = [NO_CLOCK if s.at_ms is None else s.at_ms for _, s in lines]
        return cls(
            np.array(clock, np.int64),
            np.array([s.elapsed_s for _, s in lines], float),
            np.array([s.operations for _, s in lines], float),
            np.array([n for n, _ in lines], np.int64),
            np.array([i for i, _ in details], np.int64),
            np.array([code[d.operation] for _, d in details], np.int64),
            *(np.array([getattr(d, k) for _, d in details], float) for k in ("count", "mean_us", "max_us", "p99_us")),
            names,
        )

    def from_line(self, first: int) -> "StatusLines":
        """Without the lines before index `first`."""
        at = int(np.searchsorted(self.owner, first))
        heads = (getattr(self, k)[first:] for k in _HEADS)
        rest = (getattr(self, k)[at:] for k in _DETAILS)
        return StatusLines(*heads, self.owner[at:] - first, *rest, self.names)

    def followed_by(self, other: "StatusLines") -> "StatusLines":
        names = tuple(dict.fromkeys((*self.names, *other.names)))
        renamed = np.array([names.index(n) for n in other.names], np.int64)
        other_name = renamed[other.name] if len(other.name) else other.name
        heads = (np.concatenate([getattr(self, k), getattr(other, k)]) for k in _HEADS)
        rest = (np.concatenate([getattr(self, k), getattr(other, k)]) for k in _DETAILS[1:])
        owner = np.concatenate([self.owner, other.owner + len(self)])
        return StatusLines(*heads, owner, np.concatenate([self.name, other_name]), *rest, names)


_HEADS = ("at_ms", "elapsed_s", "operations", "line")
_DETAILS = ("name", "count", "mean_us", "max_us", "p99_us")


@dataclass(frozen=True)
class Intervals:
    """Rows of the `intervals` table without their run_id, in order of time, TOTAL before the operations.

    `name` indexes `names`, in which TOTAL is the first; `line` is the status line's in its file, from 1.
    """

    name: np.ndarray
    elapsed_s: np.ndarray
    interval_s: np.ndarray
    operations: np.ndarray
    throughput_ops_s: np.ndarray
    mean_us: np.ndarray
    max_us: np.ndarray
    p99_us: np.ndarray
    line: np.ndarray
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.name)

    def cut(self, first: int, last: int) -> "Intervals":
        return Intervals(*(getattr(self, f.name)[first:last] for f in fields(self)[:-1]), self.names)


@dataclass(frozen=True)
class Found:
    """The intervals of some runs. `totals`: operations, length and end of each; `total_rows`: their rows;
    `valid`: the line that ends each; `*_starts`, `last_success_s`, `stepped`: one per run."""

    rows: Intervals
    totals: np.ndarray
    total_rows: np.ndarray
    valid: np.ndarray
    row_starts: np.ndarray
    total_starts: np.ndarray
    last_success_s: np.ndarray
    stepped: np.ndarray


def intervals(lines: StatusLines, starts: np.ndarray, elapsed_s: np.ndarray) -> Found:
    """The intervals between the lines of each run.

    TOTAL comes from the cumulative counter, the length of an interval from the milliseconds in front of the lines.
    Where those are missing or contradict the seconds by more than CLOCK_TOLERANCE_S (summer time, a stepped clock)
    the seconds are taken. Intervals without length are joined to the one before.

    Parameters
        starts: index of the first line of each run; elapsed_s: the time since the start of the run at it.
    """
    n = len(lines)
    first = np.zeros(n, bool)
    first[starts] = True
    seconds = np.diff(lines.elapsed_s, prepend=lines.elapsed_s[:1])
    clock = np.diff(lines.at_ms, prepend=lines.at_ms[:1]) / units.MS_PER_S
    told = (lines.at_ms != NO_CLOCK) & (np.roll(lines.at_ms, 1) != NO_CLOCK)
    exact = told & (clock >= 0) & (np.abs(clock - seconds) <= CLOCK_TOLERANCE_S)
    length = np.where(exact, clock, seconds)
    done = np.diff(lines.operations, prepend=lines.operations[:1])
    is_valid = ~first & (length > 0) & (done >= 0)
    stepped = np.logical_or.reduceat(~first & (seconds < 0), starts)
    valid = np.flatnonzero(is_valid)
    run = np.cumsum(first) - 1
    run_of_valid = run[valid]
    total = done[valid].copy()
    for i in np.flatnonzero(~first & ~is_valid & (done > 0)).tolist():
        at = int(np.searchsorted(valid, i)) - 1
        if at >= 0 and run_of_valid[at] == run[i]:
            total[at] += done[i]
    # Sums over one run, not over all of them: a difference of large sums would lose digits.
    per_run = np.searchsorted(run_of_valid, np.arange(len(starts)))
    ends = np.cumsum(length[valid])
    offset = np.concatenate([[0.0], ends])[per_run]
    ends = np.round(ends - offset[run_of_valid] + elapsed_s[run_of_valid], 3)
    totals = np.stack([total, length[valid], ends])
    rows, total_rows = _rows(lines, valid, totals)
    return Found(
        rows,
        totals,
        total_rows,
        valid,
        row_starts=np.append(total_rows, len(rows))[per_run],
        total_starts=per_run,
        last_success_s=_success(lines, done, first, starts),
        stepped=stepped,
    )


def _success(lines: StatusLines, done: np.ndarray, first: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Elapsed time of the last line of each run with an operation that succeeded; NaN: none.

    The counter holds failed operations too, so the counts per operation decide; without counts any progress passes
    for success.
    """
    database = np.array([name in DATABASE_OPERATIONS for name in lines.names], bool)
    counted = database[lines.name] & ~np.isnan(lines.count) if len(lines.name) else np.zeros(0, bool)
    has_counts, succeeded = np.zeros(len(lines), bool), np.zeros(len(lines), bool)
    has_counts[lines.owner[counted]] = True
    succeeded[lines.owner[counted & (lines.count > 0)]] = True
    alive = ~first & np.where(has_counts, succeeded, done > 0)
    at = np.where(alive, lines.elapsed_s, -np.inf)
    latest = np.maximum.reduceat(at, starts)
    return np.where(np.isinf(latest), np.nan, latest)


def _rows(lines: StatusLines, valid: np.ndarray, totals: np.ndarray) -> tuple[Intervals, np.ndarray]:
    """The rows of the intervals that end at the lines `valid`, and which of them are the TOTAL rows."""
    total, length, ends = totals
    interval = np.full(len(lines), -1, np.int64)
    interval[valid] = np.arange(len(valid))
    shown = np.array([name not in NOT_OPERATIONS for name in lines.names], bool)
    kept = interval[lines.owner] >= 0
    if len(lines.name) and not shown.all():
        kept &= shown[lines.name]
    everything = bool(kept.all())
    owner = interval[lines.owner if everything else lines.owner[kept]]
    # Each interval's TOTAL row comes before its operations' rows.
    before = np.searchsorted(owner, np.arange(len(valid)))
    total_rows = np.arange(len(valid)) + before
    detail_rows = np.arange(len(owner)) + owner + 1
    n = len(valid) + len(owner)

    def laid(of_total: object, of_detail: np.ndarray, dtype: type = float) -> np.ndarray:
        out = np.empty(n, dtype)
        out[total_rows] = of_total
        out[detail_rows] = of_detail
        return out

    def detail(column: np.ndarray) -> np.ndarray:
        return column if everything else column[kept]

    count, owned = detail(lines.count), length[owner]
    rows = Intervals(
        laid(0, detail(lines.name) + 1, np.int32),
        laid(ends, ends[owner]),
        laid(length, owned),
        laid(total, count),
        laid(total / length, count / owned),
        laid(np.nan, detail(lines.mean_us)),
        laid(np.nan, detail(lines.max_us)),
        laid(np.nan, detail(lines.p99_us)),
        laid(lines.line[valid], lines.line[valid][owner], np.int64),
        (TOTAL, *lines.names),
    )
    return rows, total_rows


def joined(blocks: Iterable[Intervals]) -> Iterator[Intervals]:
    """Neighbouring blocks with the same names as one."""
    for _, group in itertools.groupby(blocks, key=lambda block: block.names):
        same = list(group)
        columns = (np.concatenate([getattr(b, f.name) for b in same]) for f in fields(Intervals)[:-1])
        yield Intervals(*columns, same[0].names)
