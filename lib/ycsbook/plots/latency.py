"""Latency percentiles: how slow the slow operations are."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ycsbook.plots import style
from ycsbook.plots.words import WORDS_EN, word


def percentiles(axes: Axes, frame: pd.DataFrame, *, title: str = "", words: Mapping[str, str] = WORDS_EN) -> Axes:
    """Draw latency over percentile, one line per spec and thread count, latency on a log scale.

    The x axis counts nines, so that 90, 99 and 99.9 stand one step apart.

    Parameters
        frame: `name` (of the spec), `cores`, `threads`, `percentile` (0 to 100, below 100) and `latency_us`.
        title: workload and operation, or the finding.
        words: of the language, see plots.words.
    """
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
    shown = sorted(set(frame["percentile"]))
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: style.milliseconds(value))
    axes.set_xticks(list(nines(pd.Series(shown))), [f"{p:g}" for p in shown])
    axes.set_xlabel(word(words, "percentile"))
    axes.set_ylabel(word(words, "latency (ms, log scale)"))
    axes.grid(which="minor", axis="y", visible=False)
    style.title(axes, title)
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
