"""Throughput second by second, where it was measured."""

import pandas as pd

from ycsbook.anomalies import Settings
from ycsbook.anomalies.series import course, series
from ycsbook.anomalies.stall import stretches
from ycsbook.plots import intervals as plot
from ycsbook.plots import style
from ycsbook.report import numbers
from ycsbook.report.blocks import Figure, Panel, Section, Text
from ycsbook.report.rows import Rows


def section(rows: Rows) -> Section:
    """One figure, a panel per workload and thread count."""
    t = rows.t
    frame = _series(rows)
    if frame.empty:
        return Section(t["time"], "time", (Text(t["time_none"]),))
    threads = sorted(set(frame["threads"]))
    stalls = stalled(rows)
    panels: list[Panel] = []
    for workload in rows.workloads:
        for count in threads:
            here = frame[(frame["workload"] == workload) & (frame["threads"] == count)]
            if not here.empty:
                panels.append(_panel(rows, here, stalls, len(panels) + 1))
    caption = t["time_caption"].format(**rows.caption, n=frame["run_id"].nunique())
    caption += t["time_stalls"] if stalls else ""
    if frame.groupby(["workload", "threads"])["run_id"].nunique().max() > plot.MAX_LINES:
        caption += t["time_band"].format(n=plot.MAX_LINES)
    return Section(t["time"], "time", (Figure(tuple(panels), caption, frame),))


def stalled(rows: Rows) -> dict[str, list[tuple[float, float]]]:
    """The stretches in which a run stood still, in seconds from its start, by its id; as the rule `stall` sees them.

    None where the rule is off.
    """
    settings = Settings.of(rows.sweep.anomalies)
    if settings.off("stall"):
        return {}
    limits = {name: settings.threshold("stall", name) for name in ("share", "seconds")}
    spans = {one.run["run_id"]: stretches(one, **limits) for one in series(rows.measured, rows.tables.intervals)}
    return {run_id: found for run_id, found in spans.items() if found}


def _panel(rows: Rows, frame: pd.DataFrame, stalls: dict[str, list[tuple[float, float]]], number: int) -> Panel:
    title, drawn = _title(rows, frame), _title(rows, frame, drawn=True)
    here = sorted({span for run_id in set(frame["run_id"]) for span in stalls.get(run_id, [])})
    with style.theme():
        picture, axes = style.panel(height=3.3)
        plot.series(axes, frame, warmup_s=frame["warmup_s"].max(), stalls=_joined(here), title=drawn, words=rows.words)
    return Panel(picture, f"timeline-{number}", rows.t["time_alt"].format(finding=title))


def _title(rows: Rows, frame: pd.DataFrame, *, drawn: bool = False) -> str:
    t, first = rows.drawn if drawn else rows.t, frame.iloc[0]
    workload = rows.workload_title(first["workload"], drawn=drawn)
    return t["time_title"].format(workload=workload, threads=numbers.count(first["threads"]))


def _joined(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Spans in order, those that overlap as one."""
    joined: list[tuple[float, float]] = []
    for start, end in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _series(rows: Rows) -> pd.DataFrame:
    runs = rows.measured[["run_id", "workload", "cores", "label", "spec", "threads", "warmup_s"]]
    frame = course(rows.tables.intervals)[["run_id", "elapsed_s", "throughput_ops_s"]].merge(runs, on="run_id")
    frame["name"] = [style.spec_name(a, b) for a, b in zip(frame["label"], frame["spec"], strict=True)]
    return frame
