"""One YCSB process on this machine: started, sampled, watched and ended."""

import time
from collections.abc import Sequence
from pathlib import Path

import psutil

from ycsbook.errors import StoreError
from ycsbook.params import PlannedRun
from ycsbook.processes.guard import Guard, GuardedProcess
from ycsbook.runner import command
from ycsbook.runner.capture import Capture, is_full
from ycsbook.runner.watchdog import ServerWatch, StatusLines, Watchdog
from ycsbook.servers import probe
from ycsbook.servers.kind import Counters
from ycsbook.verdicts import StopReason

STALL_S = 60.0  # longest time without a finished operation
LOST_S = 15.0  # longest time without a success while the server does not answer either
GRACE_S = 60.0  # what a run may take beyond its planned time
POLL_S = 0.1
CLIENT_GRACE_S = 2.0


def wall_limit_s(planned: PlannedRun, phase: str) -> float | None:
    """How long the process may take in all, s; None: nobody knows, it ends by its operations."""
    timed = phase == "run" and planned.sweep.operations is None
    return planned.sweep.min_duration + GRACE_S if timed else None


def execute(
    guard: Guard,
    built: command.Command,
    *,
    partial: Path,
    secrets: Path,
    wall_s: float | None = None,
    server_pids: Sequence[int] = (),
    counters: Counters | None = None,
) -> StopReason | None:
    """Run the process to its end; why it was ended early, or None.

    Parameters
        partial: the client's folder: run.out, run.err, samples.csv and hdr/ are written there.
        secrets: a private folder for the properties file and the pipes that the logs come through, which the guard and
            the next start remove whatever happens.
        wall_s: longest time in all, s; None: no limit.
        server_pids: of the server's processes on this machine: the first is sampled, and the run ends when any is gone.
        counters: what the server says of itself once a second; asked whether it is there when nothing succeeds.
    Raises
        StoreError: the client's folder cannot be written. A disk that is full is a reason to end the run instead.
    """
    watch = _Watch(wall_s, server_pids, counters)
    secret_file = built.write_properties(secrets)
    process = None
    try:
        with Capture(partial, secrets, built.hidden, watch.status.feed) as logs:
            try:
                process = guard.start(
                    built.argv_with(secret_file), stdout=logs.stdout, stderr=logs.stderr, env=built.env
                )
                logs.begin()
                told = counters.read if counters is not None else None
                sampled = next(iter(server_pids), None)
                with probe.Sampler(partial / "samples.csv", sampled, process.pid, counters=told) as sampler:
                    reason = _until_its_end(process, watch, logs, sampler)
            finally:
                if process is not None:
                    process.stop(CLIENT_GRACE_S)
        if logs.error is not None:
            raise logs.error
        return reason
    except OSError as e:
        if is_full(e):
            return StopReason.DISK_FULL
        raise StoreError(f"{partial}: cannot be written: {e.strerror or e}; free space and start again") from e
    finally:
        secret_file.unlink(missing_ok=True)


class _Watch:
    """Everything that may end a run early, from the clock, the status lines and the server."""

    def __init__(self, wall_s: float | None, server_pids: Sequence[int], counters: Counters | None):
        self.status = StatusLines()
        self._pids = tuple(server_pids)
        self._dog = Watchdog(STALL_S, wall_s)
        self._server = ServerWatch(counters.answers, LOST_S) if counters is not None else None

    def reason(self, elapsed_s: float) -> StopReason | None:
        """The reason to end the run now, or None."""
        gone = not all(map(psutil.pid_exists, self._pids))
        if gone or (self._server is not None and self._server.is_lost(elapsed_s, self.status.successes)):
            return StopReason.SERVER_LOST
        return self._dog.observe(elapsed_s, self.status.operations)


def _until_its_end(process: GuardedProcess, watch: _Watch, logs: Capture, sampler: probe.Sampler) -> StopReason | None:
    started = time.monotonic()
    while process.poll() is None:
        reason = watch.reason(time.monotonic() - started)
        if logs.error is not None or sampler.error is not None:
            # Nothing of it can be kept any more; which error it was is looked at when all is closed.
            return None
        if reason is not None:
            return reason
        time.sleep(POLL_S)
    return StopReason.KILLED if _was_killed(process.poll()) else None


def _was_killed(code: int) -> bool:
    """Whether a signal ended the client; a JVM that sees one exits with 128 and its number."""
    return code < 0 or code > 128
