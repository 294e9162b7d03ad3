"""All rules together: what a clean sweep gets, what is never compared, and how often they are wrong."""

from pathlib import Path

import numpy as np
import pytest
from anomaly_samples import run, sweep, tables

from ycsbook import anomalies, ingest
from ycsbook.anomalies import RULES, Evidence
from ycsbook.tables import Tables, concat

BENCH = Path(__file__).parents[1] / "bench"
# The rules that compare cells with a budget for false warnings; those of one law and of repeats have their own tests.
COMPARING = ("thread_regression", "more_cores_slower", "more_ram_slower", "superlinear_threads")


def test_a_clean_sweep_has_notes_at_most():
    assert set(anomalies.find(tables(sweep()))["severity"]) <= {"note"}
    assert anomalies.find(Tables()).empty


def test_runs_of_unknown_shape_are_not_taken_for_repeats():
    logs = [run(threads=4, repeat=r, throughput=1000.0 * r, spec="", cores=float("nan")) for r in (1, 2, 3)]
    assert set(anomalies.find(tables(logs))["severity"]) <= {"note"}


@pytest.mark.parametrize(
    ("repeats", "spec", "expected"), [(3, "1c", "repeats"), (1, "1c", "single"), (3, "", "single")]
)
def test_a_finding_about_repeated_runs_says_so(repeats, spec, expected):
    """What a rule says of all runs rests on their repeats; of unknown servers none is a repeat."""
    logs = [run(threads=4, repeat=r, throughput=1000.0, spec=spec, warnings="SHORT_RUN") for r in range(repeats)]
    found = anomalies.find(tables(logs))
    assert found.loc[found["rule"] == "invalid_run", "evidence"].tolist() == [expected]


def test_datasets_are_kept_apart():
    one, other = run(threads=4, throughput=1000.0), run(threads=16, throughput=100.0, dataset="other")
    found = anomalies.find(concat([tables([one]), tables([other])]))
    assert not set(found["rule"]) & set(COMPARING)


def test_intended_latencies_break_no_law(tmp_path):
    path = tmp_path / "x.log"
    path.write_text(
        "Command line: -t -threads 4 -target 100 -p measurement.interval=intended\n"
        "[OVERALL], RunTime(ms), 10000\n[OVERALL], Throughput(ops/sec), 100.0\n[READ], Operations, 1000\n"
        "[READ], AverageLatency(us), 2000000.0\n[READ], Return=OK, 1000\n[CLEANUP], Operations, 4\n"
    )
    found = ingest.read(path)
    assert Evidence(found).runs["utilisation"].isna().all()
    assert "little_law" not in set(anomalies.find(found)["rule"])


@pytest.fixture
def sweeps(monkeypatch):
    """The benchmark's simulated sweeps, by repeats and gain with twice the threads."""
    monkeypatch.syspath_prepend(str(BENCH))
    import clean_sweeps

    return clean_sweeps


def warned(drawn, rules=COMPARING):
    """The warnings of these rules."""
    evidence = Evidence(drawn)
    return [f for name in rules for f in RULES[name](evidence) if f.severity in ("error", "warning")]


def test_simulated_sweeps_obey_little_and_their_law(sweeps):
    drawn = sweeps.Sweeps.of(3, 1.8).draw(np.random.default_rng(1))
    evidence = Evidence(drawn)
    assert evidence.runs["utilisation"].to_numpy() == pytest.approx(sweeps.UTILISATION)
    assert (len(evidence.cells), set(evidence.cells["n"])) == (36, {3})
    assert np.log(evidence.pairs["ratio"]).mean() == pytest.approx(np.log(1.8), abs=0.02)
    assert np.sqrt(evidence.noise["sweep", "completed"].variance) == pytest.approx(sweeps.NOISE, rel=0.3)


@pytest.mark.matrix
def test_false_alarms(sweeps):
    """A short form of tests/bench/bench_alarms.py: 90 sweeps, in which the budget allows 0.45 warnings.

    More than 2 have a probability of 1.1 % if the rules use their budget up.
    """
    random = np.random.default_rng(90)
    flat, rising = sweeps.Sweeps.of(3, 1.0), sweeps.Sweeps.of(3, 1.8)
    assert sum(bool(warned(of.draw(random))) for of, n in ((flat, 60), (rising, 30)) for _ in range(n)) <= 2


@pytest.mark.matrix
@pytest.mark.parametrize(("repeats", "loss"), [(3, 0.13), (5, 0.10)])
def test_power(sweeps, repeats, loss):
    """Of 25 planted losses 95 % are warned of: fewer than 22 have a probability of 3.4 %."""
    random, of = np.random.default_rng(25), sweeps.Sweeps.of(repeats, 1.0)
    planted = [warned(of.draw(random, loss), ("thread_regression",)) for _ in range(25)]
    found = [f for flags in planted for f in flags if all(i.startswith(sweeps.PLANTED) for i in f.run_ids)]
    assert 22 <= len(found) <= 25
