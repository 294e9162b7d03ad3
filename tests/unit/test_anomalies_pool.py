"""More connections at work than the pool had."""

import pytest
from anomaly_samples import flags, run, says
from known_truths import tables as truths

from ycsbook import anomalies, paths
from ycsbook.anomalies import Evidence
from ycsbook.facts import fact
from ycsbook.ingest.published.published import read_published
from ycsbook.scaling.limits import limits


def published(name):
    return list(anomalies.RULES["pool"](Evidence(read_published(paths.PUBLISHED / f"{name}.csv"))))


def test_ten_rows_of_qingcloud_need_a_larger_pool():
    found = published("qingcloud-4.0.3")
    assert len(found) == 10
    assert all(run_id.endswith("t200") for one in found for run_id in one.run_ids)
    assert {one.severity for one in found} == {"notice"}
    assert max(one.effect for one in found) == pytest.approx(0.69, abs=0.005)


def test_one_row_of_tencent_needs_a_larger_pool():
    """The row with 100 threads that needs 100.4 connections shows nothing of a pool of 100: no thread waits for one."""
    (found,) = published("tencent-2020-08")
    assert found.run_ids == ("tencent-2020-08-48c512g-b-t200",)
    assert says(found, "pool", busy=pytest.approx(122, abs=0.5), size=100, recorded=False)


def reads(min_us):
    return [{"run_id": "1c-a-t200-r1", "operation": "READ", "count": 1e6, "mean_us": 4 * min_us, "min_us": min_us}]


def test_own_runs_go_by_their_smallest_latency():
    row = run(threads=200, throughput=300_000.0)
    (found,) = flags("pool", [row], operations=reads(1000.0))
    assert found.effect == pytest.approx(0.5)
    assert flags("pool", [row], operations=reads(600.0)) == []
    assert len(flags("pool", [row], {"default_pool": 80}, operations=reads(600.0))) == 1
    assert flags("pool", [{**row, "threads": 100.0}], operations=reads(1000.0)) == []
    assert flags("pool", [{**row, "read_fraction": float("nan")}], operations=reads(1000.0)) == []
    assert flags("pool", [row]) == []


@pytest.mark.parametrize("shown", [True, False])
def test_as_many_calls_at_all_larger_counts_are_told_once(tmp_path, shown):
    """A spec does as much at 100 threads and more, with as many calls under way; or all threads work all the time."""
    rows = [
        f"{c}c,{c},{4 * c},{n},c,{x},{1e6 * 0.98 * (min(n, 100) if shown else n) / x:.0f},"
        for c in (2, 4, 8) for n in (50, 100, 200, 400) for x in [40 * c * min(n, 100)]
    ]  # fmt: skip
    table = truths(tmp_path, rows)
    found = list(anomalies.RULES["pool"](Evidence(table)))
    assert [says(one, "pool-shown", calls=pytest.approx(98, abs=0.5)) for one in found] == [True] * shown
    reasons = limits(table.runs, table.operations).set_index(["cores", "threads"])["reason_key"]
    assert (reasons[8.0, 400.0] == "limit-in-flight") == shown


def test_a_pool_that_the_log_shows_to_be_small_is_a_warning():
    rows = [run(threads=t, warnings="POOL_BELOW_THREADS SHORT_RUN" if t == 200 else "") for t in (100, 200)]
    (found,) = flags("pool", rows, operations=reads(1e6))
    assert (found.severity, found.run_ids, found.cause) == ("warning", ("1c-a-t200-r1",), "pool")
    assert says(found, "pool-recorded", n=1, runs=fact("runs", n=2), threads=(200,))
