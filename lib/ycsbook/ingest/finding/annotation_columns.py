"""The columns of the runs table that a user may set for a log, their values, and patterns that find them in paths."""

import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from ycsbook import operations
from ycsbook.errors import ParamsError, shown
from ycsbook.ingest.files.scan import PACKED
from ycsbook.ingest.log.labels import shape, slug
from ycsbook.secrets import redact

Columns = dict[str, float | str]

MAX_TEXT = 200
MAX_PATTERN = 500
_TOKEN = re.compile(r"\{([^{}/]{0,64})\}|(\*)|([^{}*/]+)")
_WHOLE_DIGITS = r"\d{1,9}"
_DIGITS = rf"{_WHOLE_DIGITS}(?:\.{_WHOLE_DIGITS})?"
_NUMBER = re.compile(r"\d{1,12}(?:\.\d{1,12})?", re.ASCII)
_SPEC_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)


class _Number(NamedTuple):
    """Numbers above 0, or from 0 where `zero`, to `most`; whole ones where `whole`."""

    most: float
    whole: bool = False
    zero: bool = False

    @property
    def expected(self) -> str:
        least = "from 0" if self.zero else "from 1" if self.whole else "above 0"
        return f"a {'whole ' if self.whole else ''}number {least} to {self.most:,g}"

    def allows(self, value: float) -> bool:
        is_positive = value >= 0 if self.zero else value > 0
        return is_positive and value <= self.most and (not self.whole or value == int(value))


_NUMBERS = {
    "cores": _Number(100_000),
    "ram_gib": _Number(10_000_000),
    "cache_gib": _Number(10_000_000),
    "read_fraction": _Number(1, zero=True),
    "records": _Number(1e15, whole=True),
    "threads": _Number(10_000_000, whole=True),
    "clients": _Number(100_000, whole=True),
    "repeat": _Number(1_000_000, whole=True),
    "target_ops_s": _Number(1e9),
    "rtt_us": _Number(1e9, zero=True),
}
_WORDS = {"topology": ("standalone", "replica_set", "sharded"), "phase": ("load", "run")}
_CONCERN = re.compile(r"[A-Za-z0-9_-]{1,40}", re.ASCII)
NAMES = (
    "dataset", "vendor", "server_version", "topology", "spec", "spec_label", "cores", "ram_gib", "cache_gib",
    "workload", "read_fraction", "records", "threads", "clients", "repeat", "phase", "write_concern", "target_ops_s",
    "rtt_us",
)  # fmt: skip
NUMBERS = frozenset(_NUMBERS)
WHOLE = frozenset(name for name, kind in _NUMBERS.items() if kind.whole)


def check_name(name: object, where: str) -> str:
    """The name of a column that may be set.

    Raises
        ParamsError: it is none; names the nearest one.
    """
    if isinstance(name, str) and name in NAMES:
        return name
    from difflib import get_close_matches

    near = get_close_matches(str(name)[:64], NAMES, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    raise ParamsError(f"{where}: {shown(redact(str(name)))} is no column to set; {hint}There are {', '.join(NAMES)}")


def value(name: str, given: object, where: str) -> float | str:
    """What is given for a column, checked: a number as float, text as it will stand in the table.

    Parameters
        given: text, or what a YAML file has.
    Raises
        ParamsError: it is not what the column holds, or holds a password.
    """
    text = str(given).strip() if isinstance(given, str | int | float) and not isinstance(given, bool) else None
    if text is not None and redact(text) != text:
        raise ParamsError(f"{where}: {name}: holds a password, which belongs in no table; leave it out")
    if name in NUMBERS:
        expected = _NUMBERS[name].expected
        if _NUMBERS[name].allows(number := _number(given)):
            return number
    elif isinstance(given, float):
        raise ParamsError(f'{where}: {name}: got the number {given:g}, expected text; put it in quotes: "{given}"')
    else:
        words = _WORDS.get(name)
        expected = " or ".join(words) if words else f"text of one line, at most {MAX_TEXT} characters"
        if text in words if words else text and _is_text(name, text):
            return operations.write_concern(text) if name == "write_concern" else text
    raise ParamsError(f"{where}: {name}: got {redact(shown(given))}, expected {expected}")


def _is_text(name: str, text: str) -> bool:
    fits = _CONCERN.fullmatch(text) if name == "write_concern" else len(text) <= MAX_TEXT
    return bool(fits) and text.isprintable()


def completed(columns: Columns, where: str) -> Columns:
    """The columns with what follows from a spec such as 8核64G: its slug, its label, cores and RAM.

    Raises
        ParamsError: the spec is no name, or says other cores or RAM than the columns themselves.
    """
    spec = columns.get("spec")
    if spec is None:
        return columns
    printed = shape(str(spec))
    if printed is None:
        if not _SPEC_NAME.fullmatch(str(spec)):
            raise ParamsError(
                f"{where}: spec: got {shown(spec)}, expected cores and RAM such as 8c64g, or a plain name"
            )
        return columns
    for name, number in (("cores", printed.cores), ("ram_gib", printed.ram_gib)):
        if columns.get(name, number) != number:
            raise ParamsError(f"{where}: {name}: got {columns[name]:g}, but the spec {shown(spec)} says {number:g}")
    own = slug(printed.cores, printed.ram_gib)
    label = {} if spec == own or "spec_label" in columns else {"spec_label": str(spec)}
    return {**columns, **label, "spec": own, "cores": printed.cores, "ram_gib": printed.ram_gib}


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


def _number(given: object) -> float:
    if isinstance(given, str):
        return float(given) if _NUMBER.fullmatch(given.strip()) else math.nan
    if isinstance(given, bool) or not isinstance(given, int | float):
        return math.nan
    # An integer of YAML may be too large for a float.
    return float(given) if abs(given) < 1e15 else math.nan


class PathPattern:
    """A pattern for the last parts of a path: literal text, `{column}` fields, and `*` or `{}` for anything.

    A field stands for at least one character, and never for a `/`.
    """

    def __init__(self, text: str):
        """Read a pattern.

        Raises
            ParamsError: no pattern, unknown or repeated fields, fields with nothing between them, `..`.
        """
        self.text = text
        self._where = f"--pattern {shown(redact(text))}"
        if not text or len(text) > MAX_PATTERN or not text.isprintable():
            raise ParamsError(
                f"{self._where}: expected such as '{{spec}}/{{threads}}/run.log', {MAX_PATTERN} characters"
            )
        parts = text.removeprefix("./").split("/")
        if any(part in ("", ".", "..") for part in parts):
            raise ParamsError(f"{self._where}: expected names between single slashes: the end of a path, no . or ..")
        self._parts = [re.compile(self._pattern(part), re.ASCII) for part in parts]
        names = [name for part in self._parts for name in part.groupindex]
        for name in names:
            if names.count(name) > 1:
                raise self._twice(name)

    def columns(self, path: Path) -> Columns | None:
        """The columns that a path names; None where it is not as the pattern says.

        Raises
            ParamsError: what stands at a field is not what its column holds.
        """
        parts = path.as_posix().split("/")[-len(self._parts) :]
        if len(parts) < len(self._parts):
            return None
        texts = self._match(parts)
        if texts is None and path.suffix in PACKED:
            texts = self._match([*parts[:-1], path.stem])
        if texts is None:
            return None
        where = f"{path}: {self._where}"
        return completed({name: value(name, text, where) for name, text in texts.items()}, where)

    def _match(self, parts: list[str]) -> dict[str, str] | None:
        matches = [pattern.fullmatch(part) for pattern, part in zip(self._parts, parts, strict=True)]
        return {k: v for match in matches for k, v in match.groupdict().items()} if all(matches) else None

    def _pattern(self, part: str) -> str:
        """One name's pattern as a regular expression: numbers as long, text as short as possible.

        What may be any text is looked for once with all that follows up to the next such field, and never again: as
        in a glob, the first place is as good as any, and hostile names cost no more than their length squared.
        """
        pieces = [""]
        position, after_field = 0, False
        names: list[str] = []
        while match := _TOKEN.match(part, position):
            is_field = match[3] is None
            if is_field and after_field:
                raise ParamsError(
                    f"{self._where}: in {shown(part)} nothing says where one field ends and the next begins"
                )
            name = check_name(match[1].strip(), self._where) if (match[1] or "").strip() else ""
            if name in names and name:
                raise self._twice(name)
            names.append(name)
            if not is_field:
                pieces[-1] += re.escape(match[3])
            elif name in NUMBERS:
                pieces[-1] += f"(?P<{name}>{_WHOLE_DIGITS if name in WHOLE else _DIGITS})"
            else:
                pieces.append(f"(?P<{name}>.+?)" if name else ".+?")
            position, after_field = match.end(), is_field
        if position < len(part):
            raise ParamsError(f"{self._where}: a brace in {shown(part)} has no partner; fields are such as {{threads}}")
        pieces[-1] += r"\Z"
        return pieces[0] + "".join(f"(?>{piece})" for piece in pieces[1:])

    def _twice(self, name: str) -> ParamsError:
        return ParamsError(f"{self._where}: {{{name}}} stands twice")
