"""Interval series as Arrow tables and in their file: the same rows however they lie in memory."""

import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook.columns import SCHEMAS, arrow_schema
from ycsbook.ingest.log.intervals import StatusLines
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.log.status import OperationStatus, StatusLine
from ycsbook.ingest.runs import rows
from ycsbook.store import writer
from ycsbook.store.writer import tables_written

# Of each run: how many lines it has, whether it is read with others, and which operations its lines tell of.
RUNS = st.lists(
    st.tuples(
        st.integers(1, 6),
        st.booleans(),
        st.lists(st.sampled_from(["READ", "SCAN", "CLEANUP", "READ-FAILED"]), max_size=3, unique=True),
    ),
    max_size=8,
)


def lines_of(n: int, names: list[str]) -> list[StatusLine]:
    details = tuple(OperationStatus(name, 5.0 + i, 2.25, 9.0, 8.0) for i, name in enumerate(names))
    return [StatusLine(1000 * i + i % 3, float(i), 10 * i, details if i % 4 else details[:1]) for i in range(n)]


def series_of(runs: list[tuple]) -> list[Series]:
    """Runs one by one, and neighbours that are read together as one block."""
    found: list[Series] = []
    together: list[list[StatusLine]] = []
    for n, alone, names in [*runs, (0, True, [])]:
        lines = lines_of(n, names)
        if not alone:
            together.append(lines)
            continue
        if together:
            starts = np.cumsum([0, *(len(run) for run in together[:-1])])
            every = [(i, line) for run in together for i, line in enumerate(run, start=1)]
            found += Series.of_runs(StatusLines.of(every), starts)
            together = []
        found.append(Series.of(lines))
    return found


def rows_of(run_id: str, series: Series) -> list[tuple]:
    return [
        (run_id, block.names[block.name[i]], *(getattr(block, c)[i] for c in SCHEMAS["intervals"][2:-1]), block.line[i])
        for block in series.blocks()
        for i in range(len(block))
    ]


@settings(max_examples=40)
@given(runs=RUNS, most=st.sampled_from([3, 1000]))
def test_tables_hold_the_rows_of_every_series_in_order(runs, most):
    everything = [(f"run-{i}", series) for i, series in enumerate(series_of(runs))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "MAX_ROWS", most)
        tables = list(rows.interval_tables(everything))
    assert all(table.schema == arrow_schema("intervals") for table in tables)
    found = [tuple(row.values()) for table in tables for row in table.to_pylist()]
    expected = [tuple(map(_plain, row)) for run_id, series in everything for row in rows_of(run_id, series)]
    assert repr(found) == repr(expected)


def _plain(value: object) -> object:
    return value if isinstance(value, str) else float(value)


@settings(max_examples=40)
@given(runs=RUNS)
def test_runs_that_are_read_together_are_those_read_alone(runs):
    together = series_of([(n, False, names) for n, _, names in runs])
    alone = series_of([(n, True, names) for n, _, names in runs])
    for a, b in zip(together, alone, strict=True):
        assert repr(rows_of("", a)) == repr(rows_of("", b))
        assert repr([f.tolist() for f in a.totals()]) == repr([f.tolist() for f in b.totals()])
        said = ("lines", "first_at_ms", "first_elapsed_s", "last_at_ms", "last_elapsed_s", "last_operations",
                "last_success_s", "peak_ops_s", "stepped")  # fmt: skip
        assert repr([getattr(a, name) for name in said]) == repr([getattr(b, name) for name in said])


def test_a_series_knows_its_own_operations_only():
    first, second, _ = series_of([(3, False, ["READ"]), (3, False, ["SCAN"])])
    assert (first.names, second.names) == ({"TOTAL", "READ"}, {"TOTAL", "SCAN"})


def test_the_file_is_plain_text_and_floats_to_every_reader(tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "GROUP_ROWS", 100)
    series = [(f"run-{i}", s) for i, s in enumerate(series_of([(30, i % 2 == 0, ["READ"]) for i in range(9)]))]
    with tables_written(tmp_path, ("intervals",)) as append:
        for run in series:
            for table in rows.interval_tables([run]):
                append("intervals", table)
    expected = [tuple(map(_plain, row)) for run_id, s in series for row in rows_of(run_id, s)]
    path = tmp_path / "intervals.parquet"
    for frame in (pd.read_parquet(path), pq.read_table(path).to_pandas()):
        assert [str(t) for t in frame.dtypes[2:]] == ["float64"] * 8
        assert repr(list(frame.itertuples(index=False, name=None))) == repr(expected)
    plain = [pa.string()] * 2 + [pa.float64()] * 8
    with pq.ParquetFile(path) as file:
        assert file.schema_arrow.types == plain
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
    assert all(group.num_rows <= 200 for group in groups)
    assert groups[0].column(0).statistics.min == "run-0"
    # Run ids that were written again for every row would take nine bytes each.
    assert all(group.column(0).total_uncompressed_size < 3 * group.num_rows for group in groups)


def test_arrays_of_what_is_missing():
    assert rows.text_array(["a", None, "", "ü", "\ud800"]).to_pylist() == ["a", "", "", "ü", "?"]
    assert rows.text_array(["ab", None, "c"]).to_pylist() == ["ab", "", "c"]
    assert rows.binary_array([b"a", None]).to_pylist() == [b"a", b""]
    one, none = rows.float_array([1, None]).to_pylist()
    assert one == 1 and math.isnan(none)
