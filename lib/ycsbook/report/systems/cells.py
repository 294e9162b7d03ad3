"""The cells of an experiment: what was measured of each operation, and how many times as fast one is as another."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ycsbook.operations import NOT_OPERATIONS
from ycsbook.report.rows import ReportRows
from ycsbook.scaling.cells import ASSUMED_NOISE, run_noise, student_t

# What tells cells apart besides operation and spec; `plain` cells are those of the first of each.
SETTINGS = ("records", "indexes", "write_concern", "threads")
KEYS = ("operation", *SETTINGS, "spec")
# Two single runs differ by less, |ln|, than what is told of them.
_SINGLE_RUNS = 3 * math.sqrt(2) * ASSUMED_NOISE


@dataclass(frozen=True)
class SpeedRatio:
    """How many times as fast one cell is as another, with its 95 % interval; NaN where nothing was repeated."""

    factor: float
    low: float
    high: float

    @property
    def is_shown(self) -> bool:
        """Whether the two differ: by the interval, or where nothing was repeated by more than a run may vary."""
        if math.isnan(self.low):
            return abs(math.log(self.factor)) > _SINGLE_RUNS
        return self.low > 1 or self.high < 1


class ExperimentCells:
    """The measured cells of a sweep and the noise of a run.

    `frame`: a row per cell with KEYS, `name` (of the spec), `ops` (geometric mean, ops/s), `n` (runs), `mean_us`,
    `p99_us`, `cpu` (utilisation of the server); operations in the order of the experiment. `specs` in that of the
    sweep.
    """

    def __init__(self, rows: ReportRows):
        runs = with_operation(rows)
        self.noise = run_noise(runs)
        groups = runs.groupby(list(KEYS), dropna=False)
        frame = groups.agg(
            ops=("y", lambda y: float(np.exp(np.log(y).mean()))), n=("y", "size"), mean_us=("mean_us", "mean"),
            p99_us=("p99_us", "mean"), cpu=("cpu_utilisation", "mean"), name=("name", "first"),
        ).reset_index()  # fmt: skip
        self.specs = [spec.name for spec in rows.sweep.specs if spec.name in set(frame["spec"])]
        order = {"operation": rows.sweep.measures.operations, "spec": tuple(self.specs)}
        # As the experiment and the sweep list them; all else by its value.
        ranks = {name: {value: rank for rank, value in enumerate(values)} for name, values in order.items()}
        self.frame = frame.sort_values(list(KEYS), key=lambda c: c.map(ranks[c.name]) if c.name in ranks else c)

    @property
    def is_repeated(self) -> bool:
        """Whether noise is known."""
        return self.noise.df > 0

    def values(self, setting: str) -> list:
        """The values of a setting, in order; of write concerns the usual one first."""
        return sorted(set(self.frame[setting].dropna()), key=lambda value: (value != "1", value))

    def plain(self, *free: str) -> pd.DataFrame:
        """The cells with the first value of every setting but those that are `free`."""
        is_plain = pd.Series(True, index=self.frame.index)
        for setting in set(SETTINGS) - set(free):
            if values := self.values(setting):
                is_plain &= self.frame[setting].eq(values[0])
        return self.frame[is_plain]

    def cell(self, operation: str, spec: str, **settings: object) -> pd.Series | None:
        """The cell of an operation and a spec with these settings, else the first of each; None: not measured."""
        cells = self.plain(*settings)
        for key, value in {"operation": operation, "spec": spec, **settings}.items():
            cells = cells[cells[key] == value]
        return None if cells.empty else cells.iloc[0]

    def ratio(self, first: pd.Series | None, second: pd.Series | None, times: float = 1.0) -> SpeedRatio | None:
        """How many times as fast the second is; `times`: records of one of its operations for one of the first's.

        The interval is Student's, from the noise of a run pooled over all repeated cells (scaling.cells).
        """
        if first is None or second is None:
            return None
        factor = second["ops"] * times / first["ops"]
        if not self.is_repeated:
            return SpeedRatio(factor, math.nan, math.nan)
        error = math.sqrt(self.noise.variance * (1 / first["n"] + 1 / second["n"]))
        spread = math.exp(student_t(self.noise.df) * error)
        return SpeedRatio(factor, factor / spread, factor * spread)


def with_operation(rows: ReportRows) -> pd.DataFrame:
    """The measured runs with the operation that they made, its count of good ones, mean latency and 99th percentile."""
    made = rows.tables.operations
    made = made[~made["operation"].isin(NOT_OPERATIONS)][["run_id", "operation", "ok", "mean_us"]]
    tail = rows.tables.percentiles.rename(columns={"latency_us": "p99_us"})
    tail = tail.loc[tail["percentile"] == 99, ["run_id", "operation", "p99_us"]]
    made = made.merge(tail, on=["run_id", "operation"], how="left")
    runs = rows.measured.drop(columns="p99_us").merge(made, on="run_id")
    return runs.assign(operation=runs["operation"].str.lower().str.replace("_", "-"))
