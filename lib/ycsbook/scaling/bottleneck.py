"""Which points are shown not to hang on the number of client threads.

X R = N holds in every closed loop and shows no limit by itself. What does: a server whose CPU is full, or more
threads on the same spec that bring no more throughput.
"""

import numpy as np
import pandas as pd

CPU_FULL = 0.95
SATURATED_RATIO = 1.10
RISING_RATIO = 1.25
_CELL = ["dataset", "outcome", "workload", "spec", "threads"]


def saturated(runs: pd.DataFrame, y: str) -> pd.Series:
    """For each run, whether its throughput is shown to be independent of the number of threads.

    A point counts as saturated when the next higher thread count on its spec brings at most 10 % more, unless no
    pair of the whole table gains 25 % (a connection pool smaller than the threads looks the same); or when its
    CPU is at 95 % or more, unless more threads bring 25 % more all the same, which is a contradiction. The
    highest thread count can only be shown by its CPU.

    Parameters
        runs: dataset, outcome, workload, spec, threads, cpu_utilisation and y.
    Returns
        bool, indexed as runs.
    """
    cells = runs.assign(log_y=np.log(runs[y].where(runs[y] > 0))).groupby(_CELL, dropna=False, as_index=False)
    table = cells[["log_y", "cpu_utilisation"]].mean().sort_values(_CELL)
    per_spec = table.groupby(_CELL[:-1], dropna=False)
    table["ratio"] = np.exp(per_spec["log_y"].shift(-1) - table["log_y"])
    threads_tell = bool((table["ratio"] >= RISING_RATIO).any())
    by_cpu = (table["cpu_utilisation"] >= CPU_FULL) & ~(table["ratio"] >= RISING_RATIO)
    by_threads = (table["ratio"] <= SATURATED_RATIO) & threads_tell
    table["saturated"] = by_cpu | by_threads
    merged = runs[_CELL].merge(table[[*_CELL, "saturated"]], on=_CELL, how="left")
    return pd.Series(merged["saturated"].to_numpy(bool), index=runs.index)
