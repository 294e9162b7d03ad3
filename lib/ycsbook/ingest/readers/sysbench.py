"""sysbench's OLTP reports, releases 0.4 to 1.1.

sysbench counts transactions, which hold several queries. An operation here is a query that reads or writes, so that
throughput compares with YCSB's; COMMIT and the like are none. sysbench does not tell updates from deletes: writes stand
as UPDATE, or as INSERT where the script's name says so. Its latencies are a transaction's and stand as TRANSACTION,
and as the operation's own where each transaction is one query. Ignored errors are queries that failed and were tried
again. Reports of intervals hold rates with two decimals; the counts made of them are as exact as that.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ycsbook import units
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.files.textlog import MAX_ERRORS, is_page, numbered, shortened, us
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.log.status_series import StatusSeries, done
from ycsbook.operations import OK
from ycsbook.secrets import redact

FORMAT = "sysbench"
MAX_RUNS = 10_000
TRANSACTION = "TRANSACTION"

_VERSION = re.compile(r"sysbench (\d{1,3}(?:\.\d{1,4}){1,3}[\w.+-]{0,30})[ :].*", re.ASCII)
_THREADS = re.compile(r"Number of threads: (\d{1,7})\s*", re.ASCII)
_COMMAND = re.compile(r"(?:\S{0,200}[#$>%] ?)?((?:\S{0,300}/)?sysbench\s.{1,4000}\srun(?:\s.{0,400})?)")
_NEW = re.compile(
    r"\[ {0,4}(\d{1,9})s ?\] thds: \d{1,7} tps: (\d{1,12}\.\d\d) qps: \d{1,12}\.\d\d "
    r"\(r/w/o: (\d{1,12}\.\d\d)/(\d{1,12}\.\d\d)/\d{1,12}\.\d\d\) lat \(ms, ?(\d{1,3})%\): (\d{1,12}\.\d\d)\b.{0,200}",
    re.ASCII,
)
_OLD = re.compile(
    r"\[ {0,4}(\d{1,9})s ?\] threads: \d{1,7}, tps: (\d{1,12}\.\d\d), reads(?:/s)?: (\d{1,12}\.\d\d), "
    r"writes(?:/s)?: (\d{1,12}\.\d\d), response time: (\d{1,12}\.\d\d)ms \((\d{1,3})%\).{0,200}",
    re.ASCII,
)
_FIGURES = {
    "read": re.compile(r"\s+read:\s+(\d{1,15})\s*", re.ASCII),
    "write": re.compile(r"\s+write:\s+(\d{1,15})\s*", re.ASCII),
    "transactions": re.compile(r"\s+transactions:\s+(\d{1,15})\s+\((\d{1,12}\.\d\d) per sec\.\)\s*", re.ASCII),
    "errors": re.compile(r"\s+(?:ignored errors|deadlocks):\s+(\d{1,15})\s+\(\d{1,12}\.\d\d per sec\.\)\s*", re.ASCII),
    "time_s": re.compile(r"\s+(?:total time|time elapsed):\s+(\d{1,9}\.\d{4})s\s*", re.ASCII),
    "min_ms": re.compile(r"\s+min:\s+(\d{1,12}\.\d\d)(?:ms)?\s*", re.ASCII),
    "avg_ms": re.compile(r"\s+avg:\s+(\d{1,12}\.\d\d)(?:ms)?\s*", re.ASCII),
    "max_ms": re.compile(r"\s+max:\s+(\d{1,12}\.\d\d)(?:ms)?\s*", re.ASCII),
}
_PERCENTILE = re.compile(r"\s+(?:approx\.\s+)?(\d{1,3})(?:th)? percentile:\s+(\d{1,12}\.\d\d)(?:ms)?\s*", re.ASCII)
_BEGIN = "Running the test with following options:"
# How far the printed rate may be off the count over the time: both clocks are read one after the other.
RATE_TOLERANCE = 0.01
# The last line of a report.
_END = re.compile(r"\s+execution time \(avg/stddev\):\s+\d{1,12}\.\d{4}/\d{1,12}\.\d\d", re.ASCII)
_ERROR = re.compile(r"(?:FATAL|ERROR|ALERT): ")
_HEAD = re.compile(
    rb"^(?:(?:SQL|OLTP test) statistics:\r?$|\[ {0,4}\d{1,9}s ?\] (?:thds: \d{1,7} tps: |threads: \d{1,7}, tps: ))",
    re.MULTILINE,
)


def recognises(head: bytes, name: str = "") -> bool:
    """Whether this is a report of sysbench on a database, and not a page that quotes one."""
    return bool(_HEAD.search(head)) and not is_page(head)


def parse(sources: Sequence[Source]) -> list[RunLog]:
    """The runs of the files, in order; at least one, which may be empty.

    Raises
        RunLogError: a file cannot be read.
    """
    runs = [run for source in sources for run in _runs(source)]
    return [run.log() for run in runs if run.is_begun] or [runs[0].log() if runs else RunLog(format=FORMAT)]


@dataclass
class _Run:
    """One run while its lines go by."""

    source: str
    version: str = ""
    command_line: str = ""
    threads: int | None = None
    figures: dict[str, float] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    percentile: tuple[tuple[float, float], ...] = ()
    has_ended: bool = False
    truncated: bool = False
    errors: dict[str, None] = field(default_factory=dict)
    last_s: float = 0.0
    queries: float = 0.0
    series: StatusSeries = field(default_factory=StatusSeries)

    @property
    def is_begun(self) -> bool:
        return bool(self.series.lines or self.figures)

    @property
    def write(self) -> str:
        """What writes stand as."""
        return "INSERT" if "insert" in self.command_line else "UPDATE"

    def status(self, line: int, elapsed_s: float, rates: tuple[float, float, float], latency: tuple) -> None:
        """Take the report of an interval: transactions, reads and writes per second; a latency's percentile in ms."""
        tps, *per_s = rates
        length_s = elapsed_s - self.last_s
        if length_s <= 0:
            return
        self.queries, self.last_s = self.queries + sum(per_s) * length_s, elapsed_s
        p99_us = us(latency[1]) if latency[0] == 99 else math.nan
        rates = {name: rate for name, rate in zip(("READ", self.write), per_s, strict=True) if rate}
        details = [replace(done(TRANSACTION, tps * length_s), p99_us=p99_us)]
        details += [done(name, rate * length_s) for name, rate in rates.items()]
        self.series.add(line, elapsed_s, int(self.queries), details)

    def log(self) -> RunLog:
        log = RunLog(
            format=FORMAT, version=self.version, command_line=self.command_line, series=self.series.close(),
            said={} if self.threads is None else {"threads": float(self.threads)}, errors=tuple(self.errors),
            truncated=self.truncated or not self.has_ended, source=self.source,
            status_source=self.source if self.series.lines else "",
        )  # fmt: skip
        if not self.has_ended or not {"read", "write", "transactions", "time_s"} <= set(self.figures):
            return log
        log = replace(
            log, overall_count=1, summaries=self._summaries(), runtime_ms=self.figures["time_s"] * units.MS_PER_S
        )
        time_s = self.figures["time_s"]
        return replace(
            log,
            throughput_ops_s=log.attempted / time_s if time_s else math.nan,
            conflicts=() if self._rate_agrees() else ("transactions per sec",),
            source=f"{self.source}:{self.lines['time_s']}",
        )

    def _summaries(self) -> tuple[Summary, ...]:
        printed = self.figures
        counts = {"READ": int(printed["read"]), self.write: int(printed["write"])}
        queries, transactions = sum(counts.values()), int(printed["transactions"])
        errors = int(printed.get("errors", 0))
        latencies = {
            "mean_us": self._us("avg_ms"), "min_us": self._us("min_ms"), "max_us": self._us("max_ms"),
            "percentiles": self.percentile,
        }  # fmt: skip
        # Writes fail because of other writes; nothing else is known of the ignored errors.
        failed = self.write if counts[self.write] else "READ"
        summaries = []
        for (name, count), key in zip(counts.items(), ("read", "write"), strict=True):
            bad = errors if name == failed else 0
            if count or bad:
                codes = ((OK, count), *([("ERROR", bad)] if bad else []))
                own = latencies if count == queries == transactions else {}
                where = f"{self.source}:{self.lines[key]}"
                summaries.append(Summary(name, float(count), **own, return_codes=codes, source=where))
        where = f"{self.source}:{self.lines['transactions']}"
        return *summaries, Summary(TRANSACTION, float(transactions), **latencies, source=where)

    def _rate_agrees(self) -> bool:
        """Whether the printed rate is the count over the time, which it is not in reports of checkpoints."""
        tps, time_s = self.figures["tps"], self.figures["time_s"]
        return abs(tps * time_s - self.figures["transactions"]) <= max(1.0, (RATE_TOLERANCE * tps + 0.005) * time_s)

    def _us(self, key: str) -> float:
        return us(self.figures[key]) if key in self.figures else math.nan


def _runs(source: Source) -> list[_Run]:
    runs = [_Run(str(source))]
    for number, text, whole in numbered(source):
        # The last line of a report ends in two decimals, with or without a line's end.
        if not whole and not _END.fullmatch(text):
            runs[-1].truncated |= not runs[-1].has_ended
        else:
            _line(runs, number, text)
    return runs


def _line(runs: list[_Run], number: int, text: str) -> None:
    run = runs[-1]
    if run.has_ended or (text == _BEGIN and run.is_begun):
        run = _next(runs, text)
    if match := _NEW.fullmatch(text):
        rates = float(match[2]), float(match[3]), float(match[4])
        run.status(number, float(match[1]), rates, (int(match[5]), float(match[6])))
    elif match := _OLD.fullmatch(text):
        rates = float(match[2]), float(match[3]), float(match[4])
        run.status(number, float(match[1]), rates, (int(match[6]), float(match[5])))
    elif match := _VERSION.fullmatch(text):
        run.version = match[1]
    elif match := _THREADS.fullmatch(text):
        run.threads = int(match[1])
    elif "sysbench" in text and (match := _COMMAND.fullmatch(text)):
        run.command_line = redact(match[1])
    elif _END.fullmatch(text.rstrip()):
        run.has_ended = bool(run.figures)
    elif len(run.errors) < MAX_ERRORS and _ERROR.match(text):
        run.errors.setdefault(shortened(text))
    elif text[:1] in (" ", "\t"):
        _figure(run, number, text)


def _figure(run: _Run, number: int, text: str) -> None:
    if match := _PERCENTILE.fullmatch(text):
        if int(match[1]) <= 100:
            run.percentile = ((float(match[1]), us(float(match[2]))),)
        return
    for name, pattern in _FIGURES.items():
        if match := pattern.fullmatch(text):
            run.figures.setdefault(name, float(match[1]))
            run.lines.setdefault(name, number)
            if name == "transactions":
                run.figures.setdefault("tps", float(match[2]))
            return


def _next(runs: list[_Run], text: str) -> _Run:
    """The run that a line belongs to after a report: the next one, which begins with what tells of it."""
    if text.strip() and len(runs) < MAX_RUNS:
        runs.append(_Run(runs[-1].source))
    return runs[-1]
