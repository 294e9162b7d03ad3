"""A vendor's performance page: Markdown or HTML tables of throughput and latency per server spec, read to the same rows
as the published table made from it. docs/ingest.md says which tables are read.

A row that could mean two things, or whose cells may have moved, is left out, with an error.
"""

import re
from collections.abc import Collection
from pathlib import Path

from ycsbook.errors import RunLogError
from ycsbook.ingest import readers
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.log.labels import identifier
from ycsbook.ingest.published import page_facts, page_text
from ycsbook.ingest.published.page_headings import LATENCIES
from ycsbook.ingest.published.page_reader import PageReader
from ycsbook.ingest.published.page_rows import SETTINGS, VendorRow
from ycsbook.ingest.published.page_tables import PageTable, placed
from ycsbook.ingest.published.published import PublishedRows, published_rows
from ycsbook.ingest.runs import command_line

FORMAT = "published-page"
MAX_BYTES = 4_000_000
_SEARCHED = 500
_TABLE_MARK = re.compile(rb"<t(?:able|r|d|h)\b|\|\s{0,9}:?-", re.IGNORECASE)

_OF_LOG = re.compile(r"\[[A-Z][A-Z-]{1,40}\]")  # a line of a log may be a row of a table


def recognises(head: bytes, name: str = "", *, threads: str = "", drawn: bool = True) -> bool:
    """Whether this holds a row of headings with threads, if not given, and throughput; pages have it deep within. Not
    `drawn`: in Markdown or HTML."""
    reader = PageReader(name, threads=threads)
    is_likely = _TABLE_MARK.search(head) or (drawn and page_text.MARK.search(head))
    for _, element in placed(head.decode("utf-8-sig", errors="replace")) if is_likely else ():
        reader.take(element._replace(rows=element.rows[:_SEARCHED]) if isinstance(element, PageTable) else element)
        if reader.columns or reader.rejected:
            return True
    return False


def read(source: Source, threads: str = "") -> tuple[PublishedRows, list[RunLogError]]:
    """The rows of a vendor's page in Markdown, HTML or text with tables, whose data set has the name of the file; and
    an error for each row, heading or table that is left out. Raises RunLogError where not a single row can be read."""
    try:
        text = source.content(MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise RunLogError(source, None, f"cannot be read as UTF-8 text: {e}; save it as UTF-8") from None
    dataset = identifier(source.name.rsplit(".", 1)[0], "page")
    measured_rows, rejected = parse_rows(text, str(source), threads)
    # Other versions and settings of the server are other data sets: their rows are no repeats of each other.
    telling = [name for name in SETTINGS if len({getattr(row, name) for row in measured_rows}) > 1]

    def name(row: VendorRow) -> str:
        settings = (identifier(getattr(row, of)) for of in telling)
        return "-".join(filter(None, (dataset, *(text for text in settings if text not in row.variant), row.variant)))

    measured = (
        (f"{source}:{row.line}", row.line, row._asdict() | {"dataset": name(row), "threads": float(row.threads)})
        for row in measured_rows
    )
    facts = {"format": FORMAT}
    if concern := command_line.printed_write_concern(text):
        facts["write_concern"] = concern
    facts |= {"clients": 1.0} if page_facts.has_one_client(text) else {}
    return published_rows(str(source), measured, facts), rejected


def left_out(source: Source) -> list[str]:
    """A remark on what is left out of a page's tables, as it does not show it."""
    _, hidden = page_text.without_hidden(source.content(MAX_BYTES).decode("utf-8-sig", errors="replace"))
    return [f"{source}: left out of its tables, as the page hides it: {hidden}"] if hidden else []


def tables_beside_logs(source: Source, read: Collection[str]) -> list[str]:
    """A remark for each table with figures of a document that is read for the logs it quotes, whose lines are none, nor
    is one whose first row, below a rule, is in the lines `read`."""
    lines = source.head(MAX_BYTES).decode("utf-8-sig", errors="replace").split("\n")
    reader = PageReader(source).walked("\n".join("" if _OF_LOG.search(of) else of for of in lines))
    told = (e for e in (*reader.without_threads, *reader.unread) if e.line is None or str(e.line + 2) not in read)
    return [str(error).replace(readers.WITHOUT_THREADS, "put it into a file of its own") for error in told]


def parse_page(text: str, path: str | Path) -> list[VendorRow]:
    """As parse_rows, but raises the error of the first row, heading or table that cannot be read, and where a row does
    not say its spec and mix, so that damage shows."""
    rows, rejected = parse_rows(text, path)
    if rejected:
        raise rejected[0]
    for row in rows:
        if not row.workload:
            raise RunLogError(path, row.line, "no section heading above says the read:update mix, such as 50:50")
        if not row.spec:
            raise RunLogError(path, row.line, "no spec above these figures, expected a row or column such as 2核4G")
    return rows


def parse_rows(text: str, path: str | Path, threads: str = "") -> tuple[list[VendorRow], list[RunLogError]]:
    """The measurements in the text of a vendor's page, and an error for each row that cannot be read, MAX_ERRORS of
    them and one that counts the others; `path` is what errors name, `threads` are those of tables that say none. Raises
    RunLogError where there is no such table, or none of its rows can be read."""
    reader = PageReader(path, threads=threads).walked(text)
    without_threads, nearest = reader.without_threads, reader.nearest()
    if not (reader.rows or reader.rejected):
        # Latencies alone are better than nothing; beside throughputs they mostly repeat their runs.
        reader = PageReader(path, [("threads", name) for name in LATENCIES]).walked(text)
    if not reader.rows:
        line, reason = nearest
        _, hidden = page_text.without_hidden(text)
        reason += f"; left out, as the page hides it: {hidden}" if hidden else ""
        first, *other_errors = [*reader.rejected, *without_threads] or [RunLogError(path, line, reason)]
        lines = [str(other.line) for other in other_errors if other.reason == first.reason]
        raise RunLogError(path, first.line, f"{first.reason}; also in lines {', '.join(lines)}") if lines else first
    more = [RunLogError(path, None, f"{reader.unlisted} more of its rows cannot be read")] if reader.unlisted else []
    return reader.rows, reader.rejected + without_threads + reader.unread + more
