"""The table in the vendors' shape: spec, threads, QPS, read and write latency, p99, CPU; and the lower against the
higher thread count, spec by spec."""

from functools import partial

import numpy as np
import pandas as pd

from ycsbook import trust
from ycsbook.facts import fact
from ycsbook.messages.formats import DASH, change, fixed, number
from ycsbook.names import natural
from ycsbook.plots import threads as plot
from ycsbook.report.blocks import Column, Figure, Panel, Section, Table, Text
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

    Parameters
        grades: the grade of each run, by run_id (trust.grades).
    """
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
    sides = {"measured": points["outcome"] == Outcome.COMPLETED, "published": points["outcome"] == Outcome.PUBLISHED}
    sides = {name: points[which] for name, which in sides.items()}
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
    table, doubtful = (
        drawn.pivot_table(index="spec", columns="workload", values=value, aggfunc="first").loc[order, workloads]
        for value in ("change", "doubtful")
    )
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
    """Throughput over all thread counts: a panel per workload with a line per spec, or of one spec with a line per
    workload."""
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
    doubtful = bool(cells["doubtful"].any())
    return rows.figure("ladder", panels, cells, n=cells["spec"].nunique(), doubtful=doubtful)


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
