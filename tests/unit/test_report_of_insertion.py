"""What a report says of runs that insert, from tables with known truth, and of iibench's own output."""

import numpy as np
import pytest
from facts_in import holds
from test_anomalies_checkpoints import BEGINS, dented, samples

from ycsbook import anomalies, ingest, params, scaling, tables
from ycsbook.messages import worded
from ycsbook.params import Sweep
from ycsbook.report.build import build
from ycsbook.report.rows import ReportRows
from ycsbook.report.systems import insertion, of

TSV = (
    "tot_inserts\telap_secs\tcum_ips\tint_ips\tcum_qry_avg\tint_qry_avg\tcum_qps\tint_qps\texceptions\n"
    "1000000\t20\t49019.61\t49019.61\t3.00\t3.00\t80.00\t80.00\t0\n"
    "1900000\t40\t46913.58\t44776.12\t4.00\t5.00\t78.00\t76.00\t2\n"
    "2060000\t44\t46765.04\t45070.42\t4.10\t6.00\t77.00\t66.00\n"
)


def sweep(lang="en"):
    specs = [{"name": "m", "label": "MongoDB", "cores": 1, "ram_gib": 1}]
    file = {"name": "t", "experiment": "insertion", "server": {"kind": "mongod"}, "specs": specs}
    return Sweep.model_validate({**file, "report": {"lang": lang}})


def measured():
    """Two runs of 300 s, of which that with three indexes is slow inside its checkpoints, and stands still for 4 s."""
    parts = {name: [] for name in ("runs", "operations", "intervals", "samples")}
    for indexes, begins in ((1, ()), (3, BEGINS)):
        rate = dented(begins).rate.round()
        if begins:
            rate[250:254] = 0
        run_id, inserts, seconds = f"i{indexes}", rate.sum(), len(rate)
        parts["runs"].append({
            "run_id": run_id, "dataset": "t", "spec": "m", "spec_label": "MongoDB", "cores": 1.0, "ram_gib": 1.0,
            "workload": f"insertion, {indexes} indexes", "indexes": indexes, "batch_size": 100,
            "records": inserts * 100,
            "cache_gib": 0.25, "threads": 1, "repeat": 1, "phase": "run", "outcome": "completed", "runtime_ms": 3e5,
            "throughput_ops_s": inserts / seconds, "goodput_ops_s": inserts / seconds, "server_version": "6.0.5",
            "data_bytes": 2.0**30, "index_bytes": 2.0**29,
        })  # fmt: skip
        parts["operations"].append({"run_id": run_id, "operation": "INSERT", "count": inserts, "max_us": 4e6})
        parts["operations"].append({"run_id": run_id, "operation": "QUERY", "count": 600, "max_us": 9e3})
        parts["intervals"] += [
            {"run_id": run_id, "operation": name, "elapsed_s": second + 1, "interval_s": 1.0, "operations": n}
            for second, n in enumerate(rate) for name in ("INSERT", "TOTAL")
        ]  # fmt: skip
        running = np.isin(np.arange(300), [b + k for b in BEGINS for k in range(3)]).astype(float)
        own = samples(running, np.full(300, 20.0)).assign(run_id=run_id, server_cpu_cores=0.5, written_bytes_s=1e6)
        parts["samples"] += own.to_dict("records")
    return tables.Tables(**{name: tables.from_rows(rows, name) for name, rows in parts.items()})


def test_the_answer_is_that_of_the_truth():
    told = insertion.InsertionReport(ReportRows(sweep(), measured()))
    said = dict(told.lines())
    assert " 32," in told.answer.verdict and "with 3 indexes" in told.answer.verdict
    assert holds(said["stalls"], "system-insertion-stall", seconds=4, label="3 indexes")
    assert holds(said["checkpoints"], "system-insertion-checkpoints-shown", slow=22, inside=19)
    assert holds(said["response"], "system-insertion-response", together=100, ms=4000)
    assert "31 minutes on MongoDB 3.2 (108,000 a second)" in dict(told.answer.lines)["In 2015"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_has_a_picture_and_a_row_for_each_run(lang):
    made, tabled = sweep(lang), measured()
    assert isinstance(of(ReportRows(made, tabled)), insertion.InsertionReport)
    analysis = scaling.analyse(tabled.runs, tabled.operations)
    report = build(made, tabled, analysis, worded(anomalies.find(tabled)), {})
    assert [panel.name for panel in report.section("insertion").figures()[0].panels] == ["insertion-1", "insertion-2"]
    frame = report.section("insertion-columns").blocks[-1].frame.set_index("indexes")
    for indexes, row in frame.iterrows():
        assert row["cpu_us"] == pytest.approx(150e6 / row["documents"]), indexes
        assert row["written_bytes"] == pytest.approx(3e8 / row["documents"])
    assert set(frame["qps"]) == {2.0} and set(frame["max_query_ms"]) == {9.0}
    assert len(report.section("insertion-2015").blocks[0].rows) == 4


def test_iibenchs_own_output_has_the_same_columns_as_far_as_known(tmp_path):
    (tmp_path / "run.tsv").write_text(TSV)
    tabled = ingest.read([tmp_path / "run.tsv"])
    section = insertion.logged(ReportRows(params.UnplannedSweep(name="t", title="T"), tabled))
    table = section.blocks[-1]
    (row,) = table.frame.to_dict("records")
    assert (row["documents"], round(row["ips"])) == (2_060_000, 46_765)
    assert row["qps"] == pytest.approx((80 * 20.4 + 76 * 20.1 + 66 * 3.55) / 44.05, rel=1e-3)
    assert [column.key for column in table.columns] == ["label", "documents", "ips", "qps"]
