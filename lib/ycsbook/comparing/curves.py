"""What a side does at core counts that it did not measure: by its law where one is claimed, else between its cells."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special

from ycsbook.scaling import Fit
from ycsbook.scaling.claims import CLAIMED
from ycsbook.scaling.limits import LimitKind, decided
from ycsbook.scaling.pairs import CONFIDENCE
from ycsbook.scaling.select import select

Line = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
# The basis of a ratio.
LAW, BETWEEN = "law", "between cells"


@dataclass(frozen=True)
class Curve:
    """Throughput over cores of one workload and thread count.

    Attributes
        basis: LAW or BETWEEN. first, last: the cores that it spans.
        scatter: standard deviation of ln X of the specs around it, with df degrees of freedom; NaN and 0 of two specs.
        at: of cores (q,), ln X and its standard error without the scatter of one more spec, (q,) each.
        line: the same, smooth over all cores, for what speaks of all of them: the law, or the line of growth.
    """

    basis: str
    first: float
    last: float
    scatter: float
    df: int
    at: Line
    line: Line


def curve(points: pd.DataFrame) -> Curve | None:
    """The curve of these cells; None where fewer than two core counts were measured.

    Parameters
        points: one row per cell, as `select` takes them, with `cores`, the throughput `y`, ops/s, and `limit_kind`.
    """
    if points["cores"].nunique() < 2:
        return None
    if decided(points["limit_kind"]).any():
        points = points.assign(censored=points["limit_kind"] != LimitKind.SERVER)
        if points["censored"].any():
            # A law may be claimed of the server then, but not of what is had with so many threads.
            return _between(points)
    choice = select(points, y="y")
    return _by_law(choice.fits[choice.law]) if choice.verdict.key == CLAIMED else _between(points)


def _by_law(fit: Fit) -> Curve:
    def at(cores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        drawn = fit.predict(cores)
        t = special.stdtrit(fit.df, (1 + CONFIDENCE) / 2)
        error = np.log(drawn["conf_high"] / drawn["conf_low"]) / (2 * t)
        return np.log(drawn["fitted"].to_numpy(float)), error.to_numpy(float)

    return Curve(LAW, float(fit.means["cores"].min()), float(fit.means["cores"].max()), fit.residual_se, fit.df, at, at)


def _between(points: pd.DataFrame) -> Curve:
    """Straight between the neighbouring core counts, in ln X over ln cores; specs of equal cores are averaged.

    How far the specs lie from the line of their growth (scaling.growth) tells the scatter: rather too much of it where
    growth is not straight.
    """
    x, y = np.log(points["cores"].to_numpy(float)), np.log(points["y"].to_numpy(float))
    places, place, n = np.unique(x, return_inverse=True, return_counts=True)
    levels, df = np.bincount(place, y) / n, len(x) - 2
    centred = x - x.mean()
    slope = float(centred @ y / (centred @ centred))
    left = y - y.mean() - slope * centred
    scatter = float(np.sqrt(left @ left / df)) if df else float("nan")

    def at(cores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        asked = np.log(np.asarray(cores, dtype=float))
        low = np.clip(np.searchsorted(places, asked) - 1, 0, len(places) - 2)
        share = (asked - places[low]) / (places[low + 1] - places[low])
        error = scatter * np.sqrt((1 - share) ** 2 / n[low] + share**2 / n[low + 1])
        return (1 - share) * levels[low] + share * levels[low + 1], error

    def line(cores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        away = np.log(np.asarray(cores, dtype=float)) - x.mean()
        return y.mean() + slope * away, scatter * np.sqrt(1 / len(x) + away**2 / (centred @ centred))

    cores = points["cores"]
    return Curve(BETWEEN, float(cores.min()), float(cores.max()), scatter, df, at, line)
