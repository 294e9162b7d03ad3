"""What the logs said of the runs, a host that changed, and printed settings that cannot be."""

import numpy as np
import pytest
from anomaly_samples import cell_of, flags, run, says, tables

from ycsbook import anomalies, documents, paths, trust
from ycsbook.anomalies import Evidence, Settings
from ycsbook.facts import fact
from ycsbook.ingest.published.published import read_published
from ycsbook.verdicts import Warn

SHORT = {"warnings": "SHORT_RUN", "runtime_ms": 5000.0}


def invalid(rows, settings=None):
    return {one.cause: one for one in flags("invalid_run", rows, settings)}


def test_one_finding_per_warning_with_all_its_runs():
    rows = [run(c, t, warnings="CLOCK_STEPPED TRUNCATED") for c in (1.0, 2.0) for t in (4, 16)]
    found = invalid([*rows, run(4.0)])
    assert set(found) == {"clock_stepped", "truncated"}
    assert says(
        found["truncated"], "invalid_run-warned", warning=Warn.TRUNCATED.called, n=4, runs=fact("runs", n=5),
        run_ids=("1c-a-t4-r1", "1c-a-t16-r1", "2c-a-t4-r1"), run_ids_more=1,
    )  # fmt: skip
    assert found["clock_stepped"].advice == Warn.CLOCK_STEPPED.advice
    assert len(found["truncated"].run_ids) == 4
    assert {one.severity for one in found.values()} == {"warning"}


def test_clean_runs_are_silent():
    assert invalid([run(t) for t in (1.0, 2.0)]) == {}


@pytest.mark.parametrize(
    ("planned", "severity"), [(None, "warning"), (5.0, "note"), (10.0, "warning"), (1200.0, "warning")]
)
def test_short_runs_are_a_note_where_the_plan_asked_for_them(planned, severity):
    found = invalid([run(c, **SHORT) for c in (1.0, 2.0)], Settings.of(None, planned_s=planned).of_rule("invalid_run"))
    one = found["short_run"]
    assert one.severity == severity
    assert says(one, "invalid_run-short_run", n=2, runs=fact("runs", n=2), shortest_s=5.0, planned=severity == "note")


def test_failures_are_graded_by_their_share():
    few = invalid([run(failed_operations=2.0, warnings="OPERATIONS_FAILED")])["operations_failed"]
    assert few.severity == "warning" and says(few, share=pytest.approx(2 / 1.5e6), operations=1_500_000.0)
    many = invalid([run(failed_operations=300_000.0), run(2.0)])["operations_failed"]
    assert many.severity == "error"
    assert many.effect == pytest.approx(-0.2)
    assert says(many, "invalid_run-operations_failed", n=1, runs=fact("runs", n=2), share=pytest.approx(0.2))
    assert cell_of(many) == (1, 4)


def test_cores_that_are_a_label_only_are_an_error():
    found = invalid([run(c, cores_enforced_by="none") for c in (1.0, 2.0)])["cores_not_enforced"]
    assert found.severity == "error"
    assert found.message.key == "invalid_run-cores_not_enforced"
    assert [spec.values["cores"] for spec in found.message.values["specs"]] == [1, 2]


def test_runs_that_did_not_complete_are_named():
    lost = run(2.0, outcome="incomplete", stop_reason="server_lost")
    found = invalid([run(), lost])["not completed"]
    assert says(found, "invalid_run-not_completed", n=1, runs=fact("runs", n=2), run_ids=("2c-a-t4-r1",))
    assert says(found, reasons=(fact("stop-server_lost"),))


def test_warnings_with_a_rule_of_their_own_are_left_to_it():
    own = "LITTLE_LAW UNACKED_WRITES POOL_BELOW_THREADS HOST_SPEED_CHANGED"
    assert invalid([run(warnings=own)]) == {}
    noted = invalid([run(warnings="DERIVED OPERATION_UNKNOWN")])
    assert [noted[name].severity for name in ("derived", "operation_unknown")] == ["note", "note"]


def test_every_warning_is_passed_on_by_some_rule():
    warned = {warning: [run(c, warnings=warning.value, host_speed=0.5, write_concern="0", dataset=warning.value)
                        for c in (1.0, 2.0)] for warning in Warn}  # fmt: skip
    made = [
        row | {"run_id": row["dataset"] + row["run_id"], "throughput_ops_s": 9000.0}
        for rows in warned.values()
        for row in rows
    ]
    means = [{"run_id": r["run_id"], "operation": "READ", "count": 5000.0, "mean_us": 1e9} for r in made]
    evidence = Evidence(tables(made, operations=means))
    found = [one for name, rule in anomalies.RULES.items() if name != "noise" for one in rule(evidence)]
    named = {run_id for one in found for run_id in one.run_ids}
    assert not [r["dataset"] for r in made if r["run_id"] not in named]


def test_a_host_that_changed_speed():
    (found,) = flags("host_drift", [run(threads=4, host_speed=1.05), run(threads=16, host_speed=0.7)])
    assert (found.severity, found.run_ids) == ("warning", ("1c-a-t16-r1",))
    assert says(found, "host_drift", tolerance=0.1, n=1, runs=fact("runs", n=2), effect=pytest.approx(-0.3))
    assert cell_of(found) == (1, 16)
    assert found.effect == pytest.approx(-0.3)


def drifting(per_round, seed=1, sd=0.01):
    rng = np.random.default_rng(seed)
    return [
        run(c, t, r, 1000 * c * (1 + per_round * (r - 1)) * np.exp(rng.normal(0, sd)))
        for r in (1, 2, 3) for c in (1.0, 2.0, 4.0) for t in (4, 16)
    ]  # fmt: skip


def test_a_machine_that_drifts_over_the_rounds():
    (found,) = flags("host_drift", drifting(-0.07))
    assert (found.severity, found.evidence) == ("notice", "repeats")
    assert found.effect == pytest.approx(-0.14, abs=0.03)
    assert found.conf_low < found.effect < found.conf_high < 0
    assert says(found, "host_drift-rounds", configurations=fact("configurations", n=6), effect=found.effect)
    assert flags("host_drift", drifting(0.0)) == []
    assert flags("host_drift", drifting(-0.07)[:2]) == []


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_round_that_was_slow_by_itself(number):
    rows = drifting(0.0)
    for row in rows:
        row["goodput_ops_s"] *= 0.88 if row["repeat"] == number else 1.0
    (found,) = flags("host_drift", rows)
    assert found.effect == pytest.approx(-0.12, abs=0.02)
    assert says(found, "host_drift-rounds", configurations=fact("configurations", n=6), round=number)


def in_turn(seed=1, sd=0.02, slow=()):
    """Three rounds of twelve configurations, a run each ten minutes; those of these numbers do a third less."""
    random = np.random.default_rng(seed)
    order = [(r, c, t) for r in (1, 2, 3) for c in (1.0, 2.0, 4.0, 8.0) for t in (4, 16, 64)]
    return [
        {**run(c, t, r, 1000 * c * (0.67 if i in slow else 1) * np.exp(random.normal(0, sd))),
         "started_at": f"2024-05-14T{9 + i // 6:02}:{i % 6}0:00"}
        for i, (r, c, t) in enumerate(order)
    ]  # fmt: skip


def test_runs_in_a_row_that_were_slow_whatever_they_measured_are_one_finding():
    rows = in_turn(slow=range(27, 33))
    (found,) = flags("slow_stretch", rows)
    assert (found.severity, len(found.run_ids)) == ("warning", 6) and found.effect == pytest.approx(-0.33, abs=0.03)
    assert says(found, "slow_stretch", n=6, first="2024-05-14 13:30", last="2024-05-14 14:20")
    measured = tables(rows)
    assert set(trust.grades(measured.runs, anomalies.find(measured))[[*found.run_ids]]) == {"D"}
    # Not of one configuration, nor apart from each other, nor without times.
    assert not flags("slow_stretch", in_turn(slow=(3, 9, 14, 20, 25, 31)))
    assert not flags("slow_stretch", [{**row, "started_at": ""} for row in rows])


@pytest.mark.parametrize("sd", [0.03, 0.1, 0.2])
def test_noise_alone_makes_no_slow_stretch(sd):
    assert not any(flags("slow_stretch", in_turn(seed, sd)) for seed in range(40))


def test_rounds_that_are_alike_are_seldom_called_slow():
    """At 0.3 % for all rounds together, but a change of 5 % at least: here of 12 configurations with 10 % noise."""
    assert sum(bool(flags("host_drift", drifting(0.0, seed=s, sd=0.1))) for s in range(60)) <= 2


def printed(name):
    evidence = Evidence(
        read_published(paths.PUBLISHED / f"{name}.csv"),
        documents={name: documents.read(paths.PUBLISHED / f"{name}.csv")},
    )
    return list(anomalies.RULES["settings_implausible"](evidence))


def test_a_printed_count_that_its_page_adjusts_is_no_accusation_and_is_quoted_whole():
    (found,) = printed("tencent-2020-08")
    assert (found.severity, found.evidence, len(found.run_ids)) == ("note", "published", 32)
    words = (
        "`-p operationcount=100000`根据具体执行时间动态调整，需要保证执行时间在二十分钟以上，否则时间过短没有代表性。"
    )
    assert says(found, "settings_implausible-example", operations="100000", words=words)


def test_a_printed_count_that_lasts_a_second():
    row = run(outcome="published", vendor="V", throughput=200_000.0)
    said = {"local": {"environment": {"run_options": "-p operationcount=100000", "duration": "20 minutes at least"}}}
    (found,) = flags("settings_implausible", [row], documents=said)
    assert found.severity == "warning"
    assert says(found, "settings_implausible", operations="100000", short=1, rows=1, asked="20 minutes at least")


def test_no_printed_count_means_the_workload_file():
    (found,) = printed("qingcloud-4.0.3")
    assert says(found, "settings_implausible-default", lacks="both", count=1000, data="约 10GB")


def test_counts_that_last_and_pages_unknown_are_silent():
    row = run(outcome="published", vendor="V", throughput=1000.0)
    said = {"local": {"environment": {"run_options": "-p operationcount=1200000 -p recordcount=10"}}}
    assert flags("settings_implausible", [row], documents=said) == []
    assert flags("settings_implausible", [row]) == []
    said["local"]["environment"]["run_options"] = "-p recordcount=10"
    (found,) = flags("settings_implausible", [row], documents=said)
    assert says(found, "settings_implausible-default", lacks="operation", data=None)


def test_a_log_whose_figures_contradict_each_other_is_named_with_them():
    edited = run(run_id="edited", warnings="COUNTS_DISAGREE", throughput_ops_s=820.933, runtime_ms=60_000.0,
                 operations=100_000.0)  # fmt: skip
    (found,) = flags("invalid_run", [edited, run(run_id="r2")])
    assert says(found, "invalid_run-counts_disagree", run_id="edited", operations=100_000.0)
    assert round(found.message.values["behind"]) == 49_256 and found.effect == pytest.approx(-0.507, abs=0.001)
    whole = dict(edited, operations=49_256.0)
    assert says(flags("invalid_run", [whole])[0], "invalid_run-warned")
