"""A folder of tables that is kept in step with an archive of logs."""

import json
import os
import re
import shutil
import time
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from ycsbook import ingest
from ycsbook.columns import SCHEMAS
from ycsbook.errors import StoreError
from ycsbook.ingest import archive, archive_index, parsing, readers
from ycsbook.ingest import logs as reading
from ycsbook.ingest.archive_index import INDEX
from ycsbook.ingest.finding.annotations import Annotations
from ycsbook.ingest.reading import read_with_rejects
from ycsbook.store import lock, parquet

DATA = Path(__file__).parents[1] / "data" / "ycsb"
NAMES = ("01_mongod_load_a_t8_hdr", "02_mongod_run_a_t8_hdr", "07_sigterm", "12_server_killed_midrun")


@pytest.fixture
def logs(tmp_path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    for name in NAMES:
        for end in (".out", ".err"):
            shutil.copy(DATA / f"{name}{end}", folder)
    shutil.copy(DATA / "03_mongod_run_b_t4_merged.log", folder)
    return folder


def by_name(frame: pd.DataFrame) -> pd.DataFrame:
    keys = [c for c in ("run_id", "operation", "percentile", "elapsed_s", "source_line") if c in frame.columns]
    return frame.sort_values(keys, ignore_index=True)


def same(out: Path, folder: Path) -> bool:
    """Whether the tables are those of a fresh reading."""
    fresh = read_with_rejects([folder])[0]
    kept = parquet.read(out)
    return all(by_name(a).equals(by_name(b)) for (_, a), (_, b) in zip(fresh.items(), kept.items(), strict=True))


def test_tables_are_those_of_reading_into_memory(logs, tmp_path):
    summary = archive.update([logs], tmp_path / "out")
    assert (summary.files, summary.runs, summary.read, summary.rejected) == (5, 5, 5, [])
    assert summary.formats == {"ycsb": 5}
    assert summary.outcomes == {"completed": 3, "failed": 1, "incomplete": 1}
    assert same(tmp_path / "out", logs)
    for name, frame in parquet.read(tmp_path / "out").items():
        assert tuple(frame.columns) == SCHEMAS[name]
        assert list(pd.read_parquet(tmp_path / "out" / f"{name}.parquet").columns) == list(SCHEMAS[name])


def test_an_unchanged_archive_is_not_read_again(logs, tmp_path, monkeypatch):
    first = archive.update([logs], tmp_path / "out")
    before = {p: p.stat().st_mtime_ns for p in (tmp_path / "out").glob("[!.]*")}
    monkeypatch.setattr(archive._Update, "write", lambda *given: pytest.fail("something was read"))
    again = archive.update([logs], tmp_path / "out")
    assert (again.read, again.kept, again.removed) == (0, 5, 0)
    assert (again.runs, again.outcomes, again.warnings) == (first.runs, first.outcomes, first.warnings)
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "out").glob("[!.]*")} == before


CHANGES = {
    "a file's time": lambda logs, out: os.utime(logs / "03_mongod_run_b_t4_merged.log"),
    "a file's size": lambda logs, out: (logs / "07_sigterm.err").write_text(""),
    "a new file": lambda logs, out: (logs / "new.log").write_text(""),
    "a new file below": lambda logs, out: (logs / "below" / "new.log").write_text(""),
    "a file is gone": lambda logs, out: (logs / "07_sigterm.err").unlink(),
    "a new folder": lambda logs, out: (logs / "other").mkdir(),
    "a new link": lambda logs, out: (logs / "link.log").symlink_to("07_sigterm.out"),
    "a sidecar": lambda logs, out: (logs / "ycsbook.yml").write_text("cores: 8\n"),
    "a sidecar above": lambda logs, out: (logs.parent / "ycsbook.yml").write_text("cores: 8\n"),
}
DAMAGE = {
    "a table": lambda logs, out: os.utime(out / "runs.parquet"),
    "other rows": lambda logs, out: (out / "runs.parquet").write_bytes((out / "operations.parquet").read_bytes()),
    "a table is gone": lambda logs, out: (out / "operations.parquet").unlink(),
    "half an index": lambda logs, out: os.truncate(out / INDEX, 100),
}


@pytest.mark.parametrize("what", [*CHANGES, *DAMAGE])
@pytest.mark.parametrize("below", ["", "below"])
def test_whatever_changes_is_looked_at_and_then_it_is_unchanged(logs, tmp_path, monkeypatch, what, below):
    (logs / "below").mkdir()
    out = logs / below
    archive.update([logs], out)
    updates, system = [], archive._alone
    monkeypatch.setattr(archive, "_alone", lambda folder: updates.append(1) or system(folder))
    archive.update([logs], out)
    assert not updates
    {**CHANGES, **DAMAGE}[what](logs, out)
    summary = archive.update([logs], out)
    assert updates == [1] and same(out, logs)
    assert what in CHANGES or summary.kept == 0
    archive.update([logs], out)
    assert updates == [1]


def test_a_file_that_changed_while_the_others_were_read_is_read_the_next_time(logs, tmp_path, monkeypatch):
    system = reading.Reader.read
    with monkeypatch.context() as patch:
        changed = logs / "03_mongod_run_b_t4_merged.log"
        patch.setattr(reading.Reader, "read", lambda *a: os.utime(changed, ns=(1, 1)) or system(*a))
        archive.update([logs], tmp_path / "out")
    assert archive.update([logs], tmp_path / "out").read == 1


def test_a_changed_file_is_read_again_a_new_one_added_and_a_removed_one_drops_out(logs, tmp_path):
    out = tmp_path / "out"
    archive.update([logs], out)
    changed = logs / "03_mongod_run_b_t4_merged.log"
    changed.write_text(changed.read_text().replace("Throughput(ops/sec), 4860.26", "Throughput(ops/sec), 4861.26"))
    for end in (".out", ".err"):
        (logs / f"07_sigterm{end}").unlink()
        shutil.copy(DATA / f"08_maxexec{end}", logs)
    summary = archive.update([logs], out)
    assert (summary.read, summary.kept, summary.removed, summary.runs) == (2, 3, 1, 5)
    assert same(out, logs)
    runs = parquet.read(out).runs
    assert 4861.267314702309 in set(runs.throughput_ops_s)
    assert not runs.run_id.str.contains("-07_sigterm-").any()


def test_what_the_user_says_reads_everything_again(logs, tmp_path):
    out = tmp_path / "out"
    archive.update([logs], out)
    summary = archive.update([logs], out, annotations=Annotations.parse(["cores=8", "ram_gib=32"]))
    assert summary.read == 5
    assert set(parquet.read(out).runs.cores) == {8.0}
    assert archive.update([logs], out, annotations=Annotations.parse(["cores=8", "ram_gib=32"])).read == 0
    (logs / "ycsbook.yml").write_text("vendor: us\n")
    assert archive.update([logs], out, annotations=Annotations.parse(["cores=8"])).read == 5
    assert set(parquet.read(out).runs.vendor) == {"us"}
    (logs / "ycsbook.yml").write_text("vendor: others\n")
    assert archive.update([logs], out, annotations=Annotations.parse(["cores=8"])).read == 5
    assert set(parquet.read(out).runs.vendor) == {"others"}


def test_the_tables_of_another_release_are_made_anew(logs, tmp_path, monkeypatch):
    archive.update([logs], tmp_path / "out")
    monkeypatch.setattr(archive_index, "ROWS_VERSION", 0)
    assert archive.update([logs], tmp_path / "out").read == 5
    assert same(tmp_path / "out", logs)


def test_the_same_log_in_two_places_gives_two_runs(logs, tmp_path):
    (logs / "copy").mkdir()
    shutil.copy(logs / "03_mongod_run_b_t4_merged.log", logs / "copy")
    archive.update([logs], tmp_path / "out")
    tables = parquet.read(tmp_path / "out")
    ids = tables.runs.run_id[tables.runs.run_id.str.contains("-03_")]
    assert len(set(ids)) == 2
    counts = [tables.intervals.run_id[tables.intervals.run_id == i].count() for i in ids]
    assert counts[0] == counts[1] > 0


def test_many_batches_give_the_same_tables_in_the_order_of_the_files(logs, tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "BATCH_LOGS", 1)
    archive.update([logs], tmp_path / "out")
    assert same(tmp_path / "out", logs)
    sources = parquet.read(tmp_path / "out").runs["source"].tolist()
    assert sources == sorted(sources)


def test_two_ingests_do_not_write_the_same_tables_at_once(logs, tmp_path):
    out = tmp_path / "out"
    archive.update([logs], out)
    before = {p.name: p.read_bytes() for p in out.glob("*.*et")}
    with (
        lock.exclusive(out),
        pytest.raises(StoreError, match=f"out: another ingest is writing these tables \\(process {os.getpid()}\\)"),
    ):
        archive.update([logs], out, force=True)
    assert {p.name: p.read_bytes() for p in out.glob("*.*et")} == before


def test_what_a_killed_ingest_leaves_behind_goes_with_the_next(logs, tmp_path):
    out = tmp_path / "out"
    (out / ".tables-12345678").mkdir(parents=True)
    (out / ".tables-12345678" / "runs.parquet").write_bytes(b"half")
    (out / f".{INDEX}.12345678.tmp").write_bytes(b"half")
    archive.update([logs], out)
    assert [p.name for p in out.glob(".*")] == [".lock"]


@pytest.mark.parametrize("part", ["key", "summary", "tables", "listing", "unlisted", "entries"])
@pytest.mark.parametrize("damaged", [5, [[1]], {}])
def test_a_damaged_index_is_made_anew(logs, tmp_path, part, damaged):
    out = tmp_path / "out"
    archive.update([logs], out)
    lines = [json.loads(line) for line in (out / INDEX).read_text().splitlines()]
    lines[part == "entries"][part] = damaged
    (out / INDEX).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    os.utime(logs / "03_mongod_run_b_t4_merged.log")
    archive.update([logs], out)
    assert same(out, logs)


def test_another_version_of_a_reader_reads_again_what_it_has_read_and_what_none_knew(logs, tmp_path, monkeypatch):
    out = tmp_path / "out"
    (logs / "notes.txt").write_text("hello\n")
    shutil.copy(DATA / "hdr" / "run_a_READ.hdr", logs / "alone_READ.hdr")
    archive.update([logs], out)
    versions = readers.versions()
    for changed, read in (("sysbench", 0), ("hdr", 1), ("ycsb", 5)):
        versions = {**versions, changed: versions[changed] + 1}
        monkeypatch.setattr(readers, "versions", lambda now=versions: now)
        summary = archive.update([logs], out)
        assert (summary.read, summary.kept) == (read, 6 - read)
    monkeypatch.setattr(readers, "versions", lambda: {**versions, "of a new package": 1})
    assert archive.update([logs], out).read == 6
    assert same(out, logs)


def test_tables_in_the_folder_of_the_logs_do_not_count_as_a_change(logs):
    archive.update([logs], logs / "tables")
    assert archive.update([logs], logs / "tables").read == 0


def test_a_folder_that_cannot_be_written_leaves_everything_as_it_was(logs, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        archive.update([logs], tmp_path / "file" / "out")


def test_an_error_while_reading_leaves_the_old_tables(logs, tmp_path, monkeypatch):
    out = tmp_path / "out"
    archive.update([logs], out)
    before = {p.name: p.read_bytes() for p in out.iterdir()}
    os.utime(logs / "03_mongod_run_b_t4_merged.log")

    def broken(*given):
        raise MemoryError

    monkeypatch.setattr(reading.Reader, "_add_batch", broken)
    with pytest.raises(MemoryError):
        archive.update([logs], out)
    assert {p.name: p.read_bytes() for p in out.iterdir()} == before


def test_what_cannot_be_read_is_told_again_though_nothing_changed(logs, tmp_path):
    (logs / "broken.log.gz").write_bytes(b"\x1f\x8b no gzip")
    first = archive.update([logs], tmp_path / "out")
    again = archive.update([logs], tmp_path / "out")
    assert again.read == 0
    assert first.rejected == again.rejected
    assert "broken.log.gz: cannot be unpacked" in first.rejected[0]


def test_what_is_no_log_is_not_counted(logs, tmp_path):
    (logs / "notes.txt").write_text("hello")
    first = archive.update([logs], tmp_path / "out")
    (logs / "more.txt").write_text("hello")
    second = archive.update([logs], tmp_path / "out")
    (logs / "more.txt").unlink()
    third = archive.update([logs], tmp_path / "out")
    counts = [(s.files, s.read, s.kept, s.removed) for s in (first, second, third)]
    assert counts == [(5, 5, 0, 0), (5, 0, 5, 0), (5, 0, 5, 0)]


def test_a_packed_log_in_a_folder_whose_name_is_not_utf_8(tmp_path):
    folder = tmp_path / os.fsdecode(b"\xff")
    folder.mkdir()
    with pa.CompressedOutputStream(pa.OSFile(os.fsencode(folder / "a.log.zst"), "wb"), "zstd") as file:
        file.write((DATA / "03_mongod_run_b_t4_merged.log").read_bytes())
    assert archive.update([folder], tmp_path / "out").outcomes == {"completed": 1}


def test_the_same_relative_path_in_another_folder_is_another_log(logs, tmp_path, monkeypatch):
    text = (logs / "03_mongod_run_b_t4_merged.log").read_text()
    for folder, figure in (("a", "1000.0"), ("b", "2000.0")):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "x.log"
        path.write_text(re.sub(r"Throughput\(ops/sec\), [\d.]+", f"Throughput(ops/sec), {figure}", text))
        os.utime(path, ns=(0, 0))
        monkeypatch.chdir(path.parent)
        assert archive.update(["x.log"], tmp_path / "out").read == 1
    assert parquet.read(tmp_path / "out").runs.throughput_ops_s.tolist() == [2000.0]


def test_the_package_offers_it():
    assert ingest.update is archive.update


def test_what_the_user_says_against_the_log_is_remarked(logs, tmp_path):
    summary = archive.update([logs], tmp_path / "out", annotations=Annotations.parse(["threads=99"]))
    told = [remark for remark in summary.remarks if "03_mongod_run_b_t4_merged.log" in remark]
    assert told == [f"{logs / '03_mongod_run_b_t4_merged.log'}: threads=99 was said, but its log shows 4"]


NAMES_HISTOGRAMS = ("02_mongod_run_a_t8_hdr.out", "02_mongod_run_a_t8_hdr.err")


def add(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(DATA / name, folder / name)


def test_a_histogram_without_a_log_goes_to_the_log_that_comes_and_names_it(tmp_path):
    logs, out = tmp_path / "logs", tmp_path / "out"
    add(logs, "03_mongod_run_b_t4_merged.log", "hdr/run_a_READ.hdr", "hdr/run_a_UPDATE.hdr")
    assert archive.update([logs], out).formats == {"hdr": 1, "ycsb": 1}
    add(logs, *NAMES_HISTOGRAMS)
    assert archive.update([logs], out).formats == {"ycsb": 2}
    assert same(out, logs)
    (logs / NAMES_HISTOGRAMS[1]).unlink()
    assert archive.update([logs], out).formats == {"ycsb": 2, "hdr": 1}
    assert same(out, logs)


def test_part_of_the_histograms_without_a_log_goes_to_the_log_that_comes(tmp_path):
    logs, out = tmp_path / "logs", tmp_path / "out"
    add(logs, "hdr/run_a_READ.hdr")
    shutil.copy(DATA / "hdr" / "run_a_READ.hdr", logs / "hdr" / "run_a_SCAN.hdr")
    assert archive.update([logs], out).runs == 1
    add(logs, *NAMES_HISTOGRAMS)
    assert archive.update([logs], out).runs == 2
    assert same(out, logs)


def test_a_log_is_read_again_when_the_histogram_that_it_names_comes_or_goes(tmp_path):
    logs, out = tmp_path / "logs", tmp_path / "out"
    add(logs, *NAMES_HISTOGRAMS)
    archive.update([logs], out)
    assert archive.update([logs], out).read == 0
    add(logs, "hdr/run_a_READ.hdr")
    assert archive.update([logs], out).read == 1
    assert str(logs / "hdr" / "run_a_READ.hdr") in set(parquet.read(out).percentiles.source)
    assert same(out, logs)
    (logs / "hdr" / "run_a_READ.hdr").unlink()
    assert archive.update([logs], out).read == 1
    assert same(out, logs)


@pytest.mark.parametrize("named", [True, False])
def test_a_histogram_that_changes_while_its_log_is_read_is_read_the_next_time(tmp_path, monkeypatch, named):
    logs, out = tmp_path / "logs", tmp_path / "out"
    add(logs, *NAMES_HISTOGRAMS, "hdr/run_a_READ.hdr")
    path, of = logs / "hdr" / "run_a_READ.hdr", parsing.exact_latencies
    if named:  # in a folder that nobody lists
        path = path.rename(logs / "run_a_READ.hdr").rename(
            (logs / "exact").mkdir() or logs / "exact" / "run_a_READ.hdr"
        )
        err = logs / NAMES_HISTOGRAMS[1]
        err.write_text(err.read_text().replace("=hdr/run_a_", "=exact/run_a_"))
    sources = [logs / name for name in NAMES_HISTOGRAMS] if named else [logs]

    def changing(*given):
        found = of(*given)
        os.utime(path, ns=(1, 1))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(parsing, "exact_latencies", changing)
        archive.update(sources, out)
    assert archive.update(sources, out).read == 1
    time.sleep(0.05)
    archive.update(sources, out)
    assert archive.update(sources, out).read == 0


def test_what_the_system_refused_is_read_again_though_no_file_changed(logs, tmp_path, monkeypatch):
    out, refused, system = tmp_path / "out", "03_mongod_run_b_t4_merged.log", os.open

    def refusing(path, *given, **more):
        if str(path).endswith(refused):
            raise PermissionError(13, "Permission denied", path)
        return system(path, *given, **more)

    # The owner of everything is refused nothing.
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refusing)
        first = archive.update([logs], out)
    assert first.runs == 4 and "Permission denied" in first.rejected[0]
    again = archive.update([logs], out)
    assert (again.runs, again.read, again.kept, again.rejected) == (5, 1, 4, [])
    assert same(out, logs)


def test_a_file_that_was_passed_over_is_read_once_it_is_named(tmp_path):
    logs, out = tmp_path / "logs", tmp_path / "out"
    add(logs, "03_mongod_run_b_t4_merged.log")
    (logs / "n.txt").write_text("hello\n")
    assert archive.update([logs], out).runs == 1
    assert [Path(r.partition(":")[0]).name for r in archive.update([logs, logs / "n.txt"], out).rejected] == ["n.txt"]
    assert archive.update([logs], out).rejected == []


def test_a_sidecar_above_a_link_is_seen(logs, tmp_path):
    (tmp_path / "vendor").mkdir()
    (tmp_path / "vendor" / "link").symlink_to(logs)
    source, out = tmp_path / "vendor" / "link", tmp_path / "out"
    archive.update([source], out)
    (tmp_path / "vendor" / "ycsbook.yml").write_text("vendor: us\n")
    assert archive.update([source], out).read == 5
    assert set(parquet.read(out).runs.vendor) == {"us"}
