"""A written report into a docs tree: the page, its figures and the HTML, and never over somebody's edits."""

import hashlib
import json
from pathlib import Path

from ycsbook.errors import PublishError
from ycsbook.store import atomic

RECORD = ".ycsbook.json"


def publish(report: Path, to: Path, *, force: bool = False) -> list[Path]:
    """Copy a report's folder to `to/<its name>/`; returns what was written.

    A record beside the copies holds their SHA-256, so that a page edited since is noticed.

    Parameters
        report: folder with report.html, report.md and figures/.
        to: a folder of a docs tree.
        force: replace pages edited by hand, and files that no report put there.
    Raises
        PublishError: there is no report, or a file in the target was edited or is not ours.
        StoreError: the target cannot be written.
    """
    files = _files(report)
    target = to / report.resolve().name
    record = _record(target)
    if not force:
        for name in sorted({*files, *record}):
            path = target / name
            if path.is_file() and record.get(name) != _sha256(path.read_bytes()) and _differs(path, files.get(name)):
                raise PublishError(
                    f"{path}: was edited by hand or put there by somebody else; keep your text elsewhere, or replace "
                    "it with --force"
                )
    for name, content in files.items():
        atomic.write_bytes(target / name, content)
    for name in sorted(set(record) - set(files)):
        (target / name).unlink(missing_ok=True)
    hashes = {name: _sha256(content) for name, content in sorted(files.items())}
    atomic.write_text(target / RECORD, json.dumps(hashes, indent=1) + "\n")
    return [target / name for name in files]


def _files(report: Path) -> dict[str, bytes]:
    pages = [report / "report.md", report / "report.html"]
    for page in pages:
        if not page.is_file():
            raise PublishError(f"{page}: no such file, expected a report; make one with 'ycsbook report PARAMS'")
    figures = sorted(p for p in (report / "figures").glob("*") if p.suffix in (".svg", ".png") and p.is_file())
    return {path.relative_to(report).as_posix(): path.read_bytes() for path in [*figures, *pages]}


def _record(target: Path) -> dict[str, str]:
    path = target / RECORD
    if not path.is_file():
        return {}
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as e:
        raise PublishError(f"{path}: is not JSON ({e}); remove it and publish with --force") from None
    inside = isinstance(record, dict) and all(
        isinstance(v, str) and (target / k).resolve().is_relative_to(target.resolve()) for k, v in record.items()
    )
    if not inside:
        raise PublishError(f"{path}: is not a record of published files; remove it and publish with --force")
    return record


def _differs(path: Path, content: bytes | None) -> bool:
    return content is None or path.read_bytes() != content


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
