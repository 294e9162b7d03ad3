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
from ycsbook.runner import samples
from ycsbook.runner.client import LOST_S, ServerWatch
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


@dataclass
class Client:
    """One client of a run, as the runner knows it: its order and the address of its worker; its folder in that of the
    run, and the name of its samples there; how far its clock is ahead of the runner's, and the error of that, s."""

    number: int
    order: ClientOrder
    address: str
    folder: Path
    samples: str
    future: Any = None
    ahead_s: float = math.nan
    error_s: float = math.nan
    state: ClientState = field(default_factory=ClientState)
    heard_s: float = field(default_factory=time.monotonic)
    report: ClientReport | None = None
    logs: list[RunLog] = field(default_factory=list)

    def __str__(self) -> str:
        return f"client {self.number} ({self.address})"

    def given_back(self) -> ClientReport | None:
        """What it gave back; None while it works."""
        if not self.future.done():
            return None
        if self.future.status == "finished":
            return self.future.result()
        if self.future.status in ("cancelled", "lost"):
            return ClientReport(error="its worker was lost", worker_lost=True, stop_reason="killed")
        error = self.future.exception()
        return ClientReport(error=f"{type(error).__name__}: {shown(str(error))}")

    def start_s(self) -> float:
        """When it began to measure, s since 1970 by the runner's clock; NaN where its log does not tell. Java's clock
        is set to UTC, so that the status lines show it."""
        windows = None
        if len(self.logs) == 1:
            with contextlib.suppress(RunLogError):
                windows = client_windows.windows(self.logs, [math.nan])
        return windows[0].start - self.ahead_s if windows else math.nan


class Clients(contextlib.AbstractContextManager):
    def __init__(self, workers: Workers, clients: Sequence[Client]):
        self._workers, self._dask, self._clients = workers, workers.client, clients
        for client in clients:
            client.future = self._dask.submit(
                task.drive, client.order, key=client.order.key, workers=[client.address], allow_other_workers=False,
                pure=False, retries=0,
            )  # fmt: skip

    def prepare(self) -> None:
        """Wait until every client could start, and compare clocks; ClientMachineError: one is missing, busy or gone."""
        for _ in polls(PREPARE_LIMIT_S, PREPARE_POLL_S):
            self.look()
            for client in self._clients:
                if (report := client.given_back()) is not None:
                    raise ClientMachineError(f"{client} cannot start: {report.error or 'it ended at once'}")
            if lost := self.lost():
                raise ClientMachineError(f"{lost[0]} is gone before the start; look at its log")
            if all(client.state.prepared for client in self._clients):
                for client in self._clients:
                    self._compare_clock(client)
                return
        raise ClientMachineError(
            f"not all of {len(self._clients)} clients are ready after {PREPARE_LIMIT_S:g} s: the workers may be busy "
            "with something else, or have other work waiting"
        )

    def start(self) -> float:
        """Let all of them start at one moment; returns it, s since 1970 by the runner's clock."""
        began_s = time.time() + LEAD_S + 4 * sum(client.error_s for client in self._clients)
        for client in self._clients:
            self._ask(client, task.start, client.order.key, began_s + client.ahead_s)
        return began_s

    def look(self) -> None:
        for client in self._at_work():
            answer = self._ask(client, task.state, client.order.key)
            if isinstance(answer, ClientState):
                client.state, client.heard_s = answer, time.monotonic()

    def lost(self) -> list[Client]:
        """The clients whose worker is gone and which gave nothing back."""
        return [self._clients[i] for i in self._workers.lost() if not self._clients[i].future.done()]

    def end(self) -> None:
        """End all that still work, and wait until they have given back what there is."""
        for client in self._at_work():
            self._ask(client, task.end, client.order.key)
        for _ in polls(END_LIMIT_S, PREPARE_POLL_S):
            if not self._at_work():
                return

    def __exit__(self, *_: object) -> None:
        futures = [client.future for client in self._clients]
        if not all(future.done() for future in futures):
            self.end()
        # Nothing of it stays with a scheduler that is not ours, least of all the server's address.
        with contextlib.suppress(*unreachable_errors()):
            self._dask.cancel(futures, force=True)
        for future in futures:
            future.release()

    def _at_work(self) -> list[Client]:
        # Asking one that is gone takes as long as dask tries to connect.
        lost = [client.number for client in self.lost()]
        return [client for client in self._clients if not client.future.done() and client.number not in lost]

    def _compare_clock(self, client: Client) -> None:
        """By the quickest of a few questions; half the round trip is the error."""
        offsets = []
        for _ in range(_CLOCK_ROUNDS):
            sent_s, start = time.time(), time.monotonic()
            answer = self._ask(client, task.now)
            round_trip_s = time.monotonic() - start
            if isinstance(answer, float):
                offsets.append((round_trip_s, answer - sent_s - round_trip_s / 2))
        if not offsets:
            raise ClientMachineError(f"the worker {client.address} does not answer; look at its log")
        round_trip_s, client.ahead_s = min(offsets)
        client.error_s = round_trip_s / 2
        if abs(client.ahead_s) > APART_S:
            raise ClientMachineError(
                f"{client}: its clock is {client.ahead_s:+,.0f} s from this machine's, expected less than "
                f"{APART_S:g} s; set both by NTP"
            )

    def _ask(self, client: Client, function: Any, *arguments: object) -> object:
        """The answer of a client, or the error that came instead."""
        try:
            answers = self._dask.run(function, *arguments, workers=[client.address], on_error="return")
        except unreachable_errors() as e:
            return e
        return answers.get(client.address)


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
    with workers.opened(planned.sweep.cluster, n, secrets) as ready:
        folder = str(secrets) if planned.sweep.cluster.kind == "local" else ""
        each = []
        for i, (share, address) in enumerate(zip(workers.of_run(planned, n), ready.addresses, strict=True)):
            order = ClientOrder(f"ycsbook-{uuid.uuid4().hex}", share, uri, folder, wall_s)
            place = (partial / f"client-{i}", SAMPLES) if n > 1 else (partial, "client.csv")
            each.append(Client(i, order, address, *place))
        with Clients(ready, each) as clients:
            clients.prepare()
            server_pid = next(iter(server_pids), None)
            with (
                atomic.writing(partial, "free space and start again"),
                samples.Sampler(partial / SAMPLES, server_pid, None, counters=counters.read),
            ):
                began_s = clients.start()
                server = ServerWatch(counters.answers, LOST_S, server_pids)
                early = _follow(clients, each, server, stopping)
                if early is not None:
                    clients.end()
                    _collect(each)
    samples.add_clients(partial / SAMPLES, [(client.folder, client.samples, client.ahead_s) for client in each])
    verdict = early or judge_clients(
        [client.logs for client in each], [client.order.planned for client in each], planned,
        server_samples(partial, counters), [client.ahead_s for client in each],
    )  # fmt: skip
    return verdict, _manifest_entries(each, began_s, is_here=bool(folder))


def _follow(clients: Clients, each: Sequence[Client], server: ServerWatch, stopping: threading.Event) -> Verdict | None:
    begun = time.monotonic()
    while True:
        if early := _collect(each):
            return early
        if all(client.report for client in each):
            return None
        if stopping.is_set():
            return _early(StopReason.KILLED, ended_early(StopReason.KILLED))
        if lost := clients.lost():
            return _early(StopReason.KILLED, *(of_clients([c.number], fact("reason-worker-lost")) for c in lost))
        clients.look()
        for client in each:
            if client.report is None and time.monotonic() - client.heard_s > SILENT_S:
                silent = fact("reason-worker-silent", seconds=SILENT_S)
                return _early(StopReason.KILLED, of_clients([client.number], silent))
        if server.is_lost(time.monotonic() - begun, sum(client.state.successes for client in each)):
            return _early(StopReason.SERVER_LOST, ended_early(StopReason.SERVER_LOST))
        time.sleep(POLL_S)


def _early(stop_reason: str, *reasons: Fact) -> Verdict:
    """The verdict on a run that is ended early; without a stop reason where a client's log shows a failure."""
    consequence = () if stop_reason else (fact("reason-others-ended"),)
    return Verdict(Outcome.INCOMPLETE, (*reasons, *consequence), stop_reason)


def _collect(clients: Sequence[Client]) -> Verdict | None:
    """Take the clients' reports; returns a verdict where one did not do its share, so that the others can be ended."""
    early = None
    for client in clients:
        if client.report is not None or (report := client.given_back()) is None:
            continue
        client.report = report
        if report.files:
            task.unpack_files(report.files, client.folder, client.samples)
            client.logs = ingest.ycsb.parse([client.folder / "run.out", client.folder / "run.err"])
        if report.error or report.stop_reason:
            stop_reason = StopReason(report.stop_reason or StopReason.KILLED)
            reason = fact("reason-client-error", text=report.error) if report.error else ended_early(stop_reason)
            reason = fact("reason-worker-lost") if report.worker_lost else reason
            early = early or _early(stop_reason, of_clients([client.number], reason))
        elif (verdict := judge(client.logs, client.order.planned, "run")).outcome != Outcome.COMPLETED:
            early = early or _early("", *(of_clients([client.number], reason) for reason in verdict.reasons))
    # Where all have ended their logs say what was wrong, but not that one was ended from outside.
    if early and (early.stop_reason or not all(client.report for client in clients)):
        return early
    return None


def _manifest_entries(clients: Sequence[Client], began_s: float, *, is_here: bool) -> dict:
    entries, starts = [], [client.start_s() for client in clients]
    for client, start_s in zip(clients, starts, strict=True):
        share, report = client.order.planned, client.report or ClientReport(stop_reason=StopReason.KILLED)
        entries.append({
            "threads": share.threads,
            "target_ops_s": share.sweep.target_ops_s,
            "operations": share.sweep.operations,
            "machine": report.machine,
            "java": report.versions.get("java", ""),
            "clock_ahead_s": round(client.ahead_s, 6),
            "clock_error_s": round(client.error_s, 6),
            "host": "" if is_here else workers.host_mark(client.address),
            "host_speed": report.host_speed,
            "started_after_s": workers.rounded(start_s - began_s),
            "stop_reason": report.stop_reason,
        })  # fmt: skip
    # Of clients that did not all measure nobody knows it.
    skew_s = math.nan if any(map(math.isnan, starts)) else max(starts) - min(starts)
    command = next((client.report.command for client in clients if client.report and client.report.command), None)
    manifest = {"clients": len(clients), "each_client": entries, "skew_s": workers.rounded(skew_s)}
    return manifest | ({"command": command} if command else {})
