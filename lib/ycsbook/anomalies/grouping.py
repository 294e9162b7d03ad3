"""Findings in the order they are to be read, those with one cause as one."""

import re

import numpy as np
import pandas as pd

from ycsbook.anomalies.registry import SEVERITIES
from ycsbook.columns import SCHEMAS

_SHARED = ("workload", "spec", "threads")
# Rules with a finding that sums up the others of its cause: the one about most runs.
_SUMMING = {"thread_regression"}


def ranked(findings: pd.DataFrame) -> pd.DataFrame:
    """Sorted by severity (error, warning, notice, note), then by size; without an effect last."""
    size = findings["effect"].abs().fillna(-1.0)
    keyed = findings.assign(_severity=findings["severity"].map(SEVERITIES.index), _size=-size)
    keyed = keyed.sort_values(["_severity", "_size", "rule", "message"], kind="stable")
    return keyed[list(SCHEMAS["findings"])].reset_index(drop=True)


def grouped(findings: pd.DataFrame) -> pd.DataFrame:
    """One row per cause of a dataset, the gravest finding speaking for all, a summary of its rule before its parts.

    Parameters
        findings: the findings table.
    Returns
        The findings table, ranked. Findings without a cause stand alone. Of several the message is the first one's
        with `(2 more like it)`, or of a summary `(beside 7 single ones)`, and what each other rule that saw the same
        says of most runs; run_ids are those of all; workload, spec and threads stay where all agree.
    """
    order = ranked(findings)
    if order.empty:
        return order
    first = _groups(order)
    several = order[first.duplicated(keep=False)]
    parts = {_speaker(part): part for _, part in several.groupby(first[several.index], sort=False)}
    rows = order[~first.duplicated(keep=False) | order.index.isin(list(parts))].copy()
    for lead, part in parts.items():
        rows.loc[lead, "message"] += _more(lead, part)
        rows.loc[lead, "run_ids"] = " ".join(dict.fromkeys(" ".join(part["run_ids"]).split()))
        for name in _SHARED:
            if part[name].nunique(dropna=False) > 1:
                rows.loc[lead, name] = np.nan if name == "threads" else ""
    return ranked(rows)


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


def _speaker(part: pd.DataFrame) -> int:
    """The label of the finding that speaks: the first, or of its rule and severity one that holds the runs of more."""
    first = part.iloc[0]
    alike = part[(part["rule"] == first["rule"]) & (part["severity"] == first["severity"])]
    if first["rule"] in _SUMMING:
        return int(_runs(alike).idxmax())
    return int(part.index[0])


def _runs(part: pd.DataFrame) -> pd.Series:
    return part["run_ids"].str.split().str.len()


def _more(lead: int, part: pd.DataFrame) -> str:
    """What is appended to the message of the finding `lead` of a group."""
    rule = part.loc[lead, "rule"]
    more = int((part["rule"] == rule).sum()) - 1
    summing = rule in _SUMMING and _runs(part)[lead] > _runs(part[part["rule"] == rule].drop(index=lead)).max()
    alike = f" (beside {more} single {'one' if more == 1 else 'ones'})" if summing else _count(more)
    others = part[part["rule"] != rule]
    said = []
    for name in sorted(set(others["rule"])):
        own = others[others["rule"] == name]
        said.append(f"{name}: {_clause(own.loc[_runs(own).idxmax(), 'message'])}")
    return alike + "".join(f"; {one}" for one in said)


def _clause(message: str) -> str:
    """A message up to its first parenthesis or semicolon: what was seen, without the figures that bear it out."""
    return re.split(r" \(|; ", message, maxsplit=1)[0]


def _count(more: int) -> str:
    return f" ({more} more like it)" if more else ""
