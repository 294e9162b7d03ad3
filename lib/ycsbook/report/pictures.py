"""A matplotlib figure as bytes: SVG, or PNG where an SVG would be too heavy."""

import io
import re
import string
from functools import lru_cache
from weakref import WeakKeyDictionary

from matplotlib.figure import Figure as Picture

from ycsbook.plots import style

_drawn: WeakKeyDictionary[Picture, str] = WeakKeyDictionary()

MAX_SVG_POINTS = 2_000
_PNG_DPI = 160
# Paths that are compacted once: the pictures of a report have their letters and marks in common.
_KEPT = 1024
_HEX = re.compile(r"#[0-9a-f]{6}\b")
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_PATH = re.compile(r'\bd="([^"]*)"')
_SPACE_BY_LETTER = re.compile(r"\s*([A-Za-z])\s*")
_NUMBER = re.compile(r"-?\d+\.\d+")
_PLACE = re.compile(r'(?:translate\([^)]*\)|\b[xy]="[^"]*")')
_UNUSED_ID = re.compile(r' id="[A-Za-z0-9.]+_\d+"')
_AFTER_MARK, _BETWEEN = re.compile(r"(?<=[a-z0-9%])([:;]) (?=[-a-z0-9#])"), re.compile(r">\s+<")
_HEADER = re.compile(r"^.*?(?=<svg)", re.DOTALL)


def points(picture: Picture) -> int:
    """How many data points the figure draws."""
    lines = sum(len(line.get_xdata()) for axes in picture.axes for line in axes.get_lines())
    return lines + sum(len(c.get_offsets()) for axes in picture.axes for c in axes.collections)


def suffix(picture: Picture) -> str:
    """`svg` up to 2,000 points, `png` above."""
    return "svg" if points(picture) <= MAX_SVG_POINTS else "png"


def svg(picture: Picture) -> str:
    """The figure as SVG text: the same bytes for the same figure, without dates, with text as outlines.

    Drawn once per figure: the page and the file beside it hold the same picture.
    """
    if picture not in _drawn:
        _drawn[picture] = _svg(picture)
    return _drawn[picture]


def _svg(picture: Picture) -> str:
    buffer = io.StringIO()
    with style.theme():
        picture.savefig(buffer, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    # Without the XML declaration and the DTD, whose address some readers would fetch.
    # Nor the comments, which repeat every text.
    text = _COMMENT.sub("", _HEADER.sub("", buffer.getvalue()))
    text = _PATH.sub(lambda path: f'd="{_compact(path[1])}"', text)
    text = _PLACE.sub(lambda place: _NUMBER.sub(_rounded, place[0]), text)
    # In the address that a page holds a picture by, each space takes three bytes.
    text = _BETWEEN.sub("><", _AFTER_MARK.sub(r"\1", _UNUSED_ID.sub("", text)))
    return text.replace("DejaVuSans-Bold-", "B").replace("DejaVuSans-", "D")


def prepare() -> None:
    """Draw once what every picture has, so that whoever draws later finds its fonts loaded."""
    with style.theme():
        picture, axes = style.panel()
        # Vendors name their specs with a Chinese letter.
        style.title(axes, string.ascii_letters + string.digits + (style.cjk_font() and "核"))
        svg(picture)


def png(picture: Picture) -> bytes:
    """The figure as PNG on white."""
    buffer = io.BytesIO()
    with style.theme():
        picture.savefig(buffer, format="png", dpi=_PNG_DPI, facecolor=style.PAPER, metadata={"Software": None})
    return buffer.getvalue()


def on_paper(svg_text: str) -> str:
    """The SVG on a white ground: what a Markdown page needs, whose colours nobody knows."""
    end = svg_text.index(">", svg_text.index("<svg")) + 1
    return f'{svg_text[:end]}\n <rect width="100%" height="100%" fill="{style.PAPER}"/>{svg_text[end:]}'


def dark(svg_text: str) -> str:
    """The SVG in the colours of a dark page."""
    return _HEX.sub(lambda match: style.DARK.get(match[0], match[0]), svg_text)


@lru_cache(_KEPT)
def _compact(path: str) -> str:
    # A hundredth of a point cannot be seen, and its further decimals would be half of the file.
    return _SPACE_BY_LETTER.sub(r"\1", _NUMBER.sub(_rounded, path.strip())).replace(" ", ",").replace("\n", "")


def _rounded(match: re.Match) -> str:
    return f"{float(match[0]):.2f}".rstrip("0").rstrip(".")
