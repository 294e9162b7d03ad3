"""A run of iibench-mongodb: what one line tells, whichever fork and locale printed it, and what the lines make."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ycsbook import units
from ycsbook.ingest.files.textlog import us
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.log.status import OperationStatus
from ycsbook.ingest.log.status_series import StatusSeries, done
from ycsbook.operations import OK

FORMAT = "iibench"
# What the scripts say where they mean no limit.
NO_LIMIT = 999_999

S_PER_MIN = 60.0
# How long after the count was reached a line may be printed: iibench-mongodb looks ten times a second.
_POLL_S = 0.15
_HALF_CENT = 0.005

TSV_HEADER = ("tot_inserts", "elap_secs", "cum_ips", "int_ips")
_SEPARATORS = " .,'’\u00a0\u202f\ufffd"
_WHOLE = re.compile(r"\d{1,15}", re.ASCII)
_PLAIN = re.compile(r"\d{1,15}[.,]\d\d", re.ASCII)
_FIXED = re.compile(rf"-?(\d[\d{_SEPARATORS}]{{0,25}})[.,](\d\d)", re.ASCII)
_GROUPED = re.compile(rf"\d[\d{_SEPARATORS}]{{0,25}}", re.ASCII)
_CONSOLE = re.compile(
    rf"(\d[\d{_SEPARATORS}]{{0,25}}) inserts : (\d[\d{_SEPARATORS}]{{0,20}}) seconds : (cum ips=.{{1,400}})"
)


_PARAMETERS = {
    "writers": re.compile(r"\s(\d{1,6}) writer thread\(s\)$", re.ASCII),
    "queriers": re.compile(r"\s(\d{1,6}) query thread\(s\)$", re.ASCII),
    "batch": re.compile(r"Documents Per Insert = (\d{1,7})$", re.ASCII | re.IGNORECASE),
    "limit": re.compile(r"Maximum of (\d[\d.,]{0,14}) insert\(s\) per second$", re.ASCII),
}


def parameters_in(text: str) -> dict[str, int]:
    """The parameters that a line of the console names."""
    return {k: int(re.sub(r"\D", "", match[1])) for k, p in _PARAMETERS.items() if (match := p.search(text))}


@dataclass(frozen=True)
class IibenchRow:
    """The run so far: rows inserted and the time, and what the queries did since the row before.

    `ips` are rows per second since the start; `qps` queries per second since the row before. Latencies in us; `query_*`
    of the interval, `all_queries_mean_us` since the start. `exceptions` is None where the
    line does not tell them: the last line of a run, and all lines of the oldest releases.
    """

    line: int
    inserts: int
    elapsed_s: float
    ips: float
    qps: float
    query_mean_us: float
    all_queries_mean_us: float
    exceptions: int | None

    @cached_property
    def is_consistent(self) -> bool:
        """Whether the count over the rate is the time, which is cut to whole seconds.

        Where iibench-mongodb reports every so many inserts, its last line names the next such number, which was not
        reached: its rate is that of the true count.
        """
        if not self.inserts or not self.ips > _HALF_CENT:
            return False
        low, high = self.inserts / (self.ips + _HALF_CENT), self.inserts / (self.ips - _HALF_CENT)
        return high >= self.elapsed_s - _POLL_S and low <= self.elapsed_s + 1

    @cached_property
    def at_s(self) -> float:
        """The time in ms precision: the count over the rate, as far as the whole seconds allow it."""
        if not self.is_consistent:
            return self.elapsed_s
        return round(min(max(self.inserts / self.ips, self.elapsed_s), self.elapsed_s + 0.999), 3)


def is_tsv_header(text: str) -> bool:
    return tuple(text.split("\t")[: len(TSV_HEADER)]) == TSV_HEADER


def tsv_row(columns: list[str], text: str, line: int) -> IibenchRow | None:
    """The row under a header, or None. Numbers follow the locale of who ran it."""
    cells = text.split("\t")
    if len(cells) != len(columns) and not (columns[-1] == "exceptions" and len(cells) == len(columns) - 1):
        return None
    by_column = dict(zip(columns, cells, strict=False))
    if not (_WHOLE.fullmatch(by_column["tot_inserts"]) and _WHOLE.fullmatch(by_column["elap_secs"])):
        return None
    return _row(by_column, line)


def console_row(text: str, line: int) -> IibenchRow | None:
    """The row in a line that iibench-mongodb prints on its console, or None."""
    match = _CONSOLE.search(text) if " inserts : " in text else None
    if not match:
        return None
    names = {"cum ips": "cum_ips", "int ips": "int_ips", "cum avg qry": "cum_qry_avg", "int avg qry": "int_qry_avg",
             "cum avg qps": "cum_qps", "int avg qps": "int_qps", "cum avg qpm": "cum_qpm", "int avg qpm": "int_qpm",
             "exceptions": "exceptions"}  # fmt: skip
    pairs = (part.split("=", 1) for part in match[3].split(" : ") if "=" in part)
    by_column = {names[k]: v.strip() for k, v in pairs if k in names}
    by_column |= {"tot_inserts": match[1], "elap_secs": match[2]}
    return _row(by_column, line)


def grouped(text: str) -> int | None:
    """A whole number whose thousands may be grouped by whatever the locale takes for that."""
    if text.isdecimal() and text.isascii() and len(text) < 20:
        return int(text)
    return int(re.sub(r"\D", "", text)) if _GROUPED.fullmatch(text.strip()) else None


def fixed(text: str) -> float:
    """A number with two decimals behind a point or a comma, thousands grouped or not; NaN for anything else.

    Examples
        >>> fixed("26288,39"), fixed("26,288.39"), fixed("26.288,39"), fixed("NaN")
        (26288.39, 26288.39, 26288.39, nan)
    """
    if _PLAIN.fullmatch(text):
        return float(text.replace(",", "."))
    match = _FIXED.fullmatch(text.strip())
    return float(f"{re.sub(r'[^0-9]', '', match[1])}.{match[2]}") if match else math.nan


def _row(by_column: dict[str, str], line: int) -> IibenchRow | None:
    inserts, elapsed_s = grouped(by_column["tot_inserts"]), grouped(by_column["elap_secs"])
    ips, qps, qpm = (fixed(by_column.get(name, "")) for name in ("cum_ips", "int_qps", "int_qpm"))
    if inserts is None or elapsed_s is None or math.isnan(ips):
        return None
    # The names of the columns say which of the programs it was.
    qps = qps if "int_qps" in by_column else qpm / S_PER_MIN
    return IibenchRow(
        line,
        inserts,
        float(elapsed_s),
        ips,
        qps=qps,
        query_mean_us=us(fixed(by_column.get("int_qry_avg", ""))) if qps > 0 else math.nan,
        all_queries_mean_us=_mean_of_all(by_column),
        exceptions=grouped(by_column.get("exceptions", "")),
    )


def _mean_of_all(by_column: dict[str, str]) -> float:
    done = fixed(by_column.get("cum_qps", by_column.get("cum_qpm", "")))
    return us(fixed(by_column.get("cum_qry_avg", ""))) if done > 0 else math.nan


@dataclass
class JavaIibenchRun:
    """One run of iibench-mongodb while its lines go by."""

    source: str
    is_tsv: bool
    parameters: dict[str, int] = field(default_factory=dict)
    errors: dict[str, None] = field(default_factory=dict)
    truncated: bool = False
    is_done: bool = False
    before: IibenchRow | None = None
    last: IibenchRow | None = None
    exceptions: int = 0
    tells_exceptions: bool = False
    series: StatusSeries = field(default_factory=StatusSeries)

    def add(self, row: IibenchRow) -> None:
        if row.exceptions is not None:
            self.exceptions, self.tells_exceptions = row.exceptions, True
        self.series.start(row.line)
        # The last line may name rows that were not inserted.
        if row.is_consistent:
            self.series.add(row.line, row.at_s, row.inserts, _since(row, self.last))
        self.before, self.last = self.last, row

    @property
    def has_ended(self) -> bool:
        """Whether the last line is that of a run that came to its end."""
        return self.is_done or (self.tells_exceptions and self.last is not None and self.last.exceptions is None)

    def log(self) -> RunLog:
        row = self._measured()
        ended = self.has_ended or (self.is_tsv and row is not None)
        head = {
            "format": FORMAT, "said": self._said(), "errors": tuple(self.errors), "series": self.series.close(),
            "status_source": self.source if self.last else "",
            "truncated": self.truncated or not (self.has_ended or (self.is_tsv and not self.tells_exceptions)),
        }  # fmt: skip
        if row is None or not ended:
            return RunLog(**head, source=self.source)
        where = f"{self.source}:{row.line}"
        return RunLog(
            **head,
            overall_count=1,
            runtime_ms=units.MS_PER_S * (row.inserts / row.ips if row.is_consistent else row.elapsed_s),
            throughput_ops_s=row.ips,
            summaries=self._summaries(row, where),
            conflicts=() if row.is_consistent else ("INSERT count",),
            source=where,
        )

    def _measured(self) -> IibenchRow | None:
        """The last line, or the one before it where the last names rows that were not inserted."""
        if self.last is None or self.last.is_consistent or self.before is None:
            return self.last
        return self.before if self.before.is_consistent else self.last

    def _summaries(self, row: IibenchRow, where: str) -> tuple[Summary, ...]:
        codes = ((OK, row.inserts),)
        if self.exceptions:
            codes += (("EXCEPTION", self.exceptions * self.parameters.get("batch", 1)),)
        inserts = Summary("INSERT", float(row.inserts), return_codes=codes, source=where)
        if math.isnan(row.all_queries_mean_us):
            return (inserts,)
        return inserts, Summary("SCAN", mean_us=row.all_queries_mean_us, source=where)

    def _said(self) -> dict[str, float | str]:
        columns, given = {}, self.parameters
        if "writers" in given:
            columns["threads"] = float(given["writers"] + given.get("queriers", 0))
        if 0 < given.get("limit", 0) < NO_LIMIT:
            columns["target_ops_s"] = float(given["limit"])
        return columns


def _since(row: IibenchRow, before: IibenchRow | None) -> Iterator[OperationStatus]:
    yield done("INSERT", float(row.inserts - (before.inserts if before else 0)))
    if row.qps > 0:
        yield done("SCAN", row.qps * (row.at_s - (before.at_s if before else 0.0)), row.query_mean_us)
