"""The findings of a report: those with one cause as one, the gravest first, each with what to do next."""

import pandas as pd

from ycsbook.anomalies import grouped
from ycsbook.report.blocks import Findings, Section, Text
from ycsbook.report.opening import finding
from ycsbook.report.rows import Rows


def section(rows: Rows, findings: pd.DataFrame) -> Section:
    """All findings, grouped by cause; how many there are is said where the grouping hides it.

    Parameters
        findings: the findings table.
    """
    t = rows.t
    if findings.empty:
        return Section(t["findings"], "findings", (Text(t["findings_none"]),))
    shown = grouped(findings)
    count = t["findings_count"].format(n=len(shown))
    if len(shown) < len(findings):
        count = t["findings_grouped"].format(n=len(findings), groups=len(shown))
    blocks = Findings(tuple(finding(rows, row) for row in shown.to_dict("records")))
    return Section(t["findings"], "findings", (Text(count, "note"), blocks))
