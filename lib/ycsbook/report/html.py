"""A report as one HTML file: nothing is fetched, and nothing is executed but the page's own small script."""

import base64
import hashlib
from functools import cache, lru_cache
from pathlib import Path
from urllib.parse import quote

import jinja2
from markupsafe import Markup

from ycsbook.report import downloads, pictures, stacking, strings
from ycsbook.report.blocks import Figure, Findings, Items, Panel, Report, Section, Shown, Table, Text
from ycsbook.report.translation import is_english

_KINDS = {Text: "text", Items: "items", Table: "table", Figure: "figure", Findings: "findings", Section: "section"}

SCRIPT = "page.js"
# More rows than this are folded away until they are asked for.
FOLDED = 200

# Characters that may stand as they are in a data URI inside a double-quoted attribute. Spaces may not: a `srcset`
# ends at them.
_UNQUOTED = "/:;=,.()!*+-_~?$@|<>'"
# A report's pictures are shown in a notebook and on the page.
_KEPT = 32


def page(report: Report) -> str:
    """The whole page; every text is escaped, pictures are embedded, and its own policy forbids every script but the
    project's, which is known by its hash."""
    template = _environment().get_template("report.html.j2")
    return template.render(report=report, t=strings.texts(report.lang), policy=_policy())


def _policy() -> Markup:
    digest = base64.b64encode(hashlib.sha256(_source(SCRIPT).encode()).digest()).decode("ascii")
    return Markup(
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def fragment(block: Shown, lang: str = "") -> str:
    """A block, a section or a report without the page around it, for a notebook's output."""
    lang = lang or getattr(block, "lang", "en")
    if isinstance(block, Report):
        block = Section(block.title, block.slug, block.sections)
    template = _environment().get_template("fragment.html.j2")
    return template.render(block=block, t=strings.texts(lang), level=3)


def render(template: str, **values: object) -> str:
    """Another page of the package's templates; every text is escaped."""
    return _environment().get_template(template).render(**values)


def prepare() -> None:
    """Compile all templates, so that whoever renders later does not wait for that."""
    for name in _environment().list_templates(extensions=["j2"]):
        _environment().get_template(name)


@lru_cache(_KEPT)
def svg_uri(svg: str) -> Markup:
    """An SVG as an address that needs no request; a third shorter than in base64."""
    text = " ".join(svg.replace('"', "'").split())
    # Character by character as quote() does it, but only the few that are there: a third of its time. The percent sign
    # goes first. Quotation marks and ampersands are gone then: it needs no further escaping.
    for character in sorted(set(text), key=lambda c: (c != "%", c)):
        text = text.replace(character, quote(character, safe=_UNQUOTED))
    return Markup(f"data:image/svg+xml,{text}")


def png_uri(png: bytes) -> str:
    """A PNG as an address that needs no request."""
    return f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}"


def _kind(block: Shown) -> str:
    return _KINDS.get(type(block), "finding")


def _short(cell: str) -> bool:
    """Whether a cell stays on one line: up to 32 letters, of which a Chinese one is as wide as two."""
    return stacking.letters(cell) <= 32


def _foreign(text: str, lang: str) -> Markup:
    """The attribute that makes a screen reader speak English where the page does not: for what has no translation."""
    return Markup(' lang="en"' if lang != "en" and is_english(text) else "")


def _sources(panel: Panel) -> dict[str, str]:
    """Addresses of the picture on light and dark pages and its width in CSS pixels; `dark` is empty for a PNG."""
    width = round(panel.picture.get_figwidth() * 96)
    height = round(panel.picture.get_figheight() * 96)
    size = {"width": str(width), "height": str(height)}
    if pictures.suffix(panel.picture) == "png":
        return {"light": png_uri(pictures.png(panel.picture)), "dark": "", **size}
    light = pictures.svg(panel.picture)
    return {
        "light": svg_uri(light),
        "dark": svg_uri(pictures.dark(light)),
        **size,
    }


@cache
def _environment() -> jinja2.Environment:
    loader = jinja2.PackageLoader("ycsbook.report", "templates")
    environment = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["kind"] = _kind
    environment.filters["sources"] = _sources
    environment.filters["foreign"] = _foreign
    environment.tests["short"] = _short
    environment.tests["stacked"] = stacking.stacked
    environment.filters["stacking"] = stacking.properties
    environment.filters["css_string"] = stacking.quoted
    environment.filters["data_address"] = downloads.address
    environment.filters["data_name"] = lambda figure: downloads.file_name(figure).rpartition("/")[2]
    environment.globals["folded"] = FOLDED
    # Package files, not data: the only text that is not escaped.
    environment.globals["source"] = lambda name: Markup(_source(name))
    return environment


@cache
def _source(name: str) -> str:
    """A file of the package's templates, as it stands."""
    return (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")
