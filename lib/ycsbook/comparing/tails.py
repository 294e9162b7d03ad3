"""The slowest operations of two sides: by what p99 differs, where all configurations that both measured show it."""

import numpy as np
import pandas as pd

from ycsbook.scaling.points import slowest_p99_us, with_throughput
from ycsbook.tables import Tables

_LIKE = ["workload", "spec", "cores", "ram_gib", "threads"]
# By chance so many pairs all differ in one direction in 1 of 32 comparisons, and hardly ever by so much in the mean.
_LEAST_PAIRS, _LEAST_TIMES = 6, 1.25


def p99_times(a: Tables, b: Tables) -> float | None:
    """By what the p99 of b, in the geometric mean over configurations, is that of a; None where it differs little or
    not everywhere in one direction, or just as much as throughput does: a closed loop with half of it waits twice as
    long.

    Parameters
        a, b: the tables of one data set each; the p99 of a run is that of its slowest operation.
    """
    if a.percentiles.empty or b.percentiles.empty:
        return None
    first, second = map(_by_configuration, (a, b))
    apart = (second - first).dropna()
    means = apart.mean()
    is_clear = np.all(np.sign(apart) == np.sign(means["p99"])) and np.all(means.abs() >= np.log(_LEAST_TIMES))
    return float(np.exp(means["p99"])) if len(apart) >= _LEAST_PAIRS and is_clear else None


def _by_configuration(tables: Tables) -> pd.DataFrame:
    """For each configuration of named specs, in the mean of its repeats at full speed, ln `p99` and `tail`: ln of p99
    over what an operation takes at that throughput."""
    rows = with_throughput(tables.runs)
    p99_us = rows["run_id"].map(slowest_p99_us(tables.percentiles)).astype(float)
    rows = rows.assign(p99=np.log(p99_us), tail=np.log(p99_us * rows["y"]))[~rows["throttled"] & (rows["spec"] != "")]
    return rows.groupby(_LIKE, dropna=False)[["p99", "tail"]].mean()
