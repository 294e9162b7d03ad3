"""Two mixes that change places: with more reads a server is slower, and faster on another of the same cores."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import Finding, Thresholds, rule
from ycsbook.facts import fact
from ycsbook.scaling.cells import Noise
from ycsbook.scaling.points import KIND

_DEVIATIONS = 3


@rule(
    cannot_know="which of the rows is wrong, or whether the data fit in the cache of one server only. Writes that "
    "nobody acknowledges cost the client little, and may make the mix with more of them the faster one everywhere",
    source="an update reads its document before it changes it; three standard deviations of a difference of four "
    "means of ln X, by the repeats or the assumed noise",
    defaults={"change": 0.2},
)
def mix_order(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """A mix of reads and updates slower by at least `change` than one with fewer reads, and faster by as much on
    another server of the same cores, with the same threads. A notice, about the mix that differs more between the two
    servers."""
    cells = evidence.cells
    known = [names.is_read_update(row) for row in cells[["workload", "read_fraction"]].to_dict("records")]
    plain = cells[np.array(known, dtype=bool)]
    for (*kind, _, _), part in plain.groupby([*KIND, "cores", "threads"]):
        by_reads = sorted(part.groupby("workload"), key=lambda mix: mix[1]["read_fraction"].mean())
        for (_, fewer), (_, more) in combinations(by_reads, 2):
            both = fewer.merge(more, on="spec", suffixes=("_fewer", "_more"))
            yield from _swapped(both, evidence.noise[tuple(kind)], -np.log1p(-settings["change"]))


def _swapped(both: pd.DataFrame, noise: Noise, least: float) -> Iterator[Finding]:
    """both: of each spec the cells of two mixes, fewer reads first. least: what counts as slower or faster, ln X."""
    gain = (both["log_y_more"] - both["log_y_fewer"]).to_numpy()
    if len(both) < 2 or gain.max() < least:
        return
    variance = (noise.variance if noise.df else noise.assumed**2) * (1 / both["n_fewer"] + 1 / both["n_more"])
    fastest = int(gain.argmax())
    apart = gain[fastest] - gain > _DEVIATIONS * np.sqrt(variance + variance[fastest])
    other = _mix(both, fastest, "more")
    for i in np.flatnonzero(apart & (gain <= -least)):
        fewer, more = (_mix(both, i, side) for side in ("fewer", "more"))
        steps = both.iloc[fastest][["log_y_fewer", "log_y_more"]] - both.iloc[i][["log_y_fewer", "log_y_more"]]
        odd = more if abs(steps["log_y_more"]) > abs(steps["log_y_fewer"]) else fewer
        yield Finding(
            "notice", odd["dataset"], odd["run_ids"],
            fact("mix_order", at=names.spec_and_threads(more), mix=names.mix(more), fewer=names.mix(fewer),
                 ops=np.exp(more["log_y"]), fewer_ops=np.exp(fewer["log_y"]), ratio=np.exp(gain[i]),
                 other=names.spec(other), other_ratio=np.exp(gain[fastest])),
            "repeats" if noise.df else "single", float(np.expm1(gain[i])),
            spec=more["spec"], threads=more["threads"], cause=f"mix_order {fewer['workload']} {more['workload']}",
        )  # fmt: skip


def _mix(both: pd.DataFrame, i: int, side: str) -> dict:
    """The cell of one mix of the i-th spec."""
    row = both.iloc[i]
    end = f"_{side}"
    return {"spec": row["spec"]} | {name.removesuffix(end): row[name] for name in row.index if name.endswith(end)}
