"""Anomalies: what in a set of tables is impossible, suspicious or worth knowing, as one findings frame.

Pure: `find(tables)` runs every rule; `grouped(findings)` puts those with one cause together. A rule is a function
registered by `rule` in a module of this folder: all of them are imported here, so a new rule is a new file. Rules of
other packages are found by their entry points (docs/extending.md).
"""

import importlib
import pkgutil
import sys
from collections.abc import Mapping
from importlib.metadata import entry_points
from types import ModuleType

import pandas as pd

from ycsbook.anomalies.evidence import Evidence
from ycsbook.anomalies.registry import RULES, SEVERITIES, Finding, Settings, grouped, ranked, rule
from ycsbook.columns import CELL
from ycsbook.errors import ToolError
from ycsbook.facts import fact, in_columns
from ycsbook.tables import Tables, empty, from_rows
from ycsbook.verdicts import Outcome

__all__ = ["RULES", "SEVERITIES", "Evidence", "Finding", "Settings", "find", "grouped", "ranked", "rule"]

# Columns of the table that a finding has as they are.
_SAME = ("severity", "dataset", "evidence", "effect", "conf_low", "conf_high", "workload", "spec", "threads", "cause")

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
for _entry in entry_points(group="ycsbook.rules"):
    # Whatever another package does wrong when it is imported is said as an error of that package.
    try:
        _entry.load()
    except Exception as e:
        _of = _entry.dist.name if _entry.dist else "an unnamed package"
        raise ToolError(f"rule {_entry.name} of {_of}: cannot be loaded: {e}; mend or remove that package") from e


class _Package(ModuleType):
    """This package, which can be called as well: ycsbook.anomalies(data) is a function of the library."""

    def __call__(self, *data: object, **options: object) -> pd.DataFrame:
        """See ycsbook.library.anomalies."""
        return importlib.import_module("ycsbook.library").anomalies(*data, **options)


sys.modules[__name__].__class__ = _Package


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
        The findings table, by severity, then by size of the effect; without the sentences, which messages.worded adds.
    """
    settings, evidence = settings or Settings(), Evidence(tables, history, documents or {})
    runs = tables.runs.set_index("run_id")[CELL]
    rows = [
        _row(name, finding, runs)
        for name, check in RULES.items()
        if not settings.off(name)
        for finding in check(evidence, settings.of_rule(name))
    ]
    return ranked(from_rows(rows, "findings")) if rows else empty("findings")


def _row(name: str, finding: Finding, runs: pd.DataFrame) -> dict[str, object]:
    """A finding of a rule as a row of the table, with what all its runs have in common where the rule is silent."""
    row = {column: getattr(finding, column) for column in _SAME}
    part = runs.loc[[i for i in finding.run_ids if i in runs.index]]
    for column in ("workload", "spec", "threads"):
        values = part[column].unique()
        if len(values) == 1 and (row[column] == "" or pd.isna(row[column])):
            row[column] = values[0]
    if finding.evidence == "single" and len(part):
        if (part["outcome"] == Outcome.PUBLISHED).all():
            row["evidence"] = "published"
        # Of servers that nobody names each run is of its own.
        elif (part["spec"] != "").all() and part.groupby(CELL, dropna=False).size().min() > 1:
            row["evidence"] = "repeats"
    message, advice = finding.message, finding.advice or fact(f"{finding.message.key}-advice")
    row |= in_columns("message", message) | in_columns("advice", advice)
    return row | {"rule": name, "run_ids": " ".join(finding.run_ids)}
