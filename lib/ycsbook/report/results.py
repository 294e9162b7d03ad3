"""The table in the vendors' shape: spec, threads, QPS, read and write latency, CPU; and the runs left out."""

import pandas as pd

from ycsbook.report import numbers
from ycsbook.report.blocks import Column, Section, Table, Text
from ycsbook.report.rows import Rows

_FIGURES = ("qps", "ral", "wal", "cpu")
_SOURCE = {"qps": "y", "ral": "ral_us", "wal": "wal_us", "cpu": "cpu_utilisation"}


def section(rows: Rows) -> Section:
    """One table per workload; where measured and published rows exist, they stand side by side."""
    t = rows.t
    tables = [
        Section(rows.workload_title(workload), f"results-{i}", (_table(rows, workload),))
        for i, workload in enumerate(rows.workloads, 1)
    ]
    qps = " or ".join(t["y"][column] for column in sorted(set(rows.fitted["y_column"])))
    notes = [Text(t["results_note"].format(y=qps, spread=_spread(rows)), "note")]
    if (rows.points["write_concern"] == "0").any():
        notes.append(Text(t["w0_note"], "note"))
    return Section(t["results"], "results", (*notes, *tables))


def _spread(rows: Rows) -> str:
    t = rows.t
    if rows.measured.empty:
        return t["published_note"]
    repeats = int(rows.measured.groupby(["spec", "workload", "threads"]).size().max())
    measured = t["spread"].format(n=repeats) if repeats > 1 else t["spread_one"]
    return measured if rows.published.empty else f"{measured} {t['published_note']}"


def _table(rows: Rows, workload: str) -> Table:
    t = rows.t
    sides = {"measured": rows.measured, "published": rows.published}
    sides = {name: side[side["workload"] == workload] for name, side in sides.items()}
    records = []
    points = rows.points[rows.points["workload"] == workload]
    for (_, _, label, threads), _ in points.groupby(["cores", "ram_gib", "label", "threads"], dropna=False):
        record = {"label": label, "threads": threads}
        for name, side in sides.items():
            here = side[(side["label"] == label) & (side["threads"] == threads)]
            record |= {f"{name}_{key}": _figure(here[_SOURCE[key]], key) for key in _FIGURES}
        records.append(record)
    frame = pd.DataFrame(records)
    columns = [Column("label", t["spec"]), Column("threads", t["threads"], numbers.count, "right")]
    for key in _FIGURES:
        for name, side in sides.items():
            if side[_SOURCE[key]].notna().any():
                heading = t[name].format(heading=t[key]) if rows.both else t[key]
                columns.append(Column(f"{name}_{key}", heading, align="right"))
    return Table(frame, tuple(columns), group="label")


def _figure(values: pd.Series, key: str) -> str:
    return numbers.share(values.mean()) if key == "cpu" else numbers.mean_spread(values)


def left_out(rows: Rows) -> Section:
    """The runs that failed or are incomplete, and why."""
    t = rows.t
    if rows.left_out.empty:
        return Section(t["rejected"], "rejected", (Text(t["rejected_none"]),))
    columns = (
        Column("run_id", t["run"]),
        Column("outcome", t["outcome"]),
        Column("stop_reason", t["reason"]),
        Column("warnings", t["warnings"]),
        Column("source", t["source_column"]),
    )
    return Section(t["rejected"], "rejected", (Text(t["rejected_note"], "note"), Table(rows.left_out, columns)))
