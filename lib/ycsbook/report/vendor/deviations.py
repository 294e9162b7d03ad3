"""In what a page in a vendor's shape differs from what the vendor printed: said outside the page."""

import pandas as pd

from ycsbook.anomalies import names
from ycsbook.facts import Fact, fact
from ycsbook.messages import say
from ycsbook.params.sweep import Sweep
from ycsbook.report.rows import ReportRows
from ycsbook.report.vendor.measurements import measurements
from ycsbook.tables import Tables


def deviations(sweep: Sweep, tables: Tables, findings: pd.DataFrame) -> list[str]:
    """A text each, in the report's language.

    Parameters
        findings: rows that an error names stand on the page as they are, without a mark, and are listed here.
    """
    rows = ReportRows(sweep, tables)
    return [say(deviation, rows.lang) for deviation in _deviations(rows, findings)]


def _deviations(rows: ReportRows, findings: pd.DataFrame) -> list[Fact]:
    found = [fact("vendor-deviation-blanks"), fact("vendor-deviation-layout")]
    repeats = max(m.n for m in measurements(rows))
    if repeats > 1:
        found.append(fact("vendor-deviation-means", n=repeats))
    errors = findings.loc[findings["severity"] == "error", "run_ids"]
    ids = {run_id for run_ids in errors for run_id in run_ids.split()}
    wrong = [names.cell_listed(row) for row in rows.fitted[rows.fitted["run_id"].isin(ids)].to_dict("records")]
    if wrong:
        found.append(fact("vendor-deviation-rows", rows=wrong))
    return found
