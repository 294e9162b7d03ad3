"""A figure that arranges itself: margins worked out from its texts, and a Chinese font only where it is needed.

Matplotlib's own layouts draw every picture once more to measure it, which doubles the time; here the widths are
estimated from the letters, generously, so that nothing is cut.
"""

import io
import unicodedata
from collections.abc import Iterable

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text

POINTS_PER_INCH = 72
LINE = 1.18
"""Height of a line of text over its font size."""
TICK_LABEL = 9.0
"""Font size of the numbers at the axes, in points."""
_EDGE = 4.0
_CELL_DPI = 110
# Tick mark and the space to its label, axis label to tick labels: matplotlib's defaults, in points.
_TICK, _LABEL_PAD = 7.0, 4.0
# Bold letters over plain ones.
_BOLD = 1.08
_NARROW = frozenset(" .,:;'!|()[]{}ijlft-–/I")


class Picture(Figure):
    """A figure with one axes whose margins are set when it is drawn. `heading`: the title above the axes;
    `legend_height`: points kept free below them. `cjk`: font families for texts with Chinese letters; every other
    text keeps the first family alone, because matplotlib looks each family up again for each text."""

    heading: Text | None = None
    legend_height: float = 0.0
    cjk: tuple[str, ...] = ()

    def draw(self, renderer: object) -> None:
        if self.cjk:
            for text in self.findobj(Text):
                if is_cjk(text.get_text()):
                    text.set_fontfamily(list(self.cjk))
        for axes in self.axes:
            self._arrange(axes)
        super().draw(renderer)

    @property
    def heading_size(self) -> float:
        """The title's size in points, so that it is no wider than the picture."""
        size, width = self.heading.get_fontsize(), self.get_size_inches()[0] * POINTS_PER_INCH
        return size * min(1.0, (width - 2 * _EDGE) / (_BOLD * width_of(self.heading.get_text(), size)))

    def _repr_png_(self) -> bytes:
        """For a notebook's cell, where nothing else shows figures that pyplot does not know."""
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", dpi=_CELL_DPI, facecolor="white")
        return buffer.getvalue()

    def _arrange(self, axes: Axes) -> None:
        width, height = (inches * POINTS_PER_INCH for inches in self.get_size_inches())
        margin = _EDGE + _TICK + widest(_tick_labels(axes.yaxis), TICK_LABEL) + _label_height(axes.yaxis.label)
        bottom = _EDGE + _TICK + TICK_LABEL * LINE + _label_height(axes.xaxis.label) + self.legend_height
        title = self.heading
        top = _EDGE + (
            _LABEL_PAD * 2 + len(title.get_text().splitlines()) * title.get_fontsize() * LINE if title else 0
        )
        # The last number at the x axis may need something beyond the axes' end.
        half_number = widest(_tick_labels(axes.xaxis)[-1:], TICK_LABEL) / 2
        inner = min([width - margin - _EDGE - half_number, *(_room(axes, text, width - margin) for text in axes.texts)])
        # A picture with very long names keeps half of its width for what it shows.
        inner = max(inner, width / 2)
        margin = min(margin, width - inner - _EDGE)
        axes.set_position(
            (margin / width, bottom / height, inner / width, max(height - bottom - top, height / 4) / height)
        )
        if title:
            # A title that is wider than the axes begins further to the left, at last in smaller letters.
            needed = _BOLD * width_of(title.get_text(), title.get_fontsize())
            title.set_x(min(0.0, max(width - margin - _EDGE - needed, _EDGE - margin) / inner))
            title.set_fontsize(self.heading_size)


def is_cjk(text: str) -> bool:
    return any(ord(letter) >= 0x2E80 for letter in text)


def width_of(text: str, size: float) -> float:
    """About how wide the longest line of a text is, in points, for a font size in points; rather too wide."""
    return size * max((sum(map(_em, line)) for line in text.splitlines()), default=0.0)


def _em(letter: str) -> float:
    if letter in _NARROW:
        return 0.4
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    if letter in "mwMW%@":
        return 1.02
    return 0.78 if letter.isupper() or letter in "+−×<>=" else 0.64


def widest(texts: Iterable[str], size: float) -> float:
    return max((width_of(text, size) for text in texts), default=0.0)


def _tick_labels(axis: Axis) -> list[str]:
    low, high = sorted(axis.get_view_interval())
    return axis.get_major_formatter().format_ticks([at for at in axis.get_majorticklocs() if low <= at <= high])


def _label_height(label: Text) -> float:
    return label.get_fontsize() * LINE + _LABEL_PAD if label.get_text() else 0.0


def _room(axes: Axes, text: Text, width: float) -> float:
    """How wide the axes may be, in points, so that a name beside a point still fits into the width."""
    if not isinstance(text, Annotation) or text.anncoords != "offset points" or text.get_ha() != "left":
        return width
    at = (axes.transData + axes.transAxes.inverted()).transform(text.xy)[0]
    end = text.get_position()[0] + width_of(text.get_text(), text.get_fontsize()) + _EDGE
    return (width - end) / at if at > 0 else width
