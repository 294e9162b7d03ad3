"""A vendor's page read directly: the same rows as the published table made from it gives."""

import html
import re
from dataclasses import asdict

from ycsbook.errors import RunLogError
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.published.published import PublishedRows, published_rows
from ycsbook.ingest.published.vendor_page import MAX_BYTES, VendorRow, is_page, parse_rows
from ycsbook.ingest.runs import command_line

FORMAT = "published-page"
# A printed command with its continuation lines; pages leave blanks in passwords, so it ends with its paragraph.
MAX_COMMAND = 4000

_TABLE_MARK = re.compile(rb"<t(?:able|r|d|h)\b|\|\s{0,9}:?-", re.IGNORECASE)
_COMMAND = re.compile(r"\b(?P<phase>load|run)\s{1,9}mongodb\b", re.IGNORECASE)
_END = re.compile(r"\n[ \t>]*\r?\n|```|</(?:code|pre|p)>|\b(?:load|run)\s{1,9}mongodb\b", re.IGNORECASE)


def recognises(head: bytes, name: str = "") -> bool:
    """Whether this holds a row of headings that names threads and throughput; pages have it deep inside."""
    if not _TABLE_MARK.search(head):
        return False
    return is_page(head.decode("utf-8-sig", errors="replace"))


def read(source: Source) -> tuple[PublishedRows, list[RunLogError]]:
    """The runs and operations of a vendor's page in Markdown, HTML or text with tables; and what could not be read.

    What the page does not say is missing: the vendor, the server's version, and the mix and spec where it prints none.
    `write_concern` is that of the printed commands, where all that run the workload print the same one.

    Returns
        the rows, whose data set has the name of the file, and an error for each row, heading or table that is left
        out, as parse_rows.
    Raises
        RunLogError: unreadable, not UTF-8, no such table, or not a single row whose figures are what they should be.
    """
    try:
        text = source.content(MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise RunLogError(source, None, f"cannot be read as UTF-8 text: {e}; save it as UTF-8") from None
    dataset = _slug(source.name.rsplit(".", 1)[0])
    measured_rows, rejected = parse_rows(text, str(source))
    versions = {row.server_version for row in measured_rows}
    measured = (
        (f"{source}:{row.line}", row.line, {"dataset": _dataset(dataset, row, len(versions) > 1), **_columns(row)})
        for row in measured_rows
    )
    concern = write_concern(text)
    facts = {"format": FORMAT, **({"write_concern": concern} if concern else {})}
    return published_rows(str(source), measured, facts), rejected


def write_concern(text: str) -> str:
    """The write concern of the printed commands that run the workload; empty where they print none or several.

    Examples
        >>> write_concern("./bin/ycsb run mongodb -p mongodb.url=mongodb://h/db?w=0 -threads 100")
        '0'
    """
    commands = (text[m.end() : m.end() + MAX_COMMAND] for m in _COMMAND.finditer(text) if m["phase"].lower() == "run")
    concerns = {_concern(command) for command in commands}
    return concerns.pop() if len(concerns) == 1 else ""


def _concern(rest: str) -> str:
    """Of a command, given without its beginning; empty also where URL and property contradict each other."""
    end = _END.search(rest)
    command = html.unescape(rest[: end.start()] if end else rest).replace("`", " ").replace("<", " ")
    in_url, as_property = command_line.url_write_concern(command), command_line.property_write_concern(command)
    return "" if in_url and as_property and in_url != as_property else in_url or as_property


def _dataset(name: str, row: VendorRow, has_versions: bool) -> str:
    """Other versions and settings of the server are other data sets: their rows are no repeats of each other."""
    parts = (name, row.server_version if has_versions else "", row.variant)
    return _slug("-".join(filter(None, parts))) if any(parts[1:]) else name


def _columns(row: VendorRow) -> dict:
    apart = ("line", "server_version", "variant")
    columns = {name: value for name, value in asdict(row).items() if name not in apart}
    version = {"server_version": row.server_version} if row.server_version else {}
    return {**columns, **version, "threads": float(row.threads)}


def _slug(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name.lower()).strip("-._")[:64] or "page"
