"""What the text of a page says of its tables: threads, server, version, topology, write concern; and what tells rows
apart that no figure does."""

import pytest
from page_samples import markdown as table
from page_samples import read

from ycsbook import ingest
from ycsbook.ingest import readers
from ycsbook.ingest.finding.annotations import Annotations
from ycsbook.ingest.published import page
from ycsbook.ingest.published.page_facts import facts_in

RATES = table(["Store", "QPS"], ["Alpha", 100], ["Beta", 200])


@pytest.mark.parametrize(
    ("text", "threads"),
    [
        ("All runs used 64 threads.", 64),
        ("## 50% read, 50% update, 100 Threads", 100),
        ("8 loaders with 75 threads each", 600),
        ("每台客户端 50 线程，共 4 台客户端", 200),
        ("并发线程数：128，数据量 1 亿", 128),
        ("./bin/ycsb run mongodb -threads 32 -P workloads/workloada", 32),
        ("400 client threads, w:1", 400),
        ("memtier, 40 connections × 8 threads", 320),
        ("4 threads, 50 connections per thread", 200),
        ("4 threads x 50 clients", 200),
        ("YCSB, 100 threads, each run 10 minutes", 100),
        ("16 cores / 32 threads; 8 client threads", 8),
        ("- **Thread Count:** 16\n- **Record Count:** 6,000,000", 16),
        ("Threads: `16`", 16),
        ("__Threads__: 16", 16),
        ("<p><b>Threads:</b> <code>16</code></p>", 16),
        ("Intel Xeon with 8 vCPU, 64 client threads", 64),
        ("- Cores: 8\n- RAM: 32 GB\n\nWe used 64 threads.", 64),
        ("wrk -t12 -c400 -d30s http://10.0.0.1:8080/read", 400),
        ("We used wrk with 12 threads and 400 connections.", 400),
        ("wrk, 4 threads, 50 connections per thread", 200),
    ],
)  # fmt: skip
def test_threads_of_the_text_are_those_of_tables_without(tmp_path, text, threads):
    if not text.startswith("#"):
        (runs, *_), rejected = read(tmp_path, f"# Bench\n\n{text}\n\n## Results\n{RATES}")
        assert rejected == [] and [run["threads"] for run in runs] == [threads] * 2
        assert {run["warnings"] for run in runs} == {"SETTINGS_INFERRED"}
    (runs, *_), _ = read(tmp_path, f"{text}\n{RATES}")
    assert [(r["dataset"], r["threads"], r["throughput_ops_s"]) for r in runs] == [
        ("page-alpha", threads, 100), ("page-beta", threads, 200),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "16 to 64 threads",
        "We took 16, 64 and 256 threads.",
        "up to 512 threads",
        "64 threads in one run. 128 threads in another.",
        "10 threads per client",
        "1 thread per connection",
        "an AMD Ryzen (16 cores, 32 threads)",
        "- CPU: Ryzen 5800X, 16 threads",
        "Hardware: Apple M1 Pro, 8 threads",
        "- **Cores:** 8\n- **Threads:** 16",
        "- Physical cores: 8\n- Threads: 16\n\nAll data in RAM.",
        "--io-threads 4",
        "./bin/ycsb load mongodb -threads 300",
    ],
)
def test_threads_that_are_not_plain_are_not_guessed(tmp_path, text):
    with pytest.raises(page.RunLogError, match="but no thread count"):
        read(tmp_path, f"# Bench\n\n{text}\n{RATES}")


def test_tables_without_threads_are_named_and_read_where_the_user_says_them(tmp_path):
    mine, counts = tmp_path / "page.md", table(["Operation", "Ops"], ["GET", 9])
    mine.write_text(f"{table(['Threads', 'QPS'], [8, 900])}\n## B\n{RATES}\n## C\n{counts}")
    tables, told = ingest.read_with_rejects(mine)
    assert list(tables.runs["threads"]) == [8]
    advice = "no thread count; read it with 'ycsbook ingest FILE --set threads=N --out TABLES'"
    assert [str(e) for e in told] == [f"{mine}:9: a table with throughput but {advice}"]
    tables, told = ingest.read_with_rejects(mine, annotations=Annotations.parse(["threads=32"]))
    assert told == [] and list(tables.runs["threads"]) == [8, 32, 32]
    mine.write_text(f"All runs had 64 threads.\n\n{RATES}")
    tables, _ = ingest.read_with_rejects(mine, annotations=Annotations.parse(["threads=32"]))
    assert list(tables.runs["threads"]) == [32, 32] and list(tables.runs["warnings"]) == ["", ""]
    assert advice in readers.described(RATES.encode())
    mine.write_text(f"## A\n{RATES}\n## B\n{RATES}")
    (refused,) = ingest.read_with_rejects(mine)[1]
    assert str(refused) == f"{mine}:3: a table with throughput but {advice}; also in lines 11"


def test_a_table_with_figures_that_is_not_read_is_named(tmp_path):
    read_one = f"# MongoDB 8c32g\n{table(['Threads', 'QPS'], [16, 21000], [32, 33000])}"
    writes = table(["Metric", "Value"], ["Write Throughput", "45,000 ops/s"], ["Read Throughput", "85,000 ops/s"])
    settings = table(["Setting", "Value"], ["cache", "8 GB"], ["nodes", 3])
    (runs, *_), told = read(tmp_path, f"{read_one}\n## Writes\n{writes}\n## Set-up\n{settings}")
    assert [run["throughput_ops_s"] for run in runs] == [21000, 33000]
    (error,) = told
    assert ":11: a table with figures is not read: it is headed 'Metric | Value' and lacks threads" in error
    mine = tmp_path / "mine.md"
    mine.write_text(f"{RATES}\n{table(['Operation', 'Ops', 'P99 (us)'], ['READ', 900, 5])}\n{writes}")
    _, told = ingest.read_with_rejects(mine, annotations=Annotations.parse(["threads=32"]))
    assert len(told) == 2 and all(str(error).endswith("and lacks throughput (QPS)") for error in told)
    _, told = read(tmp_path, f"{read_one}\n" + f"## Writes\n{writes}\n" * 60)
    assert len(told) == 51 and told[-1] == "page.md: 10 more of its rows cannot be read"


def test_tables_of_latencies_beside_those_that_are_read_are_named(tmp_path):
    rates = table(["Command", "Redis", "KeyDB"], ["SET", "120,000 req/s", "180,000 req/s"])
    for title, cells in (
        ("## Latency (ms)", table(["Command", "Redis", "KeyDB"], ["SET", 0.4, 0.3])),
        ("## Details", table(["avg", "p50", "p99"], ["2 ms", "1 ms", "9 ms"])),
    ):
        (runs, *_), told = read(tmp_path, f"# 50 clients\n{rates}\n{title}\n{cells}")
        assert len(runs) == 2 and len(told) == 1 and "a table with figures is not read" in told[0]
    (runs, *_), told = read(tmp_path, f"# 50 clients\n{rates}\n## Latency\n{table(['Disk', 'GB'], ['nvme', 100])}")
    assert len(runs) == 2 and told == []


@pytest.mark.parametrize(
    ("heading", "is_read"),
    [("Expected performance", False), ("Benchmark Results (Expected)", False), ("Performance targets", False),
     ("预期性能", False), ("Expected vs actual", True), ("Target 5000 ops/s", True)],
)  # fmt: skip
def test_what_a_heading_says_was_not_measured_is_no_run(tmp_path, heading, is_read):
    text = f"# Bench\n{table(['Threads', 'QPS'], [8, 900])}\n## {heading}\n{table(['Threads', 'QPS'], [16, 1700])}"
    (runs, *_), told = read(tmp_path, text)
    assert [run["threads"] for run in runs] == ([8, 16] if is_read else [8])
    assert told == ([] if is_read else [f"page.md:10: heading '{heading}': not measured, expected runs"])


def test_workers_are_the_threads_where_nothing_else_says_them(tmp_path):
    for name in ("workers", "Worker", "goroutines", "# of workers"):
        rates = table([name, "ops/sec"], [1, 100], [4, 350])
        (runs, *_), rejected = read(tmp_path, rates)
        assert rejected == [] and [run["threads"] for run in runs] == [1, 4]
    for beside in ("Threads", "Clients"):
        (runs, *_), _ = read(tmp_path, table([beside, "Workers", "ops/sec"], [8, 2, 100], [16, 2, 150]))
        assert [run["threads"] for run in runs] == [8, 16]
    (runs, *_), _ = read(
        tmp_path, f"We used 64 threads.\n{table(['Setup', 'Workers', 'QPS'], ['x', 2, 100], ['y', 4, 150])}"
    )
    assert [run["threads"] for run in runs] == [64, 64]


def test_threads_of_wrk_are_no_concurrency(tmp_path):
    both = table(["Number of Threads", "Number of Connections", "Throughput (ops/s)"], [4, 120, 900], [8, 240, 1100])
    for text, threads in (("## Using wrk", [120, 240]), ("## Using YCSB, not wrk", [4, 8])):
        (runs, *_), _ = read(tmp_path, f"{text}\n{both}")
        assert [run["threads"] for run in runs] == threads
    alone = table(["Threads", "QPS"], [4, 900], [8, 1100])
    (runs, *_), told = read(tmp_path, f"## YCSB\n{alone}\n## wrk\n{alone}")
    assert [run["threads"] for run in runs] == [4, 8]
    assert "wrk threads | QPS" in told[0] and told[0].endswith("lacks threads")


@pytest.mark.parametrize(("title", "threads"), [("one run, single client", 1), ("4-client runs", 4), ("8 Threads", 8)])
def test_what_a_title_says_is_not_overruled_by_the_user(tmp_path, title, threads):
    mine = tmp_path / "page.md"
    mine.write_text(f"## Rates ({title})\n\nThroughput.\n{RATES}")
    for annotations in (Annotations(), Annotations.parse(["threads=2"])):
        tables, told = ingest.read_with_rejects(mine, annotations=annotations)
        assert told == [] and list(tables.runs["threads"]) == [threads, threads]


def test_of_columns_of_one_meaning_the_vague_ones_are_not_read(tmp_path):
    headings = ["Workload", "Mix", "Ops", "Throughput", "Requests/s", "Threads"]
    (runs, *_), told = read(tmp_path, table(headings, ["A", "50R/50U", 1000, "7 MB/s", 900, 8]))
    assert told == [] and [(run["workload"], run["throughput_ops_s"]) for run in runs] == [("a", 900)]


def test_the_nearest_section_counts(tmp_path):
    (runs, *_), _ = read(
        tmp_path, f"# 8 threads\n{RATES}\n## 16 threads\n{RATES}\n## Others\n{RATES.replace('00', '50')}"
    )
    assert [run["threads"] for run in runs] == [8, 8, 16, 16, 8, 8]
    (runs, *_), _ = read(tmp_path, f"Threads: 8\n{RATES}Threads: 32\n{RATES}")
    assert [run["threads"] for run in runs] == [8, 8, 32, 32]


def test_systems_across_with_the_threads_in_the_text(tmp_path):
    text = "3 nodes of 16 vCPU, 122 GiB; 8 loaders with 75 threads each.\n\nThroughput (ops/s)\n"
    (runs, *_), rejected = read(
        tmp_path, text + table(["Workload", "Alpha", "Beta"], ["A", "182k", "61k"], ["C", "9k", "-"])
    )
    assert rejected == []
    assert [(r["dataset"], r["workload"], r["throughput_ops_s"], r["threads"], r["spec"]) for r in runs] == [
        ("page-alpha", "a", 182_000, 600, "16c122g"), ("page-beta", "a", 61_000, 600, "16c122g"),
        ("page-alpha", "c", 9000, 600, "16c122g"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("One machine (16 cores, 64 GB), YCSB, 10M records", "16c64g"),
        ("- Server: **4 vCPU**, `16 GB` RAM\n\nOn Tuesday.", "4c16g"),
        ("The client has 16 cores, 64 GB.", "page"),
        ("Server: 16 cores, 64 GB. Others: 8 cores, 32 GB.", "page"),
        ("Router (4 vCPU, 16 GiB) * 2", "page"),
        ("Nobody has 0 cores, 4 GB.", "page"),
    ],
)
def test_a_server_of_the_text_is_that_of_rows_without(tmp_path, text, spec):
    ((run,), *_), _ = read(tmp_path, f"{text}\n{table(['Threads', 'QPS'], [8, 100])}")
    assert run["spec"] == spec and ("SETTINGS_INFERRED" in run["warnings"]) == (spec != "page")
    ((run,), *_), _ = read(tmp_path, f"{text}\n{table(['Spec', 'Threads', 'QPS'], ['2c4g', 8, 100])}")
    assert (run["spec"], run["warnings"]) == ("2c4g", "")


def test_version_topology_and_write_concern_are_facts_of_rows(tmp_path):
    rates = table(["Threads", "QPS"], [8, 100])
    ((run,), *_), _ = read(tmp_path, f"# 白皮书\n\nYCSB 0.17.0，MongoDB 5.0，三节点副本集，w:1。\n{rates}")
    assert (run["server_version"], run["topology"], run["write_concern"]) == ("MongoDB 5.0", "replica_set", "1")
    ((run,), *_), _ = read(tmp_path, f"# MongoDB 4.4 and 5.0\n\nReplica sets, sharded clusters. r:w = 95:5\n{rates}")
    assert run.keys().isdisjoint(("server_version", "topology", "write_concern"))
    (runs, *_), _ = read(tmp_path, f"# Test\n## w:1\n{rates}\n## w:majority\n{rates}")
    assert [(run["dataset"], run["write_concern"]) for run in runs] == [("page-1", "1"), ("page-majority", "majority")]
    assert list(facts_in("server_version", "ScyllaDB 5.4 vs Cassandra 4.1")) == ["ScyllaDB 5.4", "Cassandra 4.1"]


def test_latencies_of_transactions_belong_to_their_rate(tmp_path):
    headings = ["Transaction model", "Threads", "QPS", "TPS", "Average latency (ms)"]
    rows = [["Read Only", 35, "8,064.89", 504.06, 69.43], ["Write Only", 90, "8,805.21", "1,467.53", 61.32]]
    (runs, *_), rejected = read(tmp_path, table(headings, *rows))
    assert rejected == []
    assert [(run["workload"], run["throughput_ops_s"]) for run in runs] == [
        ("read-only", 504.06),
        ("write-only", 1467.53),
    ]
    assert not any("LITTLE_LAW" in run["warnings"] for run in runs)


def test_words_that_begin_rows_tell_them_apart(tmp_path):
    (runs, *_), _ = read(tmp_path, table(["Kind", "Threads", "QPS"], ["Cold", 35, 504], ["Warm", 25, 337]))
    assert [run["dataset"] for run in runs] == ["page-cold", "page-warm"]
    # Names of specs say nothing more.
    (runs, *_), _ = read(
        tmp_path, table(["Size", "Spec", "Threads", "QPS"], ["small", "2c4g", 8, 1], ["large", "4c8g", 8, 2])
    )
    assert [run["dataset"] for run in runs] == ["page", "page"]


def test_clusters_that_titles_name_are_told_apart(tmp_path):
    titles = [
        "Router (4 vCPU, 16 GiB) * 1; Store (4 vCPU, 16 GiB) * 3",
        "Router (4 vCPU, 16 GiB) * 2; Store (4 vCPU, 16 GiB) * 3",
    ]
    rates = [table(["Threads", "QPS"], [n, 100 * n]) for n in (35, 65)]
    for above in (titles, ["### 3 nodes, reads", "### 6 nodes, reads"]):
        (runs, *_), _ = read(tmp_path, "".join(f"{title}\n{rows}" for title, rows in zip(above, rates, strict=True)))
        assert len({run["dataset"] for run in runs}) == 2


def test_numbers_of_nodes_phases_and_mixes_are_no_repeats(tmp_path):
    (runs, *_), rejected = read(tmp_path, "8 threads\n" + table(["Nodes", "TPS"], [3, 300], [6, 600], [9, 900]))
    assert rejected == [] and [run["dataset"] for run in runs] == ["page-nodes-3", "page-nodes-6", "page-nodes-9"]
    (runs, *_), _ = read(tmp_path, "8 threads\n" + table(["Phase", "QPS"], ["Load", 300], ["Workload A", 600]))
    assert [(run["phase"], run["workload"]) for run in runs] == [("load", ""), ("run", "a")]
    (runs, *_), _ = read(tmp_path, "8 threads\n" + table(["Spec", "95%读5%更新 OPS", "100%读 OPS"], ["2c4g", 300, 600]))
    assert [(run["workload"], run["throughput_ops_s"]) for run in runs] == [("b", 300), ("c", 600)]


def test_a_mean_beside_percentiles_is_that_of_a_latency(tmp_path):
    rows, rejected = read(tmp_path, table(["Threads", "QPS", "avg", "P99"], [8, 100, "2 ms", "9 ms"]))
    assert rejected == [] and [o["mean_us"] for o in rows.operations] == [2000]


@pytest.mark.parametrize(
    "heading", ["Threads per client", "Threads (per client)", "Threads/client", "每个客户端线程数"]
)
@pytest.mark.parametrize(
    ("says", "n"),
    [
        ("We used 4 clients.", 4),
        ("Four YCSB clients ran.\n\nMore.", 4),
        ("Load came from 4 client machines", 4),
        ("Client VMs: 4\n\nText", 4),
        ("压测用了 4 台客户端", 4),
        ("2 to 4 clients", None),
        ("1, 2 and 4 clients", None),
        ("Up to 4 clients", None),
        ("4 connections, 16 threads", None),
        ("4 client cores", None),
        ("Nothing", None),
    ],
)
def test_threads_of_each_client_are_those_of_all_by_the_text_or_not_read(tmp_path, heading, says, n):
    of_each = table(["Spec", heading, "QPS"], ["2c4g", 4, 9069], ["4c8g", 8, 14_201])
    plain = table(["Spec", "Threads", "QPS"], ["8c16g", 5, 30_000])
    (runs, *_), rejected = read(tmp_path, f"# Bench\n\n## 50:50\n\n{says}\n{of_each}\n## 95:5\n{plain}")
    got = [(run["threads"], "SETTINGS_INFERRED" in run["warnings"]) for run in runs]
    assert got == [*([(4 * n, True), (8 * n, True)] if n else []), (5, False)]
    assert ["nothing says how many there were" in error for error in rejected] == ([] if n else [True])
