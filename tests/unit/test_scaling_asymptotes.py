"""The asymptotes of a closed loop: N* = X_sat R0, from ladders of a simulated server, and what any number of threads
would bring at most, against closed networks that are solved exactly."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scaling_sweeps as sweeps
from facts_in import holds
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook import messages
from ycsbook.columns import SCHEMAS
from ycsbook.messages import worded
from ycsbook.messages.formats import DASH, significant
from ycsbook.report.sizing import _limits_table
from ycsbook.scaling import pairs
from ycsbook.scaling.limits import limits
from ycsbook.tables import from_rows


def knee(*args):
    return worded(pairs.knee(*args))


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
    assert holds(messages.fact_of(found.loc[4], "sentence"), "knee", spec="4c16g", mix={"reads": 100}, knee=15.68)


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
    ("threads", "message"),
    [
        ((100, 200), ("knee-unknown", {"missing": ["knee-no-single-thread", "knee-no-ladder"]})),
        ((1, 100), ("knee-unknown", {"spec": "1c4g", "mix": {"reads": 100}, "missing": ["knee-no-ladder"]})),
        ((1, 2, 4), ("knee-not-saturated", {"flat": False})),
    ],
)
def test_what_is_missing_is_said(threads, message):
    made = sweeps.tables(lambda p, n: 100.0 * n, cores=(1, 2), threads=threads)
    found = of(made)
    assert np.isnan(found["knee_threads"]).all()
    assert holds(messages.fact_of(found.iloc[0], "sentence"), message[0], **message[1])


def test_several_datasets_are_named():
    made = sweeps.tables(lambda p, n: 1000 * p, cores=(1,), threads=(100,))
    both = pd.concat([made.runs, made.runs.assign(dataset="other", run_id="o")], ignore_index=True)
    assert [s.split(",")[0] for s in knee(both)["sentence"]] == ["made: 1c4g", "other: 1c4g"]
    assert knee(made.runs)["sentence"].iloc[0].startswith("1c4g, 100:0")


def throughputs(demands, think_s, most):
    """X at 1 to `most` threads of stations with these demands, s, in a closed loop, by exact mean value analysis
    (Reiser and Lavenberg 1980, J. ACM 27)."""
    demands, waiting, found = np.array(demands), np.zeros(len(demands)), []
    for n in range(1, most + 1):
        times = demands * (1 + waiting)
        found.append(n / (think_s + times.sum()))
        waiting = found[-1] * times
    return found


def bounds(measured, **shared):
    """`at_most` of one spec, from {threads: throughput}."""
    rows = [
        {"run_id": f"{n}", "dataset": "d", "spec": "2c", "cores": 2.0, "workload": "a", "threads": float(n),
         "phase": "run", "outcome": "completed", "goodput_ops_s": float(x), **shared}
        for n, x in measured.items()
    ]  # fmt: skip
    return limits(from_rows(rows, "runs"))["at_most"].to_numpy(float)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.floats(1e-4, 1e-2), min_size=1, max_size=4), st.floats(0, 0.05), st.integers(1, 30),
    st.integers(2, 120),
)  # fmt: skip
def test_a_closed_network_never_passes_its_bound(demands, think_s, few, more):
    exact = throughputs(demands, think_s, few + more)
    found = bounds({few: exact[few - 1], few + more: exact[-1]})
    assert np.isnan(found).all() or (found >= 1 / max(demands)).all()


def test_one_thread_gives_a_tight_bound():
    exact = throughputs([1e-3, 2e-4], 0.0, 50)
    assert bounds({1: exact[0], 50: exact[-1]}) == pytest.approx([1000, 1000], rel=0.05)
    assert (bounds({1: exact[0], 50: exact[-1]}) >= 1000).all()


@pytest.mark.parametrize(
    ("measured", "shared"),
    [
        ({100: 1000.0}, {}),
        ({100: 1000.0, 200: 1900.0}, {}),
        ({100: 1000.0, 200: 800.0}, {}),
        ({100: 1000.0, 200: 1000.0}, {"pool_size": 50.0}),
        ({100: 1000.0, 200: 2500.0}, {}),
    ],
)
def test_without_queueing_there_is_no_bound(measured, shared):
    """One thread count, a gain in step with the threads, a loss, a pool that is smaller, a gain that cannot be."""
    assert np.isnan(bounds(measured, **shared)).all()


def test_the_report_gives_it_beside_the_best_measured():
    cells = [("2c", 1, 300.0), ("2c", 100, 1000.0), ("4c", 100, 1500.0)]
    rows = [
        {"run_id": f"{spec}-{n}", "dataset": "d", "spec": spec, "cores": float(spec[0]), "workload": "a",
         "threads": float(n), "phase": "run", "outcome": "completed", "goodput_ops_s": x}
        for spec, n, x in cells
    ]  # fmt: skip
    points = limits(from_rows(rows, "runs"))
    table = _limits_table(SimpleNamespace(text=messages.text), points.assign(name=points["spec"], kind="-"))
    most = points["at_most"].max()
    assert table.frame["reach"].tolist() == [f"1,000 to {significant(most)}", DASH]
    assert 1000 < most < 1100
