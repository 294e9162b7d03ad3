"""Which rows of a vendor's table are runs, of which server, and whether their cells stand where their headings say.

A row's server is that of its own cells, of a row or of a section above them. Tools that make text of HTML drop the
cells that span rows: the other cells move left, and blank ones follow the last. Such rows are refused.
"""

import re
from math import isnan, nan
from typing import NamedTuple

from ycsbook.errors import shown
from ycsbook.ingest.log.labels import SpecShape, named, shape, shape_inside, slug, variant, words
from ycsbook.ingest.published.page_cells import RowError

MAX_SLUG = 64

_SUMMARY = re.compile(
    r"(?:grand[ -]?|sub[ -]?)?(?:totals?|sum|summary|averages?|avg|means?|medians?|max|maximum|min|minimum|geomean"
    r"|ratio|speed-?up|improvements?|diff|difference|delta|gain)(?![a-z0-9_])"
    r"|合计|总计|小计|总和|汇总|平均|均值|中位|最大|最小|提升|对比|增幅|差异|变化",
    re.IGNORECASE,
)
_NOTE = re.compile(r"(?:注|备注|说明|提示|notes?|remarks?|source|来源)\s{0,3}[:.\d]|[*※†]", re.IGNORECASE)
_AMOUNT = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)\s*(?:核|cores?|vcpus?|c|gib|gi|gb|g)?", re.IGNORECASE | re.ASCII)


def is_summary(cell: str) -> bool:
    """Whether a cell says that its row sums up or compares others.

    Examples
        >>> is_summary("Total"), is_summary("平均值"), is_summary("Max-8c"), is_summary("8c64g")
        (True, True, True, False)
    """
    return _SUMMARY.match(cell) is not None


def is_note(cell: str) -> bool:
    """Whether a cell begins as notes below tables do.

    Examples
        >>> is_note("注: 3 次平均"), is_note("* of three runs"), is_note("M30")
        (True, True, False)
    """
    return _NOTE.match(cell) is not None


class Alignment:
    """Whether the cells of one table's rows stand below their headings.

    Parameters
        width: how many headings there are.
    """

    def __init__(self, width: int):
        self._width = width
        self._blank: int | None = None  # how many cells at the end of the first row are blank
        self._counted = False  # whether the first row begins with a number

    def check(self, cells: tuple[str, ...]) -> None:
        """Raises RowError: cells may have been dropped."""
        if len(cells) != self._width:
            raise RowError(f"got {len(cells)} cells, expected {self._width} as in the heading")
        blank = next((i for i, cell in enumerate(reversed(cells)) if cell), len(cells))
        if self._blank is None:
            self._blank, self._counted = blank, _is_number(cells[0])
        if not cells[0]:
            return
        if (dropped := blank - self._blank) > 0:
            raise RowError(
                f"{dropped} more blank cells at its end than in the first row, so its cells may have moved left; "
                "expected - for what was not measured"
            )
        if blank and _is_number(cells[0]) != self._counted:
            raise RowError(f"begins with {shown(cells[0])}, unlike the first row, so its cells may have moved left")


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[\d.,]{1,20}", cell) is not None


class PageSpec(NamedTuple):
    """A server as a table names it: its slug, its shape."""

    slug: str
    shape: SpecShape


NO_SPEC = PageSpec("", SpecShape("", nan, nan))


class PageSpecs:
    """Walks along with the reader of a page and remembers which spec is in force."""

    def __init__(self):
        self.current: PageSpec | None = None  # of the table's row above
        self.section: tuple[int, PageSpec] | None = None  # heading level, spec
        self.unknown: int | None = None  # the line of a row above that stands where specs do and is none
        self.variants: dict[str, list[str]] = {}  # of a slug: what its labels say in brackets

    def new_table(self) -> None:
        """Rows of the table before say nothing of this one's."""
        self.current = self.unknown = None

    def heading(self, level: int, text: str, *, ends: bool) -> None:
        """Take a section heading; `ends`: it ends the section above it."""
        if (spec := shape_inside(text)) is not None:
            self.section = (level, self._known(slug(spec.cores, spec.ram_gib), spec))
        elif self.section and level <= self.section[0] and ends:
            self.section = None

    def of_row(self, by_column: dict[str, tuple[str, float]], line: int) -> PageSpec:
        """The server of a row, by its own cells where it has any; `by_column`: cells by the name of their column.

        Raises
            RowError: neither the row nor those above say which.
        """
        parts = [by_column[name][0] for name in ("cores", "ram_gib") if name in by_column]
        by_parts = len(parts) == 2 and any(parts)
        if "spec" in by_column:
            # Markdown has no cell over several rows: those below are left blank.
            cell = by_column["spec"][0]
            if cell or not self.current:
                self.take(cell, line)
            return self._with_parts(*parts) if by_parts else self.current
        if len(parts) == 2 and (by_parts or not self.current):
            self.take("c".join(map(_digits, parts)) + "g", line)
            server = self.current
            self.current = server._replace(shape=server.shape._replace(label=" ".join(parts)))
            return self.current
        if self.unknown is not None:
            raise RowError(
                f"spec: the row above in line {self.unknown} names none, expected cores and RAM such as 2核4G"
            )
        return self.current or (self.section[1] if self.section else NO_SPEC)

    def _with_parts(self, cores: str, ram: str) -> PageSpec:
        """The spec of a name, with the cores and RAM that columns of their own print."""
        printed = shape(f"{_digits(cores)}c{_digits(ram)}g")
        by_name = self.current.shape
        if printed is None or not (isnan(by_name.cores) or by_name[1:] == printed[1:]):
            raise RowError(f"cores and RAM: got {shown(cores)} and {shown(ram)}, expected those of {by_name.label}")
        return self.current._replace(shape=printed._replace(label=by_name.label))

    def take(self, cell: str, line: int) -> None:
        """What the cell names is the spec from here on; rows below one that is not understood have none."""
        self.current, self.unknown = None, line
        printed = shape(cell)
        server = (slug(printed.cores, printed.ram_gib), printed) if printed else named(cell)
        if server is None:
            raise RowError(f"spec: got {shown(cell)}, expected cores and RAM such as 2核4G or 8c 64GB")
        self.current, self.unknown = self._known(*server), None

    def _known(self, name: str, printed: SpecShape) -> PageSpec:
        """The spec with a slug of its own: dedicated servers are no repeats of shared ones of their shape."""
        printed = printed._replace(label=printed.label.replace("\n", " "))
        in_brackets = variant(printed.label).casefold()
        others = self.variants.setdefault(name, [])
        if in_brackets not in others:
            others.append(in_brackets)
        at = others.index(in_brackets)
        return PageSpec(f"{name}-{words(in_brackets) or at + 1}"[:MAX_SLUG] if at else name, printed)


def _digits(cell: str) -> str:
    """The number of a cell that may repeat its heading's unit."""
    match = _AMOUNT.fullmatch(cell)
    return match[1] if match else cell
