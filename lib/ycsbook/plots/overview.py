"""Throughput over cores of several datasets in one picture: a colour per thread count, a kind of line per dataset."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ycsbook.messages import text
from ycsbook.plots import style

_DASHES = ("-", (0, (4, 2)), (0, (1, 1.2)), (0, (6, 2, 1, 2)))


def over_cores(axes: Axes, levels: pd.DataFrame, *, title: str = "", lang: str = "en") -> Axes:
    """Draw the throughput of each dataset and thread count over cores, on log scales.

    Parameters
        levels: `dataset`, `threads`, `cores` and `ops_s`, the mean over the specs of so many cores.
        title: the finding.
        lang: the language of the words in it.
    """
    colours, dashes = style.thread_colours(levels["threads"]), _dashes(levels)
    for (dataset, threads), line in levels.groupby(["dataset", "threads"], sort=False):
        axes.plot(line["cores"], line["ops_s"], color=colours[float(threads)], linestyle=dashes[dataset], marker=".")
    style.ops_log(axes, "y", levels["ops_s"].to_numpy(float))
    style.core_ticks(axes, list(levels["cores"]))
    axes.set_xlabel(text("plot-cores", lang))
    axes.set_ylabel(text("plot-throughput", lang))
    style.title(axes, title)
    return axes


def legend(figure: Figure, levels: pd.DataFrame, *, lang: str = "en") -> None:
    """The legend below the axes: datasets by their line, threads by colour."""
    lines = [
        Line2D([], [], color=style.MUTED, linestyle=dash, label=style.plain(name))
        for name, dash in _dashes(levels).items()
    ]
    style.legend(figure, [*lines, *style.thread_handles(levels["threads"], lang)])


def _dashes(levels: pd.DataFrame) -> dict[str, str | tuple]:
    return {name: _DASHES[i % len(_DASHES)] for i, name in enumerate(dict.fromkeys(levels["dataset"]))}
