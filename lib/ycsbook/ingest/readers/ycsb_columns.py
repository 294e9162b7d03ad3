"""The numbers of YCSB's logs as columns: of status lines, read by Arrow, and of summaries that print the same lines.

Of status lines only what the exact reader would read the same. Summaries become tables of figures: a row per log, a
column per line.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ycsbook import units
from ycsbook.ingest.log.intervals import StatusLines
from ycsbook.ingest.log.status import MAX_OPERATIONS_PER_LINE
from ycsbook.ingest.log.summary import Key, ends_early, key_of
from ycsbook.ingest.readers import ycsb
from ycsbook.operations import COMMIT, DATABASE_OPERATIONS, OK, READ_MODIFY_WRITE, is_failure_series, is_of_workload
from ycsbook.redaction import redact

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


class BracketShape(NamedTuple):
    """An operation of a status line: its name, and where its figures stand among the numbers of the line; `mean`: -1
    where it says that it has none; `labels`: those without a point, each before its value."""

    operation: str
    count: int
    mean: int
    labels: tuple[int, ...]


class LineShape(NamedTuple):
    """A status line whatever its digits: how many numbers it has, and its brackets."""

    numbers: int
    brackets: tuple[BracketShape, ...]


def without_digits(text: bytes) -> bytes:
    """A text without NUL, with one 0 for the digits that stand together.

    Examples
        >>> without_digits(b"[READ: Count=1415, Avg=4188.75]")
        b'[READ: Count=0, Avg=0.0]'
    """
    marked = bytearray(text)
    characters = np.frombuffer(marked, np.uint8)
    is_digit = characters - np.uint8(ord("0")) < 10
    # NUL for each digit behind another, to be deleted: half the time of taking the other characters.
    characters[1:] *= ~(is_digit[1:] & is_digit[:-1])
    return bytes(marked.translate(_AS_ZEROS, b"\0"))


@lru_cache(maxsize=20_000)
def shape_of(line: bytes) -> LineShape | None:
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
    return LineShape(n, tuple(brackets)) if len(brackets) <= MAX_OPERATIONS_PER_LINE else None


def columns(text: bytes, shapes: Sequence[LineShape], shape: np.ndarray) -> tuple[StatusLines, np.ndarray]:
    """Status lines of these shapes, and which of them are in doubt; `line` is their index.

    In doubt is a number that the exact reader would read otherwise or not at all.

    Parameters
        text: whole lines; shape: of each its index in `shapes`.
    """
    if not len(shape):
        return StatusLines.of([]), np.zeros(0, bool)
    values, length = _numbers(text)
    n_numbers = np.array([s.numbers for s in shapes], np.int64)[shape]
    first = np.cumsum(n_numbers) - n_numbers
    seconds, operations = values[first + _SECONDS], values[first + _OPERATIONS]
    at_ms, doubtful = _clock(values, length, first)
    doubtful |= ~((seconds < _MAX_SECONDS) & (operations < _MAX_OPERATIONS))
    doubtful[np.searchsorted(first, np.flatnonzero(length > _LONGEST), side="right") - 1] = True
    sizes = np.array([len(s.brackets) for s in shapes], np.int64)
    brackets = [bracket for s in shapes for bracket in s.brackets]
    names = list(dict.fromkeys(bracket.operation for bracket in brackets))
    owner = np.repeat(np.arange(len(shape)), sizes[shape])
    # Of each bracket its shape among those of all lines, and the first number of its line.
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
    # Without samples the figures mean nothing.
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
    # Where each begins and where it ends.
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
    """Milliseconds since 1970 of lines by their first numbers, and which of them are in doubt: there is no such time,
    or it has other digits."""
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


# Summaries

_IGNORED, RETURN_OK = ("TOTAL_GC",), ("return", OK)
_PRINTED = re.compile(rb", (\d{1,19}(?:\.\d{1,19})?)\n")


class Figures(NamedTuple):
    """One operation of a summary: the line with which it begins, and those on which its figures stand, by what `key_of`
    gives; -1, the last column of `SameLines.table`, stands for nowhere."""

    name: str
    line: int
    lines: Mapping[Key, int]

    @property
    def percentiles(self) -> list[tuple[float, int]]:
        """Percentiles and the lines on which they stand."""
        return sorted((key[1], line) for key, line in self.lines.items() if key[0] == "us")


@dataclass(frozen=True)
class Template:
    """What the lines of a summary are, whatever their figures. `database` and `rmw`: the operations that count."""

    runtime: int
    throughput: int
    operations: tuple[Figures, ...]
    database: tuple[Figures, ...]
    rmw: Figures | None
    phase: str


class SameLines(NamedTuple):
    """Summaries with the same lines: which they are, and their figures: a row each, a column per line, at last NaN."""

    template: Template
    indices: list[int]
    table: np.ndarray


def same_lines(texts: Sequence[bytes]) -> list[SameLines]:
    """The summaries that hold nothing but a whole run's figures in the forms that current releases print."""
    groups: dict[bytes, tuple[list[int], list[bytes]]] = {}
    for i, text in enumerate(texts):
        # What is before each number, each number, and the rest: nothing, if every line is of that form.
        *pieces, unmatched = _PRINTED.split(text)
        key = b"\n".join(pieces[::2])
        if pieces and not unmatched and key.count(b"\n") + 1 == len(pieces) // 2:
            indices, numbers = groups.setdefault(key, ([], []))
            indices.append(i)
            numbers += pieces[1::2]
    alike = []
    for key, (indices, numbers) in groups.items():
        if template := _template(key):
            figures = np.array([*map(float, numbers)]).reshape(len(indices), -1)
            alike.append(SameLines(template, indices, np.pad(figures, ((0, 0), (0, 1)), constant_values=np.nan)))
    return alike


@lru_cache(maxsize=4096)
def _template(key: bytes) -> Template | None:
    """What the lines of a summary are, given without their numbers; None where one is of another kind."""
    overall: dict[str, int] = {}
    operations: dict[str, dict[Key, int]] = {}
    for line, prefix in enumerate(key.split(b"\n")):
        match = ycsb.SUMMARY.fullmatch((prefix + b", 0").decode("utf-8", errors="replace"))
        if not match:
            return None
        name, metric = match[1], match[2]
        if name == "OVERALL" and metric not in overall:
            overall[metric] = line
        elif name.startswith(_IGNORED):
            continue
        else:
            figure = key_of(metric)
            lines = operations.setdefault(name, {})
            is_known = name in DATABASE_OPERATIONS or not (is_of_workload(name) or name == COMMIT)
            if not _is_plain(figure) or figure in lines or is_failure_series(name) or not is_known:
                return None
            lines[figure] = line
    return _assembled(overall, operations)


def _is_plain(key: object) -> bool:
    if isinstance(key, str):
        return key in ("count", "mean_us", "min_us", "max_us")
    return key is not None and (key == RETURN_OK or (key[0] == "us" and key[1] <= 100))


def _assembled(overall: dict[str, int], operations: dict[str, dict[Key, int]]) -> Template | None:
    if not {"RunTime(ms)", "Throughput(ops/sec)"} <= overall.keys() or "ThreadCount" in overall:
        return None
    if ends_early(operations) or any("count" not in lines or "mean_us" not in lines for lines in operations.values()):
        return None
    listed = tuple(Figures(redact(name), min(lines.values()), lines) for name, lines in operations.items())
    database = tuple(o for name in DATABASE_OPERATIONS for o in listed if o.name == name)
    if not database or any(RETURN_OK not in o.lines for o in database):
        return None
    return Template(
        overall["RunTime(ms)"],
        overall["Throughput(ops/sec)"],
        listed,
        database,
        next((o for o in listed if o.name == READ_MODIFY_WRITE), None),
        "load" if [o.name for o in database] == ["INSERT"] else "run",
    )
