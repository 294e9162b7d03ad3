"""go-ycsb's output: every style and release, differenced exactly, cut anywhere, and never taken for something else."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_harness import figures, one, parsed, rows

from ycsbook import ingest
from ycsbook.ingest import readers
from ycsbook.ingest.log.latencies import Latencies
from ycsbook.ingest.readers import go_ycsb
from ycsbook.ingest.readers.go_ycsb_rows import duration_ms
from ycsbook.ingest.runs import checks
from ycsbook.verdicts import Outcome, Warn

NEW = (50.0, 90.0, 95.0, 99.0, 99.9, 99.99)
OLD = (99.0, 99.9, 99.99)

TABLE = """Using request distribution 'uniform' a keyrange of [0 4999]
***************** properties *****************
"threadcount"="8"
"dotransactions"="true"
"operationcount"="3000"
"readproportion"="0.75"
"updateproportion"="0.25"
"mongodb.url"="mongodb://bench:canary7@db:27017/?w=0"
"mysql.password"="canary7"
"target"="500"
**********************************************
"""
LOG = (
    TABLE
    + """READ   - Takes(s): 1.0, Count: 600, OPS: 600.0, Avg(us): 500, Min(us): 90, Max(us): 7000, 50th(us): 480, 90th(us): 700, 95th(us): 800, 99th(us): 2000, 99.9th(us): 6000, 99.99th(us): 7000
TOTAL  - Takes(s): 1.0, Count: 800, OPS: 800.0, Avg(us): 575, Min(us): 90, Max(us): 8000, 50th(us): 480, 90th(us): 700, 95th(us): 800, 99th(us): 2000, 99.9th(us): 6000, 99.99th(us): 7000
UPDATE - Takes(s): 1.0, Count: 200, OPS: 200.0, Avg(us): 800, Min(us): 95, Max(us): 8000, 50th(us): 780, 90th(us): 900, 95th(us): 950, 99th(us): 3000, 99.9th(us): 7000, 99.99th(us): 8000
operation err: write exception: mongodb://bench:canary7@db:27017 refused
Run finished, takes 4.0125s
READ   - Takes(s): 4.0, Count: 2250, OPS: 562.5, Avg(us): 520, Min(us): 90, Max(us): 7000, 50th(us): 480, 90th(us): 700, 95th(us): 800, 99th(us): 2000, 99.9th(us): 6000, 99.99th(us): 7000
TOTAL  - Takes(s): 4.0, Count: 2998, OPS: 749.5, Avg(us): 590, Min(us): 90, Max(us): 9000, 50th(us): 480, 90th(us): 700, 95th(us): 800, 99th(us): 2000, 99.9th(us): 6000, 99.99th(us): 7000
UPDATE - Takes(s): 4.0, Count: 748, OPS: 187.0, Avg(us): 810, Min(us): 95, Max(us): 9000, 50th(us): 780, 90th(us): 900, 95th(us): 950, 99th(us): 3000, 99.9th(us): 7000, 99.99th(us): 8000
UPDATE_ERROR - Takes(s): 2.0, Count: 2, OPS: 1.0, Avg(us): 3000, Min(us): 1000, Max(us): 5000, 50th(us): 1000, 90th(us): 5000, 95th(us): 5000, 99th(us): 5000, 99.9th(us): 5000, 99.99th(us): 5000
"""  # noqa: E501
)


def line(name, takes, count, mean, *, high=10_000, percentiles=NEW) -> str:
    parts = [f"Takes(s): {takes:.1f}", f"Count: {count}", f"OPS: {count / takes:.1f}", f"Avg(us): {mean}", "Min(us): 1"]
    parts += [f"Max(us): {high}", *(f"{p:g}th(us): {high}" for p in percentiles)]
    return f"{name:<6} - {', '.join(parts)}\n"


def test_a_log_gives_its_figures_and_where_they_stand(tmp_path):
    log = one(go_ycsb, tmp_path, LOG)
    assert (log.format, log.overall_count, log.runtime_ms, log.source) == ("go-ycsb", 1, 4012.5, "log0:16")
    assert log.throughput_ops_s == 3000 / 4.0125
    read, update = log.by_operation["READ"], log.by_operation["UPDATE"]
    assert (read.count, read.mean_us, read.min_us, read.max_us, read.source) == (2250, 520, 90, 7000, "log0:17")
    assert read.percentiles == ((50, 480), (90, 700), (95, 800), (99, 2000), (99.9, 6000), (99.99, 7000))
    assert read.return_codes == (("OK", 2250),)
    assert update.return_codes == (("OK", 748), ("ERROR", 2))
    assert log.by_operation["UPDATE-FAILED"].mean_us == 3000
    assert "TOTAL" not in log.by_operation
    assert (log.attempted, log.failed) == (3000, 2)
    assert not log.conflicts
    assert not log.truncated


def test_the_property_table_tells_threads_phase_and_mix_and_no_password(tmp_path):
    log = one(go_ycsb, tmp_path, LOG)
    assert log.columns == {
        "threads": 8.0, "phase": "run", "target_ops_s": 500.0, "read_fraction": 0.75, "write_concern": "0"
    }  # fmt: skip
    assert log.errors == ("operation err: write exception: mongodb://REDACTED@db:27017 refused",)
    assert "canary7" not in repr(log)


def test_cumulative_lines_are_differenced(tmp_path):
    log = one(go_ycsb, tmp_path, LOG)
    assert rows(log, "READ") == [(1.0, 600, 500), (4.0, 1650, (2250 * 520 - 600 * 500) / 1650)]
    assert rows(log, "UPDATE") == [(1.0, 200, 800), (4.0, 548, (748 * 810 - 200 * 800) / 548)]
    assert [(e, n) for e, n, _ in rows(log, "TOTAL")] == [(1.0, 800), (4.0, 2200)]


def test_a_maximum_is_known_where_it_rose_and_percentiles_are_not(tmp_path):
    blocks = list(one(go_ycsb, tmp_path, LOG).series.blocks())
    highest = {(b.names[n], e): m for b in blocks for n, e, m in zip(b.name, b.elapsed_s, b.max_us, strict=True)}
    assert math.isnan(highest["READ", 4.0])
    assert highest["UPDATE", 4.0] == 9000
    assert all(np.isnan(b.p99_us).all() for b in blocks)


@pytest.mark.parametrize(
    ("text", "ms"),
    [("4m25.29s", 265290), ("1h2m3.5s", 3723500), ("350ms", 350), ("12.3µs", 0.0123), ("12.3μs", 0.0123), ("7ns", 7e-6),
     ("0s", 0), ("1.000000001s", 1000.000001), ("", math.nan), ("s", math.nan), ("4m x", math.nan), ("-1s", math.nan)],
)  # fmt: skip
def test_durations_of_go(text, ms):
    assert duration_ms(text) == pytest.approx(ms, rel=0, abs=0, nan_ok=True)


def test_json_arrays_and_tables_say_the_same_as_lines(tmp_path):
    plain = one(go_ycsb, tmp_path, LOG)
    arrays, tables, block = [], [], []
    for text in LOG.splitlines():
        if " - Takes(s): " in text:
            name, rest = text.split(" - ", 1)
            block.append({"Operation": name.strip(), **dict(p.split(": ") for p in rest.split(", "))})
            continue
        if block:
            arrays.append(json.dumps(block, separators=(",", ":")))
            tables += as_table(block)
            block = []
        arrays.append(text)
        tables.append(text)
    arrays.append(json.dumps(block, separators=(",", ":")))
    tables += as_table(block)
    for lines in (arrays, tables):
        text = "\n".join(lines) + "\n"
        assert go_ycsb.recognises(text.encode())
        log = one(go_ycsb, tmp_path, text)
        assert log.throughput_ops_s == plain.throughput_ops_s
        assert [(s.operation, s.count, s.percentiles) for s in log.summaries] == [
            (s.operation, s.count, s.percentiles) for s in plain.summaries
        ]
        assert rows(log, "READ") == rows(plain, "READ")


def as_table(block: list[dict]) -> list[str]:
    names = list(block[0])
    border = "+" + "+".join("-" * 10 for _ in names) + "+"
    cells = ["| " + " | ".join(one_[n] for n in names) + " |" for one_ in block]
    return [border, "| " + " | ".join(n.upper() for n in names) + " |", border, *cells, border]


def test_an_array_alone_was_taken_from_a_log_and_is_its_summary(tmp_path):
    found = [{"Operation": "READ", "Takes(s)": "2.0", "Count": "100", "OPS": "50.0", "Avg(us)": "7", "Min(us)": "1",
              "Max(us)": "9", "99th(us)": "8"}]  # fmt: skip
    log = one(go_ycsb, tmp_path, json.dumps(found, separators=(",", ":")))
    assert (log.overall_count, log.throughput_ops_s, log.runtime_ms) == (1, 50.0, 2000.0)
    interval = one(go_ycsb, tmp_path, TABLE + json.dumps(found, separators=(",", ":")) + "\n")
    assert interval.overall_count == 0
    assert not interval.summaries


def test_old_releases_have_fewer_percentiles_and_no_total(tmp_path):
    text = "Run finished, takes 2s\n" + line("READ", 2.0, 90, 5, percentiles=OLD) + line("UPDATE", 2.0, 10, 6)
    log = one(go_ycsb, tmp_path, text)
    assert [p for p, _ in log.by_operation["READ"].percentiles] == list(OLD)
    assert (log.attempted, log.throughput_ops_s) == (100, 50.0)


def test_load_and_run_in_one_file_are_two_runs(tmp_path):
    load = TABLE.replace('"true"', '"false"').replace("operationcount", "recordcount")
    text = load + "Run finished, takes 2s\n" + line("INSERT", 2.0, 3000, 5) + LOG
    first, second = parsed(go_ycsb, tmp_path, text)
    assert (first.columns["phase"], first.throughput_ops_s) == ("load", 1500.0)
    assert (second.throughput_ops_s, second.runtime_ms) == (3000 / 4.0125, 4012.5)


def test_runs_without_a_table_are_told_apart_by_their_counters(tmp_path):
    text = line("READ", 1.0, 50, 5) + "Run finished, takes 2s\n" + line("READ", 2.0, 90, 5)
    first, second = parsed(go_ycsb, tmp_path, text + text.replace("90", "70"))
    assert (first.attempted, second.attempted) == (90, 70)
    lost, later = parsed(go_ycsb, tmp_path, line("READ", 1.0, 50, 5) + line("READ", 1.0, 10, 5))
    assert (lost.overall_count, later.overall_count) == (0, 0)
    assert rows(lost, "READ") == [(1.0, 50, 5)]


def test_what_follows_a_load_that_was_cut_is_a_run_of_its_own(tmp_path):
    load = line("INSERT", 5, 900, 40) + line("INSERT", 10, 1900, 40)
    run = line("READ", 5, 70, 30) + line("UPDATE", 5, 50, 30)
    run += "Run finished, takes 9s\n" + line("READ", 9, 120, 30) + line("UPDATE", 9, 90, 30)
    cut, whole = parsed(go_ycsb, tmp_path, load + run)
    assert (cut.truncated or not cut.overall_count) and cut.series.last_operations == 1900
    assert (whole.attempted, whole.runtime_ms, list(whole.by_operation)) == (210, 9000, ["READ", "UPDATE"])


def test_a_command_line_tells_threads_and_phase_and_begins_a_run(tmp_path):
    text = "$ ./bin/go-ycsb run mongodb -P workloads/workloada -p mongodb.password=canary7 --threads 16\n"
    log = one(go_ycsb, tmp_path, text + "Run finished, takes 2s\n" + line("READ", 2.0, 90, 5))
    assert log.columns == {"phase": "run", "threads": 16.0}
    assert log.command_line.startswith("./bin/go-ycsb run mongodb -P workloads/workloada")
    assert "canary7" not in log.command_line


def test_a_command_may_go_on_over_lines_that_end_in_a_backslash(tmp_path):
    command = "$ ./bin/go-ycsb load badger \\\n    -P workloads/workloada \\\n    -p threadcount=6 \\\n"
    text = "Run finished, takes 2s\n" + line("INSERT", 2, 100, 40)
    for end in ("-p recordcount=100\n\n", ""):
        log = one(go_ycsb, tmp_path, command + end + text)
        assert (log.threads, log.columns["phase"], log.attempted) == (6, "load", 100)
    assert log.source == "log0:4"


def test_nothing_is_measured_in_the_warm_up(tmp_path):
    table = TABLE.replace('"target"="500"', '"warmuptime"="10"').replace("3000", "800")
    log = one(go_ycsb, tmp_path, table + "Run finished, takes 12s\n" + line("READ", 2.0, 800, 5))
    assert (log.runtime_ms, log.throughput_ops_s) == (2000.0, 400.0)


def test_read_modify_write_is_one_operation_made_of_two(tmp_path):
    text = "Run finished, takes 2s\n" + line("READ", 2.0, 90, 5) + line("READ_MODIFY_WRITE", 2.0, 40, 12)
    log = one(go_ycsb, tmp_path, text + line("TOTAL", 2.0, 130, 5) + line("UPDATE", 2.0, 40, 6))
    assert log.by_operation["READ-MODIFY-WRITE"].mean_us == 12
    assert (log.attempted, log.throughput_ops_s, log.conflicts) == (90, 45.0, ())


def test_batches_count_as_their_rows_where_the_size_is_known(tmp_path):
    text = "Run finished, takes 2s\n" + line("BATCH_INSERT", 2.0, 30, 900)
    known = one(go_ycsb, tmp_path, '***************** properties *****************\n"batch.size"="10"\n' + text)
    assert known.by_operation["INSERT"].return_codes == (("BATCHED_OK", 300),)
    assert known.throughput_ops_s == 150.0
    unknown = one(go_ycsb, tmp_path, text)
    assert math.isnan(unknown.by_operation["BATCH_INSERT"].count)
    assert checks.verdict(unknown).outcome != Outcome.COMPLETED


def test_reads_that_all_failed_make_a_failed_run(tmp_path):
    log = one(go_ycsb, tmp_path, "Run finished, takes 2s\n" + line("READ_ERROR", 2.0, 90, 5))
    assert (log.attempted, log.failed) == (90, 90)
    assert checks.verdict(log).outcome == Outcome.FAILED


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [("OPS: 562.5", "OPS: 99.5", "READ OPS"), ("takes 4.0125s", "takes 2.0125s", "run time"),
     ("Count: 2998, OPS: 749.5", "Count: 2000, OPS: 500.0", "TOTAL count")],
)  # fmt: skip
def test_figures_that_contradict_each_other_are_named(tmp_path, old, new, what):
    assert one(go_ycsb, tmp_path, LOG.replace(old, new)).conflicts == (what,)


@pytest.mark.parametrize("lost", [1, 30, 31])
def test_a_run_that_says_its_end_may_lack_a_hundredth(tmp_path, lost):
    text = LOG.replace("Count: 2250,", f"Count: {2250 - lost},").replace("2998", "2900").replace("operation err:", "")
    log = one(go_ycsb, tmp_path, text.replace(" refused", ""))
    assert (log.overall_count, log.unmeasured) == ((1, lost) if lost <= 30 else (0, 0))
    warned = checks.warnings(log, run_phase="run", threads=8, asked=8)
    assert (Warn.OPERATIONS_UNMEASURED in warned) == (lost <= 30)


@pytest.mark.parametrize("missing", ["READ ", "UPDATE -", "UPDATE_ERROR"])
def test_a_summary_that_lacks_a_line_gives_no_figures(tmp_path, missing):
    head, tail = LOG.split("Run finished")
    kept = "".join(text for text in tail.splitlines(keepends=True) if not text.startswith(missing))
    log = one(go_ycsb, tmp_path, f"{head}Run finished{kept}")
    assert (log.overall_count, log.summaries, log.truncated) == (0, (), True)
    assert rows(log, "READ")[0] == (1.0, 600, 500)


def test_a_run_that_a_signal_ended_is_shorter_and_whole(tmp_path):
    text = TABLE + "Got signal [interrupt] to exit.\nRun finished, takes 2s\n" + line("READ", 2.0, 90, 5)
    log = one(go_ycsb, tmp_path, text)
    assert (log.overall_count, log.throughput_ops_s) == (1, 45.0)
    assert log.errors == ("Got signal [interrupt] to exit.",)
    assert one(go_ycsb, tmp_path, text.replace("Got signal", "Had signal")).overall_count == 0


counts = st.integers(1, 5000)
means = st.integers(0, 10**6)


@st.composite
def models(draw):
    """Cumulative (count, mean) per operation and block, the percentiles of the release, whether there is a TOTAL."""
    names = draw(st.lists(st.sampled_from(["INSERT", "READ", "SCAN", "UPDATE", "DELETE"]), min_size=1, unique=True))
    blocks, done = [], dict.fromkeys(names, 0)
    for _ in range(draw(st.integers(1, 4))):
        done = {name: n + draw(counts) for name, n in done.items()}
        blocks.append({name: (n, draw(means)) for name, n in done.items()})
    return blocks, draw(st.sampled_from([NEW, OLD])), draw(st.booleans()), draw(st.integers(0, 9))


@settings(max_examples=24, deadline=None)
@given(model=models())
def test_a_log_made_from_a_model_is_read_back_exactly(tmp_path_factory, model):
    blocks, percentiles, has_total, errors = model
    lines = []
    for i, block in enumerate(blocks, start=1):
        if i == len(blocks):
            lines.append(f"Run finished, takes {i}m0.25s\n")
        shown = {"high": 7 + i, "percentiles": percentiles}
        made = {name: line(name, 60.0 * i, n, mean, **shown) for name, (n, mean) in block.items()}
        if has_total:
            made["TOTAL"] = line("TOTAL", 60.0 * i, sum(n for n, _ in block.values()), 5, percentiles=percentiles)
        if errors and i == len(blocks):
            made["READ_ERROR"] = line("READ_ERROR", 60.0 * i, errors, 5)
        lines += [made[name] for name in sorted(made)]
    log = one(go_ycsb, tmp_path_factory.mktemp("model"), "".join(lines))
    total = sum(n for n, _ in blocks[-1].values()) + errors
    assert not log.conflicts
    assert log.runtime_ms == 60_000 * len(blocks) + 250
    assert log.throughput_ops_s == total / (log.runtime_ms / 1000)
    assert (log.attempted, log.failed) == (total, errors)
    for name, (n, mean) in blocks[-1].items():
        summary = log.by_operation[name]
        assert (summary.count, summary.mean_us, summary.max_us) == (n, mean, 7 + len(blocks))
        assert summary.percentiles == tuple((p, 7.0 + len(blocks)) for p in percentiles)
        wanted, before = [], (0, 0)
        for i, block in enumerate(blocks, start=1):
            n2, m2 = block[name]
            exact = (n2 * m2 - before[0] * before[1]) / (n2 - before[0])
            wanted.append((60.0 * i, n2 - before[0], exact if exact >= 0 else math.nan))
            before = n2, m2
        assert rows(log, name) == [pytest.approx(w, rel=0, abs=0, nan_ok=True) for w in wanted]


CSV = "operation,timestamp_us,latency_us\n"


@settings(max_examples=24, deadline=None)
@given(
    calls=st.dictionaries(
        st.sampled_from(["READ", "UPDATE", "READ_ERROR"]),
        st.lists(st.tuples(st.integers(10**15, 10**15 + 10**8), st.integers(0, 10**7)), min_size=1, max_size=60),
        min_size=1,
    ),
    has_total=st.booleans(),
)
def test_every_latency_of_a_csv_counts(tmp_path_factory, calls, has_total):
    good = [call for name, found in calls.items() if "ERROR" not in name for call in found]
    listed = {**calls, **({"TOTAL": good} if has_total and good else {})}
    text = CSV + "".join(f"{name},{at},{lasted}\n" for name, found in listed.items() for at, lasted in found)
    log = one(go_ycsb, tmp_path_factory.mktemp("csv"), text)
    every = [call for found in calls.values() for call in found]
    runtime_us = max(at + lasted for at, lasted in every) - min(at for at, _ in every)
    if not runtime_us:
        assert checks.verdict(log).outcome == Outcome.INCOMPLETE
        return
    assert log.runtime_ms == runtime_us / 1000
    assert log.throughput_ops_s == len(every) / (runtime_us / 1000 / 1000)
    for name in ("READ", "UPDATE"):
        if name not in calls:
            continue
        latencies = sorted(lasted for _, lasted in calls[name])
        summary = log.by_operation[name]
        assert (summary.count, summary.min_us, summary.max_us) == (len(latencies), latencies[0], latencies[-1])
        assert summary.mean_us == sum(latencies) / len(latencies)
        ranks = [(p, -(-round(p * 100) * len(latencies) // 10_000)) for p in (50, 90, 95, 99, 99.9, 99.99)]
        assert summary.percentiles == tuple((p, latencies[max(1, rank) - 1]) for p, rank in ranks)
        assert sum(n for _, n, _ in rows(log, name)) == len(latencies)


def test_a_csv_that_was_cut_lacks_rows_of_total(tmp_path):
    text = CSV + "READ,1000000,500\nREAD,1500000,500\nTOTAL,1000000,500\nTOTAL,1500000,500\nTOTAL,1600000,9\n"
    assert one(go_ycsb, tmp_path, text).overall_count == 0
    whole = one(go_ycsb, tmp_path, text + "UPDATE,1600000,9\n")
    assert (whole.overall_count, whole.attempted) == (1, 3)
    assert one(go_ycsb, tmp_path, text + "UPDATE,1600000,9").overall_count == 0


def test_rows_that_are_none_are_named(tmp_path):
    log = one(go_ycsb, tmp_path, CSV + "READ,1000000,500\nREAD,1e6,5\nREAD,1500000,500\n")
    assert (log.attempted, log.conflicts) == (2, ("CSV rows",))


def test_a_csv_in_a_log_takes_its_time_from_the_log(tmp_path):
    log = one(go_ycsb, tmp_path, "Run finished, takes 4s\n" + CSV + "READ,1000000,500\nREAD,1500000,500\n")
    assert (log.runtime_ms, log.throughput_ops_s, log.source) == (4000.0, 0.5, "log0:1")
    assert log.series.first_at_ms == 1000


def test_more_different_latencies_than_memory_holds_are_rounded(monkeypatch):
    monkeypatch.setattr("ycsbook.ingest.log.latencies.MAX_DISTINCT", 1000)
    monkeypatch.setattr("ycsbook.ingest.log.latencies._BATCH", 500)
    values = np.random.default_rng(1).integers(1, 10**9, 20_000)
    found = Latencies()
    for part in np.array_split(values, 40):
        found.add(part)
    assert not found.is_exact
    assert (found.count, found.total, found.min, found.max) == (20_000, values.sum(), values.min(), values.max())
    for p, value in found.percentiles():
        exact = np.sort(values)[math.ceil(p * 200) - 1]
        assert value == pytest.approx(exact, rel=0.002)


def test_a_last_line_without_end_counts_where_it_can_only_be_whole(tmp_path):
    text = "Run finished, takes 2s\n" + line("READ", 2.0, 90, 5, high=900)
    assert one(go_ycsb, tmp_path, text[:-1]).attempted == 90
    assert one(go_ycsb, tmp_path, text[:-2]).overall_count == 0
    assert one(go_ycsb, tmp_path, LOG.removesuffix("\n")).attempted == 3000


def test_a_series_of_too_many_seconds_is_left_out(monkeypatch, tmp_path):
    text = CSV + "".join(f"READ,{i * 1_000_000},5\n" for i in range(20))
    assert one(go_ycsb, tmp_path, text).series.lines == 21
    monkeypatch.setattr("ycsbook.ingest.log.latencies.MAX_SECONDS", 10)
    log = one(go_ycsb, tmp_path, text)
    assert (log.series.lines, log.attempted) == (0, 20)


def test_runs_that_a_page_quotes_are_read(tmp_path):
    block = "Run finished, takes 2s\n" + line("READ", 2.0, 90, 5) + line("UPDATE", 2.0, 10, 6)
    indented = "".join(f"    {text}\n" for text in block.splitlines())
    page = (
        "# Trying TiKV\n\n## Load\n\n```\n$ ./bin/go-ycsb run tikv -P workloads/workloadb --threads 16\n```\n"
        f"That prints:\n\n```txt\n{block}```\n\n## Again\n\n1. Run it:\n\n{indented}\n| go | ycsb |\n|---|---|\n"
    )
    assert readers.format_of(page.encode()) == go_ycsb.FORMAT
    first, second = parsed(go_ycsb, tmp_path, page)
    assert (first.attempted, first.threads, first.throughput_ops_s) == (100, 16, 50.0)
    assert figures(first)[:2] == figures(second)[:2]


def test_a_page_may_quote_no_end_and_name_all_commands_first(tmp_path):
    commands = "".join(f"$ bin/go-ycsb {kind} tidb -p {count}=100 --threads 4\n"
                       for kind, count in (("load", "recordcount"), ("run", "operationcount")))  # fmt: skip
    quotes = [line("INSERT", 9.0, 100, 5), line("READ", 2.0, 60, 5) + line("UPDATE", 2.0, 40, 6), line("READ", 1, 9, 5)]
    page = f"# Trying TiDB\n\n```\n{commands}```\n" + "".join(f"It said:\n```\n...\n{q}```\n" for q in quotes)
    assert readers.format_of(page.encode()) == go_ycsb.FORMAT
    load, run, cut = parsed(go_ycsb, tmp_path, page)
    assert [(log.columns["phase"], log.threads, log.throughput_ops_s) for log in (load, run)] == [
        ("load", 4, 100 / 9), ("run", 4, 50.0)
    ]  # fmt: skip
    assert (cut.overall_count, cut.threads, cut.command_line) == (0, None, "")
    course_and_end = f"# TiKV\n```\n{quotes[2]}```\nAt last:\n```\nRun finished, takes 2s\n{quotes[1]}```\n"
    assert one(go_ycsb, tmp_path, course_and_end).attempted == 100


def test_lines_may_have_lost_their_ends(tmp_path):
    joined = "Run finished, takes 2s " + " ".join(line(name, 2.0, 50, 5).strip() for name in ("READ", "UPDATE"))
    page = f"## go-ycsb\n```\n./bin/go-ycsb run mysql -P a --threads 16\n```\n```\n{joined}\n```\n"
    (tmp_path / "notes.md").write_text(page)
    run = ingest.read([tmp_path]).runs.iloc[0]
    assert (run["format"], run["operations"], run["threads"], run["throughput_ops_s"]) == ("go-ycsb", 100, 16, 50.0)


def transactions(threads: int) -> str:
    """What a transactional fork prints of a run: its settings, calls, COMMITs, and whole transactions besides."""
    rows = [("COMMIT", 1800, 10_000), ("COMMIT_ERROR", 200, 5000), ("READ", 5900, 9000), ("READ_ERROR", 100, 9000),
            ("Start", 2000, 20), ("TOTAL", 13_500, 20_000), ("TXN", 1800, 37_000), ("TXN_ERROR", 200, 32_000),
            ("TxnGroup", 2000, 36_500)]  # fmt: skip
    head = f"-----------------\nMode: run\nThreadNum: {threads}\n-----------------\nRun finished, takes 20s\n"
    return head + "".join(line(name, 20, count, mean, high=90_000) for name, count, mean in rows)


def test_a_failed_commit_spoils_the_operations_it_was_for(tmp_path):
    first, second = parsed(go_ycsb, tmp_path, transactions(4) + "Error Summary:\n\n" + transactions(8))
    assert [log.threads for log in (first, second)] == [4, 8]
    assert (first.attempted, first.failed, first.throughput_ops_s) == (6000, 600, 300)


def test_whole_transactions_are_not_counted_beside_their_calls(tmp_path):
    log = one(go_ycsb, tmp_path, transactions(4))
    # Calls and COMMITs take 73.04 of the 80 seconds that four threads have; with TXN and TxnGroup it would be 219.
    assert checks.utilisation(log, 4) == pytest.approx(0.913, abs=1e-3)
    assert Warn.LITTLE_LAW not in checks.warnings(log, run_phase="run", threads=4, asked=4)


def test_of_commands_in_one_line_the_last_counts(tmp_path):
    command = "cd b && bin/go-ycsb load x -P workloads/workloada && bin/go-ycsb run x -P a --threads 4"
    log = one(go_ycsb, tmp_path, f"{command}\nRun finished, takes 2s\n" + line("READ", 2, 100, 9))
    assert (log.columns["phase"], log.threads, log.command_line[:14]) == ("run", 4, "bin/go-ycsb ru")


def test_emphasis_inside_lines_hides_nothing(tmp_path):
    plain = "# Slow?\n\n" + LOG
    emphasised = plain.replace("OPS: 562.5,", "**OPS: 562.5,**").replace("Takes(s): 4.0", "**Takes(s): 4.0**")
    assert figures(one(go_ycsb, tmp_path, emphasised)) == figures(one(go_ycsb, tmp_path, plain))
    assert readers.format_of(emphasised.encode()) == go_ycsb.FORMAT


def old(name: str, count: int) -> str:
    return f"{name:<6} - Count: {count}, Avg(us): 640, Min(us): 11, Max(us): 9000, 95th(us): 1000, 99th(us): 2000\n"


COURSE = old("READ", 300) + old("UPDATE", 290) + old("READ", 640) + old("UPDATE", 660)


def test_lines_of_the_first_releases_are_of_a_run_whose_end_tells_its_time(tmp_path):
    log = one(go_ycsb, tmp_path, COURSE + "Run finished, takes 2.5s\n" + old("READ", 690) + old("UPDATE", 710))
    assert (log.overall_count, log.runtime_ms, log.throughput_ops_s) == (1, 2500, 560)
    assert dict(log.by_operation["READ"].percentiles) == {95: 1000, 99: 2000}
    assert checks.verdict(log).outcome == Outcome.COMPLETED
    assert not log.series.lines
    assert not log.conflicts


@pytest.mark.parametrize("before", ["", "```\n./go-ycsb run tikv -P workloads/workloada -p operationcount=9000\n"])
def test_without_that_end_they_are_a_run_that_was_cut(tmp_path, before):
    text = f"I run this:\n{before}{COURSE}"
    assert readers.format_of(text.encode()) == go_ycsb.FORMAT
    log = one(go_ycsb, tmp_path, text)
    assert log.truncated
    verdict = checks.verdict(log)
    assert verdict.outcome == Outcome.INCOMPLETE
    assert "reason-nothing" not in str(verdict)


def test_counts_of_others_are_none_of_its_lines():
    assert readers.format_of(b"# Log\n\nERRORS - Count: 12\nTOTAL - Count: 40, of which 3 are new\n") == ""


@pytest.mark.parametrize(("asked", "has_ended"), [(100, True), (90, True), (101, False)])
def test_as_many_operations_as_were_asked_for_are_all_whatever_the_threads(tmp_path, asked, has_ended):
    table = "\n".join(line for line in TABLE.splitlines() if "threadcount" not in line).replace("3000", str(asked))
    log = one(go_ycsb, tmp_path, f"{table}\n" + line("READ", 4.0, 60, 5) + line("UPDATE", 4.0, 40, 6))
    assert (log.overall_count == 1) is has_ended
    assert log.throughput_ops_s == (25 if has_ended else pytest.approx(math.nan, nan_ok=True))


def test_what_kubectl_prints_before_the_end_of_a_run_is_no_part_of_it(tmp_path):
    text = f"Status:\n    Message:               Run finished, takes 16.5s\n{line('INSERT', 16.5, 9900, 5)}"
    log = one(go_ycsb, tmp_path, text)
    assert (log.overall_count, log.runtime_ms, log.throughput_ops_s) == (1, 16_500, 600)
