"""The interval that the harness's benchmark gives for a median."""

import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

BENCH = Path(__file__).parents[1] / "bench"


@pytest.fixture(scope="module")
def bench():
    sys.path.insert(0, str(BENCH))
    try:
        spec = importlib.util.spec_from_file_location("bench_harness", BENCH / "bench_harness.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        yield module
    finally:
        sys.path.remove(str(BENCH))


@pytest.mark.parametrize(
    ("n", "low", "high", "level"),
    [(1, 1, 1, 0.0), (5, 1, 5, 0.9375), (6, 1, 6, 0.96875), (10, 2, 9, 0.978515625), (12, 3, 10, 0.96142578125)],
)
def test_known_order_statistics(bench, n, low, high, level):
    values = list(range(n, 0, -1))
    assert bench.median_interval(values) == (low, high, pytest.approx(level))


@given(values=st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=40))
def test_the_median_lies_within(bench, values):
    low, high, level = bench.median_interval(values)
    ordered = sorted(values)
    assert low <= ordered[len(values) // 2] <= high
    assert level >= 0.95 or len(values) < 6
