"""What a report says of a failover, from tables with known truth."""

import math

import pytest
from facts_in import holds

from ycsbook import messages, params, tables
from ycsbook.facts import fact
from ycsbook.report.rows import ReportRows
from ycsbook.report.systems import failover

# fault, write concern: acknowledged, failed, lost, resurrected, seconds until the next primary
TRUTH = {
    ("kill", "0"): (990, 10, 25, 0, 2.25),
    ("split", "1"): (1000, 0, 300, 0, 2.5),
    ("kill", "1"): (998, 2, 0, 1, 2.0),
    ("kill", "majority"): (1000, 0, 0, 0, math.nan),
}


def sweep(lang="en"):
    return params.Sweep.model_validate({
        "name": "t", "experiment": "failover", "specs": [{"name": "set", "cores": 1, "ram_gib": 1}],
        "server": {"kind": "mongod", "topology": "replica_set", "election_timeout": "2s"}, "report": {"lang": lang},
    })  # fmt: skip


def measured(truth=TRUTH):
    runs, rows = [], []
    for (fault, concern), (acknowledged, failed, lost, resurrected, elected_s) in truth.items():
        run_id = f"{fault}-{concern}"
        runs.append({
            "run_id": run_id, "dataset": "t", "spec": "set", "cores": 1.0, "ram_gib": 1.0, "threads": 10, "repeat": 1,
            "workload": f"{fault}, write concern {concern}", "phase": "run", "write_concern": concern,
            "outcome": "completed", "throughput_ops_s": 100.0, "goodput_ops_s": 100.0, "runtime_ms": 9500.0,
        })  # fmt: skip
        for second in (1, 2):
            counts = {"acknowledged": acknowledged / 2, "failed": failed / 2, "unknown": 0, "lost": lost / 2}
            counts |= {"resurrected": resurrected / 2, "lag_s": float(second)}
            rows.append({"run_id": run_id, "elapsed_s": second, **counts})
        for event, role, at_s in (("struck", "secondary", 0.1), ("elected", "", 0.2), ("struck", "primary", 1.0)):
            rows.append({"run_id": run_id, "elapsed_s": at_s, "event": event, "role": role})
        if not math.isnan(elected_s):
            rows.append({"run_id": run_id, "elapsed_s": 1.0 + elected_s, "event": "elected"})
    return tables.Tables(runs=tables.from_rows(runs, "runs"), failovers=tables.from_rows(rows, "failovers"))


def rows(lang="en", truth=TRUTH):
    return ReportRows(sweep(lang), measured(truth))


def test_the_verdict_says_what_each_write_concern_lost():
    counts = (("0", 25, 990), ("1", 300, 1998), ("majority", 0, 1000))
    parts = [fact("system-failover-loss", concern=concern, silent=concern == "0", lost=lost, of=of)
             for concern, lost, of in counts]  # fmt: skip
    assert failover.FailoverReport(rows()).answer.verdict == messages.text("system-failover-verdict", parts=parts)
    worse = {("kill", "majority"): (1000, 0, 1, 0, 2.0)}
    assert "majority, 1 of 1,000 writes" in failover.FailoverReport(rows(truth=worse)).answer.verdict


def test_lines_name_the_faults_the_failed_writes_and_the_time_without_a_primary():
    told = failover.FailoverReport(rows())
    said = dict(told.lines())
    of_split = [{"fault": {"fault": "split"}, "lost": 300}]
    assert holds(said["1"], "system-failover-lost-by", concern="1", parts=of_split)
    assert holds(said["failed"], "system-failover-failed", failed=12, resurrected=1)
    assert holds(said.values(), "system-failover-primary", n=3, low=2, high=2.5)
    assert holds(said.values(), "system-failover-same", n=1)
    assert "2,458 of 100,000" in dict(told.answer.lines)["In 2012"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_tables_hold_every_run_and_the_figures_of_2012(lang):
    counts, seconds, then = failover.FailoverReport(rows(lang)).sections()
    cells = [row.cells for row in counts.blocks[0].rows]
    assert len(cells) == len(TRUTH)
    assert cells[0][1:] == ("0", "990", "10", "0", "25", "0", "2.2", "9.5", "2.0")
    assert cells[2][7] == "–"
    assert len(seconds.figures()[0].panels) == len(TRUTH)
    published = [row.cells for row in then.blocks[0].rows]
    assert [row[1:4] for row in published[::2]] == [
        ("96,873", "669", "2,458"), ("99,395", "604", "1"), ("99,402", "598", "0")
    ]  # fmt: skip
