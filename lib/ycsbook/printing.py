"""Prints the commands' output: tables for people, JSON for scripts."""

import json
import math
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import compress, zip_longest
from typing import TextIO

from rich.cells import cell_len, chop_cells

from ycsbook import messages, names
from ycsbook.errors import one_line
from ycsbook.messages.formats import within

_NARROWEST = 40
_BETWEEN = "  "
# A space at which no line ends.
_TIED = "\N{NO-BREAK SPACE}"
# Longer words than this, such as paths, are broken before other columns get narrow.
_LONG = 30
# What stands under a row is indented so far.
_BELOW = 4
_FIGURE = re.compile(r"[≥~<>−-]? ?[\d.,]+(?:\s?%| [kMG]B)?|[–?]|unknown|")


def table(
    heads: Sequence[str], rows: Sequence[Sequence[object]], below: Sequence[str] = (), under: Sequence[str] = ()
) -> None:
    """A table on stdout, no wider than the terminal: what is too long goes on in the next line, heads included.
    `below`: a sentence for each row, printed under it; of neighbours with the same sentence under the last. `under`:
    heads of columns that are printed there instead, where the table would be wider than the terminal."""
    heads, *texts = [[one_line(str(cell)).replace(" %", f"{_TIED}%") for cell in row] for row in (heads, *rows)]
    columns = list(zip(heads, *texts, strict=True))
    natural = sum(max(map(cell_len, column)) + len(_BETWEEN) for column in columns) - len(_BETWEEN)
    if under and natural > (_width() or 200):
        is_moved = [head.replace(_TIED, " ") in under for head in heads]
        moved = [[f"{head}: {cell}" for cell in cells] for head, *cells in compress(columns, is_moved)]
        below = ["; ".join(filter(None, parts)) for parts in zip(*moved, below or [""] * len(rows), strict=True)]
        columns = [column for column, moves in zip(columns, is_moved, strict=True) if not moves]
        heads, *texts = zip(*columns, strict=True)
    widths = _widths(columns, _width() or 200)
    numeric = [all(map(_FIGURE.fullmatch, column[1:])) and any(column[1:]) for column in columns]
    _print_row(heads, widths, numeric)
    print("─" * (sum(widths) + len(_BETWEEN) * (len(widths) - 1)))
    for i, row in enumerate(texts):
        _print_row(row, widths, numeric)
        if below and below[i] and (i + 1 == len(rows) or below[i + 1] != below[i]):
            paragraph(" " * _BELOW + below[i], indent=" " * _BELOW)
    print()


def _widths(columns: list[Sequence[str]], room: int) -> list[int]:
    """The widths of the columns: the widest shrinks first, to its longest word, and then further."""
    widths = [max(map(cell_len, column)) for column in columns]
    words = [[word for cell in column for word in cell.split(" ")] for column in columns]
    least = [min(max(map(cell_len, column_words)), _LONG) for column_words in words]
    room -= len(_BETWEEN) * (len(columns) - 1)
    while sum(widths) > room and any(width > 2 for width in widths):
        able = [i for i, width in enumerate(widths) if width > least[i]] or range(len(widths))
        widths[max(able, key=lambda i: widths[i])] -= 1
    return widths


def _print_row(cells: Sequence[str], widths: list[int], numeric: list[bool]) -> None:
    lines = [_wrapped(cell, width) for cell, width in zip(cells, widths, strict=True)]
    for parts in zip_longest(*lines, fillvalue=""):
        spaces = [" " * (width - cell_len(part)) for part, width in zip(parts, widths, strict=True)]
        padded = (space + part if at else part + space for part, space, at in zip(parts, spaces, numeric, strict=True))
        print(_BETWEEN.join(padded).rstrip().replace(_TIED, " "))


def _wrapped(text: str, width: int) -> list[str]:
    """The lines of a text; textwrap knows nothing of wide characters."""
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and cell_len(lines[-1]) + 1 + cell_len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines[len(lines) - (not lines[-1]) :] = chop_cells(word, width) or [""]
    return lines


def paragraph(text: str, *, indent: str = "", file: TextIO | None = None) -> None:
    """Print a text, its lines as wide as the terminal, all but the first indented; as one line in a pipe."""
    if width := _width():
        words = text.lstrip(" ").replace(" %", f"{_TIED}%")
        lines = _wrapped(_TIED * (len(text) - len(text.lstrip(" "))) + words, width - len(indent))
        text = f"\n{indent}".join(lines).replace(_TIED, " ")
    print(text, file=file)


def _width() -> int | None:
    """The width for lines: COLUMNS, else the terminal's; None in a pipe."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit():
        return max(shutil.get_terminal_size().columns, _NARROWEST)
    return None


def threads(n: float) -> str:
    return "unknown" if math.isnan(n) else f"{n:g}"


def interval(low: float, high: float) -> str:
    """The interval of a ratio in a cell; empty where it is not known."""
    return "" if math.isnan(low) else f"{within(low, low, high)} to {within(high, low, high)}"


def mixes(table) -> list[str]:
    """The mix of each row of a table with `workload` and `read_fraction`, such as 50:50."""
    mix_by_workload = {workload: messages.say(mix) for workload, mix in names.mixes(table).items()}
    return [mix_by_workload[workload] for workload in table["workload"]]


def records(frame) -> list[dict]:
    """The rows of a data frame as JSON has them: NaN is null."""
    return json.loads(frame.to_json(orient="records"))


def varied(rows: Iterable[dict]) -> list[str]:
    return ["variation"] if any(row["variation"] for row in rows) else []


def counts(words: Iterable[str]) -> str:
    return ", ".join(f"{n} {word}" for word, n in Counter(words).most_common())


def print_json(value: object) -> None:
    """A value as indented JSON on stdout, NaN as null."""
    # What JSON has no number for is read back as null.
    plain = json.loads(json.dumps(value, default=str), parse_constant=lambda _: None)
    print(json.dumps(plain, indent=1, ensure_ascii=False))
