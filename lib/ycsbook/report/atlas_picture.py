"""The atlas at a glance: throughput per core and the lowest read latency of every published table, group by group.

Written as SVG by hand, with text as text and both colour schemes inside: it stands in a page as a file, which no style
of the page reaches, and is compared byte by byte, so that no font and no version of a plotting library may change it.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from ycsbook.plots import style

WIDTH = 860
_NAMES, _ROW, _HEADING, _TOP, _EDGE = 14, 17, 25, 62, 14
# Left end and width of the two panels.
_PANELS = ((190, 330), (570, 230))
_STEPS = (1.0, 2.0, 5.0)
_ROOM = 46  # for the figure beside a point
_COLOURS = {"ink": style.INK, "muted": style.MUTED, "grid": style.GRID, "paper": style.PAPER, "point": style.BLUE}


@dataclass(frozen=True)
class AtlasRow:
    """A table in a group: least and most ops/s per core, and the lowest mean read latency in ms; NaN: not known."""

    name: str
    least_per_core: float
    most_per_core: float
    latency_ms: float


@dataclass(frozen=True)
class AtlasGroup:
    """Tables that may be compared; `is_said`: their pages say all that decides it."""

    heading: str
    is_said: bool
    rows: Sequence[AtlasRow]


def drawn(groups: Sequence[AtlasGroup], without: Sequence[str], text: Callable[..., str], shown: Callable) -> str:
    """The picture as SVG.

    Parameters
        without: names of tables with neither figure.
        text: says a message; shown: prints a number.
    """
    scales = (
        _Scale(_PANELS[0], [v for g in groups for r in g.rows for v in (r.least_per_core, r.most_per_core)]),
        _Scale(_PANELS[1], [r.latency_ms for g in groups for r in g.rows]),
    )
    height = _TOP + sum(_HEADING + _ROW * len(g.rows) for g in groups) + 4 * _ROW + _EDGE
    parts = [_text(_NAMES, 22, text("atlas-picture"), "b")]
    for scale, name in zip(scales, ("atlas-per-core", "atlas-latency"), strict=True):
        parts += [_text(scale.left, 42, text(name), "m"), *_grid(scale, height - 4 * _ROW, shown)]
    y = _TOP
    for group in groups:
        y += _HEADING
        if len(group.rows) > 1:
            parts.append(_band(y - 15, _ROW * len(group.rows) + 19))
        parts.append(_text(_NAMES, y - 3, group.heading, "h"))
        for row in group.rows:
            y += _ROW
            parts += [_text(_NAMES + 8, y - 4, row.name, "n"), *_row(row, y - 8, scales, group.is_said, shown)]
    y += _ROW + 8
    for said, name in ((True, "atlas-picture-said"), (False, "atlas-picture-unsaid")):
        parts += [_point(_NAMES + 5, y - 4, said), _text(_NAMES + 18, y, text(name), "m")]
        y += _ROW
    if without:
        parts.append(_text(_NAMES, y, text("atlas-picture-without", tables=", ".join(without)), "m"))
    title = f"<title>{escape(text('atlas-picture-alt'))}</title>"
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">{title}<style>{_css()}</style>'
    return "\n".join([head, '<rect width="100%" height="100%" class="paper"/>', *parts, "</svg>"]) + "\n"


class _Scale:
    """A logarithmic axis from a panel's left end to its right; its ticks are 1, 2 and 5 of each power of ten."""

    def __init__(self, panel: tuple[int, int], values: Sequence[float]):
        self.left, width = panel
        known = [math.log10(v) for v in values if v > 0] or [0.0]
        self._low, high = min(known) - 0.05, max(known) + 0.05
        self._unit = (width - _ROOM) / (high - self._low)
        powers = range(math.floor(self._low), math.ceil(high) + 1)
        ticks = [step * 10.0**power for power in powers for step in _STEPS]
        self.ticks = [tick for tick in ticks if self._low <= math.log10(tick) <= high]

    def at(self, value: float) -> float:
        return self.left + (math.log10(value) - self._low) * self._unit


def _row(row: AtlasRow, y: float, scales: tuple[_Scale, _Scale], is_said: bool, shown: Callable) -> Iterator[str]:
    per_core, latency = scales
    if row.most_per_core > 0:
        low, high = per_core.at(row.least_per_core), per_core.at(row.most_per_core)
        yield f'<path d="M{low:.1f} {y}H{high:.1f}" class="range"/>'
        yield _point(high, y, is_said) + _text(high + 8, y + 4, shown(row.most_per_core), "v")
    if row.latency_ms > 0:
        x = latency.at(row.latency_ms)
        yield _point(x, y, is_said) + _text(x + 8, y + 4, shown(row.latency_ms), "v")


def _grid(scale: _Scale, bottom: float, shown: Callable) -> Iterator[str]:
    for tick in scale.ticks:
        x = scale.at(tick)
        yield f'<path d="M{x:.1f} {_TOP}V{bottom}" class="grid"/>'
        yield f'<text x="{x:.1f}" y="{_TOP - 4}" class="m" text-anchor="middle">{shown(tick)}</text>'


def _band(y: float, height: float) -> str:
    return f'<rect x="6" y="{y}" width="{WIDTH - 12}" height="{height}" rx="4" class="band"/>'


def _point(x: float, y: float, is_said: bool) -> str:
    return f'<circle cx="{x:.1f}" cy="{y}" r="4" class="{"full" if is_said else "open"}"/>'


def _text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text x="{x:.1f}" y="{y}" class="{kind}">{escape(words)}</text>'


def _css() -> str:
    """The colours as variables, set anew where the reader's scheme is dark."""
    light, dark = (
        ";".join(f"--{name}:{partner[colour]}" for name, colour in _COLOURS.items())
        for partner in ({colour: colour for colour in _COLOURS.values()}, style.DARK)
    )
    return (
        f"svg{{{light}}}@media(prefers-color-scheme:dark){{svg{{{dark}}}}}"
        "text{font:12px system-ui,sans-serif;fill:var(--ink)}.b{font-weight:600;font-size:15px}.h{font-weight:600}"
        ".m,.v{fill:var(--muted);font-size:11px}.paper{fill:var(--paper)}.band{fill:var(--grid);fill-opacity:.35}"
        ".grid{stroke:var(--grid)}.range{stroke:var(--point);stroke-width:2;stroke-opacity:.5}"
        ".full{fill:var(--point)}.open{fill:var(--paper)}.full,.open{stroke:var(--point);stroke-width:1.8}"
    )
