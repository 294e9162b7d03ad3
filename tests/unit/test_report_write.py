import pytest
import report_samples as samples

from ycsbook import anomalies, paths, scaling
from ycsbook.errors import PublishError, StoreError
from ycsbook.plots import style
from ycsbook.report import Report, Section, Written, build, write
from ycsbook.report.blocks import Figure, Panel
from ycsbook.report.site import publish


def small(*names: str) -> Report:
    with style.theme():
        panels = tuple(Panel(style.panel()[0], name, "an empty picture") for name in names)
    return Report("Small", "small", "en", (), (Section("One", "one", (Figure(panels, "Empty"),)),))


def test_figures_of_an_earlier_report_are_removed_and_other_files_kept(tmp_path):
    write(small("old", "kept"), tmp_path)
    (tmp_path / "figures" / "mine.txt").write_text("notes")
    written = write(small("kept", "new"), tmp_path)
    assert sorted(p.name for p in (tmp_path / "figures").iterdir()) == ["kept.svg", "mine.txt", "new.svg"]
    assert written.html.is_file()
    assert written.markdown.is_file()


@pytest.mark.parametrize("names", [("../up",), ("Upper",), ("",), ("twice", "twice")])
def test_figure_names_are_slugs_and_unique(tmp_path, names):
    with pytest.raises(PublishError, match="picture"):
        write(small(*names), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_unwritable_folder_is_a_store_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be written"):
        write(small("a"), tmp_path / "file")


def test_what_was_written_is_told_without_this_machines_folders(tmp_path):
    written = write(small("a", "b"), tmp_path / "local")
    assert repr(written) == "report.html, report.md and 2 figures in local"
    inside = Written(paths.OUTPUT / "x" / "report.html", paths.OUTPUT / "x" / "report.md", (tmp_path,))
    assert repr(inside) == "report.html, report.md and 1 figure in output/x"


@pytest.mark.parametrize("record", ["{", "[]"])
def test_publishing_over_a_broken_record_is_refused(tmp_path, record):
    write(small("a"), tmp_path / "local")
    (tmp_path / "docs" / "local").mkdir(parents=True)
    (tmp_path / "docs" / "local" / ".ycsbook.json").write_text(record)
    with pytest.raises(PublishError, match="is not a record"):
        publish(tmp_path / "local", tmp_path / "docs")


def test_a_thousand_runs_make_a_page_under_5_mb(tmp_path):
    tables = samples.local_tables(seconds=20)
    many = samples.pd.concat(
        [tables.runs.assign(run_id=tables.runs["run_id"] + f"-{i}") for i in range(21)], ignore_index=True
    )
    tables.runs = many
    report = build(samples.local_sweep(), tables, scaling.analyse(many), anomalies.find(tables), samples.ENVIRONMENT)
    assert len(many) > 1_000
    assert write(report, tmp_path).html.stat().st_size < 5_000_000
