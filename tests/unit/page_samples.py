"""Pages as vendors write them, and what is read of them; tables of one's own."""

from collections.abc import Iterable
from pathlib import Path

from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.published import page


def markdown(headings, *rows, above=""):
    """A table with a row for each of `rows`, below the text `above`."""
    lines = [headings, ["---"] * len(headings), *rows]
    return above + "\n" + "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines) + "\n\n"


def own_table(folder: Path, headings: str, rows: Iterable[object], name: str = "mine.csv") -> Path:
    """A table of one's own, with a line for each of `rows`: a text, or a list of its cells."""
    lines = (row if isinstance(row, str) else ",".join(map(str, row)) for row in rows)
    (folder / name).write_text("\n".join([headings, *lines]) + "\n", encoding="utf-8")
    return folder / name


def read(folder, text: str, name: str = "page.md"):
    """The rows of a page, and the errors of what could not be read."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    rows, rejected = page.read(Source(path, name))
    return rows, [str(e) for e in rejected]
