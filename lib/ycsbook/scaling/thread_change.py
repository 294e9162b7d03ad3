"""What more client threads do to each spec: throughput at the most threads over that at the fewest."""

import numpy as np
import pandas as pd

from ycsbook.scaling.points import KIND

_SHAPE = ["spec", "cores", "ram_gib"]
COLUMNS = [*KIND, "workload", *_SHAPE, "threads_low", "threads_high", "low", "high", "change", "ids_low", "ids_high"]


def thread_changes(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per kind, workload and spec that has the fewest and the most threads of its workload.

    Parameters
        rows: points.with_throughput(runs): one row per run, repeats kept.
    Returns
        COLUMNS: low and high, the geometric means of the repeats (ops/s) at `threads_low` and `threads_high`; change, a
        fraction; ids_low and ids_high, their runs, separated by spaces. By workload, cores and RAM.
    """
    known = rows[(rows["y"] > 0) & rows["threads"].notna()]
    parts = []
    for _, group in known.groupby([*KIND, "workload"], dropna=False):
        low, high = group["threads"].min(), group["threads"].max()
        if low == high:
            continue
        sides = [_side(group, threads) for threads in (low, high)]
        pairs = pd.merge(*sides, on=_SHAPE, suffixes=("_low", "_high"))
        names = {column: group[column].iloc[0] for column in (*KIND, "workload")}
        ratio = pairs["log_y_high"] - pairs["log_y_low"]
        parts.append(
            pairs.assign(
                **names, threads_low=low, threads_high=high, low=np.exp(pairs["log_y_low"]),
                high=np.exp(pairs["log_y_high"]), change=np.expm1(ratio),
                ids_low=pairs["run_id_low"], ids_high=pairs["run_id_high"],
            )
        )  # fmt: skip
    if not parts:
        return pd.DataFrame(columns=COLUMNS)
    pairs = pd.concat(parts, ignore_index=True)[COLUMNS]
    return pairs.sort_values([*KIND, "workload", "cores", "ram_gib", "spec"]).reset_index(drop=True)


def _side(group: pd.DataFrame, threads: float) -> pd.DataFrame:
    here = group[group["threads"] == threads]
    here = here.assign(log_y=np.log(here["y"]))
    return here.groupby(_SHAPE, dropna=False).agg(log_y=("log_y", "mean"), run_id=("run_id", " ".join)).reset_index()
