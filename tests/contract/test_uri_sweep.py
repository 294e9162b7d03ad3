"""A sweep on servers that are given by URI: a real mongod with a password, which must show nowhere."""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pymongo
import pytest

from ycsbook import anomalies, ingest, messages
from ycsbook.messages import fact_of
from ycsbook.processes import Guard
from ycsbook.servers.mongod import Mongod

YCSBOOK = Path(sys.executable).with_name("ycsbook")
# No other test's: those that run beside this one show in the same process list.
CANARY = "c4nary/uri@sweep"
ENCODED = "c4nary%2Furi%40sweep"
PARAMS = """
name: given
server: {kind: uri}
specs:
  - {name: 2c, cores: 2, ram_gib: 4, uri_env: GIVEN_URI_2C}
  - {name: 4c, cores: 4, ram_gib: 4, uri_env: GIVEN_URI_4C}
workloads: [a]
threads: [2]
records: 500
min_duration: 3s
java_options: [-XX:TieredStopAtLevel=1, -XX:+UseSerialGC, -Xmx256m]
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    with Guard() as guard:
        mongod = Mongod(guard, folder, cache_gib=0.25, options=("--auth",))
        with pymongo.MongoClient(mongod.uri) as client:
            client.admin.command("createUser", "anna", pwd=CANARY, roles=["root"])
        yield f"mongodb://anna:{ENCODED}@127.0.0.1:{mongod.port}/bench?authSource=admin", guard, mongod
        mongod.stop()


@pytest.fixture
def params(tmp_path):
    file = tmp_path / "given.yml"
    file.write_text(PARAMS)
    return file


def ycsbook(env, *arguments):
    command = [YCSBOOK, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=env)


def environment(**uris):
    import os

    return {**{k: v for k, v in os.environ.items() if not k.startswith("GIVEN_URI")}, **uris}


def hits(folder, canaries=(CANARY, ENCODED)):
    return [
        p for p in folder.rglob("*") if p.is_file() and any(c.encode() in p.read_bytes() for c in canaries)
    ]  # fmt: skip


def test_the_specs_with_an_address_are_measured_and_the_password_shows_nowhere(server, params, tmp_path):
    uri, _, mongod = server
    store = tmp_path / "runs"
    seen, ended = [], threading.Event()

    def watch_process_lists():
        while not ended.is_set():
            for process in psutil.process_iter(["cmdline"]):
                line = " ".join(process.info["cmdline"] or [])
                if CANARY in line or ENCODED in line:
                    seen.append(line)
            time.sleep(0.05)

    watcher = threading.Thread(target=watch_process_lists)
    watcher.start()
    try:
        done = ycsbook(environment(GIVEN_URI_2C=uri), "run", params, "--store", store)
    finally:
        ended.set()
        watcher.join()
    assert done.returncode == 0, done.stderr
    assert "1 completed" in done.stdout and "no server: set GIVEN_URI_4C" in done.stdout
    assert seen == [] and hits(store) == []
    assert not list(store.glob("**/*.properties"))
    assert CANARY not in done.stdout + done.stderr and ENCODED not in done.stdout + done.stderr
    (manifest,) = (json.loads(path.read_text()) for path in store.glob("given-2c-a-*/manifest.json"))
    told = manifest["server"]
    assert told["cores"] >= 1 and told["ram_gib"] > 0
    assert 0 < told["rtt_us"] <= told["rtt_mean_us"] <= told["rtt_max_us"]
    assert abs(told["clock_difference_s"]) < 1
    assert told["data_bytes"] > 500 * 10 * 100 and told["storage_bytes"] > 0
    with mongod.client() as client, pytest.raises(pymongo.errors.OperationFailure):
        client.bench.usertable.count_documents({})  # it really asks for a password
    again = ycsbook(environment(GIVEN_URI_2C=uri), "run", params, "--store", store)
    assert again.returncode == 0 and len(list(store.glob("given-2c-load-*"))) == 1


@pytest.mark.matrix
def test_specs_that_share_a_server_are_found_and_what_it_tells_is_compared(server, params, tmp_path):
    store = tmp_path / "runs"
    params.write_text(PARAMS.replace("name: given", "name: shared").replace("cores: 4,", "cores: 4096,"))
    env = environment(GIVEN_URI_2C=server[0], GIVEN_URI_4C=server[0].replace("127.0.0.1", "localhost"))
    done = ycsbook(env, "run", params, "--store", store)
    assert done.returncode == 0, done.stderr
    manifests = [json.loads(path.read_text()) for path in store.glob("*/manifest.json")]
    assert len({m["server"]["process"] for m in manifests}) == 1 and len({m["server"]["reach"] for m in manifests}) == 2
    found = messages.worded(anomalies.find(ingest.read([store]))).set_index("rule")
    assert found.loc["same_server", "severity"] == "error"
    shared = fact_of(found.loc["same_server"], "message").values
    assert (shared["specs"], shared["address"]) == (("2c", "4c"), False)
    sizes = [fact_of(row, "message") for row in found.loc[["server_size"]].to_dict("records")]
    assert ("server_size-cores", "4c", 4096) in [(m.key, m.values["spec"], m.values["wanted"]) for m in sizes]


def test_records_of_somebody_else_are_never_touched(server, params, tmp_path):
    uri, _, _ = server
    with pymongo.MongoClient(uri) as client:
        client.foreign.usertable.insert_one({"_id": "mine"})
        done = ycsbook(
            environment(GIVEN_URI_2C=uri.replace("/bench", "/foreign")), "run", params, "--store", tmp_path / "runs"
        )
        assert done.returncode == 1 and "holds 1 records that ycsbook did not load" in done.stderr
        assert client.foreign.usertable.find_one() == {"_id": "mine"}


@pytest.mark.matrix
def test_an_admin_uri_means_the_database_of_the_binding(server, params, tmp_path):
    uri = server[0].replace("/bench?authSource=admin", "/admin")
    with pymongo.MongoClient(uri) as client:
        client.ycsb.usertable.insert_one({"_id": "mine"})
        done = ycsbook(environment(GIVEN_URI_2C=uri), "run", params, "--store", tmp_path / "runs")
        assert done.returncode == 1 and "ycsb.usertable: holds 1 records that ycsbook did not load" in done.stderr
        assert client.ycsb.usertable.count_documents({}) == 1
        assert "usertable" not in client.admin.list_collection_names()


WRONG = {
    "password": ("mongodb://anna:wr0ng@127.0.0.1:{port}/bench?authSource=admin", "wr0ng"),
    "scheme": ("postgres://anna:wr0ng@127.0.0.1/bench", "wr0ng"),
}


@pytest.mark.matrix
@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_address_is_one_clear_line_without_the_password(server, params, tmp_path, case):
    uri, secret = WRONG[case]
    done = ycsbook(
        environment(GIVEN_URI_2C=uri.format(port=server[2].port)), "run", params, "--store", tmp_path / "runs"
    )
    errors = [line for line in done.stderr.splitlines() if line.startswith("ycsbook: ")]
    assert done.returncode == 1 and len(errors) == 1, done.stderr
    assert "Traceback" not in done.stderr and secret not in done.stdout + done.stderr
    assert not list((tmp_path / "runs").glob("given-*"))
