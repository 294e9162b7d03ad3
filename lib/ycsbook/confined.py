"""Work on what others wrote, in a fork with bounded memory, CPU time and open files.

What costs too much there, or ends the process, is one line to whoever waits for it: why. Linux alone: elsewhere, and in
a process with several threads, nothing is forked (`can_fork`), and the work is done without these bounds.
"""

import contextlib
import fcntl
import gc
import math
import os
import pickle
import resource
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, TypeVar

from ycsbook.errors import YcsbookError, shown

Answer = TypeVar("Answer")

MAX_MIB = 2048
_MAX_FILES = 256
_MIB = 1024**2
# Exit codes of a fork: memory it could not get; whoever waits is gone; anything else that was not foreseen.
_NO_MEMORY, _NOBODY_WAITS, _FAILED = 70, 71, 72
# Threads of libraries that know of forks: Arrow's allocator gives memory back in this one.
_HARMLESS = frozenset({"jemalloc_bg_thd"})
# A library's thread has the name of its process until it has run, which takes that long at most on a busy machine.
_UNNAMED_S = 1.0


def can_fork() -> bool:
    """Whether a fork is safe here and now: on Linux, from a process with one thread, those of libraries counted."""
    if not sys.platform.startswith("linux"):
        return False
    while ages := [age for name, age in _other_threads() if name not in _HARMLESS]:
        if max(ages) > _UNNAMED_S:
            return False
        time.sleep(0.01)
    return True


def _other_threads() -> Iterator[tuple[str, float]]:
    """The name and the age, s, of each thread of this process but the one that asks; those of Python have names."""
    of_python = {thread.native_id for thread in threading.enumerate()}
    for thread in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):
            name, _, fields = (thread / "stat").read_text().partition("(")[2].rpartition(")")
            started_s = int(fields.split()[19]) / os.sysconf("SC_CLK_TCK")
            age = time.clock_gettime(time.CLOCK_BOOTTIME) - started_s
            if int(thread.name) != threading.get_native_id():
                yield name, math.inf if int(thread.name) in of_python else age


def answer(work: Callable[[], Answer], seconds: float) -> Answer:
    """What work() returns, which must be picklable, in a fork with bounds (`seconds` of CPU time) where that is
    possible. Raises YcsbookError where the work raised it, met a mistake of ours, took too much, or was ended."""

    def bounded(pipe: BinaryIO, bounds: Bounds) -> None:
        bounds.allow(seconds)
        pickle.dump(_tried(work), pipe)

    if not can_fork():
        error, value = _tried(work)
    else:
        fork = Fork(bounded)
        try:
            error, value = pickle.load(fork.pipe)
        except (EOFError, pickle.UnpicklingError):
            error = value = None
        finally:
            reason = fork.end(seconds)
        if reason:
            raise YcsbookError(reason)
    if error is not None:
        raise error
    return value


def mistake(error: Exception) -> str:
    """Words for an unforeseen error, to stand behind the name of what was worked on."""
    return f"{type(error).__name__}: {shown(str(error))}; please report it"


def _tried(work: Callable[[], Answer]) -> tuple[YcsbookError | None, Answer | None]:
    try:
        return None, work()
    except YcsbookError as e:
        return e, None
    except MemoryError:
        raise
    except Exception as e:  # noqa: BLE001  (a mistake of ours costs this, not the rest)
        return YcsbookError(f"meets a mistake in ycsbook, {mistake(e)}"), None


class Bounds:
    """The bounds of a fork, which changes them itself with what it works on."""

    def __init__(self) -> None:
        self._is_lifted = True
        _limit(resource.RLIMIT_NOFILE, _MAX_FILES)
        _limit(resource.RLIMIT_CORE, 0)
        # The system ends the process then, wherever it is: no handler has to be reached.
        signal.signal(signal.SIGPROF, signal.SIG_DFL)

    def allow(self, seconds: float) -> None:
        """From now on so much CPU time, and MAX_MIB more memory than when bounds were last lifted."""
        if self._is_lifted:
            self._is_lifted = False
            # As the system counts for this limit: private memory that may be written to, used or not.
            data_pages = int(Path("/proc/self/statm").read_text().split()[5])
            _limit(resource.RLIMIT_DATA, data_pages * os.sysconf("SC_PAGE_SIZE") + MAX_MIB * _MIB)
        signal.setitimer(signal.ITIMER_PROF, seconds)

    def lift(self) -> None:
        """Take the bounds away, for work on no stranger's file."""
        self._is_lifted = True
        _limit(resource.RLIMIT_DATA, resource.RLIM_INFINITY)
        signal.setitimer(signal.ITIMER_PROF, 0)


class Fork:
    """A fork of this process that carries out work(pipe, bounds), which has the writing end of a pipe; `pipe` is the
    other end, ours to read. Ctrl-C reaches us alone."""

    def __init__(self, work: Callable[[BinaryIO, Bounds], None]):
        read_end, write_end = os.pipe()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*multi-threaded.*fork", category=DeprecationWarning)
            self._pid = os.fork()
        if self._pid == 0:
            _carry_out(work, write_end)
        os.close(write_end)
        self.pipe = os.fdopen(read_end, "rb", _MIB)
        with contextlib.suppress(OSError):  # more than this user may have
            fcntl.fcntl(read_end, fcntl.F_SETPIPE_SZ, _MIB)

    def end(self, seconds: float, kill: bool = False) -> str:
        """Wait until it has ended, or `kill` it at once. Why it did not end well, to stand behind the name of what it
        worked on; empty: it did. `seconds`: of CPU time that it was allowed last."""
        self.pipe.close()
        if kill:
            os.kill(self._pid, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        if code == _NO_MEMORY:
            return f"took more than {MAX_MIB:,} MiB of memory"
        if code == -signal.SIGPROF:
            return f"took more than {seconds:,.0f} s of CPU time"
        if code == -signal.SIGKILL:
            # By the system: not for what the file holds, so it is worth another try.
            return "cannot be read: its process was killed, perhaps for want of memory"
        return f"ended its process by {signal.Signals(-code).name}" if code < 0 else "ended its process" if code else ""


def _carry_out(work: Callable[[BinaryIO, Bounds], None], write_end: int) -> None:
    code = _FAILED
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        # What is there already is never garbage here, and stays shared with whoever waits.
        gc.freeze()
        # Nor are their locks and half-written files any business of this process.
        os.closerange(3, write_end)
        os.closerange(write_end + 1, 2**31 - 1)
        with os.fdopen(write_end, "wb", _MIB) as pipe:
            work(pipe, Bounds())
        code = 0
    except MemoryError:
        code = _NO_MEMORY
    except BrokenPipeError:
        code = _NOBODY_WAITS
    finally:
        os._exit(code)


def _limit(kind: int, most: int) -> None:
    hard = resource.getrlimit(kind)[1]
    is_beyond = most == resource.RLIM_INFINITY or (hard != resource.RLIM_INFINITY and most > hard)
    resource.setrlimit(kind, (hard if is_beyond else most, hard))
