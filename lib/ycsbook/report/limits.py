"""What limited each point: the server, too few threads, something else, or nothing that can be told."""

import re

import pandas as pd

from ycsbook.plots import style
from ycsbook.report import numbers
from ycsbook.report.blocks import Column, Section, Table, Text
from ycsbook.report.rows import Rows
from ycsbook.scaling import Analysis

# The spec that a point is compared with stands in the reason as its slug; the tables name specs by their label.
_OTHER = re.compile(r"(?<=; )\S+(?= gives )")


def section(rows: Rows, analysis: Analysis) -> Section | None:
    """A sentence with the counts, and a row for each spec, workload and thread count; None where there is none."""
    t, found = rows.t, analysis.limits
    if found.empty:
        return None
    labels = dict(zip(rows.points["spec"], rows.points["label"], strict=True))
    names = {spec: style.spec_name(label, spec) for spec, label in labels.items()}
    frame = found.assign(
        name=found["spec"].map(names),
        kind=found["limit_kind"].map(t["limit_kinds"])
        + found["retrograde"].map({True: t["limit_retrograde"], False: ""}),
        reason=found["reason"].map(lambda reason: _OTHER.sub(lambda m: names.get(m[0], m[0]), reason)),
    ).sort_values(["cores", "ram_gib", "outcome", "threads"])
    columns = (
        Column("name", t["spec"]),
        Column("threads", t["threads"], numbers.count, "right"),
        Column("observed", t["qps"], numbers.whole, "right"),
        Column("utilisation", t["limit_utilisation"], numbers.plain, "right"),
        Column("kind", t["limit_kind"]),
        Column("reason", t["limit_reason"], rows.said),
    )
    tables = []
    for i, workload in enumerate(rows.workloads, 1):
        if (here := frame["workload"] == workload).any():
            table = Table(frame[here], columns, group="name")
            tables.append(Section(rows.workload_title(workload), f"limits-{i}", (table,)))
    repeated = rows.fitted.groupby(["spec", "workload", "threads"]).size().max() > 1
    note = t["limits_note"].format(mean=t["limits_mean"] if repeated else "")
    return Section(t["limits"], "limits", (Text(_counted(rows, found)), Text(note, "note"), *tables))


def _counted(rows: Rows, found: pd.DataFrame) -> str:
    t = rows.t
    counts = found["limit_kind"].value_counts()
    told = [t["limit_count"].format(n=n, kind=t["limit_kinds"][kind]) for kind, n in counts.items()]
    slower = int(found["retrograde"].sum())
    return t["limits_counted"].format(
        n=len(found), told=t["list_comma"].join(told), slower=t["limits_slower"].format(n=slower) if slower else ""
    )
