"""The table in the vendors' shape: spec, threads, QPS, read and write latency, p99, CPU; the lower against the higher
thread count, spec by spec; and of measured runs latency percentiles, and throughput second by second."""

from functools import partial
from math import nan

import numpy as np
import pandas as pd

from ycsbook import closed_loop, trust, units
from ycsbook.anomalies import Settings
from ycsbook.anomalies.checkpoints import joined
from ycsbook.anomalies.evidence import course, series
from ycsbook.anomalies.over_time import stretches
from ycsbook.facts import fact
from ycsbook.messages.formats import DASH, change, fixed, number
from ycsbook.names import natural
from ycsbook.plots import measured, scaling
from ycsbook.plots import threads as plot
from ycsbook.report.blocks import Block, Column, Figure, Panel, Section, Table, Text
from ycsbook.report.rows import ReportRows
from ycsbook.report.short import Short
from ycsbook.verdicts import Outcome

_SOURCE = {"qps": "y", "ral": "ral_us", "wal": "wal_us", "all": "all_us", "p99": "p99_us", "cpu": "cpu_utilisation"}
_CELL = ["name", "threads", "target_ops_s"]
_REPEATED = ["spec", "workload", "threads", "target_ops_s"]
# A change beyond this is a colour of its own in the heat map, and counts in its title.
LITTLE = 0.10
# More specs than this are a table, not a picture.
MOST = 40


def results(rows: ReportRows, grades: pd.Series) -> Section:
    """One table per workload; where measured and published rows exist, they stand side by side. Loads stand apart.
    `grades`: of each run, by run_id (trust.grades)."""
    text = rows.text
    counted = pd.concat([rows.fitted["run_id"], rows.set_aside["run_id"]])
    # Beside measured runs nothing is told of the trust in published ones.
    grades = grades[grades.index.isin([*counted, *rows.loads["run_id"]])]
    tables = [
        Section(rows.workload_title(workload), f"results-{i}", (_results_table(rows, points, grades),))
        for i, workload, points in rows.by_workload(rows.points)
    ]
    if len(rows.loads):
        table = _results_table(rows, rows.loads, grades)
        tables.append(Section(text("results-loads"), "results-loads", (table,), folded=True))
    named = sorted(set(rows.fitted["y_column"]))
    throughput = [fact("results-throughput", column=column) for column in named]
    repeats = None if rows.measured.empty else rows.measured.groupby(_REPEATED, dropna=False).size().max()
    note = text("results-note", throughput=throughput, repeats=repeats, published=not rows.published.empty,
                steady="steady_ops_s" in named)  # fmt: skip
    counts = counted.map(grades).value_counts()
    graded = [fact("results-grade", grade=grade, n=counts[grade]) for grade in trust.GRADES if grade in counts]
    notes = [Text(note, "note"), Text(text("results-trust", grades=graded), "note")]
    if (rows.points["write_concern"] == "0").any():
        notes.append(Text(text("results-unacked"), "note"))
    return Section(text("results"), "results", (*notes, *tables))


def _results_table(rows: ReportRows, points: pd.DataFrame, grades: pd.Series) -> Table:
    text = rows.text
    outcomes = {"measured": Outcome.COMPLETED, "published": Outcome.PUBLISHED}
    sides = {name: points[points["outcome"] == outcome] for name, outcome in outcomes.items()}
    cells = points.groupby(_CELL, dropna=False).agg(
        cores=("cores", "first"), ram_gib=("ram_gib", "first"),
        grade=("run_id", lambda ids: trust.worst(grades, ids)),
    ).reset_index().sort_values(["cores", "ram_gib", *_CELL], key=natural)  # fmt: skip
    for name, side in sides.items():
        # Not `join`: it finds no row whose threads nobody knows.
        cells = cells.merge(_printed(rows, side, name), on=_CELL, how="left")
    # Of a cell of one side only the other has nothing to show.
    empty = [f"{name}_{key}" for name in sides for key in _SOURCE]
    cells = cells.assign(**{column: cells[column].astype(object).fillna(DASH) for column in empty})

    def threads(count: float) -> str:
        return text("results-not-stated") if np.isnan(count) else number(count)

    columns = [Column("name", text("column-spec")), Column("threads", text("column-threads"), threads, "right")]
    if cells["target_ops_s"].notna().any():
        columns.append(Column("target_ops_s", text("column-target"), fixed, "right"))
    for key, source in _SOURCE.items():
        for name, side in sides.items():
            if side[source].notna().any():
                heading = text(f"column-{key}")
                heading = text("column-side", side=name, heading=heading) if rows.both else heading
                bar = f"{name}_y" if key == "qps" else ""
                columns.append(Column(f"{name}_{key}", heading, align="right", bar=bar))
    columns.append(Column("grade", text("column-trust")))
    return Table(cells, tuple(columns), group="name")


def _printed(rows: ReportRows, side: pd.DataFrame, name: str) -> pd.DataFrame:
    """What the tables print of each cell of a side, by its label, threads and target, in columns that begin with the
    side's name; and `y`, the throughput itself."""
    # The geometric mean of throughputs, as everywhere.
    with np.errstate(divide="ignore"):  # that of none is none
        logs = side.assign(log_y=np.log(side["y"]))
    groups = logs.groupby(_CELL, dropna=False)[[*_SOURCE.values(), "log_y"]]
    means, spreads = groups.mean(), groups.std()
    means = means.assign(y=np.exp(means["log_y"]))
    texts = {key: list(map(_mean_and_spread, means[c], spreads[c])) for key, c in _SOURCE.items()}
    texts["cpu"] = list(map(rows.percent, means["cpu_utilisation"]))
    return pd.DataFrame({**texts, "y": means["y"]}, index=means.index).add_prefix(f"{name}_").reset_index()


def _mean_and_spread(mean: float, deviation: float) -> str:
    return fixed(mean) if np.isnan(deviation) else f"{fixed(mean)} ± {fixed(deviation)}"


def threads_figure(rows: ReportRows, short: Short) -> Figure | None:
    """The change that more threads bring to each spec, a panel per workload; None where there is one thread count."""
    if short.points.groupby(["workload", "spec"])["threads"].nunique().max() > 2:
        return _ladder_figure(rows, short)
    changes = short.changes.assign(name=short.changes["spec"].map(rows.names))
    panels = [_threads_panel(rows, workload, pairs, i) for i, workload, pairs in rows.by_workload(changes)]
    if not panels:
        return None
    most = MOST if changes.groupby("workload").size().max() > MOST else None
    frame = changes.drop(columns=["ids_low", "ids_high", "dataset", "outcome"])
    drawn = pd.concat(_farthest(pairs) for _, _, pairs in rows.by_workload(changes))
    doubtful = bool(drawn[["grade_low", "grade_high"]].isin(trust.DOUBTFUL).any(axis=None))
    return rows.figure("threads", panels, frame, n=changes["name"].nunique(), most=most, doubtful=doubtful)


def threads(rows: ReportRows, short: Short) -> Section | None:
    """A table per workload of what more threads do to each spec; None where each has one thread count."""
    text, changes = rows.text, short.changes.assign(name=short.changes["spec"].map(rows.names))
    if changes.empty:
        return None
    title = text("threads-section", low=changes["threads_low"].min(), high=changes["threads_high"].max())
    tables = [
        Section(rows.workload_title(workload), f"threads-{i}", (_pairs_table(rows, pairs),))
        for i, workload, pairs in rows.by_workload(changes)
    ]
    return Section(title, "threads", (_heat_map(rows, short), *tables))


def _heat_map(rows: ReportRows, short: Short) -> Figure:
    pairs = short.changes
    drawn = _farthest(pairs)
    order = drawn.drop_duplicates("spec").sort_values(["cores", "ram_gib", "spec"], key=natural)["spec"]
    workloads = [w for w in rows.workloads if (drawn["workload"] == w).any()]
    drawn = drawn.assign(doubtful=drawn["grade"].isin(trust.DOUBTFUL))
    pivot = partial(drawn.pivot_table, index="spec", columns="workload", aggfunc="first")
    table, doubtful = (pivot(values=value).loc[order, workloads] for value in ("change", "doubtful"))
    doubtful = doubtful.notna() & doubtful.eq(True)
    table = table.set_axis([rows.drawn_names[spec] for spec in order])
    table.columns = [rows.drawn_say(rows.mix(workload)) for workload in workloads]
    values = {
        "low": pairs["threads_low"].min(), "threads": pairs["threads_high"].max(), "total": len(pairs),
        "loss": int((pairs["change"] < -LITTLE).sum()), "gain": int((pairs["change"] > LITTLE).sum()),
        "doubtful": int(pairs["grade"].isin(trust.DOUBTFUL).sum()),
    }  # fmt: skip
    panel = rows.panel(
        "heat", "heat", fact("heat-title", **values), partial(plot.heat_map, table=table, doubtful=doubtful),
        height=1.2 + 0.25 * len(table),
    )  # fmt: skip
    frame = drawn[["workload", "spec", "threads_low", "threads_high", "low", "high", "change", "grade"]]
    return rows.figure("heat", [panel], frame, n=pairs["spec"].nunique(), doubtful=bool(doubtful.any(axis=None)))


def _farthest(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs that a picture has room for: those of the specs that change most, in their order."""
    far = np.log1p(pairs["change"]).abs().groupby(pairs["spec"]).max().nlargest(MOST, keep="all").index[:MOST]
    return pairs[pairs["spec"].isin(far)]


def _ladder_figure(rows: ReportRows, short: Short) -> Figure:
    """Throughput over threads: a panel per workload with a line per spec, or of one spec a line per workload."""
    points = short.points[short.points["threads"].notna()]
    points = points.assign(log_y=np.log(points["y"]), doubtful=points["grade"].isin(trust.DOUBTFUL))
    keys = ["workload", "cores", "ram_gib", "spec", "threads"]
    cells = points.groupby(keys, dropna=False).agg(log_y=("log_y", "mean"), doubtful=("doubtful", "any")).reset_index()
    cells = cells.assign(y=np.exp(cells.pop("log_y")))
    if cells["spec"].nunique() == 1:
        names_of = {w: rows.drawn_say(rows.mix(w)) for w in rows.workloads}
        parts = [("", cells.assign(name=cells["workload"].map(names_of)).sort_values("y"))]
    else:
        with_names = cells.assign(name=cells["spec"].map(rows.drawn_names))
        parts = [(workload, part) for _, workload, part in rows.by_workload(with_names)]
    panels = []
    for i, (workload, part) in enumerate(parts, 1):
        sound = part[~part["doubtful"]]
        best = sound.loc[sound.groupby("name")["y"].idxmax(), "threads"]
        title = fact("ladder-title", workload=rows.workload(workload) if workload else None, high=best.max(),
                     low=best.min() if best.nunique() > 1 else None)  # fmt: skip
        panels.append(rows.panel(f"threads-{i}", "ladder", title, partial(plot.ladder, cells=part), height=3.9))
    return rows.figure("ladder", panels, cells, n=cells["spec"].nunique(), doubtful=bool(cells["doubtful"].any()))


def _threads_panel(rows: ReportRows, workload: str, pairs: pd.DataFrame, place: int) -> Panel:
    # Not in the data: which name can be drawn follows the machine's fonts.
    drawn, first = _farthest(pairs.assign(name=pairs["spec"].map(rows.drawn_names))), pairs.iloc[0]
    possible, sound = pairs[pairs["grade"] != "F"], pairs[~pairs["grade"].isin(trust.DOUBTFUL)]
    losing, noticed = (possible.loc[possible[which], "change"] for which in ("warned", "noticed"))
    title = fact(
        "threads-title", workload=rows.workload(workload), total=len(pairs), n=len(losing),
        doubtful=int(pairs["warned"].sum()) - len(losing),
        change=(possible if sound.empty else sound)["change"].median() if losing.empty else losing.max(),
        most=noticed.min() if losing.empty else losing.min(), noticed=len(noticed),
    )  # fmt: skip
    return rows.panel(
        f"threads-{place}", "threads", title, partial(plot.paired, pairs=drawn), height=1.7 + 0.25 * len(drawn),
        low=first["threads_low"], high=first["threads_high"],
    )  # fmt: skip


def _pairs_table(rows: ReportRows, pairs: pd.DataFrame) -> Table:
    text, first = rows.text, pairs.iloc[0]
    columns = (
        Column("name", text("column-spec")),
        Column("low", text("column-qps-at", threads=first["threads_low"]), fixed, "right"),
        Column("high", text("column-qps-at", threads=first["threads_high"]), fixed, "right"),
        Column("change", text("column-change"), change, "right"),
        Column("grade", text("column-trust")),
    )
    return Table(pairs, columns, marked="warned")


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

    arrows = bool((short.timed.groupby(["workload", "spec"])["threads"].nunique() > 1).any())
    draw = scaling.latency_throughput
    return rows.figure_of_each("loop", "latency_us", short.timed, draw=draw, values=values, arrows=arrows)


def _latency_figure(rows: ReportRows, frame: pd.DataFrame, place: int) -> Figure:
    keys = ["workload", *_KEYS, "spec", "percentile"]
    middle = frame.groupby(keys, dropna=False)["latency_us"].median().reset_index()
    # Not in the data: which name can be drawn follows the machine's fonts.
    drawn = middle.rename(columns={"name": "label"}).assign(name=middle["spec"].map(rows.drawn_names))
    panels = []
    for i, (operation, of_operation) in enumerate(drawn.groupby("operation", observed=True), 1):
        p99 = of_operation.loc[of_operation["percentile"] == 99, "latency_us"] / units.US_PER_MS
        span = {"low": p99.min() if len(p99) > 1 else None, "high": p99.max()} if len(p99) else {}
        title = fact("latency-title-p99" if span else "latency-title", operation=operation, **span,
                     workload=rows.workload(of_operation["workload"].iloc[0]))  # fmt: skip
        draw = partial(measured.percentiles, frame=of_operation)
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
        if part["run_id"].nunique() <= measured.MAX_LINES and part["warmup_s"].min() < ALIKE * warmup_s:
            # Shaded, the longest would look like that of all.
            warmup_s = nan
        draw = partial(measured.over_time, frame=drawn, warmup_s=warmup_s, stalls=spans)
        panels.append(rows.panel(f"timeline-{i}", "timeline", title, draw, height=3.3))
    most = frame.groupby(["workload", "threads"], dropna=False)["run_id"].nunique().max()
    band = measured.MAX_LINES if most > measured.MAX_LINES else None
    figure = rows.figure("timeline", panels, frame, n=frame["run_id"].nunique(), stalls=bool(stalls), band=band,
                         cores=frame["cores"].nunique() > 1, warmup=bool(frame["warmup_s"].max() > 0))  # fmt: skip
    return Section(text("timeline"), "time", (figure,))


def stalled(runs: pd.DataFrame, intervals: pd.DataFrame, settings: Settings) -> dict[str, list[tuple[float, float]]]:
    """By run_id when it stood still, from and to in s, as the rule `stall` sees it; empty where the rule is off."""
    if settings.off("stall"):
        return {}
    at = settings.of_rule("stall")
    spans = {run.run["run_id"]: stretches(run, at["share"], at["seconds"]) for run in series(runs, intervals)}
    return {run_id: stretches_ for run_id, stretches_ in spans.items() if stretches_}
