"""A server that is killed or frozen in the middle of a run: real ones, given by URI, whose processes are not ours."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from datetime import datetime

import pytest

sys.path.append(os.path.dirname(__file__))
import sweeping

from ycsbook import ingest, scaling
from ycsbook.processes import Guard
from ycsbook.servers.mongod import Mongod

pytestmark = [pytest.mark.live, pytest.mark.matrix]

PARAMS = """
name: {name}
server: {{kind: uri}}
specs:
  - {{name: 1c, cores: 1, ram_gib: 1, uri_env: LOST_URI}}
workloads: [{workload}]
threads: [2]
records: 200
min_duration: {duration}
target_ops_s: 300
java_options: [-XX:TieredStopAtLevel=1, -XX:+UseSerialGC, -Xmx128m, -XX:-UsePerfData]
"""
# More than a manifest, less than some seconds of status lines of many operations.
LIMIT_BYTES = 8 * 1024
MANY = "{name: many, read: 0.4, update: 0.2, scan: 0.2, readmodifywrite: 0.2}"


LIMITED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
os.execv(sys.argv[2], sys.argv[2:])
"""


def start(folder, name, uri, *, duration="90s", workload="a", limit=0):
    """A sweep on a server; with a limit no file it writes may be larger."""
    params = folder / f"{name}.yml"
    params.write_text(PARAMS.format(name=name, duration=duration, workload=workload))
    limited = [sys.executable, "-c", LIMITED, str(limit)] if limit else []
    return subprocess.Popen(
        [*limited, sweeping.YCSBOOK, "run", params, "--store", folder / name],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "LOST_URI": uri, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip


def has_finished_operations(store):
    """Whether a run's third second has finished operations."""
    lines = [p.read_bytes() for p in store.glob("*-t[0-9]*.partial/run.err")]
    return any(re.search(rb" 3 sec: [1-9]\d* operations; ", text) for text in lines)


def end(process):
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def whole(process):
    """Exit code and stderr of a command that ends by itself."""
    try:
        _, err = process.communicate(timeout=60)
        return process.returncode, err
    finally:
        end(process)


@pytest.fixture
def server(tmp_path):
    with Guard() as guard:

        def make(name):
            folder = tmp_path / f"server-{name}"
            folder.mkdir()
            return Mongod(guard, folder, cache_gib=0.25)

        yield make


def test_a_server_that_is_killed_or_frozen_ends_its_run_within_half_a_minute_as_lost(server, tmp_path):
    ways = {"killed": signal.SIGKILL, "frozen": signal.SIGSTOP}
    servers = {name: server(name) for name in ways}
    sweeps = {name: start(tmp_path, name, f"{servers[name].uri}bench") for name in ways}
    hit_at = {}
    try:
        for name, number in ways.items():
            sweeping.until(lambda name=name: has_finished_operations(tmp_path / name), 60)
            os.kill(servers[name].pid, number)
            hit_at[name] = time.time()
        for process in sweeps.values():
            _, err = process.communicate(timeout=60)
            assert process.returncode == 1 and "Traceback" not in err, err
            assert "the server was lost; start again to go on" in err, err
    finally:
        for process in sweeps.values():
            end(process)
    for name in ways:
        (lost,) = [m for m in sweeping.manifests(tmp_path / name) if m["phase"] == "run"]
        assert (lost["outcome"], lost["stop_reason"]) == ("incomplete", "server_lost")
        assert datetime.fromisoformat(lost["ended_at"]).timestamp() - hit_at[name] < 30, name
        assert sweeping.working_for(tmp_path / name) == []
        # Its figures are in no table that a fit is made of.
        tables = ingest.read([tmp_path / name / lost["run_id"]])
        (row,) = tables.runs.to_dict("records")
        assert (row["outcome"], row["stop_reason"]) == ("incomplete", "server_lost")
        assert len(scaling.points.usable(tables.runs)) == 0


def test_a_file_that_finds_no_room_ends_the_sweep_with_one_line_and_the_store_can_be_read(server, tmp_path):
    uri = f"{server('full').uri}bench"
    code, err = whole(start(tmp_path, "full", uri, duration="5s", workload=MANY))
    assert code == 0, err
    before = {m["run_id"]: m for m in sweeping.manifests(tmp_path / "full")}
    code, err = whole(start(tmp_path, "full", uri, duration="60s", workload=MANY, limit=LIMIT_BYTES))
    (line,) = [line for line in err.splitlines() if line.startswith("ycsbook: ")]
    assert code == 1 and "Traceback" not in err
    assert "the disk is full, the run was ended; free space and start again: finished runs are kept" in line
    after = {m["run_id"]: m for m in sweeping.manifests(tmp_path / "full")}
    assert {k: after[k] for k in before} == before
    (full,) = [m for k, m in after.items() if k not in before]
    assert (full["outcome"], full["stop_reason"]) == ("incomplete", "disk_full")
    assert (tmp_path / "full" / full["run_id"] / "run.err").stat().st_size == LIMIT_BYTES
    told = json.loads(sweeping.ycsbook("status", tmp_path / "full.yml", "--store", tmp_path / "full", "--json").stdout)
    assert [run["outcome"] for run in told] == ["incomplete"]
