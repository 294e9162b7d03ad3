"""How a report prints numbers: the unit, the digits, the sign, and a dash for what is missing."""

import math

import pandas as pd

from ycsbook import units

MISSING = "–"


def whole(value: float) -> str:
    """A count or a rate: 14,886."""
    return MISSING if _missing(value) else f"{value:,.0f}"


def share(value: float) -> str:
    """A fraction in percent: 0.77 is `77 %`."""
    return MISSING if _missing(value) else f"{value * 100:.0f} %"


def change(value: float) -> str:
    """A relative change with its sign: -0.66 is `−66 %`; small ones keep a decimal."""
    if _missing(value):
        return MISSING
    percent = value * 100
    text = f"{abs(percent):.0f}" if abs(percent) >= 9.95 else f"{abs(percent):.1f}"
    sign = "−" if percent < 0 else "+"
    return f"{sign}{text} %"


def plain(value: float, digits: int = 3) -> str:
    """A number of any size with that many significant digits, its sign a real minus.

    Examples
        >>> plain(-0.0012345), plain(12.0), plain(float("nan"))
        ('−0.00123', '12.0', '–')
    """
    if _missing(value):
        return MISSING
    text = units.significant(abs(value), digits)
    return f"−{text}" if value < 0 else text


def count(value: float) -> str:
    """Threads or cores, without needless zeros."""
    return MISSING if _missing(value) else f"{value:g}"


def mean_spread(values: pd.Series) -> str:
    """Mean ± standard deviation of repeats; one value stands alone."""
    values = values.dropna()
    if values.empty:
        return MISSING
    return whole(values.mean()) if len(values) < 2 else f"{whole(values.mean())} ± {whole(values.std())}"


def span(low: float, high: float, digits: int = 3) -> str:
    """An interval; a dash where neither end is known."""
    if _missing(low) and _missing(high):
        return MISSING
    return f"{plain(low, digits)} to {plain(high, digits)}"


def effect(value: float, low: float, high: float) -> str:
    """An effect, a fraction, with its interval: `−62 % (−64 % to −60 %)`."""
    if _missing(value):
        return ""
    text = change(value)
    return text if _missing(low) or _missing(high) else f"{text} ({change(low)} to {change(high)})"


def _missing(value: float) -> bool:
    return value is None or math.isnan(value)
