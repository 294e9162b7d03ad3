"""Pictures of experiments: dots for operations, bars of two times, latency over the rate that was asked for."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from ycsbook.messages import text
from ycsbook.messages.formats import fixed
from ycsbook.plots import style

_MARKERS = ("o", "s", "^", "D")
_HOLLOW = {"marker": "s", "markerfacecolor": style.PAPER}
_MOST_TICKS = 6


def dots(axes: Axes, cells: pd.DataFrame, *, title: str = "", lang: str = "en") -> Axes:
    """Draw a line per operation, from top to bottom, and on it a dot per server and number of records. `cells`:
    `operation`, `records`, `name` (of the server), `ops` (ops/s, > 0), in the order drawn."""
    operations = list(dict.fromkeys(cells["operation"]))
    colours = _by_name(cells["name"])
    markers = dict(zip(sorted(set(cells["records"])), cycle(_MARKERS), strict=False))
    for (name, records), cells_alike in cells.groupby(["name", "records"], sort=False):
        heights = [operations.index(operation) for operation in cells_alike["operation"]]
        axes.plot(cells_alike["ops"], heights, markers[records], color=colours[name], markersize=6.5, zorder=3)
    style.rows_from_top(axes, operations)
    style.ops_log(axes, "x", cells["ops"].to_numpy())
    sizes = [style.dot(text("plot-records", lang, records=n), marker=marker) for n, marker in markers.items()]
    style.legend(axes.figure, [handle for kind in (_server_handles(cells), sizes) if len(kind) > 1 for handle in kind])
    return style.labelled(axes, title, lang, x="plot-throughput")


def costs(axes: Axes, cells: pd.DataFrame, *, title: str = "", lang: str = "en") -> Axes:
    """Draw CPU time per operation: a line per workload from top to bottom, a dot per server and number of threads.
    `cells`: `workload`, `name` (of the server), `y` (us, > 0), in the order drawn."""
    workloads = list(dict.fromkeys(cells["workload"]))
    for name, colour in _by_name(cells["name"]).items():
        cells_of = cells[cells["name"] == name]
        axes.plot(cells_of["y"], [workloads.index(w) for w in cells_of["workload"]], "o", color=colour, zorder=3)
    style.rows_from_top(axes, workloads)
    style.ops_log(axes, "x", cells["y"].to_numpy())
    ticks = axes.get_xticks()
    if len(ticks) > _MOST_TICKS:
        powers = [tick for tick in ticks if f"{tick:e}".startswith("1.0")]
        axes.set_xticks(powers, [style.ops(tick) for tick in powers])
    style.legend(axes.figure, _server_handles(cells))
    return style.labelled(axes, title, lang, x="plot-server-cpu-us")


def _server_handles(cells: pd.DataFrame) -> list:
    return [style.dot(style.plain(name), colour) for name, colour in _by_name(cells["name"]).items()]


def bars(axes: Axes, figures: pd.DataFrame, *, title: str = "", lang: str = "en") -> Axes:
    """Draw a group of bars per number of records: those of another time hatched, then today's. `figures`: `name` (of
    the bars of one kind), `records`, `ops` (ops/s; NaN: not known), `old` (bool)."""
    sizes, styles = sorted(set(figures["records"])), {}
    for old, group in figures.groupby("old", sort=False):
        # A server of the other time has the colour of today's in its place.
        for name, colour in _by_name(group["name"]).items():
            look = {"facecolor": "none", "hatch": "////"} if old else {"facecolor": colour}
            styles[name] = {**look, "edgecolor": colour, "linewidth": 1.0}
    style.legend(axes.figure, [Patch(label=style.plain(name), **look) for name, look in styles.items()])
    width = 0.8 / len(styles)
    for place, (name, look) in enumerate(styles.items()):
        group = figures[figures["name"] == name].set_index("records")["ops"].reindex(sizes)
        at = np.arange(len(sizes)) - 0.4 + width * (place + 0.5)
        axes.bar(at, group.to_numpy(), width * 0.9, zorder=2, **look)
    style.ops_ticks(axes)
    axes.grid(axis="x", visible=False)
    axes.set_xticks(range(len(sizes)), [fixed(size) for size in sizes])
    return style.labelled(axes, title, lang, x="plot-records-axis", y="plot-throughput")


def lines(
    axes: Axes, figures: pd.DataFrame, then: pd.DataFrame, names: dict[str, str], *, old: str, title: str = "",
    lang: str = "en",
) -> Axes:  # fmt: skip
    """Draw throughput over client threads, a line per operation, and hollow squares for those of another time.
    `figures`, `then`: `operation`, `threads`, `ops` (ops/s); `names`: of the operations, in the order of their
    colours; `old`: what the hollow squares are."""
    colours = _by_name(list(names))
    for operation, colour in colours.items():
        today, past = (table[table["operation"] == operation] for table in (figures, then))
        axes.plot(today["threads"], today["ops"], "o-", color=colour, zorder=3)
        axes.plot(past["threads"], past["ops"], "s", color=colour, markerfacecolor=style.PAPER, markersize=7, zorder=3)
    style.core_ticks(axes, sorted(set(figures["threads"])))
    style.ops_ticks(axes)
    entries = [style.entry(label, color=colours[name], marker="o") for name, label in names.items()]
    style.legend(axes.figure, [*entries, *([] if then.empty else [style.dot(old, **_HOLLOW)])])
    return style.labelled(axes, title, lang, x="plot-threads", y="plot-throughput")


def _by_name(names: Sequence) -> dict[Any, str]:
    return dict(zip(dict.fromkeys(names), cycle(style.CYCLE), strict=False))


def curves(axes: Axes, points: pd.DataFrame, *, goal_ms: float | None, title: str = "", lang: str = "en") -> Axes:
    """Draw a dot per run and a line through the medians of each spec and thread count; full speed is hollow. `points`:
    `name` (of the spec), `threads`, `target_ops_s` (NaN: full speed), `ops` (ops/s), `p99_ms`; `goal_ms`: a line."""
    colours = _by_name(list(points[["name", "threads"]].itertuples(index=False, name=None)))
    entries = [
        style.entry(text("plot-of-threads", lang, name=style.plain(name), threads=n), color=colour, marker="o")
        for (name, n), colour in colours.items()
    ]
    entries.append(style.dot(text("plot-full-speed", lang), **_HOLLOW))
    for (name, threads), series in points.groupby(["name", "threads"], sort=False):
        colour = colours[name, threads]
        limited, full = series[series["target_ops_s"].notna()], series[series["target_ops_s"].isna()]
        middle = limited.groupby("target_ops_s")[["ops", "p99_ms"]].median()
        axes.plot(middle["ops"], middle["p99_ms"], color=colour, linewidth=1.2, zorder=2)
        axes.plot(limited["ops"], limited["p99_ms"], "o", color=colour, markersize=4.5, zorder=3)
        axes.plot(full["ops"], full["p99_ms"], "s", color=colour, markerfacecolor=style.PAPER, markersize=7, zorder=3)
    if goal_ms is not None:
        goal = {"color": style.FLAG, "linewidth": 1.2, "linestyle": (0, (4, 3))}
        axes.axhline(goal_ms, **goal, zorder=1)
        entries.append(style.entry(text("plot-goal", lang, ms=goal_ms), **goal))
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: style.milliseconds(value * 1000))
    axes.grid(which="minor", axis="y", visible=False)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(lambda value, _: style.ops(value))
    style.legend(axes.figure, entries)
    return style.labelled(axes, title, lang, x="plot-throughput", y="plot-p99")
