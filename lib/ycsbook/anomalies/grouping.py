"""Findings in the order they are to be read, those with one cause as one."""

import numpy as np
import pandas as pd

from ycsbook.anomalies.registry import SEVERITIES
from ycsbook.columns import SCHEMAS

_SHARED = ("workload", "spec", "threads")


def ranked(findings: pd.DataFrame) -> pd.DataFrame:
    """Sorted by severity (error, warning, notice, note), then by size; without an effect last."""
    size = findings["effect"].abs().fillna(-1.0)
    keyed = findings.assign(_severity=findings["severity"].map(SEVERITIES.index), _size=-size)
    keyed = keyed.sort_values(["_severity", "_size", "rule", "message"], kind="stable")
    return keyed[list(SCHEMAS["findings"])].reset_index(drop=True)


def grouped(findings: pd.DataFrame) -> pd.DataFrame:
    """One row per cause of a dataset, the gravest finding speaking for all.

    Parameters
        findings: the findings table.
    Returns
        The findings table, ranked. Findings without a cause stand alone. Of several the message is the first one's
        with `(2 more like it)`, and other rules that saw the same named; run_ids are those of all; workload, spec and
        threads stay where all agree.
    """
    order = ranked(findings)
    if order.empty:
        return order
    first = _groups(order)
    several = order[first.duplicated(keep=False)]
    rows = order[~first.duplicated()].copy()
    for lead, part in several.groupby(first[several.index], sort=False):
        rows.loc[lead, "message"] += _more(part)
        rows.loc[lead, "run_ids"] = " ".join(dict.fromkeys(" ".join(part["run_ids"]).split()))
        for name in _SHARED:
            if part[name].nunique(dropna=False) > 1:
                rows.loc[lead, name] = np.nan if name == "threads" else ""
    return rows.reset_index(drop=True)


def main(findings: pd.DataFrame, n: int = 3) -> pd.DataFrame:
    """The main findings for a headline: the worst of each rule first, saying how many more there are like it.

    Parameters
        findings: the findings table.
        n: how many at most.
    Returns
        The findings table, ranked; of findings with one cause only the gravest.
    """
    order = ranked(findings)
    leads = order[~_groups(order).duplicated()]
    nth_of_rule = leads.groupby("rule").cumcount()
    picked = sorted(leads.assign(_nth=nth_of_rule).sort_values("_nth", kind="stable").head(n).index)
    like = order.groupby(["rule", "severity"])["rule"].transform("size") - 1
    more = [_count(like[i]) if nth_of_rule[i] == 0 else "" for i in picked]
    chosen = order.loc[picked]
    return chosen.assign(message=chosen["message"] + pd.Series(more, index=chosen.index)).reset_index(drop=True)


def _groups(order: pd.DataFrame) -> pd.Series:
    """For each finding the label of the first one of its cause, which is its own where it has none."""
    first = pd.Series(order.index, index=order.index)
    caused = order[order["cause"] != ""]
    if len(caused):
        first[caused.index] = first[caused.index].groupby([caused["dataset"], caused["cause"]]).transform("first")
    return first


def _more(part: pd.DataFrame) -> str:
    lead = part["rule"].iloc[0]
    others = ", ".join(sorted(set(part["rule"]) - {lead}))
    alike = _count(int((part["rule"] == lead).sum()) - 1)
    return alike + (f" (seen by {others} too)" if others else "")


def _count(more: int) -> str:
    return f" ({more} more like it)" if more else ""
