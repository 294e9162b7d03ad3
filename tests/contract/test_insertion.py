"""Insertion on a real server: what it inserts and asks is really there, under settings that really hold."""

import os
import signal

import pytest
from sweeping import manifests, start, until, ycsbook

from ycsbook import ingest, params
from ycsbook.params import plan
from ycsbook.processes import Guard
from ycsbook.runner import sweep
from ycsbook.servers import kind, mongodb
from ycsbook.store.runs import RunStore

RECORDS, BATCH, PER_QUERY = 6000, 100, 500
TABLE = "insertion_test"
SETTINGS = {
    "name": "insertion-test", "experiment": "insertion", "records": RECORDS, "batch_size": BATCH, "table": TABLE,
    "documents_per_query": PER_QUERY, "threads": [2], "java_options": ["-XX:TieredStopAtLevel=1", "-Xmx256m"],
}  # fmt: skip
AT_URI = {"server": {"kind": "uri"}, "specs": [{"name": "whole", "cores": 1, "ram_gib": 1, "uri_env": "INSERTION_URI"}]}


@pytest.fixture(scope="module")
def server(private_mongod):
    """The shared server, found by the variable that the params files name; its records are gone afterwards."""
    with pytest.MonkeyPatch.context() as patch, private_mongod.client() as client:
        patch.setenv("INSERTION_URI", f"{private_mongod.uri}ycsb")
        yield client
        client.drop_database("ycsb")


@pytest.fixture(scope="module")
def measured(server, tmp_path_factory):
    store = RunStore(tmp_path_factory.mktemp("insertion") / "runs")
    before = server.admin.command("serverStatus")["opcounters"]
    unsuccessful = sweep.run(params.Sweep.model_validate(SETTINGS | AT_URI), store)
    after = server.admin.command("serverStatus")["opcounters"]
    assert unsuccessful == {}
    counted = {name: after[name] - before[name] for name in ("insert", "query")}
    return ingest.read(sorted(store.root.glob("insertion-test*"))), counted


def test_the_documents_and_indexes_are_there_and_the_queries_were_asked_of_the_indexes(measured, server):
    collection, (_, counted) = server["ycsb"][TABLE], measured
    assert collection.count_documents({}) == RECORDS
    assert collection.distinct("_id") == list(range(RECORDS))
    keys = [[name for name, _ in index["key"]] for index in collection.index_information().values()]
    assert keys == [
        ["_id"], ["price", "customerid"], ["cashregisterid", "price", "customerid"],
        ["price", "dateandtime", "customerid"],
    ]  # fmt: skip
    queries = RECORDS // PER_QUERY
    # What marks the records, and who measures, is inserted and asked for as well.
    assert 0 <= counted["insert"] - RECORDS <= 3 and queries <= counted["query"] <= queries + 4
    used = [
        index["accesses"]["ops"] for index in collection.aggregate([{"$indexStats": {}}]) if index["name"] != "_id_"
    ]
    assert sum(used) == queries and min(used) > 0


def test_the_tables_say_what_was_inserted(measured):
    tables, _ = measured
    (run,) = tables.runs.to_dict("records")
    counts = tables.operations.set_index("operation")["count"]
    assert (counts["INSERT"], counts["QUERY"]) == (RECORDS / BATCH, RECORDS / PER_QUERY)
    assert (run["batch_size"], run["records"], run["phase"]) == (BATCH, RECORDS, "run")
    assert run["data_bytes"] > RECORDS * 200 and 0 < run["index_bytes"] < run["storage_bytes"]
    written = (tables.samples["written_bytes_s"] * tables.samples["interval_s"]).sum()
    assert written > 0


@pytest.mark.matrix
def test_a_killed_run_is_made_again_from_an_empty_collection(server, tmp_path):
    file, store, records = tmp_path / "killed.yml", tmp_path / "runs", 60_000
    file.write_text(
        "name: killed\nexperiment: insertion\nserver: {kind: uri}\n"
        "specs: [{name: whole, cores: 1, ram_gib: 1, uri_env: INSERTION_URI}]\n"
        f"records: {records}\nindexes: 1\ntable: {TABLE}\njava_options: [-Xmx256m]\n"
    )
    collection = server["ycsb"][TABLE]
    collection.drop()
    process = start("run", file, "--store", store)
    until(lambda: 0 < collection.estimated_document_count() < records, 60)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert manifests(store) == []
    done = ycsbook("run", file, "--store", store)
    assert done.returncode == 0, done.stderr
    assert collection.count_documents({}) == records and len(collection.index_information()) == 2
    (manifest,) = manifests(store)
    assert manifest["outcome"] == "completed"


def test_varied_settings_are_those_of_the_running_servers(tmp_path):
    made = params.Sweep.model_validate({
        **SETTINGS, "server": {"kind": "mongod"}, "specs": [{"name": "1c", "cores": 1, "ram_gib": 1}],
        "vary": {"checkpoint_s": [None, 7], "journal_compressor": ["snappy", "none"]},
    })  # fmt: skip
    planned = plan(made)
    assert len({run.run_id for run in planned}) == 4
    told = {}
    with Guard() as guard:
        servers = kind.start(made, guard, tmp_path)
        try:
            for run in planned:
                target = servers.prepare(run.spec)
                with mongodb.connect(target.uri) as client:
                    parsed = client.admin.command("getCmdLineOpts")["parsed"]["storage"]["wiredTiger"]["engineConfig"]
                    every_s = client.admin.command("getParameter", 1, syncdelay=1)["syncdelay"]
                asked = dict(run.variation)
                in_force = (every_s, parsed["journalCompressor"])
                told[asked["checkpoint_s"], asked["journal_compressor"]] = in_force
                assert (target.facts["checkpoint_s"], target.facts["journal_compressor"]) == in_force
        finally:
            servers.close()
    assert told == {(None, c): (60, c) for c in ("snappy", "none")} | {(7, c): (7, c) for c in ("snappy", "none")}
