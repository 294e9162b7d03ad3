"""The same order over files that are as they were: what was said of them is said again.

Beside the tables lies `ingest-unchanged`: which folders and files the last ingest depended on, a digest of their sizes
and times, and the words for the case that it still holds. This and `files.listing` are all that is loaded to find out.
"""

import os
import sys
from collections.abc import Iterable, Sequence

import ycsbook
from ycsbook.ingest.files.listing import listing, sums, without
from ycsbook.ingest.order import Order

RECORD = "ingest-unchanged"
# Between the parts of a record, and the paths in one of them.
_PART, _PATH = "\0", "\n"
# Folders of the package whose code decides what the tables hold.
_CODE = (
    "",
    "ingest",
    *(f"ingest/{part}" for part in ("files", "log", "readers", "published", "runs", "finding")),
    "native",
    "params",
    "store",
)
# What an ingest writes into the folder of the tables, which may be one of the logs, too.
_WRITTEN = (RECORD, f"{RECORD}.new", "ingest.json", "ingest-index.json")


def repeat(order: Order) -> int | None:
    """Say what was said of the same order; the exit code. None: something may have changed, nothing was said.

    Everything is compared by sizes and times. A file that changes while this runs is found the next time.
    """
    if order.force:
        return None
    try:
        with open(os.path.join(order.out, RECORD), "rb") as file:
            record = file.read().decode("utf-8", "surrogateescape")
        known, code, own, folders, files, as_json, stdout, stderr = record.split(_PART)
        now = ((path, logs_of(listing(path)) if path == own else listing(path)) for path in folders.split(_PATH))
        if known != _state(order, now, ((path, stat(path)) for path in files.split(_PATH))):
            return None
        code = int(code)
    except (OSError, ValueError):
        return None
    sys.stdout.write(as_json if order.as_json else stdout)
    sys.stderr.write("" if order.as_json else stderr)
    return code


def keep(
    order: Order,
    folders: Sequence[tuple[str, bytes]],
    files: Sequence[tuple[str, str]],
    code: int,
    words: Sequence[str],
    *,
    own: str | None = None,
) -> None:
    """Write the record of an ingest.

    Parameters
        folders: those whose listing decided what was read, with their listings before it was.
        files: what else the tables depend on or consist of, with their `stat`; they may be missing.
        words: what to print where nothing has changed: as JSON, to stdout and to stderr.
        own: which of the folders, if any, is that of the tables; its listing is `logs_of` all of it.
    """
    paths = [_PATH.join(path for path, _ in told) for told in (folders, files)]
    parts = (_state(order, folders, files), str(code), _PATH if own is None else own, *paths, *words)
    odd = any(paths[i].count(_PATH) >= len(told) for i, told in enumerate((folders, files)))
    if odd or any(_PART in part for part in parts):
        return  # names that a record cannot hold
    path = os.path.join(order.out, RECORD)
    with open(f"{path}.new", "wb") as file:
        file.write(_PART.join(parts).encode("utf-8", "surrogateescape"))
    os.replace(f"{path}.new", path)


def logs_of(listed: bytes) -> bytes:
    """The listing of the folder of the tables without what an ingest writes there."""
    return without(listed, lambda name: name in _WRITTEN or name.endswith(".parquet"))


def stat(path: str) -> str:
    """Size and time of a file; empty where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return ""
    return f"{found.st_size} {found.st_mtime_ns}"


def code_sums() -> str:
    """A digest of this code, by release, sizes and times: another release may read the same file otherwise."""
    home = os.path.dirname(ycsbook.__file__)
    return sums(b"".join([ycsbook.__version__.encode(), *(listing(os.path.join(home, name)) for name in _CODE)]))


def _state(order: Order, folders: Iterable[tuple[str, bytes]], files: Iterable[tuple[str, str]]) -> str:
    """A digest of everything that decides what the tables hold and what is said of them."""
    # What a relative path counts from, and where a link leads.
    parts = [order.said, os.getcwd(), *map(os.path.realpath, (*order.sources, order.out)), code_sums()]
    parts += (f"{path} {told}" for path, told in files)
    text = "\n".join(parts).encode("utf-8", "surrogateescape")
    return sums(b"".join([text, *(os.fsencode(f"\n{path} ") + listed for path, listed in folders)]))
