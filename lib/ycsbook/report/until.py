"""What a sweep with a question found, why it stopped, and what it would have measured next."""

from math import isfinite, nan, sqrt

from ycsbook import names, units
from ycsbook.facts import Fact, fact
from ycsbook.params import thread_counts
from ycsbook.report.blocks import InShort
from ycsbook.report.rows import ReportRows
from ycsbook.scaling import until
from ycsbook.scaling.until import HOLDS, LOST, OPEN, Change, Supply, ends

# Specs named in a sentence; the others are counted.
NAMED = 4


def first(rows: ReportRows, answer: InShort) -> InShort:
    """What a report says first, with the answer to the sweep's question before it."""
    if rows.sweep.until is None or rows.measured.empty:
        return answer
    lines = ((rows.text("until-about"), rows.joined("sentences", map(rows.say, facts(rows)))), *answer.lines)
    return InShort(answer.verdict, lines)


def facts(rows: ReportRows) -> list[Fact]:
    """The sentences, in order."""
    state = until.state(rows.sweep, rows.tables.runs[rows.tables.runs["phase"] == "run"])
    return [_stopped(rows, state), *_found(rows, state), *_next(rows, state)]


def _stopped(rows: ReportRows, state: until.Standing) -> Fact:
    until = rows.sweep.until
    return fact(
        "until-stopped", why=state.stopped or "going-on", n=state.spent.runs, most=state.most, hours=until.max_hours,
        cost=until.max_cost, currency=rows.sweep.currency or None,
    )  # fmt: skip


def _found(rows: ReportRows, state: until.Standing) -> list[Fact]:
    goal, look = rows.sweep.until.goal, state.look
    if goal.factor is not None:
        widths = [sqrt(g.high / g.low) - 1 for g in look.growths if isfinite(g.high)]
        few, many = ends(rows.sweep.specs)
        between = {s.cores for s in rows.sweep.specs} - set(rows.measured["cores"])
        widest = max(widths, default=nan)
        return [fact("until-factor", goal=goal.factor, widest=None if widths == [] else widest, first=few.cores,
                     last=many.cores, n=len(between))]  # fmt: skip
    if goal.regression is not None:
        return _changes(rows, look.changes, goal.regression)
    return [_supply(rows, supply, goal.qps) for supply in look.supplies]


def _changes(rows: ReportRows, changes: tuple[Change, ...], goal: float) -> list[Fact]:
    pairs = {(c.threads_from, c.threads_to) for c in changes}
    # One pair of thread counts is named once.
    once, each = (next(iter(pairs)), None) if len(pairs) == 1 else ((None, None), True)
    by_verdict = {verdict: [c for c in changes if c.verdict == verdict] for verdict in (LOST, HOLDS, OPEN)}
    lost = [
        fact("until-lost", cell=_named(rows, c), change=c.ratio - 1, low=c.low - 1, high=c.high - 1,
             threads_from=each and c.threads_from, threads_to=each and c.threads_to)
        for c in sorted(by_verdict[LOST], key=lambda c: c.ratio)
    ]  # fmt: skip
    still = [_named(rows, c) for c in by_verdict[OPEN]]
    counts = {"n": len(changes), "lost_n": len(lost), "holds": len(by_verdict[HOLDS]), "open_n": len(still)}
    named = {**names.listed("lost", lost, NAMED), **names.listed("still", still, NAMED)}
    return [fact("until-regression", goal=goal, threads_from=once[0], threads_to=once[1], **counts, **named)]


def _named(rows: ReportRows, change: Change) -> Fact:
    cells = rows.measured[(rows.measured["spec"] == change.spec) & (rows.measured["workload"] == change.workload)]
    return names.spec_and_mix_listed(cells.iloc[0])


def _supply(rows: ReportRows, supply: Supply, qps: float) -> Fact:
    mix = rows.mix(supply.workload) if supply.workload in rows.workloads else supply.workload
    known = {"enough": supply.enough or None, "short": supply.short or None, "close": supply.close or None}
    return fact("until-qps", mix=mix, qps=qps, priced=bool(rows.sweep.prices), most=supply.most, **known)


def _next(rows: ReportRows, state: until.Standing) -> list[Fact]:
    """What it would have measured next: the rest of its own rounds, or what the answer leaves out."""
    sweep, cells = rows.sweep, state.look.following
    if state.stopped == until.REACHED and sweep.until.goal.factor is not None:
        made = set(rows.measured["spec"])
        left = [spec.name for spec in sweep.specs if spec.name not in made]
        runs = len(left) * len(sweep.workloads) * len(thread_counts(sweep))
        if not runs:
            return []
        took_s = runs * min(map(sweep.expected_s, sweep.workloads))
        return [fact("until-next-between", n=runs, took_s=took_s, **names.listed("specs", left, NAMED))]
    if not cells or not state.stopped:
        return []
    took_s = until.cost_of(sweep, cells).hours * units.SECONDS_PER_HOUR
    specs = names.listed("specs", [cell.spec for cell in cells], NAMED)
    return [fact("until-next-round", n=len(cells), took_s=took_s, **specs)]
