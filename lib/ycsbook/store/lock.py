"""One process at a time: a lock file that is free again however its holder ends."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from ycsbook import opening
from ycsbook.errors import ServerBusyError, StoreError
from ycsbook.store.atomic import make_folder, writing

# Of a store, in its folder.
FILE = ".lock"


def exclusive(folder: Path) -> contextlib.AbstractContextManager[int]:
    """Hold a store's lock, until no process has the file descriptor open that this yields. Raises ServerBusyError,
    which carries its pid, where another process holds it; StoreError where the folder cannot be written."""
    return held(folder / FILE, f"{folder}: another run is measuring here")


def is_held(folder: Path) -> bool:
    try:
        with opening.opened(folder / FILE, root=folder) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as e:
        return isinstance(e, BlockingIOError)
    return False


@contextlib.contextmanager
def held(path: Path, busy: str, *, remove: bool = False) -> Iterator[int]:
    """As `exclusive`, for one file, which `remove` deletes at the end; `busy`: how the message begins."""
    descriptor = _locked(path, busy)
    try:
        with writing(path, "free space and start again"):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield descriptor
        if remove:
            path.unlink(missing_ok=True)
    finally:
        os.close(descriptor)


def _locked(path: Path, busy: str) -> int:
    while True:
        with writing(path, "check the folder's owner and mode"):
            make_folder(path.parent)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # A holder that ended a moment ago may have deleted the file that was opened: it excludes nobody then.
            if os.fstat(descriptor).st_nlink:
                return descriptor
        except BlockingIOError:
            text = os.pread(descriptor, 32, 0).decode(errors="replace").strip()
            pid = int(text) if text.isdigit() else None
            os.close(descriptor)
            who = f"process {pid or 'unknown'}"
            raise ServerBusyError(
                f"{busy} ({who}); two at once would disturb each other: wait for it or stop it", pid
            ) from None
        except OSError as e:
            os.close(descriptor)
            raise StoreError(f"{path}: cannot be locked: {e.strerror}; choose a folder on a local disk") from e
        os.close(descriptor)
