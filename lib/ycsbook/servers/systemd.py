"""A CPU quota through systemd: a running process adopted into a transient scope.

Interface: org.freedesktop.systemd1.Manager.StartTransientUnit with the property PIDs, and
`systemctl set-property --runtime`; systemd.resource-control(5) for CPUQuota and CPUQuotaPeriodSec.
"""

import contextlib
import itertools
import math
import os
import shutil
import subprocess
from pathlib import Path

from ycsbook.errors import ToolError, shown
from ycsbook.processes import Guard
from ycsbook.servers import cgroups

LIMIT_S = 10.0
_ROUNDING = 0.01
_serial = itertools.count(1)


class Scope:
    """A transient scope around one process. systemd removes it by itself when the process has ended."""

    def __init__(self, guard: Guard, pid: int):
        if not Path("/run/systemd/system").is_dir():
            raise ToolError("systemd is not the system's first process")
        for tool in ("busctl", "systemctl"):
            if shutil.which(tool) is None:
                raise ToolError(f"{tool} is not on PATH")
        self._pid = pid
        self._manager = () if os.geteuid() == 0 else ("--user",)
        self.unit = f"{cgroups.PREFIX}{os.getpid()}-{next(_serial)}.scope"
        _run(adopt_command(self._manager, self.unit, pid))
        try:
            self.limit(cgroups.PROOF_CORES)
            self.limit(None)
        except ToolError:
            # The scope stays around the process, so no half-made limit may stay in it.
            with contextlib.suppress(ToolError):
                _run(limit_command(self._manager, self.unit, None))
            raise

    def limit(self, cores: float | None) -> None:
        """Set the quota, and read it back from the group the process is now in."""
        _run(limit_command(self._manager, self.unit, cores))
        got = cgroups.limit_of_process(self._pid)
        if (got is None) != (cores is None) or not math.isclose(got or 0.0, cores or 0.0, rel_tol=_ROUNDING):
            raise ToolError(f"{self.unit}: the kernel's limit is {got} cores, expected {cores}")

    def close(self) -> None:
        """Lift the limit. The scope stays until its process ends: stopping it would end the process."""
        if Path(f"/proc/{self._pid}").exists():
            self.limit(None)


def adopt_command(manager: tuple[str, ...], unit: str, pid: int) -> list[str]:
    """The call that puts a running process into a new scope."""
    service = ["org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"]
    properties = ["2", "PIDs", "au", "1", str(pid), "CollectMode", "s", "inactive-or-failed"]
    return [
        "busctl", *manager, "call", *service, "StartTransientUnit", "ssa(sv)a(sa(sv))", unit, "fail", *properties, "0",
    ]  # fmt: skip


def limit_command(manager: tuple[str, ...], unit: str, cores: float | None) -> list[str]:
    """The call that changes a scope's quota; an empty CPUQuota lifts it."""
    quota = cgroups.quota_us(cores)
    # systemd takes two decimals of a percent.
    percent = f"{100 * cores:.2f}".rstrip("0").rstrip(".") + "%" if cores is not None else ""
    period_us = quota[1] if quota else cgroups.PERIOD_US
    return [
        "systemctl", *manager, "set-property", "--runtime", unit,
        f"CPUQuota={percent}", f"CPUQuotaPeriodSec={period_us}us",
    ]  # fmt: skip


def _run(command: list[str]) -> None:
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise ToolError(f"{command[0]}: {e}") from None
    if result.returncode:
        raise ToolError(f"{command[0]}: {shown(result.stderr.strip())}")
