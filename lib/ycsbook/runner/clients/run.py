"""Makes one run with several clients: starts the workers, compares clocks, starts all at once, judges the result."""

import contextlib
import math
import threading
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ycsbook import ingest
from ycsbook.errors import ClientMachineError, RunLogError, shown
from ycsbook.facts import Fact, fact
from ycsbook.ingest.files.scan import SAMPLES
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.runs import client_windows
from ycsbook.ingest.runs.checks import Verdict
from ycsbook.params import PlannedRun
from ycsbook.processes import polls
from ycsbook.runner import client, samples
from ycsbook.runner.clients import task, workers
from ycsbook.runner.clients.task import ClientOrder, ClientReport, ClientState
from ycsbook.runner.clients.workers import Workers, unreachable_errors
from ycsbook.runner.judge import ended_early, judge, judge_clients, server_samples
from ycsbook.secrets import Secret
from ycsbook.servers.kind import Counters
from ycsbook.store import atomic
from ycsbook.verdicts import Outcome, StopReason, of_clients

PREPARE_LIMIT_S = 60.0
END_LIMIT_S = 20.0
# From the moment that all are told the start, so that the slowest message is there in time.
LEAD_S = 0.3
_CLOCK_ROUNDS = 5
# A clock that is wrong by more was never set.
APART_S = 300.0
PREPARE_POLL_S = 0.1
POLL_S = 0.5
# A client that has not answered for so long is lost, even if its connection is still there.
SILENT_S = 60.0


@dataclass(frozen=True)
class Clock:
    """How far a client's clock is ahead of the runner's, s, and the error of that, s."""

    ahead_s: float
    error_s: float


class Clients(contextlib.AbstractContextManager):
    """Clients that work on one run, each by its own order in a worker; close it, or use it in a `with`."""

    def __init__(self, workers: Workers, orders: Sequence[ClientOrder]):
        self._workers, self._client = workers, workers.client
        self._keys = [order.key for order in orders]
        self.clocks: tuple[Clock, ...] = ()
        self._futures = [
            self._client.submit(
                task.drive, order, key=order.key, workers=[address], allow_other_workers=False, pure=False, retries=0
            )
            for order, address in zip(orders, workers.addresses, strict=True)
        ]  # fmt: skip

    def __len__(self) -> int:
        return len(self._keys)

    def prepare(self) -> None:
        """Wait until every client could start, and compare the clocks. Raises ClientMachineError where something is
        missing on a machine, or a worker is busy or gone."""
        for _ in polls(PREPARE_LIMIT_S, PREPARE_POLL_S):
            if all(state is not None and state.prepared for state in self.states()):
                self.clocks = tuple(map(self._clock, range(len(self))))
                return
            for i in range(len(self)):
                if (report := self.report(i)) is not None:
                    raise ClientMachineError(f"{self._named(i)} cannot start: {report.error or 'it ended at once'}")
            if lost := self._workers.lost():
                raise ClientMachineError(f"{self._named(lost[0])} is gone before the start; look at its log")
        raise ClientMachineError(
            f"not all of {len(self)} clients are ready after {PREPARE_LIMIT_S:g} s: the workers may be busy with "
            "something else, or have other work waiting"
        )

    def start(self) -> float:
        """Let all of them start at one moment; returns it, s since 1970 by the runner's clock."""
        began_s = time.time() + LEAD_S + 4 * sum(clock.error_s for clock in self.clocks)
        for i, clock in enumerate(self.clocks):
            self._ask(i, task.start, self._keys[i], began_s + clock.ahead_s)
        return began_s

    def states(self) -> list[ClientState | None]:
        """The state of each client; None: it has ended, or cannot be asked."""
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
        """The numbers of the clients whose worker is gone and which gave nothing back."""
        return tuple(i for i in self._workers.lost() if not self._futures[i].done())

    def end(self) -> None:
        """End all that still work, and wait until they have given back what there is."""
        lost = self.lost()
        for i, future in enumerate(self._futures):
            if not future.done() and i not in lost:
                self._ask(i, task.end, self._keys[i])
        for _ in polls(END_LIMIT_S, PREPARE_POLL_S):
            lost = self.lost()
            if all(f.done() or i in lost for i, f in enumerate(self._futures)):
                return

    def __exit__(self, *_: object) -> None:
        if not all(future.done() for future in self._futures):
            self.end()
        # Nothing of it stays with a scheduler that is not ours, least of all the server's address.
        with contextlib.suppress(*unreachable_errors()):
            self._client.cancel(self._futures, force=True)
        for future in self._futures:
            future.release()

    def _clock(self, i: int) -> Clock:
        """A client's clock, by the quickest of a few questions; half the round trip is the error."""
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
        """The answer of client i, or the error that came instead."""
        address = self._workers.addresses[i]
        try:
            return self._client.run(function, *arguments, workers=[address], on_error="return").get(address)
        except unreachable_errors() as e:
            return e

    def _named(self, i: int) -> str:
        return f"client {i} ({self._workers.addresses[i]})"


@dataclass
class _Part:
    """One client: its share of the run, its folder, the name of its samples there, and its report."""

    share: PlannedRun
    folder: Path
    samples: str
    report: ClientReport | None = None
    logs: list[RunLog] = field(default_factory=list)
    heard_s: float = 0.0


def execute(
    planned: PlannedRun,
    n: int,
    *,
    uri: Secret,
    partial: Path,
    secrets: Path,
    wall_s: float | None,
    server_pids: Sequence[int],
    counters: Counters,
    stopping: threading.Event,
) -> tuple[Verdict, dict]:
    """Make the run with n clients that start together; where one is lost, all are ended. Returns the verdict and what
    the manifest says of the clients.

    Parameters
        partial: the run's folder. Each client's files go to its subfolder client-0, client-1, ...; those of a single
            one to the folder itself, its samples as client.csv. samples.csv has the server and the sum of the clients.
        secrets, wall_s, server_pids, counters: as for one client.
        stopping: set where the run is to end early.
    Raises
        ToolError: a client cannot even start. StoreError: the run's folder cannot be written.
    """
    parts = [
        _Part(share, partial / f"client-{i}", SAMPLES) if n > 1 else _Part(share, partial, "client.csv")
        for i, share in enumerate(workers.of_run(planned, n))
    ]
    with workers.opened(planned.sweep.cluster, n, secrets) as ready:
        is_here = planned.sweep.cluster.kind == "local"
        hosts = ["" if is_here else workers.host_mark(address) for address in ready.addresses]
        folder = str(secrets) if is_here else ""
        orders = [ClientOrder(f"ycsbook-{uuid.uuid4().hex}", part.share, uri, folder, wall_s) for part in parts]
        with Clients(ready, orders) as clients:
            clients.prepare()
            server_pid = next(iter(server_pids), None)
            with (
                atomic.writing(partial, "free space and start again"),
                samples.Sampler(partial / SAMPLES, server_pid, None, counters=counters.read),
            ):
                began_s = clients.start()
                server = client.ServerWatch(counters.answers, client.LOST_S, server_pids)
                early = _follow(clients, parts, server, stopping)
                if early is not None:
                    clients.end()
                    _collect(clients, parts)
    ahead_s = [clock.ahead_s for clock in clients.clocks]
    client_samples = [(part.folder, part.samples, ahead) for part, ahead in zip(parts, ahead_s, strict=True)]
    samples.add_clients(partial / SAMPLES, client_samples)
    logs, part_shares = [part.logs for part in parts], [part.share for part in parts]
    verdict = early or judge_clients(logs, part_shares, planned, server_samples(partial, counters), ahead_s)
    return verdict, _manifest_entries(parts, hosts, clients.clocks, began_s)


def _follow(
    clients: Clients, parts: Sequence[_Part], server: client.ServerWatch, stopping: threading.Event
) -> Verdict | None:
    """Wait until all clients have ended; returns a verdict where the run ends before that."""
    begun = time.monotonic()
    for part in parts:
        part.heard_s = begun
    states = [ClientState()] * len(parts)
    while True:
        if early := _collect(clients, parts):
            return early
        if all(part.report for part in parts):
            return None
        if stopping.is_set():
            return _early(StopReason.KILLED, ended_early(StopReason.KILLED))
        if lost := clients.lost():
            return _early(StopReason.KILLED, *(of_clients([i], fact("reason-worker-lost")) for i in lost))
        for i, state in enumerate(clients.states()):
            if state is not None:
                parts[i].heard_s, states[i] = time.monotonic(), state
            elif parts[i].report is None and time.monotonic() - parts[i].heard_s > SILENT_S:
                return _early(StopReason.KILLED, of_clients([i], fact("reason-worker-silent", seconds=SILENT_S)))
        if server.is_lost(time.monotonic() - begun, sum(state.successes for state in states)):
            return _early(StopReason.SERVER_LOST, ended_early(StopReason.SERVER_LOST))
        time.sleep(POLL_S)


def _early(stop_reason: str, *reasons: Fact) -> Verdict:
    """The verdict on a run that is ended early; without a stop reason where a client's log shows a failure."""
    consequence = () if stop_reason else (fact("reason-others-ended"),)
    return Verdict(Outcome.INCOMPLETE, (*reasons, *consequence), stop_reason)


def _collect(clients: Clients, parts: Sequence[_Part]) -> Verdict | None:
    """Take the clients' reports; returns a verdict where one did not do its share, so that the others can be ended."""
    early = None
    for i, part in enumerate(parts):
        if part.report is not None or (report := clients.report(i)) is None:
            continue
        part.report = report
        if report.files:
            task.unpack_files(report.files, part.folder, part.samples)
            part.logs = ingest.ycsb.parse([part.folder / "run.out", part.folder / "run.err"])
        if report.error or report.stop_reason:
            stop_reason = StopReason(report.stop_reason or StopReason.KILLED)
            reason = fact("reason-client-error", text=report.error) if report.error else ended_early(stop_reason)
            reason = fact("reason-worker-lost") if report.worker_lost else reason
            early = early or _early(stop_reason, of_clients([i], reason))
        elif (verdict := judge(part.logs, part.share, "run")).outcome != Outcome.COMPLETED:
            early = early or _early("", *(of_clients([i], reason) for reason in verdict.reasons))
    # Where all have ended their logs say what was wrong, but not that one was ended from outside.
    if early and (early.stop_reason or not all(part.report for part in parts)):
        return early
    return None


def _manifest_entries(parts: Sequence[_Part], hosts: Sequence[str], clocks: Sequence[Clock], began_s: float) -> dict:
    """What the manifest says of the clients, as plain JSON values."""
    starts = _starts(parts, [clock.ahead_s for clock in clocks])
    reports = [part.report or ClientReport(stop_reason=StopReason.KILLED) for part in parts]
    entries = [
        {
            "threads": part.share.threads,
            "target_ops_s": part.share.sweep.target_ops_s,
            "operations": part.share.sweep.operations,
            "machine": report.machine,
            "java": report.versions.get("java", ""),
            "clock_ahead_s": round(clock.ahead_s, 6),
            "clock_error_s": round(clock.error_s, 6),
            "host": host,
            "host_speed": report.host_speed,
            "started_after_s": workers.rounded(start - began_s),
            "stop_reason": report.stop_reason,
        }
        for part, host, report, clock, start in zip(parts, hosts, reports, clocks, starts, strict=True)
    ]
    # Of clients that did not all measure nobody knows it.
    skew_s = math.nan if any(map(math.isnan, starts)) else max(starts) - min(starts)
    commands = [report.command for report in reports if report.command]
    manifest = {"clients": len(parts), "each_client": entries, "skew_s": workers.rounded(skew_s)}
    return manifest | ({"command": commands[0]} if commands else {})


def _starts(parts: Sequence[_Part], ahead: Sequence[float]) -> list[float]:
    """When each client began to measure, s since 1970 by the runner's clock; NaN where its log does not tell. Java's
    clock is set to UTC, so that the status lines show it."""
    starts = []
    for part, ahead_s in zip(parts, ahead, strict=True):
        windows = None
        if len(part.logs) == 1:
            with contextlib.suppress(RunLogError):
                windows = client_windows.windows(part.logs, [math.nan])
        starts.append(windows[0].start - ahead_s if windows else math.nan)
    return starts
