"""What the given files and folders hold: runs of the store, logs (one file or two), published tables."""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ycsbook.errors import RunLogError
from ycsbook.ingest.seed_catalog import VENDOR_COLUMNS

MANIFEST = "manifest.json"
SAMPLES = "samples.csv"
# Not results: a run being made, and the remains of those that failed.
SKIPPED_FOLDERS = ("quarantine",)
SKIPPED_ENDINGS = (".partial",)
STDOUT, STDERR = ".out", ".err"
LOG_SUFFIXES = (STDOUT, STDERR, ".log", ".txt", ".dat")
_SNIFF_BYTES = 64 * 1024
_MARKS = re.compile(rb"\[OVERALL\], |YCSB Client \d|Command line: -| sec: \d+ operations;|\bycsb\.Client ")


class Kind(StrEnum):
    """What is to be read, and how."""

    STORED = "stored"
    LOG = "log"
    PUBLISHED = "published"


@dataclass(frozen=True)
class Found:
    """One thing to read. `files`: stdout before stderr; for a stored run its folder, for a table its CSV."""

    kind: Kind
    files: tuple[Path, ...]

    @property
    def name(self) -> str:
        return self.files[0].stem


def find(paths: Iterable[str | Path]) -> tuple[list[Found], list[RunLogError]]:
    """Everything to read under the paths, in order and each once, and the paths that are not there.

    A file that is named is always read; in a folder only those that look like YCSB logs, empty ones and crashed ones
    included, runs with a manifest, and vendors' tables with a sidecar, no other CSVs. Links are not followed out of a
    folder.
    """
    found: dict[tuple[Path, ...], Found] = {}
    missing = []
    for path in map(Path, paths):
        if path.is_dir():
            items = _in_folder(path)
        elif path.suffix == ".hdr":
            missing.append(RunLogError(path, None, "is read with the log of its run: name that, or the folder"))
            continue
        elif path.exists() and not path.is_file():
            missing.append(RunLogError(path, None, "is neither file nor folder; save what it gives to a file"))
            continue
        elif path.exists():
            items = iter([_named(path)])
        else:
            missing.append(RunLogError(path, None, "no such file or folder; check the spelling"))
            continue
        for item in items:
            found.setdefault(item.files, item)
    return list(found.values()), missing


def run_id(files: tuple[Path, ...]) -> str:
    """A slug of the file's name and a hash of the content: the same log has the same id wherever it is.

    Raises
        RunLogError: a file cannot be read.
    """
    digest = hashlib.sha256()
    for path in files:
        try:
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as e:
            raise RunLogError(path, None, f"cannot be read: {e.strerror}; check that it is a file and its mode") from e
    slug = re.sub(r"[^a-z0-9._-]+", "-", files[0].stem.lower()).strip("-._")[:48]
    return f"{slug or 'log'}-{digest.hexdigest()[:10]}"


def _named(path: Path) -> Found:
    if path.name == MANIFEST:
        return Found(Kind.STORED, (path.parent,))
    if path.suffix == ".csv":
        return Found(Kind.PUBLISHED, (path,))
    return _log(path)


def _log(path: Path) -> Found:
    """A log, with the other stream of the same run where it lies beside it."""
    pair = tuple(p for p in (path.with_suffix(STDOUT), path.with_suffix(STDERR)) if p.is_file())
    return Found(Kind.LOG, pair if path.suffix in (STDOUT, STDERR) and path in pair else (path,))


def _in_folder(root: Path) -> Iterator[Found]:
    for folder, subfolders, names in os.walk(root):
        at = Path(folder)
        if MANIFEST in names and not {"run.out", "run.err"}.isdisjoint(names):
            subfolders.clear()
            yield Found(Kind.STORED, (at,))
            continue
        subfolders[:] = sorted(d for d in subfolders if d not in SKIPPED_FOLDERS and not d.endswith(SKIPPED_ENDINGS))
        for path in (at / name for name in sorted(names)):
            if path.suffix == ".csv" and _looks_like_vendor_table(path):
                yield Found(Kind.PUBLISHED, (path,))
            elif path.is_file() and not path.name.startswith(".") and _looks_like_log(path):
                yield _log(path)


def _looks_like_vendor_table(path: Path) -> bool:
    """Whether the CSV or its sidecar names a vendor's columns: a damaged table is one still, and the reader says so."""
    sidecar = path.with_suffix(".json")
    if not sidecar.is_file():
        return False
    try:
        with path.open("rb") as file:
            header = file.readline(_SNIFF_BYTES)
        said = json.loads(sidecar.read_bytes())
    except OSError:
        return True  # the reader will name it among the rejected
    except (ValueError, RecursionError):
        said = None
    columns = said.get("columns") if isinstance(said, dict) else None
    return header.rstrip() == ",".join(VENDOR_COLUMNS).encode() or (
        isinstance(columns, dict) and tuple(columns) == VENDOR_COLUMNS
    )


def _looks_like_log(path: Path) -> bool:
    if path.suffix not in LOG_SUFFIXES:
        return False
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(_SNIFF_BYTES)
            file.seek(max(0, size - _SNIFF_BYTES))
            tail = file.read()
    except OSError:
        return True  # the reader will name it among the rejected
    return size == 0 or bool(_MARKS.search(head) or _MARKS.search(tail))
