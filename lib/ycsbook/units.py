"""Conversions, each in one place."""

import math
import re
from collections.abc import Sequence
from decimal import Decimal

US_PER_S = 1_000_000
US_PER_MS = 1_000
MS_PER_S = 1_000
SECONDS_PER_HOUR = 3_600.0
BYTES_PER_GIB = 1024**3
BYTES_PER_MIB = 1024**2

_BARS = "▁▂▃▄▅▆▇█"
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|sec|min|h|d)?")
_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)(\s?%)?", re.ASCII)
_SECONDS = {"ms": 1e-3, None: 1.0, "s": 1.0, "sec": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}


def seconds(text: str | int | float) -> float:
    """A duration in seconds from `5`, `5s`, `20min`, `1.5h` or `30d`; ValueError: anything else, as `1:30`."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        return float(text)
    match = _DURATION.fullmatch(text.strip()) if isinstance(text, str) else None
    if not match:
        raise ValueError(f"got {text!r}, expected a duration such as 5s or 20min")
    return float(match[1]) * _SECONDS[match[2]]


def share(text: str | int | float) -> float:
    """A share as people write it: 5%, 10 % or 0.05. ValueError: anything else."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        return float(text)
    match = _SHARE.fullmatch(text.strip()) if isinstance(text, str) else None
    if not match:
        raise ValueError(f"got {text!r}, expected a share such as 5% or 0.05")
    return float(match[1]) / (100 if match[2] else 1)


def us(value: float, unit: str) -> float:
    return value / 1_000 if unit == "ns" else value * {"us": 1, "ms": US_PER_MS, "s": US_PER_S}[unit]


def duration(seconds_: float) -> str:
    minutes, secs = divmod(round(seconds_), 60)
    hours, minutes = divmod(minutes, 60)
    parts = {"h": hours, "min": minutes, "s": 0 if hours else secs}
    return " ".join(f"{n} {unit}" for unit, n in parts.items() if n) or "0 s"


def bars(values: Sequence[float]) -> str:
    """Values as a line of bars, from 0 to the highest."""
    top = max(values, default=0.0) or 1.0
    return "".join(_BARS[round(value / top * (len(_BARS) - 1))] for value in values)


def at_most(value: float, digits: int = 6) -> str:
    """So many significant digits at most, thousands grouped, no zeros at the end, never in exponent form."""
    return f"{Decimal(f'{value:.{digits}g}'):,f}"


def significant(value: float, digits: int = 3) -> str:
    """A number rounded to so many significant digits, thousands grouped, never in exponent form."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    rounded = round(value, decimals)
    return f"{rounded:,.{max(decimals, 0)}f}"
