"""Finds the runs that follow from what others measured: of a search for a rate, and of a sweep with a question.

The highest rate that keeps a p99 is searched behind each run at full speed, by bisection with targets, and by each
repeat for itself, so that several answers tell how sure it is. A question's runs are chosen round by round
(scaling.until). What was found is read from the store: a search that was stopped goes on where it was.
"""

import math
import random
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from itertools import count, takewhile

from ycsbook import ingest
from ycsbook.params import PlannedRun, Sweep
from ycsbook.store.runs import RunStore
from ycsbook.units import US_PER_MS

# The highest rate that keeps it and the lowest that does not are so close at the end.
CLOSE = 1.05
# Below this share of full speed nothing is tried.
LEAST_SHARE = 1 / 64
_DIGITS = 2


def expanded(runs: Iterable[PlannedRun], store: RunStore) -> list[PlannedRun]:
    """The runs, each that searches followed by the runs of its search that are known so far."""
    return [step for run in runs for step in (_steps(run, store) if run.sweep.search_rate else [run])]


def next_of_search(run: PlannedRun, store: RunStore) -> PlannedRun | None:
    """The run to make after one that is completed; None where the search is at its end."""
    variation = tuple(item for item in run.variation if item[0] != "target_ops_s")
    full_speed = replace(run, sweep=run.sweep.model_copy(update={"target_ops_s": None}), variation=variation)
    last = _steps(full_speed, store)[-1]
    return None if store.is_completed(last.run_id) else last


def _steps(full: PlannedRun, store: RunStore) -> list[PlannedRun]:
    """The runs of a search in order; the last may not be made yet."""
    steps, goal_ms = [full], full.sweep.goals.p99_ms
    speed_and_p99_ms = _measured(full, store)
    if speed_and_p99_ms is None or speed_and_p99_ms[1] <= goal_ms:
        return steps
    low, high, top = 0.0, speed_and_p99_ms[0], speed_and_p99_ms[0]
    while (target := next_target(low, high, top)) is not None:
        sweep, variation = full.sweep.model_copy(update={"target_ops_s": target}), ("target_ops_s", target)
        steps.append(replace(full, sweep=sweep, variation=(*full.variation, variation)))
        speed_and_p99_ms = _measured(steps[-1], store)
        if speed_and_p99_ms is None:
            break
        # Of a server that does not keep up more and more operations wait, and the p99 tells.
        low, high = (target, high) if speed_and_p99_ms[1] <= goal_ms else (low, target)
    return steps


def next_target(low: float, high: float, top: float) -> float | None:
    """The rate (ops/s, of two digits) to try between `low`, which keeps the goal (0: none is known to), and `high`,
    which does not; None: close enough. `top`: full speed."""
    middle = math.sqrt(low * high) if low else high / 2
    if (low and high / low <= CLOSE) or middle < LEAST_SHARE * top:
        return None
    step = 10.0 ** (math.floor(math.log10(middle)) - _DIGITS + 1)
    target = round(middle / step) * step
    return target if low < target < high else None


def _measured(run: PlannedRun, store: RunStore) -> tuple[float, float] | None:
    """Throughput (ops/s) and the slowest operation's p99 (ms, from when it was due); None: not made."""
    if not store.is_completed(run.run_id):
        return None
    # Only here: data frames take longer to load than a plan takes.
    from ycsbook.scaling.points import slowest_p99_us

    tables = ingest.read([store.folder(run.run_id)])
    p99_us = float(slowest_p99_us(tables.percentiles).max())
    return float(tables.runs["throughput_ops_s"].iloc[0]), p99_us / US_PER_MS


class QuestionRounds:
    """The runs of a sweep with a question (`until`). `first`: the first repeat of each cell that can be measured."""

    def __init__(self, sweep: Sweep, first: list[PlannedRun], store: RunStore):
        self._sweep, self._store = sweep, store
        self._first = {_cell(run): run for run in first}
        self._read: dict = {}

    def made(self) -> list[PlannedRun]:
        runs = []
        for run in self._first.values():
            repeats = (replace(run, repeat=repeat) for repeat in count(1))
            runs += takewhile(lambda repeat: self._store.is_completed(repeat.run_id), repeats)
        return sorted(runs, key=lambda run: run.repeat)

    def following(self, failed: Collection[PlannedRun] = ()) -> list[PlannedRun]:
        """The runs to make next, but of cells of `failed` runs; none once it is answered or the budget is spent."""
        # Only here: data frames take longer to load than a plan takes.
        import pandas as pd

        from ycsbook.scaling.until import CellName, state
        from ycsbook.tables import empty

        completed, lost = self.made(), {_cell(run) for run in failed}
        for run in completed:
            if run.run_id not in self._read:
                self._read[run.run_id] = ingest.read([self._store.folder(run.run_id)]).runs
        runs = [self._read[run.run_id] for run in completed]
        table = pd.concat(runs, ignore_index=True) if runs else empty("runs")
        open_cells = [CellName(*cell) for cell in self._first if cell not in lost]
        cells = state(self._sweep, table, open_cells).following
        repeats = {cell: sum(_cell(run) == cell for run in completed) for cell in cells}
        runs = [replace(self._first[cell], repeat=repeats[cell] + 1) for cell in cells]
        # In another order each round, so that a host's slow drift is nobody's; a server is set up once.
        rng = random.Random(f"{self._sweep.seed} {len(completed)}")
        specs = list(dict.fromkeys(run.spec.name for run in runs))
        rng.shuffle(specs)
        rng.shuffle(runs)
        return sorted(runs, key=lambda run: specs.index(run.spec.name))


@dataclass
class FollowUps:
    """A sweep that is being made: what to do after each run, which runs follow, and which failed and why."""

    store: RunStore
    rounds: QuestionRounds | None
    after_run: Callable[[], None] | None
    planned: list[PlannedRun]
    failed: list[PlannedRun] = field(default_factory=list)
    unsuccessful: dict[str, str] = field(default_factory=dict)

    def without_success(self, runs: list[PlannedRun], reason: str) -> None:
        self.failed += runs
        self.unsuccessful |= {run.run_id: reason for run in runs}

    def following(self, last: PlannedRun) -> list[PlannedRun]:
        more = next_of_search(last, self.store) if last.sweep.search_rate else None
        self.planned += (runs := [more] if more else [])
        return runs

    def chosen(self) -> list[PlannedRun]:
        """The next round of a sweep with a question; empty where it is answered, or there is none."""
        self.planned += (runs := self.rounds.following(self.failed) if self.rounds else [])
        return runs


def _cell(run: PlannedRun) -> tuple[str, str, int]:
    return run.workload.name, run.spec.name, run.threads
