"""What manuals quote of a log: totals alone, with the command above them, and the server in a heading."""

import math

import pytest

from ycsbook import ingest
from ycsbook.ingest import archive
from ycsbook.ingest.readers import ycsb
from ycsbook.ingest.runs import checks
from ycsbook.verdicts import Outcome, Warn


def totals(runtime_ms: float, rate: float) -> str:
    return f"[OVERALL], RunTime(ms), {runtime_ms}\n[OVERALL], Throughput(ops/sec), {rate}\n"


def command(phase: str, threads: int = 64) -> str:
    return f"./bin/ycsb {phase} mongodb-async -s -P workloads/workloadb -p recordcount=200000 -threads {threads}\n"


MANUAL = (
    "# 性能\n\n## 1核2G 100G 硬盘\n\n```shell\n" + command("load") + totals(40_000.0, 5000.0) + command("run")
    + totals(50_000.0, 4000.0) + "```\n\n## 2核4G 100G 硬盘\n\n```shell\n" + command("load")
    + totals(20_000.0, 10_000.0) + "```\n"
)  # fmt: skip


def read_tables(folder, text: str, name: str):
    (folder / name).write_text(text, encoding="utf-8")
    return ingest.read([folder / name])


def read(folder, text: str, name: str = "manual.md"):
    return read_tables(folder, text, name).runs


def test_a_manual_of_totals_is_runs_with_what_they_have(tmp_path):
    runs = read(tmp_path, MANUAL)
    assert runs["throughput_ops_s"].tolist() == [5000, 4000, 10_000]
    assert runs["runtime_ms"].tolist() == [40_000, 50_000, 20_000]
    assert runs["phase"].tolist() == ["load", "run", "load"]
    assert runs["spec"].tolist() == ["1c2g", "1c2g", "2c4g"]
    assert (runs["threads"] == 64).all() and (runs["records"] == 200_000).all() and (runs["workload"] == "b").all()
    assert (runs["outcome"] == Outcome.COMPLETED).all()
    assert all(Warn.EXCERPT in warnings.split() for warnings in runs["warnings"])
    # What failed is not known.
    assert runs[["goodput_ops_s", "operations", "failed_operations"]].isna().all(axis=None)


@pytest.mark.parametrize(
    ("words", "phase"),
    [("## Load phase", "load"), ("## Results\n\nRunning the workload gives:", "run"), ("## 加载数据", "load"),
     ("# Load\n\n## Run", "run"), ("## Numbers", "run"), ("<h2>Loading the data</h2>", "load")],
)  # fmt: skip
def test_the_words_around_totals_tell_the_phase(tmp_path, words, phase):
    (run,) = read(tmp_path, f"{words}\n\n```\n{totals(1000.0, 500.0)}```\n").to_dict("records")
    assert run["phase"] == phase


def test_headings_tell_workload_and_threads_of_totals_alone(tmp_path):
    text = f"# Workload C\n\n## 16 threads, 8c32g\n\n{totals(1000.0, 500.0)}\n## 32 threads\n\n{totals(1000.0, 600.0)}"
    runs = read(tmp_path, text)
    assert runs["workload"].tolist() == ["c", "c"] and runs["threads"].tolist() == [16, 32]
    assert runs["spec"].tolist() == ["8c32g", ""]


def test_throughputs_alone_are_excerpts(tmp_path):
    text = "".join(f"Try {i}:\n[OVERALL], Throughput(ops/sec), {1000.5 + i}\n" for i in range(3))
    logs = ycsb.parse(text)
    assert [log.throughput_ops_s for log in logs] == [1000.5, 1001.5, 1002.5]
    assert all(checks.verdict(log).outcome == Outcome.COMPLETED and math.isnan(log.runtime_ms) for log in logs)
    latencies = ycsb.parse(text[: text.index("Try 1")] + "[READ], AverageLatency(us), 410.5\n")
    assert checks.verdict(latencies[0]).outcome == Outcome.COMPLETED
    assert latencies[0].by_operation["READ"].mean_us == 410.5
    # Of which those of an operation are fewer than those of the one before.
    text += "[READ], AverageLatency(us), 410.5\n[READ], MaxLatency(us), 900\n[UPDATE], AverageLatency(us), 5\n"
    assert checks.verdict(ycsb.parse(f"{text}```\n")[-1]).outcome == Outcome.COMPLETED
    assert checks.verdict(ycsb.parse(text)[-1]).outcome == Outcome.INCOMPLETE


@pytest.mark.parametrize(
    "text",
    [totals(1000.0, 500.0) + "[READ], Operations, 0\n[READ], Return=OK, 0\n", totals(-5.0, -3.0),
     "2023-05-06 10:26:26:218 10 sec: 9000 operations; 900 current ops/sec; [READ: Count=9000, Max=9, Avg=9]\n"
     + totals(10_000.0, 900.0), "[OVERALL], RunTime(ms), 5000\n",
     # Cut behind its totals.
     totals(1000.0, 500.0), f"YCSB Client 0.17.0\nLoading workload...\n{totals(1000.0, 500.0)}"],
)  # fmt: skip
def test_what_is_no_excerpt_stays_incomplete(text):
    assert checks.verdict(ycsb.parse(text)[0]).outcome == Outcome.INCOMPLETE


def test_totals_alone_between_words_are_excerpts():
    words = "Hi,\n\nwith the patch:\n{}HugePages: 12 kB\n\nwithout it:\n{}\nSo nothing changed.\n"
    logs = ycsb.parse(words.format(totals(5000.0, 2000.5), totals(6000.0, 1900.5)))
    assert [(log.throughput_ops_s, log.is_excerpt) for log in logs] == [(2000.5, True), (1900.5, True)]
    (crashed,) = ycsb.parse(f"{totals(5000.0, 2000.5)}[TOTAL_GCs], Count, 3\nThe client died.\n")
    assert not crashed.is_excerpt


def test_tables_beside_logs_are_named_and_those_of_their_lines_are_none(tmp_path):
    log = f"# 8 threads\n\n{totals(1000.0, 500.0)}"
    table = "| Cores | QPS | p99 (ms) |\n|---|---|---|\n| 4 | 12000 | 5 |\n\n"
    (tmp_path / "notes.md").write_text(table + log)
    (remark,) = archive.update([tmp_path / "notes.md"], tmp_path / "t").remarks
    assert "notes.md:1: a table with throughput but no thread count; put it" in remark
    lines = "| | Metric | P99 (us) |\n|---|---|---|\n| [READ] | AverageLatency(us) | 5 |\n\n"
    (tmp_path / "lines.md").write_text(lines + log)
    assert not archive.update([tmp_path / "lines.md"], tmp_path / "u").remarks


def test_totals_that_somebody_searched_for_are_excerpts():
    logs = ycsb.parse(totals(5000.0, 2000.5) + totals(6000.0, 1900.5))
    assert [(checks.verdict(log).outcome, log.is_excerpt) for log in logs] == [(Outcome.COMPLETED, True)] * 2
    whole = "[READ], Operations, 500\n[READ], Return=OK, 500\n"
    (crashed, _) = ycsb.parse(totals(5000.0, 2000.5) + totals(1000.0, 500.0) + whole)
    assert not crashed.is_excerpt


def test_a_page_with_whole_logs_tells_their_servers(tmp_path):
    read_ = "[READ], Operations, 1000\n[READ], AverageLatency(us), 9.5\n[READ], Return=OK, 1000\n"
    text = f"## Load test on 4 cores, 16 GB\n\n{totals(10_000.0, 100.0)}{read_}"
    (run,) = read(tmp_path, text).to_dict("records")
    assert (run["spec"], run["cores"], run["ram_gib"], run["phase"], run["operations"]) == ("4c16g", 4, 16, "run", 1000)


@pytest.mark.parametrize(
    ("typed", "phase"),
    [
        ("./build/ycsb --database lmdb --workload workloads/workloadb.toml --threads 12 load", "load"),
        ("./build/ycsb --threads=12 --workload=w/workloadb.toml run", "run"),
        ("$ ./ycsb -db lmdb -P workloads/workloadb -load -threads 12", "load"),
        ("./ycsb -load -db lmdb \\\n  -P workloads/workloadb -threads 12", "load"),
        ("./ycsb -run -db lmdb -P workloads/workloadb -threads 12", "run"),
        ("./ycsb -db lmdb -P workloads/workloadb -threads 12 -t", "run"),
    ],
)
def test_a_command_says_what_it_did_wherever_its_verb_stands(tmp_path, typed, phase):
    """Programs that are called ycsb, but are not YCSB's launcher."""
    run = read(tmp_path, f"```\n{typed}\n{totals(3000, 700.5)}```\n").iloc[0]
    assert (run["phase"], run["workload"], run["threads"]) == (phase, "b", 12)


@pytest.mark.parametrize("typed", ["./ycsb --help -threads 7", "We use ycsb - the tool to run -threads 7 with"])
def test_what_tells_no_program_what_to_do_is_no_command(tmp_path, typed):
    run = read(tmp_path, f"```\n{typed}\n{totals(3000, 700.5)}```\n").iloc[0]
    assert math.isnan(run["threads"])


def quoted(operations: int, dots: str) -> str:
    """A log of 1000 operations of which so many reads are shown."""
    read = f"[READ], Operations, {operations}\n[READ], AverageLatency(us), 55.5\n[READ], Return=OK, {operations}\n"
    return f"```\n{command('run')}{totals(2000.0, 500.0)}{read}{dots}\n```\n\nThe output says that all went well.\n"


@pytest.mark.parametrize("dots", ["...", "  ...", "…", "[READ], 0, 490\n....."])
def test_a_log_with_dots_for_operations_is_an_excerpt(tmp_path, dots):
    run = read(tmp_path, quoted(510, dots)).iloc[0]
    assert (run["throughput_ops_s"], run["outcome"]) == (500, Outcome.COMPLETED)
    assert math.isnan(run["goodput_ops_s"])
    warnings = run["warnings"].split()
    assert Warn.EXCERPT in warnings
    assert Warn.COUNTS_DISAGREE not in warnings


def test_dots_excuse_no_operations_too_many_and_hide_none_that_are_there(tmp_path):
    warnings = read(tmp_path, quoted(1200, "...")).iloc[0]["warnings"].split()
    assert Warn.COUNTS_DISAGREE in warnings and Warn.EXCERPT not in warnings
    assert read(tmp_path, quoted(1000, "...")).iloc[0]["goodput_ops_s"] == 500
    assert Warn.COUNTS_DISAGREE in read(tmp_path, quoted(510, "")).iloc[0]["warnings"].split()


def test_what_somebody_searched_for_in_a_log_is_no_cut_log(tmp_path):
    # grep -E 'OVERALL|Latency': YCSB prints the count of an operation before its latencies, so nothing was cut.
    latencies = "[READ], AverageLatency(us), 610.5\n[READ], 99thPercentileLatency(us), 2310\n"
    tables = read_tables(tmp_path, totals(40_000, 25_000.0) + latencies, "short.txt")
    (run,) = tables.runs.to_dict("records")
    assert run["outcome"] == Outcome.COMPLETED and Warn.EXCERPT in run["warnings"].split()
    assert run["throughput_ops_s"] == 25_000 and math.isnan(run["goodput_ops_s"])
    assert tables.operations["mean_us"].tolist() == [610.5] and tables.percentiles["latency_us"].tolist() == [2310]
    (cut,) = ycsb.parse(totals(40_000, 25_000.0) + "[CLEANUP], AverageLatency(us), 3.5\n")
    assert not cut.is_excerpt
