"""The rules by name, and the finding they make."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ycsbook.anomalies.evidence import Evidence

SEVERITIES = ("error", "warning", "notice", "note")


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

    budget: the chance of a false warning or worse in a whole clean sweep that it may take, of 0.5 % for all rules;
    cannot_know: a sentence for the documentation; source: where the method is from; defaults: thresholds by name,
    which params may change.
    """

    name: str
    function: "Callable[[Evidence, Settings], Iterable[Finding]]"
    budget: float = 0.0
    cannot_know: str = ""
    source: str = ""
    defaults: Settings = field(default_factory=dict)

    def __call__(self, evidence: "Evidence", settings: Settings | None = None) -> "Iterable[Finding]":
        return self.function(evidence, {**self.defaults, **(settings or {})})


RULES: dict[str, Rule] = {}


def rule(function: Callable | None = None, **said: object) -> Callable:
    """Register a rule under its function's name; `said` are the fields of Rule."""

    def registered(function: Callable) -> Rule:
        RULES[function.__name__] = found = Rule(function.__name__, function, **said)
        return found

    return registered(function) if function else registered
