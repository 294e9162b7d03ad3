"""Little's law for a closed loop: U = X R / N, the share of the threads' time spent inside the database."""

import pandas as pd

from ycsbook.units import US_PER_MS, US_PER_S

# READ-MODIFY-WRITE is counted again inside READ and UPDATE; CLEANUP runs outside the measured time.
_NOT_COUNTED = ("READ-MODIFY-WRITE", "CLEANUP", "TOTAL", "OVERALL")
_WRITES = ("UPDATE", "INSERT")


def utilisation(runs: pd.DataFrame, operations: pd.DataFrame) -> pd.Series:
    """X R / N of each run, R weighted by operation counts, or by read_fraction where only means were published.

    A log gives sum(count x mean) / (threads x run time) over every operation and failure series. NaN where the
    figures do not give it: threads or means unknown, or batched writes, whose latency is a buffer's.

    Parameters
        runs, operations: the tables of these names.
    Returns
        float, indexed by run_id.
    """
    named = operations["operation"]
    counted = operations[~named.isin(_NOT_COUNTED) & ~named.str.startswith("Intended-")]
    by_run = dict(tuple(counted.groupby("run_id", sort=False)))
    values = {row.run_id: _of_run(row, by_run.get(row.run_id)) for row in runs.itertuples()}
    return pd.Series(values, dtype=float)


def _of_run(run: tuple, operations: pd.DataFrame | None) -> float:
    if operations is None or not run.threads > 0 or (operations["batched_ok"] > 0).any():
        return float("nan")
    if operations["count"].notna().all():
        spent_us = (operations["count"] * operations["mean_us"]).where(operations["count"] > 0, 0.0)
        return float(spent_us.sum(skipna=False) / (run.threads * run.runtime_ms * US_PER_MS))
    means = operations.set_index("operation")["mean_us"]
    write = next((means[w] for w in _WRITES if w in means), float("nan"))
    shares = [(run.read_fraction, means.get("READ", float("nan"))), (1 - run.read_fraction, write)]
    response_us = sum(share * mean for share, mean in shares if share != 0)
    return float(run.throughput_ops_s * response_us / US_PER_S / run.threads)
