"""Repeats that fall into two groups, and rows and repeats that changed places."""

import numpy as np
import pytest
from anomaly_samples import cell_of, flags, run, says, tables

from ycsbook import anomalies, trust
from ycsbook.anomalies import Evidence
from ycsbook.facts import fact

CORES = (2.0, 4.0, 8.0, 16.0)


def sweep(low_at, *, repeats=6, sd=0.01, low=0.6, seed=1):
    """Runs whose even repeats do `low` of the others at these core counts."""
    random = np.random.default_rng(seed)
    return [
        run(c, 64, r, 1000 * c * (low if c in low_at and r % 2 == 0 else 1) * np.exp(random.normal(0, sd)))
        for c in CORES for r in range(1, repeats + 1)
    ]  # fmt: skip


@pytest.mark.parametrize(("repeats", "sd"), [(6, 0.01), (5, 0.02), (4, 0.01)])
def test_two_groups_of_repeats_are_named_and_tell_no_noise(repeats, sd):
    rows = sweep({8.0}, repeats=repeats, sd=sd)
    (found,) = flags("two_levels", rows)
    assert says(found, "two_levels", n=repeats, n_low=repeats // 2, apart=pytest.approx(0.4, abs=0.02))
    assert (found.severity, cell_of(found)) == ("notice", (8, 64))
    both = tables(rows)
    grades = trust.grades(both.runs, anomalies.find(both))
    assert set(grades.index[grades == "D"]) == set(found.run_ids) and len(found.run_ids) == repeats
    (noise,) = Evidence(both).noise.values()
    assert np.sqrt(noise.variance) < 2 * sd
    assert not [f for f in flags("noise", rows) if f.severity != "note"]


@pytest.mark.parametrize("more", [{"repeats": 3}, {"low": 0.95}, {"sd": 0.08}])
def test_too_few_too_near_or_too_wide_groups_are_none(more):
    assert flags("two_levels", sweep({8.0}, **more)) == []


def test_what_all_do_in_a_round_is_no_second_level():
    assert flags("two_levels", sweep(set(CORES))) == []


def test_two_kinds_of_servers_under_one_name_are_one_note():
    rows = [{**row, "repeat": float("nan")} for row in sweep(set(CORES), low=0.5)]
    (found,) = flags("two_levels", rows)
    assert (found.severity, len(found.run_ids)) == ("note", 24)
    assert says(found, "two_levels-groups", times=pytest.approx(2, abs=0.05), rows=fact("rows", n=24))
    both = tables(rows)
    assert "D" not in set(trust.grades(both.runs, anomalies.find(both)))


def test_two_repeats_that_changed_places_are_in_doubt_alone():
    rows = sweep(set(), repeats=3)
    first, second = (next(row for row in rows if row["cores"] == c and row["repeat"] == 2) for c in (4, 16))
    for name in ("goodput_ops_s", "throughput_ops_s"):
        first[name], second[name] = second[name], first[name]
    (found,) = flags("swapped_rows", rows)
    assert says(found, "swapped_rows") and found.run_ids == (first["run_id"], second["run_id"])
    both = tables(rows)
    grades = trust.grades(both.runs, anomalies.find(both))
    assert set(grades.index[grades == "D"]) == set(found.run_ids)


def test_two_rows_of_two_thread_counts_are_found_by_what_the_cores_do():
    rows = [run(c, t, 1, 1000 * c**0.9 * (1 + t / 1000)) for c in (1.0, 2.0, 4.0, 8.0, 16.0, 32.0) for t in (50, 100)]
    assert flags("swapped_rows", rows) == []
    first, second = (next(row for row in rows if (row["cores"], row["threads"]) == (c, 100)) for c in (4, 16))
    for name in ("goodput_ops_s", "throughput_ops_s"):
        first[name], second[name] = second[name], first[name]
    (found,) = flags("swapped_rows", rows)
    assert says(found, "swapped_rows") and found.run_ids == (first["run_id"], second["run_id"])
    both = tables(rows)
    findings = anomalies.find(both)
    assert set(findings["rule"]) <= {"swapped_rows", "noise"}
    grades = trust.grades(both.runs, findings)
    assert set(grades.index[grades == "D"]) == set(found.run_ids)
