"""Findings in the order they are to be read, those with one cause as one."""

import math

import numpy as np
import pandas as pd

from ycsbook.anomalies.registry import SEVERITIES
from ycsbook.columns import SCHEMAS
from ycsbook.facts import Fact, fact, from_json, in_columns

# A loss of everything, whose logarithm has no end.
_LOWEST = -0.999
_SHARED = ("workload", "spec", "threads")
# Rules with a finding that sums up the others of its cause: the one about most runs.
_SUMMING = {"thread_regression"}


def ranked(findings: pd.DataFrame) -> pd.DataFrame:
    """Sorted by severity (error, warning, notice, note), then by size; without an effect last.

    The size of an effect is that of its ratio's logarithm: a third of the throughput is as far from it as three times.
    """
    size = np.log1p(findings["effect"].clip(lower=_LOWEST)).abs().fillna(-1.0)
    keyed = findings.assign(_severity=findings["severity"].map(SEVERITIES.index), _size=-size)
    keyed = keyed.sort_values(["_severity", "_size", "rule", "message_key", "message_values"], kind="stable")
    return keyed[list(SCHEMAS["findings"])].reset_index(drop=True)


def grouped(findings: pd.DataFrame) -> pd.DataFrame:
    """One row per cause of a dataset, the gravest finding speaking for all, a summary of its rule before its parts.

    Parameters
        findings: the findings table.
    Returns
        The findings table, ranked. Findings without a cause stand alone. Of several the message is the fact `group`:
        `lead`, the first one's; `more`, how many of its rule there are beside it, with `summary`, whether it sums them
        up; and `others`, what each other rule that saw the same says of most runs, a fact `group-other` each. run_ids
        are those of all; workload, spec and threads stay where all agree. The sentences are gone; messages.worded
        makes those of the groups.
    """
    order = ranked(findings)
    if order.empty:
        return order
    parts: dict[object, dict[int, dict]] = {}
    for place, row in enumerate(order.to_dict("records")):
        parts.setdefault((row["dataset"], row["cause"]) if row["cause"] else place, {})[place] = row
    speakers = dict(sorted((_speaker(part), part) for part in parts.values()))
    rows = [_together(part[lead], list(part.values())) for lead, part in speakers.items()]
    return ranked(pd.DataFrame(rows, index=list(speakers)).astype(order.dtypes))


def without_others(message: Fact) -> Fact:
    """The message of a group without what other rules say of the same."""
    return fact("group", **{**message.values, "others": None}) if message.key == "group" else message


def lead(message: Fact) -> Fact:
    """The message of the finding that speaks for a group; of a single finding its own."""
    return message.values["lead"] if message.key == "group" else message


def _speaker(part: dict[int, dict]) -> int:
    """The position of the finding that leads a group: the first, or of its rule and severity the one of most runs."""
    place, first = next(iter(part.items()))
    if first["rule"] not in _SUMMING:
        return place
    alike = [i for i, row in part.items() if all(row[name] == first[name] for name in ("rule", "severity"))]
    return max(alike, key=lambda i: _runs(part[i]))


def _runs(row: dict) -> int:
    return len(row["run_ids"].split())


def _together(speaker: dict, part: list[dict]) -> dict:
    """The finding that speaks for a group, with what the others have in common with it."""
    if len(part) == 1:
        return speaker
    run_ids = " ".join(dict.fromkeys(run_id for row in part for run_id in row["run_ids"].split()))
    differ = {name for name in _SHARED if len({str(row[name]) for row in part}) > 1}
    shared = {name: (math.nan if name == "threads" else "") if name in differ else speaker[name] for name in _SHARED}
    rule = speaker["rule"]
    alike = [row for row in part if row["rule"] == rule and row is not speaker]
    summary = bool(rule in _SUMMING and alike and _runs(speaker) > max(map(_runs, alike)))
    other_rules = []
    # What may explain the others comes first.
    for name in sorted({row["rule"] for row in part} - {rule}, key=lambda name: (not name.endswith("_hint"), name)):
        most = _message(max((row for row in part if row["rule"] == name), key=_runs))
        other_rules.append(fact("group-other", rule=name, what=fact(f"{most.key}.brief", **most.values)))
    message = fact("group", lead=_message(speaker), more=len(alike), summary=summary, others=other_rules or None)
    return {**speaker, "message": "", **in_columns("message", message), **shared, "run_ids": run_ids}


def _message(row: dict) -> Fact:
    return from_json(row["message_key"], row["message_values"])
