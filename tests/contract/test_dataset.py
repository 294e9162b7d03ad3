"""Whose records a server holds, and whether they are the ones a run needs: on a real mongod."""

import os
import sys
import threading
import time
from dataclasses import replace

import pymongo
import pytest

from ycsbook.errors import ToolError
from ycsbook.secrets import Secret
from ycsbook.servers.kind import RecordShape
from ycsbook.servers.mongodb import MARKERS, MongoDataset

sys.path.append(os.path.dirname(__file__))
import sweeping

pytestmark = pytest.mark.live

SHAPE = RecordShape(records=20, field_count=2, field_length=4)


@pytest.fixture
def server(private_mongod):
    return private_mongod


@pytest.fixture
def place(server, request):
    """A database of the test's own: its URI, and the database itself."""
    name = f"db{abs(hash(request.node.name)) % 10**8}"
    with pymongo.MongoClient(server.uri) as client:
        client.drop_database(name)
        yield Secret(f"{server.uri}{name}"), client[name]


def fill(database, n=SHAPE.records):
    database.usertable.insert_many([{"_id": f"user{i}"} for i in range(n)])


def test_a_whole_load_is_ready_and_nothing_before_it_is(place):
    uri, database = place
    dataset = MongoDataset(uri, "usertable", SHAPE)
    assert not dataset.is_ready()
    dataset.clear()
    assert database[MARKERS].find_one()["state"] == "loading"
    fill(database)
    assert not dataset.is_ready()  # cut here, all records are there: still nobody said that the load was whole
    dataset.mark_ready()
    assert dataset.is_ready()


@pytest.mark.parametrize("change", [{"records": 19}, {"field_count": 3}, {"field_length": 5}])
def test_data_of_another_shape_are_not_ready(place, change):
    uri, database = place
    dataset = MongoDataset(uri, "usertable", SHAPE)
    dataset.clear()
    fill(database)
    dataset.mark_ready()
    assert not MongoDataset(uri, "usertable", replace(SHAPE, **change)).is_ready()
    assert not MongoDataset(uri, "other", SHAPE).is_ready()


def test_records_smaller_than_planned_are_no_whole_load(place):
    uri, database = place
    dataset = MongoDataset(uri, "usertable", replace(SHAPE, field_length=100))
    dataset.clear()
    fill(database)
    with pytest.raises(ToolError, match=r"its records hold \d+ bytes after loading, expected at least 4,000"):
        dataset.mark_ready()
    assert not dataset.is_ready()


def test_the_size_of_the_records(place):
    uri, database = place
    dataset = MongoDataset(uri, "usertable", SHAPE)
    fill(database)
    size = dataset.size()
    assert 20 * 10 < size["data_bytes"] < 20 * 100 and size["storage_bytes"] > 0


@pytest.mark.parametrize("is_marked", [False, True])
def test_data_that_changed_are_noticed_and_may_be_cleared(place, is_marked):
    uri, database = place
    dataset = MongoDataset(uri, "usertable", SHAPE)
    dataset.clear()
    fill(database)
    dataset.mark_ready()
    if is_marked:
        dataset.mark_changed()
    else:
        database.usertable.delete_one({})
    assert not dataset.is_ready()
    dataset.clear()
    assert database.usertable.estimated_document_count() == 0


def test_what_a_client_sent_without_waiting_for_answers_is_not_left_after_a_clear(place):
    """As after a run with write concern 0: the server goes on to read what was sent."""
    uri, database = place
    dataset = MongoDataset(uri, "usertable", SHAPE)
    dataset.clear()
    silent = database.usertable.with_options(write_concern=pymongo.WriteConcern(0))
    end = time.monotonic() + 1.5

    def flood():
        while time.monotonic() < end:
            silent.insert_one({"text": "x" * 1000})

    thread = threading.Thread(target=flood)
    thread.start()
    time.sleep(0.3)
    dataset.clear()
    assert time.monotonic() >= end - 0.1
    thread.join()
    assert database.usertable.count_documents({}) == 0


def test_records_of_somebody_else_are_neither_ready_nor_cleared(place):
    uri, database = place
    fill(database)
    dataset = MongoDataset(uri, "usertable", SHAPE)
    assert not dataset.is_ready()
    with pytest.raises(ToolError, match=r"db\d+\.usertable: holds 20 records that ycsbook did not load"):
        dataset.clear()
    assert database.usertable.estimated_document_count() == 20 and database[MARKERS].find_one() is None


def test_a_server_that_refuses_is_one_line(server, place):
    uri, database = place
    database.create_collection(MARKERS, viewOn="other", pipeline=[])  # nothing can be written there
    with pytest.raises(ToolError) as caught:
        MongoDataset(uri, "usertable", SHAPE).mark_changed()
    assert f"127.0.0.1:{server.port}: the server refuses" in str(caught.value) and "\n" not in str(caught.value)


def test_a_server_that_is_gone_is_one_line_without_the_password(monkeypatch):
    monkeypatch.setattr("ycsbook.servers.mongodb.DATASET_MS", 300)
    with pytest.raises(ToolError) as caught:
        MongoDataset(Secret("mongodb://anna:c4nary@127.0.0.1:1/bench"), "usertable", SHAPE).is_ready()
    assert "127.0.0.1:1: not reachable" in str(caught.value)
    assert "c4nary" not in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.matrix
def test_a_load_that_was_cut_is_made_again_by_the_next_start(server, place, tmp_path, monkeypatch):
    uri, database = place
    params, store = sweeping.write_params(tmp_path, "cut-load"), tmp_path / "runs"
    params.write_text(
        params.read_text()
        .replace("kind: mongod", "kind: uri")
        .replace("ram_gib: 1", "ram_gib: 1, uri_env: CUT_LOAD_URI")
    )
    monkeypatch.setenv("CUT_LOAD_URI", uri.reveal())
    # What a load leaves that was killed near its end: the marker, and nearly all records.
    MongoDataset(uri, "usertable", RecordShape(200, 10, 100)).clear()
    fill(database, 199)
    done = sweeping.ycsbook("run", params, "--store", store)
    assert done.returncode == 0, done.stderr
    assert sorted(m["phase"] for m in sweeping.manifests(store)) == ["load", "run"]
    assert database.usertable.estimated_document_count() == 200
    assert database.usertable.find_one({"_id": "user0"}) is None  # the remains went first
    assert MongoDataset(uri, "usertable", RecordShape(200, 10, 100)).is_ready()
