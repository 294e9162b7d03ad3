"""Throughput over days, each configuration beside its own mean, with the days at which it changed."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ycsbook.messages import text
from ycsbook.messages.formats import percent
from ycsbook.plots import style

_MOST_LABELS = 8


def course(axes: Axes, frame: pd.DataFrame, changes: Mapping[str, float], *, title: str = "", lang: str = "en") -> Axes:
    """Draw a thin line for each configuration, a thick one for their mean, and an upright one where it changed.

    Parameters
        frame: `day` (as text), `workload`, `spec`, `threads`, `relative` (> 0; 1: as in the mean of all days).
        changes: by day by how much; -0.1: a tenth was lost. title: the finding. lang: of the words in it.
    """
    days = sorted(set(frame["day"]))
    places = {day: place for place, day in enumerate(days)}
    for _, own in frame.groupby(["workload", "spec", "threads"], dropna=False):
        at = own["day"].map(places)
        axes.plot(at, own["relative"], color=style.STEEL, alpha=0.45, linewidth=0.9, marker="o", markersize=2.4)
    mean = np.exp(np.log(frame["relative"]).groupby(frame["day"]).mean()).reindex(days)
    axes.plot(range(len(days)), mean.to_numpy(), color=style.BLUE, linewidth=2.2, marker="o", markersize=5, zorder=3)
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, 0.9), max(high, 1.1))
    for day, effect in changes.items():
        axes.axvline(places[day] - 0.5, color=style.FLAG, linewidth=1.2, linestyle=(0, (4, 3)))
        axes.annotate(
            f"{effect:+.0%}".replace("-", "−"), (places[day] - 0.5, 1), xycoords=("data", "axes fraction"),
            xytext=(4, -12), textcoords="offset points", color=style.FLAG, fontsize=9,
        )  # fmt: skip
    shown = range(0, len(days), -(-len(days) // _MOST_LABELS))
    # The year stands in the caption's date.
    axes.set_xticks(list(shown), [days[place][5:] for place in shown])
    axes.yaxis.set_major_formatter(lambda value, _: percent(value))
    axes.grid(axis="x", visible=False)
    return style.labelled(axes, title, lang, x="plot-day", y="plot-relative")


def handles(changed: bool, lang: str = "en") -> list[Line2D]:
    """Legend entries of `course`."""
    entries = [
        Line2D([], [], color=style.BLUE, linewidth=2.2, marker="o", label=text("plot-all-together", lang)),
        Line2D([], [], color=style.STEEL, alpha=0.6, linewidth=0.9, marker="o", markersize=2.4,
               label=text("plot-one-cell", lang)),
    ]  # fmt: skip
    if changed:
        entries.append(Line2D([], [], color=style.FLAG, linestyle=(0, (4, 3)), label=text("plot-change", lang)))
    return entries
