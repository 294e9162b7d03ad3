"""How a report prints numbers: the unit, the digits, the sign, and a dash for what is missing."""

import math

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


def mean_spread(mean: float, deviation: float, n: float) -> str:
    """Mean ± standard deviation of repeats; one value stands alone."""
    return whole(mean) if _missing(mean) or n < 2 else f"{whole(mean)} ± {whole(deviation)}"


def _missing(value: float) -> bool:
    return value is None or math.isnan(value)
