"""Arrow arrays straight from buffers, and the interval series of runs as such tables, copied as little as possible.

pyarrow.array looks whether it is given something of pandas, and loads pandas for that: longer than a small log takes.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ycsbook.columns import arrow_schema
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.log.status import Part
from ycsbook.redaction import redact

# Rows that are made into one table, at least: what memory it takes, and how often the names are written.
MAX_ROWS = 250_000
# Neighbouring parts with fewer rows are copied together: a column in many pieces is slow to write.
SHORT = 10_000
_FIGURES = ("elapsed_s", "interval_s", "operations", "throughput_ops_s", "mean_us", "max_us", "p99_us")


def nothing(kind, rows: int):
    """A column of which nothing is known: text or figures."""
    import pyarrow as pa

    return [""] * rows if kind == pa.string() else np.full(rows, np.nan)


def floats(values: Sequence[float] | np.ndarray):
    """A float64 array; None is NaN."""
    import pyarrow as pa

    # NumPy's float of None is NaN.
    values = np.ascontiguousarray(values, float)
    return pa.Array.from_buffers(pa.float64(), len(values), [None, pa.py_buffer(values)])


def text(values: Sequence[str]):
    """An array of text; None is empty."""
    import pyarrow as pa

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


def interval_tables(runs: Iterable[tuple[str, Series]]) -> Iterator[object]:
    """The rows of the runs, given with their ids, in order as pyarrow tables of the schema `intervals`.

    A table may share memory with the series. There is one at least, and none has many more than MAX_ROWS rows.
    """
    waiting: list[tuple[str, Part]] = []
    n = 0
    for run_id, series in runs:
        for part in series.parts():
            waiting.append((run_id, part))
            n += len(part)
            if n > MAX_ROWS:
                yield _table(waiting)
                waiting, n = [], 0
    yield _table(waiting)


def _table(parts: Sequence[tuple[str, Part]]):
    import pyarrow as pa

    wanted = arrow_schema("intervals")
    run_ids = {run_id: i for i, run_id in enumerate(dict.fromkeys(run_id for run_id, _ in parts))}
    owner = np.repeat(
        np.array([run_ids[run_id] for run_id, _ in parts], np.int32), np.array([len(p) for _, p in parts], np.int64)
    )
    stretches = _stretches(part for _, part in parts)
    operations = {name: i for i, name in enumerate(dict.fromkeys(n for s in stretches for n in s.block.names))}
    # The same values for all pieces of a column: others would be written as plain text.
    run_values, operation_values = text(list(run_ids)), text([redact(name) for name in operations])
    columns: dict[str, list] = {name: [] for name in wanted.names}
    at = 0
    for group in _groups(stretches):
        rows = [stretch.rows for stretch in group]
        n = sum(map(len, rows))
        name = _joined([_renamed(r.name, r.names, operations) for r in rows])
        line = _joined([r.line for r in rows]).astype(float)
        line[line <= 0] = np.nan
        columns["run_id"].append(pointed(owner[at : at + n], run_values))
        columns["operation"].append(pointed(name, operation_values))
        columns["source_line"].append(floats(line))
        for figure in _FIGURES:
            columns[figure].append(floats(_joined([getattr(r, figure) for r in rows])))
        at += n
    return pa.Table.from_arrays([pa.chunked_array(columns[f.name], f.type) for f in wanted], schema=wanted)


def _stretches(parts: Iterable[Part]) -> list[Part]:
    """The parts, those that lie next to each other in the same block as one."""
    stretches: list[Part] = []
    for part in parts:
        if stretches and stretches[-1].block is part.block and stretches[-1].last == part.first:
            stretches[-1] = Part(part.block, stretches[-1].first, part.last)
        else:
            stretches.append(part)
    return stretches


def _groups(stretches: list[Part]) -> Iterator[list[Part]]:
    """Long stretches by themselves, neighbouring short ones together."""
    for is_short, group in itertools.groupby(stretches, key=lambda stretch: len(stretch) < SHORT):
        if is_short:
            yield list(group)
        else:
            yield from ([stretch] for stretch in group)


def _renamed(name: np.ndarray, names: tuple[str, ...], codes: dict[str, int]) -> np.ndarray:
    """The index of each name in `codes` instead of in `names`."""
    new = np.array([codes[n] for n in names], np.int32)
    return name if np.array_equal(new, np.arange(len(new))) else new[name]


def _joined(columns: list[np.ndarray]) -> np.ndarray:
    return columns[0] if len(columns) == 1 else np.concatenate(columns)
