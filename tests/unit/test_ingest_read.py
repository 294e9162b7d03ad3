"""Files and run folders in, tidy tables out."""

import json
import math
import os
import shutil
from pathlib import Path

import pytest

from ycsbook import columns, ingest, paths
from ycsbook.ingest.finding import detect
from ycsbook.ingest.finding.detect import Kind
from ycsbook.ingest.log.series import Series
from ycsbook.ingest.readers import hdr
from ycsbook.ingest.runs import manifest
from ycsbook.verdicts import Outcome, Warn

DATA = Path(__file__).parents[1] / "data" / "ycsb"
RUN = "02_mongod_run_a_t8_hdr"
# The run's first status line says 08:47:20.271 in the client's zone, here three hours ahead of UTC.
STARTED_AT = "2026-11-21T05:47:19Z"
FIRST_STATUS_EPOCH_S = 1795240040.271

FACTS = {
    "schema": 2, "run_id": "local-0.5c-a-t8-r1-abc", "dataset": "local", "phase": "run", "repeat": 1, "threads": 8,
    "clients": 1, "spec": {"name": "0.5c", "label": "", "cores": 0.5, "ram_gib": 0.5, "cache_gib": 0.25},
    "workload": {"name": "a", "read": 0.5, "update": 0.5, "scan": 0.0}, "write_concern": "1", "target_ops_s": None,
    "server": {"kind": "mongod", "version": "6.0.5", "topology": "standalone", "cores_enforced_by": "cgroup1",
               "rtt_us": None},
    "host_speed": {"before": 1.0, "after": 0.95}, "outcome": "completed", "stop_reason": "",
    "warnings": ["SHORT_RUN", "POOL_BELOW_THREADS", "NO_SUCH_WARNING"], "started_at": STARTED_AT, "command": "java",
}  # fmt: skip


def stored(folder: Path, facts: dict | None = None, *, prefix: str = "", samples: bool = True) -> Path:
    """A run folder as the runner leaves it; CPU samples every 0.5 s at 0.4 server and 0.7 client cores."""
    run = folder / "run-folder"
    (run / "hdr").mkdir(parents=True)
    for end in ("out", "err"):
        shutil.copy(DATA / f"{RUN}.{end}", run / f"run.{end}")
    for name in ("READ", "UPDATE", "CLEANUP"):
        shutil.copy(DATA / "hdr" / f"run_a_{name}.hdr", run / "hdr" / f"{prefix}{name}.hdr")
    if samples:
        lines = ["epoch_s,server_cpu_s,client_cpu_s,server_rss_bytes,client_rss_bytes,load_average"]
        for i in range(50):
            t = FIRST_STATUS_EPOCH_S - 1 + i / 2
            lines.append(f"{t:.3f},{10 + 0.2 * i:.3f},{0.35 * i:.3f},{2**30},{2**29},1.5")
        (run / "samples.csv").write_text("\n".join([*lines, "17952"]))
    (run / "manifest.json").write_text(json.dumps(FACTS | (facts or {})))
    return run


def with_host_cpu(run: Path) -> None:
    """Put 1.5 cores of the whole machine into the samples."""
    first, *lines = (run / "samples.csv").read_text().splitlines()[:-1]
    lines = [f"{line},{900 + 0.75 * i:.3f}" for i, line in enumerate(lines)]
    (run / "samples.csv").write_text("\n".join([f"{first},host_cpu_s", *lines, ""]))


@pytest.mark.parametrize(
    ("server", "more", "others"),
    [
        ({}, {}, 0.4),  # 1.5 cores, of which the client has 0.7 and the server 0.4
        ({"members": 3}, {}, math.nan),  # the other two are not sampled
        ({}, {"each_client": []}, math.nan),
        ({"kind": "uri", "reach": "db.example:27017"}, {}, 0.8),
        ({"kind": "uri", "reach": "localhost"}, {}, 0.4),
        ({"kind": "uri", "reach": "127.0.0.1:27017,localhost"}, {}, math.nan),  # its other member is not sampled
    ],
)
def test_what_others_used_of_the_client_s_machine(tmp_path, server, more, others):
    run = stored(tmp_path, {"server": {**FACTS["server"], **server}, "machine": {"cores": 2}, **more})
    with_host_cpu(run)
    found = only_run(run)
    assert (found["host_cores"], found["host_cpu"]) == (2, pytest.approx(1.5))
    assert found["other_cpu"] == pytest.approx(others, nan_ok=True)


def test_a_server_given_by_uri_is_known_by_its_process_else_by_a_hash_of_its_address():
    def columns(**server):
        return manifest.run_columns({"server": {"kind": "uri", "reach": "db.example:27017", **server}})

    named = columns(process="65af0c2e9d3b7a1c4e5f6071", cores=2, ram_gib=7.7)
    assert (named["server_id"], named["server_cores"], named["server_ram_gib"]) == ("65af0c2e9d3b7a1c4e5f6071", 2, 7.7)
    assert columns()["server_id"] == columns(process="")["server_id"] != columns(reach="db2.example")["server_id"]
    assert columns()["server_id"].startswith("at-") and "example" not in columns()["server_id"]
    assert columns(kind="mongod", reach="private mongod")["server_id"] == columns(reach="")["server_id"] == ""


def only_run(*paths) -> dict:
    found, rejected = ingest.read_with_rejects(paths)
    assert rejected == []
    assert len(found.runs) == 1
    return found.runs.iloc[0].to_dict()


def test_a_stored_run_gives_every_table(tmp_path):
    found = ingest.read([stored(tmp_path)])
    row = found.runs.iloc[0]
    assert (row.run_id, row.dataset, row.spec, row.cores, row.threads) == (FACTS["run_id"], "local", "0.5c", 0.5, 8)
    assert (row.workload, row.read_fraction, row.phase, row.server_version) == ("a", 0.5, "run", "6.0.5")
    assert (row.throughput_ops_s, row.runtime_ms, row.operations) == (4669.188028201896, 21417, 100_000)
    assert row.goodput_ops_s == pytest.approx(100_000 / 21.417)
    assert row.steady_ops_s == pytest.approx(6163.57, abs=0.01)
    assert row.warmup_s == pytest.approx(8.944)
    assert row.cpu_utilisation == pytest.approx(0.4 / 0.5)
    assert row.client_cpu == pytest.approx(0.7)
    assert row.host_speed == 0.95
    assert (row.outcome, row.stop_reason, row.warnings) == ("completed", "", "SHORT_RUN POOL_BELOW_THREADS")
    assert row.source == f"{tmp_path}/run-folder/run.out:2"
    assert math.isnan(row.target_ops_s)
    assert math.isnan(row.rtt_us)

    assert dict(zip(found.operations.operation, found.operations["ok"], strict=True))["READ"] == 50022
    assert json.loads(found.operations.set_index("operation").loc["UPDATE", "return_codes"]) == {"OK": 49978}
    read = found.percentiles[found.percentiles.operation == "READ"]
    assert list(read.percentile) == list(hdr.PERCENTILES)
    assert set(read.percentile_source) == {"hdr"}
    assert read.set_index("percentile").loc[99.0, "latency_us"] == 12799
    assert hdr.decode(found.histograms.set_index("operation").loc["READ", "histogram"]).count == 50022

    total = found.intervals[found.intervals.operation == "TOTAL"]
    assert total.operations.sum() == 100_000
    assert total.elapsed_s.iloc[-1] == pytest.approx(21.357)
    assert found.samples.elapsed_s.iloc[0] > 0
    assert found.samples.server_cpu_cores.to_numpy() == pytest.approx(0.4)
    assert found.samples.server_rss_gib.unique() == [1.0]
    for name, frame in found.items():
        assert tuple(frame.columns) == columns.SCHEMAS[name]
        # No member of the server failed by plan.
        assert set(frame.run_id) == (set() if name == "failovers" else {FACTS["run_id"]})


def test_ycsb_glues_a_prefix_to_the_name_of_a_histogram(tmp_path):
    found = ingest.read([stored(tmp_path, prefix="local_")])
    assert set(found.histograms.operation) == {"READ", "UPDATE", "CLEANUP"}


def test_a_run_without_samples_or_histograms_has_no_cpu_and_the_printed_percentiles(tmp_path):
    run = stored(tmp_path, samples=False)
    shutil.rmtree(run / "hdr")
    found = ingest.read([run])
    assert math.isnan(found.runs.cpu_utilisation[0])
    assert len(found.samples) == len(found.histograms) == 0
    read = found.percentiles[found.percentiles.operation == "READ"]
    assert list(zip(read.percentile, read.latency_us, read.percentile_source, strict=True)) == [
        (95.0, 5335.0, "summary"),
        (99.0, 12799.0, "summary"),
    ]


def test_a_histogram_of_another_run_is_not_taken(tmp_path):
    run = stored(tmp_path)
    shutil.copy(DATA / "hdr" / "load_INSERT.hdr", run / "hdr" / "READ.hdr")
    found = ingest.read([run])
    assert "COUNTS_DISAGREE" in found.runs.warnings[0]
    assert "READ" not in set(found.histograms.operation)
    assert set(found.percentiles[found.percentiles.operation == "READ"].percentile_source) == {"summary"}


def test_a_damaged_histogram_is_named_and_the_run_stays(tmp_path):
    run = stored(tmp_path)
    (run / "hdr" / "READ.hdr").write_text("junk\n")
    found, rejected = ingest.read_with_rejects([run])
    assert [Path(e.path).name for e in rejected] == ["READ.hdr"]
    assert found.runs.outcome[0] == "completed"


@pytest.mark.parametrize(
    ("facts", "warning"),
    [
        ({"server": {"kind": "mongod", "cores_enforced_by": "none"}}, "CORES_NOT_ENFORCED"),
        ({"host_speed": {"before": 1.0, "after": 0.8}}, "HOST_SPEED_CHANGED"),
        ({"write_concern": "0"}, "UNACKED_WRITES"),
    ],
)
def test_what_the_manifest_shows_is_warned_of(tmp_path, facts, warning):
    assert warning in only_run(stored(tmp_path, facts))["warnings"]
    assert warning not in only_run(stored(tmp_path / "plain"))["warnings"]


def test_the_worse_of_two_verdicts_holds(tmp_path):
    failed = only_run(stored(tmp_path, {"outcome": "failed"}))
    assert (failed["outcome"], failed["throughput_ops_s"]) == ("failed", 4669.188028201896)
    stalled = only_run(stored(tmp_path / "b", {"outcome": "incomplete", "stop_reason": "stalled"}))
    assert (stalled["outcome"], stalled["stop_reason"]) == ("incomplete", "stalled")
    assert math.isnan(stalled["throughput_ops_s"])
    run = stored(tmp_path / "c")
    (run / "run.out").write_bytes((run / "run.out").read_bytes()[:40])
    cut = only_run(run)
    assert (cut["outcome"], cut["warnings"].split()[-1]) == ("incomplete", "POOL_BELOW_THREADS")
    assert "TRUNCATED" in cut["warnings"]


def test_threads_are_those_that_ran(tmp_path):
    assert only_run(stored(tmp_path, {"threads": 16}))["threads"] == 8


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"schema": 99}', "[" * 100_000])
def test_a_manifest_that_is_none_is_rejected(tmp_path, text):
    run = stored(tmp_path)
    (run / "manifest.json").write_text(text)
    found, rejected = ingest.read_with_rejects([tmp_path])
    assert len(found.runs) == 0
    assert str(rejected[0]).count("manifest.json") == 1


def test_a_manifest_with_the_wrong_types_loses_only_those(tmp_path):
    odd = {"spec": [], "server": None, "threads": "8", "warnings": 7, "host_speed": {"before": 0, "after": 1}}
    row = only_run(stored(tmp_path, {**odd, "started_at": 5, "workload": {"read": True}}))
    assert math.isnan(row["cores"])
    assert math.isnan(row["host_speed"])
    assert row["throughput_ops_s"] == 4669.188028201896


@pytest.mark.parametrize("key", sorted(FACTS.keys() - {"schema"}))
def test_no_value_in_a_manifest_raises(tmp_path, key):
    [log] = ingest.ycsb.parse(DATA / f"{RUN}.err")
    for value in (None, [], [[]], {}, "", "x", "-1", True, 0, -1, 1e308, 10**400, math.nan, "9999-12-31T23:59:59"):
        changed = {name: value for name in FACTS[key]} if isinstance(FACTS[key], dict) else value
        for new in (value, changed):
            facts = json.loads(json.dumps(FACTS | {key: new}))
            assert manifest.run_columns(facts).keys() <= columns.GLOSSARY.keys()
            assert set(manifest.warnings(facts)) <= set(Warn)
            assert manifest.outcome(facts) in {*Outcome, None}
            assert manifest.stop_reason(facts) == ""
            assert isinstance(manifest.started_epoch_s(facts, log.series), float)
    run = stored(tmp_path, {key: [[]]})
    assert only_run(run)["runtime_ms"] == 21417


@pytest.mark.parametrize(
    "samples", [b"", b"\0\0", b"epoch_s\n1\n2\n", b"epoch_s,server_cpu_s\nx,y\n1e999,2\n5\n", b'"' * 200_000]
)
def test_damaged_samples_leave_the_cpu_unknown(tmp_path, samples):
    run = stored(tmp_path)
    (run / "samples.csv").write_bytes(samples)
    found, _ = ingest.read_with_rejects([run])
    assert math.isnan(found.runs.cpu_utilisation[0])
    assert found.runs.throughput_ops_s[0] == 4669.188028201896


def test_the_clients_clock_is_brought_to_utc(tmp_path):
    [log] = ingest.ycsb.parse([DATA / f"{RUN}.out", DATA / f"{RUN}.err"])
    assert manifest.started_epoch_s(FACTS, log.series) == pytest.approx(FIRST_STATUS_EPOCH_S, abs=1e-3)
    assert manifest.started_epoch_s(FACTS, Series()) == pytest.approx(FIRST_STATUS_EPOCH_S - 1.271, abs=1e-3)
    assert math.isnan(manifest.started_epoch_s({}, log.series))


def test_two_streams_beside_each_other_are_one_run():
    by_out, by_err = only_run(DATA / f"{RUN}.out"), only_run(DATA / f"{RUN}.err")
    assert by_out == by_err or by_out["run_id"] == by_err["run_id"]
    assert by_out["threads"] == 8
    assert (by_out["workload"], by_out["phase"], by_out["write_concern"]) == ("a", "run", "1")
    assert by_out["read_fraction"] == pytest.approx(0.50022)
    assert by_out["run_id"].startswith("data-ycsb-02_mongod_run_a_t8_hdr-")
    assert by_out["started_at"] == "2026-11-21T08:47:20.271"


def test_the_command_line_leads_to_the_histograms():
    found = ingest.read(DATA / f"{RUN}.out")
    assert set(found.histograms.operation) == {"READ", "UPDATE", "CLEANUP"}
    assert len(found.percentiles) == 3 * len(hdr.PERCENTILES)


def test_a_command_line_cannot_point_out_of_the_folder(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    shutil.copy(DATA / "hdr" / "run_a_READ.hdr", tmp_path / "x_READ.hdr")
    text = (DATA / "03_mongod_run_b_t4_merged.log").read_text()
    (folder / "a.log").write_text(text.replace("-s ", "-s -p hdrhistogram.output.path=../x_ "))
    assert len(ingest.read(folder).histograms) == 0


def test_a_folder_gives_one_row_per_run_and_each_once():
    found, rejected = ingest.read_with_rejects([DATA, DATA / f"{RUN}.out"])
    assert rejected == []
    assert len(found.runs) == 20
    assert found.runs.run_id.is_unique
    counts = found.runs.outcome.value_counts().to_dict()
    assert counts == {"completed": 10, "incomplete": 5, "failed": 5}
    incomplete = found.runs[found.runs.outcome == "incomplete"]
    assert incomplete[["throughput_ops_s", "goodput_ops_s", "steady_ops_s", "operations"]].isna().all(axis=None)
    for _, frame in found.items():
        assert "s3cretPW" not in frame.to_csv()
        assert "wrongPW" not in frame.to_csv()


def test_goodput_leaves_failures_out():
    row = only_run(DATA / "13_server_restarted_midrun.out")
    assert row["failed_operations"] == 11
    assert row["goodput_ops_s"] == pytest.approx((79973 - 11) / 25.031)
    assert row["goodput_ops_s"] < row["throughput_ops_s"]


def test_goodput_is_unknown_where_operations_are_missing_from_the_summary(tmp_path):
    path = tmp_path / "x.log"
    text = (DATA / "03_mongod_run_b_t4_merged.log").read_text()
    path.write_text(text[: text.index("[UPDATE], Operations")])
    row = only_run(path)
    assert "COUNTS_DISAGREE" in row["warnings"]
    assert math.isnan(row["goodput_ops_s"])
    assert math.isnan(row["steady_ops_s"])


def test_files_that_are_no_logs_are_rejected_when_named_and_passed_over_when_found(tmp_path):
    (tmp_path / "notes.txt").write_text("nothing of interest\n")
    (tmp_path / "empty.log").touch()
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    found, (rejected,) = ingest.read_with_rejects(tmp_path / "notes.txt")
    assert found.runs.empty and "has nothing of a benchmark that is read" in rejected.reason
    row = only_run(tmp_path)
    assert (row["outcome"], Path(row["source"]).name) == ("incomplete", "empty.log")


def test_what_is_not_there_or_cannot_be_read_is_rejected(tmp_path):
    (tmp_path / "x.hdr").touch()
    (tmp_path / "loop.log").symlink_to(tmp_path / "loop.log")
    os.mkfifo(tmp_path / "pipe.log")
    names = ["nothing.log", "loop.log", "pipe.log", "x.hdr"]
    named = [tmp_path / n for n in names]
    found, rejected = ingest.read_with_rejects(named)
    assert len(found.runs) == 0
    assert [Path(e.path).name for e in rejected] == names
    assert [item.kind for item in detect.find([tmp_path])[0]] == [Kind.HDR]


def test_published_tables_of_other_kinds_are_rejected_only_when_named(tmp_path):
    folder = shutil.copytree(paths.PUBLISHED, tmp_path / "published")
    found, rejected = ingest.read_with_rejects([folder])
    assert rejected == []
    rows = found.runs.groupby("dataset").size()
    assert len(rows) >= 14 and (rows["qingcloud-4.0.3"], rows["tencent-2020-08"]) == (72, 32)
    assert not {"mongotest-2010", "iibench-wiredtiger"} & set(rows.index)
    (_,) = ingest.read_with_rejects([folder / "mongotest-2010.csv"])[1]


@pytest.mark.parametrize("spoil", [".csv", ".json"])
def test_a_damaged_vendor_table_in_a_folder_is_named(tmp_path, spoil):
    for suffix in (".csv", ".json"):
        shutil.copy(paths.PUBLISHED / f"tencent-2020-08{suffix}", tmp_path)
    (tmp_path / f"tencent-2020-08{spoil}").write_text("{}")
    (error,) = ingest.read_with_rejects([tmp_path])[1]
    assert Path(error.path).stem == "tencent-2020-08"


def test_runs_being_made_and_remains_are_not_searched(tmp_path):
    for name in ("a.partial", "quarantine", "good"):
        stored(tmp_path / name)
    found, _ = detect.find([tmp_path])
    assert [(f.kind, f.files) for f in found] == [(Kind.STORED, (tmp_path / "good" / "run-folder",))]


def test_the_same_log_twice_gives_two_ids(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        shutil.copy(DATA / "03_mongod_run_b_t4_merged.log", tmp_path / name / "run.log")
    first, second = ingest.read(tmp_path).runs.run_id
    assert second.replace("-b-run-", "-a-run-") == first != second
    shutil.copy(tmp_path / "b" / "run.log", tmp_path / "b" / "run.txt")
    assert f"{second}-2" in list(ingest.read(tmp_path).runs.run_id)


def test_odd_file_names_become_slugs(tmp_path):
    path = tmp_path / "Läuf <b>=1 .out"
    path.write_bytes(b"")
    assert only_run(path)["run_id"].split("-")[-5:-1] == ["l", "uf", "b", "1"]


def test_nothing_gives_empty_tables():
    found, rejected = ingest.read_with_rejects([])
    assert rejected == []
    assert all(len(frame) == 0 for _, frame in found.items())


@pytest.mark.shared
def test_other_peoples_logs_give_the_figures_of_their_manifest(shared):
    samples = shared / "samples"
    found, rejected = ingest.read_with_rejects([samples / "pkb"])
    assert rejected == []
    runs = found.runs.assign(name=[Path(s.rsplit(":", 1)[0]).name for s in found.runs.source]).set_index("name")
    operations = found.operations.merge(runs.reset_index()[["name", "run_id"]]).set_index(["name", "operation"])

    basic = runs.loc["ycsb-test-run.dat"]
    assert (basic.throughput_ops_s, basic.runtime_ms, basic.outcome) == (12500.0, 80.0, "completed")
    read, update = (operations.loc["ycsb-test-run.dat", name] for name in ("READ", "UPDATE"))
    assert (read["count"], round(read.mean_us, 4)) == (469, 38.4776)
    assert (update["count"], round(update.mean_us, 4)) == (531, 65.9774)
    assert (read.ok, read.errors, operations.loc["ycsb-test-run.dat", "CLEANUP"]["count"]) == (469, 0, 1)

    hbase = runs.loc["ycsb-test-run-2.dat"]
    assert (hbase.threads, hbase.runtime_ms, round(hbase.throughput_ops_s, 4)) == (6, 1_800_413, 2740.5034)
    assert (hbase.outcome, hbase.failed_operations) == ("failed", 2_465_984)

    crashed = runs.loc["ycsb-test-run-3.dat"]
    assert (crashed.outcome, crashed.threads) == ("incomplete", 16)
    assert math.isnan(crashed.throughput_ops_s)
    assert "ycsb-test-run-3.dat" not in set(operations.index.get_level_values(0))

    assert "COUNTS_DISAGREE" in runs.loc["ycsb-test-run-5.dat"].warnings
    for name in ("ycsb-time-series.dat", "ycsb-time-series-2.dat"):
        # 16 CLEANUPs of threads that would idle half their time: its status lines show that 8 were busy.
        assert math.isnan(runs.loc[name].threads)
        own = found.intervals[found.intervals.run_id == runs.loc[name].run_id]
        total = own[own.operation == "TOTAL"]
        assert total.operations.sum() == runs.loc[name].operations


@pytest.mark.shared
def test_the_two_clients_of_a_run_give_the_figures_of_their_manifest(shared):
    folder = shared / "samples" / "benchant_small_2clients"
    alone = ingest.read(folder / "0_run.txt")
    client, read = alone.runs.iloc[0], alone.operations.set_index("operation").loc["READ"]
    assert (round(client.throughput_ops_s, 4), client.threads, client.warnings) == (2536.5576, 50, "WORKLOAD_INFERRED")
    assert (read["count"], round(read.mean_us, 3)) == (2_283_476, 5968.831)
    printed = alone.percentiles[alone.percentiles.operation == "READ"].set_index("percentile").latency_us
    assert (printed[95.0], printed[99.0]) == (12719, 20511)

    merged = ingest.read(folder)
    [run] = merged.runs.itertuples()
    assert (run.clients, run.threads, run.outcome, run.warnings) == (2, 100, "completed", "WORKLOAD_INFERRED")
    # In the time that both ran; beside it the plain sum, and all operations over the time from first to last.
    assert run.throughput_ops_s == pytest.approx(5069.10, abs=0.01)
    assert run.client_sum_ops_s == pytest.approx(2536.557563462379 + 2533.758363758786)
    assert run.union_ops_s < run.throughput_ops_s < run.client_sum_ops_s
    assert 0 < run.client_skew_s < 1
    wanted = {
        "READ": (4_563_996, [4759, 12735, 20527, 98495, 455423]),
        "UPDATE": (4_563_052, [26575, 66239, 118783, 615935, 1857535]),
    }
    for name, (count, latencies) in wanted.items():
        assert merged.operations.set_index("operation").loc[name, "count"] == count
        exact = merged.percentiles[merged.percentiles.operation == name].set_index("percentile")
        assert exact.latency_us[[50.0, 95.0, 99.0, 99.9, 99.99]].tolist() == latencies
        assert set(exact.percentile_source) == {"hdr"}


@pytest.mark.shared
def test_clients_that_did_not_run_together_are_runs_of_their_own(shared, tmp_path):
    for n, name in enumerate(("ycsb-time-series.dat", "ycsb-time-series-2.dat")):
        shutil.copy(shared / "samples" / "pkb" / name, tmp_path / f"{n}_run.txt")
    summary = ingest.update([tmp_path], tmp_path / "out")
    assert (summary.runs, summary.outcomes, summary.rejected) == (2, {"completed": 2}, [])
    assert len(summary.remarks) == 1 and "these are no clients of one run" in summary.remarks[0]
    assert set(ingest.read(tmp_path).runs.clients) == {1}


def test_a_log_beside_its_copy_is_not_two_clients(tmp_path):
    for n in (0, 1):
        shutil.copy(DATA / "03_mongod_run_b_t4_merged.log", tmp_path / f"{n}_run.log")
    summary = ingest.update([tmp_path], tmp_path / "out")
    assert summary.runs == 2 and "the same log as" in summary.remarks[0]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig"])
@pytest.mark.parametrize("is_marked", [True, False])
@pytest.mark.parametrize("is_named", [True, False])
def test_a_log_that_was_redirected_by_powershell_is_read(tmp_path, encoding, is_named, is_marked):
    text = (DATA / "03_mongod_run_b_t4_merged.log").read_text()
    mark = "" if encoding in ("utf-16", "utf-8-sig") else "\ufeff"
    content = (mark + text.replace("\n", "\r\n")).encode(encoding)
    (tmp_path / "x.log").write_bytes(content if is_marked else content[3 if encoding == "utf-8-sig" else 2 :])
    found, rejected = ingest.read_with_rejects([tmp_path / "x.log" if is_named else tmp_path])
    plain_log = tmp_path / "plain" / "x.log"  # of the same name, which may say something of the run
    plain_log.parent.mkdir()
    plain_log.write_text(text)
    [run], [plain] = found.runs.itertuples(), ingest.read(plain_log).runs.itertuples()
    assert rejected == []
    for name in ("throughput_ops_s", "steady_ops_s", "operations", "threads", "outcome", "warnings"):
        assert getattr(run, name) == getattr(plain, name)


@pytest.mark.shared
@pytest.mark.parametrize("name", ["json_array_exporter", "json_exporter_concatenated"])
def test_both_json_exporters_give_the_figures_of_their_manifest(shared, name):
    found = ingest.read(shared / "samples" / "json" / f"{name}.json")
    [run] = found.runs.itertuples()
    assert (run.runtime_ms, round(run.throughput_ops_s, 4), run.format) == (388_153, 257.6304, "ycsb-json")
    insert = found.operations.set_index("operation").loc["INSERT"]
    assert (insert["count"], round(insert.mean_us, 3)) == (100_000, 3830.163)
    percentiles = found.percentiles[found.percentiles.operation == "INSERT"].set_index("percentile")
    assert percentiles.latency_us[99.0] == 27_935


def test_a_stored_run_of_which_a_client_left_no_log_is_one_line(tmp_path):
    run = tmp_path / "run"
    for client in ("client-0", "client-1"):
        (run / client).mkdir(parents=True)
    for end in ("out", "err"):
        shutil.copy(DATA / f"{RUN}.{end}", run / "client-0" / f"run.{end}")
    (run / "manifest.json").write_text(json.dumps(FACTS | {"clients": 2}))
    tables, [reason] = ingest.read_with_rejects([run])
    assert tables.runs.empty and reason.reason == "client 1 of 2 has no log"
