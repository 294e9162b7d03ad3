"""Whole cores without any privilege: a process is kept to so many of the machine's CPUs."""

import contextlib
import os
from pathlib import Path

from ycsbook.errors import ToolError
from ycsbook.processes import Guard


class Affinity:
    """Keeps every thread of a process on as many CPUs as it may use cores. What it starts later inherits that.

    Needs Linux and the right to change the process. A share of a core cannot be had this way, and other processes may
    use the same CPUs.
    """

    def __init__(self, guard: Guard, pid: int):
        if not hasattr(os, "sched_setaffinity"):
            raise ToolError("this system cannot keep a process to some CPUs")
        self._pid, self._home = pid, os.sched_getaffinity(pid)
        self.limit(None)  # proves that it may be done

    def limit(self, cores: float | None) -> None:
        """Keep the process to so many CPUs; None: to those it had.

        Raises
            ToolError: not a whole number.
        """
        if cores is None:
            self._set(self._home)
            return
        if cores != int(cores):
            raise ToolError(f"affinity gives whole cores only, not {cores:g}")
        cpus = sorted(self._home)
        # Members of one replica set begin at different CPUs.
        first = self._pid % len(cpus)
        self._set(set((cpus[first:] + cpus[:first])[: int(cores)]))

    def close(self) -> None:
        """Give the process back the CPUs it had."""
        with contextlib.suppress(OSError):
            self.limit(None)

    def _set(self, cpus: set[int]) -> None:
        for task in Path(f"/proc/{self._pid}/task").iterdir():
            # A thread may end meanwhile; the process itself must be there.
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(int(task.name), cpus)
