"""Anomalies: what in a set of tables is impossible, suspicious or worth knowing, as one findings frame.

Pure: `find(tables)` runs every rule; `grouped(findings)` puts those with one cause together; `main(findings)` picks
what a headline says. A rule is a function registered by `registry.rule` in a module of this folder: all of them are
imported here, so a new rule is a new file.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import asdict

import pandas as pd

from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.grouping import grouped, main, ranked
from ycsbook.anomalies.registry import RULES, SEVERITIES, Finding
from ycsbook.anomalies.settings import Settings
from ycsbook.tables import Tables, empty, from_rows
from ycsbook.verdicts import Outcome

__all__ = ["RULES", "SEVERITIES", "Evidence", "Finding", "Settings", "find", "grouped", "main", "ranked"]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")


def find(
    tables: Tables,
    *,
    settings: Settings | None = None,
    history: Tables | None = None,
    documents: Mapping[str, Mapping] | None = None,
) -> pd.DataFrame:
    """Run every rule that is not off.

    Parameters
        tables: runs, operations, percentiles and intervals are read; published rows and own runs may stand in one.
        settings: which rules are off and which thresholds are others; None: all as the rules have them.
        history: earlier runs of the same configurations; documents: what publishers say of a dataset, by its name.
            Both as Evidence has them.
    Returns
        The findings table, by severity, then by size of the effect.
    """
    settings, evidence = settings or Settings(), Evidence(tables, history, documents or {})
    runs = tables.runs.set_index("run_id")[["outcome", "workload", "spec", "threads"]]
    rows = [
        {**asdict(found), **_of_its_runs(found, runs), "rule": name, "run_ids": " ".join(found.run_ids)}
        for name, rule in RULES.items()
        if not settings.off(name)
        for found in rule(evidence, settings.of_rule(name))
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
