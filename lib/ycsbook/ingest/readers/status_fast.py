"""Today's status lines by the thousand: every byte that carries a value or a label is looked at, many lines at a time.

The lines are walked in step (status_walk) along the layout that current releases print (status_layout). What deviates
(old dialect, other labels, odd numbers) is given to the exact reader line by line, and to the caller where much does.

CPU time of the ways that were tried, this one = 1: bytes.translate and one polars.read_csv of four columns of numbers,
without heads, names, labels or conversions 1.4, with the columns that pin the layout 2.4; batches of 0.3, 1, 2, 8 and
16 MB instead of 4: 2.0, 1.2, 1.05, 1.05 and 1.4; giving memory back to the system after each array 1.2 to 1.8; looking
for brackets and line ends byte by byte 1.07. Reading a word anywhere takes 5 ns, at a multiple of eight 2 ns, but two
of those and their shifts 7.
"""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ycsbook.ingest.log.intervals import NO_CLOCK, StatusLines
from ycsbook.ingest.log.status import MAX_OPERATIONS_PER_LINE, StatusLine, parse_line
from ycsbook.ingest.readers.status_layout import MAX_NAMES, PADDING, details, heads
from ycsbook.ingest.readers.status_walk import Walk, places

# Text walked at a time: small enough that it and its arrays stay in the cache, large enough to keep NumPy busy.
BATCH_BYTES = 4_000_000
# Of this many lines plus this share of all, each may deviate: the exact reader is not slower on a whole region.
MAX_ODD_LINES, MAX_ODD_SHARE = 8, 0.1
# Lines that YCSB prints among its status lines and that tell nothing of the run: the first comes from every thread.
PASSED_OVER = (
    b"DBWrapper: report latency for each error is ",
    b"Maximum time elapsed. Requesting stop for the workload.",
    b"Stop requested for workload. Now Joining!",
    b"Still waiting for thread ",
)
# On average a line or a bracket takes more; text of emptier ones would take memory without being worth it.
_LEAST_BYTES = 16
_MAX_LINE = 64 * 1024


class Read(NamedTuple):
    """What was read fast.

    `lines`: the status lines of all regular regions (None: there is none); `starts`: the index of the first line of
    each of those; `regular`: which regions they are; `line_counts`: how many lines each of the regions has in its file,
    which are more than status lines where others were passed over (0 where it is not regular).
    """

    lines: StatusLines | None
    starts: np.ndarray
    regular: np.ndarray
    line_counts: np.ndarray


def read(regions: Sequence[bytes], first_lines: Sequence[int]) -> Read:
    """Read stretches of status lines, each exactly as `status.parse_line` reads its lines, or not at all.

    A region is regular if it begins with a status line, if all its lines are those or begin as in PASSED_OVER, if they
    are whole (with a line end) and shorter than 64 KiB, if neither seconds nor operations ever decrease, if it holds
    no NUL and no lone carriage return, and if few of its lines deviate from what current releases print. Values are
    those of float(text): integers are converted once, and a mean of at most 15 digits is one integer divided by a power
    of ten, both of which a double holds exactly, so it is rounded once.

    Parameters
        regions: bytes of one log each, from the start of a line to the end of a line.
        first_lines: the line number in its file of each region's first line.
    Returns
        Read: the lines of the regular regions, in order. Memory: about twice the regions' bytes.
    """
    _keep_freed_memory()
    regular = np.array([_is_whole(region) for region in regions], bool)
    names: dict[str, int] = {}
    parts = []
    for pieces in _batches(regions, regular):
        if part := _walk(pieces, names, regular):
            regular[part.region[part.kind == _REFUSED]] = False
            parts.append(part)
    if not parts:
        return Read(None, np.zeros(0, np.int64), regular, np.zeros(len(regular), np.int64))
    return _joined(parts, np.asarray(first_lines, np.int64), regular, tuple(names))


@functools.cache
def _keep_freed_memory() -> None:
    """Let arrays reuse the memory of those before them.

    glibc gives large blocks back to the system when they are freed, and getting them again costs a page fault for each
    4 KiB: up to half the time here. It keeps blocks up to the size of the largest that was freed (mallopt(3),
    M_MMAP_THRESHOLD), at most 32 MB, so one is, untouched.
    """
    np.empty(30 * 1024 * 1024, np.uint8)


def _is_whole(region: bytes) -> bool:
    if not region.endswith(b"\n") or b"\0" in region:
        return False
    return b"\r" not in region or region.count(b"\r") == region.count(b"\r\n")


class _Piece(NamedTuple):
    """Some lines of a region."""

    region: int
    text: memoryview


def _batches(regions: Sequence[bytes], regular: np.ndarray) -> Iterator[list[_Piece]]:
    """Whole lines of the regular regions, about BATCH_BYTES at a time."""
    pieces, size = [], 0
    for i, region in enumerate(regions):
        at = 0
        while at < len(region) and regular[i]:
            stop = len(region)
            if stop - at > BATCH_BYTES - size:
                room = at + BATCH_BYTES - size
                stop = region.find(b"\n", room) + 1
                if stop - room > _MAX_LINE:
                    regular[i] = False
                    break
            pieces.append(_Piece(i, memoryview(region)[at:stop]))
            size += stop - at
            at = stop
            if size >= BATCH_BYTES:
                yield pieces
                pieces, size = [], 0
    if pieces:
        yield pieces


_STATUS, _PASSED, _REFUSED = range(3)


@dataclass
class _Part:
    """The lines of some pieces: the region of each, and whether it is a status, passed over or refused."""

    region: np.ndarray
    kind: np.ndarray
    at_ms: np.ndarray
    elapsed_s: np.ndarray
    operations: np.ndarray
    owner: np.ndarray
    details: tuple[np.ndarray, ...]


def _walk(pieces: list[_Piece], names: dict[str, int], regular: np.ndarray) -> _Part | None:
    """The lines of some pieces; without pieces that are not worth it, whose regions then are not regular."""
    # Whole words: what they hold beyond the text is part of the padding.
    text = b"".join([*(p.text for p in pieces), bytes(PADDING - sum(len(p.text) for p in pieces) % 8)])
    characters = np.frombuffer(text, np.uint8)
    words = np.ndarray((len(text) - 7,), "<u8", text, strides=(1,))
    ends = places(characters, b"\n")
    starts = np.concatenate([[0], ends[:-1] + 1])
    brackets = places(characters, b"[")
    if len(ends) + len(brackets) > len(text) // _LEAST_BYTES:
        dense = [_is_dense(bytes(p.text)) for p in pieces]
        regular[[p.region for p, is_dense in zip(pieces, dense, strict=True) if is_dense]] = False
        others = [p for p, is_dense in zip(pieces, dense, strict=True) if not is_dense]
        return _walk(others, names, regular) if others else None
    owner = np.searchsorted(ends, brackets)
    at_ms, elapsed, operations, ok = heads(Walk(words, starts), text)
    columns, told = details(Walk(words, brackets), text, names)
    ok[owner[~told]] = False
    ok[np.bincount(owner, minlength=len(ok)) > MAX_OPERATIONS_PER_LINE] = False
    short = ends - starts < _MAX_LINE - 1
    ok &= short
    region = np.repeat([p.region for p in pieces], np.diff(_lines_before(pieces, ends), prepend=0))
    kind = np.full(len(ok), _STATUS, np.int8)
    part = _Part(region, kind, at_ms, elapsed, operations, owner, columns)
    odd = np.flatnonzero(~ok)
    if len(odd):
        passed = np.logical_or.reduce([Walk(words, starts[odd]).shows(label) for label in PASSED_OVER])
        kind[odd] = np.where(passed & short[odd], _PASSED, _REFUSED)
        lines = {i: text[starts[i] : ends[i]] for i in _worth_reading(region, kind) if short[i]}
        _reread(part, lines, names)
    return part


def _is_dense(text: bytes) -> bool:
    return text.count(b"\n") + text.count(b"[") > len(text) // _LEAST_BYTES


def _worth_reading(region: np.ndarray, kind: np.ndarray) -> list[int]:
    """The odd lines of the regions that have few of them."""
    odd = np.flatnonzero(kind == _REFUSED)
    regions, lines = np.unique(region, return_counts=True)
    place = np.searchsorted(regions, region[odd])
    few = np.bincount(place, minlength=len(regions)) <= MAX_ODD_LINES + MAX_ODD_SHARE * lines
    return odd[few[place]].tolist()


def _lines_before(pieces: list[_Piece], ends: np.ndarray) -> np.ndarray:
    """The number of lines up to the end of each piece."""
    return np.searchsorted(ends, np.cumsum([len(p.text) for p in pieces]))


def _reread(part: _Part, lines: dict[int, bytes], names: dict[str, int]) -> None:
    """Have some lines of a part, given by index, read by the exact reader."""
    read: list[tuple[int, StatusLine]] = []
    for i, text in lines.items():
        line = parse_line(text.decode("utf-8", errors="replace"))
        if line is None or not _has_room(names, line):
            continue
        read.append((i, line))
        part.kind[i] = _STATUS
        part.at_ms[i] = NO_CLOCK if line.at_ms is None else line.at_ms
        part.elapsed_s[i], part.operations[i] = line.elapsed_s, line.operations
    exact = StatusLines.of(read)
    codes = np.array([names[name] for name in exact.names], np.int64)
    walked = part.kind == _STATUS
    walked[exact.line] = False
    kept = walked[part.owner]
    owner = np.concatenate([part.owner[kept], exact.line[exact.owner]])
    order = np.argsort(owner, kind="stable")
    new = (codes[exact.name] if len(codes) else exact.name, exact.count, exact.mean_us, exact.max_us, exact.p99_us)
    part.owner = owner[order]
    part.details = tuple(np.concatenate([a[kept], b])[order] for a, b in zip(part.details, new, strict=True))


def _has_room(names: dict[str, int], line: StatusLine) -> bool:
    """Whether the names of a line are known now."""
    new = dict.fromkeys(d.operation for d in line.details if d.operation not in names)
    if len(names) + len(new) > MAX_NAMES:
        return False
    for name in new:
        names[name] = len(names)
    return True


def _joined(parts: list[_Part], first_lines: np.ndarray, regular: np.ndarray, names: tuple[str, ...]) -> Read:
    """The status lines of the regular regions of all parts."""
    region, kind, at_ms, elapsed, operations = (
        np.concatenate([getattr(p, k) for p in parts]) for k in ("region", "kind", "at_ms", "elapsed_s", "operations")
    )
    before = np.cumsum([0, *(len(p.region) for p in parts)])
    owner = np.concatenate([p.owner + n for p, n in zip(parts, before, strict=False)])
    columns = [np.concatenate(column) for column in zip(*(p.details for p in parts), strict=True)]
    firsts = np.flatnonzero(np.diff(region, prepend=-1))
    regular[region[firsts[kind[firsts] != _STATUS]]] = False
    line_counts = np.bincount(region, minlength=len(regular))
    line = np.arange(len(region)) + np.repeat(first_lines[region[firsts]] - firsts, line_counts[region[firsts]])
    # Twice: which lines go back is seen only when those between them that are no status are gone.
    for _ in range(2):
        kept = regular[region] & (kind == _STATUS)
        if not kept.all():
            kept_details = kept[owner]
            owner = (np.cumsum(kept) - 1)[owner[kept_details]]
            columns = [c[kept_details] for c in columns]
            region, kind, at_ms, elapsed, operations, line = (
                a[kept] for a in (region, kind, at_ms, elapsed, operations, line)
            )
        back = (np.diff(elapsed) < 0) | (np.diff(operations) < 0)
        regular[region[1:][back & (region[1:] == region[:-1])]] = False
    line_counts[~regular] = 0
    starts = np.flatnonzero(np.diff(region, prepend=-1))
    if not len(region):
        return Read(None, starts, regular, line_counts)
    name, names = _in_order(columns[0], names)
    lines = StatusLines(at_ms, elapsed, operations, line, owner, name, *columns[1:], names)
    return Read(lines, starts, regular, line_counts)


def _in_order(code: np.ndarray, names: tuple[str, ...]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Codes and names in the order in which they first appear, without names that do not."""
    first = {}
    for i in range(len(names)):
        at = int((code == i).argmax()) if len(code) else 0
        if len(code) and code[at] == i:
            first[i] = at
    order = sorted(first, key=first.get)
    if order == list(range(len(order))):
        return code, tuple(names[i] for i in order)
    new = np.zeros(len(names), np.int64)
    new[order] = np.arange(len(order))
    return new[code], tuple(names[i] for i in order)
