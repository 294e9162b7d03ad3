"""A client's files on their way to the runner: packed where they were written, and unpacked with distrust."""

import io
import re
import tarfile
import zlib
from pathlib import Path

from ycsbook.errors import RunError, StoreError
from ycsbook.verdicts import StopReason

# Status lines of a day at one per second are 60 MB; what is larger is no log of ours.
MAX_BYTES = 512 * 1024 * 1024
MAX_FILES = 64
_NAME = re.compile(r"run\.out|run\.err|samples\.csv|hdr/[A-Za-z0-9][A-Za-z0-9_-]{0,63}\.hdr", re.ASCII)
_LEVEL = 1


def packed(folder: Path) -> bytes:
    """The logs, samples and .hdr files in a client's folder, compressed.

    Raises
        RunError: they are larger than MAX_BYTES.
    """
    found = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and _NAME.fullmatch(path.relative_to(folder).as_posix())
    ]
    size = sum(path.stat().st_size for path in found)
    if size > MAX_BYTES or len(found) > MAX_FILES:
        raise RunError(
            f"the client's {len(found)} files have {size:,} bytes, expected at most {MAX_FILES} files and "
            f"{MAX_BYTES:,} bytes; shorten the run",
            StopReason.DISK_FULL,
        )
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz", compresslevel=_LEVEL) as archive:
        for path in found:
            archive.add(path, arcname=path.relative_to(folder).as_posix(), recursive=False)
    return stream.getvalue()


def unpack(parcel: bytes, folder: Path) -> None:
    """Write a client's files into a folder, which is made; nothing but files of the expected names is taken.

    Raises
        RunError: it is damaged, too large, or holds something else.
        StoreError: the folder cannot be written.
    """
    left = MAX_BYTES
    try:
        (folder / "hdr").mkdir(parents=True, exist_ok=True)
        with tarfile.open(fileobj=io.BytesIO(parcel), mode="r|gz") as archive:
            for number, member in enumerate(archive):
                left -= member.size
                if number >= MAX_FILES or left < 0 or not member.isreg() or not _NAME.fullmatch(member.name):
                    raise RunError(f"a client gave back {member.name[:80]!r}, which is none of its files, or too much")
                (folder / member.name).write_bytes(archive.extractfile(member).read())
    except (tarfile.TarError, EOFError, zlib.error) as e:
        raise RunError(f"a client's files came back damaged: {e}; start again") from None
    except OSError as e:
        raise StoreError(f"{folder}: cannot be written: {e.strerror or e}; free space and start again") from e
