"""One run by several clients, from the workers' start to its verdict."""

import contextlib
import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ycsbook import ingest
from ycsbook.errors import RunLogError
from ycsbook.facts import Fact, fact
from ycsbook.ingest.files.scan import SAMPLES
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.runs import client_windows
from ycsbook.ingest.runs.checks import Verdict
from ycsbook.params import PlannedRun
from ycsbook.processes import Guard
from ycsbook.runner import client, samples
from ycsbook.runner.clients import shares, task, workers
from ycsbook.runner.clients.control import Clients, Clock
from ycsbook.runner.clients.task import ClientOrder, ClientReport, ClientState
from ycsbook.runner.judge import ended_early, judge, judge_clients, server_answers, server_samples
from ycsbook.runner.watchdog import ServerWatch
from ycsbook.secrets import Secret
from ycsbook.servers.kind import Counters
from ycsbook.store import atomic
from ycsbook.verdicts import Outcome, StopReason, of_clients

POLL_S = 0.5
# A client that has not answered for so long is lost, even if its connection is still there.
SILENT_S = 60.0


@dataclass
class _Part:
    """One client's share, its folder with what its samples are called there, and what it gave back."""

    share: PlannedRun
    folder: Path
    samples: str
    host: str = ""
    report: ClientReport | None = None
    logs: list[RunLog] = field(default_factory=list)
    heard_s: float = 0.0


def execute(
    guard: Guard,
    planned: PlannedRun,
    n: int,
    *,
    uri: Secret,
    partial: Path,
    secrets: Path,
    wall_s: float | None = None,
    server_pids: Sequence[int] = (),
    counters: Counters | None = None,
    stopping: threading.Event | None = None,
) -> tuple[Verdict, dict]:
    """Make the run with n clients, started at one moment; one that is lost ends all of them.

    Returns
        what the run is worth, and what its manifest says of its clients.

    Parameters
        n: as `shares.possible` gives it.
        partial: the run's folder. Each client's files go to its subfolder client-0, client-1, ...; those of a single
            one to the folder itself, its samples as client.csv. samples.csv has the server and the sum of the clients.
        secrets: private folder of this machine.
        wall_s: longest time in all, s; None: no limit.
        server_pids, counters: as for one client.
        stopping: set where the run is to end early.
    Raises
        ToolError: a client cannot even start.
        StoreError: the run's folder cannot be written.
    """
    if n == 1:
        parts = [_Part(share, partial, "client.csv") for share in shares.of_run(planned, 1)]
    else:
        parts = [_Part(share, partial / f"client-{i}", SAMPLES) for i, share in enumerate(shares.of_run(planned, n))]
    with workers.opened(planned.sweep.cluster, n, guard, secrets) as ready:
        for part, address in zip(parts, ready.addresses, strict=True):
            # Clients of this machine's own are where all others are.
            part.host = workers.host_mark(address) if planned.sweep.cluster.kind != "local" else ""
        orders = [ClientOrder("", part.share, uri, ready.scratch, wall_s) for part in parts]
        with Clients(ready, orders) as clients:
            clients.prepare()
            read_counters = counters.read if counters is not None else None
            server_pid = next(iter(server_pids), None)
            with (
                atomic.writing(partial, "free space and start again"),
                samples.Sampler(partial / SAMPLES, server_pid, None, counters=read_counters),
            ):
                began_s = clients.start()
                early = _follow(clients, parts, server_pids, counters, stopping)
                if early is not None:
                    clients.end()
                    _collect(clients, parts)
            clocks = clients.clocks
    gone = counters is not None and not server_answers(counters)
    ahead_s = [clock.ahead_s for clock in clocks]
    places = [(part.folder, part.samples, ahead) for part, ahead in zip(parts, ahead_s, strict=True)]
    samples.add_clients(partial / SAMPLES, places)
    logs, part_shares = [part.logs for part in parts], [part.share for part in parts]
    verdict = early or judge_clients(logs, part_shares, planned, server_samples(partial, gone), ahead_s)
    return verdict, _manifest_entries(parts, clocks, began_s)


def _follow(
    clients: Clients,
    parts: Sequence[_Part],
    server_pids: Sequence[int],
    counters: Counters | None,
    stopping: threading.Event | None,
) -> Verdict | None:
    """Wait for the end of all; the verdict where it comes before all have done their share."""
    begun = time.monotonic()
    server = ServerWatch(counters.answers if counters is not None else None, client.LOST_S, server_pids)
    for part in parts:
        part.heard_s = begun
    states = [ClientState()] * len(parts)
    while True:
        if early := _collect(clients, parts):
            return early
        if all(part.report for part in parts):
            return None
        if stopping and stopping.is_set():
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
    """The verdict on a run that is ended; without a stop reason because of what the log of a client shows."""
    others = () if stop_reason else (fact("reason-others-ended"),)
    return Verdict(Outcome.INCOMPLETE, (*reasons, *others), stop_reason)


def _collect(clients: Clients, parts: Sequence[_Part]) -> Verdict | None:
    """Take what clients have given back; the verdict where one did not do its share, so that others need not go on."""
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
            early = early or _early(stop_reason, of_clients([i], _why(report, stop_reason)))
        elif (verdict := judge(part.logs, part.share, "run")).outcome != Outcome.COMPLETED:
            early = early or _early("", *(of_clients([i], reason) for reason in verdict.reasons))
    # Where all have ended their logs say what was wrong, but not that one was ended from outside.
    if early and (early.stop_reason or not all(part.report for part in parts)):
        return early
    return None


def _why(report: ClientReport, stop_reason: StopReason) -> Fact:
    """Why a client did not do its share."""
    if report.worker_lost:
        return fact("reason-worker-lost")
    return fact("reason-text", text=report.error) if report.error else ended_early(stop_reason)


def _manifest_entries(parts: Sequence[_Part], clocks: Sequence[Clock], began_s: float) -> dict:
    """What the manifest says of the clients, as plain JSON values."""
    starts = _starts(parts, [clock.ahead_s for clock in clocks])
    each = [
        {
            "threads": part.share.threads,
            "target_ops_s": part.share.sweep.target_ops_s,
            "operations": part.share.sweep.operations,
            "machine": part.report.machine if part.report else {},
            "java": part.report.versions.get("java", "") if part.report else "",
            "clock_ahead_s": round(clock.ahead_s, 6),
            "clock_error_s": round(clock.error_s, 6),
            "host": part.host,
            "host_speed": part.report.host_speed if part.report else {},
            "started_after_s": None if math.isnan(start) else round(start - began_s, 3),
            "stop_reason": part.report.stop_reason if part.report else str(StopReason.KILLED),
        }
        for part, clock, start in zip(parts, clocks, starts, strict=True)
    ]
    # Of clients that did not all measure nobody knows it.
    skew_s = math.nan if any(map(math.isnan, starts)) else max(starts) - min(starts)
    commands = [part.report.command for part in parts if part.report and part.report.command]
    return {
        "clients": len(parts),
        "each_client": each,
        "skew_s": None if math.isnan(skew_s) else round(skew_s, 3),
        **({"command": commands[0]} if commands else {}),
    }


def _starts(parts: Sequence[_Part], ahead: Sequence[float]) -> list[float]:
    """When each began to measure, s since 1970 by the runner's clock; NaN where its log does not tell.

    Java's clock is pinned to UTC, so that the status lines say it.
    """
    starts = []
    for part, ahead_s in zip(parts, ahead, strict=True):
        windows = None
        if len(part.logs) == 1:
            with contextlib.suppress(RunLogError):
                windows = client_windows.windows(part.logs, [math.nan])
        starts.append(windows[0].start - ahead_s if windows else math.nan)
    return starts
