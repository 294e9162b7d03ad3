"""Pictures of a failover: what was answered in each second, and when members were away."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ycsbook.messages import text
from ycsbook.plots import style

# From below: what stays, what is gone although nobody was told, what was reported as failed.
_PARTS = {"kept": style.BLUE, "lost": style.ORANGE, "failed": style.OCHRE}


def answers(axes: Axes, seconds: pd.DataFrame, events: pd.DataFrame, *, title: str = "", lang: str = "en") -> Axes:
    """Draw a bar for each second of a run: writes that were acknowledged and stayed, that were acknowledged and lost,
    that failed. Grey: a member was away; a line: the others had a new primary.

    Parameters
        seconds: `elapsed_s` (end of the second), `acknowledged`, `lost`, `failed` (writes).
        events: `event`, `role`, `elapsed_s`, as in the table failovers.
        title: the finding. lang: the language of the words in it.
    """
    seconds = seconds.assign(kept=seconds["acknowledged"] - seconds["lost"])
    bottom, at = np.zeros(len(seconds)), seconds["elapsed_s"].to_numpy() - 0.5
    for part, colour in _PARTS.items():
        axes.bar(at, seconds[part].to_numpy(), 0.9, bottom=bottom, color=colour, linewidth=0, zorder=2)
        bottom += seconds[part].to_numpy()
    high = 1.2 * max(bottom.max(initial=0.0), 1.0)
    for role in ("secondary", "primary"):
        mine = events[events["role"] == role].set_index("event")["elapsed_s"]
        if "struck" in mine.index:
            start, end = mine["struck"], mine.get("back", at.max(initial=0.0))
            axes.axvspan(start, end, facecolor=style.GRID, linewidth=0, zorder=0)
            label = style.plain(text("plot-failover-role", lang, role=role))
            axes.text((start + end) / 2, 0.97 * high, label, ha="center", va="top", fontsize=8, color=style.MUTED)
    for elapsed_s in events.loc[events["event"] == "elected", "elapsed_s"]:
        axes.axvline(elapsed_s, color=style.PURPLE, linewidth=1.4, zorder=3)
    axes.set_ylim(0, high)
    style.ops_ticks(axes)
    axes.grid(axis="x", visible=False)
    return style.labelled(axes, title, lang, x="plot-failover-elapsed", y="plot-failover-writes")


def answer_handles(lang: str = "en") -> list[Patch | Line2D]:
    """Legend entries of `answers`."""
    parts = [Patch(color=colour, label=text("plot-failover-part", lang, part=part)) for part, colour in _PARTS.items()]
    away = Patch(color=style.GRID, label=text("plot-failover-part", lang, part="away"))
    elected = Line2D([], [], color=style.PURPLE, linewidth=1.4, label=text("plot-failover-part", lang, part="elected"))
    return [*parts, away, elected]
