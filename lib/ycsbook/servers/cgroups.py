"""CPU groups of our own in cgroup v1 or v2: made, proved, changed, removed.

Kernel documentation: admin-guide/cgroup-v2 (cpu.max) and scheduler/sched-bwc (cpu.cfs_quota_us).
"""

import contextlib
import itertools
import math
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from ycsbook.errors import ToolError
from ycsbook.processes import Guard

PREFIX = "ycsbook-"
# With the usual 100 ms a throttled server pauses up to 75 ms, and that is what p99 shows.
PERIOD_US = 10_000
MIN_QUOTA_US = 1_000
PROOF_CORES = 0.5
REMOVE_LIMIT_S = 1.0
_NAME = re.compile(rf"{PREFIX}(\d+)-\d+")
_serial = itertools.count(1)


def group_folders(mounts: str, membership: str, version: int) -> list[Path]:
    """Where CPU groups can be made: a process's own group, then each one above it, up to the mounted hierarchy.

    Parameters
        mounts: text of /proc/self/mountinfo.
        membership: text of /proc/<pid>/cgroup.
        version: 1 or 2.
    Returns
        folders; none where no hierarchy with the cpu controller is mounted.
    """
    group = None
    for line in membership.splitlines():
        _, controllers, path = line.split(":", 2)
        if (controllers == "") if version == 2 else ("cpu" in controllers.split(",")):
            group = path
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        root, mountpoint = left.split()[3:5]
        kind, _, options = right.split(None, 2)
        fits = kind == "cgroup2" if version == 2 else kind == "cgroup" and "cpu" in options.split(",")
        if fits and group is not None:
            # In a container the mount shows only the part of the tree below `root`.
            top = root.rstrip("/")
            inside = group[len(top) :] if (group + "/").startswith(top + "/") else "/"
            mount, own = Path(mountpoint), Path(mountpoint, inside.lstrip("/"))
            return [own, *(folder for folder in own.parents if folder == mount or mount in folder.parents)]
    return []


def quota_us(cores: float | None) -> tuple[int, int] | None:
    """Quota and period in microseconds; None for no limit. The period grows where 1 ms of quota is too much.

    Examples
        >>> quota_us(0.25), quota_us(0.05), quota_us(None)
        ((2500, 10000), (1000, 20000), None)
    """
    if cores is None:
        return None
    period = max(PERIOD_US, math.ceil(MIN_QUOTA_US / cores))
    return round(cores * period), period


class Group:
    """A group with one process in it; the subclasses know the files of their version."""

    version: int
    limit_file: str

    def __init__(self, guard: Guard, pid: int):
        self._guard, self._pid = guard, pid
        self._home = _find(self.version, str(pid))[0]
        self._enabled_in: Path | None = None
        self.folder = self._make(_find(self.version, "self"))
        try:
            _write(self.folder / "cgroup.procs", str(pid))
            if _find(self.version, str(pid))[0] != self.folder:
                raise OSError(f"{self.folder}: process {pid} did not move there")
            self.limit(PROOF_CORES)
            self.limit(None)
        except (OSError, ToolError):
            self.close()
            raise

    def _make(self, parents: list[Path]) -> Path:
        reasons = []
        for parent in parents:
            folder = parent / f"{PREFIX}{os.getpid()}-{next(_serial)}"
            self._guard.remove_at_end(folder)
            try:
                folder.mkdir()
                if not (folder / self.limit_file).exists() and parent == parents[-1]:
                    self._enable(parent)
                if (folder / self.limit_file).exists():
                    return folder
                folder.rmdir()
                reasons.append(f"{parent}: its groups have no {self.limit_file}")
            except OSError as e:
                reasons.append(f"{parent}: {e.strerror}")
        raise ToolError("; ".join(reasons))

    def _enable(self, root: Path) -> None:
        """Have the kernel offer the limit to groups directly below the root; close() takes it back."""
        switch = root / "cgroup.subtree_control"
        if switch.exists():
            with contextlib.suppress(OSError):
                _write(switch, "+cpu")
                self._enabled_in = root

    def close(self) -> None:
        """Put the process back and remove the group."""
        with contextlib.suppress(OSError):
            _write(self._home / "cgroup.procs", str(self._pid))
        limit = time.monotonic() + REMOVE_LIMIT_S
        while True:
            try:
                self.folder.rmdir()
                break
            except FileNotFoundError:
                break
            except OSError as e:
                # A process that has just ended counts until it is reaped.
                if time.monotonic() > limit:
                    raise ToolError(f"{self.folder}: cannot be removed: {e.strerror}; remove it with rmdir") from None
                time.sleep(0.01)
        if self._enabled_in is not None:
            with contextlib.suppress(OSError):
                _write(self._enabled_in / "cgroup.subtree_control", "-cpu")


class Group2(Group):
    """A cgroup v2 group: `cpu.max`."""

    version = 2
    limit_file = "cpu.max"

    def limit(self, cores: float | None) -> None:
        quota = quota_us(cores)
        text = f"{quota[0]} {quota[1]}" if quota else f"max {PERIOD_US}"
        _write_checked(self.folder / "cpu.max", text)


class Group1(Group):
    """A cgroup v1 group: `cpu.cfs_quota_us` in each `cpu.cfs_period_us`."""

    version = 1
    limit_file = "cpu.cfs_quota_us"

    def limit(self, cores: float | None) -> None:
        quota, period = quota_us(cores) or (-1, PERIOD_US)
        # Lifted first: the kernel checks each write against the other value that stands.
        _write_checked(self.folder / "cpu.cfs_quota_us", "-1")
        _write_checked(self.folder / "cpu.cfs_period_us", str(period))
        _write_checked(self.folder / "cpu.cfs_quota_us", str(quota))


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


def inherited_limit() -> float:
    """The cores that the groups we are in allow (a container's limit); infinite where there is none."""
    cores = math.inf
    for version, folder in _own_and_above():
        with contextlib.suppress(OSError, ValueError):
            cores = min(cores, _limit_of(folder, version))
    return cores


def _own_and_above() -> Iterator[tuple[int, Path]]:
    """Version and folder of each group that we are in, in both hierarchies, from ours up to the mount."""
    for version in (1, 2):
        with contextlib.suppress(OSError, ToolError):
            yield from ((version, folder) for folder in _find(version, "self"))


def _limit_of(folder: Path, version: int) -> float:
    if version == 2:
        limit, period = (folder / "cpu.max").read_text().split()
        return math.inf if limit == "max" else int(limit) / int(period)
    quota = int((folder / "cpu.cfs_quota_us").read_text())
    return math.inf if quota < 0 else quota / int((folder / "cpu.cfs_period_us").read_text())


def _find(version: int, pid: str) -> list[Path]:
    folders = group_folders(Path("/proc/self/mountinfo").read_text(), Path("/proc", pid, "cgroup").read_text(), version)
    if not folders:
        raise ToolError(f"no cgroup v{version} hierarchy with the cpu controller is mounted")
    # A container may be shown a path that lies outside what it has mounted.
    return folders if folders[0].is_dir() else folders[-1:]


def _write(path: Path, text: str) -> None:
    # Not opened for creation: where the kernel offers no such file there must not be one.
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _write_checked(path: Path, text: str) -> None:
    try:
        _write(path, text)
        got = path.read_text().strip()
    except OSError as e:
        raise ToolError(f"{path}: {text!r} cannot be written: {e.strerror}") from None
    if got != text:
        raise ToolError(f"{path}: got {got!r}, expected {text!r}")
