"""Ten rows with one cause read as one, the gravest speaks, and a headline names different rules."""

from anomaly_samples import flags, run, says
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook import paths
from ycsbook.anomalies import SEVERITIES, find, grouped, ranked
from ycsbook.anomalies.registry import lead, without_others
from ycsbook.columns import SCHEMAS
from ycsbook.facts import fact, in_columns
from ycsbook.ingest.published.published import read_published
from ycsbook.messages import fact_of, say
from ycsbook.tables import empty, from_rows


def finding(rule="stall", severity="warning", cause="", effect=-0.1, **more):
    return {
        "rule": rule, "severity": severity, "dataset": "d", "workload": "a", "spec": "1c", "threads": 4.0,
        "run_ids": "r1", "effect": effect, "evidence": "single", "message_key": rule, "message_values": "{}",
        "advice_key": "look", "cause": cause, **more,
    }  # fmt: skip


def group(lead, *, more, summary=False, others=None):
    """The message of a group whose first finding says `lead`."""
    return fact("group", lead=fact(lead), more=more, summary=summary, others=others)


def table(rows):
    return from_rows(rows, "findings")


def test_ten_rows_with_one_cause_are_one():
    rows = [finding(cause="stall", effect=-i / 100, run_ids=f"r{i} shared", spec=f"{i}c") for i in range(10)]
    (one,) = grouped(table(rows)).to_dict("records")
    assert fact_of(one, "message") == group("stall", more=9)
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
    others = [fact("group-other", rule="cpu_per_operation", what=fact("cpu_per_operation.brief"))]
    assert fact_of(found.iloc[0], "message") == group("superlinear_threads", more=1, others=others)


def test_a_summary_speaks_for_its_parts_and_is_not_counted_among_them():
    rule, cause = "thread_regression", "small losses"
    rows = [finding(rule, "note", cause, -i / 100, run_ids=f"r{i} s{i}") for i in range(1, 8)]
    rows += [finding(rule, "note", cause, -0.034, run_ids="r1 s1 r2 s2 r3 s3", message_key="together")]
    rows += [finding("tail", "note", effect=-0.05)]
    found = grouped(table(rows))
    assert [fact_of(row, "message") for row in found.to_dict("records")] == [
        fact("tail"), group("together", more=7, summary=True),
    ]  # fmt: skip
    assert len(found["run_ids"].iloc[1].split()) == 14
    # Without the summary the largest speaks as ever.
    (alone,) = grouped(table(rows[:7])).to_dict("records")
    assert fact_of(alone, "message") == group("thread_regression", more=6)


def test_what_other_rules_saw_is_said_by_the_finding_about_most_runs():
    rows = [
        finding("little_law", "error", "x", 0.4), finding("little_family", "notice", "x", -0.2, message_key="alone"),
        finding("little_family", "warning", "x", 0.1, run_ids="r1 r2 r3", **in_columns("message", fact("block", n=3))),
        finding("repair_hint", "note", "x", 0.1, run_ids="r1 r2"),
    ]  # fmt: skip
    (row,) = grouped(table(rows)).to_dict("records")
    # What may explain the others first.
    seen = {"repair_hint": fact("repair_hint.brief"), "little_family": fact("block.brief", n=3)}
    others = [fact("group-other", rule=rule, what=what) for rule, what in seen.items()]
    assert fact_of(row, "message") == group("little_law", more=0, others=others)


def test_the_vendors_worst_rows_say_their_block_and_the_hint():
    found = grouped(find(read_published(paths.PUBLISHED / "qingcloud-4.0.3.csv")))
    worst = say(fact_of(found.iloc[0], "message"))
    hint, block = worst.split("; also: ")[1:3]
    assert hint.endswith("if their throughput were exactly 20,000 lower, one digit each")
    assert block.startswith("50:50: every spec from 8 cores, 32 GB to 16 cores, 32 GB has a row")
    (together,) = found[found["rule"] == "thread_regression"].to_dict("records")
    message = fact_of(together, "message")
    assert lead(message).key == "thread_regression"
    assert (message.values["more"], message.values["summary"]) == (6, False)


def test_a_group_as_a_report_says_it():
    found = grouped(find(read_published(paths.PUBLISHED / "qingcloud-4.0.3.csv")))
    worst = fact_of(found.iloc[0], "message")
    assert "; also: 50:50: every spec" in say(worst)
    assert say(without_others(worst)).endswith("cannot say which (2 more like it)")
    alone = fact("tail", n=3)
    assert (lead(alone), without_others(alone)) == (alone, alone)


def test_findings_that_speak_for_a_dataset_name_it_where_there_are_several():
    rows = [run(c, 4, r, 1000 * c * r, dataset=name, run_id=f"{name}{c}{r}", warnings="SHORT_RUN", runtime_ms=60_000.0)
            for name in ("old", "new") for c in (1, 2) for r in (1, 2)]  # fmt: skip
    rows.append(run(4, 4, dataset="new", run_id="failed", outcome="failed"))
    for rule in ("invalid_run", "noise"):
        for one in flags(rule, rows):
            assert says(one, where=one.dataset)
        alone = flags(rule, [row for row in rows if row["dataset"] == "new"])
        assert alone and all(says(one, where=None) for one in alone)


def test_no_findings_have_no_groups():
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
    assert ranked(shown)["effect"].fillna(9).tolist() == shown["effect"].fillna(9).tolist()
