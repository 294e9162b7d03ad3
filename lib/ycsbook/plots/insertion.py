"""Inserts over time, with the server's checkpoints and the seconds that were slow."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ycsbook.messages import text
from ycsbook.plots import style

# Beyond so many the line says enough, and dots would be most of a page.
MAX_DOTS = 120


def over_time(
    axes: Axes,
    frame: pd.DataFrame,
    *,
    checkpoints: Sequence[tuple[float, float]] = (),
    stalls: Sequence[tuple[float, float]] = (),
    title: str = "",
    lang: str = "en",
) -> Axes:
    """Draw the documents inserted per second of one run, checkpoints shaded, slow seconds ringed and stalls marked.

    Parameters
        frame: `elapsed_s`, `ips` (documents/s), `slow` (bool), in order of time.
        checkpoints, stalls: from and to, s.
        title: the finding. lang: the language of the words in it.
    """
    for start, end in checkpoints:
        # At least as wide as can be seen.
        axes.axvspan(start, max(end, start + frame["elapsed_s"].max() / 200), color=style.STEEL, alpha=0.3, linewidth=0)
    for start, end in stalls:
        axes.axvspan(start, end, color=style.FLAG, alpha=0.25, linewidth=0)
    marker = "o" if len(frame) <= MAX_DOTS else None
    axes.plot(frame["elapsed_s"], frame["ips"], color=style.BLUE, linewidth=1.2, marker=marker, markersize=2.6)
    slow = frame[frame["slow"]]
    axes.plot(slow["elapsed_s"], slow["ips"], "o", color=style.FLAG, fillstyle="none", markersize=7)
    axes.set_xlim(0, frame["elapsed_s"].max() * 1.02)
    style.ops_ticks(axes)
    return style.labelled(axes, title, lang, x="plot-time", y="plot-inserts")


def handles(*, checkpoints: bool, slow: bool, stalls: bool, lang: str = "en") -> list[Line2D | Patch]:
    """Legend entries of `over_time`, for what is there."""
    shown = [Line2D([], [], color=style.BLUE, linewidth=1.2, label=text("plot-inserted", lang))]
    if checkpoints:
        shown.append(Patch(facecolor=style.STEEL, alpha=0.3, label=text("plot-checkpoint", lang)))
    if slow:
        ring = {"color": style.FLAG, "marker": "o", "fillstyle": "none", "linestyle": "none"}
        shown.append(Line2D([], [], **ring, label=text("plot-slow-second", lang)))
    if stalls:
        shown.append(Patch(facecolor=style.FLAG, alpha=0.25, label=text("plot-stalled", lang)))
    return shown
