"""The guard: a small process that owns every child of a run and ends them all when the run ends.

Started by the package as a script of its own: standard library only, one thread, no import of ours. It reads JSON
requests from its standard input (a pipe of multiprocessing, both ways) and answers each. When the pipe closes or the
runner is gone, it ends every descendant, removes what was registered, and exits.
"""

import contextlib
import ctypes
import errno
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from types import SimpleNamespace

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
TICK_S = 0.02
IDLE_S = 0.5
KILL_LIMIT_S = 3.0
REMOVE_LIMIT_S = 1.0
# The runner decides: a signal meant for it must not end the guard before its work is done.
IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


# On Linux alone.
PRCTL = getattr(ctypes.CDLL(None, use_errno=True), "prctl", None)


def start_process(*, argv, cwd, env, stdout, stderr, mode):
    """A started process in a session of its own; raises OSError where it cannot be started."""
    guard = os.getpid()

    def in_child():
        if PRCTL is not None:
            PRCTL(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != guard:
                os._exit(127)
        for number in IGNORED:
            signal.signal(number, signal.SIG_DFL)

    with contextlib.ExitStack() as files:
        out, err = (files.enter_context(open_output(path, mode)) for path in (stdout, stderr))
        return subprocess.Popen(
            argv, cwd=cwd or "/", env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
            preexec_fn=in_child,  # noqa: PLW1509 - the guard has one thread
        )  # fmt: skip


def open_output(path, mode):
    # A pipe whose reader is gone already is an error, not something to wait for.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK
    descriptor = os.open(path or os.devnull, flags, mode)
    os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "ab", buffering=0)


def process_table():
    """pid -> (parent, group, session) of every live process; empty where there is no /proc."""
    table = {}
    for name in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else ()):
        with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
            stat = file.read()
            state, parent, group, session = stat[stat.rindex(b")") + 2 :].split(None, 4)[:4]
            if state not in b"ZX":
                table[int(name)] = (int(parent), int(group), int(session))
    return table


def descendants(table, root):
    below = {}
    for pid, (parent, _, _) in table.items():
        below.setdefault(parent, []).append(pid)
    below_root, front = set(), [root]
    while front:
        front = [pid for parent in front for pid in below.get(parent, ()) if pid not in below_root]
        below_root.update(front)
    return below_root


def send(pid, number, group=False):
    with contextlib.suppress(ProcessLookupError, PermissionError):
        (os.killpg if group else os.kill)(pid, number)


class GuardMain:
    """Holds the children and the paths to remove, and serves requests. Of a child it knows its exit code once it has
    ended, and by when (`deadline`) it is killed if it does not stop by itself."""

    def __init__(self, runner):
        self.runner = runner
        self.requests = Connection(0)
        self.children = {}
        self.paths = {}
        self.wake, wake_w = os.pipe()
        os.set_blocking(self.wake, False)
        os.set_blocking(wake_w, False)
        signal.set_wakeup_fd(wake_w, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def start(self, *, grace_s, **process_settings):
        # Kept, but never asked: the guard itself waits for everything below it.
        process = start_process(**process_settings)
        self.children[process.pid] = SimpleNamespace(
            process=process, pid=process.pid, grace_s=grace_s, code=None, deadline=None
        )
        return {"pid": process.pid}

    def poll(self, pid):
        child = self.children[pid]
        return {"code": child.code, "stopping": child.deadline is not None}

    def stop(self, pid, grace_s):
        self._begin_stop(self.children[pid], grace_s)
        return {}

    def register(self, path, tree):
        self.paths[path] = tree
        return {}

    def _members(self, child):
        """The live processes below the guard that are not another child's, by tree, session or group.

        Whoever has left the tree and session of every child, which a daemon does, is among them: it cannot be told
        whose it was, and nothing that a run needs does so.
        """
        table = process_table()
        siblings = self.children.keys() - {child.pid}
        below = descendants(table, os.getpid())
        return {p for p in below if siblings.isdisjoint(table[p][1:])} - siblings.union(
            *(descendants(table, p) for p in siblings)
        )

    def _begin_stop(self, child, grace_s):
        deadline = time.monotonic() + grace_s
        child.deadline = deadline if child.deadline is None else min(child.deadline, deadline)
        if child.code is None and grace_s > 0:
            send(child.pid, signal.SIGTERM, group=True)
            send(child.pid, signal.SIGCONT, group=True)
        self._advance()

    def _is_stopping(self):
        return any(child.deadline is not None for child in self.children.values())

    def _advance(self):
        """One step for every child that is being stopped: KILL once it has ended or had its time."""
        self._reap()
        for child in self.children.values():
            if child.deadline is None:
                continue
            if child.code is None and time.monotonic() < child.deadline:
                # A duty cycle may have stopped it once more: a stopped process does not see its TERM.
                send(child.pid, signal.SIGCONT)
                continue
            remaining = self._members(child)
            for pid in remaining:
                send(pid, signal.SIGKILL)
            if child.code is None:
                send(child.pid, signal.SIGKILL, group=True)
            elif not remaining:
                child.deadline = None

    def _reap(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            child = self.children.get(pid)
            if child is not None and child.code is None:
                child.code = os.waitstatus_to_exitcode(status)

    def end(self):
        # Those without grace go first: among them is whoever keeps stopping another.
        for child in sorted(self.children.values(), key=lambda c: c.grace_s):
            self._begin_stop(child, child.grace_s)
        grace_s = max((c.grace_s for c in self.children.values()), default=0.0)
        limit = time.monotonic() + grace_s + KILL_LIMIT_S
        while self._is_stopping() and time.monotonic() < limit:
            self._sleep(TICK_S)
            self._advance()
        limit = time.monotonic() + KILL_LIMIT_S
        while time.monotonic() < limit:
            orphans = descendants(process_table(), os.getpid())
            if not orphans:
                break
            for pid in orphans:
                send(pid, signal.SIGKILL)
            self._sleep(TICK_S)
            self._reap()
        for path, tree in reversed(self.paths.items()):
            remove(path, tree)

    def serve(self):
        while True:
            ready = self._sleep(TICK_S if self._is_stopping() else IDLE_S, self.requests)
            self._advance()
            # The pipe stays open in a fork of the runner; the parent's pid tells that it is gone.
            if os.getppid() != self.runner:
                return
            if self.requests in ready:
                try:
                    answer = self._answer(json.loads(self.requests.recv_bytes()))
                    self.requests.send_bytes(json.dumps(answer).encode())
                except (EOFError, ConnectionError):
                    return

    def _answer(self, request):
        try:
            return getattr(self, request.pop("method"))(**request)
        except OSError as e:
            return {"errno": e.errno, "reason": e.strerror or str(e), "path": e.filename}

    def _sleep(self, timeout_s, *also):
        ready, _, _ = select.select([self.wake, *also], [], [], timeout_s)
        if self.wake in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self.wake, 4096)
        return ready


def remove(path, tree):
    """Remove a file, a CPU group (an empty folder) or, if asked for, a tree."""
    if os.path.islink(path) or not os.path.isdir(path):
        with contextlib.suppress(OSError):
            os.unlink(path)
        return
    if tree:
        shutil.rmtree(path, ignore_errors=True)
        return
    limit = time.monotonic() + REMOVE_LIMIT_S
    while True:
        try:
            os.rmdir(path)
            return
        except OSError as e:
            # A CPU group is busy until its last process is gone; a folder with files in it was never meant to go.
            if e.errno in (errno.ENOENT, errno.ENOTEMPTY) or time.monotonic() > limit:
                return
        time.sleep(TICK_S)


def main():
    for descriptor in sys.argv[2:]:
        os.set_inheritable(int(descriptor), False)
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    if PRCTL is not None:
        PRCTL(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        # A guard that is stopped when its runner ends would keep everything, and the runner's locks.
        PRCTL(PR_SET_PDEATHSIG, signal.SIGCONT, 0, 0, 0)
    guard = GuardMain(int(sys.argv[1]))
    try:
        guard.serve()
    finally:
        guard.end()


if __name__ == "__main__":
    main()
