"""YCSB logs with their status lines read as columns: many small logs at once, or a large one a chunk at a time."""

from collections.abc import Sequence
from typing import NamedTuple

from ycsbook.ingest.log.series import Series
from ycsbook.ingest.log.status import parse_details
from ycsbook.ingest.readers import status_columns
from ycsbook.ingest.readers.status_columns import Region
from ycsbook.ingest.readers.ycsb import Stream

_MARK = b" sec: "


class Split(NamedTuple):
    """A chunk of a log: what is before its first status line, its status lines (None: it has none), and what is after
    the last."""

    head: bytes
    status: Region | None = None
    tail: bytes = b""


class LogPart(NamedTuple):
    """A chunk of a log whose status lines have been read: their series, how many lines of the file they take, and what
    else stood among them."""

    head: bytes
    series: Series
    count: int
    others: bytes
    tail: bytes


def split(chunk: bytes) -> Split:
    """Where the status lines are, among which may be other lines; line ends of Windows become plain ones."""
    if b"\r" in chunk:
        chunk = chunk.replace(b"\r\n", b"\n")
    first = chunk.find(_MARK)
    if first < 0 or b"\r" in chunk:
        return Split(chunk)
    start = chunk.rfind(b"\n", 0, first) + 1
    stop = chunk.find(b"\n", chunk.rfind(_MARK)) + 1 or len(chunk)
    behind = chunk[stop : chunk.find(b"\n", stop) + 1 or len(chunk)].decode("utf-8", errors="replace")
    if behind.lstrip("\ufeff \t").startswith("[") and parse_details(behind):
        return Split(chunk)  # goes on with the last status line
    head = chunk[:start]
    return Split(head, Region(memoryview(chunk)[start:stop], head.count(b"\n") + 1), chunk[stop:])


def read(splits: Sequence[Split]) -> list[LogPart | None]:
    """The series of each split's status lines; None: it has none, or is to be read line by line."""
    with_status = [i for i, each in enumerate(splits) if each.status]
    statuses = status_columns.read([splits[i].status for i in with_status])
    series = iter(Series.of_runs(statuses.lines, statuses.starts) if len(statuses.starts) else ())
    parts: list[LogPart | None] = [None] * len(splits)
    for i, regular, count, others in zip(
        with_status, statuses.regular, statuses.line_counts.tolist(), statuses.others, strict=True
    ):
        if regular:
            parts[i] = LogPart(splits[i].head, next(series), count, others, splits[i].tail)
    return parts


def feed(stream: Stream, chunk: bytes) -> None:
    """Have a stream take further lines as Stream.feed does, the status lines among them at once where that gives the
    same."""
    cut = split(chunk)
    if cut.status is not None:
        region = Region(cut.status.text, stream.at + cut.status.first_line)
        statuses = status_columns.read([region])
        if statuses.regular[0] and stream.goes_on_with(statuses.lines):
            stream.take_status(cut.head, statuses.lines, int(statuses.line_counts[0]), statuses.others[0], cut.tail)
            return
    stream.feed(chunk)


def feed_part(stream: Stream, part: LogPart) -> None:
    """Have a stream take the only chunk of a log."""
    stream.take_status(part.head, part.series, part.count, part.others, part.tail)
