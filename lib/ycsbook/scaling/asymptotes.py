"""The asymptotes of a closed loop: where they cross, the knee, and how much more any number of threads could bring.

Below the knee's N* threads the response time is R0 and throughput N / R0; above it throughput is X_sat, and only the
response time grows.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ycsbook.closed_loop import is_counted
from ycsbook.columns import CELL, KIND
from ycsbook.facts import Fact, fact, in_columns
from ycsbook.names import mixes
from ycsbook.scaling.cells import SMALLEST_VARIANCE, Noise
from ycsbook.scaling.groups import spec_or_run_id
from ycsbook.scaling.pairs import ratios, topped_out
from ycsbook.scaling.points import with_throughput
from ycsbook.tables import empty, from_rows
from ycsbook.units import US_PER_S

_SPEC = [*KIND, "workload", "spec", "cores", "ram_gib"]
# Fewer thread counts than these are no ladder.
LADDER = 3
# Queueing is shown where so much of N / n, at most, is gained.
_QUEUEING = 0.8


def at_most(cells: pd.DataFrame, noise: Mapping[tuple[str, str], Noise], sound: np.ndarray) -> np.ndarray:
    """The highest throughput that any number of threads could bring, limited by server, network and client.

    A further thread makes an operation wait for at most one operation more at the slowest place, which takes 1 / X_max.
    So R(N) - R(n) <= (N - n) / X_max for N > n threads, and with R + Z = N / X,
    X_max <= (N - n) / (N / X(N) - n / X(n)). From the fewest threads of a spec and workload and those that did most;
    with one thread it is tightest. The upper end of the ratio's 95 % interval is taken, by the noise that is assumed
    where nothing was repeated.

    Parameters
        cells, noise: as for limits.judge. sound: bool, which cells may be built on, (cells,).
    Returns
        ops/s, (cells,), the same for all threads of a spec; NaN where no queueing is shown.
    References
        Zahorjan et al. (1982), Balanced job bound analysis, Comm. ACM 25(2). It holds where an operation waits for
        those before it alone: not where a server takes less for each under load, as one that writes several at once.
    """
    bounds = np.full(len(cells), np.nan)
    threads, log_y, n_runs = (cells[c].to_numpy(float) for c in ("threads", "log_y", "n"))
    ladder = [c for c in CELL if c != "threads"]
    for at in cells.groupby(ladder, dropna=False).indices.values():
        rungs = at[sound[at] & (threads[at] > 0)]
        if len(rungs) < 2:
            continue
        few, most = rungs[threads[rungs].argmin()], rungs[log_y[rungs].argmax()]
        pooled = noise[tuple(cells.iloc[few][list(KIND)])].or_assumed
        error = np.sqrt(max(pooled.variance, SMALLEST_VARIANCE) * (1 / n_runs[few] + 1 / n_runs[most]))
        gain = float(ratios(log_y[most] - log_y[few], error, pooled.df).conf_high)
        if threads[few] * gain <= _QUEUEING * threads[most]:
            not_gained = threads[most] - threads[few] * gain
            bounds[at] = np.exp(log_y[most]) * (threads[most] - threads[few]) / not_gained
    return bounds


def knee(
    runs: pd.DataFrame, operations: pd.DataFrame | None = None, limits: pd.DataFrame | None = None
) -> pd.DataFrame:
    """N* = X_sat R0 of each spec and workload.

    Parameters
        runs, operations: the tables of these names. limits: the table `limits` of the same runs.
    Returns
        The table `knee`. saturated_ops_s (X_sat): the highest throughput among the spec's cells whose limit is the
        server. r0_us (R0): mean latency of the run at one thread, weighted by the operations' counts; where
        latencies are missing 1 / X, which holds the client's own time too. NaN where one of them is not known;
        `sentence` then says how to get it.
    References
        Denning and Buzen (1978), The operational analysis of queueing network models, ACM Comput. Surv. 10.
    """
    rows = with_throughput(runs)
    rows = rows[rows["y"] > 0]
    rows = rows.assign(spec=spec_or_run_id(rows))
    made = operations if operations is not None else empty("operations")
    made = made[made["operation"].map(is_counted).astype(bool) & (made["count"] > 0)]
    sums = (made["mean_us"] * made["count"]).groupby(made["run_id"]).sum(min_count=1)
    latency = sums / made["count"].groupby(made["run_id"]).sum()
    limits = limits if limits is not None else empty("limits")
    flat = set(map(tuple, limits.loc[topped_out(limits), _SPEC[:-2]].to_numpy(object)))
    saturated = limits[limits["measured"]].groupby(_SPEC[:-2])["observed"].max().to_dict()
    several, called = rows["dataset"].nunique() > 1, mixes(rows)
    rungs = []
    for key, group in rows.groupby(_SPEC, dropna=False, sort=True):
        names = dict(zip(_SPEC, key, strict=True))
        dataset = names["dataset"] if several and names["dataset"] else None
        place = {"dataset": dataset, "spec": names["spec"], "mix": called[names["workload"]]}
        alone = group[group["threads"] == 1]
        r0 = float(alone["run_id"].map(latency).fillna(US_PER_S / alone["y"]).mean()) if len(alone) else np.nan
        top = saturated.get(key[:-2], np.nan)
        figures = {"saturated_ops_s": top, "r0_us": r0, "knee_threads": top * r0 / US_PER_S}
        sentence = _sentence(place, figures, group["threads"].nunique(), key[:-2] in flat)
        rungs.append({**names, **figures, **in_columns("sentence", sentence)})
    return from_rows(rungs, "knee").sort_values([*KIND, "workload", "cores", "ram_gib"], ignore_index=True)


def _sentence(place: Mapping[str, object], figures: Mapping[str, float], counts: int, flat: bool) -> Fact:
    saturated, r0_us, knee_threads = figures.values()
    if np.isfinite(knee_threads):
        return fact("knee", **place, knee=knee_threads, saturated=saturated, r0_us=r0_us)
    missing = [] if np.isfinite(r0_us) else [fact("knee-no-single-thread")]
    if not np.isfinite(saturated):
        missing.append(fact("knee-no-ladder") if counts < LADDER else fact("knee-not-saturated", flat=flat))
    return fact("knee-unknown", **place, missing=missing, laddered=np.isfinite(r0_us) and counts >= LADDER)
