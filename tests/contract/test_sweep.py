"""What becomes of a sweep when something goes wrong: real mongod, real YCSB, real kills."""

import json
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

sys.path.append(os.path.dirname(__file__))
import sweeping

pytestmark = pytest.mark.live


def test_a_spec_with_more_cores_than_the_host_is_refused_before_anything_is_measured(tmp_path):
    params, store = sweeping.write_params(tmp_path, "too-large"), tmp_path / "runs"
    text = params.read_text()
    # The spec that can be had comes first in the file and in any order of the plan: nothing of it may be run.
    params.write_text(text.replace("workloads:", "  - {name: 512c, cores: 512, ram_gib: 1}\nworkloads:"))
    done = sweeping.ycsbook("run", params, "--store", store)
    line = sweeping.error_line(done)
    assert done.returncode == 1
    assert "spec 512c" in line and "asks for 512" in line and f"has {len(os.sched_getaffinity(0))}" in line
    assert sweeping.manifests(store) == [] and sweeping.working_for(store) == []


def test_a_lost_server_is_kept_as_an_incomplete_run_and_the_next_start_completes_it(tmp_path):
    params, store = sweeping.write_params(tmp_path, "lost"), tmp_path / "runs"
    process = sweeping.start("run", params, "--store", store)
    try:
        sweeping.until(lambda: sweeping.under_way(store), 60)
        (server,) = sweeping.working_for(store, "mongod")
        server.kill()
        killed_at = time.monotonic()
        _, process_err = process.communicate(timeout=60)
        assert time.monotonic() - killed_at < 30
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 1
    assert "the server was lost; start again to go on" in process_err and "Traceback" not in process_err
    (lost,) = [m for m in sweeping.manifests(store) if m["phase"] == "run"]
    assert (lost["outcome"], lost["stop_reason"]) == ("incomplete", "server_lost")
    assert sweeping.working_for(store) == []
    again = sweeping.ycsbook("run", params, "--store", store)
    assert again.returncode == 0 and "1 completed" in again.stdout, again.stderr
    assert any(lost["run_id"] in p.name for p in (store / "quarantine").iterdir())


@pytest.mark.matrix
def test_a_workload_with_inserts_makes_the_next_run_load_again(tmp_path):
    params, store = sweeping.write_params(tmp_path, "inserting", workloads="d", threads="1, 2"), tmp_path / "runs"
    done = sweeping.ycsbook("run", params, "--store", store)
    assert done.returncode == 0 and "2 completed" in done.stdout, done.stderr
    # Each run has its own load, right before it; the newer one of the same records took the older one's place.
    older = sweeping.manifests(store / "quarantine")
    made = sorted([*sweeping.manifests(store), *older], key=lambda m: (m["started_at"], m["ended_at"]))
    assert [m["phase"] for m in made] == ["load", "run", "load", "run"]
    assert {m["outcome"] for m in made} == {"completed"} and [m["phase"] for m in older] == ["load"]


@pytest.mark.matrix
def test_the_second_runner_is_told_who_is_measuring(tmp_path):
    params, store = sweeping.write_params(tmp_path, "busy", duration="10s"), tmp_path / "runs"
    first = sweeping.start("run", params, "--store", store)
    try:
        sweeping.until(lambda: sweeping.under_way(store), 60)
        second = sweeping.ycsbook("run", params, "--store", store)
        assert second.returncode == 1
        assert f"another run is measuring here (process {first.pid})" in sweeping.error_line(second)
        _, err = first.communicate(timeout=60)
        assert first.returncode == 0, err  # it was not disturbed
    finally:
        if first.poll() is None:
            os.killpg(first.pid, signal.SIGKILL)
            first.communicate()
    assert not (store / "quarantine").exists()


def test_a_killed_runner_leaves_nothing_and_the_next_start_goes_on(tmp_path):
    params, store = sweeping.write_params(tmp_path, "killed"), tmp_path / "runs"
    process = sweeping.start("run", params, "--store", store)
    try:
        sweeping.until(lambda: sweeping.under_way(store), 60)
        children = [*sweeping.working_for(store), *psutil.Process(process.pid).children(recursive=True)]
        assert {"java", "mongod"} <= {c.name() for c in children}
    finally:
        os.kill(process.pid, signal.SIGKILL)  # the runner alone, not its group
    process.communicate()
    gone, alive = psutil.wait_procs(set(children), timeout=5)
    assert len(gone) >= 3 and not alive
    sweeping.until(lambda: not sweeping.cpu_groups_left() and not sweeping.working_for(store), 10)
    assert not list(store.rglob("*.properties"))
    again = sweeping.ycsbook("run", params, "--store", store)
    assert again.returncode == 0 and "1 completed" in again.stdout, again.stderr
    assert len([p for p in (store / "quarantine").iterdir() if "-t" in p.name]) == 1


STALLING = """
import sys
from ycsbook.runner import client
from ycsbook import cli

# Longer than a JVM takes to its first operation where others need the cores as well.
client.STALL_S = 8.0
sys.argv = ["ycsbook", "run", *sys.argv[1:]]
cli.main()
"""


@pytest.mark.matrix
def test_a_client_that_hangs_or_is_killed_ends_its_run_with_the_reason_and_no_other(tmp_path):
    params, store = sweeping.write_params(tmp_path, "ended", threads="1, 2, 4", duration="6s"), tmp_path / "runs"
    process = subprocess.Popen(
        [sys.executable, "-c", STALLING, str(params), "--store", str(store)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip

    def client():
        """The YCSB process of a run that is under way."""
        found = sweeping.working_for(store, "java") if sweeping.under_way(store) else []
        return found and found[0]

    try:
        hanging = sweeping.until(client, 60)
        hanging.send_signal(signal.SIGSTOP)
        shot = sweeping.until(lambda: (found := client()) and found != hanging and found, 60)
        shot.kill()
        out, err = process.communicate(timeout=90)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert process.returncode == 1 and "1 completed" in out and "2 incomplete" in out
    assert "incomplete: ended early: stalled" in err and "incomplete: ended early: killed" in err
    runs = [m for m in sweeping.manifests(store) if m["phase"] == "run"]
    found = sorted((m["outcome"], m["stop_reason"]) for m in runs)
    assert found == [("completed", ""), ("incomplete", "killed"), ("incomplete", "stalled")]


@pytest.mark.matrix
def test_some_runs_first_then_the_rest_then_one_again(tmp_path):
    params = sweeping.write_params(tmp_path, "chosen", threads="1, 2")
    store = tmp_path / "runs"
    say = ("--store", store, "--json")

    made = json.loads(sweeping.ycsbook("run", params, *say, "--only", "threads=2").stdout)
    assert [(run["threads"], run["state"]) for run in made] == [(2, "completed")]
    told = json.loads(sweeping.ycsbook("status", params, *say).stdout)
    assert {(run["threads"], run["outcome"]) for run in told} == {(1, "missing"), (2, "completed")}

    sweeping.ycsbook("run", params, *say)
    folders = {path.parent.name: path.stat().st_mtime_ns for path in store.glob("*-t*/manifest.json")}
    assert len(folders) == 2

    assert sweeping.ycsbook("run", params, *say, "--only", "threads=2", "--force", "--dry-run").returncode == 0
    assert {p.parent.name: p.stat().st_mtime_ns for p in store.glob("*-t*/manifest.json")} == folders
    sweeping.ycsbook("run", params, *say, "--only", "threads=2", "--force")
    again = {path.parent.name: path.stat().st_mtime_ns for path in store.glob("*-t*/manifest.json")}
    assert again.keys() == folders.keys()
    assert [name for name in folders if again[name] != folders[name]] == [made[0]["run_id"]]
    assert [path.name for path in (store / "quarantine").glob("*-t*")] == [f"{made[0]['run_id']}.1"]
