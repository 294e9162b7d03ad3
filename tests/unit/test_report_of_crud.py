"""What a report says of the CRUD experiment, from tables with known truth."""

import math

import pandas as pd
import pytest
from facts_in import holds, in_order, keys_in

from ycsbook import anomalies, ingest, messages, params, scaling, tables
from ycsbook.facts import Fact, fact
from ycsbook.messages import worded
from ycsbook.report.build import build
from ycsbook.report.rows import ReportRows
from ycsbook.report.systems import crud, of

RATES = {
    ("find-key", 10_000, "mongodb"): 8000,
    ("find-key", 10_000, "innodb"): 4000,
    ("find-key", 40_000, "mongodb"): 8000,
    ("find-key", 40_000, "innodb"): 4000,
    ("find-pattern", 10_000, "mongodb"): 80,
    ("find-pattern", 40_000, "mongodb"): 20,
    ("find-pattern", 40_000, "innodb"): 20,
    ("insert-one", 40_000, "mongodb"): 2000,
    ("insert-many", 40_000, "mongodb"): 60,
}


def sweep(lang="en"):
    specs = [{"name": name, "label": name.title(), "cores": 1, "ram_gib": 1} for name in ("mongodb", "innodb")]
    settings = {"name": "t", "experiment": "crud", "server": {"kind": "mongod"}, "specs": specs, "threads": [10]}
    return params.Sweep.model_validate({**settings, "batch_size": 100, "report": {"lang": lang}})


def measured(repeats=2, noise=0.01):
    runs, operations = [], []
    for (operation, records, spec), rate in RATES.items():
        for repeat in range(1, repeats + 1):
            run_id = f"{operation}-{records}-{spec}-{repeat}"
            rate_now = rate * math.exp(noise * (-1) ** (repeat + len(run_id)))
            runs.append({
                "run_id": run_id, "dataset": "t", "spec": spec, "spec_label": spec.title(), "cores": 1.0,
                "ram_gib": 1.0, "workload": f"{operation}, {records:,} records", "records": records, "indexes": 3,
                "threads": 10, "repeat": repeat, "phase": "run", "write_concern": "1", "outcome": "completed",
                "throughput_ops_s": rate_now, "goodput_ops_s": rate_now, "steady_ops_s": rate_now,
            })  # fmt: skip
            operations.append(
                {"run_id": run_id, "operation": operation.upper().replace("-", "_"), "mean_us": 10e6 / rate}
            )
    return tables.Tables(runs=tables.from_rows(runs, "runs"), operations=tables.from_rows(operations, "operations"))


def lines(of=None, **settings) -> list[Fact]:
    return [line for _, line in crud.CrudReport(ReportRows(of or sweep(), measured(**settings))).lines()]


def test_the_verdict_names_the_fastest_and_the_slowest():
    fast, slow = (fact("system-crud-operation", operation=name) for name in ("find-key", "find-pattern"))
    figures = {"records": 10_000, "threads": 10, "fast_ops": 8000, "slow_ops": 80}
    said = messages.text("system-crud-verdict", name="Mongodb", fast=fast, slow=slow, alone=False, **figures)
    assert crud.CrudReport(ReportRows(sweep(), measured())).answer.verdict == said


def test_ratios_are_those_of_the_truth_and_their_intervals_hold_it():
    said = lines()
    assert holds(said, "system-crud-pattern", records=40_000, factor=400, low=386.5, high=414)
    assert holds(said, "system-crud-part", operation={"operation": "insert-one"}, factor=3)
    pattern = {"operation": "find-pattern"}
    assert holds(said, "system-crud-records", operation=pattern, times=4, factor=0.25, low=0.2416, high=0.2587)
    faster = [{"operation": {"operation": "find-key"}, "factor": 2}]
    between = {"one": "Mongodb", "other": "Innodb", "records": 40_000}
    assert holds(said, "system-crud-between", **between, faster=faster, slower=[], alike=[pattern], single=False)
    assert holds(said, "system-crud-seed-part", operation={"operation": "find-key"}, then=10_000, now=8000)


def test_without_repeats_no_interval_is_made_up():
    said = lines(repeats=1, noise=0.0)
    assert holds(said, "system-crud-between", single=True)
    assert not any("95 %" in messages.say(line) for line in said)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_has_bars_of_then_and_now_and_a_row_for_each_operation(lang):
    made, tabled = sweep(lang), measured()
    assert isinstance(of(ReportRows(made, tabled)), crud.CrudReport)
    analysis = scaling.analyse(tabled.runs, tabled.operations)
    report = build(made, tabled, analysis, worded(anomalies.find(tabled)), {})
    assert [panel.name for panel in report.section("then").figures()[0].panels] == ["t-2012-find-key"]
    bars = report.section("then").figures()[0].frame
    assert len(bars[bars["old"]]) == 12 and set(bars.loc[~bars["old"], "ops"].round()) == {8000, 4000}
    table = report.section("every").blocks[-1]
    assert len(table.rows) == len({key[:2] for key in RATES})
    assert report.in_short.verdict == report.section("finding").blocks[0].text


def test_of_gateways_their_cost_is_said_first():
    made = sweep().model_dump() | {"workloads": ["find-key", "insert-increasing"]}
    made["specs"][1]["server"] = {"kind": "rest", "gateway": "eve"}
    said = crud.CrudReport(ReportRows(params.Sweep.model_validate(made), measured())).answer.verdict
    assert in_order(said, "Mongodb, 10 connections: 8,000", "4,000 through Innodb", "2.00")


def test_where_innodb_is_measured_the_durability_of_writes_is_said():
    made = sweep().model_dump()
    made["specs"][1]["server"] = {"kind": "mariadb", "engine": "innodb"}
    assert "system-crud-durable" in keys_in(lines(params.Sweep.model_validate(made)))


def over_threads():
    """Inserts at 1, 100 and 200 threads, with 200 a fifth slower than with 100; three repeats each."""
    runs, operations = [], []
    for threads, rate in ((1, 500), (100, 5000), (200, 4000)):
        for repeat in (1, 2, 3):
            run_id, now = f"insert-{threads}-{repeat}", rate * math.exp(0.01 * (repeat - 2))
            runs.append({
                "run_id": run_id, "dataset": "t", "spec": "mongodb", "spec_label": "MongoDB", "cores": 1.0,
                "ram_gib": 1.0, "workload": "insert-one", "records": 20_000, "indexes": 0, "threads": threads,
                "repeat": repeat, "phase": "run", "write_concern": "1", "outcome": "completed", "runtime_ms": 10_400,
                "throughput_ops_s": now, "goodput_ops_s": now, "steady_ops_s": now,
            })  # fmt: skip
            operations.append({"run_id": run_id, "operation": "INSERT_ONE", "ok": rate * 10})
    return tables.Tables(runs=tables.from_rows(runs, "runs"), operations=tables.from_rows(operations, "operations"))


def test_a_loss_with_more_threads_is_told_and_the_runs_stand_in_mongotests_layout(tmp_path):
    rows = ReportRows(sweep(), over_threads())
    said = [line for _, line in crud.CrudReport(rows).lines()]
    ladder = {"one": 1, "one_ops": 500, "threads": 100, "ops": 5000, "last": 200, "factor": 0.8, "low": 0.784}
    assert holds(said, "system-crud-threads", operation={"operation": "insert-one"}, **ladder)
    sections = {section.anchor: section for section in crud.CrudReport(rows).sections() if section}
    assert set(sections) == {"client-threads", "every", "mongotest"}
    old = sections["client-threads"].figures()[0].frame
    assert old.loc[old["year"] == 2010, "ops"].tolist() == [4805]

    # What is written is what the reader of mongotest's own logs reads.
    (tmp_path / "mongotest.log").write_text(sections["mongotest"].blocks[-1].text + "\n")
    read = ingest.read([tmp_path / "mongotest.log"]).runs
    assert read["threads"].tolist() == [1] * 3 + [100] * 3 + [200] * 3
    assert (read["throughput_ops_s"] - pd.Series([500.0] * 3 + [5000.0] * 3 + [4000.0] * 3)).abs().max() < 1


def with_settings():
    """Inserts with no index and three, which cost two thirds; and journaled, which costs nothing."""
    runs, operations = [], []
    for indexes, concern, rate in ((0, "1", 3000), (3, "1", 1000), (0, "journaled", 3000), (3, "journaled", 1000)):
        for repeat in (1, 2, 3):
            run_id = f"insert-{indexes}-{concern}-{repeat}"
            now = rate * math.exp(0.01 * (repeat - 2))
            runs.append({
                "run_id": run_id, "dataset": "t", "spec": "mongodb", "spec_label": "MongoDB", "cores": 1.0,
                "ram_gib": 1.0, "workload": f"insert-one {indexes} {concern}", "records": 10_000, "indexes": indexes,
                "threads": 10, "repeat": repeat, "phase": "run", "write_concern": concern, "outcome": "completed",
                "throughput_ops_s": now, "goodput_ops_s": now, "steady_ops_s": now,
            })  # fmt: skip
            operations.append({"run_id": run_id, "operation": "INSERT_ONE", "ok": rate * 10})
    return tables.Tables(runs=tables.from_rows(runs, "runs"), operations=tables.from_rows(operations, "operations"))


def test_what_indexes_and_write_concern_cost_is_told():
    answer = crud.CrudReport(ReportRows(sweep(), with_settings())).answer
    inserting = fact("system-crud-operation", operation="insert-one")
    slower = fact("system-crud-part", operation=inserting, factor=1 / 3)
    costs = ({"setting": "indexes", "base": 0, "value": 3, "parts": [slower], "n": 1},
             {"setting": "write_concern", "base": "1", "value": "journaled", "parts": [], "n": 0})  # fmt: skip
    assert answer.verdict == " ".join(messages.text("system-crud-varied", **cost) for cost in costs)
    assert "3,000 operations" in dict(answer.lines)["Operations"]
