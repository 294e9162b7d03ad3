"""The findings of a report: those with one cause as one, the gravest first, each with what to do next."""

import numpy as np
import pandas as pd

from ycsbook.anomalies import grouped
from ycsbook.anomalies.grouping import lead, with_titles, without_others
from ycsbook.messages import fact_of
from ycsbook.report.blocks import Findings, Flag, Section, Text
from ycsbook.report.rows import ReportRows

# Findings that are said with what to do; more than these nobody reads at once.
FIRST = 10
# The size of a finding in the table, and what messages call it.
_FIGURES = {"effect": "effect", "conf_low": "low", "conf_high": "high"}


def section(rows: ReportRows, findings: pd.DataFrame) -> Section:
    """The gravest findings with what to do, grouped by cause; the others folded, in a line each.

    Parameters
        findings: the findings table.
    """
    text = rows.text
    if findings.empty:
        return Section(text("findings"), "findings", (Text(text("findings-none")),))
    shown = grouped(findings)
    if shown["evidence"].nunique() == 1:
        # Said of each it would say nothing.
        shown = shown.assign(evidence="")
    shown = shown.to_dict("records")
    count = text("findings-count", n=len(findings), grouped=len(shown) if len(shown) < len(findings) else None)
    blocks = [Text(count, "note"), Findings(tuple(flag(rows, row) for row in shown[:FIRST]))]
    if others := tuple(flag(rows, row, brief=True) for row in shown[FIRST:]):
        blocks.append(Section(text("findings-others"), "findings-others", (Findings(others, brief=True),), folded=True))
    return Section(text("findings"), "findings", tuple(blocks))


def flag(rows: ReportRows, row: dict, *, brief: bool = False) -> Flag:
    """The block of one row of the findings frame; `brief`: without what other rules saw of the same."""
    message = fact_of(row, "message")
    # A message that names the effect itself need not be followed by it.
    named = lead(message).values
    unnamed = [row[column] for column, name in _FIGURES.items() if named.get(name) is None]
    effect = "" if np.isnan(unnamed).all() else rows.effect(*(row[column] for column in _FIGURES))
    text = rows.say(without_others(message) if brief else with_titles(message))
    return Flag(row["severity"], row["rule"], text, effect, row["evidence"], rows.say(fact_of(row, "advice")))
