"""Arrow arrays straight from buffers.

pyarrow.array looks whether it is given something of pandas, and loads pandas for that: longer than a small log takes.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Missing(NamedTuple):
    """A column of which nothing is known, so many rows long."""

    rows: int


def floats(values: Sequence[float] | np.ndarray | Missing):
    """A float64 array; None is NaN."""
    import pyarrow as pa

    if isinstance(values, Missing):
        values = np.full(values.rows, np.nan)
    # NumPy's float of None is NaN.
    values = np.ascontiguousarray(values, float)
    return pa.Array.from_buffers(pa.float64(), len(values), [None, pa.py_buffer(values)])


def text(values: Sequence[str] | Missing):
    """An array of text; None is empty."""
    import pyarrow as pa

    if isinstance(values, Missing):
        nothing = [None, pa.py_buffer(np.zeros(values.rows + 1, np.int32)), pa.py_buffer(b"")]
        return pa.Array.from_buffers(pa.string(), values.rows, nothing)
    values = [v or "" for v in values]
    everything = "".join(values)
    if everything.isascii():
        return _array(everything.encode(), values, pa.string())
    return binary([v.encode("utf-8", errors="replace") for v in values], pa.string())


def binary(values: Sequence[bytes], kind=None):
    """An array of bytes, or of the text that they are; None is empty."""
    import pyarrow as pa

    values = [v or b"" for v in values]
    return _array(b"".join(values), values, kind or pa.binary())


def pointed(index: np.ndarray, values):
    """An array of text that repeats: an index (int32) into its values, an array of text."""
    import pyarrow as pa

    index = np.ascontiguousarray(index, np.int32)
    points = pa.Array.from_buffers(pa.int32(), len(index), [None, pa.py_buffer(index)])
    return pa.DictionaryArray.from_arrays(points, values, safe=False)


def _array(everything: bytes, values: Sequence[str] | Sequence[bytes], kind):
    """An array of values that lie one after the other in `everything`; each as long there as it is itself."""
    import pyarrow as pa

    offsets = np.zeros(len(values) + 1, np.int32)
    np.cumsum(np.fromiter(map(len, values), np.int32, len(values)), out=offsets[1:])
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(offsets), pa.py_buffer(everything)])
