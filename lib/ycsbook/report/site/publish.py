"""A written report into a docs tree: the page, its figures and the HTML, and never over somebody's edits."""

import hashlib
import json
from pathlib import Path

from ycsbook.errors import PublishError
from ycsbook.store import atomic

RECORD = ".ycsbook.json"


def publish(report: Path, to: Path, *, force: bool = False) -> list[Path]:
    """Copy a report into `to/<its folder's name>/`; returns what was written.

    report.md becomes index.md, so that the folder is a page. A record beside it holds the SHA-256 of each file, so
    that one edited since is noticed; files of an earlier report that are no longer part of it are removed.

    Parameters
        report: folder with report.md, report.html and figures/.
        to: a folder of a docs tree.
        force: replace files that were edited, or that were not published by ycsbook.
    Raises
        PublishError: there is no report, or a file in the way is somebody's own; nothing is changed then.
        StoreError: the target cannot be written.
    """
    files = _files(report)
    target = to / report.resolve().name
    record = _record(target)
    stale = sorted(set(record) - set(files))
    if not force:
        for name in [*files, *stale]:
            _check_ours(target / name, record.get(name), files.get(name))
    for name, content in files.items():
        atomic.write_bytes(target / name, content)
    for name in stale:
        (target / name).unlink(missing_ok=True)
    hashes = {name: _sha256(content) for name, content in sorted(files.items())}
    atomic.write_text(target / RECORD, json.dumps(hashes, indent=1) + "\n")
    return [target / name for name in files]


def _files(report: Path) -> dict[str, bytes]:
    if not (report / "report.md").is_file():
        raise PublishError(f"{report}: holds no report.md; make one with 'ycsbook report PARAMS'")
    found = {"index.md": report / "report.md"}
    if (report / "report.html").is_file():
        found["report.html"] = report / "report.html"
    for path in sorted((report / "figures").glob("*")):
        if path.is_file() and path.suffix in (".svg", ".png"):
            found[f"figures/{path.name}"] = path
    return {name: path.read_bytes() for name, path in found.items()}


def _record(target: Path) -> dict[str, str]:
    """What was published here before; names that lead out of the folder are none of ours."""
    try:
        record = json.loads((target / RECORD).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as e:
        raise PublishError(f"{target}: cannot be read: {e.strerror or e}; expected a folder of a docs tree") from None
    except ValueError:
        record = None
    if not isinstance(record, dict):
        raise PublishError(f"{target / RECORD}: is not a record of published files; remove it and publish with --force")
    root = target.resolve()
    return {name: str(sha) for name, sha in record.items() if (target / name).resolve().is_relative_to(root)}


def _check_ours(path: Path, recorded: str | None, content: bytes | None) -> None:
    if not path.is_file():
        return
    present = path.read_bytes()
    if present == content or _sha256(present) == recorded:
        return
    if recorded is None:
        raise PublishError(f"{path}: was not published by ycsbook; move it away or replace it with --force")
    raise PublishError(f"{path}: was edited since it was published; keep the edit elsewhere or replace it with --force")


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
