"""Rows grouped as numbers are those that groupby of pandas puts together, and so are their figures."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from ycsbook import groups

FIGURES = st.one_of(st.integers(-3, 3).map(float), st.just(float("nan")))
ROWS = st.lists(st.tuples(st.sampled_from(["a", "b", "", "10", "9"]), FIGURES, FIGURES), min_size=1, max_size=30)


def framed(rows, dtype=object):
    frame = pd.DataFrame(rows, columns=["name", "key", "value"])
    return frame.assign(name=frame["name"].astype(dtype)), ["name", "key"]


@given(ROWS, st.sampled_from([object, "str", "category"]))
def test_numbers_are_those_of_sorted_groups(rows, dtype):
    frame, keys = framed(rows, dtype)
    expected = frame.astype({"name": object}).groupby(keys, dropna=False).ngroup()
    assert groups.numbers_of(frame, keys).tolist() == expected.tolist()


@given(st.lists(st.sampled_from(["a", "b", None, float("nan")]), min_size=1, max_size=9))
def test_missing_names_are_a_group_of_their_own(names):
    column = pd.Series(names, dtype=object)
    expected = pd.DataFrame({"name": column}).groupby("name", dropna=False).ngroup()
    assert groups.group_numbers([column]).tolist() == expected.tolist()


@given(ROWS)
def test_figures_are_those_of_pandas(rows):
    frame, keys = framed(rows)
    group, value = groups.numbers_of(frame, keys), frame["value"].to_numpy()
    of_pandas = frame.groupby(keys, dropna=False)["value"]
    means = frame.fillna({"value": 0.0}).groupby(keys, dropna=False)["value"].mean()
    for ours, theirs in (
        (groups.group_medians(value, group), of_pandas.median()),
        (groups.group_maxima(value, group), of_pandas.max()),
        (groups.group_firsts(value, group), of_pandas.first()),
        (groups.group_means(np.nan_to_num(value), group), means),
        (groups.group_distinct(frame["value"], group), of_pandas.nunique(dropna=False)),
    ):  # fmt: skip
        np.testing.assert_allclose(ours, theirs.to_numpy())
    names = groups.group_tuples(frame["name"], group)
    assert names.tolist() == frame.groupby(keys, dropna=False)["name"].agg(tuple).tolist()


def test_of_no_rows_there_are_no_groups():
    empty = np.array([])
    group = groups.group_numbers([empty, pd.Series([], dtype=object)])
    assert len(group) == len(groups.group_maxima(empty, group)) == len(groups.group_tuples([], group)) == 0
    assert len(groups.group_medians(empty, group)) == len(groups.group_distinct(empty, group)) == 0


def test_a_mean_by_weights_of_nothing_is_none():
    means = groups.group_means(np.array([1.0, 4.0, 5.0]), np.array([0, 0, 1]), np.array([2.0, 1.0, 0.0]))
    np.testing.assert_array_equal(means, [2.0, np.nan])
