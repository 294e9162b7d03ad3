"""iibench: iibench-mongodb's TSV file and console, the Python iibench, and summaries of the insert benchmark.

The run is its inserts, as its rate is; queries run beside them at a rate of their own. They are SCAN, because each
reads a range of an index, and stand in the intervals.

iibench-mongodb's lines hold rows and seconds since the start; its last line holds no exceptions, and `Done!` follows on
the console. A TSV file without that line is read, as each line is a measurement of all before it, and is `truncated`; a
console without its end is incomplete. The run time is the rows over the rate, exact to the ms, where whole seconds
agree. The rate of queries is per second here. An exception is one batch that failed, and counts as its rows if known.

The Python iibench prints a header, a row per report, and `Totals: ... secs, ... rows/sec, ... rows`, which in releases
with 12 columns says what was asked for: the last row knows better.

Summaries have a row for each server and a column for each step (`dbms l.i0 l.x l.i1 qr100.L1 ...`). Steps l.i insert,
l.x makes indexes and is no run; q are queries while others insert at the rate in the name: ranges of an index (q, qr:
SCAN), or by primary key (qp: READ). They are rates and nothing else, so each is an excerpt.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.log.status import OperationStatus
from ycsbook.ingest.readers.text_runs import MAX_RUNS, TextRun, counted, is_page, numbered, us

FORMAT = "iibench"
ERROR = re.compile(r"(?:Exception|EXCEPTION|[Ee]rror)\b")
_BEGIN, _DONE = "Application Parameters", "Done!"
# What the scripts say where they mean no limit.
NO_LIMIT = 999_999
_SNIFFED_BYTES = 64 * 1024
_CONSOLE = re.compile(rb" inserts : [\d.,]{1,20} seconds : cum ips=\d")
_SUMMARY = re.compile(rb"^\s{0,8}(?:<tr>\s?<th>)?dbms(?:</th>\s?<th>|[,\t]|\s{1,20})l\.i0\b", re.MULTILINE)
S_PER_MIN = 60.0
# How long after the count was reached a line may be printed: iibench-mongodb looks ten times a second.
_POLL_S = 0.15
_HALF_CENT = 0.005

TSV_HEADER = ("tot_inserts", "elap_secs", "cum_ips", "int_ips")
_SEPARATORS = " .,'’\u00a0\u202f\ufffd"
_WHOLE = re.compile(r"\d{1,15}", re.ASCII)
_FIXED = re.compile(rf"-?(\d[\d{_SEPARATORS}]{{0,25}})[.,](\d\d)", re.ASCII)
_GROUPED = re.compile(rf"\d[\d{_SEPARATORS}]{{0,25}}", re.ASCII)
_CONSOLE_LINE = re.compile(
    rf"(\d[\d{_SEPARATORS}]{{0,25}}) inserts : (\d[\d{_SEPARATORS}]{{0,20}}) seconds : (cum ips=.{{1,400}})"
)
_PARAMETERS = {
    "writers": re.compile(r"\s(\d{1,6}) writer thread\(s\)$", re.ASCII),
    "queriers": re.compile(r"\s(\d{1,6}) query thread\(s\)$", re.ASCII),
    "batch": re.compile(r"Documents Per Insert = (\d{1,7})$", re.ASCII | re.IGNORECASE),
    "limit": re.compile(r"Maximum of (\d[\d.,]{0,14}) insert\(s\) per second$", re.ASCII),
}


def recognises(head: bytes, name: str = "") -> bool:
    """Whether this is one of iibench's outputs, and not a page that quotes one."""
    if _SUMMARY.search(head):
        return True
    if is_page(head):
        return False
    first = head.lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", errors="replace").rstrip("\r")
    return is_tsv_header(first) or bool(_CONSOLE.search(head)) or _is_python(head)


def parse(sources: Sequence[Source]) -> list[RunLog]:
    """As `readers.LogReader` says."""
    if any(_SUMMARY.search(source.head(_SNIFFED_BYTES)) for source in sources):
        runs = [run for source in sources for run in _rates(source)]
        return runs[:MAX_RUNS] or [RunLog(format=FORMAT)]
    is_python = any(_is_python(source.head(_SNIFFED_BYTES)) for source in sources)
    return (_PythonRun if is_python else _Run).parse(sources)


class IibenchRow(NamedTuple):
    """The run so far: rows inserted, the time, and rows per second since the start (`ips`). The time is that count over
    the rate, which is exact to the ms, as far as whole seconds allow (`is_consistent`: they do).

    `qps` and `query_mean_us` are of the queries since the row before, `all_queries_mean_us` since the start.
    `exceptions` is None in the last line of a run, and in all lines of the oldest releases."""

    line: int
    inserts: int
    at_s: float
    ips: float
    is_consistent: bool
    qps: float
    query_mean_us: float
    all_queries_mean_us: float
    exceptions: int | None


def is_tsv_header(text: str) -> bool:
    return tuple(text.split("\t")[: len(TSV_HEADER)]) == TSV_HEADER


def tsv_row(columns: list[str], text: str, line: int) -> IibenchRow | None:
    """The row under a header, or None. Numbers follow the locale of who ran it."""
    cells = text.split("\t")
    if len(cells) not in (len(columns), len(columns) - (columns[-1] == "exceptions")):
        return None
    by_column = dict(zip(columns, cells, strict=False))
    is_row = all(_WHOLE.fullmatch(by_column[name]) for name in TSV_HEADER[:2])
    return _row(by_column, line) if is_row else None


def console_row(text: str, line: int) -> IibenchRow | None:
    """The row in a line that iibench-mongodb prints on its console, or None."""
    match = _CONSOLE_LINE.search(text) if " inserts : " in text else None
    if not match:
        return None
    pairs = (part.split("=", 1) for part in match[3].split(" : ") if "=" in part)
    # `cum avg qry` is what a TSV file calls cum_qry_avg, and `cum avg qps` its cum_qps.
    names = ((name.replace("avg qry", "qry_avg").replace("avg ", "").replace(" ", "_"), v) for name, v in pairs)
    by_column = {name: value.strip() for name, value in names}
    return _row(by_column | {"tot_inserts": match[1], "elap_secs": match[2]}, line)


def grouped(text: str) -> int | None:
    """A whole number whose thousands may be grouped by whatever the locale takes for that."""
    return int(re.sub(r"\D", "", text)) if _GROUPED.fullmatch(text.strip()) else None


def fixed(text: str) -> float:
    """A number with two decimals behind a point or a comma, thousands grouped or not; NaN for anything else."""
    match = _FIXED.fullmatch(text.strip())
    return float(f"{re.sub(r'[^0-9]', '', match[1])}.{match[2]}") if match else math.nan


def _row(by_column: dict[str, str], line: int) -> IibenchRow | None:
    inserts, seconds = grouped(by_column["tot_inserts"]), grouped(by_column["elap_secs"])
    # The names of the columns say which of the programs it was.
    per, each_s = ("qps", 1.0) if "int_qps" in by_column else ("qpm", S_PER_MIN)
    ips, qps, all_qps, query_ms, all_queries_ms = (
        fixed(by_column.get(name, "")) for name in ("cum_ips", f"int_{per}", f"cum_{per}", "int_qry_avg", "cum_qry_avg")
    )
    if inserts is None or seconds is None or math.isnan(ips):
        return None
    # A last line of reports by count names the next number, which was not reached: its rate is that of the true count.
    is_consistent = inserts > 0 and ips > _HALF_CENT and inserts / (ips - _HALF_CENT) >= seconds - _POLL_S
    is_consistent = is_consistent and inserts / (ips + _HALF_CENT) <= seconds + 1
    return IibenchRow(
        line,
        inserts,
        round(min(max(inserts / ips, float(seconds)), seconds + 0.999), 3) if is_consistent else float(seconds),
        ips,
        is_consistent,
        qps=qps / each_s,
        query_mean_us=us(query_ms) if qps > 0 else math.nan,
        all_queries_mean_us=us(all_queries_ms) if all_qps > 0 else math.nan,
        exceptions=grouped(by_column.get("exceptions", "")),
    )


@dataclass
class _Run(TextRun):
    """One run of iibench-mongodb; `header`: the columns of a TSV file."""

    FORMAT, KEPT = FORMAT, ("header",)

    header: list[str] = field(default_factory=list)
    parameters: dict[str, int] = field(default_factory=dict)
    is_done: bool = False
    before: IibenchRow | None = None
    last: IibenchRow | None = None
    exceptions: int | None = None

    @property
    def is_begun(self) -> bool:
        return bool(self.last or self.parameters or self.is_done)

    def take(self, number: int, text: str, is_complete: bool) -> bool:
        text = text.removeprefix("\ufeff")
        # Also without end, where it ends in no exceptions: no other number begins with 0.
        is_row = self.header[-1:] == ["exceptions"] and text.count("\t") == len(self.header) - 1
        if not (is_complete or (is_row and text.endswith("\t0"))):
            self.truncated |= bool(self.header or self.is_begun)
        elif is_tsv_header(text):
            if self.last or self.is_done:
                return False
            self.header = text.split("\t")
        elif row := (self.header and tsv_row(self.header, text, number)) or console_row(text, number):
            if self.last and (row.inserts < self.last.inserts or self.is_done):
                return False
            self._add(row)
        else:
            if text.endswith(_BEGIN):
                if self.is_begun:
                    return False
                self.header = []
            self.is_done |= text.endswith(_DONE)
            texts_by_name = {name: match[1] for name, line in _PARAMETERS.items() if (match := line.search(text))}
            self.parameters |= {name: int(re.sub(r"\D", "", number)) for name, number in texts_by_name.items()}
            if ERROR.search(text):
                self.note_error(text)
        return True

    def _add(self, row: IibenchRow) -> None:
        if row.exceptions is not None:
            self.exceptions = row.exceptions
        self.begin_progress(row.line)
        # The last line may name rows that were not inserted.
        if row.is_consistent:
            done, at_s = (self.last.inserts, self.last.at_s) if self.last else (0, 0.0)
            details = [OperationStatus("INSERT", float(row.inserts - done))]
            if row.qps > 0:
                details.append(OperationStatus("SCAN", row.qps * (row.at_s - at_s), row.query_mean_us))
            self.add_progress(row.line, row.at_s, row.inserts, details)
        self.before, self.last = self.last, row

    def log(self) -> RunLog:
        # The last line of a run that came to its end tells no exceptions, unlike those before it.
        tells_exceptions = self.exceptions is not None
        has_ended = self.is_done or (tells_exceptions and self.last.exceptions is None)
        if "writers" in self.parameters:
            self.columns["threads"] = float(self.parameters["writers"] + self.parameters.get("queriers", 0))
        if 0 < self.parameters.get("limit", 0) < NO_LIMIT:
            self.columns["target_ops_s"] = float(self.parameters["limit"])
        log = self.head(truncated=self.truncated or not (has_ended or (self.header and not tells_exceptions)))
        row = self.last
        # The last line may name rows that were not inserted; then it is the one before it.
        if self.before and self.before.is_consistent and not row.is_consistent:
            row = self.before
        if row is None or not (has_ended or self.header):
            return log
        where = f"{self.source}:{row.line}"
        failed = (self.exceptions or 0) * self.parameters.get("batch", 1)
        summaries = [counted("INSERT", row.inserts, failed, error_code="EXCEPTION", source=where)]
        if not math.isnan(row.all_queries_mean_us):
            summaries.append(Summary("SCAN", mean_us=row.all_queries_mean_us, source=where))
        runtime_s = row.inserts / row.ips if row.is_consistent else row.at_s
        conflicts = {"INSERT count": not row.is_consistent}
        return self.with_figures(log, row.line, runtime_s, summaries, throughput_ops_s=row.ips, conflicts=conflicts)


_STEP = re.compile(r"(l\.i\d?|l\.x|q[rp]?\d{1,5}(?:\.(?:L?\d{1,3}))?)")
_OPERATIONS = {"l.i": "INSERT", "q": "SCAN", "qr": "SCAN", "qp": "READ"}
_RATE = re.compile(r"\d{2,12}", re.ASCII)
_TAGS = re.compile(r"(?:<[^<>]{0,200}>\s*)+")
_SEPARATOR = re.compile(r"\s*,\s*|\s+")


def _rates(source: Source) -> Iterator[RunLog]:
    steps: list[str] = []
    for number, text, is_complete in numbered(source):
        cells = _SEPARATOR.split(_TAGS.sub(" ", text).strip())
        if cells[0] == "dbms":
            steps = cells[1:] if all(map(_STEP.fullmatch, cells[1:])) else []
        elif steps and is_complete and len(cells) == len(steps) + 1 and all(map(_RATE.fullmatch, cells[1:])):
            where = f"{source}:{number}"
            for step, rate in zip(steps, cells[1:], strict=True):
                if operation := _OPERATIONS.get(re.match(r"l\.[ix]|q[rp]?", step)[0]):  # l.x makes indexes
                    phase = "load" if operation == "INSERT" else "run"
                    yield RunLog(
                        format=FORMAT,
                        columns={"server_version": cells[0][:80], "workload": step, "phase": phase},
                        overall_count=1,
                        throughput_ops_s=float(rate),
                        summaries=(Summary(operation, source=where),),
                        quoted=True,
                        source=where,
                    )


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


def _is_python(head: bytes) -> bool:
    is_step = _PROCESSES.match(head[:500].decode("utf-8", errors="replace")) is not None
    return is_step or any(_columns(match[1].decode("utf-8", errors="replace")) for match in _HEADER.finditer(head))


def _columns(text: str) -> list[str] | None:
    names = text.split()[:MAX_COLUMNS] if text.startswith("i_sec") else []
    return names if {"t_sec", "t_ips", "t_ins"} <= set(names) else None


@dataclass
class _PythonRun(TextRun):
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
                max_us = row["max_q"] if name == "SCAN" and row.get("max_q", -1.0) >= 0 else math.nan
                details.append(OperationStatus(name, more, max_us=max_us))
        self.add_progress(number, row["t_sec"], int(row["t_ins"]), details)
        self.last = row

    def log(self) -> RunLog:
        log = self.head(truncated=self.truncated or self.totals is None)
        if self.totals is None:
            return log
        secs, rate, asked = self.totals
        inserted = int(self.last["t_ins"]) if self.last else asked
        is_other, least_s = inserted != asked, max(secs, _ROUNDING)
        is_off = abs(rate - inserted / least_s) > _ROUNDING + inserted * _ROUNDING / least_s**2 * 1.5
        conflicts = {"INSERT count": is_other, "rows/sec": is_off and not is_other}
        if is_other:
            rate = inserted / secs if secs else math.nan
        # The rate has more digits than the seconds.
        runtime_s = inserted / rate if rate > 0 and not any(conflicts.values()) else secs
        summaries = [counted("INSERT", inserted, source=f"{self.source}:{self.totals_line}")]
        if self.last.get("t_query"):
            summaries.append(Summary("SCAN", source=summaries[0].source))
        return self.with_figures(
            log, self.totals_line, runtime_s, summaries, throughput_ops_s=rate, conflicts=conflicts
        )
