"""What the rules look at: the tables, and one cell per spec, workload and thread count."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ycsbook.anomalies.closed_loop import utilisation
from ycsbook.scaling.points import THROUGHPUTS, usable
from ycsbook.tables import Tables

CELL = ["dataset", "workload", "spec", "threads"]


@dataclass(frozen=True)
class Noise:
    """Variance of ln X between repeats, pooled over a dataset's cells, and its degrees of freedom."""

    variance: float
    df: int


@dataclass(frozen=True)
class Evidence:
    """The tables with what several rules need, worked out once."""

    tables: Tables

    @cached_property
    def runs(self) -> pd.DataFrame:
        """Completed or published runs with `y` (ops/s, the best column its whole dataset has) and `utilisation`."""
        rows = usable(self.tables.runs)
        y = pd.Series(np.nan, index=rows.index)
        for _, part in rows.groupby("dataset", dropna=False):
            measured = part[part[list(THROUGHPUTS)].notna().any(axis=1)]
            column = next((c for c in THROUGHPUTS if measured[c].notna().all()), THROUGHPUTS[-1])
            y[measured.index] = measured[column]
        loop = utilisation(rows, self.tables.operations)
        return rows.assign(y=y, utilisation=rows["run_id"].map(loop).astype(float))

    @cached_property
    def cells(self) -> pd.DataFrame:
        """One row per dataset, workload, spec and thread count, sorted: mean ln y over repeats and what goes with it.

        Columns: those four, cores, ram_gib, vendor, read_fraction, log_y, variance (of ln y), n, run_ids (tuple),
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
    def noise(self) -> dict[str, Noise]:
        """Repeat noise by dataset; df 0 where nothing was repeated."""
        found = {}
        for dataset, part in self.cells.groupby("dataset"):
            df = int((part["n"] - 1).sum())
            squares = float((part["variance"].fillna(0) * (part["n"] - 1)).sum())
            found[dataset] = Noise(squares / df if df else float("nan"), df)
        return found

    def by_dataset(self, runs: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
        """The rows of each dataset that has any, for findings that speak once per dataset."""
        return [(str(name), part) for name, part in runs.groupby("dataset", sort=True) if len(part)]
