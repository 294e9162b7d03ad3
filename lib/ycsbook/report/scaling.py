"""Throughput against cores: the figure, by what a doubling of cores multiplies throughput, and the laws: what may be
claimed of each, their parameters, and how far the specs lie from them."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from ycsbook import messages, trust
from ycsbook.facts import Fact, fact
from ycsbook.messages.formats import number, significant, within
from ycsbook.plots import scaling as plot
from ycsbook.report.blocks import Column, Figure, Section, Table, Text
from ycsbook.report.rows import ReportRows
from ycsbook.report.short import Short
from ycsbook.scaling import Analysis, claims
from ycsbook.scaling.growth import Growth, Level, per_doubling, steps, with_more_threads
from ycsbook.scaling.growth_facts import interval
from ycsbook.scaling.limits import LimitKind
from ycsbook.units import US_PER_S
from ycsbook.verdicts import Outcome

# Of more series than these a title has no room for intervals.
MAX_INTERVALS = 2
_UNITS = {Outcome.COMPLETED: "runs", Outcome.PUBLISHED: "published-rows"}


def figure(rows: ReportRows, short: Short) -> Figure | None:
    points = rows.points[(rows.points["y"] > 0) & (rows.points["cores"] > 0)]
    if points["cores"].nunique() < 2:
        return None
    points = _with_lines(points.assign(grade=points["run_id"].map(short.grades)), short)
    panels = []
    for i, workload, panel_points in rows.by_workload(points):
        title = tuple(_title(rows, short, workload, drawn=drawn) for drawn in (False, True))
        threads = [number(count) for count in sorted(set(panel_points["threads"].dropna()))]
        draw = partial(plot.facet, points=panel_points, ceilings=ceilings(short, workload), beside=points["y"])
        panels.append(rows.panel(f"scaling-{i}", "scaling", title, draw, height=3.9, threads=threads, n=len(threads)))
    doubtful = bool(points["grade"].isin(trust.DOUBTFUL).any())
    columns = ["run_id", "spec", "cores", "ram_gib", "workload", "threads", "outcome", "y", "y_column", "grade"]
    return rows.figure("scaling", panels, points[columns], counts=_counts(points), points=_points(points),
                       doubtful=doubtful, same_ram=not points["in_line"].all())  # fmt: skip


def _with_lines(points: pd.DataFrame, short: Short) -> pd.DataFrame:
    """Points with a column `in_line`: whether the growth that the head tells is that of such specs."""
    sizes = {growth.workload: short.trusted(growth).ram_per_core for growth in short.growth}
    size = points["workload"].map(sizes)
    return points.assign(in_line=size.isna() | (points["ram_gib"] / points["cores"] == size))


def ceilings(short: Short, workload: str) -> dict[float, float]:
    """Threads and N / R (ops/s), what so many could do at the lowest mean latency of their series, where its growth
    stops and more threads do more."""
    few = [g for g in short.growth if g.workload == workload and g.stops and with_more_threads(g, short.growth)]
    return {g.threads: g.threads / least_us * US_PER_S for g in few if (least_us := short.least_us(g)) > 0}


def growth(rows: ReportRows, short: Short) -> Section | None:
    """By what a doubling of cores multiplies throughput in each series, and from one core count to the next: of the
    rows not in doubt, as everywhere in the report, and of all."""
    if not short.growth:
        return None
    text, workloads = rows.text, list(short.main)
    # A set would have no order.
    series = sorted(dict.fromkeys([*short.growth, *short.main.values()]), key=lambda g: workloads.index(g.workload))
    pairs = [(short.trusted(growth), growth) for growth in series]
    frame = pd.DataFrame(
        {
            "mix": rows.say(rows.mix(growth.workload)),
            "threads": text("growth-threads", threads=growth.threads),
            "specs": growth.n_specs, "factor": rows.times(growth.factor, growth.low, growth.high),
            "of_all": rows.times(of_all.factor, of_all.low, of_all.high),
            "these": rows.span(growth.low, growth.high),
            "another": rows.span(growth.spec_low, growth.spec_high),
            "steps": rows.joined(
                "commas", [text("growth-step", first=a, last=b, factor=factor) for a, b, factor in steps(growth)]
            ),
        }
        for growth, of_all in pairs
    )  # fmt: skip
    columns = [
        Column("mix", text("column-workload")),
        Column("threads", text("column-threads"), align="right"),
        Column("specs", text("opening-specs"), number, "right"),
        Column("factor", text("column-per-doubling"), align="right"),
        Column("these", text("column-these-specs"), align="right"),
        Column("another", text("column-another-server"), align="right"),
        Column("of_all", text("column-with-doubt"), align="right"),
        Column("steps", text("column-per-step")),
    ]
    repeated = any(growth.evidence == "repeats" for growth, _ in pairs)
    doubtful = any(growth is not of_all for growth, of_all in pairs)
    # Without repeats both intervals are of the scatter of the specs.
    has_column = {"these": repeated, "of_all": doubtful}
    table = Table(frame, tuple(column for column in columns if has_column.get(column.key, True)), group="mix")
    note = Text(text("growth-note", repeated=repeated, doubtful=doubtful), "note")
    return Section(text("growth"), "growth", (note, table, *filter(None, (_per_core(rows, short),))))


def _per_core(rows: ReportRows, short: Short) -> Figure | None:

    def values(cells: pd.DataFrame, names: dict[str, str]) -> dict[str, object]:
        best, _ = short.buying.best.get(cells["workload"].iloc[0], (cells.nlargest(1, "per_core").iloc[0], None))
        return {"threads": best["threads"], "ops": best["y"] / best["cores"], "spec": names[best["spec"]]}

    points = short.points[short.points["cores"] > 0]
    points = _with_lines(points.assign(per_core=points["y"] / points["cores"]), short)
    draw, same_ram = partial(plot.facet, per_core=True), not points["in_line"].all()
    return rows.figure_of_each("per-core", "per_core", points, draw=draw, values=values, same_ram=same_ram)


def _counts(points: pd.DataFrame) -> list[Fact]:
    n = points["outcome"].value_counts()
    return [fact(unit, n=n[outcome]) for outcome, unit in _UNITS.items() if outcome in n]


def _points(points: pd.DataFrame) -> Fact:
    columns = {outcome: sorted(set(part["y_column"])) for outcome, part in points.groupby("outcome")}
    of_runs = [fact("scaling-measured", column=column) for column in columns.get(Outcome.COMPLETED, ())]
    measured = fact("report-or", parts=of_runs)
    published = fact("scaling-published", columns=", ".join(columns.get(Outcome.PUBLISHED, ())))
    if len(columns) > 1:
        return fact("scaling-drawn-both", measured=measured, published=published)
    return fact("scaling-drawn", shown=measured if of_runs else published)


def _grows(text: Callable[..., str], short: Short, growth: Growth) -> str:
    if growth.flat:
        start, end = growth.flat
        ops = (start.ops_s * end.ops_s) ** 0.5
        return text("scaling-flat", ops=ops, first=start.cores, cores=end.cores, threads=growth.threads,
                    doubted=short.rests_on_doubted_rows(growth))  # fmt: skip
    trusted = short.trusted(growth)
    low, high = interval(trusted.low, trusted.high)
    factor, turn = _rise(short, trusted)
    return text("scaling-factor", factor=factor, low=low, high=high, threads=growth.threads, vague=trusted.is_vague,
                cores=(turn or trusted.last).cores, upper=turn and per_doubling(turn, trusted.last))  # fmt: skip


def _rise(short: Short, growth: Growth) -> tuple[float, Level | None]:
    """By what a doubling of cores multiplies throughput, and up to which core count; of those that the head tells."""
    first, *inner, _ = short.levels(growth)
    turn = growth.turn if growth.turn in inner else None
    return per_doubling(first, turn) if turn else growth.factor, turn


def _title(rows: ReportRows, short: Short, workload: str, *, drawn: bool) -> str:
    text, say = (rows.drawn, rows.drawn_say) if drawn else (rows.text, rows.say)
    heading = say(rows.workload(workload))
    series = [growth for growth in short.growth if growth.workload == workload]
    if not series:
        return heading
    if len(series) <= MAX_INTERVALS:
        lines = [_grows(text, short, growth) for growth in series]
    else:
        # The intervals of many stand in the table.
        factors, turns = zip(*(_rise(short, short.trusted(growth)) for growth in series), strict=True)
        lines = [text("scaling-factors", low=min(factors), high=max(factors), n=len(series), turns=any(turns))]
    return "\n".join([heading, *lines])


def laws(rows: ReportRows, analysis: Analysis) -> Section:
    """What may be claimed of each law, the parameters of those to show, and how far the specs lie from them."""
    text, choices = rows.text, _identified(analysis)
    if analysis.glance.empty:
        return Section(text("laws"), "scaling", (Text(text("laws-none")),))
    parameters = _law_parameters(rows, analysis, choices) if len(choices) else None
    parts = filter(None, (_law_verdicts(rows, analysis, choices), parameters, residuals(rows, analysis)))
    return Section(text("laws"), "scaling", tuple(parts))


def _identified(analysis: Analysis) -> pd.DataFrame:
    """Group and law of the series whose points tell which law it is; the parameters of any other say nothing."""
    choices = analysis.choices
    identifiable = (choices["law"] != "") & (choices["verdict_key"] != "not-identifiable")
    return choices.loc[identifiable, ["group", "law"]]


def _law_parameters(rows: ReportRows, analysis: Analysis, chosen: pd.DataFrame) -> Section:
    text, tidy = rows.text, analysis.tidy.merge(chosen)
    ends = tidy["conf_low"], tidy["conf_high"]
    frame = tidy.assign(estimate=list(map(within, tidy["estimate"], *ends)), interval=list(map(rows.span, *ends)))
    columns = (
        Column("group", text("column-series"), rows.series(analysis)),
        Column("law", text("column-law"), rows.law),
        Column("term", text("column-term"), lambda term: text("laws-term", term=term)),
        Column("estimate", text("column-estimate"), align="right"),
        Column("interval", text("column-interval"), align="right"),
    )
    note = Text(text("laws-parameters-note"), "note")
    return Section(text("laws-parameters"), "parameters", (note, Table(frame, columns, group="group")))


def _law_verdicts(rows: ReportRows, analysis: Analysis, chosen: pd.DataFrame) -> Section:
    text, glance = rows.text, analysis.glance
    starred = set(chosen.itertuples(index=False, name=None))
    pairs = list(zip(glance["group"], glance["law"], strict=True))
    series = [fact("series-law", series=rows.series_fact(analysis, group), law=law) for group, law in pairs]
    frame = glance.assign(
        name=[rows.law(law) + (" *" if (group, law) in starred else "") for group, law in pairs],
        words=list(map(rows.say, claims.without_repeated_reasons(series, messages.facts_of(glance, "verdict")))),
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
    """A panel per workload of the residuals of the laws that were chosen; None where none was."""
    text = rows.text
    # Of measured runs where there are any.
    frame = analysis.augment.merge(_identified(analysis), on=["group", "law"])
    frame = frame[frame["outcome"].isin(set(rows.fitted["outcome"])) & frame["residual"].notna()]
    if frame.empty:
        return None
    server = frame["limit_kind"] == LimitKind.SERVER
    # Where nothing is shown to be the server's, all points were fitted as if they were.
    told_apart = server.groupby(frame["group"]).transform("any")
    frame = frame.assign(name=frame["spec"].map(rows.names).fillna(""), measured=server | ~told_apart)
    panels = []
    for i, workload, points in rows.by_workload(frame):
        drawn = points.assign(spec_label=points["spec"].map(rows.drawn_names).fillna(""))
        worst = drawn.loc[drawn.loc[drawn["measured"], "residual"].abs().idxmax()]
        values = {"workload": rows.workload(workload), "threads": worst["threads"]}
        title = tuple(
            write("residuals-title", **values, residual=np.expm1(worst["residual"]), spec=spec)
            for write, spec in ((rows.text, worst["name"]), (rows.drawn, worst["spec_label"]))
        )
        draw = partial(plot.residuals, augment=drawn)
        panels.append(rows.panel(f"residuals-{i}", "residuals", title, draw, height=3.7))
    names = [fact("law-name", law=law) for law in sorted(set(frame["law"]))]
    figure = rows.figure("residuals", panels, frame, n=len(frame), laws=names)
    note = text("residuals-note", bounds=not frame["measured"].all())
    return Section(text("residuals"), "residuals", (Text(note, "note"), figure))
