"""What RAM brings at the same cores, and cores at the same RAM, over the specs that were measured."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

# Closer together than this the two cannot be told apart.
MOST_ALIKE = 0.95
# Cores, RAM and a constant, and as much again to tell chance from them.
LEAST_SPECS = 6
# RAM sizes at so many core counts; at fewer it is a pair, and no trend.
LEAST_CORE_COUNTS = 3


@dataclass(frozen=True)
class Apart:
    """Of one workload and thread count: by what twice the cores at the same RAM, and twice the RAM at the same cores,
    multiply throughput."""

    workload: str
    threads: float
    cores: float
    ram: float


@dataclass(frozen=True)
class RamStep:
    """Two RAM sizes (GiB) at the same cores, and by what the larger multiplies throughput."""

    workload: str
    threads: float
    cores: float
    ram_from: float
    ram_to: float
    factor: float


def apart(rows: pd.DataFrame) -> list[Apart]:
    """The least-squares plane of ln X over log2 cores and log2 RAM of each workload and thread count whose specs vary
    both apart; nothing where RAM rises with the cores.

    Parameters
        rows: points.with_throughput(runs): one row per run, repeats kept.
    """
    planes = []
    for (workload, threads), cells in _cells(rows).groupby(["workload", "threads"]):
        several = cells.groupby("cores")["ram_gib"].nunique() > 1
        logs = np.log2(cells[["cores", "ram_gib"]].to_numpy(float))
        if len(cells) < LEAST_SPECS or several.sum() < LEAST_CORE_COUNTS or _alike(logs) > MOST_ALIKE:
            continue
        design = np.column_stack([np.ones(len(cells)), logs])
        _, cores, ram = np.linalg.lstsq(design, cells["log_y"].to_numpy(), rcond=None)[0]
        planes.append(Apart(str(workload), float(threads), float(np.exp(cores)), float(np.exp(ram))))
    return planes


def ram_steps(rows: pd.DataFrame) -> list[RamStep]:
    """From each RAM size to the next at the same cores, workload and threads.

    Parameters
        rows: as `apart`.
    """
    steps = []
    for (workload, threads, cores), cells in _cells(rows).groupby(["workload", "threads", "cores"]):
        by_ram = cells.groupby("ram_gib")["log_y"].mean()
        for low, high, change in zip(by_ram.index, by_ram.index[1:], by_ram.diff().iloc[1:], strict=False):
            steps.append(RamStep(str(workload), float(threads), float(cores), low, high, float(np.exp(change))))
    return steps


def _cells(rows: pd.DataFrame) -> pd.DataFrame:
    known = rows[(rows["y"] > 0) & (rows["cores"] > 0) & (rows["ram_gib"] > 0)]
    keys = ["workload", "threads", "spec", "cores", "ram_gib"]
    return np.log(known["y"]).groupby([known[key] for key in keys]).mean().rename("log_y").reset_index()


def _alike(logs: np.ndarray) -> float:
    """The correlation of cores and RAM; 1 where one of them never varies."""
    return abs(float(np.corrcoef(logs.T)[0, 1])) if (np.ptp(logs, axis=0) > 0).all() else 1.0
