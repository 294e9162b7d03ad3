"""What holds of every rule: said what it cannot know, documented, switched off, within the budget, pure."""

from pathlib import Path

import pandas as pd
import pytest
from anomaly_samples import noisy, run, tables, with_series

from ycsbook import anomalies, documents, messages, paths
from ycsbook.anomalies import RULES, Settings
from ycsbook.anomalies.registry import FAMILY_BUDGET, reference
from ycsbook.columns import SCHEMAS
from ycsbook.ingest.published.published import read_published
from ycsbook.tables import Tables, concat

DOCS = Path(__file__).parents[2] / "docs"
ASKED = {
    "thread_regression", "little_law", "little_family", "repair_hint", "more_cores_slower", "more_ram_slower",
    "unacked_writes", "writes_slower_than_reads", "cpu_contradiction", "superlinear_threads", "scaling_outlier",
    "not_saturated", "stall", "thread_hint",
    "degradation", "warmup", "sawtooth", "tail", "pool", "invalid_run", "host_drift",
    "settings_implausible", "change_point", "noise",
}  # fmt: skip


@pytest.fixture(scope="module")
def vendors():
    return concat([read_published(paths.PUBLISHED / f"{n}.csv") for n in ("qingcloud-4.0.3", "tencent-2020-08")])


def test_every_rule_that_was_asked_for_is_there():
    assert set(RULES) >= ASKED


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_rule_says_what_it_looks_for_and_what_it_cannot_know(name):
    rule = RULES[name]
    assert rule.says.endswith(".")
    assert len(rule.cannot_know) > 20
    assert f"rule-{name}" in messages.keys("en")
    for key in rule.defaults:
        assert key.isidentifier()


def test_the_page_of_the_rules_is_up_to_date():
    page = (DOCS / "rules.md").read_text()
    assert page == reference()
    for name, rule in RULES.items():
        assert f"\n## {name}\n\n{rule.says}\n" in page
        assert f"Cannot know: {rule.cannot_know}" in page


def test_the_budgets_add_up():
    assert sum(rule.budget for rule in RULES.values()) <= FAMILY_BUDGET * (1 + 1e-9)


def test_findings_are_typed_ranked_and_complete(vendors):
    found = anomalies.find(vendors, documents=documents.of(vendors))
    assert tuple(found.columns) == SCHEMAS["findings"]
    assert found["severity"].map(anomalies.SEVERITIES.index).is_monotonic_increasing
    assert set(found["evidence"]) == {"published"}
    sentences = ["message", "next_step"]
    assert found[["message_key", "advice_key", "run_ids", "dataset"]].ne("").all(axis=None)
    assert found[sentences].eq("").all(axis=None) and messages.worded(found)[sentences].ne("").all(axis=None)


def test_the_order_of_the_rows_changes_nothing(vendors):
    shuffled = Tables(
        runs=vendors.runs.sample(frac=1, random_state=1).reset_index(drop=True),
        operations=vendors.operations.sample(frac=1, random_state=2).reset_index(drop=True),
    )
    keys = ["rule", "severity", "dataset", "spec", "threads", "workload"]
    one, other = (anomalies.find(t)[[*keys, "effect"]].sort_values([*keys, "effect"]) for t in (vendors, shuffled))
    pd.testing.assert_frame_equal(one.reset_index(drop=True), other.reset_index(drop=True))


def test_a_rule_that_is_off_finds_nothing_and_others_stay():
    row, intervals = with_series([0.0 if 40 <= i < 60 else r for i, r in enumerate(noisy(120, 1))])
    made = tables([row], intervals=intervals)
    assert "stall" in set(anomalies.find(made)["rule"])
    rest = anomalies.find(made, settings=Settings.of({"stall": "off"}))
    assert "stall" not in set(rest["rule"])
    only = anomalies.find(made, settings=Settings().only(["stall"]))
    assert set(only["rule"]) == {"stall"}


def test_a_threshold_from_params_reaches_the_rule():
    rows = [run(cpu_utilisation=0.8)]
    assert set(anomalies.find(tables(rows), settings=Settings().only(["not_saturated"]))["rule"]) == {"not_saturated"}
    lower = Settings.of({"not_saturated": {"cpu": 0.7}}).only(["not_saturated"])
    assert anomalies.find(tables(rows), settings=lower).empty


def test_no_rows_no_findings():
    assert anomalies.find(Tables()).empty
