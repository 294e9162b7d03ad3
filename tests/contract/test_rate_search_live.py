"""A search for the highest rate that keeps a p99, by runs on a real server: made, stopped, gone on with, reported."""

import json
import os
import sys

import pytest

sys.path.append(os.path.dirname(__file__))
import sweeping

from ycsbook.study import Study

pytestmark = [pytest.mark.live, pytest.mark.matrix]


def targets(store) -> list[float]:
    """The rates that were asked for, in the order of the runs."""
    made = sorted((m for m in sweeping.manifests(store) if m["phase"] == "run"), key=lambda m: m["started_at"])
    return [m["inputs"]["target_ops_s"] for m in made]


def test_a_goal_that_no_rate_keeps_is_searched_down_to_a_64th_and_one_that_all_keep_not_at_all(tmp_path):
    params, store = sweeping.write_params(tmp_path, "searched", duration="2s", rate=None), tmp_path / "runs"
    params.write_text(params.read_text() + "search_rate: true\ngoals: {p99_ms: 0.001}\n")
    # What was made before the search is taken over.
    begun = sweeping.write_params(tmp_path, "begun", duration="2s", rate=None)
    begun.write_text(begun.read_text().replace("name: begun", "name: searched"))
    assert sweeping.ycsbook("run", begun, "--store", store).returncode == 0
    assert targets(store) == [None]
    done = sweeping.ycsbook("run", params, "--store", store)
    assert done.returncode == 0, done.stderr
    full, *tried = targets(store)
    assert full is None and 5 <= len(tried) <= 6 and tried == sorted(tried, reverse=True)
    again = sweeping.ycsbook("plan", params, "--store", store, "--json")
    assert {row["state"] for row in json.loads(again.stdout)} == {"completed"} and len(json.loads(again.stdout)) > 5
    study = Study(params, store=store, output=tmp_path / "output")
    assert study.tables().runs["target_ops_s"].notna().sum() == len(tried)
    report = study.report()
    assert dict(report.in_short.lines)["Rate with a p99"].endswith(" p99 of 0.001 ms.")
    (section,) = [section for section in report.sections if section.anchor == "rates"]
    (figure,) = section.figures()
    # From when an operation was due, it is never faster than from when it was sent.
    assert (figure.frame["p99_ms"] > 0).all() and len(figure.frame) == len(tried) + 1
    # The same runs with another goal: full speed keeps it, and nothing is left to do.
    params.write_text(params.read_text().replace("p99_ms: 0.001", "p99_ms: 60000"))
    done = sweeping.ycsbook("run", params, "--store", store)
    assert done.returncode == 0 and targets(store) == [full, *tried]
    assert (
        "full speed"
        in dict(Study(params, store=store, output=tmp_path / "output").report().in_short.lines)["Rate with a p99"]
    )
