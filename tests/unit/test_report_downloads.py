"""The data behind the figures, as CSV."""

import io
from urllib.parse import unquote

import pandas as pd
import pytest
import report_samples as samples
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook import anomalies, scaling
from ycsbook.plots import style
from ycsbook.report import build, html, markdown, write
from ycsbook.report.blocks import Figure, Panel

PANEL = Panel(style.panel()[0], "plot-1", "an empty picture")


def figure(frame: pd.DataFrame) -> Figure:
    return Figure((PANEL,), "Empty", frame)


def test_numbers_come_back_and_missing_stays_empty():
    frame = pd.DataFrame(
        {"name": ["2核4G", 'a,"b"\nc', ""], "x": [1.0, float("nan"), 12345.6789], "ok": [True, False, True]}
    )
    text = figure(frame).csv
    assert text.splitlines()[0] == "name,x,ok"
    assert "\r" not in text
    back = pd.read_csv(io.StringIO(text), keep_default_na=False, na_values={"x": [""]})
    pd.testing.assert_frame_equal(back, frame, check_dtype=False)


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", " =1", "|x", "%0A=1"])
def test_a_cell_is_never_a_formula(cell):
    frame = pd.DataFrame({cell: [cell, "plain", None], "x": [-1.5, 2.0, 3.0]})
    back = pd.read_csv(io.StringIO(figure(frame).csv))
    assert list(back.columns) == [f"'{cell}", "x"]
    assert back.iloc[0, 0] == f"'{cell}" and back.iloc[1, 0] == "plain"
    assert back["x"].tolist() == [-1.5, 2.0, 3.0]


@settings(deadline=None, max_examples=40)
@given(st.text(max_size=40))
def test_an_address_holds_the_file_and_nothing_that_ends_an_attribute(text):
    frame = pd.DataFrame({"a": [text, "b"]})
    address = str(html._data_address(figure(frame)))
    assert not set(address) & set("\"'<>& \n")
    assert unquote(address.partition(",")[2]) == figure(frame).csv


def test_what_is_large_stands_beside_the_page():
    frame = pd.DataFrame({"x": range(html.MAX_EMBEDDED // 4)})
    assert html._data_address(figure(frame)) == "data/plot-1.csv"


def test_every_figure_of_a_report_comes_with_its_data(tmp_path):
    tables = samples.local_tables()
    report = build(
        samples.local_sweep(), tables, scaling.analyse(tables.runs), anomalies.find(tables), samples.ENVIRONMENT
    )
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "old-1.csv").write_text("a\n1\n")
    (tmp_path / "data" / "notes.txt").write_text("mine")
    written = write(report, tmp_path)
    names = [f"data/{f.panels[0].name}.csv" for f in report.figures()]
    assert [p.relative_to(tmp_path).as_posix() for p in written.data] == names
    assert sorted(p.name for p in (tmp_path / "data").iterdir()) == sorted([*(n[5:] for n in names), "notes.txt"])
    page, text = html.page(report), markdown.page(report)
    for one, path in zip(report.figures(), written.data, strict=True):
        assert path.read_text(encoding="utf-8") == one.csv
        assert f'download="{path.name}"' in page
        assert f"[{path.name}](data/{path.name})" in text
