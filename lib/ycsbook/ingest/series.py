"""The status lines of one run while a log is read: what the checks ask of them, and their intervals.

Memory does not grow with the log: many intervals wait in a temporary file.
"""

import pickle
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from ycsbook.ingest.intervals import NO_CLOCK, Found, Intervals, StatusLines, intervals
from ycsbook.ingest.status import StatusLine

# Rows of intervals that a series keeps in memory; what is beyond lies in a temporary file.
MAX_ROWS_IN_MEMORY = 1_000_000
# Intervals that the search for the steady state looks at; a longer series is looked at with half the resolution.
MAX_TOTALS = 2**20


@dataclass(eq=False)
class Series:
    """The status lines of one run. Add them in order with `add`; `of_runs` makes many series at once.

    `lines` counts them; `first_*` and `last_*` are of the first and the last line; `last_success_s` is the elapsed time
    of the last line with an operation that succeeded (the first line's where there is none); `stepped`: the elapsed
    time, which is the client's clock, went back.
    """

    lines: int = 0
    first_at_ms: int | None = None
    first_elapsed_s: float = float("nan")
    last_at_ms: int | None = None
    last_elapsed_s: float = float("nan")
    last_operations: float = float("nan")
    last_success_s: float = float("nan")
    peak_ops_s: float = float("nan")
    stepped: bool = False
    _carry: StatusLines | None = None
    _carry_elapsed_s: float = 0.0
    _blocks: list[Intervals] = field(default_factory=list)
    _rows: int = 0
    _spilled: object = None
    _names: set[str] = field(default_factory=set)
    _totals: list[np.ndarray] = field(default_factory=list)
    _n_totals: int = 0

    @classmethod
    def of(cls, lines: Iterable[StatusLine]) -> "Series":
        """From status lines that have no file of their own."""
        series = cls()
        series.add(StatusLines.of(list(enumerate(lines, start=1))))
        return series

    @classmethod
    def of_runs(cls, lines: StatusLines, starts: np.ndarray) -> list["Series"]:
        """One series per run: `starts` holds the index of the first line of each, ascending, none of them empty."""
        found = intervals(lines, starts, lines.elapsed_s[starts])
        stops = np.append(starts[1:], len(lines))
        row_stops = np.append(found.row_starts[1:], len(found.rows)).tolist()
        total_stops = np.append(found.total_starts[1:], found.totals.shape[1]).tolist()
        runs = []
        for i, (start, stop) in enumerate(zip(starts.tolist(), stops.tolist(), strict=True)):
            series = cls()
            series._describe(lines, start, stop, found, i)
            series._take(
                found.rows.cut(int(found.row_starts[i]), row_stops[i]),
                found.totals[:, int(found.total_starts[i]) : total_stops[i]],
            )
            runs.append(series)
        return runs

    @classmethod
    def of_intervals(cls, rows: Intervals, totals: np.ndarray, **known) -> "Series":
        """From intervals that were made of several series.

        Parameters
            totals: operations, length (s) and end (s) of the intervals to look for the steady state in, as `totals`.
            known: `lines`, `first_at_ms` and the other public fields; but for peak_ops_s, which `totals` tell.
        """
        series = cls(**known)
        series._take(rows, totals)
        return series

    def add(self, lines: StatusLines) -> None:
        """Take further status lines of the run."""
        if not len(lines):
            return
        if self._carry is not None:
            kept = len(self._carry)
            lines, base = self._carry.followed_by(lines), self._carry_elapsed_s
            self._carry = None
        else:
            kept, base = 0, float(lines.elapsed_s[0])
        found = intervals(lines, np.zeros(1, np.int64), np.array([base]))
        self._describe(lines, 0, len(lines), found, 0, new_from=kept)
        # Lines without length are joined to the interval before them, so the last interval waits for what follows.
        last = int(found.valid[-1]) if len(found.valid) else 0
        before = max(last - 1, 0)
        keep = int(np.searchsorted(found.valid, last))
        self._carry = lines.from_line(before)
        done = found.totals[:, :keep]
        self._carry_elapsed_s = float(done[2, -1]) if keep else base
        rows_kept = int(found.total_rows[keep]) if keep < len(found.total_rows) else len(found.rows)
        self._take(found.rows.cut(0, rows_kept), done)

    def close(self) -> "Series":
        """No further line comes: the last interval is whole."""
        if self._carry is not None:
            found = intervals(self._carry, np.zeros(1, np.int64), np.array([self._carry_elapsed_s]))
            self._carry = None
            self._take(found.rows, found.totals)
        return self

    @property
    def names(self) -> set[str]:
        """The operations that the status lines tell of, TOTAL included."""
        return {name for block in self._blocks for name in block.names} | self._names

    def extend(self, rows: Intervals | None) -> None:
        """Add rows that come from elsewhere than the status lines."""
        self.close()
        if rows is not None:
            self._blocks.append(rows)

    def blocks(self) -> Iterator[Intervals]:
        """The rows, some at a time."""
        self.close()
        if self._spilled is not None:
            self._spilled.seek(0)
            while True:
                try:
                    yield pickle.load(self._spilled)
                except EOFError:
                    break
        yield from self._blocks

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

    def _describe(
        self, lines: StatusLines, start: int, stop: int, found: Found, run: int, *, new_from: int = 0
    ) -> None:
        if self.lines == 0:
            self.first_at_ms = _clock(lines.at_ms[start])
            self.first_elapsed_s = self.last_success_s = float(lines.elapsed_s[start])
        self.lines += stop - start - new_from
        self.last_at_ms = _clock(lines.at_ms[stop - 1])
        self.last_elapsed_s, self.last_operations = float(lines.elapsed_s[stop - 1]), float(lines.operations[stop - 1])
        if not np.isnan(found.last_success_s[run]):
            self.last_success_s = max(self.last_success_s, float(found.last_success_s[run]))
        self.stepped |= bool(found.stepped[run])

    def _take(self, rows: Intervals, totals: np.ndarray) -> None:
        if totals.shape[1]:
            peak = float((totals[0] / totals[1]).max())
            self.peak_ops_s = peak if np.isnan(self.peak_ops_s) else max(peak, self.peak_ops_s)
            self._totals.append(totals)
            self._n_totals += totals.shape[1]
            if self._n_totals > MAX_TOTALS:
                self._coarsen()
        if len(rows):
            self._blocks.append(rows)
            self._rows += len(rows)
            if self._rows > MAX_ROWS_IN_MEMORY:
                self._spill()

    def _coarsen(self) -> None:
        totals = np.concatenate(self._totals, axis=1)
        even = totals.shape[1] // 2 * 2
        pairs = totals[:, :even].reshape(3, -1, 2)
        joined = np.stack([pairs[0].sum(axis=1), pairs[1].sum(axis=1), pairs[2, :, 1]])
        self._totals = [joined, totals[:, even:]]
        self._n_totals = joined.shape[1] + totals.shape[1] - even

    def _spill(self) -> None:
        if self._spilled is None:
            self._spilled = tempfile.TemporaryFile(prefix="ycsbook-")  # noqa: SIM115
            # Closed, and so deleted, with the series.
            weakref.finalize(self, self._spilled.close)
        for block in self._blocks:
            pickle.dump(block, self._spilled, protocol=5)
            self._names |= set(block.names)
        self._blocks, self._rows = [], 0


def _clock(at_ms: np.int64) -> int | None:
    return None if at_ms == NO_CLOCK else int(at_ms)
