"""Logs and published tables in, tidy tables out.

read(paths) gives the tables of everything under the paths; update(paths, folder) keeps a folder of tables in step with
them. What happens on the way, each part importing only from those above it:

files       what there is, as bytes, packed or not
log         what the log of one run says, as data, whichever load generator wrote it
readers     one module per format: bytes to what a log says; the list of formats, to which other packages may add
runs        what a run is worth, several clients of one, and its rows in the tables
published   vendors' tables: pages, and this repository's copies
finding     which files belong together, and what the user says of them
logs        all of it, a batch at a time: small logs, several logs of one run, loose histograms, tables and pages
reading     the same in a fork with bounded memory and time, as data frames: what is too much costs one line
archive     keeps a folder of tables in step
"""

_FROM = {
    "read": "ycsbook.ingest.reading",
    "read_with_rejects": "ycsbook.ingest.reading",
    "update": "ycsbook.ingest.archive",
    "http_load": "ycsbook.ingest.readers",
    "ycsb": "ycsbook.ingest.readers",
}

__all__ = list(_FROM)


def __getattr__(name: str):
    # Not before they are asked for: the command line starts faster, and its parts can be used alone.
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    if _FROM[name] == "ycsbook.ingest.readers":
        return importlib.import_module(f"{_FROM[name]}.{name}")
    return getattr(importlib.import_module(_FROM[name]), name)
