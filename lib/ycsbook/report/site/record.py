"""What was published where: one small file beside each page, by which edits and changes are told."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ycsbook.errors import PublishError
from ycsbook.store import atomic

NAME = ".ycsbook.json"
FORMAT = 2


@dataclass(frozen=True)
class Record:
    """One published page.

    Parameters
        site: hugo, sphinx or plain; empty where it was published before there were records of this format.
        profile: of a vendor's page its profile.
        report: slug, title, lang, date, server and its main numbers.
        files: SHA-256 of each file by its name.
        published: SHA-256 of the vendors' tables it follows from, by their path in the repository.
        history: the report's main numbers as published before, oldest first.
    """

    site: str = ""
    profile: str = ""
    report: dict = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    published: dict[str, str] = field(default_factory=dict)
    history: list[dict] = field(default_factory=list)

    def write(self, target: Path) -> None:
        """Write it into the page's folder."""
        content = {"format": FORMAT, **asdict(self)}
        atomic.write_text(target / NAME, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def read(target: Path) -> Record:
    """What was published into this folder; empty where nothing was.

    Raises
        PublishError: the record is damaged, or the folder cannot be read.
    """
    try:
        content = json.loads((target / NAME).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Record()
    except OSError as e:
        raise PublishError(f"{target}: cannot be read: {e.strerror or e}; expected a folder of a docs tree") from None
    except ValueError:
        content = None
    found = _record(content)
    if found is None:
        raise PublishError(f"{target / NAME}: is not a record of a published report; remove it, then use --force")
    # Names that lead out of the folder are none of ours.
    root = target.resolve()
    inside = {name: sha for name, sha in found.files.items() if (target / name).resolve().is_relative_to(root)}
    return Record(found.site, found.profile, found.report, inside, found.published, found.history)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _record(content: object) -> Record | None:
    if not isinstance(content, dict):
        return None
    if "format" not in content:
        # The first format was no more than the files' hashes.
        return Record(files=content) if _texts(content) else None
    kinds = {"site": str, "profile": str, "report": dict, "files": dict, "published": dict, "history": list}
    parts = {name: content.get(name, kind()) for name, kind in kinds.items()}
    typed = all(isinstance(parts[name], kind) for name, kind in kinds.items())
    rows = typed and all(isinstance(entry, dict) for entry in parts["history"])
    known = rows and content["format"] == FORMAT and _texts(parts["files"]) and _texts(parts["published"])
    return Record(**parts) if known else None


def _texts(mapping: dict) -> bool:
    return all(isinstance(value, str) for value in mapping.values())
