"""The decision to end a run early: no operation is finished any more, the time is over, or the server is lost."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import psutil

from ycsbook.ingest.log.status import StatusLine, parse_line
from ycsbook.verdicts import StopReason

# So long without a success a server is asked whether it is there, s, and so often.
SUSPECT_S = 5.0
ASK_S = 1.0

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
    """Decides whether the server is lost: one of its processes is gone, or nothing succeeds and it does not answer.

    A server that is busy, or stalls and recovers, answers; one that was killed or frozen does not, and operations may
    go on to fail, one after another, until the run would end by itself.

    Parameters
        answers: asks the server; called only while nothing succeeds. None: it cannot be asked.
        lost_s: how long it may be silent, s: longer than a replica set takes to elect another primary.
        pids: of its processes on this machine.
    """

    answers: Callable[[], bool] | None
    lost_s: float
    pids: Sequence[int] = ()
    _successes: int = 0
    _alive_s: float = 0.0
    _asked_s: float = 0.0

    def is_lost(self, elapsed_s: float, successes: int) -> bool:
        """Whether the server is lost now.

        Parameters
            successes: operations that have succeeded so far.
        """
        if not all(map(psutil.pid_exists, self.pids)):
            return True
        if self.answers is None:
            return False
        if successes != self._successes:
            self._successes, self._alive_s = successes, elapsed_s
        if elapsed_s - self._alive_s < SUSPECT_S or elapsed_s - self._asked_s < ASK_S:
            return False
        self._asked_s = elapsed_s
        if self.answers():
            self._alive_s = elapsed_s
        return elapsed_s - self._alive_s > self.lost_s


class FinishedOperations:
    """Counts from a client's status lines as they come.

    `operations`: finished so far, failed ones too. `successes`: those that succeeded, as far as the lines tell them
    apart; it grows with every line that has any.
    """

    def __init__(self) -> None:
        self.operations, self.successes = 0, 0
        self._rest = b""

    def feed(self, text: bytes) -> None:
        """Take in the next piece of the log."""
        *lines, rest = (self._rest + text).split(b"\n")
        self._rest = rest[-_TAIL_BYTES:]
        for line in lines:
            if status := parse_line(line.decode("utf-8", errors="replace")):
                self._take(status)

    def _take(self, status: StatusLine) -> None:
        counts = {d.operation: int(d.count) for d in status.details if not math.isnan(d.count)}
        if counts:
            self.successes += sum(n for operation, n in counts.items() if _succeeded(operation))
        else:
            self.successes += max(0, status.operations - self.operations)
        self.operations = status.operations


def _succeeded(operation: str) -> bool:
    """Failed operations have a name of their own, READ-FAILED; Intended- counts the same ones again."""
    return "-FAILED" not in operation and not operation.startswith(("Intended-", "CLEANUP"))
