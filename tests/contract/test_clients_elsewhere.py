"""Clients in workers that are not this runner's own: those of a scheduler, and those started over ssh."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pymongo
import pytest

sys.path.append(os.path.dirname(__file__))
import client_sweeps
import sweeping

from ycsbook.processes import Guard
from ycsbook.servers.mongod import Mongod

pytestmark = [pytest.mark.live, pytest.mark.matrix]

CANARY = "c4nary/p@ss"
ENCODED = "c4nary%2Fp%40ss"
GIVEN = """
name: given
server: {{kind: uri}}
specs:
  - {{name: 2c, cores: 2, ram_gib: 4, uri_env: GIVEN_URI}}
workloads: [a]
threads: [3]
records: 200
min_duration: 6s
target_ops_s: 300
cluster: {{kind: scheduler, address: "{address}"}}
vary: {{clients: [{clients}]}}
java_options: [-XX:TieredStopAtLevel=1, -XX:+UseSerialGC, -Xmx256m]
"""


def ycsbook(*arguments, **environment) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sweeping.YCSBOOK, *map(str, arguments)], capture_output=True, text=True, timeout=240, check=False,
        env={**os.environ, **environment},
    )  # fmt: skip


def test_one_and_two_workers_of_a_scheduler_and_a_password_that_shows_nowhere(tmp_path):
    store = tmp_path / "runs"
    with Guard() as guard:
        (tmp_path / "server").mkdir()
        mongod = Mongod(guard, tmp_path / "server", cache_gib=0.25, options=("--auth",))
        with pymongo.MongoClient(mongod.uri) as client:
            client.admin.command("createUser", "anna", pwd=CANARY, roles=["root"])
        uri = f"mongodb://anna:{ENCODED}@127.0.0.1:{mongod.port}/bench?authSource=admin"
        address, _, _ = client_sweeps.dask(guard, tmp_path, 2)

        params = tmp_path / "given.yml"
        params.write_text(GIVEN.format(address=address, clients="3"))
        refused = ycsbook("run", params, "--store", store, GIVEN_URI=uri)
        assert "found 2 workers, expected 3 (clients)" in sweeping.error_line(refused)
        assert sweeping.manifests(store) == []

        params.write_text(GIVEN.format(address=address, clients="1, 2"))
        done = ycsbook("run", params, "--store", store, GIVEN_URI=uri)
        assert done.returncode == 0 and "2 completed" in done.stdout, done.stderr
        mongod.stop()
    runs = {m["clients"]: m for m in sweeping.manifests(store) if m["phase"] == "run"}
    assert [one["threads"] for one in runs[2]["each_client"]] == [2, 1]
    # A single one elsewhere leaves the files that a client of this machine leaves.
    alone = store / runs[1]["run_id"]
    assert {"run.out", "run.err", "samples.csv", "client.csv", "hdr"} <= {path.name for path in alone.iterdir()}
    assert not list(alone.glob("client-*"))
    log = (tmp_path / "dask.log").read_text()
    assert "ycsbook-" in log  # the tasks are in it
    canaries = (CANARY.encode(), ENCODED.encode())
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path for path in files if any(canary in path.read_bytes() for canary in canaries)] == []
    tables = tmp_path / "tables"
    assert "0 rejected" in sweeping.ycsbook("ingest", store, "-o", tables).stdout


def test_a_scheduler_that_is_lost_makes_the_run_incomplete(tmp_path):
    store = tmp_path / "runs"
    with Guard() as guard:
        address, scheduler, _ = client_sweeps.dask(guard, tmp_path, 2)
        cluster = {"kind": "scheduler", "address": address}
        params = client_sweeps.write_params(tmp_path, "cut", clients=2, cluster=cluster, duration="60s")
        process = sweeping.start("run", params, "--store", store)

        def measuring():
            # What the runner samples once a second from the common start on.
            return any(len(p.read_bytes().splitlines()) > 4 for p in store.glob("*-t2-*.partial/samples.csv"))

        try:
            sweeping.until(lambda: process.poll() is not None or measuring(), 120)
            scheduler.stop(0.0)
            _, err = process.communicate(timeout=120)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
    assert process.returncode == 1 and "Traceback" not in err, err
    run = client_sweeps.run_of(store)
    assert (run["outcome"], run["stop_reason"]) == ("incomplete", "killed"), run["reasons"]
    assert {r["values"]["reason"]["key"] for r in run["reasons"]} == {"reason-worker-lost"}


@pytest.fixture
def ssh_home(tmp_path):
    """The home folder of a user whose keys an SSH server on loopback takes; its port in the file `port`."""
    home = tmp_path / "home"
    home.mkdir()
    with Guard() as guard:
        guard.start([sys.executable, Path(__file__).with_name("ssh_server.py"), home], stderr=tmp_path / "ssh.log")
        sweeping.until((home / "port").exists, 60)
        yield home


def test_workers_are_started_over_ssh_and_end_with_the_run(ssh_home, tmp_path):
    host = f"127.0.0.1:{(ssh_home / 'port').read_text()}"
    store = tmp_path / "runs"
    params = client_sweeps.write_params(
        tmp_path,
        "far",
        clients=2,
        duration="6s",
        cluster={"kind": "ssh", "hosts": [host, host], "python": sys.executable},
    )
    done = ycsbook("run", params, "--store", store, HOME=str(ssh_home))
    assert done.returncode == 0 and "1 completed" in done.stdout, done.stderr
    run = client_sweeps.run_of(store)
    assert (run["clients"], [one["threads"] for one in run["each_client"]]) == (2, [1, 1])

    def started_over_ssh():
        lines = [p.info["cmdline"] or [] for p in psutil.process_iter(["cmdline"])]
        return [line for line in lines if "distributed.cli.dask_spec" in line]

    sweeping.until(lambda: not started_over_ssh(), 30)


def test_a_host_whose_key_is_not_known_is_refused(ssh_home, tmp_path):
    host = f"127.0.0.1:{(ssh_home / 'port').read_text()}"
    (ssh_home / ".ssh" / "known_hosts").write_text("")
    params = client_sweeps.write_params(tmp_path, "strange", clients=2, cluster={"kind": "ssh", "hosts": [host, host]})
    done = ycsbook("run", params, "--store", tmp_path / "runs", HOME=str(ssh_home))
    assert done.returncode == 1 and "Host key is not trusted" in sweeping.error_line(done)
    assert sweeping.working_for(tmp_path / "runs") == []
