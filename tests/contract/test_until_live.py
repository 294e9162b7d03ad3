"""A sweep with a question on a real server: its rounds, a budget that ends it, and the report that says why."""

import json
import os
import re
import sys

import pytest

sys.path.append(os.path.dirname(__file__))
import sweeping

from ycsbook.study import Study

pytestmark = [pytest.mark.live, pytest.mark.matrix]
SPECS = """
specs:
  - {name: 0.2c, cores: 0.2, ram_gib: 1}
  - {name: 0.3c, cores: 0.3, ram_gib: 1}
  - {name: 0.4c, cores: 0.4, ram_gib: 1}
repeats: 8
until: {goal: {factor: 50 %}, max_hours: 0.005}
"""


def test_it_stops_at_its_budget_goes_on_with_a_larger_one_and_ends_with_the_answer(tmp_path):
    params, store = sweeping.write_params(tmp_path, "asked", threads="4", duration="3s", rate=None), tmp_path / "runs"
    head, _, tail = params.read_text().partition("specs:\n  - {name: 1c, cores: 1, ram_gib: 1}\n")
    params.write_text(head + SPECS.lstrip() + tail)
    planned = sweeping.ycsbook("plan", params, "--store", store)
    assert "2 runs: 0 done, 2 to make" in planned.stdout and "until factor 50 % is answered" in planned.stdout
    done = sweeping.ycsbook("run", params, "--store", store)
    assert done.returncode == 0, done.stderr

    def made() -> list[tuple[str, int, int]]:
        inputs = [m["inputs"] for m in sweeping.manifests(store) if m["phase"] == "run"]
        return sorted((i["spec"]["name"], i["threads"], i["repeat"]) for i in inputs)

    # 18 s are three runs of 3 s and what each takes beside.
    assert len(made()) == 3
    stopped = dict(Study(params, store=store, output=tmp_path / "stopped").report().in_short.lines)["Question"]
    assert re.search(r"^Stopped .* 3 runs: .* 0\.005 h", stopped)
    assert "Next would be" in stopped
    params.write_text(params.read_text().replace("max_hours: 0.005", "max_hours: 1"))
    done = sweeping.ycsbook("run", params, "--store", store)
    assert done.returncode == 0, done.stderr
    assert {spec for spec, _, _ in made()} == {"0.2c", "0.4c"} and len(made()) == 2 * made()[-1][2] >= 6
    rows = json.loads(sweeping.ycsbook("status", params, "--store", store, "--json").stdout)
    assert len(rows) == len(made()) and {row["outcome"] for row in rows} == {"completed"}
    answer = dict(Study(params, store=store, output=tmp_path / "answered").report().in_short.lines)["Question"]
    assert answer.startswith(f"Answered after {len(made())} runs of at most 24.")
    assert "was not measured" in answer and "0.3c" in answer
    # Nothing is left to do.
    before = len(sweeping.manifests(store))
    again = sweeping.ycsbook("run", params, "--store", store)
    assert again.returncode == 0 and len(sweeping.manifests(store)) == before
