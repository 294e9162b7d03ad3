"""Pages as vendors write them, and what is read of them."""

from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.published import page


def markdown(headings, *rows, above=""):
    """A table with a row for each of `rows`, below the text `above`."""
    lines = [headings, ["---"] * len(headings), *rows]
    return above + "\n" + "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines) + "\n\n"


def read(folder, text: str, name: str = "page.md"):
    """The rows of a page, and the errors of what could not be read."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    rows, rejected = page.read(Source(path, name))
    return rows, [str(e) for e in rejected]
