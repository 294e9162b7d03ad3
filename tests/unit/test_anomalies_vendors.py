"""The findings on both vendors' tables, counted against what is known of them."""

import pytest

from ycsbook import anomalies, paths
from ycsbook.scaling import closed_loop
from ycsbook.columns import SCHEMAS
from ycsbook.ingest.published.published import read_published


@pytest.fixture(scope="module")
def tables():
    return {name: read_published(paths.PUBLISHED / f"{name}.csv") for name in ("qingcloud-4.0.3", "tencent-2020-08")}


@pytest.fixture(scope="module")
def found(tables):
    return {name: anomalies.find(part) for name, part in tables.items()}


def of(findings, rule, severity=None):
    rows = findings[findings["rule"] == rule]
    return rows if severity is None else rows[rows["severity"] == severity]


def test_tencent_has_seven_thread_regressions(found):
    rows = of(found["tencent-2020-08"], "thread_regression", "warning")
    assert len(rows) == 7
    worst, consistent = rows.iloc[0], rows[~rows["message"].str.contains("suspect")].iloc[0]
    assert worst["message"] == (
        "32 cores 240 GB, 50:50: throughput falls from 154,253 to 52,148 ops/s (−66 %) when threads rise from "
        "100 to 200; suspect: the 200-thread row (1.22) itself breaks Little's law"
    )
    assert worst["effect"] == pytest.approx(52148 / 154253 - 1)
    assert consistent["message"].startswith(
        "24 cores 128 GB, 50:50: throughput falls from 130,811 to 49,274 ops/s (−62 %)"
    )
    assert (rows["evidence"] == "published").all()
    assert rows["run_ids"].str.split().map(len).eq(2).all()


def test_small_losses_of_single_rows_are_one_note(found):
    rows = of(found["qingcloud-4.0.3"], "thread_regression")
    assert rows["severity"].tolist() == ["note"]
    assert rows.iloc[0]["message"].startswith("7 pairs of rows lose throughput with more threads (−1.4 % to −5.0 %")


def test_rows_that_break_littles_law(found):
    qing, tencent = (of(found[n], "little_law") for n in ("qingcloud-4.0.3", "tencent-2020-08"))
    assert qing["severity"].tolist() == ["error"] * 4 + ["warning"] * 2 + ["note"]
    assert tencent["severity"].tolist() == ["error", "note"]
    named = " | ".join(qing.loc[qing["severity"] == "error", "message"])
    for row in (
        "8 cores 64 GB, 50:50, 100 threads", "16 cores 16 GB, 50:50, 100 threads",
        "16 cores 32 GB, 50:50, 100 threads", "8 cores 64 GB, 95:5, 200 threads",
    ):  # fmt: skip
        assert row in named
    assert qing.iloc[-1]["message"].startswith("2 rows slightly above")
    assert tencent.iloc[-1]["message"].startswith("7 rows slightly above")


def test_unacknowledged_writes_are_one_finding_per_table(found):
    (row,) = of(found["tencent-2020-08"], "unacknowledged_writes").to_dict("records")
    assert row["message"] == (
        "all 32 rows measured with write concern 0: writes were sent, not answered; in 21 of 32 the mean write "
        "latency is below the network round trip of 350 µs"
    )
    assert len(of(found["qingcloud-4.0.3"], "unacknowledged_writes")) == 1


def test_inversions(found):
    (row,) = of(found["tencent-2020-08"], "more_cores_slower").to_dict("records")
    assert row["message"] == (
        "6 cores 16 GB, 50:50, 200 threads: 10,041 ops/s, −26 % against the smaller 4 cores 8 GB (13,590 ops/s)"
    )
    assert of(found["qingcloud-4.0.3"], "more_cores_slower").empty
    (row,) = of(found["qingcloud-4.0.3"], "more_ram_slower").to_dict("records")
    assert row["message"].startswith("32 cores 128 GB, 50:50, 200 threads: 118,906 ops/s, −15 %")


def test_order_and_schema(found):
    for findings in found.values():
        assert tuple(findings.columns) == SCHEMAS["findings"]
        rank = findings["severity"].map(anomalies.SEVERITIES.index)
        assert rank.is_monotonic_increasing
        assert set(findings["evidence"]) <= {"repeats", "single", "published"}
        assert findings[["message", "next_step", "run_ids"]].ne("").all(axis=None)


def test_the_headline_names_three_different_rules(found):
    main = anomalies.main(found["tencent-2020-08"])
    assert main["rule"].tolist() == ["little_law", "thread_regression", "more_cores_slower"]
    assert main.iloc[1]["message"].endswith("(6 more like it)")
    assert len(anomalies.main(found["tencent-2020-08"], n=1)) == 1
    assert anomalies.main(found["tencent-2020-08"].head(0)).empty


def test_both_tables_in_one(tables, found):
    from ycsbook.tables import concat

    together = anomalies.find(concat(list(tables.values())))
    assert len(together) == sum(len(f) for f in found.values())


def test_utilisation_agrees_with_the_reader(tables):
    for part in tables.values():
        loop = closed_loop.utilisation(part.runs, part.operations)
        assert loop.notna().all()
        assert (
            loop.loc[loop > 1.05]
            .index.isin(part.runs.loc[part.runs["warnings"].str.contains("LITTLE"), "run_id"])
            .all()
        )
