"""One run driven by several clients of this machine: real dask workers, real mongod, real YCSB, real kills."""

import contextlib
import ipaddress
import math
import os
import signal
import subprocess
import sys

import pandas as pd
import psutil
import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

sys.path.append(os.path.dirname(__file__))
import client_sweeps
import sweeping

from ycsbook.params import Sweep, plan
from ycsbook.processes import Guard
from ycsbook.runner import generator
from ycsbook.runner.clients import task
from ycsbook.secrets import Secret

pytestmark = [pytest.mark.live, pytest.mark.matrix]


@contextlib.contextmanager
def running(folder, name, threads="2", duration="60s", cluster=None):
    """A started sweep with two clients: its process and its store. It is ended with the block."""
    params = client_sweeps.write_params(folder, name, clients=2, cluster=cluster, threads=threads, duration=duration)
    store = folder / "runs"
    process = sweeping.start("run", params, "--store", store)
    try:
        yield process, store
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def wait(process: subprocess.Popen, what):
    """Wait for something while the runner lives."""

    def there_or_dead():
        return what() or (process.poll() is not None and "the runner has ended")

    found = sweeping.until(there_or_dead, 120)
    assert found != "the runner has ended", process.communicate()
    return found


def listening(processes) -> set[str]:
    return {
        c.laddr.ip for p in processes for c in p.net_connections(kind="inet") if c.status == psutil.CONN_LISTEN
    }  # fmt: skip


def summed(paths) -> HdrHistogram:
    """The sum of histogram logs, as another library reads it."""
    total = HdrHistogram(1, 3_600_000_000, 3)
    for path in paths:
        with contextlib.closing(HistogramLogReader(str(path), HdrHistogram(1, 3_600_000_000, 3))) as reader:
            while (one := reader.get_next_interval_histogram()) is not None:
                total.add(one)
    return total


def value_at(total: HdrHistogram, percentile: float) -> int:
    """The smallest value that this share of all values does not exceed, as Java's HdrHistogram gives it."""
    wanted = math.ceil(percentile / 100 * total.get_total_count())
    return next(
        total.get_highest_equivalent_value(i.value_iterated_to)
        for i in total.get_recorded_iterator()
        if i.total_count_to_this_value >= wanted
    )


def test_two_workers_drive_one_server_and_their_percentiles_are_those_of_the_summed_histograms(tmp_path):
    tables = tmp_path / "tables"
    with running(tmp_path, "two", "5", duration="6s") as (process, store):
        wait(process, lambda: client_sweeps.clients_under_way(store / ".server", 2))
        heard = listening([psutil.Process(process.pid)])
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0 and "1 completed" in out, err
    assert all(ipaddress.ip_address(ip).is_loopback for ip in heard)
    assert sweeping.working_for(store) == []

    run = client_sweeps.run_of(store)
    each = run["each_client"]
    assert (run["clients"], run["threads"], [one["threads"] for one in each]) == (2, 5, [3, 2])
    assert all(one["machine"]["cores"] and one["machine"]["kernel"] and one["machine"]["cpu"] for one in each)
    assert all(abs(one["clock_ahead_s"]) <= one["clock_error_s"] + 0.01 for one in each)
    starts = [one["started_after_s"] for one in each]
    assert run["skew_s"] == pytest.approx(max(starts) - min(starts), abs=0.002) and min(starts) > 0

    sweeping.ycsbook("ingest", store, "-o", tables)
    runs, percentiles, operations = (
        pd.read_parquet(tables / f"{name}.parquet").query(f"run_id == '{run['run_id']}'")
        for name in ("runs", "percentiles", "operations")
    )
    folder = store / run["run_id"]
    for operation in ("READ", "UPDATE"):
        own = percentiles[percentiles["operation"] == operation]
        total = summed(folder.glob(f"client-*/hdr/{operation}.hdr"))
        assert len(own) >= 4 and set(own["percentile_source"]) == {"hdr"}
        for row in own.itertuples():
            assert row.latency_us == value_at(total, row.percentile)
        (counted,) = operations.query(f"operation == '{operation}'")["count"]
        assert counted == total.get_total_count()
    row = runs.iloc[0]
    printed = [
        float(line.rpartition(",")[2])
        for path in folder.glob("client-*/run.out")
        for line in path.read_text().splitlines()
        if line.startswith("[OVERALL], Throughput")
    ]
    assert len(printed) == 2 and row["client_sum_ops_s"] == pytest.approx(sum(printed))
    assert (row["outcome"], row["clients"], row["threads"]) == ("completed", 2, 5)
    assert row["client_cpu"] > 0 and row["cpu_utilisation"] > 0


def test_a_killed_runner_leaves_no_worker_no_client_and_no_guard(tmp_path):
    with running(tmp_path, "gone") as (process, store):
        wait(process, lambda: client_sweeps.clients_under_way(store / ".server", 2))
        children = psutil.Process(process.pid).children(recursive=True)
        assert {"java", "mongod"} <= {c.name() for c in children} and len(children) >= 6
        os.kill(process.pid, signal.SIGKILL)  # the runner alone
        process.communicate()
    _, alive = psutil.wait_procs(children, timeout=15)
    assert not alive
    sweeping.until(lambda: not (store / ".server").exists(), 10)
    assert sweeping.working_for(store) == []


def test_a_lost_worker_or_client_makes_the_run_incomplete_and_ends_the_others(tmp_path):
    with Guard() as guard:
        address, _, workers = client_sweeps.dask(guard, tmp_path, 3)
        cluster = {"kind": "scheduler", "address": address}
        with running(tmp_path, "lost", "2, 3", cluster=cluster) as (process, store):
            first = wait(process, lambda: client_sweeps.clients_under_way(tmp_path, 2))
            driving = {p.pid for client in first for p in client.parents()}
            # The worker alone, as the kernel would: what it started is ended, and removed, by its own guard.
            os.kill(next(worker.pid for worker in workers if worker.pid in driving), signal.SIGKILL)

            def others():
                found = client_sweeps.clients_under_way(tmp_path, 2)
                return found and not {p.pid for p in found} & {p.pid for p in first} and found

            wait(process, others)[0].kill()
            out, err = process.communicate(timeout=120)
    assert process.returncode == 1 and "2 incomplete" in out and "Traceback" not in err, err
    check_both_incomplete(tmp_path, store, ["reason-ended-early", "reason-worker-lost"])


def test_lost_clients_of_this_machine_make_the_run_incomplete_and_end_the_others(tmp_path):
    with running(tmp_path, "lost", "2, 3") as (process, store):
        first = wait(process, lambda: client_sweeps.clients_under_way(store / ".server", 2))
        first[0].kill()

        def others():
            found = client_sweeps.clients_under_way(store / ".server", 2)
            return found and not {p.pid for p in found} & {p.pid for p in first} and found

        wait(process, others)[0].kill()
        out, err = process.communicate(timeout=120)
    assert process.returncode == 1 and "2 incomplete" in out and "Traceback" not in err, err
    check_both_incomplete(tmp_path, store, ["reason-ended-early"] * 2)


def check_both_incomplete(folder, store, reasons):
    """Both runs of a sweep ended early, for these reasons, and nothing is left."""
    runs = [m for m in sweeping.manifests(store) if m["phase"] == "run"]
    assert {(m["outcome"], m["stop_reason"]) for m in runs} == {("incomplete", "killed")}
    assert sorted(r["values"]["reason"]["key"] for m in runs for r in m["reasons"]) == reasons
    tables = folder / "tables"
    assert "0 rejected" in sweeping.ycsbook("ingest", store, "-o", tables).stdout
    rows = pd.read_parquet(tables / "runs.parquet").query("phase == 'run'")
    assert list(rows["outcome"]) == ["incomplete", "incomplete"] and rows["throughput_ops_s"].isna().all()
    assert sweeping.working_for(store) == []


def test_a_server_that_is_killed_ends_all_clients_with_the_reason(tmp_path):
    with running(tmp_path, "dead") as (process, store):
        wait(process, lambda: client_sweeps.clients_under_way(store / ".server", 2))
        (server,) = sweeping.working_for(store, "mongod")
        server.kill()
        _, err = process.communicate(timeout=120)
    assert process.returncode == 1 and "the server was lost; start again to go on" in err and "Traceback" not in err
    run = client_sweeps.run_of(store)
    assert (run["outcome"], run["stop_reason"]) == ("incomplete", "server_lost")
    # What the clients had measured until then is kept as evidence.
    assert len(list((store / run["run_id"]).glob("client-*/run.err"))) == 2
    assert sweeping.working_for(store) == []


def test_an_interrupted_runner_ends_its_workers_and_says_so_without_a_traceback(tmp_path):
    with running(tmp_path, "stopped") as (process, store):
        wait(process, lambda: client_sweeps.clients_under_way(store / ".server", 2))
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode != 0 and "Traceback" not in err
    _, alive = psutil.wait_procs(children, timeout=15)
    assert not alive and sweeping.working_for(store) == []


FULL_CLIENTS = """
import sys
from ycsbook import cli
from ycsbook.runner.clients import workers

workers.CLIENT_FULL = 1e-6
workers.SERVER_FULL = 1e6
sys.argv = ["ycsbook", "run", *sys.argv[1:]]
cli.main()
"""


def test_clients_that_are_the_limit_are_doubled_and_every_attempt_is_kept(tmp_path):
    # Two threads cannot be shared out among more than two clients, however many cores there are.
    params = client_sweeps.write_params(tmp_path, "auto", clients="auto", threads="2", duration="6s")
    store = tmp_path / "runs"
    done = subprocess.run(
        [sys.executable, "-c", FULL_CLIENTS, str(params), "--store", str(store)],
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and "1 completed" in done.stdout, done.stderr
    run = client_sweeps.run_of(store)
    (first,) = [m for m in sweeping.manifests(store / "quarantine") if m["run_id"] == run["run_id"]]
    assert (first["clients"], run["clients"]) == (1, 2)
    assert (first["outcome"], first["reasons"]) == (
        "incomplete",
        [{"key": "reason-client-was-the-limit", "values": {"clients": 2}}],
    )
    assert [one["clients"] for one in run["clients_tried"]] == [1, 2]
    assert run["clients_tried"][0] == first["clients_tried"][0]
    assert all(one["client_cpu"] > 0 and one["client_is_limit"] for one in run["clients_tried"])


def test_a_client_that_nobody_asks_for_ends_by_itself_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(task, "LEASE_S", 0.5)
    sweep = Sweep.model_validate(
        {"name": "left", "server": {"kind": "mongod"}, "specs": [{"name": "s", "cores": 1, "ram_gib": 1}]}
    )
    (planned,) = plan(sweep.model_copy(update={"threads": (1,), "workloads": sweep.workloads[:1]}),
                      client=generator.find().digest)  # fmt: skip
    order = task.ClientOrder("left-alone", planned, Secret("mongodb://127.0.0.1:1/"), str(tmp_path))
    report = task.drive(order)
    assert (report.stop_reason, report.error, report.files) == ("killed", "", {})
    assert list(tmp_path.iterdir()) == []


def test_a_machine_with_another_load_generator_is_refused(tmp_path):
    sweep = Sweep.model_validate(
        {"name": "other", "server": {"kind": "mongod"}, "specs": [{"name": "s", "cores": 1, "ram_gib": 1}]}
    )
    order = task.ClientOrder("other", plan(sweep, client="0" * 64)[0], Secret("mongodb://127.0.0.1:1/"), str(tmp_path))
    report = task.drive(order)
    assert "this machine's load generator is another one" in report.error and list(tmp_path.iterdir()) == []
