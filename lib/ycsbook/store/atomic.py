"""Files that are either old or new, never half: one, or several of a folder that change together.

Of several a reader sees all as they were, or all as they are now. The new ones are written into a folder beside the old
ones and brought to the disk. One rename to `.tables` makes them count: from then on a reader takes from there what
still lies there, and the rest from its place. Then each is moved to its place. What a crash leaves in `.tables`,
whoever writes next moves; anybody may do it at any time.
"""

import contextlib
import fcntl
import glob
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from ycsbook import opening
from ycsbook.errors import StoreError

_TEMPORARY = ".tmp"
_READY = ".tables"
# Each time the files must change while they are opened, which takes less than a millisecond.
_TRIES = 100


@contextlib.contextmanager
def writing(place: Path, advice: str = "check owner, mode and free space, or choose another folder") -> Iterator[None]:
    """While the block runs, an OSError becomes a StoreError that says where something cannot be written."""
    try:
        yield
    except OSError as e:
        raise StoreError(f"{place}: cannot be written: {e.strerror or e}; {advice}") from e


def require_inside(root: Path, *folders: Path) -> None:
    """Before a change of folders below `root`: raises StoreError where one is a link, or lies behind one."""
    for folder in folders:
        if os.path.realpath(folder) != os.path.join(os.path.realpath(root), os.path.relpath(folder, root)):
            raise StoreError(f"{folder}: is a link, behind which nothing is written or deleted; replace it by a folder")


def write_bytes(path: Path, content: bytes) -> None:
    """Replace a file's content atomically and durably; raises StoreError, and the old file stays as it was."""
    with writing(path, "free space or choose another folder"):
        make_folder(path.parent)
        remove_remains(path.parent, f".{glob.escape(path.name)}.????????{_TEMPORARY}")
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=_TEMPORARY)
        temporary = Path(name)
        try:
            hold(descriptor)
            temporary.chmod(0o644)
            temporary.write_bytes(content)
            sync(temporary)
            temporary.replace(path)
            sync(path.parent)
        finally:
            os.close(descriptor)
            temporary.unlink(missing_ok=True)


def write_text(path: Path, content: str) -> None:
    write_bytes(path, content.encode("utf-8"))


def make_folder(path: Path) -> None:
    """Make a folder and those above it that are missing, durably: a file is lost with the name of its folder."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for folder in missing:
        sync(folder.parent)


def move(source: Path, target: Path) -> None:
    """Rename a file or folder, durably."""
    source.rename(target)
    for folder in {target.parent, source.parent}:
        sync(folder)


def remove(*files: Path) -> None:
    """Delete files, durably; those that are not there are no error."""
    gone = [path for path in files if os.path.lexists(path)]
    for path in gone:
        path.unlink(missing_ok=True)
    for folder in {path.parent for path in gone}:
        sync(folder)


def hold(descriptor: int) -> None:
    """Lock a temporary file or folder as long as it is open: that of a living writer."""
    with contextlib.suppress(OSError):  # on file systems without locks, what a crash leaves stays
        fcntl.flock(descriptor, fcntl.LOCK_EX)


def remove_remains(folder: Path, pattern: str) -> None:
    """Delete what writers that were killed left under such names: nobody holds it."""
    for remains in folder.glob(pattern):
        with contextlib.suppress(OSError):
            descriptor = os.open(remains, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(remains) if remains.is_dir() else remains.unlink()
            finally:
                os.close(descriptor)


def unfinished(folder: Path) -> list[Path]:
    """The temporary files that killed writers left in a folder and below it; nothing behind links."""
    return sorted(path for path in folder.rglob(f".*.????????{_TEMPORARY}") if not path.is_dir())


def sync(path: Path) -> None:
    """Bring a file, or the names in a folder, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def changing(folder: Path) -> Iterator[Path]:
    """A folder to write files into that replace those of the same names when the block ends, if it ends without error.
    Raises StoreError where the folder cannot be written; the files stay as they were."""
    with writing(folder):
        make_folder(folder)
        settle(folder)
        remove_remains(folder, f"{_READY}-????????")
        new_files = Path(tempfile.mkdtemp(prefix=f"{_READY}-", dir=folder))
        descriptor = os.open(new_files, os.O_RDONLY | os.O_CLOEXEC)
    try:
        hold(descriptor)
        new_files.chmod(0o755)
        yield new_files
        with writing(folder):
            for path in (*new_files.iterdir(), new_files):
                sync(path)
            move(new_files, folder / _READY)
        settle(folder)
    finally:
        os.close(descriptor)
        shutil.rmtree(new_files, ignore_errors=True)


def settle(folder: Path) -> None:
    """Move to its place what a crash left ready; raises StoreError where the folder cannot be written."""
    ready = folder / _READY
    if not os.path.lexists(ready):
        return
    require_inside(folder, ready)
    # Several may do it at once: the files that another moved are gone.
    with writing(folder), contextlib.suppress(FileNotFoundError):
        for path in sorted(ready.iterdir()):
            path.replace(folder / path.name)
        for changed in (ready, folder):
            sync(changed)
        ready.rmdir()


def current(folder: Path, name: str) -> Path:
    """Where a file of this name that changes with others is now, if there is one."""
    ready = folder / _READY / name
    return ready if os.path.lexists(ready) else folder / name


@contextlib.contextmanager
def opened(folder: Path, names: Iterable[str]) -> Iterator[dict[str, BinaryIO]]:
    """Those of the files that are there, open for reading, as they were at one moment. Raises OSError as
    `opening.opened`, but not for files that are missing; StoreError where they change all the time."""
    names = tuple(names)
    for _ in range(_TRIES):
        with contextlib.ExitStack() as stack:
            files = {}
            for name in names:
                with contextlib.suppress(FileNotFoundError):
                    files[name] = stack.enter_context(opening.opened(current(folder, name), root=folder))
            # A file that is open keeps its number: what is still in its place was there all the time.
            if all(_number(current(folder, name)) == _number(files.get(name)) for name in names):
                yield files
                return
    raise StoreError(f"{folder}: its files change all the time; wait for whoever writes them")


def _number(file: Path | BinaryIO | None) -> tuple[int, int] | None:
    if file is None:
        return None
    try:
        status = os.stat(file if isinstance(file, Path) else file.fileno())
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino
