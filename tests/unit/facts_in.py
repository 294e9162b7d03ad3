"""What a fact says, for tests: its keys, its own and those of the facts in it, and its values."""

from ycsbook.facts import Fact


def facts_in(what: Fact) -> list[Fact]:
    """The fact and all facts among its values, the outermost first."""
    members = [v for value in what.values.values() for v in (value if isinstance(value, tuple) else (value,))]
    return [what, *(inner for member in members if isinstance(member, Fact) for inner in facts_in(member))]


def keys_in(what: Fact) -> list[str]:
    """The keys of the fact and of all facts in it."""
    return [inner.key for inner in facts_in(what)]


def values_of(what: Fact, key: str) -> dict:
    """The values of the first fact in it with this key."""
    return dict(next(inner for inner in facts_in(what) if inner.key == key).values)
