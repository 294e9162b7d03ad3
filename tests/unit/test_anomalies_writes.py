"""Writes that nobody answered, and what shows in place of their latency."""

import numpy as np
import pytest
from anomaly_samples import flags, run, says

from ycsbook.closed_loop import with_means
from ycsbook.facts import fact
from ycsbook.tables import from_rows


def row(i, **more):
    return run(run_id=f"r{i}", spec=f"s{i}", **more)


def means(i, read=1000.0, write=100.0, **more):
    return [
        {"run_id": f"r{i}", "operation": name, "mean_us": us, **more}
        for name, us in (("READ", read), ("UPDATE", write))
    ]


def test_write_concern_0_is_said_once_for_a_dataset():
    rows = [row(1, write_concern="0"), row(2, warnings="SHORT_RUN UNACKED_WRITES"), row(3)]
    (found,) = flags("unacked_writes", rows)
    assert (found.severity, found.run_ids) == ("warning", ("r1", "r2"))
    assert says(found, "unacked_writes", all=False, n=2, rows=fact("rows", n=3), below=0)


def test_latencies_below_the_round_trip_are_counted():
    rows = [row(i, write_concern="0", rtt_us=350.0) for i in (1, 2, 3)]
    operations = [*means(1, write=349.0), *means(2, write=350.0)]
    (found,) = flags("unacked_writes", rows, operations=operations)
    assert says(found, "unacked_writes", all=True, below=1, written=2, rtt_us=350)


def test_answers_faster_than_the_network_are_a_notice():
    rows = [row(1, rtt_us=400.0), row(2, rtt_us=400.0), row(3)]
    operations = [*means(1, write=100.0), *means(2, write=500.0), *means(3, write=1.0)]
    (found,) = flags("unacked_writes", rows, operations=operations)
    assert (found.severity, found.run_ids, found.effect) == ("notice", ("r1",), pytest.approx(-0.75))
    assert says(found, "unacked_writes-below", write_us=100, rtt_us=400, rows=fact("runs", n=1))


def test_sends_that_wait_longer_than_reads():
    rows = [row(1, write_concern="0"), row(2, write_concern="0"), row(3)]
    operations = [*means(1, 1000.0, 2500.0), *means(2, 1000.0, 999.0), *means(3, 1000.0, 2500.0)]
    (found,) = flags("writes_slower_than_reads", rows, operations=operations)
    assert (found.severity, found.run_ids, found.effect) == ("notice", ("r1",), pytest.approx(1.5))
    assert says(found, "writes_slower_than_reads", write_us=2500, read_us=1000)


def family(times, **more):
    rows = [row(i, **{"write_concern": "0", **more}) for i in range(len(times))]
    return rows, [line for i, us in enumerate(times) for line in means(i, write=us)]


def test_a_time_to_send_out_of_family():
    rows, operations = family([100, 105, 95, 110, 90, 100, 98, 4000])
    (found,) = flags("write_latency_outliers", rows, operations=operations)
    assert (found.severity, found.run_ids, found.effect) == ("note", ("r7",), pytest.approx(39.0))
    assert says(found, "write_latency_outliers", usual_us=pytest.approx(100), n=8, odd=1)
    assert [name.values["write_us"] for name in found.message.values["names"]] == [4000]


def test_where_there_is_no_family_nothing_is_said():
    rows, operations = family([10, 12, 9, 11, 3000, 2800, 3100, 90_000])
    assert flags("write_latency_outliers", rows, operations=operations) == []
    rows, operations = family([100, 105, 95, 110, 90, 100, 4000])
    assert flags("write_latency_outliers", rows, operations=operations) == []
    rows, operations = family([100, 105, 95, 110, 90, 100, 98, 4000], write_concern="1")
    assert flags("write_latency_outliers", rows, operations=operations) == []


def test_latencies_are_weighted_by_counts_without_batches():
    operations = from_rows(
        [
            {"run_id": "r1", "operation": "UPDATE", "count": 30.0, "mean_us": 100.0},
            {"run_id": "r1", "operation": "INSERT", "count": 10.0, "mean_us": 500.0},
            {"run_id": "r1", "operation": "INSERT-FAILED", "count": 10.0, "mean_us": 9e9},
            {"run_id": "r2", "operation": "INSERT", "count": 10.0, "mean_us": 9e9, "batched_ok": 10.0},
            {"run_id": "r2", "operation": "READ", "count": 10.0, "mean_us": 70.0},
            {"run_id": "r3", "operation": "UPDATE", "mean_us": 100.0},
            {"run_id": "r3", "operation": "INSERT", "count": 9.0, "mean_us": 300.0},
            {"run_id": "other", "operation": "UPDATE", "count": 1.0, "mean_us": 1.0},
        ],
        "operations",
    )
    found = with_means(from_rows([row(i) for i in (1, 2, 3)], "runs"), operations)
    np.testing.assert_allclose(found["write_us"], [200.0, np.nan, 200.0])
    np.testing.assert_allclose(found["read_us"], [np.nan, 70.0, np.nan])
