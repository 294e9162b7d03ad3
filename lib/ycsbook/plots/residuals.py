"""How far each spec lies from the law that is drawn: what the law leaves unsaid."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ycsbook.plots import style
from ycsbook.plots.words import WORDS_EN, word


def facet(
    axes: Axes, augment: pd.DataFrame, *, title: str = "", name: int = 2, words: Mapping[str, str] = WORDS_EN
) -> Axes:
    """Draw the residuals of one workload's laws over cores; the horizontal line is the law itself.

    Parameters
        augment: one row per fitted point: `cores`, `ram_gib`, `threads` and `residual` (on ln X, so exp(residual) - 1
            is the share above or below the law). With `spec_label` and `spec` the farthest points are named; with a
            column `measured` (bool) those that are lower bounds are faint and not named.
        title: the finding.
        name: how many of the farthest points are named.
        words: of the language, see plots.words.
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
    axes.set_xlabel(word(words, "cores (log scale)"))
    axes.set_ylabel(word(words, "beyond the law"))
    style.title(axes, title)
    if {"spec", "spec_label"} <= set(rows.columns):
        known = rows[rows["measured"]]
        farthest = known["residual"].abs().sort_values(ascending=False, kind="stable").index[:name]
        for row in known.loc[farthest].to_dict("records"):
            _name(axes, row, row["cores"] == rows["cores"].max())
    return axes


def legend(figure: Figure, augment: pd.DataFrame, *, words: Mapping[str, str] = WORDS_EN) -> None:
    """The legend below the axes: threads by colour, RAM by marker."""
    style.legend(figure, [*style.thread_handles(augment["threads"], words), *style.ram_handles(augment["ram_gib"])])


def percent(value: float) -> str:
    """A residual as the axis shows it.

    Examples
        >>> percent(-20), percent(0), percent(2.5)
        ('−20 %', '0', '+2.5 %')
    """
    return "0" if abs(value) < 1e-9 else f"{'−' if value < 0 else '+'}{abs(value):g} %"


def _name(axes: Axes, row: dict, at_the_end: bool) -> None:
    axes.annotate(
        style.plain(style.spec_name(row["spec_label"], row["spec"])), (row["cores"], row["percent"]),
        xytext=(-9 if at_the_end else 9, 0), textcoords="offset points", fontsize=8.5, color=style.MUTED, va="center",
        ha="right" if at_the_end else "left",
    )  # fmt: skip
