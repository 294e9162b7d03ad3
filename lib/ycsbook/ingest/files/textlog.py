"""Lines of a load generator's text output, whatever the generator: numbered, decoded, whole or cut."""

import re
from collections.abc import Iterator

from ycsbook import units
from ycsbook.errors import MAX_SHOWN
from ycsbook.ingest.files.sources import MAX_LINE, Source
from ycsbook.secrets import redact

MAX_ERRORS = 5
# What only a page has that talks about a log: fences, headings, links, tags. A root prompt also starts with one #.
_PAGE = re.compile(
    rb"^[ \t]{0,3}(?:```|~~~|#{2,6} |<!DOCTYPE|</?(?:html|body|div|p|pre|table|code|h[1-6])[ >])|\]\(https?://",
    re.MULTILINE | re.IGNORECASE,
)


def numbered(source: Source) -> Iterator[tuple[int, str, bool]]:
    """Every line with its number from 1, without its end, and whether it had one.

    Bytes that are no UTF-8 become replacement characters. A line that was cut to MAX_LINE is not whole.

    Raises
        RunLogError: the file cannot be read.
    """
    for number, raw in enumerate(source.lines(), start=1):
        yield number, raw.decode("utf-8", errors="replace").rstrip("\r\n"), raw.endswith(b"\n")


def is_overlong(text: str, whole: bool) -> bool:
    """Whether the rest of a line was passed over because no log has lines of that length."""
    return not whole and len(text.encode(errors="replace")) >= MAX_LINE


def is_page(head: bytes) -> bool:
    """Whether this is prose that quotes a log, in Markdown or HTML, and not the log itself."""
    return bool(_PAGE.search(head))


def shortened(text: str) -> str:
    """A line as it may be shown: without passwords, cut to MAX_SHOWN."""
    # Redacted before it is cut to what is shown, so that no password is cut out of its pattern.
    text = redact(text[: 10 * MAX_SHOWN]).strip()
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def us(printed_ms: float) -> float:
    """Milliseconds as printed in us, without what binary fractions add.

    Examples
        >>> 130.7 * 1000, us(130.7)
        (130699.99999999999, 130700.0)
    """
    return round(printed_ms * units.US_PER_MS, 6)
