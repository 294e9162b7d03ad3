"""What twice the cores bring at equal RAM, and twice the RAM at equal cores; and each step from one RAM size to the
next."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

# Cores and RAM that are correlated more closely than this cannot be told apart.
MOST_ALIKE = 0.95
# Cores, RAM and a constant, and as much again to tell chance from them.
LEAST_SPECS = 6
# RAM sizes at so many core counts; at fewer it is a pair, and no trend.
LEAST_CORE_COUNTS = 3


class Apart(NamedTuple):
    """By what twice the cores at the same RAM, and twice the RAM at the same cores, multiply throughput."""

    workload: str
    threads: float
    cores: float
    ram: float


class RamStep(NamedTuple):
    """Two RAM sizes (GiB) at the same cores, and by what the larger multiplies throughput."""

    workload: str
    threads: float
    cores: float
    ram_from: float
    ram_to: float
    factor: float


def cores_and_ram_effects(rows: pd.DataFrame) -> list[Apart]:
    """What twice the cores bring among specs of equal RAM, and twice the RAM among specs of equal cores.

    Of each workload and thread count whose specs vary both apart; nothing where RAM rises with the cores.

    Each is the least-squares slope of ln X within the groups that are alike in the other: growth need not be a straight
    line in either.

    Parameters
        rows: points.with_throughput(runs): one row per run, repeats kept.
    """
    planes = []
    for (workload, threads), cells in _cells(rows).groupby(["workload", "threads"]):
        several = cells.groupby("cores")["ram_gib"].nunique() > 1
        logs = np.log2(cells[["cores", "ram_gib"]].to_numpy(float))
        if len(cells) < LEAST_SPECS or several.sum() < LEAST_CORE_COUNTS or _alike(logs) > MOST_ALIKE:
            continue
        by_cores, by_ram = _within(cells, "cores", alike="ram_gib"), _within(cells, "ram_gib", alike="cores")
        planes.append(Apart(str(workload), float(threads), by_cores, by_ram))
    return planes


def _within(cells: pd.DataFrame, column: str, *, alike: str) -> float:
    """By what a doubling of a column multiplies throughput among cells that are alike in another."""
    frame = pd.DataFrame({"x": np.log2(cells[column]), "y": cells["log_y"]})
    x, y = (frame - frame.groupby(cells[alike]).transform("mean")).to_numpy().T
    return float(np.exp(x @ y / (x @ x)))


def ram_spans(rows: pd.DataFrame) -> list[RamStep]:
    """From the least to the most RAM at the same cores, workload and threads; rows as for cores_and_ram_effects."""
    return [_ram_step(series, by_ram.iloc[[0, -1]]) for series, by_ram in _by_ram(rows) if len(by_ram) > 1]


def ram_steps(rows: pd.DataFrame) -> list[RamStep]:
    """From each RAM size to the next at the same cores, workload and threads; rows as for cores_and_ram_effects."""
    return [
        _ram_step(series, by_ram.iloc[i : i + 2]) for series, by_ram in _by_ram(rows) for i in range(len(by_ram) - 1)
    ]


def _ram_step(series: tuple[str, float, float], ends: pd.Series) -> RamStep:
    return RamStep(*series, *ends.index, float(np.exp(ends.iloc[1] - ends.iloc[0])))


def _by_ram(rows: pd.DataFrame) -> Iterator[tuple[tuple[str, float, float], pd.Series]]:
    """The mean ln X by RAM size (GiB) of each workload, thread count and core count, with as many records."""
    for _, alike in rows.groupby(rows.get("records", pd.Series(0, rows.index)), dropna=False):
        for (workload, threads, cores), cells in _cells(alike).groupby(["workload", "threads", "cores"]):
            yield (str(workload), float(threads), float(cores)), cells.groupby("ram_gib")["log_y"].mean()


def _cells(rows: pd.DataFrame) -> pd.DataFrame:
    known = rows[(rows["y"] > 0) & (rows["cores"] > 0) & (rows["ram_gib"] > 0)]
    keys = ["workload", "threads", "spec", "cores", "ram_gib"]
    return np.log(known["y"]).groupby([known[key] for key in keys]).mean().rename("log_y").reset_index()


def _alike(logs: np.ndarray) -> float:
    """The correlation of cores and RAM; 1 where one of them never varies."""
    return abs(float(np.corrcoef(logs.T)[0, 1])) if (np.ptp(logs, axis=0) > 0).all() else 1.0
