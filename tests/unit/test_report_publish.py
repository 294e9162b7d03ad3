"""Publishing into a docs tree: what is written, what is never overwritten, the index, history and trend."""

import shutil
from dataclasses import replace

import pytest
from published_reports import copied, faster, few, made, remember
from report_samples import local_tables

from ycsbook import paths
from ycsbook.errors import PublishError
from ycsbook.report.site import check, index, publish, tree


@pytest.fixture(autouse=True)
def _derived_once(monkeypatch):
    remember(monkeypatch)


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    return made(tmp_path_factory.mktemp("out") / "local", few(local_tables()))


@pytest.fixture(scope="module")
def newer(tmp_path_factory):
    return made(tmp_path_factory.mktemp("newer") / "local", faster(few(local_tables()), 1.1))


@pytest.fixture
def report(original, tmp_path):
    return copied(original, tmp_path / "out" / "local")


@pytest.fixture
def docs(tmp_path):
    return tmp_path / "docs"


def contents(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_page_figures_data_html_and_evidence_go_into_one_folder(report, docs):
    done = publish(report, docs)

    found = contents(docs)
    assert found["local/index.md"] == (report / "report.md").read_bytes()
    assert {n.split("/")[1] for n in found if n.startswith("local/")} == {
        ".ycsbook.json", "index.md", "report.html", "figures", "data", "evidence",
    }  # fmt: skip
    assert {p.relative_to(docs).as_posix() for p in done.written} == {
        n for n in found if not n.endswith(".ycsbook.json")
    }
    assert done.unchanged == () and (done.pages, done.index) == ((docs / "local" / "index.md",), docs / "index.md")
    recorded = tree.read(docs / "local")
    assert recorded.files == {
        n.removeprefix("local/"): tree.sha256(content)
        for n, content in found.items()
        if n.startswith("local/") and not n.endswith(".ycsbook.json")
    }


def test_the_same_report_gives_the_same_bytes(report, docs):
    publish(report, docs)
    before = contents(docs)
    again = publish(report, docs)

    assert contents(docs) == before
    assert again.written == () and len(again.unchanged) == len([n for n in before if not n.endswith(".ycsbook.json")])


def test_publishing_again_replaces_and_removes_what_is_stale(report, docs):
    publish(report, docs)
    (report / "figures" / "scaling-1.svg").rename(report / "figures" / "other.svg")
    done = publish(report, docs)

    names = contents(docs)
    assert docs / "local/figures/other.svg" in done.written and docs / "local/index.md" in done.unchanged
    assert done.removed == (docs / "local/figures/scaling-1.svg",)
    assert "local/figures/other.svg" in names and "local/figures/scaling-1.svg" not in names


@pytest.mark.parametrize("name", ["index.md", "figures/scaling-1.svg", "evidence/runs.csv"])
def test_a_file_edited_by_hand_is_not_replaced(report, docs, name):
    publish(report, docs)
    edited = docs / "local" / name
    edited.write_text("mine")
    before = contents(docs)

    with pytest.raises(PublishError, match=r"was edited since it was published.*--force"):
        publish(report, docs)

    assert contents(docs) == before
    publish(report, docs, force=True)
    assert edited.read_text() != "mine"


def test_a_foreign_file_in_the_way_is_not_replaced(report, docs):
    (docs / "local").mkdir(parents=True)
    (docs / "local" / "index.md").write_text("mine")

    with pytest.raises(PublishError, match="was not published by ycsbook"):
        publish(report, docs)


def test_a_record_cannot_reach_outside_its_folder(report, docs):
    publish(report, docs)
    victim = docs / "keep.md"
    victim.write_text("keep")
    (docs / "local" / ".ycsbook.json").write_text('{"format": 2, "files": {"../keep.md": "0"}}')
    publish(report, docs, force=True)

    assert victim.read_text() == "keep"


def test_no_link_is_followed_out_of_the_tree(report, docs, tmp_path):
    docs.mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (docs / "local").symlink_to(elsewhere)

    with pytest.raises(PublishError, match="leads out of"):
        publish(report, docs, force=True)
    assert not any(elsewhere.iterdir())


@pytest.mark.parametrize(
    "content", ["[]", "{", '{"index.md": "0"}', '{"format": 2, "files": []}', '{"format": 3}', '{"a": 1}']
)
def test_a_damaged_record_is_told(report, docs, content):
    (docs / "local").mkdir(parents=True)
    (docs / "local" / ".ycsbook.json").write_text(content)

    with pytest.raises(PublishError, match="is not a record of a published report"):
        publish(report, docs)


def test_no_report_says_how_to_make_one(tmp_path):
    with pytest.raises(PublishError, match=r"holds no report\.md.*ycsbook report PARAMS"):
        publish(tmp_path, tmp_path / "docs")


def test_a_report_without_its_tables_is_refused(report, docs):
    (report / "tables" / "environment.json").unlink()

    with pytest.raises(PublishError, match=r"holds no environment\.json"):
        publish(report, docs)


def test_the_params_file_must_be_that_of_the_tables(report, docs):
    path = report / "tables" / "params.yml"
    path.write_text(path.read_text() + "seed: 2\n")

    with pytest.raises(PublishError, match="is not the params file of these tables"):
        publish(report, docs)


def test_a_page_that_does_not_follow_from_its_tables_is_refused(report, docs):
    page = report / "report.md"
    page.write_text(page.read_text().replace("12 measured", "13 measured", 1))

    with pytest.raises(PublishError, match=r"report\.md:\d+: prints 13 where its tables give 12"):
        publish(report, docs)
    assert not docs.exists()


def test_hugo_gets_no_second_title_and_no_html(report, docs):
    publish(report, docs, site="hugo")

    page = (docs / "local" / "index.md").read_text()
    assert page.startswith("---\ntitle: ") and "\n# " not in page
    assert not (docs / "local" / "report.html").exists() and "report.html" not in page
    assert (docs / "_index.md").read_text().startswith('---\ntitle: "Reports"\n---\n')
    assert "](local/)" in (docs / "_index.md").read_text()


def test_the_index_of_sphinx_lists_its_pages(report, docs):
    publish(report, docs, site="sphinx", profile="tencent")

    page = (docs / "index.md").read_text()
    assert (
        "```{toctree}\n:hidden:\n\nlocal/index\nMongoDB on this machine, in the shape of tencent <local-tencent/index>"
        in page
    )
    assert "](ycsbook-overview-1.svg)" in page


def test_all_datasets_stand_side_by_side_and_are_checked(report, docs, tmp_path):
    source = {"title": "x", "publisher": "A vendor", "url": "https://example.com/page"}
    other = made(tmp_path / "other", faster(few(local_tables()), 2.0), name="other", title="Other", source=source)
    publish(report, docs)
    publish(other, docs)

    page = (docs / "index.md").read_text()
    rows = [line for line in page.split("\n") if line.startswith("|") and "index.md" in line]
    # The faster one first, each with its page and its HTML, the source where there is one.
    assert [row.split("](")[1].split("/")[0] for row in rows] == ["other", "local"]
    assert rows[0].startswith("| 50:50 |") and "[A vendor](<https://example.com/page>)" in rows[0]
    assert "(other/report.html)" in rows[0] and "](ycsbook-overview-1.svg)" in page
    assert (docs / "ycsbook-overview-1.svg").read_text().startswith("<svg") and check(docs) == []

    (docs / "ycsbook-overview-1.svg").write_text("<svg/>")
    assert [(m.path.name, m.reason.split(";")[0]) for m in check(docs)] == [
        ("ycsbook-overview-1.svg", "is not as it was published")
    ]


def test_the_rest_of_an_index_is_anybodys(report, docs):
    docs.mkdir()
    (docs / "index.md").write_text(f"# Mine\n\nBefore.\n\n{index.BEGIN}\n{index.END}\n\nAfter.\n")
    publish(report, docs)
    page = (docs / "index.md").read_text()
    (docs / "index.md").write_text(page.replace("After.", "After, 7 times."))
    publish(report, docs)

    page = (docs / "index.md").read_text()
    assert page.startswith("# Mine\n\nBefore.\n") and page.endswith("After, 7 times.\n") and "(local/index.md)" in page


def test_an_index_without_a_place_is_left_alone(report, docs):
    docs.mkdir()
    (docs / "index.md").write_text("# Mine\n")

    with pytest.raises(PublishError, match="has no place for the index"):
        publish(report, docs)
    assert (docs / "index.md").read_text() == "# Mine\n" and not (docs / "local").exists()
    publish(report, docs, force=True)
    assert (docs / "index.md").read_text().startswith("# Mine\n\n<!-- ycsbook:begin -->\n")


def test_an_index_edited_between_its_marks_is_not_replaced(report, docs):
    publish(report, docs)
    path = docs / "index.md"
    path.write_text(path.read_text().replace("Each number follows", "No number follows"))

    with pytest.raises(PublishError, match="its index was edited"):
        publish(report, docs)
    publish(report, docs, force=True)
    assert "Each number follows" in path.read_text()


def test_other_runs_under_the_same_name_make_a_history_and_a_trend(report, newer, docs):
    publish(report, docs)
    before = tree.read(docs / "local").report
    publish(newer, docs)

    now = tree.read(docs / "local")
    assert [entry["numbers"] for entry in now.history] == [before["numbers"]]
    assert [entry["date"] for entry in now.history] == ["2026-11-20"]
    page = (docs / "index.md").read_text()
    assert "published 2 times" in page and "| +10 % |" in page and "| ▇█ |" in page
    publish(newer, docs)
    assert len(tree.read(docs / "local").history) == 1


def test_the_same_throughputs_in_tables_of_another_shape_are_no_further_publication(report, docs):
    publish(report, docs)
    before = tree.read(docs / "local")
    same = {**before.report, "runs_sha256": "of a table with one more column"}
    assert index.continued(before, same) == []
    faster = [{**found, "best_ops_s": 2 * found["best_ops_s"]} for found in same["numbers"]]
    assert [entry["numbers"] for entry in index.continued(before, {**same, "numbers": faster})] == [
        before.report["numbers"]
    ]


def test_nothing_in_a_published_page_tells_when_it_was_published(report, docs, tmp_path):
    publish(report, docs)
    publish(report, tmp_path / "other")

    assert contents(docs) == contents(tmp_path / "other")


def test_a_tree_for_another_site_is_refused(report, docs):
    publish(report, docs)
    before = contents(docs)

    for force in (False, True):
        with pytest.raises(
            PublishError, match="holds pages for plain, asked was --site hugo; publish with --site plain"
        ):
            publish(report, docs, site="hugo", force=force)
    assert contents(docs) == before


def test_a_tree_that_nothing_of_ours_is_left_in_may_become_another_sites(report, docs):
    publish(report, docs)
    shutil.rmtree(docs / "local")
    (docs / "index.md").unlink()
    publish(report, docs, site="hugo")

    assert (docs / "_index.md").is_file() and not (docs / "index.md").exists()


@pytest.mark.parametrize("place", ["local", "local/docs", "."])
def test_a_report_is_not_published_among_the_results(report, tmp_path, place):
    before = contents(tmp_path / "out")

    with pytest.raises(PublishError, match=r"which holds results|holds the report itself"):
        publish(report, tmp_path / "out" / place)
    assert contents(tmp_path / "out") == before


def test_the_output_folder_is_no_docs_tree(report):
    with pytest.raises(PublishError, match="which holds results"):
        publish(report, paths.OUTPUT / "docs-of-mine")


def test_runs_whose_threads_nobody_knows_are_published_and_read_again(docs, tmp_path):
    tables = few(local_tables())
    unknown = replace(tables, runs=tables.runs.assign(threads=float("nan")))
    publish(made(tmp_path / "out" / "local", unknown), docs)
    assert {best["threads"] for best in tree.read(docs / "local").report["numbers"]} == {None}
    # The index prints them, and is what it would be made anew.
    assert "None" not in (docs / "index.md").read_text()
    assert check(docs) == []
