"""A real mongod: started, reshaped, stopped, and asked as a server of somebody else's."""

import socket
import time
from pathlib import Path

import pymongo
import pytest

from ycsbook.errors import ToolError
from ycsbook.ingest.runs import samples
from ycsbook.runner.samples import Sampler
from ycsbook.secrets import Secret
from ycsbook.servers import mongod, mongodb, private
from ycsbook.servers.kind import RecordShape
from ycsbook.servers.kinds import uri as given
from ycsbook.servers.mongod import Mongod
from ycsbook.servers.mongodb import MongoCounters, MongoDataset
from ycsbook.units import BYTES_PER_GIB

CANARY = "k4n:ry@ $1"
ENCODED = "k4n%3Ary%40%20%241"


@pytest.fixture
def server(private_mongod):
    return private_mongod


@pytest.fixture(scope="module")
def locked(guard, tmp_path_factory):
    """A server with users: `owner` may do everything, `reader` may only read."""
    with Mongod(guard, tmp_path_factory.mktemp("locked"), cache_gib=0.25, options=["--auth"]) as server:
        with server.client() as client:
            client.admin.command("createUser", "owner", pwd=CANARY, roles=["root"])
        with server.client(username="owner", password=CANARY) as client:
            client.admin.command("createUser", "reader", pwd=CANARY, roles=["readAnyDatabase"])
        yield server


def test_it_answers_and_describes_itself(server):
    assert server.uri == f"mongodb://127.0.0.1:{server.port}/"
    assert server.version == mongod.PROGRAM.version(mongod.find())
    with pymongo.MongoClient(server.uri) as client:
        status = client.admin.command("serverStatus")
        assert status["pid"] == server.pid
        assert status["wiredTiger"]["cache"]["maximum bytes configured"] == 0.25 * BYTES_PER_GIB
        client.test.things.insert_one({"x": 1})
        assert client.test.things.count_documents({}) == 1


def test_only_loopback_and_no_socket_file(server):
    assert not Path(f"/tmp/mongodb-{server.port}.sock").exists()
    with server.client() as client:
        options = client.admin.command("getCmdLineOpts")["parsed"]["net"]
    assert options["bindIp"] == "127.0.0.1"


def test_no_diagnostic_files(server):
    data = server.folder / "db" / "diagnostic.data"
    assert not data.exists() or not list(data.iterdir())


def test_cache_changes_while_it_runs(server):
    server.set_cache_gib(0.5)
    with server.client() as client:
        cache = client.admin.command("serverStatus")["wiredTiger"]["cache"]
    assert cache["maximum bytes configured"] == 0.5 * BYTES_PER_GIB
    server.set_cache_gib(0.25)


def test_it_stops_cleanly_and_starts_again_on_its_data(guard, tmp_path):
    first = Mongod(guard, tmp_path, cache_gib=0.25)
    with first.client() as client:
        client.test.things.insert_one({"x": 1})
    assert first.stop() == 0
    with Mongod(guard, tmp_path, cache_gib=0.25) as second, second.client() as client:
        assert client.test.things.count_documents({}) == 1


def test_a_port_taken_meanwhile_is_tried_again(guard, tmp_path, monkeypatch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        free = private.free_port()
        offered = iter([taken.getsockname()[1], free])
        monkeypatch.setattr(private, "free_port", lambda: next(offered))
        with Mongod(guard, tmp_path, cache_gib=0.25) as server:
            assert server.port == free


def test_data_in_use_is_the_reason_given(server, guard):
    with pytest.raises(ToolError, match=r"ended with code 100 at start: .*DBPathInUse"):
        Mongod(guard, server.folder, cache_gib=0.25)


def test_a_wrong_option_is_the_reason_given(guard, tmp_path):
    with pytest.raises(ToolError, match=r"ended with code 2 at start: .*unrecognised option '--nonsense'"):
        Mongod(guard, tmp_path, cache_gib=0.25, options=["--nonsense"])


def test_an_unwritable_folder_is_named(guard, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ToolError, match=f"{tmp_path}/file: cannot be written: (Not a directory|File exists)"):
        Mongod(guard, tmp_path / "file", cache_gib=0.25)


def test_a_port_that_is_always_taken_is_named(server, guard, tmp_path, monkeypatch):
    monkeypatch.setattr(private, "free_port", lambda: server.port)
    with pytest.raises(ToolError, match=rf"port {server.port} on 127\.0\.0\.1: taken by another process"):
        Mongod(guard, tmp_path, cache_gib=0.25)


def test_something_that_is_no_mongod(guard, tmp_path, monkeypatch):
    with pytest.raises(ToolError, match="/bin/true: --version printed"):
        mongod.PROGRAM.version(Path("/bin/true"))
    monkeypatch.setenv("MONGOD_BIN", "/bin/false")
    with pytest.raises(ToolError, match=r"ended with code 1 at start: .*its log says nothing"):
        Mongod(guard, tmp_path, cache_gib=0.25)


def test_facts_of_a_server(server):
    target = given.preflight(Secret(server.uri))
    assert (target.version, target.topology) == (server.version, "standalone")
    assert target.facts["cores"] >= 1 and target.facts["ram_gib"] > 0
    assert 0 < target.rtt_us <= target.facts["rtt_mean_us"]
    assert abs(target.facts["clock_difference_s"]) < 1  # it is this machine's clock
    with server.client() as client:
        assert given.SCRATCH not in client.ycsb.list_collection_names()


def test_a_replica_set_is_recognised(guard, tmp_path):
    options = ["--replSet", "rs", "--oplogSize", "16"]
    with Mongod(guard, tmp_path, cache_gib=0.25, options=options) as server:
        with server.client() as client:
            members = [{"_id": 0, "host": f"127.0.0.1:{server.port}"}]
            client.admin.command("replSetInitiate", {"_id": "rs", "members": members})
            while not client.admin.command("hello")["isWritablePrimary"]:
                time.sleep(0.05)
        assert given.preflight(Secret(server.uri)).topology == "replica_set"


def test_what_a_server_counts(server):
    with MongoCounters(Secret(server.uri)) as counters, server.client() as client:
        before = counters.read()
        assert set(before) == {*mongodb.COUNTERS}
        client["counted"]["c"].insert_many([{"x": "y" * 1000} for _ in range(500)])
        client["counted"]["c"].update_many({}, {"$set": {"z": 1}})
        after = counters.read()
    assert after["inserts"] - before["inserts"] == 500
    assert after["updates"] - before["updates"] == 1
    assert after["cache_bytes"] > before["cache_bytes"] > 0
    assert after["cpu_s"] >= before["cpu_s"] > 0
    assert after["connections"] >= 1


def test_a_server_that_does_not_answer_says_nothing_and_costs_little():
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        began = time.monotonic()
        with MongoCounters(Secret(f"mongodb://127.0.0.1:{deaf.getsockname()[1]}/")) as counters:
            assert counters.read() == {}
        assert time.monotonic() - began < 10


def test_a_user_with_a_password_that_needs_encoding(locked):
    target = given.preflight(Secret(f"mongodb://owner:{ENCODED}@127.0.0.1:{locked.port}/?maxLifeTimeMS=60000"))
    assert target.version == locked.version


def test_an_option_that_only_the_load_generator_knows_is_no_warning(server):
    """Warnings are errors here."""
    uri = Secret(f"{server.uri}?maxLifeTimeMS=60000")
    with MongoCounters(uri) as counters:
        assert counters.answers()
    assert MongoDataset(uri, "none", RecordShape(1, 1, 1)).is_ready() is False


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("mongodb://owner:wrong-k4n@127.0.0.1:PORT/", "wrong user or password"),
        (f"mongodb://reader:{ENCODED}@127.0.0.1:PORT/", "not authorised: .*not authorized on ycsb"),
        ("mongodb://127.0.0.1:PORT/", "not authorised: .*requires authentication"),
        (f"mongodb://owner:{ENCODED}@127.0.0.1:1/", "not reachable within 5 s: .*Connection refused"),
        (f"mongodb://owner:{ENCODED}@no-such-host.invalid/", "host name cannot be resolved"),
        (f"mongodb+srv://owner:{ENCODED}@no-such-host.invalid/", "host name cannot be resolved"),
        (f"mongodb://owner:{ENCODED}@127.0.0.1:PORT/?tls=true", "no TLS connection"),
        (f"mongodb://owner:{ENCODED}@127.0.0.1:PORT/?tlsCAFile=/no/ca.pem", "file that the URI names .*/no/ca.pem"),
        (f"mongodb://owner:{CANARY}@127.0.0.1:PORT/", "not a MongoDB URI"),
        (f"mongodb://owner:{ENCODED}@127.0.0.1:99999/", "not a MongoDB URI: .*Port must be"),
        (f"mongodb://owner:{ENCODED}@127.0.0.1:PORT/?authMechanism=NONE-SUCH", "not a MongoDB URI: .*authmechanism"),
        (f"mongodb://owner:{ENCODED}@127.0.0.1:PORT/?tsl=true", "not a MongoDB URI: .*Unknown option: tsl"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_without_the_password(locked, monkeypatch, uri, said):
    monkeypatch.setattr(mongodb, "LIMIT_S", 0.5)
    with pytest.raises(ToolError, match=said) as caught:
        given.preflight(Secret(uri.replace("PORT", str(locked.port))))
    text = str(caught.value)
    assert "\n" not in text
    assert "k4n" not in text
    assert caught.value.__cause__ is None


def test_samples_of_a_real_server(server, tmp_path):
    path = tmp_path / "samples.csv"
    with (
        server.client() as client,
        MongoCounters(Secret(server.uri)) as counters,
        Sampler(path, server.pid, None, period_s=0.1, counters=counters.read),
    ):
        for i in range(300):
            client["sampled"]["c"].insert_one({"i": i})
            client.admin.command("serverStatus")
    taken = samples.rows("r1", samples.read(path.parent))
    assert (taken["server_rss_gib"] > 0).all()
    assert taken["client_cpu_cores"].isna().all()
    assert (taken["server_cpu_cores"] * taken["interval_s"]).sum() > 0
    assert (taken["inserts_s"] * taken["interval_s"]).sum() == pytest.approx(300, abs=60)
    assert (taken[["connections", "cache_used_gib"]] > 0).all(axis=None)


def test_the_cpu_time_of_a_server_elsewhere_is_its_own_word(server, tmp_path):
    path = tmp_path / "samples.csv"
    with MongoCounters(Secret(server.uri)) as counters, Sampler(path, None, None, 0.1, counters.read):
        time.sleep(0.3)
    read = samples.read(path.parent)
    assert (read["server_cpu_s"] > 0).all() and read["server_rss_bytes"].isna().all()
