"""The report of a sweep that is being made, and what `watch` says of it: real runs on a real server."""

import json
import os
import re
import sys

import pytest

sys.path.append(os.path.dirname(__file__))
import sweeping

from ycsbook import paths, sweep_runs
from ycsbook.study import Study

pytestmark = [pytest.mark.live, pytest.mark.matrix]


@pytest.fixture
def pages(monkeypatch):
    """The pages that are written, in order, with no wait between them."""
    written, write_report = [], Study.write_report
    monkeypatch.setattr(sweep_runs, "LEAST_S", 0.0)
    monkeypatch.setattr(sweep_runs, "SHARE", 1e9)

    def kept(self, *arguments, **how):
        made = write_report(self, *arguments, **how)
        written.append(made.html.read_text())
        return made

    monkeypatch.setattr(Study, "write_report", kept)
    return written


def test_it_is_rewritten_behind_each_run_and_no_longer_says_so_at_the_end(tmp_path, pages, monkeypatch):
    monkeypatch.setattr(paths, "OUTPUT", tmp_path / "output")
    params, store = sweeping.write_params(tmp_path, "growing", threads="1, 2"), tmp_path / "runs"
    study = Study(params, store=store)
    assert set(study.run()["state"]) == {"completed"}
    states = [page.partition('<p class="state"')[2].partition(">")[2].partition("<")[0] for page in pages]
    assert [state[:21] for state in states] == [
        "Running: 1 of 2 done,",
        "Measured: 2 of 2 done",
    ]
    assert [page.count('<meta http-equiv="refresh" content="30">') for page in pages] == [1, 0]
    # What the answer rests on is left to whoever asks for the report, with its notebooks.
    for page in pages:
        assert 'id="findings"' in page and 'id="environment"' not in page and 'id="latency"' not in page
        text = page.partition("<svg")[0] + page.rpartition("</svg>")[2]
        assert set(re.findall(r'href="#([^"]+)"', text)) <= set(re.findall(r'id="([^"]+)"', page))
    assert not study.is_reported()
    study.write_report()
    whole = (study.folder / "report.html").read_text()
    assert 'id="environment"' in whole and 'class="state"' not in whole
    said = sweeping.ycsbook("watch", params, "--store", store, "--json")
    assert said.returncode == 0, said.stderr
    now = json.loads(said.stdout)
    assert (now["done"], now["total"], now["measuring"], now["current"]) == (2, 2, False, "")
    shown = sweeping.ycsbook("watch", params, "--store", store, "--once").stdout
    assert "growing: 2 of 2 done\n" in shown and shown.count("repeat 1: completed") == 2


def test_a_report_that_cannot_be_written_stops_no_run(tmp_path, pages, monkeypatch, capsys):
    (tmp_path / "output").write_text("a file where the folder should be")
    monkeypatch.setattr(paths, "OUTPUT", tmp_path / "output")
    params, store = sweeping.write_params(tmp_path, "unwritten", threads="1, 2"), tmp_path / "runs"
    assert set(Study(params, store=store).run()["state"]) == {"completed"}
    assert pages == [] and capsys.readouterr().err.count("ycsbook: the report of what is there so far: ") == 1
