"""The table in the vendors' shape: spec, threads, QPS, read and write latency, CPU; and the lower against the higher
thread count, spec by spec."""

import numpy as np
import pandas as pd

from ycsbook.facts import fact
from ycsbook.messages.formats import DASH, change, fixed, number
from ycsbook.plots import style
from ycsbook.plots import threads as plot
from ycsbook.report.blocks import Column, Figure, Panel, Section, Table, Text
from ycsbook.report.rows import ReportRows
from ycsbook.report.scaling import COMPARING, ringed

_FIGURES = ("qps", "ral", "wal", "cpu")
_SOURCE = {"qps": "y", "ral": "ral_us", "wal": "wal_us", "cpu": "cpu_utilisation"}
# A cell of one side only: the other has nothing to show.
_NOTHING = {**dict.fromkeys(_FIGURES, DASH), "y": float("nan")}
# More specs than this are a table, not a picture.
MOST = 40


def results(rows: ReportRows) -> Section:
    """One table per workload; where measured and published rows exist, they stand side by side."""
    text = rows.text
    printed = {"measured": _printed(rows, rows.measured), "published": _printed(rows, rows.published)}
    tables = [
        Section(rows.workload_title(workload), f"results-{i}", (_results_table(rows, workload, printed),))
        for i, workload in enumerate(rows.workloads, 1)
    ]
    throughput = [fact("results-throughput", column=column) for column in sorted(set(rows.fitted["y_column"]))]
    repeats = None if rows.measured.empty else rows.measured.groupby(["spec", "workload", "threads"]).size().max()
    note = text("results-note", throughput=throughput, repeats=repeats, published=not rows.published.empty)
    notes = [Text(note, "note")]
    if (rows.points["write_concern"] == "0").any():
        notes.append(Text(text("results-unacked"), "note"))
    return Section(text("results"), "results", (*notes, *tables))


def _results_table(rows: ReportRows, workload: str, printed: dict[str, dict[tuple, dict]]) -> Table:
    text = rows.text
    sides = {"measured": rows.measured, "published": rows.published}
    sides = {name: side[side["workload"] == workload] for name, side in sides.items()}
    keys = ["label", "threads"]
    points = rows.points.loc[rows.points["workload"] == workload, ["cores", "ram_gib", *keys]].drop_duplicates()
    records = []
    for cell in points.sort_values(["cores", "ram_gib", *keys])[keys].itertuples(index=False, name=None):
        record = dict(zip(keys, cell, strict=True))
        for name, cells in printed.items():
            record |= {f"{name}_{key}": value for key, value in cells.get((workload, *cell), _NOTHING).items()}
        records.append(record)
    columns = [Column("label", text("column-spec")), Column("threads", text("column-threads"), number, "right")]
    for key in _FIGURES:
        for name, side in sides.items():
            if side[_SOURCE[key]].notna().any():
                heading = text(f"column-{key}")
                heading = text("column-side", side=name, heading=heading) if rows.both else heading
                bar = f"{name}_y" if key == "qps" else ""
                columns.append(Column(f"{name}_{key}", heading, align="right", bar=bar))
    return Table(pd.DataFrame(records), tuple(columns), group="label")


def _printed(rows: ReportRows, side: pd.DataFrame) -> dict[tuple, dict[str, object]]:
    """What the tables print of each cell by its workload, label and threads, and `y`, the throughput itself."""
    if side.empty:
        return {}
    groups = side.groupby(["workload", "label", "threads"])[list(_SOURCE.values())]
    means, spreads = groups.mean().to_dict("index"), groups.std().to_dict("index")

    def figures(cell: tuple) -> dict[str, str]:
        shown = {key: _mean_and_spread(means[cell][c], spreads[cell][c]) for key, c in _SOURCE.items()}
        return shown | {"cpu": rows.percent(means[cell]["cpu_utilisation"])}

    return {cell: {"y": mean["y"], **figures(cell)} for cell, mean in means.items()}


def _mean_and_spread(mean: float, deviation: float) -> str:
    """Mean ± standard deviation of repeats; one value, which has none, stands alone."""
    return fixed(mean) if np.isnan(deviation) else f"{fixed(mean)} ± {fixed(deviation)}"


def threads(rows: ReportRows, findings: pd.DataFrame) -> Section:
    """Per workload a paired dot chart and its table; losses that a check flagged stand out."""
    text = rows.text
    counts = sorted(set(rows.fitted["threads"].dropna()))
    low, high = (counts[0] if counts else None), (counts[-1] if len(counts) > 1 else None)
    title = text("threads-section", low=low, high=high)
    flagged = set(ringed(findings[findings["rule"].isin(COMPARING)], rows.fitted))
    panels: list[Panel] = []
    tables: list[Section] = []
    compared: list[pd.DataFrame] = []
    for i, workload in enumerate(rows.workloads if len(counts) > 1 else (), 1):
        pairs = compare(rows.fitted[rows.fitted["workload"] == workload], low, high, flagged)
        if not pairs.empty:
            panels.append(_threads_panel(rows, workload, pairs, i))
            tables.append(Section(rows.workload_title(workload), f"threads-{i}", (_pairs_table(rows, pairs),)))
            compared.append(pairs.assign(workload=workload))
    if not compared:
        return Section(title, "threads", (Text(text("threads-none")),))
    frame = pd.concat(compared, ignore_index=True)
    most = MOST if max(map(len, compared)) > MOST else None
    caption = text("threads-caption", **rows.caption, n=frame["label"].nunique(), most=most)
    return Section(title, "threads", (Figure(tuple(panels), caption, frame), *tables))


def compare(points: pd.DataFrame, low: float, high: float, flagged: set[str]) -> pd.DataFrame:
    """One row per spec with both thread counts: means of the repeats, the relative change, whether it was flagged."""
    keys = ["cores", "ram_gib", "label", "spec"]
    both = points[points["threads"].isin([low, high])]
    means = both.groupby([*keys, "threads"], dropna=False)["y"].mean().unstack("threads")
    sides = means.reindex(columns=[low, high]).set_axis(["low", "high"], axis="columns")
    pairs = sides.dropna().reset_index()
    losing = pairs["high"] < pairs["low"]
    ids = points[points["threads"] == high].groupby("label")["run_id"].agg(set)
    return pairs.assign(
        threads_low=low, threads_high=high, change=pairs["high"] / pairs["low"] - 1,
        flagged=[lost and bool(ids[label] & flagged) for label, lost in zip(pairs["label"], losing, strict=True)],
    )  # fmt: skip


def _threads_panel(rows: ReportRows, workload: str, pairs: pd.DataFrame, place: int) -> Panel:
    drawn = _drawn_pairs(pairs)
    # Not in the data: which name can be drawn follows the machine's fonts.
    names = [style.spec_name(label, spec) for label, spec in zip(drawn["label"], drawn["spec"], strict=True)]
    drawn = drawn.assign(name=names)
    with style.theme():
        picture, axes = style.panel(height=1.7 + 0.25 * len(drawn))
        plot.paired(axes, drawn, title=_threads_title(rows, workload, pairs, drawn=True), lang=rows.drawn_lang)
        plot.legend(picture, drawn, lang=rows.drawn_lang)
    finding = rows.sentence(_threads_title(rows, workload, pairs, drawn=False))
    low, high = pairs["threads_low"].iloc[0], pairs["threads_high"].iloc[0]
    alt = rows.text("threads-alt", low=low, high=high, workload=workload, finding=finding)
    return Panel(picture, f"threads-{place}", alt)


def _threads_title(rows: ReportRows, workload: str, pairs: pd.DataFrame, *, drawn: bool) -> str:
    losing = pairs.loc[pairs["flagged"], "change"]
    return (rows.drawn if drawn else rows.text)(
        "threads-title", workload=rows.workload_title(workload, drawn=drawn), total=len(pairs), n=len(losing),
        change=pairs["change"].median() if losing.empty else losing.min(),
    )  # fmt: skip


def _drawn_pairs(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs that a picture has room for: those whose logarithms lie farthest apart, in their order."""
    if len(pairs) <= MOST:
        return pairs
    apart = np.log(pairs["high"] / pairs["low"]).abs().sort_values(ascending=False, kind="stable")
    return pairs.loc[sorted(apart.index[:MOST])]


def _pairs_table(rows: ReportRows, pairs: pd.DataFrame) -> Table:
    text, first = rows.text, pairs.iloc[0]
    columns = (
        Column("label", text("column-spec")),
        Column("low", text("column-qps-at", threads=first["threads_low"]), fixed, "right"),
        Column("high", text("column-qps-at", threads=first["threads_high"]), fixed, "right"),
        Column("change", text("column-change"), change, "right"),
    )
    return Table(pairs, columns, marked="flagged")
