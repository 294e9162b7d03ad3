"""The lower against the higher thread count, spec by spec."""

import numpy as np
import pandas as pd

from ycsbook.plots import style
from ycsbook.plots import threads as plot
from ycsbook.report import numbers
from ycsbook.report.blocks import Column, Figure, Panel, Section, Table, Text
from ycsbook.report.rows import Rows
from ycsbook.report.scaling import COMPARING, ringed

# More specs than this are a table, not a picture.
MOST = 40


def section(rows: Rows, findings: pd.DataFrame) -> Section:
    """Per workload a paired dot chart and its table; losses that a check flagged stand out."""
    t = rows.t
    counts = sorted(set(rows.fitted["threads"].dropna()))
    if len(counts) < 2:
        title = t["threads_section"].format(low=numbers.count(counts[0]) if counts else "–", high="–")
        return Section(title, "threads", (Text(t["threads_none"]),))
    low, high = counts[0], counts[-1]
    flagged = set(ringed(findings[findings["rule"].isin(COMPARING)], rows.fitted))
    panels: list[Panel] = []
    tables: list[Section] = []
    compared = []
    for i, workload in enumerate(rows.workloads, 1):
        pairs = compare(rows.fitted[rows.fitted["workload"] == workload], low, high, flagged)
        if not pairs.empty:
            panels.append(_panel(rows, workload, pairs, i))
            tables.append(Section(rows.workload_title(workload), f"threads-{i}", (_table(rows, pairs, low, high),)))
            compared.append(pairs.assign(workload=workload))
    title = t["threads_section"].format(low=numbers.count(low), high=numbers.count(high))
    if not compared:
        return Section(title, "threads", (Text(t["threads_none"]),))
    frame = pd.concat(compared, ignore_index=True)
    caption = t["threads_caption"].format(**rows.caption, n=frame["label"].nunique())
    if max(map(len, compared)) > MOST:
        caption += t["threads_most"].format(n=MOST)
    figure = Figure(tuple(panels), caption, frame)
    return Section(title, "threads", (figure, *tables))


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
        name=[style.spec_name(label, spec) for label, spec in zip(pairs["label"], pairs["spec"], strict=True)],
    )  # fmt: skip


def _panel(rows: Rows, workload: str, pairs: pd.DataFrame, number: int) -> Panel:
    t = rows.t
    drawn = _drawn(pairs)
    low, high = (numbers.count(pairs[c].iloc[0]) for c in ("threads_low", "threads_high"))
    with style.theme():
        picture, axes = style.panel(height=1.7 + 0.25 * len(drawn))
        plot.paired(axes, drawn, title=_title(rows, workload, pairs, drawn=True), words=rows.words)
        plot.legend(picture, drawn, words=rows.words)
    said = t["colon"].join(_title(rows, workload, pairs).splitlines()) + t["stop"].strip()
    return Panel(
        picture, f"threads-{number}", t["threads_alt"].format(low=low, high=high, workload=workload, finding=said)
    )


def _title(rows: Rows, workload: str, pairs: pd.DataFrame, *, drawn: bool = False) -> str:
    t, losing = rows.drawn if drawn else rows.t, pairs[pairs["flagged"]]
    words = {"workload": rows.workload_title(workload, drawn=drawn), "total": len(pairs), "n": len(losing)}
    if losing.empty:
        return t["threads_title_none"].format(**words, median=numbers.change(pairs["change"].median()))
    return t["threads_title_loss"].format(**words, worst=numbers.change(losing["change"].min()))


def _drawn(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs that a picture has room for: those whose logarithms lie farthest apart, in their order."""
    if len(pairs) <= MOST:
        return pairs
    apart = np.log(pairs["high"] / pairs["low"]).abs().sort_values(ascending=False, kind="stable")
    return pairs.loc[sorted(apart.index[:MOST])]


def _table(rows: Rows, pairs: pd.DataFrame, low: float, high: float) -> Table:
    t = rows.t
    columns = (
        Column("label", t["spec"]),
        Column("low", t["qps_at"].format(threads=numbers.count(low)), numbers.whole, "right"),
        Column("high", t["qps_at"].format(threads=numbers.count(high)), numbers.whole, "right"),
        Column("change", t["change"], numbers.change, "right"),
    )
    return Table(pairs, columns, marked="flagged")
