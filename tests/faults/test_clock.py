"""The clock is set while something is measured: durations are by one that nobody sets, and it is said."""

import os
import sys
import time
from pathlib import Path

import pytest

sys.path += [os.path.dirname(__file__), str(Path(__file__).parents[1] / "contract")]
import stand_in
import sweeping

from ycsbook import ingest, messages
from ycsbook.ingest.runs import samples
from ycsbook.ingest.runs.checks import Verdict
from ycsbook.params import load
from ycsbook.runner import client, sweep
from ycsbook.runner.judge import by_clock
from ycsbook.runner.samples import Sampler
from ycsbook.runner.session import Session
from ycsbook.store.runs import RunStore
from ycsbook.verdicts import Outcome, reasons_in

HOUR_S = 3600.0


@pytest.fixture
def set_clock(monkeypatch):
    """Sets the clock of this process forward or back, s."""
    clock, offset_s = time.time, [0.0]
    monkeypatch.setattr(time, "time", lambda: clock() + offset_s[0])
    return lambda seconds: offset_s.__setitem__(0, seconds)


@pytest.mark.parametrize("step_s", [HOUR_S, -HOUR_S])
def test_intervals_of_samples_are_by_a_clock_that_nobody_sets(tmp_path, set_clock, step_s):
    begun = time.monotonic()
    with Sampler(tmp_path / "samples.csv", None, os.getpid(), period_s=0.05) as sampler:
        set_clock(step_s)
        sampling = time.monotonic() + 0.5
        while time.monotonic() < sampling:
            pass
        assert sampler.error is None
    taken = samples.read(tmp_path)
    assert 0.5 <= taken["epoch_s"].iloc[-1] - taken["epoch_s"].iloc[0] <= time.monotonic() - begun
    assert taken["client_cpu_s"].is_monotonic_increasing
    assert samples.rows("r", taken)["client_cpu_cores"].max() < 64


# By how much the clock is set during the run with so many threads, s, and what the run is worth then.
STEPS = {1: (HOUR_S, Outcome.FAILED), 2: (-HOUR_S, Outcome.FAILED), 4: (0.5, Outcome.COMPLETED)}


@pytest.mark.matrix
@pytest.mark.live
def test_a_run_during_which_the_clock_is_set_is_not_believed_and_its_cpu_is_right(tmp_path, monkeypatch, set_clock):
    home = stand_in.install(tmp_path)
    monkeypatch.setenv("JAVA_HOME", str(home))
    params = load(sweeping.write_params(tmp_path, "clock", threads="1, 2, 4", duration="2s"))
    store, measure, until_its_end = tmp_path / "runs", Session.measure, client._until_its_end
    step_s = [0.0]

    def measure_by_the_right_clock(self, planned, phase, target):
        set_clock(0.0)
        step_s[0] = STEPS[planned.threads][0] if phase == "run" else 0.0
        stand_in.behave(home, seconds=2, stepped_s=max(0, step_s[0]), dated=True)
        return measure(self, planned, phase, target)

    def meanwhile(*arguments):
        set_clock(step_s[0])
        return until_its_end(*arguments)

    monkeypatch.setattr(Session, "measure", measure_by_the_right_clock)
    monkeypatch.setattr(client, "_until_its_end", meanwhile)
    sweep.run(params, RunStore(store))

    (loaded,) = [m for m in sweeping.manifests(store) if m["phase"] == "load"]
    assert loaded["outcome"] == Outcome.COMPLETED and "clock_stepped_s" not in loaded
    runs = {m["threads"]: m for m in sweeping.manifests(store) if m["phase"] == "run"}
    rows = ingest.read(store).runs.set_index("run_id")
    assert runs.keys() == STEPS.keys()
    for threads, (stepped_s, outcome) in STEPS.items():
        run, row = runs[threads], rows.loc[runs[threads]["run_id"]]
        assert run["outcome"] == outcome
        assert ("CLOCK_STEPPED" in row["warnings"].split()) == (abs(stepped_s) > 1) == ("clock_stepped_s" in run)
        if abs(stepped_s) > 1:
            # The window of its log is an hour long, or ends before it begins.
            assert 0 <= row["cpu_utilisation"] < 2 and 0 < row["client_cpu"] < 2
            assert run["clock_stepped_s"] == pytest.approx(stepped_s, abs=1)
            (reason,) = reasons_in(run)
            for language, sentence in (("en", "the clock of this machine was set by"), ("zh", "本机时钟被调整了")):
                assert sentence in messages.say(reason, language)


def test_a_small_step_in_a_long_run_is_warned_of_alone():
    good = Verdict(Outcome.COMPLETED)
    assert by_clock(good, 5.0, 600.0) == good and by_clock(good, -5.0, 600.0) == good
    assert by_clock(good, 13.0, 600.0).outcome == by_clock(good, 1.5, 10.0).outcome == Outcome.FAILED
    assert by_clock(good, 0.9, 10.0) == good
    worse = Verdict(Outcome.INCOMPLETE)
    assert by_clock(worse, 3600.0, 10.0) == worse
