"""A sweep with a question: its runs are chosen round by round from those that are there (scaling.until)."""

import random
from collections.abc import Collection
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from ycsbook import ingest
from ycsbook.params import PlannedRun, Sweep
from ycsbook.store.runs import RunStore

if TYPE_CHECKING:
    import pandas as pd


class Choosing:
    """The runs of a sweep with a question.

    Parameters
        sweep: with `until`.
        first: each cell's first repeat, those that can be made.
    """

    def __init__(self, sweep: Sweep, first: list[PlannedRun], store: RunStore):
        self._sweep, self._store = sweep, store
        self._first = {(run.workload.name, run.spec.name, run.threads): run for run in first}
        self._read: dict[str, pd.DataFrame] = {}

    def made(self) -> list[PlannedRun]:
        """The completed runs of these cells, round by round."""
        runs = []
        for run in self._first.values():
            for repeat in count(1):
                again = replace(run, repeat=repeat)
                if not self._store.is_completed(again.run_id):
                    break
                runs.append(again)
        return sorted(runs, key=lambda run: run.repeat)

    def following(self, failed: Collection[PlannedRun] = ()) -> list[PlannedRun]:
        """The runs to make next; none where the question is answered, or the budget is spent.

        Parameters
            failed: runs that were tried without success: their cells are not tried again.
        """
        # Only here: data frames take longer to load than a plan takes.
        import pandas as pd

        from ycsbook.scaling.until import state
        from ycsbook.tables import empty

        made, lost = self.made(), {(run.workload.name, run.spec.name, run.threads) for run in failed}
        for run in made:
            if run.run_id not in self._read:
                self._read[run.run_id] = ingest.read([self._store.folder(run.run_id)]).runs
        runs = [self._read[run.run_id] for run in made]
        table = pd.concat(runs, ignore_index=True) if runs else empty("runs")
        cells = state(self._sweep, table, [cell for cell in self._cells() if cell not in lost]).following
        repeats = {cell: sum((r.workload.name, r.spec.name, r.threads) == cell for r in made) for cell in cells}
        runs = [replace(self._first[cell], repeat=repeats[cell] + 1) for cell in cells]
        return self._interleaved(runs, len(made))

    def _cells(self):
        from ycsbook.scaling.until import CellName

        return [CellName(*cell) for cell in self._first]

    def _interleaved(self, runs: list[PlannedRun], n: int) -> list[PlannedRun]:
        """In another order each round, so that a host's slow drift is nobody's; a server is set up once."""
        rng = random.Random(f"{self._sweep.seed} {n}")
        specs = list(dict.fromkeys(run.spec.name for run in runs))
        rng.shuffle(specs)
        rng.shuffle(runs)
        return sorted(runs, key=lambda run: specs.index(run.spec.name))
