"""REST gateways in front of a real mongod, loaded by wrk: answers, counts, and what ends a run."""

import csv
import dataclasses
import json
import os
import signal
import socket
import sys
import threading
import urllib.error
import urllib.request

import psutil
import pytest

sys.path.append(os.path.dirname(__file__))
import sweeping

from ycsbook import ingest
from ycsbook.errors import RunError, ToolError
from ycsbook.params import Sweep
from ycsbook.processes import Guard
from ycsbook.runner import command, sweep
from ycsbook.secrets import Secret
from ycsbook.servers import kind, private
from ycsbook.servers.kinds import rest
from ycsbook.store.runs import RunStore

pytestmark = pytest.mark.live
RECORDS, THREADS = 500, 4
DRIVER = {"name": "driver", "cores": 1, "ram_gib": 1}


def planned(*names, **settings):
    behind = [{**DRIVER, "name": name, "server": {"kind": "rest", "gateway": name}} for name in names]
    return Sweep.model_validate({
        "name": "rest", "experiment": "crud", "server": {"kind": "mongod"}, "specs": [DRIVER, *behind],
        "workloads": ["find-key", "find-index", "insert-increasing"], "records": RECORDS, "indexes": 1,
        "threads": [THREADS], "min_duration": "1s",
        "java_options": ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"], **settings,
    })  # fmt: skip


def only(*names, **settings):
    asked = planned(*names, **settings)
    return asked.model_copy(update={"specs": asked.specs[1:]})


def gateways_of(store):
    """The live processes that were given the file with the address of this store's server."""
    found = []
    for process in psutil.process_iter(["environ", "status"]):
        place = (process.info["environ"] or {}).get("GATEWAY_URI_FILE", "")
        if place.startswith(str(store)) and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(process)
    return found


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path):
    yield
    assert sweeping.working_for(tmp_path) == [] and gateways_of(tmp_path) == []


def samples(folder, column):
    with open(folder / "samples.csv", newline="", encoding="ascii") as file:
        values = [float(row[column]) for row in csv.DictReader(file) if row[column]]
    return values[-1] - values[0]


@pytest.mark.matrix
def test_every_gateway_answers_as_the_others_do_and_the_server_counts_what_wrk_counts(tmp_path, monkeypatch):
    names = tuple(rest.GATEWAYS)
    store = RunStore(tmp_path / "runs")
    answers = {}

    def asked(guard, run, url, warm_up=command.warm_up):
        """What the gateway says of the first documents, before the run."""
        name = run.spec.name
        gateway = rest.GATEWAYS[name]
        with urllib.request.urlopen(url + gateway.request("find-key")[1].replace("{}", "7")) as answer:
            answers[name, "key"] = json.load(answer)
        with urllib.request.urlopen(url + gateway.search.replace("{}", str(answers[name, "key"]["age"]))) as answer:
            found = json.load(answer)
            found = found.get("_embedded", found) if isinstance(found, dict) else {"_items": found}
            answers[name, "age"] = found["_items"]
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(url + "/crud/123456789")
        warm_up(guard, run, url)

    monkeypatch.setattr(command, "warm_up", asked)
    monkeypatch.setattr(command, "WARM_UP_S", 1)
    assert sweep.run(only(*names), store) == {}

    own = ("_id", "age", "test1", "test2", "test3", "test4")
    first = {name: tuple(answers[name, "key"][field] for field in own) for name in names}
    (document,) = set(first.values())
    assert document[0] == 7 and all(len(text.encode()) == 256 for text in document[2:])
    for name in names:
        assert {d["age"] for d in answers[name, "age"]} == {document[1]}
        assert 7 in {d["_id"] for d in answers[name, "age"]} and len(answers[name, "age"]) <= 20

    runs = {(m["spec"]["name"], m["workload"]["name"]): m for m in store.manifests() if m["phase"] == "run"}
    tables = ingest.read([store.root])
    calls = tables.operations.set_index(["run_id", "operation"])
    for name in names:
        manifest = runs[name, "insert-increasing"]
        done = calls.loc[(manifest["run_id"], "INSERT_INCREASING")]
        # Spring saves what has a key already, which is an update that inserts.
        inserted = sum(samples(store.folder(manifest["run_id"]), column) for column in ("inserts", "updates"))
        # Documents whose answers wrk did not wait for are there all the same.
        assert done["errors"] == 0 and 0 <= inserted - done["ok"] <= THREADS and done["ok"] > 0
        for operation in ("find-key", "find-index"):
            row = calls.loc[(runs[name, operation]["run_id"], operation.upper().replace("-", "_"))]
            assert row["ok"] > 0 and row["errors"] == 0
        assert "wrk -t1 -c4" in manifest["command"] and "mongodb://" not in json.dumps(manifest)
    frame = tables.runs.set_index("run_id")
    over_http = [m["run_id"] for m in runs.values()]
    assert set(frame.loc[over_http, "format"]) == {"http-load"} and set(frame["outcome"]) == {"completed"}
    assert all("INTENDED_LATENCY" in words for words in frame.loc[over_http, "warnings"])
    # What the gateway takes is nobody else's work, and not the server's.
    assert frame.loc[over_http, "other_cpu"].isna().all()


@pytest.mark.matrix
def test_a_gateway_that_is_killed_ends_the_run_and_what_was_measured_is_kept(tmp_path):
    store = RunStore(tmp_path / "runs")

    def kill():
        # Its first rows of samples: the load goes on.
        sweeping.until(
            lambda: [f for f in store.root.glob("*-t4-*/samples.csv") if f.read_bytes().count(b"\n") > 2], 90
        )
        for process in gateways_of(store.root):
            process.send_signal(signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    with pytest.raises(RunError, match="the server was lost"):
        sweep.run(only("eve", min_duration="20s", workloads=["find-index"]), store)
    thread.join()
    (manifest,) = [m for m in store.manifests() if m["phase"] == "run"]
    assert (manifest["outcome"], manifest["stop_reason"]) == ("incomplete", "server_lost")


@pytest.mark.matrix
def test_a_port_in_use_is_given_up_for_another_one(tmp_path, monkeypatch, private_mongod):
    with socket.create_server((rest.HOST, 0)) as taken, Guard() as guard:
        ports = [private.free_port(), taken.getsockname()[1]]
        monkeypatch.setattr(private, "free_port", ports.pop)
        gateway = rest.RunningGateway("restify", guard, tmp_path, Secret(private_mongod.uri))
        with urllib.request.urlopen(gateway.url + "/crud") as answer:
            assert answer.status == 200 and ports == []


@pytest.mark.matrix
def test_a_gateway_that_is_missing_is_left_out_with_a_line_and_the_others_are_measured(tmp_path, monkeypatch):
    for name, gateway in rest.GATEWAYS.items():
        monkeypatch.setitem(rest.GATEWAYS, name, dataclasses.replace(gateway, ready=tmp_path / "none"))
    asked = planned("eve", "restify")
    assert {name: str(why) for name, why in kind.absent(asked).items()} == {
        "eve": "gateway eve: not found; get it with 'sh lib/setup.sh gateways', which needs Python",
        "restify": "gateway restify: not found; get it with 'sh lib/setup.sh gateways', which needs Node.js",
    }
    assert kind.identities(asked)["driver"].startswith("mongod") and kind.identities(asked)["eve"] == ""
    with pytest.raises(ToolError, match="gateway eve: not found"):
        kind.identities(only("eve"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match="wrk: not found; get it with"):
        rest.load_tool()
