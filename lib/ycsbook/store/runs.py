"""The run store: a folder per run, written under another name until it is whole.

    data/runs/<run_id>/            a finished run: logs, .hdr files, samples, manifest.json (written last)
    data/runs/<run_id>.partial/    a run being made, or the remains of one that was cut
    data/runs/quarantine/          remains and unsuccessful attempts, kept as evidence
    data/runs/.schema              the version of all that

Nothing here is ever overwritten: what is in the way moves to quarantine, where alone `ycsbook prune` deletes.
"""

import hashlib
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ycsbook import opening, paths, units
from ycsbook.errors import ParamsError, StoreError
from ycsbook.store import atomic, lock
from ycsbook.verdicts import Outcome

MANIFEST = "manifest.json"
PARTIAL = ".partial"
QUARANTINE = "quarantine"
REQUIRED = frozenset({"run_id", "outcome"})
# Of manifests and folders; the store's own file says it too, as another release may keep its runs elsewhere.
SCHEMA = 2
SCHEMA_FILE = ".schema"


@dataclass(frozen=True)
class Attempt:
    """A folder in quarantine: its outcome (empty: it was cut before there was one), age and size."""

    folder: Path
    outcome: str
    age_s: float
    size_bytes: int


class RunStore:
    def __init__(self, root: Path = paths.RUNS):
        self.root = root

    def folder(self, run_id: str) -> Path:
        return self.root / run_id

    def manifest(self, run_id: str) -> dict | None:
        """The manifest of a finished run, if there is one; raises StoreError for a damaged or another release's."""
        path = self.folder(run_id) / MANIFEST
        try:
            manifest = opening.json_content(path, root=path.parent)
        except FileNotFoundError:
            return None
        except OSError as e:
            raise StoreError(f"{path}: cannot be read: {e.strerror or e}") from None
        except ValueError as e:
            raise StoreError(f"{path}: cannot be read as JSON: {e}; move the folder away to repeat the run") from None
        if not isinstance(manifest, dict) or not manifest.keys() >= REQUIRED:
            raise StoreError(f"{path}: expected a manifest with {', '.join(sorted(REQUIRED))}; move the folder away")
        if reason := foreign_schema(manifest.get("schema", SCHEMA)):
            raise StoreError(f"{path}: {reason}")
        return manifest

    def manifests(self) -> Iterator[dict]:
        """The manifests of all finished runs, by name; folders that cannot be read are named on stderr. Raises
        StoreError where another release has written the store."""
        self.check()
        for path in sorted(self.root.glob(f"*/{MANIFEST}")):
            name = path.parent.name
            if name != QUARANTINE and not name.endswith(PARTIAL):
                try:
                    yield self.manifest(name)
                except StoreError as e:
                    print(f"left out: {e}", file=sys.stderr)

    def is_completed(self, run_id: str, since: str = "") -> bool:
        """Whether the run is there as it was made, so that it need not be made again; ended after `since`, if given."""
        manifest = self.manifest(run_id)
        if manifest is None or manifest["outcome"] != Outcome.COMPLETED or self.altered(manifest):
            return False
        return not since or str(manifest.get("ended_at", "")) > since

    def altered(self, manifest: dict) -> list[str]:
        """The files of a finished run that are gone, or not as they were written, by name."""
        return altered(manifest, self.folder(str(manifest["run_id"])))

    def under_way(self) -> list[Path]:
        """The folders of the runs being made now, by name: one, or of several servers one each."""
        return sorted(self.root.glob(f"*{PARTIAL}"))

    def begin(self, run_id: str) -> Path:
        """An empty folder to write the run into; earlier attempts move to quarantine. Raises StoreError as `finish`."""
        partial = self.root / f"{run_id}{PARTIAL}"
        with atomic.writing(partial):
            for old in (partial, self.folder(run_id)):
                if os.path.lexists(old):
                    self._quarantine(old)
            atomic.make_folder(partial / "hdr")
        return partial

    def finish(self, partial: Path, manifest: dict) -> Path:
        """Close a run: files to the disk, then the manifest with their hashes, then the name. Raises StoreError."""
        files = sorted(p for p in partial.rglob("*") if p.is_file())
        hashes = {p.relative_to(partial).as_posix(): sha256(p) for p in files}
        final = partial.with_name(partial.name.removesuffix(PARTIAL))
        with atomic.writing(final):
            for path in (*files, partial, *(p for p in partial.rglob("*") if p.is_dir() and not p.is_symlink())):
                atomic.sync(path)
            text = json.dumps({**manifest, "files": hashes}, indent=1, sort_keys=True, ensure_ascii=False)
            atomic.write_text(partial / MANIFEST, f"{text}\n")
            atomic.move(partial, final)
        return final

    def attempts(self) -> list[Path]:
        """What lies in quarantine, by name: attempts without success, remains, and runs that were made again."""
        atomic.require_inside(self.root, self.root / QUARANTINE)
        return sorted(p for p in (self.root / QUARANTINE).glob("*") if p.is_dir() and not p.is_symlink())

    def check(self) -> None:
        """Raise StoreError where another release has written the store, or its version cannot be read."""
        path = self.root / SCHEMA_FILE
        try:
            text = opening.content(path, 100, root=self.root).decode("ascii", errors="replace").strip()
        except FileNotFoundError:
            return
        except OSError as e:
            raise StoreError(f"{path}: cannot be read: {e.strerror or e}") from None
        if reason := foreign_schema(int(text) if text.isdecimal() and len(text) < 10 else text):
            raise StoreError(f"{path}: {reason}")

    def claim(self) -> None:
        """Check the store, and have it say its version; raises StoreError as `check`, or where it cannot be written."""
        self.check()
        atomic.write_text(self.root / SCHEMA_FILE, f"{SCHEMA}\n")

    def sweep_up(self) -> list[Path]:
        """Move the remains of runs that were cut to quarantine; returns where they are now."""
        with atomic.writing(self.root):
            return [self._quarantine(p) for p in sorted(self.root.glob(f"*{PARTIAL}"))]

    def _quarantine(self, folder: Path) -> Path:
        place = self.root / QUARANTINE
        atomic.require_inside(self.root, place)
        atomic.make_folder(place)
        name = folder.name.removesuffix(PARTIAL)
        endings = (path.name.removeprefix(f"{name}.") for path in place.iterdir() if path.name.startswith(f"{name}."))
        # Not their count: some may have been deleted.
        number = 1 + max((int(text) for text in endings if text.isdecimal()), default=0)
        target = place / f"{name}.{number}"
        atomic.move(folder, target)
        return target


def foreign_schema(version: object) -> str:
    """Why a file with this version is not read: it is of another release; empty: it is of this one."""
    if version == SCHEMA:
        return ""
    return f"has schema {version!r}, this release reads {SCHEMA}; use the release that wrote it, or another --store"


def altered(manifest: dict, folder: Path) -> list[str]:
    """The files of a run's folder that are gone, or not those that its manifest was made of, by name."""

    def is_as_written(name: str, digest: object) -> bool:
        try:
            return sha256(folder / name, root=folder) == digest
        except (OSError, ValueError):
            return False

    files = manifest.get("files")
    return [name for name in files if not is_as_written(name, files[name])] if isinstance(files, dict) else []


def sha256(path: Path, root: Path | None = None) -> str:
    """The file's SHA-256 as hexadecimal text; raises OSError as `opening.opened`."""
    with opening.opened(path, root=root, buffering=0) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def in_quarantine(root: Path, older_than: str = "0s") -> list[Attempt]:
    """The attempts in the quarantine of a store, by name, older than an age such as 30d; ParamsError for no age."""
    try:
        least = units.seconds(older_than)
    except ValueError as e:
        raise ParamsError(f"--older-than: {e}") from None
    return [attempt for attempt in map(_attempt, RunStore(root).attempts()) if attempt.age_s >= least]


def delete_attempts(root: Path, attempts: list[Attempt]) -> None:
    """Delete attempts of a store. Raises ServerBusyError while a run is made there, StoreError where one must stay."""
    with lock.exclusive(root):
        for folder in (attempt.folder for attempt in attempts):
            if folder.parent != root / QUARANTINE:
                raise StoreError(f"{folder}: lies in no {QUARANTINE}; nothing else is ever deleted")
            atomic.require_inside(root, folder)
            try:
                shutil.rmtree(folder)
            except OSError as e:
                raise StoreError(f"{folder}: cannot be deleted: {e.strerror or e}; check its owner and mode") from e


def _attempt(folder: Path) -> Attempt:
    files = [path for path in folder.rglob("*") if path.is_file()]
    newest = max((path.stat().st_mtime for path in (folder, *files)), default=0.0)
    try:
        outcome = str(opening.json_content(folder / MANIFEST, root=folder)["outcome"])
    except (OSError, ValueError, KeyError, TypeError):
        outcome = ""
    return Attempt(folder, outcome, max(0.0, time.time() - newest), sum(path.stat().st_size for path in files))
