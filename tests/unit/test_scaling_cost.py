"""What a million operations cost."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ycsbook.errors import FitError
from ycsbook.scaling.capacity import per_million

POINTS = pd.DataFrame({"spec": ["s", "l"], "fitted": [10e3, 40e3], "run_low": [8e3, 20e3], "run_high": [12.5e3, 80e3]})


def test_the_closed_form():
    found = per_million(POINTS, {"s": 0.36, "l": 1.44})
    assert found["cost_per_million"].tolist() == pytest.approx([0.01, 0.01])
    assert found["cost_low"].tolist() == pytest.approx([0.008, 0.005])
    assert found["cost_high"].tolist() == pytest.approx([0.0125, 0.02])


def test_a_spec_without_a_price_has_no_cost():
    assert np.isnan(per_million(POINTS, {"s": 1.0})["cost_per_million"].iloc[1])


def test_no_prices_at_all_is_refused_in_one_sentence():
    with pytest.raises(FitError, match=r"no prices are known; add 'prices: \{spec: amount per hour\}'"):
        per_million(POINTS, {})


@pytest.mark.parametrize("price", [0.0, -1.0, float("nan"), float("inf")])
def test_a_price_is_a_number_above_zero(price):
    with pytest.raises(FitError, match="per hour as the price of s, expected a number > 0"):
        per_million(POINTS, {"s": price})


@given(st.floats(0.01, 1e3), st.floats(1.0, 1e6))
def test_cost_times_throughput_is_the_price_of_an_hour(price, x):
    points = pd.DataFrame({"spec": ["s"], "fitted": [x], "run_low": [x / 2], "run_high": [2 * x]})
    row = per_million(points, {"s": price}).iloc[0]
    assert row["cost_per_million"] * x * 3600 / 1e6 == pytest.approx(price)
    assert row["cost_low"] <= row["cost_per_million"] <= row["cost_high"]
