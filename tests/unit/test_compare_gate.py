"""`ycsbook compare --fail-if-slower`: the verdict, what it rests on, and what it is written as."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml
from command_samples import invoke
from occasions import CELLS, occasion

from ycsbook import messages
from ycsbook.comparing.gate import FASTER, HOLDS, NOT_SHOWN, SLOWER, gate
from ycsbook.errors import DataError
from ycsbook.store import parquet
from ycsbook.tables import Tables, from_rows

# A promise in all its variations.
pytestmark = pytest.mark.matrix


@cache
def six_days(seed: int) -> list[Tables]:
    return [occasion(day, seed) for day in range(1, 7)]


def verdicts(n: int, **how) -> Counter:
    """How often each verdict is given of so many new days, six earlier ones each."""
    return Counter(gate(six_days(seed), occasion(7, seed, **how), limit=0.05).verdict for seed in range(n))


@pytest.mark.matrix
def test_what_lost_more_is_slower_and_what_lost_nothing_is_never_called_so():
    lost, same = verdicts(10, factor=0.85), verdicts(10)
    assert lost[SLOWER] >= 9
    assert same[SLOWER] <= 1 and same[HOLDS] >= 4, same


def test_a_loss_as_large_as_the_limit_is_seldom_called_either():
    found = verdicts(10, factor=0.95)
    assert found[SLOWER] <= 3 and found[HOLDS] + found[FASTER] <= 3, found


def test_what_gained_in_every_cell_is_faster():
    assert verdicts(3, factor=1.2) == {FASTER: 3}


def test_one_slow_cell_among_sound_ones_is_named():
    factor = np.ones(CELLS)
    factor[3] = 0.8
    found = gate([occasion(day, 3) for day in range(1, 8)], occasion(8, 3, factor=factor), limit=0.05)
    assert found.verdict == SLOWER
    assert found.rows.loc[found.rows["verdict"] == SLOWER, "spec"].tolist() == ["4c"]
    assert "The worst is 4 cores, 1 GiB, 50:50, 100 threads" in messages.say(found.summary)


def test_of_fewer_occasions_the_difference_between_two_is_assumed_and_in_turn_there_is_none():
    base, new = occasion(1, 5), occasion(2, 5, factor=0.88)
    apart = gate([base], new, limit=0.05)
    in_turn = new.runs.assign(started_at=base.runs["started_at"].str.replace("Z", ".5Z"))
    together = gate([base], Tables(runs=in_turn), limit=0.05)
    assert (apart.occasions, together.occasions) == (1, 0)
    assert apart.verdict == NOT_SHOWN and together.verdict == SLOWER
    width = [float(np.log(one.rows["conf_high"] / one.rows["conf_low"]).iloc[0]) for one in (apart, together)]
    assert width[0] > 2 * width[1]


def test_without_repeats_nothing_is_shown_and_that_is_said():
    found = gate([occasion(1, 1, repeats=1)], occasion(2, 1, repeats=1, factor=0.5), limit=0.05)
    assert found.verdict == NOT_SHOWN and found.rows["conf_low"].isna().all()
    assert "Nothing was repeated" in messages.say(found.summary)


def test_cells_without_a_counterpart_are_counted():
    new = occasion(2, 1)
    more = new.runs[new.runs["spec"] == "1c"].assign(spec="9c", cores=9.0, run_id=lambda t: t["run_id"] + "-more")
    both = from_rows([*new.runs.to_dict("records"), *more.to_dict("records")], "runs")
    found = gate([occasion(1, 1)], Tables(runs=both), limit=0.05)
    assert list(found.left_out.values()) == [1] and len(found.rows) == 1 + CELLS


@pytest.mark.parametrize(
    ("other", "message"), [({"workload": "b"}, "no cell"), ({"outcome": "failed"}, "expected one data set")]
)
def test_nothing_to_compare_is_refused(other, message):
    with pytest.raises(DataError, match=message):
        gate([occasion(1, 1)], occasion(2, 1, **other), limit=0.05)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("gate")
    for day in range(1, 7):
        parquet.write(occasion(day, 9), root / "history" / f"2026-01-{day:02d}")
    parquet.write(occasion(7, 9), root / "base")
    parquet.write(occasion(8, 9, factor=0.85), root / "slow")
    parquet.write(occasion(8, 9), root / "same")
    (root / "empty").mkdir()
    return root


def command(*arguments):
    return invoke("compare", *arguments)


def test_the_exit_code_the_files_and_the_history(folders, tmp_path):
    files = ["--junit", tmp_path / "junit.xml", "--markdown", tmp_path / "out" / "summary.md"]
    slow = command(
        folders / "base", folders / "slow", "--fail-if-slower", "5%", "--history", folders / "history", *files
    )
    assert slow.exit_code == 5, slow.stderr
    assert re.search("Slower: .* 5 % .* 7 earlier ones", " ".join(slow.stdout.split()))
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot().find("testsuite")
    assert suite.get("tests") == "7" and len(suite.findall("testcase/failure")) == int(suite.get("failures")) > 0
    summary = (tmp_path / "out" / "summary.md").read_text()
    assert summary.startswith("### Slower by more than 5 %") and summary.count("\n| ") == 2 + 7
    same = command(
        folders / "base", folders / "same", "--fail-if-slower", "0.2", "--history", folders / "history", "--json"
    )
    assert same.exit_code == 0 and json.loads(same.stdout)["verdict"] == HOLDS
    open_ = command(folders / "base", folders / "same", "--fail-if-slower", "1%", "--confidence", "99%")
    assert open_.exit_code == 6 and "Runs of both in turn" in " ".join(open_.stdout.split())


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--fail-if-slower", "lots"], 2, "expected a share from 0.0% to 90.0%"),
        (["--fail-if-slower", "5%", "--confidence", "20%"], 2, "expected a share from 50.0%"),
        (["--junit", "x.xml"], 2, "together with --fail-if-slower"),
        (["--fail-if-slower", "5%", "--history", "empty"], 1, "holds no tables"),
    ],
)
def test_a_gate_that_cannot_judge_says_why(folders, arguments, code, message):
    known = [folders / a if a == "empty" else a for a in arguments]
    refused = command(folders / "base", folders / "same", *known)
    said = " ".join(refused.stderr.replace("│", " ").split()) or str(refused.exception)
    assert refused.exit_code == code and message in said, refused.stderr


@pytest.mark.parametrize(("new", "code"), [("slow", 1), ("same", 0)])
def test_the_workflow_of_the_documents_judges(folders, tmp_path, new, code):
    page = (Path(__file__).parents[2] / "docs" / "ci.md").read_text()
    workflow = yaml.safe_load(page.split("```yaml\n")[1].split("```")[0])
    (step,) = [step for step in workflow["jobs"]["ycsb"]["steps"] if "--fail-if-slower" in step.get("run", "")]
    shutil.copytree(folders / "history", tmp_path / "history")
    shutil.copytree(folders / "base", tmp_path / "history" / "base")
    shutil.copytree(folders / new, tmp_path / "output" / "local" / "tables")
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    env = {**os.environ, "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    # As GitHub runs a step.
    argv = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    ended = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == code, ended.stdout + ended.stderr
    assert (tmp_path / "summary.md").read_text().startswith("### ")
