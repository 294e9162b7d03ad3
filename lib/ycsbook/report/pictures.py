"""A matplotlib figure as bytes: SVG, or PNG where an SVG would be too heavy."""

import io
import re
import string
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

from matplotlib.figure import Figure as Picture

from ycsbook.plots import style

_drawn: WeakKeyDictionary[Picture, str] = WeakKeyDictionary()

MAX_SVG_POINTS = 2_000
_PNG_DPI = 160
# Paths that are compacted once: the pictures of a report have their letters and marks in common.
_KEPT = 1024
_HEX = re.compile(r"#[0-9a-f]{6}\b")
# A letter's place in its text, in hundredths of the letters' size.
_LETTER = re.compile(r'(?<=" transform="translate\()\d+\.\d+(?= 0\)"/>)')
_DEFINITIONS = re.compile(r"<defs>(.*?)</defs>", re.DOTALL)
_DEFINED = re.compile(r"<path\b[^>]*/>|<(clipPath|pattern)\b.*?</\1>", re.DOTALL)
_ROOT = re.compile(r'<svg\b[^>]*viewBox="([^"]*)"[^>]*>(.*)</svg>', re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_PATH = re.compile(r'\bd="([^"]*)"')
_SPACE_BY_LETTER = re.compile(r"\s*([A-Za-z])\s*")
_NUMBER = re.compile(r"-?\d+\.\d+")
_PLACE = re.compile(r'(?:translate\([^)]*\)|\b[xy]="[^"]*")')
_UNUSED_ID = re.compile(r' id="[A-Za-z0-9.]+_\d+"')
_AFTER_MARK, _BETWEEN = re.compile(r"(?<=[a-z0-9%])([:;]) (?=[-a-z0-9#])"), re.compile(r">\s+<")
_HEADER = re.compile(r"^.*?(?=<svg)", re.DOTALL)


def suffix(picture: Picture) -> str:
    """`svg` up to 2,000 data points, `png` above."""
    lines = sum(len(line.get_xdata()) for axes in picture.axes for line in axes.get_lines())
    points = lines + sum(len(c.get_offsets()) for axes in picture.axes for c in axes.collections)
    return "svg" if points <= MAX_SVG_POINTS else "png"


def svg(picture: Picture) -> str:
    """The figure as SVG text: the same bytes for the same figure, without dates, with text as outlines. Drawn once: the
    page and the file beside it hold the same picture."""
    if picture in _drawn:
        return _drawn[picture]
    buffer = io.StringIO()
    with style.theme():
        picture.savefig(buffer, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    # Without the XML declaration, the DTD, whose address some would fetch, and comments, which repeat every text.
    text = _COMMENT.sub("", _HEADER.sub("", buffer.getvalue()))
    text = _PATH.sub(lambda path: f'd="{_compact(path[1])}"', text)
    text = _LETTER.sub(lambda place: f"{float(place[0]):.0f}", text)
    text = _PLACE.sub(lambda place: _NUMBER.sub(_rounded, place[0]), text)
    # In the address that a page holds a picture by, each space takes three bytes.
    text = _BETWEEN.sub("><", _AFTER_MARK.sub(r"\1", _UNUSED_ID.sub("", text)))
    _drawn[picture] = text.replace("DejaVuSans-Bold-", "B").replace("DejaVuSans-", "D")
    return _drawn[picture]


def prepare() -> None:
    """Draw once what every picture has, so that whoever draws later finds its fonts loaded."""
    with style.theme():
        picture, axes = style.panel()
        # Vendors name their specs with a Chinese letter.
        style.title(axes, string.ascii_letters + string.digits + (style.cjk_font() and "核"))
        svg(picture)


def png(picture: Picture) -> bytes:
    buffer = io.BytesIO()
    with style.theme():
        picture.savefig(buffer, format="png", dpi=_PNG_DPI, facecolor=style.PAPER, metadata={"Software": None})
    return buffer.getvalue()


def on_paper(svg_text: str) -> str:
    """The SVG on a white ground: what a Markdown page needs, whose colours nobody knows."""
    end = svg_text.index(">", svg_text.index("<svg")) + 1
    return f'{svg_text[:end]}\n <rect width="100%" height="100%" fill="{style.PAPER}"/>{svg_text[end:]}'


def coloured(svg_text: str) -> str:
    """The SVG with its colours as variables of the page, which a dark page sets as dark_variables says."""
    return _HEX.sub(lambda m: f"var({_variable(m[0])},{m[0]})" if m[0] in style.DARK else m[0], svg_text)


def dark_variables() -> str:
    return ";".join(f"{_variable(light)}:{dark}" for light, dark in style.DARK.items())


def _variable(colour: str) -> str:
    return f"--yb-{list(style.DARK).index(colour)}"


class Inline(NamedTuple):
    """A picture within a page: its viewBox and its content, without the letters, marks and clips that it names."""

    view_box: str
    content: str


def inlined(svg_texts: Iterable[str]) -> tuple[list[Inline], str]:
    """Pictures for one page, and the definitions that they have in common, each once.

    matplotlib calls equal definitions by the same id, and no others: ids are hashes of what they stand for.
    """
    definitions: dict[str, None] = {}
    drawn = []
    for text in svg_texts:
        view_box, content = _ROOT.fullmatch(coloured(text).replace("xlink:href", "href").strip()).groups()
        for group in _DEFINITIONS.findall(content):
            definitions |= dict.fromkeys(match[0] for match in _DEFINED.finditer(group))
        drawn.append(Inline(view_box, _DEFINITIONS.sub("", content)))
    return drawn, "".join(definitions)


@lru_cache(_KEPT)
def _compact(path: str) -> str:
    # A hundredth of a point cannot be seen, and its further decimals would be half of the file.
    return _SPACE_BY_LETTER.sub(r"\1", _NUMBER.sub(_rounded, path.strip())).replace(" ", ",").replace("\n", "")


def _rounded(match: re.Match) -> str:
    return f"{float(match[0]):.2f}".rstrip("0").rstrip(".")
