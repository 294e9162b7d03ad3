"""The clients of one run as the runner sees them: their clocks, their common start, how far they are, their end."""

import contextlib
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ycsbook.errors import ClientMachineError, shown
from ycsbook.runner.clients import task
from ycsbook.runner.clients.task import ClientOrder, ClientReport, ClientState
from ycsbook.runner.clients.workers import Workers, unreachable_errors

PREPARE_LIMIT_S = 60.0
END_LIMIT_S = 20.0
# From the moment that all are told the start, so that the slowest message is there in time.
LEAD_S = 0.3
_CLOCK_ROUNDS = 5
# A clock that is wrong by more was never set.
APART_S = 300.0
_POLL_S = 0.1


@dataclass(frozen=True)
class Clock:
    """How far a client's clock is ahead of the runner's, s, and by how much that may be wrong."""

    ahead_s: float
    error_s: float


class Clients:
    """Clients that work on one run; close it, or use it in a `with`.

    Parameters
        orders: one for each worker; they get keys of their own.
    """

    def __init__(self, workers: Workers, orders: Sequence[ClientOrder]):
        self._workers, self._client = workers, workers.client
        token = uuid.uuid4().hex
        self._keys = [f"ycsbook-{token}-{i}" for i in range(len(orders))]
        self.clocks: tuple[Clock, ...] = ()
        self.began_s = 0.0
        self._futures = [
            self._client.submit(
                task.drive, replace(order, key=key), key=key, workers=[address], allow_other_workers=False,
                pure=False, retries=0,
            )
            for key, order, address in zip(self._keys, orders, workers.addresses, strict=True)
        ]  # fmt: skip

    def __len__(self) -> int:
        return len(self._keys)

    def prepare(self) -> None:
        """Wait until every client could start, and compare the clocks.

        Raises
            ClientMachineError: one cannot: something is missing on its machine, or its worker is busy or gone.
        """
        limit = time.monotonic() + PREPARE_LIMIT_S
        while not all(state is not None and state.prepared for state in self.states()):
            for i in range(len(self)):
                if (report := self.report(i)) is not None:
                    raise ClientMachineError(f"{self._named(i)} cannot start: {report.error or 'it ended at once'}")
            if gone := self._workers.lost():
                raise ClientMachineError(f"{self._named(gone[0])} is gone before the start; look at its log")
            if time.monotonic() > limit:
                raise ClientMachineError(
                    f"not all of {len(self)} clients are ready after {PREPARE_LIMIT_S:g} s: the workers may be busy "
                    "with something else, or have other work waiting"
                )
            time.sleep(_POLL_S)
        self.clocks = tuple(map(self._clock, range(len(self))))

    def start(self) -> float:
        """Let all of them start at one moment; returns it, s since 1970 by the runner's clock."""
        self.began_s = time.time() + LEAD_S + 4 * sum(clock.error_s for clock in self.clocks)
        for i, clock in enumerate(self.clocks):
            self._ask(i, task.start, self._keys[i], self.began_s + clock.ahead_s)
        return self.began_s

    def states(self) -> list[ClientState | None]:
        """How far each is; None: it has ended, or cannot be asked."""
        states: list[ClientState | None] = []
        # Asking one that is gone takes as long as dask tries to connect.
        lost = self.lost()
        for i in range(len(self)):
            over = i in lost or self._futures[i].done()
            answer = None if over else self._ask(i, task.state, self._keys[i])
            states.append(answer if isinstance(answer, ClientState) else None)
        return states

    def report(self, i: int) -> ClientReport | None:
        """What client i gave back; None while it works."""
        future = self._futures[i]
        if not future.done():
            return None
        if future.status == "finished":
            return future.result()
        if future.status in ("cancelled", "lost"):
            return ClientReport(error="its worker was lost", worker_lost=True, stop_reason="killed")
        error = future.exception()
        return ClientReport(error=f"{type(error).__name__}: {shown(str(error))}")

    def lost(self) -> tuple[int, ...]:
        """The clients whose worker is gone, by number, and which gave nothing back before."""
        return tuple(i for i in self._workers.lost() if not self._futures[i].done())

    def end(self) -> None:
        """End all that still work, and wait until they have given back what there is."""
        lost = self.lost()
        for i, future in enumerate(self._futures):
            if not future.done() and i not in lost:
                self._ask(i, task.end, self._keys[i])
        limit = time.monotonic() + END_LIMIT_S
        while time.monotonic() < limit:
            lost = self.lost()
            if all(f.done() or i in lost for i, f in enumerate(self._futures)):
                return
            time.sleep(_POLL_S)

    def __enter__(self) -> "Clients":
        return self

    def __exit__(self, *_: object) -> None:
        if not all(future.done() for future in self._futures):
            self.end()
        # Nothing of it stays with a scheduler that is not ours, least of all the server's address.
        with contextlib.suppress(*unreachable_errors()):
            self._client.cancel(self._futures, force=True)
        for future in self._futures:
            future.release()

    def _clock(self, i: int) -> Clock:
        """By the quickest of a few questions; half its round trip is what nobody can tell."""
        offsets = []
        for _ in range(_CLOCK_ROUNDS):
            sent_s, start = time.time(), time.monotonic()
            answer = self._ask(i, task.now)
            round_trip_s = time.monotonic() - start
            if isinstance(answer, float):
                offsets.append((round_trip_s, answer - sent_s - round_trip_s / 2))
        if not offsets:
            raise ClientMachineError(f"the worker {self._workers.addresses[i]} does not answer; look at its log")
        round_trip_s, ahead_s = min(offsets)
        if abs(ahead_s) > APART_S:
            raise ClientMachineError(
                f"{self._named(i)}: its clock is {ahead_s:+,.0f} s from this machine's, expected less than "
                f"{APART_S:g} s; set both by NTP"
            )
        return Clock(ahead_s, round_trip_s / 2)

    def _ask(self, i: int, function: Any, *arguments: object) -> object:
        """The answer of client i, or the error that came instead: whether it is gone is seen elsewhere."""
        address = self._workers.addresses[i]
        try:
            return self._client.run(function, *arguments, workers=[address], on_error="return").get(address)
        except unreachable_errors() as e:
            return e

    def _named(self, i: int) -> str:
        return f"client {i} ({self._workers.addresses[i]})"
