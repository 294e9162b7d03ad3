"""The status lines of one run while a log is read: what the checks ask of them, and their intervals.

Memory does not grow with the log: many intervals wait in a temporary file.
"""

import pickle
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from ycsbook import units
from ycsbook.ingest.log.intervals import NO_CLOCK, Intervals, Part, RunIntervals, StatusLines, intervals
from ycsbook.ingest.log.status import StatusLine

# Rows of intervals that a series keeps in memory; what is beyond lies in a temporary file.
MAX_ROWS_IN_MEMORY = 1_000_000
# Status lines taken one by one that wait to become arrays.
BATCH = 4096
# Intervals that the search for the steady state looks at; a longer series is looked at with half the resolution.
MAX_TOTALS = 2**20


@dataclass(eq=False)
class Series:
    """The status lines of one run. Add them in order with `add`; `of_runs` makes many series at once.

    `lines` counts them; `first_*` and `last_*` are of the first and the last line; `last_success_s` is the elapsed time
    of the last line with an operation that succeeded (the first line's where there is none); `stepped`: the elapsed
    time, which is the client's clock, went back; `gapped`: lines are missing between others."""

    lines: int = 0
    first_at_ms: int | None = None
    first_elapsed_s: float = float("nan")
    last_at_ms: int | None = None
    last_elapsed_s: float = float("nan")
    last_operations: float = float("nan")
    last_success_s: float = float("nan")
    peak_ops_s: float = float("nan")
    stepped: bool = False
    gapped: bool = False
    _carry: StatusLines | None = None
    _carry_elapsed_s: float = 0.0
    _carry_before_s: float = 0.0
    _parts: list[Part] = field(default_factory=list)
    _spilled: object = None
    _names: set[str] = field(default_factory=set)
    _totals: list[np.ndarray] = field(default_factory=list)
    waiting: list[tuple[int, StatusLine]] = field(default_factory=list)

    @classmethod
    def of(cls, lines: Iterable[StatusLine]) -> "Series":
        series = cls()
        series.add(StatusLines.of(list(enumerate(lines, start=1))))
        return series

    @classmethod
    def of_runs(cls, lines: StatusLines, starts: np.ndarray) -> list["Series"]:
        """One series per run: `starts` holds the index of the first line of each, ascending, none of them empty."""
        first_s = lines.elapsed_s[starts]
        cut = intervals(lines, starts, first_s, first_s)
        stops = np.append(starts[1:], len(lines))
        rows, totals = cut.rows, cut.totals
        figures = (
            stops - starts,
            lines.at_ms[starts],
            first_s,
            lines.at_ms[stops - 1],
            lines.elapsed_s[stops - 1],
            lines.operations[stops - 1],
            np.fmax(first_s, cut.last_success_s),
            cut.peak_ops_s,
            cut.stepped,
            cut.gapped,
            cut.row_starts,
            np.append(cut.row_starts[1:], len(rows)),
            cut.total_starts,
            np.append(cut.total_starts[1:], totals.shape[1]),
        )
        runs = []
        # Plain lists: a thousand short runs would spend most of their time in single elements of arrays.
        for n, at, begin, last, *more, row, row_stop, total, stop in zip(*(f.tolist() for f in figures), strict=True):
            series = cls(n, _clock(at), begin, _clock(last), *more)
            series._keep(Part(rows, row, row_stop), totals[:, total:stop])
            runs.append(series)
        return runs

    @classmethod
    def of_intervals(cls, rows: Intervals, totals: np.ndarray, **fields) -> "Series":
        """From intervals made of several series; `totals`: as the method gives them, of those to look for the steady
        state in; `fields`: the other public ones, but for peak_ops_s."""
        series = cls(**fields)
        series._take(Part(rows, 0, len(rows)), totals)
        return series

    def take(self, number: int, line: StatusLine) -> None:
        """Take one further status line, given its number in the file; the next physical line may go on with it."""
        if len(self.waiting) == BATCH:
            self.flush()
        self.waiting.append((number, line))

    def flush(self) -> None:
        if self.waiting:
            lines, self.waiting = self.waiting, []
            self.add(StatusLines.of(lines))

    def add(self, lines: StatusLines) -> None:
        """Take further status lines of the run."""
        self.flush()
        if not len(lines):
            return
        new = lines
        if self._carry is not None:
            lines = self._carry.followed_by(new)
        else:
            self._carry_elapsed_s = self._carry_before_s = float(lines.elapsed_s[0])
        cut = self._cut(lines)
        self._describe(new, cut)
        # Lines without length are joined to the interval before them, so the last interval waits for what follows.
        last, rows_kept = (int(of[-1]) if len(of) else 0 for of in (cut.valid, cut.total_rows))
        self._carry = lines.taken(np.arange(max(last - 1, 0), len(lines)))
        done = cut.totals[:, :-1]
        if done.shape[1]:
            self._carry_before_s, self._carry_elapsed_s = done[1:, -1].tolist()
        self._take(Part(cut.rows, 0, rows_kept), done)

    def close(self) -> "Series":
        """End the series: the last interval is whole."""
        self.flush()
        if self._carry is not None:
            cut = self._cut(self._carry)
            self._carry = None
            self._take(Part(cut.rows, 0, len(cut.rows)), cut.totals)
        return self

    @property
    def started_at_ms(self) -> float | None:
        """When the run began, by the clock of the first line and its seconds; None: it has no clock."""
        at_ms, elapsed_s = self.first_at_ms, self.first_elapsed_s
        return None if at_ms is None else at_ms - max(0.0, elapsed_s) * units.MS_PER_S

    @property
    def names(self) -> set[str]:
        return self._names.union(*(part.names for part in self._parts))

    def extend(self, rows: Intervals | None) -> None:
        self.close()
        if rows is not None:
            self._parts.append(Part(rows, 0, len(rows)))

    def blocks(self) -> Iterator[Intervals]:
        return (part.rows for part in self.parts())

    def parts(self) -> Iterator[Part]:
        """The rows, some at a time, where they lie; runs that were made at once have neighbouring rows of one block."""
        self.close()
        if self._spilled is not None:
            self._spilled.seek(0)
            while True:
                try:
                    rows = pickle.load(self._spilled)
                except EOFError:
                    break
                yield Part(rows, 0, len(rows))
        yield from self._parts

    @property
    def last_interval_s(self) -> float:
        """End of the last interval; NaN: there is none."""
        ends = self.totals()[2]
        return float(ends[-1]) if len(ends) else float("nan")

    def totals(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Operations, length (s) and end (s) of the intervals; of a very long series two or more are one."""
        self.close()
        if len(self._totals) != 1:
            self._totals = [np.concatenate(self._totals, axis=1) if self._totals else np.zeros((3, 0))]
        return tuple(self._totals[0])

    def _cut(self, lines: StatusLines) -> RunIntervals:
        at = np.zeros(1, np.int64), np.array([self._carry_elapsed_s]), np.array([self._carry_before_s])
        return intervals(lines, *at)

    def _describe(self, new: StatusLines, cut: RunIntervals) -> None:
        if self.lines == 0:
            self.first_at_ms = _clock(new.at_ms[0])
            self.first_elapsed_s = self.last_success_s = float(new.elapsed_s[0])
        self.lines += len(new)
        self.last_at_ms = _clock(new.at_ms[-1])
        self.last_elapsed_s, self.last_operations = float(new.elapsed_s[-1]), float(new.operations[-1])
        self.last_success_s = float(np.fmax(self.last_success_s, cut.last_success_s[0]))
        self.stepped |= bool(cut.stepped[0])
        self.gapped |= bool(cut.gapped[0])

    def _take(self, rows: Part, totals: np.ndarray) -> None:
        if totals.shape[1]:
            peak = float((totals[0] / totals[1]).max())
            self.peak_ops_s = peak if np.isnan(self.peak_ops_s) else max(peak, self.peak_ops_s)
        self._keep(rows, totals)

    def _keep(self, rows: Part, totals: np.ndarray) -> None:
        if totals.shape[1]:
            self._totals.append(totals)
            if sum(some.shape[1] for some in self._totals) > MAX_TOTALS:
                self._coarsen()
        if len(rows):
            self._parts.append(rows)
            if sum(map(len, self._parts)) > MAX_ROWS_IN_MEMORY:
                self._spill()

    def _coarsen(self) -> None:
        totals = np.concatenate(self._totals, axis=1)
        even = totals.shape[1] // 2 * 2
        pairs = totals[:, :even].reshape(3, -1, 2)
        joined = np.stack([pairs[0].sum(axis=1), pairs[1].sum(axis=1), pairs[2, :, 1]])
        self._totals = [joined, totals[:, even:]]

    def _spill(self) -> None:
        if self._spilled is None:
            self._spilled = tempfile.TemporaryFile(prefix="ycsbook-")  # noqa: SIM115
            # Closed, and so deleted, with the series.
            weakref.finalize(self, self._spilled.close)
        for part in self._parts:
            pickle.dump(part.rows, self._spilled, protocol=5)
            self._names |= part.names
        self._parts = []


def _clock(at_ms: int) -> int | None:
    return None if at_ms == NO_CLOCK else int(at_ms)
