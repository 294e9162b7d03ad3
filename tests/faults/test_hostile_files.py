"""Known names behind which something else lies: a link, a device, a pipe, a file without end. Nothing of it is read, it
costs neither time nor memory, and one line says what it is."""

import csv
import json
import math
import os
import shutil
import socket
from pathlib import Path

import log_samples
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from confined import confined

from ycsbook import documents, ingest, opening
from ycsbook.errors import PublishError, RunLogError, StoreError
from ycsbook.ingest import archive
from ycsbook.ingest.archive_index import INDEX, read_line
from ycsbook.ingest.published import published
from ycsbook.ingest.runs import samples
from ycsbook.ingest.runs.samples import COLUMNS
from ycsbook.paths import PUBLISHED
from ycsbook.report.site import tree
from ycsbook.store import parquet
from ycsbook.store.runs import RunStore
from ycsbook.tables import from_rows

SPARSE_BYTES = 6 * 1024**3


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(SPARSE_BYTES)


def _link_out(path: Path) -> None:
    # What it leads to is well-formed: it is refused for where it lies.
    path.symlink_to(shutil.copy(path.with_name(f"{path.name}.old"), path.parents[1] / f"{path.name}.outside"))


def _socket(path: Path) -> None:
    here = os.open(path.parent, os.O_RDONLY)  # an address has about a hundred characters
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(f"/proc/self/fd/{here}/{path.name}")
    finally:
        os.close(here)


HOSTILE = {
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
    "a link out": _link_out,
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a pipe": _fifo,
    "a socket": _socket,
    "6 GB of nothing": _sparse,
    "a folder": Path.mkdir,
}


def run_folder(store: Path) -> Path:
    folder = store / "r1"
    (folder / "hdr").mkdir(parents=True)
    (folder / "run.out").write_text(log_samples.YCSB_014)
    row = dict.fromkeys(COLUMNS, "1")
    with (folder / "samples.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows({**row, "epoch_s": n} for n in range(5))
    (folder / "manifest.json").write_text(json.dumps({"run_id": "r1", "schema": 2, "outcome": "completed"}))
    return folder


def published_folder(place: Path) -> Path:
    folder = place / "published"
    folder.mkdir()
    for suffix in (".csv", ".json"):
        shutil.copy(PUBLISHED / f"qingcloud-4.0.3{suffix}", folder / f"t{suffix}")
    return folder


def tables_folder(place: Path) -> Path:
    parquet.write({"runs": from_rows([{"run_id": "r1"}], "runs")}, place / "tables")
    (place / "tables" / INDEX).write_text('{"key": 1}\n')
    return place / "tables"


def page_folder(place: Path) -> Path:
    folder = place / "page"
    folder.mkdir()
    (folder / "index.md").write_text("# page\n")
    (folder / tree.RECORD).write_text(json.dumps({"format": tree.FORMAT}))
    return folder


def read_samples(folder: Path) -> object:
    tables, rejected = ingest.read_with_rejects([folder.parent])
    assert list(tables.runs["run_id"]) == ["r1"]
    return rejected or samples.read(folder)


def refused(read):
    """What is not read, of a function that gives nothing then."""
    return lambda folder: read(folder) or [RunLogError(folder, None, "not read")]


def rejected_manifest(folder: Path) -> object:
    tables, rejected = ingest.read_with_rejects([folder.parent])
    return rejected or tables.runs


# The name, what makes its folder, what reads it, and how that is refused.
KNOWN = {
    "manifest.json": (run_folder, lambda folder: RunStore(folder.parent).manifest("r1"), StoreError),
    "samples.csv": (run_folder, read_samples, None),
    "t.csv": (published_folder, lambda folder: published.verified(folder / "t.csv"), RunLogError),
    "t.json": (published_folder, lambda folder: published.read_sidecar(folder / "t.csv"), RunLogError),
    "runs.parquet": (tables_folder, lambda folder: parquet.read_table(folder, "runs"), StoreError),
    INDEX: (tables_folder, lambda folder: read_line(folder, 0), None),
    "index.md": (page_folder, lambda folder: tree.text(folder / "index.md"), PublishError),
    tree.RECORD: (page_folder, tree.read, PublishError),
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("name", KNOWN)
def test_what_lies_behind_a_known_name_is_not_read(tmp_path, name, kind):
    make, read, error = KNOWN[name]
    folder = make(tmp_path)
    whole = confined(read, folder)
    path = folder / name
    path.rename(folder / f"{name}.old")
    HOSTILE[kind](path)
    if (name, kind) == ("t.csv", "a link out"):  # a table that the user named may be a link
        assert confined(read, folder) == whole
    elif error:
        with pytest.raises(error, match=f"{path.name}.*: (cannot|is not)") as caught:
            confined(read, folder)
        assert len(str(caught.value).splitlines()) == 1
    else:
        assert str(confined(read, folder)) != str(whole)


def test_of_two_tables_with_links_behind_their_names_none_is_read(tmp_path):
    folder = published_folder(tmp_path)
    (folder / "t.json").unlink()
    (folder / "t.json").symlink_to(PUBLISHED / "qingcloud-4.0.3.json")
    with pytest.raises(RunLogError, match="link out"):
        documents.within(folder)


def test_samples_of_short_lines_take_little_memory(tmp_path):
    """40 MB of lines with one character each, under the shortest header there can be."""
    folder = run_folder(tmp_path)
    (folder / "samples.csv").write_bytes(b"epoch_s\n" + b"1\n" * 20_000_000)
    (error,) = confined(read_samples, folder)
    assert "more than 1,000,000 samples" in str(error)
    (folder / "samples.csv").write_bytes(b",".join(c.encode() for c in COLUMNS) + b"\n" + b"\n" * 2_000_000)
    assert confined(samples.read, folder).empty


def test_a_sample_of_one_endless_line_takes_little_memory(tmp_path):
    folder = run_folder(tmp_path)
    (folder / "samples.csv").write_bytes(b"epoch_s," + b"x" * 100_000_000 + b"\n1,2\n")
    assert confined(samples.read, folder, memory_mib=64).empty


def test_a_file_that_grows_after_it_was_opened_is_cut(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"1234")
    with opening.opened(path, limit=4) as file:
        path.write_bytes(b"1234567")
        assert len(file.read()) == 7
    assert opening.content(path, 7) == b"1234567"
    with pytest.raises(OSError, match="has 7 bytes, 6 are"):
        opening.content(path, 6)


def test_links_inside_a_folder_and_linked_folders_are_read(tmp_path):
    """A store may lie elsewhere, and a run's file may be a link to another of its files."""
    folder = run_folder(tmp_path / "there")
    (folder / "manifest.json").rename(folder / "m.json")
    (folder / "manifest.json").symlink_to("m.json")
    (tmp_path / "here").symlink_to("there")
    assert RunStore(tmp_path / "here").manifest("r1")["run_id"] == "r1"


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("cores", ["many", "4"], "cores holds"),
        ("cores", [0.0, 4.0], "cores is 0, expected a number above 0"),
        ("ram_gib", [-1.0, 4.0], "ram_gib is -1"),
        ("throughput_ops_s", [-5.0, 4.0], "throughput_ops_s is -5, expected a number of 0 or more"),
        ("throughput_ops_s", [1.0, math.inf], "throughput_ops_s is inf, expected a number of 0 or more"),
        ("run_id", ["a", "a"], "a run_id stands twice"),
        ("workload", [1.5, 2.5], "workload holds double"),
        ("throughput_ops_s", [[1.0], [2.0]], "throughput_ops_s holds list"),
        ("started_at", [b"a", b"b"], "started_at holds binary"),
        ("nonsense", [1, 2], "has the column 'nonsense'"),
    ],
)
def test_a_changed_table_is_refused_in_a_line(tmp_path, column, values, said):
    parquet.write({"runs": from_rows([{"run_id": "a", "cores": 2}, {"run_id": "b", "cores": 4}], "runs")}, tmp_path)
    path = tmp_path / "runs.parquet"
    rows = pq.read_table(path)
    new = pa.array(values)
    at = rows.column_names.index(column) if column in rows.column_names else None
    changed = rows.append_column(column, new) if at is None else rows.set_column(at, column, new)
    pq.write_table(changed.replace_schema_metadata(rows.schema.metadata), path)
    with pytest.raises(StoreError) as caught:
        parquet.read(tmp_path)
    assert said in str(caught.value) and len(str(caught.value).splitlines()) == 1


def test_a_table_that_lost_a_column_is_refused(tmp_path):
    parquet.write({"runs": from_rows([{"run_id": "a", "threads": 8}], "runs")}, tmp_path)
    rows = pq.read_table(tmp_path / "runs.parquet")
    pq.write_table(rows.drop_columns(["threads"]), tmp_path / "runs.parquet")
    with pytest.raises(StoreError, match="has no column 'threads': it was changed since it was written"):
        parquet.read(tmp_path)


def test_a_table_that_claims_more_rows_than_it_can_hold_is_refused(tmp_path):
    parquet.write({"runs": from_rows([{"run_id": "a"}], "runs")}, tmp_path)
    rows = pq.read_table(tmp_path / "runs.parquet").select(["run_id"])
    with pq.ParquetWriter(tmp_path / "runs.parquet", rows.schema) as writer:
        many = pa.table({"run_id": pa.array(["a"] * 1_000_000)}).cast(rows.schema)
        for _ in range(40):
            writer.write_table(many)
    with pytest.raises(StoreError, match="40,000,000 rows in so small a file"):
        parquet.read(tmp_path)


def test_only_ones_own_sidecars_count_and_each_is_named(tmp_path, monkeypatch):
    logs = tmp_path / "ours" / "linked"
    logs.mkdir(parents=True)
    (logs / "a.log").write_text(log_samples.YCSB_014)
    (tmp_path / "ycsbook.yml").write_text("cores: 96\n")
    (tmp_path / "ours" / "ycsbook.yml").write_text("ram_gib: 7\n")
    (tmp_path / "away.yml").write_text("vendor: them\n")
    (logs / "ycsbook.yml").symlink_to(tmp_path / "away.yml")
    real = os.lstat

    def lstat(path, **more):
        status = real(path, **more)
        mine = os.fspath(path) != str(tmp_path / "ycsbook.yml")
        return status if mine else os.stat_result((*status[:4], status.st_uid + 1, *status[5:]))

    monkeypatch.setattr(os, "lstat", lstat)
    summary = archive.update([logs], tmp_path / "out")
    remarks = "\n".join(summary.remarks)
    assert f"{tmp_path / 'ycsbook.yml'}: belongs to another user" in remarks
    assert f"{logs / 'ycsbook.yml'}: is a link" in remarks
    assert f"{tmp_path / 'ours' / 'ycsbook.yml'}: its columns hold" in remarks
    (run,) = parquet.read(tmp_path / "out").runs.to_dict("records")
    assert run["ram_gib"] == 7 and math.isnan(run["cores"]) and run["vendor"] == ""
