"""An archive as it was is told by its listing; whatever decides what the tables hold makes it read."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ycsbook import native
from ycsbook.ingest import command, unchanged
from ycsbook.ingest.files.listing import entries, listing, sums
from ycsbook.ingest.order import Order

DATA = Path(__file__).parents[1] / "data" / "ycsb"
LOG = "03_mongod_run_b_t4_merged.log"


@pytest.fixture
def order(tmp_path) -> Order:
    (tmp_path / "logs" / "below").mkdir(parents=True)
    for name in (LOG, "02_mongod_run_a_t8_hdr.out", "02_mongod_run_a_t8_hdr.err"):
        shutil.copy(DATA / name, tmp_path / "logs")
    order = Order([str(tmp_path / "logs")], str(tmp_path / "out"))
    assert command.run(order) == 0
    return order


def again(order: Order, capsys) -> str:
    """What is said without reading anything; empty: something has changed."""
    capsys.readouterr()
    code = unchanged.repeat(order)
    told = capsys.readouterr()
    return "" if code is None else f"{code} {told.out}{told.err}"


def test_the_same_is_said_again(order, capsys):
    assert again(order, capsys).startswith("0 2 files (2 ycsb): 0 read, 2 unchanged, 0 gone, 0 rejected\n")
    order.as_json = True
    assert '"kept": 2' in again(order, capsys)


CHANGES = {
    "a file's time": lambda logs, out, order: os.utime(logs / LOG),
    "a file's size": lambda logs, out, order: (logs / LOG).write_text(""),
    "a new file": lambda logs, out, order: (logs / "new.log").write_text(""),
    "a new file below": lambda logs, out, order: (logs / "below" / "new.log").write_text(""),
    "a file is gone": lambda logs, out, order: (logs / LOG).unlink(),
    "a new folder": lambda logs, out, order: (logs / "other").mkdir(),
    "a sidecar": lambda logs, out, order: (logs / "ycsbook.yml").write_text("cores: 8\n"),
    "a file's mode": lambda logs, out, order: (logs / LOG).chmod(0o400),
    "a sidecar above": lambda logs, out, order: (logs.parent / "ycsbook.yml").write_text("cores: 8\n"),
    "a table": lambda logs, out, order: os.utime(out / "runs.parquet"),
    "a table is gone": lambda logs, out, order: (out / "operations.parquet").unlink(),
    "the index": lambda logs, out, order: (out / "ingest-index.json").write_text("{}"),
    "half a record": lambda logs, out, order: os.truncate(out / unchanged.RECORD, 100),
    "what the user says": lambda logs, out, order: setattr(order, "sets", ["cores=8"]),
    "the pattern": lambda logs, out, order: setattr(order, "pattern", "{spec}/x.log"),
    "the format": lambda logs, out, order: setattr(order, "format", "ycsb"),
    "by force": lambda logs, out, order: setattr(order, "force", True),
}


@pytest.mark.parametrize("what", CHANGES)
def test_whatever_changes_is_looked_at(order, capsys, what):
    assert again(order, capsys)
    CHANGES[what](Path(order.sources[0]), Path(order.out), order)
    assert not again(order, capsys)


def test_other_code_reads_everything_again(order, capsys, monkeypatch):
    monkeypatch.setattr(unchanged, "code_sums", lambda: "other")
    assert not again(order, capsys)


def test_a_file_that_changed_while_the_others_were_read_is_read_the_next_time(tmp_path, capsys, monkeypatch):
    (tmp_path / "logs").mkdir()
    shutil.copy(DATA / LOG, tmp_path / "logs")
    order = Order([str(tmp_path / "logs")], str(tmp_path / "out"))
    shown = command._reading_shown
    monkeypatch.setattr(
        command, "_reading_shown", lambda quiet: os.utime(tmp_path / "logs" / LOG, ns=(1, 1)) or shown(quiet)
    )
    assert command.run(order) == 0
    assert not again(order, capsys)


@pytest.mark.parametrize("source", ["logs/*.log", "logs nowhere"])
def test_patterns_and_what_is_missing_are_looked_at_every_time(order, tmp_path, capsys, source):
    order.sources = [str(tmp_path / name) for name in source.split()]
    command.run(order)
    assert not again(order, capsys)


def test_a_hidden_file_that_is_named_is_watched(tmp_path, capsys):
    path = Path(shutil.copy(DATA / LOG, tmp_path / ".hidden.log"))
    order = Order([str(path)], str(tmp_path / "out"))
    assert command.run(order) == command.run(order) == 0  # the first makes a folder beside it
    assert again(order, capsys)
    path.write_text("")
    assert not again(order, capsys)


@pytest.mark.parametrize("below", ["", "tables"])
def test_a_new_log_in_the_folder_of_the_tables_is_seen(order, capsys, below):
    order.out = os.path.join(order.sources[0], below)
    command.run(order)
    command.run(order)
    assert again(order, capsys).startswith("0 2 files")
    shutil.copy(DATA / LOG, os.path.join(order.out, "new.log"))
    assert not again(order, capsys)
    command.run(order)
    assert again(order, capsys).startswith("0 3 files")


def test_the_folder_of_the_tables_may_be_that_of_the_logs_from_the_first(order, capsys):
    order.out = order.sources[0]
    command.run(order)
    assert again(order, capsys).startswith("0 2 files")


@pytest.mark.parametrize("out", [".", "out"])
def test_a_file_of_the_working_folder_is_told_with_tables_beside_it_or_in_another(
    order, tmp_path, capsys, monkeypatch, out
):
    monkeypatch.chdir(order.sources[0])
    Path("other.parquet").touch()
    order.sources, order.out = [LOG], out
    command.run(order)
    command.run(order)
    assert again(order, capsys).startswith("0 1 file")
    Path("new.log").touch()
    assert not again(order, capsys)


def test_a_sidecar_above_a_link_is_watched(order, tmp_path, capsys):
    (tmp_path / "vendor").mkdir()
    (tmp_path / "vendor" / "link").symlink_to(order.sources[0])
    order.sources = [str(tmp_path / "vendor" / "link")]
    command.run(order)
    assert again(order, capsys)
    (tmp_path / "vendor" / "ycsbook.yml").write_text("cores: 8\n")
    assert not again(order, capsys)


def test_a_link_that_is_pointed_elsewhere_is_seen(order, tmp_path, capsys):
    link = Path(order.sources[0]) / "below" / "link.log"
    link.symlink_to(f"../{LOG}")
    assert command.run(order) == 0
    assert again(order, capsys)
    link.unlink()
    link.symlink_to(tmp_path / "out")
    assert not again(order, capsys)


def test_a_histogram_that_a_log_names_is_seen_when_it_comes_and_when_it_changes(order, tmp_path, capsys):
    logs, exact = Path(order.sources[0]), Path(order.sources[0]) / "exact" / "run_a_READ.hdr"
    err = logs / "02_mongod_run_a_t8_hdr.err"
    err.write_text(err.read_text().replace("=hdr/run_a_", "=exact/run_a_"))
    order.sources = [str(logs / "02_mongod_run_a_t8_hdr.out"), str(err)]
    exact.parent.mkdir()
    command.run(order)
    assert again(order, capsys)
    shutil.copy(DATA / "hdr" / exact.name, exact)
    assert not again(order, capsys)
    time.sleep(0.05)  # what is as new as the ingest may still be changing
    command.run(order)
    assert again(order, capsys)
    os.utime(exact, ns=(1, 1))
    assert not again(order, capsys)


def test_nothing_is_said_again_of_what_the_system_refused(order, capsys, monkeypatch):
    system = os.open

    def refusing(path, *given, **more):
        if str(path).endswith(LOG):
            raise PermissionError(13, "Permission denied", path)
        return system(path, *given, **more)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refusing)
        order.force = True
        assert command.run(order) == command.EXIT_REJECTED
    order.force = False
    assert not again(order, capsys)
    assert command.run(order) == 0
    assert again(order, capsys)


def test_what_reads_sidecars_is_code_that_decides(monkeypatch):
    before, asked = unchanged.code_sums(), []
    monkeypatch.setattr(unchanged, "listing", lambda path: asked.append(path) or b"")
    assert unchanged.code_sums() != before
    assert {"params", "native", "store", "readers"} <= {os.path.basename(path) for path in asked}


def test_what_could_not_be_read_is_said_again_with_its_exit_code(order, capsys):
    (Path(order.sources[0]) / "broken.log.gz").write_bytes(b"\x1f\x8b no gzip")
    assert command.run(order) == command.EXIT_REJECTED
    told = again(order, capsys)
    assert told.startswith("3 ") and "rejected: " in told and "broken.log.gz: cannot be unpacked" in told


def test_both_ways_to_list_a_folder_give_the_same(tmp_path, monkeypatch):
    for name in ("a.log", "ü 核.txt", "x" * 200, os.fsdecode(b"\xff.err"), ".hidden"):
        (tmp_path / name).write_bytes(os.fsencode(name)[:3])
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("a.log")
    os.mkfifo(tmp_path / "pipe")
    in_c = listing(str(tmp_path))
    with monkeypatch.context() as patch:
        patch.setattr(native, "library", lambda: None)
        in_python = listing(str(tmp_path))
        assert sums(in_c) != sums(in_c + b"x")
    assert sorted(entries(in_c)) == sorted(entries(in_python))
    found = {name: (kind, size, changed) for kind, name, size, changed in entries(in_c)}
    assert set(found) == {"a.log", "ü 核.txt", "x" * 200, os.fsdecode(b"\xff.err"), "folder", "link"}
    told = (tmp_path / "a.log").stat()
    assert found["a.log"] == ("f", told.st_size, told.st_mtime_ns)
    link = (tmp_path / "link").lstat()
    assert found["folder"] == ("d", 0, 0) and found["link"] == ("l", link.st_size, link.st_mtime_ns)


def test_a_folder_with_more_names_than_there_is_room_for(tmp_path):
    for i in range(3000):
        (tmp_path / f"{i:0100d}").touch()
    assert len(list(entries(listing(str(tmp_path))))) == 3000


@pytest.mark.parametrize("in_c", [True, False])
def test_a_folder_that_cannot_be_listed_is_an_error(tmp_path, monkeypatch, in_c):
    if not in_c:
        monkeypatch.setattr(native, "library", lambda: None)
    with pytest.raises(FileNotFoundError):
        listing(str(tmp_path / "nowhere"))
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        listing(str(tmp_path / "file"))


def test_without_the_reader_in_c_the_tables_are_the_same(tmp_path):
    script = (
        "import sys; from pathlib import Path; from ycsbook import native; from ycsbook.ingest import archive\n"
        "archive.update([sys.argv[1]], Path(sys.argv[2])); print(native.library() is None)"
    )
    for switch, without in (("1", "False"), ("0", "True")):
        command_line = [sys.executable, "-c", script, str(DATA), str(tmp_path / switch)]
        environment = {**os.environ, native.SWITCH: switch}
        result = subprocess.run(command_line, env=environment, capture_output=True, text=True, check=True)
        assert result.stdout.strip() == without
    from ycsbook.store import parquet

    for (name, a), (_, b) in zip(
        parquet.read(tmp_path / "0").items(), parquet.read(tmp_path / "1").items(), strict=True
    ):
        keys = [c for c in ("run_id", "operation", "percentile", "elapsed_s", "source_line") if c in a.columns]
        assert len(a) or name == "samples"
        assert a.sort_values(keys, ignore_index=True).equals(b.sort_values(keys, ignore_index=True)), name
