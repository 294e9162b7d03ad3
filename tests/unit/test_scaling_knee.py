"""N* = X_sat R0, from ladders of a simulated server."""

import numpy as np
import pandas as pd
import pytest
import scaling_sweeps as sweeps

from ycsbook.columns import SCHEMAS
from ycsbook.messages import worded
from ycsbook.scaling import asymptotes as knees
from ycsbook.scaling.limits import limits


def knee(*args):
    return worded(knees.knee(*args))


LADDER = (1, 2, 4, 8, 16, 32, 64, 128)


def closed_loop(p, n, r0_s=0.001, per_core=4000.0, sharpness=8.0):
    """Throughput of a server with these asymptotes: n / r0 below the knee, per_core p above."""
    return ((per_core * p) ** -sharpness + (n / r0_s) ** -sharpness) ** (-1 / sharpness)


def of(made):
    return knee(made.runs, made.operations, limits(made.runs, made.operations))


def test_the_knee_of_a_known_server():
    made = sweeps.tables(closed_loop, cores=(1, 2, 4, 8), threads=LADDER, cpu=lambda p, n: min(1.0, n / (4 * p)))
    found = of(made).set_index("cores")
    assert tuple(of(made).columns) == SCHEMAS["knee"]
    for cores in (1, 2, 4):
        assert found.loc[cores, "knee_threads"] == pytest.approx(4 * cores, rel=0.05)
        assert found.loc[cores, "r0_us"] == pytest.approx(1000, rel=0.03)
    assert found.loc[4, "sentence"].startswith("4c16g, 100:0: more than 16 threads only queue")


def test_latency_is_weighted_by_counts():
    made = sweeps.tables(closed_loop, cores=(1, 2), threads=LADDER, cpu=lambda p, n: min(1.0, n / (4 * p)))
    one = made.operations[made.operations["run_id"] == "a-1c4g-1-1"]
    rare = one.assign(operation="UPDATE", count=one["count"] / 9, mean_us=11_000.0)
    made.operations = pd.concat([made.operations, rare], ignore_index=True)
    r0 = of(made).set_index("cores").loc[1, "r0_us"]
    assert r0 == pytest.approx(0.9 * one["mean_us"].iloc[0] + 0.1 * 11_000)


def test_without_latencies_one_over_x_stands_in():
    made = sweeps.tables(closed_loop, cores=(1, 2), threads=LADDER, cpu=lambda p, n: min(1.0, n / (4 * p)))
    found = knee(made.runs, None, limits(made.runs, made.operations))
    assert found["r0_us"].to_numpy() == pytest.approx([1000.0, 1000.0], rel=0.01)


@pytest.mark.parametrize(
    ("threads", "said"),
    [
        ((100, 200), "no run at one thread, so the latency without queueing is unknown"),
        ((1, 100), "1c4g, 100:0: no thread ladder; set 'ladder: true' in the params file."),
        ((1, 2, 4), "no thread count is shown to saturate the server: use more threads"),
    ],
)
def test_what_is_missing_is_said(threads, said):
    made = sweeps.tables(lambda p, n: 100.0 * n, cores=(1, 2), threads=threads)
    found = of(made)
    assert np.isnan(found["knee_threads"]).all()
    assert said in found["sentence"].iloc[0]


def test_several_datasets_are_named():
    made = sweeps.tables(lambda p, n: 1000 * p, cores=(1,), threads=(100,))
    both = pd.concat([made.runs, made.runs.assign(dataset="other", run_id="o")], ignore_index=True)
    assert [s.split(",")[0] for s in knee(both)["sentence"]] == ["made: 1c4g", "other: 1c4g"]
    assert knee(made.runs)["sentence"].iloc[0].startswith("1c4g, 100:0")
