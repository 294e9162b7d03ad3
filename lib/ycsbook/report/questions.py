"""What a sweep with a question found: why it stopped, and what it would have measured next; or the latency at a given
rate, the highest that keeps a p99, and the curve up to it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import isfinite, sqrt

import numpy as np
import pandas as pd

from ycsbook import names, units
from ycsbook.facts import Fact, fact
from ycsbook.messages.formats import DASH, digits_at_most, fixed, three_digits
from ycsbook.params import thread_counts
from ycsbook.plots import systems as plot
from ycsbook.report.blocks import Column, InShort, Section, Table, Text
from ycsbook.report.rows import ReportRows
from ycsbook.scaling import until
from ycsbook.scaling.points import slowest_p99_us
from ycsbook.scaling.until import HOLDS, LOST, OPEN, Change, ends

# Specs named in a sentence; the others are counted.
NAMED = 4
_CELL = ["base", "cores", "ram_gib", "vendor", "spec", "name", "threads"]
# In a shorter run more than one operation in a hundred waits for the client's own start.
LONG_ENOUGH_S = 150.0


def first(rows: ReportRows, answer: InShort) -> InShort:
    """What a report says first, with the answer to the sweep's question and the rates that were searched before it."""
    rates = [(rows.text("rates-about"), rows.say(_rate_sentence(rows, cell))) for cell in _rates_found(rows)]
    if len(rates) == 1:
        answer = replace(answer, verdict=rates[0][1], points=())
    asked = rows.sweep.until is not None and not rows.measured.empty
    question = [(rows.text("until-about"), "\n".join(map(rows.say, facts(rows))))] if asked else []
    return replace(answer, lines=(*question, *rates, *answer.lines))


def facts(rows: ReportRows) -> list[Fact]:
    state = until.state(rows.sweep, rows.tables.runs[rows.tables.runs["phase"] == "run"])
    stopped = fact(
        "until-stopped", why=state.stopped or "going-on", n=state.spent.runs, most=state.most,
        hours=rows.sweep.until.max_hours, cost=rows.sweep.until.max_cost, currency=rows.sweep.currency or None,
    )  # fmt: skip
    return [stopped, *_found(rows, state), *_next(rows, state)]


def _found(rows: ReportRows, state: until.Standing) -> list[Fact]:
    goal, look = rows.sweep.until.goal, state.look
    if goal.factor is not None:
        widest = max((sqrt(g.high / g.low) - 1 for g in look.growths if isfinite(g.high)), default=None)
        smallest, largest = ends(rows.sweep.specs)
        between = {s.cores for s in rows.sweep.specs} - set(rows.measured["cores"])
        return [fact("until-factor", goal=goal.factor, widest=widest, first=smallest.cores, last=largest.cores,
                     n=len(between))]  # fmt: skip
    if goal.regression is not None:
        return _changes(rows, look.changes, goal.regression)
    return [
        fact("until-qps", mix=rows.mix(supply.workload) if supply.workload in rows.workloads else supply.workload,
             qps=goal.qps, priced=bool(rows.sweep.prices), most=supply.most,
             **{name: getattr(supply, name) or None for name in ("enough", "short", "close")})
        for supply in look.supplies
    ]  # fmt: skip


def _changes(rows: ReportRows, changes: tuple[Change, ...], goal: float) -> list[Fact]:
    pairs = {(c.threads_from, c.threads_to) for c in changes}
    # One pair of thread counts is named once.
    once, in_each = (next(iter(pairs)), None) if len(pairs) == 1 else ((None, None), True)
    by_verdict = {verdict: [c for c in changes if c.verdict == verdict] for verdict in (LOST, HOLDS, OPEN)}
    lost = [
        fact("until-lost", cell=_named(rows, c), change=c.ratio - 1, low=c.low - 1, high=c.high - 1,
             threads_from=in_each and c.threads_from, threads_to=in_each and c.threads_to)
        for c in sorted(by_verdict[LOST], key=lambda c: c.ratio)
    ]  # fmt: skip
    still = [_named(rows, c) for c in by_verdict[OPEN]]
    counts = {"n": len(changes), "lost_n": len(lost), "holds": len(by_verdict[HOLDS]), "open_n": len(still)}
    listed = {**names.listed("lost", lost, NAMED), **names.listed("still", still, NAMED)}
    return [fact("until-regression", goal=goal, threads_from=once[0], threads_to=once[1], **counts, **listed)]


def _named(rows: ReportRows, change: Change) -> Fact:
    cells = rows.measured[(rows.measured["spec"] == change.spec) & (rows.measured["workload"] == change.workload)]
    return names.spec_and_mix_listed(cells.iloc[0])


def _next(rows: ReportRows, state: until.Standing) -> list[Fact]:
    """The runs it would have made next: those of its rounds, or those that the answer leaves out."""
    sweep, cells = rows.sweep, state.look.following
    if state.stopped == until.REACHED and sweep.until.goal.factor is not None:
        made = set(rows.measured["spec"])
        unmeasured = [spec.name for spec in sweep.specs if spec.name not in made]
        n = len(unmeasured) * len(sweep.workloads) * len(thread_counts(sweep))
        took_s = n * min(map(sweep.expected_s, sweep.workloads))
        of = fact("until-next-between", n=n, took_s=took_s, **names.listed("specs", unmeasured, NAMED))
        return [of] if n else []
    if not cells or not state.stopped:
        return []
    took_s = until.cost_of(sweep, cells).hours * units.SECONDS_PER_HOUR
    specs = names.listed("specs", [cell.spec for cell in cells], NAMED)
    return [fact("until-next-round", n=len(cells), took_s=took_s, **specs)]


def rates(rows: ReportRows) -> Section | None:
    """A picture of each mix, and the table of what was found; None where no rate was asked for."""
    made = rate_points(rows)
    if not made["target_ops_s"].notna().any():
        return None
    panels, rate_by_mix, goal_ms, cells = [], {}, rows.sweep.goals.p99_ms, _rates_found(rows)
    for cell in cells:
        rate_by_mix[cell["base"]] = max(float(cell["kept"].min()), rate_by_mix.get(cell["base"], 0.0))
    for place, (base, points) in enumerate(made.groupby("base", sort=False), 1):
        drawn = points.assign(name=points["spec"].map(rows.drawn_names))
        mix = _bare_mix(points.iloc[0])
        title = fact("rates-title", mix=mix, goal_ms=goal_ms, rate=rate_by_mix.get(base) or None)
        draw = partial(plot.curves, points=drawn, goal_ms=goal_ms)
        panels.append(rows.panel(f"rates-{place}", "rates", title, draw, height=3.9, mix=mix, workload=base))
    shortest_s = float(rows.measured["runtime_ms"].min()) / units.MS_PER_S
    short_s = shortest_s if shortest_s < LONG_ENOUGH_S else None
    figure = rows.figure("rates", panels, made, n=made["run_id"].nunique())
    blocks = [figure, Text(rows.text("rates-note", short_s=short_s), "note")]
    if cells:
        blocks.insert(1, _rates_table(rows, cells))
    return Section(rows.text("rates"), "rates", tuple(blocks))


def rate_points(rows: ReportRows) -> pd.DataFrame:
    """The runs with a target, and those at full speed of the same cells: run_id, the cell (base: the mix without its
    target), repeat, target_ops_s (NaN: full speed), ops (ops/s) and p99_ms of the slowest operation; from when
    operations were due where they were due."""
    runs = rows.searched if rows.sweep.search_rate else rows.measured[rows.measured["target_ops_s"].notna()]
    of_target = runs.assign(base=runs["workload"].str.replace(r"(?:, )?target [\d,.]+ ops/s", "", regex=True))
    plain = rows.measured[rows.measured["target_ops_s"].isna()]
    bare = plain["workload"].str.replace(", no target", "", regex=False)
    points = pd.concat([of_target, plain.assign(base=bare)[bare.isin(of_target["base"])]], ignore_index=True)
    points["name"] = points["spec"].map(dict(zip(rows.measured["spec"], rows.measured["name"], strict=True)))
    slowest = slowest_p99_us(rows.tables.percentiles) / units.US_PER_MS
    points = points.assign(p99_ms=points["run_id"].map(slowest), ops=points["throughput_ops_s"])
    columns = ["run_id", *_CELL, "workload", "read_fraction", "repeat", "target_ops_s", "ops", "p99_ms"]
    return points[columns].sort_values([*_CELL, "repeat", "ops"]).reset_index(drop=True)


def _rates_found(rows: ReportRows) -> list[dict]:
    """What each cell's searches found, none where no rate was searched: kept (the highest rates, one of each repeat;
    0: none), broken (the lowest rate above that was not), full (ops/s at full speed, the mean)."""
    if rows.searched.empty:
        return []
    made, goal_ms, cells = rate_points(rows), rows.sweep.goals.p99_ms, []
    made = made.assign(keeps=made["p99_ms"] <= goal_ms, rate=made["target_ops_s"].fillna(made["ops"]))
    for _, cell in made.groupby(_CELL, sort=False, dropna=False):
        highest = cell["rate"].where(cell["keeps"], 0.0).groupby(cell["repeat"]).max()
        above = ~cell["keeps"] & (cell["rate"] > cell["repeat"].map(highest))
        broken = cell["rate"].where(above).groupby(cell["repeat"]).min()
        full = cell.loc[cell["target_ops_s"].isna(), "ops"].mean()
        cells.append({**cell.iloc[0], "kept": highest.to_numpy(), "broken": broken.to_numpy(), "full": full})
    return cells


def _rate_sentence(rows: ReportRows, cell: dict) -> Fact:
    highest = cell["kept"]
    rate = float(np.exp(np.log(highest).mean())) if (highest > 0).all() else 0.0
    return fact(
        "rates-found", spec=names.spec(cell), mix=_bare_mix(cell), threads=cell["threads"],
        goal_ms=rows.sweep.goals.p99_ms,
        rate=rate, low=highest.min(), high=highest.max(), n=len(highest), share=rate / cell["full"], full=cell["full"],
        whole=bool(np.isnan(cell["broken"]).all()),
    )  # fmt: skip


def _bare_mix(row: Mapping) -> Fact:
    return names.mix({**row, "workload": row["base"]})


def _rates_table(rows: ReportRows, cells: list[dict]) -> Table:
    records = []
    for cell in cells:
        best, broken = cell["kept"], cell["broken"][~np.isnan(cell["broken"])]
        records.append({
            "name": cell["name"], "mix": rows.say(_bare_mix(cell)), "threads": cell["threads"],
            "kept": best.mean() if (best > 0).all() else np.nan,
            "range": rows.text("report-span", low=fixed(best.min()), high=fixed(best.max())) if len(best) > 1 else DASH,
            "broken": broken.mean() if len(broken) else np.nan, "full": cell["full"],
        })  # fmt: skip
    text = partial(rows.text, "rates-column", goal_ms=rows.sweep.goals.p99_ms)
    columns = (
        Column("name", rows.text("column-spec")),
        Column("mix", text(column="mix")),
        Column("threads", rows.text("column-threads"), digits_at_most, "right"),
        Column("kept", text(column="kept"), three_digits, "right", bar="kept"),
        Column("range", text(column="range"), align="right"),
        Column("broken", text(column="broken"), three_digits, "right"),
        Column("full", text(column="full"), three_digits, "right"),
    )
    return Table(pd.DataFrame(records), columns)
