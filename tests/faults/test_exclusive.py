"""Two runners, one server: one of them measures, the other is told who does, whatever happens to either."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import pytest

sys.path += [os.path.dirname(__file__), str(Path(__file__).parents[1] / "contract")]
import stand_in
import sweeping

from ycsbook.errors import ServerBusyError, StoreError
from ycsbook.secrets import Secret
from ycsbook.servers import exclusive
from ycsbook.servers.mongod import Mongod

PARAMS = """
name: {name}
server: {{kind: uri}}
specs:
  - {{name: 1c, cores: 1, ram_gib: 1, uri_env: EXCLUSIVE_URI}}
workloads: [a]
threads: [2]
records: 200
min_duration: 1s
"""


@pytest.fixture
def server(private_mongod):
    return private_mongod


def uri(server: Mongod, database: str, host: str = "127.0.0.1") -> Secret:
    return Secret(f"mongodb://{host}:{server.port}/{database}")


# on this machine


def test_a_server_is_the_same_however_its_uri_is_written():
    written = ("mongodb://LOCALHOST/a", "mongodb://u:p@127.0.0.1:27017/b?w=1", "mongodb://[::1]:27017")
    assert {exclusive.addresses(Secret(text)) for text in written} == {("127.0.0.1:27017",)}
    first, second = (exclusive.addresses(Secret(f"mongodb://{h}/")) for h in ("b:1,A", "a:27017,b:1"))
    assert first == second == ("a:27017", "b:1")


def test_sets_of_servers_that_share_one_exclude_each_other_and_others_do_not(tmp_path):
    def hold(text):
        return exclusive.locks([Secret(f"mongodb://{text}/")], tmp_path / "locks")

    with hold("a,b"):
        with pytest.raises(ServerBusyError, match=r"b:27017: another run is measuring on this server") as caught:
            hold("c,b").__enter__()
        assert caught.value.pid == os.getpid()
        with hold("c"):
            pass
    with hold("b"):
        pass
    assert list((tmp_path / "locks").iterdir()) == []


def test_a_folder_for_locks_that_others_could_have_prepared_is_refused(tmp_path):
    folder = tmp_path / "locks"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(StoreError, match="can be written by others"):
        exclusive.locks([Secret("mongodb://a/")], folder).__enter__()
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(StoreError, match="cannot be used for locks"):
        exclusive.locks([Secret("mongodb://a/")], tmp_path / "link").__enter__()


@pytest.mark.live
def test_two_stores_on_one_server_exclude_each_other_and_a_killed_holder_leaves_it_free(server, tmp_path):
    home = stand_in.install(tmp_path, seconds=60)
    params = tmp_path / "x.yml"
    params.write_text(PARAMS.format(name="x"))

    started = []

    def run(store, host):
        command = [sweeping.YCSBOOK, "run", params, "--store", tmp_path / store]
        given = {"JAVA_HOME": str(home), "EXCLUSIVE_URI": uri(server, "stores", host).reveal()}
        process = subprocess.Popen(
            command, env={**os.environ, **given}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        started.append(process)
        return process

    try:
        first = run("one", "127.0.0.1")
        (client,) = sweeping.until(lambda: stand_in.clients(tmp_path / "one"), 60)
        second = run("two", "localhost")
        _, err = second.communicate(timeout=60)
        assert second.returncode == 1
        assert f"127.0.0.1:{server.port}: another run is measuring on this server (process {first.pid})" in err
        assert not list((tmp_path / "two").glob("*c-*"))

        # No overlap: whoever gets the server now finds the first one's client gone.
        first.kill()
        stand_in.behave(home, seconds=0)
        limit = time.monotonic() + 30
        while (third := run("two", "localhost")).wait(timeout=60):
            err = third.communicate()[1]
            assert "another run is measuring on this server" in err and time.monotonic() < limit, err
        assert not client.is_running() or client.status() == "zombie"
    finally:
        for process in started:
            process.kill()
            process.communicate()
    with server.client() as found:
        assert found.stores.ycsbook_lease.count_documents({}) == 0


# across hosts: two runners that do not see each other's processes


@pytest.fixture
def elsewhere(monkeypatch):
    """Leases are taken as if on another machine: nothing is known of their holders' processes."""
    monkeypatch.setattr(exclusive, "_process_identity", lambda pid: {})


@pytest.mark.live
def test_a_lease_refuses_others_until_it_is_given_back(server, elsewhere):
    place = uri(server, "given_back")
    with exclusive.Leases([place], os.getpid()):
        with pytest.raises(ServerBusyError, match=rf"process {os.getpid()} on .*its lease ends in \d+ s") as caught:
            exclusive.Leases([place], os.getpid()).__enter__()
        assert caught.value.pid == os.getpid()
        with exclusive.Leases([uri(server, "another_database")], os.getpid()) as other:
            assert not other.lost()
    with exclusive.Leases([place], os.getpid()) as again:
        assert not again.lost()


@pytest.mark.live
def test_a_lease_outlives_its_time_as_long_as_it_is_renewed(server, elsewhere):
    place = uri(server, "renewed")
    with exclusive.Leases([place], os.getpid(), lasts_s=3, renewed_s=0.1), server.client() as client:
        expires = client.renewed.ycsbook_lease.find_one()["expires"]
        sweeping.until(lambda: client.renewed.ycsbook_lease.find_one()["expires"] > expires, 30)
        with pytest.raises(ServerBusyError):
            exclusive.Leases([place], os.getpid()).__enter__()


@pytest.mark.live
def test_a_stale_lease_is_taken_over_and_its_owner_learns_it(server, elsewhere):
    place = uri(server, "stale")
    # Never renewed in the time of this test, as by a runner whose machine sleeps.
    with exclusive.Leases([place], os.getpid(), lasts_s=0.5, renewed_s=600) as sleeper:

        def taken():
            try:
                return exclusive.Leases([place], os.getpid()).__enter__()
            except ServerBusyError:
                return None

        winner = sweeping.until(taken, 30)
        assert sleeper.lost() == f"127.0.0.1:{server.port}"
        assert not winner.lost()
        winner.__exit__()


@pytest.mark.matrix
@pytest.mark.live
def test_a_run_whose_server_another_runner_took_over_is_incomplete(server, tmp_path):
    home, store = stand_in.install(tmp_path, seconds=1), tmp_path / "runs"
    params = tmp_path / "taken.yml"
    params.write_text(PARAMS.format(name="taken"))
    given = {"JAVA_HOME": str(home), "EXCLUSIVE_URI": uri(server, "taken").reveal()}
    process = subprocess.Popen(
        [sweeping.YCSBOOK, "run", params, "--store", store],
        env={**os.environ, **given}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        # During the run itself: the load was its own.
        sweeping.until(lambda: list(store.glob("*-t2-*.partial/run.err")), 60)
        with server.client() as client:
            taken = client.taken.ycsbook_lease.update_one({"_id": "runner"}, {"$set": {"owner": "somebody else"}})
        assert taken.matched_count == 1
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 1
    assert f"127.0.0.1:{server.port}: another runner took the server over meanwhile; start again" in err
    (run,) = [m for m in sweeping.manifests(store) if m["phase"] == "run"]
    assert run["outcome"] == "incomplete" and run["reasons"][-1]["key"] == "reason-server-taken"
    with server.client() as client:
        assert client.taken.ycsbook_lease.find_one()["owner"] == "somebody else"  # not ours to give back


@pytest.mark.live
def test_the_lease_of_a_process_of_this_machine_that_is_gone_needs_no_waiting(server):
    place = uri(server, "gone")
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with exclusive.Leases([place], child.pid, renewed_s=600):
        with pytest.raises(ServerBusyError):
            exclusive.Leases([place], os.getpid()).__enter__()
        child.communicate(b"\n")
        with exclusive.Leases([place], os.getpid()) as second:
            assert not second.lost()


def _contend(address, ready, go, results):
    import contextlib

    exclusive._process_identity = lambda pid: {}
    with contextlib.ExitStack() as stack:
        ready.put(os.getpid())
        go.wait()
        try:
            stack.enter_context(exclusive.Leases([Secret(address)], os.getpid()))
            results.put(("taken", os.getpid()))
        except ServerBusyError as e:
            results.put(("busy", e.pid))
        go.clear()
        signal.pause()


@pytest.mark.live
def test_of_processes_that_reach_for_an_expired_lease_at_once_one_gets_it(server, elsewhere):
    place = uri(server, "raced")
    with server.client() as client:
        context = multiprocessing.get_context("spawn")
        for _ in range(2):
            client.raced.ycsbook_lease.replace_one(
                {"_id": "runner"}, {"owner": "dead", "expires": datetime(2020, 1, 1)}, upsert=True
            )
            ready, go, results = context.Queue(), context.Event(), context.Queue()
            racers = [context.Process(target=_contend, args=(place.reveal(), ready, go, results)) for _ in range(2)]
            for racer in racers:
                racer.start()
            try:
                for _ in racers:
                    ready.get(timeout=60)
                go.set()
                told = sorted(results.get(timeout=60) for _ in racers)
            finally:
                for racer in racers:
                    racer.kill()
                    racer.join()
            (_, loser_saw), (_, winner) = told
            assert [what for what, _ in told] == ["busy", "taken"] and loser_saw == winner
