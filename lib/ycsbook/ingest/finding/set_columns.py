"""Columns of `runs` that a user may set, and what each of them holds."""

import math
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ycsbook import operations
from ycsbook.errors import ParamsError, shown
from ycsbook.ingest.log.labels import shape, slug
from ycsbook.secrets import redact

Columns = dict[str, float | str]

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
    """The name of a column that may be set; a ParamsError for any other, which names the nearest one and ends with
    what else can be done there."""
    if isinstance(name, str) and name in NAMES:
        return name
    from difflib import get_close_matches

    near = get_close_matches(str(name)[:64], NAMES, n=1)
    hint = f"did you mean {near[0]}? " if near else ""
    choices = f"{hint}There are {', '.join(NAMES)}{else_do}"
    raise ParamsError(f"{where}: {shown(redact(str(name)))} is no column to set; {choices}")


def value(name: str, raw: object, where: str) -> float | str:
    """The checked value of a column, from text or YAML: a number as float, text as it will stand in the table.

    Raises
        ParamsError: it is not what the column holds, or holds a password.
    """
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
