"""When a run must be ended: output is not progress, finished operations are, and a server that is gone is not slow."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ycsbook.verdicts import StopReason

# So long without a success a server is asked whether it is there, s, and so often.
SUSPECT_S = 5.0
ASK_S = 1.0

_OPERATIONS = re.compile(rb" (\d{1,18}) operations;")
_RATES = re.compile(rb" operations; (\d{1,15}(?:\.\d{1,9})?) current ops/sec;")
# Failed operations have a name of their own, [READ-FAILED: Count=3, ...]; Intended- counts the same ones again.
_SUCCEEDED = re.compile(rb"\[(?!Intended-|CLEANUP)(?![A-Z_-]{0,40}-FAILED)[A-Z_-]{1,40}: Count=(\d{1,18})")
_COUNTED = b": Count="
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


@dataclass
class ServerWatch:
    """Decides whether the server is lost: no operation succeeds, and it does not even answer.

    A server that is busy, or stalls and recovers, answers; one that was killed or frozen does not, and operations may
    go on to fail, one after another, until the run would end by itself.

    Parameters
        answers: asks the server; called only while nothing succeeds.
        lost_s: how long it may be silent, s: longer than a replica set takes to elect another primary.
    """

    answers: Callable[[], bool]
    lost_s: float
    _successes: int = 0
    _alive_s: float = 0.0
    _asked_s: float = 0.0

    def is_lost(self, elapsed_s: float, successes: int) -> bool:
        """Whether to give it up now.

        Parameters
            successes: operations that have succeeded so far.
        """
        if successes != self._successes:
            self._successes, self._alive_s = successes, elapsed_s
        if elapsed_s - self._alive_s < SUSPECT_S or elapsed_s - self._asked_s < ASK_S:
            return False
        self._asked_s = elapsed_s
        if self.answers():
            self._alive_s = elapsed_s
        return elapsed_s - self._alive_s > self.lost_s


class StatusLines:
    """Reads a client's status lines as they come.

    `operations`: finished so far, failed ones too. `successes`: those that succeeded, as far as the lines tell them
    apart; it grows with every line that has any.
    """

    def __init__(self) -> None:
        self.operations, self.successes = 0, 0
        self._rest = b""

    def feed(self, text: bytes) -> None:
        """The next piece of the log."""
        *lines, rest = (self._rest + text).split(b"\n")
        self._rest = rest[-_TAIL_BYTES:]
        for line in lines:
            if found := _OPERATIONS.search(line):
                self._read(line, int(found[1]))

    def _read(self, line: bytes, operations: int) -> None:
        if _COUNTED in line:
            self.successes += sum(map(int, _SUCCEEDED.findall(line)))
        else:
            self.successes += max(0, operations - self.operations)
        self.operations = operations


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
