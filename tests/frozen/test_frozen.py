"""What the product answers is what it answered when that was last accepted: see freeze.py."""

import json
import os
import subprocess
import sys

import pytest
from freeze import DIGESTS, HERE, digests


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("frozen")
    # A process of its own: freezing changes the working folder and the environment.
    subprocess.run([sys.executable, HERE / "freeze.py", folder], check=True, timeout=300)
    return digests(folder)


def accepted():
    found = json.loads(DIGESTS.read_text("utf-8"))
    # Without the shared samples only this repository's own are there to be compared.
    return found if os.environ.get("YCSBOOK_SHARED") else {k: v for k, v in found.items() if not k.startswith("shared")}


def test_every_answer_is_as_accepted(answers):
    expected = accepted()
    differ = sorted(name for name in {*answers, *expected} if answers.get(name) != expected.get(name))
    assert not differ, f"freeze this commit and the one before (freeze.py) and compare with diff -r: {differ}"
