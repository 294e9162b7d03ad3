"""The ledger that a real client writes: nothing that it was going to send is missing from it, however it ends."""

import os
import signal
import threading
import time

import psutil
import pymongo
import pytest

from ycsbook.ingest.failover import damage, read_ledger
from ycsbook.params import Sweep, plan
from ycsbook.processes import Guard
from ycsbook.runner import client, command, generator
from ycsbook.secrets import Secret
from ycsbook.verdicts import StopReason

pytestmark = pytest.mark.live


@pytest.fixture
def writing(private_mongod, tmp_path):
    """Runs a client that inserts 200,000 documents and keeps its ledger in a folder: gives why it was ended early."""
    table = f"ledger-{os.getpid()}"
    asked = Sweep.model_validate({
        "name": "l", "experiment": "failover", "workloads": ["kill"], "threads": [4], "records": 200_000,
        "server": {"kind": "mongod", "topology": "replica_set"}, "table": table,
        "specs": [{"name": "set", "cores": 1, "ram_gib": 1}], "java_options": ["-Xmx128m"],
    })  # fmt: skip
    uri = Secret(private_mongod.uri)
    (run,) = plan(asked)
    built = command.build(run, "run", generator=generator.find(), uri=uri, folder=tmp_path)

    def execute(guard):
        return client.execute(guard, built, partial=tmp_path, secrets=tmp_path, server_pids=[private_mongod.pid])

    with pymongo.MongoClient(private_mongod.uri) as server:
        yield execute, server["ycsb"][table]
        server["ycsb"][table].drop()


def test_a_client_that_is_killed_has_written_down_all_that_it_sent(writing, tmp_path):
    execute, collection = writing

    def kill():
        limit = time.monotonic() + 60
        while not [p for p in tmp_path.glob("ledger/*") if p.stat().st_size > 50_000] and time.monotonic() < limit:
            time.sleep(0.01)
        for process in psutil.Process(guard.pid).children():
            process.send_signal(signal.SIGKILL)

    with Guard() as guard:
        killer = threading.Thread(target=kill)
        killer.start()
        assert execute(guard) == StopReason.KILLED
        killer.join()
    written = read_ledger(tmp_path)
    found = [document["_id"] for document in collection.find({}, {"_id": 1})]
    assert len(found) > 500
    assert set(found) <= written.writes.keys()
    acknowledged = {id_ for id_, write in written.writes.items() if write.answer == "acknowledged"}
    assert acknowledged <= set(found)
    # Four threads: at most one write each without an answer.
    assert sum(not write.answer for write in written.writes.values()) <= 4
    assert "reason-ledger-missing" in [problem.key for problem in damage(written, found, 200_000)]


def test_a_client_that_finds_no_room_for_its_ledger_sends_nothing_more_and_the_reason_is_told(writing, tmp_path):
    execute, collection = writing
    (tmp_path / "ledger").mkdir()
    (tmp_path / "ledger" / "2.ledger").symlink_to("/dev/full")
    with Guard() as guard:
        assert execute(guard) == StopReason.DISK_FULL
    assert "2.ledger: the ledger cannot be written: No space left on device" in (tmp_path / "run.err").read_text()
    assert collection.count_documents({"_id": {"$mod": [4, 2]}}) == 0
