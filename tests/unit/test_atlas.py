"""Every published YCSB table: its evidence, its params file, its findings, and the page that holds all of them."""

import hashlib
import json
import re

import pytest

from ycsbook import messages, params, paths
from ycsbook.ingest.published.published import read_published
from ycsbook.report import atlas
from ycsbook.trust import GRADES

SIDECARS = {p.stem: json.loads(p.read_bytes()) for p in sorted(paths.PUBLISHED.glob("*.json"))}
TABLES = sorted(name for name, said in SIDECARS.items() if "spec" in said["columns"])


@pytest.fixture(scope="module")
def entries():
    return atlas.entries()


def test_there_are_ten_tables_of_six_publishers():
    assert len(TABLES) >= 10
    assert len({SIDECARS[name]["publisher"] for name in TABLES}) >= 6


@pytest.mark.parametrize("name", SIDECARS)
def test_a_table_is_the_one_its_sidecar_is_of(name):
    said, content = SIDECARS[name], (paths.PUBLISHED / f"{name}.csv").read_bytes()
    assert said["csv_sha256"] == hashlib.sha256(content).hexdigest()
    assert said["rows"] == len(content.splitlines()) - 1
    assert content.split(b"\n")[0].decode().split(",") == list(said["columns"])


@pytest.mark.parametrize("name", [name for name in TABLES if "accessed" in SIDECARS[name]])
def test_a_table_says_where_it_is_from_and_that_it_was_read_twice(name):
    said = SIDECARS[name]
    assert said["document"].startswith("https://") and said["licence"]
    assert re.match(r"\d{4}-\d\d-\d\d: .*no difference", said["second_reading"])


@pytest.mark.parametrize("name", TABLES)
def test_a_params_file_would_measure_it_again(name):
    sweep = params.load(paths.REPOSITORY / "params" / f"{name}.yml")
    assert sweep.name == name and sweep.server.published == f"data/published/{name}.csv"
    runs = read_published(sweep.server.published).runs.query("phase == 'run'")
    assert set(runs.workload) <= {w.name for w in sweep.workloads}
    assert set(runs.threads.dropna()) <= set(sweep.threads)
    shares = {w.name: w.read for w in sweep.workloads}
    assert all(share == shares[w] for w, share in zip(runs.workload, runs.read_fraction, strict=True))


def test_every_row_has_a_grade_and_every_finding_a_sentence(entries):
    assert [e.name for e in entries] == TABLES
    for entry in entries:
        assert set(entry.runs.grade) <= set(GRADES)
        assert all(messages.say(messages.fact_of(row, "message"), "en") for row in entry.findings.to_dict("records"))


def test_the_page_is_what_the_tables_give(entries):
    assert (paths.REPOSITORY / "docs" / atlas.PAGE).read_text(encoding="utf-8") == atlas.page(entries)


def test_of_a_page_of_which_no_row_can_be_right_that_is_said(entries):
    all_wrong = messages.text("atlas-all-impossible", n=3)
    (line,) = [line for line in atlas.page(entries).splitlines() if all_wrong in line]
    assert line.startswith("- **chrahul**")


def test_groups_hold_every_row_once_and_only_like_rows(entries):
    page = atlas.page(entries, "zh")
    counted = sum(
        int(n) for cell in re.findall(r"\| (\d[^|]*[A-F]) \|$", page, re.MULTILINE) for n in re.findall(r"\d+", cell)
    )
    assert counted == sum(len(e.runs) for e in entries)


def test_what_is_not_said_is_a_question_mark(entries):
    row = next(line for line in atlas.page(entries).splitlines() if line.startswith("| huawei-dds-3.4 | 3.4 |"))
    assert [cell.strip() for cell in row.strip("|").split("|")][3] == "?"


def test_records_are_those_of_the_printed_commands(entries):
    for entry in entries:
        commands = " ".join(map(str, SIDECARS[entry.name]["environment"].values()))
        counts = set(map(int, re.findall(r"recordcount=([0-9]+)", commands)))
        if len(counts) == 1 and "records" not in SIDECARS[entry.name]["facts"]:
            assert set(entry.runs["records"]) == counts
    row = next(line for line in atlas.page(entries).splitlines() if line.startswith("| tencent-2020-08 | 4.0"))
    assert " 10,000,000 " in row
