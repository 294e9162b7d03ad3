"""One runner at a time in a store."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from ycsbook.errors import ServerBusyError, StoreError


@contextlib.contextmanager
def exclusive(folder: Path) -> Iterator[int]:
    """Hold the folder's lock; it is released however the process ends.

    Yields the lock's file descriptor: the lock is held as long as any process has it open.

    Raises
        ServerBusyError: another process holds it; carries its pid.
        StoreError: the folder cannot be written.
    """
    path = folder / ".lock"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as e:
        raise StoreError(f"{path}: cannot be written: {e.strerror}; check the folder's owner and mode") from e
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = _holder(descriptor)
            raise ServerBusyError(
                f"{folder}: another run is measuring here (process {pid or 'unknown'}); two at once would "
                "disturb each other: wait for it or stop it",
                pid,
            ) from None
        try:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        except OSError as e:
            raise StoreError(f"{path}: cannot be written: {e.strerror}; free space and start again") from e
        yield descriptor
    finally:
        os.close(descriptor)


def _holder(descriptor: int) -> int | None:
    text = os.pread(descriptor, 32, 0).decode(errors="replace").strip()
    return int(text) if text.isdigit() else None
