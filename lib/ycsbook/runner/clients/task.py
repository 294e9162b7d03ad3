"""What a worker does: prepare, wait for the common start, make its share of the run, give its files back.

`drive` is the task. The coroutines are called beside it, in the same process: the runner learns how far it is, starts
and ends it. A client that is not asked any more ends by itself: then the runner is gone. Its files are packed where
they were written; of what comes back only names and sizes that a client's files have are taken.
"""

import contextlib
import re
import tempfile
import threading
import time
import uuid
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ycsbook.errors import RunError, ToolError, YcsbookError
from ycsbook.ingest.files.scan import SAMPLES
from ycsbook.params import PlannedRun
from ycsbook.processes import Guard
from ycsbook.runner import client, command, generator, samples
from ycsbook.runner.client import FinishedOperations
from ycsbook.secrets import Secret
from ycsbook.store import atomic
from ycsbook.verdicts import StopReason

# A client that the runner has not asked for so long is alone, s.
LEASE_S = 30.0
_TICK_S = 0.05
# Status lines of a day at one per second are 60 MB; what is larger is no log of ours.
MAX_BYTES = 512 * 1024 * 1024
MAX_FILES = 64
_FILE_NAME = re.compile(r"run\.out|run\.err|samples\.csv|hdr/[A-Za-z0-9][A-Za-z0-9_-]{0,63}\.hdr", re.ASCII)
_LEVEL = 1


@dataclass(frozen=True)
class ClientOrder:
    """One client's part of a run. `key` names it everywhere; `folder` is where its files are while it runs, on its own
    machine (empty: where that keeps temporary files)."""

    key: str
    planned: PlannedRun
    uri: Secret
    folder: str = ""
    wall_s: float | None = None


@dataclass(frozen=True)
class ClientState:
    """How far a client is: whether it waits for the start, and how many operations have succeeded."""

    prepared: bool = False
    successes: int = 0


@dataclass(frozen=True)
class ClientReport:
    """What a client gives back. `machine`, `versions` and `host_speed` (before, after) are those of its host.
    `error`: why it could not be done; `worker_lost`: nobody is there to say it; `files`: as of `packed_files`."""

    machine: dict = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    command: str = ""
    stop_reason: str = ""
    host_speed: dict[str, float] = field(default_factory=dict)
    error: str = ""
    worker_lost: bool = False
    files: dict[str, bytes] = field(default_factory=dict, repr=False)


class _Meeting:
    """What a task and the runner share, in the worker's process."""

    def __init__(self) -> None:
        self.prepared = False
        self.start_at_s: float | None = None
        self.ended = threading.Event()
        self.heard_s = time.monotonic()
        self.status = FinishedOperations()

    def abandoned(self) -> bool:
        """Whether the client is to end: it was told so, or nobody has asked for it in a long time."""
        return self.ended.is_set() or time.monotonic() - self.heard_s > LEASE_S


_MEETINGS: dict[str, _Meeting] = {}


def drive(order: ClientOrder) -> ClientReport:
    """Make one client's share of a run; an error of ours is told in the report."""
    meeting = _MEETINGS.setdefault(order.key, _Meeting())
    try:
        return _drive(order, meeting)
    except YcsbookError as e:
        return ClientReport(error=str(e), stop_reason=getattr(e, "stop_reason", ""))
    finally:
        _MEETINGS.pop(order.key, None)


async def now() -> float:
    """The clock of the worker's machine, s since 1970."""
    return time.time()


async def state(key: str) -> ClientState | None:
    """How far a client is, None where there is none; it also tells the client that the runner is there."""
    if not (meeting := _MEETINGS.get(key)):
        return None
    meeting.heard_s = time.monotonic()
    return ClientState(meeting.prepared, meeting.status.successes)


async def start(key: str, at_s: float) -> None:
    if meeting := _MEETINGS.get(key):
        meeting.start_at_s = at_s


async def end(key: str) -> None:
    if meeting := _MEETINGS.get(key):
        meeting.ended.set()


def _drive(order: ClientOrder, meeting: _Meeting) -> ClientReport:
    place = Path(order.folder or tempfile.gettempdir()) / f"ycsbook-client-{uuid.uuid4().hex}"
    with Guard() as guard:
        guard.remove_at_end(place, tree=True)
        files = place / "files"
        with atomic.writing(place.parent, "free space or set TMPDIR"):
            place.mkdir(mode=0o700)
            files.mkdir()
        installed = generator.find()
        if installed.digest != order.planned.client:
            raise ToolError(
                f"this machine's load generator is another one (YCSB {installed.ycsb_version}, driver "
                f"{installed.driver_version}, or other jars): have the same release of ycsbook on every machine, and "
                "YCSB_HOME on all or none"
            )
        machine, versions = samples.machine(), installed.versions()
        built = command.build(order.planned, "run", generator=installed, uri=order.uri, folder=files)
        speed = {"before": samples.host_speed()}
        meeting.prepared = True
        if not _wait_for_start(meeting):
            return ClientReport(machine, versions, built.shown, stop_reason=StopReason.KILLED)
        reason = client.execute(
            guard, built, partial=files, secrets=place, wall_s=order.wall_s, status=meeting.status,
            is_to_end=meeting.abandoned,
        )  # fmt: skip
        speed["after"] = samples.host_speed()
        return ClientReport(machine, versions, built.shown, reason or "", speed, files=packed_files(files))


def _wait_for_start(meeting: _Meeting) -> bool:
    while not meeting.abandoned():
        left_s = None if meeting.start_at_s is None else meeting.start_at_s - time.time()
        if left_s is not None and left_s <= 0:
            return True
        time.sleep(_TICK_S if left_s is None else min(_TICK_S, left_s))
    return False


def packed_files(folder: Path) -> dict[str, bytes]:
    """The logs, samples and .hdr files in a client's folder by name, compressed; raises RunError where too large."""
    files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*"))}
    files = {n: p for n, p in files.items() if p.is_file() and not p.is_symlink() and _FILE_NAME.fullmatch(n)}
    size = sum(path.stat().st_size for path in files.values())
    if size > MAX_BYTES or len(files) > MAX_FILES:
        raise RunError(
            f"the client's {len(files)} files have {size:,} bytes, expected at most {MAX_FILES} files and "
            f"{MAX_BYTES:,} bytes; shorten the run",
            StopReason.DISK_FULL,
        )
    return {name: zlib.compress(path.read_bytes(), _LEVEL) for name, path in files.items()}


def unpack_files(packed: Mapping[str, bytes], folder: Path, samples_name: str = SAMPLES) -> None:
    """Write a client's files into a folder, which is made, samples under `samples_name`. RunError: damaged, too large,
    too many, or no client's files; StoreError: the folder cannot be written."""
    room = MAX_BYTES
    with atomic.writing(folder, "free space and start again"):
        (folder / "hdr").mkdir(parents=True, exist_ok=True)
        for name, content in packed.items():
            stream, text = zlib.decompressobj(), b""
            with contextlib.suppress(zlib.error):
                text = stream.decompress(content, room + 1)
            room -= len(text)
            if len(packed) > MAX_FILES or room < 0 or not _FILE_NAME.fullmatch(name):
                raise RunError(f"a client gave back {name[:80]!r}, which is none of its files, or too much")
            if not stream.eof:
                raise RunError(f"a client gave back a damaged {name}; start again")
            (folder / (samples_name if name == SAMPLES else name)).write_bytes(text)
