"""The rules by name, the finding they make, and the page that describes them."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ycsbook.anomalies.evidence import Evidence

SEVERITIES = ("error", "warning", "notice", "note")
# The chance that a clean sweep gets any warning or worse by noise alone, shared out among the rules as budgets.
FAMILY_BUDGET = 0.005


@dataclass(frozen=True)
class Finding:
    """One flag, with the columns of the findings table.

    effect is a fraction: -0.66 is two thirds less than expected, NaN where the finding is about how many runs; its
    interval is NaN without repeats. evidence is repeats (an interval from repeats) or single (one run each, so nothing
    is known about noise), which `find` makes published for rows that a vendor published. workload, spec and threads
    are filled by `find` where all runs of the finding have the same. Findings with one `cause` read as one.
    """

    severity: str
    dataset: str
    run_ids: tuple[str, ...]
    message: str
    next_step: str
    evidence: str = "single"
    effect: float = float("nan")
    conf_low: float = float("nan")
    conf_high: float = float("nan")
    workload: str = ""
    spec: str = ""
    threads: float = float("nan")
    cause: str = ""
    rule: str = ""


Settings = Mapping[str, float]


@dataclass(frozen=True)
class Rule:
    """A rule: a pure function, and what is said of it.

    budget: the chance of a false warning or worse in a whole clean sweep that it may take, of FAMILY_BUDGET for all
    rules; cannot_know: a sentence for the documentation; source: where the method is from; defaults: thresholds by
    name, which params may change.
    """

    name: str
    function: "Callable[[Evidence, Settings], Iterable[Finding]]"
    budget: float = 0.0
    cannot_know: str = ""
    source: str = ""
    defaults: Settings = field(default_factory=dict)

    def __call__(self, evidence: "Evidence", settings: Settings | None = None) -> "Iterable[Finding]":
        return self.function(evidence, {**self.defaults, **(settings or {})})

    @property
    def says(self) -> str:
        """The first paragraph of the function's docstring, on one line: what the rule looks for."""
        return " ".join((inspect.getdoc(self.function) or "").split("\n\n")[0].split())


RULES: dict[str, Rule] = {}


def rule(function: Callable | None = None, **said: object) -> Callable:
    """Register a rule under its function's name; `said` are the fields of Rule."""

    def registered(function: Callable) -> Rule:
        RULES[function.__name__] = found = Rule(function.__name__, function, **said)
        return found

    return registered(function) if function else registered


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
    for name, known in sorted(RULES.items()):
        thresholds = ", ".join(f"`{key}` {value:g}" for key, value in known.defaults.items())
        lines = [
            known.says,
            f"Cannot know: {known.cannot_know}" if known.cannot_know else "",
            f"Thresholds: {thresholds}." if thresholds else "",
            f"False warnings: at most {100 * known.budget:g} % of clean sweeps." if known.budget else "",
            f"Source: {known.source}" if known.source else "",
        ]
        parts.append(f"\n## {name}\n\n" + "\n\n".join(filter(None, lines)) + "\n")
    return "".join(parts)
