"""Limits a running server to fractional cores: by a CPU group (cgroup v2 or v1), else by stopping it now and then.
Kernel documentation: admin-guide/cgroup-v2 (cpu.max) and scheduler/sched-bwc (cpu.cfs_quota_us)."""

import contextlib
import functools
import itertools
import math
import os
import re
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ycsbook.errors import ToolError
from ycsbook.processes import Guard, GuardedProcess, polls

PREFIX = "ycsbook-"
# With the usual 100 ms a throttled server pauses up to 75 ms, and that is what p99 shows.
PERIOD_US = 10_000
MIN_QUOTA_US = 1_000
PROOF_CORES = 0.5
REMOVE_LIMIT_S = 1.0
DUTY_PERIOD_MS = 20
_DUTY_SCRIPT = Path(__file__).with_name("duty_cycle_main.py")
_NAME = re.compile(rf"{PREFIX}(\d+)-\d+")
_serial = itertools.count(1)


class Quota(contextlib.AbstractContextManager):
    """The CPU limit of one process, unthrottled at first; one of this class itself records cores and enforces none.
    `name`: cgroup2, cgroup1, duty_cycle or none; `refused`: for each way tried before, why it does not work here."""

    name = "none"

    def __init__(self, guard: Guard, pid: int):
        self._guard, self.pid = guard, pid
        self.refused: dict[str, str] = {}
        self._usable = usable_cores(pid)

    def set_cores(self, cores: float | None) -> None:
        """Limit the process to so many cores, from now on; None: unthrottled. Raises ToolError where it may not use so
        many here (a run recorded as 8 cores on a machine with 2 would be false), or the limit is refused."""
        if cores is not None:
            check_cores(cores, self._usable)
        self._limit(cores)

    def _limit(self, cores: float | None) -> None:
        """Enforce the limit."""

    def close(self) -> None:
        """Lift the limit, put the process back where it was and remove the CPU group."""

    def __exit__(self, *_: object) -> None:
        self.close()


class Group(Quota):
    """A CPU group of our own with one process in it, of cgroup `version` 1 or 2; proved to work when it is made."""

    def __init__(self, version: int, guard: Guard, pid: int):
        super().__init__(guard, pid)
        self.name, self._version = f"cgroup{version}", version
        self._home = _find(version, str(pid))[0]
        self._enabled_in: Path | None = None
        self.folder = self._make(_find(version, "self"))
        try:
            _write(self.folder / "cgroup.procs", str(pid))
            if _find(version, str(pid))[0] != self.folder:
                raise OSError(f"{self.folder}: process {pid} did not move there")
            self._limit(PROOF_CORES)
            self._limit(None)
        except (OSError, ToolError):
            self.close()
            raise

    def _limit(self, cores: float | None) -> None:
        quota, period = quota_us(cores) or (None, PERIOD_US)
        if self._version == 2:
            _write_checked(self.folder / "cpu.max", f"{'max' if quota is None else quota} {period}")
        else:
            # Lifted first: the kernel checks each write against the other value that stands.
            _write_checked(self.folder / "cpu.cfs_quota_us", "-1")
            _write_checked(self.folder / "cpu.cfs_period_us", str(period))
            _write_checked(self.folder / "cpu.cfs_quota_us", str(-1 if quota is None else quota))

    def _make(self, parents: list[Path]) -> Path:
        limit_file = "cpu.max" if self._version == 2 else "cpu.cfs_quota_us"
        reasons = []
        for parent in parents:
            folder = parent / f"{PREFIX}{os.getpid()}-{next(_serial)}"
            self._guard.remove_at_end(folder)
            try:
                folder.mkdir()
                switch = parent / "cgroup.subtree_control"
                if not (folder / limit_file).exists() and parent == parents[-1] and switch.exists():
                    # Directly below the root the kernel offers the limit once it is asked to; close() takes it back.
                    with contextlib.suppress(OSError):
                        _write(switch, "+cpu")
                        self._enabled_in = switch
                if (folder / limit_file).exists():
                    return folder
                folder.rmdir()
                reasons.append(f"{parent}: its groups have no {limit_file}")
            except OSError as e:
                reasons.append(f"{parent}: {e.strerror}")
        raise ToolError("; ".join(reasons))

    def close(self) -> None:
        with contextlib.suppress(OSError):
            _write(self._home / "cgroup.procs", str(self.pid))
        for _ in polls(REMOVE_LIMIT_S, 0.01):
            # A process that has just ended counts until it is reaped.
            with contextlib.suppress(OSError):
                self.folder.rmdir()
            if not self.folder.exists():
                break
        else:
            raise ToolError(f"{self.folder}: cannot be removed, a process may be in it; remove it with rmdir")
        if self._enabled_in is not None:
            with contextlib.suppress(OSError):
                _write(self._enabled_in, "-cpu")


class DutyCycle(Quota):
    """A CPU quota without any privilege: a process of its own stops and continues the server, to keep it within a CPU
    budget per 20 ms. Needs Linux (CPU clocks of other processes) and the right to signal the server."""

    name = "duty_cycle"

    def __init__(self, guard: Guard, pid: int):
        if not sys.platform.startswith("linux"):
            raise ToolError("a duty cycle needs Linux's CPU clocks of other processes")
        super().__init__(guard, pid)
        self._helper: GuardedProcess | None = None
        self._go_on()  # which proves that it is there and ours to signal

    def _limit(self, cores: float | None) -> None:
        self.close()
        if cores is not None:
            argv = [sys.executable, "-S", "-E", str(_DUTY_SCRIPT), str(self.pid), repr(cores), str(DUTY_PERIOD_MS)]
            self._helper = self._guard.start(argv, grace_s=0.0)

    def close(self) -> None:
        if self._helper is not None:
            self._helper.stop(0.0)
            self._helper = None
        with contextlib.suppress(ToolError):
            self._go_on()

    def _go_on(self) -> None:
        try:
            os.kill(self.pid, signal.SIGCONT)
        except ProcessLookupError:
            raise ToolError(f"process {self.pid} has ended") from None


# Each is made for one process, and proved to work when made.
_QUOTAS = {
    "cgroup2": functools.partial(Group, 2), "cgroup1": functools.partial(Group, 1), "duty_cycle": DutyCycle,
    "none": Quota,
}  # fmt: skip
WAYS = tuple(_QUOTAS)


def choose(guard: Guard, pid: int, ways: Sequence[str] = WAYS) -> Quota:
    """A quota, unthrottled at first, by the first way that is proved to work here; ToolError: none does."""
    refused: dict[str, str] = {}
    for way in ways:
        try:
            quota = _QUOTAS[way](guard, pid)
        except (OSError, ToolError) as e:
            refused[way] = str(e)
        else:
            quota.refused = refused
            return quota
    tried = "; ".join(f"{way}: {why}" for way, why in refused.items())
    raise ToolError(f"CPU quota: cannot limit process {pid} here ({tried}); run as root, or without")


def usable_cores(pid: int) -> float:
    """The cores a process may use: those it may run on, or the CPU limit of our own groups if that is less."""
    limits = [float(cpus(pid))]
    for version, folder in _own_and_above():
        with contextlib.suppress(OSError, ValueError):
            if version == 2:
                quota, period = (folder / "cpu.max").read_text().split()
            else:
                quota, period = ((folder / f"cpu.cfs_{name}_us").read_text().strip() for name in ("quota", "period"))
            if quota not in ("max", "-1"):
                limits.append(int(quota) / int(period))
    return min(limits)


def cpus(pid: int = 0) -> int:
    """How many of the machine's CPUs a process may run on, by default this one."""
    with contextlib.suppress(ProcessLookupError, AttributeError):
        return len(os.sched_getaffinity(pid))
    return os.cpu_count() or 1


def check_cores(cores: float, usable: float) -> None:
    """Refuse cores that this machine does not have: raises ToolError unless they are above 0 and at most `usable`."""
    if not 0 < cores <= usable:
        raise ToolError(
            f"cores: the spec asks for {cores:g}, this machine has {usable:g} to give; leave the spec out or "
            "run it on a larger machine"
        )


def quota_us(cores: float | None) -> tuple[int, int] | None:
    """Quota and period in microseconds; None for no limit. The period grows where 1 ms of quota is too much."""
    if cores is None:
        return None
    period = max(PERIOD_US, math.ceil(MIN_QUOTA_US / cores))
    return round(cores * period), period


def group_folders(mounts: str, membership: str, version: int) -> list[Path]:
    """Where CPU groups can be made, by the texts of /proc/self/mountinfo and /proc/<pid>/cgroup: a process's own group,
    then each above it, up to the mounted hierarchy of this version (1 or 2); none where none has the cpu controller."""
    group = None
    for line in membership.splitlines():
        _, controllers, path = line.split(":", 2)
        if (controllers == "") if version == 2 else ("cpu" in controllers.split(",")):
            group = path
    for line in mounts.splitlines():
        before_dash, _, after_dash = line.partition(" - ")
        root, mountpoint = before_dash.split()[3:5]
        kind, _, options = after_dash.split(None, 2)
        fits = kind == "cgroup2" if version == 2 else kind == "cgroup" and "cpu" in options.split(",")
        if fits and group is not None:
            # In a container the mount shows only the part of the tree below `root`.
            top = root.rstrip("/")
            inside = group[len(top) :] if (group + "/").startswith(top + "/") else "/"
            mount, folder = Path(mountpoint), Path(mountpoint, inside.lstrip("/"))
            return [folder, *(above for above in folder.parents if above == mount or mount in above.parents)]
    return []


def remove_stale() -> list[Path]:
    """Remove the groups of runs whose process is dead; returns those removed."""
    removed = []
    for _, parent in _own_and_above():
        for folder in parent.glob(f"{PREFIX}*"):
            owner = _NAME.fullmatch(folder.name)
            if owner and not Path("/proc", owner[1]).exists():
                with contextlib.suppress(OSError):
                    folder.rmdir()
                    removed.append(folder)
    return removed


def _own_and_above() -> Iterator[tuple[int, Path]]:
    """Version and folder of each group that we are in, in both hierarchies, from ours up to the mount."""
    for version in (1, 2):
        with contextlib.suppress(OSError, ToolError):
            yield from ((version, folder) for folder in _find(version, "self"))


def _find(version: int, pid: str) -> list[Path]:
    folders = group_folders(Path("/proc/self/mountinfo").read_text(), Path("/proc", pid, "cgroup").read_text(), version)
    if not folders:
        raise ToolError(f"no cgroup v{version} hierarchy with the cpu controller is mounted")
    # A container may be shown a path that lies outside what it has mounted.
    return folders if folders[0].is_dir() else folders[-1:]


def _write(path: Path, text: str) -> None:
    # Not opened for creation: where the kernel offers no such file there must not be one.
    with path.open("r+b", buffering=0) as file:
        file.write(text.encode())


def _write_checked(path: Path, text: str) -> None:
    try:
        _write(path, text)
        got = path.read_text().strip()
    except OSError as e:
        raise ToolError(f"{path}: {text!r} cannot be written: {e.strerror}") from None
    if got != text:
        raise ToolError(f"{path}: got {got!r}, expected {text!r}")
