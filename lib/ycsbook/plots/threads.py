"""What more client threads do: a line per spec over two or all thread counts, a heat map of specs and workloads."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.patches import Patch, Rectangle

from ycsbook.messages import text
from ycsbook.messages.formats import change
from ycsbook.plots import style
from ycsbook.trust import DOUBTFUL

# Where one colour ends and the next begins, as fractions: within the middle ones is little.
STEPS = (-0.6, -0.3, -0.1, 0.1, 0.3, 0.6)
_ENDS = (-1.0, 100.0)
# Lines of a ladder that have room for a name each.
MAX_NAMED = 8
_HATCH = {"hatch": "//", "edgecolor": style.MUTED, "facecolor": "none", "linewidth": 0}


def paired(axes: Axes, pairs: pd.DataFrame, *, title: str = "", lang: str = "en") -> Axes:
    """Draw a paired dot chart: specs from top to bottom, throughput at both thread counts joined by a line. `pairs`: a
    row per spec in the order drawn with `name`, `ram_gib`, `threads_low`, `threads_high`, `low`, `high` (ops/s),
    `warned` (bool: the loss is a finding), `grade_low` and `grade_high` (D and F: hollow, in doubt)."""
    low_threads, high_threads = float(pairs["threads_low"].iloc[0]), float(pairs["threads_high"].iloc[0])
    colours = style.thread_colours([low_threads, high_threads])
    legend = style.thread_handles([low_threads, high_threads], lang)
    for dot in legend:
        dot.set(linestyle="none")
    losing, flagged = pairs["high"] < pairs["low"], pairs["warned"].astype(bool)
    for name, colour, dash, width, where in (
        ("gain", style.MUTED, (0, (1, 1.2)), 1.2, ~losing),
        ("loss", style.MUTED, "-", 1.2, losing & ~flagged),
        ("flagged-loss", style.FLAG, "-", 2.2, losing & flagged),
    ):
        if not where.any():
            continue
        legend.append(style.entry(text(f"plot-{name}", lang), color=colour, linestyle=dash))
        # One line for all specs of a kind, broken between them.
        ends = pairs.loc[where, ["low", "high"]].assign(gap=np.nan).to_numpy()
        at = np.repeat(np.flatnonzero(where), 3)
        axes.plot(ends.ravel(), at, color=colour, linewidth=width, linestyle=dash, zorder=2)
    markers = style.ram_markers(pairs["ram_gib"])
    for column, threads in (("low", low_threads), ("high", high_threads)):
        dots = pairs.assign(at=np.arange(len(pairs)), hollow=pairs[f"grade_{column}"].isin(DOUBTFUL))
        for (ram, hollow), group in dots.groupby(["ram_gib", "hollow"], dropna=False):
            axes.plot(
                group[column], group["at"], markers.get(float(ram), "o"), color=colours[threads], markersize=6.5,
                zorder=3, markerfacecolor=style.PAPER if hollow else colours[threads],
            )  # fmt: skip
    style.rows_from_top(axes, list(pairs["name"]))
    style.ops_log(axes, "x", pairs[["low", "high"]].to_numpy())
    style.legend(axes.figure, legend)
    return style.labelled(axes, title, lang, x="plot-throughput")


def ladder(axes: Axes, cells: pd.DataFrame, *, title: str = "", lang: str = "en") -> Axes:
    """Draw throughput over thread counts, both on log scales, a line for each name. `cells`: a row per line and thread
    count, the lines from light to dark: `name`, `threads`, `y` (ops/s), `doubtful` (bool: hollow, and in no line)."""
    lines = [(name, line.sort_values("threads")) for name, line in cells.groupby("name", sort=False)]
    ends = []
    for place, (name, line) in enumerate(lines, 1):
        depth, sound = 0.3 + 0.7 * place / len(lines), line[~line["doubtful"]]
        axes.plot(sound["threads"], sound["y"], "o-", color=style.STEEL, alpha=depth, linewidth=1.6, markersize=4)
        hollow = line[line["doubtful"]]
        axes.plot(hollow["threads"], hollow["y"], "o", color=style.STEEL, alpha=depth, markersize=5,
                  markerfacecolor=style.PAPER)  # fmt: skip
        ends.append((float(np.log(line["y"].iloc[-1])), float(line["threads"].iloc[-1]), name))
    octaves = float(np.ptp(np.log2(cells["threads"])))
    style.core_ticks(axes, list(cells["threads"]), apart=max(0.3, octaves / 6))
    style.ops_log(axes, "y", cells["y"].to_numpy(float))
    span = np.ptp(np.log(axes.get_ylim()))
    axes.set_xlim(right=cells["threads"].max() * 2 ** (0.4 * octaves))
    named_at: list[float] = []
    for log_y, at, name in sorted(ends, reverse=True):
        # A name that would lie over another is left out: the depth of the colour orders the lines.
        if len(named_at) < MAX_NAMED and all(abs(log_y - other) > 0.055 * span for other in named_at):
            named_at.append(log_y)
            style.name_beside(axes, name, (at, np.exp(log_y)), offset=(7, 0))
    return style.labelled(axes, title, lang, x="plot-threads", y="plot-throughput-log")


def heat_map(axes: Axes, table: pd.DataFrame, doubtful: pd.DataFrame, *, title: str = "", lang: str = "en") -> Axes:
    """Draw a cell for each spec (down) and workload (across), coloured by its change, the change in it. `table`:
    changes as fractions, NaN where not measured, of specs by workloads as they are called; `doubtful`: of the same
    shape, bool: hatched, because a row behind the change is in doubt."""
    # Only here: it takes as long to load as the rest of the pictures together.
    import seaborn

    printed = table.map(lambda value: "" if np.isnan(value) else change(value))
    seaborn.heatmap(
        table, ax=axes, annot=printed, fmt="", cbar=False, xticklabels=False, yticklabels=False,
        cmap=ListedColormap(style.CHANGES),
        norm=BoundaryNorm((_ENDS[0], *STEPS, _ENDS[1]), len(style.CHANGES)), linewidths=1.5, linecolor=style.PAPER,
        annot_kws={"color": style.INK, "fontsize": 9},
    )  # fmt: skip
    for row, column in zip(*np.nonzero(doubtful.to_numpy(bool) & table.notna().to_numpy()), strict=True):
        axes.add_patch(Rectangle((column, row), 1, 1, **_HATCH))
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.set_yticks(np.arange(len(table)) + 0.5, [style.plain(name) for name in table.index], rotation=0)
    axes.set_xticks(np.arange(table.shape[1]) + 0.5, [style.plain(name) for name in table.columns], rotation=0)
    axes.set(xlabel=text("plot-mix", lang), ylabel="")
    style.title(axes, title)
    looks = {"plot-loss": {"color": style.CHANGES[1]}, "plot-gain": {"color": style.CHANGES[-2]}}
    looks |= {"plot-doubtful": _HATCH} if doubtful.to_numpy(bool).any() else {}
    style.legend(axes.figure, [Patch(label=text(name, lang), **look) for name, look in looks.items()])
    return axes
