"""Several clients of one run: how it is shared out, put together again, and judged."""

import sys
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook.errors import ParamsError, RunError, ToolError
from ycsbook.facts import fact
from ycsbook.ingest.readers import ycsb
from ycsbook.ingest.runs import samples as taken_samples
from ycsbook.ingest.runs.samples import COLUMNS
from ycsbook.params import Sweep, plan
from ycsbook.params.sections import Cluster
from ycsbook.runner import samples, sweep
from ycsbook.runner.clients import task, workers
from ycsbook.runner.judge import ServerSamples, judge_clients
from ycsbook.verdicts import Outcome, of_clients


def planned(**change):
    """One run of workload a."""
    sweep = {
        "name": "t", "server": {"kind": "mongod"}, "specs": [{"name": "2c", "cores": 2, "ram_gib": 1}],
        "workloads": ["a"], "threads": [10], "records": 1000, "min_duration": 4, **change,
    }  # fmt: skip
    return plan(Sweep.model_validate(sweep))[0]


# -- shares


@given(total=st.integers(0, 10**6), n=st.integers(1, 100))
def test_parts_add_up_and_differ_by_one_at_most(total, n):
    parts = workers.spread(total, n)
    assert (sum(parts), len(parts)) == (total, n)
    assert max(parts) - min(parts) <= 1 and list(parts) == sorted(parts, reverse=True)


@given(
    threads=st.integers(1, 500), wanted=st.integers(1, 20), operations=st.none() | st.integers(1, 10**6),
    target=st.none() | st.floats(0.1, 1e6),
)  # fmt: skip
def test_a_run_is_shared_out_whole(threads, wanted, operations, target):
    run = planned(threads=[threads], operations=operations, target_ops_s=target)
    n = workers.possible(run, wanted)
    parts = workers.of_run(run, n)
    assert 1 <= len(parts) == n <= wanted
    assert sum(part.threads for part in parts) == threads and all(part.threads for part in parts)
    if operations:
        assert sum(part.sweep.operations for part in parts) == operations
    if target:
        assert sum(part.sweep.target_ops_s for part in parts) == max(1, round(target))
        assert all(part.sweep.target_ops_s >= 1 for part in parts)
    assert {part.workload for part in parts} == {run.workload}


def test_two_hundred_threads_of_four_clients_are_fifty_each():
    assert [part.threads for part in workers.of_run(planned(threads=[200]), 4)] == [50] * 4


def test_one_client_here_is_no_worker_and_every_other_is():
    near, far = Sweep.model_validate(planned().sweep.model_dump()), planned(
        cluster={"kind": "scheduler", "address": "tcp://10.0.0.5:8786"}
    ).sweep  # fmt: skip
    assert [workers.are_needed(s, n) for s in (near, far) for n in (1, 2)] == [False, True, True, True]


# -- demands


def test_several_clients_of_a_workload_that_inserts_are_refused_with_the_reason():
    with pytest.raises(ParamsError, match="clients: got 2 with workload 'd', which inserts"):
        sweep.require_clients([planned(workloads=["d"], clients=2)])
    sweep.require_clients([planned(workloads=["d"], clients=n) for n in (1, "auto")])


def test_without_dask_one_line_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    sweep.require_clients([planned()])
    with pytest.raises(ToolError, match=r"pip install 'ycsbook\[clients\]'"):
        sweep.require_clients([planned(clients=2)])


def test_too_few_hosts_are_refused_before_any_is_reached():
    with pytest.raises(ToolError, match="found 1 workers, expected 2"):
        sweep.require_clients([planned(clients=2, cluster={"kind": "ssh", "hosts": ["a.example"]})])


# -- workers


def test_workers_are_taken_one_per_host_first():
    found = workers.one_per_host(["tcp://b:2", "tcp://a:1", "tcp://b:1", "tcp://a:2", "tcp://c:9"])
    assert found == ["tcp://a:1", "tcp://b:1", "tcp://c:9", "tcp://a:2", "tcp://b:2"]


def test_ssh_is_asked_for_a_scheduler_on_the_first_host_and_a_worker_on_each():
    options = workers.ssh_options(Cluster(kind="ssh", hosts=("ann@one:2222", "two"), python="/opt/bin/python"))
    assert options["hosts"] == ["one", "one", "two"]
    assert options["connect_options"] == [{"username": "ann", "port": 2222}] * 2 + [{}]
    assert options["remote_python"] == "/opt/bin/python" and options["worker_class"] == "distributed.Worker"
    assert options["scheduler_options"]["idle_timeout"] == options["worker_options"]["death_timeout"] == "60s"
    # Host keys are checked as ssh does it: nothing here turns that off.
    assert "known_hosts" not in str(options)


def test_one_address_is_all_that_is_listened_on_and_tls_is_used_where_dask_is_told_so():
    one = workers.ssh_options(Cluster(kind="ssh", hosts=("127.0.0.1:22", "127.0.0.1:22")), encrypted=True)
    for part in ("scheduler_options", "worker_options"):
        assert (one[part]["host"], one[part]["protocol"]) == ("127.0.0.1", "tls://")
        assert one[part]["dashboard"] is False
    two = workers.ssh_options(Cluster(kind="ssh", hosts=("10.0.0.1", "10.0.0.2", "fe80::1")))
    assert "host" not in two["scheduler_options"] and two["scheduler_options"]["protocol"] == "tcp://"
    assert two["hosts"] == ["10.0.0.1", "10.0.0.1", "10.0.0.2", "fe80::1"]


def test_a_scheduler_that_is_not_there_is_said_in_one_line(monkeypatch):
    monkeypatch.setattr(workers, "CONNECT_LIMIT_S", 0.5)
    with pytest.raises(ToolError, match=r"the dask scheduler 'tcp://127\.0\.0\.1:1' cannot be reached") as refused:
        sweep.require_clients([planned(clients=2, cluster={"kind": "scheduler", "address": "tcp://127.0.0.1:1"})])
    assert "\n" not in str(refused.value)


# -- parcels


def test_what_a_client_wrote_arrives_and_nothing_else(tmp_path):
    sent, got = tmp_path / "sent", tmp_path / "got"
    (sent / "hdr").mkdir(parents=True)
    texts = {"run.out": b"a\n" * 1000, "run.err": b"\0\xff", "samples.csv": b"", "hdr/READ-FAILED.hdr": b"h"}
    for name, text in texts.items():
        (sent / name).write_bytes(text)
    (sent / ".secret.properties").write_text("mongodb.url=x")
    (sent / "hdr" / "link.hdr").symlink_to("/etc/hostname")
    task.unpack_files(task.packed_files(sent), got)
    assert {p.relative_to(got).as_posix(): p.read_bytes() for p in got.rglob("*") if p.is_file()} == texts


@pytest.mark.parametrize(
    "bad",
    [
        {"../run.out": b"x"},
        {"/tmp/run.out": b"x"},
        {"hdr/../../x.hdr": b"x"},
        {"manifest.json": b"{}"},
        {f"hdr/A{i}.hdr": b"" for i in range(task.MAX_FILES + 1)},
    ],
    ids=["above", "absolute", "above a folder", "a manifest", "too many"],
)
def test_files_that_are_none_of_a_client_are_refused_and_nothing_is_written_elsewhere(bad, tmp_path):
    place = tmp_path / "inside"
    with pytest.raises(RunError, match="none of its files"):
        task.unpack_files({name: zlib.compress(content) for name, content in bad.items()}, place)
    assert [p for p in tmp_path.rglob("*") if p.is_file() and not p.is_relative_to(place)] == []


@pytest.mark.parametrize("content", [b"nonsense", zlib.compress(b"x" * 10_000)[:10], b""])
def test_a_damaged_file_is_refused(content, tmp_path):
    with pytest.raises(RunError, match="damaged"):
        task.unpack_files({"run.out": content}, tmp_path)


def test_files_that_are_too_large_are_refused_on_both_sides(tmp_path, monkeypatch):
    (tmp_path / "run.out").write_bytes(b"x" * 1000)
    whole = task.packed_files(tmp_path)
    monkeypatch.setattr(task, "MAX_BYTES", 999)
    with pytest.raises(RunError, match="1,000 bytes"):
        task.packed_files(tmp_path)
    with pytest.raises(RunError):
        task.unpack_files(whole, tmp_path / "got")
    assert not (tmp_path / "got" / "run.out").exists()


# -- samples


def write_samples(path, rows: list[dict]):
    lines = [",".join(COLUMNS), *(",".join(str(row.get(c, "")) for c in COLUMNS) for row in rows)]
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_the_clients_cpu_is_added_up_at_the_servers_moments_by_one_clock(tmp_path):
    run = write_samples(tmp_path / "samples.csv", [{"epoch_s": t, "server_cpu_s": t / 2} for t in (100, 101, 102, 103)])
    # The second client's clock is 10 s ahead, its samples lie between the server's.
    first = write_samples(tmp_path / "a" / "samples.csv", [{"epoch_s": t, "client_cpu_s": t - 100} for t in (100, 103)])
    second = write_samples(
        tmp_path / "b" / "samples.csv", [{"epoch_s": t + 0.5, "client_cpu_s": 2 * (t - 110)} for t in (110, 111, 112)]
    )
    samples.add_clients(run, [(first.parent, first.name, 0.0), (second.parent, second.name, 10.0)])
    summed = taken_samples.read(tmp_path)
    assert list(summed["epoch_s"]) == [100, 101, 102, 103]
    assert list(summed["client_cpu_s"]) == [0.0, 2.0, 5.0, 7.0]
    assert list(summed["server_cpu_s"]) == [50.0, 50.5, 51.0, 51.5]


def test_without_the_samples_of_one_client_no_sum_is_made_up(tmp_path):
    run = write_samples(tmp_path / "samples.csv", [{"epoch_s": t} for t in (100, 101)])
    first = write_samples(tmp_path / "a" / "samples.csv", [{"epoch_s": 100, "client_cpu_s": 1}])
    samples.add_clients(run, [(first.parent, first.name, 0.0), (tmp_path / "b", "samples.csv", 0.0)])
    assert taken_samples.read(tmp_path)["client_cpu_s"].isna().all() and len(run.read_text().splitlines()) == 3


# -- auto


def attempt(tmp_path, client_cpu: float, server_cpu: float, n: int = 1, cores: int | None = None, **change) -> dict:
    """An attempt whose clients and server used so many cores, but for the first moments."""
    rows = [
        {"epoch_s": 100 + t, "client_cpu_s": client_cpu * max(0, t - 2), "server_cpu_s": server_cpu * max(0, t - 2)}
        for t in range(11)
    ]
    write_samples(tmp_path / "samples.csv", rows)
    far = {"kind": "ssh", "hosts": ["a", "b", "c", "d"]}
    run = planned(cluster=far, java_options=[f"-XX:ActiveProcessorCount={cores}"] if cores else [], **change)
    tried = workers.attempt(tmp_path, run, n, [{"machine": {"cores": 4}}] * n)
    return {**tried, "next": workers.next_count(run, tried)}


def test_clients_are_doubled_while_they_are_full_and_the_server_is_not(tmp_path):
    full = attempt(tmp_path, client_cpu=3.8, server_cpu=1.0)
    assert full == {
        "clients": 1, "client_cpu": 3.8, "client_cores": 4.0, "server_cpu": 1.0, "server_cores": 2.0,
        "client_is_limit": True, "next": 2,
    }  # fmt: skip
    assert attempt(tmp_path, client_cpu=3.0, server_cpu=1.0)["next"] is None
    assert attempt(tmp_path, client_cpu=3.8, server_cpu=1.9)["next"] is None


def test_a_java_that_was_told_fewer_cores_is_full_earlier(tmp_path):
    assert attempt(tmp_path, client_cpu=1.9, server_cpu=1.0, cores=2)["next"] == 2
    assert attempt(tmp_path, client_cpu=1.9, server_cpu=1.0, n=2, cores=2)["client_cores"] == 4


def test_there_are_no_more_clients_than_workers_threads_and_keys_to_insert(tmp_path):
    assert attempt(tmp_path, client_cpu=11.0, server_cpu=1.0, n=3)["next"] == 4
    assert attempt(tmp_path, client_cpu=16.0, server_cpu=1.0, n=4)["next"] is None
    assert attempt(tmp_path, client_cpu=3.9, server_cpu=1.0, threads=[1])["next"] is None
    assert attempt(tmp_path, client_cpu=3.9, server_cpu=1.0, workloads=["d"])["next"] is None


def test_what_is_not_known_is_no_reason_for_more(tmp_path):
    tried = workers.attempt(tmp_path, planned(), 1, [])
    assert (tried["client_cpu"], tried["server_cpu"], tried["client_is_limit"]) == (None, None, False)


# -- the verdict


def log(start_s: int = 0, *, failed: int = 0, reads: int = 500, threads: int = 5, runtime_ms: int = 4010) -> list:
    """One client's log: five status lines and a summary."""
    lines = [f"Command line: -t -db site.ycsb.X -s -threads {threads}", "YCSB Client 0.17.0"]
    lines += [
        f"2026-11-21 10:00:{start_s + t:02d}:000 {t} sec: {reads * t // 4} operations; {reads / 4} current ops/sec; "
        for t in range(5)
    ]
    codes = [f"[READ], Return=OK, {reads - failed}"] + ([f"[READ], Return=ERROR, {failed}"] if failed else [])
    lines += [
        f"[OVERALL], RunTime(ms), {runtime_ms}", f"[OVERALL], Throughput(ops/sec), {reads * 1000 / runtime_ms}",
        f"[READ], Operations, {reads - failed}", "[READ], AverageLatency(us), 900.0", *codes,
    ]  # fmt: skip
    return ycsb.parse("\n".join(lines).encode() + b"\n")


def verdict(*logs, server=None, **change):
    run = planned(**change)
    return judge_clients(logs, workers.of_run(run, len(logs)), run, server or ServerSamples())


def of_client_1(key, **values):
    return of_clients([1], fact(key, **values))


def test_clients_that_did_their_share_completed_the_run():
    assert verdict(log(), log(1)).outcome == Outcome.COMPLETED


def test_every_reason_names_its_client():
    bad = verdict(log(), log(runtime_ms=1000), log())
    assert bad.outcome == Outcome.FAILED and of_client_1("reason-too-short", seconds=1.0, planned=4.0) in bad.reasons
    cut = verdict(log(), [])
    assert cut.outcome == Outcome.INCOMPLETE and cut.reasons == (of_client_1("reason-runs-in-log", n=0),)
    assert verdict([], []).reasons == (fact("reason-runs-in-log", n=0),)


def test_failures_are_allowed_to_the_run_and_not_to_a_client():
    assert verdict(log(failed=40), log(), max_failed=0.05).outcome == Outcome.COMPLETED
    bad = verdict(log(failed=40), log(failed=20), max_failed=0.05)
    assert bad.outcome == Outcome.FAILED
    assert bad.reasons[0] == fact("reason-failures", failed=60, attempted=1000, share=0.06, allowed=0.05)


def test_operations_must_add_up():
    assert verdict(log(), log(), operations=1000).outcome == Outcome.COMPLETED
    bad = verdict(log(), log(reads=499), operations=1000)
    assert bad.outcome == Outcome.FAILED and (
        of_client_1("reason-operations", finished=499, planned=500) in bad.reasons
    )


def test_clients_one_after_the_other_are_no_run():
    bad = verdict(log(), log(30))
    assert bad.outcome == Outcome.INCOMPLETE and bad.reasons == (fact("reason-clients-apart"),)


def test_a_clock_that_is_known_to_be_ahead_is_no_other_time():
    run = planned()
    logs = [log(), log(30)]
    assert (
        judge_clients(logs, workers.of_run(run, 2), run, ServerSamples(), ahead_s=(0.0, 30.0)).outcome
        == Outcome.COMPLETED
    )


def test_a_server_that_started_anew_is_said_once():
    bad = verdict(log(), log(), server=ServerSamples(restarted_s=2.0))
    assert (bad.outcome, bad.stop_reason, len(bad.reasons)) == ("failed", "server_lost", 1)
    assert bad.reasons[0].key == "reason-server-restarted"
