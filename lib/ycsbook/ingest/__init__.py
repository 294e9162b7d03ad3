"""Logs and published tables in, tidy tables out.

read(paths) gives the tables of everything under the paths; ycsb.parse reads one log, hdr.read one .hdr file.
"""

from ycsbook.ingest import ycsb
from ycsbook.ingest.read import read, read_with_rejects

__all__ = ["read", "read_with_rejects", "ycsb"]
