"""Runs that were under way at the same time."""

import pytest
from anomaly_samples import flags, run, says


def at(clock, repeat, minutes=25, **more):
    return run(repeat=repeat, started_at=clock, runtime_ms=minutes * 60_000.0, **more)


@pytest.mark.parametrize(("spec", "severity"), [("1c", "warning"), ("", "notice")])
def test_runs_of_one_configuration_that_overlap_are_named(spec, severity):
    rows = [at("2026-11-26T05:00:00", 1, spec=spec), at("2026-11-26T05:01:00.5", 2, spec=spec)]
    (found,) = flags("at_once", [*rows, at("2026-11-26T08:00:00", 3, spec=spec)])
    assert (found.severity, found.run_ids) == (severity, ("1c-a-t4-r1", "1c-a-t4-r2"))
    assert says(found, "at_once", n=2, is_named=bool(spec))


def test_the_longest_may_hold_several():
    rows = [
        at("2026-11-26T05:00:00", 1, 60),
        *(at(f"2026-11-26T05:{clock}:00", r, 25) for r, clock in ((2, "02"), (3, 30))),
    ]
    (found,) = flags("at_once", rows)
    assert len(found.run_ids) == 3


@pytest.mark.parametrize(
    "other",
    [
        {"clock": "2026-11-26T05:25:00"},
        {"clock": "2026-11-26T05:20:00"},
        {"clock": ""},
        {"clock": "yesterday"},
        {"clock": "2026-11-26T05:00:00", "spec": "2c"},
        {"clock": "2026-11-26T05:00:00", "threads": 8},
        {"clock": "2026-11-26T05:00:00", "workload": "b"},
        {"clock": "2026-11-26T05:00:00", "client_machine": "second"},
        {"clock": "2026-11-26T05:00:00", "dataset": "another"},
    ],
)
def test_runs_one_after_the_other_and_of_other_things_are_not(other):
    assert flags("at_once", [at("2026-11-26T05:00:00", 1), at(repeat=2, **other)]) == []
