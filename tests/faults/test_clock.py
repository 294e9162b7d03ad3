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


@pytest.mark.live
@pytest.mark.parametrize(
    ("step_s", "outcome"), [(HOUR_S, Outcome.FAILED), (-HOUR_S, Outcome.FAILED), (0.5, Outcome.COMPLETED)]
)
def test_a_run_during_which_the_clock_is_set_is_not_believed_and_its_cpu_is_right(
    tmp_path, monkeypatch, set_clock, step_s, outcome
):
    how = {"seconds": 2, "stepped_s": max(0, step_s), "dated": True}
    monkeypatch.setenv("JAVA_HOME", str(stand_in.install(tmp_path, **how)))
    params, store = load(sweeping.write_params(tmp_path, "clock", duration="2s")), tmp_path / "runs"
    until_its_end = client._until_its_end

    def meanwhile(*arguments):
        set_clock(step_s if list(store.glob("*-t2-*.partial")) else 0.0)
        return until_its_end(*arguments)

    monkeypatch.setattr(client, "_until_its_end", meanwhile)
    sweep.run(params, RunStore(store))

    (run,) = [m for m in sweeping.manifests(store) if m["phase"] == "run"]
    (load_,) = [m for m in sweeping.manifests(store) if m["phase"] == "load"]
    assert (run["outcome"], load_["outcome"]) == (outcome, Outcome.COMPLETED) and "clock_stepped_s" not in load_
    tables = ingest.read(store)
    row = tables.runs[tables.runs["phase"] == "run"].iloc[0]
    assert ("CLOCK_STEPPED" in row["warnings"].split()) == (abs(step_s) > 1) == ("clock_stepped_s" in run)
    if abs(step_s) > 1:
        # The window of its log is an hour long, or ends before it begins.
        assert 0 <= row["cpu_utilisation"] < 2 and 0 < row["client_cpu"] < 2
        assert run["clock_stepped_s"] == pytest.approx(step_s, abs=1)
        (reason,) = reasons_in(run)
        for language, said in (("en", "the clock of this machine was set by"), ("zh", "本机时钟被调整了")):
            assert said in messages.say(reason, language)


def test_a_small_step_in_a_long_run_is_warned_of_alone():
    good = Verdict(Outcome.COMPLETED)
    assert by_clock(good, 5.0, 600.0) == good and by_clock(good, -5.0, 600.0) == good
    assert by_clock(good, 13.0, 600.0).outcome == by_clock(good, 1.5, 10.0).outcome == Outcome.FAILED
    assert by_clock(good, 0.9, 10.0) == good
    worse = Verdict(Outcome.INCOMPLETE)
    assert by_clock(worse, 3600.0, 10.0) == worse
