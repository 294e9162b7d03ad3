"""Profiles: the templates of vendors' pages, ours, the user's own, and those of other packages.

Another package names a profile by an entry point of the group `ycsbook.page_profiles`: a module in whose folder the
template stands. The module itself is not run, only the package around it where there is one.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ycsbook import opening, paths
from ycsbook.errors import PublishError, shown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "ycsbook.page_profiles"
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
    """The profiles there are: ours, those in params/profiles and those of other packages."""
    files = (path for folder in (THEIRS, OURS) for path in folder.glob(f"[a-z0-9]*{SUFFIX}"))
    return tuple(sorted({path.name.removesuffix(SUFFIX) for path in files} | set(_added())))


def find(profile: str) -> Profile:
    """The profile of that name, else the template at that path.

    Of several with one name that in params/profiles is taken, else ours.

    Raises
        PublishError: there is none, and the message lists those there are; or a package has no template of its name.
    """
    if profile.endswith(SUFFIX):
        path = paths.resolve(profile)
    else:
        folders = (folder for folder in (THEIRS, OURS) if _NAME.fullmatch(profile))
        path = next((p for f in folders if (p := f / f"{profile}{SUFFIX}").is_file()), None)
        if path is None and profile in _added():
            path = _of_package(_added()[profile])
    if path is None or not path.is_file():
        expected = f"one of {', '.join(names())}, a template {THEIRS.name}/NAME{SUFFIX} in params, or a path to one"
        raise PublishError(f"profile {shown(profile)}: no such profile, expected {expected}")
    try:
        return Profile(name_of(profile), opening.content(path, MAX_BYTES).decode("utf-8"), path.name)
    except (OSError, UnicodeDecodeError) as e:
        reason = getattr(e, "strerror", None) or e
        raise PublishError(f"{path}: cannot be read as UTF-8 text: {reason}") from None


def name_of(profile: str) -> str:
    """A profile's name, of a path that of its file.

    Raises
        PublishError: not a slug; it becomes part of a folder's name.
    """
    name = Path(profile).name.removesuffix(SUFFIX)
    if not _NAME.fullmatch(name):
        raise PublishError(f"profile {shown(profile)}: expected a lower-case name such as acme{SUFFIX}")
    return name


@cache
def _added() -> "dict[str, EntryPoint]":
    # Only here: it is slow to load, and most pages do without.
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=GROUP) if _NAME.fullmatch(entry.name)}


def _of_package(entry: "EntryPoint") -> Path:
    """The template that stands beside the module of an entry point."""
    where = f"the profile {entry.name!r} of the package {entry.dist.name}"
    try:
        module = find_spec(entry.module)
    except Exception as e:
        # Whatever the code around that module does wrong.
        raise PublishError(f"{where}: {entry.module!r} cannot be looked for: {e}; mend or remove that package") from e
    if module is None or not module.origin:
        raise PublishError(f"{where}: there is no module {entry.module!r}; mend or remove that package")
    path = Path(module.origin).with_name(f"{entry.name}{SUFFIX}")
    if not path.is_file():
        raise PublishError(f"{where}: {path} is no file; the template belongs there, beside the module")
    return path
