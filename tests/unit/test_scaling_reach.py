"""What any number of threads would bring at most, against closed networks that are solved exactly."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ycsbook import messages
from ycsbook.messages.formats import DASH, significant
from ycsbook.report.sizing import _limits_table
from ycsbook.scaling.limits import limits
from ycsbook.tables import from_rows


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
