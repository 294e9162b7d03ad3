"""What a sweep with a question may still measure."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

import pandas as pd

from ycsbook import units
from ycsbook.params import Sweep
from ycsbook.scaling.points import with_throughput
from ycsbook.scaling.until import CellName, Look, every_cell, look
from ycsbook.verdicts import Outcome

REACHED, BORDER, RUNS, HOURS, COST = "reached", "border", "runs", "hours", "cost"


class Spent(NamedTuple):
    """What runs took or will take: how many, hours of measuring, and what the specs cost meanwhile (0 without
    prices)."""

    runs: int
    hours: float
    cost: float


class Standing(NamedTuple):
    """Where a sweep with a question is.

    Attributes
        look: what its runs answer.
        following: the runs to make next; empty: it stops.
        stopped: why: REACHED, BORDER (what is open lies so near the border that more looks tell nothing), RUNS, HOURS,
            COST; empty: it goes on.
        spent, most: what the runs there took, and how many the plan's matrix has.
    """

    look: Look
    following: tuple[CellName, ...]
    stopped: str
    spent: Spent
    most: int


def state(sweep: Sweep, runs: pd.DataFrame, cells: Collection[CellName] | None = None) -> Standing:
    """What the runs answer, and what to make next within the budget.

    Parameters
        runs: the sweep's runs as the table has them, whatever became of them.
        cells: those that can be measured; None: all of the sweep.
    """
    cells = every_cell(sweep) if cells is None else cells
    made = runs[runs["outcome"] != Outcome.PUBLISHED]
    done = made[made["outcome"] == Outcome.COMPLETED]
    known = look(sweep, with_throughput(done), cells)
    spent = of(sweep, (CellName(w, s, 0) for w, s in made[["workload", "spec"]].itertuples(index=False)))
    most = len(every_cell(sweep)) * sweep.repeats
    following = []
    stopped = "" if known.following else REACHED if known.reached else BORDER
    for cell in known.following:
        total = of(sweep, [*following, cell])
        if stopped := _exceeds(sweep, Spent(*(a + b for a, b in zip(spent, total, strict=True))), most):
            break
        following.append(cell)
    return Standing(known, tuple(following), "" if following else stopped, spent, most)


def of(sweep: Sweep, cells: Iterable[CellName]) -> Spent:
    """What runs of these cells take."""
    workloads = {workload.name: workload for workload in sweep.workloads}
    runs, hours, cost = 0, 0.0, 0.0
    for cell in cells:
        took = sweep.expected_s(workloads[cell.workload]) / units.SECONDS_PER_HOUR
        runs, hours, cost = runs + 1, hours + took, cost + took * sweep.prices.get(cell.spec, 0.0)
    return Spent(runs, hours, cost)


def _exceeds(sweep: Sweep, spent: Spent, most: int) -> str:
    until = sweep.until
    if until.max_hours is not None and spent.hours > until.max_hours:
        return HOURS
    if until.max_cost is not None and spent.cost > until.max_cost:
        return COST
    unlimited = until.max_hours is not None or until.max_cost is not None
    return RUNS if spent.runs > most and not unlimited else ""
