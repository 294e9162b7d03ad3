"""What only measured runs have: latency percentiles, and throughput second by second with warm-up and stalls."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ycsbook.messages import text
from ycsbook.plots import style

# More lines than that cannot be told apart, and make a page heavy.
MAX_LINES = 40
# Beyond so many in a picture the lines say enough, and dots would be most of a page.
MAX_DOTS = 200


def over_time(
    axes: Axes,
    frame: pd.DataFrame,
    *,
    warmup_s: float = float("nan"),
    stalls: Sequence[tuple[float, float]] = (),
    title: str = "",
    lang: str = "en",
) -> Axes:
    """Draw each run's throughput over time, the warm-up that was left out shaded and the stalls marked. Of more than 40
    runs the median over time is drawn and the band between the lowest and the highest.

    Parameters
        frame: `run_id`, `name` (of the spec), `cores`, `threads`, `elapsed_s`, `throughput_ops_s`.
        warmup_s: the longest warm-up among these runs; NaN: none known.
        stalls: spans from and to, in seconds since the start of the run.
    """
    end = frame["elapsed_s"].max()
    if warmup_s > 0:
        axes.axvspan(0, warmup_s, color=style.GRID, alpha=0.55, linewidth=0, zorder=0)
        _above(axes, 0, text("plot-warmup", lang), style.MUTED, side="left", offset=4)
    for place, (start, stop) in enumerate(sorted(stalls)):
        axes.axvspan(start, stop, color=style.FLAG, alpha=0.16, linewidth=0, zorder=0)
        if place == 0:
            _above(axes, (start + stop) / 2, text("plot-stalled", lang), style.FLAG)
    if frame["run_id"].nunique() > MAX_LINES:
        _band(axes, frame)
    else:
        _lines(axes, frame)
    axes.set_xlim(0, end * 1.14)
    style.ops_ticks(axes)
    return style.labelled(axes, title, lang, x="plot-time", y="plot-throughput")


def _above(axes: Axes, at: float, name: str, colour: str, *, side: str = "center", offset: float = 0) -> None:
    axes.annotate(name, (at, 0.985), xycoords=axes.get_xaxis_transform(), xytext=(offset, 0),
                  textcoords="offset points", ha=side, va="top", fontsize=8.5, color=colour)  # fmt: skip


def _lines(axes: Axes, frame: pd.DataFrame) -> None:
    colours = style.thread_colours(frame["threads"])
    specs = list(frame.sort_values("cores")["name"].drop_duplicates())
    end = frame["elapsed_s"].max()
    for (_, name, threads), run in frame.sort_values("elapsed_s").groupby(["run_id", "name", "threads"]):
        depth = 0.35 + 0.65 * (specs.index(name) + 1) / len(specs)
        axes.plot(
            run["elapsed_s"], run["throughput_ops_s"], color=colours[float(threads)], alpha=depth, linewidth=1.2,
            marker="o" if len(frame) <= MAX_DOTS else None, markersize=2.6,
        )  # fmt: skip
    for name, runs in frame.groupby("name"):
        last = runs[runs["elapsed_s"] >= end * 0.6]["throughput_ops_s"].median()
        axes.annotate(style.plain(name), (end, last), xytext=(6, 0), textcoords="offset points", va="center",
                      fontsize=8.5, color=style.MUTED)  # fmt: skip


def _band(axes: Axes, frame: pd.DataFrame) -> None:
    """The median and the range of many runs, per thread count, at the places of the seconds."""
    for threads, runs in frame.groupby("threads"):
        colour = style.thread_colours(frame["threads"])[float(threads)]
        # Runs tell at slightly different moments: whole seconds, at most 120 places.
        width = max(1.0, np.ceil(runs["elapsed_s"].max() / 120))
        at = (runs["elapsed_s"] / width).round() * width
        by_time = runs.groupby(at)["throughput_ops_s"].agg(["min", "median", "max"])
        axes.fill_between(by_time.index, by_time["min"], by_time["max"], color=colour, alpha=0.15, linewidth=0)
        axes.plot(by_time.index, by_time["median"], color=colour, linewidth=1.6)


def percentiles(axes: Axes, frame: pd.DataFrame, *, title: str = "", lang: str = "en") -> Axes:
    """Draw latency on a log scale over percentile, one line per spec and thread count. The x axis counts nines, so that
    90, 99 and 99.9 stand one step apart. `frame`: `name` (of the spec), `cores`, `threads`, `percentile` (0 to 100,
    below 100) and `latency_us`."""
    frame = frame[(frame["percentile"] < 100) & (frame["latency_us"] > 0)]
    colours = style.thread_colours(frame["threads"])
    specs = list(frame.sort_values("cores")["name"].drop_duplicates())
    ends = []
    for (threads, name), line in frame.sort_values("percentile").groupby(["threads", "name"]):
        depth = 0.35 + 0.65 * (specs.index(name) + 1) / len(specs)
        axes.plot(
            nines(line["percentile"]), line["latency_us"], color=colours[float(threads)], alpha=depth, linewidth=1.6,
            marker="o", markersize=3.5,
        )  # fmt: skip
        ends.append((line["latency_us"].iloc[-1], name, colours[float(threads)], nines(line["percentile"]).iloc[-1]))
    ticks = sorted(set(frame["percentile"]))
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: style.milliseconds(value))
    axes.set_xticks(list(nines(pd.Series(ticks))), [f"{p:g}" for p in ticks])
    axes.grid(which="minor", axis="y", visible=False)
    style.labelled(axes, title, lang, x="plot-percentile", y="plot-latency")
    axes.margins(x=0.04)
    if ends:
        right = max(end[3] for end in ends)
        axes.set_xlim(right=right + 0.55)
        # Only the slowest and the fastest line are named: the depth of the colour orders the rest.
        for latency, name, colour, at in (max(ends), min(ends)):
            axes.annotate(style.plain(name), (at, latency), xytext=(6, 0), textcoords="offset points", va="center",
                          fontsize=8.5, color=colour)  # fmt: skip
    return axes


def nines(percentile: pd.Series) -> pd.Series:
    """Percentiles as the number of nines: 90 is 1, 99 is 2.

    Examples
        >>> nines(pd.Series([50.0, 90.0, 99.9])).round(3).tolist()
        [0.301, 1.0, 3.0]
    """
    return -np.log10(1 - percentile / 100)
