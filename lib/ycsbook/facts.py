"""A fact: what is to be said, as a key and its values. Sentences are made of facts by `messages`, and only there."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Union

Value = Union[str, int, float, bool, None, "Fact", tuple["Value", ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """The key of a message and its values; `fact` makes one. A missing figure is None, never NaN, so that equal facts
    are equal; an infinite one the text inf or -inf, as JSON has no number for it. Lists are tuples."""

    key: str
    values: Mapping[str, Value]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fact) and (self.key, dict(self.values)) == (other.key, dict(other.values))

    def __hash__(self) -> int:
        return hash((self.key, frozenset(self.values.items())))

    def __str__(self) -> str:
        """For programmers, where no catalogue is at hand: few(n=2, x=cores)."""
        return f"{self.key}({', '.join(f'{name}={value}' for name, value in self.values.items())})"

    def __reduce__(self):
        return from_plain, (as_plain(self),)

    def values_json(self) -> str:
        """The values as JSON text, with nested facts as `{"key": ..., "values": {...}}` and what is missing as null."""
        return json.dumps(as_plain(self)["values"], ensure_ascii=False)


def fact(key: str, **values: object) -> Fact:
    """A fact of these values: numpy's numbers become Python's, NaN None, lists tuples; TypeError: any other kind."""
    return Fact(key, MappingProxyType({name: _value(name, value) for name, value in values.items()}))


def from_json(key: str, values: str) -> Fact:
    """The fact whose values are this JSON text, as values_json wrote it; an empty text is no values."""
    return from_plain({"key": key, "values": json.loads(values or "{}")})


def in_columns(name: str, content: Fact | None) -> dict[str, str]:
    """The columns of a table that hold a fact, NAME_key and NAME_values; both are empty where nothing is said."""
    key, values = ("", "") if content is None else (content.key, content.values_json())
    return {f"{name}_key": key, f"{name}_values": values}


def _value(name: str, value: object) -> Value:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, list | tuple):
        return tuple(_value(name, item) for item in value)
    number = value.item() if hasattr(value, "item") else value
    if isinstance(number, float):
        return None if math.isnan(number) else number if math.isfinite(number) else str(number)
    if number is None or isinstance(number, int | Fact):
        return number
    raise TypeError(f"{name}: got {type(value).__name__}, expected a text, a number, a fact or a list of them")


def as_plain(value: Value) -> object:
    """A value as JSON has it: a fact as `{"key": ..., "values": {...}}`."""
    if isinstance(value, Fact):
        return {"key": value.key, "values": {name: as_plain(item) for name, item in value.values.items()}}
    return [as_plain(item) for item in value] if isinstance(value, tuple) else value


def from_plain(value: object) -> object:
    if isinstance(value, dict):
        return fact(value["key"], **{name: from_plain(item) for name, item in value["values"].items()})
    return [from_plain(item) for item in value] if isinstance(value, list) else value
