"""Several servers measured at once by the workers of a scheduler: side by side, with a worker that is killed; one after
the other where there is one client machine only."""

import contextlib
import os
import signal
import subprocess
import sys

import pytest

sys.path.append(os.path.dirname(__file__))
import client_sweeps
import sweeping

from ycsbook import ingest
from ycsbook.processes import Guard
from ycsbook.servers.mongod import Mongod

pytestmark = [pytest.mark.live, pytest.mark.matrix]

PARAMS = """
name: many
server: {{kind: uri}}
specs:
  - {{name: 1c, cores: 1, ram_gib: 1, uri_env: MANY_1C}}
  - {{name: 2c, cores: 2, ram_gib: 1, uri_env: MANY_2C}}
workloads: [a]
threads: [2, 3]
repeats: {repeats}
records: 200
min_duration: {duration}
target_ops_s: 300
cluster: {{kind: scheduler, address: "{address}", at_once: 2, share_hosts: {shared}}}
java_options: [-XX:TieredStopAtLevel=1, -XX:+UseSerialGC, -Xmx256m]
"""


@contextlib.contextmanager
def machines(folder, n):
    """Two servers and a scheduler with n workers; gives its address, the URIs and the workers."""
    with Guard() as guard:
        servers = []
        for name in ("one", "two"):
            (folder / name).mkdir()
            servers.append(Mongod(guard, folder / name, cache_gib=0.25))
        address, _, workers = client_sweeps.dask(guard, folder, n)
        uris = {f"MANY_{i}C": f"{server.uri}bench" for i, server in enumerate(servers, 1)}
        yield address, uris, workers


def started(arguments, uris):
    return subprocess.Popen(
        [sweeping.YCSBOOK, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, env={**os.environ, **uris},
    )  # fmt: skip


def runs(store):
    return [m for m in sweeping.manifests(store) if m["phase"] == "run"]


def overlap(made):
    """How many pairs of runs were made at the same time."""
    spans = sorted((m["started_at"], m["ended_at"]) for m in made)
    return sum(later[0] < first[1] for i, first in enumerate(spans) for later in spans[i + 1 :])


def test_two_servers_are_measured_at_once_and_a_killed_worker_costs_no_run(tmp_path):
    params, store = tmp_path / "many.yml", tmp_path / "runs"
    with machines(tmp_path, 3) as (address, uris, workers):
        params.write_text(PARAMS.format(address=address, shared="true", repeats=1, duration="8s"))
        process = started(("run", params, "--store", store), uris)
        try:
            # Both have begun to measure: what is sampled once a second has some rows.
            sweeping.until(
                lambda: (
                    process.poll() is not None
                    or sum(len(p.read_bytes().splitlines()) > 3 for p in store.glob("*-t[0-9]*.partial/samples.csv"))
                    == 2
                ),
                120,
            )
            assert process.poll() is None, process.communicate()
            busy = [w for w in workers if any("java" in " ".join(p) for p in _below(w.pid))]
            assert len(busy) == 2
            busy[0].stop(0.0)
            out, err = process.communicate(timeout=240)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        assert process.returncode == 0 and "4 completed" in out, (out, err)
        made = runs(store)
        assert {m["outcome"] for m in made} == {"completed"} and len(made) == 4 and overlap(made) >= 1
        for spec in ("1c", "2c"):
            assert overlap([m for m in made if m["spec"]["name"] == spec]) == 0
        # What was cut is kept as evidence, and nothing was made twice.
        assert sum("-t" in path.name for path in (store / "quarantine").iterdir()) == 1
        tables = ingest.read([store / m["run_id"] for m in made])
        assert tables.runs["client_machine"].nunique() == 1 and (tables.runs["client_machine"] != "").all()
        assert tables.runs["host_speed"].between(0.2, 5).all()


def _below(pid):
    import psutil

    with contextlib.suppress(psutil.NoSuchProcess):
        return [p.cmdline() for p in psutil.Process(pid).children(recursive=True)]
    return []


def test_one_client_machine_measures_one_server_after_the_other(tmp_path):
    params, store = tmp_path / "many.yml", tmp_path / "runs"
    with machines(tmp_path, 2) as (address, uris, _):
        params.write_text(PARAMS.format(address=address, shared="false", repeats=1, duration="3s"))
        process = started(("run", params, "--store", store), uris)
        out, err = process.communicate(timeout=240)
        assert process.returncode == 0 and "4 completed" in out, (out, err)
        assert len(runs(store)) == 4 and overlap(runs(store)) == 0
        # The same server under two names is refused before anything is measured.
        same = {**uris, "MANY_2C": uris["MANY_1C"].replace("127.0.0.1", "localhost")}
        process = started(("run", params, "--store", tmp_path / "other"), same)
        _, err = process.communicate(timeout=60)
        assert process.returncode != 0 and "the specs 1c and 2c have one server" in err
        assert sweeping.manifests(tmp_path / "other") == []
