"""A point for each row: throughput against cores, with the line and the band of a law, and how far points lie from it;
several datasets; of a closed loop latency against throughput, its threads' time, and CPU per operation."""

from collections.abc import Mapping, Sequence
from itertools import cycle

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch

from ycsbook import units
from ycsbook.closed_loop import MAX_UTILISATION
from ycsbook.messages import text
from ycsbook.messages.formats import number
from ycsbook.plots import style
from ycsbook.trust import DOUBTFUL
from ycsbook.verdicts import Outcome

# How far beyond the largest measured core count the axis reaches.
_BEYOND = 1.5
_PROPORTIONAL = {"color": style.MUTED, "linewidth": 0.9, "linestyle": (0, (1, 2))}
# What the best thread count brings lies below the lines, and wider.
_BEST = {"color": style.MUTED, "linewidth": 6, "alpha": 0.22, "solid_capstyle": "round"}
# So many lines have room for their names, which stand so far apart (share of the axis).
_NAMED_LINES = 4
_NAMES_APART = 0.07
# So high a name stands at most, in parts of the axes, or it would touch the title.
_HIGHEST_NAME = 0.93
_CEILING = {"linewidth": 0.9, "linestyle": (0, (5, 3))}
# Kinds of lines, of which each dataset of a picture has one.
_DASHES = ("-", (0, (4, 2)), (0, (1, 1.2)), (0, (6, 2, 1, 2)))
_CLOSED_LOOP = {"linewidth": 1.0, "linestyle": (0, (4, 2)), "zorder": 1}
_LIMIT = {"color": style.INK, "linewidth": 1.1, "zorder": 1}
_ARROW = {"arrowstyle": "-|>", "mutation_scale": 7, "shrinkA": 3, "shrinkB": 3, "linewidth": 0.8, "color": style.MUTED,
          "zorder": 2}  # fmt: skip


def facet(
    axes: Axes,
    points: pd.DataFrame,
    curves: pd.DataFrame | None = None,
    *,
    flagged: dict[str, int] | None = None,
    ceilings: Mapping[float, float] | None = None,
    per_core: bool = False,
    beside: Sequence[float] = (),
    law: str = "",
    title: str = "",
    lang: str = "en",
) -> Axes:
    """Draw one workload's throughput over cores, both on log scales, with the measured core counts as ticks; a dotted
    line shows proportional growth.

    Parameters
        points: one row per run, repeats kept: `cores`, `ram_gib`, `threads`, `outcome`, `run_id`, `spec`, `spec_label`
            and `y` (ops/s). Published rows beside measured ones are faint. With a column `grade` those in doubt (D, F)
            are hollow, and no line goes through them, nor through those without `in_line`; with a column `bound` the
            lower bounds of a law are faint.
        curves: `group`, `threads`, `outcome`, `cores`, `fitted`, `conf_low`, `conf_high` (ops/s),
            `extrapolated` (bool); one law per group. May be empty. None: no law, but lines from one core count to the
            next through the geometric means of the specs, each with its threads beside it, and a wide pale one along
            the highest of them.
        flagged: run id to rank, 0 the worst: ringed, and the worst is named.
        ceilings: threads to ops/s that so many cannot pass, drawn level.
        per_core: draw the column `per_core`, throughput over cores, so that proportional growth is level.
        beside: the y of the workloads beside it, for which the axis has room: they are compared by eye.
        law: what the legend calls the curves; empty: they have no entry.
    """
    points = points.assign(y=points["per_core"]) if per_core else points
    points = points[(points["y"] > 0) & (points["cores"] > 0)]
    points = points.assign(doubtful=points["grade"].isin(DOUBTFUL) if "grade" in points else False)
    colours = style.thread_colours(points["threads"])
    two_kinds = points["outcome"].nunique() > 1
    style.ops_log(axes, "y", np.append(points["y"].to_numpy(float), beside))
    axes.set_xscale("log", base=2)
    if len(points):
        # Some of the extrapolation shows, or the names of lines at their ends.
        axes.set_xlim(points["cores"].min() / 1.15, points["cores"].max() * _BEYOND)
    _proportional(axes, points, 0 if per_core else 1)
    for threads, ceiling in (ceilings or {}).items():
        axes.axhline(ceiling, color=colours[threads], zorder=1, **_CEILING)
    best = curves is None and _draw_levels(axes, points, colours, two_kinds)
    drawn = curves.groupby(["group", "threads", "outcome"], dropna=False) if curves is not None else ()
    for (_, threads, outcome), curve in drawn:
        light = two_kinds and outcome == Outcome.PUBLISHED
        _draw_curve(axes, curve.sort_values("cores"), colours.get(float(threads), style.STEEL), light)
    marks(axes, points, x="cores", y="y")
    style.core_ticks(axes, list(points["cores"]))
    style.labelled(axes, title, lang, x="plot-cores", y="plot-per-core" if per_core else "plot-throughput")
    _ring(axes, points, flagged or {}, lang)
    meanings = _meanings(points, law, lang, flagged=bool(flagged), ceiling=bool(ceilings), best=best,
                       bound="bound" in points and bool(points["bound"].any()))  # fmt: skip
    style.legend(axes.figure, _point_handles(points, lang, meanings))
    return axes


def _meanings(
    points: pd.DataFrame, law: str, lang: str, *, flagged: bool, ceiling: bool, best: bool, bound: bool
) -> list[Line2D]:
    dot, two_kinds = {"color": style.MUTED, "marker": "o", "linestyle": "none"}, points["outcome"].nunique() > 1
    kinds = (
        (bool(law), law, {"color": style.MUTED, "linewidth": 1.8}),
        (two_kinds, text("plot-measured", lang), dot),
        (two_kinds, text("plot-published", lang), {**dot, "alpha": 0.4}),
        (bound, text("plot-bound", lang), {**dot, "alpha": 0.4}),
        (flagged, text("plot-flagged", lang), {**dot, "color": style.FLAG, "markersize": 9, "markerfacecolor": "none"}),
        (best, text("plot-best-threads", lang), _BEST),
        (True, text("plot-proportional", lang), _PROPORTIONAL),
        (ceiling, text("plot-threads-ceiling", lang), {"color": style.MUTED, **_CEILING}),
    )
    return [style.entry(label, **look) for occurs, label, look in kinds if occurs]


def _draw_levels(axes: Axes, points: pd.DataFrame, colours: dict[float, str], two_kinds: bool) -> bool:
    """Per thread count a line through the geometric means of each core count's trusted specs, and the highest of these;
    whether there are several. A mean is of the specs trusted at most thread counts, the same for each line."""
    trusted = points[~points["doubtful"] & points.get("in_line", True)]
    counts = trusted.groupby(["outcome", "cores", "spec"])["threads"].transform("nunique")
    trusted = trusted[counts == counts.groupby([trusted["outcome"], trusted["cores"]]).transform("max")]
    if trusted.groupby("threads")["cores"].nunique().max() == 1:
        # The threads rise with the cores: one line for all.
        trusted = trusted.assign(threads=np.nan)
    lines = np.exp(
        np.log(trusted["y"]).groupby([trusted[c] for c in ("threads", "outcome", "cores")], dropna=False).mean()
    )
    for (threads, outcome), line in lines.groupby(level=["threads", "outcome"], dropna=False):
        light = two_kinds and outcome == Outcome.PUBLISHED
        axes.plot(
            line.index.get_level_values("cores"), line, color=colours.get(float(threads), style.STEEL), zorder=2,
            linewidth=0.9 if light else style.RC["lines.linewidth"], alpha=0.5 if light else 1.0,
        )  # fmt: skip
    counts = trusted["threads"].nunique()
    if two_kinds or counts < 2:
        return False
    best = lines.groupby(level="cores").max()
    axes.plot(best.index, best, zorder=1, **_BEST)
    if counts <= _NAMED_LINES:
        _name_lines(axes, lines.groupby(level="threads").tail(1), colours)
    return True


def _name_lines(axes: Axes, ends: pd.Series, colours: dict[float, str]) -> None:
    """The thread count of each line beside its end, in its colour; those too close to another further up, or down below
    the title. `ends`: ops/s by threads, outcome and cores."""
    ends, to_axes = ends.sort_values(), axes.transData + axes.transAxes.inverted()
    across, up = to_axes.transform([(cores, ops_s) for (_, _, cores), ops_s in ends.items()]).T
    for i in range(1, len(up)):
        up[i] = max(up[i], up[i - 1] + _NAMES_APART)
    for i in range(len(up)):
        up[-1 - i] = min(up[-1 - i], _HIGHEST_NAME - i * _NAMES_APART)
    for threads, x, y in zip(ends.index.get_level_values("threads"), across, up, strict=True):
        style.name_beside(axes, number(threads), (x, y), colours[threads], (7, 0), xycoords="axes fraction",
                          bbox={"facecolor": style.PAPER, "edgecolor": "none", "pad": 0.5})  # fmt: skip


def marks(axes: Axes, points: pd.DataFrame, *, x: str, y: str, apart: bool = False) -> None:
    """Draw the points: colour means threads, marker RAM, hollow in doubt; published ones beside measured are faint, and
    those that a column `bound` has as lower bounds. `points`: `threads`, `ram_gib`, x and y; `grade` or `doubtful`;
    `outcome` or `faint`. `apart`: thread counts stand side by side at the same x, where they would hide one another."""
    colours, markers = style.thread_colours(points["threads"]), style.ram_markers(points["ram_gib"])
    counts = sorted(colours)
    doubts = points["doubtful"] if "doubtful" in points else points["grade"].isin(DOUBTFUL)
    if "faint" not in points:
        is_beside_measured = (points["outcome"] == Outcome.PUBLISHED) & (points["outcome"].nunique() > 1)
        points = points.assign(faint=is_beside_measured | points.get("bound", False))
    points_by_look: dict[tuple, list[tuple[float, float]]] = {}
    kinds = zip(points["threads"], points["ram_gib"], points["faint"], doubts, strict=True)
    # Not by groupby, which takes longer than to draw them.
    for kind, place in zip(kinds, zip(points[x], points[y], strict=True), strict=True):
        points_by_look.setdefault(tuple(None if pd.isna(part) else part for part in kind), []).append(place)
    for (threads, ram, faint, doubtful), xy in sorted(points_by_look.items(), key=str):
        colour = colours.get(threads, style.STEEL)
        aside = 2 ** (0.07 * (counts.index(threads) - (len(counts) - 1) / 2)) if apart and threads in counts else 1.0
        across, up = np.array(xy).T
        axes.plot(
            across * aside, up, linestyle="none", marker=markers.get(ram, "o"),
            color=colour, markersize=6, alpha=0.4 if faint else 0.85, zorder=3,
            markerfacecolor=style.PAPER if doubtful else colour, markeredgecolor=colour if doubtful else style.PAPER,
            markeredgewidth=1.2 if doubtful else 0.6,
        )  # fmt: skip


def _point_handles(points: pd.DataFrame, lang: str, meanings: Sequence[Line2D] = ()) -> list[Line2D]:
    handles = style.thread_handles(points["threads"], lang)
    if "grade" in points and points["grade"].isin(DOUBTFUL).any():
        handles.append(style.dot(text("plot-doubtful", lang), markerfacecolor=style.PAPER))
    unit = "GB" if "outcome" in points and points["outcome"].eq(Outcome.PUBLISHED).all() else "GiB"
    return [*handles, *meanings, *style.ram_handles(points["ram_gib"], unit)]


def _proportional(axes: Axes, points: pd.DataFrame, power: int) -> None:
    """The line of proportional growth from the fewest cores on: twice the throughput for twice the cores."""
    if points.empty:
        return
    first, last = points["cores"].min(), points["cores"].max()
    start = float(np.exp(np.log(points.loc[points["cores"] == first, "y"]).mean()))
    axes.plot([first, last], [start, start * (last / first) ** power], zorder=1, **_PROPORTIONAL)


def _draw_curve(axes: Axes, curve: pd.DataFrame, colour: str, light: bool) -> None:
    width, alpha = (0.9, 0.65) if light else (style.RC["lines.linewidth"], 1.0)
    cores, fitted, low, high = (curve[name].to_numpy() for name in ("cores", "fitted", "conf_low", "conf_high"))
    inside = np.flatnonzero(~curve["extrapolated"].to_numpy(bool))
    measured = slice(inside[0], inside[-1] + 1) if len(inside) else slice(0)
    axes.plot(cores[measured], fitted[measured], color=colour, linewidth=width, alpha=alpha, zorder=2)
    axes.fill_between(
        cores[measured], low[measured], high[measured], color=colour, alpha=0.05 if light else 0.13, linewidth=0,
        zorder=1,
    )  # fmt: skip
    if len(inside):
        # The dashed part starts where the measured range ends, without a gap.
        for beyond in (slice(inside[-1], None), slice(inside[0] + 1)):
            if len(cores[beyond]) > 1:
                axes.plot(
                    cores[beyond], fitted[beyond], color=colour, linestyle=(0, (4, 3)), linewidth=0.72 * width,
                    alpha=alpha, zorder=2,
                )  # fmt: skip


def _ring(axes: Axes, points: pd.DataFrame, flagged: dict[str, int], lang: str) -> None:
    rows = points[points["run_id"].isin(flagged)]
    axes.plot(
        rows["cores"], rows["y"], linestyle="none", marker="o", markersize=12, markerfacecolor="none",
        markeredgecolor=style.FLAG, markeredgewidth=1.3, zorder=4,
    )  # fmt: skip
    if len(rows):
        worst = rows.loc[rows["run_id"].map(flagged).idxmin()]
        at = worst["cores"], worst["y"]
        style.name_beside(axes, name_of(worst, lang), at, style.FLAG, (0, 13), ha="left", va="baseline", zorder=5)


def name_of(row: dict, lang: str = "en") -> str:
    return text("plot-point", lang, spec=style.spec_name(row["spec_label"], row["spec"]), threads=row["threads"])


def residuals(axes: Axes, augment: pd.DataFrame, *, title: str = "", lang: str = "en") -> Axes:
    """Draw one workload's residuals over cores (log2), in percent around 0: the level line is the law itself.
    `augment`: a row per fitted point: `cores`, `ram_gib`, `threads` and `residual` (on ln X, so exp(residual) - 1 is
    the share above or below the law). With `spec_label` and `spec` the farthest point is named; with a column
    `measured` (bool) lower bounds are faint and not named."""
    rows = augment[augment["residual"].notna() & (augment["cores"] > 0)]
    rows = rows.assign(percent=np.expm1(rows["residual"]) * 100)
    rows = rows.assign(measured=rows.get("measured", True), doubtful=False)
    axes.axhline(0, color=style.MUTED, linewidth=1.2, zorder=1)
    marks(axes, rows.assign(faint=~rows["measured"].astype(bool)), x="cores", y="percent", apart=True)
    style.core_ticks(axes, list(rows["cores"]))
    reach = max(float(rows["percent"].abs().max()) if len(rows) else 0.0, 1.0) * 1.25
    axes.set_ylim(-reach, reach)
    axes.margins(x=0.12)
    axes.yaxis.set_major_formatter(lambda value, _: percent(value))
    style.labelled(axes, title, lang, x="plot-cores", y="plot-residual")
    style.legend(axes.figure, _point_handles(rows, lang))
    if {"spec", "spec_label"} <= set(rows.columns):
        measured = rows[rows["measured"]]
        if len(measured):
            row = measured.loc[measured["residual"].abs().idxmax()]
            # Beside the last cores there is no room at the right.
            side = {"offset": (-9, 0), "ha": "right"} if row["cores"] == rows["cores"].max() else {"offset": (9, 0)}
            name, at = style.spec_name(row["spec_label"], row["spec"]), (row["cores"], row["percent"])
            style.name_beside(axes, name, at, **side)
    return axes


def percent(value: float) -> str:
    return "0" if abs(value) < 1e-9 else f"{'−' if value < 0 else '+'}{abs(value):g} %"


def over_cores(axes: Axes, levels: pd.DataFrame, *, title: str = "", lang: str = "en") -> Axes:
    """Draw each dataset's and thread count's throughput over cores, on log scales: a colour per thread count, a line
    style per dataset. `levels`: `dataset`, `threads`, `cores`, `ops_s` (mean over the specs of so many cores)."""
    datasets = dict.fromkeys(levels["dataset"])
    colours, dashes = style.thread_colours(levels["threads"]), dict(zip(datasets, cycle(_DASHES), strict=False))
    for (dataset, threads), line in levels.groupby(["dataset", "threads"], sort=False, dropna=False):
        colour = colours.get(threads, style.STEEL)
        axes.plot(line["cores"], line["ops_s"], color=colour, linestyle=dashes[dataset], marker=".")
    style.ops_log(axes, "y", levels["ops_s"].to_numpy(float))
    style.core_ticks(axes, list(levels["cores"]))
    lines = [style.entry(style.plain(name), color=style.MUTED, linestyle=dash) for name, dash in dashes.items()]
    style.legend(axes.figure, [*lines, *style.thread_handles(levels["threads"], lang)])
    return style.labelled(axes, title, lang, x="plot-cores", y="plot-throughput")


def latency_throughput(axes: Axes, points: pd.DataFrame, *, title: str = "", lang: str = "en") -> Axes:
    """Draw mean latency over throughput on log scales, an arrow from the fewest to the most threads of each spec, and
    for each thread count N the line N / R: what a closed loop does at that latency, and no more. `points`: a row per
    run with `workload`, `spec`, `cores`, `ram_gib`, `threads`, `outcome`, `y` (ops/s), `latency_us` (the mean over
    all operations) and `grade` or `doubtful`."""
    style.ops_log(axes, "x", points["y"].to_numpy(float))
    style.ops_log(axes, "y", points["latency_us"].to_numpy(float), style.milliseconds)
    edges = np.array(axes.get_xlim())
    for threads, colour in style.thread_colours(points["threads"]).items():
        axes.plot(edges, threads / edges * units.US_PER_S, color=colour, **_CLOSED_LOOP)
    cells = ["workload", "spec", "threads"]
    means = np.exp(np.log(points.set_index(cells)[["y", "latency_us"]]).groupby(level=cells).mean())
    for _, ends in means.groupby(level=cells[:2]):
        if len(ends) > 1:
            start, end = tuple(ends.iloc[0]), tuple(ends.iloc[-1])
            axes.add_patch(FancyArrowPatch(start, end, **_ARROW))
    marks(axes, points, x="y", y="latency_us")
    ceiling = style.entry(text("plot-ceiling", lang), color=style.MUTED, **_CLOSED_LOOP)
    style.legend(axes.figure, [ceiling, *_point_handles(points, lang)])
    return style.labelled(axes, title, lang, x="plot-throughput-log", y="plot-latency")


def utilisation(axes: Axes, points: pd.DataFrame, *, title: str = "", lang: str = "en") -> Axes:
    """Draw throughput x latency / threads of every row over cores, and the line at 1 that no closed loop passes.
    `points`: a row per run with `cores`, `ram_gib`, `threads`, `utilisation` and `grade`."""
    axes.axhline(1, **_LIMIT)
    axes.axhspan(MAX_UTILISATION, 1e3, color=style.FLAG, alpha=0.07, linewidth=0, zorder=0)
    marks(axes, points, x="cores", y="utilisation", apart=True)
    style.core_ticks(axes, list(points["cores"]))
    axes.margins(x=0.08)
    limit = style.entry(text("plot-limit", lang), **_LIMIT)
    style.legend(axes.figure, [limit, *_point_handles(points, lang)])
    used = points["utilisation"]
    axes.set_ylim(min(0.85, 0.95 * float(used.min())), max(1.15, 1.05 * float(used.max())))
    return style.labelled(axes, title, lang, x="plot-cores", y="plot-utilisation")


def cpu_per_operation(axes: Axes, points: pd.DataFrame, *, title: str = "", lang: str = "en") -> Axes:
    """Draw the server's CPU time per operation over cores on log scales. `points`: a row per run with `cores`,
    `ram_gib`, `threads`, `cpu_us` (µs per operation) and `grade`."""
    marks(axes, points, x="cores", y="cpu_us", apart=True)
    style.legend(axes.figure, _point_handles(points, lang))
    style.ops_log(axes, "y", points["cpu_us"].to_numpy(float))
    style.core_ticks(axes, list(points["cores"]))
    axes.margins(x=0.08)
    return style.labelled(axes, title, lang, x="plot-cores", y="plot-cpu-per-operation")
