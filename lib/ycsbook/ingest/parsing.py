"""The runs in the files of one process, read by the format that its content shows."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from ycsbook.ingest import readers
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.finding.detect import IngestItem
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.readers import ycsb, ycsb_batch

# How a log of YCSB begins; what begins otherwise is looked at more closely.
_BEGINS = re.compile(
    rb"\s{0,8}(?:Command line: |YCSB Client \d|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d:\d{3} \d+ sec: |\[\w{1,80}\], "
    rb"|\S{0,200}\bjava [^\n]*\bycsb\.Client )"
)
_JSON_ENDS = (b"]", b"}")


def runs(item: IngestItem, format: str = "") -> tuple[str, list[RunLog]]:
    """The format of a log and its runs; no runs of a page, of raw measurements, and of what was found in a folder and
    is no log.

    Parameters
        format: read it as this; empty: told by its content.
    """
    sources = [Source(path) for path in item.files]
    format = format or _first(_format_of(source) for source in sources)
    if format in (readers.PAGE, readers.RAW):
        return format, []
    if not format:
        is_empty = not any(source.head(1) for source in sources)
        if not (item.explicit or is_empty):
            return "", []
        format = ycsb.FORMAT
    if format == ycsb.FORMAT:
        return format, ycsb_runs(item.files)
    return format, readers.parse(format, sources)


def ycsb_runs(files: Sequence[Path]) -> list[RunLog]:
    """The runs of a YCSB log, whatever it looks like."""
    return ycsb.parse([Source(path) for path in files], feed=ycsb_batch.feed)


def is_ycsb(files: Sequence[Path], contents: Sequence[bytes]) -> bool:
    """Whether these files with their content are a log of YCSB, or empty."""
    if all(map(_is_plain_log, contents)):
        return True
    formats = (
        readers.format_of(content[: readers.PAGE_SNIFF_BYTES], content[-readers.SNIFF_BYTES :], Source(path).name)
        for path, content in zip(files, contents, strict=True)
    )
    return _first(formats) == ycsb.FORMAT


def _is_plain_log(content: bytes) -> bool:
    """Whether a beginning and an end can only be those of YCSB's text, or there is nothing."""
    return not content or (_BEGINS.match(content) is not None and not content[-8:].rstrip().endswith(_JSON_ENDS))


def _format_of(source: Source) -> str:
    head, tail = source.head(readers.PAGE_SNIFF_BYTES), source.tail(readers.SNIFF_BYTES)
    return readers.format_of(head, tail, source.name)


def _first(formats: Iterable[str]) -> str:
    return next(filter(None, formats), "")
