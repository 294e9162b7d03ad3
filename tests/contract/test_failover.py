"""Failovers of real sets: members are killed, frozen, cut off and parted while a real client writes; every write is
accounted for, twice."""

import json
import os
import signal
import sys
import threading

import psutil
import pytest

sys.path.append(os.path.dirname(__file__))
import independent_count
import sweeping

from ycsbook import ingest
from ycsbook.errors import RunError
from ycsbook.params import Sweep
from ycsbook.runner import sweep
from ycsbook.servers import network
from ycsbook.servers.mongodb import MongoDataset
from ycsbook.store.runs import RunStore

pytestmark = [pytest.mark.live, pytest.mark.matrix]
KINDS = ("acknowledged", "failed", "unknown", "lost", "resurrected")


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path):
    """After each test: no server, no client, no namespace with its holder, no link."""

    def holders_and_links():
        sleeping = {p.pid for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == ["sleep", "infinity"]}
        return sleeping | {name for name in psutil.net_if_addrs() if name.startswith("ycs")}

    before = holders_and_links()
    yield
    assert sweeping.working_for(tmp_path) == []
    # The kernel takes a moment to remove a namespace whose last process has ended.
    sweeping.until(lambda: holders_and_links() <= before, 20)


def planned(faults, concerns, **settings):
    return Sweep.model_validate({
        "name": "fo", "experiment": "failover", "workloads": faults, "vary": {"write_concern": concerns},
        "server": {"kind": "mongod", "topology": "replica_set", "election_timeout": "2s"},
        "specs": [{"name": "set", "cores": 1, "ram_gib": 1}], "records": 16_000, "target_ops_s": 1000, "threads": [8],
        "java_options": ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"], **settings,
    })  # fmt: skip


class Measured:
    """A sweep that was made, and what each collection held when its run was over."""

    def __init__(self, store, asked):
        self.store, self.dumps = store, []
        ids = MongoDataset.ids

        def ids_and_dump(dataset):
            found = ids(dataset)
            self.dumps.append(independent_count.dump(dataset._uri.reveal(), dataset._table))
            return found

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(MongoDataset, "ids", ids_and_dump)
            # A busy machine may not keep the schedule: such a run is incomplete, and is made again.
            for _ in range(3):
                self.unsuccessful = sweep.run(asked, store)
                if not self.unsuccessful:
                    break
        self.manifests = [m for m in store.manifests() if m["outcome"] == "completed"]

    def folder(self, manifest):
        return self.store.folder(manifest["run_id"])

    def dump_of(self, manifest):
        found = {int(line) for line in (self.folder(manifest) / "found.txt").read_text().split()}
        # Runs that lost nothing have the same.
        return next(dump for dump in self.dumps if dump == found)


def check(measured, faults, concerns):
    """What holds of every run, however it is struck."""
    assert measured.unsuccessful == {}
    assert {(m["workload"]["name"], m["write_concern"]) for m in measured.manifests} == {
        (fault, str(concern)) for fault in faults for concern in concerns
    }
    for manifest in measured.manifests:
        audit = json.loads((measured.folder(manifest) / "audit.json").read_text())
        counted = independent_count.count(measured.folder(manifest), measured.dump_of(manifest))
        assert audit["totals"] == {kind: counted[kind] for kind in KINDS} == manifest["failover"]["totals"]
        assert counted["acknowledged"] + counted["failed"] == manifest["inputs"]["records"]
        if manifest["write_concern"] == "majority":
            assert counted["lost"] == 0
        happened = [(event["event"], event["role"]) for event in audit["events"]]
        for role in ("secondary", "primary"):
            assert happened.index(("struck", role)) < happened.index(("back", role))
        assert happened[-1] == ("whole", "")
        assert manifest["failover"]["election"]["electionTimeoutMillis"] == 2000
    tables = ingest.read([measured.folder(m) for m in measured.manifests])
    assert set(tables.runs["outcome"]) == {"completed"}
    assert "OPERATIONS_FAILED" not in " ".join(tables.runs["warnings"])
    totals = tables.failovers.groupby("run_id")[list(KINDS)].sum()
    for manifest in measured.manifests:
        assert dict(totals.loc[manifest["run_id"]]) == manifest["failover"]["totals"]


def lost(measured, fault, concern):
    (manifest,) = [
        m for m in measured.manifests if m["workload"]["name"] == fault and m["write_concern"] == str(concern)
    ]
    return manifest["failover"]["totals"]["lost"]


@pytest.mark.parametrize(("fault", "losing"), [("kill", ()), ("freeze", (0,)), ("cut", (0,)), ("split", (0, 1))])
def test_what_the_old_primary_alone_took_is_lost_and_what_the_majority_has_is_not(fault, losing, tmp_path):
    # What one member acknowledged is lost where the client still reaches the old primary: where the set is split.
    concerns = [0, 1, "majority"] if fault == "split" else [0, "majority"]
    # A server that was killed recovers before the primary's turn comes: on a busy machine that takes its time.
    seconds = 20 if fault == "kill" else 12
    asked = planned([fault], concerns, records=200 * seconds, target_ops_s=200)
    measured = Measured(RunStore(tmp_path / "runs"), asked)
    check(measured, [fault], concerns)
    assert all(lost(measured, fault, concern) > 0 for concern in losing)


def test_without_root_members_that_are_to_be_cut_off_are_left_out_with_a_line_and_the_others_measured(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(network.os, "geteuid", lambda: 1000)
    store = RunStore(tmp_path / "runs")
    asked = planned(["freeze", "cut"], [1], records=4000, target_ops_s=200)
    unsuccessful = sweep.run(asked, store)
    (line,) = [line for run_id, line in unsuccessful.items() if "-cut-" in run_id]
    assert line == "a network of its own for each member needs root; start as root"
    assert [m["workload"]["name"] for m in store.manifests()] == ["freeze"]


def when_writing(store, program):
    """The process of a program of the run, and the run's folder, once its client has written some hundred lines."""

    def writing():
        return [p for p in store.root.glob("*.partial/ledger/*") if p.stat().st_size > 5000]

    ledger, *_ = sweeping.until(writing, 60)
    return sweeping.working_for(store.root, program), ledger.parents[1]


@pytest.fixture(scope="module")
def disturbed(tmp_path_factory):
    """A sweep of two runs: the first loses its client, the second a member that was not struck; its store, and both
    runs by why they ended."""
    store = RunStore(tmp_path_factory.mktemp("disturbed") / "runs")

    def disturb():
        clients, folder = when_writing(store, "java")
        clients[0].send_signal(signal.SIGKILL)
        sweeping.until(lambda: not folder.exists(), 60)
        when_writing(store, "mongod")[0][-1].send_signal(signal.SIGKILL)

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        with pytest.raises(RunError, match="the server was lost"):
            sweep.run(planned(["kill"], [1, "majority"], records=40_000), store)
    finally:
        thread.join()
    assert sweeping.working_for(store.root) == []
    first, second = sorted(store.manifests(), key=lambda m: m["started_at"])
    return store, first, second


def test_a_member_that_ends_and_was_not_struck_ends_the_run_as_lost(disturbed):
    store, _, manifest = disturbed
    assert (manifest["outcome"], manifest["stop_reason"]) == ("incomplete", "server_lost")
    assert "totals" not in manifest["failover"] and not (store.folder(manifest["run_id"]) / "audit.json").exists()


def test_a_client_that_is_killed_leaves_an_incomplete_run_and_no_count(disturbed):
    store, manifest, _ = disturbed
    assert (manifest["outcome"], manifest["stop_reason"]) == ("incomplete", "killed")
    assert "totals" not in manifest["failover"]
    (row,) = ingest.read([store.folder(manifest["run_id"])]).runs.to_dict("records")
    assert row["outcome"] == "incomplete"
