"""The section of a report that lays the sweep beside earlier occasions."""

import pandas as pd
import pytest
from occasions import CELLS, occasion

from ycsbook import anomalies, messages, scaling
from ycsbook.params import Sweep
from ycsbook.report import html, markdown
from ycsbook.report.build import build
from ycsbook.store import parquet
from ycsbook.study import Study
from ycsbook.tables import Tables

SWEEP = {
    "name": "nightly", "server": {"kind": "mongod"}, "workloads": ["a"], "threads": [100],
    "specs": [{"name": f"{n}c", "cores": n, "ram_gib": 1} for n in range(1, CELLS + 1)],
}  # fmt: skip


def report(days, *, lang="en", **of_last):
    """The report of the last of these days, with the earlier ones as its history."""
    *earlier, last = days
    sweep = Sweep.model_validate({**SWEEP, "report": {"lang": lang}})
    history = Tables(runs=pd.concat([one.runs for one in earlier])) if earlier else None
    analysis = scaling.analyse(last.runs, last.operations).with_tables(messages.worded)
    found = messages.worded(anomalies.find(last, history=history))
    return build(sweep, last, analysis, found, {}, history=history, details=False)


def nights(n, dropped_on=None):
    return [
        occasion(day, 1, factor=0.8 if dropped_on and day >= dropped_on else 1.0, server_version="7.0.2")
        for day in range(1, n + 1)
    ]


def test_a_drop_is_drawn_where_it_was_and_said_of_each_configuration():
    made = report(nights(10, dropped_on=7))
    section = made.section("history")
    assert "2026-01-07:</strong> 6 configurations changed by −2" in html.page(made)
    assert "6 configurations changed by −2" in markdown.page(made)
    (figure,) = section.figures()
    assert set(figure.frame["day"]) == {f"2026-01-{day:02d}" for day in range(1, 11)}
    by_day = figure.frame.groupby("day")["relative"].mean()
    assert by_day["2026-01-07"] / by_day["2026-01-06"] == pytest.approx(0.8, rel=0.05)
    title = figure.panels[0].picture.axes[0].get_title("left")
    assert title.startswith("10 days, 6 changes, the largest −2") and title.endswith("on 2026-01-07")
    assert "on 2026-01-07" in figure.panels[0].alt


def test_a_quiet_history_says_that_no_change_is_shown():
    section = report(nights(6), lang="zh").section("history")
    assert "未证实变化" in section.figures()[0].panels[0].alt


def test_without_earlier_occasions_there_is_no_section():
    assert all(section.anchor != "history" for section in report(nights(1)).sections)


def test_the_folder_of_the_params_file_is_read_and_is_part_of_what_the_report_follows_from(tmp_path, monkeypatch):
    monkeypatch.setattr("ycsbook.paths.REPOSITORY", tmp_path)
    path = tmp_path / "nightly.yml"
    path.write_text(
        "name: nightly\nserver: {kind: mongod}\nspecs: [{name: 1c, cores: 1, ram_gib: 1}]\nreport: {history: history}\n"
    )
    study = Study(path, store=tmp_path / "runs", output=tmp_path / "output")
    assert study.history() is None
    parquet.write(occasion(1, 1), tmp_path / "history" / "one")
    study.look_again()
    assert len(study.history().runs) == CELLS * 3
    assert any(name.endswith("one/runs.parquet") for name in study.inputs)
