"""Throughput against cores: points are measurements, the line is the law, the band its interval; and how far the points
lie from it."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy.interpolate import PchipInterpolator

from ycsbook.messages import text
from ycsbook.plots import style
from ycsbook.verdicts import Outcome

MAX_NAMED = 4
_NAME_STEP = 0.065
# How far beyond the largest measured core count the axis reaches.
_BEYOND = 1.5
# Places of a curve that is drawn.
_PLACES = 120


def facet(
    axes: Axes,
    points: pd.DataFrame,
    curves: pd.DataFrame,
    *,
    y: str,
    flagged: dict[str, int] | None = None,
    title: str = "",
    lang: str = "en",
) -> Axes:
    """Draw one workload's throughput over cores.

    Parameters
        points: one row per run, repeats kept: `cores`, `ram_gib`, `threads`, `outcome`, `run_id`, `spec`, `spec_label`
            and `y`. Published rows beside measured ones are hollow and their curves thin. With a column `measured`
            (bool) those that are not the server's own throughput are faint.
        curves: `group`, `threads`, `outcome`, `cores`, `fitted`, `conf_low`, `conf_high` (ops/s),
            `extrapolated` (bool); one law per group. May be empty.
        y: the throughput column drawn, ops/s.
        flagged: run id to rank, 0 the worst: ringed, and the worst four named.
        title: the finding.
        lang: the language of the words in it.
    Returns
        The axes, cores on a log2 scale with the measured counts as ticks, throughput from 0.
    """
    points = points[points[y].notna() & (points["cores"] > 0)]
    colours = style.thread_colours(points["threads"])
    markers = style.ram_markers(points["ram_gib"])
    both = points["outcome"].nunique() > 1
    for (_, threads, outcome), curve in curves.groupby(["group", "threads", "outcome"], dropna=False):
        light = both and outcome == Outcome.PUBLISHED
        _draw_curve(axes, curve.sort_values("cores"), colours.get(float(threads), style.STEEL), light)
    points = points.assign(measured=points.get("measured", True))
    for (threads, ram, outcome, measured), group in points.groupby(
        ["threads", "ram_gib", "outcome", "measured"], dropna=False
    ):
        colour = colours.get(float(threads), style.STEEL)
        hollow = both and outcome == Outcome.PUBLISHED
        axes.plot(
            group["cores"], group[y], linestyle="none", marker=markers.get(float(ram), "o"),
            color=colour, markersize=6, alpha=0.85 if measured else 0.35, zorder=3,
            markerfacecolor=style.PAPER if hollow else colour, markeredgecolor=colour if hollow else style.PAPER,
            markeredgewidth=1.2 if hollow else 0.6,
        )  # fmt: skip
    style.core_ticks(axes, list(points["cores"]))
    _limits(axes, points, curves, y)
    style.ops_ticks(axes)
    axes.set_xlabel(text("plot-cores", lang))
    axes.set_ylabel(text("plot-throughput", lang))
    style.title(axes, title)
    _ring(axes, points, y, flagged or {}, lang)
    return axes


def legend(figure: Figure, points: pd.DataFrame, *, law: str = "", flagged: bool = False, lang: str = "en") -> None:
    """The legend below the axes: threads by colour, RAM by marker, what filling, line and ring mean."""
    handles = style.thread_handles(points["threads"], lang)
    if law:
        handles.append(Line2D([], [], color=style.MUTED, linewidth=1.8, label=law))
    if points["outcome"].nunique() > 1:
        dot = {"color": style.MUTED, "marker": "o", "linestyle": "none"}
        handles.append(Line2D([], [], label=text("plot-measured", lang), **dot))
        handles.append(
            Line2D([], [], label=text("plot-published", lang), markerfacecolor=style.PAPER, markeredgewidth=1.2, **dot)
        )
    if flagged:
        ring = {"marker": "o", "markersize": 9, "markerfacecolor": "none", "linestyle": "none"}
        handles.append(Line2D([], [], color=style.FLAG, label=text("plot-flagged", lang), **ring))
    style.legend(figure, [*handles, *style.ram_handles(points["ram_gib"])])


def _draw_curve(axes: Axes, curve: pd.DataFrame, colour: str, light: bool) -> None:
    width, alpha = (0.9, 0.65) if light else (style.RC["lines.linewidth"], 1.0)
    smooth = _smooth(curve)
    cores, fitted, low, high = (smooth[name].to_numpy() for name in ("cores", "fitted", "conf_low", "conf_high"))
    extrapolated = smooth["extrapolated"].to_numpy(bool)
    inside = np.flatnonzero(~extrapolated)
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


def _smooth(curve: pd.DataFrame) -> pd.DataFrame:
    """The curve at more places, for the eye: between the places where it is known, ln y over ln cores by cubics that
    never overshoot (Fritsch and Carlson 1980, PCHIP)."""
    x = np.log(curve["cores"].to_numpy(float))
    if len(x) < 3 or (np.diff(x) <= 0).any():
        return curve
    dense = np.unique(np.concatenate([x, np.linspace(x[0], x[-1], _PLACES)]))
    found = {"cores": np.exp(dense)}
    for name in ("fitted", "conf_low", "conf_high"):
        values = curve[name].to_numpy(float)
        known = np.isfinite(values) & (values > 0)
        # Beyond its last known place an interval is not known either.
        inside = (dense >= x[known].min(initial=np.inf)) & (dense <= x[known].max(initial=-np.inf))
        found[name] = np.full(len(dense), np.nan)
        if known.sum() > 1:
            found[name][inside] = np.exp(PchipInterpolator(x[known], np.log(values[known]))(dense[inside]))
    measured = x[~curve["extrapolated"].to_numpy(bool)]
    found["extrapolated"] = (dense < measured.min(initial=np.inf)) | (dense > measured.max(initial=-np.inf))
    return pd.DataFrame(found)


def _limits(axes: Axes, points: pd.DataFrame, curves: pd.DataFrame, y: str) -> None:
    # Some of the extrapolation shows, but never so much that it presses the measurements down.
    right = points["cores"].max() * _BEYOND
    axes.set_xlim(points["cores"].min() / 1.15, right)
    seen = curves.loc[curves["cores"] <= right, "fitted"]
    top = max([points[y].max(), *seen], default=1.0)
    axes.set_ylim(0, min(top * 1.05, points[y].max() * 1.6))


def _ring(axes: Axes, points: pd.DataFrame, y: str, flagged: dict[str, int], lang: str) -> None:
    rows = points[points["run_id"].isin(flagged)]
    axes.plot(
        rows["cores"], rows[y], linestyle="none", marker="o", markersize=12, markerfacecolor="none",
        markeredgecolor=style.FLAG, markeredgewidth=1.3, zorder=4,
    )  # fmt: skip
    worst = rows.assign(rank=rows["run_id"].map(flagged)).sort_values(["rank", y])
    _name(axes, worst.drop_duplicates("spec").drop_duplicates(["cores", y]).head(MAX_NAMED), y, lang)


def _name(axes: Axes, rows: pd.DataFrame, y: str, lang: str) -> None:
    # Names stand in a column at the left, in the order of their points, apart from one another, where rising curves
    # leave the upper corner free; a thin line leads from each to its ring.
    top = axes.get_ylim()[1]
    # A single low point has room above it; higher up its name would meet the curves.
    if len(rows) == 1 and rows.iloc[0][y] < 0.35 * top:
        row = rows.iloc[0]
        axes.annotate(
            style.plain(name_of(row, lang)), xy=(row["cores"], row[y]), xytext=(0, 13), textcoords="offset points",
            fontsize=8.5, color=style.FLAG, ha="left", zorder=5,
        )  # fmt: skip
        return
    ordered = rows.sort_values([y, "cores"], ascending=[False, True]).to_dict("records")
    for place, row in enumerate(ordered):
        axes.annotate(
            style.plain(name_of(row, lang)), xy=(row["cores"], row[y]), xytext=(0.03, 0.955 - _NAME_STEP * place),
            textcoords="axes fraction", fontsize=8.5, color=style.FLAG, va="center", zorder=5,
            # From beside the name: to cut the line where it leaves a box around it takes longer than the rest.
            arrowprops={"arrowstyle": "-", "color": style.FLAG, "linewidth": 0.6, "alpha": 0.6, "shrinkA": 0,
                        "shrinkB": 6, "patchA": None, "relpos": (1.05, 0.5)},
        )  # fmt: skip
    axes.set_ylim(0, top)


def name_of(row: dict, lang: str = "en") -> str:
    """How a flagged point is called: its spec and its threads."""
    return text("plot-point", lang, spec=style.spec_name(row["spec_label"], row["spec"]), threads=row["threads"])


def residuals(axes: Axes, augment: pd.DataFrame, *, title: str = "", name: int = 2, lang: str = "en") -> Axes:
    """Draw the residuals of one workload's laws over cores; the horizontal line is the law itself.

    Parameters
        augment: one row per fitted point: `cores`, `ram_gib`, `threads` and `residual` (on ln X, so exp(residual) - 1
            is the share above or below the law). With `spec_label` and `spec` the farthest points are named; with a
            column `measured` (bool) those that are lower bounds are faint and not named.
        title: the finding.
        name: how many of the farthest points are named.
        lang: the language of the words in it.
    Returns
        The axes, cores on a log2 scale, residuals in percent around 0.
    """
    rows = augment[augment["residual"].notna() & (augment["cores"] > 0)]
    rows = rows.assign(percent=np.expm1(rows["residual"]) * 100)
    colours, markers = style.thread_colours(rows["threads"]), style.ram_markers(rows["ram_gib"])
    axes.axhline(0, color=style.MUTED, linewidth=1.2, zorder=1)
    counts = sorted(colours)
    rows = rows.assign(measured=rows.get("measured", True))
    for (threads, ram, measured), group in rows.groupby(["threads", "ram_gib", "measured"], dropna=False):
        # Thread counts stand side by side at the same cores, where they would hide one another.
        aside = 2 ** (0.07 * (counts.index(threads) - (len(counts) - 1) / 2)) if threads in counts else 1.0
        axes.plot(
            group["cores"] * aside, group["percent"], linestyle="none", marker=markers.get(float(ram), "o"),
            color=colours.get(float(threads), style.STEEL), markersize=6, alpha=0.85 if measured else 0.3, zorder=3,
            markeredgecolor=style.PAPER, markeredgewidth=0.6,
        )  # fmt: skip
    style.core_ticks(axes, list(rows["cores"]))
    reach = max(float(rows["percent"].abs().max()) if len(rows) else 0.0, 1.0) * 1.25
    axes.set_ylim(-reach, reach)
    axes.margins(x=0.12)
    axes.yaxis.set_major_formatter(lambda value, _: percent(value))
    axes.set_xlabel(text("plot-cores", lang))
    axes.set_ylabel(text("plot-residual", lang))
    style.title(axes, title)
    if {"spec", "spec_label"} <= set(rows.columns):
        known = rows[rows["measured"]]
        farthest = known["residual"].abs().sort_values(ascending=False, kind="stable").index[:name]
        for row in known.loc[farthest].to_dict("records"):
            _name_residual(axes, row, row["cores"] == rows["cores"].max())
    return axes


def residuals_legend(figure: Figure, augment: pd.DataFrame, *, lang: str = "en") -> None:
    """The legend below the axes: threads by colour, RAM by marker."""
    style.legend(figure, [*style.thread_handles(augment["threads"], lang), *style.ram_handles(augment["ram_gib"])])


def percent(value: float) -> str:
    """A residual as the axis shows it.

    Examples
        >>> percent(-20), percent(0), percent(2.5)
        ('−20 %', '0', '+2.5 %')
    """
    return "0" if abs(value) < 1e-9 else f"{'−' if value < 0 else '+'}{abs(value):g} %"


def _name_residual(axes: Axes, row: dict, at_the_end: bool) -> None:
    axes.annotate(
        style.plain(style.spec_name(row["spec_label"], row["spec"])), (row["cores"], row["percent"]),
        xytext=(-9 if at_the_end else 9, 0), textcoords="offset points", fontsize=8.5, color=style.MUTED, va="center",
        ha="right" if at_the_end else "left",
    )  # fmt: skip
