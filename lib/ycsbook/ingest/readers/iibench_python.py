"""The Python iibench: a header, one row per report, and `Totals: ... secs, ... rows/sec, ... rows`.

Rows are inserted in batches whose latency is not printed as a row's. The releases with 12 columns print in Totals what
was asked for, not what was inserted: the last row knows better.
"""

import math
import re
from dataclasses import dataclass, field

from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.log.status import OperationStatus
from ycsbook.ingest.readers.text_runs import TextRun, counted

FORMAT = "iibench"
ERROR = re.compile(r"(?:Exception|EXCEPTION|[Ee]rror)\b")

_HEADER = re.compile(rb"^(?:\xef\xbb\xbf)?(i_sec[ \t][^\r\n]{0,400})", re.MULTILINE)
MAX_COLUMNS = 40
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,9})?", re.ASCII)
_TOTALS = re.compile(r"Totals: (\d{1,12}\.\d) secs, (\d{1,12}\.\d) rows/sec, (\d{1,15}) rows\b.{0,200}", re.ASCII)
# What the scripts around it write of a step: 8 processes, 2500000 rows-per-process, 188 seconds, ..., 41362 queries.
_PROCESSES = re.compile(
    r"(\d{1,6}) processes, (\d{1,13}) rows-per-process, (\d{1,9}) seconds, [\d.]{1,14} rows-per-second, "
    r"[\d.]{1,14} rows-per-second-per-user(?:, (\d{1,15}) queries\b.{0,200})?",
    re.ASCII,
)
# Latencies of an interval in which nothing was done.
_NONE = "-1"
_ROUNDING = 0.05


def recognises(head: bytes) -> bool:
    """Whether a header of its, or a line of the scripts around it, begins here."""
    is_step = _PROCESSES.match(head[:500].decode("utf-8", errors="replace")) is not None
    return is_step or any(_columns(match[1].decode("utf-8", errors="replace")) for match in _HEADER.finditer(head))


def _columns(text: str) -> list[str] | None:
    """The columns that a header names, or None."""
    names = text.split()[:MAX_COLUMNS] if text.startswith("i_sec") else []
    return names if {"t_sec", "t_ips", "t_ins"} <= set(names) else None


@dataclass
class PythonRun(TextRun):
    """`totals`: seconds, rows per second, rows."""

    FORMAT = FORMAT

    header: list[str] = field(default_factory=list)
    totals: tuple[float, float, int] | None = None
    totals_line: int = 0
    last: dict[str, float] = field(default_factory=dict)

    @property
    def is_begun(self) -> bool:
        return bool(self.header)

    def take(self, number: int, text: str, is_complete: bool) -> bool:
        cells = text.removeprefix("\ufeff").split()
        if not is_complete:
            self.truncated |= self.is_begun
        elif columns := _columns(text.removeprefix("\ufeff")):
            if self.header:
                return False
            self.header = columns
        elif match := _PROCESSES.fullmatch(text):
            if self.header:
                return False
            processes, rows, seconds, queries = (int(group or 0) for group in match.groups())
            self.header, self.columns["threads"], self.totals_line = [""] * (MAX_COLUMNS + 1), float(processes), number
            self.totals = (float(seconds), processes * rows / (seconds or math.nan), processes * rows)
            self._add(number, {"t_sec": float(seconds), "t_ins": float(processes * rows), "t_query": float(queries)})
        elif not self.header:
            return True
        elif match := _TOTALS.fullmatch(text):
            self.totals, self.totals_line = (float(match[1]), float(match[2]), int(match[3])), number
        elif len(cells) == len(self.header) and all(_NUMBER.fullmatch(c) or c == _NONE for c in cells):
            self._add(number, dict(zip(self.header, map(float, cells), strict=True)))
        elif ERROR.search(text):
            self.note_error(text)
        return True

    def _add(self, number: int, row: dict[str, float]) -> None:
        details = []
        for name, column in (("INSERT", "t_ins"), ("SCAN", "t_query"), ("DELETE", "t_del")):
            more = row.get(column, 0.0) - self.last.get(column, 0.0)
            if more > 0:
                max_us = row.get("max_q", -1.0) if name == "SCAN" else -1.0
                details.append(OperationStatus(name, more, max_us=max_us if max_us >= 0 else math.nan))
        self.add_progress(number, row["t_sec"], int(row["t_ins"]), details)
        self.last = row

    def log(self) -> RunLog:
        log = self.head(truncated=self.truncated or self.totals is None)
        if self.totals is None:
            return log
        secs, rate, asked = self.totals
        inserted = int(self.last["t_ins"]) if self.last else asked
        conflicts: tuple[str, ...] = () if inserted == asked else ("INSERT count",)
        least_s = max(secs, _ROUNDING)
        if inserted != asked:
            rate = inserted / secs if secs else math.nan
        elif abs(rate - inserted / least_s) > _ROUNDING + inserted * _ROUNDING / least_s**2 * 1.5:
            conflicts = (*conflicts, "rows/sec")
        # The rate has more digits than the seconds.
        runtime_s = inserted / rate if rate > 0 and not conflicts else secs
        summaries = [counted("INSERT", inserted, source=f"{self.source}:{self.totals_line}")]
        if self.last.get("t_query"):
            summaries.append(Summary("SCAN", source=summaries[0].source))
        return self.with_figures(
            log, self.totals_line, runtime_s, summaries, throughput_ops_s=rate, conflicts=conflicts
        )
