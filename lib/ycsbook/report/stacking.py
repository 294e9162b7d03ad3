"""Tables on a phone: wide ones stand row by row, each cell under the name of its column.

The style sheet (templates/blocks.css) does it where the screen is narrow. What it needs of a table is said once, in the
table's own style attribute, and not in every cell: a page of a thousand runs has thousands of them.
"""

import re

from ycsbook.report.blocks import Table

# Room on the narrowest usual phone, 360 px wide, in letters of 9 px; a gap between columns is as wide as two.
_ACROSS, _GAP = 36, 2
# Texts break into lines: how wide they are at least, where they are short and where they are longer than _LONG.
_BROKEN, _LONG, _READABLE = 12, 60, 20
# Behind a heading stands a sign for sorting.
_SIGN = 2
# Where figures are wider than this they stand two abreast, and a short text takes the room of one of them, else of two.
_HALF = 11
# The style sheet has a place for the names of so many columns.
MOST_COLUMNS = 14
_ESCAPED = re.compile(r'["\\\x00-\x1f\x7f]')


def letters(text: str) -> int:
    """How wide a text is, in Latin letters, of which a Chinese one takes two.

    Examples
        >>> letters("32核256G")
        8
    """
    return len(text) if text.isascii() else sum(1 if c < "\u2e80" else 2 for c in text)


def stacked(table: Table) -> bool:
    """Whether the table is wider than a phone, so that its rows are shown one below the other there."""
    if not table.rows() or len(table.columns) > MOST_COLUMNS:
        return False
    across = 0
    for column, longest in zip(table.columns, _widest(table), strict=True):
        # A heading breaks at its spaces.
        heading = max(map(letters, column.heading.split()), default=0) + _SIGN
        room = longest if column.align == "right" else min(longest, _BROKEN if longest <= _LONG else _READABLE)
        across += _GAP + max(heading, room)
    return across > _ACROSS


def properties(table: Table) -> str:
    """What the style sheet needs of a stacked table, as the declarations of a style attribute.

    `--room` is how wide its figures are, `--span` how many such rooms a short text takes, `--c1` and so on are the
    headings, which stand before the cells of their columns.
    """
    columns = table.columns
    room = max((n for n, c in zip(_widest(table), columns, strict=True) if c.align == "right"), default=0)
    names = (f"--c{i}:{quoted(column.heading)}" for i, column in enumerate(columns, 1))
    return ";".join([f"--room:{room}ch", f"--span:{1 if room > _HALF else 2}", *names])


def quoted(text: str) -> str:
    """A text as a style sheet's string; whoever puts it into an attribute escapes it for that.

    Examples
        >>> print(quoted('so called "QPS"'))
        "so called \\22 QPS\\22 "
    """
    return '"' + _ESCAPED.sub(lambda found: f"\\{ord(found[0]):x} ", text) + '"'


def _widest(table: Table) -> list[int]:
    """How wide each column's widest cell is; of a table with rows."""
    return [max(map(letters, cells)) for cells in zip(*(row.cells for row in table.rows()), strict=True)]
