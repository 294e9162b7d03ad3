"""Which rows of a vendor's table are runs, and whether their cells stand where their headings say.

Tools that make text of HTML drop the cells that span rows: the other cells move left, and blank ones follow the last.
"""

import re
from collections.abc import Callable, Sequence

from ycsbook.errors import shown

_SUMMARY = re.compile(
    r"(?:grand[ -]?|sub[ -]?)?(?:totals?|sum|summary|averages?|avg|means?|medians?|max|maximum|min|minimum|geomean"
    r"|ratio|speed-?up|improvements?|diff|difference|delta|gain)(?![a-z0-9_])"
    r"|合计|总计|小计|总和|汇总|平均|均值|中位|最大|最小|提升|对比|增幅|差异|变化",
    re.IGNORECASE,
)
_NOTE = re.compile(r"(?:注|备注|说明|提示|notes?|remarks?|source|来源)\s{0,3}[:.\d]|[*※†]", re.IGNORECASE)


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
    """Puts the cells of one table's rows where they belong.

    Parameters
        columns: what each heading stands for (name and factor), None where it is no column of ours.
        spec_of: what tells a server's spec from other cells; falsy for those.
    """

    def __init__(self, columns: Sequence[tuple[str, float] | None], spec_of: Callable[[str], object] | None):
        names = [c[0] if c else "" for c in columns]
        self._names, self._spec_of = names, spec_of
        self._spec = names.index("spec") if "spec" in names else None
        self._blank: int | None = None  # how many cells at the end of the first row are blank
        self._counted: bool | None = None  # whether the first row begins with a number
        self._above: tuple[str, ...] = ()

    def aligned(self, cells: tuple[str, ...]) -> tuple[str, ...]:
        """The cells in their columns; those dropped on the left are the ones of the row above.

        A row is moved only where it shows by itself how far: its spec stands too far left by as many cells as are
        blank at its end.

        Raises
            ValueError: cells may have been dropped, and nothing shows which.
        """
        above, self._above = self._above, ()  # below a row that is refused nobody knows what was dropped
        width = len(self._names)
        if len(cells) > width:
            raise ValueError(f"got {len(cells)} cells, expected {width} as in the heading")
        row = (*cells, *[""] * (width - len(cells)))
        blank = _blank_at_end(row)
        if self._blank is None and len(cells) == width:
            self._blank, self._counted = blank, _is_number(row[0])
        dropped = blank - (self._blank or 0)
        moved = self._moved(row)
        if moved:
            if moved != dropped or not above:
                raise ValueError(f"its spec stands {moved} columns too far left, expected it below its heading")
            row = above[:moved] + row[: width - moved]
        elif len(cells) != width:
            raise ValueError(f"got {len(cells)} cells, expected {width} as in the heading")
        elif dropped > 0 and row[0]:
            raise ValueError(
                f"{dropped} more blank cells at its end than in the first row, so its cells may have moved left; "
                "expected - for what was not measured"
            )
        elif blank and row[0] and _is_number(row[0]) != self._counted:
            raise ValueError(f"begins with {shown(row[0])}, unlike the first row, so its cells may have moved left")
        self._above = row
        return row

    def _moved(self, row: tuple[str, ...]) -> int:
        """How many columns too far left the spec stands; 0: it does not, or several cells may be the spec."""
        if not self._spec or self._spec_of(row[self._spec]):
            return 0
        found = [at for at, cell in enumerate(row) if self._spec_of(cell)]
        # Only if all columns before the spec were dropped is it clear which those were.
        return self._spec if found == [0] else 0


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[\d.,]{1,20}", cell) is not None


def _blank_at_end(row: tuple[str, ...]) -> int:
    return next((i for i, cell in enumerate(reversed(row)) if cell), len(row))
