"""Throughput against cores: the figure, and by what a doubling of cores multiplies throughput."""

from collections.abc import Callable
from math import nan

import pandas as pd

from ycsbook import trust
from ycsbook.facts import Fact, fact
from ycsbook.messages.formats import number
from ycsbook.plots import scaling as plot
from ycsbook.plots import style
from ycsbook.report import detail_figures
from ycsbook.report.blocks import Column, Figure, Panel, Section, Table, Text
from ycsbook.report.rows import ReportRows
from ycsbook.report.short import Short
from ycsbook.scaling.growth import Growth, steps
from ycsbook.verdicts import Outcome

# Of more series than these a title has no room for intervals.
MAX_INTERVALS = 2


def figure(rows: ReportRows, short: Short) -> Figure | None:
    """Throughput over cores, a panel per workload, measured and published rows; None where there is no point."""
    points = rows.points[(rows.points["y"] > 0) & (rows.points["cores"] > 0)]
    if points.empty:
        return None
    points = points.assign(grade=points["run_id"].map(short.grades))
    panels = [
        _panel(rows, short, points[points["workload"] == w]) for w in rows.workloads if (points["workload"] == w).any()
    ]
    doubtful = bool(points["grade"].isin(trust.DOUBTFUL).any())
    caption = rows.text(
        "scaling-caption", **rows.caption, counts=_counts(points), points=_points(points), doubtful=doubtful
    )
    columns = ["run_id", "spec", "cores", "ram_gib", "workload", "threads", "outcome", "y", "y_column", "grade"]
    return Figure(tuple(panels), caption, points[columns])


def growth(rows: ReportRows, short: Short) -> Section | None:
    """By what a doubling of cores multiplies throughput in each series, and from one core count to the next."""
    if not short.growth:
        return None
    text = rows.text
    frame = pd.DataFrame(
        {
            "mix": rows.workload_title(growth.workload), "threads": growth.threads, "specs": growth.n_specs,
            "factor": growth.factor, "sound": _sound_factor(short, growth),
            "these": rows.span(growth.low, growth.high),
            "another": rows.span(growth.spec_low, growth.spec_high),
            "steps": _steps(rows, growth),
        }
        for growth in short.growth
    )  # fmt: skip
    columns = [
        Column("mix", text("column-workload")),
        Column("threads", text("column-threads"), number, "right"),
        Column("specs", text("column-specs"), number, "right"),
        Column("factor", text("column-per-doubling"), rows.times, "right"),
        Column("sound", text("column-without-doubt"), rows.times, "right"),
        Column("these", text("column-these-specs"), align="right"),
        Column("another", text("column-another-server"), align="right"),
        Column("steps", text("column-per-step")),
    ]
    repeated = any(growth.evidence == "repeats" for growth in short.growth)
    if not repeated:
        # Both intervals are of the scatter of the specs.
        columns = [column for column in columns if column.key != "these"]
    doubtful = bool(short.sound_growth)
    if not doubtful:
        columns = [column for column in columns if column.key != "sound"]
    table = Table(frame, tuple(columns), group="mix")
    note = Text(text("growth-note", repeated=repeated, doubtful=doubtful), "note")
    return Section(text("growth"), "growth", (note, table, *filter(None, (detail_figures.per_core(rows, short),))))


def _steps(rows: ReportRows, growth: Growth) -> str:
    return rows.joined("commas", [rows.text("growth-step", first=a, last=b, factor=f) for a, b, f in steps(growth)])


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


def _panel(rows: ReportRows, short: Short, points: pd.DataFrame) -> Panel:
    workload = points["workload"].iloc[0]
    title, drawn = (_title(rows, short, workload, drawn=drawn) for drawn in (False, True))
    with style.theme():
        picture, axes = style.panel(height=3.4)
        ceilings = short.ceilings(workload)
        plot.facet(axes, points, y="y", ceilings=ceilings, title=drawn, lang=rows.drawn_lang)
        plot.legend(picture, points, ceiling=bool(ceilings), lang=rows.drawn_lang)
    threads = [number(count) for count in sorted(set(points["threads"].dropna()))]
    alt = rows.text("scaling-alt", finding=rows.sentence(title), threads=threads, n=len(threads))
    return Panel(picture, f"scaling-{rows.workloads.index(workload) + 1}", alt)


def _sound_factor(short: Short, growth: Growth) -> float:
    sound = short.sound_growth.get((growth.workload, growth.threads))
    return sound.factor if sound else nan


def _grows(text: Callable[..., str], short: Short, growth: Growth) -> str:
    """How a series grows: where it is flat, else by what per doubling, without rows in doubt where that is another."""
    if growth.flat:
        start, end = growth.flat
        ops = (start.ops_s * end.ops_s) ** 0.5
        return text("scaling-flat", ops=ops, first=start.cores, cores=end.cores, threads=growth.threads)
    sound = short.differing(growth)
    shown = sound or growth
    # Of the rows not in doubt alone: their interval stands in the table, a title has no room for both.
    low, high = (nan, nan) if sound else (shown.low, shown.high)
    return text("scaling-factor", factor=shown.factor, low=low, high=high, threads=growth.threads,
                without=sound is not None)  # fmt: skip


def _title(rows: ReportRows, short: Short, workload: str, *, drawn: bool) -> str:
    text = rows.drawn if drawn else rows.text
    heading = rows.workload_title(workload, drawn=drawn)
    series = [growth for growth in short.growth if growth.workload == workload]
    if not series:
        return heading
    if len(series) <= MAX_INTERVALS:
        lines = [_grows(text, short, growth) for growth in series]
    else:
        # The intervals of many stand in the table.
        factors = [growth.factor for growth in series]
        lines = [text("scaling-factors", low=min(factors), high=max(factors), n=len(series))]
    return "\n".join([heading, *lines])
