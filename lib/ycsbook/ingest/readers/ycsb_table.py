"""Tables whose columns are YCSB's own names, such as `[OVERALL].Throughput(ops/sec)`: CSV, Markdown, and data frames as
they are printed, also in notebooks. Each row is a run with what its columns say. Percentiles of several clients in one
row can only be averages."""

import csv
import re
from dataclasses import dataclass, field, replace

from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.log.summary import SummaryBuilder, key_of, number
from ycsbook.ingest.readers.text_runs import TextRun

FORMAT = "ycsb-table"
_RATE = "Throughput(ops/sec)"
_METRIC = re.compile(r"(?:\[([A-Z][A-Z_-]{1,40})\][\s.,:_-]{0,3})?(\S{1,60})", re.ASCII)
_SETTINGS = {
    re.compile(words, re.IGNORECASE): name
    for name, words in (("threads", r"(?:num[ _]?)?threads?(?:[ _]?count)?"), ("clients", r"(?:pod|client)s?[ _]count"),
                        ("target_ops_s", "target"), ("records", "record[ _]?(?:count|s)"), ("phase", "phase"))
}  # fmt: skip
# A string of a notebook's output.
_QUOTED = re.compile(r'\s+"(.*?)(?:\\n)?",?\s*')


def recognises(head: bytes, name: str = "") -> bool:
    """Whether there is a line of headings with YCSB's throughput and another of its names."""
    return any(_columns(line.decode(errors="replace")) for line in head.split(b"\n") if _RATE.encode() in line)


def _cells(text: str) -> list[str]:
    text = _QUOTED.sub(r"\1", text).strip()
    if text.startswith("|"):
        return [cell.strip() for cell in text.strip("|").split("|")]
    try:
        # YCSB's own lines have a comma between a name and its metric.
        by_comma = next(csv.reader([text]), []) if "], " not in text else []
    except csv.Error:  # a lone carriage return, a cell of 128 KiB: no row of a table
        return []
    return [cell.strip() for cell in (by_comma if len(by_comma) > 1 else re.split(r"\s{2,}|\t", text))]


def _column(heading: str) -> tuple[str, str]:
    """An operation and its metric, or "" and the setting that a column holds, "" for any other."""
    match = _METRIC.fullmatch(heading)
    if match and match[2] in (_RATE, "RunTime(ms)"):
        return "OVERALL", match[2]
    if match and match[1] and key_of(match[2]) is not None:
        return match[1], match[2]
    return "", next((name for words, name in _SETTINGS.items() if words.fullmatch(heading)), "")


def _columns(text: str) -> list[tuple[str, str]]:
    """What each column of a line of headings holds; empty: it is none."""
    columns = [_column(cell) for cell in _cells(text)[:500]]
    return columns if ("OVERALL", _RATE) in columns and sum(bool(name) for name, _ in columns) > 1 else []


@dataclass
class _Run(TextRun):
    """A row and its `line`; `header`: what its columns hold."""

    FORMAT = FORMAT

    header: list[tuple[str, str]] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)

    @property
    def is_begun(self) -> bool:
        return bool(self.cells)

    def following(self) -> "_Run":
        return _Run(self.source, header=self.header)

    def take(self, number: int, text: str, whole: bool) -> bool:
        header = _columns(text) if _RATE in text else []
        # A data frame prints the name of each row before its first column.
        cells = [] if header or not self.header else _cells(text)[-len(self.header) :]
        if header or (cells and self._is_row(cells)):
            if self.is_begun:
                return False
            self.header, self.cells, self.line, self.truncated = header or self.header, cells, number, not whole
        return True

    def _is_row(self, cells: list[str]) -> bool:
        return len(cells) == len(self.header) and number(cells[self.header.index(("OVERALL", _RATE))]) is not None

    def log(self) -> RunLog:
        summary = SummaryBuilder()
        for (operation, name), cell in zip(self.header, self.cells, strict=False):
            value = cell.lower() if name == "phase" else number(cell)
            if operation and value is not None:
                summary.add(operation, name, value, (self.source, self.line))
            elif name and value not in (None, ""):
                self.columns[name] = value
        fields = {} if self.truncated or not self.cells else summary.fields()
        if self.columns.get("clients", 1.0) > 1:
            fields["summaries"] = tuple(replace(s, averaged=bool(s.percentiles)) for s in fields.get("summaries", ()))
        return replace(self.head(), quoted=True, **fields)


parse = _Run.parse
