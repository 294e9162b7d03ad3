"""What a log is called: by its name, the names of its folders and what it holds, and no two runs alike."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from ycsbook.ingest.files.sources import Source

# Of a file's beginning and end, so many bytes make its digest.
DIGEST_BYTES = 2 * 1024
MAX_NAME = 96


def run_id(name: str, digest: str) -> str:
    """A readable id of a log, from its name and its digest; of a long name the end, which tells more than folders."""
    slug = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-._")[-MAX_NAME:].strip("-._") or "log"
    return f"{slug}-{digest[:10]}"


def digest_in(run_id: str) -> str:
    """The part of a log's id that is alike for the same log under other names; empty where it is no log's id."""
    match = re.search(r"-([0-9a-f]{10})(-\d+)?$", run_id)
    return match[1] if match else ""


def digest_of(files: Sequence[Path]) -> str:
    """The digest of files that are not in memory.

    Raises
        RunLogError: one cannot be read.
    """
    return digest([Source(path).ends(DIGEST_BYTES) for path in files])


def digest_of_contents(contents: Iterable[bytes]) -> str:
    """The digest of files by their content."""
    return digest([(len(c), c[:DIGEST_BYTES], c[-DIGEST_BYTES:]) for c in contents])


def digest(files: Iterable[tuple[int, bytes, bytes]]) -> str:
    """One digest of files by size, beginning and end.

    The beginning holds the command line and the moment of the start, the end every figure of the summary.
    """
    total = hashlib.sha256()
    for size, head, tail in files:
        total.update(b"%d %d " % (size, len(head)))
        total.update(head)
        total.update(tail)
    return total.hexdigest()
