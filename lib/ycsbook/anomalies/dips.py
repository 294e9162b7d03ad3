"""Specs that do less than those beside them: each core less than on a smaller server, and than on a larger one."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ycsbook import names
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import BEYOND_DOUBT, Finding, Thresholds, rule
from ycsbook.facts import fact
from ycsbook.scaling.pairs import Compared, beyond, compared, lost
from ycsbook.scaling.points import KIND, at_own_threads

BUDGET = 0.0001
# Of neighbours that are nearer to each other in cores the line between them tells little.
_SPAN = 3.0
# Where a core of the larger neighbour does so many times as much as one of the smaller, that one may be what is slow:
# the data may fit in the RAM of the larger one only.
_STEEP = 1.1


@rule(
    budget=BUDGET,
    cannot_know="why: a slow host, another kind of machine or disk, or RAM that the data just do not fit in",
    source="in every law a core does no more on a larger server than on a smaller one; one-sided t tests on ln X "
    "against both neighbours, of which the weaker counts (Berger 1982), by Holm (1979) over all specs",
    defaults={"loss": 0.25, "alone": BEYOND_DOUBT, "level": 0.01},
)
def dip(evidence: Evidence, settings: Thresholds) -> Iterator[Finding]:
    """A spec each of whose cores does less than those of the next smaller spec and of the next larger one, and that
    does at least `loss` less than the line between the two, in most of its mixes and thread counts: a notice where
    several show it, or one beyond the noise of its repeats at `level`, or without repeats one that loses `alone`; a
    warning where several show it and repeats prove it within the budget.

    Neighbours have no more RAM below and no less above. Effect: the least of the losses.
    """
    cells = at_own_threads(evidence.compared)
    clear = [not evidence.contradicted(ids) for ids in cells["run_ids"]]
    for kind, part in cells[(cells["cores"] > 0) & np.array(clear, dtype=bool)].groupby(list(KIND), sort=True):
        small, own, large = _between(part)
        per_core = part.assign(log_y=part["log_y"] - np.log(part["cores"]))
        noise = evidence.noise[kind]
        tested = Compared(*map(np.maximum, *(compared(per_core, of, own, noise) for of in (small, large))))
        log_y, cores = part["log_y"].to_numpy(float), np.log(part["cores"].to_numpy(float))
        slope = (log_y[large] - log_y[small]) / (cores[large] - cores[small])
        loss = -np.expm1(log_y[own] - log_y[small] - slope * (cores[own] - cores[small]))
        unknown = np.isnan(tested.p_falls)
        shown = np.where(unknown, tested.ratio <= 1 - beyond(noise.assumed), lost(tested, settings["level"]))
        steep = (slope - 1) * (cores[large] - cores[small]) > np.log(_STEEP)
        rows = part.iloc[own].assign(
            small=small, large=large, loss=loss, known=~unknown, sure=lost(tested, BUDGET),
            dips=shown & (loss >= settings["loss"]) & ~steep,
        )  # fmt: skip
        for _, of_spec in rows.groupby("spec"):
            low = of_spec[of_spec["dips"]]
            if low.empty or 2 * len(low) < len(of_spec):
                continue
            first, least, most = low.iloc[0], float(low["loss"].min()), float(low["loss"].max())
            if len(low) < 2 and not first["known"] and least < settings["alone"]:
                continue
            smaller, larger = (names.spec_listed(part.iloc[int(first[of])].to_dict()) for of in ("small", "large"))
            yield Finding(
                "warning" if len(low) > 1 and low["sure"].any() else "notice", first["dataset"], low["run_ids"].sum(),
                fact("dip", spec=names.spec_listed(first.to_dict()), smaller=smaller, larger=larger, n=len(low),
                     total=len(of_spec), least=least if round(least, 2) < round(most, 2) else None, most=most),
                "repeats" if low["known"].all() else "single", -least, spec=first["spec"],
            )  # fmt: skip


def _between(cells: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The cells that stand between two others of their mix and threads, as positions: the smaller neighbour, the cell,
    the larger neighbour; nearest in cores, then in RAM."""
    found: list[tuple[int, int, int]] = []
    cores, ram = (cells[c].to_numpy(float) for c in ("cores", "ram_gib"))
    for at in cells.groupby(["workload", "threads"], dropna=False).indices.values():
        order = at[np.lexsort((ram[at], cores[at]))]
        for own in order:
            small = order[(cores[order] < cores[own]) & ~(ram[order] > ram[own])][-1:]
            large = order[(cores[order] > cores[own]) & ~(ram[order] < ram[own])][:1]
            if len(small) and len(large) and cores[large[0]] >= _SPAN * cores[small[0]]:
                found.append((int(small[0]), int(own), int(large[0])))
    small, own, large = np.array(found, dtype=int).reshape(-1, 3).T
    return small, own, large
