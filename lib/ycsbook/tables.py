"""The tidy tables as data frames, with the columns of columns.SCHEMAS."""

import functools
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace

import numpy as np
import pandas as pd

from ycsbook.columns import SCHEMAS
from ycsbook.glossary import GLOSSARY

# The format of rows that somebody wrote into a CSV or a data frame.
TABLE_FORMAT = "csv"
# Rows of fewer texts than these are chosen in a fifth of the time where the texts are Python's objects, all columns of
# them in one block (what a report says first, in three quarters of the time); many take much less memory as Arrow's.
_FEW_TEXTS = 10_000


@dataclass
class Tables:
    """The measured tables of one or more runs, as data frames with the columns of SCHEMAS."""

    runs: pd.DataFrame = field(default_factory=lambda: empty("runs"))
    operations: pd.DataFrame = field(default_factory=lambda: empty("operations"))
    percentiles: pd.DataFrame = field(default_factory=lambda: empty("percentiles"))
    intervals: pd.DataFrame = field(default_factory=lambda: empty("intervals"))
    histograms: pd.DataFrame = field(default_factory=lambda: empty("histograms"))
    samples: pd.DataFrame = field(default_factory=lambda: empty("samples"))
    failovers: pd.DataFrame = field(default_factory=lambda: empty("failovers"))

    def items(self) -> list[tuple[str, pd.DataFrame]]:
        return [(f.name, getattr(self, f.name)) for f in fields(self)]

    def copy(self) -> "Tables":
        return Tables(**{name: frame.copy(deep=False) for name, frame in self.items()})

    def of_dataset(self, name: str) -> "Tables":
        run_ids = self.runs.loc[self.runs["dataset"] == name, "run_id"]
        return Tables(**{table: frame[frame["run_id"].isin(run_ids)] for table, frame in self.items()})

    def by_version(self) -> "Tables":
        """Measured data sets that hold several versions of a server as one for each version, named after it.

        That is where runs of one configuration differ in it: they are no repeats. Runs without a version stay.
        """
        runs, keys = self.runs, ["dataset", "phase", "workload", "spec", "threads"]
        has_version = (runs["server_version"] != "") & (runs["outcome"] != "published")
        versions = runs[has_version].groupby(keys, dropna=False)["server_version"].nunique()
        several = set(versions[versions > 1].index.get_level_values("dataset"))
        apart = has_version & runs["dataset"].isin(several)
        names = (runs["dataset"] + " " + runs["server_version"]).str.strip()
        return replace(self, runs=runs.assign(dataset=runs["dataset"].mask(apart, names)))


def empty(table: str) -> pd.DataFrame:
    return _empty(table).copy(deep=False)


@functools.cache
def _empty(table: str) -> pd.DataFrame:
    return conform(pd.DataFrame(), table)


def conform(frame: pd.DataFrame, table: str) -> pd.DataFrame:
    """The frame with exactly the table's columns, in order and typed; absent ones are missing; KeyError for others."""
    columns, dtypes = _columns(table, frame.columns), dict(zip(frame.columns, frame.dtypes, strict=True))
    if list(dtypes) == list(columns) and all(_is_typed(frame[c], dtypes[c], c) for c in columns):
        return frame.copy(deep=False)
    values = {c: _typed(frame[c], c) if c in dtypes else _missing(c, frame.index) for c in columns}
    return pd.DataFrame(values, index=frame.index)


def from_rows(rows: list[dict], table: str) -> pd.DataFrame:
    """A table from one dict per row; raises KeyError for a column that it has not."""
    # As objects: a whole number in a column of texts must not become 8.0 where another row lacks it.
    return conform(pd.DataFrame(rows, dtype=object), table)


def keep_texts_as_objects() -> None:
    """For a process of our own: pandas makes texts Python's objects from here on, also the names of columns. Rows and
    columns of the wide, short tables of a report are taken in three quarters of the time that Arrow's texts take."""
    pd.set_option("mode.string_storage", "python")


def dicts(frame: pd.DataFrame) -> list[dict]:
    """One dict per row, by column: what to_dict of pandas gives in ten times the time."""
    return [dict(zip(frame.columns, row, strict=True)) for row in frame.astype(object).to_numpy().tolist()]


def concat(parts: list[Tables]) -> Tables:
    if not parts:
        return Tables()
    names = [f.name for f in fields(Tables)]
    return Tables(**{n: conform(pd.concat([getattr(p, n) for p in parts], ignore_index=True), n) for n in names})


def _columns(table: str, given: Iterable[str]) -> tuple[str, ...]:
    columns = SCHEMAS[table]
    odd = [c for c in given if c not in columns]
    if odd:
        raise KeyError(f"{table} has no column {odd[0]!r}; its columns are {', '.join(columns)}")
    return columns


def _is_typed(values: pd.Series, dtype: object, column: str) -> bool:
    """Whether the values, of this dtype, are what `_typed` makes of them."""
    if dtype != _dtype(column, len(values)):
        return False
    if GLOSSARY[column][0] != "str":
        return True
    return not values.hasnans if isinstance(dtype, pd.StringDtype) else _is_text(values)


def _is_text(values: pd.Series) -> bool:
    return pd.api.types.infer_dtype(values, skipna=False) in ("string", "empty")


def _dtype(column: str, n: int) -> object:
    expected = GLOSSARY[column][0]
    if expected == "str" and n >= _FEW_TEXTS:
        return pd.StringDtype("pyarrow", na_value=float("nan"))
    return object if expected in ("str", "bytes") else expected


def _typed(values: pd.Series, column: str) -> pd.Series:
    dtype = _dtype(column, len(values))
    if _is_typed(values, values.dtype, column):
        return values
    if GLOSSARY[column][0] != "str":
        return values.astype(dtype)
    # Of many texts one by one takes ten times as long.
    if len(values) >= _FEW_TEXTS and _is_text(values):
        return values.astype(dtype)
    return pd.Series(_texts(values.astype(object)), values.index, dtype)


def _texts(values: pd.Series) -> list[str]:
    return ["" if missing else str(value) for value, missing in zip(values, values.isna(), strict=True)]


def _missing(column: str, index: pd.Index) -> pd.Series | np.ndarray:
    dtype = _dtype(column, len(index))
    if dtype in ("float64", "bool"):
        return np.full(len(index), np.nan if dtype == "float64" else False)
    return pd.Series(b"" if GLOSSARY[column][0] == "bytes" else "", index, dtype)
