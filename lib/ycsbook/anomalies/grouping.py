"""Findings in the order they are to be read, those with one cause as one."""

import math
import re

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
    parts: dict[int, dict[int, dict]] = {}
    for place, (first, row) in enumerate(zip(_groups(order), order.to_dict("records"), strict=True)):
        parts.setdefault(first, {})[place] = row
    spoken = dict(sorted((_speaker(part), part) for part in parts.values()))
    rows = order.loc[list(spoken)]
    together = [_together(part[lead], list(part.values())) for lead, part in spoken.items()]
    return ranked(rows.assign(**{name: [row[name] for row in together] for name in ("message", "run_ids", *_SHARED)}))


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


def _speaker(part: dict[int, dict]) -> int:
    """The place of the finding that speaks: the first, or of its rule and severity one that holds the runs of more."""
    place, first = next(iter(part.items()))
    if first["rule"] not in _SUMMING:
        return place
    alike = [i for i, row in part.items() if all(row[name] == first[name] for name in ("rule", "severity"))]
    return max(alike, key=lambda i: _runs(part[i]))


def _runs(row: dict) -> int:
    return len(row["run_ids"].split())


def _together(lead: dict, part: list[dict]) -> dict:
    """The finding that speaks for a group, with what the others have in common with it."""
    if len(part) == 1:
        return lead
    run_ids = " ".join(dict.fromkeys(run_id for row in part for run_id in row["run_ids"].split()))
    differ = {name for name in _SHARED if len({str(row[name]) for row in part}) > 1}
    shared = {name: (math.nan if name == "threads" else "") if name in differ else lead[name] for name in _SHARED}
    return lead | shared | {"message": lead["message"] + _more(lead, part), "run_ids": run_ids}


def _more(lead: dict, part: list[dict]) -> str:
    """What is appended to the message of the finding `lead` of a group."""
    rule = lead["rule"]
    alike = [row for row in part if row["rule"] == rule and row is not lead]
    more = len(alike)
    summing = rule in _SUMMING and alike and _runs(lead) > max(map(_runs, alike))
    said = f" (beside {more} single {'one' if more == 1 else 'ones'})" if summing else _count(more)
    for name in sorted({row["rule"] for row in part} - {rule}):
        most = max((row for row in part if row["rule"] == name), key=_runs)
        said += f"; {name}: {_clause(most['message'])}"
    return said


def _clause(message: str) -> str:
    """A message up to its first parenthesis or semicolon: what was seen, without the figures that bear it out."""
    return re.split(r" \(|; ", message, maxsplit=1)[0]


def _count(more: int) -> str:
    return f" ({more} more like it)" if more else ""
