"""How far a sweep is, read from the store: the same for whoever makes the runs."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from ycsbook import units
from ycsbook.params import PlannedRun
from ycsbook.runner.clients import pace
from ycsbook.runner.watchdog import recent_ops_s
from ycsbook.store.runs import PARTIAL, RunStore

# What a run takes beside its measured time: the JVM's start, the probes, closing the files.
OVERHEAD_S = 1.7
COUNTED_S = 60.0
# Seconds of throughput that are shown.
PACE_S = 20
_BARS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class Progress:
    """`done` of `total` runs, the one being made with its throughput of late (ops/s, second by second), and the time
    the rest will take."""

    done: int
    total: int
    current: str
    seconds_left: float
    recent_ops_s: tuple[float, ...] = ()

    def __str__(self) -> str:
        left = f", about {units.duration(self.seconds_left)} left" if self.done < self.total else ""
        return f"{self.done} of {self.total} runs done{left}"

    @property
    def pace(self) -> str:
        """The throughput of late as a line of bars from 0 to the highest, and its last figure; empty: not known.

        Examples
            >>> Progress(0, 1, "a-run", 5.0, (0.0, 500.0, 1000.0)).pace
            '▁▅█ 1,000 ops/s'
        """
        if not self.recent_ops_s:
            return ""
        top = max(self.recent_ops_s) or 1.0
        bars = "".join(_BARS[round(rate / top * (len(_BARS) - 1))] for rate in self.recent_ops_s)
        return f"{bars} {self.recent_ops_s[-1]:,.0f} ops/s"


def expected_s(run: PlannedRun) -> float:
    """How long the run will take, s; one that ends by its operations takes nobody knows how long, say a minute."""
    return (run.sweep.min_duration if run.sweep.operations is None else COUNTED_S) + OVERHEAD_S


def snapshot(
    planned: list[PlannedRun], store: RunStore, since: str = "", completed: set[str] | None = None
) -> Progress:
    """The state of the planned runs now.

    Parameters
        since: count only runs that ended after this moment (ISO 8601, UTC), where all are made again.
        completed: ids of runs known to be completed, which are not read again; grows. Whoever looks often, beside a run
            that is being measured, gives the same one each time.
    """
    completed = set() if completed is None else completed
    present = _names(store.root)
    for run in planned:
        if run.run_id in present and run.run_id not in completed and store.is_completed(run.run_id, since):
            completed.add(run.run_id)
    left = [run for run in planned if run.run_id not in completed]
    seconds = sum(expected_s(run) for run in left)
    partial = store.current()
    name = partial.name.removesuffix(PARTIAL) if partial else ""
    if partial and any(run.run_id == name for run in left):
        seconds -= min(_elapsed_s(partial), expected_s(left[0]))
    # A client of this machine writes its log there; of several only their sum is known before the end.
    recent = (recent_ops_s(partial / "run.err", PACE_S) or pace.recent_ops_s(partial, PACE_S)) if partial else []
    return Progress(len(planned) - len(left), len(planned), name, max(seconds, 0.0), tuple(recent))


def _names(folder: Path) -> set[str]:
    try:
        return set(os.listdir(folder))
    except FileNotFoundError:
        return set()


def _elapsed_s(partial: Path) -> float:
    """Since when a run is being made, s."""
    try:
        return max(0.0, time.time() - (partial / "hdr").stat().st_mtime)
    except FileNotFoundError:
        return 0.0
