"""Fractional cores for a running server: the first way that provably works here."""

import contextlib
import math
import os
from collections.abc import Callable, Sequence
from typing import Protocol

from ycsbook.errors import ToolError
from ycsbook.processes import Guard
from ycsbook.servers import affinity, cgroups, duty_cycle, systemd
from ycsbook.servers.cgroups import remove_stale

WAYS = ("cgroup2", "systemd", "cgroup1", "duty_cycle", "affinity", "none")

__all__ = ["WAYS", "Quota", "choose", "remove_stale", "usable_cores"]


class Limiter(Protocol):
    """One way to limit a process: made for one pid, and proved to work when made."""

    def limit(self, cores: float | None) -> None: ...

    def close(self) -> None: ...


class Quota:
    """The CPU limit of one process.

    `name` is the way used: cgroup2, systemd, cgroup1, duty_cycle, affinity or none (cores are recorded, not enforced);
    `refused` says for each way tried before why it does not work here.
    """

    def __init__(self, name: str, pid: int, limiter: Limiter | None, refused: dict[str, str]):
        self.name, self.pid, self.refused = name, pid, refused
        self._limiter = limiter
        # As it was before any limit: affinity takes CPUs away.
        self._usable = usable_cores(pid)

    @property
    def enforced(self) -> bool:
        """Whether set_cores limits anything."""
        return self._limiter is not None

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


def choose(guard: Guard, pid: int, ways: Sequence[str] | None = None, *, cores: Sequence[float] = ()) -> Quota:
    """A quota for a running process, unthrottled at first.

    Tries in order: a cgroup v2 group of our own (`cpu.max`), a transient systemd scope, a cgroup v1 group of our
    own (`cpu.cfs_quota_us`), a SIGSTOP/SIGCONT duty cycle by a small process of its own, affinity for whole
    cores, none. Each is proved by doing it: group made, process moved, limit written and read back.

    Parameters
        ways: which ways to try, in which order; None: all.
        cores: what it will be asked for; with a share of a core among them affinity is no way.
    Raises
        ToolError: none of the ways asked for works (never where "none" is among them).
    """
    refused: dict[str, str] = {}
    for way in WAYS if ways is None else ways:
        if way == "none":
            return Quota(way, pid, None, refused)
        shares = [f"{n:g}" for n in cores if n != int(n)]
        if way == "affinity" and shares:
            refused[way] = f"gives whole cores only, not {', '.join(shares)}"
            continue
        try:
            return Quota(way, pid, _MAKERS[way](guard, pid), refused)
        except (OSError, ToolError) as e:
            refused[way] = str(e)
    tried = "; ".join(f"{way}: {why}" for way, why in refused.items())
    raise ToolError(f"CPU quota: cannot limit process {pid} here ({tried}); run as root, under systemd, or without")


_MAKERS: dict[str, Callable[[Guard, int], Limiter]] = {
    "cgroup2": cgroups.Group2,
    "systemd": systemd.Scope,
    "cgroup1": cgroups.Group1,
    "duty_cycle": duty_cycle.DutyCycle,
    "affinity": affinity.Affinity,
}


def usable_cores(pid: int) -> float:
    """The cores a process may use: those it may run on, or the CPU limit of our own groups if that is less."""
    cores = float(os.cpu_count() or 1)
    if hasattr(os, "sched_getaffinity"):
        with contextlib.suppress(ProcessLookupError):
            cores = float(len(os.sched_getaffinity(pid)))
    return min(cores, cgroups.inherited_limit())


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
