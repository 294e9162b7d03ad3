"""One run by several clients, from the workers' start to its verdict."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from ycsbook import ingest
from ycsbook.errors import RunLogError, StoreError
from ycsbook.ingest.files.scan import SAMPLES
from ycsbook.ingest.log.runlog import RunLog
from ycsbook.ingest.runs import client_windows
from ycsbook.params import PlannedRun
from ycsbook.processes.guard import Guard
from ycsbook.runner import client, server_story
from ycsbook.runner.clients import gathered, judged, parcel, shares, workers
from ycsbook.runner.clients.crew import Clock, Crew
from ycsbook.runner.clients.pace import Pace
from ycsbook.runner.clients.task import Order, Report, State
from ycsbook.runner.judge import Verdict, judge
from ycsbook.runner.watchdog import ServerWatch
from ycsbook.secrets import Secret
from ycsbook.servers import probe
from ycsbook.servers.kind import Counters
from ycsbook.verdicts import Outcome, StopReason

POLL_S = 0.5
# A client that has not answered for so long is lost, even if its connection is still there.
SILENT_S = 60.0


@dataclass(frozen=True)
class Driven:
    """What the run is worth, and what its manifest says of its clients."""

    verdict: Verdict
    told: dict


@dataclass
class _Client:
    """One client's share, its folder, and what it gave back."""

    share: PlannedRun
    folder: Path
    report: Report | None = None
    logs: list[RunLog] = field(default_factory=list)
    heard_s: float = 0.0


@dataclass(frozen=True)
class _Early:
    """Why the run is ended before all clients have done their share."""

    stop_reason: StopReason | None
    reasons: tuple[str, ...]


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
) -> Driven:
    """Make the run with n clients, started at one moment; one that is lost ends all of them.

    Parameters
        n: as `shares.count` gives it.
        partial: the run's folder. Each client's files go to its subfolder client-0, client-1, ...; those of a single
            one to the folder itself, its samples as client.csv. samples.csv has the server and the sum of the clients,
            operations.csv what all had finished while it went on.
        secrets: private folder of this machine.
        wall_s: longest time in all, s; None: no limit.
        server_pids, counters: as for one client.
    Raises
        ToolError: a client cannot even start.
        StoreError: the run's folder cannot be written.
    """
    crew_of = [
        _Client(share, partial / (f"client-{i}" if n > 1 else ".client"))
        for i, share in enumerate(shares.of(planned, n))
    ]
    with workers.opened(planned.sweep.cluster, n, guard, secrets) as found:
        orders = [Order("", one.share, uri, found.scratch, wall_s) for one in crew_of]
        with Crew(found, orders) as crew:
            crew.prepare()
            told = counters.read if counters is not None else None
            try:
                with probe.Sampler(partial / SAMPLES, next(iter(server_pids), None), None, counters=told):
                    began_s = crew.start()
                    early = _follow(crew, crew_of, Pace(partial), server_pids, counters)
                    if early is not None:
                        crew.end()
                        _collect(crew, crew_of)
            except OSError as e:
                raise StoreError(f"{partial}: cannot be written: {e.strerror or e}; free space and start again") from e
            clocks = crew.clocks
    gone = counters is not None and not server_story.answers(counters)
    ahead = [clock.ahead_s for clock in clocks]
    gathered.add_clients(partial / SAMPLES, [(c.folder / SAMPLES, a) for c, a in zip(crew_of, ahead, strict=True)])
    verdict = judged.judged(
        [one.logs for one in crew_of],
        [one.share for one in crew_of],
        planned,
        server_story.read(partial / SAMPLES, gone),
        ahead_s=ahead,
        stop_reason=early.stop_reason if early else None,
        reasons=early.reasons if early else (),
    )
    told_of_them = _told(crew_of, clocks, began_s)
    if n == 1:
        _alone(crew_of[0].folder, partial)
    return Driven(verdict, told_of_them)


def _follow(
    crew: Crew, crew_of: Sequence[_Client], pace: Pace, server_pids: Sequence[int], counters: Counters | None
) -> _Early | None:
    """Wait for the end of all; why it comes early, if it does."""
    begun = time.monotonic()
    server = ServerWatch(counters.answers, client.LOST_S) if counters is not None else None
    for one in crew_of:
        one.heard_s = begun
    states = [State()] * len(crew_of)
    while True:
        if early := _collect(crew, crew_of):
            return early
        if all(one.report for one in crew_of):
            return None
        if lost := crew.lost():
            return _Early(StopReason.KILLED, tuple(f"client {i}: its worker was lost" for i in lost))
        for i, state in enumerate(crew.states()):
            if state is not None:
                crew_of[i].heard_s, states[i] = time.monotonic(), state
            elif crew_of[i].report is None and time.monotonic() - crew_of[i].heard_s > SILENT_S:
                return _Early(StopReason.KILLED, (f"client {i}: its worker has not answered for {SILENT_S:g} s",))
        pace.note(sum(state.operations for state in states))
        elapsed_s = time.monotonic() - begun
        gone = not all(map(psutil.pid_exists, server_pids))
        if gone or (server is not None and server.is_lost(elapsed_s, sum(state.successes for state in states))):
            return _Early(StopReason.SERVER_LOST, (f"ended early: {StopReason.SERVER_LOST}",))
        time.sleep(POLL_S)


def _collect(crew: Crew, crew_of: Sequence[_Client]) -> _Early | None:
    """Take what clients have given back; why the others need not go on, if one of them did not do its share."""
    early = None
    for i, one in enumerate(crew_of):
        if one.report is not None or (report := crew.report(i)) is None:
            continue
        one.report = report
        if report.files:
            parcel.unpack(report.files, one.folder)
            one.logs = ingest.ycsb.parse([one.folder / "run.out", one.folder / "run.err"])
        if report.error or report.stop_reason:
            reason = StopReason(report.stop_reason or StopReason.KILLED)
            early = early or _Early(reason, (f"client {i}: {report.error or f'ended early: {reason}'}",))
        elif (verdict := judge(one.logs, one.share, "run")).outcome != Outcome.COMPLETED:
            early = early or _Early(None, tuple(f"client {i}: {reason}" for reason in verdict.reasons))
    return early if _ended(early) or not all(one.report for one in crew_of) else None


def _ended(early: _Early | None) -> bool:
    """Whether it was ended from outside, which no log tells."""
    return early is not None and early.stop_reason is not None


def _told(crew_of: Sequence[_Client], clocks: Sequence[Clock], began_s: float) -> dict:
    """What the manifest says of the clients, as plain JSON values."""
    starts = _starts(crew_of, [clock.ahead_s for clock in clocks])
    each = [
        {
            "threads": one.share.threads,
            "target_ops_s": one.share.sweep.target_ops_s,
            "operations": one.share.sweep.operations,
            "machine": one.report.machine if one.report else {},
            "java": one.report.versions.get("java", "") if one.report else "",
            "clock_ahead_s": round(clock.ahead_s, 6),
            "clock_error_s": round(clock.error_s, 6),
            "started_after_s": None if math.isnan(start) else round(start - began_s, 3),
            "stop_reason": one.report.stop_reason if one.report else str(StopReason.KILLED),
        }
        for one, clock, start in zip(crew_of, clocks, starts, strict=True)
    ]
    # Of clients that did not all measure nobody knows it.
    skew_s = math.nan if any(map(math.isnan, starts)) else max(starts) - min(starts)
    commands = [one.report.command for one in crew_of if one.report and one.report.command]
    return {
        "clients": len(crew_of),
        "each_client": each,
        "skew_s": None if math.isnan(skew_s) else round(skew_s, 3),
        **({"command": commands[0]} if commands else {}),
    }


def _starts(crew_of: Sequence[_Client], ahead: Sequence[float]) -> list[float]:
    """When each began to measure, s since 1970 by the runner's clock; NaN where its log does not tell.

    Java's clock is pinned to UTC, so that the status lines say it.
    """
    found = []
    for one, ahead_s in zip(crew_of, ahead, strict=True):
        start = math.nan
        if len(one.logs) == 1:
            try:
                windows = client_windows.windows(one.logs, [math.nan])
            except RunLogError:
                windows = None
            start = windows[0].start - ahead_s if windows else math.nan
        found.append(start)
    return found


def _alone(folder: Path, partial: Path) -> None:
    """The files of a single client, where those of a client of this machine are."""
    if not folder.is_dir():
        return
    try:
        for path in sorted(folder.rglob("*")):
            name = "client.csv" if path.name == SAMPLES else path.relative_to(folder).as_posix()
            if path.is_file():
                path.replace(partial / name)
        (folder / "hdr").rmdir()
        folder.rmdir()
    except OSError as e:
        raise StoreError(f"{partial}: cannot be written: {e.strerror or e}") from e
