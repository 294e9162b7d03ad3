"""What results follow from: files and code, each with its SHA-256.

Tables, fits, findings and reports are made anew when one of their files changes, or the code that makes them: all of
the package but what only starts things and shows them elsewhere (_MAKES_NO_RESULT), whose change leaves every result as
it is. An archive of logs, which takes longer to read than to report, goes by versions instead: ingest.archive_index.
"""

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from ycsbook import __version__, paths
from ycsbook.errors import StoreError
from ycsbook.store.runs import sha256

# The program, the pages' templates and their texts.
_CODE = frozenset({".py", ".c", ".j2", ".css", ".js", ".ftl"})
_MAKES_NO_RESULT = frozenset({"batch", "commands", "explore", "library", "processes", "runner", "servers"})


def hashes(files: Iterable[Path]) -> dict[str, str]:
    """The files' SHA-256 by their names as people know them; raises StoreError where one cannot be read."""
    return {short(file): digest(file) for file in files}


def digest(file: Path) -> str:
    """The SHA-256 of one file; raises StoreError where it cannot be read."""
    try:
        return sha256(file)
    except OSError as e:
        raise StoreError(f"{file}: cannot be read: {e.strerror}") from None


def short(file: Path) -> str:
    """A file's path in the repository; of a file elsewhere only its name, which says nothing of this machine."""
    return file.relative_to(paths.REPOSITORY).as_posix() if file.is_relative_to(paths.REPOSITORY) else file.name


@cache
def code() -> dict[str, str]:
    """The release, and the hash of all of it that makes results."""
    total = hashlib.sha256()
    home = Path(__file__).parent
    for path in sorted(path for path in home.rglob("*") if path.suffix in _CODE):
        if path.relative_to(home).parts[0] not in _MAKES_NO_RESULT:
            total.update(path.read_bytes())
    return {f"ycsbook {__version__}": total.hexdigest()}
