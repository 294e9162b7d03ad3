"""What results follow from: files and code, each with its SHA-256."""

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from ycsbook import __version__, paths
from ycsbook.errors import StoreError
from ycsbook.store.runs import sha256

# The program and the pages' templates.
_CODE = frozenset({".py", ".c", ".j2", ".css", ".js"})


def hashes(files: Iterable[Path]) -> dict[str, str]:
    """The files' SHA-256 by their names as people know them.

    Raises
        StoreError: one cannot be read.
    """
    return {short(file): digest(file) for file in files}


def digest(file: Path) -> str:
    """The SHA-256 of one file; raises StoreError where it cannot be read."""
    try:
        return sha256(file)
    except OSError as e:
        raise StoreError(f"{file}: cannot be read: {e.strerror}") from None


def code() -> dict[str, str]:
    """The release, and the hash of all that it is made of."""
    return {f"ycsbook {__version__}": _code()}


def short(file: Path) -> str:
    """A file's place in the repository; of one elsewhere its name alone, which says nothing of this machine."""
    return file.relative_to(paths.REPOSITORY).as_posix() if file.is_relative_to(paths.REPOSITORY) else file.name


@cache
def _code() -> str:
    total = hashlib.sha256()
    home = Path(__file__).parent
    for path in sorted(path for path in home.rglob("*") if path.suffix in _CODE):
        total.update(path.read_bytes())
    return total.hexdigest()
