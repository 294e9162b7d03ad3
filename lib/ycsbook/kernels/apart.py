"""Work done in a forked process, with its result or error brought back."""

import contextlib
import os
import pickle
import select
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from ycsbook.errors import PublishError, YcsbookError
from ycsbook.processes.guard_main import PR_SET_PDEATHSIG, PRCTL

# What the forked process does when its work did not end by itself.
_FAILED = 70


class Job:
    """Work under way in a process of its own."""

    def __init__(self, pid: int, results: int, name: str):
        self.pid, self._results, self._name = pid, results, name
        self._received = b""

    def fileno(self) -> int:
        """Readable when the result is there, for select."""
        return self._results

    def result(self) -> Any:
        """Wait for the work and return its result.

        Raises
            YcsbookError: what it raised, of the same class where it is one of ours.
            PublishError: its process ended without a word, for instance killed.
        """
        try:
            while chunk := os.read(self._results, 1 << 16):
                self._received += chunk
        except KeyboardInterrupt:
            self.interrupt()
            raise
        finally:
            status = self.wait()
        if not self._received:
            code = os.waitstatus_to_exitcode(status)
            how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
            raise PublishError(f"{self._name}: its process {how} before it was done; start again")
        error, value = pickle.loads(self._received)
        if error is not None:
            raise error
        return value

    def wait(self) -> int:
        """Wait for the process to end, whatever came of it; its wait status."""
        os.close(self._results)
        return os.waitpid(self.pid, 0)[1]

    def interrupt(self) -> None:
        """Ask it to end, as Ctrl-C does."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGINT)


def start(work: Callable[[], Any], name: str) -> Job:
    """Begin work in a forked process; it must leave nothing but its result and what it wrote.

    Parameters
        work: its result must be picklable.
        name: for messages.
    """
    readable, writable = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = fork()
    if pid == 0:
        os.close(readable)
        end_with_parent()
        # A group of its own: Ctrl-C reaches the parent alone, which passes it on once.
        os.setpgid(0, 0)
        _carry_out(work, writable)
    os.close(writable)
    return Job(pid, readable, name)


def several(works: Sequence[tuple[Callable[[], Any], str]], jobs: int, on_end: Callable[[int, Job], None]) -> None:
    """Carry out works with their names, so many at a time, in their order; all are ended when this returns or raises.

    Parameters
        on_end: told of each as soon as its result is there: which one it is, and its job, whose result it takes.
    """
    waiting = list(range(len(works)))
    running: dict[Job, int] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                which = waiting.pop(0)
                running[start(*works[which])] = which
            ready, _, _ = select.select(list(running), [], [])
            on_end(running.pop(ready[0]), ready[0])
    except BaseException:
        for job in running:
            job.interrupt()
        for job in running:
            job.wait()
        raise


def end_with_parent() -> None:
    """Have the kernel end this process when its parent ends, however that came about; only where Linux can."""
    if PRCTL is not None:
        PRCTL(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def fork() -> int:
    """os.fork, without the remark that a library's own idle thread gives rise to."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*multi-threaded.*fork", category=DeprecationWarning)
        return os.fork()


def _carry_out(work: Callable[[], Any], writable: int) -> None:
    code = _FAILED
    try:
        answer = pickle.dumps(_answer(work))
        # Whoever was interrupted waits for the end alone, not for an answer.
        with contextlib.suppress(BrokenPipeError), os.fdopen(writable, "wb") as file:
            file.write(answer)
        code = 0
    except BaseException:  # noqa: BLE001  this process must never go on as its parent
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _answer(work: Callable[[], Any]) -> tuple[BaseException | None, Any]:
    try:
        return None, work()
    except (YcsbookError, KeyboardInterrupt) as e:
        return e, None
