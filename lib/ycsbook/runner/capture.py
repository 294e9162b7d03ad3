"""What a client prints, taken from it through pipes and kept by us: no secret reaches the disk, a full disk is seen.

A JVM that writes its own log puts its whole command line there, and some bindings their URL; taking these out later
leaves them on the disk for as long as the run lasts, and for good where it is killed.
"""

import contextlib
import errno
import os
import select
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from ycsbook import secrets

# A line longer than this is passed on in pieces. What is held back then is longer than whatever is redacted by how it
# is written (redaction.py), so that nothing of it is cut in two unseen.
LINE_BYTES = 64 * 1024
_HELD_BYTES = 8 * 1024
_CHUNK_BYTES = 64 * 1024
_LOOK_S = 0.5
_END_LIMIT_S = 5.0

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def is_full(error: OSError | None) -> bool:
    """Whether there was no room: the disk, the quota or the largest file allowed is full."""
    return error is not None and error.errno in _FULL


class Redactor:
    """Takes secrets out of a stream of bytes, however it is cut: gives back what may be written so far."""

    def __init__(self, hidden: Sequence[secrets.Secret]):
        self._hidden = tuple(hidden)
        self._waiting = b""
        self._held = max([_HELD_BYTES, *(4 * len(secret.reveal().encode()) for secret in self._hidden)])

    def feed(self, chunk: bytes) -> bytes:
        """Whole lines, without secrets; of a line that does not end all but its last part."""
        whole, mark, self._waiting = (self._waiting + chunk).rpartition(b"\n")
        clean = self._redacted(whole + mark)
        if len(self._waiting) > LINE_BYTES + self._held:
            # First redacted, then cut: a secret lies on one side, or in what waits.
            line = self._redacted(self._waiting)
            clean, self._waiting = clean + line[: -self._held], line[-self._held :]
        return clean

    def end(self) -> bytes:
        """The last line where it has no end."""
        rest, self._waiting = self._waiting, b""
        return self._redacted(rest)

    def _redacted(self, text: bytes) -> bytes:
        if not text:
            return text
        clean = secrets.redact(text.decode("utf-8", "surrogateescape"), self._hidden)
        return clean.encode("utf-8", "surrogateescape")


class _Stream:
    """One pipe into one file."""

    def __init__(self, pipe: Path, log: Path, hidden: Sequence[secrets.Secret], heed: Callable[[bytes], None] | None):
        self.pipe, self.log, self.heed = pipe, log, heed
        self.redactor = Redactor(hidden)
        os.mkfifo(pipe, 0o600)
        # Reading first, without waiting for a writer: whoever starts the client must not wait for us.
        self.source = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        self.target = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self.ended = False

    def close(self) -> None:
        os.close(self.source)
        os.close(self.target)
        self.pipe.unlink(missing_ok=True)


class Capture:
    """Two pipes, `stdout` and `stderr`, whose text goes to run.out and run.err of a folder; used in a `with`.

    Give a process the pipes as its output, then call `begin`. At the block's end all that was written is on its way to
    the disk, and the pipes are gone.

    Parameters
        folder: of the two logs.
        private: a folder that nobody else reads, for the pipes.
        hidden: secrets known by value; passwords in URIs and the like are found by how they are written.
        heed: gets what comes from stderr, redacted, from a thread of its own.
    Raises
        OSError: the pipes or logs cannot be made.
    """

    def __init__(
        self,
        folder: Path,
        private: Path,
        hidden: Sequence[secrets.Secret] = (),
        heed: Callable[[bytes], None] | None = None,
    ):
        self._place = Path(tempfile.mkdtemp(prefix=".pipes-", dir=private))
        self._streams: list[_Stream] = []
        try:
            self._streams.append(_Stream(self._place / "out", folder / "run.out", hidden, None))
            self._streams.append(_Stream(self._place / "err", folder / "run.err", hidden, heed))
        except OSError:
            self._close()
            raise
        self.stdout, self.stderr = (stream.pipe for stream in self._streams)
        self.error: OSError | None = None
        self._leave = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Start reading; the client has its pipes open by now."""
        self._thread = threading.Thread(target=self._run, name="capture", daemon=True)
        self._thread.start()

    def __enter__(self) -> "Capture":
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread is not None:
            # The client has ended, and with it all that it started: its pipes end by themselves.
            self._thread.join(_END_LIMIT_S)
            self._leave.set()
            self._thread.join()
        self._close()

    def _close(self) -> None:
        for stream in self._streams:
            stream.close()
        with contextlib.suppress(OSError):  # of a folder that the guard has removed
            self._place.rmdir()

    def _run(self) -> None:
        open_ = list(self._streams)
        while open_ and not self._leave.is_set():
            ready, _, _ = select.select([stream.source for stream in open_], [], [], _LOOK_S)
            for stream in open_:
                if stream.source in ready:
                    self._pass_on(stream)
            open_ = [stream for stream in open_ if not stream.ended]
        for stream in open_:
            self._write(stream, stream.redactor.end())

    def _pass_on(self, stream: _Stream) -> None:
        try:
            chunk = os.read(stream.source, _CHUNK_BYTES)
        except BlockingIOError:
            return
        stream.ended = not chunk
        self._write(stream, stream.redactor.feed(chunk) if chunk else stream.redactor.end())

    def _write(self, stream: _Stream, text: bytes) -> None:
        """To the file as far as there is room; a client that must be ended is read on, or it could not end."""
        if text and stream.heed is not None:
            stream.heed(text)
        try:
            while text and self.error is None:
                text = text[os.write(stream.target, text) :]
        except OSError as e:
            self.error = e
