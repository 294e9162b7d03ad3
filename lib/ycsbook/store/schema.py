"""What a store's manifests look like, by version, and how older ones become those of today.

    1  the first
    2  `variation`: the settings that `vary` gave a run

A reader sees every manifest as one of today. `migrate` writes them so: manifest by manifest, each old or new and never
half, so that a store where that was cut is read as well, and the next start goes on.
"""

import json
from collections.abc import Callable
from pathlib import Path

from ycsbook.errors import StoreError
from ycsbook.store import atomic

VERSION = 2
# Where a store says its version: a newer one may keep its runs where this release does not look.
FILE = ".schema"


def _with_variation(manifest: dict) -> dict:
    return {**manifest, "variation": manifest.get("variation", {})}


# From each version the step to the next.
STEPS: dict[int, Callable[[dict], dict]] = {1: _with_variation}


def current(manifest: dict, path: Path) -> dict:
    """A manifest of any version as one of today. One without a version is returned as it is.

    Raises
        StoreError: it is of a newer release, or its version is none.
    """
    version = manifest.get("schema")
    if version is None:
        return manifest
    _check(version, path)
    for step in range(version, VERSION):
        manifest = {**STEPS[step](manifest), "schema": step + 1}
    return manifest


def check(root: Path) -> None:
    """Refuse a store that a newer release has written.

    Raises
        StoreError: it has, or its version cannot be read.
    """
    path = root / FILE
    try:
        text = path.read_text(encoding="ascii", errors="replace").strip()
    except FileNotFoundError:
        return
    except OSError as e:
        raise StoreError(f"{path}: cannot be read: {e.strerror or e}") from None
    _check(int(text) if text.isdecimal() and len(text) < 10 else text, path)


def migrate(root: Path) -> list[Path]:
    """Bring a store's manifests, those in quarantine too, to today's version; returns those that were rewritten.

    The caller holds the store's lock. What cannot be read is left as it is: whoever reads it is told.

    Raises
        StoreError: the store is of a newer release or cannot be written; every manifest is whole then too.
    """
    check(root)
    found = sorted(path for pattern in ("*", "quarantine/*") for path in root.glob(f"{pattern}/manifest.json"))
    rewritten = [path for path in found if _rewrite(path)]
    if not (root / FILE).exists() or int((root / FILE).read_text(encoding="ascii")) < VERSION:
        atomic.write_text(root / FILE, f"{VERSION}\n")
    return rewritten


def text_of(manifest: dict) -> str:
    """A manifest as it stands in its file."""
    return json.dumps(manifest, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _rewrite(path: Path) -> bool:
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    if not isinstance(manifest, dict) or manifest.get("schema") is None:
        return False
    new = current(manifest, path)
    if new is manifest:
        return False
    atomic.write_text(path, text_of(new))
    return True


def _check(version: object, path: Path) -> None:
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise StoreError(f"{path}: got schema {version!r}, expected 1 to {VERSION}; move it away")
    if version > VERSION:
        raise StoreError(
            f"{path}: has schema {version}, this release knows 1 to {VERSION}; use the release that wrote it, "
            "or another --store"
        )
