"""The knee of a closed loop: the number of client threads from which on operations only queue."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ycsbook.closed_loop import is_counted
from ycsbook.facts import Fact, fact, in_columns
from ycsbook.names import mixes
from ycsbook.scaling.limits import LimitKind
from ycsbook.scaling.points import KIND, with_throughput
from ycsbook.tables import empty, from_rows
from ycsbook.units import US_PER_S

_SPEC = [*KIND, "workload", "spec", "cores", "ram_gib"]
# Fewer thread counts than these are no ladder.
LADDER = 3


def knee(
    runs: pd.DataFrame, operations: pd.DataFrame | None = None, limits: pd.DataFrame | None = None
) -> pd.DataFrame:
    """N* = X_sat R0 of each spec and workload.

    Below N* threads the response time is R0 and throughput N / R0, above it throughput is X_sat and only the response
    time grows: the two asymptotes of a closed loop cross there.

    Parameters
        runs, operations: the tables of these names. limits: the table `limits` of the same runs.
    Returns
        The table `knee`. saturated_ops_s (X_sat): the highest throughput among the spec's cells whose limit is the
        server. r0_us (R0): mean latency of the run at one thread, weighted by the operations' counts; where
        latencies are missing 1 / X, which holds the client's own time too. NaN where one of them is not known;
        `sentence` then says how to get it.
    References
        Denning and Buzen (1978), The operational analysis of queueing network models, ACM Comput. Surv. 10.
    Examples
        >>> round(float(knee_threads(50_000, 400.0)), 6)
        20.0
    """
    rows = with_throughput(runs)
    rows = rows[rows["y"] > 0]
    # As in the limits: nobody knows whether two runs without a spec are of one server.
    rows = rows.assign(spec=rows["spec"].where(rows["spec"] != "", rows["run_id"]))
    latency = _mean_latencies(operations if operations is not None else empty("operations"))
    best = _saturated(limits if limits is not None else empty("limits"))
    several, called = rows["dataset"].nunique() > 1, mixes(rows)
    rungs = []
    for key, group in rows.groupby(_SPEC, dropna=False, sort=True):
        names = dict(zip(_SPEC, key, strict=True))
        dataset = names["dataset"] if several and names["dataset"] else None
        place = {"dataset": dataset, "spec": names["spec"], "mix": called[names["workload"]]}
        alone = group[group["threads"] == 1]
        r0 = float(alone["run_id"].map(latency).fillna(US_PER_S / alone["y"]).mean()) if len(alone) else np.nan
        top = best.get(tuple(names[c] for c in _SPEC[:-2]), np.nan)
        counts = group["threads"].nunique()
        rungs.append(
            {**names, "saturated_ops_s": top, "r0_us": r0, "knee_threads": knee_threads(top, r0),
             **in_columns("sentence", _said(place, top, r0, counts))}
        )  # fmt: skip
    return from_rows(rungs, "knee").sort_values([*KIND, "workload", "cores", "ram_gib"], ignore_index=True)


def knee_threads(saturated_ops_s: float, r0_us: float) -> float:
    """X_sat R0, in threads."""
    return saturated_ops_s * r0_us / US_PER_S


def _mean_latencies(operations: pd.DataFrame) -> Mapping[str, float]:
    """Mean latency of each run over its counted operations, weighted by their counts, us."""
    rows = operations[operations["operation"].map(is_counted).astype(bool) & (operations["count"] > 0)]
    sums = (rows["mean_us"] * rows["count"]).groupby(rows["run_id"]).sum(min_count=1)
    return (sums / rows["count"].groupby(rows["run_id"]).sum()).dropna().to_dict()


def _saturated(limits: pd.DataFrame) -> dict[tuple, float]:
    shown = limits[limits["limit_kind"] == LimitKind.SERVER]
    return shown.groupby(_SPEC[:-2])["observed"].max().to_dict()


def _said(place: Mapping[str, object], top: float, r0: float, counts: int) -> Fact:
    if np.isfinite(top) and np.isfinite(r0):
        return fact("knee", **place, knee=knee_threads(top, r0), saturated=top, r0_us=r0)
    missing = []
    if not np.isfinite(r0):
        missing.append(fact("knee-no-single-thread"))
    if not np.isfinite(top):
        missing.append(fact("knee-no-ladder" if counts < LADDER else "knee-not-saturated"))
    return fact("knee-unknown", **place, missing=missing)
