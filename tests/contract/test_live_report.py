"""The main job on real input: a real mongod, real YCSB, the notebooks, the report."""

import json
import os
import shutil
import signal
import time
from pathlib import Path

import pytest
import sweeping

from ycsbook import paths
from ycsbook.store import parquet
from ycsbook.study import Study

PARAMS = """
name: {name}
title: A small live sweep
server: {{kind: mongod}}
specs:
  - {{name: 0.5c, cores: 0.5, ram_gib: 0.5}}
  - {{name: 1c, cores: 1, ram_gib: 1}}
workloads: [a]
threads: [{threads}]
records: 1000
min_duration: {duration}
java_options: [-XX:TieredStopAtLevel=1, -XX:+UseSerialGC, -Xmx512m]
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("live")
    params = folder / "live-test.yml"
    params.write_text(PARAMS.format(name="live-test", threads=4, duration="5s"))
    yield params, folder / "runs"
    _remove_output("live-test")


def _remove_output(name):
    shutil.rmtree(paths.OUTPUT / name, ignore_errors=True)


@pytest.fixture(scope="module")
def reported(place):
    params, store = place
    result = sweeping.ycsbook("report", params, "--store", store, "--json")
    assert result.returncode == 0, result.stderr
    assert sweeping.working_for(store) == []
    sweeping.until(lambda: not sweeping.cpu_groups_left(), 10)
    return json.loads(result.stdout), params, store


def test_the_report_and_all_its_parts_are_written(reported):
    out, _, _ = reported
    assert Path(out["html"]).stat().st_size < 2_000_000
    assert "live" in Path(out["markdown"]).read_text()
    names = {p.name for p in Path(out["notebooks"]).iterdir()}
    assert {f"{s}.ipynb" for s in ("10_run", "20_ingest", "30_scaling", "40_anomalies", "90_report")} <= names
    tables = {p.stem for p in Path(out["tables"]).glob("*.parquet")}
    wanted = {"runs", "operations", "percentiles", "intervals", "samples", "findings", "fit_tidy", "fit_glance"}
    assert wanted <= tables


def test_every_run_is_completed_and_its_figures_agree(reported):
    out, _, _ = reported
    tables = parquet.read(Path(out["tables"]))
    runs = tables.runs[tables.runs["phase"] == "run"]
    assert len(runs) == 2 and set(runs["outcome"]) == {"completed"}
    assert (runs["failed_operations"] == 0).all()
    assert runs["cores_enforced_by"].isin(["cgroup2", "cgroup1", "duty_cycle"]).all()
    assert runs["steady_ops_s"].gt(0).all() and runs["cpu_utilisation"].between(0.01, 1.3).all()
    counts = tables.operations[tables.operations["operation"].isin(["READ", "UPDATE"])].groupby("run_id")["count"].sum()
    assert (runs.set_index("run_id")["operations"] == counts[runs["run_id"]]).all()
    exact = tables.percentiles[tables.percentiles["percentile_source"] == "hdr"]
    assert set(exact["percentile"]) >= {50, 90, 95, 99, 99.9, 99.99}


def test_the_load_is_kept_as_evidence_and_left_out_of_the_fits(reported):
    out, _, _ = reported
    tables = parquet.read(Path(out["tables"]))
    loads = tables.runs[tables.runs["phase"] == "load"]
    assert len(loads) == 1 and loads["operations"].iloc[0] == 1000
    augment = parquet.read_table(Path(out["tables"]), "fit_augment")
    assert augment.empty or augment["n_runs"].max() <= 1


def test_a_second_report_makes_no_run_again(reported):
    _, params, store = reported
    before = {p: p.stat().st_mtime_ns for p in store.rglob("*") if p.is_file()}
    result = sweeping.ycsbook("report", params, "--store", store)
    assert result.returncode == 0 and "nothing has changed" in result.stderr
    assert {p: p.stat().st_mtime_ns for p in store.rglob("*") if p.is_file()} == before


def test_the_plan_says_what_is_done(reported):
    _, params, store = reported
    result = sweeping.ycsbook("plan", params, "--store", store)
    assert "2 runs: 2 done, 0 to make" in result.stdout
    rows = json.loads(sweeping.ycsbook("plan", params, "--store", store, "--json").stdout)
    assert {r["state"] for r in rows} == {"completed"}


def test_a_changed_log_shows_in_the_inputs(reported):
    _, params, store = reported
    study = Study(params, store=store)
    assert study.is_reported()
    manifest = next(p for p in store.glob("live-test-1c-a-*/manifest.json"))
    text = manifest.read_text()
    try:
        manifest.write_text(text.replace('"repeat": 1', '"repeat":  1'))
        assert not Study(params, store=store).is_reported()
    finally:
        manifest.write_text(text)


@pytest.mark.parametrize("how", ["run", "report"])
@pytest.mark.matrix
def test_ctrl_c_leaves_nothing_running_and_the_next_start_goes_on(tmp_path, how):
    params, store = tmp_path / "cut.yml", tmp_path / "runs"
    params.write_text(PARAMS.format(name=f"cut-{how}", threads="2, 4", duration="4s") + "target_ops_s: 300\n")
    process = sweeping.start(how, params, "--store", store)
    try:
        deadline = time.monotonic() + 90
        while not list(store.glob("*-t*.partial/run.err")) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert list(store.glob("*-t*.partial/run.err")), "no run was started"
        time.sleep(1)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 130 and "start again to go on" in err
    sweeping.until(lambda: not sweeping.working_for(store) and not sweeping.cpu_groups_left(), 10)
    again = sweeping.ycsbook("run", params, "--store", store)
    _remove_output(f"cut-{how}")
    assert again.returncode == 0, again.stderr
    assert "4 completed" in again.stdout
    assert list((store / "quarantine").iterdir())
