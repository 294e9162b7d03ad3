"""Whether a ratio is the same at few and at many cores: the slope of its logarithm over ln cores."""

from dataclasses import dataclass, field

import numpy as np
from scipy import special

from ycsbook.scaling.pairs import SMALLEST_VARIANCE

# A line through fewer points leaves nothing to tell its error by.
_FEWEST = 3


@dataclass(frozen=True)
class Differences:
    """ln ratios of some cells and their cores.

    law_variance: of the law they are distances from, at the mean, the fewest and the most cores; law_df: its degrees
    of freedom. Zero and infinite where no law is in them.
    """

    values: np.ndarray
    cores: np.ndarray
    law_variance: np.ndarray = field(default_factory=lambda: np.zeros(3))
    law_df: float = np.inf


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

        With two parts (each side's cells from the other's law) the scatter of the one side is in the one slope's
        error and that of the other in the other's: their variances add, as in a difference of two slopes. With one
        part the law's own slope has an error as well, taken from its errors at both ends as if they were independent,
        which is rather too much.

        References
            Welch (1947), Biometrika 34, for the degrees of freedom.
        """
        if any(not _has_line(part) for part in parts):
            return None
        lines = [_line(part) for part in parts]
        spreads = [line.spread for line in lines]
        if len(parts) == 1 and np.isfinite(parts[0].law_df):
            width = np.log(parts[0].cores.max() / parts[0].cores.min())
            spreads.append((float(parts[0].law_variance[1:].sum() / width**2), parts[0].law_df))
        variance = sum(one for one, _ in spreads)
        if not np.isfinite(variance):
            return None
        df = variance**2 / sum(one**2 / of for one, of in spreads)
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
