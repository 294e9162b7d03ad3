"""Rows grouped as numbers: of tables as short as those of benchmarks, groupby of pandas costs ten times as much."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    Column = pd.Series | np.ndarray


def group_numbers(columns: Iterable["Column"]) -> np.ndarray:
    """Which group each row is in, (n,): 0, 1, ... by the sorted values of these columns; missing ones are a value."""
    number, several = None, False
    for column in columns:
        codes, n = _codes(column)
        several = number is not None
        number = number * n + codes if several else codes
    return np.unique(number, return_inverse=True)[1] if several else number


def _codes(column: "Column") -> tuple[np.ndarray, int]:
    """The place of each value among the sorted ones, missing ones last, and how many there are."""
    if column.dtype.kind in "fiub":
        values, codes = np.unique(np.asarray(column), return_inverse=True)
        return codes, len(values)
    texts = column.tolist()
    try:
        values = {text: place for place, text in enumerate(sorted(set(texts)))}
    except TypeError:  # missing ones, which texts cannot be compared with
        codes, values = column.factorize(sort=True, use_na_sentinel=False)
        return codes, len(values)
    return np.fromiter(map(values.get, texts), int, len(texts)), len(values)


def numbers_of(rows: "pd.DataFrame", names: Iterable[str]) -> np.ndarray:
    return group_numbers(rows[name] for name in names)


def group_means(values: np.ndarray, group: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """The mean of each group, (groups,), of these values, (n,), by their weights; group: as group_numbers gives it."""
    if weight is None:
        return np.bincount(group, values) / np.bincount(group)
    with np.errstate(invalid="ignore"):  # of a group without any weight there is none
        return np.bincount(group, values * weight) / np.bincount(group, weight)


def group_medians(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    """The median of each group, (groups,), missing values left out; parameters as of group_means."""
    in_order, n = values[np.lexsort((values, group))], np.bincount(group)
    first, known = np.cumsum(n) - n, np.bincount(group[~np.isnan(values)], minlength=len(n))
    return (in_order[first + np.maximum(known - 1, 0) // 2] + in_order[first + known // 2]) / 2


def group_maxima(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    """The largest of each group, (groups,), missing values left out; parameters as of group_means."""
    maxima = np.full(group.max(initial=-1) + 1, np.nan)
    np.fmax.at(maxima, group, values)
    return maxima


def group_firsts(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    """The first of each group, (groups,), missing values left out; parameters as of group_means."""
    firsts, known = np.full(group.max(initial=-1) + 1, np.nan), np.flatnonzero(~np.isnan(values))[::-1]
    firsts[group[known]] = values[known]
    return firsts


def group_distinct(values: "Column", group: np.ndarray) -> np.ndarray:
    """How many different values each group has, (groups,), a missing one among them; parameters as of group_means."""
    _, first = np.unique(group_numbers([group, values]), return_index=True)
    return np.bincount(group[first], minlength=group.max(initial=-1) + 1)


def group_tuples(values: Iterable[object], group: np.ndarray) -> np.ndarray:
    """The values of each group as a tuple, (groups,); parameters as of group_means."""
    parts = [[] for _ in range(group.max(initial=-1) + 1)]
    for number, value in zip(group, values, strict=True):
        parts[number].append(value)
    return np.fromiter(map(tuple, parts), object, len(parts))
