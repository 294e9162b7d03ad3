"""Logs as people keep them: notebooks, searches through several logs, numbered repeats, logs of pods."""

import json

import pytest

from ycsbook import ingest
from ycsbook.ingest.archive import update


def log(reads: int, threads: int = 0) -> str:
    text = f"[OVERALL], RunTime(ms), 1000\n[OVERALL], Throughput(ops/sec), {reads}.0\n"
    text += f"[CLEANUP], Operations, {threads}\n" if threads else ""
    return text + f"[READ], Operations, {reads}\n[READ], AverageLatency(us), 9.5\n[READ], Return=OK, {reads}\n"


def runs_of(folder, texts: dict[str, str]):
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return ingest.read([folder]).runs


def test_a_notebook_has_the_command_of_a_cell_behind_what_it_printed(tmp_path):
    # Jupyter sorts the keys of its JSON: outputs, then source.
    def cell(command: str, reads: int) -> dict:
        output = {"name": "stdout", "output_type": "stream", "text": log(reads).splitlines(keepends=True)}
        return {"cell_type": "code", "metadata": {}, "outputs": [output], "source": ["# one\n", command]}

    run = "!bin/ycsb run mongodb -P workloads/workload{} -threads {}"
    cells = [cell(run.format("b", 16), 500), cell(run.format("c", 32), 900)]
    notebook = json.dumps({"cells": cells, "nbformat": 4}, indent=1, sort_keys=True)
    runs = runs_of(tmp_path, {"runs.ipynb": notebook})
    assert runs[["workload", "threads", "throughput_ops_s"]].values.tolist() == [["b", 16, 500], ["c", 32, 900]]
    assert runs["warnings"].str.split().map({"THREADS_UNKNOWN", "WORKLOAD_INFERRED"}.isdisjoint).all()
    lines = notebook.splitlines()
    assert all("Throughput" in lines[int(source.rpartition(":")[2]) - 1] for source in runs["source"])


def searched(names: list[str], lines: list[str]) -> str:
    return "".join(f"{name}:{line.format(at)}\n" for at, name in enumerate(names, 1) for line in lines)


TOTALS = ["[OVERALL], RunTime(ms), {}000", "[OVERALL], Throughput(ops/sec), 500.0"]


@pytest.mark.parametrize("lines", [TOTALS[1:], [*TOTALS, "[READ], AverageLatency(us), 9.5"]])
def test_a_search_through_logs_has_their_names_before_their_lines(tmp_path, lines):
    # grep -r Throughput: these are files of other runs, no clients of one.
    names = [f"workloada/threads_{threads}/run{n}.txt" for threads in (16, 32) for n in (1, 2)]
    (tmp_path / "found.txt").write_text(searched(names, lines))
    runs = ingest.read([tmp_path]).runs
    assert runs[["threads", "repeat"]].values.tolist() == [[16, 1], [16, 2], [32, 1], [32, 2]]
    assert (runs["outcome"] == "completed").all() and (runs["throughput_ops_s"] == 500).all()
    assert (runs["workload"] == "a").all() and (runs["clients"] == 1).all() and runs["spec"].nunique() == 1
    assert not update([tmp_path / "found.txt"], tmp_path / "tables").remarks


def test_a_search_through_logs_of_several_servers_tells_them_apart(tmp_path):
    names = [f"./{server}_workloada_t8.log" for server in ("mongo", "redis")]
    runs = runs_of(tmp_path, {"found.txt": searched(names, TOTALS)})
    assert runs["spec"].tolist() == ["mongo", "redis"] and (runs["threads"] == 8).all()


@pytest.mark.parametrize("name", ["{}", "run{}", "rep{}"])
def test_files_that_count_are_repeats_below_a_folder_that_says_the_threads(tmp_path, name):
    files = [(8, 1), (8, 2), (16, 1)] if name != "{}" else [(8, 1), (8, 2)]
    texts = {f"workloada/thread{threads}/{name.format(n)}.txt": log(500 + n) for threads, n in files}
    runs = runs_of(tmp_path / "mine", texts).sort_values(["threads", "repeat"])
    assert runs[["threads", "repeat"]].values.tolist() == [list(file) for file in files]
    assert (runs["spec"] == "mine").all()


def test_what_is_drawn_for_a_pod_names_no_server(tmp_path):
    pods = {f"ycsb-c-16-{drawn}.log": log(reads, threads=16) for drawn, reads in (("4xk2p", 4000), ("9zq7d", 5000))}
    assert runs_of(tmp_path / "jobs", pods)["spec"].tolist() == ["jobs", "jobs"]
    assert runs_of(tmp_path / "others", {"ycsb-c-16-m5x.log": log(4000, threads=16)})["spec"].tolist() == ["m5x"]


@pytest.mark.parametrize("head", ["Threads: {}", "======== threads: {} ========", "=== Running with {} threads ==="])
def test_a_line_with_the_threads_holds_for_the_logs_below_it_until_the_next(tmp_path, head):
    parts = [
        f"{head.format(threads) if letter == 'b' else ''}\nworkload{letter}\n{log(4000 + threads + ord(letter))}"
        for threads in (8, 16)
        for letter in "bc"
    ]
    runs = runs_of(tmp_path, {"all.log": "".join(parts)})
    assert runs["workload"].tolist() == [*"bcbc"] and runs["threads"].tolist() == [8, 8, 16, 16]


def test_a_line_of_operations_is_no_title_of_its_log(tmp_path):
    end = "[READ: Count=900 Max=9.5 Min=1.5 Avg=3.5]\nRun runtime(sec): 1\nRun operations(ops): 900\n"
    logs = (f"{name}:\n\n2026-03-01 08:00:00 1 sec: 900 operations; \n{end}Run throughput(ops/sec): 900\n\n"
            for name in ("LevelDB", "TreeDB"))  # fmt: skip
    runs = runs_of(tmp_path, {"cpp.md": f"# Reads\n\n```\n{''.join(logs)}```\n"})
    assert runs["spec"].tolist() == ["leveldb", "treedb"]


@pytest.mark.parametrize("end", ["```", "</code></pre></body></html>", "~~~"])
def test_a_page_without_a_last_newline_quotes_a_whole_log(tmp_path, end):
    row = "READ   - Takes(s): 2.0, Count: 1000, OPS: 500.1, Avg(us): 9, Min(us): 4, Max(us): 60, 99th(us): 50\n"
    text = f"# go-ycsb\n\n```\nbin/go-ycsb run x --threads 4\nRun finished, takes 2.001s\n{row}{end}"
    (run,) = runs_of(tmp_path, {"page.md": text}).to_dict("records")
    assert "TRUNCATED" not in run["warnings"] and run["threads"] == 4


@pytest.mark.parametrize(("name", "parts"), [("Workload", "Operation type"), ("工作负载", "操作类型")])
def test_of_two_columns_of_mixes_that_of_the_workload_names_them(tmp_path, name, parts):
    rows = "| Workload B | 95% read / 5% update | 900 |\n| Workload D | 95% read / 5% insert | 700 |\n"
    text = f"# 16 threads\n\n| {name} | {parts} | ops/s |\n|---|---|---|\n{rows}"
    runs = runs_of(tmp_path, {"page.md": text})
    assert runs["workload"].tolist() == ["b", "d"] and runs["dataset"].nunique() == 1


def test_a_folder_has_the_table_whose_headings_are_threads_alone(tmp_path):
    runs = runs_of(
        tmp_path, {"hw.md": "## index update\n\n|  | 64T | 128T |\n|---|---|---|\n| TPS | 8466.5 | 11223.5 |\n"}
    )
    assert runs[["threads", "throughput_ops_s"]].values.tolist() == [[64, 8466.5], [128, 11223.5]]


def test_a_row_of_ranges_is_no_row_of_headings(tmp_path):
    head = "# 16 threads\n\n| Database | Workload A | Workload C |\n|---|---|---|\n"
    rows = "| Mine | 31,830 ops/sec | 28,913 ops/sec |\n| Other | 20-50K ops/sec | 50-100K ops/sec |\n"
    (tmp_path / "page.md").write_text(head + rows + "| Third | 95K ops/sec | 90K ops/sec |\n")
    tables, rejected = ingest.read_with_rejects([tmp_path / "page.md"])
    assert tables.runs.empty and "lacks throughput" in rejected[0].reason  # 95 thousand are none of a system 20-50K
