"""What `ingest.json` says of a folder of tables: by what code and with what options they were made, and the result."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ycsbook.columns import SCHEMA_VERSION
from ycsbook.ingest import unchanged
from ycsbook.ingest.files.scan import SIDECAR, Scan

HEAD = "ingest.json"


class Summary(NamedTuple):
    """What an archive holds: files by format, runs by outcome, what was not read and what did not complete,
    with reasons.

    `read`, `kept` and `removed` count the files of this ingest; `warnings` the runs by warning.
    """

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
    unfinished: list[str]

    def __str__(self) -> str:
        told = f"{self.runs:,} {'run' if self.runs == 1 else 'runs'} ({_counted(self.outcomes) or 'none'})"
        files = f"{self.files:,} {'file' if self.files == 1 else 'files'} ({_counted(self.formats) or 'none'})"
        change = f"{self.read:,} read, {self.kept:,} unchanged, {self.removed:,} gone, {len(self.rejected):,} rejected"
        warned = f"\nwarnings: {_counted(self.warnings)}" if self.warnings else ""
        return f"{files}: {change}{warned}\n{told}"


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{n:,} {name}" for name, n in counts.items())


def key(listed: Scan, options: list) -> dict:
    """All that the rows of a log depend on besides its files: with the same key, they are the same.

    Parameters
        options: what the user says of the files.
    """
    return {
        "schema": SCHEMA_VERSION,
        "code": unchanged.code_sums(),
        "options": json.loads(json.dumps(options)),
        "sidecars": _sidecars(listed),
        "working_folder": _working_folder(listed),
    }


def read(out: Path) -> dict:
    """The head of a folder of tables; empty where there is none, or tables that are not those it tells of."""
    found = load(out / HEAD)
    made_of, told, summary = (found.get(name) for name in ("key", "tables", "summary"))
    if not all(isinstance(part, dict) for part in (made_of, told, summary)) or {*summary} != {*Summary._fields}:
        return {}  # damaged
    return found if told == tables(out, told) else {}


def load(path: Path) -> dict:
    """A JSON object; empty where there is none, or a damaged one."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def tables(out: Path, names: Iterable[str]) -> dict[str, list[int]]:
    """Size and time of each table."""
    return {name: stat(str(out / f"{name}.parquet")) for name in names}


def stat(path: str) -> list[int]:
    """Size and time of a file; empty where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return []
    return [found.st_size, found.st_mtime_ns]


def _working_folder(listed: Scan) -> str:
    """What relative paths count from; of no account where there are none."""
    relative = any(not os.path.isabs(folder.path) for folder in listed.folders.values())
    return os.getcwd() if relative else ""


def sidecars(listed: Scan) -> list[str]:
    """Where a ycsbook.yml holds for what is listed, whether there is one or not: in its folders and above them, by the
    names that were given and by those without links."""
    folders: set[str] = set()
    for real, listed_folder in listed.folders.items():
        for name in (real, os.path.abspath(listed_folder.path)):
            folder = name
            while folder not in folders:
                folders.add(folder)
                folder = os.path.dirname(folder)
    return [os.path.join(folder, SIDECAR) for folder in sorted(folders)]


def _sidecars(listed: Scan) -> list[list]:
    found = ([path, *stat(path)] for path in sidecars(listed))
    return [one for one in found if len(one) > 1]
