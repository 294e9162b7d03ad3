"""One row per workload and thread count: the mean ratio over specs, which says more than each spec alone.

Single cells carry all the scatter between specs; their mean carries it divided by their number. It means something
only where the ratio is the same at few and at many cores, so the slope of ln ratio over ln cores is measured beside it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy import special

from ycsbook.comparing.curves import LAW
from ycsbook.comparing.sides import Side
from ycsbook.scaling.cells import SMALLEST_VARIANCE

# With fewer differences than this neither their mean nor a line through them has an error worth the name.
_FEWEST = 3


@dataclass(frozen=True)
class Differences:
    """ln ratios of some cells and their cores.

    curve_variance: of the curve they are distances from, at the mean, the fewest and the most cores; curve_df: its
    degrees of freedom. Zero and infinite where no curve is in them.
    """

    values: np.ndarray
    cores: np.ndarray
    curve_variance: np.ndarray = field(default_factory=lambda: np.zeros(3))
    curve_df: float = np.inf


def means(a: Side, b: Side, rows: list[dict], back: list[dict]) -> Iterator[dict]:
    """The mean ratio of each workload and thread count: over equal specs, else by both sides' curves.

    Over equal specs: the mean of ln ratios with its t interval, n - 1 degrees of freedom. By the curves: the distance
    of a's specs from b's curve (its law, or the line of its growth: Curve.line) and that of b's specs from a's curve,
    half and half, with the errors of both; so b against a says the inverse of a against b. Where only one side has a
    curve, the other's specs alone, with the error of that curve where they have their (geometric) mean cores.

    Parameters
        rows: the cells of a against b, as ratios.compare makes them; back: those of b against a. Those with a reason
        are left out.
    Returns
        Rows without ratio, with `difference` (mean of ln b - ln a), `spreads`: variance and degrees of freedom of
        each part of its error, and `trend` (of ln b - ln a over ln cores; None where it is not to be had).
    """
    ours, theirs = _sound(rows), _sound(back)
    for key in dict.fromkeys((row["workload"], row["threads"]) for row in (*ours, *theirs)):
        group, other = ([row for row in side if (row["workload"], row["threads"]) == key] for side in (ours, theirs))
        equal = [row for row in group if row["basis"] == "spec"]
        if len(equal) >= _FEWEST:
            basis = "mean of specs"
            differences = np.log([row["ratio"] for row in equal])
            parts = [Differences(differences, _of(a, key, equal)["cores"].to_numpy(float))]
        else:
            basis = "mean by law" if _laws(a, b, key) else "mean by growth"
            parts = [part for part in (_from_curve(a, b, key, group, 1), _from_curve(b, a, key, other, -1)) if part]
        if parts:
            yield {
                "a": a.name, "b": b.name, "workload": key[0],
                "read_fraction": (group or other)[0]["read_fraction"], "spec_a": "", "spec_b": "", "threads": key[1],
                "evidence": (group or other)[0]["evidence"], "basis": basis, "reason": None,
                "difference": float(np.mean([part.values.mean() for part in parts])), "spreads": _spreads(parts),
                "trend": Trend.of(parts),
            }  # fmt: skip


def _sound(rows: list[dict]) -> list[dict]:
    return [row for row in rows if not row["reason"] and np.isfinite(row["ratio"])]


def _of(side: Side, key: tuple[str, float], rows: list[dict]):
    return side.groups[key].set_index("spec").loc[[row["spec_a"] for row in rows]]


def _laws(a: Side, b: Side, key: tuple[str, float]) -> bool:
    """Whether all curves of both are laws that may be claimed."""
    curves = [side.curve(*key) for side in (a, b) if key in side.groups]
    return all(found is None or found.basis == LAW for found in curves)


def _from_curve(a: Side, b: Side, key: tuple[str, float], rows: list[dict], sign: int) -> Differences | None:
    """ln of b's curve at the cores of a's cells less the cells' own, times `sign`; None where there are too few."""
    if len(rows) < _FEWEST:
        return None
    cells = _of(a, key, rows)
    if cells["cores"].isna().any() or not b.spans(*key, cells["cores"]):
        return None
    cores = cells["cores"].to_numpy(float)
    line = b.curve(*key).line
    on_line, _ = line(cores)
    _, error = line(np.array([np.exp(np.log(cores).mean()), cores.min(), cores.max()]))
    return Differences(sign * (on_line - cells["log_y"].to_numpy(float)), cores, error**2, b.curve(*key).df)


def _spreads(parts: list[Differences]) -> list[tuple[float, float]]:
    """Variance and degrees of freedom of the parts of the mean's error."""
    own = [
        (max(float(part.values.var(ddof=1)) / len(part.values), SMALLEST_VARIANCE), len(part.values) - 1)
        for part in parts
    ]
    # a's cells scatter around b's curve as a does, b's around a's curve as b does. Each curve's level is known as well
    # as its own cells scatter, so with both parts the error of either side is counted once, as between two means.
    return own if len(parts) == 2 else [*own, (float(parts[0].curve_variance[0]), parts[0].curve_df)]


@dataclass(frozen=True)
class Trend:
    """A line of ln ratio over ln cores: p that it is flat, its values at the ends of the cores, as ratios."""

    p: float
    at_fewest: float
    at_most: float
    fewest: float
    most: float

    @classmethod
    def of(cls, parts: list[Differences]) -> "Trend | None":
        """The mean of the lines of one or two parts; None where cores are unknown or too few.

        With two parts (each side's cells from the other's curve) the scatter of the one side is in the one slope's
        error and that of the other in the other's: their variances add, as in a difference of two slopes. With one
        part the curve's own slope has an error as well, taken from its errors at both ends as if they were independent,
        which is rather too much.

        References
            Welch (1947), Biometrika 34, for the degrees of freedom.
        """
        if any(not _has_line(part) for part in parts):
            return None
        lines = [_line(part) for part in parts]
        spreads = [line.spread for line in lines]
        if len(parts) == 1 and np.isfinite(parts[0].curve_df):
            width = np.log(parts[0].cores.max() / parts[0].cores.min())
            spreads.append((float(parts[0].curve_variance[1:].sum() / width**2), parts[0].curve_df))
        variance = sum(share for share, _ in spreads)
        if not np.isfinite(variance):
            return None
        df = variance**2 / sum(share**2 / share_df for share, share_df in spreads)
        slope = float(np.mean([line.slope for line in lines]))
        every = np.concatenate([part.cores for part in parts])
        ends = float(every.min()), float(every.max())
        low, high = (
            float(np.exp(np.mean([line.level + slope * (np.log(end) - line.centre) for line in lines]))) for end in ends
        )
        return cls(float(2 * special.stdtr(df, -abs(slope) / np.sqrt(variance))), low, high, *ends)


@dataclass(frozen=True)
class _Line:
    """Mean ln ratio, mean ln cores, slope, and the slope's variance with its degrees of freedom."""

    level: float
    centre: float
    slope: float
    spread: tuple[float, int]


def _has_line(part: Differences) -> bool:
    return len(part.values) >= _FEWEST and not np.isnan(part.cores).any() and part.cores.min() < part.cores.max()


def _line(part: Differences) -> _Line:
    x = np.log(part.cores)
    centred, level = x - x.mean(), float(part.values.mean())
    squares = float(centred @ centred)
    slope = float(centred @ part.values) / squares
    left = part.values - level - slope * centred
    df = len(x) - 2
    return _Line(level, float(x.mean()), slope, (max(float(left @ left) / df / squares, SMALLEST_VARIANCE), df))
