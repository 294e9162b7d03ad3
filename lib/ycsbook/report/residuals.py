"""What each spec does beyond the law that is drawn."""

import numpy as np
import pandas as pd

from ycsbook.plots import residuals as plot
from ycsbook.plots import style
from ycsbook.report import numbers
from ycsbook.report.blocks import Figure, Panel, Section, Text
from ycsbook.report.rows import Rows
from ycsbook.scaling import Analysis
from ycsbook.scaling.limits import LimitKind


def section(rows: Rows, analysis: Analysis) -> Section | None:
    """A panel per workload of the residuals of the laws that are drawn; None where no law is."""
    t, frame = rows.t, _frame(rows, analysis)
    if frame.empty:
        return None
    panels = [
        _panel(rows, frame[frame["workload"] == workload], workload, i)
        for i, workload in enumerate(rows.workloads, 1)
        if (frame["workload"] == workload).any()
    ]
    law = t["list_or"].join(map(rows.said, sorted(set(frame["law"]))))
    caption = t["residuals_caption"].format(**rows.caption, n=len(frame), law=law)
    bounds = "" if frame["measured"].all() else t["residuals_bounds"]
    figure = Figure(tuple(panels), caption, frame)
    return Section(t["residuals"], "residuals", (Text(t["residuals_note"].format(bounds=bounds), "note"), figure))


def _frame(rows: Rows, analysis: Analysis) -> pd.DataFrame:
    """The fitted points of the laws to show, of measured runs where there are any, with the spec's label."""
    laws = analysis.choices.loc[analysis.choices["law"] != "", ["group", "law"]]
    frame = analysis.augment.merge(laws, on=["group", "law"])
    frame = frame[frame["outcome"].isin(set(rows.fitted["outcome"])) & frame["residual"].notna()]
    labels = dict(zip(rows.points["spec"], rows.points["label"], strict=True))
    server = frame["limit_kind"] == LimitKind.SERVER
    # Where nothing is shown to be the server's, all points were fitted as if they were.
    known = server.groupby(frame["group"]).transform("any")
    return frame.assign(spec_label=frame["spec"].map(labels).fillna(""), measured=server | ~known)


def _panel(rows: Rows, frame: pd.DataFrame, workload: str, number: int) -> Panel:
    finding = _title(rows, frame, workload)
    with style.theme():
        picture, axes = style.panel(height=3.7)
        plot.facet(axes, frame, name=1, title=_title(rows, frame, workload, drawn=True), words=rows.words)
        plot.legend(picture, frame, words=rows.words)
    said = rows.t["colon"].join(finding.splitlines()) + rows.t["stop"].strip()
    alt = rows.t["residuals_alt"].format(workload=workload, finding=said)
    return Panel(picture, f"residuals-{number}", alt)


def _title(rows: Rows, frame: pd.DataFrame, workload: str, *, drawn: bool = False) -> str:
    t = rows.drawn if drawn else rows.t
    worst = frame.loc[frame.loc[frame["measured"], "residual"].abs().idxmax()]
    return t["residuals_title"].format(
        workload=rows.workload_title(workload, drawn=drawn), spec=style.spec_name(worst["spec_label"], worst["spec"]),
        threads=numbers.count(worst["threads"]), residual=numbers.change(float(np.expm1(worst["residual"]))),
    )  # fmt: skip
