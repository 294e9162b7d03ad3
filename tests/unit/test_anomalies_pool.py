"""More connections at work than the pool had."""

import pytest
from anomaly_samples import flags, run, says

from ycsbook import anomalies, paths
from ycsbook.anomalies import Evidence
from ycsbook.facts import fact
from ycsbook.ingest.published.published import read_published


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


def test_a_pool_that_the_log_shows_to_be_small_is_a_warning():
    rows = [run(threads=t, warnings="POOL_BELOW_THREADS SHORT_RUN" if t == 200 else "") for t in (100, 200)]
    (found,) = flags("pool", rows, operations=reads(1e6))
    assert (found.severity, found.run_ids, found.cause) == ("warning", ("1c-a-t200-r1",), "pool")
    assert says(found, "pool-recorded", n=1, runs=fact("runs", n=2), threads=(200,))
