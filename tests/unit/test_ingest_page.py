"""Vendors' pages read directly: the rows of the published tables, in Markdown and HTML, Chinese and English."""

import gzip
import math
import subprocess
import sys
import unicodedata
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_samples import read

from ycsbook import paths
from ycsbook.columns import SCHEMAS
from ycsbook.errors import RunLogError
from ycsbook.ingest.files.sources import Source
from ycsbook.ingest.published import page, published
from ycsbook.ingest.published.page_headings import column
from ycsbook.ingest.published.page_reader import MAX_ERRORS
from ycsbook.verdicts import Outcome

TABLE = (
    "| 规格 | 并发数 | QPS | RAL | WAL | CPU 利用率 |\n|---|---|---|---|---|---|\n"
    "| 2核4G | 100 | 9069 | 21520 | 175 | 74% |\n"
)
RUN = (
    "./bin/ycsb run mongodb -s -P workloads/workloada -p mongodb.url=mongodb://me:password@h:1,i:2/admin{} -threads 100"
)


def told_of(folder, text: str) -> tuple[list[dict], list[str]]:
    """The runs of a page and the errors of what could not be read."""
    (runs, *_), errors = read(folder, text)
    return runs, errors


def one(folder, text: str) -> dict:
    ((run,), *_), _ = read(folder, text)
    return run


def test_a_row_of_the_page_is_a_published_run(tmp_path):
    (runs, operations, _), _ = read(tmp_path, "### 读写比 50:50\n\n" + TABLE, "My Page 4.0.md")
    assert runs == [
        {
            "dataset": "my-page-4.0", "run_id": "my-page-4.0-2c4g-a-t100", "format": "published-page",
            "spec": "2c4g", "spec_label": "2核4G", "cores": 2.0, "ram_gib": 4.0, "workload": "a", "read_fraction": 0.5,
            "threads": 100.0, "throughput_ops_s": 9069.0, "cpu_utilisation": 0.74, "phase": "run",
            "outcome": Outcome.PUBLISHED, "warnings": "", "source": "My Page 4.0.md:5",
        }
    ]  # fmt: skip
    assert operations == [
        {"run_id": "my-page-4.0-2c4g-a-t100", "operation": "READ", "mean_us": 21520.0, "source": "My Page 4.0.md:5"},
        {"run_id": "my-page-4.0-2c4g-a-t100", "operation": "UPDATE", "mean_us": 175.0, "source": "My Page 4.0.md:5"},
    ]
    assert set(runs[0]) <= set(SCHEMAS["runs"]) and set(operations[0]) <= set(SCHEMAS["operations"])


def test_what_breaks_littles_law_is_said(tmp_path):
    run = one(tmp_path, "# 50:50\n" + TABLE.replace("9069", "19069"))
    assert run["warnings"] == "LITTLE_LAW"


def test_a_mix_that_is_not_printed_is_missing(tmp_path):
    runs, _ = told_of(tmp_path, f"# Results\n\n{RUN.format('?w=0')}\n\n" + TABLE)
    assert (runs[0]["run_id"], runs[0]["workload"]) == ("page-2c4g-t100", "")
    assert math.isnan(runs[0]["read_fraction"])
    # Some of the operations may be writes.
    assert runs[0]["warnings"] == "UNACKED_WRITES"


@pytest.mark.parametrize(
    ("heading", "workload", "reads"),
    [
        ("### Read/Update 95:5", "b", 0.95),
        ("### Workload A", "a", math.nan),
        ("**读写比 50:50**", "a", 0.5),
        ("**Reads/Writes 80:20**:", "r80", 0.8),
        ("读写比 50:50\n-----------", "a", 0.5),
        ("<h2 class='x'>Mix <b>50</b>:50</h2>", "a", 0.5),
        ("<div><h2>\n 50%:50%\n</h2></div>", "a", 0.5),
        ("## 读&更新比95:5", "b", 0.95),
        ("## 读写比 50：50", "a", 0.5),
        ("## 0.95read/0.05update", "b", 0.95),
        ("## 50%/50%", "a", 0.5),
        ("<h3 id=x>100:0</h3>", "c", 1.0),
        ("## 读写各半", "a", 0.5),
    ],
)
def test_where_the_mix_stands(tmp_path, heading, workload, reads):
    run = one(tmp_path, f"{heading}\n\n{TABLE}")
    assert (run["workload"], run["read_fraction"]) == (workload, pytest.approx(reads, nan_ok=True))


@pytest.mark.parametrize(
    ("mixes", "reads"),
    [
        ("读写各半 | 只读 | 只写", [0.5, 1.0, 0.0]),
        ("只读", [1.0]),
        ("Read-only | Update-only | 95:5", [1.0, 0.0, 0.95]),
    ],
)
def test_columns_of_mixes_in_words(tmp_path, mixes, reads):
    n = len(reads)
    figures = " | ".join(str(4400 + 100 * i) for i in range(n))
    table = f"## 吞吐量(OPS)\n\n| 规格 | 线程数 | {mixes} |\n|{'-|' * (n + 2)}\n| 2核8GB | 100 | {figures} |\n"
    found = [(r["threads"], r["read_fraction"], r["throughput_ops_s"]) for r in told_of(tmp_path, table)[0]]
    assert found == [(100, share, 4400 + 100 * i) for i, share in enumerate(reads)]


def test_a_column_for_the_mix(tmp_path):
    table = "| Spec | Workload | Threads | Throughput (ops/s) |\n|-|-|-|-|\n"
    rows = "| 2c4g | 50:50 | 8 | 1 |\n| 2c4g | 95:5 | 8 | 2 |\n| 2c4g | workloadc | 8 | 3 |\n| 2c4g | D | 8 | 4 |\n"
    found = [(r["workload"], r["throughput_ops_s"]) for r in told_of(tmp_path, table + rows)[0]]
    assert found == [("a", 1), ("b", 2), ("c", 3), ("d", 4)]


def test_where_the_spec_stands(tmp_path):
    table = "| threads | QPS |\n|-|-|\n| 8 | {} |\n"
    text = f"# 50:50\n## 2核4G\n{table.format(1)}\n## Spec 4 vCPU, 8 GiB\n{table.format(2)}\n"
    bold = f"**95:5**\n\n**2c4g**\n\n{table.format(3)}\n\n**4c8g**\n\n{table.format(4)}"
    found = [(r["spec"], r["workload"], r["throughput_ops_s"]) for r in told_of(tmp_path, text + bold)[0]]
    assert found == [("2c4g", "a", 1), ("4c8g", "a", 2), ("2c4g", "b", 3), ("4c8g", "b", 4)]


def test_a_spec_that_is_not_printed_is_that_of_the_page(tmp_path):
    # A section of another name ends the one above.
    run = one(tmp_path, "# 2c4g\n# Other, 50:50\n| threads | QPS |\n|-|-|\n| 8 | 1 |\n")
    assert (run["run_id"], run["spec"], run["spec_label"], run["workload"]) == ("page-a-t8", "page", "", "a")
    assert math.isnan(run["cores"]) and math.isnan(run["ram_gib"])


def test_figures_of_specs_that_are_not_understood_are_refused(tmp_path):
    table = "| threads | QPS |\n|-|-|\n| 8 | 1 |\n"
    runs, told = told_of(tmp_path, f"# 50:50\n## Large\n{table}\n## Small\n{table}")
    assert [(r["spec"], r["source"]) for r in runs] == [("page", "page.md:5")]
    assert told == ["page.md:10: a 8 threads stands in line 5, expected each run once"]
    with pytest.raises(RunLogError, match=r"page.md:4: spec: got 'Large'"):
        read(tmp_path, "# 50:50\n| threads | QPS |\n|-|-|\n| Large | |\n| 8 | 1 |\n")


def test_columns_for_cores_and_ram(tmp_path):
    headings = "| CPU（核） | 内存（GB） | 线程数 | 吞吐量 (ops/sec) | CPU利用率(%) |\n|-|-|-|-|-|\n"
    table = headings + "| 8 | 64 | 16 | 1,234.5 | 99 |\n"
    run = one(tmp_path, table)
    assert (run["spec"], run["spec_label"], run["cores"], run["ram_gib"]) == ("8c64g", "8 64", 8, 64)
    assert (run["throughput_ops_s"], run["cpu_utilisation"]) == (1234.5, 0.99)
    assert one(tmp_path, table.replace("| 8 | 64 |", "| 8核 | 64GB |"))["spec"] == "8c64g"


def test_a_spec_left_blank_is_that_of_the_row_above(tmp_path):
    runs = told_of(tmp_path, TABLE + "|  | 200 | 1 | 1 | 1 | 1% |\n| 4核8G | 100 | 1 | 1 | 1 | 1% |\n")[0]
    assert [(r["spec"], r["threads"]) for r in runs] == [("2c4g", 100), ("2c4g", 200), ("4c8g", 100)]
    with pytest.raises(RunLogError, match="spec: got ''"):
        read(tmp_path, TABLE.replace("2核4G", ""))


def test_a_page_on_one_line_keeps_its_order(tmp_path):
    table = "<table><tr><th>Spec<th>Threads<th>QPS<tr><td rowspan=2>2c4g<td>8<td>{}<tr><td>16<td>{}</table>"
    text = f"<html><h2>50:50</h2>{table.format(1, 2)}<h2>95:5</h2>{table.format(3, 4)}</html>"
    found = [(r["workload"], r["threads"], r["throughput_ops_s"], r["source"]) for r in told_of(tmp_path, text)[0]]
    assert found == [
        ("a", 8, 1, "page.md:1"),
        ("a", 16, 2, "page.md:1"),
        ("b", 8, 3, "page.md:1"),
        ("b", 16, 4, "page.md:1"),
    ]


@pytest.mark.parametrize(
    ("heading", "found"),
    [
        ("Threads", ("threads", 1)),
        ("# of threads", None),
        ("Number of threads", ("threads", 1)),
        ("Client threads", ("threads", 1)),
        ("thread_count", ("threads", 1)),
        ("并发线程数", ("threads", 1)),
        ("Throughput (ops/sec)", ("throughput_ops_s", 1)),
        ("Throughput, ops/s", ("throughput_ops_s", 1)),
        ("ops/sec", ("throughput_ops_s", 1)),
        ("平均QPS", ("throughput_ops_s", 1)),
        ("Max QPS", None),
        ("QPS(kops/s)", ("throughput_ops_s", 1000)),
        ("QPS(万)", ("throughput_ops_s", 10_000)),
        ("QPS(ops/min)", ("throughput_ops_s", math.nan)),
        ("OPS", ("throughput_ops_s", 1)),
        ("每秒操作数", ("throughput_ops_s", 1)),
        ("TPS", ("tps", 1)),
        ("Read QPS", None),
        ("测试线程数", ("threads", 1)),
        ("Concurrency", ("threads", 1)),
        ("AverageLatency(us) read", ("ral_us", 1)),
        ("[READ], AverageLatency(us)", ("ral_us", 1)),
        ("[UPDATE] AverageLatency(us)", ("wal_us", 1)),
        ("update_average_latency_ms", ("wal_us", 1000)),
        ("[INSERT] AverageLatency(us)", ("insert_us", 1)),
        ("AverageLatency(us)", ("latency_us", 1)),
        ("平均延迟(ms)", ("latency_us", 1000)),
        ("读取平均延迟(ms)", ("ral_us", 1000)),
        ("平均写延迟(us)", ("wal_us", 1)),
        ("读写延迟(us)", None),
        ("读/写平均延迟(us)", None),
        ("P95读延迟(ms)", ("ral_us@95", 1000)),
        ("99线读延迟(ms)", ("ral_us@99", 1000)),
        ("RAL^1(us)", ("ral_us", 1)),
        ("RAL\n1", ("ral_us", 1)),
        ("RAL\n99", None),
        ("实例规格", ("spec", 1)),
        ("Specification", ("spec", 1)),
        ("平均CPU使用率(%)", ("cpu_utilisation", 0.01)),
        ("Average read latency (ms)", ("ral_us", 1000)),
        ("read_latency_us", ("ral_us", 1)),
        ("Read Avg Latency [μs]", ("ral_us", 1)),
        ("平均读延迟（毫秒）".replace("（", "(").replace("）", ")"), ("ral_us", 1000)),
        ("Update latency(us)", ("wal_us", 1)),
        ("写入延迟(ms)", ("wal_us", 1000)),
        ("RAL", ("ral_us", 1)),
        ("RAL （us）", ("ral_us", 1)),
        ("RAL(μs)", ("ral_us", 1)),
        ("平均读时延(ms)", ("ral_us", 1000)),
        ("Read latency (ms)", ("ral_us", 1000)),
        ("Read latency", ("ral_us", math.nan)),
        ("RAL P99(us)", ("ral_us@99", 1)),
        ("Median latency (ms)", ("latency_us@50", 1000)),
        ("读延迟中位数(us)", ("ral_us@50", 1)),
        ("read_median_latency_ns", ("ral_us@50", 0.001)),
        ("Median throughput (ops/s)", None),
        ("Median", None),
        ("Throughput (Kelem/s)", ("throughput_ops_s", 1000)),
        ("99th percentile read latency (us)", ("ral_us@99", 1)),
        ("最大写时延(us)", None),
        ("General", None),
        ("CPU", ("cpu_utilisation", 1)),
        ("Server CPU usage (%)", ("cpu_utilisation", 0.01)),
        ("Client CPU", None),
        ("CPU(核)", ("cores", 1)),
        ("vCPUs", ("cores", 1)),
        ("Memory (GiB)", ("ram_gib", 1)),
        ("Memory usage", None),
        ("Instance type", ("spec", 1)),
        ("read/write ratio", ("mix", 1)),
    ],
)
def test_headings(heading, found):
    got = column(heading)
    assert (got is None) == (found is None)
    if found:
        assert got[0] == found[0] and got[1] == pytest.approx(found[1], nan_ok=True)


def test_a_latency_of_unknown_unit_is_missing_and_told_once(tmp_path):
    more = "| 2核4G | 200 | 9069 | 1 | 1 | 1% |\n| 2核4G | 300 | 9069 | 1.5 ms | 1 | 1% |\n"
    (_, operations, _), errors = read(tmp_path, TABLE.replace("RAL", "Read latency") + more)
    assert [(o["run_id"], o["mean_us"]) for o in operations if o["operation"] == "READ"] == [("page-2c4g-t300", 1500)]
    assert len(errors) == 1 and errors[0].startswith("page.md:1: heading 'Read latency': unknown unit")


@pytest.mark.parametrize(
    ("commands", "concern"),
    [
        ([RUN.format("?w=0")], "0"),
        ([RUN.format("?w=0"), RUN.format("?replicaSet=x&w=0")], "0"),
        ([RUN.format("?replicaSet=x&amp;w=majority")], "majority"),
        ([RUN.format("") + " -p mongodb.writeConcern=unacknowledged >runlog.txt &"], "0"),
        ([RUN.format("") + "\n -p mongodb.writeConcern=acknowledged"], "1"),
        ([RUN.format("?w=0").replace(" run ", " load ")], ""),
        ([RUN.format("?w=1").replace(" run ", " load "), RUN.format("?w=0")], "0"),
        ([RUN.format("?w=0"), RUN.format("?w=1")], ""),
        ([RUN.format("?w=0"), RUN.format("")], ""),
        ([RUN.format("?w=0") + " -p mongodb.writeConcern=acknowledged"], ""),
        ([RUN.format("")], ""),
        ([RUN.format("") + "\n\nThe option ?w=0 is for those in a hurry."], ""),
        (["`?w=0` is the write concern"], ""),
    ],
)
def test_the_write_concern_of_the_printed_commands(tmp_path, commands, concern):
    text = "\n\n".join(f"```\n{c}\n```" if "\n\n" not in c else c for c in commands)
    run = one(tmp_path, f"{text}\n\n## 50:50\n\n{TABLE}")
    assert run.get("write_concern", "") == concern
    assert run["warnings"] == ("UNACKED_WRITES" if concern == "0" else "")


def test_a_page_of_reads_only_has_no_unacknowledged_writes(tmp_path):
    assert one(tmp_path, f"{RUN.format('?w=0')}\n\n## 100:0\n\n{TABLE.replace('9069', '90')}")["warnings"] == ""


def test_what_is_recognised(tmp_path):
    assert page.recognises(("prose\n" * 100 + TABLE).encode())
    assert page.recognises(b"<TABLE><TR><TH>Threads<TH>QPS")
    for other in (b"", b"\xff\xfe", b"| a | b |\n|-|-|\n", b"[OVERALL], RunTime(ms), 1\n", b"threads QPS | -"):
        assert not page.recognises(other)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "no table found"),
        (b"\xff\x00", "cannot be read as UTF-8 text"),
        (TABLE.encode("gb18030"), r"page.md: cannot be read as UTF-8 text: .*save it as UTF-8"),
        (TABLE.replace("9069", "9O69").encode(), r"page.md:3: throughput_ops_s: got '9O69'"),
        (b" " * (page.MAX_BYTES + 1), "larger than"),
    ],
)
def test_a_page_that_is_none_is_refused(tmp_path, content, told):
    path = tmp_path / "page.md"
    with pytest.raises(RunLogError, match="cannot be read: No such file"):
        page.read(Source(path))
    path.write_bytes(content)
    with pytest.raises(RunLogError, match=told):
        page.read(Source(path, "page.md"))


def test_a_packed_page_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "page.md.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + TABLE.encode()))
    (run,) = page.read(Source(path))[0].runs
    assert (run["dataset"], run["source"]) == ("page", f"{path}:3")


@pytest.mark.parametrize(
    "text", ["<h1>" * 50_000, "<h1>50:50 " * 30_000 + "</h1>", "<t" * 200_000, "a\n---\n" * 50_000]
)
def test_hostile_pages_are_only_no_pages(tmp_path, text):
    with pytest.raises(RunLogError, match="no table found"):
        read(tmp_path, text)


def test_reading_a_page_loads_no_data_frames(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(TABLE, encoding="utf-8")
    code = (
        "import sys, pathlib; from ycsbook.ingest.published import page, published; "
        "from ycsbook.ingest.files.sources import Source; "
        "page.read(Source(pathlib.Path(sys.argv[1]))); published.rows('data/published/tencent-2020-08.csv'); "
        "print([m for m in ('pandas', 'scipy', 'pydantic') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# other people's pages

PLAIN = "| 规格 | 线程数 | QPS | RAL(us) | WAL(us) |\n|---|---|---|---|---|\n| 2核4G | 8 | 7000 | 900 | 500 |\n"


@pytest.mark.parametrize(
    ("printed", "spec", "cores", "ram"),
    [
        ("1 core, 2 GB (general-purpose)", "1c2g", 1, 2),
        ("8核64GB（独享型）", "8c64g", 8, 64),
        ("4 vCPUs \\| 16 GB", "4c16g", 4, 16),
        ("8U32GB", "8c32g", 8, 32),
        ("8C 32G", "8c32g", 8, 32),
        ("8核<br>64G", "8c64g", 8, 64),
        ("4 vCPU, 16 GB RAM", "4c16g", 4, 16),
        ("mongo.x8.large", "mongo.x8.large", math.nan, math.nan),
        ("Atlas M30", "atlas-m30", math.nan, math.nan),
        ("r5.xlarge (4 vCPUs, 32 GiB)", "r5.xlarge", 4, 32),
    ],
)
def test_specs_of_other_vendors(tmp_path, printed, spec, cores, ram):
    run = one(tmp_path, PLAIN.replace("2核4G", printed))
    assert (run["spec"], run["spec_label"].split()) == (
        spec, unicodedata.normalize("NFKC", printed).replace("\\", "").replace("<br>", " ").split(),
    )  # fmt: skip
    assert (run["cores"], run["ram_gib"]) == pytest.approx((cores, ram), nan_ok=True)


@pytest.mark.parametrize("printed", ["large", "8核", "2000000", "12.5k", "独享型", "8 cores", "Speedup"])
def test_what_is_no_spec_is_told(tmp_path, printed):
    runs, told = told_of(tmp_path, PLAIN + f"| {printed} | 16 | 1 | 1 | 1 |\n")
    assert len(runs) == 1 and len(told) == 1 and told[0].startswith("page.md:4: ") and repr(printed) in told[0]


def test_a_name_takes_its_cores_and_ram_from_their_columns(tmp_path):
    table = "| Instance type | vCPU | Memory (GB) | Threads | QPS |\n|-|-|-|-|-|\n"
    rows = "| m5.large | 2 | 8 | 8 | 1 |\n| | | | 16 | 2 |\n| 4c16g | 2 | 8 | 8 | 3 |\n"
    runs, told = told_of(tmp_path, table + rows)
    assert [(r["spec"], r["cores"], r["threads"]) for r in runs[:1]] == [("m5.large", 2, 8)]
    assert "page.md:5: cores and RAM: got '2' and '8', expected those of 4c16g" in told


def test_servers_of_one_shape_and_another_kind_are_no_repeats(tmp_path):
    rows = "".join(f"| 8核64G（{kind}） | 8 | 1 | 1 | 1 |\n" for kind in ("独享型", "通用型", "shared"))
    runs = told_of(tmp_path, PLAIN + rows)[0]
    assert [(r["spec"], r["cores"]) for r in runs[1:]] == [("8c64g", 8), ("8c64g-2", 8), ("8c64g-shared", 8)]


@pytest.mark.parametrize(
    ("heading", "cell", "name", "value"),
    [
        ("QPS", "12.5k", "throughput_ops_s", 12_500),
        ("QPS", "2.4万", "throughput_ops_s", 24_000),
        ("QPS", "60\u2009078", "throughput_ops_s", 60_078),
        ("QPS", "60&nbsp;078 ops/s", "throughput_ops_s", 60_078),
        ("QPS", "1,234.5", "throughput_ops_s", 1234.5),
        ("QPS (k)", "12.5", "throughput_ops_s", 12_500),
        ("QPS (k)", "12.5K", "throughput_ops_s", 12_500),
        ("CPU", "74.5 %", "cpu_utilisation", 0.745),
        ("RAL (us)", "1.2 ms", "READ", 1200),
        ("RAL (ms)", "1200us", "READ", 1200),
        ("RAL (ms)", "0.62", "READ", 620),
        ("RAL", "0.001 s", "READ", 1000),
    ],
)
def test_figures_of_other_vendors(tmp_path, heading, cell, name, value):
    columns = ("threads", "QPS") if not heading.startswith("QPS") else ("threads",)
    table = f"| {' | '.join((*columns, heading))} |\n{'|-' * (len(columns) + 1)}|\n"
    ((run,), operations, _), _ = read(tmp_path, f"{table}| {'8 | ' * len(columns)}{cell} |\n")
    assert {**run, **{o["operation"]: o["mean_us"] for o in operations}}[name] == value


@pytest.mark.parametrize(
    ("heading", "cell"),
    [
        *(
            ("QPS", c)
            for c in ("约1200", ">1000", "10³", "2<sup>10</sup>", "9069 (12)", "9069 [2019]", "*9069", "9069*2")
        ),
        *(("QPS", c) for c in ("100<br>200", "9069<sup>1.5</sup>", "35%", "1.5x", "12 ms")),
        *(("QPS", c) for c in ("1,5", "1.234,5", "0,123", "12,34,567", "1e4", "9069 9372", "1.2m", "-5", "①9069")),
        ("QPS (k)", "12500 ops/s"),
        ("QPS (k)", "1.2万"),
        ("RAL (us)", "1.2 ms / 900 us"),
        ("RAL (us)", "900 ops/s"),
        ("RAL (us)", "1.2k"),
        ("RAL (us)", "3 (5)"),
        ("RAL (us)", "> 1 / 2"),
        ("CPU", "0.95"),
        ("CPU (%)", "120"),
        ("threads", "1 000"),
        ("threads", "8*4"),
        ("threads", "~8"),
        ("threads", "8 (2)"),
        ("threads", ">8"),
        ("threads", "300000"),
    ],
)
def test_figures_that_may_mean_two_things_lose_their_row_only(tmp_path, heading, cell):
    names = ["spec", "threads", "QPS", "RAL (us)", "CPU"]
    at = next(i for i, n in enumerate(names) if n.split()[0] == heading.split()[0])
    names[at] = heading
    good = ["2c4g", "8", "9", "900", "-"]
    bad = [*good[:at], cell, *good[at + 1 :]]
    bad[0] = "4c8g"
    runs, told = told_of(tmp_path, "\n".join(f"| {' | '.join(r)} |" for r in (names, ["-"] * 5, good, bad, good[:1])))
    assert [r["spec"] for r in runs] == ["2c4g"]
    assert told[0].startswith("page.md:4: ") and "got" in told[0] and "expected" in told[0]


@pytest.mark.parametrize(
    "row",
    [
        "| Total | 300 | 24000 | 1 | 1 |",
        "| 平均 | 100 | 8000 | 1 | 1 |",
        "| Average of 3 | 8 | 8000 | 1 | 1 |",
        "| | 合计 | 8000 | 1 | 1 |",
        "| 注：以上为三次平均 | | | | |",
        "| * mean of three runs | | | | |",
        "| 4核8G | 16 | 7000 | 900 |",
        "| 4核8G | 16 | 7000 | 900 | 500 | 1 |",
        "| 4核8G | 16 | N/A | - | - |",
        "| 4核8G | 16 | 7000 | 900 | |",
        "| 2核4G | 8 | 1 | 1 | 1 |",
    ],
)
def test_an_odd_row_is_told_and_the_others_stay(tmp_path, row):
    runs, told = told_of(tmp_path, f"{PLAIN}{row}\n| 8核16G | 32 | 9000 | 1 | 1 |\n")
    assert [(r["spec"], r["throughput_ops_s"]) for r in runs] == [("2c4g", 7000), ("8c16g", 9000)]
    assert len(told) == 1 and told[0].startswith("page.md:4: ") and "expected" in told[0]


@pytest.mark.parametrize("row", ["| Total | 300 | 1 | 1 | 1 |", "| 8 nodes | 8 | 1 | 1 | 1 |", "| 9 | 8 | 1 | 1 |"])
def test_rows_below_an_odd_one_do_not_inherit_its_spec_or_an_older_one(tmp_path, row):
    runs, told = told_of(tmp_path, f"{PLAIN}{row}\n| | 32 | 9000 | 1 | 1 |\n")
    assert len(runs) == 1 and len(told) == 2 and told[1].startswith("page.md:5: spec: got ''")
    banners = "| threads | QPS |\n|-|-|\n| 2c4g | |\n| 8 | 1 |\n| the larger one | |\n| 8 | 2 |\n"
    runs, told = told_of(tmp_path, banners)
    assert len(runs) == 1 and told[1].startswith("page.md:6: spec: the row above in line 5 names none")


def test_a_page_without_one_readable_row_raises_its_first_error(tmp_path):
    with pytest.raises(RunLogError, match=r"page.md:3: throughput_ops_s: got '>7000', expected a number"):
        read(tmp_path, PLAIN.replace("7000", ">7000") + "| 2核4G | x | 1 | 1 | 1 |\n")


def test_of_a_form_that_nobody_filled_in_the_figures_are_missing(tmp_path):
    with pytest.raises(RunLogError, match=r"page.md:3: got neither throughput nor latency, expected a measurement"):
        read(tmp_path, "| threads | QPS | P99 (ms) |\n|-|-|-|\n| 100 | | |\n| 300 | | |\n")


def test_errors_are_counted_beyond_a_limit(tmp_path):
    _, told = told_of(tmp_path, PLAIN + "| ? | 1 | 1 | 1 | 1 |\n" * 70)
    assert len(told) == MAX_ERRORS + 1 and told[-1] == "page.md: 20 more of its rows cannot be read"


def test_a_table_that_cannot_be_read_leaves_the_others(tmp_path):
    twice = "| threads | QPS | QPS |\n|-|-|-|\n| 8 | 1 | 2 |\n\n"
    per_minute = "| threads | QPS (ops/min) |\n|-|-|\n| 8 | 1 |\n\n"
    runs, told = told_of(tmp_path, twice + per_minute + PLAIN)
    assert [r["throughput_ops_s"] for r in runs] == [7000]
    assert [e.split(": ")[0] for e in told] == ["page.md:1", "page.md:5"]


def test_a_page_that_was_cut_loses_what_may_lack_digits(tmp_path):
    runs, told = told_of(tmp_path, PLAIN + "| 4核8G | 16 | 7000 | 900 | 50")
    assert len(runs) == 1 and told == ["page.md:4: the text ends inside this row; fetch the page again"]
    html = "\n<table><tr><th>threads<th>QPS</tr><tr><td>8<td>7</tr><tr><td>16<td>90"
    runs, told = told_of(tmp_path, PLAIN + html)
    assert len(runs) == 1 and "never closed" in told[0]


def test_rows_that_lost_their_headings_are_told(tmp_path):
    runs, told = told_of(tmp_path, PLAIN + "\nand\n| 4核8G | 16 | 7000 | 900 | 50 |\n\n" + PLAIN.replace("8 |", "9 |"))
    assert [r["threads"] for r in runs] == [8, 9]
    assert len(told) == 1 and told[0].startswith("page.md:6: a table's row below no table")


def test_a_caption_prints_the_mix_of_its_table_only(tmp_path):
    text = f"r:w=100:0\n{PLAIN}\nwrites too\n\n{PLAIN}\n读写比 7:3\n\n{PLAIN}"
    loaded = f"## 50:50\n\nLoad test data\n{PLAIN}\n{PLAIN}"
    assert [r["workload"] for r in told_of(tmp_path, loaded)[0]] == ["", "a"]
    assert [(r["workload"], r["read_fraction"]) for r in told_of(tmp_path, text)[0]] == [
        ("c", 1.0), ("", pytest.approx(math.nan, nan_ok=True)), ("r70", 0.7),
    ]  # fmt: skip


def test_a_mix_column_whose_cells_moved_is_told(tmp_path):
    table = "| Workload | Threads | QPS | RAL(us) |\n|-|-|-|-|\n| 50:50 | 8 | 7000 | 900 |\n"
    moved = "| 16 | 9000 | 1100 | |\n| 16 | 9000 | 1100 | 1 |\n| | 16 | 9000 | 1 |\n"
    runs, told = told_of(tmp_path, f"{table}{moved}| 95:5 | 16 | 9000 | 1 |\n| | 32 | 1 | 1 |\n")
    assert [(r["workload"], r["threads"]) for r in runs] == [("a", 8), ("b", 16), ("b", 32)]
    assert [e.split(": ")[0] for e in told] == ["page.md:4", "page.md:5", "page.md:6"]


def test_cells_that_moved_left_are_told(tmp_path):
    text = (
        "Ratio | Specification | records | threads | throughput | RAL | WAL |\n---|---|---|---|---|---|---|\n"
        "1:2 | 1 core, 2 GB (shared) | 1000000 | 4 | 3000 | 0 | 1100 |\n"
        "2 cores, 4 GB (shared) | 2000000 | 8 | 7000 | 0 | 500 | |\n"
        "4 cores, 8 GB (shared) | 4000000 | 16 | 9000 | 0 | 600 |\n"
        "2000000 | 8 | 7000 | 0 | 500 | | |\n"
    )
    runs, told = told_of(tmp_path, text)
    assert [(r["spec"], r["threads"], r["throughput_ops_s"]) for r in runs] == [("1c2g", 4, 3000)]
    assert [e.split(": ")[0] for e in told] == ["page.md:4", "page.md:5", "page.md:6"]


@settings(max_examples=40)
@given(st.data())
def test_no_cell_is_read_under_another_heading(tmp_path_factory, data):
    """Pages whose cells over several rows were dropped, as converters do: each row is right or is told."""
    names = ["Group", "Specification", "Threads", "Throughput", "RAL", "WAL", "CPU"]
    names = data.draw(st.permutations(names[:3])) + names[3:]
    rows = []
    for n in range(data.draw(st.integers(1, 6))):
        cores, threads = data.draw(st.sampled_from([2, 4, 8])), data.draw(st.sampled_from([8, 16]))
        figures = [str(1000 * n + f) for f in data.draw(st.permutations([101, 202, 303]))]
        said = {"Group": f"1:{cores}", "Specification": f"{cores}c{cores * 2}g", "Threads": str(threads)}
        rows.append([*(said[name] for name in names[:3]), *figures, "50%"])
    spanned = data.draw(st.lists(st.booleans(), min_size=3, max_size=3))
    padded = data.draw(st.booleans())
    lines, want = [" | ".join(names), " | ".join("-" * 7)], set()
    for above, row in zip([None, *rows], rows, strict=False):
        drop = {i for i in range(3) if above and spanned[i] and above[i] == row[i]}
        kept = [cell for i, cell in enumerate(row) if i not in drop]
        lines.append(" | ".join(kept + [""] * (len(drop) if padded else 0)) + " |")
        at = {name: row[i] for i, name in enumerate(names)}
        want.add((at["Specification"], float(at["Threads"]), float(row[3]), float(row[4]), float(row[5])))
    path = tmp_path_factory.getbasetemp() / "moved.md"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    (runs, operations, _), told = page.read(Source(path, "moved.md"))
    mean = {(o["run_id"], o["operation"]): o["mean_us"] for o in operations}
    got = {
        (r["spec"], r["threads"], r["throughput_ops_s"], mean[r["run_id"], "READ"], mean[r["run_id"], "UPDATE"])
        for r in runs
    }
    assert got <= want and len(runs) + len(told) == len(rows)


# against the published tables

PAGES = [("qingcloud-4.0.3", "000_ea78662ed150f1d1.txt"), ("tencent-2020-08", "001_4d2e067b1c8c05a6.txt")]
SAID_BY_US = {"source", "format", "vendor", "server_version", "topology", "rtt_us"}


def bare(rows: list[dict]) -> list[str]:
    return [repr(sorted((k, v) for k, v in row.items() if k not in SAID_BY_US)) for row in rows]


@pytest.mark.shared
@pytest.mark.parametrize(("dataset", "document"), PAGES)
def test_a_seed_page_gives_the_rows_of_its_published_table(shared, tmp_path, dataset, document):
    path = tmp_path / f"{dataset}.md"
    path.write_bytes((shared / "seeds" / document).read_bytes())
    source = Source(path)
    got, want = page.read(source)[0], published.rows(paths.PUBLISHED / f"{dataset}.csv")
    assert page.recognises(source.content(page.MAX_BYTES))
    assert bare(got.runs) == bare(want.runs) and bare(got.operations) == bare(want.operations)
    for row, line in zip(got.runs, (r["source"].rpartition(":")[2] for r in got.runs), strict=True):
        text = source.path.read_text(encoding="utf-8").split("\n")[int(line) - 1]
        assert f"{row['throughput_ops_s']:.0f}" in text and f"{row['threads']:.0f}" in text


# One table, printed in every way a vendor might, gives the same rows.


@dataclass(frozen=True)
class Figures:
    cores: int
    ram: int
    threads: int
    throughput: int
    ral: int
    wal: int
    cpu: int


@st.composite
def tables(draw):
    keys = st.tuples(st.integers(1, 128), st.integers(1, 1024), st.sampled_from([1, 50, 100, 200]))
    figure = st.integers(1, 10**7)
    found = draw(st.lists(keys, min_size=1, max_size=5, unique=True))
    return [Figures(*key, draw(figure), draw(figure), draw(figure), draw(st.integers(0, 100))) for key in sorted(found)]


HEADINGS = {
    "zh": ("MongoDB 规格", "并发数", "QPS （ops/s）", "RAL （us）", "WAL （us）", "CPU 利用率"),
    "en": ("Spec", "Threads", "Throughput (ops/sec)", "Read latency (us)", "Update latency (us)", "CPU utilization"),
}
MIXES = {
    ("zh", 0.5): "读写比 50:50",
    ("zh", 0.95): "读&更新比95：5",
    ("en", 0.5): "50:50",
    ("en", 0.95): "0.95read/0.05update",
}
SPECS = {"zh": "{}核{}GB", "en": "{} vCPU, {} GiB"}


def cells(table: list[Figures], language: str) -> list[list[str]]:
    return [
        [SPECS[language].format(f.cores, f.ram), *map(str, (f.threads, f.throughput, f.ral, f.wal)), f"{f.cpu}%"]
        for f in table
    ]


def markdown(sections, language: str) -> str:
    parts = ["```\nan open fence\n"]
    for reads, table in sections:
        rows = [HEADINGS[language], ["---"] * 6, *cells(table, language)]
        parts += [f"## {MIXES[language, reads]}\n", *(f"| {' | '.join(row)} |" for row in rows), ""]
    return "\n".join(parts)


def raw_html(sections, language: str) -> str:
    """Each spec's cell stands once, over all its rows."""
    parts = ["<body>"]
    for reads, table in sections:
        parts += [f"<h3 id=x>{MIXES[language, reads]}</h3>", "<table><thead><tr>"]
        parts += [f"<th style='w'>{name}</th>" for name in HEADINGS[language]] + ["</tr></thead>"]
        last = None
        for row, f in zip(cells(table, language), table, strict=True):
            over = sum((o.cores, o.ram) == (f.cores, f.ram) for o in table)
            first = [] if row[0] == last else [f'<td rowspan="{over}"><b>{row[0]}</b></td>']
            parts.append("<tr>" + "".join([*first, *(f"<td>{cell}</td>" for cell in row[1:])]) + "</tr>")
            last = row[0]
        parts.append("</table>")
    return "".join(parts)


def raw_html_with_spec_rows(sections, language: str) -> str:
    """Each spec in a row above its figures; cells and rows have no end."""
    parts = []
    for reads, table in sections:
        parts += [f"### {MIXES[language, reads]}", "<TABLE>", f"<TR><TH>{'<TH>'.join(HEADINGS[language][1:])}"]
        last = None
        for spec, *row in cells(table, language):
            if spec != last:
                parts.append(f'<TR><TD colspan="18"><b>MongoDB spec: {spec}</b>')
            parts.append("<TR>" + "".join(f"<TD>\u3000{cell}" for cell in row))
            last = spec
        parts.append("</TABLE>")
    return "\n".join(parts)


PRINTERS = (markdown, raw_html, raw_html_with_spec_rows)


@settings(max_examples=40)
@given(tables(), tables(), st.sampled_from(["zh", "en"]), st.sampled_from(PRINTERS))
def test_a_page_reads_back_however_it_is_printed(tmp_path_factory, first, second, language, printed):
    sections = [(0.5, first), (0.95, second)]
    (runs, operations, _), _ = read(tmp_path_factory.getbasetemp(), printed(sections, language), "property.md")
    assert [
        (r["read_fraction"], r["cores"], r["ram_gib"], r["threads"], r["throughput_ops_s"], r["cpu_utilisation"])
        for r in runs
    ] == [(reads, f.cores, f.ram, f.threads, f.throughput, f.cpu / 100) for reads, t in sections for f in t]
    assert [o["mean_us"] for o in operations] == [x for _, t in sections for f in t for x in (f.ral, f.wal)]
    assert [o["run_id"] for o in operations[::2]] == [r["run_id"] for r in runs]


ODD = "| 规格 | 并发数 | QPS | RAL | WAL | {} |\n|---|---|---|---|---|---|\n| 2核4G | 100 | 9069 | 21520 | 175 | {} |\n"


@pytest.mark.parametrize(("heading", "cell"), [("CPU (furlongs)", "3"), ("CPU 利用率 | CPU 使用率", "7% | 8%")])
def test_one_odd_heading_costs_its_column_alone(tmp_path, heading, cell):
    text = ODD.format(heading, cell).replace("|---|\n", "|---|" + "---|" * heading.count("|") + "\n")
    (run,), errors = told_of(tmp_path, text)
    assert (run["throughput_ops_s"], run["threads"]) == (9069, 100)
    assert math.isnan(run["cpu_utilisation"])
    assert errors and all("the column is left out" in error for error in errors)


def test_a_throughput_in_a_unit_of_its_own_leaves_the_latencies(tmp_path):
    (run,), errors = told_of(tmp_path, TABLE.replace("QPS", "QPS (ops/min)"))
    assert math.isnan(run["throughput_ops_s"]) and len(errors) == 1
    assert "unknown unit" in errors[0]


def test_a_column_of_versions_tells_rows_apart(tmp_path):
    table = (
        "| Version | Spec | Threads | QPS |\n|---|---|---|---|\n| 4.2 | 2c4g | 100 | 9069 |\n| | 2c4g | 200 | 9100 |\n"
        "| 5.0 | 2c4g | 100 | 9500 |\n"
    )
    runs, errors = told_of(tmp_path, table)
    assert not errors
    assert [(r["server_version"], r["dataset"], r["threads"]) for r in runs] == [
        ("4.2", "page-4.2", 100), ("4.2", "page-4.2", 200), ("5.0", "page-5.0", 100),
    ]  # fmt: skip
    assert len({r["run_id"] for r in runs}) == 3


def test_a_title_tells_the_version_of_what_is_below_it(tmp_path):
    assert one(tmp_path, f"# MongoDB 3.6.8-v1.0.0\n\n## 测试\n\n{TABLE}")["server_version"] == "MongoDB 3.6.8"
    runs, _ = told_of(tmp_path, f"## MongoDB 4.0\n\n{TABLE}\n## MongoDB v4.4.2 性能\n\n{TABLE}")
    assert [(r["server_version"], r["dataset"]) for r in runs] == [
        ("MongoDB 4.0", "page-mongodb-4.0"),
        ("MongoDB 4.4.2", "page-mongodb-4.4.2"),
    ]
    assert "server_version" not in one(tmp_path, f"## MongoDB 10.0.0.5\n\n{TABLE}")


def test_a_row_of_loading_is_the_load_phase(tmp_path):
    table = (
        "| 场景 | 并发数 | QPS | RAL | WAL |\n|---|---|---|---|---|\n| 加载数据 | 100 | 9069 | - | 175 |\n"
        "| a | 100 | 8000 | 9 | 9 |\n"
    )
    ((load, run), operations, _), _ = read(tmp_path, table)
    assert (load["phase"], load["workload"], load["read_fraction"], run["phase"]) == ("load", "", 0.0, "run")
    assert [op["operation"] for op in operations if op["run_id"] == load["run_id"]] == ["INSERT"]
    assert load["run_id"] == "page-load-t100"


ENGINES = (
    "## 50:50\n\n| Instance | Engine | Disk GB | Threads | QPS | Avg latency (ms) | avg P99 (ms) | Notes |\n"
    "|---|---|---|---|---|---|---|---|\n"
    "| 8C64G | mmapv1 | 100 | 64 | 10000 | 6.3 | 30 | first |\n"
    "| 8C64G | wiredTiger zstd | 100 | 64 | 20000 | 3.1 | 10 | second |\n"
    "| 4C16G | mmapv1 | 100 | 64 | 5000 | 12.5 | 60 | third |\n"
)


def test_rows_that_differ_in_words_alone_are_no_repeats(tmp_path):
    rows, rejected = read(tmp_path, ENGINES)
    assert rejected == []
    assert [(r["dataset"], r["spec"]) for r in rows.runs] == [
        ("page-mmapv1", "8c64g"), ("page-wiredtiger-zstd", "8c64g"), ("page-mmapv1", "4c16g"),
    ]  # fmt: skip


def test_a_latency_of_no_operation_is_that_of_all_and_warned_of(tmp_path):
    rows, rejected = read(tmp_path, ENGINES)
    assert rejected == []
    assert [(o["operation"], o["mean_us"]) for o in rows.operations] == [
        ("TOTAL", 6300.0), ("TOTAL", 3100.0), ("TOTAL", 12_500.0),
    ]  # fmt: skip
    assert {r["warnings"] for r in rows.runs} == {"PERCENTILES_AVERAGED OPERATION_UNKNOWN COLUMNS_UNREAD"}
    # 20,000 a second of 3.1 ms each are 62 threads at work; of 4 ms they would be 80 of 64.
    slow, rejected = read(tmp_path, ENGINES.replace("3.1", "4.0").replace("avg P99", "P99"))
    assert rejected == []
    assert slow.runs[1]["warnings"] == "LITTLE_LAW OPERATION_UNKNOWN COLUMNS_UNREAD"


def test_a_column_of_phases_parts_no_data_set(tmp_path):
    table = "| Type | Spec | Threads | QPS |\n|---|---|---|---|\n"
    table += "".join(f"| {kind} | {n}c{4 * n}g | 64 | {9000 * n} |\n" for kind in ("Load", "Run") for n in (2, 4))
    rows, rejected = read(tmp_path, table)
    assert rejected == []
    assert {r["dataset"] for r in rows.runs} == {"page"}
    assert [r["phase"] for r in rows.runs] == ["load", "load", "run", "run"]


def test_rows_that_differ_only_in_what_was_measured_stand_once(tmp_path):
    runs, told = told_of(tmp_path, ENGINES.replace("wiredTiger zstd", "mmapv1").replace("mmapv1 |", "|"))
    assert len(runs) == 2 and "expected each run once" in told[0]


def test_figures_that_are_approximate_are_read(tmp_path):
    table = "| threads | QPS | RAL | CPU |\n|-|-|-|-|\n| 8 | ~3,650 | ≈ 1.2 ms | ~74% |\n| 16 | ≈7k | ~1.3 ms | 80% |\n"
    (runs, operations, _), told = read(tmp_path, table)
    assert told == [] and [(r["throughput_ops_s"], r["cpu_utilisation"]) for r in runs] == [(3650, 0.74), (7000, 0.8)]
    assert [o["mean_us"] for o in operations] == [1200, 1300]


COMMAS = "| threads | QPS | Read latency (ms) |\n|-|-|-|\n"


def test_decimal_commas_are_read_where_the_whole_table_has_them(tmp_path):
    (runs, operations, _), told = read(tmp_path, f"{COMMAS}| 8 | 1.234,5 | 0,85 |\n| 16 | ~12.345 | 1,125 ms |\n")
    assert told == [] and [r["throughput_ops_s"] for r in runs] == [1234.5, 12345]
    assert [o["mean_us"] for o in operations] == [850, 1125]
    (_, operations, _), told = read(tmp_path, f"{COMMAS}| 8 | 900 | 0,85 |\n| 16 | 1700 | 1,10 |\n")
    assert told == [] and [o["mean_us"] for o in operations] == [850, 1100]


@pytest.mark.parametrize(
    "rows",
    [
        ["| 8 | 900 | 0,85 |", "| 16 | 1700 | 1.1 |"],
        ["| 8 | 900 | 0,85 |", "| 16 | 1,700 | 1,1 |"],
        ["| 8 | 900 | 0,85 |", "| 16 | 1.700 | 1,1 |"],
        ["| 8 | 1,234.5 | 0,85 |", "| 16 | 1700 | 1,1 |"],
        ["| 8 | 900 | 0,85 |", "| 16 | 1700 | 2 |"],
    ],
)
def test_a_comma_that_may_be_something_else_is_no_decimal_comma(tmp_path, rows):
    try:
        (runs, operations, _), told = read(tmp_path, COMMAS + "\n".join(rows) + "\n")
    except RunLogError as e:
        runs, operations, told = [], [], [str(e)]
    assert any("expected a number" in line for line in told)
    assert all(run["throughput_ops_s"] in (900, 1234.5, 1700) for run in runs)
    assert all(o["mean_us"] in (1100, 2000) for o in operations)


@pytest.mark.parametrize(
    ("above", "rows", "rates"),
    [
        ("", ["| 8 | 651 |", "| 16 | 13.205 |", "| 32 | ~26.660 ops/s |"], [651, 13205, 26660]),  # none has 2 digits
        ("Es gab 100.000 Datensätze.", ["| 8 | 5.331 |", "| 16 | 13.205 |"], [5331, 13205]),
        ("Hubo 10.000.000 registros.", ["| 8 | 5331 |", "| 16 | 13.205 |"], [5331, 13205]),
        ("Redis war um ×1,5 schneller.", ["| 8 | 13.205 |"], [13205]),
        ("", ["| 8 | 1.234.567 |", "| 16 | 2.345.678 |"], [1234567, 2345678]),
        ("", ["| 8 | 651.234 | 0.85 |", "| 16 | 845.112 | 1.21 |"], [651.234, 845.112]),
        ("", ["| 8 | 1.234k |", "| 16 | 2.345k |", "| 32 | 651 |"], [1234, 2345, 651]),
        ("", ["| 8 | 1234.567 |", "| 16 | 845.112 |"], [1234.567, 845.112]),
    ],
)
def test_dots_group_thousands_where_the_page_shows_it(tmp_path, above, rows, rates):
    text = f"{above}\n\n| threads | QPS | Read latency (ms) |\n|-|-|-|\n"
    table = "".join(f"{row}{' - |' * (4 - row.count('|'))}\n" for row in rows)
    (runs, _, _), told = read(tmp_path, text + table)
    assert told == [] and [run["throughput_ops_s"] for run in runs] == rates


@pytest.mark.parametrize(
    "text",
    [
        "{}| 8 | 13.205 | - |\n| 16 | 15.605 | - |\n",
        "{}| 8 | 651.234 | - |\n",
        "It had 100.000 rows.\n\n{}| 8 | 13.205 | 4.21 ms |\n| 16 | 15.605 | 4.25 ms |\n",
    ],
)
def test_rates_whose_dots_may_mean_two_things_are_refused(tmp_path, text):
    (runs, _, _), told = read(tmp_path, f"{PLAIN}\n## B\n\n" + text.format("| threads | QPS | P99 |\n|-|-|-|\n"))
    assert [run["throughput_ops_s"] for run in runs] == [7000] and told
    assert all("where the dot may group thousands or begin decimals; write thousands without it" in one for one in told)


def test_latencies_alone_are_rows_without_a_throughput_where_no_table_has_one(tmp_path):
    table = "| threads | Read latency (ms) | Update latency (ms) |\n|-|-|-|\n| 8 | 1.1 | 1.2 |\n| 16 | 2.1 | - |\n"
    (runs, operations, _), told = read(tmp_path, table)
    assert told == [] and [run["threads"] for run in runs] == [8, 16]
    assert all(math.isnan(run["throughput_ops_s"]) for run in runs)
    assert [(o["operation"], o["mean_us"]) for o in operations] == [("READ", 1100), ("UPDATE", 1200), ("READ", 2100)]
    (runs, _, _), _ = read(tmp_path, f"{PLAIN}\n## Latency\n\n{table}")
    assert [run["throughput_ops_s"] for run in runs] == [7000]


def test_a_size_of_memory_alone_is_a_spec_where_specs_stand(tmp_path):
    (runs, _, _), told = read(
        tmp_path, "| instance size | threads | QPS |\n|-|-|-|\n| 8 GB | 8 | 9 |\n| 16GiB RAM | 8 | 99 |\n"
    )
    assert told == [] and [(run["spec"], run["ram_gib"]) for run in runs] == [("8g", 8), ("16g", 16)]
    assert all(math.isnan(run["cores"]) for run in runs)
    banners = "| threads | QPS |\n|-|-|\n| 8 GB memory | |\n| 8 | 1 |\n| 10 GB | |\n| 8 | 2 |\n"
    (runs, _, _), told = read(tmp_path, banners)
    assert [(run["spec"], run["throughput_ops_s"]) for run in runs] == [("8g", 1)]
    assert told[0].startswith("page.md:5: spec: got '10 GB'")
