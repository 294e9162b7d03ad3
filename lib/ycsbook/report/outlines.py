"""Pictures written as SVG, their texts as outlines that are worked out once.

The pictures of a report repeat their texts: numbers at the axes, specs, legends. Matplotlib fits the letters of each
to one another whenever it measures or draws one, which takes longer than all else about it.
"""

from functools import lru_cache
from typing import TextIO

from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.ft2font import FT2Font
from matplotlib.textpath import TextToPath

_POINTS_PER_INCH = 72
# Far more than a report has; a text takes about a kilobyte.
_KEPT = 4096


def draw(picture: Figure, into: TextIO) -> None:
    """Write the figure as SVG, without metadata; texts are outlines where matplotlib's `svg.fonttype` is `path`."""
    width, height = picture.get_size_inches() * _POINTS_PER_INCH
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    renderer = _Renderer(width, height, into, metadata=nothing)
    dpi = picture.dpi
    picture.dpi = _POINTS_PER_INCH
    try:
        picture.draw(renderer)
    finally:
        picture.dpi = dpi
    renderer.finalize()


class _Outlines(TextToPath):
    """The widths and outlines of texts, remembered. There is one of these, which stays."""

    def __init__(self):
        super().__init__()
        self._placed: dict[tuple, tuple] = {}

    @lru_cache(_KEPT)  # noqa: B019
    def get_text_width_height_descent(self, s: str, prop: FontProperties, ismath: object) -> tuple:
        return super().get_text_width_height_descent(s, prop, ismath)

    def get_glyphs_with_font(
        self, font: FT2Font, s: str, glyph_map: dict | None = None, return_new_glyphs_only: bool = False,
        *, features: object = None, language: object = None,
    ) -> tuple[list, dict, list]:  # fmt: skip
        # By the name of the font, which a fork loads again; which others a text needs follows from its letters.
        key = (font.fname, s, str(features), str(language))
        if key not in self._placed:
            if len(self._placed) == _KEPT:
                self._placed.clear()
            self._placed[key] = super().get_glyphs_with_font(font, s, features=features, language=language)
        placed, outlines, boxes = self._placed[key]
        known = {} if glyph_map is None else glyph_map
        new = {name: outline for name, outline in outlines.items() if name not in known}
        return placed, new if return_new_glyphs_only else known | new, boxes


_OUTLINES = _Outlines()


class _Renderer(RendererSVG):
    """Matplotlib's own, which is told what else it would work out for every text. Should a later matplotlib have other
    names for these two, the pictures stay the same and take longer."""

    def __init__(self, *args: object, **options: object):
        super().__init__(*args, **options)
        self._text2path = _OUTLINES

    def _get_font_height_metrics(self, prop: FontProperties) -> tuple[float, float, float]:
        return _heights(prop.copy())


@lru_cache(_KEPT)
def _heights(prop: FontProperties) -> tuple[float, float, float]:
    """How far a font's letters reach above and below their line, and the gap between two lines, in points."""
    font = get_font(findfont(prop))
    table = font.get_sfnt_table("OS/2")
    scale = 1 / font.get_sfnt_table("head")["unitsPerEm"] * prop.get_size_in_points()
    return table["sTypoAscender"] * scale, -table["sTypoDescender"] * scale, table["sTypoLineGap"] * scale
