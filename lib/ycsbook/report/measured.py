"""What only measured runs have: latency percentiles, and throughput second by second."""

from functools import partial
from math import nan

import pandas as pd

from ycsbook import closed_loop, units
from ycsbook.anomalies import Settings
from ycsbook.anomalies.checkpoints import joined
from ycsbook.anomalies.evidence import course, series
from ycsbook.anomalies.over_time import stretches
from ycsbook.facts import fact
from ycsbook.messages.formats import DASH, fixed, number
from ycsbook.names import natural
from ycsbook.plots import measured as plot
from ycsbook.plots import scaling
from ycsbook.report.blocks import Block, Column, Figure, Section, Table, Text
from ycsbook.report.rows import ReportRows
from ycsbook.report.short import Short

SHOWN = (50.0, 90.0, 95.0, 99.0, 99.9)
# A warm-up is shaded where the shortest of its runs is at least this share of the longest.
ALIKE = 0.5
_KEYS = ["operation", "cores", "ram_gib", "name", "threads"]


def latency(rows: ReportRows, short: Short) -> Section:
    """Mean latency against throughput, then the percentiles: per workload a panel per operation, and the table."""
    text = rows.text
    means = tuple(filter(None, (_means(rows, short),)))
    columns = ["run_id", "workload", "cores", "ram_gib", "name", "spec", "threads"]
    frame = rows.tables.percentiles.merge(rows.fitted[columns], on="run_id")
    frame = frame[frame["percentile"].isin(SHOWN) & frame["latency_us"].notna()]
    # YCSB times failed operations and clean-up as operations of their own; they are no latency of the database.
    frame = frame[~frame["operation"].str.contains("FAILED|CLEANUP", regex=True)]
    if frame.empty:
        has_means = bool(rows.tables.operations["mean_us"].notna().any())
        return Section(text("latency"), "latency", (*means, Text(text("latency-none", means=has_means))))
    blocks: list[Block] = [*means, Text(text("latency-note"), "note")]
    if frame["operation"].str.startswith("Intended-").any():
        blocks.append(Text(text("latency-intended"), "note"))
    for i, workload, points in rows.by_workload(frame):
        parts = (_latency_figure(rows, points, i), _latency_table(rows, points))
        blocks.append(Section(rows.workload_title(workload), f"latency-{i}", parts))
    return Section(text("latency"), "latency", tuple(blocks))


def _means(rows: ReportRows, short: Short) -> Figure | None:

    def values(cells: pd.DataFrame, _: dict[str, str]) -> dict[str, object]:
        used, most = cells["utilisation"], closed_loop.MAX_UTILISATION
        return {"total": len(cells), "above": int((used > most).sum()), "near": int(used.between(2 - most, most).sum())}

    timed = short.timed
    arrows = bool((timed.groupby(["workload", "spec"])["threads"].nunique() > 1).any())
    draw = scaling.latency_throughput
    return rows.figure_of_each("loop", "latency_us", timed, draw=draw, values=values, arrows=arrows)


def _latency_figure(rows: ReportRows, frame: pd.DataFrame, place: int) -> Figure:
    keys = ["workload", *_KEYS, "spec", "percentile"]
    middle = frame.groupby(keys, dropna=False)["latency_us"].median().reset_index()
    # Not in the data: which name can be drawn follows the machine's fonts.
    drawn = middle.rename(columns={"name": "label"}).assign(name=middle["spec"].map(rows.drawn_names))
    panels = []
    for i, (operation, of_operation) in enumerate(drawn.groupby("operation", observed=True), 1):
        p99 = of_operation.loc[of_operation["percentile"] == 99, "latency_us"] / units.US_PER_MS
        key, span = (
            ("latency-title-p99", {"low": p99.min() if len(p99) > 1 else None, "high": p99.max()})
            if len(p99)
            else ("latency-title", {})
        )
        title = fact(key, workload=rows.workload(of_operation["workload"].iloc[0]), operation=operation, **span)
        draw = partial(plot.percentiles, frame=of_operation)
        panels.append(rows.panel(f"latency-{place}-{i}", "latency", title, draw, height=3.9))
    cores = frame["cores"].nunique() > 1
    return rows.figure("latency", panels, middle, n=frame["run_id"].nunique(), cores=cores)


def _latency_table(rows: ReportRows, frame: pd.DataFrame) -> Table:
    text = rows.text
    records = []
    for keys, group in frame.groupby(_KEYS, dropna=False):
        record = dict(zip(_KEYS, keys, strict=True))
        for percentile in SHOWN:
            values = group.loc[group["percentile"] == percentile, "latency_us"]
            record[f"p{percentile:g}"] = values.median()
            if percentile == 99:
                ends = {"low": fixed(values.min()), "high": fixed(values.max())}
                record["range"] = text("report-span", **ends) if len(values) > 1 else DASH
        records.append(record)
    columns = (
        Column("name", text("column-spec")),
        Column("operation", text("column-operation")),
        Column("threads", text("column-threads"), number, "right"),
        *(Column(f"p{p:g}", f"p{p:g}", fixed, "right") for p in SHOWN),
        Column("range", text("column-p99-range"), align="right"),
    )
    ordered = pd.DataFrame(records).sort_values(["cores", "ram_gib", "name", "operation", "threads"], key=natural)
    return Table(ordered, columns, group="name")


def timeline(rows: ReportRows) -> Section:
    """One figure, a panel per workload and thread count."""
    text = rows.text
    runs = rows.measured[["run_id", "workload", "cores", "label", "spec", "threads", "warmup_s"]]
    frame = course(rows.tables.intervals)[["run_id", "elapsed_s", "throughput_ops_s"]].merge(runs, on="run_id")
    frame["name"] = frame["spec"].map(rows.drawn_names)
    if frame.empty:
        return Section(text("timeline"), "time", (Text(text("timeline-none")),))
    stalls = stalled(rows.measured, rows.tables.intervals, Settings.of(rows.sweep.anomalies))
    parts = (part for _, _, points in rows.by_workload(frame) for _, part in points.groupby("threads", dropna=False))
    panels = []
    for i, part in enumerate(parts, 1):
        spans = joined(span for run_id in set(part["run_id"]) for span in stalls.get(run_id, []))
        first = part.iloc[0]
        title = fact("timeline-title", workload=rows.workload(first["workload"]), threads=first["threads"])
        # No thread count is a colour of its own.
        drawn, warmup_s = part.fillna({"threads": 0.0}), part["warmup_s"].max()
        if part["run_id"].nunique() <= plot.MAX_LINES and part["warmup_s"].min() < ALIKE * warmup_s:
            # Shaded, the longest would look like that of all.
            warmup_s = nan
        draw = partial(plot.over_time, frame=drawn, warmup_s=warmup_s, stalls=spans)
        panels.append(rows.panel(f"timeline-{i}", "timeline", title, draw, height=3.3))
    most = frame.groupby(["workload", "threads"], dropna=False)["run_id"].nunique().max()
    values = {"n": frame["run_id"].nunique(), "stalls": bool(stalls), "cores": frame["cores"].nunique() > 1}
    values["warmup"] = bool(frame["warmup_s"].max() > 0)
    figure = rows.figure("timeline", panels, frame, **values, band=plot.MAX_LINES if most > plot.MAX_LINES else None)
    return Section(text("timeline"), "time", (figure,))


def stalled(runs: pd.DataFrame, intervals: pd.DataFrame, settings: Settings) -> dict[str, list[tuple[float, float]]]:
    """The stretches in which a run stood still, in seconds from its start, by its id; as the rule `stall` sees them.

    None where the rule is off.
    """
    if settings.off("stall"):
        return {}
    at = settings.of_rule("stall")
    spans = {run.run["run_id"]: stretches(run, at["share"], at["seconds"]) for run in series(runs, intervals)}
    return {run_id: stretches_ for run_id, stretches_ in spans.items() if stretches_}
