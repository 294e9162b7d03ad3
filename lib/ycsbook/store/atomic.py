"""Files that are either old or new, never half."""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from ycsbook.errors import StoreError


@contextlib.contextmanager
def writing(place: Path, advice: str = "check owner, mode and free space, or choose another folder") -> Iterator[None]:
    """While the block runs, an OSError becomes a StoreError that says where something cannot be written."""
    try:
        yield
    except OSError as e:
        raise StoreError(f"{place}: cannot be written: {e.strerror or e}; {advice}") from e


def require_inside(root: Path, *folders: Path) -> None:
    """Before something is written into folders below `root` or deleted from them: no link leads elsewhere.

    Raises
        StoreError: a folder is a link, or lies behind one.
    """
    for folder in folders:
        if os.path.realpath(folder) != os.path.join(os.path.realpath(root), os.path.relpath(folder, root)):
            raise StoreError(f"{folder}: is a link, behind which nothing is written or deleted; replace it by a folder")


def write_bytes(path: Path, content: bytes) -> None:
    """Replace a file's content atomically and durably.

    Raises
        StoreError: the folder cannot be written or the disk is full; the old file stays as it was.
    """
    write_with(path, lambda temporary: temporary.write_bytes(content))


def write_text(path: Path, content: str) -> None:
    """Like write_bytes, for UTF-8 text."""
    write_bytes(path, content.encode("utf-8"))


def write_with(path: Path, writer: Callable[[Path], object]) -> None:
    """Let `writer` fill a temporary file in the same folder, then rename it to `path`.

    Raises
        StoreError: as write_bytes.
    """
    with writing(path, "free space or choose another folder"):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(descriptor)
        temporary = Path(name)
        try:
            temporary.chmod(0o644)
            writer(temporary)
            replace((temporary, path))
        finally:
            temporary.unlink(missing_ok=True)


def replace(*files: tuple[Path, Path]) -> None:
    """Put finished files in the place of others, durably: all are on the disk before the first moves.

    Parameters
        files: the new file and the place of the old one, each.
    Raises
        OSError: one cannot be; those after it stay as they were.
    """
    for new, _ in files:
        sync(new)
    for new, path in files:
        new.replace(path)
    for folder in {path.parent for _, path in files}:
        sync(folder)


def sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
