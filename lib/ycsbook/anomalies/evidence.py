"""What the rules look at: the tables, and one cell per spec, workload and thread count.

Measured and published rows of one dataset are different kinds: never repeats of one another, never compared.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ycsbook.anomalies.closed_loop import utilisation
from ycsbook.scaling.points import KIND, with_throughput
from ycsbook.tables import Tables
from ycsbook.verdicts import Outcome

CELL = [*KIND, "workload", "spec", "threads"]


@dataclass(frozen=True)
class Noise:
    """Variance of ln X between repeats, pooled over the cells of a dataset's kind, and its degrees of freedom."""

    variance: float
    df: int


@dataclass(frozen=True)
class Evidence:
    """The tables with what several rules need, worked out once."""

    tables: Tables

    @cached_property
    def runs(self) -> pd.DataFrame:
        """Completed or published runs with `y`, `y_column` (points.with_throughput) and `utilisation`."""
        rows = with_throughput(self.tables.runs)
        loop = utilisation(rows, self.tables.operations)
        return rows.assign(utilisation=rows["run_id"].map(loop).astype(float))

    @cached_property
    def cells(self) -> pd.DataFrame:
        """One row per dataset, outcome, workload, spec and thread count, sorted: mean ln y over repeats and the rest.

        Columns: those five, cores, ram_gib, vendor, read_fraction, log_y, variance (of ln y), n, run_ids (tuple),
        utilisation (highest), cpu_utilisation (mean).
        """
        rows = self.runs[self.runs["y"] > 0]
        # Logs whose server is unknown are nobody's repeats: each stays a cell of its own.
        rows = rows.assign(spec=rows["spec"].where(rows["spec"] != "", rows["run_id"]))
        grouped = rows.assign(log_y=np.log(rows["y"])).groupby(CELL, dropna=False, sort=True)
        return grouped.agg(
            cores=("cores", "first"), ram_gib=("ram_gib", "first"), vendor=("vendor", "first"),
            read_fraction=("read_fraction", "first"), log_y=("log_y", "mean"), variance=("log_y", "var"),
            n=("log_y", "size"), run_ids=("run_id", tuple), utilisation=("utilisation", "max"),
            cpu_utilisation=("cpu_utilisation", "mean"),
        ).reset_index()  # fmt: skip

    @cached_property
    def noise(self) -> dict[tuple[str, str], Noise]:
        """Repeat noise by dataset and outcome; df 0 where nothing was repeated."""
        found = {}
        for kind, part in self.cells.groupby(list(KIND)):
            df = int((part["n"] - 1).sum())
            squares = float((part["variance"].fillna(0) * (part["n"] - 1)).sum())
            found[kind] = Noise(squares / df if df else float("nan"), df)
        return found

    def by_dataset(self, runs: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
        """The rows of each dataset that has any, its published rows apart, for findings that speak once for all."""
        published = (runs["outcome"] == Outcome.PUBLISHED).rename("published")
        return [(str(name), part) for (name, _), part in runs.groupby(["dataset", published], sort=True) if len(part)]

    def alike(self, runs: pd.DataFrame, part: pd.DataFrame) -> pd.DataFrame:
        """Those of the runs that are of the same dataset and kind as `part`, one of by_dataset's."""
        first = part.iloc[0]
        published = runs["outcome"] == Outcome.PUBLISHED
        return runs[(runs["dataset"] == first["dataset"]) & (published == (first["outcome"] == Outcome.PUBLISHED))]

    def noun(self, part: pd.DataFrame, word: str) -> str:
        """What the rows of `part` are called: `word`, or `published row` where the dataset holds both kinds."""
        first = part.iloc[0]
        outcomes = self.tables.runs.loc[self.tables.runs["dataset"] == first["dataset"], "outcome"]
        mixed = not (outcomes == Outcome.PUBLISHED).all()
        return "published row" if mixed and first["outcome"] == Outcome.PUBLISHED else word
