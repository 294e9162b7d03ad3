"""The CRUD experiment on real servers: every operation finds, changes and deletes what it should, and is measured."""

import os
import signal
import subprocess
import sys

import psutil
import pytest
import sweeping

from ycsbook import ingest, params
from ycsbook.params.experiments import CRUD
from ycsbook.runner import sweep
from ycsbook.store.runs import RunStore

pytestmark = pytest.mark.matrix
# Of MyISAM, whose statements are InnoDB's; what each of them does to rows: test_crud_mariadb.
OF_MYISAM = ("find-key", "insert-many", "delete-key")
SPECS = """
name: sql-test
experiment: crud
server: {kind: mongod}
specs:
  - {name: mongodb, label: MongoDB, cores: 1, ram_gib: 1}
  - {name: innodb, label: InnoDB, cores: 1, ram_gib: 1, server: {kind: mariadb, engine: innodb}}
  - {name: myisam, label: MyISAM, cores: 1, ram_gib: 1, server: {kind: mariadb, engine: myisam}}
threads: [3]
records: 1003
batch_size: 10
java_options: [-XX:TieredStopAtLevel=1, -Xmx256m]
"""


def sql_file(folder, text, left_out=()):
    path = folder / "sql.yml"
    specs = [line for line in SPECS.splitlines() if not any(f"name: {name}," in line for name in left_out)]
    path.write_text("\n".join(specs) + "\n" + text)
    return path


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Every operation on MongoDB and InnoDB, and some on MyISAM."""
    folder = tmp_path_factory.mktemp("sql")
    store, unsuccessful = RunStore(folder / "runs"), {}
    for operations, left_out in ((CRUD.operations, ["myisam"]), (OF_MYISAM, ["mongodb", "innodb"])):
        text = f"workloads: [{', '.join(operations)}]\nmin_duration: 1s\n"
        unsuccessful |= sweep.run(params.load(sql_file(folder, text, left_out)), store)
    return unsuccessful, ingest.read(sorted(store.root.glob("sql-test*"))), store


@pytest.fixture(scope="module")
def of_mongodb(measured):
    """The runs on MongoDB, by workload."""
    return measured[1].runs.query("phase == 'run' and spec == 'mongodb'").set_index("workload")


def test_every_operation_is_a_completed_run_measured_under_its_name(measured):
    unsuccessful, tables, _ = measured
    assert unsuccessful == {}
    runs = tables.runs[tables.runs["phase"] == "run"]
    asked = {"mongodb": CRUD.operations, "innodb": CRUD.operations, "myisam": OF_MYISAM}
    assert sorted(zip(runs["spec"], runs["workload"], strict=True)) == sorted(
        (spec, operation) for spec, operations in asked.items() for operation in operations
    )
    operations = tables.operations[tables.operations["operation"] != "CLEANUP"]
    counted = operations.merge(runs[["run_id", "workload"]], on="run_id")
    assert (counted["operation"] == counted["workload"].str.upper().str.replace("-", "_")).all()
    assert (counted["ok"] == counted["count"]).all() and (counted["mean_us"] > 0).all()


def test_deletions_end_when_every_document_has_gone_once(of_mongodb):
    assert of_mongodb.loc["delete-key", "operations"] == 1003
    assert of_mongodb.loc["delete-many", "operations"] == 100


def test_what_an_operation_costs_the_server_is_told(of_mongodb):
    # Each inserts ten documents of more than 1,024 bytes, or finds one by its key; a run of a second has few samples,
    # so the figures are rough.
    assert 5 * 1024 < of_mongodb.loc["insert-many", "network_bytes_per_op"] < 40 * 1024
    assert 1024 < of_mongodb.loc["find-key", "network_bytes_per_op"] < 2 * 1024
    known = of_mongodb.dropna(subset="server_cpu_us_per_op")
    assert len(known) > 0.8 * len(of_mongodb)
    assert (known["server_cpu_us_per_op"] > 0).all() and known["server_rss_peak_gib"].between(0.01, 2).all()
    assert (known["written_bytes_per_op"] >= 0).all() and (known["read_bytes_per_op"] >= 0).all()
    assert of_mongodb["data_bytes"].between(1003 * 1024, 1003 * 1300).all()


MONGOTEST = """
name: crud-hang
experiment: crud
server: {kind: mongod}
specs: [{name: 1c, cores: 1, ram_gib: 1}]
workloads: [insert-one]
threads: [200]
records: 500
min_duration: 30s
java_options: [-XX:TieredStopAtLevel=1, -Xmx512m]
"""
STALLING = """
import sys
from ycsbook import cli
from ycsbook.runner import client

# To log in 200 times takes a server of one core some 7 s, and no operation is finished meanwhile.
client.STALL_S = 20.0
sys.argv = ["ycsbook", "run", *sys.argv[1:]]
cli.main()
"""


def test_a_client_of_200_threads_that_stops_without_a_word_is_found_named_and_ended(tmp_path):
    """As the test of 2010 saw it: no more inserts, no error, and the client stood where it was."""
    params_file, store = tmp_path / "hang.yml", tmp_path / "runs"
    params_file.write_text(MONGOTEST)
    command = [sys.executable, "-c", STALLING, params_file, "--store", store]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)

    def inserting():
        """The client, once it has reported inserts."""
        logs = [*store.glob("crud-hang-1c-insert-one*/run.err")]
        reports = any(b"[INSERT_ONE: Count" in log.read_bytes() for log in logs)
        return reports and sweeping.working_for(store, "java")

    try:
        (client,) = sweeping.until(inserting, 90)
        client.send_signal(signal.SIGSTOP)
        _, err = process.communicate(timeout=90)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert process.returncode == 1
    assert "crud-hang-1c-insert-one-t200" in err and "incomplete: ended early: stalled" in err
    assert not client.is_running()
    (run,) = [m for m in sweeping.manifests(store) if m["phase"] == "run"]
    assert (run["outcome"], run["stop_reason"]) == ("incomplete", "stalled")
    # What was measured before is kept, and counts for nothing.
    assert ingest.read([store / run["run_id"]]).runs["outcome"].tolist() == ["incomplete"]


def test_every_operation_succeeds_on_every_server(measured):
    runs = measured[1].runs.query("phase == 'run'")
    # A row that is not there to be updated, deleted or found by its key would be NOT_FOUND.
    assert (runs["failed_operations"] == 0).all()
    assert set(runs.loc[runs["workload"] == "delete-key", "operations"]) == {1003}
    versions = runs.groupby("spec")["server_version"].first()
    assert versions["innodb"].startswith("MariaDB ") and versions["mongodb"][0].isdigit()
    # A run that ends between two looks at the server tells nothing of these.
    for column in ("server_cpu_us_per_op", "network_bytes_per_op"):
        known = runs[column].dropna()
        assert (known > 0).all() and len(known) > 0.8 * len(runs)


def test_the_engine_and_how_safe_its_writes_are_stand_in_the_manifest_and_no_password_does(measured):
    store = measured[2]
    (manifest,) = [m for m in sweeping.manifests(store.root) if m["run_id"].startswith("sql-test-myisam-find-key")]
    assert manifest["server"]["engine"] == "MyISAM"
    assert manifest["client"]["binding"].startswith("ycsbook.CrudJdbc ")
    assert manifest["client"]["driver"].startswith("mariadb-java-client ")
    assert "innodb_flush_log_at_trx_commit" in manifest["server"]["durability"]
    assert "jdbc.password" in manifest["command"] and "jdbc:mariadb://127.0.0.1:" in manifest["command"]
    for file in (path for path in store.root.rglob("*") if path.is_file()):
        assert b"jdbc.password=" not in file.read_bytes()


def test_a_sql_server_that_is_killed_is_a_lost_server_and_no_password_is_shown(tmp_path):
    text = "workloads: [find-key]\nmin_duration: 60s\n"
    path = sql_file(tmp_path, text, left_out=["mongodb", "innodb"])
    path.write_text(path.read_text().replace("{kind: mongod}", "{kind: mariadb}"))
    store = tmp_path / "runs"
    command = [sweeping.YCSBOOK, "run", path, "--store", store]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)

    def under_way():
        logs = [*store.glob("sql-test-myisam-find-key*/run.err")]
        reports = any(b"[FIND_KEY: Count" in log.read_bytes() for log in logs)
        return reports and sweeping.working_for(store, "mariadbd")

    try:
        (server,) = sweeping.until(under_way, 90)
        for client in sweeping.working_for(store, "java"):
            assert "jdbc.password" not in " ".join(client.cmdline())
        server.kill()
        _, err = process.communicate(timeout=90)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert process.returncode == 1 and "the server was lost" in err
    (run,) = [m for m in sweeping.manifests(store) if m["phase"] == "run"]
    assert (run["outcome"], run["stop_reason"]) == ("incomplete", "server_lost")
    assert not psutil.pid_exists(server.pid)


def test_without_mariadb_the_others_are_measured_and_a_line_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("MARIADBD_BIN", str(tmp_path / "absent"))
    path = sql_file(tmp_path, "workloads: [find-key]\noperations: 100\n")
    done = sweeping.ycsbook("run", path, "--store", tmp_path / "runs")
    assert done.returncode == 0, done.stderr
    assert "left out: spec innodb: " in done.stderr and "left out: spec myisam: " in done.stderr
    assert {m["spec"]["name"] for m in sweeping.manifests(tmp_path / "runs")} == {"mongodb"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("threads: [3]", "threads: [3]\nwrite_concern: majority", "expected 1: server kind mariadb takes no other"),
        ("experiment: crud", "experiment: insertion", "experiment insertion is made for mongod, uri"),
    ],
)
def test_what_a_sql_server_has_not_is_refused(tmp_path, old, new, said):
    path = sql_file(tmp_path, "")
    path.write_text(path.read_text().replace(old, new).replace("1003", "1000"))
    done = sweeping.ycsbook("plan", path, "--store", tmp_path / "runs")
    assert done.returncode == 1 and said in done.stderr
