"""One cell per spec, workload and thread count, and the noise between the repeats in it.

Measured and published rows of one dataset are different kinds: never repeats of one another, never compared.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ycsbook.closed_loop import of_runs
from ycsbook.scaling.points import KIND, with_throughput

CELL = [*KIND, "workload", "spec", "threads"]


@dataclass(frozen=True)
class Noise:
    """Variance of ln X between repeats, pooled over the cells of a dataset's kind, and its degrees of freedom."""

    variance: float
    df: int


def usable(runs: pd.DataFrame, operations: pd.DataFrame) -> pd.DataFrame:
    """Completed or published runs with `y`, `y_column` (points.with_throughput) and `utilisation` (X R / N)."""
    rows = with_throughput(runs)
    return rows.assign(utilisation=rows["run_id"].map(of_runs(rows, operations)).astype(float))


def cells(usable_runs: pd.DataFrame) -> pd.DataFrame:
    """One row per dataset, outcome, workload, spec and thread count, sorted: mean ln y over repeats and the rest.

    Parameters
        usable_runs: as `usable` gives them.
    Returns
        Columns: those five, cores, ram_gib, vendor, read_fraction, log_y, variance (of ln y), n, run_ids (tuple),
        utilisation (highest), cpu_utilisation (mean), y_column, throttled (any).
    """
    rows = usable_runs[usable_runs["y"] > 0]
    # Logs whose server is unknown are nobody's repeats: each stays a cell of its own.
    rows = rows.assign(spec=rows["spec"].where(rows["spec"] != "", rows["run_id"]))
    grouped = rows.assign(log_y=np.log(rows["y"])).groupby(CELL, dropna=False, sort=True)
    return grouped.agg(
        cores=("cores", "first"), ram_gib=("ram_gib", "first"), vendor=("vendor", "first"),
        read_fraction=("read_fraction", "first"), log_y=("log_y", "mean"), variance=("log_y", "var"),
        n=("log_y", "size"), run_ids=("run_id", tuple), utilisation=("utilisation", "max"),
        cpu_utilisation=("cpu_utilisation", "mean"), y_column=("y_column", "first"),
        throttled=("throttled", "any"),
    ).reset_index()  # fmt: skip


def noise(cells: pd.DataFrame) -> dict[tuple[str, str], Noise]:
    """Repeat noise by dataset and outcome; df 0 where nothing was repeated."""
    found = {}
    for kind, part in cells.groupby(list(KIND)):
        df = int((part["n"] - 1).sum())
        squares = float((part["variance"].fillna(0) * (part["n"] - 1)).sum())
        found[kind] = Noise(squares / df if df else float("nan"), df)
    return found
