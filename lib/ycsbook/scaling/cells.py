"""One cell per spec, workload and thread count, with the noise between its repeats.

Measured and published rows of one dataset are different kinds: never repeats of one another, never compared.
"""

import numpy as np
import pandas as pd

from ycsbook.closed_loop import of_runs
from ycsbook.scaling.points import KIND, with_throughput
from ycsbook.scaling.variance import CELL, Noise, pooled, spec_or_run_id, within


def usable(runs: pd.DataFrame, operations: pd.DataFrame) -> pd.DataFrame:
    """Completed or published runs with `y`, `y_column` (points.with_throughput) and `utilisation` (X R / N)."""
    rows = with_throughput(runs)
    return rows.assign(utilisation=rows["run_id"].map(of_runs(rows, operations)).astype(float))


def cells(usable_runs: pd.DataFrame) -> pd.DataFrame:
    """One row per dataset, outcome, workload, spec and thread count, sorted: mean ln y over repeats and the rest.

    Parameters
        usable_runs: as `usable` gives them.
    Returns
        Columns: those five, cores, ram_gib, vendor, read_fraction, log_y, variance (of ln y, without what a round did)
        and df (its degrees of freedom), n, run_ids (tuple), utilisation (highest), cpu_utilisation (median), pool_size
        (smallest), y_column, throttled (any).
    """
    rows = usable_runs[usable_runs["y"] > 0]
    left = within(rows)
    rows = rows.assign(spec=spec_or_run_id(rows), log_y=np.log(rows["y"]), squares=left["residual"] ** 2, df=left["df"])
    found = rows.groupby(CELL, dropna=False, sort=True).agg(
        cores=("cores", "first"), ram_gib=("ram_gib", "first"), vendor=("vendor", "first"),
        read_fraction=("read_fraction", "first"), log_y=("log_y", "mean"), variance=("squares", "sum"),
        df=("df", "sum"), n=("log_y", "size"), run_ids=("run_id", tuple), utilisation=("utilisation", "max"),
        cpu_utilisation=("cpu_utilisation", "median"), pool_size=("pool_size", "min"), y_column=("y_column", "first"),
        throttled=("throttled", "any"),
    ).reset_index()  # fmt: skip
    return found.assign(variance=(found["variance"] / found["df"]).where(found["df"] > 0))


def noise(cells: pd.DataFrame) -> dict[tuple[str, str], Noise]:
    """Repeat noise by dataset and outcome; df 0 where nothing was repeated."""
    kinds = cells.groupby(list(KIND))
    return {
        kind: pooled(float((part["variance"].fillna(0) * part["df"]).sum()), float(part["df"].sum()))
        for kind, part in kinds
    }
