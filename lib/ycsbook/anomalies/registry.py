"""The rules by name, and the finding they make."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ycsbook.anomalies.evidence import Evidence

SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True)
class Finding:
    """One flag, with the columns of the findings table.

    effect is a ratio less one ("ratio") or X R / N ("utilisation"); NaN where the finding is about how many runs.
    evidence is repeated (an interval from repeats), single (one run each, so nothing is known about noise) or
    arithmetic (follows from the figures alone).
    """

    severity: str
    dataset: str
    run_ids: tuple[str, ...]
    sentence: str
    advice: str
    evidence: str
    effect: float = float("nan")
    effect_low: float = float("nan")
    effect_high: float = float("nan")
    effect_unit: str = ""
    rule: str = ""


Rule = Callable[["Evidence"], Iterable[Finding]]
RULES: dict[str, Rule] = {}


def rule(function: Rule) -> Rule:
    """Register a rule under its function's name."""
    RULES[function.__name__] = function
    return function
