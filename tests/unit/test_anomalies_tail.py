"""Latency tails out of proportion to the other runs'."""

import numpy as np
import pytest
from anomaly_samples import flags, run, says


def sweep(*, n=12, odd=3, p99=1.0, p999=1.0, count=100_000.0, seed=1):
    """Runs with tails that agree within 5 %, those of run `odd` multiplied."""
    rng = np.random.default_rng(seed)
    rows, operations, percentiles = [], [], []
    for i in range(n):
        row = run(1.0 + i % 4, 4, i // 4)
        rows.append(row)
        mean, factors = 500.0 * rng.lognormal(0, 0.05), (p99, p999) if i == odd else (1.0, 1.0)
        tails = (99.0, 4 * mean * factors[0]), (99.9, 10 * mean * rng.lognormal(0, 0.05) * factors[0] * factors[1])
        for name in ("READ", "Intended-READ"):
            operations.append({"run_id": row["run_id"], "operation": name, "count": count, "mean_us": mean})
            percentiles += [
                {"run_id": row["run_id"], "operation": name, "percentile": p, "latency_us": v} for p, v in tails
            ]
    return rows, {"operations": operations, "percentiles": percentiles}


def tails(settings=None, **more):
    rows, others = sweep(**more)
    return flags("tail", rows, settings, **others)


def test_tails_that_agree_are_silent():
    assert tails() == []


@pytest.mark.parametrize(("wide", "figures", "effect"), [({"p99": 4.0}, "p99", 3.0), ({"p999": 5.0}, "p999", 4.0)])
def test_a_wide_tail_is_a_notice_with_its_ratio(wide, figures, effect):
    (found,) = tails(**wide)
    assert (found.severity, found.cause) == ("notice", "tail")
    assert found.run_ids == ("4c-a-t4-r0",)
    assert says(found, "tail", figures=figures, operation="READ", n=12)
    assert found.effect == pytest.approx(effect, rel=0.2)


def test_a_tail_below_the_factor_is_none():
    assert tails(p99=1.9) == []
    assert len(tails(p99=1.9, settings={"factor": 1.5})) == 1


def test_few_runs_or_few_operations_say_nothing():
    assert tails(n=7, p99=4.0) == []
    assert tails(p99=4.0, count=900.0) == []
    # 5,000 operations have 50 beyond the p99, but only 5 beyond the p99.9.
    assert tails(p999=5.0, count=5000.0) == []
    assert len(tails(p99=4.0, count=5000.0)) == 1


def test_other_workloads_are_another_family():
    rows, others = sweep(n=7, p99=4.0)
    rest, more = sweep(n=12, odd=None)
    ids = {row["run_id"]: f"b-{row['run_id']}" for row in rest}
    rest = [{**row, "run_id": ids[row["run_id"]], "workload": "b"} for row in rest]
    joined = {k: others[k] + [{**r, "run_id": ids[r["run_id"]]} for r in more[k]] for k in others}
    assert flags("tail", rows + rest, **joined) == []
    assert flags("tail", rows) == []


def test_latencies_of_nothing_and_those_that_are_missing_or_endless_are_no_part_of_it():
    rows, others = sweep(p99=4.0)
    (expected,) = flags("tail", rows, **others)
    for odd in (0.0, np.nan, np.inf):
        for r in others["percentiles"][:2]:
            r["latency_us"] = odd
        others["operations"][2]["mean_us"] = odd
        assert [found.run_ids for found in flags("tail", rows, **others)] == [expected.run_ids]


def below(outcome="published", latency_us=1900.0, percentile=99.0):
    row = run(threads=8, outcome=outcome)
    means = [{"run_id": row["run_id"], "operation": name, "mean_us": 4900.0} for name in ("READ", "UPDATE")]
    printed = [{"run_id": row["run_id"], "operation": "READ", "percentile": percentile, "latency_us": latency_us}]
    return flags("percentile_below_mean", [row], operations=means, percentiles=printed)


def test_a_percentile_below_the_mean_says_what_it_would_take():
    (found,) = below()
    assert (found.severity, found.effect) == ("notice", pytest.approx(1900 / 4900 - 1))
    # 99 % at 1.9 ms and 1 % at 301.9 ms have a mean of 4.9 ms.
    assert says(found, operation="READ", slowest_us=pytest.approx((4900 - 0.99 * 1900) / 0.01))
    assert [f.severity for f in below("completed")] == ["note"]
    assert below(latency_us=4800.0) == [] and below(percentile=50.0) == []


def test_whole_milliseconds_are_rounded_down():
    rows = [run(threads=8, repeat=i) for i in range(5)]
    means = [{"run_id": row["run_id"], "operation": "READ", "mean_us": 938.0 + i} for i, row in enumerate(rows)]
    printed = [{"run_id": of["run_id"], "operation": "READ", "percentile": 95.0, "latency_us": 0.0} for of in means]
    assert flags("percentile_below_mean", rows, operations=means, percentiles=printed) == []
    printed = [{**one, "latency_us": 30.0 + i} for i, one in enumerate(printed)]
    assert len(flags("percentile_below_mean", rows, operations=means, percentiles=printed)) == 5
