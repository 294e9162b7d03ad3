"""What a closed loop shows of every row: latency against throughput, its threads' time, and CPU per operation."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch

from ycsbook import units
from ycsbook.closed_loop import MAX_UTILISATION
from ycsbook.messages import text
from ycsbook.plots import scaling, style

_CEILING = {"linewidth": 1.0, "linestyle": (0, (4, 2)), "zorder": 1}
_LIMIT = {"color": style.FLAG, "linewidth": 1.1, "zorder": 1}
_ARROW = {"arrowstyle": "-|>", "mutation_scale": 7, "shrinkA": 3, "shrinkB": 3, "linewidth": 0.8, "color": style.MUTED,
          "zorder": 2}  # fmt: skip


def latency_throughput(axes: Axes, points: pd.DataFrame, *, title: str = "", lang: str = "en") -> Axes:
    """Draw mean latency over throughput on log scales, an arrow from the fewest to the most threads of each spec, and
    for each thread count N the line N / R: what a closed loop does at that latency, and no more. `points`: a row per
    run with `workload`, `spec`, `cores`, `ram_gib`, `threads`, `outcome`, `y` (ops/s), `latency_us` (the mean over
    all operations) and `grade` or `doubtful`."""
    style.ops_log(axes, "x", points["y"].to_numpy(float))
    style.ops_log(axes, "y", points["latency_us"].to_numpy(float))
    axes.set_yticks(axes.get_yticks(), [style.milliseconds(tick) for tick in axes.get_yticks()])
    edges = np.array(axes.get_xlim())
    for threads, colour in style.thread_colours(points["threads"]).items():
        axes.plot(edges, threads / edges * units.US_PER_S, color=colour, **_CEILING)
    cells = ["workload", "spec", "threads"]
    means = np.exp(np.log(points.set_index(cells)[["y", "latency_us"]]).groupby(level=cells).mean())
    for _, ends in means.groupby(level=cells[:2]):
        if len(ends) > 1:
            start, end = tuple(ends.iloc[0]), tuple(ends.iloc[-1])
            axes.add_patch(FancyArrowPatch(start, end, **_ARROW))
    scaling.marks(axes, points, x="y", y="latency_us")
    return style.labelled(axes, title, lang, x="plot-throughput-log", y="plot-latency")


def utilisation(axes: Axes, points: pd.DataFrame, *, title: str = "", lang: str = "en") -> Axes:
    """Draw throughput x latency / threads of every row over cores, and the line at 1 that no closed loop passes.
    `points`: a row per run with `cores`, `ram_gib`, `threads`, `utilisation` and `grade`."""
    axes.axhline(1, **_LIMIT)
    axes.axhspan(MAX_UTILISATION, 1e3, color=style.FLAG, alpha=0.07, linewidth=0, zorder=0)
    scaling.marks(axes, points, x="cores", y="utilisation", apart=True)
    style.core_ticks(axes, list(points["cores"]))
    axes.margins(x=0.08)
    used = points["utilisation"]
    axes.set_ylim(min(0.85, 0.95 * float(used.min())), max(1.15, 1.05 * float(used.max())))
    return style.labelled(axes, title, lang, x="plot-cores", y="plot-utilisation")


def cpu_per_operation(axes: Axes, points: pd.DataFrame, *, title: str = "", lang: str = "en") -> Axes:
    """Draw the server's CPU time per operation over cores on log scales. `points`: a row per run with `cores`,
    `ram_gib`, `threads`, `cpu_us` (µs per operation) and `grade`."""
    scaling.marks(axes, points, x="cores", y="cpu_us", apart=True)
    style.ops_log(axes, "y", points["cpu_us"].to_numpy(float))
    style.core_ticks(axes, list(points["cores"]))
    axes.margins(x=0.08)
    return style.labelled(axes, title, lang, x="plot-cores", y="plot-cpu-per-operation")


def legend(figure: Figure, points: pd.DataFrame, *, line: str = "", lang: str = "en") -> None:
    """The legend below the axes: threads, RAM, doubt, and what the line is: `ceiling`, `limit`, or there is none."""
    kinds = {"ceiling": {"color": style.MUTED, **_CEILING}, "limit": _LIMIT}
    lines = [Line2D([], [], label=text(f"plot-{line}", lang), **kinds[line])] if line else []
    style.legend(figure, [*lines, *scaling.point_handles(points, lang)])
