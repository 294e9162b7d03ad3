"""A function run in a process of its own, in bounded time and memory: what hostile input may cost at most."""

import os
import pickle
import resource
import signal
from collections.abc import Callable

_MIB = 1024**2


def confined(function: Callable, *arguments: object, memory_mib: int = 512, seconds: int = 60) -> object:
    """What the function returns or raises, run in a fork with so much more memory than now and so much time.

    A MemoryError or a signal is a failure of the promise: they are raised.
    """
    here, there = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(here)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(seconds)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            limit = _virtual_bytes() + memory_mib * _MIB
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            try:
                answer = (True, function(*arguments))
            except (Exception, SystemExit) as e:  # noqa: BLE001  (raised again by whoever asked)
                answer = (False, e)
            with os.fdopen(there, "wb") as pipe:
                pickle.dump(answer, pipe)
        finally:
            os._exit(0)
    os.close(there)
    with os.fdopen(here, "rb") as pipe:
        content = pipe.read()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code == 0, f"ended by signal {-code}: more than {seconds} s, or killed"
    is_result, answer = pickle.loads(content)
    if not is_result:
        raise answer
    return answer


def _virtual_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
