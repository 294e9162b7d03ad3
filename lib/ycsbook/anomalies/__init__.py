"""Anomalies: what in a set of tables is impossible, suspicious or worth knowing, as one findings frame.

Pure: `find(tables)` runs every rule; `main(findings)` picks what a headline says. A rule is a function registered by
`registry.rule` in its own module, imported here.
"""

from dataclasses import asdict

import pandas as pd

from ycsbook.anomalies import inversions, little_law, machine, repeats, run_state, thread_regressions
from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import RULES, SEVERITIES, Finding
from ycsbook.columns import SCHEMAS
from ycsbook.tables import Tables, empty, from_rows

__all__ = [
    "RULES", "SEVERITIES", "Evidence", "Finding", "find", "inversions", "little_law", "machine", "main", "repeats",
    "run_state", "thread_regressions",
]  # fmt: skip


def find(tables: Tables) -> pd.DataFrame:
    """Run every rule.

    Parameters
        tables: runs and operations are read; published rows and own runs may stand in one.
    Returns
        The findings table, by severity, then by size of the effect.
    """
    evidence = Evidence(tables)
    rows = [
        {**asdict(found), "rule": name, "run_ids": " ".join(found.run_ids)}
        for name, rule in RULES.items()
        for found in rule(evidence)
    ]
    return ranked(from_rows(rows, "findings")) if rows else empty("findings")


def ranked(findings: pd.DataFrame) -> pd.DataFrame:
    """Sorted by severity (error, warning, note), then by size (of U the excess over 1); without an effect last."""
    size = findings["effect"].where(findings["effect_unit"] != "utilisation", findings["effect"] - 1).abs().fillna(-1.0)
    keyed = findings.assign(_severity=findings["severity"].map(SEVERITIES.index), _size=-size)
    keyed = keyed.sort_values(["_severity", "_size", "rule", "sentence"], kind="stable")
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
    return chosen.assign(sentence=chosen["sentence"] + pd.Series(more, index=chosen.index)).reset_index(drop=True)
