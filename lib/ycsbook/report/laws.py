"""The laws of throughput over cores: what may be claimed, their parameters, and how far the specs lie from them."""

import numpy as np
import pandas as pd

from ycsbook import messages
from ycsbook.facts import fact
from ycsbook.messages.formats import number, significant
from ycsbook.plots import scaling as plot
from ycsbook.plots import style
from ycsbook.report.blocks import Block, Column, Figure, Panel, Section, Table, Text
from ycsbook.report.rows import ReportRows
from ycsbook.scaling import Analysis, claims
from ycsbook.scaling.limits import LimitKind


def laws(rows: ReportRows, analysis: Analysis) -> Section:
    """What may be claimed of each law, the parameters of those to show, and how far the specs lie from them."""
    text, choices = rows.text, _identified(analysis)
    if analysis.glance.empty:
        return Section(text("laws"), "scaling", (Text(text("laws-none")),))
    chosen = set(zip(choices["group"], choices["law"], strict=True))
    parts: list[Block | None] = [
        _verdicts(rows, analysis, chosen),
        _parameters(rows, analysis, chosen) if chosen else None,
        residuals(rows, analysis),
    ]
    return Section(text("laws"), "scaling", tuple(part for part in parts if part is not None))


def _identified(analysis: Analysis) -> pd.DataFrame:
    """Group and law of the series whose points tell which law it is; the parameters of any other say nothing."""
    choices = analysis.choices
    told = (choices["law"] != "") & (choices["verdict_key"] != "not-identifiable")
    return choices.loc[told, ["group", "law"]]


def _is_chosen(frame: pd.DataFrame, chosen: set) -> list[bool]:
    return [pair in chosen for pair in zip(frame["group"], frame["law"], strict=True)]


def _parameters(rows: ReportRows, analysis: Analysis, chosen: set) -> Section:
    text, tidy = rows.text, analysis.tidy[_is_chosen(analysis.tidy, chosen)]
    frame = tidy.assign(interval=list(map(rows.span, tidy["conf_low"], tidy["conf_high"])))
    columns = (
        Column("group", text("column-series"), rows.series(analysis)),
        Column("law", text("column-law"), rows.law),
        Column("term", text("column-term"), lambda term: text("laws-term", term=term)),
        Column("estimate", text("column-estimate"), significant, "right"),
        Column("interval", text("column-interval"), align="right"),
    )
    note = Text(text("laws-parameters-note"), "note")
    return Section(text("laws-parameters"), "parameters", (note, Table(frame, columns, group="group")))


def _verdicts(rows: ReportRows, analysis: Analysis, chosen: set) -> Section:
    text, glance = rows.text, analysis.glance
    pairs = list(zip(glance["group"], glance["law"], strict=True))
    series = [fact("series-law", series=rows.series_fact(analysis, group), law=law) for group, law in pairs]
    frame = glance.assign(
        name=[rows.law(law) + (" *" if (group, law) in chosen else "") for group, law in pairs],
        words=[
            rows.say(verdict)
            for verdict in claims.without_repeated_reasons(series, messages.facts_of(glance, "verdict"))
        ],
    )
    columns = (
        Column("group", text("column-series"), rows.series(analysis)),
        Column("name", text("column-law")),
        Column("n_obs", text("column-points"), number, "right"),
        Column("n_specs", text("column-core-counts"), number, "right"),
        Column("loo_error", text("column-loo-error"), significant, "right"),
        Column("aicc", text("column-aicc"), significant, "right"),
        Column("words", text("column-verdict")),
    )
    note = Text(text("laws-verdicts-note"), "note")
    return Section(text("laws-verdicts"), "verdicts", (note, Table(frame, columns, group="group")))


def residuals(rows: ReportRows, analysis: Analysis) -> Section | None:
    """A panel per workload of the residuals of the laws that are drawn; None where no law is."""
    text, frame = rows.text, _residual_frame(rows, analysis)
    if frame.empty:
        return None
    panels = [
        _residual_panel(rows, frame[frame["workload"] == workload], workload, i)
        for i, workload in enumerate(rows.workloads, 1)
        if (frame["workload"] == workload).any()
    ]
    names = [fact("law-name", law=law) for law in sorted(set(frame["law"]))]
    caption = text("residuals-caption", **rows.caption, n=len(frame), laws=names)
    note = text("residuals-note", bounds=not frame["measured"].all())
    return Section(text("residuals"), "residuals", (Text(note, "note"), Figure(tuple(panels), caption, frame)))


def _residual_frame(rows: ReportRows, analysis: Analysis) -> pd.DataFrame:
    """The fitted points of the laws to show, of measured runs where there are any, with the spec's label."""
    frame = analysis.augment.merge(_identified(analysis), on=["group", "law"])
    frame = frame[frame["outcome"].isin(set(rows.fitted["outcome"])) & frame["residual"].notna()]
    server = frame["limit_kind"] == LimitKind.SERVER
    # Where nothing is shown to be the server's, all points were fitted as if they were.
    told_apart = server.groupby(frame["group"]).transform("any")
    return frame.assign(name=frame["spec"].map(rows.names).fillna(""), measured=server | ~told_apart)


def _residual_panel(rows: ReportRows, frame: pd.DataFrame, workload: str, place: int) -> Panel:
    frame = frame.assign(spec_label=frame["spec"].map(rows.drawn_names).fillna(""))
    title, drawn = (_residual_title(rows, frame, workload, drawn=drawn) for drawn in (False, True))
    with style.theme():
        picture, axes = style.panel(height=3.7)
        plot.residuals(axes, frame, name=1, title=drawn, lang=rows.drawn_lang)
        style.legend(picture, plot.point_handles(frame, rows.drawn_lang))
    alt = rows.text("residuals-alt", finding=rows.sentence(title))
    return Panel(picture, f"residuals-{place}", alt)


def _residual_title(rows: ReportRows, frame: pd.DataFrame, workload: str, *, drawn: bool) -> str:
    worst = frame.loc[frame.loc[frame["measured"], "residual"].abs().idxmax()]
    return (rows.drawn if drawn else rows.text)(
        "residuals-title", workload=rows.workload_title(workload, drawn=drawn), threads=worst["threads"],
        spec=worst["spec_label"] if drawn else worst["name"], residual=np.expm1(worst["residual"]),
    )  # fmt: skip
