"""Anomalies: what in a set of tables is impossible, suspicious or worth knowing, as one findings frame.

Pure: `find(tables)` runs every rule; `main(findings)` picks what a headline says. A rule is a function registered by
`registry.rule` in its own module, imported here.
"""

from dataclasses import asdict

import pandas as pd

from ycsbook.anomalies import inversions, little_law, machine, repeats, run_state, thread_regression
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import RULES, SEVERITIES, Finding
from ycsbook.columns import SCHEMAS
from ycsbook.tables import Tables, empty, from_rows
from ycsbook.verdicts import Outcome

__all__ = [
    "RULES", "SEVERITIES", "Evidence", "Finding", "find", "inversions", "little_law", "machine", "main", "repeats",
    "run_state", "thread_regression",
]  # fmt: skip


def find(tables: Tables) -> pd.DataFrame:
    """Run every rule.

    Parameters
        tables: runs and operations are read; published rows and own runs may stand in one.
    Returns
        The findings table, by severity, then by size of the effect.
    """
    evidence = Evidence(tables)
    runs = tables.runs.set_index("run_id")[["outcome", "workload", "spec", "threads"]]
    rows = [
        {**asdict(found), **_of_its_runs(found, runs), "rule": name, "run_ids": " ".join(found.run_ids)}
        for name, rule in RULES.items()
        for found in rule(evidence)
    ]
    return ranked(from_rows(rows, "findings")) if rows else empty("findings")


def _of_its_runs(found: Finding, runs: pd.DataFrame) -> dict[str, object]:
    """What all runs of a finding have in common, where the rule did not say it."""
    part = runs.loc[[i for i in found.run_ids if i in runs.index]]
    told: dict[str, object] = {}
    for name in ("workload", "spec", "threads"):
        values = part[name].unique()
        if getattr(found, name) in ("", None) or pd.isna(getattr(found, name)):
            told |= {name: values[0]} if len(values) == 1 else {}
    if found.evidence == "single" and len(part) and (part["outcome"] == Outcome.PUBLISHED).all():
        told["evidence"] = "published"
    return told


def ranked(findings: pd.DataFrame) -> pd.DataFrame:
    """Sorted by severity (error, warning, notice, note), then by size; without an effect last."""
    size = findings["effect"].abs().fillna(-1.0)
    keyed = findings.assign(_severity=findings["severity"].map(SEVERITIES.index), _size=-size)
    keyed = keyed.sort_values(["_severity", "_size", "rule", "message"], kind="stable")
    return keyed[list(SCHEMAS["findings"])].reset_index(drop=True)


def main(findings: pd.DataFrame, n: int = 3) -> pd.DataFrame:
    """The main findings for a headline: the worst of each rule first, saying how many more there are like it.

    Parameters
        findings: as `find` gives them.
        n: how many at most.
    """
    order = ranked(findings)
    nth_of_rule = order.groupby("rule").cumcount()
    picked = sorted(order.assign(_nth=nth_of_rule).sort_values("_nth", kind="stable").head(n).index)
    like = order.groupby(["rule", "severity"])["rule"].transform("size") - 1
    more = [
        f" ({n} more like it)" if n and i == 0 else "" for n, i in zip(like[picked], nth_of_rule[picked], strict=True)
    ]
    chosen = order.loc[picked]
    return chosen.assign(message=chosen["message"] + pd.Series(more, index=chosen.index)).reset_index(drop=True)
