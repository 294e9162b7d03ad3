"""Throughput over time: one series per run, ready for the rules that look within a run."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

# The interval rows of all operations together.
TOTAL = "TOTAL"
# The last interval is usually a fragment that holds the shutdown.
FRAGMENT = 0.5
# Fewer operations than this in the usual interval, and an empty one is chance.
LEAST_OPERATIONS = 20.0


@dataclass(frozen=True)
class RunSeries:
    """One run's throughput by interval, in order of time.

    run: its row of cells.usable. end_s: end of each interval from the start of the run, s; length_s: its length, s;
    rate: operations per second in it.
    """

    run: dict
    end_s: np.ndarray
    length_s: np.ndarray
    rate: np.ndarray

    @property
    def steady(self) -> np.ndarray:
        """Which intervals (bool) come after the warm-up; all where none was found."""
        warmup = self.run["warmup_s"]
        return self.end_s - self.length_s >= (0.0 if np.isnan(warmup) else warmup) - 1e-6

    @property
    def usual(self) -> float:
        """The median rate after the warm-up, ops/s."""
        return float(np.median(self.rate[self.steady])) if self.steady.any() else float("nan")

    def stalled(self, share: float) -> np.ndarray:
        """Which intervals (bool) are below that share of the usual rate, the run's first slow ones left out."""
        # Chance must not look like a stall: rates of a few operations an interval are empty now and then.
        if not self.usual * np.median(self.length_s) >= LEAST_OPERATIONS:
            return np.zeros(len(self.rate), dtype=bool)
        low = self.rate < share * self.usual
        return low & np.logical_or.accumulate(~low)


def series(runs: pd.DataFrame, intervals: pd.DataFrame, operation: str = TOTAL) -> list[RunSeries]:
    """The series of those runs that have intervals of all operations together, or of one of them.

    Parameters
        runs: as cells.usable gives them. intervals: the table of that name.
    Returns
        In the order of `runs`; a last interval shorter than half the usual one is left out.
    """
    if intervals.empty:
        return []
    whole = intervals[(intervals["operation"] == operation) & intervals["run_id"].isin(runs["run_id"])]
    length = whole["interval_s"].to_numpy(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        counted = whole["operations"].to_numpy(float) / length
    printed = whole["throughput_ops_s"].to_numpy(float)
    table = pd.DataFrame({
        "run_id": whole["run_id"].astype(str).to_numpy(), "end_s": whole["elapsed_s"].to_numpy(float),
        "length_s": length, "rate": np.where(np.isfinite(counted), counted, printed),
    })  # fmt: skip
    table = table[np.isfinite(table["rate"]) & (table["length_s"] > 0)].sort_values(["run_id", "end_s"], kind="stable")
    by_run = table.groupby("run_id", sort=False).indices
    columns = [table[name].to_numpy() for name in ("end_s", "length_s", "rate")]
    series_by_run = []
    for run in runs[runs["run_id"].isin(list(by_run))].to_dict("records"):
        at = by_run[run["run_id"]]
        if len(at) > 1 and columns[1][at[-1]] < FRAGMENT * np.median(columns[1][at[:-1]]):
            at = at[:-1]
        series_by_run.append(RunSeries(run, *(column[at] for column in columns)))
    return series_by_run


def course(intervals: pd.DataFrame) -> pd.DataFrame:
    """The rows that show how throughput went: of all operations, and none of the milliseconds that are left over
    after the last whole interval, which look as if a run came to a halt."""
    total = intervals[intervals["operation"].eq(TOTAL) & intervals["throughput_ops_s"].notna()]
    usual = total.groupby("run_id")["interval_s"].transform("median")
    return total[~(total["interval_s"] < FRAGMENT * usual)]
