"""The index of an archive: what a folder of tables was made of, by which versions of the readers, and what it holds.

`ingest-index.jsonl` lies beside the tables and is written last, so that tables without it are made anew. Its first line
is enough to see that nothing has changed, without any reader loaded: the key (options, versions of the readers,
sidecars), sizes and times of the tables, a digest of names, sizes and times of all listed files, and the summary. The
second has an entry for each thing that was read (`archive`).

A file is the same as long as its path, size and time are. What its rows depend on besides is in the key: versions that
are raised by hand, each reader's for what it gives, and ROWS_VERSION for what is made of it: verdicts, rows, groups.
"""

import hashlib
import json
import os
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ycsbook import opening
from ycsbook.columns import INGESTED, SCHEMA_VERSION
from ycsbook.ingest import readers
from ycsbook.ingest.files.scan import SIDECAR, Scan
from ycsbook.ingest.finding.annotations import Annotations
from ycsbook.store import atomic

INDEX = "ingest-index.jsonl"
# Raised with every change of what is made of that which the readers give.
ROWS_VERSION = 22
# Of half a million logs.
MAX_INDEX_BYTES = 256_000_000


class ArchiveSummary(NamedTuple):
    """What an archive holds: `files` counts one of each log, `beside` the others: streams, clients, histograms,
    manifests. `read`, `kept` and `removed` count the files of this ingest, `others` those that are no output of a
    benchmark; `outcomes` and `warnings` the runs. `unfinished` holds facts as `facts.as_plain` writes them."""

    files: int
    read: int
    kept: int
    removed: int
    runs: int
    formats: dict[str, int]
    outcomes: dict[str, int]
    warnings: dict[str, int]
    rejected: list[str]
    remarks: list[str]
    unfinished: list[dict]
    others: int
    beside: int

    def __str__(self) -> str:
        runs = f"{self.runs:,} {'run' if self.runs == 1 else 'runs'} ({_counted(self.outcomes) or 'none'})"
        files = f"{self.files:,} {'file' if self.files == 1 else 'files'} ({_counted(self.formats) or 'none'})"
        files += f" and {self.beside:,} that belong to {'it' if self.files == 1 else 'them'}" if self.beside else ""
        change = f"{self.read:,} read, {self.kept:,} unchanged, {self.removed:,} gone, {len(self.rejected):,} rejected"
        change += f", {self.others:,} passed over (--explain FILE says why)" if self.others else ""
        warned = f"\nwarnings: {_counted(self.warnings)}" if self.warnings else ""
        return f"{files}: {change}{warned}\n{runs}"


def key_of(listed: Scan, format: str, annotations: Annotations | None) -> dict:
    """All that the rows of a log depend on besides its files: with the same key, they are the same."""
    has_relative_paths = any(not os.path.isabs(folder.path) for folder in listed.folders.values())
    return {
        "schema": SCHEMA_VERSION,
        "rows": ROWS_VERSION,
        "readers": readers.versions(),
        "options": json.loads(json.dumps([format, *(annotations.key if annotations else [[], None])])),
        "sidecars": [[path, *size_and_time] for path in _sidecars(listed) if (size_and_time := stat(path))],
        "working_folder": os.getcwd() if has_relative_paths else "",
    }


def unchanged(out: Path, key: dict, listing: str) -> ArchiveSummary | None:
    """The summary of an archive that is as it was when its tables were written; None: something may have changed."""
    head = read_line(out, 0)
    try:
        if (head["key"], head["listing"], head["tables"]) != (key, listing, tables(out)):
            return None
        if any(stat(path) != size_and_time for path, *size_and_time in head["unlisted"]):
            return None
        summary = ArchiveSummary(**head["summary"])
    except (KeyError, TypeError, ValueError):  # there is none, or it is damaged
        return None
    return summary._replace(kept=summary.files, read=0, removed=0)


def read_line(out: Path, number: int) -> dict:
    """A line of the index; empty where there is none, or a damaged one."""
    try:
        with opening.opened(out / INDEX, root=out, limit=MAX_INDEX_BYTES) as file:
            line = json.loads(next(islice(file, number, None), b""))
    except (OSError, ValueError, RecursionError):
        return {}
    return line if isinstance(line, dict) else {}


def written_names() -> set[str]:
    return {INDEX, *(f"{name}.parquet" for name in INGESTED)}


def tables(out: Path) -> dict[str, list[int]]:
    return {name: stat(str(atomic.current(out, f"{name}.parquet"))) for name in INGESTED}


def stat(path: str) -> list[int]:
    """Size and time of a file; empty where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return []
    return [status.st_size, status.st_mtime_ns]


def digest(listed: Scan, out: Path) -> str:
    """A digest of what is listed, without what an ingest writes itself: the tables may lie in one of the folders."""
    own_folder, own_files = os.path.realpath(out), written_names()
    parts: list[object] = [str(error) for error in listed.errors]
    for real, folder in listed.folders.items():
        files = folder.files
        if real == own_folder:
            files = {name: size_and_time for name, size_and_time in files.items() if name not in own_files}
        parts.append((real, folder.path, folder.everything, sorted(folder.named)))
        parts.append((sorted(files.items()), sorted(folder.subfolders), sorted(folder.links)))
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _sidecars(listed: Scan) -> list[str]:
    """Where a ycsbook.yml would hold for what is listed: in and above its folders, by given names and without links."""
    folders: set[str] = set()
    for real, listed_folder in listed.folders.items():
        for name in (real, os.path.abspath(listed_folder.path)):
            folder = name
            while folder not in folders:
                folders.add(folder)
                folder = os.path.dirname(folder)
    return [os.path.join(folder, SIDECAR) for folder in sorted(folders)]


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{n:,} {name}" for name, n in counts.items())
