"""What more client threads do: one line per spec from the lower thread count to the higher."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ycsbook.plots import style
from ycsbook.plots.words import WORDS_EN, word


def paired(axes: Axes, pairs: pd.DataFrame, *, title: str = "", words: Mapping[str, str] = WORDS_EN) -> Axes:
    """Draw a paired dot chart: specs from top to bottom, throughput at both thread counts joined by a line.

    Parameters
        pairs: one row per spec in the order drawn: `name`, `threads_low`, `threads_high`, `low`, `high` (ops/s)
            and `flagged` (bool: the loss is a finding).
        title: the finding.
        words: of the language, see plots.words.
    """
    low_threads, high_threads = float(pairs["threads_low"].iloc[0]), float(pairs["threads_high"].iloc[0])
    colours = style.thread_colours([low_threads, high_threads])
    places = list(range(len(pairs)))
    losing = pairs["high"] < pairs["low"]
    for place, row, lost in zip(places, pairs.itertuples(), losing, strict=True):
        axes.plot(
            [row.low, row.high], [place, place], color=style.FLAG if lost and row.flagged else style.MUTED,
            linewidth=2.2 if lost and row.flagged else 1.2, linestyle="-" if lost else (0, (1, 1.2)), zorder=2,
        )  # fmt: skip
    axes.plot(pairs["low"], places, "o", color=colours[low_threads], markersize=6.5, zorder=3)
    axes.plot(pairs["high"], places, "D", color=colours[high_threads], markersize=6, zorder=3)
    axes.set_yticks(places, [style.plain(n) for n in pairs["name"]])
    axes.set_ylim(len(pairs) - 0.4, -0.6)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(lambda value, _: style.ops(value))
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(word(words, "throughput (ops/s)"))
    style.title(axes, title)
    return axes


def legend(figure: Figure, pairs: pd.DataFrame, *, words: Mapping[str, str] = WORDS_EN) -> None:
    """The legend below the axes; a meaning that does not occur is left out."""
    low, high = float(pairs["threads_low"].iloc[0]), float(pairs["threads_high"].iloc[0])
    dots, losing = style.thread_handles([low, high], words), pairs["high"] < pairs["low"]
    for dot, marker in zip(dots, ("o", "D"), strict=True):
        dot.set(linestyle="none", marker=marker)
    lines = (
        (word(words, "gain"), style.MUTED, (0, (1, 1.2)), ~losing),
        (word(words, "loss"), style.MUTED, "-", losing & ~pairs["flagged"]),
        (word(words, "flagged loss"), style.FLAG, "-", losing & pairs["flagged"]),
    )
    handles = [Line2D([], [], color=c, linestyle=dash, label=name) for name, c, dash, where in lines if where.any()]
    style.legend(figure, [*dots, *handles])
