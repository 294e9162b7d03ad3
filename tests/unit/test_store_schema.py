"""A store that an older release wrote is read and brought up to date; one of a newer release is refused."""

import json
import os
import random
import shutil
import signal
import sys
from pathlib import Path

import pytest

from ycsbook import ingest
from ycsbook.errors import RunLogError, StoreError
from ycsbook.ingest.runs import manifest as ingested
from ycsbook.store import schema
from ycsbook.store.runs import RunStore

LOG = """[OVERALL], RunTime(ms), 1000
[OVERALL], Throughput(ops/sec), 500
[READ], Operations, 500
[READ], AverageLatency(us), 100
[READ], Return=OK, 500
"""


def older_store(root: Path, runs: int = 3) -> Path:
    """A store as the first release wrote it: schema 1 in every manifest, no version of its own, one run given up."""
    store = RunStore(root)
    for number in range(runs):
        partial = store.begin(f"old-t1-r{number}")
        (partial / "run.out").write_text(LOG)
        store.finish(partial, {"run_id": f"old-t1-r{number}", "schema": 1, "outcome": "completed", "phase": "run"})
    store.begin("old-t1-r0")
    store.sweep_up()
    return root


def versions(root: Path) -> list[int]:
    return [json.loads(path.read_text())["schema"] for path in sorted(root.glob("**/manifest.json"))]


def test_an_older_store_reads_as_one_of_today_before_and_after_it_is_migrated(tmp_path):
    root = older_store(tmp_path / "runs")
    files = {p: p.read_bytes() for p in root.rglob("*") if p.is_file() and p.name != "manifest.json"}
    before = list(RunStore(root).manifests())
    tables = ingest.read([root]).runs
    assert [m["schema"] for m in before] == [schema.VERSION] * 2 and all(m["variation"] == {} for m in before)
    assert versions(root) == [1, 1, 1]

    rewritten = schema.migrate(root)
    assert len(rewritten) == 3 and versions(root) == [schema.VERSION] * 3  # that in quarantine too
    assert list(RunStore(root).manifests()) == before
    assert ingest.read([root]).runs.equals(tables) and len(tables) == 2
    assert {p: p.read_bytes() for p in files} == files  # logs and what else there was: untouched
    assert (root / ".schema").read_text() == f"{schema.VERSION}\n"
    assert schema.migrate(root) == []


def test_a_migration_killed_anywhere_leaves_whole_manifests_and_the_next_one_ends_it(tmp_path):
    template = older_store(tmp_path / "template")
    wanted = [path.relative_to(template) for path in sorted(template.glob("**/manifest.json"))]
    done = shutil.copytree(template, tmp_path / "done")
    schema.migrate(done)
    final = {path: (done / path).read_bytes() for path in wanted}
    rng, mixed = random.Random(4), 0
    for attempt in range(12):
        root = shutil.copytree(template, tmp_path / f"cut{attempt}")
        pid = os.fork()
        if pid == 0:
            _die_at_the_nth_rename(rng.randrange(6))
            schema.migrate(root)
            os._exit(0)
        os.waitpid(pid, 0)
        for path in wanted:
            assert (root / path).read_bytes() in (final[path], (template / path).read_bytes())
        mixed += len(set(versions(root))) == 2
        assert len(list(RunStore(root).manifests())) == 2
        schema.migrate(root)
        assert {path: (root / path).read_bytes() for path in wanted} == final
    assert mixed


def _die_at_the_nth_rename(number: int) -> None:
    seen = 0

    def hook(event: str, arguments: tuple) -> None:
        nonlocal seen
        if event == "os.rename":
            if seen == number:
                os.kill(os.getpid(), signal.SIGKILL)
            seen += 1

    sys.addaudithook(hook)


def test_a_migration_cut_before_its_last_step_is_ended_by_the_next_one(tmp_path):
    root = older_store(tmp_path / "runs")
    schema.migrate(root)
    (root / schema.FILE).write_text("1\n")
    assert schema.migrate(root) == [] and (root / schema.FILE).read_text() == f"{schema.VERSION}\n"


NEWER = schema.VERSION + 1


def test_a_store_of_a_newer_release_is_refused_in_one_line_and_left_alone(tmp_path):
    root = older_store(tmp_path / "runs")
    (root / ".schema").write_text(f"{NEWER}\n")
    for read in (lambda: list(RunStore(root).manifests()), lambda: schema.migrate(root)):
        with pytest.raises(StoreError, match=rf"\.schema: has schema {NEWER}, this release knows 1 to .*--store") as e:
            read()
        assert "\n" not in str(e.value)
    assert versions(root) == [1, 1, 1]


def test_a_single_newer_manifest_is_refused_by_the_store_and_by_ingest(tmp_path, capsys):
    root = older_store(tmp_path / "runs")
    path = root / "old-t1-r1" / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema": NEWER}))
    with pytest.raises(StoreError, match=f"has schema {NEWER}"):
        RunStore(root).is_completed("old-t1-r1")
    with pytest.raises(RunLogError, match=f"manifest.json: has schema {NEWER}"):
        ingested.load(path.parent)
    assert [m["run_id"] for m in RunStore(root).manifests()] == ["old-t1-r2"]
    assert f"left out: {path}: has schema {NEWER}" in capsys.readouterr().err


@pytest.mark.parametrize("odd", ["two", 0, -1, 1.5, True])
def test_a_version_that_is_none_is_named(tmp_path, odd):
    with pytest.raises(StoreError, match=r"got schema .*, expected 1 to"):
        schema.current({"schema": odd}, tmp_path / "manifest.json")


def test_every_version_has_its_step():
    assert sorted(schema.STEPS) == list(range(1, schema.VERSION))
