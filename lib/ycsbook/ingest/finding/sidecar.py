"""The file ycsbook.yml beside logs: what they do not say, and which of them are clients of one run."""

import os
import stat
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from ycsbook.errors import ParamsError, shown
from ycsbook.ingest.files.scan import PACKED, SIDECAR
from ycsbook.ingest.finding.set_columns import Columns, check_name, completed, value
from ycsbook.secrets import redact

MAX_RUNS = 10_000
_EXPECTED = "columns such as cores, and runs or clients"


class Sidecar(NamedTuple):
    """One ycsbook.yml: columns of all logs, columns by file name or glob, files that are clients of one run."""

    columns: Columns
    runs: list[tuple[str, Columns]]
    clients: list[tuple[str, ...]]

    def layers(self, path: str) -> list[Columns]:
        """What it says of a log, from the general to the particular; `path` counts from its folder."""
        names = [path, *(path.removesuffix(end) for end in PACKED if path.endswith(end))]
        globs = [c for glob, c in self.runs if glob not in names and any(_fits(glob, name) for name in names)]
        return [self.columns, *globs, *(c for glob, c in self.runs if glob in names)]


def load(folder: Path) -> Sidecar | None:
    """The ycsbook.yml of a folder; None where there is none.

    Raises
        ParamsError: it cannot be read, or is not what it should be; names the line.
    """
    path = folder / SIDECAR
    if refusal(path):
        return None
    # Only here: YAML and the schemas of params take longer to load than a small log to read.
    from ycsbook.params import document

    try:
        content, lines = document.read(path, _EXPECTED)
    except ParamsError as e:
        raise ParamsError(redact(str(e))) from None
    runs, groups = content.pop("runs", None), content.get("clients")
    grouped = content.pop("clients") if isinstance(groups, list) else []
    return Sidecar(
        _columns(content, (), lines, path),
        list(_runs({} if runs is None else runs, lines, path)),
        list(_clients(grouped, lines, path)),
    )


def refusal(path: str | os.PathLike) -> str:
    """Why a ycsbook.yml says nothing of the logs below it: anybody may put one into a folder that all may write to."""
    try:
        status, folder = os.lstat(path), os.stat(os.path.dirname(path) or ".")
    except OSError:
        return "is not there"
    if not stat.S_ISREG(status.st_mode):
        return "is a link or no file, so it is not used"
    return "" if status.st_uid in (os.geteuid(), folder.st_uid) else "belongs to another user, so it is not used"


def client_groups(folder: Path) -> list[tuple[str, ...]]:
    """The names of files in a folder that its ycsbook.yml says are clients of one run, group by group.

    Raises
        ParamsError: as load; also a named file is not there.
    """
    sidecar = load(folder)
    groups = sidecar.clients if sidecar else []
    for name in (name for group in groups for name in group):
        if not (folder / name).is_file():
            raise ParamsError(f"{folder / SIDECAR}: clients: there is no file {shown(name)} in this folder")
    return groups


def _columns(content: dict, at: tuple, lines: dict[tuple, int], path: Path) -> Columns:
    columns = {}
    for key, given in content.items():
        # A key that YAML reads as more than text, such as yes, has no line under that name.
        where = f"{path}:{lines.get((*at, key), lines[at])}"
        name = check_name(key, where)
        columns[name] = value(name, given, where)
    return completed(columns, f"{path}:{lines[at]}")


def _runs(content: object, lines: dict[tuple, int], path: Path) -> Iterable[tuple[str, Columns]]:
    where = f"{path}:{lines.get(('runs',), 1)}"
    if not isinstance(content, dict) or len(content) > MAX_RUNS:
        raise ParamsError(f"{where}: runs: expected file names with their columns, at most {MAX_RUNS:,}")
    for name, columns in content.items():
        where = f"{path}:{lines.get(('runs', name), lines['runs',])}"
        _check_file(name, "runs", where)
        if not isinstance(columns, dict):
            raise ParamsError(
                f"{where}: runs: {name}: got {redact(shown(columns))}, expected columns such as threads: 8"
            )
        yield name, _columns(columns, ("runs", name), lines, path)


def _clients(groups: list, lines: dict[tuple, int], path: Path) -> Iterable[tuple[str, ...]]:
    seen: set[str] = set()
    for i, group in enumerate(groups):
        where = f"{path}:{lines['clients', i]}"
        if not isinstance(group, list) or len(group) < 2:
            raise ParamsError(
                f"{where}: clients: got {redact(shown(group))}, expected the files of two clients or more"
            )
        for name in group:
            if "/" in _check_file(name, "clients", where):
                raise ParamsError(f"{where}: clients: got {shown(name)}, expected files of this folder")
            if name in seen:
                raise ParamsError(f"{where}: clients: {shown(name)} stands twice")
            seen.add(name)
        yield tuple(group)


def _check_file(name: object, key: str, where: str) -> str:
    if isinstance(name, str) and name.isprintable() and not {"", ".", ".."} & set(name.split("/")):
        return name
    raise ParamsError(f"{where}: {key}: got {redact(shown(name))}, expected a file name in or below this folder")


def _fits(glob: str, path: str) -> bool:
    """Whether a path is as a glob says; without a slash the file's name is, in whatever folder."""
    wanted, parts = glob.split("/"), path.split("/")
    if len(wanted) == 1:
        return fnmatchcase(parts[-1], glob)
    return len(wanted) == len(parts) and all(fnmatchcase(p, w) for p, w in zip(parts, wanted, strict=True))
