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
from ycsbook.ingest.log.status_series import done
from ycsbook.ingest.readers.text_runs import TextRun, counted

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
class PythonIibenchRun(TextRun):
    """Give it the lines after the header, and at the end ask for `log`. `totals`: seconds, rows per second, rows."""

    header: list[str] = field(default_factory=list)
    totals: tuple[float, float, int] | None = None
    totals_line: int = 0
    first: dict[str, float] = field(default_factory=dict)
    last: dict[str, float] = field(default_factory=dict)

    def line(self, number: int, text: str) -> bool:
        """Take a line; False where it is none of the program's own."""
        if match := _TOTALS.fullmatch(text):
            self.totals, self.totals_line = (float(match[1]), float(match[2]), int(match[3])), number
            return True
        cells = text.split()
        if len(cells) != len(self.header) or not all(_NUMBER.fullmatch(c) or c == _NONE for c in cells):
            return False
        row = dict(zip(self.header, map(float, cells), strict=True))
        self.first = self.first or row
        highest_us = {"SCAN": row.get("max_q", -1.0)}
        details = []
        for name, column in (("INSERT", "t_ins"), ("SCAN", "t_query"), ("DELETE", "t_del")):
            more = row.get(column, 0.0) - self.last.get(column, 0.0)
            if more > 0:
                max_us = highest_us.get(name, -1.0)
                details.append(done(name, more, max_us=max_us if max_us >= 0 else math.nan))
        self.series.add(number, row["t_sec"], int(row["t_ins"]), details)
        self.last = row
        return True

    def log(self) -> RunLog:
        log = self.head(truncated=self.truncated or self.totals is None)
        if self.totals is None:
            return log
        secs, rate, asked = self.totals
        inserted, conflicts = self._inserted(asked)
        least_s = max(secs, _ROUNDING)
        if inserted != asked:
            rate = inserted / secs if secs else math.nan
        elif abs(rate - inserted / least_s) > _ROUNDING + inserted * _ROUNDING / least_s**2 * 1.5:
            conflicts = (*conflicts, "rows/sec")
        # The rate has more digits than the seconds.
        runtime_s = inserted / rate if rate > 0 and not conflicts else secs
        where = f"{self.source}:{self.totals_line}"
        summaries = [counted("INSERT", inserted, source=where)]
        if self.last.get("t_query"):
            summaries.append(Summary("SCAN", source=where))
        return replace(
            log,
            overall_count=1,
            runtime_ms=runtime_s * units.MS_PER_S,
            throughput_ops_s=rate,
            summaries=tuple(summaries),
            conflicts=conflicts,
            source=where,
        )

    def _inserted(self, asked: int) -> tuple[int, tuple[str, ...]]:
        """The rows inserted, and a conflict where Totals tells another number than the last row.

        The first release prints a row every so many rows, so that the last may lack less than that.
        """
        if not self.last:
            return asked, ()
        last = int(self.last["t_ins"])
        step = int(self.first["t_ins"]) if "i_sec" not in self.header else 0
        return (asked, ()) if last <= asked < last + max(step, 1) else (last, ("INSERT count",))
