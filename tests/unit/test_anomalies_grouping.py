"""Ten rows with one cause read as one, the gravest speaks, and a headline names different rules."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook.anomalies import SEVERITIES, grouped, main, ranked
from ycsbook.columns import SCHEMAS
from ycsbook.tables import empty, from_rows


def finding(rule="stall", severity="warning", cause="", effect=-0.1, **more):
    return {
        "rule": rule, "severity": severity, "dataset": "d", "workload": "a", "spec": "1c", "threads": 4.0,
        "run_ids": "r1", "effect": effect, "evidence": "single", "message": f"{rule} {effect}", "next_step": "look",
        "cause": cause, **more,
    }  # fmt: skip


def table(rows):
    return from_rows(rows, "findings")


def test_ten_rows_with_one_cause_are_one():
    rows = [finding(cause="stall", effect=-i / 100, run_ids=f"r{i} shared", spec=f"{i}c") for i in range(10)]
    (one,) = grouped(table(rows)).to_dict("records")
    assert one["message"] == "stall -0.09 (9 more like it)"
    assert one["run_ids"].split() == ["r9", "shared", *(f"r{i}" for i in range(8, -1, -1))]
    assert (one["workload"], one["spec"], one["threads"], one["effect"]) == ("a", "", 4.0, -0.09)


def test_without_a_cause_each_stands_alone_and_datasets_stay_apart():
    assert len(grouped(table([finding(), finding()]))) == 2
    assert len(grouped(table([finding(cause="x"), finding(cause="x", dataset="e")]))) == 2


def test_the_gravest_of_several_rules_speaks():
    rows = [
        finding("cpu_per_operation", "note", "pair", 4.0), finding("superlinear_threads", "warning", "pair", 2.7),
        finding("superlinear_threads", "warning", "pair", 2.3), finding("tail", "notice", effect=1.0),
    ]  # fmt: skip
    found = grouped(table(rows))
    assert found["rule"].tolist() == ["superlinear_threads", "tail"]
    assert found["message"].iloc[0] == "superlinear_threads 2.7 (1 more like it) (seen by cpu_per_operation too)"


def test_a_headline_names_each_rule_once_before_it_repeats():
    rows = [finding("little_law", "error", effect=e) for e in (0.4, 0.3, 0.2)]
    rows += [finding("noise", "warning", effect=0.1), finding("tail", "warning", "x", 5.0)]
    rows += [finding("pool", "notice", "x", 9.0)]
    found = main(table(rows))
    assert found["rule"].tolist() == ["little_law", "tail", "noise"]
    assert found["message"].iloc[0] == "little_law 0.4 (2 more like it)"
    assert main(table(rows), 4)["rule"].tolist() == ["little_law", "little_law", "tail", "noise"]
    assert main(empty("findings")).empty
    assert grouped(empty("findings")).empty


rows = st.builds(
    finding, rule=st.sampled_from(["stall", "noise", "tail"]), severity=st.sampled_from(SEVERITIES),
    cause=st.sampled_from(["", "x", "y"]), effect=st.one_of(st.just(float("nan")), st.floats(-2, 2)),
    dataset=st.sampled_from(["d", "e"]), run_ids=st.sampled_from(["r1", "r2", "r1 r3"]),
    threads=st.sampled_from([4.0, float("nan")]),
)  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(st.lists(rows, min_size=1, max_size=12))
def test_grouping_loses_no_run_and_keeps_the_gravest(findings):
    all_, shown = table(findings), grouped(table(findings))
    assert tuple(shown.columns) == SCHEMAS["findings"]
    assert set(" ".join(shown["run_ids"]).split()) == set(" ".join(all_["run_ids"]).split())
    order = [SEVERITIES.index(s) for s in shown["severity"]]
    assert order == sorted(order)
    assert order[0] == min(SEVERITIES.index(s) for s in all_["severity"])
    caused = all_[all_["cause"] != ""].groupby(["dataset", "cause"]).ngroups
    assert len(shown) == int((all_["cause"] == "").sum()) + caused
    assert len(main(all_, 2)) <= 2
    assert ranked(shown)["effect"].fillna(9).tolist() == shown["effect"].fillna(9).tolist()
