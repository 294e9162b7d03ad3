"""YCSB logs with their status lines read as columns: many small logs at once, or a large one a chunk at a time.

Their text with a 0 for each number says what each line is, Arrow reads the numbers.

Status lines are alike but for their numbers, so a few hundred shapes of lines stand for the millions of an archive, and
the grammar is applied to each shape once. Lines of other shapes are read one by one as the exact reader reads them; a
log in which anything is in doubt is left to that reader as a whole.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ycsbook import units
from ycsbook.ingest.files.sources import MAX_LINE
from ycsbook.ingest.log.intervals import StatusLines, keep_freed_memory
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.log.status import MAX_OPERATIONS_PER_LINE, StatusLine, parse_details, parse_line
from ycsbook.ingest.readers import prefixes, ycsb
from ycsbook.ingest.readers.ycsb import Stream

_MARK = b" sec: "
_PLAIN = re.compile(rb"(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d:\d{3})? {0,8}\d{1,10} sec: ")
# A region of shorter lines, on average, holds something else than status lines.
LEAST_LINE = 16
# Names of operations in one batch, and percentiles in one bracket; nobody prints more.
MAX_NAMES, MAX_PERCENTILES = 256, 12

_AS_ZEROS = bytes.maketrans(b"0123456789", b"0" * 10)
_OTHERS = bytes(set(range(256)) - set(b"0123456789."))
# A line with a 0 for its digits.
_FIGURE = rb"0(?:\.0)?"
_BRACKET = (
    rb"\[([A-Za-z_-]{1,60}): Count=0, Max=0, Min=0, Avg=(" + _FIGURE + rb"|NaN|\?|\xef\xbf\xbd|)"
    rb"((?:, " + _FIGURE + rb"=0)*)\] ?"
)
_BRACKETS = re.compile(_BRACKET)
_SHAPE = re.compile(
    rb"0-0-0 0:0:0:0 0 sec: 0 operations;(?: (?:" + _FIGURE + rb"(?:E-?0)?|[A-Za-z?-]{0,4}) current ops/sec;)?"
    rb"(?: est completion in [a-z0 ]{1,60})? ?((?:" + re.sub(rb"\((?!\?)", b"(?:", _BRACKET) + rb")*)"
)
_NUMBERS = re.compile(rb"[0.]+")
# The first numbers of a line, `2023-05-06 10:26:26:218 10 sec: 4242 operations`, and how many digits the clock's have.
_CLOCK_DIGITS = (4, 2, 2, 2, 2, 2, 3)
_SECONDS, _OPERATIONS = 7, 8
# A number of more characters is none to the exact reader.
_LONGEST = 19
_MAX_SECONDS, _MAX_OPERATIONS = 10**10, 10**18
_NO_DAY = -(10**7)


class Split(NamedTuple):
    """A chunk of a log: what is before its first status line, whole lines from there to its last one, perhaps others
    among them (empty: it has none), what is after that, and who printed it."""

    head: bytes
    status: bytes | memoryview = b""
    tail: bytes = b""
    name: str = ""


class LogPart(NamedTuple):
    """A chunk of a log whose status lines have been read, as `Stream.take_status` takes it."""

    head: bytes
    series: Series
    count: int
    others: bytes
    tail: bytes


def split(chunk: bytes) -> Split:
    """Where the status lines are, among which may be others; line ends of Windows become plain ones, and what stands
    before each line is taken off."""
    if b"\r" in chunk:
        chunk = chunk.replace(b"\r\n", b"\n")
    first = chunk.find(_MARK)
    if first < 0 or b"\r" in chunk:
        return Split(chunk)
    start = chunk.rfind(b"\n", 0, first) + 1
    name = ""
    if not _PLAIN.match(chunk, start):
        plain = prefixes.stripped(chunk, chunk[start:].partition(b"\n")[0])
        if plain is None:
            return Split(chunk)
        name, chunk = plain
        start = chunk.rfind(b"\n", 0, chunk.find(_MARK)) + 1
    stop = chunk.find(b"\n", chunk.rfind(_MARK)) + 1 or len(chunk)
    behind = ycsb.line_text(chunk[stop : chunk.find(b"\n", stop) + 1 or len(chunk)])
    if behind.startswith("[") and parse_details(behind):
        return Split(chunk)  # goes on with the last status line
    return Split(chunk[:start], memoryview(chunk)[start:stop], chunk[stop:], name)


def read(splits: Sequence[Split]) -> list[LogPart | None]:
    """The series of each split's status lines; None: it has none, or is to be read line by line."""
    with_status = [i for i, part in enumerate(splits) if part.status]
    statuses = read_status([splits[i].status for i in with_status], [splits[i].head.count(b"\n") for i in with_status])
    series = iter(Series.of_runs(statuses.lines, statuses.starts) if len(statuses.starts) else ())
    parts: list[LogPart | None] = [None] * len(splits)
    for i, region in zip(with_status, statuses.regions, strict=True):
        if region:
            parts[i] = LogPart(splits[i].head, next(series), *region, splits[i].tail)
    return parts


def feed(stream: Stream, chunk: bytes) -> None:
    """Have a stream take further lines as Stream.feed does, the status lines among them at once where that gives the
    same."""
    cut = split(chunk)
    if cut.status:
        statuses = read_status([cut.status], [stream.at + cut.head.count(b"\n")])
        if (region := statuses.regions[0]) and stream.goes_on_with(cut.name, statuses.lines):
            stream.take_status(cut.head, statuses.lines, *region, cut.tail)
            return
    stream.feed(chunk)


class StatusRead(NamedTuple):
    """The status lines of those regions that are regular, one after the other, the index of the first of each, and of
    every region how many lines of the file it takes and its other lines, joined; None: it is not regular."""

    lines: StatusLines
    starts: np.ndarray
    regions: list[tuple[int, bytes] | None]


def read_status(regions: Sequence[bytes | memoryview], lines_before: Sequence[int]) -> StatusRead:
    """Read status lines, each exactly as `status.parse_line` reads it, or nothing of a region, which is a log from its
    first to its last status line; `lines_before`: how many of its file are before it.

    A region is regular if its first line is a status line; if what else is in it neither begins a run nor continues a
    line nor is of a summary; if its lines are whole and shorter than 64 KiB; if neither seconds nor operations ever
    decrease; and if no number has more than 19 characters. A line that repeats the one before it is left out, as the
    exact reader does. Memory: about four times the regions' bytes."""
    keep_freed_memory()
    text = _Text(regions)
    shapes, shape = _shapes(text.joined)
    unlike, within = _one_by_one(text, np.flatnonzero(shape < 0))
    chosen = np.flatnonzero((shape >= 0) & text.regular[text.region])
    alike, doubtful = columns(text.of(chosen), shapes, shape[chosen])
    text.regular[text.region[chosen[doubtful]]] = False
    lines = replace(alike, line=chosen[alike.line])
    if len(unlike):
        lines = lines.followed_by(unlike)
        lines = lines.taken(np.argsort(lines.line))
    if len(lines.names) > MAX_NAMES:
        text.regular[:] = False
    lines = _of_regular(lines, text)
    region = text.region[lines.line]
    at = lines.line - text.first[region] + np.array(lines_before, np.int64)[region] + 1
    starts = np.flatnonzero(np.diff(region, prepend=-1))
    of_regions = zip(text.counts.tolist(), within, text.regular.tolist(), strict=True)
    regions = [(count, others) if regular else None for count, others, regular in of_regions]
    return StatusRead(replace(lines, line=at), starts, regions)


class BracketShape(NamedTuple):
    """An operation of a status line: its name, and where its figures stand among the numbers of the line; `mean`: -1
    where it says that it has none; `labels`: those without a point, each before its value."""

    operation: str
    count: int
    mean: int
    labels: tuple[int, ...]


# A status line whatever its digits: how many numbers it has, and its brackets.
_LineShape = tuple[int, tuple[BracketShape, ...]]


class _Text:
    """The regions one after the other: where each line starts and ends, and in which region it is."""

    def __init__(self, regions: Sequence[bytes | memoryview]):
        parts = [bytes(region) for region in regions]
        self.regular = np.fromiter(map(_is_of_lines, parts), bool, len(parts))
        parts = [part if fine else b"" for part, fine in zip(parts, self.regular.tolist(), strict=True)]
        self.joined = b"".join(parts)
        self.ends = np.flatnonzero(np.frombuffer(self.joined, np.uint8) == ord("\n"))
        self.starts = np.append(0, self.ends + 1)[:-1]
        stops = np.searchsorted(self.ends, np.cumsum([len(part) for part in parts], dtype=np.int64))
        self.counts = np.diff(stops, prepend=0)
        self.first = stops - self.counts
        self.region = np.repeat(np.arange(len(parts)), self.counts)
        self.regular[self.region[self.ends - self.starts >= MAX_LINE - 1]] = False

    def of(self, chosen: np.ndarray) -> bytes:
        if len(chosen) == len(self.ends):
            return self.joined
        # Stretches of neighbouring lines, not every line by itself.
        first = np.flatnonzero(np.diff(chosen, prepend=-2) != 1)
        last = np.append(first[1:], len(chosen))[: len(first)] - 1
        stretches = zip(self.starts[chosen[first]].tolist(), self.ends[chosen[last]].tolist(), strict=True)
        return b"".join(self.joined[start : end + 1] for start, end in stretches)


def _is_of_lines(text: bytes) -> bool:
    """Whether a text is of whole lines, long enough for those of a status, without what `without_digits` takes out."""
    is_odd = b"\r" in text or b"\0" in text
    return text.endswith(b"\n") and not is_odd and text.count(b"\n") * LEAST_LINE <= len(text)


def _shapes(text: bytes) -> tuple[list[_LineShape], np.ndarray]:
    """The shapes of the lines, and which of them each line has; -1: another than those of current status lines."""
    lines = without_digits(text).split(b"\n")[:-1]
    shapes: list[_LineShape] = []
    index: dict[bytes, int] = {}
    for line in dict.fromkeys(lines):
        shape = shape_of(line)
        index[line] = -1 if shape is None else len(shapes)
        shapes += [] if shape is None else [shape]
    return shapes, np.fromiter(map(index.__getitem__, lines), np.int64, len(lines))


def _one_by_one(text: _Text, lines: np.ndarray) -> tuple[StatusLines, list[bytes]]:
    """The status lines among some lines, and of each region its other lines, each once."""
    read: list[tuple[int, StatusLine]] = []
    within: dict[int, dict[bytes, None]] = {}
    positions = (text.region[lines], text.starts[lines], text.ends[lines] + 1)
    regular = text.regular.tolist()
    for i, region, start, stop in zip(lines.tolist(), *(array.tolist() for array in positions), strict=True):
        if not regular[region]:
            continue
        line = text.joined[start:stop]
        status, regular[region] = _one(line)
        if status:
            read.append((i, status))
        else:
            within.setdefault(region, {})[line] = None
    text.regular = np.array(regular, bool)
    return StatusLines.of(read), [b"".join(within.get(region, ())) for region in range(len(text.counts))]


@lru_cache(maxsize=1024)
def _one(line: bytes) -> tuple[StatusLine | None, bool]:
    """The status in a whole line, and whether a region with the line can be regular."""
    text = ycsb.line_text(line)
    status = parse_line(text)
    if status is None:
        return None, not ycsb.depends_on_its_place(text)
    is_alone = "]," not in text or len(prefixes.lines(text)) == 1
    return status, is_alone and not any(np.isnan(d.count) for d in status.details)


def _of_regular(lines: StatusLines, text: _Text) -> StatusLines:
    """The lines without repetitions, and of regular regions alone: some show only now that they are not."""
    region = text.region[lines.line]
    begins = np.zeros(len(text.counts), bool)
    begins[region[lines.line == text.first[region]]] = True
    text.regular &= begins
    in_region = np.append(False, region[1:] == region[:-1])[: len(region)]
    steps = [np.diff(values, prepend=0) for values in (lines.at_ms, lines.elapsed_s, lines.operations)]
    text.regular[region[in_region & ((steps[1] < 0) | (steps[2] < 0))]] = False
    # A second line of the beginning may be another run's.
    anew = (lines.elapsed_s == 0) & (lines.operations == 0) & (steps[0] >= units.MS_PER_S)
    text.regular[region[in_region & anew]] = False
    repeated = in_region & np.logical_and.reduce([step == 0 for step in steps])
    return lines.taken(np.flatnonzero(text.regular[region] & ~repeated))


def without_digits(text: bytes) -> bytes:
    """A text without NUL, with one 0 for the digits that stand together."""
    marked = bytearray(text)
    characters = np.frombuffer(marked, np.uint8)
    is_digit = characters - np.uint8(ord("0")) < 10
    # NUL for each digit behind another, to be deleted: half the time of taking the other characters.
    characters[1:] *= ~(is_digit[1:] & is_digit[:-1])
    return bytes(marked.translate(_AS_ZEROS, b"\0"))


@lru_cache(maxsize=20_000)
def shape_of(line: bytes) -> _LineShape | None:
    """The shape of a line as `without_digits` gives it; None: another than those of current status lines."""
    match = _SHAPE.fullmatch(line)
    if not match:
        return None
    brackets, n = [], len(_NUMBERS.findall(line[: match.start(1)]))
    for name, mean, percentiles in _BRACKETS.findall(match[1]):
        labels, has_mean = percentiles.split(b", ")[1:], mean.startswith(b"0")
        if len(labels) > MAX_PERCENTILES:
            return None
        first = n + 3 + has_mean
        integers = tuple(first + 2 * i for i, label in enumerate(labels) if b"." not in label)
        brackets.append(BracketShape(name.decode(), n, n + 3 if has_mean else -1, integers))
        n = first + 2 * len(labels)
    return (n, tuple(brackets)) if len(brackets) <= MAX_OPERATIONS_PER_LINE else None


def columns(text: bytes, shapes: Sequence[_LineShape], shape: np.ndarray) -> tuple[StatusLines, np.ndarray]:
    """Status lines of these shapes (`line` is their index), and which are in doubt, as the exact reader would read a
    number otherwise or not at all; `text`: whole lines; `shape`: of each its index in `shapes`."""
    if not len(shape):
        return StatusLines.of([]), np.zeros(0, bool)
    values, length = _numbers(text)
    n_numbers = np.array([numbers for numbers, _ in shapes], np.int64)[shape]
    first = np.cumsum(n_numbers) - n_numbers
    seconds, operations = values[first + _SECONDS], values[first + _OPERATIONS]
    at_ms, doubtful = _clock(values, length, first)
    doubtful |= ~((seconds < _MAX_SECONDS) & (operations < _MAX_OPERATIONS))
    doubtful[np.searchsorted(first, np.flatnonzero(length > _LONGEST), side="right") - 1] = True
    sizes = np.array([len(brackets) for _, brackets in shapes], np.int64)
    brackets = [bracket for _, of_line in shapes for bracket in of_line]
    names = list(dict.fromkeys(bracket.operation for bracket in brackets))
    owner = np.repeat(np.arange(len(shape)), sizes[shape])
    of_shape = np.repeat((np.cumsum(sizes) - sizes)[shape] - (np.cumsum(sizes[shape]) - sizes[shape]), sizes[shape])
    of_shape += np.arange(len(owner))
    begin = first[owner]

    def at(indices: Sequence[int]) -> np.ndarray:
        return begin + np.array(indices, np.int64)[of_shape]

    code = np.array([names.index(bracket.operation) for bracket in brackets], np.int64)[of_shape]
    count, highest = (values[at([bracket.count + i for bracket in brackets])] for i in (0, 1))
    means = [bracket.mean for bracket in brackets]
    mean = np.where(np.array(means, np.int64)[of_shape] < 0, np.nan, values[at(means)])
    p99 = np.full(len(owner), np.nan)
    for i in range(max((len(bracket.labels) for bracket in brackets), default=0)):
        label = at([bracket.labels[i] if i < len(bracket.labels) else -1 for bracket in brackets])
        is_p99 = (values[label] == 99) & (length[label] == 2) & (label >= begin)
        p99 = np.where(is_p99, values[label + 1], p99)
    latencies = (np.where(count > 0, figures, np.nan) for figures in (mean, highest, p99))
    lines = StatusLines(
        at_ms, seconds, operations, np.arange(len(shape)), owner, code, count, *latencies, tuple(names)
    )  # fmt: skip
    return lines, doubtful


def _numbers(text: bytes) -> tuple[np.ndarray, np.ndarray]:
    """All numbers of a text, as float64, and how many characters each has."""
    # Only here: it takes longer to load than a small log to read.
    import pyarrow as pa

    characters = np.frombuffer(text, np.uint8)
    is_of_number = (characters - np.uint8(ord("0")) < 10) | (characters == ord("."))
    edges = np.flatnonzero(np.diff(is_of_number, prepend=False))
    length = edges[1::2] - edges[::2]
    offsets = np.zeros(len(length) + 1, np.int32)
    np.cumsum(length, out=offsets[1:])
    digits = text.translate(None, _OTHERS)
    texts = pa.Array.from_buffers(pa.string(), len(length), [None, pa.py_buffer(offsets), pa.py_buffer(digits)])
    # Not by to_numpy, which loads pandas: a quarter of the time of a small archive.
    _, values = texts.cast(pa.float64()).buffers()
    return np.frombuffer(values, float, len(length)), length


def _clock(values: np.ndarray, length: np.ndarray, first: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Milliseconds since 1970 of lines by their first numbers, and which are in doubt: there is no such time."""
    doubtful = np.logical_or.reduce([length[first + i] != n for i, n in enumerate(_CLOCK_DIGITS)])
    year, month, day, hour, minute, second, millisecond = (
        np.where(doubtful, 0, values[first + i]).astype(np.int64) for i in range(len(_CLOCK_DIGITS))
    )
    days, index = np.unique((year * 100 + month) * 100 + day, return_inverse=True)
    since_1970 = np.array([_days_since_1970(day_number) for day_number in days.tolist()], np.int64)[index]
    doubtful |= (since_1970 == _NO_DAY) | (hour > 23) | (minute > 59) | (second > 59)
    seconds = ((since_1970 * 24 + hour) * 60 + minute) * 60 + second
    return seconds * units.MS_PER_S + millisecond, doubtful


def _days_since_1970(day: int) -> int:
    try:
        return (date(day // 10_000, day // 100 % 100, day % 100) - date(1970, 1, 1)).days
    except ValueError:
        return _NO_DAY
