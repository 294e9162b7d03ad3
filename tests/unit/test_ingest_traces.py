"""Each value can be traced: its source names the file and the line that it stands on."""

import re
from pathlib import Path

import pytest

from ycsbook import ingest, paths

DATA = Path(__file__).parents[1] / "data" / "ycsb"


def line_of(source: str) -> str:
    path, _, number = source.rpartition(":")
    return (paths.REPOSITORY / path).read_text(errors="replace").splitlines()[int(number) - 1]


@pytest.fixture(scope="module")
def tables():
    return ingest.read(DATA)


def test_throughput_stands_on_the_line_of_its_run(tables):
    usable = tables.runs[tables.runs.throughput_ops_s > 0]
    assert len(usable) > 8
    for run in usable.itertuples():
        assert line_of(run.source) == f"[OVERALL], Throughput(ops/sec), {run.throughput_ops_s!r}"


def test_operations_begin_on_their_line(tables):
    assert len(tables.operations) > 30
    for row in tables.operations.itertuples():
        assert re.match(rf"\[{row.operation}\], \S", line_of(row.source))


def test_percentiles_stand_below_the_line_of_their_operation_or_in_a_file_of_their_own(tables):
    kinds = set()
    for row in tables.percentiles.itertuples():
        kinds.add(row.percentile_source)
        if row.percentile_source == "summary":
            assert line_of(row.source).startswith(f"[{row.operation}], ")
        else:
            assert (paths.REPOSITORY / row.source.partition(":")[0]).is_file()
    assert kinds >= {"summary", "hdr"}


def test_intervals_stand_on_the_line_of_their_status(tables):
    files = tables.runs.set_index("run_id").status_source
    assert len(tables.intervals) > 500
    done = {}
    for row in tables.intervals[tables.intervals.source_line > 0].itertuples():
        text = line_of(f"{files[row.run_id]}:{int(row.source_line)}")
        seconds, operations = re.search(r"(\d+) sec: (\d+) operations", text).groups()
        assert abs(float(seconds) - row.elapsed_s) <= 1.5
        if row.operation == "TOTAL":
            done[row.run_id] = done.get(row.run_id, 0) + row.operations
            assert int(operations) == done[row.run_id]
        else:
            assert f"[{row.operation}: " in text or f"[{row.operation} " in text
