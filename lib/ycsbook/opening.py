"""The one place that opens what others wrote: a regular file, of a bounded size, in the folder where it belongs.

A link, a device or a pipe behind a known name is refused before a byte of it is read; nothing waits for a writer.
"""

import errno
import json
import os
import stat
from pathlib import Path
from typing import BinaryIO

# Manifests, records and what is known of published tables; in memory JSON takes up to 25 times as much.
MAX_JSON_BYTES = 4_000_000
# Published tables and pages, as text.
MAX_TABLE_BYTES = 64_000_000


def opened(
    path: str | Path, *, root: str | Path | None = None, limit: float = float("inf"), buffering: int = -1
) -> BinaryIO:
    """A file, to be read as bytes. `root`: the folder that it must lie in by its real path (None: it was named by the
    user and may be a link); `limit`: the most bytes that it may have. Raises OSError, whose `strerror` says so in
    words, where there is no such file, or it is no regular one, a link out of the folder, or too large."""
    if root is not None and not is_inside(path, root):
        raise OSError(errno.ELOOP, f"is a link out of {root}, which is not followed", str(path))
    real = path if root is None else os.path.realpath(path)
    # Not to wait for a pipe that nobody writes to, nor to make a terminal ours.
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NONBLOCK | (0 if root is None else os.O_NOFOLLOW)
    descriptor = os.open(real, flags)
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "is not a regular file", str(path))
        if status.st_size > limit:
            reason = f"has {status.st_size:,} bytes, {limit:,} are the most that it may have"
            raise OSError(errno.EFBIG, reason, str(path))
    except BaseException:
        os.close(descriptor)
        raise
    # Not above: where memory is short, this closes it before it fails.
    return os.fdopen(descriptor, "rb", buffering)


def content(path: str | Path, limit: int, *, root: str | Path | None = None) -> bytes:
    """All of a file; raises OSError as `opened`."""
    with opened(path, root=root, limit=limit) as file:
        return file.read(limit)  # it may have grown since it was opened


def json_content(path: str | Path, *, root: str | Path) -> object:
    """What a JSON file holds. Raises OSError as `opened`, and ValueError where it is no JSON or nested too deeply."""
    try:
        return json.loads(content(path, MAX_JSON_BYTES, root=root))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def is_inside(path: str | Path, root: str | Path) -> bool:
    """Whether a path, links followed, lies in a folder; a name with a NUL lies nowhere."""
    if "\0" in os.fspath(path):
        return False
    real_root = os.path.realpath(root)
    return os.path.commonpath([os.path.realpath(path), real_root]) == real_root
