"""YCSB-C and its forks: `# Transaction throughput (KTPS)`, and below it or behind it the figure.

The figure is thousands of operations per second with six digits. Loads tell how many records were stored, and forks
print their rate; of a run nothing is printed but its rate, so that it stands as an excerpt: what failed is not known.
The database has no column of its own and stands as the version of the server, so that rows of two of them are not
taken for repeats.
"""

import math
import re
from dataclasses import dataclass, field, replace

from ycsbook import units
from ycsbook.ingest.log import labels
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.readers.text_runs import TextRun, counted
from ycsbook.secrets import redact

FORMAT = "ycsb-c"

_RATE = r"(\d{1,9}(?:\.\d{1,9})?(?:e[+-]\d{1,3})?)"
_RECORDS = re.compile(r"# Loading records:\s{1,9}(\d{1,15})(?: takes .{1,40})?", re.ASCII)
_THROUGHPUT = re.compile(rf"# (Load|Transaction|Run) throughput \(K(?:TPS|OPS)\)(?::?\s{{1,9}}{_RATE})?", re.ASCII)
# The database, the file of the workload, the threads, and where they stand below the label the figure.
_ROW = re.compile(
    rf"(?:Load_stage: )?(\S{{1,60}})\s{{1,9}}(\S{{1,300}})\s{{1,9}}(\d{{1,6}})(?:\s{{1,9}}{_RATE})?", re.ASCII
)
_COMMAND = re.compile(r"(?:\S{0,200}[#$>%] ?)?((?:\S{0,300}/)?ycsbc\s(?=.{0,2000}-db\s).{1,4000})")
_HEAD = re.compile(
    rb"^[ \t]{0,8}# (?:(?:Load|Transaction|Run) throughput \(K(?:TPS|OPS)\)|Loading records:[ \t]+\d{1,15})",
    re.MULTILINE,
)


@dataclass
class _Run(TextRun):
    """A load or a run: `records` that were loaded for it; `label`: what the row that follows is of; `rate` in ops/s."""

    FORMAT, HEAD = FORMAT, _HEAD

    records: float = math.nan
    label: str = ""
    settings: dict[str, float | str] = field(default_factory=dict)
    rate: float = math.nan

    def following(self) -> "_Run":
        return _Run(self.source, command_line=self.command_line, records=self.records, settings=self.settings)

    def take(self, number: int, text: str, whole: bool) -> bool:
        text, has_ended = text.strip(), self.rate >= 0
        if not whole:
            self.truncated |= not has_ended
        elif match := _RECORDS.fullmatch(text):
            if has_ended:
                return False
            self.records, self.line = float(match[1]), number
        elif match := _THROUGHPUT.fullmatch(text):
            if has_ended:
                return False
            self.label, self.line = match[1], number
            self._take_rate(number, match[2])
        elif "ycsbc" in text and (match := _COMMAND.fullmatch(text)):
            if self.is_begun:
                return False
            self.command_line = redact(match[1])
        elif (match := _ROW.fullmatch(text)) and bool(match[4]) == bool(self.label) and not has_ended:
            self.settings = {"server_version": match[1], "threads": float(match[3]), **_workload(match[2])}
            self._take_rate(number, match[4])
        return True

    def _take_rate(self, number: int, printed: str | None) -> None:
        if printed:
            self.rate, self.line = float(printed) * 1000, number

    def log(self) -> RunLog:
        is_load = self.label == "Load"
        self.columns |= self.settings | {"phase": "load" if is_load else "run"}
        if self.records > 0:
            self.columns["records"] = self.records
        log = self.head(truncated=self.truncated or not self.rate >= 0)
        if not self.rate > 0:
            return log
        log = replace(log, overall_count=1, throughput_ops_s=self.rate, source=f"{self.source}:{self.line}")
        if not (is_load and self.records > 0):
            return log
        return replace(
            log,
            runtime_ms=self.records / self.rate * units.MS_PER_S,
            summaries=(counted("INSERT", int(self.records), source=log.source),),
        )


def _workload(file: str) -> dict[str, float | str]:
    said = labels.settings_of_text(file.rpartition("/")[2])
    return {"workload": said["workload"]} if "workload" in said else {}


recognises, parse = _Run.recognises, _Run.parse
