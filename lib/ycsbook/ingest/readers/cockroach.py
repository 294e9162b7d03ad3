"""`cockroach workload run ycsb`: lines of each second and operation, then totals of each operation and of all.

Other workloads of that tool (TPC-C, kv, bank) print the same tables with operations of their own and are none of ours.
Times have one decimal, so the throughput here is the operations over the time, checked against the printed one. Errors
are counted over all operations: they stand under the one that writes, as reads rarely fail.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

from ycsbook import units
from ycsbook.ingest.log.runlog import RunLog, Summary
from ycsbook.ingest.log.status import OperationStatus
from ycsbook.ingest.readers.go_ycsb_rows import duration_ms
from ycsbook.ingest.readers.text_runs import CommandRun, command, counted, us
from ycsbook.operations import READ_MODIFY_WRITE, TOTAL

FORMAT = "cockroach-ycsb"
OPERATIONS = {"update": "UPDATE", "insert": "INSERT", "readModifyWrite": READ_MODIFY_WRITE, "delete": "DELETE",
              "scan": "SCAN", "read": "READ"}  # fmt: skip
ROUNDING = 0.05

_FIXED = r"(\d{1,15}\.\d)"
# Old releases print 1m30s.
_TIME = r"((?:\d{1,6}h)?(?:\d{1,6}m)?\d{1,9}(?:\.\d{1,9})?s)"
_INTERVAL = re.compile(rf"{_TIME}\s+(\d{{1,15}})\s+{_FIXED}" + rf"\s+{_FIXED}" * 5 + r"\s+(\w{1,40})", re.ASCII)
_TOTAL = re.compile(
    rf"{_TIME}\s+(\d{{1,15}})\s+(\d{{1,15}})\s+{_FIXED}" + rf"\s+{_FIXED}" * 5 + r"(?:\s+(\w{1,40}))?", re.ASCII
)
_PERCENTILES = (50.0, 95.0, 99.0)
_RESULT = re.compile(r"_elapsed___errors_{5}ops\(total\)___ops/sec\(cum\)\S{1,60}__(total|result)")
_OPTIONS = {
    name: re.compile(rf"--{option}[ =]'?({value})(?=['\s]|$)", re.ASCII)
    for name, option, value in (("threads", "concurrency", r"\d{1,7}"), ("workload", "workload", "[A-Fa-f]"),
                                ("target_ops_s", "max-rate", r"\d{1,9}(?:\.\d{1,6})?"))
}  # fmt: skip
_HEADER = re.compile(rb"^\s{0,12}_elapsed___errors__", re.MULTILINE)
_NAME = re.compile(rb"^\s{0,12}[\dhm.]+s\s+\d+(?:\s+\d+(?:\.\d)?)+ +([A-Za-z]\w*)\s*?$", re.MULTILINE)
_WORKLOAD = re.compile(rb"\bworkload run (\w+)")


def recognises(head: bytes, name: str = "") -> bool:
    """Whether its tables are in it, of YCSB's operations alone, also in a page that quotes them."""
    if not _HEADER.search(head) or any(name != b"ycsb" for name in _WORKLOAD.findall(head)):
        return False
    names = {match.decode() for match in _NAME.findall(head)}
    return names <= OPERATIONS.keys() and (bool(names) or b"ycsb" in head.lower())


@dataclass
class _Run(CommandRun):
    """`totals` by operation, "" that of all, as printed: s, errors, operations, per second, and ms; `table`: the last
    heading of totals; `seconds`: the lines before them, a line for each operation and second."""

    FORMAT = FORMAT
    COMMAND, OPTIONS = command(r"(?:cockroach )?workload run ycsb\b.{0,4000}"), _OPTIONS

    totals: dict[str, tuple[float, ...]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    table: str = ""
    seconds: list[tuple[int, re.Match]] = field(default_factory=list)

    @property
    def is_begun(self) -> bool:
        return bool(self.seconds or self.totals)

    @property
    def has_ended(self) -> bool:
        return "" in self.totals

    def take_line(self, number: int, text: str) -> bool:
        if match := _RESULT.fullmatch(text):
            if self.has_ended:
                return False
            self.table = match[1]
        elif self.table and (match := _TOTAL.fullmatch(text)):
            name = "" if self.table == "result" else match[10]
            if name == "" or name in OPERATIONS:
                self.totals[name], self.lines[name] = (_seconds(match[1]), *map(float, match.groups()[1:9])), number
            self.table = ""
        elif (match := _INTERVAL.fullmatch(text)) and match[9] in OPERATIONS:
            if self.totals:
                return False
            self.seconds.append((number, match))
        return True

    def _close_seconds(self, most: float) -> None:
        """Make intervals of the lines; rates and times are rounded, so that their counts may come to more than all."""
        operations, last_s = 0.0, 0.0
        for at_s, lines in groupby(self.seconds, key=lambda line: _seconds(line[1][1])):
            numbers, matches = zip(*lines, strict=True)
            statuses = [
                OperationStatus(OPERATIONS[name], float(n) * (at_s - last_s), math.nan, us(float(high)), us(float(p99)))
                for _, _, n, _, _, _, p99, high, name in (match.groups() for match in matches)
            ]
            operations, last_s = min(operations + sum(status.count for status in statuses), most), max(at_s, last_s)
            if all(status.count >= 0 for status in statuses):
                self.add_progress(numbers[-1], at_s, int(operations), statuses)

    def log(self) -> RunLog:
        time_s, errors, operations, rate, *_ = self.totals.get("", (math.nan, 0.0, math.inf, 0.0))
        self._close_seconds(operations)
        if self.command_line:
            self.columns["phase"] = "run"
        if not self.has_ended:
            return self.head()
        of_all = sum(total[2] for name, total in self.totals.items() if name)
        is_off = abs(rate * time_s - operations) > ROUNDING * (time_s + rate) + ROUNDING**2
        conflicts = {"operations": of_all and of_all != operations, "ops/sec(cum)": is_off}
        return self.with_figures(self.head(), self.lines[""], time_s, self._summaries(int(errors)), conflicts=conflicts)

    def _summaries(self, errors: int) -> Iterator[Summary]:
        for name in [name for name in OPERATIONS if name in self.totals] or [""]:
            _, _, count, _, mean, *percentiles, highest = self.totals[name]
            latencies = {"mean_us": us(mean), "max_us": us(highest),
                         "percentiles": tuple(zip(_PERCENTILES, map(us, percentiles), strict=True))}  # fmt: skip
            where = f"{self.source}:{self.lines[name]}"
            yield counted(OPERATIONS.get(name, TOTAL), int(count), errors, source=where, **latencies)
            errors = 0


def _seconds(printed: str) -> float:
    return duration_ms(printed) / units.MS_PER_S


parse = _Run.parse
