"""A server's shape as people write it: 8c64g, 8核64G, 8 vCPU / 64 GiB."""

import re
from typing import NamedTuple


class Shape(NamedTuple):
    """Cores and RAM of a server, and how they were spelled."""

    label: str
    cores: float
    ram_gib: float


_CORES = r"(?<![\d.])(?P<cores>\d{1,5}(?:\.\d{1,3})?)[\s-]{0,3}(?:核心?|vcpus?|cpus?|vcores?|cores?|c)"
_RAM = r"(?P<ram>\d{1,6}(?:\.\d{1,3})?)[\s-]{0,3}(?:gib|gi|gb|g)"
_SHAPE = rf"(?P<label>{_CORES}[\s,/+x*_-]{{0,5}}{_RAM})"
_WHOLE = re.compile(rf"(?:.{{0,80}}?(?:规格|spec)\s*:?\s*)?{_SHAPE}", re.IGNORECASE | re.ASCII)
_INSIDE = re.compile(rf"(?<![a-z0-9.-]){_SHAPE}(?![a-z0-9])", re.IGNORECASE | re.ASCII)


def shape(text: str) -> Shape | None:
    """The shape that a text is, whatever precedes the word spec (or 规格); None where it is none.

    Examples
        >>> shape("8核64G"), shape("MongoDB spec: 4 vCPU, 16 GiB").cores, shape("2核")
        (Shape(label='8核64G', cores=8.0, ram_gib=64.0), 4.0, None)
    """
    return _shape(_WHOLE.fullmatch(text))


def shape_inside(text: str) -> Shape | None:
    """The one shape that a heading names; None where it names none or several.

    Examples
        >>> shape_inside("### 2核4G, 95:5").ram_gib, shape_inside("from 2c4g to 4c8g")
        (4.0, None)
    """
    found = [_shape(match) for match in _INSIDE.finditer(text)]
    return found[0] if len(found) == 1 else None


def slug(cores: float, ram_gib: float) -> str:
    """A spec's name, such as 8c64g.

    Examples
        >>> slug(8, 64), slug(0.5, 1)
        ('8c64g', '0.5c1g')
    """
    return f"{cores:g}c{ram_gib:g}g"


def _shape(match: re.Match | None) -> Shape | None:
    if match is None or float(match["cores"]) == 0 or float(match["ram"]) == 0:
        return None
    return Shape(match["label"], float(match["cores"]), float(match["ram"]))
