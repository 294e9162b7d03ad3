"""Vendors' pages read directly: the rows of the published tables, in Markdown and HTML, Chinese and English."""

import gzip
import math
import subprocess
import sys
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook import paths
from ycsbook.columns import SCHEMAS
from ycsbook.errors import RunLogError
from ycsbook.ingest import page, published
from ycsbook.ingest.page_columns import column
from ycsbook.ingest.sources import Source
from ycsbook.verdicts import Outcome

TABLE = (
    "| 规格 | 并发数 | QPS | RAL | WAL | CPU 利用率 |\n|---|---|---|---|---|---|\n"
    "| 2核4G | 100 | 9069 | 21520 | 175 | 74% |\n"
)
RUN = (
    "./bin/ycsb run mongodb -s -P workloads/workloada -p mongodb.url=mongodb://me:password@h:1,i:2/admin{} -threads 100"
)


def read(folder, text: str, name: str = "page.md", dataset: str = ""):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return page.rows(Source(path, name), dataset)


def one(folder, text: str) -> dict:
    (run,) = read(folder, text).runs
    return run


def test_a_row_of_the_page_is_a_published_run(tmp_path):
    runs, operations = read(tmp_path, "### 读写比 50:50\n\n" + TABLE, "My Page 4.0.md")
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
    runs, _ = read(tmp_path, f"# Results\n\n{RUN.format('?w=0')}\n\n" + TABLE)
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
    ],
)
def test_where_the_mix_stands(tmp_path, heading, workload, reads):
    run = one(tmp_path, f"{heading}\n\n{TABLE}")
    assert (run["workload"], run["read_fraction"]) == (workload, pytest.approx(reads, nan_ok=True))


def test_a_column_for_the_mix(tmp_path):
    table = "| Spec | Workload | Threads | Throughput (ops/s) |\n|-|-|-|-|\n"
    rows = "| 2c4g | 50:50 | 8 | 1 |\n| 2c4g | 95:5 | 8 | 2 |\n| 2c4g | workloadc | 8 | 3 |\n| 2c4g | D | 8 | 4 |\n"
    found = [(r["workload"], r["throughput_ops_s"]) for r in read(tmp_path, table + rows).runs]
    assert found == [("a", 1), ("b", 2), ("c", 3), ("d", 4)]


def test_where_the_spec_stands(tmp_path):
    table = "| threads | QPS |\n|-|-|\n| 8 | {} |\n"
    text = f"# 50:50\n## 2核4G\n{table.format(1)}\n## Spec 4 vCPU, 8 GiB\n{table.format(2)}\n"
    bold = f"**95:5**\n\n**2c4g**\n\n{table.format(3)}\n\n**4c8g**\n\n{table.format(4)}"
    found = [(r["spec"], r["workload"], r["throughput_ops_s"]) for r in read(tmp_path, text + bold).runs]
    assert found == [("2c4g", "a", 1), ("4c8g", "a", 2), ("2c4g", "b", 3), ("4c8g", "b", 4)]


def test_a_spec_that_is_not_printed_is_missing(tmp_path):
    # A section of another name ends the one above.
    run = one(tmp_path, "# 2c4g\n# Other, 50:50\n| threads | QPS |\n|-|-|\n| 8 | 1 |\n")
    assert (run["run_id"], run["spec"], run["spec_label"], run["workload"]) == ("page-a-t8", "", "", "a")
    assert math.isnan(run["cores"]) and math.isnan(run["ram_gib"])


def test_figures_of_specs_that_are_not_understood_are_refused(tmp_path):
    table = "| threads | QPS |\n|-|-|\n| 8 | 1 |\n"
    with pytest.raises(RunLogError, match=r"page.md:\d+: a 8 threads stands in line"):
        read(tmp_path, f"# 50:50\n## Large\n{table}\n## Small\n{table}")
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
    runs = read(tmp_path, TABLE + "|  | 200 | 1 | 1 | 1 | 1% |\n| 4核8G | 100 | 1 | 1 | 1 | 1% |\n").runs
    assert [(r["spec"], r["threads"]) for r in runs] == [("2c4g", 100), ("2c4g", 200), ("4c8g", 100)]
    with pytest.raises(RunLogError, match="spec: got ''"):
        read(tmp_path, TABLE.replace("2核4G", ""))


def test_a_page_on_one_line_keeps_its_order(tmp_path):
    table = "<table><tr><th>Spec<th>Threads<th>QPS<tr><td rowspan=2>2c4g<td>8<td>{}<tr><td>16<td>{}</table>"
    text = f"<html><h2>50:50</h2>{table.format(1, 2)}<h2>95:5</h2>{table.format(3, 4)}</html>"
    found = [(r["workload"], r["threads"], r["throughput_ops_s"], r["source"]) for r in read(tmp_path, text).runs]
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
        ("QPS(kops/s)", ("throughput_ops_s", math.nan)),
        ("Average read latency (ms)", ("ral_us", 1000)),
        ("read_latency_us", ("ral_us", 1)),
        ("Read Avg Latency [μs]", ("ral_us", 1)),
        ("平均读延迟（毫秒）".replace("（", "(").replace("）", ")"), ("ral_us", 1000)),
        ("Update latency(us)", ("wal_us", 1)),
        ("写入延迟(ms)", ("wal_us", 1000)),
        ("RAL", ("ral_us", 1)),
        ("Read latency", ("ral_us", math.nan)),
        ("RAL P99(us)", None),
        ("99th percentile read latency (us)", None),
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


def test_a_latency_of_unknown_unit_is_refused(tmp_path):
    with pytest.raises(RunLogError, match=r"page.md:1: heading 'Read latency': unknown unit"):
        read(tmp_path, TABLE.replace("RAL", "Read latency"))


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
        (TABLE.encode("gb18030"), r"page.md: cannot be read as UTF-8 text: .*save it as UTF-8"),
        (TABLE.replace("9069", "9O69").encode(), r"page.md:3: throughput_ops_s: got '9O69'"),
        ((TABLE + TABLE).encode(), r"page.md:\d: 2c4g 100 threads stands in line 3"),
        (b" " * (page.MAX_BYTES + 1), "larger than"),
    ],
)
def test_a_page_that_is_none_is_refused(tmp_path, content, told):
    path = tmp_path / "page.md"
    path.write_bytes(content)
    with pytest.raises(RunLogError, match=told):
        page.rows(Source(path, "page.md"))


def test_a_packed_page_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "page.md.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + TABLE.encode()))
    (run,) = page.rows(Source(path)).runs
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
        "import sys, pathlib; from ycsbook.ingest import page, published; from ycsbook.ingest.sources import Source; "
        "page.rows(Source(pathlib.Path(sys.argv[1]))); published.rows('data/published/tencent-2020-08.csv'); "
        "print([m for m in ('pandas', 'scipy', 'pydantic', 'polars') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# against the published tables

PAGES = [("qingcloud-4.0.3", "000_ea78662ed150f1d1.txt"), ("tencent-2020-08", "001_4d2e067b1c8c05a6.txt")]
SAID_BY_US = {"source", "format", "vendor", "server_version", "topology", "rtt_us"}


def bare(rows: list[dict]) -> list[str]:
    return [repr(sorted((k, v) for k, v in row.items() if k not in SAID_BY_US)) for row in rows]


@pytest.mark.shared
@pytest.mark.parametrize(("dataset", "document"), PAGES)
def test_a_seed_page_gives_the_rows_of_its_published_table(shared, dataset, document):
    source = Source(shared / "seeds" / document)
    got, want = page.rows(source, dataset), published.rows(paths.PUBLISHED / f"{dataset}.csv")
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
    figure = st.integers(0, 10**7)
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


@given(tables(), tables(), st.sampled_from(["zh", "en"]), st.sampled_from([markdown, raw_html]))
def test_a_page_reads_back_however_it_is_printed(tmp_path_factory, first, second, language, printed):
    sections = [(0.5, first), (0.95, second)]
    runs, operations = read(tmp_path_factory.getbasetemp(), printed(sections, language), "property.md")
    assert [
        (r["read_fraction"], r["cores"], r["ram_gib"], r["threads"], r["throughput_ops_s"], r["cpu_utilisation"])
        for r in runs
    ] == [(reads, f.cores, f.ram, f.threads, f.throughput, f.cpu / 100) for reads, t in sections for f in t]
    assert [o["mean_us"] for o in operations] == [x for _, t in sections for f in t for x in (f.ral, f.wal)]
    assert [o["run_id"] for o in operations[::2]] == [r["run_id"] for r in runs]
