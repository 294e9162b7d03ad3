"""Runs one YCSB process on this machine: starts, samples, watches and ends it, and writes its logs.

What a client prints is taken from it through pipes, so that no secret reaches the disk and a full disk is seen. A JVM
that writes its own log puts its whole command line there, and some bindings their URL; taking these out later leaves
them on the disk for as long as the run lasts, and for good where it is killed.
"""

import contextlib
import errno
import math
import os
import select
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from ycsbook import secrets
from ycsbook.errors import StoreError
from ycsbook.ingest.log.status import parse_line
from ycsbook.processes import Guard, GuardedProcess
from ycsbook.runner import command, samples
from ycsbook.servers.kind import Counters
from ycsbook.verdicts import StopReason

# A line longer than this is passed on in pieces. What is held back then is longer than whatever is redacted by how it
# is written (redaction.py), so that nothing of it is cut in two unseen.
LINE_BYTES = 64 * 1024
_HELD_BYTES = 8 * 1024
_CHUNK_BYTES = 64 * 1024
_WAIT_S = 0.5
_END_LIMIT_S = 5.0

# The disk, the quota or the largest file allowed is full.
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
STALL_S = 60.0  # longest time without a finished operation
# So long without a success a server is asked whether it is there, s, and so often.
SUSPECT_S = 5.0
ASK_S = 1.0
LOST_S = 15.0  # longest time without a success while the server does not answer either
GRACE_S = 60.0  # what a run may take beyond its planned time
POLL_S = 0.1
EXIT_POLL_S = 0.005  # once nothing more can come from it
NO_LEDGER = 73  # a client whose ledger cannot be written any more ends with this code (ycsbook.Failure)
CLIENT_GRACE_S = 2.0


class Redactor:
    """Takes secrets out of a stream of bytes, wherever it is cut."""

    def __init__(self, hidden: Sequence[secrets.Secret]):
        self._hidden = tuple(hidden)
        self._waiting = b""
        self._held = max([_HELD_BYTES, *(4 * len(secret.reveal().encode()) for secret in self._hidden)])

    def feed(self, chunk: bytes) -> bytes:
        """The whole lines so far, without secrets; of an unfinished long line all but its last part."""
        lines, mark, self._waiting = (self._waiting + chunk).rpartition(b"\n")
        clean = self._redacted(lines + mark)
        if len(self._waiting) > LINE_BYTES + self._held:
            # First redacted, then cut: a secret lies on one side, or in what waits.
            line = self._redacted(self._waiting)
            clean, self._waiting = clean + line[: -self._held], line[-self._held :]
        return clean

    def end(self) -> bytes:
        """The last line, without secrets, where it has no line end."""
        unfinished, self._waiting = self._waiting, b""
        return self._redacted(unfinished)

    def _redacted(self, text: bytes) -> bytes:
        clean = secrets.redact(text.decode("utf-8", "surrogateescape"), self._hidden)
        return clean.encode("utf-8", "surrogateescape")


class _Stream:
    def __init__(self, pipe: Path, log: Path, redactor: Redactor, at_end: contextlib.ExitStack):
        self.pipe, self.redactor, self.ended = pipe, redactor, False
        os.mkfifo(pipe, 0o600)
        # Reading first, without waiting for a writer: whoever starts the client must not wait for us.
        self.source = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        at_end.callback(os.close, self.source)
        self.target = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        at_end.callback(os.close, self.target)


class Capture(contextlib.AbstractContextManager):
    """Two pipes, `stdout` and `stderr`, whose text goes to run.out and run.err of a folder; used in a `with`. Give a
    process the pipes as its output, then call `begin`. Raises OSError where pipes or logs cannot be made.

    Parameters
        private: a folder that nobody else reads, for the pipes.
        hidden: secrets known by value; passwords in URIs and the like are found by how they are written.
        listener: gets what comes from stderr, redacted, from a thread of its own.
    """

    def __init__(
        self,
        folder: Path,
        private: Path,
        hidden: Sequence[secrets.Secret] = (),
        listener: Callable[[bytes], None] | None = None,
    ):
        place = Path(tempfile.mkdtemp(prefix=".pipes-", dir=private))
        with contextlib.ExitStack() as at_end:
            at_end.callback(shutil.rmtree, place, ignore_errors=True)
            self._streams = [
                _Stream(place / name, folder / f"run.{name}", Redactor(hidden), at_end) for name in ("out", "err")
            ]
            self._at_end = at_end.pop_all()
        self.stdout, self.stderr = (stream.pipe for stream in self._streams)
        self._listener = listener
        self.error: OSError | None = None
        self.ended = threading.Event()  # both pipes: the client has ended, or is about to
        self._leave = threading.Event()
        self._thread = threading.Thread(target=self._run, name="capture", daemon=True)

    def begin(self) -> None:
        """Start reading; the client has its pipes open by now."""
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        if self._thread.ident is not None:
            # The client has ended, and with it all that it started: its pipes end by themselves.
            self._thread.join(_END_LIMIT_S)
            self._leave.set()
            self._thread.join()
        self._at_end.close()

    def _run(self) -> None:
        unfinished = list(self._streams)
        while unfinished and not self._leave.is_set():
            ready, _, _ = select.select([stream.source for stream in unfinished], [], [], _WAIT_S)
            for stream in unfinished:
                if stream.source in ready:
                    with contextlib.suppress(BlockingIOError):
                        chunk = os.read(stream.source, _CHUNK_BYTES)
                        stream.ended = not chunk
                        self._write(stream, stream.redactor.feed(chunk) if chunk else stream.redactor.end())
            unfinished = [stream for stream in unfinished if not stream.ended]
        for stream in unfinished:
            self._write(stream, stream.redactor.end())
        self.ended.set()

    def _write(self, stream: _Stream, text: bytes) -> None:
        """To the file as far as there is room; a client that must be ended is read on, or it could not end."""
        if text and self._listener is not None and stream.pipe == self.stderr:
            self._listener(text)
        try:
            while text and self.error is None:
                text = text[os.write(stream.target, text) :]
        except OSError as e:
            self.error = e


@dataclass
class Watchdog:
    """Ends a run after `stall_s` seconds without a finished operation, or `wall_s` in all (None: no limit)."""

    stall_s: float
    wall_s: float | None
    _last_count: int = -1
    _last_change_s: float = 0.0

    def observe(self, elapsed_s: float, operations: int) -> StopReason | None:
        if operations != self._last_count:
            self._last_count, self._last_change_s = operations, elapsed_s
        if self.wall_s is not None and elapsed_s > self.wall_s:
            return StopReason.TIMEOUT
        if elapsed_s - self._last_change_s > self.stall_s:
            return StopReason.STALLED
        return None


@dataclass
class ServerWatch:
    """Decides whether the server is lost: one of its processes is gone (`pids`, on this machine), or nothing succeeds
    and it has not answered for `lost_s`, longer than a replica set takes to elect another primary.

    A server that is busy, or stalls and recovers, answers; one that was killed or frozen does not, and operations may
    go on to fail, one after another, until the run would end by itself. `answers` asks it, only while nothing succeeds;
    None: it cannot be asked.
    """

    answers: Callable[[], bool] | None
    lost_s: float
    pids: Sequence[int] = ()
    _successes: int = 0
    _alive_s: float = 0.0
    _asked_s: float = 0.0

    def is_lost(self, elapsed_s: float, successes: int) -> bool:
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
    """Counts from a client's status lines as they come: `operations` that are finished, failed ones too, and
    `successes`, as far as the lines tell them apart."""

    def __init__(self) -> None:
        self.operations, self.successes = 0, 0
        self._rest = b""

    def feed(self, text: bytes) -> None:
        *lines, unfinished = (self._rest + text).split(b"\n")
        self._rest = unfinished[-LINE_BYTES:]
        for status in filter(None, (parse_line(line.decode("utf-8", errors="replace")) for line in lines)):
            counts = {d.operation: int(d.count) for d in status.details if not math.isnan(d.count)}
            # Failed operations have a name of their own, READ-FAILED; Intended- counts the same ones again.
            names = [n for n in counts if "-FAILED" not in n and not n.startswith(("Intended-", "CLEANUP"))]
            since = max(0, status.operations - self.operations)
            self.successes += sum(counts[name] for name in names) if counts else since
            self.operations = status.operations


def execute(
    guard: Guard,
    built: command.Command,
    *,
    partial: Path,
    secrets: Path,
    wall_s: float | None = None,
    server_pids: Sequence[int] = (),
    counters: Counters | None = None,
    status: FinishedOperations | None = None,
    is_to_end: Callable[[], bool] = lambda: False,
    is_lost: Callable[[float, int], bool] | None = None,
) -> StopReason | None:
    """Run the process to its end; returns why it was ended early, or None.

    Parameters
        partial: the client's folder: run.out, run.err, samples.csv and hdr/ are written there.
        secrets: a private folder for the properties file and the pipes that the logs come through, which the guard and
            the next start remove whatever happens.
        wall_s: longest time in all, s; None: no limit.
        server_pids: of the server's processes on this machine: the first is sampled, and the run ends when any is gone.
        counters: what the server says of itself once a second; asked whether it is there when nothing succeeds.
        status: counts the operations, for who looks on from another thread.
        is_to_end: whether somebody wants the run to end early.
        is_lost: as ServerWatch.is_lost, instead of what follows from `server_pids` and `counters`.
    Raises
        StoreError: the client's folder cannot be written. A disk that is full is a reason to end the run instead.
    """
    status = status or FinishedOperations()
    watchdog = Watchdog(STALL_S if built.reports_progress else math.inf, wall_s)
    answers, read_counters = (None, dict) if counters is None else (counters.answers, counters.read)
    is_lost = is_lost or ServerWatch(answers, LOST_S, server_pids).is_lost

    def reason_to_end(elapsed_s: float) -> StopReason | None:
        if is_to_end():
            return StopReason.KILLED
        if is_lost(elapsed_s, status.successes):
            return StopReason.SERVER_LOST
        return watchdog.observe(elapsed_s, status.operations)

    secret_file = built.write_properties(secrets)
    try:
        with Capture(partial, secrets, built.hidden, status.feed) as logs, contextlib.ExitStack() as at_end:
            before = read_counters()
            process = guard.start(built.argv_with(secret_file), stdout=logs.stdout, stderr=logs.stderr, env=built.env)
            at_end.callback(lambda: process.stop(CLIENT_GRACE_S))
            logs.begin()
            sampled = next(iter(server_pids), None)
            with samples.Sampler(
                partial / "samples.csv", sampled, process.pid, counters=read_counters, before=before
            ) as sampler:
                reason = _until_its_end(process, reason_to_end, logs, sampler)
        if logs.error is not None:
            raise logs.error
        return reason
    except OSError as e:
        if e.errno in _NO_ROOM:
            return StopReason.DISK_FULL
        raise StoreError(f"{partial}: cannot be written: {e.strerror or e}; free space and start again") from e
    finally:
        secret_file.unlink(missing_ok=True)


def _until_its_end(
    process: GuardedProcess,
    reason_to_end: Callable[[float], StopReason | None],
    logs: Capture,
    sampler: samples.Sampler,
) -> StopReason | None:
    started = time.monotonic()
    while process.poll() is None:
        reason = reason_to_end(time.monotonic() - started)
        if logs.error is not None or sampler.error is not None:
            # Nothing of it can be kept any more; which error it was is looked at when all is closed.
            return None
        if reason is not None:
            return reason
        if logs.ended.wait(POLL_S):
            time.sleep(EXIT_POLL_S)
    code = process.poll()
    if code == NO_LEDGER:
        return StopReason.DISK_FULL
    # A JVM that a signal ends exits with 128 and its number.
    return StopReason.KILLED if code < 0 or code > 128 else None
