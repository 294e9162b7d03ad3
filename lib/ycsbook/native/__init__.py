"""What Python is too slow for: the text of regular logs, read in C (logs.c), which `make setup` builds.

Where it is not built the exact readers read everything: the same figures, at several times the cost.
"""

import ctypes
import os
from collections.abc import Sequence

LIBRARY = os.path.join(os.path.dirname(__file__), "logs.so")
# What logs.c and the code here agree upon; a library of another version is not used.
VERSION = 3
# 0: as if it were not built.
SWITCH = "YCSBOOK_NATIVE"

_known: list[ctypes.CDLL | None] = []


def library() -> ctypes.CDLL | None:
    """The library; None where it is not built, of another version or machine, or switched off."""
    if not _known:  # functools would take longer to load than the library
        _known.append(None if os.environ.get(SWITCH, "1") == "0" else _loaded())
    return _known[0]


def _loaded() -> ctypes.CDLL | None:
    try:
        found = ctypes.CDLL(LIBRARY)
        if found.ycsbook_version() != VERSION:
            return None
        found.ycsbook_list.restype = ctypes.c_int64
    except (OSError, AttributeError):
        return None
    return found


def texts(parts: Sequence[bytes | None]) -> ctypes.Array:
    """Pointers to texts, which hold as long as the texts live; None: NULL."""
    return (ctypes.c_char_p * len(parts))(*parts)


def address(array) -> ctypes.c_void_p:
    """Where a NumPy array lies."""
    return ctypes.c_void_p(array.ctypes.data)
