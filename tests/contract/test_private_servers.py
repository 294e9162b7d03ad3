"""Servers of our own that are more than the plainest: sets, users, TLS; on real mongods, through whole sweeps."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import psutil
import pymongo
import pytest
from pymongo.errors import OperationFailure, ServerSelectionTimeoutError

from ycsbook.errors import ToolError
from ycsbook.params import Sweep
from ycsbook.secrets import Secret
from ycsbook.servers import kind, replica_set
from ycsbook.servers.kind import RecordShape
from ycsbook.servers.kinds import uri as given
from ycsbook.servers.mongodb import MongoDataset

sys.path.append(os.path.dirname(__file__))
import sweeping

pytestmark = [pytest.mark.live, pytest.mark.matrix]

SET = {"topology": "replica_set", "tls": True}
PARAMS = """
name: set
server: {kind: mongod, topology: replica_set, tls: true}
specs:
  - {name: 1c, cores: 1, ram_gib: 1}
workloads: [a]
threads: [2]
records: 300
min_duration: %s
target_ops_s: 300
write_concern: majority
read_preference: secondary
java_options: [-XX:TieredStopAtLevel=1, -XX:+UseSerialGC, -Xmx256m]
"""


def sweep(shape: dict, **settings) -> Sweep:
    specs = [{"name": "1c", "cores": 1, "ram_gib": 1}, {"name": "half", "cores": 0.5, "ram_gib": 2}]
    values = {"name": "shaped", "server": {"kind": "mongod", **shape}, "specs": specs}
    return Sweep.model_validate(values | settings)


@pytest.fixture(scope="module")
def the_set(guard, tmp_path_factory):
    """A set of three with users and TLS, in a folder with a space in its name, and its target at one core."""
    asked = sweep(SET)
    servers = kind.start(asked, guard, tmp_path_factory.mktemp("a set"))
    servers.check(asked.specs[0])
    yield servers, servers.prepare(asked.specs[0]), asked
    servers.close()


@pytest.fixture
def client(the_set):
    with pymongo.MongoClient(the_set[1].uri.reveal(), serverSelectionTimeoutMS=10_000) as client:
        yield client


def test_a_set_has_its_members_and_says_what_it_is(the_set, client):
    _, target, _ = the_set
    status = client.admin.command("replSetGetStatus")
    assert sorted(m["stateStr"] for m in status["members"]) == ["PRIMARY", "SECONDARY", "SECONDARY"]
    assert target.topology == "replica_set" == given.preflight(target.uri).topology
    assert target.facts["members"] == 3 == len(set(target.pids))
    assert target.facts["auth"] is True and target.facts["tls"] == "verified"
    # The first is the primary's: it is the one that is sampled.
    assert client.admin.command("serverStatus")["pid"] == target.pids[0]
    settings = client.admin.command("replSetGetConfig")["config"]["settings"]
    assert settings["electionTimeoutMillis"] == 10_000


def test_each_member_has_the_cache_and_the_cores_of_the_spec(the_set):
    servers, _, asked = the_set
    target = servers.prepare(asked.specs[1])
    for member in servers._members:
        with member.client() as client:
            cache = client.admin.command("serverStatus")["wiredTiger"]["cache"]
        assert cache["maximum bytes configured"] == 0.5 * 1024**3 == target.cache_gib * 1024**3
    assert target.cores_enforced_by == servers._members[0].quota.name
    assert len({member.quota.pid for member in servers._members}) == 3


def test_a_set_that_wants_more_cores_than_there_are_says_so(the_set, monkeypatch):
    servers, _, asked = the_set
    monkeypatch.setattr("ycsbook.servers.kinds.mongod.quota.usable_cores", lambda pid: 2.0)
    assert servers.prepare(asked.specs[0]).facts["cores_short"] == {"wanted": 3.0, "usable": 2.0}
    assert "cores_short" not in servers.prepare(asked.specs[1]).facts


def test_what_the_majority_has_a_secondary_gives_after_it_is_in_step(the_set, client):
    acknowledged = client.test.get_collection("c", write_concern=pymongo.WriteConcern("majority"))
    acknowledged.insert_many([{"x": "y" * 1000} for _ in range(500)])
    the_set[0].prepare(the_set[2].specs[0])
    behind = client.test.get_collection("c", read_preference=pymongo.ReadPreference.SECONDARY)
    assert behind.count_documents({}) == 500


def test_nobody_gets_in_without_the_password_or_without_tls(the_set):
    uri = the_set[1].uri.reveal()
    with_tls = uri.replace(uri[uri.index("//") + 2 : uri.index("@") + 1], "").replace("authSource=admin&", "")
    with pymongo.MongoClient(with_tls) as client, pytest.raises(OperationFailure, match="requires authentication"):
        client.test.c.find_one()
    plain = uri.partition("?")[0] + "?authSource=admin"
    with (
        pymongo.MongoClient(plain, serverSelectionTimeoutMS=1000) as client,
        pytest.raises(ServerSelectionTimeoutError),
    ):
        client.test.c.find_one()


def test_the_password_stands_on_no_command_line_and_in_no_file(the_set):
    servers, target, _ = the_set
    uri = target.uri.reveal()
    password = uri[uri.index(":", 10) + 1 : uri.index("@")]
    assert len(password) >= 32 and password not in repr(target)
    for pid in target.pids:
        process = psutil.Process(pid)
        assert password not in " ".join(process.cmdline()) and password not in " ".join(process.environ().values())
    folder = servers._folder
    written = [p for p in folder.rglob("*") if p.is_file()]
    assert written and not [p for p in written if password.encode() in p.read_bytes()]
    private = [p for p in folder.iterdir() if p.suffix in (".pem", ".key")]
    assert {p.name for p in private} == {"ca.pem", "server.pem", "members.key"}
    assert all(p.stat().st_mode & 0o077 == 0 for p in private)


def test_a_set_without_a_leader_is_named(the_set, monkeypatch):
    monkeypatch.setattr(replica_set, "ELECTION_LIMIT_S", 0.1)
    monkeypatch.setattr(the_set[0].replica_set, "members", [])
    with pytest.raises(ToolError, match=r"no member leads after 0\.1 s; more cores or fewer members may help"):
        the_set[0].replica_set.primary_first()


@pytest.mark.parametrize("shape", [{}, {"auth": False, "tls": True}], ids=["auth", "tls"])
def test_a_single_server_with_users_or_tls(guard, tmp_path, shape):
    asked = sweep(shape)
    servers = kind.start(asked, guard, tmp_path)
    try:
        target = servers.prepare(asked.specs[0])
        assert target.topology == "standalone" and len(target.pids) == 1
        assert given.preflight(target.uri).version == target.version
        with servers.counters(target) as counters:
            assert counters.read()["connections"] >= 1
        dataset = MongoDataset(target.uri, "usertable", RecordShape.of(asked))
        assert not dataset.is_ready() and dataset.size()["storage_bytes"] == 0
        with pytest.raises(ToolError):
            given.preflight(Secret(f"mongodb://127.0.0.1:{servers._members[0].port}/?serverSelectionTimeoutMS=500"))
    finally:
        servers.close()


def test_records_that_find_no_room_are_refused_before_anything_is_loaded(guard, tmp_path):
    asked = sweep({}, records=2**31 - 1, field_length=100_000)
    servers = kind.start(asked, guard, tmp_path)
    try:
        with pytest.raises(ToolError, match=r"spec 1c: this machine has .* GiB free .* the load needs about .* GiB"):
            servers.check(asked.specs[0])
    finally:
        servers.close()


def test_a_sweep_on_a_set_with_users_tls_majority_and_reads_from_secondaries(tmp_path):
    params = tmp_path / "set.yml"
    # By operations: on a busy machine a JVM may need longer than a short run to get through TLS.
    params.write_text(PARAMS % "1s" + "operations: 300\n")
    store = tmp_path / "the runs"
    done = sweeping.ycsbook("run", params, "--store", store)
    assert done.returncode == 0, done.stderr
    made = {m["phase"]: m for m in sweeping.manifests(store)}
    assert {m["outcome"] for m in made.values()} == {"completed"} and set(made) == {"load", "run"}
    server = made["run"]["server"]
    assert (server["topology"], server["members"], server["tls"]) == ("replica_set", 3, "verified")
    assert "mongodb.readPreference=secondary" in made["run"]["command"]
    assert "mongodb.writeConcern=majority" in made["run"]["command"]
    assert "TLS_NOT_VERIFIED" not in made["run"]["warnings"]
    assert sweeping.working_for(store) == [] and not (store / ".server").exists()


def test_a_member_that_is_lost_ends_the_run(tmp_path):
    params, store = tmp_path / "set.yml", tmp_path / "runs"
    params.write_text(PARAMS % "60s")
    started = sweeping.start("run", params, "--store", store)
    try:
        sweeping.until(lambda: sweeping.under_way(store), 60)
        members = sweeping.working_for(store, "mongod")
        assert len(members) == 3
        last = next(p for p in members if "member-2" in " ".join(p.cmdline()))
        began = time.monotonic()
        last.send_signal(signal.SIGKILL)
        _, said = started.communicate(timeout=60)
        assert time.monotonic() - began < 30
    finally:
        if started.poll() is None:
            started.kill()
            started.communicate()
    assert started.returncode == 1 and "Traceback" not in said
    (manifest,) = [
        m for p in store.glob("**/manifest.json") if (m := json.loads(Path(p).read_text()))["phase"] == "run"
    ]
    assert (manifest["outcome"], manifest["stop_reason"]) == ("incomplete", "server_lost")
    sweeping.until(lambda: not sweeping.working_for(store), 20)
