"""The binding, the command line and the jars against a real mongod."""

import contextlib
import importlib.util
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path
from urllib.parse import quote

import pymongo
import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

from ycsbook.params import PlannedRun, Sweep, plan
from ycsbook.runner import command, generator
from ycsbook.secrets import Secret

pytestmark = pytest.mark.live

HERE = Path(__file__).parent
RECORDS = 1000
USER, PASSWORD = "bench user", "c4n@ry:wörd/%2F"
FAST_JVM = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m")
# Longer than anything here may take; a client that needs it hangs.
HANGS_S = 30


def find_mongod() -> str:
    wheel = importlib.util.find_spec("fiftyone")
    places = [Path(p) / "db" / "bin" / "mongod" for p in (wheel.submodule_search_locations if wheel else ())]
    for place in (os.environ.get("MONGOD_BIN"), shutil.which("mongod"), *places):
        if place and Path(place).is_file():
            return str(place)
    raise FileNotFoundError("mongod: set MONGOD_BIN, put it on PATH, or install the extra `mongod`")


class Server:
    """A private mongod that knows one user."""

    def __init__(self, folder: Path):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        argv = [
            *(find_mongod(), "--auth", "--port", str(self.port), "--bind_ip", "127.0.0.1", "--dbpath", str(folder)),
            *("--nounixsocket", "--wiredTigerCacheSizeGB", "0.25", "--logpath", str(folder / "mongod.log")),
            *("--wiredTigerEngineConfigString", "log=(prealloc=false,file_max=4MB)"),
            *("--setParameter", "diagnosticDataCollectionEnabled=false"),
        ]
        self.process = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
        # The first user may be made by anybody who connects from this machine.
        with pymongo.MongoClient("127.0.0.1", self.port, serverSelectionTimeoutMS=20_000) as client:
            client.admin.command("createUser", USER, pwd=PASSWORD, roles=["root"])
        self.client = pymongo.MongoClient(self.uri())
        self.database = self.client["ycsb"]

    def uri(self, password: str = PASSWORD, port: int | None = None) -> str:
        who = f"{quote(USER, safe='')}:{quote(password, safe='')}"
        return f"mongodb://{who}@127.0.0.1:{port or self.port}/ycsb?authSource=admin"

    def close(self) -> None:
        self.client.close()
        self.process.send_signal(signal.SIGCONT)
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mongod")
    server = Server(folder)
    yield server
    server.close()
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def loaded(server, tmp_path_factory):
    """The server with 1,000 records in its table `usertable`, and the finished client that loaded them."""
    client = Client(server, tmp_path_factory.mktemp("load ü"), planned(), "load")
    client.wait()
    return client


@pytest.fixture
def table(server):
    """The name of a table that is gone afterwards."""
    yield "scratch"
    server.database.drop_collection("scratch")


def planned(workload="a", **settings) -> PlannedRun:
    values = {
        "name": "contract",
        "server": {"kind": "mongod"},
        "specs": [{"name": "any", "cores": 1, "ram_gib": 1}],
        "workloads": [workload],
        "threads": [4],
        "records": RECORDS,
        "min_duration": 1,
        "java_options": FAST_JVM,
    }
    return plan(Sweep.model_validate(values | settings))[0]


class Client:
    """A YCSB process of the command that `command.build` gives; `more` are further properties."""

    def __init__(self, server, folder: Path, run: PlannedRun, phase: str, *, uri: str | None = None, **more):
        self.command = command.build(
            run, phase, generator=generator.find(), uri=Secret(uri or server.uri()), folder=folder
        )
        self.properties = self.command.write_properties(folder)
        extra = [word for key, value in more.items() for word in ("-p", f"{key.replace('_', '.')}={value}")]
        self.argv = [*self.command.argv_with(self.properties), *extra]
        self.process = subprocess.Popen(
            self.argv, env=self.command.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def wait(self) -> "Client":
        """Wait for the end, and look for the secret wherever it must not be."""
        try:
            self.out, self.err = self.process.communicate(timeout=HANGS_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise
        finally:
            self.properties.unlink()
        self.code = self.process.returncode
        published = [self.out, self.err, " ".join(self.argv), self.command.shown, repr(self.command)]
        for text in published:
            for secret in (PASSWORD, quote(PASSWORD, safe=""), "c4n@", "c4n-", "c4n%", "bench user", "bench%20user"):
                assert secret not in text
        return self

    @property
    def complaints(self) -> list[str]:
        return [line for line in self.err.splitlines() if line.startswith("ycsbook: ")]

    def figure(self, operation: str, name: str) -> float:
        found = re.findall(rf"^\[{operation}\], {re.escape(name)}, (\S+)$", self.out, re.MULTILINE)
        assert len(found) == 1, f"{operation} {name} in {self.out}"
        return float(found[0])

    @property
    def codes(self) -> dict[tuple[str, str], int]:
        found = re.findall(r"^\[([A-Z-]+)\], Return=(\w+), (\d+)$", self.out, re.MULTILINE)
        return {(operation, code): int(count) for operation, code, count in found}


def test_a_load_writes_every_record(server, loaded):
    assert loaded.code == 0
    assert loaded.codes == {("INSERT", "OK"): RECORDS}
    assert loaded.complaints == []
    records = list(server.database.usertable.find())
    assert len(records) == RECORDS
    for record in records:
        assert record.pop("_id").startswith("user")
        assert sorted(record) == [f"field{i}" for i in range(10)]
        assert {len(value) for value in record.values()} == {100}


def test_a_run_measures_what_its_histograms_hold(server, loaded, tmp_path):
    client = Client(server, tmp_path, planned(min_duration=2), "run").wait()
    assert client.code == 0
    assert set(client.codes) == {("READ", "OK"), ("UPDATE", "OK")}
    assert client.figure("OVERALL", "RunTime(ms)") >= 1900
    assert server.database.usertable.estimated_document_count() == RECORDS
    for operation in ("READ", "UPDATE"):
        path = client.command.hdr / f"{operation}.hdr"
        assert {row.split(",")[3][:8] for row in rows(path)} == {"HISTFAAA"}  # the cookie of encoding V2
        total = HdrHistogram(1, 3_600_000_000, 3)
        reader = HistogramLogReader(str(path), total)
        intervals = 0
        while (interval := reader.get_next_interval_histogram()) is not None:
            total.add(interval)
            intervals += 1
        reader.close()
        assert intervals >= 2
        assert total.get_total_count() == client.codes[operation, "OK"] == client.figure(operation, "Operations")
        # Not a percentile: the two libraries round its rank differently.
        assert total.get_mean_value() == pytest.approx(client.figure(operation, "AverageLatency(us)"), rel=1e-3)
        assert total.get_max_value() == client.figure(operation, "MaxLatency(us)")


def rows(path: Path) -> list[str]:
    lines = path.read_text(encoding="ascii").splitlines()
    return [line for line in lines if line and line[0].isdigit()]


def test_nothing_but_ycsb_and_the_binding_speaks(loaded):
    known = (
        "Command line:",
        "YCSB Client 0.17.0",
        "Loading workload...",
        "Starting test.",
        "DBWrapper: report latency",
    )
    said = [line for line in loaded.err.splitlines() if line and " operations; " not in line]
    assert [line for line in said if not line.startswith(known)] == []


def test_a_load_over_existing_records_needs_upsert(server, loaded, tmp_path):
    again = Client(server, tmp_path, planned(), "load").wait()
    assert again.codes == {("INSERT", "ERROR"): 4}  # each of the 4 threads stops at its first
    assert len(again.complaints) == 1
    assert "E11000" in again.complaints[0]
    upsert = Client(server, tmp_path, planned(upsert=True), "load").wait()
    assert upsert.codes == {("INSERT", "OK"): RECORDS}
    assert server.database.usertable.count_documents({}) == RECORDS


@pytest.mark.parametrize("upsert", [False, True])
def test_a_batched_load_writes_the_last_batch_too(server, table, tmp_path, upsert):
    run = planned(batch_size=64, table=table, upsert=upsert)
    client = Client(server, tmp_path, run, "load").wait()
    assert client.code == 0
    assert client.codes == {("INSERT", "BATCHED_OK"): 988, ("INSERT", "OK"): 12}  # 250 records a thread, 3 batches
    assert server.database[table].count_documents({}) == RECORDS


def test_a_last_batch_that_fails_shows_in_the_exit_code(server, loaded, tmp_path):
    # 250 records a thread and batches of 300: nothing is sent before cleanup.
    client = Client(server, tmp_path, planned(batch_size=300), "load").wait()
    assert client.code == 74
    assert len(client.complaints) == 1
    assert "last batch of 250 records was not written" in client.complaints[0]


def profiled(server, operation, table, client) -> list[dict]:
    """The write concerns of one kind of command that the server's profiler saw while the client ran."""
    server.database.command("profile", 2)
    try:
        client().wait()
    finally:
        server.database.command("profile", 0)
    seen = [entry["command"]["writeConcern"] for entry in server.database["system.profile"].find(
        {f"command.{operation}": table}
    )]  # fmt: skip
    server.database.drop_collection("system.profile")
    return seen


@pytest.mark.parametrize(("concern", "sent"), [(0, {"w": 0}), (1, {"w": 1}), ("majority", {"w": "majority"})])
def test_the_write_concern_of_a_run_is_what_the_server_gets(server, table, tmp_path, concern, sent):
    inserting = {"name": "inserting", "insert": 1, "distribution": "uniform"}
    run = planned(inserting, write_concern=concern, operations=40, records=40, table=table)
    seen = profiled(server, "insert", table, lambda: Client(server, tmp_path, run, "run"))
    assert seen == [sent] * 40


@pytest.mark.parametrize(("concern", "sent"), [(0, {"w": 1}), ("majority", {"w": "majority"})])
def test_a_load_is_acknowledged_whatever_is_measured(server, table, tmp_path, concern, sent):
    run = planned(write_concern=concern, records=40, table=table)
    seen = profiled(server, "insert", table, lambda: Client(server, tmp_path, run, "load"))
    assert seen == [sent] * 40
    assert server.database[table].count_documents({}) == 40


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("workload", "operations"),
    [
        ("c", {"READ"}),
        ("d", {"READ", "INSERT"}),
        ("e", {"SCAN", "INSERT"}),
        ("f", {"READ", "READ-MODIFY-WRITE", "UPDATE"}),
    ],
)
@pytest.mark.usefixtures("loaded")
def test_the_other_workloads_do_their_operations(server, table, tmp_path, workload, operations):
    server.database.usertable.aggregate([{"$out": table}])
    client = Client(server, tmp_path, planned(workload, table=table, operations=400), "run").wait()
    assert client.code == 0
    measured = set(re.findall(r"^\[([A-Z-]+)\], Operations,", client.out, re.MULTILINE)) - {"CLEANUP"}
    assert measured == operations
    assert {code for _, code in client.codes} == {"OK"}
    inserted = client.codes.get(("INSERT", "OK"), 0)
    assert server.database[table].count_documents({}) == RECORDS + inserted


def test_a_timed_zipfian_run_with_inserts_reads_loaded_records(server, loaded, table, tmp_path):
    server.database.usertable.aggregate([{"$out": table}])
    mix = {"name": "grow", "read": 0.5, "insert": 0.5}
    client = Client(server, tmp_path, planned(mix, table=table, min_duration=3), "run").wait()
    assert client.code == 0
    assert set(client.codes) == {("READ", "OK"), ("INSERT", "OK")}


def test_a_run_of_so_many_operations_does_so_many(server, loaded, tmp_path):
    client = Client(server, tmp_path, planned("c", operations=777, target_ops_s=1500.0), "run").wait()
    assert client.codes == {("READ", "OK"): 777}


def test_each_operation_answers_as_it_should(server, tmp_path):
    built = command.build(planned(), "run", generator=generator.find(), uri=Secret(server.uri()), folder=tmp_path)
    properties = built.write_properties(tmp_path)
    classpath = built.argv[built.argv.index("-cp") + 1]
    done = subprocess.run(
        [*(built.argv[0], "-cp", classpath, HERE / "BindingOperations.java", "ycsbook.MongoDbClient", properties)],
        env=built.env,
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=True,
    )
    server.database.drop_collection("operations")
    assert done.stdout.splitlines() == [
        *("insert k1: OK", "insert k2: OK", "insert k3: OK", "insert again: ERROR", "insert again: ERROR"),
        "read all: OK {f0=k1-zero, f1=k1-one}",
        "read f1: OK {f1=k1-one}",
        "read missing: NOT_FOUND {}",
        "update: OK",
        "read updated: OK {f0=k2-zero, f1=changed}",
        "update missing: NOT_FOUND",
        *("scan 2 from k2: OK", "  : {f0=k2-zero, f1=changed}", "  : {f0=k3-zero, f1=k3-one}"),
        *("scan 1 from k1, f0: OK", "  : {f0=k1-zero}"),
        "scan past the end: NOT_FOUND",
        *("delete: OK", "delete missing: NOT_FOUND"),
        *("read error: ERROR", "update error: ERROR"),
    ]
    complaints = [line.split(" failed: ")[0] for line in done.stderr.splitlines() if line.startswith("ycsbook: ")]
    assert complaints == ["ycsbook: INSERT", "ycsbook: READ", "ycsbook: UPDATE"]  # each kind once


def test_an_absent_server_ends_it_with_one_line(server, tmp_path):
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # taken, but nobody listens
        uri = server.uri(port=bound.getsockname()[1])
        client = Client(server, tmp_path, planned(threads=[50]), "run", uri=uri).wait()
    assert client.code == 69
    assert len(client.complaints) == 1
    assert "does not answer within 3000 ms: ConnectException: Connection refused" in client.complaints[0]
    assert "Exception in" not in client.err
    assert "OVERALL" not in client.out


def test_a_wrong_password_ends_it_with_one_line(server, tmp_path):
    client = Client(server, tmp_path, planned(threads=[50]), "run", uri=server.uri("c4n-wrong-ü")).wait()
    assert client.code == 77
    assert len(client.complaints) == 1
    assert "refuses the user name or password" in client.complaints[0]
    assert "OVERALL" not in client.out


@pytest.mark.parametrize(
    ("uri", "more", "names"),
    [
        ("mongodb://bench user:c4n@ry:x@/@host", {}, "mongodb.url is not"),
        (None, {"mongodb_writeConcern": "sometimes"}, "mongodb.writeConcern: got 'sometimes', expected"),
        (None, {"mongodb_readPreference": "best"}, "mongodb.readPreference: got 'best', expected"),
        (None, {"mongodb_maxPoolSize": "0"}, "mongodb.maxPoolSize: got '0', expected a whole number above 0"),
    ],
)
def test_a_property_that_means_nothing_is_named(server, tmp_path, uri, more, names):
    client = Client(server, tmp_path, planned(), "run", uri=uri, **more).wait()
    assert client.code == 78
    assert len(client.complaints) == 1
    assert names in client.complaints[0]


def test_a_server_that_freezes_gives_failed_operations(server, loaded, tmp_path):
    client = Client(server, tmp_path, planned(min_duration=3), "run", mongodb_timeoutMs=500)
    with frozen_once_running(server, client):
        client.wait()
    assert client.code == 0
    assert {code for _, code in client.codes} == {"OK", "ERROR"}
    assert client.complaints


@pytest.mark.matrix
def test_a_server_that_freezes_ends_unacknowledged_writes(server, table, tmp_path):
    # Such a write waits for no answer: it blocks when the socket's buffer is full, where no driver timeout counts.
    run = planned({"name": "writes", "insert": 1.0}, write_concern=0, min_duration=20, table=table)
    client = Client(server, tmp_path, run, "run", mongodb_timeoutMs=500)
    with frozen_once_running(server, client):
        client.wait()
    assert client.code == 69
    assert client.complaints[-1].endswith("has taken no data for 500 ms: an unacknowledged write is stuck")


@contextlib.contextmanager
def frozen_once_running(server: Server, client: Client):
    """Stops the server as soon as the client's histograms show that operations were finished; wakes it at the end."""

    def freeze() -> None:
        while client.process.poll() is None:
            if any(rows(path) for path in client.command.hdr.glob("*.hdr") if path.stem != "CLEANUP"):
                server.process.send_signal(signal.SIGSTOP)
                return
            time.sleep(0.05)

    thread = threading.Thread(target=freeze)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        server.process.send_signal(signal.SIGCONT)
