"""What a user adds to logs that the logs do not say: in ycsbook.yml beside them, in their names, or by --set.

The later one counts: the file ycsbook.yml of a folder holds for all logs at and below it (the nearest wins, column
by column; its `runs` before what it says of all), then `--pattern`, then `--set`. The file also says which logs are
clients of one run.
"""

import math
import os
import re
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ycsbook import operations
from ycsbook.errors import ParamsError, shown
from ycsbook.ingest.files.scan import PACKED, SIDECAR
from ycsbook.ingest.log.labels import shape, slug
from ycsbook.secrets import redact

Columns = dict[str, float | str]

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
    """The ycsbook.yml of a folder, if any. Raises ParamsError with the line of what is not what it should be."""
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
    """Files of a folder that its ycsbook.yml calls clients of one run. Raises ParamsError, also for a missing file."""
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

    A field stands for at least one character, and never for a `/`."""

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
        """The columns that a path names; None: it does not match. Raises ParamsError for what no column holds."""
        end = "/".join(path.as_posix().split("/")[-self._n_parts :])
        match = self._pattern.fullmatch(end)
        if match is None and path.suffix in PACKED:
            match = self._pattern.fullmatch(end.removesuffix(path.suffix))
        if match is None:
            return None
        where = f"{path}: {self._where}"
        return completed({name: value(name, text, where) for name, text in match.groupdict().items()}, where)

    def _of_part(self, part: str) -> str:
        """One name's pattern as a regular expression: numbers as long, text as short as possible. What may be any text
        is looked for once with all up to the next such field: hostile names cost no more than their length squared."""
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
        """From the command line: `sets` such as `cores=8`, a pattern such as `{spec}/{threads}/run.log`. Raises
        ParamsError for no such column, what it does not hold, one set twice, or no pattern."""
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


# What may be set, and what each column holds.

MAX_TEXT = 200
_NUMBER = re.compile(r"\d{1,12}(?:\.\d{1,12})?", re.ASCII)
_SPEC_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)


class NumberRange(NamedTuple):
    """Numbers above 0, or from 0 where `zero`, to `most`; whole ones where `whole`."""

    most: float
    whole: bool = False
    zero: bool = False

    @property
    def expected(self) -> str:
        least = "from 0" if self.zero else "from 1" if self.whole else "above 0"
        return f"a {'whole ' if self.whole else ''}number {least} to {self.most:,g}"

    def allows(self, value: float) -> bool:
        is_enough = value >= 0 if self.zero else value > 0
        return is_enough and value <= self.most and (not self.whole or value == int(value))


NUMBERS = {
    "cores": NumberRange(100_000),
    "ram_gib": NumberRange(10_000_000),
    "cache_gib": NumberRange(10_000_000),
    "read_fraction": NumberRange(1, zero=True),
    "records": NumberRange(1e15, whole=True),
    "threads": NumberRange(10_000_000, whole=True),
    "clients": NumberRange(100_000, whole=True),
    "repeat": NumberRange(1_000_000, whole=True),
    "target_ops_s": NumberRange(1e9),
    "rtt_us": NumberRange(1e9, zero=True),
}
_WORDS = {"topology": ("standalone", "replica_set", "sharded"), "phase": ("load", "run")}
_CONCERN = re.compile(r"[A-Za-z0-9_-]{1,40}", re.ASCII)
NAMES = (
    "dataset", "vendor", "server_version", "topology", "spec", "spec_label", "cores", "ram_gib", "cache_gib",
    "workload", "read_fraction", "records", "threads", "clients", "repeat", "phase", "write_concern", "target_ops_s",
    "rtt_us",
)  # fmt: skip


def check_name(name: object, where: str, else_do: str = "") -> str:
    """The name of a column that may be set; a ParamsError for any other, with the nearest one and `else_do`."""
    if isinstance(name, str) and name in NAMES:
        return name
    from difflib import get_close_matches

    near = get_close_matches(str(name)[:64], NAMES, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    choices = f"{hint}There are {', '.join(NAMES)}{else_do}"
    raise ParamsError(f"{where}: {shown(redact(str(name)))} is no column to set; {choices}")


def value(name: str, raw: object, where: str) -> float | str:
    """The checked value of a column, from text or YAML: a number as float, text as it will stand in the table. Raises
    ParamsError for what it does not hold, and for a password."""
    text = str(raw).strip() if isinstance(raw, str | int | float) and not isinstance(raw, bool) else None
    if text is not None and redact(text) != text:
        raise ParamsError(f"{where}: {name}: holds a password, which belongs in no table; leave it out")
    if name in NUMBERS:
        expected = NUMBERS[name].expected
        if NUMBERS[name].allows(number := _number(raw)):
            return number
    elif isinstance(raw, float):
        raise ParamsError(f'{where}: {name}: got the number {raw:g}, expected text; put it in quotes: "{raw}"')
    else:
        words = _WORDS.get(name)
        expected = " or ".join(words) if words else f"text of one line, at most {MAX_TEXT} characters"
        fits = len(text or "") <= MAX_TEXT and (name != "write_concern" or _CONCERN.fullmatch(text or ""))
        if text in words if words else text and fits and text.isprintable():
            return operations.write_concern(text) if name == "write_concern" else text
    raise ParamsError(f"{where}: {name}: got {redact(shown(raw))}, expected {expected}")


def completed(columns: Columns, where: str) -> Columns:
    """The columns with what follows from a spec such as 8核64G: its slug, its label, cores and RAM. Raises ParamsError
    where the spec is no name, or says other cores or RAM than the columns themselves."""
    spec = columns.get("spec")
    if spec is None:
        return columns
    printed = shape(str(spec))
    if printed is None:
        if not _SPEC_NAME.fullmatch(str(spec)):
            expected = "cores and RAM such as 8c64g, or a plain name"
            raise ParamsError(f"{where}: spec: got {shown(spec)}, expected {expected}")
        return columns
    for name, number in (("cores", printed.cores), ("ram_gib", printed.ram_gib)):
        if columns.get(name, number) != number:
            raise ParamsError(f"{where}: {name}: got {columns[name]:g}, but the spec {shown(spec)} says {number:g}")
    spec_slug = slug(printed.cores, printed.ram_gib)
    label = {} if spec == spec_slug or "spec_label" in columns else {"spec_label": str(spec)}
    return {**columns, **label, "spec": spec_slug, "cores": printed.cores, "ram_gib": printed.ram_gib}


def merged(layers: Iterable[Mapping[str, float | str]]) -> Columns:
    """One layer over the other, the last on top. Cores and RAM without a spec of their own name the spec."""
    columns: Columns = {}
    for layer in layers:
        if "spec" in layer:
            columns.pop("spec_label", None)
        elif not layer.keys().isdisjoint(("cores", "ram_gib")) and shape(str(columns.get("spec", ""))):
            # The shape below is overruled in part, so its name and label are no longer true.
            del columns["spec"]
            columns.pop("spec_label", None)
        columns |= layer
    if "spec" not in columns and {"cores", "ram_gib"} <= columns.keys():
        columns["spec"] = slug(float(columns["cores"]), float(columns["ram_gib"]))
    return columns


def _number(raw: object) -> float:
    if isinstance(raw, str):
        return float(raw) if _NUMBER.fullmatch(raw.strip()) else math.nan
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return math.nan
    # An integer of YAML may be too large for a float.
    return float(raw) if abs(raw) < 1e15 else math.nan
