"""sysbench's OLTP reports: of releases before 1.0 the last alone, for those of intervals lack BEGIN and COMMIT.

sysbench counts transactions, which hold several queries. An operation here is a query, as in the printed `queries: ...
per sec.`; the throughput is all of them over the time, which has more digits than that. BEGIN, COMMIT and the like,
which neither read nor write, stand as OTHER: less these, throughput compares with YCSB's. sysbench does not tell
updates from deletes: writes stand as UPDATE, or as INSERT where the script's name says so. Its latencies are a
transaction's and stand as TRANSACTION, and as the operation's own where each transaction is one query. Ignored errors
are queries that failed and were tried again. Reports of intervals hold rates with two decimals; the counts made of
them are as exact as that.
"""

import math
import re
from dataclasses import dataclass, field

from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.log.status import OperationStatus
from ycsbook.ingest.readers.text_runs import REMARK, TextRun, command, counted, us
from ycsbook.operations import OTHER
from ycsbook.secrets import redact

FORMAT = "sysbench"
TRANSACTION = "TRANSACTION"

_VERSION = re.compile(r"sysbench (\d{1,3}(?:\.\d{1,4}){1,3}[\w.+-]{0,30})[ :].*", re.ASCII)
# What people write behind a figure.
_NOTE = rf"\s*(?:--.*|(?<=\s){REMARK})?"
_THREADS = re.compile(rf"Number of threads: (\d{{1,7}}){_NOTE}", re.ASCII)
_COMMAND = command(r"sysbench\s.{1,4000}\srun(?:\s.{0,400})?")
_RATE = r"\d{1,15}\.\d\d"
# What was done in an interval.
_INTERVAL = re.compile(
    rf"\[ {{0,4}}(?P<at>\d{{1,9}})s ?\] thds: \d{{1,7}} tps: (?P<tps>{_RATE}) qps: {_RATE} \(r/w/o: (?P<reads>{_RATE})/"
    rf"(?P<writes>{_RATE})/(?P<others>{_RATE})\) lat \(ms, ?(?P<percentile>\d{{1,3}})%\): (?P<ms>{_RATE})\b.{{0,200}}",
    re.ASCII,
)
# What copies put before a line.
_MARK = r"[ \t>]{0,40}(?:(?:[-*+]|\d{1,5}[.:)])[ \t]{1,40})?"
_MARKS = re.compile(_MARK, re.ASCII)
# A line of the report: its label, its figure, and where it is a count also its rate.
_LABEL = (
    r"read|write|other|transactions|ignored errors|deadlocks|total time|time elapsed|total number of events|min|avg|max"
    r"|(?:approx\.\s{1,4})?\d{1,3}(?:th)? percentile"
)
_FIGURE = re.compile(
    rf"({_LABEL}):\s+(\d{{1,15}}|{_RATE}|\d{{1,9}}\.\d{{4}}(?=s))m?s?(?:\s+\(({_RATE}) per sec\.\))?{_NOTE}", re.ASCII
)
_PERCENTILE = re.compile(r"(?:approx\.\s+)?(\d{1,3})(?:th)? percentile", re.ASCII)
_NEEDED = {"read", "write", "transactions", "total time"}
_BEGIN = "Running the test with following options:"
# How far the printed rate may be off the count over the time: both clocks are read one after the other.
RATE_TOLERANCE = 0.01
# The last line of a report.
_END = re.compile(rf"execution time \(avg/stddev\):\s+\d{{1,12}}\.\d{{4}}/\d{{1,12}}\.\d\d{_NOTE}", re.ASCII)
# A thread's; those of all tell how many there were, where no other line does.
_ALL_EVENTS = "total number of events"
_EVENTS = re.compile(r"events \(avg/stddev\):\s+(\d{1,12}\.\d{4})/.*", re.ASCII)
_ERROR = re.compile(r"(?:FATAL|ERROR|ALERT): ")
_HEAD = re.compile(
    rb"^" + _MARK.encode() + rb"(?:(?:SQL|OLTP test) statistics:[ \t\r]*(?:--.*)?$|"
    rb"\[ {0,4}\d{1,9}s ?\] (?:thds|threads): \d{1,7},? tps: )",
    re.MULTILINE,
)


@dataclass
class _Run(TextRun):
    """`figures` of the report and the `lines` they stand in, by label; `tps`: transactions per second as printed."""

    FORMAT, HEAD = FORMAT, _HEAD

    figures: dict[str, float] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    tps: float = math.nan
    percentiles: tuple[tuple[float, float], ...] = ()
    has_ended: bool = False
    last_s: float = 0.0
    queries: float = 0.0

    @property
    def is_begun(self) -> bool:
        return bool(self.has_progress or self.figures)

    @property
    def write(self) -> str:
        return "INSERT" if "insert" in self.command_line else "UPDATE"

    def take(self, number: int, text: str, is_complete: bool) -> bool:
        text = text[_MARKS.match(text).end() :]
        # The last line of a report ends in two decimals, with or without a line's end.
        if not is_complete and not _END.fullmatch(text):
            self.truncated |= not self.has_ended
            return True
        # After a report, or at the next head, a run begins with the first line that tells something.
        if text.strip() and (self.has_ended or (text == _BEGIN and self.is_begun)):
            return False
        if match := _INTERVAL.fullmatch(text):
            self.add_interval(number, match)
        elif match := _VERSION.fullmatch(text):
            self.version = match[1]
        elif match := _THREADS.fullmatch(text):
            self.columns["threads"] = float(match[1])
        elif "sysbench" in text and (match := _COMMAND.fullmatch(text)):
            self.command_line = redact(match[1])
        elif (match := _EVENTS.fullmatch(text)) and 0 < float(match[1]) <= self.figures.get(_ALL_EVENTS, 0.0):
            self.columns.setdefault("threads", float(round(self.figures[_ALL_EVENTS] / float(match[1]))))
        elif _END.fullmatch(text.rstrip()):
            self.has_ended = bool(self.figures)
        elif _ERROR.match(text):
            self.note_error(text)
        elif match := _FIGURE.fullmatch(text):
            self.add_figure(number, match)
        return True

    def add_interval(self, line: int, interval: re.Match) -> None:
        """Take what was done since the interval before."""
        elapsed_s = float(interval["at"])
        length_s = elapsed_s - self.last_s
        if length_s <= 0:
            return
        kinds = (("READ", "reads"), (self.write, "writes"), (OTHER, "others"))
        done_by = {name: float(interval[kind]) * length_s for name, kind in kinds}
        self.queries, self.last_s = self.queries + sum(done_by.values()), elapsed_s
        p99_us = us(float(interval["ms"])) if interval["percentile"] == "99" else math.nan
        transactions = OperationStatus(TRANSACTION, float(interval["tps"]) * length_s, p99_us=p99_us)
        queries = [OperationStatus(name, count) for name, count in done_by.items() if count]
        self.add_progress(line, elapsed_s, int(self.queries), [transactions, *queries])

    def add_figure(self, line: int, figure: re.Match) -> None:
        # What release 1.1 prints for the total time, and releases before 1.0 for failed queries.
        label = {"time elapsed": "total time", "deadlocks": "ignored errors"}.get(figure[1], figure[1])
        if match := _PERCENTILE.fullmatch(label):
            if int(match[1]) <= 100:
                self.percentiles = ((float(match[1]), us(float(figure[2]))),)
        elif label not in self.figures:
            self.figures[label], self.lines[label] = float(figure[2]), line
            if label == "transactions":
                self.tps = float(figure[3] or math.nan)

    def log(self) -> RunLog:
        log = self.head()
        if not (self.has_ended or self.percentiles) or not set(self.figures) >= _NEEDED:
            return log
        line, time_s = self.lines["total time"], self.figures["total time"]
        # The printed rate is the count over the time, but in reports of checkpoints.
        slack = max(1.0, (RATE_TOLERANCE * self.tps + 0.005) * time_s)
        agrees = abs(self.tps * time_s - self.figures["transactions"]) <= slack
        return self.with_figures(log, line, time_s, self._summaries(), conflicts={"transactions per sec": not agrees})

    def _summaries(self) -> tuple[Summary, ...]:
        counts = {label: int(self.figures.get(label, 0)) for label in ("read", "write", "other")}
        transactions, errors = int(self.figures["transactions"]), int(self.figures.get("ignored errors", 0))
        latencies = {f"{name}_us": us(self.figures.get(label, math.nan))
                     for name, label in (("mean", "avg"), ("min", "min"), ("max", "max"))}  # fmt: skip
        latencies["percentiles"] = self.percentiles
        # Writes fail because of other writes; nothing else is known of the ignored errors.
        failed = "write" if counts["write"] else "read"
        summaries = []
        for label, count in counts.items():
            bad = errors if label == failed else 0
            if count or bad:
                of_operation = latencies if count == sum(counts.values()) == transactions else {}
                name = {"read": "READ", "write": self.write, "other": OTHER}[label]
                summaries.append(counted(name, count, bad, source=f"{self.source}:{self.lines[label]}", **of_operation))
        where = f"{self.source}:{self.lines['transactions']}"
        return *summaries, Summary(TRANSACTION, float(transactions), **latencies, source=where)


recognises, parse = _Run.recognises, _Run.parse
