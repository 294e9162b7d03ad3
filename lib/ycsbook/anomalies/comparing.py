"""Comparing cells: ratios with intervals from repeats, and what is said of single runs and of rows in doubt."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from ycsbook.scaling.cells import Noise
from ycsbook.scaling.limits import SUSPECT_UTILISATION
from ycsbook.scaling.pairs import Ratio, pooled_error, ratios

# Single runs say nothing about noise; a smaller loss than this is not held against them.
SINGLE_LOSS = 0.10


def compare(cells: pd.DataFrame, first: np.ndarray, second: np.ndarray, noise: Noise) -> Ratio:
    """second / first of pairs of cells of one kind, by their mean ln throughput and the noise pooled over the kind.

    Parameters
        cells: as cells.cells gives them, of one dataset and outcome.
        first, second: positions in `cells`, one pair each.
        noise: of that kind.
    Returns
        Ratio, one element per pair; interval and p are NaN where neither cell was repeated.
    """
    log_y, n = cells["log_y"].to_numpy(float), cells["n"].to_numpy(float)
    error = pooled_error(noise, n[first], n[second])
    return ratios(log_y[second] - log_y[first], error, np.full(len(first), float(noise.df)))


def evidence_of(conf_low: float) -> str:
    """The grade of evidence of one comparison: an interval comes from repeats only."""
    return "single" if np.isnan(conf_low) else "repeats"


def doubts(rows: Sequence[Mapping], name: Callable[[Mapping], str]) -> str:
    """A clause naming those of the compared cells that break Little's law themselves; empty if none does."""
    odd = [f"{name(row)} ({row['utilisation']:.2f})" for row in rows if row["utilisation"] > SUSPECT_UTILISATION]
    return f"; suspect: the {' and '.join(odd)} itself breaks Little's law" if odd else ""


def thread_row(cell: Mapping) -> str:
    """How a cell of a thread pair is called."""
    return f"{cell['threads']:g}-thread row"
