"""Throughput against cores: the plot, the parameters, what may be claimed, and the steps one by one."""

import math

import pandas as pd

from ycsbook.plots import scaling as plot
from ycsbook.plots import style
from ycsbook.report import numbers, residuals
from ycsbook.report.blocks import Block, Column, Figure, Items, Panel, Section, Table, Text
from ycsbook.report.rows import Rows, headline
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
    """The law that is drawn for a series and its verdict; empty where there is none."""
    laws, asked = analysis.choices, (workload, threads, outcome)
    keys = zip(*(laws[c] for c in ("workload", "threads", "outcome")), strict=True)
    found = zip(keys, zip(laws["law"], laws["verdict"], strict=True), strict=True)
    return next((told for key, told in found if key == asked), ("", ""))


def figure(rows: Rows, analysis: Analysis, findings: pd.DataFrame) -> Figure | None:
    """Throughput over cores, a panel per workload, measured and published rows; None where there is no point."""
    points = rows.points[rows.points["y"].notna()]
    if points.empty:
        return None
    t = rows.t
    points = points.assign(measured=_measured(points, analysis.limits))
    laws = analysis.choices[analysis.choices["law"] != ""]
    curves = analysis.curves.merge(laws[["group", "law"]], on=["group", "law"])
    flagged = ringed(findings, points)
    panels = [
        _panel(rows, analysis, points[points["workload"] == w], curves[curves["workload"] == w], flagged)
        for w in rows.workloads
        if (points["workload"] == w).any()
    ]
    law = t["list_or"].join(map(rows.said, sorted(set(laws["law"]))))
    caption = t["scaling_caption"].format(
        **rows.caption, n=_counted(rows, points), points=_drawn(rows, points),
        law=t["caption_law"].format(law=law) if law else "",
        dashed=t["caption_dashed"] if curves["extrapolated"].any() else "",
        rings=t["caption_rings"] if flagged else "", bounds="" if points["measured"].all() else t["caption_bounds"],
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


def _counted(rows: Rows, points: pd.DataFrame) -> str:
    n = points["outcome"].value_counts()
    units = ((Outcome.COMPLETED, "unit_runs"), (Outcome.PUBLISHED, "unit_rows"))
    return rows.t["list_and"].join(rows.t[unit].format(n=n[outcome]) for outcome, unit in units if outcome in n)


def _drawn(rows: Rows, points: pd.DataFrame) -> str:
    t = rows.t
    columns = {outcome: sorted(set(part["y_column"])) for outcome, part in points.groupby("outcome")}
    words = {
        "measured": t["list_or"].join(t["caption_y"][c] for c in columns.get(Outcome.COMPLETED, [])),
        "published": t["caption_y_published"].format(y=", ".join(columns.get(Outcome.PUBLISHED, []))),
    }
    if len(columns) > 1:
        return t["caption_points_both"].format(**words)
    return t["caption_points"].format(y=words["measured" if Outcome.COMPLETED in columns else "published"])


def _panel(
    rows: Rows, analysis: Analysis, points: pd.DataFrame, curves: pd.DataFrame, flagged: dict[str, int]
) -> Panel:
    workload, told_of = points["workload"].iloc[0], headline(points)
    finding = _title(rows, analysis, told_of)
    drawn = _title(rows, analysis, told_of, drawn=True)
    here = {run_id: rank for run_id, rank in flagged.items() if run_id in set(points["run_id"])}
    with style.theme():
        picture, axes = style.panel(height=3.8)
        plot.facet(axes, points, curves, y="y", flagged=here, title=drawn, words=rows.words)
        law = " / ".join(rows.words.get(law, law) for law in sorted(set(curves["law"])))
        told = rows.drawn["law_legend"].format(law=law) if law else ""
        plot.legend(picture, points, law=told, flagged=bool(here), words=rows.words)
    t = rows.t
    alt = t["scaling_alt"].format(
        y=t["qps"], workload=workload, finding=t["stop"].join(finding.splitlines()) + t["stop"].strip(),
        threads=t["list_comma"].join(numbers.count(x) for x in sorted(set(points["threads"]))),
    )  # fmt: skip
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
    cells = (
        points["outcome"] + " " + points["spec"] + " " + points["workload"] + " " + points["threads"].map(numbers.count)
    )
    cell = dict(zip(points["run_id"], cells, strict=True))
    order = findings[findings["severity"].isin(["error", "warning"])]
    for rank, row in enumerate(order.to_dict("records")):
        ids = [i for i in row["run_ids"].split() if i in present]
        if len(ids) <= max(2, len(present) // 4):
            fell = [i for i in ids if cell[i] == cell[ids[-1]]] if row["rule"] in COMPARING else ids
            for run_id in fell:
                flagged.setdefault(run_id, rank)
    return flagged


def section(rows: Rows, analysis: Analysis) -> Section:
    """Parameter table, residuals, verdicts and local elasticities; the plot itself stands in the opening."""
    t = rows.t
    if analysis.glance.empty:
        return Section(t["scaling"], "scaling", (Text(t["no_fits"]),))
    laws = analysis.choices
    chosen = set(zip(laws["group"], laws["law"], strict=True))
    parts: list[Block] = [
        Items(
            tuple(
                t["claim"].format(series=rows.said(group), text=rows.said(sentence), verdict=rows.said(verdict))
                for group, sentence, verdict in zip(
                    laws["group"], laws["sentence"], claims.once(laws["group"], laws["verdict"]), strict=True
                )
            )
        )
    ]
    if (laws["law"] != "").any():
        parts.append(_parameters(rows, analysis, chosen))
    if (rest := residuals.section(rows, analysis)) is not None:
        parts.append(rest)
    parts.append(_verdicts(rows, analysis, chosen))
    drawn = [pair in chosen for pair in zip(analysis.glance["group"], analysis.glance["law"], strict=True)]
    notes = analysis.glance.loc[drawn, ["group", "scatter"]].query("scatter != ''")
    if not notes.empty:
        told = [
            t["of_series"].format(series=rows.said(row.group), text=rows.said(row.scatter.removesuffix(".")))
            for row in notes.itertuples()
        ]
        parts.append(Text(t["scatter_note"].format(notes=t["list_semicolon"].join(told)), "note"))
    if not analysis.elasticities.empty:
        parts.append(_elasticities(rows, analysis))
    return Section(t["scaling"], "scaling", tuple(parts))


def _title(rows: Rows, analysis: Analysis, points: pd.DataFrame, *, drawn: bool = False) -> str:
    t = rows.drawn if drawn else rows.t
    workload, outcome = points["workload"].iloc[0], points["outcome"].iloc[0]
    first = rows.workload_title(workload, drawn=drawn)
    series = sorted(set(points["threads"].dropna()))
    known = {x: factor for x in series if not math.isnan((factor := doubling(analysis, workload, x, outcome))[0])}
    if not known:
        return f"{first}\n{t['facet_open']}"
    # Of many series the intervals stand in the table of the parameters.
    told = [
        t["effect"].format(value=f"×{value}", low=low, high=high) if len(known) <= MAX_INTERVALS else f"×{value}"
        for value, low, high in (map(numbers.plain, factor) for factor in known.values())
    ]
    laws = {choice(analysis, workload, x, outcome)[0] for x in known}
    law = "" if laws == {"power"} else t["facet_law"]
    if laws == {"linear"} and all(low <= 2 <= high for _, low, high in known.values()):
        law = t["facet_linear"]
    told = t["facet_title"].format(
        factors=t["list_comma"].join(told), threads=t["list_comma"].join(map(numbers.count, known)), law=law
    )
    return f"{first}\n{told}"


def _parameters(rows: Rows, analysis: Analysis, chosen: set) -> Section:
    t = rows.t
    tidy = analysis.tidy[[pair in chosen for pair in zip(analysis.tidy["group"], analysis.tidy["law"], strict=True)]]
    frame = tidy.assign(
        symbol=tidy["term"].map(t["law_symbols"]).fillna(tidy["term"]),
        interval=[rows.span(a, b) for a, b in zip(tidy["conf_low"], tidy["conf_high"], strict=True)],
    )
    columns = (
        Column("group", t["group"], rows.said),
        Column("law", t["law"], rows.said),
        Column("symbol", t["term"]),
        Column("estimate", t["estimate"], numbers.plain, "right"),
        Column("interval", t["conf"], align="right"),
    )
    table = Table(frame, columns, group="group")
    return Section(t["parameters"], "parameters", (Text(t["parameters_note"], "note"), table))


def _verdicts(rows: Rows, analysis: Analysis, chosen: set) -> Section:
    t = rows.t
    glance = analysis.glance
    frame = glance.assign(
        drawn=[pair in chosen for pair in zip(glance["group"], glance["law"], strict=True)],
        verdict=claims.once(glance["group"] + ", " + glance["law"], glance["verdict"]),
    )
    frame["law"] = frame["law"].where(~frame["drawn"], frame["law"] + " *")
    columns = (
        Column("group", t["group"], rows.said),
        Column("law", t["law"], rows.said),
        Column("n_obs", t["n_obs"], numbers.count, "right"),
        Column("n_specs", t["n_specs"], numbers.count, "right"),
        Column("loo_error", t["loo_error"], numbers.plain, "right"),
        Column("aicc", t["aicc"], numbers.plain, "right"),
        Column("verdict", t["verdict"], rows.said),
    )
    return Section(t["verdicts"], "verdicts", (Text(t["verdicts_note"], "note"), Table(frame, columns, group="group")))


def _elasticities(rows: Rows, analysis: Analysis) -> Section:
    t = rows.t
    steps = analysis.elasticities
    frame = steps.assign(
        step=steps["cores_from"].map(numbers.count) + " → " + steps["cores_to"].map(numbers.count),
        interval=[rows.span(a, b) for a, b in zip(steps["conf_low"], steps["conf_high"], strict=True)],
    )
    columns = [
        Column("group", t["group"], rows.said),
        Column("step", t["step"]),
        Column("gain", t["gain"], lambda v: f"×{numbers.plain(v)}", "right"),
        Column("elasticity", t["elasticity"], numbers.plain, "right"),
    ]
    # Single runs have no interval: a column of dashes says nothing.
    if steps["conf_low"].notna().any():
        columns.append(Column("interval", t["conf"], align="right"))
    if steps["basis"].any():
        columns.append(Column("basis", t["step_basis"], rows.said))
    table = Table(frame, tuple(columns), group="group")
    return Section(t["local_elasticities"], "elasticities", (Text(t["elasticities_note"], "note"), table))
