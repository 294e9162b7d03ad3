"""Little's law for a closed loop: U = X R / N, the share of the threads' time spent inside the database.

N threads without think time have N = X R, with think time Z more: N = X (R + Z). So U cannot exceed 1. `of_series`
takes one log, `of_mix` one published row, `of_runs` all rows of the tables at once.

References
    Little (1961), A proof for the queuing formula L = lambda W.
"""

import math
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

import numpy as np

from ycsbook.groups import group_means, numbers_of
from ycsbook.operations import TOTAL, TRANSACTION_ENDS, WRITES, is_failure_series, is_of_workload
from ycsbook.units import MS_PER_S, US_PER_S
from ycsbook.verdicts import Warn

if TYPE_CHECKING:
    import pandas as pd

Figures = float | np.ndarray
# Above this no rounding and no mean of unequal repeats explains a row: 1 + cv^2 = 1.05 takes a spread of 22 %.
MAX_UTILISATION = 1.05


def of_series(series: Iterable[tuple[str, float, float]], runtime_ms: float, threads: float) -> float:
    """X R / N of a log: operation, count and mean latency (us) of each of its series; NaN where the time, the threads
    or the latency of any operation are unknown.

    Failed calls take time as well. READ-MODIFY-WRITE is counted inside its READ and UPDATE, VERIFY is the client's
    own work, CLEANUP is outside the measured time, and Intended- latencies hold waiting before the operation."""
    seconds = runtime_ms / MS_PER_S
    if not (seconds > 0 and threads > 0):
        return math.nan
    rates = ((count / seconds, mean_us) for name, count, mean_us in series if is_counted(name))
    return sum(rate * mean_us for rate, mean_us in rates if rate > 0) / US_PER_S / threads


def of_mix(
    throughput_ops_s: Figures, read_fraction: Figures, threads: Figures, read_us: Figures, write_us: Figures
) -> Figures:
    """X R / N of one row or many by the mix and mean latencies (us); one that no operation has may be NaN."""
    shares = ((read_fraction, read_us), (1 - read_fraction, write_us))
    busy_us = sum(np.where(np.equal(share, 0), 0.0, np.multiply(share, mean_us)) for share, mean_us in shares)
    return throughput_ops_s * busy_us / US_PER_S / np.where(np.greater(threads, 0), threads, np.nan)


def least_of_mix(
    throughput_ops_s: Figures, read_fraction: Figures, threads: Figures, read_us: Figures, write_us: Figures, *,
    all_us: Figures,
) -> tuple[Figures, Figures]:  # fmt: skip
    """X R / N as of_mix, or by the mean latency of all operations where that is NaN; and the least it can be: the same,
    or the part of operations whose share and latency are known, of an unknown mix that of the faster one alone."""
    exact = of_mix(throughput_ops_s, read_fraction, threads, read_us, write_us)
    exact = np.where(np.isnan(exact), of_mix(throughput_ops_s, 1, threads, all_us, math.nan), exact)
    without = (np.where(np.isnan(mean_us), 0.0, mean_us) for mean_us in (read_us, write_us))
    of_known = of_mix(throughput_ops_s, read_fraction, threads, *without)
    fastest = of_mix(throughput_ops_s, 1, threads, np.minimum(read_us, write_us), math.nan)
    least = np.where(np.isnan(read_fraction), fastest, np.where(np.greater(of_known, 0), of_known, np.nan))
    return exact, np.where(np.isnan(exact), least, exact)


def is_counted(operation: str) -> bool:
    """Whether a series is time that threads spent in calls of the database, and in no other series as well."""
    return is_of_workload(operation) or operation in TRANSACTION_ENDS or is_failure_series(operation)


def of_runs(runs: "pd.DataFrame", operations: "pd.DataFrame") -> "pd.DataFrame":
    """X R / N of each run of the tables, R weighted by operation counts, or by read_fraction where these are unknown.
    Returns by run_id: `utilisation`, NaN where the figures do not give it: threads or means unknown, batched writes,
    whose latency is a buffer's, or intended latencies, which hold waiting; and `least_utilisation`, instead of NaN the
    least that it can be, as least_of_mix."""
    figures = ["threads", "runtime_ms", "throughput_ops_s", "read_fraction"]
    runs = runs[["run_id", *figures, "warnings"]].drop_duplicates("run_id", keep="last").set_index("run_id")
    counted = [name for name in operations["operation"].unique() if is_counted(name)]
    of_all = operations["operation"].eq(TOTAL) & operations["count"].isna()
    rows = operations[operations["operation"].isin(counted) | of_all]
    run = runs.index.get_indexer(rows["run_id"])
    rows, run = rows[run >= 0], run[run >= 0]
    count, mean_us = rows["count"].to_numpy(float), rows["mean_us"].to_numpy(float)

    def total(values: np.ndarray) -> np.ndarray:
        return np.bincount(run, values, len(runs))

    def mean_of(operation: str) -> np.ndarray:
        """Mean latency (us) of one operation by run; NaN where the run has none of it."""
        chosen, mean = (rows["operation"] == operation).to_numpy(), np.full(len(runs), np.nan)
        mean[run[chosen]] = mean_us[chosen]
        return mean

    threads, runtime_ms, throughput, reads = (runs[name].to_numpy(float) for name in figures)
    busy_us = total(np.where(count > 0, count * mean_us, 0.0))
    by_counts = np.where(runtime_ms > 0, busy_us / (US_PER_S / MS_PER_S) / runtime_ms, np.nan)
    has_updates = total((rows["operation"] == "UPDATE").to_numpy(float)) > 0
    write_us = np.where(has_updates, mean_of("UPDATE"), mean_of("INSERT"))
    one_thread = np.ones(len(runs))
    by_mix = least_of_mix(throughput, reads, one_thread, mean_of("READ"), write_us, all_us=mean_of(TOTAL))
    uncounted = total(np.isnan(count).astype(float)) > 0
    batched = total((rows["batched_ok"].to_numpy(float) > 0).astype(float)) > 0
    intended = np.array([Warn.INTENDED_LATENCY in words.split() for words in runs["warnings"]], dtype=bool)
    is_known = (total(np.ones(len(rows))) > 0) & (threads > 0) & ~batched & ~intended
    busy = np.where(uncounted, np.stack(by_mix), by_counts)
    used = np.divide(busy, threads, out=np.full(busy.shape, np.nan), where=is_known)
    return runs.assign(utilisation=used[0], least_utilisation=used[1])[["utilisation", "least_utilisation"]]


def mean_latency(operations: "pd.DataFrame", names: Collection[str]) -> "pd.Series":
    """Mean latency (us) over the named operations by run_id, weighted by counts where all of a run's have them."""
    chosen = operations["operation"].isin(names) & operations["mean_us"].notna()
    rows = operations.loc[chosen, ["run_id", "count", "mean_us"]]
    run = numbers_of(rows, ["run_id"])
    count = rows["count"].to_numpy(float)
    weight = np.where((np.bincount(run, np.isnan(count)) == 0)[run], count, 1.0)
    _, first = np.unique(run, return_index=True)
    means = rows.iloc[first].assign(mean_us=group_means(rows["mean_us"], run, weight))
    return means.set_index("run_id")["mean_us"]


def with_means(runs: "pd.DataFrame", operations: "pd.DataFrame") -> "pd.DataFrame":
    """The runs with `read_us`, `write_us`, mean latencies; NaN: none. Batched writes, a buffer's, are left out."""
    rows = operations[~(operations["batched_ok"] > 0)]
    means = {"read_us": mean_latency(rows, ["READ"]), "write_us": mean_latency(rows, WRITES)}
    return runs.assign(**{name: runs["run_id"].map(mean).astype(float) for name, mean in means.items()})


def with_latency(runs: "pd.DataFrame", operations: "pd.DataFrame") -> "pd.DataFrame":
    """The runs with `utilisation`, U = X R / N, and `latency_us`, the mean R over all operations; NaN as in of_runs."""
    used = of_runs(runs, operations)["utilisation"].reindex(runs["run_id"]).to_numpy(float)
    return runs.assign(utilisation=used, latency_us=used * runs["threads"] / runs["throughput_ops_s"] * US_PER_S)
