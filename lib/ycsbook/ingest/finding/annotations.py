"""What a user adds to logs that the logs do not say: in ycsbook.yml beside them, in their names, or by --set.

The later one counts: the file ycsbook.yml of a folder holds for all logs at and below it (the nearest wins, column
by column; its `runs` before what it says of all), then `--pattern`, then `--set`. The file also says which logs are
clients of one run.
"""

import os
import re
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ycsbook.errors import ParamsError, shown
from ycsbook.ingest.files.scan import PACKED, SIDECAR
from ycsbook.ingest.finding.set_columns import NUMBERS, Columns, check_name, completed, merged, value
from ycsbook.secrets import redact

MAX_PATTERN, MAX_RUNS = 500, 10_000
_EXPECTED = "columns such as cores, and runs or clients"
_TOKEN = re.compile(r"\{([^{}/]{0,64})\}|(\*)|([^{}*/]+)")
_WHOLE_DIGITS = r"\d{1,9}"
_DIGITS = rf"{_WHOLE_DIGITS}(?:\.{_WHOLE_DIGITS})?"


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
    runs = {} if runs is None else runs
    columns = _sidecar_columns(content, (), lines, path)
    return Sidecar(columns, list(_runs(runs, lines, path)), list(_clients(grouped, lines, path)))


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


def _sidecar_columns(content: dict, at: tuple, lines: dict[tuple, int], path: Path) -> Columns:
    columns = {}
    for key, raw in content.items():
        # A key that YAML reads as more than text, such as yes, has no line under that name.
        where = f"{path}:{lines.get((*at, key), lines[at])}"
        name = check_name(key, where)
        columns[name] = value(name, raw, where)
    return completed(columns, f"{path}:{lines[at]}")


def _runs(content: object, lines: dict[tuple, int], path: Path) -> Iterable[tuple[str, Columns]]:
    where = f"{path}:{lines.get(('runs',), 1)}"
    if not isinstance(content, dict) or len(content) > MAX_RUNS:
        raise ParamsError(f"{where}: runs: expected file names with their columns, at most {MAX_RUNS:,}")
    for name, columns in content.items():
        where = f"{path}:{lines.get(('runs', name), lines['runs',])}"
        _check_file(name, "runs", where)
        if not isinstance(columns, dict):
            got = redact(shown(columns))
            raise ParamsError(f"{where}: runs: {name}: got {got}, expected columns such as threads: 8")
        yield name, _sidecar_columns(columns, ("runs", name), lines, path)


def _clients(groups: list, lines: dict[tuple, int], path: Path) -> Iterable[tuple[str, ...]]:
    file_names: set[str] = set()
    for i, group in enumerate(groups):
        where = f"{path}:{lines['clients', i]}"
        if not isinstance(group, list) or len(group) < 2:
            got = redact(shown(group))
            raise ParamsError(f"{where}: clients: got {got}, expected the files of two clients or more")
        for name in group:
            if "/" in _check_file(name, "clients", where):
                raise ParamsError(f"{where}: clients: got {shown(name)}, expected files of this folder")
            if name in file_names:
                raise ParamsError(f"{where}: clients: {shown(name)} stands twice")
            file_names.add(name)
        yield tuple(group)


def _check_file(name: object, key: str, where: str) -> str:
    if isinstance(name, str) and name.isprintable() and not {"", ".", ".."} & set(name.split("/")):
        return name
    raise ParamsError(f"{where}: {key}: got {redact(shown(name))}, expected a file name in or below this folder")


def _fits(glob: str, path: str) -> bool:
    """Whether a path matches a glob; one without a slash matches file names in any folder."""
    glob_parts, parts = glob.split("/"), path.split("/")
    if len(glob_parts) == 1:
        return fnmatchcase(parts[-1], glob)
    return len(glob_parts) == len(parts) and all(fnmatchcase(p, w) for p, w in zip(parts, glob_parts, strict=True))


class PathPattern:
    """A pattern for the last parts of a path: literal text, `{column}` fields, and `*` or `{}` for anything.

    A field stands for at least one character, and never for a `/`.
    """

    def __init__(self, text: str):
        """Raises ParamsError: no pattern, unknown or repeated fields, fields with nothing between them, `..`."""
        self.text = text
        self._where = f"--pattern {shown(redact(text))}"
        if not text or len(text) > MAX_PATTERN or not text.isprintable():
            raise ParamsError(
                f"{self._where}: expected such as '{{spec}}/{{threads}}/run.log', {MAX_PATTERN} characters"
            )
        parts = text.removeprefix("./").split("/")
        if any(part in ("", ".", "..") for part in parts):
            raise ParamsError(f"{self._where}: expected names between single slashes: the end of a path, no . or ..")
        self._names: list[str] = []
        self._n_parts = len(parts)
        self._pattern = re.compile("/".join(map(self._of_part, parts)), re.ASCII)

    def columns(self, path: Path) -> Columns | None:
        """The columns that a path names; None where it does not match the pattern.

        Raises
            ParamsError: what stands at a field is not what its column holds.
        """
        end = "/".join(path.as_posix().split("/")[-self._n_parts :])
        match = self._pattern.fullmatch(end)
        if match is None and path.suffix in PACKED:
            match = self._pattern.fullmatch(end.removesuffix(path.suffix))
        if match is None:
            return None
        where = f"{path}: {self._where}"
        return completed({name: value(name, text, where) for name, text in match.groupdict().items()}, where)

    def _of_part(self, part: str) -> str:
        """One name's pattern as a regular expression: numbers as long, text as short as possible.

        What may be any text is looked for once with all that follows up to the next such field, and never again: as
        in a glob, the first place is as good as any, and hostile names cost no more than their length squared.
        """
        pieces = [""]
        position, after_field = 0, False
        while match := _TOKEN.match(part, position):
            is_field = match[3] is None
            if is_field and after_field:
                raise ParamsError(
                    f"{self._where}: in {shown(part)} nothing says where one field ends and the next begins"
                )
            name = (match[1] or "").strip()
            name = name and check_name(name, self._where, "; * matches anything")
            if name in self._names:
                raise ParamsError(f"{self._where}: {{{name}}} stands twice")
            self._names += [name] if name else []
            if not is_field:
                pieces[-1] += re.escape(match[3])
            elif name in NUMBERS:
                pieces[-1] += f"(?P<{name}>{_WHOLE_DIGITS if NUMBERS[name].whole else _DIGITS})"
            else:
                pieces.append(f"(?P<{name}>[^/]+?)" if name else "[^/]+?")
            position, after_field = match.end(), is_field
        if position < len(part):
            raise ParamsError(f"{self._where}: a brace in {shown(part)} has no partner; fields are such as {{threads}}")
        pieces[-1] += r"(?=/|\Z)"
        return pieces[0] + "".join(f"(?>{piece})" for piece in pieces[1:])


@dataclass
class Annotations:
    """What the user adds to logs. `sets` are the columns of --set, `pattern` is that of --pattern."""

    sets: Columns = field(default_factory=dict)
    pattern: PathPattern | None = None
    # By folder: the sidecars that hold in it, the farthest first, and where in a path their own folder ends.
    _above: dict[str, list[tuple[int, Sidecar]]] = field(default_factory=dict, repr=False)
    _loaded: Callable[[Path], Sidecar | None] = field(default_factory=lambda: cache(load), repr=False, compare=False)

    @classmethod
    def parse(cls, sets: Iterable[str] = (), pattern: str | None = None) -> "Annotations":
        """From the command line's options: `sets` such as `cores=8`, a pattern such as `{spec}/{threads}/run.log`.

        Raises
            ParamsError: no such column, not what it holds, set twice, or a pattern that is none.
        """
        columns: Columns = {}
        for text in sets:
            name, equals, raw = text.partition("=")
            if not equals:
                raise ParamsError(f"--set {shown(redact(text))}: expected column=value such as cores=8")
            name = check_name(name.strip(), "--set")
            if name in columns:
                raise ParamsError(f"--set: {name} is set twice")
            columns[name] = value(name, raw, "--set")
        return cls(completed(columns, "--set"), PathPattern(pattern) if pattern is not None else None)

    @property
    def key(self) -> list:
        return [sorted(self.sets.items()), self.pattern.text if self.pattern else None]

    def columns(self, path: Path) -> Columns:
        """The columns of `runs` that the user sets for a log; a ParamsError of a ycsbook.yml above it."""
        at = os.path.abspath(path)
        sidecars = self._sidecars(os.path.dirname(at))
        layers = [layer for length, sidecar in sidecars for layer in sidecar.layers(at[length:].replace(os.sep, "/"))]
        return merged([*layers, self._named(path)[0], self.sets])

    def remarks(self, path: Path) -> list[str]:
        """What the user should know: that a log is not named as the pattern says, so that nothing was taken from it."""
        return self._named(path)[1]

    def _sidecars(self, folder: str) -> list[tuple[int, Sidecar]]:
        if folder not in self._above:
            path = Path(folder)
            loaded = [(str(at).rstrip(os.sep), self._loaded(at)) for at in (*reversed(path.parents), path)]
            self._above[folder] = [(len(at) + 1, sidecar) for at, sidecar in loaded if sidecar is not None]
        return self._above[folder]

    def _named(self, path: Path) -> tuple[Columns, list[str]]:
        if self.pattern is None:
            return {}, []
        try:
            columns = self.pattern.columns(Path(os.path.abspath(path)))
        except ParamsError as e:
            return {}, [str(e)]
        if columns is None:
            return {}, [f"{path}: is not named as --pattern {shown(self.pattern.text)} says: nothing was taken from it"]
        return columns, []
