"""The runs in the files of one process, read by the format that its content shows; small logs of YCSB many at a time.

The status lines of all small logs of a batch are read by one call of the fast reader. It gives the same as reading them
one by one; what is odd in any way is read line by line.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ycsbook.ingest import readers
from ycsbook.ingest.files import identity
from ycsbook.ingest.files.sources import PACKED, Source
from ycsbook.ingest.finding.detect import IngestItem, Kind
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.output import Output
from ycsbook.ingest.readers import ycsb, ycsb_batch
from ycsbook.ingest.runs import clean_logs
from ycsbook.ingest.runs.runs import EVIDENCE

# How a log of YCSB begins; what begins otherwise is looked at more closely.
_BEGINS = re.compile(
    rb"\s{0,8}(?:Command line: -|YCSB Client \d|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d:\d{3} \d+ sec: |\[OVERALL\], "
    rb"|\S{0,200}\bjava [^\n]*\bycsb\.Client )"
)
_JSON_ENDS = (b"]", b"}")
# Logs up to this size are read whole, until a batch is full.
SMALL_BYTES = 4 * 1024 * 1024


def runs(item: IngestItem, format: str = "") -> tuple[str, list[RunLog]]:
    """The format of a log and its runs; no runs of a page, of raw measurements, and of what was found in a folder and
    is no log.

    Parameters
        format: read it as this; empty: told by its content.
    """
    sources = [Source(path) for path in item.files]
    format = format or _first(map(_format_of, sources))
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


def not_ours(files: Sequence[Path], logs: Sequence[RunLog]) -> str:
    """What files are, to stand behind their name, that were read as a log of YCSB and hold nothing of one; empty: they
    do, or YCSB failed before it printed any of it, or they are empty."""
    if any(log.overall_count or log.summaries or log.series.lines or log.command_line or log.version for log in logs):
        return ""
    head = b"".join(Source(path).head(readers.SNIFF_BYTES) for path in files)
    is_ours = (readers.is_ycsb(head) or b"ycsb" in head.lower()) and not readers.is_known_other(head)
    return "" if is_ours or not head else readers.described(head)


def ycsb_runs(files: Sequence[Path]) -> list[RunLog]:
    """The runs of a YCSB log, whatever it looks like."""
    return ycsb.parse([Source(path) for path in files], feed=ycsb_batch.feed)


def _is_ycsb(files: Sequence[Path], contents: Sequence[bytes]) -> bool:
    """Whether these files with their content are a log of YCSB, or empty."""
    if all(map(_is_plain_log, contents)):
        return True
    formats = (
        readers.format_of(content[: readers.PAGE_SNIFF_BYTES], content[-readers.SNIFF_BYTES :], Source(path).name)
        for path, content in zip(files, contents, strict=True)
    )
    return (_first(formats) or (readers.YCSB if any(map(readers.is_ycsb, contents)) else "")) == ycsb.FORMAT


def _is_plain_log(content: bytes) -> bool:
    """Whether a beginning and an end can only be those of YCSB's text, or there is nothing."""
    return not content or (_BEGINS.match(content) is not None and not content[-8:].rstrip().endswith(_JSON_ENDS))


def _format_of(source: Source) -> str:
    head = source.head(readers.PAGE_SNIFF_BYTES)
    is_plain = _BEGINS.match(head) and not source.tail(8).rstrip().endswith(_JSON_ENDS)
    return ycsb.FORMAT if is_plain else readers.format_of_file(source)


def _first(formats: Iterable[str]) -> str:
    return next(filter(None, formats), "")


@dataclass
class SmallLog:
    """The files of one process with their content."""

    item: IngestItem
    contents: list[bytes]
    digest: str

    @property
    def size(self) -> int:
        return sum(map(len, self.contents))

    @property
    def is_ycsb(self) -> bool:
        return _is_ycsb(self.item.files, self.contents)


def is_small(item: IngestItem) -> bool:
    """Whether this is a log that may wait in memory for others."""
    files = item.stats[: len(item.files)]
    is_plain = item.kind == Kind.LOG and not any(file.path.endswith(PACKED) for file in files)
    return is_plain and sum(file.size for file in files) <= SMALL_BYTES


def opened(item: IngestItem) -> SmallLog:
    """The log with its content.

    Raises
        RunLogError: it cannot be read.
    """
    contents = [Source(path).content(2 * SMALL_BYTES) for path in item.files]
    return SmallLog(item, contents, identity.digest_of_contents(contents))


def add_batch(
    output: Output, batch: Sequence[SmallLog], add_logs: Callable[[IngestItem, list[RunLog], str], None]
) -> None:
    """Add the runs of a batch; those that are not beyond doubt by `add_logs`, from what the log says."""
    splits = iter(ycsb_batch.read([ycsb_batch.split(content) for log in batch for content in log.contents]))
    parts_by_log = [[next(splits) for _ in log.contents] for log in batch]
    user_columns = [output.user_columns(log.item.files[0]) for log in batch]
    candidates = [
        clean_logs.candidate(log.item.files, log.contents, parts)
        if not (log.item.hdr or log.item.raw) and columns.keys().isdisjoint(EVIDENCE)
        else None
        for log, parts, columns in zip(batch, parts_by_log, user_columns, strict=True)
    ]
    beyond_doubt = iter(clean_logs.read([candidate for candidate in candidates if candidate]))
    chosen_by_block: dict[int, tuple[clean_logs.Alike, list[clean_logs.Chosen]]] = {}
    for log, parts, columns, candidate in zip(batch, parts_by_log, user_columns, candidates, strict=True):
        if candidate and (block_row := next(beyond_doubt)):
            block, row = block_row
            run_id = output.run_id(log.item.name, log.digest)
            chosen = block.chosen(row, run_id, log.item.files[0], columns)
            chosen_by_block.setdefault(id(block), (block, []))[1].append(chosen)
            output.done(log.item, ycsb.FORMAT, [run_id], warnings=(chosen.warnings,))
            continue
        streams = [ycsb.Stream(str(path)) for path in log.item.files]
        for stream, content, part in zip(streams, log.contents, parts, strict=True):
            if part:
                ycsb_batch.feed_part(stream, part)
            else:
                stream.feed(content)
        add_logs(log.item, ycsb.runs_of(streams), log.digest)
    for block, chosen in chosen_by_block.values():
        block.add_to(output.rows, chosen)
