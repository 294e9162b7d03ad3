"""Little's law over the tables: the utilisation of every run, from what its rows give."""

import numpy as np
import pandas as pd

from ycsbook.ingest.log import closed_loop
from ycsbook.units import MS_PER_S, US_PER_S
from ycsbook.verdicts import Warn

# The first of these that a run has gives the latency of its writes, where only a mix and means are known.
_WRITES = ("UPDATE", "INSERT")


def utilisation(runs: pd.DataFrame, operations: pd.DataFrame) -> pd.Series:
    """X R / N of each run, R weighted by operation counts, or by read_fraction where only means were published.

    The same as ingest.log.closed_loop says of one log, over all rows at once. NaN where the figures do not give it:
    threads or means unknown, batched writes, whose latency is a buffer's, or intended latencies, which hold waiting.

    Parameters
        runs, operations: the tables of these names.
    Returns
        float, indexed by run_id.
    """
    runs = runs.drop_duplicates("run_id", keep="last")
    ids = pd.Index(runs["run_id"])
    counted = {name for name in operations["operation"].unique() if closed_loop.is_counted(name)}
    rows = operations[operations["operation"].isin(counted)]
    at = ids.get_indexer(rows["run_id"])
    rows, at = rows[at >= 0], at[at >= 0]

    threads, runtime_ms, throughput, reads = (
        runs[c].to_numpy(float) for c in ("threads", "runtime_ms", "throughput_ops_s", "read_fraction")
    )
    count, mean_us = rows["count"].to_numpy(float), rows["mean_us"].to_numpy(float)
    busy_us = np.bincount(at, np.where(count > 0, count * mean_us, 0.0), len(runs))
    by_counts = np.where(runtime_ms > 0, busy_us / (US_PER_S / MS_PER_S) / runtime_ms, np.nan)

    read_us, update_us, insert_us = (_mean(rows, at, name, len(runs)) for name in ("READ", *_WRITES))
    write_us = np.where(_has(rows, at, "UPDATE", len(runs)), update_us, insert_us)
    shares = ((reads, read_us), (1 - reads, write_us))
    # An operation with no share of the mix needs no latency; a mix that is unknown gives no R.
    rates = sum(np.where(share == 0, 0.0, throughput * share * mean) for share, mean in shares) / US_PER_S

    uncounted = np.bincount(at, np.isnan(count), len(runs)) > 0
    batched = np.bincount(at, rows["batched_ok"].to_numpy(float) > 0, len(runs)) > 0
    intended = np.array([Warn.INTENDED_LATENCY in words.split() for words in runs["warnings"]], dtype=bool)
    told = (np.bincount(at, minlength=len(runs)) > 0) & (threads > 0) & ~batched & ~intended
    busy = np.where(uncounted, rates, by_counts)
    return pd.Series(np.divide(busy, threads, out=np.full(len(runs), np.nan), where=told), index=ids, dtype=float)


def _has(rows: pd.DataFrame, at: np.ndarray, operation: str, n: int) -> np.ndarray:
    return np.bincount(at[(rows["operation"] == operation).to_numpy()], minlength=n) > 0


def _mean(rows: pd.DataFrame, at: np.ndarray, operation: str, n: int) -> np.ndarray:
    """Mean latency (us) of one operation by run; NaN where the run has none of it."""
    chosen = (rows["operation"] == operation).to_numpy()
    mean = np.full(n, np.nan)
    mean[at[chosen]] = rows["mean_us"].to_numpy(float)[chosen]
    return mean
