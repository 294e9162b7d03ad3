"""Publishing into a docs tree."""

import pytest

from ycsbook.errors import PublishError
from ycsbook.report.site import publish


@pytest.fixture
def report(tmp_path):
    folder = tmp_path / "out" / "local"
    (folder / "figures").mkdir(parents=True)
    (folder / "report.md").write_text("# Local\n![x](figures/a.svg)\n")
    (folder / "report.html").write_text("<h1>Local</h1>")
    (folder / "figures" / "a.svg").write_text("<svg/>")
    return folder


def names(folder):
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_page_figures_and_html_go_into_one_folder(report, tmp_path):
    publish(report, tmp_path / "docs")
    assert names(tmp_path / "docs") == [
        "local/.ycsbook.json", "local/figures/a.svg", "local/index.md", "local/report.html",
    ]  # fmt: skip
    assert (tmp_path / "docs/local/index.md").read_text() == (report / "report.md").read_text()


def test_publishing_again_replaces_and_removes_what_is_stale(report, tmp_path):
    publish(report, tmp_path / "docs")
    (report / "figures" / "a.svg").rename(report / "figures" / "b.svg")
    publish(report, tmp_path / "docs")
    assert "local/figures/b.svg" in names(tmp_path / "docs") and "local/figures/a.svg" not in names(tmp_path / "docs")


@pytest.mark.parametrize("name", ["index.md", "figures/a.svg"])
def test_a_file_edited_by_hand_is_not_replaced(report, tmp_path, name):
    publish(report, tmp_path / "docs")
    edited = tmp_path / "docs" / "local" / name
    edited.write_text("mine")
    with pytest.raises(PublishError, match=r"was edited since it was published.*--force"):
        publish(report, tmp_path / "docs")
    assert edited.read_text() == "mine"
    publish(report, tmp_path / "docs", force=True)
    assert edited.read_text() != "mine"


def test_a_foreign_file_in_the_way_is_not_replaced(report, tmp_path):
    (tmp_path / "docs" / "local").mkdir(parents=True)
    (tmp_path / "docs" / "local" / "index.md").write_text("mine")
    with pytest.raises(PublishError, match="was not published by ycsbook"):
        publish(report, tmp_path / "docs")


def test_a_record_cannot_reach_outside_its_folder(report, tmp_path):
    publish(report, tmp_path / "docs")
    victim = tmp_path / "docs" / "keep.md"
    victim.write_text("keep")
    (tmp_path / "docs" / "local" / ".ycsbook.json").write_text('{"../keep.md": "0"}')
    publish(report, tmp_path / "docs", force=True)
    assert victim.read_text() == "keep"


def test_no_report_says_how_to_make_one(tmp_path):
    with pytest.raises(PublishError, match=r"holds no report\.md.*ycsbook report PARAMS"):
        publish(tmp_path, tmp_path / "docs")
