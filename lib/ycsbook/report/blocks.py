"""What a report is made of, free of any format: sections of texts, tables, figures and findings.

Every block shows itself nicely when it ends a notebook cell. All text is data: the renderers (html.py,
markdown.py) escape it, so a spec called `<script>` stays a name.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import pandas as pd
from matplotlib.figure import Figure as Picture

Align = Literal["left", "right"]
Kind = Literal["plain", "lead", "note", "formula", "code"]


class Shown:
    """A block as the value of a notebook cell: HTML, and Markdown as its plain text."""

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        # The renderers import the blocks, so they can only be imported here.
        from ycsbook.report import html, markdown

        return {"text/html": html.fragment(self), "text/plain": markdown.fragment(self)}

    def _repr_html_(self) -> str:
        return self._repr_mimebundle_()["text/html"]

    def _repr_markdown_(self) -> str:
        return self._repr_mimebundle_()["text/plain"]


@dataclass(frozen=True)
class Text(Shown):
    """A paragraph. `lead` opens a report, `note` is smaller, `formula` and `code` keep their characters."""

    text: str
    kind: Kind = "plain"


@dataclass(frozen=True)
class Items(Shown):
    """A bullet list."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Column:
    """A table column: key in the frame, heading, how a value is printed, on which side it stands."""

    key: str
    heading: str
    show: Callable[[object], str] = str
    align: Align = "left"


@dataclass(frozen=True, eq=False)
class Table(Shown):
    """A frame with headings. Rows that agree in the column `group` belong together; `marked` is a bool column
    whose rows stand out."""

    frame: pd.DataFrame
    columns: tuple[Column, ...]
    caption: str = ""
    group: str = ""
    marked: str = ""

    def rows(self) -> list["Row"]:
        """The printed cells, row by row."""
        rows, previous = [], object()
        for record in self.frame.to_dict("records"):
            key = record.get(self.group)
            opens = not self.group or key != previous
            previous = key
            cells = tuple(_printed(column, record[column.key]) for column in self.columns)
            rows.append(Row(cells, opens, bool(self.marked and record[self.marked])))
        return rows


@dataclass(frozen=True)
class Row:
    """Printed cells; whether the row opens a group; whether it stands out."""

    cells: tuple[str, ...]
    opens: bool
    marked: bool


@dataclass(frozen=True, eq=False)
class Panel:
    """One picture of a figure: its file name (a slug) and its alternative text."""

    picture: Picture
    name: str
    alt: str


@dataclass(frozen=True, eq=False)
class Figure(Shown):
    """One or more panels that are read together, their caption and the frame behind them."""

    panels: tuple[Panel, ...]
    caption: str
    frame: pd.DataFrame = field(default_factory=pd.DataFrame)


@dataclass(frozen=True)
class Finding(Shown):
    """One flag: what, how large with its interval, how well supported, what to do next."""

    severity: str
    rule: str
    sentence: str
    effect: str
    evidence: str
    advice: str


@dataclass(frozen=True)
class Findings(Shown):
    """Findings in the order they are to be read."""

    findings: tuple[Finding, ...]


@dataclass(frozen=True, eq=False)
class Section(Shown):
    """A headed part of a report; `anchor` is its slug. Sections may hold sections."""

    title: str
    anchor: str
    blocks: tuple["Block", ...] = ()

    def figures(self) -> list[Figure]:
        """The figures, in order, subsections included."""
        return [f for b in self.blocks for f in ([b] if isinstance(b, Figure) else _inner_figures(b))]


Block = Text | Items | Table | Figure | Finding | Findings | Section


@dataclass(frozen=True, eq=False)
class Report(Shown):
    """A whole report. `facts` are the few labelled values under the title; `fields` go into the front matter."""

    title: str
    slug: str
    lang: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    fields: tuple[tuple[str, str], ...] = ()

    def figures(self) -> list[Figure]:
        """Every figure of the report, in order."""
        return [f for s in self.sections for f in s.figures()]

    def panels(self) -> list[Panel]:
        """Every picture of the report, in order."""
        return [p for f in self.figures() for p in f.panels]

    def section(self, anchor: str) -> Section:
        """The section with that anchor, subsections included.

        Raises
            KeyError: no such section; the message lists those there are.
        """
        known = list(self._walk(self.sections))
        for section in known:
            if section.anchor == anchor:
                return section
        raise KeyError(f"no section {anchor!r}; there are {', '.join(s.anchor for s in known)}")

    def figure(self, name: str) -> Figure:
        """The first figure whose panels are called by that name, such as scaling, threads, latency or timeline.

        Raises
            KeyError: no such figure; the message lists those there are.
        """
        for figure in self.figures():
            if figure.panels[0].name.startswith(name):
                return figure
        raise KeyError(f"no figure {name!r}; there are {', '.join(f.panels[0].name for f in self.figures())}")

    def _walk(self, blocks: tuple) -> list[Section]:
        inner = [b for b in blocks if isinstance(b, Section)]
        return [s for b in inner for s in (b, *self._walk(b.blocks))]


def _inner_figures(block: "Block") -> list[Figure]:
    return block.figures() if isinstance(block, Section) else []


def _printed(column: Column, value: object) -> str:
    return "" if value is None else column.show(value)
