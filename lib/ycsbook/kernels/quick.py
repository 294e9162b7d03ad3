"""Loading papermill without what it never needs."""

import contextlib
import sys
from collections.abc import Iterator

# jsonschema, below nbformat, loads this grammar of web addresses where it is there, to check a format that no notebook
# has: 1.8 s of CPU. Without it, it goes without.
_UNUSED = "rfc3987_syntax"


@contextlib.contextmanager
def imports() -> Iterator[None]:
    """While the block imports nbformat or what is built on it."""
    if _UNUSED in sys.modules:
        yield
        return
    sys.modules[_UNUSED] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        sys.modules.pop(_UNUSED, None)
