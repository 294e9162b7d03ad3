"""The numbers of summaries, `[OPERATION], metric, number` line by line, and the text that they stand in: by logs.c."""

import ctypes
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ycsbook import native

# Commas and blanks, a digit, the line's end.
_LEAST_LINE = 6


class Summary(NamedTuple):
    """One summary: its text without the numbers, and where its numbers are among the values of all."""

    key: bytes
    first: int
    stop: int


class _Summaries(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int64) for name in ("values", "longs")),
        *((name, ctypes.c_void_p) for name in ("value", "keys", "key_ends", "long_at", "long_start", "long_size")),
    )


def read(library: ctypes.CDLL, texts: Sequence[bytes]) -> tuple[np.ndarray, list[Summary | None]]:
    """The numbers of all summaries, each as float(text) gives it, and where those of each are.

    None: one of its lines is not of that form, or its number not of digits with or without a point between.
    """
    n = len(texts)
    sizes = np.fromiter(map(len, texts), np.int64, n)
    size = int(sizes.sum())
    keys = np.empty(size, np.uint8)
    values = np.empty(size // _LEAST_LINE + n)
    ends, counts, longs = (np.empty(n, np.int64) for _ in range(3))
    at, start, length = (np.empty(len(values), np.int64) for _ in range(3))
    out = _Summaries(0, 0, *(a.ctypes.data for a in (values, keys, ends, at, start, length)))
    library.ycsbook_summaries(
        native.texts(texts), native.address(sizes), ctypes.c_int64(n), ctypes.byref(out),
        native.address(counts), native.address(longs),
    )  # fmt: skip
    # More digits than a double holds: Python rounds them as every reader does.
    text = iter(np.repeat(np.arange(n), longs).tolist())
    exact = zip(text, start[: out.longs].tolist(), length[: out.longs].tolist(), strict=True)
    values[at[: out.longs]] = [float(texts[i][a : a + b]) for i, a, b in exact]
    return values[: out.values], list(_parted(bytes(keys.data[: ends[-1]] if n else b""), ends, counts))


def _parted(keys: bytes, ends: np.ndarray, counts: np.ndarray) -> Iterator[Summary | None]:
    begin = first = 0
    for end, count in zip(ends.tolist(), counts.tolist(), strict=True):
        yield Summary(keys[begin:end], first, first + count) if count >= 0 else None
        begin, first = end, first + max(count, 0)
