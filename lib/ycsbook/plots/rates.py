"""The 99th percentile of latency over the throughput that was asked for."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from ycsbook.messages import text
from ycsbook.plots import style

_COLOURS = (style.BLUE, style.ORANGE, style.GREEN, style.PURPLE, style.OCHRE, style.STEEL)


def curves(axes: Axes, points: pd.DataFrame, *, goal_ms: float | None, title: str = "", lang: str = "en") -> Axes:
    """Draw a dot per run and a line through the medians of each spec and thread count; full speed is hollow.

    Parameters
        points: `name` (of the spec), `threads`, `target_ops_s` (NaN: full speed), `ops` (ops/s), `p99_ms`.
        goal_ms: a line; None: there is no goal. title: the finding. lang: the language of the words in it.
    """
    for (name, threads), here in points.groupby(["name", "threads"], sort=False):
        colour = _colours(points)[name, threads]
        asked, full = here[here["target_ops_s"].notna()], here[here["target_ops_s"].isna()]
        middle = asked.groupby("target_ops_s")[["ops", "p99_ms"]].median()
        axes.plot(middle["ops"], middle["p99_ms"], color=colour, linewidth=1.2, zorder=2)
        axes.plot(asked["ops"], asked["p99_ms"], "o", color=colour, markersize=4.5, zorder=3)
        axes.plot(full["ops"], full["p99_ms"], "s", color=colour, markerfacecolor=style.PAPER, markersize=7, zorder=3)
    if goal_ms is not None:
        axes.axhline(goal_ms, color=style.FLAG, linewidth=1.2, linestyle=(0, (4, 3)), zorder=1)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: style.milliseconds(value * 1000))
    axes.grid(which="minor", axis="y", visible=False)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(lambda value, _: style.ops(value))
    return style.labelled(axes, title, lang, x="plot-throughput", y="plot-p99")


def handles(points: pd.DataFrame, goal_ms: float | None, lang: str = "en") -> list[Line2D]:
    """Legend entries of `curves`."""
    colours = _colours(points)
    entries = [
        Line2D([], [], color=colour, marker="o", label=text("plot-of-threads", lang, name=style.plain(name), threads=n))
        for (name, n), colour in colours.items()
    ]
    hollow = {"color": style.MUTED, "marker": "s", "markerfacecolor": style.PAPER, "linestyle": "none"}
    entries.append(Line2D([], [], **hollow, label=text("plot-full-speed", lang)))
    if goal_ms is not None:
        label = text("plot-goal", lang, ms=goal_ms)
        entries.append(Line2D([], [], color=style.FLAG, linewidth=1.2, linestyle=(0, (4, 3)), label=label))
    return entries


def _colours(points: pd.DataFrame) -> dict[tuple[str, float], str]:
    cells = points[["name", "threads"]].drop_duplicates().itertuples(index=False, name=None)
    return {cell: _COLOURS[i % len(_COLOURS)] for i, cell in enumerate(cells)}
