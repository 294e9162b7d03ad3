"""Throughput second by second, where it was measured."""

import pandas as pd

from ycsbook.plots import intervals as plot
from ycsbook.plots import style
from ycsbook.report import numbers
from ycsbook.report.blocks import Figure, Panel, Section, Text
from ycsbook.report.rows import Rows

# The interval rows of all operations together, from YCSB's cumulative counter.
WHOLE = "TOTAL"


def section(rows: Rows) -> Section:
    """One figure, a panel per workload and thread count."""
    t = rows.t
    frame = _series(rows)
    if frame.empty:
        return Section(t["time"], "time", (Text(t["time_none"]),))
    threads = sorted(set(frame["threads"]))
    panels: list[Panel] = []
    for workload in rows.workloads:
        for count in threads:
            here = frame[(frame["workload"] == workload) & (frame["threads"] == count)]
            if not here.empty:
                panels.append(_panel(rows, here, len(panels) + 1))
    caption = t["time_caption"].format(**rows.caption, n=frame["run_id"].nunique())
    return Section(t["time"], "time", (Figure(tuple(panels), caption, frame),))


def _panel(rows: Rows, frame: pd.DataFrame, number: int) -> Panel:
    first = frame.iloc[0]
    title = rows.t["time_title"].format(
        workload=rows.workload_title(first["workload"]), threads=numbers.count(first["threads"])
    )
    with style.theme():
        picture, axes = style.panel(height=3.3)
        plot.series(axes, frame, warmup_s=frame["warmup_s"].max(), title=title)
    return Panel(picture, f"timeline-{number}", rows.t["time_alt"].format(finding=title))


def _series(rows: Rows) -> pd.DataFrame:
    intervals = rows.tables.intervals
    whole = intervals[intervals["operation"].eq(WHOLE) & intervals["throughput_ops_s"].notna()]
    runs = rows.measured[["run_id", "workload", "cores", "label", "spec", "threads", "warmup_s"]]
    frame = whole[["run_id", "elapsed_s", "throughput_ops_s"]].merge(runs, on="run_id")
    frame["name"] = [style.spec_name(a, b) for a, b in zip(frame["label"], frame["spec"], strict=True)]
    return frame
