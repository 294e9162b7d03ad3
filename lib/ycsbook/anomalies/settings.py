"""What params say about the rules: which are off, and which thresholds are not the rules' own."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field

from ycsbook.anomalies.registry import RULES, Rule
from ycsbook.errors import ParamsError
from ycsbook.params.anomalies import switches

# The threshold that is the plan's, not the user's: the shortest run that params ask for, in s.
_PLANNED = ("invalid_run", "planned_s")


@dataclass(frozen=True)
class Settings:
    """Rules that are off, and thresholds by rule and name that differ from the rules' defaults."""

    off_rules: frozenset[str] = frozenset()
    thresholds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, block: object = None, *, planned_s: float | None = None) -> "Settings":
        """The settings of an `anomalies` block.

        Parameters
            block: rules by name, each off, on or a mapping of thresholds (params.anomalies); None: all as they are.
            planned_s: how long the plan's runs last, s: what is no shorter was asked for.
        Raises
            ParamsError: an unknown rule or threshold, with the nearest there is; a value of the wrong kind.
        """
        try:
            given = switches(block)
        except ValueError as e:
            raise ParamsError(f"anomalies: {e}") from None
        thresholds: dict[str, dict[str, float]] = {}
        for name, value in given.items():
            found = _known(name)
            if isinstance(value, dict):
                thresholds[name] = {_known_threshold(found, key): number for key, number in value.items()}
        if planned_s is not None:
            rule, key = _PLANNED
            thresholds[rule] = {key: planned_s, **thresholds.get(rule, {})}
        return cls(frozenset(name for name, value in given.items() if value is False), thresholds)

    def off(self, rule: str) -> bool:
        """Whether the rule is not to be run."""
        return rule in self.off_rules

    def of_rule(self, rule: str) -> Mapping[str, float]:
        """The thresholds of a rule that are not its own."""
        return self.thresholds.get(rule, {})

    def threshold(self, rule: str, key: str) -> float:
        """A threshold as the rule will see it.

        Raises
            ParamsError: no such rule or threshold.
        """
        found = _known(rule)
        return {**found.defaults, **self.of_rule(rule)}[_known_threshold(found, key)]

    def only(self, rules: list[str]) -> "Settings":
        """These settings with every other rule off; none named: as they are.

        Raises
            ParamsError: no such rule.
        """
        if not rules:
            return self
        wanted = {_known(name).name for name in rules}
        return Settings(frozenset(set(RULES) - wanted), self.thresholds)


def _known(name: str) -> Rule:
    if name not in RULES:
        near = difflib.get_close_matches(name, RULES, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"the rules are {', '.join(sorted(RULES))}"
        raise ParamsError(f"anomalies.{name}: there is no such rule; {hint}")
    return RULES[name]


def _known_threshold(rule: Rule, key: str) -> str:
    if key not in rule.defaults:
        near = difflib.get_close_matches(key, rule.defaults, n=1)
        there = f"its thresholds are {', '.join(rule.defaults)}" if rule.defaults else "it has none"
        hint = f"did you mean {near[0]!r}?" if near else there
        raise ParamsError(f"anomalies.{rule.name}.{key}: the rule has no such threshold; {hint}")
    return key
