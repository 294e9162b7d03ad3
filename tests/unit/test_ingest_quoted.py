"""Documents that quote several logs: which title, command and words are of which log."""

import pytest
from typer.testing import CliRunner

from ycsbook import ingest
from ycsbook.commands import app
from ycsbook.ingest.readers import ycsb
from ycsbook.verdicts import Warn


def log(rate: float, operation: str = "READ") -> str:
    calls = int(rate * 10)
    return (
        f"[OVERALL], RunTime(ms), 10000\n[OVERALL], Throughput(ops/sec), {rate}\n[{operation}], Operations, {calls}\n"
        f"[{operation}], AverageLatency(us), 812.5\n[{operation}], Return=OK, {calls}\n"
    )


def fenced(*logs: str) -> str:
    return "".join(f"```\n{text}```\n\n" for text in logs)


def command(threads: int, verb: str = "run") -> str:
    return f"$ bin/ycsb {verb} mongodb -s -P workloads/workloadc -threads {threads}\n"


def read(folder, text: str, name: str = "notes.md"):
    (folder / name).write_text(text, encoding="utf-8")
    return ingest.read([folder / name]).runs


@pytest.mark.parametrize(
    ("above", "labels"),
    [
        (["## Result with No-LSE\nText.\n", "## Result with LSE\n"], ["No-LSE", "LSE"]),
        (["**WiredTiger**\n", "**MMAPv1**\n"], ["WiredTiger", "MMAPv1"]),
        (["Without the patch:\n", "With the patch:\n"], ["Without the patch", "With the patch"]),
        (["=== old kernel ===\n", "=== new kernel ===\n"], ["old kernel", "new kernel"]),
        (["<h2>EC2, M5.Large</h2>\n", "<h2>Fargate EFS</h2>\n"], ["EC2, M5.Large", "Fargate EFS"]),
        (["== Untuned ==\n<pre>\n", "== Tuned ==\n<pre>\n"], ["Untuned", "Tuned"]),
        (["h3. ext4\n{noformat}\n", "h3. xfs\n{noformat}\n"], ["ext4", "xfs"]),
        (
            ["<details><summary>baseline</summary>\n", "<details>\n<summary>with PR #1</summary>\n"],
            ["baseline", "with PR #1"],
        ),
        (["Before\n------\nfor long:\n", "After\n-----\nfor long:\n"], ["Before", "After"]),
        (["Azure SQL\n\n", "MyTopling\n\n"], ["Azure SQL", "MyTopling"]),
        (["Then I tried again with less.\n\n", "That took so much longer.\n\n"], ["", ""]),
        # Settings and repeats are no servers, nor is what all logs share.
        (["## 8 threads\n", "## 16 threads\n"], ["", ""]),
        (["## 8 threads, 64 connections\n", "## 16 threads / 1 connection\n"], ["", ""]),
        (["## 1 поток, 1 соединение\n", "## 2 потока, 20 соединений\n"], ["", ""]),
        (["## 并发数：64\n", "## 并发 128\n"], ["", ""]),
        (["## Concurrency = 64\n", "## Потоков: 128\n"], ["", ""]),
        (["## 50 concurrent users\n", "## 100个连接\n"], ["", ""]),
        (["## Load phase\n", "## Run phase\n"], ["", ""]),
        (["## Run 1\n", "## Run 2\n"], ["", ""]),
        (["## MongoDB\n", "\n"], ["", ""]),
        (["## Workload A (50% read, 50% update)\n", "## 95/5 read/update\n"], ["", ""]),
    ],
)
def test_the_title_between_two_logs_names_the_second(tmp_path, above, labels):
    text = "# Benchmarks\n\n" + "".join(f"{title}\n{fenced(log(900.0 + 10 * i))}" for i, title in enumerate(above))
    runs = read(tmp_path, text)
    assert runs["throughput_ops_s"].tolist() == [900, 910]
    assert [label.removesuffix(" patch") + " patch" * ("patch" in label) for label in runs["spec_label"]] == labels


@pytest.mark.parametrize(
    "title", ["=== Threads: {} | Iteration: {} ===", "{} threads | iteration {}:", "# T={0} | run"]
)
def test_bars_part_what_a_line_alone_says(tmp_path, title):
    titles = [title.format(threads, repeat).replace("T=", "threads=") for threads in (8, 16) for repeat in (1, 2)]
    runs = read(tmp_path, "".join(f"{title}\n\n{log(900.0 + 10 * i)}\n" for i, title in enumerate(titles)), "all.txt")
    assert runs["threads"].tolist() == [8, 8, 16, 16] and not runs["spec_label"].any()
    table = "# Setup\n\nSetting | Value\n---|---\nthreads | 32\n\n"
    assert read(tmp_path, table + fenced(log(900.0), log(910.0)), "table.md")["threads"].tolist() == [32, 32]


def test_a_title_of_a_section_holds_for_all_its_logs(tmp_path):
    parts = [(system, threads) for system in ("MongoDB 4.2", "MongoDB 4.4") for threads in (8, 16)]
    text = "# Bench\n" + "".join(
        (f"## {system}\n" if threads == 8 else "") + f"### {threads} threads\n{fenced(log(threads * 100.0))}"
        for system, threads in parts
    )
    runs = read(tmp_path, text)
    assert list(zip(runs["server_version"], runs["threads"], strict=True)) == parts
    assert runs["spec"].tolist() == ["mongodb-4.2"] * 2 + ["mongodb-4.4"] * 2


def test_commands_above_all_logs_are_given_out_in_order(tmp_path):
    commands = "".join(fenced(command(threads)) for threads in (8, 16, 32))
    logs = [log(rate) for rate in (800.0, 1500.0, 2500.0)]
    assert read(tmp_path, "# Runs\n" + commands + fenced(*logs))["threads"].tolist() == [8, 16, 32]
    # One more log than commands: nobody knows whose they are.
    runs = read(tmp_path, "# Runs\n" + commands + fenced(*logs, log(3000.0)))
    assert runs["threads"].isna().all()
    # Loads and runs have each their own.
    pair = fenced(command(4, "load") + command(64)) + fenced(log(100.0, "INSERT"), log(900.0))
    assert read(tmp_path, "# Runs\n" + pair)["threads"].tolist() == [4, 64]
    assert [found.command_line for found in ycsb.parse(command(4) + command(8) + log(900.0))] == [
        "run mongodb -s -P workloads/workloadc -threads 8"
    ]


def test_where_no_title_tells_logs_apart_the_bindings_of_their_commands_do(tmp_path):
    typed = "./target/release/ycsb --database {} --workload workloads/workloadc.toml --threads 20 run\n"
    words = ("Let's start with SQLite. First run it:\n", "and now the\nother, so run it:\n")
    parts = zip(words, ("lmdb", "rocksdb"), (800.0, 900.0), strict=True)
    text = "".join(f"{before}{fenced(typed.format(of) + log(rate))}" for before, of, rate in parts)
    assert read(tmp_path, "# Benchmarks\n" + text)["spec"].tolist() == ["lmdb", "rocksdb"]
    commands = "".join(f"Command line: -t -db site.ycsb.db.{of} -threads 8\n" + log(900.0) for of in ("Redis", "Jdbc"))
    assert read(tmp_path, commands, "both.log")["spec"].tolist() == ["redis", "jdbc"]
    lines = zip(*(part.splitlines() for part in commands.split("Command line")[1:]), strict=True)
    mixed = "".join(f"redis-1  | Command line{a}\npg-1     | Command line{b}\n" for a, b in [next(lines)])
    mixed += "".join(f"redis-1  | {a}\npg-1     | {b}\n" for a, b in lines)
    assert read(tmp_path, mixed, "compose.log")["spec"].tolist() == ["redis", "jdbc"]


@pytest.mark.parametrize(
    ("words", "threads"),
    [("I did benchmark with 1 thread and 2000 operations :", 1), ("- Client VMs: 15\n- Threads per client: 50", 750),
     ("using 32 client threads", 32), ("#### test2-thread 256", 256), ("并发线程数 100", 100),
     ("| Setting | Value |\n|---|---|\n| Threads | 64 |", 64)],
)  # fmt: skip
def test_words_above_a_log_or_a_table_say_its_threads(tmp_path, words, threads):
    run = read(tmp_path, f"# Results\n\n{words}\n\n{fenced(log(900.0))}").iloc[0]
    assert run["threads"] == threads and Warn.SETTINGS_INFERRED in run["warnings"]
    table = "| Workload | Throughput (ops/s) |\n|---|---|\n| C | 900 |\n"
    assert read(tmp_path, f"# Results\n\n{words}\n\n{table}").iloc[0]["threads"] == threads


def test_a_heading_of_half_the_threads_tells_that_the_binding_cleans_up_twice(tmp_path):
    text = "".join(f"### Run with {n} threads\n{log(900.0)}[CLEANUP], Operations, {2 * n}\n" for n in (4, 8))
    assert read(tmp_path, text)["threads"].tolist() == [4, 8]


@pytest.mark.parametrize("footer", ["Finished run with {} threads", "=== {} threads completed ===", "{}线程测试完成"])
def test_a_line_that_says_what_has_ended_is_of_no_log_below(tmp_path, footer):
    both = "".join(f"Begin: {n} threads\n{log(900.0 * n)}{footer.format(n)}\n" for n in (4, 8))
    assert read(tmp_path, both)["threads"].tolist() == [4, 8]
    below = "".join(f"{log(900.0 * n)}{footer.format(n)}\n\n" for n in (4, 8))
    assert read(tmp_path, below)["threads"].isna().all()
    assert read(tmp_path, f"{log(900.0)}## B\nCompleted with 8 threads:\n{log(800.0)}")["threads"].tolist()[1] == 8


def test_a_section_about_the_set_up_holds_for_those_beside_it(tmp_path):
    setup = "| 配置项 | 值 |\n|---|---|\n| 服务器 | 8核32G |\n| MongoDB 版本 | 4.4.6 |\n| 并发线程数 | 64 |\n"
    table = "| 负载 | 吞吐量(ops/s) |\n|---|---|\n| workloada | 900 |\n"
    run = read(tmp_path, f"# 压测\n\n## 一、测试环境\n\n{setup}\n## 二、结果\n\n{table}").iloc[0]
    assert (run["threads"], run["spec"], run["server_version"]) == (64, "8c32g", "MongoDB 4.4.6")
    run = read(tmp_path, f"# Test\n\n### Configuration\n\n- 16 threads\n\n### Results\n\n{fenced(log(900.0))}").iloc[0]
    assert run["threads"] == 16
    # A section of its own says nothing of another.
    assert read(tmp_path, f"# Test\n\n## MongoDB\n\n16 threads\n\n## Redis\n\n{table}", "apart.md").empty


def test_titles_of_logs_on_servers_alike_tell_data_sets_apart_and_those_of_sizes_do_not(tmp_path):
    text = "# Test\n\nEach server had 8 cores and 32 GB.\n\n## MongoDB\n\n{}## Redis\n\n{}"
    runs = read(tmp_path, text.format(fenced(log(900.0)), fenced(log(1700.0))))
    assert (runs["dataset"].tolist(), {*runs["spec"]}) == (["MongoDB", "Redis"], {"8c32g"})
    titles = [f"## {of} {shape}\n\n" for shape in ("4C16G", "8C32G") for of in ("MongoDB", "Redis")]
    runs = read(tmp_path, "# Test\n\n" + "".join(f"{of}{fenced(log(900.0 + n))}" for n, of in enumerate(titles)))
    assert runs["dataset"].tolist() == ["MongoDB", "Redis"] * 2
    assert runs["spec"].tolist() == ["4c16g", "4c16g", "8c32g", "8c32g"]
    sizes = f"# Test\n\n## Small\n\n4C16G\n\n{fenced(log(900.0))}## Large\n\n8C32G\n\n{fenced(log(1700.0))}"
    assert {*read(tmp_path, sizes)["dataset"]} == {""}


def test_servers_of_several_set_ups_are_none_of_a_log(tmp_path):
    text = "## Azure SQL setup\n\nWith 4 CPU cores and 20 GB of memory.\n\n## Topling setup\n\n4C16G\n\n## Results\n\n"
    runs = read(tmp_path, text + fenced(log(900.0), log(910.0)))
    assert runs["cores"].isna().all() and set(runs["spec"]) == {""}


def test_words_that_disagree_say_nothing_and_are_named(tmp_path):
    words = "# Results\n\nWe used 8 threads.\n\nLater we used 16 threads.\n\nThat gave:\n\n"
    assert read(tmp_path, words + fenced(log(900.0))).iloc[0]["threads"] != 8
    table = "| Workload | Throughput (ops/s) |\n|---|---|\n| C | 900 |\n"
    (tmp_path / "table.md").write_text(words + table)
    _, (refused,) = ingest.read_with_rejects([tmp_path / "table.md"])
    assert "no thread count that is plain: line 3, 5 leaves it open; read it with" in refused.reason


def test_a_log_below_a_table_that_is_read_is_named(tmp_path):
    table = "| 规格 | 线程 | QPS |\n| --- | --- | --- |\n| 2c4g | 100 | 3000 |\n| 4c8g | 100 | 6000 |\n\n"
    (tmp_path / "both.md").write_text(table + fenced(log(900.0)), encoding="utf-8")
    done = CliRunner().invoke(app, ["ingest", str(tmp_path / "both.md"), "--out", str(tmp_path / "out")])
    assert "2 runs" in done.output and "what it holds of ycsb is not read" in done.output


@pytest.mark.parametrize(
    "line",
    [
        "## 64 clients",
        "## 64 threads",
        "Threads: 64",
        "Потоков: 64",
        "Число потоков = 64",
        "线程数:64",
        "**Threads:** 64",
    ],
)
def test_a_heading_or_a_line_that_says_the_threads_counts_where_no_command_does(tmp_path, line):
    for text in (f"# Results\n\n{line}\n\n{fenced(log(900))}", f"{line}\n{log(900)}"):
        (run,) = read(tmp_path, text).to_dict("records")
        assert run["threads"] == 64 and Warn.SETTINGS_INFERRED in run["warnings"].split()
    (run,) = read(tmp_path, f"{line}\n{command(8)}{log(900)}").to_dict("records")
    assert run["threads"] == 8


def test_a_heading_says_the_threads_of_other_formats_as_well(tmp_path):
    go_ycsb = "Run finished, takes 18.47s\nREAD   - Takes(s): 18.5, Count: 50134, OPS: 2713.3, Avg(us): 1210, "
    go_ycsb += "Min(us): 342, Max(us): 24000, 99th(us): 4500, 99.9th(us): 12000, 99.99th(us): 23000\n"
    cpp = "Run runtime(sec): 10.0\nRun operations(ops): 1000000\nRun throughput(ops/sec): 100000\n"
    for text in (go_ycsb, cpp):
        for page in (f"# Results\n\n## 64 threads\n\n{fenced(text)}", f"Threads: 64\n{text}"):
            (run,) = read(tmp_path, page).to_dict("records")
            assert run["threads"] == 64 and Warn.SETTINGS_INFERRED in run["warnings"].split()


@pytest.mark.parametrize("line", ["Thread 12 failed", "## A single client", "16 to 64 threads"])
def test_other_lines_are_no_settings(tmp_path, line):
    (run,) = read(tmp_path, f"{line}\n{log(900)}").to_dict("records")
    assert run["threads"] != run["threads"]
