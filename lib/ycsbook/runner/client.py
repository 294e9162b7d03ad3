"""One YCSB process on this machine: started, sampled, watched and ended."""

import time
from collections.abc import Sequence
from pathlib import Path

from ycsbook.errors import StoreError
from ycsbook.params import PlannedRun
from ycsbook.processes.guard import Guard, GuardedProcess
from ycsbook.runner import command
from ycsbook.runner.watchdog import Watchdog, finished_operations
from ycsbook.servers import probe
from ycsbook.servers.kind import Counters
from ycsbook.verdicts import StopReason

STALL_S = 60.0  # longest time without a finished operation
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
        secrets: a private folder for the properties file, which the guard and the next start remove whatever happens.
        wall_s: longest time in all, s; None: no limit.
        server_pids: of the server's processes on this machine: the first is sampled, and the run ends when any is gone.
        counters: what the server says of itself once a second.
    Raises
        StoreError: the client's folder cannot be written.
    """
    secret_file = built.write_properties(secrets)
    process = None
    try:
        process = guard.start(
            built.argv_with(secret_file), stdout=partial / "run.out", stderr=partial / "run.err", env=built.env
        )
        told = counters.read if counters is not None else None
        with probe.Sampler(partial / "samples.csv", next(iter(server_pids), None), process.pid, counters=told):
            return _watch(process, partial / "run.err", wall_s, server_pids)
    except OSError as e:
        raise StoreError(f"{partial}: cannot be written: {e.strerror or e}; free space and start again") from e
    finally:
        if process is not None:
            process.stop(CLIENT_GRACE_S)
        secret_file.unlink(missing_ok=True)


def _watch(
    process: GuardedProcess, status_log: Path, wall_s: float | None, server_pids: Sequence[int]
) -> StopReason | None:
    dog = Watchdog(STALL_S, wall_s)
    started = time.monotonic()
    while process.poll() is None:
        reason = dog.observe(time.monotonic() - started, finished_operations(status_log))
        if reason is None and not all(map(_alive, server_pids)):
            reason = StopReason.SERVER_LOST
        if reason is not None:
            process.stop(CLIENT_GRACE_S)
            return reason
        time.sleep(POLL_S)
    return StopReason.KILLED if _was_killed(process.poll()) else None


def _was_killed(code: int) -> bool:
    """Whether a signal ended the client; a JVM that sees one exits with 128 and its number."""
    return code < 0 or code > 128


def _alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists() if Path("/proc/self").exists() else True
