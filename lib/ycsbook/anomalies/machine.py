"""The machine around the server: a host that changes speed, a server that is not the limit. Once per dataset."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ycsbook.anomalies import wording
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Settings, rule
from ycsbook.scaling.cells import CELL
from ycsbook.scaling.points import KIND
from ycsbook.verdicts import HOST_SPEED_TOLERANCE, Warn

CPU_IDLE = 0.70
FLAT_RATIO = 1.10


@rule
def host_speed(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """The host's own speed, probed before and after each run, changed by more than 10 %."""
    runs = evidence.runs
    for dataset, part in evidence.by_dataset(runs[(runs["host_speed"] - 1).abs() > HOST_SPEED_TOLERANCE]):
        probed = int(evidence.alike(runs, part)["host_speed"].notna().sum())
        worst = part.loc[(part["host_speed"] - 1).abs().idxmax()]
        yield Finding(
            "warning", dataset, tuple(part["run_id"]),
            f"the host's own speed changed by more than {100 * HOST_SPEED_TOLERANCE:.0f} % during {len(part)} of "
            f"{wording.count(probed, 'run')}, most ({wording.change(worst['host_speed'] - 1)}) at "
            f"{wording.spec(worst)}, {wording.mix(worst)}, {wording.threads(worst['threads'])}",
            Warn.HOST_SPEED_CHANGED.advice, "single", float(worst["host_speed"] - 1),
        )  # fmt: skip


@rule
def client_limited(evidence: Evidence, settings: Settings) -> Iterator[Finding]:
    """A server less than 70 % busy at its highest thread count, while throughput is flat: something else is the limit.

    What this cannot know: whether that is the client, the network, the pool, the disk or a lock.
    """
    cells = evidence.cells.sort_values(CELL)
    per_spec = cells.groupby(CELL[:-1], dropna=False)
    gain_threads = np.exp(cells["log_y"] - per_spec["log_y"].shift(1))
    top = cells["threads"] == per_spec["threads"].transform("max")
    flat = (gain_threads <= FLAT_RATIO) | _flat_over_cores(cells)
    for dataset, part in evidence.by_dataset(cells[top & flat & (cells["cpu_utilisation"] < CPU_IDLE)]):
        least = part.loc[part["cpu_utilisation"].idxmin()]
        names = wording.listed([f"{wording.spec(r)} {wording.mix(r)}" for r in part.to_dict("records")])
        yield Finding(
            "note", dataset, tuple(r for ids in part["run_ids"] for r in ids),
            f"throughput is flat although the server's CPU is not: {names}; least busy {wording.spec(least)}, "
            f"{wording.mix(least)}, {wording.threads(least['threads'])} at {100 * least['cpu_utilisation']:.0f} %. "
            "The limit lies elsewhere: client, network, connection pool, disk or locks",
            "use more client machines or threads, and check the pool, before reading these points as the server's",
            "single",
        )  # fmt: skip


def _flat_over_cores(cells: pd.DataFrame) -> pd.Series:
    """Whether a cell gains at most 10 % on the best spec with fewer cores at the same threads."""
    flat = pd.Series(False, index=cells.index)
    for _, group in cells.groupby([*KIND, "workload", "threads"], dropna=False):
        for row in group.itertuples():
            smaller = group.loc[group["cores"] < row.cores, "log_y"]
            flat[row.Index] = bool(len(smaller)) and bool(np.exp(row.log_y - smaller.max()) <= FLAT_RATIO)
    return flat
