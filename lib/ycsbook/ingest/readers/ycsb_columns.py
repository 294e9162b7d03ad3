"""The numbers of YCSB's logs as columns: of status lines, read by Arrow, and of summaries that print the same lines.

Of status lines only what the exact reader would read the same. Summaries become tables of figures: a row per log, a
column per line.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from ycsbook import units
from ycsbook.ingest.log.intervals import StatusLines
from ycsbook.ingest.log.status import MAX_OPERATIONS_PER_LINE
from ycsbook.ingest.log.summary import ends_early, key_of
from ycsbook.ingest.readers import ycsb
from ycsbook.operations import COMMIT, DATABASE_OPERATIONS, OK, READ_MODIFY_WRITE, is_failure_series, is_of_workload
from ycsbook.redaction import redact

# Names of operations in one batch, and percentiles in one bracket; nobody prints more.
MAX_NAMES, MAX_PERCENTILES = 256, 12

_BRACKET = rb"\[[A-Za-z_-]{1,60}: Count=, Max=, Min=, Avg=(?:\.|NaN|\?|\xef\xbf\xbd|)(?:, \.?=)*\] ?"
_SHAPE = re.compile(
    rb"-- :::  sec:  operations;(?: [A-Za-z.?-]{0,4} current ops/sec;)?(?: est completion in [a-z ]{1,60})? ?"
    rb"((?:" + _BRACKET + rb")*)"
)
_PARTS = re.compile(rb"\[([^:]+):[^\]]* Avg=([^,\]]*)([^\]]*)\]")
# The numbers of a line as a row of CSV, and those of each of its brackets as a row of their own:
#     date, time, seconds, -, operations, -, rate, ...
#     -, -, count, -, maximum, -, minimum, -, mean, label, value, label, value, ...
# Where a dash stands is no number, unless a digit is where none belongs.
_AS_CSV = bytes.maketrans(b" =][", b",,,\n")
_DROPPED = bytes(set(range(256)) - set(b"0123456789. =[]\n"))
_DATE, _TIME, _SECONDS, _OPERATIONS = 0, 1, 2, 4
_COUNT, _MAX, _MEAN, _LABEL = 2, 4, 8, 9
_GAPS = (3, 5, 7)
# Where the marks of `2023-05-06 10:26:26:218 ` stand, and its milliseconds.
_STAMP = {4: "-", 7: "-", 10: " ", 13: ":", 16: ":", 19: ":", 23: " "}
_MILLISECONDS = (20, 21, 22)
# A number of more characters is none to the exact reader.
_LONGEST = 19
_MAX_SECONDS, _MAX_OPERATIONS = 10**10, 10**18
_TEN_OCLOCK = 100_000_000
_NO_DAY = -(10**7)
_BLOCK = 256 * 1024


class LineShape(NamedTuple):
    """A status line without its digits: of each bracket its operation, whether it says in letters that it has no mean,
    and which of its labels have no point."""

    operations: tuple[str, ...]
    without_mean: tuple[bool, ...]
    labels: tuple[frozenset[int], ...]


@lru_cache(maxsize=20_000)
def shape_of(line: bytes) -> LineShape | None:
    """The shape of a line without its digits; None: another than those of current status lines."""
    match = _SHAPE.fullmatch(line)
    if not match:
        return None
    brackets = [(name.decode(), mean, rest.split(b", ")[1:]) for name, mean, rest in _PARTS.findall(match[1])]
    if len(brackets) > MAX_OPERATIONS_PER_LINE or any(len(labels) > MAX_PERCENTILES for *_, labels in brackets):
        return None
    return LineShape(
        tuple(name for name, _, _ in brackets),
        tuple(mean not in (b"", b".") for _, mean, _ in brackets),
        tuple(frozenset(i for i, label in enumerate(labels) if label == b"=") for *_, labels in brackets),
    )


def columns(
    text: bytes, starts: np.ndarray, shapes: Sequence[LineShape], shape: np.ndarray
) -> tuple[StatusLines, np.ndarray]:
    """Status lines of these shapes, and which of them are in doubt; `line` is their index.

    In doubt is a number that the exact reader would read otherwise or not at all.

    Parameters
        text: whole lines; starts: where each begins; shape: of each its index in `shapes`.
    """
    if not len(shape):
        return StatusLines.of([]), np.zeros(0, bool)
    sizes = np.array([len(s.operations) for s in shapes], np.int64)[shape]
    owner = np.repeat(np.arange(len(shape)), sizes)
    heads = np.arange(len(shape)) + np.cumsum(sizes) - sizes
    names = list(dict.fromkeys(name for s in shapes for name in s.operations))
    codes = np.array([names.index(name) for s in shapes for name in s.operations], np.int64)
    without_mean = np.array([flag for s in shapes for flag in s.without_mean], bool)
    # Of each bracket the place in these two.
    place = np.cumsum([0, *(len(s.operations) for s in shapes)])[shape][owner]
    place += np.arange(len(owner)) - (np.cumsum(sizes) - sizes)[owner]
    labels = sorted(frozenset().union(*(each for s in shapes for each in s.labels)))
    csv = text.translate(_AS_CSV, _DROPPED)
    numbers = _Numbers(csv)
    if numbers.n_rows != len(shape) + len(owner):
        return StatusLines.of([]), np.ones(len(shape), bool)
    in_bracket = np.ones(numbers.n_rows, bool)
    in_bracket[heads] = False
    brackets = np.flatnonzero(in_bracket)
    of_heads, of_brackets = (partial(numbers.column, numbers.places(rows)) for rows in (heads, brackets))
    misplaced = [numbers.filled(numbers.places(slice(None)), gap) for gap in _GAPS]
    misplaced += [brackets[numbers.filled(numbers.places(brackets), column)] for column in (_DATE, _TIME)]
    doubtful_rows = [*misplaced, _oddly_printed(csv)]
    time, seconds, operations = of_heads(_TIME), of_heads(_SECONDS), of_heads(_OPERATIONS)
    at_ms, doubtful = _clock(text, starts, of_heads(_DATE), time)
    doubtful |= ~((seconds < _MAX_SECONDS) & (operations < _MAX_OPERATIONS))
    n_leading = np.bincount(_leading_zeros(csv), minlength=numbers.n_rows)
    n_leading[heads] -= time < _TEN_OCLOCK
    doubtful_rows.append(np.flatnonzero(n_leading))
    doubtful[np.searchsorted(heads, np.concatenate(doubtful_rows), side="right") - 1] = True
    # Where a comma stands before a digit it is dropped, and what is on both sides would become one number.
    decimal_commas = _positions(text, lambda a: (a[1:-1] == ord(",")) & (a[2:] - np.uint8(ord("0")) < 10), ahead=1)
    doubtful[np.searchsorted(starts, decimal_commas, side="right") - 1] = True
    count, mean = of_brackets(_COUNT), of_brackets(_MEAN)
    doubtful[owner[np.isnan(count) | (without_mean[place] & ~np.isnan(mean))]] = True
    p99 = np.full(len(owner), np.nan)
    for label in labels:
        is_whole = np.array([label in each for s in shapes for each in s.labels], bool)[place]
        is_p99 = is_whole & (of_brackets(_LABEL + 2 * label) == 99)
        if is_p99.any():
            p99 = np.where(is_p99, of_brackets(_LABEL + 2 * label + 1), p99)
    # Without samples the figures mean nothing.
    latencies = (np.where(count > 0, values, np.nan) for values in (mean, of_brackets(_MAX), p99))
    lines = StatusLines(
        at_ms, seconds, operations, np.arange(len(shape)), owner, codes[place], count, *latencies, tuple(names)
    )  # fmt: skip
    return lines, doubtful


class _Numbers:
    """All fields of rows of numbers, one after the other; NaN where nothing stands or no number."""

    def __init__(self, csv: bytes):
        characters = np.frombuffer(csv, np.uint8)
        separators = np.flatnonzero(characters <= ord(","))
        self._last = np.flatnonzero(characters[separators] == ord("\n"))
        self._first = np.append(0, self._last + 1)[:-1]
        self.n_rows = len(self._last)
        separators -= np.arange(len(separators))
        starts = np.append(0, separators).astype(np.int32)
        self._is_filled = starts[1:] > starts[:-1]
        self._values = _parsed(csv.translate(None, b",\n"), starts, self._is_filled)

    def places(self, rows: np.ndarray | slice) -> tuple[np.ndarray, np.ndarray]:
        """The first and the last field of some rows."""
        return self._first[rows], self._last[rows]

    def filled(self, places: tuple[np.ndarray, np.ndarray], column: int) -> np.ndarray:
        """The rows in which something stands in a column."""
        place, last = places[0] + column, places[1]
        filled = np.flatnonzero(self._is_filled.take(place, mode="clip"))
        return filled[place[filled] <= last[filled]]

    def column(self, places: tuple[np.ndarray, np.ndarray], column: int) -> np.ndarray:
        """The values of a column; NaN in rows that end before it."""
        place = places[0] + column
        values = self._values.take(place, mode="clip")
        values[place > places[1]] = np.nan
        return values


def _parsed(digits: bytes, starts: np.ndarray, is_filled: np.ndarray) -> np.ndarray:
    """The numbers that stand one after the other in `digits`, as float64, given where each starts, and where the last
    ends, and which of them are there."""
    # Only here: it takes longer to load than a small log to read.
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = np.packbits(is_filled, bitorder="little"), starts, digits
    texts = pa.Array.from_buffers(pa.string(), len(is_filled), [*map(pa.py_buffer, parts)])
    try:
        numbers = texts.cast(pa.float64())
    except pa.ArrowInvalid:
        is_number = pc.match_substring_regex(texts, r"^[0-9]+([.][0-9]*)?$")
        numbers = pc.if_else(is_number, texts, None).cast(pa.float64())
    # Not by to_numpy, which loads pandas: a quarter of the time of a small archive.
    valid, values = numbers.buffers()
    values = np.frombuffer(values, float, len(is_filled))
    if valid is None:
        return values
    if numbers.null_count > len(is_filled) - np.count_nonzero(is_filled):
        is_filled = np.unpackbits(np.frombuffer(valid, np.uint8), count=len(is_filled), bitorder="little")
    return np.where(is_filled, values, np.nan)


def _clock(text: bytes, starts: np.ndarray, day: np.ndarray, time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Milliseconds since 1970 from dates such as 20230506 and times such as 102626218, and which of them are in doubt:
    their marks stand elsewhere, or there is no such time."""
    characters = np.frombuffer(text, np.uint8)
    marks = characters[starts[:, None] + np.array([*_STAMP])]
    milliseconds = characters[starts[:, None] + np.array(_MILLISECONDS)]
    doubtful = (marks != np.array([*map(ord, _STAMP.values())])).any(axis=1) | (milliseconds == ord(" ")).any(axis=1)
    doubtful |= np.isnan(day) | np.isnan(time)
    days, index = np.unique(np.where(doubtful, 0, day).astype(np.int64), return_inverse=True)
    since_1970 = np.array([_days_since_1970(each) for each in days.tolist()], np.int64)[index]
    whole = np.where(doubtful, 0, time).astype(np.int64)
    hour, minute, second = whole // 10_000_000, whole // 100_000 % 100, whole // 1000 % 100
    doubtful |= (since_1970 == _NO_DAY) | (hour > 23) | (minute > 59) | (second > 59)
    seconds = ((since_1970 * 24 + hour) * 60 + minute) * 60 + second
    return seconds * units.MS_PER_S + whole % 1000, doubtful


def _days_since_1970(day: int) -> int:
    try:
        return (date(day // 10_000, day // 100 % 100, day % 100) - date(1970, 1, 1)).days
    except ValueError:
        return _NO_DAY


def _leading_zeros(csv: bytes) -> np.ndarray:
    """The rows of the numbers that begin with a zero and another digit, one each."""

    def condition(a: np.ndarray) -> np.ndarray:
        return (a[1:-1] == ord("0")) & (a[:-2] <= ord(",")) & (a[2:] >= ord("0"))

    return _rows_of(csv, _positions(csv, condition, ahead=1))


def _oddly_printed(csv: bytes) -> np.ndarray:
    """The rows with a number that has no digit on one side of its point, or too many characters."""

    def condition(a: np.ndarray) -> np.ndarray:
        run = a > ord(",")
        point = a[1:-_LONGEST] == ord(".")
        odd = point & ((a[: -_LONGEST - 1] < ord("0")) | (a[2 : 1 - _LONGEST] < ord("0")))
        for step in (1, 2, 4, 8, _LONGEST - 15):
            run = run[:-step] & run[step:]
        return odd | run[1:]

    return _rows_of(csv, _positions(csv, condition, ahead=_LONGEST))


def _rows_of(csv: bytes, positions: np.ndarray) -> np.ndarray:
    if not len(positions):
        return positions
    return np.searchsorted(np.flatnonzero(np.frombuffer(csv, np.uint8) == ord("\n")), positions)


def _positions(text: bytes, condition: Callable[[np.ndarray], np.ndarray], *, ahead: int) -> np.ndarray:
    """Where a text meets a condition, looked for in blocks that stay in the processor's cache.

    Parameters
        condition: says whether it holds of each character, given these with one before and `ahead` behind them.
    """
    characters, positions = np.frombuffer(text, np.uint8), [np.zeros(0, np.int64)]
    for start in range(0, len(text), _BLOCK):
        block = characters[max(start - 1, 0) : start + _BLOCK + ahead]
        # Only the blocks at the ends are copied: line ends stand for what is not there.
        before, behind = int(start == 0), max(0, min(start + _BLOCK, len(text)) + ahead - len(text))
        if before or behind:
            block = np.pad(block, (before, behind), constant_values=ord("\n"))
        positions.append(start + np.flatnonzero(condition(block)))
    return np.concatenate(positions)


# Summaries

_IGNORED = ("TOTAL_GC",)
_FIGURE = re.compile(rb", (\d{1,19}(?:\.\d{1,19})?)\n")


@dataclass(frozen=True)
class Figures:
    """Where the figures of one operation stand among the lines of a summary; -1: nowhere, which is the last column of
    `SameLines.table`."""

    name: str
    line: int
    count: int
    mean_us: int
    min_us: int = -1
    max_us: int = -1
    ok: int = -1
    percentiles: tuple[tuple[float, int], ...] = ()


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
        *pieces, rest = _FIGURE.split(text)
        key = b"\n".join(pieces[::2])
        if pieces and not rest and key.count(b"\n") + 1 == len(pieces) // 2:
            indices, numbers = groups.setdefault(key, ([], []))
            indices.append(i)
            numbers += pieces[1::2]
    same = []
    for key, (indices, numbers) in groups.items():
        if template := _template(key):
            figures = np.array([*map(float, numbers)]).reshape(len(indices), -1)
            same.append(SameLines(template, indices, np.pad(figures, ((0, 0), (0, 1)), constant_values=np.nan)))
    return same


@lru_cache(maxsize=4096)
def _template(key: bytes) -> Template | None:
    """What the lines of a summary are, given without their numbers; None where one is of another kind."""
    overall: dict[str, int] = {}
    operations: dict[str, dict] = {}
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
            lines = operations.setdefault(name, {"line": line, "percentiles": []})
            is_known = name in DATABASE_OPERATIONS or not (is_of_workload(name) or name == COMMIT)
            if not _is_plain(figure) or figure in lines or is_failure_series(name) or not is_known:
                return None
            lines[figure] = line
            if figure[0] == "us":
                lines["percentiles"].append((figure[1], line))
    return _assembled(overall, operations)


def _is_plain(key: object) -> bool:
    if isinstance(key, str):
        return key in ("count", "mean_us", "min_us", "max_us")
    return key is not None and (key == ("return", OK) or (key[0] == "us" and key[1] <= 100))


def _assembled(overall: dict[str, int], operations: dict[str, dict]) -> Template | None:
    if not {"RunTime(ms)", "Throughput(ops/sec)"} <= overall.keys() or "ThreadCount" in overall:
        return None
    if ends_early(operations) or any("count" not in lines or "mean_us" not in lines for lines in operations.values()):
        return None
    listed = tuple(
        Figures(
            redact(name),
            lines["line"],
            *(lines.get(key, -1) for key in ("count", "mean_us", "min_us", "max_us", ("return", OK))),
            percentiles=tuple(sorted(lines["percentiles"])),
        )
        for name, lines in operations.items()
    )
    database = tuple(o for name in DATABASE_OPERATIONS for o in listed if o.name == name)
    if not database or any(o.ok < 0 for o in database):
        return None
    return Template(
        overall["RunTime(ms)"],
        overall["Throughput(ops/sec)"],
        listed,
        database,
        next((o for o in listed if o.name == READ_MODIFY_WRITE), None),
        "load" if [o.name for o in database] == ["INSERT"] else "run",
    )
