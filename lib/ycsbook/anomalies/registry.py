"""The rules by name, the findings they make and their order, what params say about them, and the page that describes
them."""

import difflib
import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ycsbook.columns import SCHEMAS
from ycsbook.errors import ParamsError
from ycsbook.facts import Fact, fact, from_json, in_columns
from ycsbook.params.sections import rule_switches
from ycsbook.tables import dicts

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
        """The settings of an `anomalies` block. block: rules by name, each off, on or a mapping of thresholds
        (params.sections); None: all as they are. planned_s: how long the plan's runs last, s: what is no shorter was
        asked for. Raises ParamsError: an unknown rule or threshold, with the nearest there is; a value of the wrong
        kind."""
        try:
            switches = rule_switches(block)
        except ValueError as e:
            raise ParamsError(f"anomalies: {e}") from None
        thresholds: dict[str, dict[str, float]] = {}
        for name, value in switches.items():
            check = _known(name)
            if isinstance(value, dict):
                they_are = "its thresholds are " if check.defaults else "it has none"
                for key in value:
                    _named(key, f"anomalies.{name}.{key}: the rule has no such threshold", [*check.defaults], they_are)
                thresholds[name] = value
        if planned_s is not None:
            thresholds["invalid_run"] = {"planned_s": planned_s, **thresholds.get("invalid_run", {})}
        return cls(frozenset(name for name, value in switches.items() if value is False), thresholds)

    def off(self, rule: str) -> bool:
        return rule in self.off_rules

    def of_rule(self, rule: str) -> Thresholds:
        return {**RULES[rule].defaults, **self.thresholds.get(rule, {})}

    def only(self, rules: list[str]) -> "Settings":
        """These settings with every other rule off; none named: as they are. Raises ParamsError: no such rule."""
        return Settings(frozenset(RULES) - {_known(name).name for name in rules}, self.thresholds) if rules else self


def _known(name: str) -> Rule:
    return RULES[_named(name, f"anomalies.{name}: there is no such rule", sorted(RULES), "the rules are ")]


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


# A loss of everything, whose logarithm has no end.
_LOWEST = -0.999
_SHARED = ("workload", "spec", "threads")
# Rules with a finding that sums up the others of its cause: the one about most runs.
_SUMMING = {"thread_regression"}


def ranked(findings: pd.DataFrame) -> pd.DataFrame:
    """Sorted by severity (error, warning, notice, note), then by size; without an effect last. The size of an effect is
    that of its ratio's logarithm: a third of the throughput is as far from it as three times."""
    size = np.log1p(findings["effect"].clip(lower=_LOWEST)).abs().fillna(-1.0)
    keyed = findings.assign(_severity=findings["severity"].map(SEVERITIES.index), _size=-size)
    keyed = keyed.sort_values(["_severity", "_size", "rule", "message_key", "message_values"], kind="stable")
    return keyed[list(SCHEMAS["findings"])].reset_index(drop=True)


def grouped(findings: pd.DataFrame) -> pd.DataFrame:
    """One row per cause of a dataset, the gravest finding speaking for all, a summary of its rule before its parts.
    findings: the findings table. Returns the findings table, ranked. Findings without a cause stand alone. Of several
    the message is the fact `group`: `lead`, the first one's; `more`, how many of its rule there are beside it, with
    `summary`, whether it sums them up; and `others`, what each other rule that saw the same says of most runs, a fact
    `group-other` each. run_ids are those of all; workload, spec and threads stay where all agree. The sentences are
    gone; messages.worded makes those of the groups."""
    order = ranked(findings)
    if order.empty:
        return order
    parts: dict[object, dict[int, dict]] = {}
    for place, row in enumerate(dicts(order)):
        parts.setdefault((row["dataset"], row["cause"]) if row["cause"] else place, {})[place] = row
    speakers = dict(sorted((_speaker(part), part) for part in parts.values()))
    rows = [_together(part[lead], list(part.values())) for lead, part in speakers.items()]
    return ranked(pd.DataFrame(rows, index=list(speakers)).astype(order.dtypes))


def without_others(message: Fact) -> Fact:
    """The message of a group without what other rules say of the same."""
    return fact("group", **{**message.values, "others": None}) if message.key == "group" else message


def lead(message: Fact) -> Fact:
    """The message of the finding that speaks for a group; of a single finding its own."""
    return message.values["lead"] if message.key == "group" else message


def _speaker(part: dict[int, dict]) -> int:
    """The position of the finding that leads a group: the first, or of its rule and severity the one of most runs."""
    place, first = next(iter(part.items()))
    if first["rule"] not in _SUMMING:
        return place
    alike = [i for i, row in part.items() if all(row[name] == first[name] for name in ("rule", "severity"))]
    return max(alike, key=lambda i: _runs(part[i]))


def _runs(row: dict) -> int:
    return len(row["run_ids"].split())


def _together(speaker: dict, part: list[dict]) -> dict:
    """The finding that speaks for a group, with what the others have in common with it."""
    if len(part) == 1:
        return speaker
    run_ids = " ".join(dict.fromkeys(run_id for row in part for run_id in row["run_ids"].split()))
    unlike = {name: math.nan if name == "threads" else "" for name in _SHARED if len({str(r[name]) for r in part}) > 1}
    rule = speaker["rule"]
    alike = [row for row in part if row["rule"] == rule and row is not speaker]
    summary = bool(rule in _SUMMING and alike and _runs(speaker) > max(map(_runs, alike)))
    other_rules = []
    # What may explain the others comes first.
    for name in sorted({row["rule"] for row in part} - {rule}, key=lambda name: (not name.endswith("_hint"), name)):
        most = _message(max((row for row in part if row["rule"] == name), key=_runs))
        other_rules.append(fact("group-other", rule=name, what=fact(f"{most.key}.brief", **most.values)))
    message = fact("group", lead=_message(speaker), more=len(alike), summary=summary, others=other_rules or None)
    return {**speaker, "message": "", **in_columns("message", message), **unlike, "run_ids": run_ids}


def _message(row: dict) -> Fact:
    return from_json(row["message_key"], row["message_values"])
