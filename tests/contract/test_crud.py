"""The CRUD experiment on a real server: every operation finds, changes and deletes what it should, and is measured."""

import os
import signal
import subprocess
import sys

import pytest
import sweeping

from ycsbook import ingest, params
from ycsbook.runner import sweep
from ycsbook.store.runs import RunStore

OPERATIONS = (
    "find-key", "find-index", "find-prefix", "find-pattern", "find-sorted", "find-compound", "update-key",
    "update-many", "insert-one", "insert-increasing", "insert-many", "delete-many", "delete-key",
)  # fmt: skip


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    store = RunStore(tmp_path_factory.mktemp("crud") / "runs")
    settings = {
        "name": "crud-test", "experiment": "crud", "server": {"kind": "mongod"}, "workloads": OPERATIONS,
        "specs": [{"name": "whole", "cores": 1, "ram_gib": 1}], "threads": [3], "records": 1003, "batch_size": 10,
        "operations": 200, "java_options": ["-XX:TieredStopAtLevel=1", "-Xmx256m"],
    }  # fmt: skip
    planned = params.Sweep.model_validate(settings)
    return sweep.run(planned, store), ingest.read(sorted(store.root.glob("crud-test*"))), store


def test_every_operation_is_a_completed_run_measured_under_its_name(measured):
    unsuccessful, tables, _ = measured
    assert unsuccessful == {}
    runs = tables.runs[tables.runs["phase"] == "run"]
    assert sorted(runs["workload"]) == sorted(OPERATIONS)
    operations = tables.operations[tables.operations["operation"] != "CLEANUP"]
    counted = operations.merge(runs[["run_id", "workload"]], on="run_id")
    assert (counted["operation"] == counted["workload"].str.upper().str.replace("-", "_")).all()
    assert (counted["ok"] == counted["count"]).all() and (counted["mean_us"] > 0).all()


def test_deletions_end_when_every_document_has_gone_once(measured):
    runs = measured[1].runs.set_index("workload")
    assert runs.loc["delete-key", "operations"].max() == 1003
    assert runs.loc["delete-many", "operations"].max() == 100


def test_what_an_operation_costs_the_server_is_told(measured):
    runs = measured[1].runs.set_index("workload")
    # Each inserts ten documents of more than 1,024 bytes, or deletes one by its key; a run of a second or two has few
    # samples, so the figures are rough.
    assert 5 * 1024 < runs.loc["insert-many", "network_bytes_per_op"] < 40 * 1024
    assert 0 < runs.loc["delete-key", "network_bytes_per_op"].min() < 1024
    here = runs[runs["phase"] == "run"]
    assert (here["server_cpu_us_per_op"] > 0).all() and here["server_rss_peak_gib"].between(0.01, 2).all()
    assert (here["written_bytes_per_op"] >= 0).all() and (here["read_bytes_per_op"] >= 0).all()
    assert here["data_bytes"].between(1003 * 1024, 1003 * 1300).all()


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


@pytest.mark.matrix
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
