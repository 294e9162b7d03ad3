"""YCSB-cpp: cumulative status lines, three figures at the end, several runs in a file, pages that quote.

YCSB-C: a rate in thousands below its label, loads with or without one, forks with the figure in the label's line.
"""

import math
from dataclasses import replace

import pytest
from log_harness import one, parsed, rows

from ycsbook import ingest
from ycsbook.ingest import readers
from ycsbook.ingest.readers import ycsb
from ycsbook.ingest.readers.ycsb_cpp import YcsbC, YcsbCpp
from ycsbook.ingest.runs import checks
from ycsbook.ingest.runs.rows import from_log
from ycsbook.verdicts import Outcome, Warn

COMMAND = "$ ./ycsb -load -run -db rocksdb -P workloads/workloada -p threadcount=4 -s"


def status(seconds: int, operations: int, *parts: str) -> str:
    return f"2025-02-03 04:05:{seconds:02d} {seconds} sec: {operations} operations; {' '.join(parts)}".rstrip()


def part(name: str, count: int, mean: float) -> str:
    tail = "90=8.10 99=20.50 99.9=31.00 99.99=40.00"
    return f"[{name}: Count={count} Max={10 * mean:.2f} Min=0.50 Avg={mean:.2f} {tail}]"


def end(phase: str, runtime: str, operations: int, rate: str) -> str:
    return (
        f"{phase} runtime(sec): {runtime}\n{phase} operations(ops): {operations}\n{phase} throughput(ops/sec): {rate}\n"
    )


LOAD = "\n".join([status(0, 0), status(10, 60_000, part("INSERT", 60_000, 5)),
                status(16, 100_000, part("INSERT", 100_000, 6)), end("Load", "16.25", 100_000, "6153.85")])  # fmt: skip
RUN = "\n".join([status(0, 0), status(10, 30_000, part("READ", 14_900, 8), part("UPDATE", 15_100, 9)),
               status(14, 50_000, part("READ", 25_060, 7), part("UPDATE", 24_940, 9.5)),
                 end("Run", "13.7931", 50_000, "3625")])  # fmt: skip
LOG = f"{COMMAND}\n{LOAD}{RUN}"
PLAIN = end("Run", "2.5", 100_000, "40000")


def test_a_load_and_a_run_in_one_file_are_two(tmp_path):
    load, run = parsed(YcsbCpp, tmp_path, LOG)
    assert [log.columns["phase"] for log in (load, run)] == ["load", "run"]
    assert [log.threads for log in (load, run)] == [4, 4]
    assert (load.throughput_ops_s, load.runtime_ms, load.attempted) == (100_000 / 16.25, 16_250.0, 100_000)
    read, update = (run.by_operation[name] for name in ("READ", "UPDATE"))
    assert (read.count, read.mean_us, read.max_us, update.count) == (25_060, 7.0, 70.0, 24_940)
    assert dict(read.percentiles) == {90: 8.1, 99: 20.5, 99.9: 31.0, 99.99: 40.0}
    assert [checks.verdict(log).outcome for log in (load, run)] == [Outcome.COMPLETED] * 2
    assert not any(map(checks.counts_disagree, (load, run)))


def test_intervals_are_what_was_done_since_the_line_before(tmp_path):
    run = parsed(YcsbCpp, tmp_path, LOG)[1]
    (ten_s, first, mean), (_, second, _) = rows(run, "READ")
    assert (ten_s, first, mean, second) == (10, 14_900, 8.0, 10_160)
    assert run.series.last_operations == 50_000


@pytest.mark.parametrize("stray", [status(20, 90), "2025-02-01 04:05:02 2 sec: 90 operations;",
                                   "2025-2-1 4:05:02 2 sec: 90 operations;"])  # fmt: skip
def test_status_lines_of_another_time_are_of_another_run(tmp_path, stray):
    cut, run = parsed(YcsbCpp, tmp_path, f"{stray}\n\n{RUN}")
    assert cut.truncated and cut.series.last_operations == 90 and run.series.lines == 4
    assert not run.series.stepped and not checks.counts_disagree(run)


def test_a_figure_that_does_not_follow_from_the_others_is_a_conflict(tmp_path):
    log = one(YcsbCpp, tmp_path, end("Run", "2.5", 100_000, "44000"))
    assert log.conflicts == ("throughput",)


def test_without_status_lines_only_the_number_is_known(tmp_path):
    log = one(YcsbCpp, tmp_path, PLAIN)
    assert (list(log.by_operation), log.attempted, log.throughput_ops_s) == (["TOTAL"], 100_000, 40_000)
    assert checks.verdict(log).outcome == Outcome.COMPLETED
    load = one(YcsbCpp, tmp_path, PLAIN.replace("Run", "Load"))
    assert list(load.by_operation) == ["INSERT"]
    # What was read of the first is not known; of a load nothing is.
    assert [str(from_log(of)["read_fraction"]) for of in (log, load)] == ["nan", "0.0"]


def test_failures_count_where_a_fork_prints_them(tmp_path):
    text = PLAIN.replace(
        "Run operations(ops): 100000", "Run operations success(ops): 99000\nRun operations fail(ops): 1000"
    )
    log = one(YcsbCpp, tmp_path, text)
    assert (log.attempted, log.failed) == (100_000, 1_000)
    named = RUN.replace("operations(ops): 50000", "operations success(ops): 49990\nRun operations fail(ops): 10")
    log = one(YcsbCpp, tmp_path, named)
    assert (log.attempted, log.failed) == (50_000, 10)
    # Its status lines and its rate may be of those that succeeded.
    of_good = named.replace("success(ops): 49990", "success(ops): 50000")
    log = one(YcsbCpp, tmp_path, of_good)
    assert (log.attempted, log.failed, sum(s.count for s in log.summaries)) == (50_010, 10, 50_000)
    assert log.by_operation["READ"].mean_us > 0 and not log.conflicts


def test_operations_that_failed_stand_apart(tmp_path):
    text = RUN.replace("[UPDATE: Count=24940", "[UPDATE-FAILED: Count=40 Max=9 Min=1 Avg=2.00] [UPDATE: Count=24900")
    log = one(YcsbCpp, tmp_path, text)
    assert (log.attempted, log.failed, log.by_operation["UPDATE-FAILED"].mean_us) == (50_000, 40, 2.0)


def test_more_calls_than_operations_are_those_inside_of_others(tmp_path):
    log = one(
        YcsbCpp, tmp_path, RUN.replace("operations(ops): 50000", "operations(ops): 30000").replace("3625", "2175")
    )
    assert log.series.last_operations == 30_000
    assert (log.by_operation["READ-MODIFY-WRITE"].count, log.attempted) == (20_000, 30_000)
    assert not checks.counts_disagree(log)


@pytest.mark.parametrize("lost", ["Run throughput", "Run operations", "14 sec"])
def test_a_run_without_its_end_is_incomplete(tmp_path, lost):
    log = one(YcsbCpp, tmp_path, RUN[: RUN.index(lost)])
    assert checks.verdict(log).outcome == Outcome.INCOMPLETE and log.truncated
    assert math.isnan(log.throughput_ops_s)


@pytest.mark.parametrize(
    "text",
    [LOG, RUN, PLAIN, LOAD[:80], RUN.replace("-02-03 04", "-2-3 4"), f"# Results\n\n    {PLAIN.splitlines()[0]}\n"],
)
def test_it_is_told_from_ycsb(text):
    assert readers.format_of(text.encode()) == YcsbCpp.FORMAT
    assert not ycsb.recognises(text.encode())


def test_pages_that_quote_runs_are_read(tmp_path):
    indented = "\n".join(f"    {line}" for line in RUN.splitlines())
    (tmp_path / "notes.md").write_text(f"# Tuning\n\n## One\n```\n{LOG}```\n\n## Two\n\n{indented}\n")
    tables = ingest.read([tmp_path])
    assert (tables.runs["format"].unique().tolist(), len(tables.runs)) == ([YcsbCpp.FORMAT], 3)
    assert (tables.runs["outcome"] == "completed").all()
    assert tables.runs["workload"].iloc[1] == "a"


# YCSB-C

YCSB_C_RUN = (
    "$ ./ycsbc -db redis -threads 8 -P workloads/workloadb.spec\n"
    "# Loading records:\t200000\n# Transaction throughput (KTPS)\nredis\tworkloads/workloadb.spec\t8\t71.25\n"
)
YCSB_C_BOTH = (
    "# Loading records:      30000\n# Load throughput (KTPS)\nrocksdb   workloads/load.spec   4       12.5\n"
    "# Transaction count:    90000\n# Transaction throughput (KTPS)\nrocksdb   workloads/workloada.spec      4     25\n"
)
YCSB_C_BEHIND = (
    "rocksdb\tworkloads/workloadc.spec\t16\n# Loading records:\t1000\n# Load throughput (KOPS): 2.5\n"
    "# Run operations:\t5000\n# Run throughput (KOPS): 1.25e+03\n"
)


def test_a_run_of_ycsb_c_has_nothing_but_its_rate(tmp_path):
    log = one(YcsbC, tmp_path, YCSB_C_RUN)
    assert (log.throughput_ops_s, log.threads, log.summaries) == (71_250, 8, ())
    assert log.columns == {"dataset": "redis", "threads": 8, "workload": "b", "phase": "run", "records": 200_000}
    assert log.is_excerpt and checks.verdict(log).outcome == Outcome.COMPLETED
    assert log.source.endswith(":4")


def test_a_load_with_a_rate_is_a_run_of_its_own(tmp_path):
    load, run = parsed(YcsbC, tmp_path, YCSB_C_BOTH)
    assert [log.columns["phase"] for log in (load, run)] == ["load", "run"]
    assert (load.throughput_ops_s, load.runtime_ms, load.attempted) == (12_500, 2_400, 30_000)
    assert not checks.counts_disagree(load) and not load.is_excerpt
    assert (run.throughput_ops_s, run.columns["workload"], run.columns["records"]) == (25_000, "a", 30_000)
    assert math.isnan(run.runtime_ms)


def test_figures_may_stand_behind_their_label(tmp_path):
    load, run = parsed(YcsbC, tmp_path, YCSB_C_BEHIND)
    assert (load.throughput_ops_s, run.throughput_ops_s) == (2_500, 1_250_000)
    assert [log.threads for log in (load, run)] == [16, 16]


@pytest.mark.parametrize(
    ("text", "rate", "columns"),
    [
        ("# Transaction throughput (KTPS)\nspecs/workloada.spec\t8\t234\n", 234_000, {"threads": 8, "workload": "a"}),
        ("# Transaction throughput (KTPS)\n234.5\n", 234_500, {}),
        ("# Transaction throughput (MOPS): 1.25\n", 1_250_000, {}),
        ("# Run throughput (OPS)\nredis\tmixed.spec\t4\t9000\n", 9_000, {"dataset": "redis", "threads": 4}),
    ],
)
def test_forks_print_other_units_and_less_of_the_run(tmp_path, text, rate, columns):
    assert readers.format_of(text.encode()) == YcsbC.FORMAT
    log = one(YcsbC, tmp_path, text)
    assert (log.throughput_ops_s, log.columns) == (rate, {**columns, "phase": "run"})


@pytest.mark.parametrize("text", [YCSB_C_RUN, YCSB_C_BOTH, YCSB_C_BEHIND, f"# Results\n\n```\n{YCSB_C_RUN}```\n"])
def test_ycsb_c_is_recognised(text):
    assert readers.format_of(text.encode()) == YcsbC.FORMAT


@pytest.mark.parametrize("cut", ["\t71.25\n", "# Transaction"])
def test_ycsb_c_that_was_cut_has_no_figures(tmp_path, cut):
    log = one(YcsbC, tmp_path, YCSB_C_RUN[: YCSB_C_RUN.index(cut) + 2])
    assert log.truncated and log.overall_count == 0 and math.isnan(log.throughput_ops_s)


def test_rows_of_a_folder(tmp_path):
    (tmp_path / "out.txt").write_text(YCSB_C_BOTH + YCSB_C_RUN)
    runs = ingest.read([tmp_path]).runs
    assert runs["throughput_ops_s"].tolist() == [12_500, 25_000, 71_250]
    assert runs["dataset"].tolist() == ["rocksdb", "rocksdb", "redis"]
    assert runs["goodput_ops_s"].isna().tolist() == [False, True, True]
    assert [Warn.EXCERPT in warnings for warnings in runs["warnings"]] == [False, True, True]


def test_operations_of_a_status_may_stand_in_a_line_of_their_own(tmp_path):
    split = one(YcsbCpp, tmp_path, RUN.replace("operations; [", "operations;\n["))
    whole = one(YcsbCpp, tmp_path, RUN)
    assert [replace(s, source="") for s in split.summaries] == [replace(s, source="") for s in whole.summaries]
    assert rows(split, "READ") == rows(whole, "READ")


def test_operations_that_nobody_tells_apart_contradict_no_workload(tmp_path):
    lines = "Run runtime(sec): 10\nRun operations(ops): 10000\nRun throughput(ops/sec): 1000\n"
    (tmp_path / "workloada.log").write_text(f"./ycsb -run -db rocksdb -P workloads/workloada -p threadcount=4\n{lines}")
    run = ingest.read([tmp_path]).runs.iloc[0]
    assert (run["workload"], run["threads"]) == ("a", 4)
    assert str(Warn.WORKLOAD_CONTRADICTED) not in run["warnings"].split()
