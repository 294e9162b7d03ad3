"""What a worker does: prepare, wait for the common start, make its share of the run, give its files back.

`drive` is the task. The coroutines are called beside it, in the same process: the runner learns how far it is, starts
and ends it. A client that is not asked any more ends by itself: then the runner is gone.
"""

import contextlib
import tempfile
import threading
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ycsbook.errors import ToolError, YcsbookError
from ycsbook.params import PlannedRun
from ycsbook.processes.guard import Guard, GuardedProcess
from ycsbook.runner import client, command, generator
from ycsbook.runner.clients import parcel
from ycsbook.runner.watchdog import StatusLines
from ycsbook.secrets import Secret
from ycsbook.servers import probe
from ycsbook.verdicts import StopReason

# A client that the runner has not asked for so long is alone, s.
LEASE_S = 30.0
_TICK_S = 0.05
_GRACE_S = 2.0


@dataclass(frozen=True)
class Order:
    """One client's part of a run.

    `key` names it everywhere; `folder` is where its files are while it runs, on its own machine (empty: where that
    keeps temporary files); `wall_s` as for one client.
    """

    key: str
    planned: PlannedRun
    uri: Secret
    folder: str = ""
    wall_s: float | None = None


@dataclass(frozen=True)
class State:
    """How far a client is: whether it waits for the start, and its operations so far."""

    prepared: bool = False
    operations: int = 0
    successes: int = 0


@dataclass(frozen=True)
class Report:
    """What a client gives back.

    `machine` and `versions` are those of its host, `command` is the line that was run, `started_s` by the host's own
    clock. `error`: why it could not be done; `stop_reason`: why it was ended early. `files` are those of `parcel`.
    """

    machine: dict = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    command: str = ""
    started_s: float = 0.0
    stop_reason: str = ""
    error: str = ""
    files: bytes = field(default=b"", repr=False)


class _Leash(Guard):
    """A guard whose process can be ended by another thread."""

    def __init__(self) -> None:
        super().__init__()
        self._running: list[GuardedProcess] = []
        self._cut = threading.Event()

    def start(self, argv: Sequence[str | Path], **how: object) -> GuardedProcess:
        process = super().start(argv, **how)
        self._running.append(process)
        if self._cut.is_set():
            process.stop(_GRACE_S)
        return process

    def cut(self) -> None:
        """End what runs, and what will be started."""
        self._cut.set()
        for process in list(self._running):
            process.stop(_GRACE_S)


class _Post:
    """Where a task and the runner meet, in the worker's process."""

    def __init__(self) -> None:
        self.prepared = False
        self.start_at_s: float | None = None
        self.ended = threading.Event()
        self.heard_s = time.monotonic()
        self._lines, self._log, self._read = StatusLines(), None, 0

    @property
    def abandoned(self) -> bool:
        return self.ended.is_set() or time.monotonic() - self.heard_s > LEASE_S

    def watch(self, log: Path) -> None:
        """Count the operations in this log from now on."""
        self._log = log

    def state(self) -> State:
        self.heard_s = time.monotonic()
        if self._log is not None:
            with contextlib.suppress(FileNotFoundError), self._log.open("rb") as file:
                file.seek(self._read)
                text = file.read()
                self._read += len(text)
                self._lines.feed(text)
        return State(self.prepared, self._lines.operations, self._lines.successes)


_POSTS: dict[str, _Post] = {}


def drive(order: Order) -> Report:
    """Make one client's share of a run; an error of ours is told in the report."""
    post = _POSTS.setdefault(order.key, _Post())
    try:
        return _drive(order, post)
    except YcsbookError as e:
        return Report(error=str(e), stop_reason=getattr(e, "stop_reason", ""))
    finally:
        _POSTS.pop(order.key, None)


async def now() -> float:
    """The clock of the worker's machine, s since 1970."""
    return time.time()


async def state(key: str) -> State | None:
    """How far a client is, None where there is none; it also tells the client that the runner is there."""
    post = _POSTS.get(key)
    return post.state() if post else None


async def start(key: str, at_s: float) -> None:
    """Let it start at a moment of its own machine's clock."""
    if post := _POSTS.get(key):
        post.start_at_s = at_s


async def end(key: str) -> None:
    """End it early."""
    if post := _POSTS.get(key):
        post.ended.set()


def _drive(order: Order, post: _Post) -> Report:
    place = Path(order.folder or tempfile.gettempdir()) / f"ycsbook-client-{uuid.uuid4().hex}"
    with _Leash() as guard:
        guard.remove_at_end(place, tree=True)
        files = place / "files"
        try:
            place.mkdir(mode=0o700)
            files.mkdir()
        except OSError as e:
            raise ToolError(f"{place.parent}: cannot be written: {e.strerror or e}; free space or set TMPDIR") from e
        found = _generator(order.planned)
        machine, versions = probe.machine(), found.versions()
        built = command.build(order.planned, "run", generator=found, uri=order.uri, folder=files)
        post.prepared = True
        if not _wait_for_start(post):
            return Report(machine, versions, built.shown, stop_reason=StopReason.KILLED)
        post.watch(files / "run.err")
        started_s = time.time()
        with _followed(post, guard):
            reason = client.execute(guard, built, partial=files, secrets=place, wall_s=order.wall_s)
        return Report(machine, versions, built.shown, started_s, reason or "", files=parcel.packed(files))


def _generator(planned: PlannedRun) -> generator.Generator:
    found = generator.find()
    if found.digest != planned.client:
        raise ToolError(
            f"this machine's load generator is another one (YCSB {found.ycsb_version}, driver {found.driver_version}, "
            "or other jars): have the same release of ycsbook on every machine, and YCSB_HOME on all or none"
        )
    return found


def _wait_for_start(post: _Post) -> bool:
    while not post.abandoned:
        left_s = None if post.start_at_s is None else post.start_at_s - time.time()
        if left_s is not None and left_s <= 0:
            return True
        time.sleep(_TICK_S if left_s is None else min(_TICK_S, left_s))
    return False


@contextlib.contextmanager
def _followed(post: _Post, guard: _Leash):
    """While the block runs: end the client where the runner asks for it, or is gone."""
    over = threading.Event()

    def follow() -> None:
        while not over.wait(_TICK_S):
            if post.abandoned:
                guard.cut()
                return

    thread = threading.Thread(target=follow, name="leash", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
