"""A CPU quota without any privilege: a process of its own stops and continues the server.

Needs Linux (process CPU clocks, pidfd) and the right to signal the server.
"""

import os
import signal
import sys
import time
from pathlib import Path

from ycsbook.errors import ToolError
from ycsbook.processes import Guard, GuardedProcess

PERIOD_MS = 20
_SCRIPT = Path(__file__).with_name("duty_main.py")
_PROOF_LIMIT_S = 1.0


class DutyCycle:
    """Keeps a process within a CPU budget per 20 ms, whatever its number of threads."""

    def __init__(self, guard: Guard, pid: int):
        if not hasattr(os, "pidfd_open"):
            raise ToolError("this system has no pidfd_open, which a duty cycle needs")
        self._guard, self._pid = guard, pid
        self._helper: GuardedProcess | None = None
        self._prove()

    def limit(self, cores: float | None) -> None:
        """Start the helper with another budget, or end it and let the process run."""
        self.close()
        if cores is not None:
            argv = [sys.executable, "-S", "-E", str(_SCRIPT), str(self._pid), repr(cores), str(PERIOD_MS)]
            self._helper = self._guard.start(argv, grace_s=0.0)

    def close(self) -> None:
        """End the helper and let the process run."""
        if self._helper is not None:
            self._helper.stop(0.0)
            self._helper = None
        self._signal(signal.SIGCONT, gone_is_fine=True)

    def _prove(self) -> None:
        self._signal(signal.SIGSTOP)
        try:
            limit = time.monotonic() + _PROOF_LIMIT_S
            while self._state() != "T":
                if time.monotonic() > limit:
                    raise ToolError(f"process {self._pid} does not stop on SIGSTOP")
        finally:
            self._signal(signal.SIGCONT, gone_is_fine=True)

    def _state(self) -> str:
        stat = Path(f"/proc/{self._pid}/stat").read_text()
        return stat[stat.rindex(")") + 2]

    def _signal(self, number: int, *, gone_is_fine: bool = False) -> None:
        try:
            os.kill(self._pid, number)
        except ProcessLookupError:
            if not gone_is_fine:
                raise ToolError(f"process {self._pid} has ended") from None
