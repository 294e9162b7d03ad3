"""Logs and published tables in, tidy tables out.

read(paths) gives the tables of everything under the paths; update(paths, folder) keeps a folder of tables in step with
them; ycsb.parse reads one log, hdr.read one .hdr file.
"""

import importlib

_FROM = {
    "read": "ycsbook.ingest.frames",
    "read_with_rejects": "ycsbook.ingest.frames",
    "update": "ycsbook.ingest.archive",
    "ycsb": "",
}

__all__ = list(_FROM)


def __getattr__(name: str):
    # Not before they are asked for: the command line starts faster, and its parts can be used alone.
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(_FROM[name] or f"{__name__}.{name}")
    return getattr(module, name) if _FROM[name] else module
