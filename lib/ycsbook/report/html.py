"""A report as one HTML file: nothing is fetched, and nothing is executed but the page's own small script."""

import base64
import hashlib
import re
from functools import cache, partial
from pathlib import Path
from urllib.parse import quote

import jinja2
from markupsafe import Markup

from ycsbook import messages
from ycsbook.report import pictures
from ycsbook.report.blocks import Figure, Panel, Report, Section, Shown, Table, letters

# More rows than this are folded away until they are asked for.
FOLDED = 200

# What may stand as it is in a data URI in double quotation marks; spaces may not: a `srcset` ends at them.
_UNQUOTED = "/:;=,.()!*+-_~?$@|<>'"
# A longer file of data only stands beside the page: within it the reader would pay for it with every look.
MAX_EMBEDDED = 100_000
# Tables on a phone: wide ones stand row by row, each cell under its column's name (templates/blocks.css). What the
# style sheet needs is said once, in the table's style attribute: a page of a thousand runs has thousands of cells.
# Room on the narrowest usual phone, 360 px wide, in letters of 9 px; a gap between columns is as wide as two.
_ACROSS, _GAP = 36, 2
# Texts break into lines: how wide they are at least, where they are short and where they are longer than _LONG.
_BROKEN, _LONG, _READABLE = 12, 60, 20
# Behind a heading stands a sign for sorting.
_SIGN = 2
# Where figures are wider than this they stand two abreast, and a short text takes the room of one of them, else of two.
_HALF = 11
# The style sheet has a place for the names of so many columns.
MOST_COLUMNS = 14
# English and no other language: words side by side, and no Chinese letter.
_WORDS, _CJK = re.compile(r"[a-z]{2,}[ ,;:]+[a-z]{2,}"), re.compile("[\u3000-\u9fff]")
# In whose pages English is told by its letters.
_CJK_LANGUAGES = ("zh", "ja", "ko")
_ESCAPED = re.compile(r'["\\\x00-\x1f\x7f]')


def page(report: Report) -> str:
    """The whole page: texts escaped, pictures embedded, no script but the project's, which is known by its hash."""
    panels = [panel for panel in report.panels() if pictures.suffix(panel.picture) == "svg"]
    drawn, definitions = pictures.inlined(pictures.svg(panel.picture) for panel in panels)
    return render(
        "report.html.j2", report=report, text=partial(messages.text, lang=report.lang),
        drawn=dict(zip((panel.name for panel in panels), drawn, strict=True)), definitions=Markup(definitions),
        dark=Markup(pictures.dark_variables()),
    )  # fmt: skip


def policy(script: str = "") -> Markup:
    """The Content-Security-Policy of every page: it fetches nothing, sends nothing, and runs this script alone."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    allowed = f"script-src 'sha256-{digest}'; " if script else ""
    return Markup(
        f"default-src 'none'; {allowed}style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def fragment(block: Shown) -> str:
    lang = getattr(block, "lang", "en")
    if isinstance(block, Report):
        block = Section(block.title, block.slug, block.sections)
    return render("fragment.html.j2", block=block, text=partial(messages.text, lang=lang), lang=lang, level=3)


def render(template: str, **values: object) -> str:
    """Another page of the package's templates; every text is escaped."""
    return _environment().get_template(template).render(**values)


def prepare() -> None:
    """Compile all templates, so that whoever renders later does not wait for that."""
    for name in _environment().list_templates(extensions=["j2"]):
        _environment().get_template(name)


def _foreign(text: str, lang: str) -> Markup:
    """The attribute that makes a screen reader speak English where the page does not: for what has no translation."""
    is_english = lang in _CJK_LANGUAGES and _WORDS.search(text) and not _CJK.search(text)
    return Markup(' lang="en"' if is_english else "")


def _source_and_size(panel: Panel) -> Markup:
    """A picture's address and its size in CSS pixels, as attributes. Its colours are those of a light ground: whether a
    notebook is dark only JupyterLab knows, and what the browser prefers says nothing of it."""
    width, height = (round(inches * 96) for inches in panel.picture.get_size_inches())
    if pictures.suffix(panel.picture) == "png":
        address = f"data:image/png;base64,{base64.b64encode(pictures.png(panel.picture)).decode('ascii')}"
    else:
        # A third shorter than in base64. Quotation marks and ampersands are gone then: it needs no further escaping.
        svg = " ".join(pictures.svg(panel.picture).replace('"', "'").split())
        # As quote() does, but only the few characters that are there: a third of its time. The percent sign goes first.
        for character in sorted(set(svg), key=lambda c: (c != "%", c)):
            svg = svg.replace(character, quote(character, safe=_UNQUOTED))
        address = f"data:image/svg+xml,{svg}"
    return Markup(f'src="{address}" width="{width}" height="{height}"')


def _data_address(figure: Figure) -> Markup:
    """Where a page finds a figure's data: in the page itself, or, where they are large, in the file beside it."""
    text = figure.csv
    if len(text) > MAX_EMBEDDED:
        return Markup(figure.data_file)
    # Quotation marks and ampersands are gone after quote(): it needs no further escaping.
    return Markup("data:text/csv;charset=utf-8," + quote(text, safe="/:;,.()!*+-_~@|"))


def stacked(table: Table) -> bool:
    """Whether the table is wider than a phone, so that its rows are shown one below the other there."""
    if not table.rows or len(table.columns) > MOST_COLUMNS:
        return False
    across = 0
    for column, longest in zip(table.columns, _widest(table), strict=True):
        heading = max(map(letters, column.heading.split()), default=0) + _SIGN
        room = longest if column.align == "right" else min(longest, _BROKEN if longest <= _LONG else _READABLE)
        across += _GAP + max(heading, room)
    return across > _ACROSS


def stacking_properties(table: Table) -> str:
    """What the style sheet needs of a stacked table, as the declarations of a style attribute.

    `--room` is how wide its figures are, `--span` how many such rooms a short text takes, `--c1` and so on are the
    headings, which stand before the cells of their columns.
    """
    columns = table.columns
    room = max((n for n, c in zip(_widest(table), columns, strict=True) if c.align == "right"), default=0)
    names = (f"--c{i}:{css_string(column.heading)}" for i, column in enumerate(columns, 1))
    return ";".join([f"--room:{room}ch", f"--span:{1 if room > _HALF else 2}", *names])


def css_string(text: str) -> str:
    """A text as a style sheet's string; whoever puts it into an attribute escapes it for that."""
    return '"' + _ESCAPED.sub(lambda match: f"\\{ord(match[0]):x} ", text) + '"'


def _widest(table: Table) -> list[int]:
    return [max(map(letters, cells)) for cells in zip(*(row.cells for row in table.rows), strict=True)]


@cache
def _environment() -> jinja2.Environment:
    loader = jinja2.PackageLoader("ycsbook.report", "templates")
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "kind": lambda block: type(block).__name__.lower(), "source_and_size": _source_and_size, "foreign": _foreign,
        "stacking": stacking_properties, "css_string": css_string, "data_address": _data_address,
    }  # fmt: skip
    # A short cell stays on one line.
    environment.tests |= {"short": lambda cell: letters(cell) <= 32, "stacked": stacked}
    environment.globals |= {"folded": FOLDED, "source": _source, "policy": policy}
    return environment


@cache
def _source(name: str) -> Markup:
    """A file of the package's templates, unchanged: the only text that is not escaped."""
    return Markup((Path(__file__).parent / "templates" / name).read_text(encoding="utf-8"))
