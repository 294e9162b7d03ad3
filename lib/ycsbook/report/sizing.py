"""What to buy: what limited each point, what more cores and RAM bring and cost, and the smallest spec for the goals."""

from collections.abc import Collection

import numpy as np
import pandas as pd

from ycsbook import closed_loop, messages, trust, units
from ycsbook.errors import FitError
from ycsbook.facts import fact
from ycsbook.messages.formats import DASH, fixed, number, significant, within
from ycsbook.plots import scaling as plot
from ycsbook.report.blocks import Column, Figure, Section, Table, Text
from ycsbook.report.rows import ReportRows, headline
from ycsbook.report.short import Short
from ycsbook.scaling import Analysis
from ycsbook.scaling.analysis import marginals_of_groups
from ycsbook.scaling.capacity import answers, surety
from ycsbook.scaling.growth import Growth, with_more_threads
from ycsbook.scaling.limits import LEFT_OUT, counted
from ycsbook.scaling.points import refusal
from ycsbook.scaling.steps import with_prices


def limits(rows: ReportRows, analysis: Analysis, short: Short) -> Section | None:
    """A sentence with the counts, and a line for each spec with what limited it at each thread count and the grade of
    that row; None where there is nothing. The reasons stand in the table `limits`."""
    text, points = rows.text, analysis.limits
    if points.empty:
        return None
    grades = trust.of_cells(points, rows.tables.runs, short.grades)
    kinds = zip(points["limit_kind"], points["retrograde"], grades, strict=True)
    points = points.assign(
        name=[rows.names.get(spec, spec) for spec in points["spec"]],
        kind=[text("limits-graded", kind=fact("limits-kind", kind=kind, retrograde=bool(retrograde)), grade=grade)
              for kind, retrograde, grade in kinds],
    )  # fmt: skip
    tables = [
        Section(rows.workload_title(workload), f"limits-{i}", (_limits_table(rows, cells),))
        for i, workload, cells in rows.by_workload(points)
    ]
    figures = filter(None, (_utilisation(rows, short), _cpu(rows, short)))
    notes = ["limits-note", *(["limits-reach-note"] if points["at_most"].notna().any() else [])]
    texts = (Text(rows.say(counted(points))), *(Text(text(note), "note") for note in notes))
    return Section(text("limits"), "limits", (*texts, *tables, *figures))


def _limits_table(rows: ReportRows, points: pd.DataFrame) -> Table:
    keys = ["cores", "ram_gib", "outcome", "name"]
    wide = points.pivot_table(index=keys, columns="threads", values="kind", aggfunc="first", dropna=False)
    wide = wide.dropna(how="all").fillna(DASH).sort_index()
    columns = [Column(f"at-{threads:g}", rows.text("limits-at", threads=threads)) for threads in wide.columns]
    frame = wide.set_axis([column.key for column in columns], axis="columns")
    if points["at_most"].notna().any():
        sound = points[~points["limit_kind"].isin(LEFT_OUT)]
        ends = sound.pivot_table(index=keys, values=["observed", "at_most"], aggfunc="max", dropna=False)
        frame["reach"] = [
            DASH if pd.isna(most) else rows.text("report-span", low=significant(best), high=significant(most))
            for most, best in ends[["at_most", "observed"]].reindex(frame.index).to_numpy()
        ]
        columns.append(Column("reach", rows.text("limits-reach")))
    return Table(frame.reset_index(), (Column("name", rows.text("column-spec")), *columns))


def _utilisation(rows: ReportRows, short: Short) -> Figure | None:

    def values(cells: pd.DataFrame, _: dict[str, str]) -> dict[str, object]:
        limit = closed_loop.MAX_UTILISATION
        return {"n": int((cells["utilisation"] > limit).sum()), "total": len(cells), "limit": limit}

    points = short.timed.query("cores > 0")
    return rows.figure_of_each("utilisation", "utilisation", points, draw=plot.utilisation, values=values)


def _cpu(rows: ReportRows, short: Short) -> Figure | None:
    points = short.points
    points = points.assign(cpu_us=points["cores"] * points["cpu_utilisation"] / points["y"] * units.US_PER_S)
    return rows.figure_of_each(
        "cpu", "cpu_us", points[points["cpu_us"] > 0], draw=plot.cpu_per_operation,
        values=lambda cells, _: {"low": cells["cpu_us"].min(), "high": cells["cpu_us"].max()},
    )  # fmt: skip


def marginals(
    rows: ReportRows, analysis: Analysis, doubted: Collection[str] = (), growth: Collection[Growth] = ()
) -> Section | None:
    """A table of the steps in cores and one of the steps in RAM, without the runs that are in doubt; None where no two
    specs can be compared. The step that brings least is not told of a series that has too few threads for its cores."""
    sound = rows.tables.runs[~rows.tables.runs["run_id"].isin(doubted)]
    steps = marginals_of_groups(sound, rows.tables.operations) if len(doubted) else analysis.marginals
    steps = with_prices(steps, rows.sweep.prices)
    if steps.empty:
        return None
    cores = steps[steps["cores_from"] < steps["cores_to"]]
    ram = steps[steps["cores_from"] == steps["cores_to"]]
    blocks = [Text(rows.text("marginals-note", prices=bool(rows.sweep.prices), doubted=len(doubted) > 0), "note")]
    if not cores.empty:
        # The step that brings least for its price, with its series.
        few = {(g.workload, g.threads) for g in growth if with_more_threads(g, growth)}
        is_few = [series in few for series in zip(cores["workload"], cores["threads"], strict=True)]
        counting = cores if all(is_few) else cores[~np.array(is_few)]
        worst = counting.loc[counting["efficiency"].idxmin()]
        series, sentence = rows.series_fact(analysis, worst["group"]), messages.fact_of(worst, "sentence")
        blocks.append(Text(rows.text("report-of-series", series=series, text=sentence)))
        blocks.append(_steps(rows, analysis, cores, "cores"))
    if not ram.empty:
        blocks.append(_steps(rows, analysis, ram, "ram"))
    return Section(rows.text("marginals"), "marginals", tuple(blocks))


def _steps(rows: ReportRows, analysis: Analysis, steps: pd.DataFrame, resource: str) -> Table:
    text = rows.text
    if resource == "ram":
        per = Column("ops_per_gib", text("column-per-gib", unit=rows.ram_unit), significant, "right")
        heading = text("column-ram-step")
        ends = zip(steps["cores_from"], steps["ram_from"], steps["ram_to"], strict=True)
        unit = rows.ram_unit
        step_texts = [text("marginals-ram-step", cores=at, first=a, last=b, unit=unit) for at, a, b in ends]
    else:
        per = Column("ops_per_core", text("column-per-core"), significant, "right")
        more_ram = [fact.values["aside"] in ("ram", "both") for fact in messages.facts_of(steps, "sentence")]
        heading = text("column-step", more_ram=all(more_ram))
        ends = zip(steps["cores_from"], steps["cores_to"], more_ram, strict=True)
        step_texts = [
            text("marginals-core-step", first=first, last=last, more_ram=more and not all(more_ram))
            for first, last, more in ends
        ]
    ends = steps["conf_low"], steps["conf_high"]
    gains = list(map(rows.times, steps["gain"], *ends))
    frame = steps.assign(step=step_texts, gain=gains, interval=list(map(rows.span, *ends)))
    columns = [
        Column("group", text("column-series"), rows.series(analysis)),
        Column("step", heading),
        Column("cost_ratio", text("column-cost-ratio"), rows.times, "right"),
        Column("gain", text("column-gain"), align="right"),
        Column("interval", text("column-interval"), align="right"),
        Column("efficiency", text("column-efficiency"), significant, "right"),
        per,
    ]
    # Single runs have no interval, RAM without prices no cost: a column of dashes says nothing.
    empty = {c for c in ("cost_ratio", "efficiency") if steps[c].isna().all()}
    empty |= {"interval"} if steps["conf_low"].isna().all() else set()
    return Table(frame, tuple(c for c in columns if c.key not in empty), group="group")


def capacity(rows: ReportRows, analysis: Analysis, grades: pd.Series) -> Section | None:
    """Per workload an answer and a table of the specs; rows in doubt by their `grades` (trust.grades) answer last. None
    where the params file has no throughput as its goal."""
    if rows.sweep.goals.qps is None:
        return None
    note = Text(rows.text("capacity-goal-note"), "note")
    parts = [_goal(rows, analysis, grades, workload, i) for i, workload in enumerate(rows.workloads, 1)]
    return Section(rows.text("capacity"), "capacity", (note, *parts))


def _goal(rows: ReportRows, analysis: Analysis, grades: pd.Series, workload: str, place: int) -> Section:
    goals, title, anchor = rows.sweep.goals, rows.workload_title(workload), f"capacity-{place}"
    specs = {s.name: (s.cores, s.ram_gib) for s in rows.sweep.specs}
    try:
        candidates = trust.capacity(
            headline(rows.tables.runs), analysis.limits, grades, qps=goals.qps, workload=workload, p99_ms=goals.p99_ms,
            percentiles=rows.tables.percentiles, specs=specs, prices=rows.sweep.prices or None,
        )  # fmt: skip
    except FitError as e:
        return Section(title, anchor, (Text(rows.say(refusal(e))),))
    names = candidates["spec"].map(lambda spec: rows.names.get(spec, spec))
    candidates = candidates.assign(spec=names + candidates["mark"])
    spec_names = [rows.names.get(spec, spec) for spec in specs]
    answer = (Text(rows.say(sentence)) for sentence in answers(candidates, goals.qps, goals.p99_ms, spec_names))
    return Section(title, anchor, (*answer, _candidates(rows, candidates)))


def _candidates(rows: ReportRows, candidates: pd.DataFrame) -> Table:
    text = rows.text
    costs = zip(candidates["cost_per_million"], candidates["cost_low"], candidates["cost_high"], strict=True)
    frame = candidates.assign(
        fitted=list(map(within, candidates["fitted"], candidates["run_low"], candidates["run_high"])),
        new=list(map(rows.span, candidates["run_low"], candidates["run_high"])),
        p99_ms=candidates["p99_us"] / 1e3,
        cost=[
            DASH if pd.isna(cost) else text("capacity-cost", cost=cost, low=low, high=high, span=rows.span(low, high))
            for cost, low, high in costs
        ],
    )
    currency = f" ({rows.sweep.currency})" if rows.sweep.currency else ""
    columns = [
        Column("spec", text("column-spec")),
        Column("threads", text("column-threads"), number, "right"),
        Column("observed", text("column-capacity-measured"), fixed, "right"),
        Column("again", text("column-again"), lambda p: rows.say(surety(p)), "right"),
        Column("fitted", text("column-capacity-law"), align="right"),
        Column("new", text("column-capacity-new"), align="right"),
        Column("probability", text("column-probability"), lambda p: rows.say(surety(p)), "right"),
    ]
    if candidates["p99_us"].notna().any():
        columns.append(Column("p99_ms", text("column-p99-ms"), significant, "right"))
    if rows.sweep.prices:
        columns.append(Column("cost", text("column-cost") + currency, align="right"))
    return Table(frame, tuple(columns), marked="suffices")
