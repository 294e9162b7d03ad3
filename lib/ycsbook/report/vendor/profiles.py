"""Profiles: the templates of vendors' pages, ours and the user's own."""

import re
from dataclasses import dataclass
from pathlib import Path

from ycsbook import paths
from ycsbook.errors import PublishError, shown

SUFFIX = ".md.j2"
MAX_BYTES = 1_000_000
OURS = Path(__file__).parent / "templates"
THEIRS = paths.PARAMS / "profiles"

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True)
class Profile:
    """A template: its name, its text, and what errors call it."""

    name: str
    text: str
    where: str


def names() -> tuple[str, ...]:
    """The profiles there are: those of the package and those in params/profiles."""
    return tuple(sorted({path.name.removesuffix(SUFFIX) for folder in (THEIRS, OURS) for path in _in(folder)}))


def find(profile: str) -> Profile:
    """The profile of that name, else the template at that path. One in params/profiles goes before ours.

    Raises
        PublishError: there is none; the message lists those there are.
    """
    if profile.endswith(SUFFIX):
        path = paths.resolve(profile)
    else:
        folders = (folder for folder in (THEIRS, OURS) if _NAME.fullmatch(profile))
        path = next((p for f in folders if (p := f / f"{profile}{SUFFIX}").is_file()), None)
    if path is None or not path.is_file():
        expected = f"one of {', '.join(names())}, a template {THEIRS.name}/NAME{SUFFIX} in params, or a path to one"
        raise PublishError(f"profile {shown(profile)}: no such profile, expected {expected}")
    return Profile(name_of(profile), _text(path), path.name)


def name_of(profile: str) -> str:
    """A profile's name, of a path that of its file.

    Raises
        PublishError: not a slug; it becomes part of a folder's name.
    """
    name = Path(profile).name.removesuffix(SUFFIX)
    if not _NAME.fullmatch(name):
        raise PublishError(f"profile {shown(profile)}: expected a lower-case name such as acme{SUFFIX}")
    return name


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise PublishError(f"{path}: larger than {MAX_BYTES:,} bytes, which no profile is")
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise PublishError(f"{path}: cannot be read as UTF-8 text: {e}") from None


def _in(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"[a-z0-9]*{SUFFIX}"))
