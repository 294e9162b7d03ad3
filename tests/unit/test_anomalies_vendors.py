"""The findings on both vendors' tables, counted against what is known of them."""

import pytest
from facts_in import holds

from ycsbook import anomalies, closed_loop, paths, trust
from ycsbook.columns import SCHEMAS
from ycsbook.ingest.published.published import read_published
from ycsbook.messages import fact_of, facts_of, worded
from ycsbook.scaling.points import usable
from ycsbook.tables import concat


@pytest.fixture(scope="module")
def tables():
    return {name: read_published(paths.PUBLISHED / f"{name}.csv") for name in ("qingcloud-4.0.3", "tencent-2020-08")}


@pytest.fixture(scope="module")
def found(tables):
    return {name: worded(anomalies.find(part)) for name, part in tables.items()}


def of(findings, rule, severity=None):
    rows = findings[findings["rule"] == rule]
    return rows if severity is None else rows[rows["severity"] == severity]


def test_tencent_has_seven_thread_regressions(found):
    rows = of(found["tencent-2020-08"], "thread_regression", "warning")
    assert len(rows) == 7
    worst, *others = facts_of(rows, "message")
    fall = {"first": 154_253, "second": 52_148, "effect": -0.662, "threads": 100, "threads_to": 200}
    doubted = {"rows": [{"threads": 200, "utilisation": 1.219}]}
    assert holds(worst, "thread_regression", at={"cores": 32, "ram_gib": 240, "reads": 50}, **fall, doubt=doubted)
    assert rows["effect"].iloc[0] == pytest.approx(52148 / 154253 - 1)
    consistent = next(other for other in others if not other.values["doubt"])
    fall = {"first": 130_811, "second": 49_274, "effect": -0.623}
    assert holds(consistent, "thread_regression", at={"cores": 24, "ram_gib": 128, "reads": 50}, **fall)
    assert (rows["evidence"] == "published").all()
    assert rows["run_ids"].str.split().map(len).eq(2).all()


def test_small_losses_of_single_rows_are_notes_of_one_cause(found):
    rows = of(found["qingcloud-4.0.3"], "thread_regression")
    assert set(rows["severity"]) == {"note"}
    assert rows["cause"].nunique() == 1
    assert len(rows) == 7
    assert (rows["effect"].min(), rows["effect"].max()) == pytest.approx((-0.050, -0.0145), abs=5e-4)


def test_rows_that_break_littles_law(found):
    qing, tencent = (of(found[n], "little_law") for n in ("qingcloud-4.0.3", "tencent-2020-08"))
    assert qing["severity"].tolist() == ["error"] * 4 + ["warning"] * 2 + ["note"]
    assert tencent["severity"].tolist() == ["error", "note"]
    named = " | ".join(qing.loc[qing["severity"] == "error", "message"])
    for row in (
        "8 cores, 64 GB, 50:50, 100 threads", "16 cores, 16 GB, 50:50, 100 threads",
        "16 cores, 32 GB, 50:50, 100 threads", "8 cores, 64 GB, 95:5, 200 threads",
    ):  # fmt: skip
        assert row in named
    assert qing.iloc[-1]["message"].startswith("2 rows slightly above")
    assert tencent.iloc[-1]["message"].startswith("7 rows slightly above")


def cells(rows):
    return set(zip(rows["workload"], rows["spec"], rows["threads"], strict=True))


def test_rows_out_of_family_and_their_blocks(found):
    qing = of(found["qingcloud-4.0.3"], "little_family")
    alone = qing[qing["severity"] == "notice"]
    assert cells(alone[alone["effect"] < 0]) == {
        ("a", "8c32g", 100), ("a", "16c16g", 200), ("a", "16c32g", 200), ("b", "16c64g", 100),
    }  # fmt: skip
    assert cells(alone[alone["effect"] > 0]) == {("b", "16c16g", 200)}
    lowest = fact_of(alone.loc[alone["effect"].idxmin()], "message")
    assert holds(lowest, "little_family", utilisation=0.827, above=False, usual=0.9755)
    blocks = facts_of(qing[qing["severity"] == "warning"], "message")
    first, last = {"cores": 8, "ram_gib": 32}, {"cores": 16, "ram_gib": 32}
    counts = {"rows": {"n": 6}, "specs": 4, "sides": [{"n": 3}, {"n": 3}]}
    assert len(blocks) == 2
    assert holds(blocks, "little_family-block", mix={"reads": 50}, first=first, last=last, **counts)
    first, last = {"cores": 8, "ram_gib": 64}, {"cores": 16, "ram_gib": 128}
    assert holds(blocks, "little_family-block", mix={"reads": 95}, first=first, last=last)
    assert of(found["tencent-2020-08"], "little_family").empty


def test_slips_that_would_explain_failing_rows(found):
    hints = facts_of(of(found["qingcloud-4.0.3"], "repair_hint"), "message")
    rows = ((8, 64, 65_703), (16, 16, 69_470), (16, 32, 70_924))
    changes = [{"cell": {"cores": cores, "ram_gib": ram, "threads": 100}, "was": was, "becomes": was - 20_000}
               for cores, ram, was in rows]  # fmt: skip
    common = {"figure": "throughput_ops_s", "difference": 20_000, "higher": False, "n": 3, "changes": changes}
    assert holds(hints[0], "repair_hint-common", **common)
    assert [holds(hint, "repair_hint-change", was=57_242, becomes=67_242) for hint in hints].count(True) == 1
    # The others have nothing in common but by chance.
    assert len(hints) == 2
    assert of(found["tencent-2020-08"], "repair_hint").empty


def test_unacknowledged_writes_are_one_finding_per_table(found):
    (row,) = of(found["tencent-2020-08"], "unacked_writes").to_dict("records")
    counts = {"all": True, "rows": {"n": 32}, "below": 21, "written": 32, "rtt_us": 350}
    assert holds(fact_of(row, "message"), "unacked_writes", **counts)
    assert len(of(found["qingcloud-4.0.3"], "unacked_writes")) == 1


def test_writes_that_waited_longer_than_reads(found):
    (row,) = of(found["tencent-2020-08"], "writes_slower_than_reads").to_dict("records")
    assert {i.removeprefix("tencent-2020-08-") for i in row["run_ids"].split()} == {
        "2c4g-a-t100", "2c4g-a-t200", "4c8g-a-t100", "4c8g-a-t200", "4c8g-b-t100",
    }  # fmt: skip
    assert of(found["qingcloud-4.0.3"], "writes_slower_than_reads").empty


def test_times_to_send_out_of_family(found):
    qing, tencent = (of(found[n], "write_latency_outliers") for n in ("qingcloud-4.0.3", "tencent-2020-08"))
    assert cells(qing) == {("b", "2c4g", 100), ("b", "2c8g", 200)}
    assert [len(ids.split()) for ids in tencent["run_ids"]] == [4]
    assert tencent["threads"].tolist() == [100]


def test_cpu_threads_and_throughput_that_contradict_each_other(found):
    rows = found["tencent-2020-08"]
    assert set(zip(*(of(rows, "cpu_contradiction")[c] for c in ("workload", "spec")), strict=True)) == {
        ("a", "2c4g"), ("a", "4c8g"), ("a", "12c32g"), ("b", "4c8g"),
    }  # fmt: skip
    superlinear = of(rows, "superlinear_threads", "warning")
    assert superlinear["spec"].tolist() == ["2c4g", "6c16g"]
    assert (superlinear["effect"] + 1).round(2).tolist() == [3.69, 3.34]
    (cpu,) = of(rows, "cpu_per_operation").to_dict("records")
    assert (cpu["workload"], cpu["spec"], cpu["threads"]) == ("b", "2c4g", 100)
    assert holds(fact_of(cpu, "message"), "cpu_per_operation", cpu_us=730.5, usual_us=189)
    assert cpu["cause"] == superlinear["cause"].iloc[0]
    for rule in ("cpu_contradiction", "superlinear_threads", "cpu_per_operation"):
        assert of(found["qingcloud-4.0.3"], rule).empty


def test_inversions(found):
    (row,) = of(found["tencent-2020-08"], "more_cores_slower").to_dict("records")
    cell, smaller = {"cores": 6, "ram_gib": 16, "reads": 50, "threads": 200}, {"cores": 4, "ram_gib": 8}
    less = {"second": 10_041, "smaller": smaller, "first": 13_590, "effect": -0.261}
    assert holds(fact_of(row, "message"), "inversion", cell=cell, **less)
    assert of(found["qingcloud-4.0.3"], "more_cores_slower").empty
    (row,) = of(found["qingcloud-4.0.3"], "more_ram_slower").to_dict("records")
    cell = {"cores": 32, "ram_gib": 128, "reads": 50, "threads": 200}
    assert holds(fact_of(row, "message"), "inversion", cell=cell, second=118_906, first=140_307)


def test_order_and_schema(found):
    for findings in found.values():
        assert tuple(findings.columns) == SCHEMAS["findings"]
        rank = findings["severity"].map(anomalies.SEVERITIES.index)
        assert rank.is_monotonic_increasing
        assert set(findings["evidence"]) <= {"repeats", "single", "published"}
        assert findings[["message", "next_step", "run_ids"]].ne("").all(axis=None)


def test_both_tables_in_one(tables, found):
    together = anomalies.find(concat(list(tables.values())))
    assert len(together) == sum(len(f) for f in found.values())


def test_utilisation_agrees_with_the_reader(tables):
    for part in tables.values():
        loop = closed_loop.of_runs(part.runs, part.operations)["utilisation"]
        assert loop.notna().all()
        assert (
            loop.loc[loop > 1.05]
            .index.isin(part.runs.loc[part.runs["warnings"].str.contains("LITTLE"), "run_id"])
            .all()
        )


@pytest.mark.parametrize("name", ["qingcloud-3.6.8", "qingcloud-4.0.3", "tencent-2020-08", "alibaba-4.2",
                                  "huawei-dds-4.0"])  # fmt: skip
def test_the_rules_that_decide_a_grade_are_all_that_is_asked_for_one(name):
    tables = read_published(paths.PUBLISHED / f"{name}.csv")
    of_all = trust.grades(usable(tables.runs), anomalies.find(tables))
    assert trust.of_runs(tables).to_dict() == of_all.to_dict()
