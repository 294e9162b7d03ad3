"""What lies in quarantine is deleted after asking, and nothing else is."""

import os
import time

import pytest
from command_samples import invoke

from ycsbook.errors import ParamsError, ServerBusyError, StoreError
from ycsbook.store import lock
from ycsbook.store.runs import Attempt, RunStore, delete_attempts, in_quarantine


@pytest.fixture
def store(tmp_path) -> RunStore:
    """A store with a completed run, and in quarantine a failed one and the remains of a third."""
    store = RunStore(tmp_path / "runs")
    store.finish(store.begin("good"), {"run_id": "good", "outcome": "completed"})
    store.finish(store.begin("bad"), {"run_id": "bad", "outcome": "failed"})
    store.begin("bad")
    (store.root / "bad.partial" / "run.out").write_text("x" * 1000)
    store.sweep_up()
    return store


def prune(store: RunStore, *options: str, text: str = ""):
    return invoke("prune", "--store", store.root, *options, input=text)


def test_attempts_say_what_they_were(store):
    first, second = in_quarantine(store.root)
    assert (first.folder.name, first.outcome) == ("bad.1", "failed")
    assert (second.folder.name, second.outcome, second.size_bytes) == ("bad.2", "", 1000)
    assert 0 <= first.age_s < 100


def test_only_what_is_old_enough(store):
    old = time.time() - 90_000
    for path in (store.root / "quarantine" / "bad.1", *(store.root / "quarantine" / "bad.1").rglob("*")):
        os.utime(path, (old, old))
    assert [a.folder.name for a in in_quarantine(store.root, "1d")] == ["bad.1"]
    with pytest.raises(ParamsError, match="--older-than: got 'yesterday'"):
        in_quarantine(store.root, "yesterday")


def test_nothing_goes_without_a_yes(store):
    for options in ([], ["--dry-run"]):
        result = prune(store, *options)
        assert len(in_quarantine(store.root)) == 2, result.output
    assert prune(store).exit_code == 1
    assert "say --yes where nobody can be asked" in prune(store).output
    assert prune(store, "--dry-run").exit_code == 0


def test_with_a_yes_quarantine_is_empty_and_runs_stay(store):
    result = prune(store, "--yes")
    assert result.exit_code == 0 and "deleted 2 attempts" in result.output
    assert in_quarantine(store.root) == [] and store.is_completed("good")
    assert "nothing in quarantine" in prune(store).output


def test_what_is_in_no_quarantine_is_never_deleted(store):
    with pytest.raises(StoreError, match="lies in no quarantine"):
        delete_attempts(store.root, [Attempt(store.folder("good") / "hdr", "completed", 0.0, 0)])
    assert store.is_completed("good")


def test_not_while_a_run_is_made(store):
    with lock.exclusive(store.root), pytest.raises(ServerBusyError):
        delete_attempts(store.root, in_quarantine(store.root))
    assert len(in_quarantine(store.root)) == 2


def test_a_run_can_be_made_after_some_of_its_attempts_were_deleted(store):
    first, second = in_quarantine(store.root)
    delete_attempts(store.root, [first])
    store.begin("bad")
    store.begin("bad")
    names = [path.name for path in store.attempts()]
    assert names == ["bad.2", "bad.3"]
    assert second.folder in store.attempts()
