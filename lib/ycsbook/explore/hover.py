"""A picture whose points say what they are: an SVG with a place to point at over each of them.

The words of a point appear by style sheet alone, so they do in JupyterLab, in its widgets and in exported pages. Among
widgets a click on a point can be told to Python as well: the picture's attribute writes the point's run into a hidden
text widget of its panel (view.WidgetPanel), as if somebody had typed it there.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from matplotlib.figure import Figure

from ycsbook.plots import style
from ycsbook.plots.picture import POINTS_PER_INCH, width_of
from ycsbook.report import pictures

# More than these would make every change of the picture slow; what is beyond is thinned out evenly.
MAX_MARKS = 1_500
_RADIUS, _SIZE, _LINE, _PAD = 6.0, 8.5, 11.5, 5.0
_ROOT = re.compile(r"<svg\b")
# Pictures of one page must not share ids: a clip of the one would be looked for in the other, which may be hidden.
_ID = re.compile(r'(\bid="|url\(#|href="#)')
_CSS = pictures.coloured(
    ".ycsbook-hover{max-width:900px;margin:4px 0}"
    ".ycsbook-hover svg{display:block;width:100%;height:auto;overflow:visible}"
    ".ycsbook-hover .hit{fill:transparent;stroke:none}"
    f".ycsbook-hover .hit:hover,.ycsbook-hover .hit.on{{stroke:{style.INK};stroke-width:1.4}}"
    ".ycsbook-hover[onclick] .hit{cursor:pointer}"
    ".ycsbook-hover .tip{visibility:hidden;pointer-events:none}"
    ".ycsbook-hover .hit:hover+.tip,.ycsbook-hover .tip.on{visibility:visible}"
    f".ycsbook-hover .tip rect{{fill:{style.PAPER};stroke:{style.MUTED};stroke-width:.7}}"
    f".ycsbook-hover .tip text{{fill:{style.INK};font:{_SIZE}px system-ui,sans-serif}}"
    ".ycsbook-hover .tip tspan:first-child{font-weight:600}"
)
_DARK_CSS = f'[data-jp-theme-light="false"] .ycsbook-hover{{{pictures.dark_variables()}}}'
# The same places that say their words; what is no point has no run. Without a panel around it nothing happens.
CLICK = (
    " onclick=\"const run = event.target.dataset.run, panel = run &amp;&amp; this.closest('.ycsbook-panel'), "
    "to = panel &amp;&amp; panel.querySelector('.ycsbook-clicked input'); if (to) { to.value = run; "
    "to.dispatchEvent(new Event('change', { bubbles: true })); }\""
)
"""What makes a picture tell its panel which point was clicked, as an attribute."""


@dataclass(frozen=True)
class Mark:
    """A point of a picture: its run, its place in the units of the axes, and what it says, line by line."""

    run_id: str
    x: float
    y: float
    lines: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Hovered:
    """A picture with one axes and its points; shows itself in a notebook. `alt` says what it shows."""

    picture: Figure
    marks: tuple[Mark, ...]
    alt: str

    def html(self, pinned: Iterable[str] = (), *, clicked: bool = False, place: str = "alone") -> str:
        """The picture as HTML; the points of the `pinned` runs are ringed, and the first of them says its words.
        `clicked`: a click on a point is told to the panel around the picture. `place`: a slug that no other picture
        of the page has."""
        svg = _ROOT.sub(f'<svg role="img" aria-label="{escape(self.alt)}"', pictures.svg(self.picture), 1)
        svg = pictures.coloured(_ID.sub(rf"\g<1>{place}-", svg))
        end = svg.rindex("</svg>")
        on_click = CLICK if clicked else ""
        layer = self._layer(set(pinned))
        return f'<div class="ycsbook-hover"{on_click}><style>{_CSS}{_DARK_CSS}</style>{svg[:end]}{layer}</svg></div>'

    def _layer(self, pinned: set[str]) -> str:
        # Where the points are is known only once the picture is drawn, which `svg` has done.
        marks = thinned(self.marks)
        axes = self.picture.axes[0]
        size = tuple(inches * POINTS_PER_INCH for inches in self.picture.get_size_inches())
        scale = POINTS_PER_INCH / self.picture.dpi
        places = axes.transData.transform([(mark.x, mark.y) for mark in marks]) * scale if marks else ()
        first = next((mark for mark in marks if mark.run_id in pinned), None)
        hits = (
            _hit(mark, (x, size[1] - y), size, ringed=mark.run_id in pinned, has_tip=mark is first)
            for mark, (x, y) in zip(marks, places, strict=True)
        )
        return f"<g>{''.join(hits)}</g>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/html": self.html(), "text/plain": self.alt}


def thinned(marks: tuple[Mark, ...]) -> tuple[Mark, ...]:
    """At most 1,500 of the marks, evenly chosen."""
    if len(marks) <= MAX_MARKS:
        return marks
    return tuple(marks[i * len(marks) // MAX_MARKS] for i in range(MAX_MARKS))


def _hit(mark: Mark, at: tuple[float, float], size: tuple[float, float], *, ringed: bool, has_tip: bool) -> str:
    (x, y), (width, height) = at, size
    wide = max(width_of(line, _SIZE) for line in mark.lines) + 2 * _PAD
    high = _LINE * len(mark.lines) + 2 * _PAD - 2
    # Beside the point, on the side with more room, and never over the edge.
    left = x + _RADIUS + 3 if x + wide + _RADIUS + 3 < width else max(x - wide - _RADIUS - 3, 0)
    top = min(max(y - high / 2, 0), height - high)
    texts = "".join(
        f'<tspan x="{left + _PAD:.1f}" y="{top + _PAD + _LINE * (i + 0.72):.1f}">{escape(line)}</tspan>'
        for i, line in enumerate(mark.lines)
    )
    return (
        f'<circle class="hit{" on" if ringed else ""}" cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS:g}" '
        f'data-run="{escape(mark.run_id)}"/>'
        f'<g class="tip{" on" if has_tip else ""}"><rect x="{left:.1f}" y="{top:.1f}" width="{wide:.1f}" '
        f'height="{high:.1f}" rx="3"/><text>{texts}</text></g>'
    )
