"""Finished runs whose files are gone or altered: they are no longer completed, are named, and are made again."""

import json
import os

import pytest
from typer.testing import CliRunner

from ycsbook import params
from ycsbook.commands import app
from ycsbook.store.runs import RunStore
from ycsbook.sweep_runs import SweepRuns


def finish(store, run_id, **more):
    partial = store.begin(run_id)
    (partial / "run.out").write_text("log")
    (partial / "hdr" / "READ.hdr").write_text("histogram")
    return store.finish(partial, {"run_id": run_id, "outcome": "completed", **more})


def gone(folder):
    (folder / "hdr" / "READ.hdr").unlink()
    return "hdr/READ.hdr"


def changed(folder):
    (folder / "run.out").write_text("lag")
    return "run.out"


def a_link(folder):
    (folder / "run.out").rename(folder.parent / "moved")
    (folder / "run.out").symlink_to(folder.parent / "moved")
    return "run.out"


def a_pipe(folder):
    (folder / "run.out").unlink()
    os.mkfifo(folder / "run.out")
    return "run.out"


@pytest.mark.parametrize("harm", [gone, changed, a_link, a_pipe])
def test_it_is_found_named_and_made_again(tmp_path, harm):
    store = RunStore(tmp_path / "runs")
    sound, harmed = finish(store, "sound"), finish(store, "harmed")
    assert store.is_completed("harmed")
    name = harm(harmed)
    assert store.is_completed("sound") and not store.is_completed("harmed")
    assert store.altered(store.manifest("harmed")) == [name]
    said = CliRunner().invoke(app, ["fsck", "--store", str(store.root), "--json"])
    assert said.exit_code == 1 and json.loads(said.stdout) == {"runs": 2, "loads": 0, "altered": {"harmed": [name]}}
    # Nothing is lost: what is made again takes the place of evidence that is kept.
    partial = store.begin("harmed")
    (partial / "run.out").write_text("log")
    store.finish(partial, {"run_id": "harmed", "outcome": "completed"})
    assert store.is_completed("harmed") and sound.is_dir()
    assert [folder.name.startswith("harmed") for folder in (store.root / "quarantine").iterdir()] == [True]
    said = CliRunner().invoke(app, ["fsck", "--store", str(store.root)])
    assert said.exit_code == 0 and "2 runs, 0 altered" in said.stdout
    finish(store, "loaded", phase="load")
    said = CliRunner().invoke(app, ["fsck", "--store", str(store.root)])
    assert said.exit_code == 0 and "2 runs and 1 loads, 0 altered" in said.stdout


def test_status_and_plan_say_so(tmp_path):
    path = tmp_path / "made.yml"
    path.write_text("name: made\nserver: {kind: mongod}\nspecs: [{name: 1c, cores: 1, ram_gib: 1}]\nthreads: [1]\n")
    runs = SweepRuns(path, store=tmp_path / "runs")
    planned = params.plan(runs.sweep)[0]
    folder = finish(runs.store, planned.run_id, dataset="made", phase="run", inputs=planned.inputs)
    assert runs.status_rows()[0]["outcome"] == "completed"
    changed(folder)
    row = runs.status_rows()[0]
    assert row["outcome"] == "altered" and row["reasons"].startswith("gone or altered since: run.out")
