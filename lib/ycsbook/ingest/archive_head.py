"""What `ingest.json` says of a folder of tables: what they were made of, by what code, and with what result.

Cheap to compare: this is all that is loaded before it is known that nothing has changed.
"""

import json
import marshal
import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import ycsbook
from ycsbook.columns import SCHEMA_VERSION
from ycsbook.ingest.files.scan import SIDECAR, Scan

HEAD = "ingest.json"
# Folders of the package whose code decides what the tables hold.
_CODE = (
    "",
    "ingest",
    *(f"ingest/{part}" for part in ("files", "log", "readers", "published", "runs", "finding")),
    "store",
)


class Summary(NamedTuple):
    """What an archive holds: files by format, runs by outcome, and what was not read, with reasons.

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

    def __str__(self) -> str:
        told = f"{self.runs:,} {'run' if self.runs == 1 else 'runs'} ({_counted(self.outcomes) or 'none'})"
        files = f"{self.files:,} {'file' if self.files == 1 else 'files'} ({_counted(self.formats) or 'none'})"
        change = f"{self.read:,} read, {self.kept:,} unchanged, {self.removed:,} gone, {len(self.rejected):,} rejected"
        warned = f"\nwarnings: {_counted(self.warnings)}" if self.warnings else ""
        return f"{files}: {change}{warned}\n{told}"


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{n:,} {name}" for name, n in counts.items())


def key(listed: Scan, options: list, out: Path) -> dict:
    """All that the tables depend on: with the same key, they are the same.

    Parameters
        options: what the user says of the files.
        out: the folder of the tables, which may lie among the logs.
    """
    return {
        "schema": SCHEMA_VERSION,
        "code": _code(),
        "options": json.loads(json.dumps(options)),
        "sidecars": _sidecars(listed),
        "working_folder": _working_folder(listed),
        "listing": _listing(listed, out),
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


def _listing(listed: Scan, out: Path) -> str:
    """A digest of everything listed, but for what is written here."""
    own = os.path.realpath(out)
    digest = sha256()
    for real, folder in listed.folders.items():
        if real != own:
            told = (folder.path, sorted(folder.files.items()), folder.links, sorted(folder.named))
            # Twice as quick as repr; version 0 takes no notice of how strings are kept in memory.
            digest.update(marshal.dumps(told, 0))
    digest.update(repr([str(error) for error in listed.errors]).encode())
    return digest.hexdigest()


def _working_folder(listed: Scan) -> str:
    """What relative paths count from; of no account where there are none."""
    relative = any(not os.path.isabs(folder.path) for folder in listed.folders.values())
    return os.getcwd() if relative else ""


def _sidecars(listed: Scan) -> list[list]:
    """Size and time of every ycsbook.yml that holds for what is listed: in its folders and above them."""
    folders: set[str] = set()
    for real in listed.folders:
        folder = real
        while folder not in folders:
            folders.add(folder)
            folder = os.path.dirname(folder)
    found = ([path, *stat(path)] for path in (os.path.join(folder, SIDECAR) for folder in sorted(folders)))
    return [one for one in found if len(one) > 1]


def _code() -> str:
    """A digest of this code, by release, sizes and times: another release may read the same file otherwise."""
    digest = sha256(ycsbook.__version__.encode())
    for name in _CODE:
        folder = os.path.join(os.path.dirname(ycsbook.__file__), name)
        with os.scandir(folder) as entries:
            files = [(e.name, e.stat().st_size, e.stat().st_mtime_ns) for e in entries if e.name.endswith(".py")]
        digest.update(repr((folder, sorted(files))).encode())
    return digest.hexdigest()
