"""A server's shape as people write it: 8c64g, 8核64G, 8 vCPU / 64 GiB, 1 core, 2 GB (general-purpose)."""

import re
from math import nan
from typing import NamedTuple


class SpecShape(NamedTuple):
    """Cores and RAM of a server, and how they were spelled. NaN where a name says neither."""

    label: str
    cores: float
    ram_gib: float


_NUMBER = r"\d{1,5}(?:\.\d{1,3})?"
_CORES = rf"(?<![\d.])(?P<cores>{_NUMBER})[\s-]{{0,3}}(?:核心?|vcpus?|cpus?|vcores?|cores?|c%s)(?:\s{{0,2}}cpus?)?"
_RAM = r"(?P<ram>\d{1,6}(?:\.\d{1,3})?)[\s-]{0,3}(?:gib|gi|gb|g)"
_SHAPE = rf"{_CORES}[\s,，/+x*|_-]{{0,5}}{_RAM}"
_BRACKET = r"[\s]{0,3}[(\[（【](?P<variant>[^()\[\]（）【】]{1,60})[)\]）】]"
# In a heading, U counts the height of a server in a rack.
_WHOLE = re.compile(
    rf"(?:.{{0,80}}?(?:规格|spec)\s*:?\s*)?"
    rf"(?P<label>{_SHAPE % '|u'}(?:\s{{0,2}}(?:内存|memory|ram))?(?:{_BRACKET})?)",
    re.IGNORECASE | re.ASCII,
)
_INSIDE = re.compile(rf"(?<![a-z0-9.-])(?P<label>{_SHAPE % ''})(?![a-z0-9])", re.IGNORECASE | re.ASCII)
# A name has something that words do not: a digit or a mark. Only sizes such as 2xlarge begin with digits.
_NAME = re.compile(
    rf"(?P<name>(?:[A-Za-z]|\d{{1,2}}xlarge)[A-Za-z0-9._-]{{0,63}}(?: [A-Za-z0-9._-]{{1,30}}){{0,3}})(?:{_BRACKET})?",
    re.ASCII,
)
_MARKED = re.compile(r"[\d._-]", re.ASCII)
_VARIANT = re.compile(rf".{{0,200}}?{_BRACKET}", re.ASCII)


def shape(text: str) -> SpecShape | None:
    """The shape that a text is, whatever precedes the word spec (or 规格); None where it is none.

    What follows in brackets, such as (dedicated), stays in the label.

    Examples
        >>> shape("8核64G"), shape("MongoDB spec: 4 vCPU, 16 GiB").cores, shape("2核")
        (SpecShape(label='8核64G', cores=8.0, ram_gib=64.0), 4.0, None)
    """
    return _shape(_WHOLE.fullmatch(text))


def shape_inside(text: str) -> SpecShape | None:
    """The one shape that a heading names; None where it names none or several.

    Examples
        >>> shape_inside("### 2核4G, 95:5").ram_gib, shape_inside("from 2c4g to 4c8g")
        (4.0, None)
    """
    shapes = [_shape(match) for match in _INSIDE.finditer(text)]
    return shapes[0] if len(shapes) == 1 else None


def slug(cores: float, ram_gib: float) -> str:
    """A spec's name, such as 8c64g.

    Examples
        >>> slug(8, 64), slug(0.5, 1)
        ('8c64g', '0.5c1g')
    """
    return f"{cores:g}c{ram_gib:g}g"


def named(text: str) -> tuple[str, SpecShape] | None:
    """The slug and shape of an instance type's name; cores and RAM as far as brackets say them. None: no such name.

    Words alone are no names, because a table's last row may be headed by any.

    Examples
        >>> named("mongo.x8.large"), named("M30 (2C8G)")[1].cores, named("Speedup"), named("2000000")
        (('mongo.x8.large', SpecShape(label='mongo.x8.large', cores=nan, ram_gib=nan)), 2.0, None, None)
    """
    match = _NAME.fullmatch(text)
    if not match or not _MARKED.search(match["name"]):
        return None
    inside = shape_inside(match["variant"] or "") or SpecShape("", nan, nan)
    return words(match["name"]), inside._replace(label=text)


def variant(label: str) -> str:
    """What a label says in brackets at its end; empty: nothing.

    Examples
        >>> variant("8核64GB(独享型)"), variant("2c4g")
        ('独享型', '')
    """
    match = _VARIANT.fullmatch(label)
    return match["variant"].strip() if match else ""


def words(text: str) -> str:
    """The Latin letters and digits of a text as a slug, at most 64 characters; empty where there are none."""
    return re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-._")[:64]


def _shape(match: re.Match | None) -> SpecShape | None:
    if match is None or float(match["cores"]) == 0 or float(match["ram"]) == 0:
        return None
    return SpecShape(match["label"], float(match["cores"]), float(match["ram"]))
