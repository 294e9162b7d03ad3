"""A picture whose points are runs.

Among widgets it is matplotlib's canvas for notebooks (ipympl), with buttons to zoom, pan and save: a point says what it
is when it is pointed at (mplcursors), and a click on it chooses its run. Elsewhere, as in exported pages, it is an SVG.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from html import escape

import numpy as np
from matplotlib.backend_bases import MouseButton, MouseEvent
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ycsbook.plots import style
from ycsbook.report import pictures

_RADIUS, _BESIDE = 6.0, 10.0
_ROOT = re.compile(r"<svg\b")
# Pictures of one page must not share ids: a clip of the one would be looked for in the other, which may be hidden.
_ID = re.compile(r'(\bid="|url\(#|href="#)')
_WORDS = {
    "bbox": {"boxstyle": "round,pad=0.5", "facecolor": style.PAPER, "edgecolor": style.MUTED, "linewidth": 0.7},
    "size": 8.5, "color": style.INK, "multialignment": "left",
}  # fmt: skip


@dataclass(frozen=True)
class Mark:
    """A point of a picture: its run, its place in the units of the axes, and what it says, line by line."""

    run_id: str
    x: float
    y: float
    lines: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class RunPicture:
    """A picture with one axes and its points. `alt` says what it shows."""

    picture: Figure
    marks: tuple[Mark, ...]
    alt: str

    def pin(self, run_ids: Collection[str]) -> None:
        """Ring the points of these runs; the first of them says its words, always."""
        axes, marks = self.picture.axes[0], [mark for mark in self.marks if mark.run_id in run_ids]
        if marks:
            axes.add_line(_points(marks, color=style.INK, fillstyle="none", markeredgewidth=1.4))
            # On the side that has more room.
            at = axes.transAxes.inverted().transform(axes.transData.transform((marks[0].x, marks[0].y)))
            offset = np.where(at < 0.5, _BESIDE, -_BESIDE)
            axes.annotate(
                "\n".join(marks[0].lines), (marks[0].x, marks[0].y), offset, textcoords="offset points",
                ha="left" if at[0] < 0.5 else "right", va="bottom" if at[1] < 0.5 else "top", annotation_clip=True,
                zorder=9, **_WORDS,
            )  # fmt: skip

    def canvas(self, clicked: Callable[[str], None]) -> "Canvas":  # noqa: F821 (its module takes long to load)
        """The picture as a widget; `clicked` is called with the run of a point that is clicked."""
        import mplcursors
        from ipympl.backend_nbagg import Canvas, FigureManager

        canvas = Canvas(self.picture)
        FigureManager(canvas, 0)
        canvas.header_visible = canvas.footer_visible = False
        canvas.toolbar_position = "top"
        self.picture.set_facecolor(style.PAPER)
        # Pointed at and clicked are these, which nobody sees: what is drawn has a shape for each kind of server.
        points = self.picture.axes[0].add_line(_points(self.marks, alpha=0))
        words = {**_WORDS, "family": self.picture.cjk or None}
        cursor = mplcursors.cursor(points, hover=mplcursors.HoverMode.Transient, annotation_kwargs=words)
        cursor.connect("add", lambda chosen: chosen.annotation.set_text("\n".join(self.marks[chosen.index].lines)))

        def on_leave(_event: MouseEvent) -> None:
            for chosen in cursor.selections:
                cursor.remove_selection(chosen)

        def on_click(event: MouseEvent) -> None:
            # While the mouse zooms or pans it chooses nothing.
            is_choosing = event.button == MouseButton.LEFT and not canvas.toolbar.mode
            if is_choosing and (mark := self._at(points, event)):
                clicked(mark.run_id)

        canvas.mpl_connect("figure_leave_event", on_leave)
        canvas.mpl_connect("button_press_event", on_click)
        return canvas

    def svg(self, place: str = "alone") -> str:
        """The picture as SVG on white; `place`: a slug that no other picture of the page has."""
        svg = _ROOT.sub(f'<svg role="img" aria-label="{escape(self.alt)}"', pictures.svg(self.picture), 1)
        return _ID.sub(rf"\g<1>{place}-", pictures.on_paper(svg))

    def _at(self, points: Line2D, event: MouseEvent) -> Mark | None:
        """The nearest of the points that an event is over."""
        is_over, over = points.contains(event)
        if not is_over:
            return None
        pixels = points.axes.transData.transform(points.get_xydata()[over["ind"]])
        return self.marks[over["ind"][np.hypot(*(pixels - (event.x, event.y)).T).argmin()]]

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/html": self.svg(), "text/plain": self.alt}


def _points(marks: Collection[Mark], **options: object) -> Line2D:
    xs, ys = [mark.x for mark in marks], [mark.y for mark in marks]
    # Within reach of the mouse, so wide that a point need not be hit in the middle.
    return Line2D(xs, ys, linestyle="", marker="o", markersize=2 * _RADIUS, pickradius=_RADIUS, zorder=8, **options)
