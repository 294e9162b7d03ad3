"""Runners that end themselves at a chosen point: each is a fork of one process that has loaded everything already.

On its standard input one line per runner:

    {"params": ..., "store": ..., "environment": {...}, "signal": 9, "at": 17}      the signal at its 17th step
    {..., "signal": 2, "after_s": 0.4}                                              the signal after so long

and on its standard output one line per runner when that has ended: {"status": as of waitpid, "steps": n}. A step is a
file or folder of the store made, opened for writing, renamed or removed, or a process started.
"""

import contextlib
import json
import os
import signal
import sys
import threading
from pathlib import Path

from ycsbook.errors import RunError, ServerBusyError, YcsbookError
from ycsbook.ingest import read  # noqa: F401 - loaded before the forks
from ycsbook.params import load
from ycsbook.runner import sweep
from ycsbook.store.runs import RunStore

TOUCHING = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "shutil.rmtree", "subprocess.Popen"}
# Exit codes of a runner: done with a run that was unsuccessful, stopped by Ctrl-C, refused because another holds it.
UNSUCCESSFUL, INTERRUPTED, BUSY, REFUSED = 3, 130, 4, 5


class Steps:
    """Counts the steps of this process and sends the signal at the chosen one."""

    def __init__(self, root: str, number: int, at: int):
        self._root, self._number, self._at = root, number, at
        self.done = 0
        sys.addaudithook(self._see)

    def _see(self, event: str, arguments: tuple) -> None:
        if event == "open":
            counts = self._inside(arguments[0]) and bool((arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
        else:
            counts = event in TOUCHING and (event == "subprocess.Popen" or self._inside(arguments[0]))
        if not counts or threading.current_thread() is not threading.main_thread():
            return
        self.done += 1
        if self.done == self._at:
            os.kill(os.getpid(), self._number)

    def _inside(self, path: object) -> bool:
        return isinstance(path, str | os.PathLike) and os.fspath(path).startswith(self._root)


def runner(order: dict, tell: int) -> int:
    """One runner, from its start to its end; its exit code."""
    os.environ.update(order["environment"])
    steps = Steps(order["store"], order["signal"], order.get("at", 0))
    if "after_s" in order:
        timer = threading.Timer(order["after_s"], os.kill, (os.getpid(), order["signal"]))
        timer.daemon = True
        timer.start()
    try:
        unsuccessful = sweep.run(load(order["params"]), RunStore(Path(order["store"])))
        return UNSUCCESSFUL if unsuccessful else 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except ServerBusyError as e:
        print(f"busy: {e}", file=sys.stderr)
        return BUSY
    except RunError as e:
        print(f"unsuccessful: {e}", file=sys.stderr)
        return UNSUCCESSFUL
    except YcsbookError as e:
        print(f"refused: {e}", file=sys.stderr)
        return REFUSED
    finally:
        with contextlib.suppress(OSError):
            os.write(tell, str(steps.done).encode())


def main() -> None:
    for line in sys.stdin:
        order = json.loads(line)
        told, tell = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(told)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            sys.stdout = sys.stderr
            code = 1
            try:
                code = runner(order, tell)
            finally:
                sys.stderr.flush()
                os._exit(code)
        os.close(tell)
        with os.fdopen(told, "rb") as pipe:
            steps = int(pipe.read() or 0)
        _, status = os.waitpid(pid, 0)
        print(json.dumps({"status": status, "steps": steps}), flush=True)


if __name__ == "__main__":
    main()
