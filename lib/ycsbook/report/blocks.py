"""What a report is made of, free of any format: sections of texts, tables, figures and findings.

Every block shows itself nicely when it ends a notebook cell. All text is data: the renderers (html.py,
markdown.py) escape it, so a spec called `<script>` stays a name.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Literal

import pandas as pd
from matplotlib.figure import Figure as Picture

from ycsbook.messages.formats import digits_at_most

Align = Literal["left", "right"]
TextKind = Literal["plain", "lead", "note", "formula", "code"]
# Of a field in a page's front matter.
FieldValue = bool | int | float | str | tuple[str, ...]
# The folder beside a page that holds the data of its figures.
DATA = "data"
# What a spreadsheet takes for a formula when it opens the file, spaces before it or not.
FORMULA = re.compile(r"^\s*[=+\-@|%]|^[\t\r]")


class Shown:
    """A block as the value of a notebook cell: HTML, and Markdown as its plain text."""

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        # Whole: what is missing in the bundle a notebook would ask for once more.
        text = self._repr_markdown_()
        return {"text/html": self._repr_html_(), "text/markdown": text, "text/plain": text}

    # The renderers import the blocks, so they can only be imported here.

    def _repr_html_(self) -> str:
        from ycsbook.report import html

        return html.fragment(self)

    def _repr_markdown_(self) -> str:
        from ycsbook.report import markdown

        return markdown.fragment(self)


@dataclass(frozen=True)
class Text(Shown):
    """A paragraph. `lead` opens a report, `note` is smaller, `formula` and `code` keep their characters."""

    text: str
    kind: TextKind = "plain"


@dataclass(frozen=True)
class Items(Shown):
    """A bullet list: what each item is about, and its text; of several lines each is a bullet below it."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Column:
    """A table column: key in the frame, heading, how a value is printed, on which side it stands. `bar` names the
    frame's column of numbers (>= 0) that a bar beneath the print shows; empty: no bar."""

    key: str
    heading: str
    show: Callable[[object], str] = str
    align: Align = "left"
    bar: str = ""


@dataclass(frozen=True, eq=False)
class Table(Shown):
    """A frame with headings. Rows that agree in the column `group` belong together; `marked` is a bool column whose
    rows stand out."""

    frame: pd.DataFrame
    columns: tuple[Column, ...]
    caption: str = ""
    group: str = ""
    marked: str = ""

    @classmethod
    def of(cls, frame: pd.DataFrame) -> "Table":
        """A frame whole, its columns under their own names; numbers on the right, with four digits at most."""
        numbers = frame.select_dtypes("number").columns
        digits = partial(digits_at_most, digits=4)
        return cls(frame, tuple(Column(c, c, digits, "right") if c in numbers else Column(c, c) for c in frame.columns))

    @cached_property
    def rows(self) -> list["TableRow"]:
        # Once: HTML and Markdown, in the notebook and on the page, hold the same cells.
        def values(name: str) -> list:
            return self.frame[name].tolist() if name else [False] * len(self.frame)

        cells = [["" if v is None else column.show(v) for v in values(column.key)] for column in self.columns]
        groups = values(self.group)
        opens = [not self.group or i == 0 or key != groups[i - 1] for i, key in enumerate(groups)]
        bars = zip(*(_parts(values(column.bar)) for column in self.columns), strict=True)
        marked = map(bool, values(self.marked))
        return [TableRow(*row) for row in zip(zip(*cells, strict=True), opens, marked, bars, strict=True)]


@dataclass(frozen=True)
class TableRow:
    """Printed cells; whether the row opens a group; whether it stands out; how long each cell's bar is, in percent of
    the column's longest (0: none)."""

    cells: tuple[str, ...]
    opens: bool
    marked: bool
    bars: tuple[int, ...]


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

    @cached_property
    def csv(self) -> str:
        """The data behind it, as a CSV file that opens in a spreadsheet. A line of column names, numbers with ten
        digits, missing ones empty, lines that end in LF. A text that a spreadsheet would run as a formula gets an
        apostrophe before it."""
        guarded = self.frame.rename(columns=_guarded)
        for name in guarded.columns:
            if not pd.api.types.is_numeric_dtype(guarded[name]):
                guarded[name] = guarded[name].map(_guarded, na_action="ignore")
        return guarded.to_csv(index=False, float_format="%.10g", lineterminator="\n")

    @property
    def data_name(self) -> str:
        """The file of its data, which its first panel names."""
        return f"{self.panels[0].name}.csv"

    @property
    def data_file(self) -> str:
        """The path of its data from the page."""
        return f"{DATA}/{self.data_name}"


@dataclass(frozen=True)
class Flag:
    """One flag: what, how large with its interval, how well supported, what to do next, and the command for that;
    `alike`: what others of its rule say, to which the same applies."""

    severity: str
    rule: str
    sentence: str
    effect: str
    evidence: str
    advice: str
    command: str = ""
    alike: tuple[str, ...] = ()


@dataclass(frozen=True)
class Findings(Shown):
    """Findings in the order they are to be read; `brief` ones in a line each, without what to do."""

    flags: tuple[Flag, ...]
    brief: bool = False


@dataclass(frozen=True, eq=False)
class Section(Shown):
    """A headed part of a report; `anchor` is its slug. Sections may hold sections. `lang` is that of its texts where it
    stands alone, as in a notebook. A `folded` one shows its title until it is opened, where the format can do that."""

    title: str
    anchor: str
    blocks: tuple["Block", ...] = ()
    lang: str = "en"
    folded: bool = False

    def sections(self) -> list["Section"]:
        inner = [b for b in self.blocks if isinstance(b, Section)]
        return [s for b in inner for s in (b, *b.sections())]

    def figures(self) -> list[Figure]:
        inner = (b.figures() if isinstance(b, Section) else [b] for b in self.blocks)
        return [f for blocks in inner for f in blocks if isinstance(f, Figure)]


Block = Text | Items | Table | Figure | Findings | Section


@dataclass(frozen=True)
class InShort:
    """What a report says first: which spec, threads and rows; then, by what they are about, lines. points: the
    sentences of the verdict, a line each, where it has several."""

    verdict: str
    lines: tuple[tuple[str, str], ...] = ()
    points: tuple[str, ...] = ()

    @property
    def said(self) -> tuple[str, ...]:
        """The lines of the verdict, one for each of its points."""
        return self.points or ((self.verdict,) if self.verdict else ())


@dataclass(frozen=True, eq=False)
class Report(Shown):
    """A whole report. `facts` are the few labelled values under the title; `fields` go into the front matter; `state`
    says how far a sweep under way is; a page that `reloads` loads itself anew until it ends."""

    title: str
    slug: str
    lang: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    fields: tuple[tuple[str, FieldValue], ...] = ()
    in_short: InShort = InShort("")
    state: str = ""
    reloads: bool = False

    def figures(self) -> list[Figure]:
        return [f for s in self.sections for f in s.figures()]

    def panels(self) -> list[Panel]:
        return [p for f in self.figures() for p in f.panels]

    def section(self, anchor: str) -> Section:
        """The section or subsection with that anchor; raises KeyError, with those there are, for none."""
        sections = {s.anchor: s for outer in self.sections for s in (outer, *outer.sections())}
        if anchor not in sections:
            raise KeyError(f"no section {anchor!r}; there are {', '.join(sections)}")
        return sections[anchor]


def _parts(values: list) -> list[int]:
    lengths = [0.0 if math.isnan(value) else float(value) for value in values]
    longest = max(lengths, default=0.0)
    return [round(100 * value / longest) if longest > 0 else 0 for value in lengths]


def _guarded(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def letters(text: str) -> int:
    """The width of a text in Latin letters; a Chinese letter counts as two.

    Examples
        >>> letters("32核256G")
        8
    """
    return len(text) if text.isascii() else sum(1 if c < "\u2e80" else 2 for c in text)
