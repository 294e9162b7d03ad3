"""The rules by name, the finding they make, what params say about them, and the page that describes them."""

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ycsbook.errors import ParamsError
from ycsbook.facts import Fact
from ycsbook.params.sections import rule_switches

if TYPE_CHECKING:
    from ycsbook.anomalies.evidence import Evidence

SEVERITIES = ("error", "warning", "notice", "note")
# The chance that a clean sweep gets any warning or worse by noise alone, shared out among the rules as budgets.
FAMILY_BUDGET = 0.005
# Single runs say nothing about noise; a smaller loss than this is not held against them.
SINGLE_LOSS = 0.10
# A run that stalls may lose a third; what loses half lost it to something else.
BEYOND_DOUBT = 0.5


@dataclass(frozen=True)
class Finding:
    """One flag, with the columns of the findings table. message says what was found, advice what to do next: by default
    the message of its key with -advice at the end. effect is a fraction: -0.66 is two thirds less than expected, NaN
    where the finding is about how many runs; its interval is NaN without repeats. evidence is repeats (an interval from
    repeats) or single (one run each, so nothing is known about noise), which `find` makes published for rows that a
    vendor published. workload, spec and threads are filled by `find` where all runs of the finding have the same.
    Findings with one `cause` read as one."""

    severity: str
    dataset: str
    run_ids: tuple[str, ...]
    message: Fact
    evidence: str = "single"
    effect: float = float("nan")
    conf_low: float = float("nan")
    conf_high: float = float("nan")
    workload: str = ""
    spec: str = ""
    threads: float = float("nan")
    cause: str = ""
    advice: Fact | None = None


def evidence_of(conf_low: float) -> str:
    """The grade of evidence of one comparison: an interval comes from repeats only."""
    return "single" if np.isnan(conf_low) else "repeats"


Thresholds = Mapping[str, float]


@dataclass(frozen=True)
class Rule:
    """A rule: a pure function, and what is said of it. budget: the chance of a false warning or worse in a whole clean
    sweep that it may take, of FAMILY_BUDGET for all rules; cannot_know: a sentence for the documentation; source: where
    the method is from; defaults: thresholds by name, which params may change."""

    name: str
    function: "Callable[[Evidence, Thresholds], Iterable[Finding]]"
    budget: float = 0.0
    cannot_know: str = ""
    source: str = ""
    defaults: Thresholds = field(default_factory=dict)

    def __call__(self, evidence: "Evidence", settings: Thresholds | None = None) -> "Iterable[Finding]":
        return self.function(evidence, {**self.defaults, **(settings or {})})

    @property
    def says(self) -> str:
        """The first paragraph of the function's docstring, on one line: what the rule looks for."""
        return " ".join((inspect.getdoc(self.function) or "").split("\n\n")[0].split())


RULES: dict[str, Rule] = {}


def rule(function: Callable | None = None, **fields: object) -> Callable:
    """Register a rule under its function's name; `fields` are those of Rule."""
    if function is None:
        return partial(rule, **fields)
    RULES[function.__name__] = made = Rule(function.__name__, function, **fields)
    return made


@dataclass(frozen=True)
class Settings:
    """Rules that are off, and thresholds by rule and name that differ from the rules' defaults."""

    off_rules: frozenset[str] = frozenset()
    thresholds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @classmethod
    def of(cls, block: object = None, *, planned_s: float | None = None) -> "Settings":
        """The settings of an `anomalies` block: rules by name, each off, on or a mapping of thresholds (params.sections);
        None: all as they are. planned_s: how long the plan's runs last, s: what is no shorter was asked for. Raises
        ParamsError: an unknown rule or threshold, with the nearest there is; a value of the wrong kind."""
        try:
            switches = rule_switches(block)
        except ValueError as e:
            raise ParamsError(f"anomalies: {e}") from None
        thresholds: dict[str, dict[str, float]] = {}
        for name, value in switches.items():
            check = _known(name)
            if isinstance(value, dict):
                thresholds[name] = {_known_threshold(check, key): number for key, number in value.items()}
        if planned_s is not None:
            thresholds["invalid_run"] = {"planned_s": planned_s, **thresholds.get("invalid_run", {})}
        return cls(frozenset(name for name, value in switches.items() if value is False), thresholds)

    def off(self, rule: str) -> bool:
        """Whether the rule is not to be run."""
        return rule in self.off_rules

    def of_rule(self, rule: str) -> Thresholds:
        """The thresholds of a rule as it will see them."""
        return {**RULES[rule].defaults, **self.thresholds.get(rule, {})}

    def only(self, rules: list[str]) -> "Settings":
        """These settings with every other rule off; none named: as they are. Raises ParamsError: no such rule."""
        if not rules:
            return self
        return Settings(frozenset(RULES) - {_known(name).name for name in rules}, self.thresholds)


def _known(name: str) -> Rule:
    return RULES[_named(name, f"anomalies.{name}: there is no such rule", sorted(RULES), "the rules are ")]


def _known_threshold(rule: Rule, key: str) -> str:
    wrong = f"anomalies.{rule.name}.{key}: the rule has no such threshold"
    return _named(key, wrong, list(rule.defaults), "its thresholds are " if rule.defaults else "it has none")


def _named(name: str, wrong: str, names: list[str], they_are: str) -> str:
    """The name, if it is known; else an error with the nearest, or all there are."""
    if name in names:
        return name
    near = difflib.get_close_matches(name, names, n=1)
    raise ParamsError(f"{wrong}; " + (f"did you mean {near[0]!r}?" if near else they_are + ", ".join(names)))


_HEAD = """# Rules

What each check of `ycsbook anomalies` looks for, and what it cannot know. Severities, gravest first: {severities}.
All rules together make a warning or an error on a clean sweep in at most {family:g} % of sweeps; a rule without a share
in that budget does not hang on noise, or gives notices and notes at most.

A params file turns a rule off or changes its thresholds:

```yaml
anomalies:
  warmup: off
  stall: {{seconds: 10}}
```

Written by `python -c 'from ycsbook.anomalies.registry import reference; print(reference(), end="")'`.
"""


def reference() -> str:
    """Every rule as a Markdown page: docs/rules.md."""
    parts = [_HEAD.format(severities=", ".join(SEVERITIES), family=100 * FAMILY_BUDGET)]
    for name, check in sorted(RULES.items()):
        thresholds = ", ".join(f"`{key}` {value:g}" for key, value in check.defaults.items())
        share = f"at most {100 * check.budget:g} % of clean sweeps." if check.budget else ""
        lines = {"Cannot know": check.cannot_know, "Thresholds": thresholds and f"{thresholds}.",
                 "False warnings": share, "Source": check.source}  # fmt: skip
        texts = [check.says, *(f"{title}: {text}" for title, text in lines.items() if text)]
        parts.append(f"\n## {name}\n\n" + "\n\n".join(texts) + "\n")
    return "".join(parts)
