"""The run store: whole or not there, and nothing lost."""

import json
import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from ycsbook.columns import SCHEMA_VERSION, SCHEMAS
from ycsbook.errors import RunLogError, ServerBusyError, StoreError
from ycsbook.glossary import GLOSSARY
from ycsbook.ingest.runs import manifest as ingested
from ycsbook.store import lock, parquet
from ycsbook.store.runs import SCHEMA, RunStore, sha256
from ycsbook.tables import Tables, conform, dicts, from_rows


def finish(store, run_id, outcome="completed", text="log"):
    partial = store.begin(run_id)
    (partial / "run.out").write_text(text)
    return store.finish(partial, {"run_id": run_id, "outcome": outcome})


def test_a_run_is_completed_only_when_finished(tmp_path):
    store = RunStore(tmp_path)
    partial = store.begin("r1")
    assert not store.is_completed("r1") and store.under_way() == [partial]
    (partial / "run.out").write_text("log")
    store.finish(partial, {"run_id": "r1", "outcome": "completed"})
    assert store.is_completed("r1") and store.under_way() == []
    assert store.manifest("r1")["files"] == {"run.out": sha256(tmp_path / "r1" / "run.out")}


def test_a_run_is_on_the_disk_before_it_counts(tmp_path, monkeypatch):
    synced, fsync = [], os.fsync

    def noted(descriptor):
        synced.append(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    store = RunStore(tmp_path)
    partial = store.begin("r1")
    (partial / "run.out").write_text("log")
    (partial / "hdr" / "READ.hdr").write_text("histogram")
    monkeypatch.setattr(os, "fsync", noted)
    final = store.finish(partial, {"run_id": "r1", "outcome": "completed"})
    manifest = synced.index((final / "manifest.json").stat().st_ino)
    evidence = [synced.index((final / name).stat().st_ino) for name in ("run.out", "hdr/READ.hdr", "hdr", ".")]
    assert max(evidence) < manifest and synced[-1] == tmp_path.stat().st_ino


def test_whether_a_store_is_in_use(tmp_path):
    assert not lock.is_held(tmp_path)
    with lock.exclusive(tmp_path):
        assert lock.is_held(tmp_path) and lock.is_held(tmp_path)
    assert not lock.is_held(tmp_path)


def test_an_unsuccessful_run_is_kept_but_not_completed(tmp_path):
    store = RunStore(tmp_path)
    finish(store, "r1", "failed", text="first")
    assert not store.is_completed("r1")
    finish(store, "r1", text="second")
    finish(store, "r1", text="third")
    assert (tmp_path / "r1" / "run.out").read_text() == "third"
    kept = sorted((p.parent.name, p.read_text()) for p in (tmp_path / "quarantine").glob("*/run.out"))
    assert kept == [("r1.1", "first"), ("r1.2", "second")]


def test_remains_of_a_cut_run_are_moved_away(tmp_path):
    store = RunStore(tmp_path)
    (store.begin("r1") / "run.out").write_text("half")
    assert [p.name for p in store.sweep_up()] == ["r1.1"]
    assert store.under_way() == [] and store.manifest("r1") is None
    assert [m["run_id"] for m in store.manifests()] == []


@pytest.mark.parametrize("text", ["[]", "{}", "nonsense"])
def test_a_folder_that_is_no_run_does_not_stop_the_others(tmp_path, capsys, text):
    store = RunStore(tmp_path)
    finish(store, "r1")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "manifest.json").write_text(text)
    assert [m["run_id"] for m in store.manifests()] == ["r1"]
    assert "left out: " in capsys.readouterr().err


def test_a_torn_manifest_is_named(tmp_path):
    (tmp_path / "r1").mkdir()
    (tmp_path / "r1" / "manifest.json").write_text('{"run_id": ')
    with pytest.raises(StoreError, match=r"manifest\.json: cannot be read as JSON"):
        RunStore(tmp_path).manifest("r1")


def test_one_runner_at_a_time(tmp_path):
    with lock.exclusive(tmp_path), pytest.raises(ServerBusyError) as caught, lock.exclusive(tmp_path):
        pass
    assert caught.value.pid == os.getpid()
    with lock.exclusive(tmp_path):
        pass


WRITER = """
import sys
from pathlib import Path
from ycsbook.store import atomic
path, i = Path(sys.argv[1]), 0
print("ready", flush=True)
while True:
    i += 1
    atomic.write_text(path, f"{i}\\n" * 5000)
"""


def test_a_killed_writer_leaves_old_or_new(tmp_path):
    path = tmp_path / "value"
    for round_ in range(6):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE)
        writer.stdout.readline()
        time.sleep(0.005 + 0.01 * round_)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        if path.exists():
            lines = path.read_text().splitlines()
            assert len(lines) == 5000 and len(set(lines)) == 1


def test_tables_survive_parquet(tmp_path):
    runs = from_rows([{"run_id": "r", "cores": 0.25, "outcome": "completed"}], "runs")
    parquet.write(Tables(runs=runs), tmp_path)
    back = parquet.read(tmp_path)
    assert back.runs.equals(runs) and list(back.operations.columns) == list(SCHEMAS["operations"])


def test_tables_of_another_version_are_refused(tmp_path, monkeypatch):
    parquet.write(Tables(), tmp_path)
    monkeypatch.setattr(parquet, "SCHEMA_VERSION", 999)
    with pytest.raises(StoreError, match=f"has schema version {SCHEMA_VERSION}, expected 999"):
        parquet.read(tmp_path)


def test_a_folder_without_tables_says_how_to_make_them(tmp_path):
    with pytest.raises(StoreError, match=r"no runs\.parquet there.*ycsbook ingest"):
        parquet.read(tmp_path)


def test_every_column_is_in_the_glossary():
    assert {c for columns in SCHEMAS.values() for c in columns} <= set(GLOSSARY)
    assert all(meaning for _, _, meaning in GLOSSARY.values())


def test_an_odd_column_is_refused():
    with pytest.raises(KeyError, match="qps"):
        conform(from_rows([{"run_id": "r"}], "runs").assign(qps=1), "runs")


@pytest.mark.parametrize("n", [1, 5000])
def test_texts_are_texts_whatever_they_were_and_however_many(n):
    for values in ([8, "4c", None, float("nan")], ["8", "4c", "", ""]):
        frame = conform(pd.DataFrame({"spec": pd.Series(values * n, dtype=object)}), "runs")
        assert frame["spec"].tolist() == ["8", "4c", "", ""] * n
        assert conform(frame, "runs").equals(frame) and from_rows(dicts(frame), "runs").equals(frame)


def test_a_row_as_a_dict_is_what_pandas_makes_of_it():
    frame = from_rows([{"run_id": "r", "threads": 8, "cores_enforced_by": None}, {"run_id": "s"}], "runs")
    assert str(dicts(frame)) == str(frame.to_dict("records")) and dicts(frame[:0]) == []


def test_missing_is_nan_never_zero():
    row = from_rows([{"run_id": "r"}], "runs").iloc[0]
    assert row["throughput_ops_s"] != row["throughput_ops_s"] and row["spec"] == ""


OTHER = SCHEMA + 1


@pytest.mark.parametrize("other", [f"{OTHER}", "1", "two", "-1"])
def test_a_store_of_another_release_is_refused_in_one_line_and_left_alone(tmp_path, other):
    store = RunStore(tmp_path)
    finish(store, "r1")
    (tmp_path / ".schema").write_text(f"{other}\n")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for use in (lambda: list(store.manifests()), store.claim):
        with pytest.raises(
            StoreError, match=rf"\.schema: has schema '?{other}'?, this release reads {SCHEMA}; .*--store"
        ) as e:
            use()
        assert "\n" not in str(e.value)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_store_says_its_version_once_a_sweep_has_claimed_it(tmp_path):
    store = RunStore(tmp_path)
    finish(store, "r1")
    store.claim()
    assert (tmp_path / ".schema").read_text() == f"{SCHEMA}\n" and len(list(store.manifests())) == 1
    store.claim()


@pytest.mark.parametrize("other", [OTHER, 1, "two", 0, -1, 1.5, True])
def test_a_single_manifest_of_another_release_is_refused_by_the_store_and_by_ingest(tmp_path, capsys, other):
    store = RunStore(tmp_path)
    for run_id in ("r1", "r2"):
        store.finish(store.begin(run_id), {"run_id": run_id, "outcome": "completed", "schema": SCHEMA})
    path = tmp_path / "r1" / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema": other}))
    with pytest.raises(StoreError, match=f"has schema {other!r}"):
        store.is_completed("r1")
    with pytest.raises(RunLogError, match=f"manifest.json: has schema {other!r}"):
        ingested.load(path.parent)
    assert [m["run_id"] for m in store.manifests()] == ["r2"]
    assert f"left out: {path}: has schema {other!r}" in capsys.readouterr().err
