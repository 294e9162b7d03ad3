"""Local elasticities: what each step from one core count to the next brought."""

from itertools import pairwise

import numpy as np
import pandas as pd
from scipy import stats

from ycsbook.scaling.points import throughput_column, usable
from ycsbook.tables import from_rows

CONFIDENCE = 0.95


def elasticities(points: pd.DataFrame, y: str | None = None, *, label: str = "") -> pd.DataFrame:
    """One row per step between neighbouring core counts of one group.

    Specs of equal RAM are compared where both counts have them, and the ln ratios averaged; otherwise all specs
    of a count are averaged, and `basis` says which. An elasticity of 1 is proportional, 0 no gain. The interval
    needs repeats: it uses their variance pooled over the group, so it speaks of the noise between repeats, not
    of the scatter between specs.

    Parameters
        points: one row per run, repeats kept: spec, cores, ram_gib, y, and workload and threads.
    Returns
        The columns of the table elasticities; conf_low and conf_high are of the elasticity, NaN without repeats.
    """
    if {"phase", "outcome"} <= set(points.columns):
        points = usable(points)
    y = y if y is not None else throughput_column(points)
    keys = [c for c in ("cores", "ram_gib", "spec") if c in points]
    logs = points.assign(log_y=np.log(points[y].where(points[y] > 0))).groupby(keys, dropna=False)["log_y"]
    cells = logs.agg(["mean", "size", "var"]).reset_index()
    if "ram_gib" not in cells:
        cells["ram_gib"] = np.nan
    df = int((cells["size"] - 1).sum())
    variance = float((cells["var"].fillna(0) * (cells["size"] - 1)).sum() / df) if df else float("nan")
    counts = sorted(cells["cores"].dropna().unique())
    rows = [_step(cells, low, high, variance, df) for low, high in pairwise(counts)]
    names = {
        "group": label,
        "workload": points["workload"].iloc[0] if "workload" in points else "",
        "threads": points["threads"].iloc[0] if "threads" in points else float("nan"),
        "outcome": points["outcome"].iloc[0] if "outcome" in points else "",
    }
    return from_rows([{**names, **row} for row in rows], "elasticities")


def _step(cells: pd.DataFrame, low: float, high: float, variance: float, df: int) -> dict:
    first, second = cells[cells["cores"] == low], cells[cells["cores"] == high]
    shared = sorted(set(first["ram_gib"].dropna()) & set(second["ram_gib"].dropna()))
    if shared:
        first, second = first[first["ram_gib"].isin(shared)], second[second["ram_gib"].isin(shared)]
        basis = f"equal RAM: {', '.join(f'{r:g}' for r in shared)} GiB"
        pairs = [(first[first["ram_gib"] == r], second[second["ram_gib"] == r]) for r in shared]
    else:
        basis = "one spec each, RAM differs" if len(first) == len(second) == 1 else "means of all specs, RAM differs"
        if first["ram_gib"].isna().all() and second["ram_gib"].isna().all():
            basis = "RAM not given"
        pairs = [(first, second)]
    log_ratio = float(np.mean([b["mean"].mean() - a["mean"].mean() for a, b in pairs]))
    of_means = sum(_of_mean(a) + _of_mean(b) for a, b in pairs) / len(pairs) ** 2
    span = np.log(high / low)
    reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, df) * np.sqrt(variance * of_means)) if df else float("nan")
    return {
        "cores_from": low, "cores_to": high, "gain": float(np.exp(log_ratio)), "elasticity": log_ratio / span,
        "conf_low": (log_ratio - reach) / span, "conf_high": (log_ratio + reach) / span, "basis": basis,
    }  # fmt: skip


def _of_mean(cells: pd.DataFrame) -> float:
    """Variance of the cells' mean, in units of one run's variance."""
    return float((1 / cells["size"]).sum() / len(cells) ** 2)
