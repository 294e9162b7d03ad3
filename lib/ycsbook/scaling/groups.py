"""Rows in groups, as numbers: of tables as short as those of benchmarks, pandas' groupby costs ten times as much."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from ycsbook.columns import CELL


def spec_or_run_id(rows: pd.DataFrame) -> pd.Series:
    """The spec of each run; its own name where the server is unknown: such logs are nobody's repeats."""
    return rows["spec"].where(rows["spec"] != "", rows["run_id"])


def group_numbers(columns: Iterable[pd.Series]) -> np.ndarray:
    """Which group each row is in, (n,): 0, 1, ... by the sorted values of these columns; missing ones are a value."""
    number = None
    for column in columns:
        codes, values = pd.factorize(column, sort=True, use_na_sentinel=False)
        number = codes if number is None else number * len(values) + codes
    return np.unique(number, return_inverse=True)[1]


def numbers_of(rows: pd.DataFrame, names: Iterable[str]) -> np.ndarray:
    """group_numbers of the columns of these names."""
    return group_numbers(rows[name] for name in names)


def cell_numbers(rows: pd.DataFrame) -> np.ndarray:
    """group_numbers of the configurations of runs: CELL, with the spec or the run of an unknown one."""
    return group_numbers(spec_or_run_id(rows) if name == "spec" else rows[name] for name in CELL)


def group_means(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    """The mean of each group, (groups,), of these values, (n,); group: as group_numbers gives it."""
    return np.bincount(group, values) / np.bincount(group)


def group_medians(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    """The median of each group, (groups,); parameters as of group_means."""
    in_order, n = values[np.lexsort((values, group))], np.bincount(group)
    first = np.cumsum(n) - n
    return (in_order[first + (n - 1) // 2] + in_order[first + n // 2]) / 2


def group_maxima(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    """The largest of each group, (groups,), missing values left out; parameters as of group_means."""
    maxima = np.full(group.max(initial=-1) + 1, np.nan)
    np.fmax.at(maxima, group, values)
    return maxima
