"""A vendor's performance page: Markdown or HTML tables of throughput and latency per server spec.

What is read: pipe tables and raw `<table>` elements whose headings name at least the threads and the
throughput, in Chinese or English, under a section heading that prints the mix (`50:50`, `95:5`) or with a column
for it. The spec stands in a column of its own (or in one for the cores and one for the RAM), in a row of its own above
its figures, or in a section heading. Code fences are ignored, because real pages leave them open.
"""

import re
from dataclasses import dataclass
from math import isnan, nan
from pathlib import Path

from ycsbook.errors import RunLogError, shown
from ycsbook.ingest.page_columns import column, mix
from ycsbook.ingest.page_tables import LOWEST_LEVEL, Cells, Element, Heading, NewTable, Unclosed, elements
from ycsbook.ingest.shapes import Shape, shape, shape_inside, slug

MAX_BYTES = 4_000_000


@dataclass(frozen=True)
class VendorRow:
    """One published measurement. A figure that the page leaves blank is NaN.

    Latencies in us (`ral_us`: mean read latency, `wal_us`: mean write latency), throughput in ops/s,
    `cpu_utilisation` and `read_fraction` 0 to 1, `line` counts the page's lines from 1. `workload` is empty and
    `read_fraction` NaN where the mix is not printed, likewise `spec`, `cores` and `ram_gib`.
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


def parse_page(text: str, path: str | Path, *, strict: bool = True) -> list[VendorRow]:
    """The measurements in the text of a vendor's page; `path` is what errors name.

    Latencies headed RAL or WAL without a unit are microseconds, YCSB's unit since 0.4.

    Parameters
        strict: whether a row whose mix or spec the page prints nowhere is an error; otherwise they are missing.
    Raises
        RunLogError: no such table, a junk cell, a row of another width than its headings, a row without
            spec, threads or mix, a measurement that stands twice, a table that is never closed.
    """
    reader = _PageReader(path, strict)
    for element in elements(text):
        reader.take(element)
    if not reader.rows:
        raise RunLogError(path, None, "no table found whose headings name threads and throughput (QPS)")
    return reader.rows


def is_page(text: str) -> bool:
    """Whether there is a table whose headings name the threads and the throughput."""
    return any(isinstance(e, Cells) and _is_heading_row(e.cells) for e in elements(text))


class _PageReader:
    """Walks a page's headings and table rows and remembers which mix, columns and spec are in force."""

    def __init__(self, path: str | Path, strict: bool):
        self.path = path
        self.strict = strict
        self.rows: list[VendorRow] = []
        self.mix: tuple[int, tuple[str, float]] | None = None  # heading level, name and read fraction
        self.section: tuple[int, Shape] | None = None  # heading level, spec
        self.columns: list[tuple[str, float] | None] | None = None
        self.spec: Shape | None = None  # of the table's row above
        self.seen: dict[tuple, int] = {}

    def take(self, element: Element) -> None:
        match element:
            case NewTable():
                self.columns = self.spec = None
            case Unclosed(line) if self.columns:
                raise RunLogError(self.path, line, "this <table> is never closed: the page was cut; fetch it again")
            case Heading(_, level, text):
                self._heading(level, text)
            case Cells():
                if _is_heading_row(element.cells):
                    self.columns, self.spec = self._columns(element), None
                elif self.columns:
                    self._row(element)

    def _heading(self, level: int, text: str) -> None:
        # A bold line ends no section: pages print a spec below a mix, both in bold.
        ends = level < LOWEST_LEVEL
        if (printed := mix(text)) is not None:
            self.mix = (level, printed)
        elif self.mix and level <= self.mix[0] and ends:
            self.mix = None
        if (spec := shape_inside(text)) is not None:
            self.section = (level, spec)
        elif self.section and level <= self.section[0] and ends:
            self.section = None

    def _columns(self, row: Cells) -> list[tuple[str, float] | None]:
        columns = [column(cell) for cell in row.cells]
        names = [c[0] for c in columns if c]
        for name in names:
            if names.count(name) > 1:
                raise RunLogError(self.path, row.line, f"two columns are headed {name}, expected one")
        for cell, found in zip(row.cells, columns, strict=True):
            if found and isnan(found[1]):
                reason = f"heading {shown(cell)}: unknown unit, expected ops/s, us, ms, % or GB"
                raise RunLogError(self.path, row.line, reason)
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
        workload, reads = self._mix(found.get("mix", ("", 1.0))[0], row.line)
        label, cores, ram = self._shape(found, row.line)
        figures = {
            name: self._figure(name, *found.get(name, ("", 1.0)), row.line)
            for name in ("threads", "throughput_ops_s", "cpu_utilisation", "ral_us", "wal_us")
        }
        threads = figures.pop("threads")
        if not (threads >= 1 and threads == int(threads)):
            raise RunLogError(
                self.path, row.line, f"threads: got {shown(found['threads'][0])}, expected a whole number from 1"
            )
        spec = slug(cores, ram) if label else ""
        measured = VendorRow(row.line, spec, label, cores, ram, workload, reads, int(threads), **figures)
        key = (measured.spec, measured.workload, measured.threads)
        if key in self.seen:
            raise RunLogError(
                self.path, row.line, f"{' '.join(str(k) for k in key if k)} threads stands in line {self.seen[key]}"
            )
        self.seen[key] = row.line
        self.rows.append(measured)

    def _mix(self, cell: str, line: int) -> tuple[str, float]:
        printed = mix(cell) or _letter(cell) or (self.mix[1] if self.mix else None)
        if printed is None and self.strict:
            raise RunLogError(self.path, line, "no section heading above says the read:update mix, such as 50:50")
        return printed or ("", nan)

    def _shape(self, found: dict[str, tuple[str, float]], line: int) -> Shape:
        if "spec" in found:
            # Markdown has no cell over several rows: those below are left blank.
            cell = found["spec"][0]
            self.spec = self.spec if self.spec and not cell else self._spec(cell, line)
            return self.spec
        if {"cores", "ram_gib"} <= found.keys():
            (cores, _), (ram, _) = found["cores"], found["ram_gib"]
            return self._spec(f"{_digits(cores)}c{_digits(ram)}g", line)._replace(label=f"{cores} {ram}")
        spec = self.spec or (self.section[1] if self.section else None)
        if spec is None and self.strict:
            raise RunLogError(self.path, line, "no spec above these figures, expected a row or column such as 2核4G")
        return spec or Shape("", nan, nan)

    def _spec(self, cell: str, line: int) -> Shape:
        found = shape(cell)
        if found is None:
            raise RunLogError(
                self.path, line, f"spec: got {shown(cell)}, expected cores and RAM such as 2核4G or 8c 64GB"
            )
        return found

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


def _is_heading_row(cells: tuple[str, ...]) -> bool:
    return {c[0] for c in map(column, cells) if c} >= {"threads", "throughput_ops_s"}


def _letter(cell: str) -> tuple[str, float] | None:
    """The workload that a cell names by its letter; of its mix nothing is said."""
    return (cell.lower(), nan) if _LETTER.fullmatch(cell) else None


def _digits(cell: str) -> str:
    """The number of a cell that may repeat its heading's unit."""
    match = _AMOUNT.fullmatch(cell)
    return match[1] if match else cell


_BLANK = {"", "?", "-", "--", "–", "—", "/", "n/a"}
_NUMBER = re.compile(r"(?P<number>(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})(?:\.\d{1,9})?)\s*(?P<percent>%)?", re.ASCII)
_LETTER = re.compile(r"[A-Fa-f]")
_AMOUNT = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)\s*(?:核|cores?|vcpus?|c|gib|gi|gb|g)?", re.IGNORECASE | re.ASCII)
