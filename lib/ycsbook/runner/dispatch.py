"""Chooses the next run, and its client machines, where several servers are measured at once.

One server is never driven by two runs, and one machine never drives two servers. Runs begin in plan order, so that what
is interleaved by rounds stays so. Of the idle machines those drive a run that have driven its cell least: what machines
differ by is then nobody's noise, and no cell's either.
"""

import heapq
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Job(NamedTuple):
    """A run to make, with its server and its cell; the repeats of a cell are alike."""

    run: Any
    server: Hashable
    cell: Hashable


class Order(NamedTuple):
    job: Job
    machines: tuple[str, ...]


@dataclass
class Dispatch:
    """Jobs that wait and those under way, by server; of `machines` each `needs` some, `at_once` servers at most."""

    machines: Sequence[str]
    needs: int = 1
    at_once: int = 1
    waiting: list[Job] = field(default_factory=list)
    _under_way: dict[Hashable, Order] = field(default_factory=dict)
    _driven: Counter = field(default_factory=Counter)

    def add(self, jobs: Iterable[Job], first: bool = False) -> None:
        self.waiting = [*jobs, *self.waiting] if first else [*self.waiting, *jobs]

    def next(self) -> Order | None:
        """The job to begin now; None: no server with a job is free, or too few machines are idle."""
        busy = {machine for order in self._under_way.values() for machine in order.machines}
        idle = [machine for machine in self.machines if machine not in busy]
        job = next((job for job in self.waiting if job.server not in self._under_way), None)
        if job is None or len(self._under_way) >= self.at_once or len(idle) < self.needs:
            return None
        self.waiting.remove(job)
        chosen = sorted(idle, key=lambda m: (self._driven[m, job.cell], self._driven[m]))[: self.needs]
        self._driven.update([*chosen, *((machine, job.cell) for machine in chosen)])
        self._under_way[job.server] = Order(job, tuple(chosen))
        return self._under_way[job.server]

    def ended(self, order: Order, lost: Iterable[str] = ()) -> None:
        """Note that a job has ended; machines that were lost get no more jobs."""
        del self._under_way[order.job.server]
        gone = set(lost)
        self.machines = [machine for machine in self.machines if machine not in gone]

    def without(self, server: Hashable) -> list[Job]:
        dropped = [job for job in self.waiting if job.server == server]
        self.waiting = [job for job in self.waiting if job.server != server]
        return dropped

    @property
    def stuck(self) -> bool:
        """Whether jobs wait that the machines left are too few for."""
        return bool(self.waiting) and len(self.machines) < self.needs


def takes_s(dispatch: Dispatch, took_s: Callable[[Job], float]) -> float:
    """How long the waiting jobs take in all, s, if each takes so long and nothing fails."""
    clock_s, under_way = 0.0, []
    while True:
        while order := dispatch.next():
            heapq.heappush(under_way, (clock_s + took_s(order.job), len(under_way), id(order), order))
        if not under_way:
            return clock_s
        clock_s, _, _, order = heapq.heappop(under_way)
        dispatch.ended(order)
