"""The CRUD operations on a real MariaDB, with rows of InnoDB and of MyISAM: what they do to rows, beside MongoDB."""

import os
import signal
import socket
import subprocess
from pathlib import Path

import pymongo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook.params import Sweep, plan
from ycsbook.processes import Guard
from ycsbook.runner import command, generator
from ycsbook.secrets import Secret
from ycsbook.servers import kind
from ycsbook.servers.kind import RecordShape
from ycsbook.servers.kinds.mariadb import DATABASE, MariadbTable
from ycsbook.servers.mongodb import MongoDataset

pytestmark = [pytest.mark.live, pytest.mark.matrix]

ENGINES = ("InnoDB", "MyISAM")
# A name that stands in a statement only in quotes.
TABLE = f"calls-{os.getpid()}.crud"
COLUMNS = "id, age, test1, test2, test3, test4"
# Longer than anything here may take; a client that needs it hangs.
HANGS_S = 40
SHAPE = RecordShape(1, 4, 256, experiment="crud", indexes=3)
SWEEP = Sweep.model_validate({
    "name": "maria", "experiment": "crud", "server": {"kind": "mariadb"}, "threads": [2], "table": TABLE,
    "workloads": ["find-key"], "records": 20, "specs": [{"name": "1c", "cores": 1, "ram_gib": 1}],
    "operations": 100, "java_options": ["-XX:TieredStopAtLevel=1", "-Xmx128m"],
})  # fmt: skip


@pytest.fixture(scope="module")
def servers(tmp_path_factory):
    with Guard() as guard:
        servers = kind.start(SWEEP, guard, tmp_path_factory.mktemp("maria"))
        yield servers
        servers.close()


@pytest.fixture(scope="module")
def target(servers):
    return servers.prepare(SWEEP.specs[0])


@pytest.fixture(scope="module")
def rows(servers):
    """Asks the server for rows."""
    with servers.client() as connection, connection.cursor() as cursor:

        def ask(statement: str) -> list[tuple]:
            cursor.execute(statement)
            return list(cursor.fetchall())

        ask(f"CREATE DATABASE IF NOT EXISTS {DATABASE}")
        ask(f"USE {DATABASE}")
        yield ask


class Store:
    """A client of one thread, its table, and what looks after that."""

    def __init__(self, folder: Path, binding: str, uri: Secret, classpath: str, dataset):
        self.dataset, self.table = dataset, dataset._table
        file = folder / f"{self.table}-{binding}.properties"
        file.write_text(command.properties_text({**command._address(uri), "table": self.table}))
        self.errors = (folder / f"{self.table}-{binding}.err").open("w+")
        argv = ["java", "-XX:TieredStopAtLevel=1", "-Xmx64m", "-cp", classpath, "ycsbook.CrudCalls", binding, file]
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True
        )

    def __call__(self, *words: object) -> str:
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def close(self) -> None:
        self.process.communicate(timeout=HANGS_S)
        self.errors.close()


@pytest.fixture(scope="module")
def stores(servers, target, private_mongod, tmp_path_factory):
    """By name: both engines and MongoDB, each with a client."""
    folder = tmp_path_factory.mktemp("calls")
    jars = os.pathsep.join(map(str, generator.find().classpath))
    source = Path(__file__).with_name("CrudCalls.java")
    subprocess.run(["javac", "-cp", jars, "-d", folder, source], check=True, timeout=60)
    uri, classpath = Secret(private_mongod.uri), f"{folder}{os.pathsep}{jars}"
    stores = {"MongoDB": Store(folder, "CrudMongo", uri, classpath, MongoDataset(uri, TABLE, SHAPE))}
    for engine in ENGINES:
        dataset = MariadbTable(servers.client, f"{TABLE}.{engine.lower()}", SHAPE, engine.lower())
        stores[engine] = Store(folder, "CrudJdbc", target.uri, classpath, dataset)
    yield stores
    for store in stores.values():
        store.close()
    assert {name: store.process.returncode for name, store in stores.items()} == dict.fromkeys(stores, 0)
    with pymongo.MongoClient(private_mongod.uri) as client:
        client["ycsb"].drop_collection(TABLE)


@pytest.fixture(scope="module")
def records(rows, stores, private_mongod):
    """Gives everything that a store has, by key; what has a key that the server made under -1, -2, ..."""

    def of(name: str) -> dict[int, tuple]:
        if name == "MongoDB":
            with pymongo.MongoClient(private_mongod.uri) as client:
                found = [tuple(document.values()) for document in client["ycsb"][TABLE].find()]
        else:
            found = rows(f"SELECT {COLUMNS} FROM `{stores[name].table}`")
        own = {record[0]: record[1:] for record in found if isinstance(record[0], int)}
        made = sorted(record[1:] for record in found if not isinstance(record[0], int))
        return own | {-1 - i: record for i, record in enumerate(made)}

    return of


KEYS = st.integers(0, 11)
RANGES = st.tuples(KEYS, st.integers(1, 5)).map(lambda t: (t[0], t[0] + t[1]))
CALLS = st.lists(
    st.one_of(
        st.lists(KEYS, min_size=1, max_size=4, unique=True).map(lambda keys: ("insert", "own", *sorted(keys))),
        st.tuples(RANGES, st.integers(0, 2**40)).map(lambda t: ("update", *t[0], t[1])),
        RANGES.map(lambda keys: ("delete", *keys)),
        KEYS.map(lambda key: ("key", key)),
        st.integers(0, 100).map(lambda age: ("age", age)),
        st.integers(0, 100).map(lambda age: ("test2", age)),
        st.sampled_from(["0", "f3", "撒旦", "1234", "zz"]).map(lambda text: ("pattern", text)),
    ),
    max_size=12,
)


@settings(max_examples=12)
@given(calls=CALLS)
def test_the_same_calls_give_the_same_statuses_and_records_everywhere(stores, records, calls):
    for store in stores.values():
        store.dataset.clear()
    there: set[int] = set()
    for what, *words in calls:
        keys, expected = set(), "OK"
        if what == "insert":
            keys = set(words[1:])
            # Of several records one of which is there already each server keeps others.
            if keys & there:
                continue
            there |= keys
        elif what in ("update", "delete"):
            keys = set(range(*words[:2]))
            expected = "OK" if keys <= there else "NOT_FOUND"
            there -= keys if what == "delete" else set()
        elif what == "key":
            expected = "OK" if words[0] in there else "NOT_FOUND"
        assert {name: store(what, *words) for name, store in stores.items()} == dict.fromkeys(stores, expected)
    found = {name: records(name) for name in stores}
    assert set(found["MongoDB"]) == there
    assert found["InnoDB"] == found["MyISAM"] == found["MongoDB"]
    assert all(len(text.encode()) == 256 for record in found["InnoDB"].values() for text in record[1:])


def test_a_key_that_the_server_makes_is_new_also_beside_the_key_0(stores, records):
    found = {}
    for name, store in stores.items():
        store.dataset.clear()
        assert [store("insert", "own", 0, 1, 2), store("insert", "server", 7)] == ["OK", "OK"]
        assert store("insert", "server", 8, 9) == "OK"
        found[name] = records(name)
        assert len(found[name]) == 6
    for engine in ENGINES:
        assert sorted(found[engine]) == [0, 1, 2, 3, 4, 5]
        assert sorted(found[engine].values()) == sorted(found["MongoDB"].values())


@pytest.mark.parametrize("engine", ENGINES)
def test_what_fails_is_said_once_and_only_innodb_undoes_the_rows_before_it(stores, records, engine):
    store = stores[engine]
    store.dataset.clear()
    assert store("insert", "own", 1) == "OK"
    assert [store("insert", "own", 50, 1) for _ in range(5)] == ["ERROR"] * 5
    assert set(records(engine)) == ({1} if engine == "InnoDB" else {1, 50})
    store.errors.seek(0)
    lines = [line for line in store.errors.read().splitlines() if "uplicate" in line]
    assert len(lines) == 1 and lines[0].startswith("ycsbook: INSERT failed: ")


@pytest.mark.parametrize("engine", ENGINES)
def test_finds_ask_for_the_right_rows_and_use_the_indexes_that_they_are_named_after(stores, rows, engine):
    store = stores[engine]
    store.dataset.clear()
    assert store("insert", "own", *range(3000)) == "OK"
    store.dataset.size()
    everything = rows(f"SELECT {COLUMNS} FROM `{store.table}` ORDER BY id")
    age, start = everything[7][1], everything[7][2][:3]
    of_age = [row for row in everything if row[1] == age]
    rows("SET GLOBAL log_output = 'TABLE'")
    rows("TRUNCATE mysql.general_log")
    rows("SET GLOBAL general_log = ON")
    calls = [("key", 7), ("age", age), ("prefix", start), ("pattern", "撒旦"), ("test2", age), ("test3", age)]
    assert [store(*call) for call in calls] == ["OK"] * 6
    rows("SET GLOBAL general_log = OFF")
    logged = rows("SELECT CONVERT(argument USING utf8mb4) FROM mysql.general_log WHERE command_type = 'Query'")
    sent = [text for (text,) in logged if text.startswith("SELECT id, age")]
    assert len(sent) == 6
    found = [rows(text) for text in sent]
    assert found[0] == [everything[7]]
    assert len(found[1]) == 20 and set(found[1]) <= set(of_age)
    assert set(found[2]) <= {row for row in everything if row[2].startswith(start)} and everything[7] in found[2]
    assert len(found[3]) == 20 and all("撒旦" in row[5] for row in found[3])
    # By their bytes, as MongoDB orders them.
    assert found[4] == sorted(of_age, key=lambda row: row[3].encode())[:20]
    assert found[5] == sorted(of_age, key=lambda row: row[4].encode())[:20]
    plans = [rows(f"EXPLAIN {text}")[0] for text in sent]
    keys, extra = [way[5] for way in plans], [way[9] or "" for way in plans]
    assert (keys[0], keys[2], keys[3], keys[4]) == ("PRIMARY", "test1", None, "age_2")
    assert "filesort" not in extra[4] and "filesort" in extra[5]


def ended(folder: Path, uri: Secret) -> subprocess.CompletedProcess:
    (run,) = plan(SWEEP)
    built = command.build(run, "run", generator=generator.find(), uri=uri, folder=folder)
    argv = built.argv_with(built.write_properties(folder))
    return subprocess.run(argv, capture_output=True, text=True, timeout=HANGS_S, check=False)


def test_a_server_that_refuses_is_gone_or_frozen_is_one_line_and_no_secret(tmp_path, target, servers):
    password = servers._password.reveal()
    wrong = Secret(target.uri.reveal().replace(password, "n0t-the-p4ssword"))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        nobody = Secret(target.uri.reveal().replace(str(servers.port), str(port)))
        ends = {name: ended(tmp_path, uri) for name, uri in {"wrong": wrong, "nobody": nobody}.items()}
    # A frozen one takes connections and says nothing.
    os.kill(servers.process.pid, signal.SIGSTOP)
    try:
        ends["frozen"] = ended(tmp_path, target.uri)
    finally:
        os.kill(servers.process.pid, signal.SIGCONT)
    assert {name: end.returncode for name, end in ends.items()} == {"wrong": 77, "nobody": 69, "frozen": 69}
    for name, end in ends.items():
        (line,) = [line for line in end.stderr.splitlines() if line.startswith("ycsbook: ")]
        assert ("refuses the user name or password" if name == "wrong" else "cannot be used") in line
        told = end.stderr + end.stdout
        assert "n0t-the-p4ssword" not in told and password not in told and "\tat " not in told
