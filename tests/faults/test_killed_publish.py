"""A publish that is killed at any of its steps: the next one finishes it and leaves nothing of the first."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "unit"))
from command_samples import invoke
from published_reports import few, made
from report_samples import local_tables

from ycsbook.report.site import check, publish
from ycsbook.store import atomic

# A process that publishes and kills itself where it is about to rename a file for the n-th time; n = 0: counts them.
PUBLISHER = """
import os, signal, sys
from pathlib import Path
from ycsbook.report.site import publish

report, docs, at = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
renamed = 0

def see(event, arguments):
    global renamed
    if event == "os.rename":
        renamed += 1
        if renamed == at:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(see)
publish(report, docs, site="sphinx")
print(renamed)
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return made(tmp_path_factory.mktemp("report") / "local", few(local_tables()))


def published(report, docs, at=0):
    argv = [sys.executable, "-c", PUBLISHER, str(report), str(docs), str(at)]
    return subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)


def files(docs):
    return {str(path.relative_to(docs)): path.read_bytes() for path in docs.rglob("*") if path.is_file()}


@pytest.mark.matrix
def test_a_killed_publish_is_finished_by_the_next_which_leaves_nothing_of_it(report, tmp_path):
    whole = published(report, tmp_path / "whole")
    assert whole.returncode == 0, whole.stderr
    steps = int(whole.stdout)
    assert steps >= 6
    for at in (1, steps):
        docs = tmp_path / f"killed-{at}"
        assert published(report, docs, at).returncode == -signal.SIGKILL
        left = atomic.unfinished(docs)
        assert len(left) == 1
        publish(report, docs, site="sphinx")
        assert atomic.unfinished(docs) == []
        assert files(docs) == files(tmp_path / "whole") and check(docs) == []


@pytest.mark.matrix
def test_check_names_what_a_killed_publish_left_and_an_own_file_of_a_like_name_stays(report, tmp_path):
    docs = tmp_path / "docs"
    publish(report, docs, site="sphinx")
    assert published(report, docs, 2).returncode == -signal.SIGKILL
    (left,) = atomic.unfinished(docs)
    for name in (".index.md.original", ".index.md.swp", "x.unfinished"):
        (docs / "local" / name).write_text("mine")
    done = invoke("publish", "--check", docs)
    assert done.exit_code == 0 and f"{left}: left by a publish that was killed" in " ".join(done.output.split())
    as_json = invoke("publish", "--check", docs, "--json")
    assert json.loads(as_json.stdout)["unfinished"] == [str(left)]
    publish(report, docs, site="sphinx")
    assert not left.exists()
    assert (
        (docs / "local" / ".index.md.original").read_text() == (docs / "local" / "x.unfinished").read_text() == "mine"
    )
