"""The runner's side of the guard: start children that cannot outlive the run."""

import json
import math
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

from ycsbook.errors import ToolError, shown
from ycsbook.processes import guard_main
from ycsbook.secrets import clean_environment

# A guard answers at once; one that was stopped is continued after PROMPT_S.
PROMPT_S = 2.0
ANSWER_LIMIT_S = 10.0
END_LIMIT_S = 20.0
_GUARD = Path(guard_main.__file__)
_POLL_S = 0.01


def polls(limit_s: float, pause_s: float) -> Iterator[None]:
    """Yields seconds for a loop that waits: one turn at once, then one after each pause until the time is over."""
    limit = time.monotonic() + limit_s
    yield
    while time.monotonic() < limit:
        time.sleep(pause_s)
        yield


class GuardedProcess:
    """A process that belongs to a guard. `pid` is its process id, its group and its session."""

    def __init__(self, guard: "Guard", pid: int, name: str, grace_s: float):
        self.pid = pid
        self._guard, self._name, self._grace_s = guard, name, grace_s
        self._code: int | None = None

    def poll(self) -> int | None:
        """The exit code, negative for the signal that ended it; None while it runs."""
        if self._code is None:
            self._code = self._state()["code"]
        return self._code

    def wait(self, timeout_s: float | None = None) -> int:
        """Wait for the end and return the exit code; raises TimeoutError after timeout_s seconds."""
        for _ in polls(math.inf if timeout_s is None else timeout_s, _POLL_S):
            if (code := self.poll()) is not None:
                return code
        raise TimeoutError(f"{self._name} (process {self.pid}) still runs after {timeout_s:g} s")

    def stop(self, grace_s: float | None = None) -> int:
        """End it and everything that it started: TERM, `grace_s` seconds later KILL; returns the exit code. Also ends
        what a process that has exited by itself left running in its group or session. Raises ToolError where it does
        not end even then (a process that waits for a device cannot be killed)."""
        grace_s = self._grace_s if grace_s is None else grace_s
        if not self._guard.closed:
            self._guard._ask("stop", pid=self.pid, grace_s=grace_s)
        for _ in polls(grace_s + ANSWER_LIMIT_S, _POLL_S):
            answer = self._state()
            if answer["code"] is not None and not answer["stopping"]:
                self._code = answer["code"]
                return self._code
        raise ToolError(f"{self._name} (process {self.pid}) does not end, not even killed; look at it with ps")

    def _state(self) -> dict:
        if self._guard.closed:
            # Nothing outlives its guard; how it ended nobody asked in time.
            return {"code": -signal.SIGKILL if self._code is None else self._code, "stopping": False}
        return self._guard._ask("poll", pid=self.pid)


class Guard(AbstractContextManager):
    """A guard process, `pid`: owns the children, CPU groups and secret files of one run. Usable from any thread.

    Whatever ends the run (an exception, Ctrl-C, a killed notebook kernel, kill -9), the guard ends all children with
    all their descendants, stopped and detached ones included, and removes what was registered. On Linux descendants are
    found through /proc; elsewhere process groups are ended. `keep_open`: file descriptors that it holds until then,
    such as that of a lock.
    """

    def __init__(self, *, keep_open: Sequence[int] = ()):
        self._pipe, theirs = multiprocessing.Pipe()
        argv = [sys.executable, "-S", "-E", "-u", str(_GUARD)]
        # Held back until the guard ignores them by itself; the mask is inherited.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
        try:
            with theirs:
                self._process = subprocess.Popen(
                    [*argv, str(os.getpid()), *map(str, keep_open)],
                    stdin=theirs, stdout=subprocess.DEVNULL, start_new_session=True, pass_fds=keep_open, cwd="/",
                    env=clean_environment(),
                )  # fmt: skip
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        self.pid, self.closed = self._process.pid, False
        # One thread for requests: KeyboardInterrupt, which reaches the main thread only, cannot cut one in half.
        self._talk = ThreadPoolExecutor(max_workers=1, thread_name_prefix="guard")

    def start(
        self,
        argv: Sequence[str | Path],
        *,
        stdout: Path | None = None,
        stderr: Path | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        grace_s: float = 2.0,
        mode: int = 0o644,
    ) -> GuardedProcess:
        """Start a process in a session of its own, standard input empty.

        Parameters
            argv: the command; found through PATH of `env` where it has no slash.
            stdout, stderr: files appended to, created with `mode`; None: discarded.
            env: the whole environment; None: what any program needs, and no secret of the runner.
            grace_s: seconds between TERM and KILL when the run ends; 0: KILL at once.

        Raises
            ToolError: no such executable or file, or no permission.
        """
        command = [os.fspath(a) for a in argv]
        answer = self._ask(
            "start", argv=command, cwd=_text(cwd), env=dict(clean_environment() if env is None else env),
            stdout=_text(stdout), stderr=_text(stderr), mode=mode, grace_s=grace_s,
        )  # fmt: skip
        if "errno" in answer:
            path = answer["path"]
            suffix = "" if path == command[0] else f" ({path})"
            raise ToolError(f"{command[0]}: cannot be started: {answer['reason']}{suffix}; check the path and its mode")
        return GuardedProcess(self, answer["pid"], Path(command[0]).name, grace_s)

    def remove_at_end(self, path: Path, *, tree: bool = False) -> None:
        """Have a file or a CPU group (an empty folder) removed at the end; with `tree` a whole folder. Register before
        creating, so that no moment is left uncovered; what is gone by then is no error."""
        self._ask("register", path=os.path.abspath(path), tree=tree)

    def close(self) -> None:
        """End all children, remove what was registered, and wait for that. Raises ToolError where the guard fails."""
        if self.closed:
            return
        self.closed = True
        try:
            # Closed whatever interrupts this: that alone has the guard end everything.
            with self._pipe:
                self._talk.shutdown(wait=True)
            self._continue()
            code = self._process.wait(END_LIMIT_S)
        except (subprocess.TimeoutExpired, TimeoutError):
            self._kill()
            raise ToolError(
                f"the guard (process {self.pid}) waited for its children in vain and was killed with them; look with ps"
            ) from None
        if code:
            raise ToolError(f"the guard (process {self.pid}) ended with code {code}; look for children left with ps")

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, method: str, **arguments: object) -> dict:
        if self.closed:
            raise ToolError("the guard is closed, its processes have ended; start a new one")
        return self._talk.submit(self._exchange, method, arguments).result()

    def _exchange(self, method: str, arguments: dict) -> dict:
        try:
            self._pipe.send_bytes(json.dumps({"method": method, **arguments}).encode())
            if not self._pipe.poll(PROMPT_S):
                # One that is stopped loses nothing.
                self._continue()
                if not self._pipe.poll(ANSWER_LIMIT_S):
                    raise TimeoutError("timed out")
            return json.loads(self._pipe.recv_bytes())
        except (EOFError, OSError) as e:
            self._kill()
            raise ToolError(
                f"the guard (process {self.pid}) does not answer ({shown(str(e) or 'closed')}): it was killed or has "
                "failed; its children ended with it, start again"
            ) from None

    def _continue(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def _kill(self) -> None:
        below = guard_main.descendants(guard_main.process_table(), self.pid)
        self._process.kill()
        for pid in below:
            guard_main.send(pid, signal.SIGKILL)


def abandoned() -> list[int]:
    """Guards that are stopped and whose runner is gone: they keep its servers and locks until they are continued."""
    import psutil  # not needed to start a process

    pids = []
    for process in psutil.process_iter(["cmdline", "ppid", "status"]):
        *_, script, runner = ["", "", *(process.info["cmdline"] or [])[:6]]
        if process.info["status"] == psutil.STATUS_STOPPED and Path(script).parts[-2:] == _GUARD.parts[-2:]:
            pids += [process.pid] if runner != str(process.info["ppid"]) else []
    return pids


def end_abandoned() -> None:
    """Continue abandoned guards, which then end all that they keep, and wait for that."""
    guards = abandoned()
    for pid in guards:
        guard_main.send(pid, signal.SIGCONT)
    for _ in polls(END_LIMIT_S, _POLL_S):
        if not guard_main.process_table().keys() & set(guards):
            return


def output(
    argv: Sequence[str | Path], *, advice: str, timeout_s: float = 30, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """What a short program prints, and its exit code; it sees as much of our environment as the children of a guard.
    Raises ToolError, which ends in the advice, where it cannot be started, or does not end."""
    env = clean_environment() if env is None else env
    text_settings = {"encoding": "utf-8", "errors": "replace", "timeout": timeout_s}
    try:
        return subprocess.run(argv, env=env, capture_output=True, check=False, **text_settings)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise ToolError(f"{argv[0]}: cannot be run: {e}; {advice}") from None


def _text(path: Path | None) -> str | None:
    return None if path is None else os.path.abspath(path)
