"""Throughput against cores: the plot, and by what a doubling of cores multiplies throughput."""

import math

import pandas as pd

from ycsbook.facts import Fact, fact
from ycsbook.messages.formats import number
from ycsbook.plots import scaling as plot
from ycsbook.plots import style
from ycsbook.report.blocks import Figure, Panel
from ycsbook.report.rows import ReportRows, headline
from ycsbook.scaling import Analysis, claims
from ycsbook.scaling.limits import LimitKind
from ycsbook.verdicts import Outcome


def doubling(analysis: Analysis, workload: str, threads: float, outcome: str) -> tuple[float, float, float]:
    """By what each doubling of cores multiplies throughput, and its 95 % interval: 2 to the power law's exponent.

    `outcome` says whether of the measured (completed) or of the published rows. Not a number where there is
    no such fit, or where nothing of the series may be claimed.
    """
    tidy, asked = analysis.tidy, (workload, threads, outcome, "power", "exponent")
    keys = zip(*(tidy[c] for c in ("workload", "threads", "outcome", "law", "term")), strict=True)
    place = next((i for i, key in enumerate(keys) if key == asked), None)
    if place is None or choice(analysis, workload, threads, outcome)[1] != claims.CLAIMED:
        return math.nan, math.nan, math.nan
    return tuple(2 ** float(tidy[c].iloc[place]) for c in ("estimate", "conf_low", "conf_high"))


def choice(analysis: Analysis, workload: str, threads: float, outcome: str) -> tuple[str, str]:
    """The law that is drawn for a series and its verdict's key; empty where there is none."""
    laws = analysis.choices
    rows = zip(*(laws[c] for c in ("workload", "threads", "outcome", "law", "verdict_key")), strict=True)
    asked = (workload, threads, outcome)
    return next(((law, verdict) for *series, law, verdict in rows if tuple(series) == asked), ("", ""))


def figure(rows: ReportRows, analysis: Analysis, findings: pd.DataFrame) -> Figure | None:
    """Throughput over cores, a panel per workload, measured and published rows; None where there is no point."""
    points = rows.points[rows.points["y"].notna()]
    if points.empty:
        return None
    points = points.assign(measured=_measured(points, analysis.limits))
    laws = analysis.choices[analysis.choices["law"] != ""]
    curves = analysis.curves.merge(laws[["group", "law"]], on=["group", "law"])
    flagged = ringed(findings, points)
    panels = [
        _panel(rows, analysis, points[points["workload"] == w], curves[curves["workload"] == w], flagged)
        for w in rows.workloads
        if (points["workload"] == w).any()
    ]
    names = [fact("law-name", law=law) for law in sorted(set(laws["law"]))]
    caption = rows.text(
        "scaling-caption", **rows.caption, counts=_counts(points), points=_points(points),
        law=rows.text("report-or", parts=names) if names else None, dashed=bool(curves["extrapolated"].any()),
        rings=bool(flagged), bounds=not points["measured"].all(),
    )  # fmt: skip
    columns = ["run_id", "spec", "cores", "ram_gib", "workload", "threads", "outcome", "y", "y_column"]
    return Figure(tuple(panels), caption, points[columns])


def _measured(points: pd.DataFrame, limits: pd.DataFrame) -> list[bool]:
    """Whether each point's throughput is its server's own, as far as that is known."""
    keys = ["dataset", "outcome", "workload", "spec", "threads"]
    known = limits[limits["limit_kind"] != LimitKind.SINGLE]
    # Where nothing is shown to be the server's, fainter points would only be harder to see.
    known = known[known.groupby(["dataset", "outcome", "workload"])["measured"].transform("any")]
    bounds = set(known.loc[~known["measured"], keys].itertuples(index=False, name=None))
    return [key not in bounds for key in points[keys].itertuples(index=False, name=None)]


def _counts(points: pd.DataFrame) -> list[Fact]:
    """How many runs and published rows there are."""
    n = points["outcome"].value_counts()
    units = ((Outcome.COMPLETED, "scaling-runs"), (Outcome.PUBLISHED, "scaling-rows"))
    return [fact(unit, n=n[outcome]) for outcome, unit in units if outcome in n]


def _points(points: pd.DataFrame) -> Fact:
    """What the points of measured runs and of published rows show."""
    columns = {outcome: sorted(set(part["y_column"])) for outcome, part in points.groupby("outcome")}
    measured = [fact("scaling-measured", column=column) for column in columns.get(Outcome.COMPLETED, ())]
    shown = {
        Outcome.COMPLETED: fact("report-or", parts=measured),
        Outcome.PUBLISHED: fact("scaling-published", columns=", ".join(columns.get(Outcome.PUBLISHED, ()))),
    }
    if len(columns) > 1:
        return fact("scaling-drawn-both", measured=shown[Outcome.COMPLETED], published=shown[Outcome.PUBLISHED])
    return fact("scaling-drawn", shown=shown[next(iter(columns))])


def _panel(
    rows: ReportRows, analysis: Analysis, points: pd.DataFrame, curves: pd.DataFrame, flagged: dict[str, int]
) -> Panel:
    workload = points["workload"].iloc[0]
    title, drawn = (_title(rows, analysis, headline(points), drawn=drawn) for drawn in (False, True))
    rings = {run_id: rank for run_id, rank in flagged.items() if run_id in set(points["run_id"])}
    with style.theme():
        picture, axes = style.panel(height=3.8)
        plot.facet(axes, points, curves, y="y", flagged=rings, title=drawn, lang=rows.drawn_lang)
        law = " / ".join(rows.drawn("law-name", law=law) for law in sorted(set(curves["law"])))
        name = rows.drawn("scaling-legend", law=law) if law else ""
        plot.legend(picture, points, law=name, flagged=bool(rings), lang=rows.drawn_lang)
    lines = [rows.text("report-stop", text=line) for line in title.splitlines()]
    threads = [number(count) for count in sorted(set(points["threads"]))]
    alt = rows.text("scaling-alt", workload=workload, finding=rows.joined("sentences", lines), threads=threads)
    return Panel(picture, f"scaling-{rows.workloads.index(workload) + 1}", alt)


# Of more series than these a title has no room for intervals.
MAX_INTERVALS = 2
# Rules whose findings compare one configuration with another.
COMPARING = ("thread_regression", "more_cores_slower", "more_ram_slower")


def ringed(findings: pd.DataFrame, points: pd.DataFrame) -> dict[str, int]:
    """The points to ring, with their rank: errors and warnings that single out few points, gravest first.

    Of a comparison the points named last are those that fell, with all their repeats.
    """
    present, flagged = set(points["run_id"]), {}
    cells = points["outcome"] + " " + points["spec"] + " " + points["workload"] + " " + points["threads"].map(number)
    cell = dict(zip(points["run_id"], cells, strict=True))
    order = findings[findings["severity"].isin(["error", "warning"])]
    for rank, row in enumerate(order.to_dict("records")):
        ids = [i for i in row["run_ids"].split() if i in present]
        if len(ids) <= max(2, len(present) // 4):
            fell = [i for i in ids if cell[i] == cell[ids[-1]]] if row["rule"] in COMPARING else ids
            for run_id in fell:
                flagged.setdefault(run_id, rank)
    return flagged


def _title(rows: ReportRows, analysis: Analysis, points: pd.DataFrame, *, drawn: bool) -> str:
    text, outcome, workload = rows.drawn if drawn else rows.text, points["outcome"].iloc[0], points["workload"].iloc[0]
    heading = rows.workload_title(workload, drawn=drawn)
    factors = {x: doubling(analysis, workload, x, outcome) for x in sorted(set(points["threads"].dropna()))}
    factors = {x: factor for x, factor in factors.items() if not math.isnan(factor[0])}
    if not factors:
        return text("scaling-title-open", workload=heading)
    # Of many series the intervals stand in the table of the parameters.
    intervals = len(factors) <= MAX_INTERVALS
    shown = [
        fact("scaling-factor", factor=factor, low=low if intervals else None, high=high if intervals else None)
        for factor, low, high in factors.values()
    ]
    laws = {choice(analysis, workload, x, outcome)[0] for x in factors}
    law = "none" if laws == {"power"} else "power"
    if laws == {"linear"} and all(low <= 2 <= high for _, low, high in factors.values()):
        law = "two"
    return text(
        "scaling-title", workload=heading, factors=shown, threads=[number(x) for x in factors],
        most_threads=max(factors), law=law,
    )  # fmt: skip
