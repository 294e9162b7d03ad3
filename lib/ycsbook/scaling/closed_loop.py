"""Little's law over the tables: the utilisation of every run, from what its rows give."""

import pandas as pd

from ycsbook.ingest.log import closed_loop
from ycsbook.verdicts import Warn

_WRITES = ("UPDATE", "INSERT")


def utilisation(runs: pd.DataFrame, operations: pd.DataFrame) -> pd.Series:
    """X R / N of each run, R weighted by operation counts, or by read_fraction where only means were published.

    NaN where the figures do not give it: threads or means unknown, batched writes, whose latency is a buffer's, or
    intended latencies, which hold waiting.

    Parameters
        runs, operations: the tables of these names.
    Returns
        float, indexed by run_id.
    """
    counted = operations[operations["operation"].map(closed_loop.is_counted).astype(bool)]
    by_run = dict(tuple(counted.groupby("run_id", sort=False)))
    values = {row.run_id: _of_run(row, by_run.get(row.run_id)) for row in runs.itertuples()}
    return pd.Series(values, dtype=float)


def _of_run(run: tuple, operations: pd.DataFrame | None) -> float:
    if operations is None or Warn.INTENDED_LATENCY in run.warnings.split() or (operations["batched_ok"] > 0).any():
        return float("nan")
    if operations["count"].notna().all():
        series = zip(operations["operation"], operations["count"], operations["mean_us"], strict=True)
        return closed_loop.of_series(series, run.runtime_ms, run.threads)
    means = operations.set_index("operation")["mean_us"]
    write = next((means[w] for w in _WRITES if w in means), float("nan"))
    return closed_loop.of_mix(
        run.throughput_ops_s, run.read_fraction, run.threads, means.get("READ", float("nan")), write
    )
