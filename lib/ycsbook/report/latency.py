"""Latency percentiles, where they were measured."""

import pandas as pd

from ycsbook import units
from ycsbook.plots import latency as plot
from ycsbook.plots import style
from ycsbook.report import numbers
from ycsbook.report.blocks import Block, Column, Figure, Panel, Section, Table, Text
from ycsbook.report.rows import Rows

SHOWN = (50.0, 90.0, 95.0, 99.0, 99.9)
_KEYS = ["operation", "cores", "ram_gib", "label", "threads"]


def section(rows: Rows) -> Section:
    """Per workload a plot with a panel per operation, and the table."""
    t = rows.t
    columns = ["run_id", "workload", "cores", "ram_gib", "label", "spec", "threads"]
    frame = rows.tables.percentiles.merge(rows.measured[columns], on="run_id")
    frame = frame[frame["percentile"].isin(SHOWN) & frame["latency_us"].notna()]
    # YCSB times failed operations and clean-up as operations of their own; they are no latency of the database.
    frame = frame[~frame["operation"].str.contains("FAILED|CLEANUP", regex=True)]
    if frame.empty:
        return Section(t["latency"], "latency", (Text(t["latency_none"]),))
    blocks: list[Block] = [Text(t["latency_note"], "note")]
    if frame["operation"].str.startswith("Intended-").any():
        blocks.append(Text(t["latency_intended"], "note"))
    for i, workload in enumerate(rows.workloads, 1):
        here = frame[frame["workload"] == workload]
        if not here.empty:
            parts = (_figure(rows, here, i), _table(rows, here))
            blocks.append(Section(rows.workload_title(workload), f"latency-{i}", parts))
    return Section(t["latency"], "latency", tuple(blocks))


def _figure(rows: Rows, frame: pd.DataFrame, number: int) -> Figure:
    t = rows.t
    middle = (
        frame.groupby(["workload", *_KEYS, "spec", "percentile"], dropna=False)["latency_us"].median().reset_index()
    )
    middle["name"] = [style.spec_name(a, b) for a, b in zip(middle["label"], middle["spec"], strict=True)]
    panels = []
    for i, operation in enumerate(sorted(set(middle["operation"])), 1):
        here = middle[middle["operation"] == operation]
        title = _title(rows, here, drawn=True)
        with style.theme():
            picture, axes = style.panel(height=3.9)
            plot.percentiles(axes, here, title=title, words=rows.words)
            style.legend(picture, style.thread_handles(middle["threads"], rows.words))
        alt = t["latency_alt"].format(finding=t["colon"].join(_title(rows, here).splitlines()))
        panels.append(Panel(picture, f"latency-{number}-{i}", alt))
    caption = t["latency_caption"].format(**rows.caption, n=frame["run_id"].nunique())
    return Figure(tuple(panels), caption, middle)


def _title(rows: Rows, frame: pd.DataFrame, *, drawn: bool = False) -> str:
    t, first = rows.drawn if drawn else rows.t, frame.iloc[0]
    workload = rows.workload_title(first["workload"], drawn=drawn)
    title = t["latency_title"].format(workload=workload, operation=first["operation"])
    p99 = frame.loc[frame["percentile"] == 99, "latency_us"]
    if p99.empty:
        return title
    low, high = (numbers.plain(v / units.US_PER_MS, 2) for v in (p99.min(), p99.max()))
    return f"{title}\n{t['latency_finding'].format(low=low, high=high)}"


def _table(rows: Rows, frame: pd.DataFrame) -> Table:
    t = rows.t
    records = []
    for keys, group in frame.groupby(_KEYS, dropna=False):
        record = dict(zip(_KEYS, keys, strict=True))
        for percentile in SHOWN:
            values = group.loc[group["percentile"] == percentile, "latency_us"]
            record[f"p{percentile:g}"] = values.median()
            if percentile == 99:
                record["range"] = _span(rows, values)
        records.append(record)
    columns = (
        Column("label", t["spec"]),
        Column("operation", t["operation"]),
        Column("threads", t["threads"], numbers.count, "right"),
        *(Column(f"p{p:g}", f"p{p:g}", numbers.whole, "right") for p in SHOWN),
        Column("range", t["p99_range"], align="right"),
    )
    ordered = pd.DataFrame(records).sort_values(["cores", "ram_gib", "label", "operation", "threads"])
    return Table(ordered, columns, group="label")


def _span(rows: Rows, values: pd.Series) -> str:
    if len(values) < 2:
        return numbers.MISSING
    return rows.t["span"].format(low=numbers.whole(values.min()), high=numbers.whole(values.max()))
