"""When a run must be ended: output is not progress, finished operations are."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from ycsbook.verdicts import StopReason

_OPERATIONS = re.compile(rb" (\d+) operations;")
_RATES = re.compile(rb" operations; (\d{1,15}(?:\.\d{1,9})?) current ops/sec;")
_TAIL_BYTES = 64 * 1024


@dataclass
class Watchdog:
    """Decides from the count of finished operations and the clock.

    Parameters
        stall_s: longest time without a finished operation, s.
        wall_s: longest time in all, s; None: no limit.
    """

    stall_s: float
    wall_s: float | None
    _last_count: int = -1
    _last_change_s: float = field(default=0.0)

    def observe(self, elapsed_s: float, operations: int) -> StopReason | None:
        """The reason to end the run now, or None."""
        if operations != self._last_count:
            self._last_count, self._last_change_s = operations, elapsed_s
        if self.wall_s is not None and elapsed_s > self.wall_s:
            return StopReason.TIMEOUT
        if elapsed_s - self._last_change_s > self.stall_s:
            return StopReason.STALLED
        return None


def finished_operations(status_log: Path) -> int:
    """Operations that the last whole status line of a log reports; 0 where there is none yet."""
    found = _OPERATIONS.findall(_tail(status_log))
    return int(found[-1]) if found else 0


def recent_ops_s(status_log: Path, n: int) -> list[float]:
    """Operations per second of the last whole status lines of a log, at most n, the oldest first."""
    return [float(rate) for rate in _RATES.findall(_tail(status_log))[-n:]]


def _tail(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - _TAIL_BYTES))
            return file.read()
    except FileNotFoundError:
        return b""
