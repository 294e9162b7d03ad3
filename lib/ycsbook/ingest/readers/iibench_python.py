"""The Python iibench: a header, one row per report, and `Totals: ... secs, ... rows/sec, ... rows`.

Rows are inserted in batches whose latency is not printed as a row's, and queries and deletes run beside the inserts in
processes of their own. So the run is its inserts; queries (SCAN: ranges of an index) and deletes stand in intervals.
The releases with 12 columns print in Totals what was asked for, not what was inserted: the last row knows better.
"""

import math
import re
from dataclasses import dataclass, field, replace

from ycsbook import units
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.log.status_series import StatusSeries, done
from ycsbook.operations import OK

MAX_COLUMNS = 40

# The columns of the first release under the names of the later ones.
_FIRST = {"#rows": "t_ins", "#total_seconds": "t_sec", "#queries": "t_query", "cum_ips": "t_ips"}
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,9})?", re.ASCII)
_TOTALS = re.compile(r"Totals: (\d{1,12}\.\d) secs, (\d{1,12}\.\d) rows/sec, (\d{1,15}) rows\b.{0,200}", re.ASCII)
# Latencies of an interval in which nothing was done.
_NONE = "-1"
_ROUNDING = 0.05


def columns_of(text: str) -> list[str] | None:
    """The columns that a header names, or None."""
    if not text.startswith(("i_sec", "#rows")):
        return None
    names = [_FIRST.get(name, name) for name in text.split()[:MAX_COLUMNS]]
    return names if {"t_sec", "t_ips", "t_ins"} <= set(names) else None


@dataclass
class PythonIibenchRun:
    """Give it the lines after the header, and at the end ask for `log`."""

    format: str
    source: str
    columns: list[str]
    errors: dict[str, None] = field(default_factory=dict)
    truncated: bool = False
    _totals: tuple[float, float, int] | None = None
    _totals_line: int = 0
    _first: dict[str, float] = field(default_factory=dict)
    _last: dict[str, float] = field(default_factory=dict)
    _series: StatusSeries = field(default_factory=StatusSeries)

    def line(self, number: int, text: str) -> bool:
        """Take a line; False where it is none of the program's own."""
        if match := _TOTALS.fullmatch(text):
            self._totals, self._totals_line = (float(match[1]), float(match[2]), int(match[3])), number
            return True
        cells = text.split()
        if len(cells) != len(self.columns) or not all(_NUMBER.fullmatch(c) or c == _NONE for c in cells):
            return False
        self._row(number, dict(zip(self.columns, map(float, cells), strict=True)))
        return True

    def log(self) -> RunLog:
        log = RunLog(
            format=self.format, series=self._series.close(), status_source=self.source if self._last else "",
            errors=tuple(self.errors), truncated=self.truncated or self._totals is None, source=self.source,
        )  # fmt: skip
        if self._totals is None:
            return log
        secs, rate, asked = self._totals
        inserted, conflicts = self._inserted(asked)
        least_s = max(secs, _ROUNDING)
        if inserted != asked:
            rate = inserted / secs if secs else math.nan
        elif abs(rate - inserted / least_s) > _ROUNDING + inserted * _ROUNDING / least_s**2 * 1.5:
            conflicts = (*conflicts, "rows/sec")
        # The rate has more digits than the seconds.
        runtime_s = inserted / rate if rate > 0 and not conflicts else secs
        where = f"{self.source}:{self._totals_line}"
        return replace(
            log,
            overall_count=1,
            runtime_ms=runtime_s * units.MS_PER_S,
            throughput_ops_s=rate,
            summaries=self._summaries(inserted, where),
            conflicts=conflicts,
            source=where,
        )

    def _inserted(self, asked: int) -> tuple[int, tuple[str, ...]]:
        """The rows inserted, and a conflict where Totals tells another number than the last row.

        The first release prints a row every so many rows, so that the last may lack less than that.
        """
        if not self._last:
            return asked, ()
        last = int(self._last["t_ins"])
        step = int(self._first["t_ins"]) if "i_sec" not in self.columns else 0
        return (asked, ()) if last <= asked < last + max(step, 1) else (last, ("INSERT count",))

    def _summaries(self, inserted: int, where: str) -> tuple[Summary, ...]:
        inserts = Summary("INSERT", float(inserted), return_codes=((OK, inserted),), source=where)
        return (inserts, Summary("SCAN", source=where)) if self._last.get("t_query") else (inserts,)

    def _row(self, number: int, row: dict[str, float]) -> None:
        before = self._last
        self._first = self._first or row
        details = [
            done(name, row[key] - before.get(key, 0.0), max_us=_max(row, highest))
            for name, key, highest in (("INSERT", "t_ins", ""), ("SCAN", "t_query", "max_q"), ("DELETE", "t_del", ""))
            if key in row and row[key] > before.get(key, 0.0)
        ]
        self._series.add(number, row["t_sec"], int(row["t_ins"]), details)
        self._last = row


def _max(row: dict[str, float], key: str) -> float:
    value = row.get(key, -1.0)
    return value if value >= 0 else math.nan
