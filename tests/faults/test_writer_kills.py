"""Whoever writes under data/ may be killed at any point: a reader sees the old files or the new ones, never half.

Each writer is killed at 200 points in all: at seeded lines of Python (its own and those of the library below it), as
SIGKILL does, and at seeded bytes within the writes themselves, which a limit on the size of files allows and which no
line of Python could hit.
"""

import json
import os
import random
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ycsbook.columns import arrow_schema
from ycsbook.errors import StoreError
from ycsbook.store import atomic, parquet
from ycsbook.store.runs import RunStore, sha256
from ycsbook.store.writer import tables_written
from ycsbook.tables import from_rows

SEED = 20_04


@dataclass(frozen=True)
class Writer:
    """`write` puts content number n into a folder; `read` gives the number of what stands there, 0 for nothing, and
    fails on anything else. `lines` and `bytes`: how many kills of either sort."""

    write: Callable[[Path, int], object]
    read: Callable[[Path], int]
    lines: int
    bytes: int
    largest: int


def write_file(folder: Path, n: int) -> None:
    atomic.write_text(folder / "value", f"{n}\n" * 3000)


def read_file(folder: Path) -> int:
    if not (folder / "value").exists():
        return 0
    lines = (folder / "value").read_text().splitlines()
    assert len(lines) == 3000 and len(set(lines)) == 1
    return int(lines[0])


RUNS = from_rows([{"run_id": f"r{i}"} for i in range(200)], "runs")


def write_tables(folder: Path, n: int) -> None:
    parquet.write({"runs": RUNS.assign(cores=float(n))}, folder)


def read_tables(folder: Path) -> int:
    if not (folder / "runs.parquet").exists():
        return 0
    return _one_number(parquet.read(folder).runs, "cores", 200)


def write_batches(folder: Path, n: int) -> None:
    rng = random.Random(n)
    schema = arrow_schema("percentiles")
    columns = {f.name: ["x"] * 2000 if str(f.type) != "double" else [float(n)] * 2000 for f in schema}
    columns["latency_us"] = [rng.random() for _ in range(2000)]  # does not compress to nothing
    rows = pa.table({f.name: pa.array(columns[f.name]).cast(f.type) for f in schema}, schema=schema)
    with tables_written(folder, ("percentiles",)) as append:
        append("percentiles", rows)


def read_batches(folder: Path) -> int:
    if not (folder / "percentiles.parquet").exists():
        return 0
    return _one_number(pq.read_table(folder / "percentiles.parquet").to_pandas(), "percentile", 2000)


def write_run(folder: Path, n: int) -> None:
    store = RunStore(folder)
    partial = store.begin("r1")
    (partial / "run.out").write_text(f"{n}\n" * 1000)
    (partial / "hdr" / "READ.hdr").write_text(f"{n}\n" * 10)
    store.finish(partial, {"run_id": "r1", "schema": 2, "outcome": "completed", "n": n})


def read_run(folder: Path) -> int:
    """What is finished is whole, and what was finished before is still there: in its place or in quarantine."""
    found = []
    for path in [folder / "r1", *RunStore(folder).attempts()]:
        if (path / "manifest.json").exists():
            manifest = json.loads((path / "manifest.json").read_text())
            assert {name: sha256(path / name) for name in manifest["files"]} == manifest["files"]
            assert set((path / "run.out").read_text().split()) == {str(manifest["n"])}
            found.append(manifest["n"])
    manifest = RunStore(folder).manifest("r1")
    # Cut between the old run's move and the new one's last step: nothing counts, and nothing is lost.
    return manifest["n"] if manifest else max((n for n in found if n == 1), default=0)


def _one_number(frame: pd.DataFrame, column: str, rows: int) -> int:
    assert len(frame) == rows and frame[column].nunique() == 1
    return int(frame[column].iloc[0])


WRITERS = {
    "a file": Writer(write_file, read_file, 30, 20, 6000),
    "tables": Writer(write_tables, read_tables, 30, 20, 3000),
    "tables in batches": Writer(write_batches, read_batches, 30, 20, 20_000),
    "a run": Writer(write_run, read_run, 30, 20, 2000),
}


def test_the_points_are_two_hundred():
    assert sum(writer.lines + writer.bytes for writer in WRITERS.values()) == 200


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.matrix
def test_a_writer_killed_anywhere_leaves_old_or_new(tmp_path, name):
    writer = WRITERS[name]
    rng = random.Random(SEED)
    folders = {}
    for old in (0, 1):
        folders[old] = tmp_path / f"before{old}"
        folders[old].mkdir()
        if old:
            writer.write(folders[old], 1)
    whole = _in_a_fork(_counted, writer, shutil.copytree(folders[1], tmp_path / "whole"))
    assert whole > 20
    seen, cut = set(), 0
    for point in range(writer.lines + writer.bytes):
        old = point % 2
        folder = shutil.copytree(folders[old], tmp_path / f"point{point}")
        if point < writer.lines:
            died = _in_a_fork(_killed_at_line, writer, folder, rng.randrange(whole))
            assert died == -signal.SIGKILL
        else:
            died = _in_a_fork(_killed_at_byte, writer, folder, rng.randrange(writer.largest))
            assert died in (-signal.SIGXFSZ, 0)
            cut += died < 0
        got = writer.read(folder)
        assert got in (old, 2), (name, point)
        seen.add((old, got))
        # What is left over disturbs nobody: the next writer ends its work.
        writer.write(folder, 3)
        assert writer.read(folder) == 3
    assert {(0, 0), (1, 1)} <= seen and cut >= writer.bytes / 2


@pytest.mark.parametrize("name", ["a file", "tables", "tables in batches"])
def test_a_disk_that_fills_up_at_any_byte_is_a_typed_error_and_the_old_stays(tmp_path, name):
    writer = WRITERS[name]
    rng = random.Random(SEED)
    writer.write(tmp_path, 1)
    before = sorted(path.name for path in tmp_path.iterdir())
    refused = 0
    for _ in range(6):
        code = _in_a_fork(_limited, writer, tmp_path, rng.randrange(writer.largest // 2))
        assert code in (7, 0)
        refused += code == 7
        assert writer.read(tmp_path) == (1 if code else 2)
        assert sorted(path.name for path in tmp_path.iterdir()) == before
        writer.write(tmp_path, 1)
    assert refused


def test_a_disk_that_is_full_when_a_run_is_closed_leaves_it_unfinished(tmp_path):
    store = RunStore(tmp_path)
    partial = store.begin("r1")
    (partial / "run.out").write_text("log")

    def close(writer, folder, limit):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            store.finish(partial, {"run_id": "r1", "outcome": "completed", "reasons": ["x" * 1000]})
        except StoreError as e:
            return 7 if "cannot be written" in str(e) else 8
        return 0

    assert _in_a_fork(close, None, tmp_path, 500) == 7
    assert not store.is_completed("r1") and [p.name for p in store.sweep_up()] == ["r1.1"]


def _in_a_fork(what: Callable[..., int | None], *arguments: object) -> int:
    """The exit code, negative for a signal; `what` returns one, or counts through a pipe where it is more than 255."""
    told, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            result = what(*arguments) or 0
            os.write(tell, str(result).encode())
            code = 0 if result > 255 else result
        finally:
            os._exit(code)
    os.close(tell)
    with os.fdopen(told, "rb") as pipe:
        text = pipe.read()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return int(text) if text else code


def _traced(writer: Writer, folder: Path, at: int | None) -> int:
    """Write, counting every line of Python that is executed below; killed at one of them."""
    lines = 0

    def trace(frame, event, argument):
        nonlocal lines
        if event == "line":
            if lines == at:
                os.kill(os.getpid(), signal.SIGKILL)
                time.sleep(60)
            lines += 1
        return trace

    sys.settrace(trace)
    try:
        writer.write(folder, 2)
    finally:
        sys.settrace(None)
    return lines


def _counted(writer: Writer, folder: Path) -> int:
    return _traced(writer, folder, None)


def _killed_at_line(writer: Writer, folder: Path, at: int) -> None:
    _traced(writer, folder, at)
    # It took fewer lines than the one that was counted: not killed yet.
    os.kill(os.getpid(), signal.SIGKILL)


def _killed_at_byte(writer: Writer, folder: Path, limit: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    writer.write(folder, 2)


def _limited(writer: Writer, folder: Path, limit: int) -> int:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        writer.write(folder, 2)
    except StoreError as e:
        return 7 if "cannot be written" in str(e) else 8
    return 0
