"""Status lines as arrays: what logs.c reads of them."""

import ctypes
import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ycsbook import native

# As in logs.c.
MAX_NAMES = 256
_MAX_NAME = 80
_LEAST_LINE, _LEAST_DETAIL = 16, 60
_PER_LINE = {"at_ms": np.int64, "elapsed_s": float, "operations": float, "line": np.int64}
_PER_DETAIL = {"owner": np.int64, "name": np.int64} | dict.fromkeys(("count", "mean_us", "max_us", "p99_us"), float)
_PER_ODD = dict.fromkeys(("odd", "odd_start", "odd_size"), np.int64)


class Stretch(NamedTuple):
    """Status lines in the text of a log: from the start of a line to the end of a line. In it may be a gap, of whole
    lines that are none and behind the first, which are not looked at."""

    text: bytes
    start: int
    gap_start: int
    gap_stop: int
    stop: int

    @classmethod
    def of(cls, text: bytes) -> "Stretch":
        """All of a text."""
        return cls(text, 0, 0, 0, len(text))


class Status(NamedTuple):
    """The lines of all regions that were read, one after the other.

    `lines` and `details`: arrays by name, per line and per operation in brackets, as log.intervals.StatusLines has them
    (`name`: index into `names`). `odd`: lines without details that the exact reader has to read, as index of the line,
    where it starts in its text and how long it is without its line end. `counts`: lines of each region, -1 where it is
    not regular; `counted`: how many lines of its file it takes, those that are passed over included.
    """

    lines: dict[str, np.ndarray]
    details: dict[str, np.ndarray]
    names: list[str]
    odd: list[tuple[int, int, int]]
    counts: np.ndarray
    counted: np.ndarray


class _Names(ctypes.Structure):
    _fields_ = (
        ("count", ctypes.c_int64),
        ("size", ctypes.c_uint8 * MAX_NAMES),
        ("next", ctypes.c_uint8 * MAX_NAMES),
        ("text", ctypes.c_char * _MAX_NAME * MAX_NAMES),
    )


class _StatusLines(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int64) for name in ("lines", "details", "odds")),
        *((name, ctypes.c_void_p) for name in (*_PER_LINE, *_PER_DETAIL, *_PER_ODD)),
        ("names", ctypes.POINTER(_Names)),
        ("passed_over", ctypes.POINTER(ctypes.c_char_p)),
    )


def read(
    library: ctypes.CDLL, regions: Sequence[Stretch], first_lines: Sequence[int], passed_over: Sequence[bytes]
) -> Status:
    """Read stretches of status lines.

    Parameters
        regions: one of each log.
        first_lines: the line number in its file of each region's first line.
        passed_over: how lines begin that are of no account, but not as the first of a region.
    """
    _keep_freed_memory()
    n = len(regions)
    within, firsts = np.array([region[1:] for region in regions], np.int64), np.asarray(first_lines, np.int64)
    counts, counted = np.empty(n, np.int64), np.empty(n, np.int64)
    # Room for the most that there can be. What is not written to takes no memory.
    size = int((within[:, 3] - within[:, 0]).sum())
    lines = _room(_PER_LINE, size // _LEAST_LINE)
    details = _room(_PER_DETAIL, size // _LEAST_DETAIL)
    odd = _room(_PER_ODD, size // _LEAST_LINE)
    names = _Names()
    out = _StatusLines(names=ctypes.pointer(names), passed_over=native.texts([*passed_over, None]))
    for name, array in (lines | details | odd).items():
        setattr(out, name, array.ctypes.data)
    texts = native.texts([region.text for region in regions])
    given = (texts, native.address(within), native.address(firsts), ctypes.c_int64(n), ctypes.byref(out))
    library.ycsbook_status(*given, native.address(counts), native.address(counted))
    return Status(
        {name: array[: out.lines] for name, array in lines.items()},
        {name: array[: out.details] for name, array in details.items()},
        [bytes(names.text[i].raw[: names.size[i]]).decode("ascii") for i in range(names.count)],
        list(zip(*(array[: out.odds].tolist() for array in odd.values()), strict=True)),
        counts,
        counted,
    )


def _room(columns: dict[str, type], size: int) -> dict[str, np.ndarray]:
    return {name: np.empty(size, kind) for name, kind in columns.items()}


@functools.cache
def _keep_freed_memory() -> None:
    """Let arrays reuse the memory of those before them.

    glibc gives large blocks back to the system when they are freed, and getting them again costs a page fault for each
    4 KiB: up to half the time here. It keeps blocks up to the size of the largest that was freed (mallopt(3),
    M_MMAP_THRESHOLD), at most 32 MB, so one is, untouched.
    """
    np.empty(30 * 1024 * 1024, np.uint8)
