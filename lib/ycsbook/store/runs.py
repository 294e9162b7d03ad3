"""The run store: a folder per run, written under another name until it is whole.

    data/runs/<run_id>/            a finished run: logs, .hdr files, samples, manifest.json (written last)
    data/runs/<run_id>.partial/    a run being made, or the remains of one that was cut
    data/runs/quarantine/          remains and unsuccessful attempts, kept as evidence
    data/runs/.schema              the version of all that (store/schema.py)

Nothing here is ever overwritten or deleted: what is in the way is moved to quarantine.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from ycsbook import paths
from ycsbook.errors import StoreError
from ycsbook.secrets import redact
from ycsbook.store import atomic, schema
from ycsbook.verdicts import Outcome

MANIFEST = "manifest.json"
PARTIAL = ".partial"
QUARANTINE = "quarantine"
REQUIRED = frozenset({"run_id", "outcome"})


class RunStore:
    """The finished runs under one folder."""

    def __init__(self, root: Path = paths.RUNS):
        self.root = root

    def folder(self, run_id: str) -> Path:
        """Where a finished run's files are."""
        return self.root / run_id

    def manifest(self, run_id: str) -> dict | None:
        """What is known of a finished run; None where there is none.

        Raises
            StoreError: the manifest is not valid JSON, or of a newer release.
        """
        path = self.folder(run_id) / MANIFEST
        try:
            manifest = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except OSError as e:
            raise StoreError(f"{path}: cannot be read: {e.strerror or e}") from None
        except (ValueError, RecursionError) as e:
            raise StoreError(f"{path}: cannot be read as JSON: {e}; move the folder away to repeat the run") from None
        if not isinstance(manifest, dict) or not manifest.keys() >= REQUIRED:
            raise StoreError(f"{path}: expected a manifest with {', '.join(sorted(REQUIRED))}; move the folder away")
        return schema.current(manifest, path)

    def manifests(self) -> Iterator[dict]:
        """What is known of every finished run, by name; folders that cannot be read are named on stderr.

        Raises
            StoreError: a newer release has written the store.
        """
        schema.check(self.root)
        for path in sorted(self.root.glob(f"*/{MANIFEST}")):
            name = path.parent.name
            if name != QUARANTINE and not name.endswith(PARTIAL):
                try:
                    yield self.manifest(name)
                except StoreError as e:
                    print(f"left out: {e}", file=sys.stderr)

    def is_completed(self, run_id: str, since: str = "") -> bool:
        """Whether the run is there and need not be made again; ended after a moment, where one is given."""
        manifest = self.manifest(run_id)
        if manifest is None or manifest["outcome"] != Outcome.COMPLETED:
            return False
        return not since or str(manifest.get("ended_at", "")) > since

    def current(self) -> Path | None:
        """The folder of the run being made now, if any."""
        return next(iter(sorted(self.root.glob(f"*{PARTIAL}"))), None)

    def begin(self, run_id: str) -> Path:
        """An empty folder to write the run into; earlier attempts move to quarantine.

        Raises
            StoreError: the store cannot be written.
        """
        partial = self.root / f"{run_id}{PARTIAL}"
        try:
            for old in (partial, self.folder(run_id)):
                if old.exists():
                    self._quarantine(old)
            partial.mkdir(parents=True)
            (partial / "hdr").mkdir()
        except OSError as e:
            raise StoreError(f"{partial}: cannot be written: {e.strerror}; check owner, mode and free space") from e
        return partial

    def finish(self, partial: Path, manifest: dict) -> Path:
        """Close a run: its files brought to the disk, then the manifest with their hashes, then the final name.

        Raises
            StoreError: the store cannot be written.
        """
        files = sorted(p for p in partial.rglob("*") if p.is_file())
        hashes = {p.relative_to(partial).as_posix(): sha256(p) for p in files}
        final = partial.with_name(partial.name.removesuffix(PARTIAL))
        try:
            for path in (*files, *{file.parent for file in files}):
                atomic.sync(path)
            atomic.write_text(partial / MANIFEST, schema.text_of({**manifest, "files": hashes}))
            partial.rename(final)
            atomic.sync(self.root)
        except OSError as e:
            raise StoreError(f"{final}: cannot be written: {e.strerror}") from e
        return final

    def attempts(self) -> list[Path]:
        """What lies in quarantine, by name: attempts without success, remains, and runs that were made again."""
        return sorted(path for path in (self.root / QUARANTINE).glob("*") if path.is_dir())

    def sweep_up(self) -> list[Path]:
        """Move the remains of runs that were cut to quarantine; returns where they are now."""
        try:
            moved = [self._quarantine(p) for p in sorted(self.root.glob(f"*{PARTIAL}"))]
        except OSError as e:
            raise StoreError(f"{self.root}: cannot be written: {e.strerror}; check owner, mode and free space") from e
        for folder in moved:
            redact_logs(folder)
        return moved

    def _quarantine(self, folder: Path) -> Path:
        place = self.root / QUARANTINE
        place.mkdir(parents=True, exist_ok=True)
        name = folder.name.removesuffix(PARTIAL)
        taken = (path.name.removeprefix(f"{name}.") for path in place.iterdir() if path.name.startswith(f"{name}."))
        # Not their count: some may have been deleted.
        number = 1 + max((int(text) for text in taken if text.isdecimal()), default=0)
        target = place / f"{name}.{number}"
        folder.rename(target)
        return target


def redact_logs(folder: Path) -> None:
    """Take every user:password@ out of a run's logs, as older releases may have left them."""
    for path in (folder / "run.out", folder / "run.err"):
        if path.is_file():
            text = path.read_text(encoding="utf-8", errors="surrogateescape")
            clean = redact(text)
            if clean != text:
                path.write_text(clean, encoding="utf-8", errors="surrogateescape")


def sha256(path: Path) -> str:
    """The file's SHA-256 as hexadecimal text."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
