"""How the commands print: tables for people, JSON for scripts."""

import json
import os
import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable

_NARROWEST = 40


def table(heads: list[str], rows: list[list[str]]) -> None:
    """A table on stdout, as wide as the terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(*heads, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        shown.add_row(*(Text(str(cell)) for cell in row))
    Console(width=_width() or 200).print(shown)


def paragraph(text: str, *, indent: str = "") -> None:
    """A text on stdout, its lines as wide as the terminal, all but the first indented; whole in a pipe."""
    width = _width()
    print(textwrap.fill(text, width, subsequent_indent=indent, break_on_hyphens=False) if width else text)


def _width() -> int | None:
    """How wide lines may be: as COLUMNS says, else as the terminal is; None in a pipe, where nobody says."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit():
        return max(shutil.get_terminal_size().columns, _NARROWEST)
    return None


def records(frame) -> list[dict]:
    """The rows of a data frame as JSON has them: NaN is null."""
    return json.loads(frame.to_json(orient="records"))


def varied(rows: Iterable[dict]) -> list[str]:
    """The column of the settings that vary, where any do."""
    return ["variation"] if any(row["variation"] for row in rows) else []


def counts(words: Iterable[str]) -> str:
    """How often each word is there, the most frequent first.

    Examples
        >>> counts(["failed", "completed", "completed"])
        '2 completed, 1 failed'
    """
    return ", ".join(f"{n} {word}" for word, n in Counter(words).most_common())


def print_json(value: object) -> None:
    """A value as indented JSON on stdout."""
    print(json.dumps(value, indent=1, ensure_ascii=False, default=str))
