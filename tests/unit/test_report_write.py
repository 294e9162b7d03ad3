import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
import report_samples as samples

from ycsbook import paths, scaling
from ycsbook.errors import PublishError, StoreError
from ycsbook.params.sweep import Sweep
from ycsbook.plots import style
from ycsbook.report import Report, Section, Written, build, write
from ycsbook.report.blocks import Figure, Panel
from ycsbook.tables import Tables


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


class Elements(HTMLParser):
    """How many elements a page has."""

    def __init__(self, page: str):
        super().__init__()
        self.count = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.count += 1


def repeated() -> tuple[Sweep, Tables]:
    """1,029 runs of four specs, with their percentiles and series."""
    tables = samples.local_tables(seconds=20)
    for name in ("runs", "operations", "percentiles", "intervals"):
        one = getattr(tables, name)
        many = [one.assign(run_id=one["run_id"] + f"-{i}") for i in range(21)]
        setattr(tables, name, samples.pd.concat(many, ignore_index=True))
    return samples.local_sweep(), tables


def of_many_specs() -> tuple[Sweep, Tables]:
    """1,000 published rows of 250 specs."""
    sweep = samples.vendor_sweep(tuple((c, c * f) for c in range(2, 52) for f in (1, 2, 4, 8, 16)))
    return sweep, samples.vendor_tables(sweep)


@pytest.mark.parametrize("shape", [repeated, pytest.param(of_many_specs, marks=pytest.mark.matrix)])
def test_a_thousand_runs_make_a_page_that_is_small_enough_to_use(tmp_path, shape):
    sweep, tables = shape()
    assert len(tables.runs) >= 1_000
    report = build(sweep, tables, scaling.analyse(tables.runs), samples.findings(tables.runs), samples.ENVIRONMENT)
    written = write(report, tmp_path)
    page = written.html.read_text(encoding="utf-8")
    assert len(page.encode()) < 5_000_000
    assert Elements(page).count < 40_000
    # Long tables are folded away, and no picture is taller than two screens.
    assert '<details class="rows">' in page
    assert max(panel.picture.get_figheight() for panel in report.panels()) < 15


MAKE = """
import sys
sys.path.insert(0, sys.argv[1])
import report_samples as samples
from pathlib import Path
from ycsbook import anomalies, scaling
from ycsbook.report import build, write
tables = samples.local_tables()
found, fits = anomalies.find(tables), scaling.analyse(tables.runs, tables.operations)
write(build(samples.local_sweep(report={"lang": "zh"}), tables, fits, found, samples.ENVIRONMENT), Path("out"))
"""


@pytest.mark.matrix
def test_bytes_do_not_follow_from_where_and_when_they_are_made(tmp_path):
    made = []
    for name, places in (
        ("here", {"PYTHONHASHSEED": "1", "TZ": "UTC", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}),
        ("there", {"PYTHONHASHSEED": "2", "TZ": "Asia/Shanghai", "LANG": "de_DE.UTF-8", "LC_ALL": "C"}),
    ):
        folder = tmp_path / name
        folder.mkdir()
        command = [sys.executable, "-c", MAKE, str(Path(__file__).parent)]
        subprocess.run(command, cwd=folder, env={**os.environ, **places, "PYTHONUTF8": "1"}, check=True)
        files = sorted(p for p in (folder / "out").rglob("*") if p.is_file())
        made.append({p.relative_to(folder).as_posix(): p.read_bytes() for p in files})
    assert len(made[0]) > 20
    assert made[0] == made[1]
    assert not any(str(tmp_path).encode() in content for content in made[0].values())
