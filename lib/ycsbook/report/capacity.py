"""The smallest spec for the goals of the params file, with its probability and cost."""

from math import isnan

import pandas as pd

from ycsbook.errors import FitError
from ycsbook.report import numbers
from ycsbook.report.blocks import Column, Section, Table, Text
from ycsbook.report.rows import Rows, headline
from ycsbook.scaling import Analysis
from ycsbook.scaling.capacity import smallest
from ycsbook.scaling.capacity_words import answers, surety


def section(rows: Rows, analysis: Analysis) -> Section | None:
    """Per workload an answer and a table of the specs; None where the params file has no throughput as its goal."""
    goals = rows.sweep.goals
    if goals.qps is None:
        return None
    t = rows.t
    parts = [_workload(rows, analysis, workload, i) for i, workload in enumerate(rows.workloads, 1)]
    return Section(t["capacity"], "capacity", (Text(t["capacity_note"], "note"), *parts))


def _workload(rows: Rows, analysis: Analysis, workload: str, number: int) -> Section:
    goals, title = rows.sweep.goals, rows.workload_title(workload)
    specs = {s.name: (s.cores, s.ram_gib) for s in rows.sweep.specs}
    try:
        found = smallest(
            headline(rows.tables.runs), analysis.limits, qps=goals.qps, workload=workload, p99_ms=goals.p99_ms,
            percentiles=rows.tables.percentiles, specs=specs, prices=rows.sweep.prices or None,
        )  # fmt: skip
    except FitError as e:
        return Section(title, f"capacity-{number}", (Text(rows.said(str(e).removeprefix("capacity: "))),))
    said = tuple(Text(rows.said(sentence)) for sentence in answers(found, goals.qps, goals.p99_ms))
    return Section(title, f"capacity-{number}", (*said, _table(rows, found)))


def _table(rows: Rows, found: pd.DataFrame) -> Table:
    t = rows.t
    per_million = zip(found["cost_per_million"], found["cost_low"], found["cost_high"], strict=True)
    frame = found.assign(
        new=[rows.span(a, b) for a, b in zip(found["run_low"], found["run_high"], strict=True)],
        p99_ms=found["p99_us"] / 1e3,
        cost=[
            numbers.MISSING if isnan(c) else t["cost"].format(value=numbers.plain(c), span=rows.span(a, b))
            for c, a, b in per_million
        ],
    )
    currency = f" ({rows.sweep.currency})" if rows.sweep.currency else ""
    columns = [
        Column("spec", t["spec"]),
        Column("threads", t["threads"], numbers.count, "right"),
        Column("observed", t["capacity_measured"], numbers.whole, "right"),
        Column("fitted", t["capacity_law"], numbers.plain, "right"),
        Column("new", t["capacity_new"], align="right"),
        Column("probability", t["capacity_probability"], lambda p: rows.said(surety(p)), "right"),
    ]
    columns += [Column("p99_ms", t["capacity_p99"], numbers.plain, "right")] if found["p99_us"].notna().any() else []
    columns += [Column("cost", t["capacity_cost"] + currency, align="right")] if rows.sweep.prices else []
    return Table(frame, tuple(columns), marked="suffices")
