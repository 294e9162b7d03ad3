"""What facts say, for tests: their keys and values, and those of the facts in them; and where a page has figures."""

import re
from collections.abc import Iterable

import pytest

from ycsbook.facts import Fact


def facts_in(what: Fact | Iterable[Fact]) -> list[Fact]:
    """The fact, or these facts, and all facts among their values, the outer before the inner."""
    if not isinstance(what, Fact):
        return [inner for one in what for inner in facts_in(one)]
    members = [v for value in what.values.values() for v in (value if isinstance(value, tuple) else (value,))]
    return [what, *facts_in(member for member in members if isinstance(member, Fact))]


def keys_in(what: Fact | Iterable[Fact]) -> list[str]:
    """The keys of the fact, or of these facts, and of all facts in them."""
    return [inner.key for inner in facts_in(what)]


def values_of(what: Fact | Iterable[Fact], key: str) -> dict:
    """The values of the first fact in it with this key."""
    return dict(next(inner for inner in facts_in(what) if inner.key == key).values)


def holds(what: Fact | Iterable[Fact], key: str, /, **values: object) -> bool:
    """Whether a fact in it has this key and these values: figures to three digits, lists member by member, of a fact
    among the values those that a dict names, or its key.

    Examples
        >>> from ycsbook.facts import fact
        >>> loss = fact("loss", most=0.42308, on=[fact("spec", cores=8, ram_gib=16)])
        >>> holds(loss, "loss", most=0.423, on=[{"cores": 8}]), holds(loss, "loss", on=[]), holds([loss], "spec")
        (True, False, True)
    """
    return any(inner.key == key and _fits(dict(inner.values), values) for inner in facts_in(what))


def in_order(text: str, *parts: str) -> bool:
    """Whether these stand in a page or in what a command printed, in this order."""
    return re.search(".*".join(map(re.escape, parts)), text, re.DOTALL) is not None


def _fits(value: object, wanted: object) -> bool:
    match wanted:
        case dict():
            of = value.values if isinstance(value, Fact) else value
            return all(name in of and _fits(of[name], member) for name, member in wanted.items())
        case list() | tuple():
            return len(value) == len(wanted) and all(map(_fits, value, wanted))
        case str() if isinstance(value, Fact):
            return value.key == wanted
        case float() | int() if not isinstance(wanted, bool) and isinstance(value, float | int):
            return value == pytest.approx(wanted, rel=2e-3)
    return value is wanted if wanted is None or isinstance(wanted, bool) else value == wanted
