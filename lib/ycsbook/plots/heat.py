"""What more threads change, as a heat map of specs and workloads: a colour and a number for each cell."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import BoundaryNorm, ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from ycsbook.messages import text
from ycsbook.messages.formats import change
from ycsbook.plots import style

# Where one colour ends and the next begins, as fractions: within the middle ones is little.
STEPS = (-0.6, -0.3, -0.1, 0.1, 0.3, 0.6)
_ENDS = (-1.0, 100.0)
_HATCH = {"hatch": "//", "edgecolor": style.MUTED, "facecolor": "none", "linewidth": 0}


def changes(axes: Axes, table: pd.DataFrame, doubtful: pd.DataFrame, *, title: str = "", lang: str = "en") -> Axes:
    """Draw a cell for each spec (down) and workload (across), coloured by its change, the change in it.

    Parameters
        table: changes as fractions, NaN: not measured; index: what specs are called, columns: workloads.
        doubtful: of the same shape, bool: hatched, because a row behind the change is in doubt.
        title: the finding.
        lang: the language of the words in it.
    """
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
    return axes


def legend(figure: Figure, doubtful: pd.DataFrame, *, lang: str = "en") -> None:
    """The legend below the axes: what the outer colours and hatching mean."""
    loss, gain = style.CHANGES[1], style.CHANGES[-2]
    handles = [Patch(color=loss, label=text("plot-loss", lang)), Patch(color=gain, label=text("plot-gain", lang))]
    if doubtful.to_numpy(bool).any():
        handles.append(Patch(label=text("plot-doubtful", lang), **_HATCH))
    style.legend(figure, handles)
