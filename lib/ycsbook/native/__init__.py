"""What Python is too slow for: the text of regular logs, read in C (logs.c), which `make setup` builds.

Where it is not built the exact readers read everything: the same figures, at several times the cost.
"""

import ctypes
import functools
import os
from collections.abc import Sequence
from pathlib import Path

SOURCE = Path(__file__).with_name("logs.c")
LIBRARY = SOURCE.with_suffix(".so")
# What logs.c and the code here agree upon; a library of another version is not used.
VERSION = 1
# 0: as if it were not built.
SWITCH = "YCSBOOK_NATIVE"


@functools.cache
def library() -> ctypes.CDLL | None:
    """The library; None where it is not built, of another version or machine, or switched off."""
    if os.environ.get(SWITCH, "1") == "0":
        return None
    try:
        found = ctypes.CDLL(str(LIBRARY))
        return found if found.ycsbook_version() == VERSION else None
    except (OSError, AttributeError):
        return None


def texts(parts: Sequence[bytes | None]) -> ctypes.Array:
    """Pointers to texts, which hold as long as the texts live; None: NULL."""
    return (ctypes.c_char_p * len(parts))(*parts)


def address(array) -> ctypes.c_void_p:
    """Where a NumPy array lies."""
    return ctypes.c_void_p(array.ctypes.data)
