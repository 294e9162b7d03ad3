"""Raw measurements: every latency exactly, the figures that YCSB printed, and what is cut or foreign said."""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ingest_samples import histogram_of

from ycsbook.errors import RunLogError
from ycsbook.ingest.log import latencies
from ycsbook.ingest.readers import raw

PRINTED = Path(__file__).parents[1] / "data" / "ycsb" / "04_mongod_run_a_raw.out"
NAMES = ["READ", "UPDATE", "READ-MODIFY-WRITE", "CLEANUP", "UPDATE-NOT_FOUND", "TX2"]
START = 1795252549013


def block(name: str, values: list[int], start: int = START, step: int = 1) -> bytes:
    rows = "".join(f"{name},{start + i * step},{v}\n" for i, v in enumerate(values))
    return f"{name} latency raw data: op, timestamp(ms), latency(us)\n{rows}".encode()


def written(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "raw.csv"
    path.write_bytes(content)
    return path


def read(path: Path) -> dict[str, raw.RawLatencies]:
    """The latencies of each operation of the only run in a file."""
    (run,) = raw.read_sections(path)
    return run


def latencies_of(found: raw.RawLatencies) -> list[int]:
    """Every latency, in order."""
    return np.repeat(found.values, found.counts).tolist()


operations = st.dictionaries(
    st.sampled_from(NAMES), st.lists(st.integers(0, 2**31 - 1) | st.integers(0, 12_000), max_size=40), min_size=1
)


@settings(max_examples=32, deadline=None)
@given(operations, st.integers(1, 20), st.sampled_from([b"\n", b"\r\n"]))
def test_every_latency_is_counted_however_it_comes(by_name, size, end):
    text = b"".join(block(name, values) for name, values in by_name.items()).replace(b"\n", end)
    rows = raw.RawRows()
    lines = text.splitlines(keepends=True)
    for at in range(0, len(lines), size):
        rows.add(b"".join(lines[at : at + size]))
    (run,) = rows.runs()
    assert list(run) == list(by_name)
    for name, values in by_name.items():
        found, ordered = run[name], sorted(values)
        assert (found.count, found.total, found.truncated) == (len(values), sum(values), False)
        assert latencies_of(found) == ordered
        assert np.array_equal(found.histogram.counts, histogram_of(np.array(values, np.int64)).counts)
        if values:
            assert (found.min, found.max) == (ordered[0], ordered[-1])
            assert (found.first_ms, found.last_ms) == (START, START + len(values) - 1)
            assert found.percentiles((0.0, 100.0)) == {0.0: ordered[0], 100.0: ordered[-1]}
        else:
            assert (found.percentiles(), np.isnan(found.mean), np.isnan(found.first_ms)) == ({}, True, True)


@settings(max_examples=24, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 10**9)), min_size=1, max_size=60))
def test_rows_of_several_operations_may_alternate(pairs):
    rows = raw.RawRows()
    for i, (name, value) in enumerate(pairs):
        rows.add(f"{name},{START + i},{value}\n".encode())
    (run,) = rows.runs()
    assert {name: latencies_of(one) for name, one in run.items()} == {
        name: sorted(v for n, v in pairs if n == name) for name in dict.fromkeys(n for n, _ in pairs)
    }


def test_beyond_a_million_different_latencies_they_are_rounded(monkeypatch):
    monkeypatch.setattr(latencies, "MAX_DISTINCT", 500)
    values = np.random.default_rng(1).integers(0, 10**6, 5000)
    rows = raw.RawRows()
    rows.add(block("READ", values.tolist()))
    found, ordered = rows.runs()[0]["READ"], np.sort(values)
    assert (found.count, found.total, found.min, found.max) == (5000, values.sum(), *ordered[[0, -1]])
    for p, value in found.percentiles((10.0, 50.0, 99.0)).items():
        assert value <= ordered[int(p * 50)] <= value * 1.002 + 1


def test_a_percentile_is_the_latency_that_ycsb_prints():
    found = raw.RawRows()
    found.add(block("READ", list(range(1000, 0, -1))))
    # int(1000 * 0.999) is 999, whereas 99.9 / 100 is a little more than 0.999.
    wanted = {1.0: 11, 50.0: 501, 99.0: 991, 99.9: 1000, 99.99: 1000}
    assert found.runs()[0]["READ"].percentiles(tuple(wanted)) == wanted


def test_appended_runs_are_told_apart(tmp_path):
    load = block("CLEANUP", [3], START + 900) + block("INSERT", [5] * 9, START, 100)
    run = [
        block("READ", [1, 2], START + 9000, 500),
        block("CLEANUP", [4], START + 9990),
        block("UPDATE", [7, 8], START + 9200, 400),
    ]
    again = b"".join(run).replace(b"17952525", b"17952526")
    path = written(tmp_path, load + b"".join(run) + again)
    sections = raw.read_sections(path)
    assert [list(s) for s in sections] == [["CLEANUP", "INSERT"], ["READ", "CLEANUP", "UPDATE"], list(sections[1])]
    first, second = sections[1]["READ"], sections[2]["READ"]
    assert (latencies_of(first), first.mean, latencies_of(second)) == ([1, 2], 1.5, [1, 2])
    assert (first.last_ms - first.first_ms, second.first_ms - first.first_ms) == (500, 100_000)


def test_what_is_cut_is_left_out_and_said(tmp_path):
    content = block("READ", [5, 66, 777]) + block("UPDATE", [8])
    ends = [at + 1 for at, byte in enumerate(content) if byte == ord("\n")]
    for cut in range(ends[0], len(content) + 1):
        found = read(written(tmp_path, content[:cut]))
        rows = sum(end <= cut for end in ends[:4]) - 1
        assert found["READ"].count == rows
        assert all(one.truncated == (cut not in ends) for one in found.values())
        assert ("UPDATE" in found) == (cut >= ends[4])
    for cut in range(1, ends[0]):
        with pytest.raises(RunLogError, match="no raw measurements"):
            read(written(tmp_path, content[:cut]))


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_killed_run_does_not_spoil_the_run_appended_to_it(tmp_path, cut):
    first = block("READ", [5, 66, 777])
    found = raw.read_sections(written(tmp_path, first[:-cut] + block("READ", [9])))
    assert [(run["READ"].count, run["READ"].truncated) for run in found] == [(2, True), (1, True)]


def test_packed_files_and_sources_give_the_same(tmp_path):
    path = tmp_path / "raw.csv.gz"
    path.write_bytes(gzip.compress(block("READ", [1, 2])))
    assert latencies_of(read(path)["READ"]) == [1, 2]


def test_rows_are_recognised_among_other_lines():
    header, row, _ = block("READ-MODIFY-WRITE", [5]).split(b"\n")
    assert raw.recognises(block("READ", [5]))
    assert raw.is_raw(header + b"\r\n")
    assert raw.is_raw(row + b"\n")
    for line in (
        b"[READ], 500, 360.95\n",
        b"[READ], Total Operations, 10026\n",
        b"operation,timestamp_us,latency_us\n",
        b"READ,1795252549013000,34139\n",
        b"READ,1795252549013,-5\n",
        b"READ,1795252549013,5.0\n",
        b"",
    ):
        assert not raw.is_raw(line)
        assert not raw.recognises(line + b"\n")
    assert not raw.recognises(header)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no raw measurements"),
        (block("READ", [5]) + b"READ,1795252549013,-5\n", r"raw.csv:3: got b'READ,1795252549013,-5"),
        (block("READ", [5]) + b"READ,179525254901,55\n", r"raw.csv:3: got"),
        (block("READ", [5]) + b"READ,1795252549013,5 \n", r"raw.csv:3: got"),
        (block("READ", [5]) + b"READ,1795252549013,12345678901\n", r"raw.csv:3: got"),
        (block("READ", [5]) + b"READ,1795252549013,1,5\n", r"raw.csv:3: got"),
        (block("READ", [5]) + b"READ,1795252549013,\n", r"raw.csv:3: got"),
        (block("READ", [5]) + b"REaD,x795252549013,5\n" + block("READ", [5] * 9), r"raw.csv:3: got"),
        (block("READ", [5] * 3) + b"\n", r"raw.csv:5: got"),
        (block("READ", [5]) + b"READ,1795252549013,9\rREAD,1795252549013,9\n", r"raw.csv:3: got"),
        (block("READ", [5] * 3) + b"\0" * 50 + b"\n", r"raw.csv:5: got"),
        (block("READ", [5]) + b"[READ], p99, 5\n", r"raw.csv:3: got"),
        (block("A B", [5]), r"raw.csv:1: got"),
        (block("X" * 65, [5]), r"raw.csv:1: got"),
        (block("READ", [5]) + b"READ" * 50_000, "a line of more than 65,536 bytes"),
        (block("READ", []) * 1001, "raw.csv:1001: more than 1,000 operations"),
    ],
)
def test_what_is_no_raw_measurement_is_refused_with_its_line(tmp_path, content, reason):
    with pytest.raises(RunLogError, match=reason):
        read(written(tmp_path, content))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_mutated_files_are_refused_or_read_as_their_lines_say(tmp_path_factory, data):
    content = bytearray(block("READ", [5, 66, 777, 8888]) + block("UPDATE", [9] * 5))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        new = st.binary(max_size=6) | st.sampled_from([b"\n", b",", b"\0", b"1", b"READ,", b"\r"])
        content[at : at + data.draw(st.integers(0, 30))] = data.draw(new)
    path = written(tmp_path_factory.getbasetemp(), bytes(content))
    try:
        runs = raw.read_sections(path)
    except RunLogError as e:
        assert str(path) in str(e)
        return
    rows = re.findall(rb"^([^\s,\[\]\"]{1,64}),\d{13},(\d{1,10})\r?\n", bytes(content), re.MULTILINE)
    assert sum(one.total for run in runs for one in run.values()) == sum(int(v) for _, v in rows)
    assert sum(one.count for run in runs for one in run.values()) == len(rows)


@pytest.mark.shared
def test_a_real_file_gives_the_figures_that_ycsb_printed(shared):
    found = read(shared / "samples" / "own" / "04_raw.csv")
    printed = {}
    for operation, metric, value in re.findall(r"\[([A-Z]+)\], ([\w. ]+), (\S+)", PRINTED.read_text()):
        printed.setdefault(operation, {})[metric] = float(value)
    assert set(found) == {"READ", "UPDATE", "CLEANUP"}
    for name, one in found.items():
        said = printed[name]
        assert (one.count, one.mean) == (said["Total Operations"], said["Average"])
        assert (one.min, one.max) == (said["Min"], said["Max"])
        wanted = (1.0, 5.0, 50.0, 90.0, 95.0, 99.0, 99.9, 99.99)
        assert one.percentiles(wanted) == {p: said[f"p{p:g}"] for p in wanted}
