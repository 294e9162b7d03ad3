"""What is in a folder, as bytes that are the same as long as nothing in it has changed.

Of each file, subfolder and link that is not hidden: its kind (f, d or l), its name, NUL, and three int64: its size,
when its content was changed and when anything of it was, its mode included (ns; 0 of a folder; of a link they are its
own, which tell that it was pointed elsewhere). Cheap to load: this is what an unchanged archive is told by.
"""

import ctypes
import os
import sys
from collections.abc import Callable, Iterator

from ycsbook import native

# Used again: making it takes longer than to list a folder of a hundred files.
_room = [ctypes.create_string_buffer(64 * 1024)]
_NOT_ENOUGH_ROOM = -1_000_000
_FIGURES = 24


def listing(path: str) -> bytes:
    """The listing of a folder.

    Raises
        OSError: it cannot be listed.
    """
    library = native.library()
    if library is None:
        return b"".join(_listed(path or "."))
    while True:
        size = library.ycsbook_list(os.fsencode(path or "."), _room[0], ctypes.c_int64(len(_room[0])))
        if size >= 0:
            return ctypes.string_at(_room[0], size)
        if size != _NOT_ENOUGH_ROOM:
            raise OSError(-size, os.strerror(-size), path)
        _room[0] = ctypes.create_string_buffer(4 * len(_room[0]))


def entries(listed: bytes) -> Iterator[tuple[str, str, int, int]]:
    """Kind, name, size and time of the content (ns) of each entry of a listing."""
    start, numbers = 0, memoryview(listed)
    while start < len(listed):
        end = listed.index(b"\0", start)
        behind = end + 1 + _FIGURES
        size, changed, _ = numbers[end + 1 : behind].cast("q")
        yield chr(listed[start]), os.fsdecode(listed[start + 1 : end]), size, changed
        start = behind


def without(listed: bytes, is_left_out: Callable[[str], bool]) -> bytes:
    """A listing less the entries of some names."""
    kept, start = [], 0
    for _, name, _, _ in entries(listed):
        behind = start + len(os.fsencode(name)) + 2 + _FIGURES
        if not is_left_out(name):
            kept.append(listed[start:behind])
        start = behind
    return b"".join(kept)


def sums(text: bytes) -> str:
    """A digest that tells whether a text is the same as before; none against ill will."""
    library = native.library()
    if library is None:
        from hashlib import sha256

        return sha256(text).hexdigest()
    found = (ctypes.c_uint64 * 2)()
    library.ycsbook_sums(text, ctypes.c_int64(len(text)), found)
    return "".join(f"{part:016x}" for part in found)


def _listed(path: str) -> Iterator[bytes]:
    # By its descriptor: the system need not find the folder again for each of its files.
    opened = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with os.scandir(opened) as found:
            for entry in found:
                kind = b"l" if entry.is_symlink() else b"d" if entry.is_dir() else b"f" if entry.is_file() else b""
                if entry.name.startswith(".") or not kind:
                    continue
                numbers = (0, 0, 0)
                if kind != b"d":
                    told = entry.stat(follow_symlinks=False)
                    numbers = (told.st_size, told.st_mtime_ns, told.st_ctime_ns)
                figures = (n.to_bytes(8, sys.byteorder, signed=True) for n in numbers)
                yield b"".join((kind, os.fsencode(entry.name), b"\0", *figures))
    finally:
        os.close(opened)
