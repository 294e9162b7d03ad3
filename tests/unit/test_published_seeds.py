"""The seed documents' figures: read where they stand, refused where they do not, the same bytes every time."""

import csv
import hashlib
import json
import math
import re

import pytest
import seed_figures
from convert_seeds import write_published
from seed_catalog import SEED_DATASETS

from ycsbook import paths
from ycsbook.errors import RunLogError
from ycsbook.glossary import GLOSSARY

CHART = """以10线程为例

mongo 10000 9090 10000 322

myisam 2000 1428 1250

1万 10万 100万 1000万

数据查询（主键）
"""
FAILOVER = "\uf0a7 WriteConcern.REPLICAS_SAFE：成功99402条、失败598条、丢失\n0条、耗时344秒 \n"
MONGOTEST = """D:dist>java -jar mongotest.jar mongo select 500000 100 host
Total thread:100
Total run time:1869 sec
Per-thread rows:500000
Per-thread mongo select Result:267row/sec
Total rows:50000000
Total mongo select Result:26752row/sec
"""
IIBENCH = (
    "- Test data set: 200 million records, single index\n"
    "The completion of the Wiredtiger 3.2 engine took 31 minutes, while the Wiredtiger 3.0 engine took 51 minutes.\n"
    "However, there are still some problems with the Wiredtiger 3.2 engine. During the test, Wiredtiger had a minute "
    "or so of time to refuse to process the data.\n"
)


def committed(dataset: str) -> list[dict]:
    with (paths.PUBLISHED / f"{dataset}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def sidecar(dataset: str) -> dict:
    return json.loads((paths.PUBLISHED / f"{dataset}.json").read_bytes())


# the figures in running text


def test_a_chart_series_lands_on_its_sizes():
    mongo = seed_figures.query_charts(CHART, "x")[:4]
    assert [(r["records"], r["throughput_ops_s"]) for r in mongo] == [
        (10_000, 10000), (100_000, 9090), (1_000_000, 10000), (10_000_000, 322),
    ]  # fmt: skip
    assert {(r["query"], r["engine"], r["threads"], r["placement"], r["source_line"]) for r in mongo} == {
        ("primary_key", "mongo", 10, "printed", 3)
    }


def test_a_short_series_is_placed_by_assumption_and_its_rest_is_missing():
    myisam = seed_figures.query_charts(CHART, "x")[4:]
    assert [r["throughput_ops_s"] for r in myisam[:3]] == [2000, 1428, 1250]
    assert math.isnan(myisam[3]["throughput_ops_s"])
    assert {r["placement"] for r in myisam} == {"assumed"}


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("数据查询（主键）", "数据更新（主键）", "x:9: chart title: got '数据更新（主键）'"),
        ("以10线程为例", "", "x:9: no line above says the chart's threads"),
        (" 322", " 322 7", "x:3: got 5 values for 4 sizes"),
        ("万", "", "x: no query chart found"),
    ],
)
def test_a_chart_that_changed_is_refused(old, new, reason):
    with pytest.raises(RunLogError, match=re.escape(reason)):
        seed_figures.query_charts(CHART.replace(old, new), "x")


def test_failover_counts_are_read_across_a_line_break():
    assert seed_figures.failover_counts("\n" + FAILOVER, "x") == [
        {
            "write_concern": "REPLICAS_SAFE",
            "succeeded": 99402,
            "failed": 598,
            "lost": 0,
            "duration_s": 344,
            "source_line": 2,
        }
    ]


def test_a_mongotest_block_is_one_run():
    assert seed_figures.mongotest_runs(MONGOTEST, "x") == [
        {
            "operation": "READ",
            "threads": 100,
            "duration_s": 1869,
            "rows_per_thread": 500000,
            "rows": 50000000,
            "thread_throughput_ops_s": 267,
            "throughput_ops_s": 26752,
            "source_line": 2,
        }
    ]


def test_iibench_durations_carry_the_stall_of_their_own_version():
    rows = seed_figures.iibench_durations(IIBENCH, "x")
    assert [(r["server_version"], r["duration_min"], r["stall"]) for r in rows] == [
        ("3.2", 31, "a minute or so"), ("3.0", 51, ""),
    ]  # fmt: skip
    assert {r["records"] for r in rows} == {200_000_000}


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (seed_figures.failover_counts, FAILOVER.replace("条、失败598", "条、失败?")),
        (seed_figures.mongotest_runs, MONGOTEST.replace("select Result:26752", "insert Result:26752")),
        (seed_figures.mongotest_runs, MONGOTEST.replace("1869 sec", "1869")),
        (seed_figures.iibench_durations, IIBENCH.replace("took", "takes")),
        (seed_figures.iibench_durations, IIBENCH.replace("200 million", "many")),
        (seed_figures.iibench_durations, IIBENCH.replace("During the test", "Later")),
    ],
)
def test_figures_that_are_not_where_they_were_are_refused(read, text):
    with pytest.raises(RunLogError, match="x: not found: "):
        read(text, "x")


# what is committed


@pytest.mark.parametrize(
    ("dataset", "rows"),
    [
        ("qingcloud-4.0.3", 72), ("tencent-2020-08", 32), ("crud-2012-queries", 24), ("crud-2012-failover", 3),
        ("mongotest-2010", 3), ("iibench-wiredtiger", 2),
    ],
)  # fmt: skip
def test_every_table_is_whole_and_its_sidecar_describes_it(dataset, rows):
    table, said = committed(dataset), sidecar(dataset)
    assert len(table) == said["rows"] == rows
    assert list(table[0]) == list(said["columns"])
    assert {name: (c["unit"], c["meaning"]) for name, c in said["columns"].items()} == {
        name: GLOSSARY[name][1:] for name in table[0]
    }
    content = (paths.PUBLISHED / f"{dataset}.csv").read_bytes()
    assert said["csv_sha256"] == hashlib.sha256(content).hexdigest()
    assert said["title"] and said["publisher"] and re.fullmatch(r"00[0-4]_[0-9a-f]{16}\.txt", said["document"])
    assert said["environment"] and all(said["environment"].values())


def test_no_password_and_no_address_of_a_printed_command_is_kept():
    for published in SEED_DATASETS:
        text = (paths.PUBLISHED / f"{published.dataset}.json").read_text(encoding="utf-8")
        assert "password" not in text and "mongodb://" not in text


def test_the_vendors_figures_stand_as_printed():
    qingcloud = {(r["spec"], r["workload"], r["threads"]): r for r in committed("qingcloud-4.0.3")}
    row = qingcloud["8c64g", "a", "100"]
    assert (row["throughput_ops_s"], row["ral_us"], row["wal_us"], row["cpu_utilisation"]) == (
        "65703",
        "4118",
        "149",
        "",
    )
    assert qingcloud["32c256g", "b", "200"]["throughput_ops_s"] == "111005"
    tencent = {(r["spec"], r["workload"], r["threads"]): r for r in committed("tencent-2020-08")}
    row = tencent["48c512g", "b", "200"]
    assert (row["throughput_ops_s"], row["ral_us"], row["wal_us"], row["cpu_utilisation"]) == (
        "211986",
        "1012",
        "33",
        "0.85",
    )
    assert [r["cpu_utilisation"] for r in committed("tencent-2020-08")].count("1") == 29
    assert sidecar("tencent-2020-08")["facts"]["rtt_us"] == 350
    assert sidecar("tencent-2020-08")["date"] == "2020-08"


def test_the_other_figures_agree_with_themselves():
    for row in committed("crud-2012-failover"):
        assert int(row["succeeded"]) + int(row["failed"]) + int(row["lost"]) == 100_000
    for row in committed("mongotest-2010"):
        rows, seconds = int(row["rows"]), int(row["duration_s"])
        assert int(row["threads"]) * int(row["rows_per_thread"]) == rows
        assert rows // seconds == int(row["throughput_ops_s"])
        assert int(row["rows_per_thread"]) // seconds == int(row["thread_throughput_ops_s"])
    assert [r["throughput_ops_s"] for r in committed("crud-2012-queries")].count("") == 2


# against the documents themselves


@pytest.mark.shared
def test_the_seed_documents_give_the_committed_bytes_twice(shared, tmp_path):
    for _ in range(2):
        written = write_published(shared / "seeds", tmp_path)
        assert {p.name for p in written} <= {p.name for p in paths.PUBLISHED.iterdir() if p.is_file()}
        for path in written:
            assert path.read_bytes() == (paths.PUBLISHED / path.name).read_bytes(), path.name


@pytest.mark.shared
@pytest.mark.parametrize("dataset", ["qingcloud-4.0.3", "tencent-2020-08"])
def test_every_vendor_cell_stands_in_its_line_of_the_document(shared, dataset):
    document = (shared / "seeds" / sidecar(dataset)["document"]).read_text(encoding="utf-8").split("\n")
    for row in committed(dataset):
        line = document[int(row["source_line"]) - 1]
        printed = re.findall(r"(?<=[|>])\s*([^|<>]*?)\s*(?=[|<])", line)
        cells = [row["threads"], row["throughput_ops_s"], row["ral_us"], row["wal_us"]]
        if row["cpu_utilisation"]:
            cells = [row["spec_label"], *cells, f"{float(row['cpu_utilisation']):.0%}"]
        else:
            above = [text for text in document[: int(row["source_line"])] if "规格 " in text and "<td" in text]
            assert f"MongoDB 规格 {row['spec_label']}<" in above[-1]
        assert [cell for cell in printed if cell] == cells
        mix = [text for text in document[: int(row["source_line"])] if text.startswith("### 读")][-1]
        assert mix.endswith({"a": "50:50", "b": "95:5"}[row["workload"]])


@pytest.mark.shared
@pytest.mark.parametrize("dataset", ["crud-2012-queries", "crud-2012-failover", "mongotest-2010", "iibench-wiredtiger"])
def test_every_other_figure_stands_in_the_document(shared, dataset):
    document = (shared / "seeds" / sidecar(dataset)["document"]).read_text(encoding="utf-8").split("\n")
    for row in committed(dataset):
        at = int(row.pop("source_line")) - 1
        near = " ".join(document[at : at + 6])
        for name in (
            "succeeded",
            "failed",
            "lost",
            "duration_s",
            "duration_min",
            "rows",
            "throughput_ops_s",
            "threads",
        ):
            if row.get(name) and not (name == "threads" and dataset == "crud-2012-queries"):
                assert re.search(rf"(?<!\d){row[name]}(?!\d)", near), (name, row)


def seeds_with(shared, folder, number: str, old: str, new: str):
    for path in (shared / "seeds").glob("*.txt"):
        text = path.read_text(encoding="utf-8")
        if path.name.startswith(number):
            assert old in text
            text = text.replace(old, new, 1)
        (folder / path.name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.shared
@pytest.mark.parametrize(
    ("number", "change", "reason"),
    [
        ("000", ("<td>9372</td>", "<td>93x2</td>"), r"000_.*:81: throughput_ops_s: got '93x2'"),
        ("001", ("admin?w=0", "admin?w=1"), r"001_.*: write_concern: .*expected one value"),
        ("001", ("平均时延为0.35ms", "平均时延为半毫秒"), r"001_.*: not found: "),
    ],
)
def test_a_changed_document_is_refused_before_anything_is_written(shared, tmp_path, number, change, reason):
    (tmp_path / "in").mkdir()
    seeds = seeds_with(shared, tmp_path / "in", number, *change)
    with pytest.raises(RunLogError, match=reason):
        write_published(seeds, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_missing_document_is_named(tmp_path):
    with pytest.raises(RunLogError, match=r"got 0 files named 000_\*\.txt, expected one seed document"):
        write_published(tmp_path, tmp_path / "out")
