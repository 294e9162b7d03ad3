"""Which server the rows of a vendor's page are of: as their own cells say, a row or a section above them."""

import re
from math import isnan, nan
from pathlib import Path
from typing import NamedTuple

from ycsbook.errors import RunLogError, shown
from ycsbook.ingest.log.shapes import Shape, named, shape, shape_inside, slug, variant, words

MAX_SLUG = 64


class Spec(NamedTuple):
    """A server as a table names it: its slug, its shape."""

    slug: str
    shape: Shape


NO_SPEC = Spec("", Shape("", nan, nan))


class Specs:
    """Walks along with the reader of a page and remembers which spec is in force."""

    def __init__(self, path: str | Path, strict: bool):
        self.path = path
        self.strict = strict
        self.current: Spec | None = None  # of the table's row above
        self.section: tuple[int, Spec] | None = None  # heading level, spec
        self.unknown: int | None = None  # the line of a row above that stands where specs do and is none
        self.variants: dict[str, list[str]] = {}  # of a slug: what its labels say in brackets

    def new_table(self) -> None:
        """Rows of the table before say nothing of this one's."""
        self.current = self.unknown = None

    def heading(self, level: int, text: str, *, ends: bool) -> None:
        """Take a section heading; `ends`: it ends the section above it."""
        if (spec := shape_inside(text)) is not None:
            self.section = (level, self._known(slug(spec.cores, spec.ram_gib), spec))
        elif self.section and level <= self.section[0] and ends:
            self.section = None

    def of_row(self, found: dict[str, tuple[str, float]], line: int) -> Spec:
        """The server of a row, by its own cells where it has any; `found`: cells by the name of their column."""
        parts = [found[name][0] for name in ("cores", "ram_gib") if name in found]
        by_parts = len(parts) == 2 and any(parts)
        if "spec" in found:
            # Markdown has no cell over several rows: those below are left blank.
            cell = found["spec"][0]
            if cell or not self.current:
                self.take(cell, line)
            return self._with_parts(*parts, line) if by_parts and not self.strict else self.current
        if len(parts) == 2 and (by_parts or self.strict or not self.current):
            self.take("c".join(map(_digits, parts)) + "g", line)
            server = self.current
            self.current = server._replace(shape=server.shape._replace(label=" ".join(parts)))
            return self.current
        if self.unknown is not None:
            reason = f"spec: the row above in line {self.unknown} names none, expected cores and RAM such as 2核4G"
            raise RunLogError(self.path, line, reason)
        server = self.current or (self.section[1] if self.section else None)
        if server is None and self.strict:
            raise RunLogError(self.path, line, "no spec above these figures, expected a row or column such as 2核4G")
        return server or NO_SPEC

    def _with_parts(self, cores: str, ram: str, line: int) -> Spec:
        """The spec of a name, with the cores and RAM that columns of their own print."""
        told = shape(f"{_digits(cores)}c{_digits(ram)}g")
        known = self.current.shape
        if told is None or not (isnan(known.cores) or known[1:] == told[1:]):
            raise RunLogError(
                self.path, line, f"cores and RAM: got {shown(cores)} and {shown(ram)}, expected those of {known.label}"
            )
        return self.current._replace(shape=told._replace(label=known.label))

    def take(self, cell: str, line: int) -> None:
        """What the cell names is the spec from here on; rows below one that is not understood have none."""
        self.current, self.unknown = None, line
        found = self.server(cell)
        if found is None:
            raise RunLogError(
                self.path, line, f"spec: got {shown(cell)}, expected cores and RAM such as 2核4G or 8c 64GB"
            )
        self.current, self.unknown = self._known(*found), None

    def server(self, cell: str) -> tuple[str, Shape] | None:
        """The slug and the shape that a cell names; None where it names none."""
        found = shape(cell)
        if found:
            return slug(found.cores, found.ram_gib), found
        return None if self.strict else named(cell)

    def _known(self, name: str, found: Shape) -> Spec:
        """The spec with a slug of its own: dedicated servers are no repeats of shared ones of their shape."""
        found = found._replace(label=found.label.replace("\n", " "))
        said = variant(found.label).casefold()
        others = self.variants.setdefault(name, [])
        if said not in others:
            others.append(said)
        at = others.index(said)
        return Spec(f"{name}-{words(said) or at + 1}"[:MAX_SLUG] if at else name, found)


def _digits(cell: str) -> str:
    """The number of a cell that may repeat its heading's unit."""
    match = _AMOUNT.fullmatch(cell)
    return match[1] if match else cell


_AMOUNT = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)\s*(?:核|cores?|vcpus?|c|gib|gi|gb|g)?", re.IGNORECASE | re.ASCII)
