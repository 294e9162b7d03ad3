"""Whether `publish --check` finds every number that does not follow, and lets words be edited."""

import json
import re
import shutil
from dataclasses import fields

import pandas as pd
import pytest
from command_samples import invoke
from hypothesis import given
from hypothesis import strategies as st
from published_reports import few, made, remember
from report_samples import local_tables

from ycsbook import paths
from ycsbook.errors import PublishError
from ycsbook.report.site import check, evidence, index, publish
from ycsbook.report.site.publishing import differences, edited
from ycsbook.tables import Tables


@pytest.fixture(autouse=True)
def _derived_once(monkeypatch):
    remember(monkeypatch)


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("published")
    publish(made(folder / "local", few(local_tables())), folder / "docs", site="sphinx", profile="tencent")
    return folder / "docs"


@pytest.fixture
def docs(published, tmp_path):
    return shutil.copytree(published, tmp_path / "docs")


def changed(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


def a_row(page):
    return next(line for line in page.read_text().split("\n") if line.startswith("| 1 core, 1 GiB | 16 |"))


def test_what_was_published_follows(docs):
    assert check(docs) == []
    assert edited(docs) == []


def test_a_changed_number_is_named_with_its_line_and_what_follows(docs):
    page = docs / "local" / "index.md"
    row = a_row(page)
    number = row.split("|")[3].split("±")[0].strip()
    line = changed(page, row, row.replace(number, "99,999"))

    (mismatch,) = check(docs)
    assert (mismatch.path, mismatch.line) == (page, line)
    assert f"prints 99,999 below '50 % reads, 50 % updates', its data give {number}" in str(mismatch)


def test_an_added_number_is_found(docs):
    page = docs / "local" / "index.md"
    text = page.read_text()
    page.write_text(text + "\nTwice as fast as 2 others.\n")

    (mismatch,) = check(docs)
    assert mismatch.line == text.count("\n") + 2 and "prints 2 below" in mismatch.reason


def test_a_changed_number_in_a_heading_is_found(docs):
    changed(docs / "local" / "index.md", "### 50 % reads, 50 % updates", "### 60 % reads, 50 % updates")

    assert any("prints 60%" in m.reason for m in check(docs))


def test_words_may_be_edited_and_sections_left_out(docs):
    page = docs / "local" / "index.md"
    changed(page, "**Server:**", "**The server was**")
    text = page.read_text()
    assert text.count("# MongoDB on this machine\n") == text.count("## Latency") == 1
    text = text.replace("# MongoDB on this machine\n", "# OUR MongoDB\n").replace("## Latency", "## How slow, ")
    start, end = text.index("## Method\n"), text.index("## Environment\n")
    page.write_text(text[:start] + text[end:])

    assert check(docs) == []
    assert edited(docs) == [page]


@pytest.mark.parametrize("name", ["figures/scaling-1.svg", "report.html", "evidence/runs.csv", "evidence/params.yml"])
def test_what_cannot_be_compared_must_be_as_published(docs, name):
    path = docs / "local" / name
    path.write_bytes(path.read_bytes() + b" ")

    assert [(m.path, m.reason.split(";")[0]) for m in check(docs)] == [(path, "is not as it was published")]


@pytest.mark.parametrize("name", ["index.md", "evidence/operations.csv"])
def test_a_file_that_is_gone_is_named(docs, name):
    (docs / "local" / name).unlink()

    assert (docs / "local" / name, "is gone") in [(m.path, m.reason.split(";")[0]) for m in check(docs)]


def test_a_number_of_a_vendors_page_is_checked(docs):
    page = docs / "local-tencent" / "index.md"
    row = next(line for line in page.read_text().split("\n") if line.startswith("| 1核1GB | 16 |"))
    line = changed(page, row, row.replace("| 16 |", "| 32 |"))

    (mismatch,) = check(docs)
    assert (mismatch.path, mismatch.line) == (page, line) and "prints 32" in mismatch.reason


def test_a_number_of_the_index_is_checked(docs):
    line = changed(docs / "index.md", "GiB, 16 threads |", "GiB, 17 threads |")

    (mismatch,) = check(docs)
    assert (mismatch.path, mismatch.line) == (docs / "index.md", line) and "its data give 16" in mismatch.reason


def test_the_recorded_numbers_must_follow_too(docs):
    path = docs / "local" / ".ycsbook.json"
    record = json.loads(path.read_text())
    record["report"]["numbers"][0]["best_ops_s"] += 1000
    path.write_text(json.dumps(record))

    assert any("its main numbers are not those of its data" in m.reason for m in check(docs))


def test_page_index_and_record_round_once_and_are_compared_as_printed(docs):
    path, index = docs / "local" / ".ycsbook.json", docs / "index.md"
    record = json.loads(path.read_text())
    (numbers,) = record["report"]["numbers"]
    exact = numbers["best_ops_s"]
    assert exact != round(exact, 1)
    assert f"{exact:,.0f}" in index.read_text() and f"{exact:,.0f}" in (docs / "local" / "index.md").read_text()

    numbers["best_ops_s"] = exact * (1 + 1e-12)
    path.write_text(json.dumps(record))
    assert check(docs) == []
    numbers["best_ops_s"] = exact + 1
    path.write_text(json.dumps(record))
    changed(index, f"{exact:,.0f}", f"{exact + 1:,.0f}")
    assert [m.path for m in check(docs)] == [path]


def test_a_vendors_table_that_is_another_one_now_is_found(docs):
    path = docs / "local" / ".ycsbook.json"
    record = json.loads(path.read_text())
    record["published"] = {"data/published/qingcloud-4.0.3.csv": "0" * 64}
    path.write_text(json.dumps(record))

    assert [str(m.path) for m in check(docs)] == ["data/published/qingcloud-4.0.3.csv"]


def test_a_record_that_names_no_report_is_to_be_published_again(docs):
    (docs / "local" / ".ycsbook.json").write_text('{"format": 2}')

    assert any("without its evidence" in m.reason for m in check(docs))


def test_an_empty_tree_is_told(tmp_path):
    with pytest.raises(PublishError, match="holds no published report"):
        check(tmp_path)


def test_the_command_ends_with_1_where_a_number_does_not_follow(docs):
    good = invoke("publish", "--check", docs)
    changed(docs / "index.md", "GiB, 16 threads |", "GiB, 17 threads |")
    bad = invoke("publish", "--check", "--to", docs)

    assert (good.exit_code, bad.exit_code) == (0, 1)
    assert "2 pages, all numbers follow" in good.output and "prints 17" in bad.output


def test_the_command_publishes_as_the_params_file_says(tmp_path):
    report = made(tmp_path / "local", few(local_tables()), report={"site": "hugo", "profile": "qingcloud"})
    docs = tmp_path / "docs"
    result = invoke("publish", report, "--to", docs)

    assert result.exit_code == 0, result.output
    assert (docs / "_index.md").is_file() and (docs / "local-qingcloud" / "index.md").is_file()
    assert f"page       {docs / 'local' / 'index.md'}\n" in result.output and "runs.csv" not in result.output
    again = invoke("publish", report, "--to", docs)
    assert " written, 0 unchanged" in result.output and "files      0 written, " in again.output
    told = json.loads(invoke("publish", report, "--to", docs, "--json").stdout)
    assert str(docs / "local" / "evidence" / "runs.csv") in told["unchanged"]
    assert told["written"] == [] and told["index"] == str(docs / "_index.md") and len(told["pages"]) == 2
    wrong = invoke("publish", report, "--to", docs, "--site", "jekyll")
    assert isinstance(wrong.exception, PublishError) and "hugo, sphinx, plain" in str(wrong.exception)


def test_evidence_reads_back_as_the_same_tables(tmp_path):
    tables = local_tables()
    tables.runs.loc[0, "dataset"], tables.runs.loc[1, "dataset"] = "=1+1", '\'quoted, "twice"'
    tables.runs.loc[2, "goodput_ops_s"] = 0.1 + 0.2
    report = made(tmp_path / "local", tables)
    kept = evidence.files(report)
    found = evidence.of(kept).tables

    assert b"'=1+1" in kept["evidence/runs.csv"]
    for part in fields(Tables):
        if part.name != "histograms":
            pd.testing.assert_frame_equal(getattr(found, part.name), getattr(tables, part.name), check_exact=True)


def test_large_tables_are_compressed(tmp_path, monkeypatch):
    monkeypatch.setattr(evidence, "_MAX_PLAIN", 1000)
    report = made(tmp_path / "local", few(local_tables()))
    kept = evidence.files(report)

    assert "evidence/percentiles.csv.gz" in kept and "evidence/percentiles.csv" not in kept
    assert kept == evidence.files(report)
    assert len(evidence.of(kept).tables.percentiles) == len(few(local_tables()).percentiles)


def test_no_password_gets_into_the_evidence(tmp_path):
    tables = few(local_tables())
    tables.runs.loc[0, "source"] = "mongodb://u:hunter2@h/ycsb"
    report = made(tmp_path / "local", tables, title="mongodb://u:hunter2@h/ycsb")

    assert not [name for name, content in evidence.files(report).items() if b"hunter2" in content]


PAGE = "---\ntitle: 1\n---\n\n# T 1\n\nA 2, −3.5 % and 4,000.\n\n## Code\n\n```text\n## 5\n```\n\n## Empty\n"


def test_numbers_are_those_below_the_front_matter_and_of_the_title():
    assert len(differences(PAGE, "")) == 6
    assert differences(PAGE.replace("title: 1", "weight: 7\ntitle: 1"), PAGE) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("−3.5 %", "−3.6 %", [(7, "-3.6%", "-3.5%")]),
        ("4,000.", "4,000, 5", [(7, "5", "")]),
        (" and 4,000", "", [(7, "", "4,000")]),
        ("## 5", "## 6", [(12, "6", "5")]),
        ("## Empty\n", "## Empty\n7\n", [(16, "7", "")]),
        ("## Empty\n", "## New\n7\n", [(16, "7", "")]),
        ("## Code\n\n```text\n## 5\n```\n", "", []),
        ("# T 1", "# Our T 1", []),
        ("# T 1\n\nA 2", "# Our T 1\n\nA 3", [(7, "3", "2")]),
        ("# T 1\n", "# Our words\n\n# T 1\n", []),
        ("A 2", "Only 2", []),
        ("title: 1", "title: 9", [(2, "9", "1")]),
        ("4,000.", "4,000k.", [(7, "4,000k", "4,000")]),
        ("4,000.", "4,000 million.", [(7, "4,000million", "4,000")]),
        ("4,000.", "4,000 万。", [(7, "4,000万", "4,000")]),
        ("4,000.", "4,000 ms.", [(7, "4,000ms", "4,000")]),
        ("4,000.", "4,000 × A.", [(7, "4,000×A", "4,000")]),
        ("4,000.", "4,000 sheep or 4,000.", [(7, "4,000", "")]),
        ("4,000.", "4,000 in all.", []),
    ],
)
def test_differences_have_a_line_and_what_is_expected(old, new, expected):
    found = differences(PAGE.replace(old, new, 1), PAGE)

    assert [(d.line, d.printed, d.expected) for d in found] == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("(us)", "(ms)", ("ms)", "us)")),
        ("| F |", "| A |", ("A", "F")),
        ("6,314 ±", "6,314k ±", ("6,314k", "6,314")),
        (":---", ":-----", None),
        ("6,314 ± 609", "**6,314** ± 609", None),
    ],
)
@pytest.mark.parametrize("html", [False, True])
def test_of_tables_each_word_is_compared(old, new, expected, html):
    page = "## T\n\n| Spec | RAL (us) | Trust |\n| :--- | ---: | :--- |\n| 2c8g | 6,314 ± 609 | F |\n"
    other = page.replace(old, new)
    if html:
        page, other = (
            re.sub(r"(?m)^\| (.*) \|$", r"<td>\1</td>", p).replace(" | ", "</td> <td>") for p in (page, other)
        )
    found = [(d.printed.strip("("), d.expected.strip("(")) for d in differences(other, page)]
    assert found == ([expected] if expected else [])


def test_words_of_the_index_are_compared_between_its_marks_alone(docs):
    path = docs / "index.md"
    text = path.read_text()
    path.write_text(text.replace(index.BEGIN, f"Our servers did 5 million.\n\n{index.BEGIN}"))
    assert check(docs) == []
    path.write_text(text.replace("Trust is the grade", "Nothing is the grade"))
    assert [m.reason for m in check(docs)] == ["prints Nothing, its data give Trust"]


def test_sections_of_one_heading_may_be_left_out_and_moved():
    of = {
        name: f"## {name}\n\n### a\n{10 * i} and {10 * i + 1}\n### b\n{10 * i + 2}, {10 * i + 3}\n"
        for i, name in enumerate(("Latency", "Threads", "Time"), 1)
    }
    page = "".join(of.values())

    assert differences(of["Threads"] + of["Time"], page) == []
    assert differences(of["Time"] + of["Latency"] + of["Threads"], page) == []
    swapped = page.replace("### a\n20 and 21", "### a\n22 and 23")
    assert [(d.heading, d.printed, d.expected) for d in differences(swapped, page)] == [
        ("a", "22", "20"), ("a", "23", "21"),
    ]  # fmt: skip


@given(st.lists(st.integers(0, 10**6), max_size=12), st.data())
def test_any_other_number_is_found(numbers, data):
    page = "".join(f"x {n:,} y\n" for n in numbers)
    assert differences(page, page) == []
    if numbers:
        at = data.draw(st.integers(0, len(numbers) - 1))
        other = [n + (i == at) for i, n in enumerate(numbers)]
        assert differences("".join(f"x {n:,} y\n" for n in other), page)


@pytest.mark.matrix
@pytest.mark.parametrize("at", [".", "..", "../..", "local"])
def test_every_working_folder_will_do_and_a_page_or_several_trees_as_well(published, tmp_path, monkeypatch, at):
    """A published table beside the page, which rules read, is found from anywhere."""
    place = tmp_path / "site" / "docs"
    shutil.copytree(published, place)
    shutil.copytree(paths.REPOSITORY / "docs" / "reports" / "tencent-2020-08", place / "tencent-2020-08")
    shutil.copytree(published, tmp_path / "site" / "others")
    monkeypatch.chdir(place)
    expected = {".": 3, "..": 5, "../..": 5, "local": 1}[at]

    result = invoke("publish", "--check", at)

    # The index of the copy lists no page that was put beside it; words of a page made by another release may differ.
    assert "cannot be read" not in result.stdout and "edited by hand" not in result.stdout
    assert f"{at}: {expected} page" in result.stdout
