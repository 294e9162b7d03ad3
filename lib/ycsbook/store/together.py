"""Files of a folder that change together: a reader sees all of them as they were, or all as they are now.

The new ones are written into a folder beside the old ones and brought to the disk. One rename to `.tables` makes them
count: from then on a reader takes from there what still lies there, and the rest from its place. Then each is moved to
its place. What a crash leaves in `.tables`, whoever writes next moves; anybody may do it at any time.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from ycsbook import opening
from ycsbook.errors import StoreError
from ycsbook.store import atomic

READY = ".tables"
# Each time the files must change while they are opened, which takes less than a millisecond.
_TRIES = 100


@contextlib.contextmanager
def changing(folder: Path) -> Iterator[Path]:
    """A folder to write files into that replace those of the same names when the block ends, if it ends without error.
    Raises StoreError where the folder cannot be written; the files stay as they were."""
    with atomic.writing(folder):
        atomic.make_folder(folder)
        settle(folder)
        atomic.remove_remains(folder, f"{READY}-????????")
        new_files = Path(tempfile.mkdtemp(prefix=f"{READY}-", dir=folder))
        descriptor = os.open(new_files, os.O_RDONLY | os.O_CLOEXEC)
    try:
        atomic.hold(descriptor)
        new_files.chmod(0o755)
        yield new_files
        with atomic.writing(folder):
            for path in (*new_files.iterdir(), new_files):
                atomic.sync(path)
            atomic.move(new_files, folder / READY)
        settle(folder)
    finally:
        os.close(descriptor)
        shutil.rmtree(new_files, ignore_errors=True)


def settle(folder: Path) -> None:
    """Move to its place what a crash left ready; raises StoreError where the folder cannot be written."""
    ready = folder / READY
    if not os.path.lexists(ready):
        return
    atomic.require_inside(folder, ready)
    # Several may do it at once: the files that another moved are gone.
    with atomic.writing(folder), contextlib.suppress(FileNotFoundError):
        for path in sorted(ready.iterdir()):
            path.replace(folder / path.name)
        for changed in (ready, folder):
            atomic.sync(changed)
        ready.rmdir()


def path(folder: Path, name: str) -> Path:
    """Where a file of this name is now, if there is one."""
    ready = folder / READY / name
    return ready if os.path.lexists(ready) else folder / name


@contextlib.contextmanager
def opened(folder: Path, names: Iterable[str]) -> Iterator[dict[str, BinaryIO]]:
    """Those of the files that are there, open for reading, as they were at one moment. Raises OSError as
    `opening.opened`, but not for files that are missing; StoreError where they change all the time."""
    names = tuple(names)
    for _ in range(_TRIES):
        with contextlib.ExitStack() as held:
            files = {}
            for name in names:
                with contextlib.suppress(FileNotFoundError):
                    files[name] = held.enter_context(opening.opened(path(folder, name), root=folder))
            # A file that is open keeps its number: what is still in its place was there all the time.
            if all(_number(path(folder, name)) == _number(files.get(name)) for name in names):
                yield files
                return
    raise StoreError(f"{folder}: its files change all the time; wait for whoever writes them")


def _number(file: Path | BinaryIO | None) -> tuple[int, int] | None:
    """What tells a file from all others; None where there is none."""
    if file is None:
        return None
    try:
        status = os.stat(file if isinstance(file, Path) else file.fileno())
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino
