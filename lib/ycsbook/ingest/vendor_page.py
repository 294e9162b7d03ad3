"""A vendor's performance page: Markdown or HTML tables of throughput and latency per server spec.

What is read: pipe tables and raw `<table>` elements whose headings name at least the threads and the
throughput, in Chinese or English, under a section heading that prints the mix (`50:50`, `95:5`). The spec
stands in a column of its own or in a row of its own above its figures. Code fences are ignored, because
real pages leave them open.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from math import isnan, nan
from pathlib import Path

from ycsbook.errors import RunLogError, shown
from ycsbook.ingest.page_tables import Cells, Element, Heading, NewTable, Unclosed, elements

MAX_BYTES = 1_000_000


@dataclass(frozen=True)
class VendorRow:
    """One published measurement. A figure that the page leaves blank is NaN.

    Latencies in us (`ral_us`: mean read latency, `wal_us`: mean write latency), throughput in ops/s,
    `cpu_utilisation` and `read_fraction` 0 to 1, `line` counts the page's lines from 1.
    """

    line: int
    spec: str
    spec_label: str
    cores: float
    ram_gib: float
    workload: str
    read_fraction: float
    threads: int
    throughput_ops_s: float
    cpu_utilisation: float
    ral_us: float
    wal_us: float


def read_page(path: Path) -> list[VendorRow]:
    """The measurements on a vendor's page, in the page's order.

    Raises
        RunLogError: as parse_page; also unreadable, too large or not UTF-8.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise RunLogError(path, None, f"larger than {MAX_BYTES:,} bytes, which no vendor's page is")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as e:
        raise RunLogError(path, None, f"cannot be read as UTF-8 text: {e}") from None
    return parse_page(text, path)


def parse_page(text: str, path: str | Path) -> list[VendorRow]:
    """The measurements in the text of a vendor's page; `path` is what errors name.

    Latencies whose heading has no unit are microseconds, YCSB's unit since 0.4.

    Raises
        RunLogError: no such table, a junk cell, a row of another width than its headings, a row without
            spec, threads or mix, a measurement that stands twice, a table that is never closed.
    """
    reader = _PageReader(path)
    for element in elements(text):
        reader.take(element)
    if not reader.rows:
        raise RunLogError(path, None, "no table found whose headings name threads and throughput (QPS)")
    return reader.rows


class _PageReader:
    """Walks a page's headings and table rows and remembers which mix, columns and spec are in force."""

    def __init__(self, path: str | Path):
        self.path = path
        self.rows: list[VendorRow] = []
        self.mix: tuple[int, float] | None = None  # heading level, read fraction
        self.columns: list[tuple[str, float] | None] | None = None
        self.spec: tuple[str, float, float] | None = None  # label, cores, GiB
        self.seen: dict[tuple, int] = {}

    def take(self, element: Element) -> None:
        match element:
            case NewTable():
                self.columns = self.spec = None
            case Unclosed(line) if self.columns:
                raise RunLogError(self.path, line, "this <table> is never closed: the page was cut; fetch it again")
            case Heading(_, level, text):
                reads = read_fraction(text)
                if reads is not None:
                    self.mix = (level, reads)
                elif self.mix and level <= self.mix[0]:
                    self.mix = None
            case Cells():
                columns = self._columns(element)
                if columns:
                    self.columns, self.spec = columns, None
                elif self.columns:
                    self._row(element)

    def _columns(self, row: Cells) -> list[tuple[str, float] | None] | None:
        columns = [_column(cell) for cell in row.cells]
        names = [c[0] for c in columns if c]
        if not {"threads", "throughput_ops_s"} <= set(names):
            return None
        for name in names:
            if names.count(name) > 1:
                raise RunLogError(self.path, row.line, f"two columns are headed {name}, expected one")
        for cell, column in zip(row.cells, columns, strict=True):
            if column and isnan(column[1]):
                raise RunLogError(
                    self.path, row.line, f"heading {shown(cell)}: unknown unit, expected ops/s, us, ms or %"
                )
        return columns

    def _row(self, row: Cells) -> None:
        if not any(row.cells):
            return
        if row.cells[0] and not any(row.cells[1:]) and "spec" not in [c[0] for c in self.columns if c]:
            self.spec = self._spec(row.cells[0], row.line)
            return
        if len(row.cells) != len(self.columns):
            raise RunLogError(
                self.path, row.line, f"got {len(row.cells)} cells, expected {len(self.columns)} as in the heading"
            )
        found = {c[0]: (cell, c[1]) for cell, c in zip(row.cells, self.columns, strict=True) if c}
        if self.mix is None:
            raise RunLogError(self.path, row.line, "no section heading above says the read:update mix, such as 50:50")
        reads = self.mix[1]
        label, cores, ram = self._spec(found["spec"][0], row.line) if "spec" in found else self._section(row.line)
        figures = {
            name: self._figure(name, *found.get(name, ("", 1.0)), row.line)
            for name in ("threads", "throughput_ops_s", "cpu_utilisation", "ral_us", "wal_us")
        }
        threads = figures.pop("threads")
        if not (threads >= 1 and threads == int(threads)):
            raise RunLogError(
                self.path, row.line, f"threads: got {shown(found['threads'][0])}, expected a whole number from 1"
            )
        measured = VendorRow(
            row.line, slug(cores, ram), label, cores, ram, mix_name(reads), reads, int(threads), **figures
        )
        key = (measured.spec, measured.workload, measured.threads)
        if key in self.seen:
            raise RunLogError(self.path, row.line, f"{' '.join(map(str, key))} threads stands in line {self.seen[key]}")
        self.seen[key] = row.line
        self.rows.append(measured)

    def _section(self, line: int) -> tuple[str, float, float]:
        if self.spec is None:
            raise RunLogError(self.path, line, "no spec above these figures, expected a row or column such as 2核4G")
        return self.spec

    def _spec(self, cell: str, line: int) -> tuple[str, float, float]:
        match = _SPEC.fullmatch(cell)
        if not match or float(match["cores"]) == 0 or float(match["ram"]) == 0:
            raise RunLogError(
                self.path, line, f"spec: got {shown(cell)}, expected cores and RAM such as 2核4G or 8c 64GB"
            )
        return match["label"], float(match["cores"]), float(match["ram"])

    def _figure(self, name: str, cell: str, scale: float, line: int) -> float:
        if cell.lower() in _BLANK:
            return nan
        percent = name == "cpu_utilisation"
        match = _NUMBER.fullmatch(cell)
        if not match or bool(match["percent"]) > percent:
            raise RunLogError(self.path, line, f"{name}: got {shown(cell)}, expected a number")
        value = float(match["number"].replace(",", ""))
        if not percent:
            return value * scale
        if not match["percent"] and scale == 1.0:
            raise RunLogError(self.path, line, f"{name}: got {shown(cell)}, expected a percentage such as 74%")
        if value > 100:
            raise RunLogError(self.path, line, f"{name}: got {shown(cell)}, expected 0 to 100 %")
        return value / 100


def slug(cores: float, ram_gib: float) -> str:
    """A spec's name, such as 8c64g.

    Examples
        >>> slug(8, 64), slug(0.5, 1)
        ('8c64g', '0.5c1g')
    """
    return f"{cores:g}c{ram_gib:g}g"


def read_fraction(heading: str) -> float | None:
    """The share of reads that a section heading prints; None where it prints no mix.

    Examples
        >>> read_fraction("### 读&更新比95:5"), read_fraction("0.5read/0.5update"), read_fraction("测试数据")
        (0.95, 0.5, None)
    """
    match = _MIX.search(unicodedata.normalize("NFKC", heading))
    if not match:
        return None
    reads, writes = float(match[1]), float(match[2])
    total = round(reads + writes, 9)
    return reads / total if total in (1.0, 100.0) else None


def mix_name(reads: float) -> str:
    """The workload's name: a, b or c where it is YCSB's read/update mix, else such as r80.

    Examples
        >>> mix_name(0.5), mix_name(0.95), mix_name(1.0), mix_name(0.8)
        ('a', 'b', 'c', 'r80')
    """
    return {0.5: "a", 0.95: "b", 1.0: "c"}.get(reads, f"r{reads * 100:g}")


_BLANK = {"", "?", "-", "--", "–", "—", "/", "n/a"}
_NUMBER = re.compile(r"(?P<number>(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,9})?)\s*(?P<percent>%)?", re.ASCII)
_SPEC = re.compile(
    r"(?:.{0,80}?(?:规格|spec)\s*:?\s*)?"
    r"(?P<label>(?P<cores>\d{1,5}(?:\.\d{1,3})?)\s*(?:核|vcpus?|cpus?|cores?|c)"
    r"[\s,/+x]*(?P<ram>\d{1,6}(?:\.\d{1,3})?)\s*(?:gib|gi|gb|g))",
    re.IGNORECASE | re.ASCII,
)
_MIX = re.compile(r"(?<![\d.])(\d{1,3}(?:\.\d{1,6})?)\s*(?:%|reads?)?\s*[:/]\s*(\d{1,3}(?:\.\d{1,6})?)(?![\d.])")
_COLUMNS = {
    "spec": re.compile(r"规格|^spec"),
    "threads": re.compile(r"^(并发数?|(client)?threads?|线程数?|concurrency)$"),
    "throughput_ops_s": re.compile(r"^(qps|throughput|吞吐量?)$"),
    "ral_us": re.compile(r"ral$|读时延|readlatency"),
    "wal_us": re.compile(r"wal$|写时延|(write|update)latency"),
    "cpu_utilisation": re.compile(r"^cpu(利用率|使用率|utili[sz]ation|%)?$"),
}
_UNITS = {
    "spec": {"": 1.0},
    "threads": {"": 1.0},
    "throughput_ops_s": {"": 1.0, "ops/s": 1.0, "ops/sec": 1.0},
    "ral_us": {"": 1.0, "us": 1.0, "μs": 1.0, "ms": 1000.0},
    "wal_us": {"": 1.0, "us": 1.0, "μs": 1.0, "ms": 1000.0},
    "cpu_utilisation": {"": 1.0, "%": 0.01},
}


@lru_cache(maxsize=1000)
def _column(heading: str) -> tuple[str, float] | None:
    """The column a heading names and the factor of its unit (NaN: a unit we do not know); None: another one."""
    text = re.sub(r"\s", "", heading).lower()
    match = re.fullmatch(r"(.*?)(?:\(([^()]*)\))?", text)
    for name, pattern in _COLUMNS.items():
        if pattern.search(match[1]):
            return name, _UNITS[name].get(match[2] or "", nan)
    return None
