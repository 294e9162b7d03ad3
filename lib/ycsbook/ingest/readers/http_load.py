"""What wrk, ab and hey print of one run against a web server, alone or in a page: calls are REQUEST.

Each connection waits for its answer, so connections are the threads. A label that comes again begins the next run. The
throughput is the requests over the time, checked against the printed rate. Answers that are no success, and requests
that the network lost, failed. hey prints no number of requests but those of its answers.
wrk's latencies are none that it measured: it adds those of requests that it would have sent meanwhile, at even times.
"""

import math
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from ycsbook import units
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.readers.text_runs import REMARK, CommandRun, command, counted

FORMAT = "http-load"
REQUEST = "REQUEST"
# How far the printed rate may be off what the printed time and requests give: two or three digits of each.
RATE_TOLERANCE = 0.005
# From here on its two decimals are worth more than those of minutes.
LEAST_RATE = 10.0
# hey prints both with four decimals.
HEY_ROUNDING = 1e-4

_N, _X = r"\d{1,15}", r"\d{1,12}(?:\.\d{1,9})?"
_UNITS_S = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "secs": 1.0, "seconds": 1.0, "m": 60.0, "h": 3600.0}
_TIME = rf"{_X} ?(?:{'|'.join(_UNITS_S)})"
_SPLIT = re.compile(r"([\d.]+) ?([a-z]*)", re.ASCII)
_LINES = [re.compile(line, re.ASCII) for line in (
    # wrk
    rf"{_N} threads? and (?P<threads>{_N}) connections?",
    rf"Latency\s+(?P<mean>{_TIME})\s+{_TIME}\s+(?P<max>{_TIME})\s+{_X}%",
    rf"(?P<count>{_N}) requests in (?P<time>{_TIME}), {_X}[KMGT]?B read",
    rf"Socket errors: (?P<lost>connect {_N}, read {_N}, write {_N}, timeout {_N})",
    rf"Non-2xx (?:or 3xx )?responses:\s+(?P<refused>{_N})",
    rf"Requests/sec:\s+(?P<rate>{_X})",
    # ab
    rf"Concurrency Level:\s+(?P<threads>{_N})",
    rf"Time taken for tests:\s+(?P<time>{_X} seconds)",
    rf"Complete requests:\s+(?P<count>{_N})",
    rf"Failed requests:\s+(?P<failed>{_N})",
    rf"Requests per second:\s+(?P<rate>{_X}) \[#/sec\] \(mean\)",
    rf"Time per request:\s+(?P<mean>{_X}) \[ms\] \(mean\)",
    rf"Total:\s+(?P<min>{_N})\s+{_N}(?:\s+{_X}\s+{_N})?\s+(?P<max>{_N})",
    # hey
    rf"Total:\s+(?P<time>{_TIME})",
    rf"Slowest:\s+(?P<max>{_TIME})",
    rf"Fastest:\s+(?P<min>{_TIME})",
    rf"Average:\s+(?P<mean>{_TIME})",
)]  # fmt: skip
_PERCENTILE = re.compile(
    rf"(\d{{1,3}}(?:\.\d{{1,6}})?)%(?: in)?\s+({_X} ?[a-z]{{0,4}})(?: \(longest request\))?", re.ASCII
)
_ANSWERS = re.compile(rf"\[(\d{{1,3}})\]\s+(?:({_N}) responses|\S.{{1,400}})", re.ASCII)
_FENCE = ("```", "~~~")
_REMARK = re.compile(rf"\s+{REMARK}")
# What may stand below the rate of its own report, unless that was put first: whatever else does is of the next.
_BELOW_RATE = {"mean", "min", "max"}
_HEAD = re.compile(
    rb"^[ \t]{0,8}(?:\d+ requests in [\d.]+[a-z]+, [\d.]+[KMGT]?B read|Requests per second:\s+[\d.]+ \[#/sec\] \(mean\)"
    rb"|Summary:[ \t]*\r?\n(?:[ \t]+[A-Z]\w+:[^\n]*\n){3,6}[ \t]+Requests/sec:\s+\d)",
    re.MULTILINE,
)


@dataclass
class _Run(CommandRun):
    """`figures` by label, as printed; `answers` by status, and "" those that never came; `has_ended`: what follows is
    another's; `is_wrk`: it is wrk's."""

    FORMAT, HEAD = FORMAT, _HEAD
    COMMAND = command(r"(?:wrk2?|ab|hey)\s.{0,2000}https?://.{1,1000}")
    OPTIONS: ClassVar = {"threads": re.compile(rf"\s-c ?({_N})\s")}

    figures: dict[str, str] = field(default_factory=dict)
    percentiles: dict[float, float] = field(default_factory=dict)
    answers: dict[str, int] = field(default_factory=dict)
    has_ended: bool = False
    is_wrk: bool = False

    def take_line(self, number: int, text: str) -> bool:
        text = _REMARK.sub("", text)
        if match := next((match for line in _LINES if (match := line.fullmatch(text))), None):
            names = match.groupdict().keys()
            is_below = "rate" in [*self.figures][1:] and not names <= _BELOW_RATE
            if self.has_ended or is_below or not names.isdisjoint(self.figures):
                return False
            self.figures |= match.groupdict()
            self.line = number
            self.is_wrk |= "Requests/sec" in text and "count" in self.figures
            self.has_ended |= self.is_wrk
        elif match := _PERCENTILE.fullmatch(text):
            self.percentiles.setdefault(float(match[1]), _us(match[2]))
            self.has_ended |= match[0].endswith("(longest request)")
        elif match := _ANSWERS.fullmatch(text) if "rate" in self.figures else None:
            name, n = (match[1], match[2]) if match[2] else ("", match[1])
            self.answers[name] = self.answers.get(name, 0) + int(n)
        elif text.startswith(_FENCE):
            self.has_ended |= "rate" in self.figures
        return True

    def log(self) -> RunLog:
        time_s = _seconds(self.figures.get("time", ""))
        lost = sum(map(int, re.findall(r"\d+", self.figures.get("lost", "")))) + self.answers.get("", 0)
        count = int(self.figures.get("count", sum(self.answers.values()) - self.answers.get("", 0)))
        by_status = sum(n for status, n in self.answers.items() if status.startswith(("4", "5")))
        refused = max(by_status, *(int(self.figures.get(name, 0)) for name in ("refused", "failed")))
        rate = float(self.figures.get("rate", math.nan))
        # hey's rate is that of all requests, answered or not; it tells whether all answers are there.
        printed = count + (lost if self.answers else 0)
        slack = HEY_ROUNDING * (rate + time_s) if self.answers else RATE_TOLERANCE * printed
        agrees = abs(printed - rate * time_s) <= max(0.5, slack)
        is_whole = self.has_ended or (bool(self.answers) and agrees and not self.truncated)
        if not (is_whole and count and time_s > 0):
            return self.head(truncated=not is_whole)
        if self.figures["time"].endswith(("m", "h")) and rate >= LEAST_RATE and agrees:
            time_s = count / rate
        where = f"{self.source}:{self.line}"
        latencies = {f"{name}_us": _us(self.figures.get(name, "")) for name in ("mean", "min", "max")}
        percentiles = tuple(sorted(item for item in self.percentiles.items() if item[0] < 100))
        request = counted(REQUEST, count - refused, refused + lost, source=where, **latencies, percentiles=percentiles)
        if "threads" in self.figures:
            self.columns["threads"] = float(self.figures["threads"])
        self.columns["phase"] = "run"
        log = replace(self.head(truncated=False), intended=self.is_wrk)
        return self.with_figures(log, self.line, time_s, [request], conflicts={"rate": not agrees})


def parse_operation(path: Path, operation: str) -> list[RunLog]:
    """The runs of a file whose requests are all one operation, such as find-key. Raises RunLogError."""
    name = operation.upper().replace("-", "_")
    return [
        replace(log, summaries=tuple(replace(summary, operation=name) for summary in log.summaries))
        for log in parse([Source(path)])
    ]


def _us(printed: str) -> float:
    return round(_seconds(printed, "ms") * units.US_PER_S, 3)


def _seconds(printed: str, unit: str = "s") -> float:
    """A time in s; `unit`: where none is printed. NaN for what is none."""
    match = _SPLIT.fullmatch(printed)
    return float(match[1]) * _UNITS_S.get(match[2] or unit, math.nan) if match else math.nan


recognises, parse = _Run.recognises, _Run.parse
