"""What lies in a store's quarantine, and deleting it. Runs that count are never touched."""

import json
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from ycsbook import units
from ycsbook.errors import ParamsError, StoreError
from ycsbook.store import lock
from ycsbook.store.runs import MANIFEST, QUARANTINE, RunStore


@dataclass(frozen=True)
class Attempt:
    """A folder in quarantine: its outcome (empty: it was cut before there was one), age and size."""

    folder: Path
    outcome: str
    age_s: float
    size_bytes: int


def in_quarantine(root: Path, older_than: str = "0s") -> list[Attempt]:
    """The attempts in the quarantine of a store, by name.

    Parameters
        older_than: an age such as 12h or 30d.
    Raises
        ParamsError: that is no age.
    """
    try:
        least = units.seconds(older_than)
    except ValueError as e:
        raise ParamsError(f"--older-than: {e}") from None
    return [found for found in map(_attempt, RunStore(root).attempts()) if found.age_s >= least]


def delete(attempts: list[Attempt]) -> None:
    """Delete attempts.

    Raises
        ServerBusyError: a run is being made in this store.
        StoreError: one cannot be deleted, or is in no quarantine.
    """
    for root in {attempt.folder.parents[1] for attempt in attempts}:
        with lock.exclusive(root):
            for attempt in attempts:
                if attempt.folder.parents[1] == root:
                    _remove(attempt.folder)


def _remove(folder: Path) -> None:
    if folder.parent.name != QUARANTINE:
        raise StoreError(f"{folder}: lies in no {QUARANTINE}; nothing else is ever deleted")
    try:
        shutil.rmtree(folder)
    except OSError as e:
        raise StoreError(f"{folder}: cannot be deleted: {e.strerror or e}; check its owner and mode") from e


def _attempt(folder: Path) -> Attempt:
    files = [path for path in folder.rglob("*") if path.is_file()]
    newest = max((path.stat().st_mtime for path in (folder, *files)), default=0.0)
    try:
        outcome = str(json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["outcome"])
    except (OSError, ValueError, KeyError, TypeError):
        outcome = ""
    return Attempt(folder, outcome, max(0.0, time.time() - newest), sum(path.stat().st_size for path in files))
