"""How the commands print: tables for people, JSON for scripts."""

import json
import sys
from collections import Counter
from collections.abc import Iterable


def table(heads: list[str], rows: list[list[str]]) -> None:
    """A table on stdout, as wide as the terminal."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(*heads, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        shown.add_row(*(Text(str(cell)) for cell in row))
    Console(width=None if sys.stdout.isatty() else 200).print(shown)


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
