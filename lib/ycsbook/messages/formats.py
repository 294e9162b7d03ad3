"""Writes numbers, times and lists in a language: the functions that messages call, and cells of tables.

Each takes what `{ NAME($value) }` gives it; a missing figure, which is the word missing, is written as a dash.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial, wraps

from babel import Locale
from fluent.runtime.types import FluentType

from ycsbook import units

# How a missing figure reaches a message, to choose by, and how it is written.
MISSING, DASH = "missing", "–"


class Members(FluentType):
    """The members of a list, each a text; COMMAS, AND, OR, CLAUSES and SENTENCES join them."""

    def __init__(self, members: Sequence[str]):
        self.members = members

    def format(self, locale: Locale) -> str:
        return ", ".join(self.members)


def functions(text: Callable[..., str]) -> dict[str, Callable]:
    """The functions of a language by the names that messages call them by; `text` says a key of it with values."""
    numbers = {
        "NUM": number,
        "FIXED": fixed,
        "DIGITS": digits_at_most,
        "OPS": rate,
        "PERCENT": percent,
        "CHANGE": partial(_change, text),
        "SIG": significant,
        "WITHIN": within,
    }
    lists = {
        name: partial(_joined, text, f"list-{name.lower()}") for name in ("COMMAS", "AND", "OR", "CLAUSES", "SENTENCES")
    }
    return {**numbers, **lists, "DURATION": partial(_duration, text)}


def _or_dash(write: Callable[..., str]) -> Callable[..., str]:
    @wraps(write)
    def written(value: float | str | None, **options: float) -> str:
        if value is None or value == MISSING or math.isnan(value):
            return DASH
        return write(float(value), **{name: int(option) for name, option in options.items()})

    return written


@_or_dash
def number(value: float) -> str:
    """As short as it can be: 0.25, 100, 2.5."""
    return units.at_most(value).replace(",", "") if abs(value) < 1e5 else f"{value:,.0f}"


@_or_dash
def fixed(value: float, digits: int = 0) -> str:
    """So many decimals, thousands grouped: 14,886.2; of what would be all zeros, two digits: 0.0023."""
    return f"{value:,.{digits}f}" if round(value, digits) or not (value and digits) else digits_at_most(value)


@_or_dash
def digits_at_most(value: float, digits: int = 2) -> str:
    """So many digits at most, no zeros at the end, never an exponent: 0.5, 27, 14,900."""
    return units.at_most(value, digits)


# 0.5, 27.1, 14,900.
three_digits = partial(digits_at_most, digits=3)


@_or_dash
def significant(value: float, digits: int = 3) -> str:
    """So many digits, zeros at the end included: 14,900, 0.480, −0.00123."""
    return f"{'−' if value < 0 else ''}{units.significant(abs(value), digits)}".replace("-", "−")


def within(value: float, low: float, high: float) -> str:
    """A figure, or an end of its interval, in two or three digits: none finer than the second of half the interval."""
    at, start, end = (math.nan if x is None or x == MISSING else float(x) for x in (value, low, high))
    half = (end - start) / 2
    digits = 3
    if 0 < half < math.inf and at and math.isfinite(at):
        finest = math.floor(math.log10(half)) - 1
        digits = min(max(math.floor(math.log10(abs(at))) - finest + 1, 2), digits)
    return significant(at, digits=digits)


@_or_dash
def rate(value: float) -> str:
    """Operations per second: 52,148; three digits of a small one."""
    return f"{value:,.0f}" if value >= 100 else units.at_most(value, 3)


@_or_dash
def percent(value: float, digits: int | None = None, significant: int | None = None, lost: int = 0) -> str:
    """A fraction in percent, without the sign %: 41, 12.5; with so many decimals, or so many digits at most. `lost`: it
    is what is lost, of which nearly all is not all."""
    if significant is not None:
        return digits_at_most(100 * value, digits=significant)
    if lost and (text := _nearly_all(value)):
        return text
    return number(100 * value) if digits is None else f"{100 * value:.{digits}f}"


def _nearly_all(share: float) -> str:
    """A share that would be rounded to all, in percent with a decimal; empty of another."""
    return f"{min(100 * share, 99.9):.1f}" if 0.995 <= share < 0.9999 else ""


@_or_dash
def change(value: float) -> str:
    """A fraction as a change: −66 %, +4.0 %, with a decimal below 10 %, and where nearly all is lost."""
    percent = 100 * value
    text = _nearly_all(-value) or (f"{abs(percent):,.0f}" if abs(percent) >= 9.95 else f"{abs(percent):.1f}")
    return f"{'−' if percent < 0 else '+'}{text} %"


def ends(changes: Iterable[float]) -> dict[str, float | None]:
    """The least and the most of some changes, for a message; no least where both read the same."""
    ordered = sorted(changes) or [math.nan]
    least, most = ordered[0], ordered[-1]
    return {"least": None if change(least) == change(most) else least, "most": most}


def gathered(pairs: Iterable[tuple]) -> dict:
    """The values of each key, in order, for a message that says the same of several."""
    values_by_key: dict = {}
    for key, value in pairs:
        values_by_key.setdefault(key, []).append(value)
    return values_by_key


def _change(text: Callable[..., str], value: float | str | None) -> str:
    return change(value).replace(" %", text("percent-sign"))


def _duration(text: Callable[..., str], value: object) -> str:
    """Seconds as a person says them: 20 min, 1 min 15 s; below a second two digits."""
    if value == MISSING:
        return DASH
    if 0 < float(value) < 1:
        return text("duration-short", seconds=float(value))
    minutes, seconds = divmod(round(float(value)), 60)
    hours, minutes = divmod(minutes, 60)
    return text("duration", hours=hours, minutes=minutes, seconds=seconds if not hours else 0)


_WORDS = ("list-and", "list-or")


def _joined(text: Callable[..., str], key: str, members: Members, more: float = 0) -> str:
    """The members with the language's mark between them, and how many `more` there are."""
    joined = members.members[0] if members.members else ""
    for i, member in enumerate(members.members[1:], 2):
        # Only before the last one stands a word; between those before it a comma.
        between = "list-commas" if key in _WORDS and i < len(members.members) else key
        joined = text(between, rest=joined, last=member)
    return text("list-more", shown=joined, more=int(more)) if more else joined
