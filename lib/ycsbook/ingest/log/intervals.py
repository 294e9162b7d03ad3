"""Many status lines as arrays, and the intervals between them: pure functions, for one run or for thousands at once.

An interval is what lies between two lines: one TOTAL row from the cumulative counter and one row per operation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import NamedTuple

import numpy as np

from ycsbook import units
from ycsbook.ingest.log.status import CLOCK_TOLERANCE_S, StatusLine
from ycsbook.operations import NOT_OPERATIONS, TOTAL, is_failure_series, is_of_workload

# What an interval so much longer than the one before did is of its last part, if it is less than this share of all.
_LONGER, _CUT_SHARE = 1.5, 0.5
NO_CLOCK = np.iinfo(np.int64).min


@dataclass(frozen=True)
class StatusLines:
    """Status lines of one or several runs as arrays.

    `at_ms` (int64, NO_CLOCK: not printed), `elapsed_s`, `operations` (cumulative) and `line` (in the file, from 1) have
    one element per line. `owner` (index of the line, ascending), `name` (index into `names`), `count`, `mean_us`,
    `max_us` and `p99_us` have one per line and operation; NaN where not printed."""

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

    def taken(self, chosen: np.ndarray) -> "StatusLines":
        """Some of the lines, given by index, in the order given."""
        if len(chosen) == len(self) and (np.diff(chosen, prepend=-1) == 1).all():
            return self
        rank = np.full(len(self), -1)
        rank[chosen] = np.arange(len(chosen))
        owner = rank[self.owner]
        details = np.flatnonzero(owner >= 0)
        details = details[np.argsort(owner[details], kind="stable")]
        heads = (getattr(self, k)[chosen] for k in _HEADS)
        detail_columns = (getattr(self, k)[details] for k in _DETAILS)
        return StatusLines(*heads, owner[details], *detail_columns, self.names)

    def followed_by(self, other: "StatusLines") -> "StatusLines":
        names = tuple(dict.fromkeys((*self.names, *other.names)))
        renamed = np.array([names.index(n) for n in other.names], np.int64)
        other_name = renamed[other.name] if len(other.name) else other.name
        heads = (np.concatenate([getattr(self, k), getattr(other, k)]) for k in _HEADS)
        detail_columns = (np.concatenate([getattr(self, k), getattr(other, k)]) for k in _DETAILS[1:])
        owner = np.concatenate([self.owner, other.owner + len(self)])
        return StatusLines(*heads, owner, np.concatenate([self.name, other_name]), *detail_columns, names)


_HEADS = ("at_ms", "elapsed_s", "operations", "line")
_DETAILS = ("name", "count", "mean_us", "max_us", "p99_us")


@dataclass(frozen=True)
class Intervals:
    """Rows of the `intervals` table without their run_id, in order of time, TOTAL before the operations.

    `name` indexes `names`, in which TOTAL is the first; `line` is the status line's in its file, from 1."""

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

    def of(self, rows: slice | np.ndarray) -> "Intervals":
        return Intervals(*(getattr(self, f.name)[rows] for f in fields(self)[:-1]), self.names)


class Part(NamedTuple):
    """Rows `first` to before `last` of a block, which may hold rows of other runs too."""

    block: Intervals
    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first

    @property
    def rows(self) -> Intervals:
        return self.block if len(self) == len(self.block) else self.block.of(slice(self.first, self.last))

    @property
    def names(self) -> set[str]:
        """The operations in these rows, and what status lines tell of besides."""
        rows_of_name = np.bincount(self.block.name[self.first : self.last], minlength=len(self.block.names))
        names = zip(self.block.names, rows_of_name.tolist(), strict=True)
        return {name for name, n in names if n or name in NOT_OPERATIONS}


@dataclass(frozen=True)
class RunIntervals:
    """The intervals of some runs. `totals`: operations, length and end of each; `total_rows`: their rows;
    `valid`: the line that ends each; `*_starts`, `last_success_s`, `stepped`, `gapped` (status lines are missing),
    `peak_ops_s`: one per run (NaN: none)."""

    rows: Intervals
    totals: np.ndarray
    total_rows: np.ndarray
    valid: np.ndarray
    row_starts: np.ndarray
    total_starts: np.ndarray
    last_success_s: np.ndarray
    stepped: np.ndarray
    gapped: np.ndarray
    peak_ops_s: np.ndarray


def intervals(lines: StatusLines, starts: np.ndarray, elapsed_s: np.ndarray, before_s: np.ndarray) -> RunIntervals:
    """The intervals between the lines of each run: `starts` are the indexes of their first lines, `elapsed_s` the time
    since the start of the run at these, `before_s` the length of the interval that these end.

    TOTAL comes from the cumulative counter, the length from the milliseconds in front of the lines, or where those are
    missing or contradict the seconds by more than CLOCK_TOLERANCE_S from these. Intervals without length are joined to
    the one before. Where lines are missing, the operations are those of the last part of the interval, whose length
    follows from their share of the total."""
    first = np.zeros(len(lines), bool)
    first[starts] = True
    seconds = np.diff(lines.elapsed_s, prepend=lines.elapsed_s[:1])
    clock = np.diff(lines.at_ms, prepend=lines.at_ms[:1]) / units.MS_PER_S
    has_clock = lines.at_ms != NO_CLOCK
    exact = (clock >= 0) & (np.abs(clock - seconds) <= CLOCK_TOLERANCE_S)
    exact[1:] &= has_clock[1:] & has_clock[:-1]
    length = np.where(exact, clock, seconds)
    done = np.diff(lines.operations, prepend=lines.operations[:1])
    is_valid = ~first & (length > 0) & (done >= 0)
    stepped = np.logical_or.reduceat(~first & (seconds < 0), starts)
    valid = np.flatnonzero(is_valid)
    total, length = done[valid], length[valid]
    for i in np.flatnonzero(~first & ~is_valid & (done > 0)).tolist():
        at = int(np.searchsorted(valid, i)) - 1
        if at >= 0 and valid[at] >= starts[np.searchsorted(starts, i, side="right") - 1]:
            total[at] += done[i]
    counts = np.add.reduceat(is_valid, starts, dtype=np.int64)
    per_run = np.cumsum(counts) - counts
    # Sums over one run, not over all of them: a difference of large sums would lose digits.
    ends = np.cumsum(length)
    ends -= np.repeat(np.concatenate([[0.0], ends])[per_run], counts)
    ends += np.repeat(elapsed_s, counts)
    totals = np.stack([total, length, np.round(ends, 3)])
    spans = _spans(lines, valid, totals, per_run[counts > 0], before_s[counts > 0])
    rows, total_rows = _rows(lines, valid, totals, spans)
    gapped = np.zeros(len(starts), bool)
    gapped[np.repeat(np.arange(len(starts)), counts)[spans < length]] = True
    peaks = np.full(len(starts), np.nan)
    if len(valid):
        peaks[counts > 0] = np.maximum.reduceat(total / length, per_run[counts > 0])
    return RunIntervals(
        rows,
        totals,
        total_rows,
        valid,
        row_starts=np.append(total_rows, len(rows))[per_run],
        total_starts=per_run,
        last_success_s=_success(lines, done, first, starts),
        stepped=stepped,
        gapped=gapped,
        peak_ops_s=peaks,
    )


def _success(lines: StatusLines, done: np.ndarray, first: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Elapsed time of the last line of each run with an operation that succeeded; NaN: none. The counter holds failed
    ones too, so the counts per operation decide; without counts any progress passes for success."""
    of_workload = np.array([is_of_workload(name) for name in lines.names], bool)
    counted = ~np.isnan(lines.count)
    if not of_workload.all():
        counted &= of_workload[lines.name]
    moved = ~first & (done > 0)
    alive = _lines_with(lines, counted & (lines.count > 0)) & ~first
    if (moved & ~alive).any():
        alive |= moved & ~_lines_with(lines, counted)
    at = np.where(alive, lines.elapsed_s, -np.inf)
    latest = np.maximum.reduceat(at, starts)
    return np.where(np.isinf(latest), np.nan, latest)


def _lines_with(lines: StatusLines, chosen: np.ndarray) -> np.ndarray:
    # The last element is for the others: quicker than to take the chosen from among them.
    has_chosen = np.zeros(len(lines) + 1, bool)
    has_chosen[np.where(chosen, lines.owner, len(lines))] = True
    return has_chosen[:-1]


def _spans(
    lines: StatusLines, valid: np.ndarray, totals: np.ndarray, first: np.ndarray, before_s: np.ndarray
) -> np.ndarray:
    """The part of each interval that its operations cover, s; `first`: that of each run, `before_s`: the length of the
    one before it."""
    total, length, _ = totals
    before = np.append(0.0, length)[:-1]
    before[first] = before_s
    spans, longer = length.copy(), np.flatnonzero((before > 0) & (length > _LONGER * before))
    if len(longer):
        is_call = np.array([is_of_workload(name) or is_failure_series(name) for name in lines.names], bool)
        calls = np.bincount(lines.owner, np.where(is_call[lines.name], lines.count, 0.0), len(lines))
        done = calls[valid[longer]]
        is_cut = (done >= 1) & (done < _CUT_SHARE * total[longer])
        spans[longer[is_cut]] *= done[is_cut] / total[longer[is_cut]]
    return spans


def _rows(lines: StatusLines, valid: np.ndarray, totals: np.ndarray, spans: np.ndarray) -> tuple[Intervals, np.ndarray]:
    """The rows of the intervals that end at the lines `valid`, and which of them are the TOTAL rows; `spans`: the
    lengths for the operations."""
    total, length, ends = totals
    # From 1; 0 is for operations that are left out.
    interval = np.zeros(len(lines), np.int64)
    interval[valid] = np.arange(1, len(valid) + 1)
    owner = interval[lines.owner]
    is_operation = np.array([name not in NOT_OPERATIONS for name in lines.names], bool)
    if not is_operation.all():
        owner *= is_operation[lines.name]
    sizes = np.bincount(owner, minlength=len(valid) + 1)[1:] + 1
    total_rows = np.cumsum(sizes) - sizes
    n = int(sizes.sum())
    has_row = owner > 0
    detail_rows = np.where(has_row, owner + np.cumsum(has_row) - 1, n)

    def laid(of_total: object, of_detail: np.ndarray, dtype: type = float) -> np.ndarray:
        # What is left out lands in a last element, which is dropped: quicker than to take the others from among it.
        out = np.full(n + 1, of_total, dtype)
        out[detail_rows] = of_detail
        return out[:-1]

    operations, interval_s = laid(0, lines.count), np.repeat(spans, sizes)
    operations[total_rows], interval_s[total_rows] = total, length
    rows = Intervals(
        laid(0, lines.name + 1, np.int32),
        np.repeat(ends, sizes),
        interval_s,
        operations,
        operations / interval_s,
        laid(np.nan, lines.mean_us),
        laid(np.nan, lines.max_us),
        laid(np.nan, lines.p99_us),
        np.repeat(lines.line[valid], sizes),
        (TOTAL, *lines.names),
    )
    return rows, total_rows


@cache
def keep_freed_memory() -> None:
    """Let arrays reuse the memory of those before them: glibc gives large blocks back when they are freed, and getting
    them again takes a quarter of the time of status lines. It keeps blocks up to the size of the largest that was freed
    (mallopt(3), M_MMAP_THRESHOLD), at most 32 MB, so one is, untouched."""
    np.empty(30 * 1024 * 1024, np.uint8)
