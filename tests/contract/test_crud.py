"""The CRUD experiment on a real server: every operation finds, changes and deletes what it should, and is measured."""

import pytest

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
