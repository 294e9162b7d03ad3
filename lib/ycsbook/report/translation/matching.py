"""Sentence patterns with places: which pattern a sentence was made from, and what stands in its places.

A pattern is text with `{name}` for any text, `{name?}` for any or none, and `{#name}` for a number. Each literal
part is looked for once, leftmost, and the last one at the end of the sentence: matching takes one pass whatever
stands in the places, which come from logs and other people's pages.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_PLACE = re.compile(r"\{(#?)(\w+)(\??)\}")
_NUMBER = re.compile(r"[−+×-]?\d[\d.,e]*(?:[–:/-]\d[\d.,]*)?(?: %)?")


@dataclass(frozen=True)
class Pattern:
    """One sentence: its literal parts, one more than its places, and its text in the other language."""

    literals: tuple[str, ...]
    places: tuple[tuple[str, bool, bool], ...]
    target: str

    @property
    def weight(self) -> int:
        """How many letters are literal: of two patterns that fit, the one with more says more."""
        return sum(map(len, self.literals))

    def match(self, text: str) -> dict[str, str] | None:
        """What stands in the places; None where the text was not made from this pattern."""
        first, *between, last = self.literals
        if not text.startswith(first):
            return None
        at, found = len(first), {}
        for (name, number, optional), literal in zip(self.places, (*between, None), strict=True):
            if literal is None:
                end = len(text) - len(last)
                if end < at or not text.endswith(last):
                    return None
            else:
                end = text.find(literal, at if optional else at + 1)
            if end < at or (end == at and not optional):
                return None
            value = text[at:end]
            if number and not _NUMBER.fullmatch(value):
                return None
            found[name] = value
            at = end + len(literal or last)
        return found


def pattern(source: str, target: str) -> Pattern:
    """Read a pattern and its text in the other language, which names the same places.

    Raises
        ValueError: two places side by side, a pattern without places, or other places in the target.

    Examples
        >>> pattern("{#n} threads give {rate}", "{n} 线程给出 {rate}").match("16 threads give 9 ops/s")
        {'n': '16', 'rate': '9 ops/s'}
    """
    parts = _PLACE.split(source)
    literals = tuple(parts[::4])
    places = tuple(zip(parts[2::4], map(bool, parts[1::4]), map(bool, parts[3::4]), strict=True))
    names = {name for name, _, _ in places}
    if not places or "" in literals[1:-1]:
        raise ValueError(f"pattern {source!r}: expected places with text between them")
    if len(names) != len(places) or names != set(re.findall(r"\{(\w+)\}", target)):
        raise ValueError(f"pattern {source!r}: expected the same places in {target!r}")
    return Pattern(literals, places, target)


def ordered(pairs: Iterable[tuple[str, str]]) -> tuple[Pattern, ...]:
    """The patterns of pairs (text, text in the other language), those with the most literal letters first."""
    return tuple(sorted((pattern(*pair) for pair in pairs if "{" in pair[0]), key=lambda p: -p.weight))
