"""The mixes of pages: letters of YCSB's workloads, ratios of other operations than reads and updates, and loads."""

import math

import pandas as pd
import pytest
from page_samples import markdown, read

from ycsbook.ingest.published.own_data import of_frame
from ycsbook.ingest.published.page_mix import mix, mixes_in_prose

LETTERS = {
    "A": "50/50 read/update", "B": "95/5 read/update", "C": "100% read", "D": "95/5 read latest/insert",
    "E": "95/5 scan/insert", "F": "50% read, 50% read-modify-write",
}  # fmt: skip


@pytest.mark.parametrize("form", ["{0} ({1})", "Workload {0} ({1})", "{0}: {1}", "workload{0} – {1}"])
def test_a_printed_letter_is_the_workload_and_no_row_is_lost(tmp_path, form):
    cells = [(form.format(letter, words), 1000 + n) for n, (letter, words) in enumerate(LETTERS.items())]
    rows, told = read(tmp_path, markdown(("Workload", "QPS"), *cells, above="128 threads, 8c32g"))
    assert [(r["workload"], r["throughput_ops_s"]) for r in rows.runs] == [
        (letter.lower(), 1000 + n) for n, letter in enumerate(LETTERS)
    ]
    shares = [r["read_fraction"] for r in rows.runs]
    assert shares[:3] == [0.5, 0.95, 1.0] and all(map(math.isnan, shares[3:])) and not told


def test_ratios_of_other_operations_are_mixes_of_their_own(tmp_path):
    names = ("95/5 read/update", "95/5 read/insert", "95/5 scan/insert", "50/50 read/read-modify-write")
    cells = [(name, 1000) for name in names]
    rows, told = read(tmp_path, markdown(("Workload", "QPS"), *cells, above="128 threads, 8c32g"))
    assert next(r["workload"] for r in rows.runs) == "b" and len({r["workload"] for r in rows.runs}) == 4 and not told


@pytest.mark.parametrize(
    "text",
    [
        "write:read = 95:5",
        "Write/Read 95/5",
        "95/5 update/read",
        "更新读取比 95:5",
        "写读比 95:5",
        "PUT:GET=95:5",
        "W/R 95/5",
    ],
)
def test_a_ratio_names_its_parts_in_their_order(text):
    assert mix(text) == ("r5", 0.05) and mix("95/5 read/write") == ("b", 0.95)


@pytest.mark.parametrize(
    ("text", "mixes"),
    [
        ("We ran workload D (95% read, 5% insert).", {"d"}),
        ("All figures: 95:5 scan/insert.", set()),
        ("Workload B, 95% reads and 5% updates.", {"b"}),
        ("数据插入后测试，读写比 95:5", {"b"}),
    ],
)
def test_mixes_of_sentences(text, mixes):
    assert {name for name, _ in mixes_in_prose(text)} == mixes


@pytest.mark.parametrize(
    ("text", "name"),
    [("A comparison, 95:5", "b"), ("E5-2680, 50:50", "a"), ("100% insert", "r0"), ("读/写 80:20", "r80")],
)
def test_words_that_begin_with_a_letter_are_no_workload(text, name):
    assert mix(text)[0] == name


@pytest.mark.parametrize(
    "title", ["## Load phase", "## 2.1 Load (50M records)", "## 数据加载阶段", "Load phase, 50M records"]
)
def test_a_table_below_a_title_of_the_load_phase_is_of_the_load(tmp_path, title):
    tables = [markdown(("Spec", "Threads", "QPS"), ("8c32g", 128, qps), above=above)
              for above, qps in ((title, 5000), ("## Workload A", 9000))]  # fmt: skip
    rows, _ = read(tmp_path, "\n".join(tables))
    assert [(r["phase"], r["workload"], r["throughput_ops_s"]) for r in rows.runs] == [
        ("load", "", 5000), ("run", "a", 9000)
    ]  # fmt: skip


def test_a_load_test_is_no_load_phase(tmp_path):
    rows, _ = read(tmp_path, markdown(("Spec", "Threads", "QPS"), ("8c32g", 128, 9000), above="## Load test, 50:50"))
    assert [(r["phase"], r["workload"]) for r in rows.runs] == [("run", "a")]


def test_a_mix_of_a_csv_may_be_the_load_phase():
    runs = of_frame(pd.DataFrame({"cores": 8, "threads": 64, "mix": ["load", "95:5"], "qps": [5000, 9000]})).runs
    assert runs["phase"].tolist() == ["load", "run"]


def test_the_letters_of_ycsb_name_the_mix_in_titles_and_cells_before_any_comment_of_a_command(tmp_path):
    rates, other = (markdown(["Threads", "QPS"], [8, qps]) for qps in (100, 200))
    text = f"# Bench\n\n```sh\n# YCSB-A (50% read / 50% write)\nmake bench\n```\n\n{rates}\n"
    text += f"On one node, YCSB-B (5% write):\n{rates}YCSB-C:\n{rates}## ycsb d\n{rates}## YCSB-A, YCSB-F\n{other}"
    (runs, *_), rejected = read(tmp_path, text)
    assert [run["workload"] for run in runs] == ["", "b", "c", "d", ""] and rejected == []
    names = ["YCSB-A (50/50 r/w)", "YCSB B", "ycsb-c", "YCSB-F (read-modify-write)", "YCSB-G"]
    (runs, *_), _ = read(tmp_path, markdown(["Workload", "Threads", "QPS"], *([name, 8, 100] for name in names)))
    assert [run["workload"] for run in runs] == ["a", "b", "c", "f", "ycsb-g"] and runs[0]["read_fraction"] == 0.5


def test_load_test_data_are_a_load_unless_something_is_read(tmp_path):
    headings, load, reads = ["Spec", "Threads", "QPS", "RAL", "WAL"], ["2c4g", 8, 900, 0, 50], ["2c4g", 8, 900, 40, 50]
    rows, _ = read(tmp_path, markdown(headings, load, above="### Load test data\n"))
    assert [(run["phase"], op["operation"]) for run, op in zip(*rows[:2], strict=True)] == [("load", "INSERT")]
    rows, _ = read(tmp_path, markdown(headings, reads, above="### Load test data\n"))
    assert [run["phase"] for run in rows.runs] == ["run"]
    assert [op["operation"] for op in rows.operations] == ["READ", "UPDATE"]


@pytest.mark.parametrize("several", ["YCSB-A/B", "YCSB A, B and C", "Workload A-F", "workloada/workloadb"])
def test_of_several_workloads_none_is_that_of_the_table(tmp_path, several):
    assert mix(several) is None
    rows, _ = read(tmp_path, f"# Test\n\n{several} are bound by fsync.\n\n" + markdown(["Threads", "QPS"], [8, 900]))
    assert rows.runs[0]["workload"] == ""


@pytest.mark.parametrize("one", ["Workload A, a session store", "Workload A - update heavy", "YCSB-A, 16C64G"])
def test_what_follows_a_workload_is_no_other(one):
    assert mix(one)[0] == "a"
