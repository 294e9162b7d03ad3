"""Fractional cores for a running server: the first way that provably works here."""

import contextlib
import math
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from ycsbook.errors import ToolError
from ycsbook.processes import Guard, GuardedProcess
from ycsbook.servers import cgroups

DUTY_PERIOD_MS = 20
_DUTY_SCRIPT = Path(__file__).with_name("duty_cycle_main.py")


class Quota:
    """The CPU limit of one process.

    `name` is the way used: cgroup2, cgroup1, duty_cycle or none (cores are recorded, not enforced); `refused` says for
    each way tried before why it does not work here.
    """

    def __init__(self, name: str, pid: int, limiter: "cgroups.Group | DutyCycle | None", refused: dict[str, str]):
        self.name, self.pid, self.refused = name, pid, refused
        self._limiter = limiter
        self._usable = usable_cores(pid)

    def set_cores(self, cores: float | None) -> None:
        """Limit the process to so many cores, from now on; None: unthrottled.

        Raises
            ToolError: more cores than the process may use on this machine (a run recorded as 8 cores on a
                machine with 2 would be false), not above 0, or the limit is refused.
        """
        if cores is not None:
            check_cores(cores, self._usable)
        if self._limiter is not None:
            self._limiter.limit(cores)

    def close(self) -> None:
        """Lift the limit, put the process back where it was and remove the CPU group."""
        limiter, self._limiter = self._limiter, None
        if limiter is not None:
            limiter.close()

    def __enter__(self) -> "Quota":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class DutyCycle:
    """A CPU quota without any privilege: a process of its own stops and continues the server.

    Keeps a process within a CPU budget per 20 ms, whatever its number of threads. Needs Linux (process CPU clocks) and
    the right to signal the server.
    """

    def __init__(self, guard: Guard, pid: int):
        if not sys.platform.startswith("linux"):
            raise ToolError("a duty cycle needs Linux's CPU clocks of other processes")
        self._guard, self._pid = guard, pid
        self._helper: GuardedProcess | None = None
        self._signal(signal.SIGCONT)  # which proves that it is there and ours to signal

    def limit(self, cores: float | None) -> None:
        """Start the helper with another budget, or end it and let the process run."""
        self.close()
        if cores is not None:
            argv = [sys.executable, "-S", "-E", str(_DUTY_SCRIPT), str(self._pid), repr(cores), str(DUTY_PERIOD_MS)]
            self._helper = self._guard.start(argv, grace_s=0.0)

    def close(self) -> None:
        """End the helper and let the process run."""
        if self._helper is not None:
            self._helper.stop(0.0)
            self._helper = None
        self._signal(signal.SIGCONT, gone_is_fine=True)

    def _signal(self, number: int, *, gone_is_fine: bool = False) -> None:
        try:
            os.kill(self._pid, number)
        except ProcessLookupError:
            if not gone_is_fine:
                raise ToolError(f"process {self._pid} has ended") from None


# Each is made for one process, and proved to work when made; `limit` and `close` are all that is asked of it.
_LIMITERS = {
    "cgroup2": cgroups.Group2,
    "cgroup1": cgroups.Group1,
    "duty_cycle": DutyCycle,
}
WAYS = (*_LIMITERS, "none")


def choose(guard: Guard, pid: int, ways: Sequence[str] = WAYS) -> Quota:
    """A quota for a running process, unthrottled at first.

    Tries in order: a cgroup v2 group of our own (`cpu.max`), a cgroup v1 group of our own (`cpu.cfs_quota_us`), a
    SIGSTOP/SIGCONT duty cycle by a small process of its own, none. Each is proved by doing it: group made, process
    moved, limit written and read back.

    Parameters
        ways: which ways to try, in which order.
    Raises
        ToolError: none of the ways asked for works (never where "none" is among them).
    """
    refused: dict[str, str] = {}
    for way in ways:
        if way == "none":
            return Quota(way, pid, None, refused)
        try:
            return Quota(way, pid, _LIMITERS[way](guard, pid), refused)
        except (OSError, ToolError) as e:
            refused[way] = str(e)
    tried = "; ".join(f"{way}: {why}" for way, why in refused.items())
    raise ToolError(f"CPU quota: cannot limit process {pid} here ({tried}); run as root, or without")


def usable_cores(pid: int) -> float:
    """The cores a process may use: those it may run on, or the CPU limit of our own groups if that is less."""
    return min(float(cpus(pid)), cgroups.inherited_limit())


def cpus(pid: int = 0) -> int:
    """How many of the machine's CPUs a process may run on, by default this one."""
    with contextlib.suppress(ProcessLookupError, AttributeError):
        return len(os.sched_getaffinity(pid))
    return os.cpu_count() or 1


def check_cores(cores: float, usable: float) -> None:
    """Refuse a number of cores that would be recorded but could not be had.

    Raises
        ToolError: not above 0, or above `usable`.
    """
    if not (cores > 0 and math.isfinite(cores)):
        raise ToolError(f"cores: got {cores:g}, expected a number above 0")
    if cores > usable:
        raise ToolError(
            f"cores: the spec asks for {cores:g}, this machine has {usable:g} to give; leave the spec out or "
            "run it on a larger machine"
        )
