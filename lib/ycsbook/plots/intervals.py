"""Throughput second by second: the warm-up, the steady part, the stalls."""

import pandas as pd
from matplotlib.axes import Axes

from ycsbook.plots import style


def series(axes: Axes, frame: pd.DataFrame, *, warmup_s: float = float("nan"), title: str = "") -> Axes:
    """Draw each run's throughput over time, the warm-up that was left out shaded.

    Parameters
        frame: `run_id`, `name` (of the spec), `cores`, `threads`, `elapsed_s`, `throughput_ops_s`.
        warmup_s: the longest warm-up among these runs; NaN: none known.
        title: workload and threads, or the finding.
    """
    colours = style.thread_colours(frame["threads"])
    specs = list(frame.sort_values("cores")["name"].drop_duplicates())
    end = frame["elapsed_s"].max()
    if warmup_s > 0:
        axes.axvspan(0, warmup_s, color=style.GRID, alpha=0.55, linewidth=0, zorder=0)
        axes.text(warmup_s / 2, 0.985, "warm-up", transform=axes.get_xaxis_transform(), ha="center", va="top",
                  fontsize=8.5, color=style.MUTED)  # fmt: skip
    for (_, name, threads), run in frame.sort_values("elapsed_s").groupby(["run_id", "name", "threads"]):
        depth = 0.35 + 0.65 * (specs.index(name) + 1) / len(specs)
        axes.plot(
            run["elapsed_s"], run["throughput_ops_s"], color=colours[float(threads)], alpha=depth, linewidth=1.2,
            marker="o" if len(run) <= 30 else None, markersize=2.6,
        )  # fmt: skip
    for name, runs in frame.groupby("name"):
        last = runs[runs["elapsed_s"] >= end * 0.6]["throughput_ops_s"].median()
        axes.annotate(style.plain(name), (end, last), xytext=(6, 0), textcoords="offset points", va="center",
                      fontsize=8.5, color=style.MUTED)  # fmt: skip
    axes.set_xlim(0, end * 1.14)
    style.ops_ticks(axes)
    axes.set_xlabel("time since start (s)")
    axes.set_ylabel("throughput (ops/s)")
    style.title(axes, title)
    return axes
