"""Which runs would tell most next: how much of an interval each of them would save, before it is made.

What is aimed at is the throughput at the cores where the goal is reached, else the term that decides what may be
claimed: kappa of the USL, else the power law's exponent.
"""

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from ycsbook.params.expand import thread_counts
from ycsbook.scaling.design import GOAL, Design, design_of
from ycsbook.scaling.knee import HOW, LADDER
from ycsbook.scaling.laws import LAWS
from ycsbook.scaling.limits import LEFT_OUT, LimitKind
from ycsbook.tables import from_rows
from ycsbook.units import significant

if TYPE_CHECKING:
    from ycsbook.params.sweep import Sweep
    from ycsbook.scaling.analysis import Analysis

# Below this share of its width a run does not change what an interval says.
WORTHWHILE = 0.01
_GROUP = ["group", "workload", "threads", "outcome"]
_SHAPE = ["spec", "cores", "ram_gib"]
_REPEAT_ALL = {
    "suggestion": "repeats",
    "sentence": "Every run once more, or better twice: nothing was repeated, so the noise is unknown.",
}


class Candidate(NamedTuple):
    """A run that could be made: what kind of suggestion, on which shape, and the design it would leave."""

    suggestion: str
    shape: dict
    design: Design


class Series(NamedTuple):
    """A group's names, the design as it would stand after what was suggested so far, its points and other specs."""

    names: dict
    design: Design
    points: pd.DataFrame
    others: list[dict]


def suggest(
    analysis: "Analysis", sweep: "Sweep | None" = None, n: int = 5, *, repeat_variance: float = float("nan")
) -> pd.DataFrame:
    """The runs that would reduce the uncertainty most, one after the other: each is judged as if those above were made.

    Parameters
        analysis: of the runs there are (scaling.analyse).
        sweep: the params file the runs are of: its specs that have no run yet, and its goal. None: core counts between
            and twice beyond the measured ones are proposed.
        n: how many suggestions.
        repeat_variance: of ln X between repeats (cells.noise); NaN: nothing was repeated.
    Returns
        The table `next_runs`, best first; group and threads say which curve. `suggestion`:
            spec: a run on a spec with other cores;
            threads: more threads on a spec whose point is only a lower bound;
            repeats: one more run of a spec, where the noise between repeats is known, or of all, where it is not;
            ladder: one thread and its doublings, where nothing shows what limits the points.
        reduction: the share of the interval's width saved: of ln X at the goal (term goal), or of the term; NaN where
        there is no interval yet.
    """
    series, unfit = _series(analysis, sweep)
    found: list[dict] = []
    rest = [*_ladders(analysis.limits, sweep), *unfit]
    rest += [_REPEAT_ALL] if series and np.isnan(repeat_variance) else []
    while series and len(found) < n - min(len(rest), n // 2):
        options = [
            (one.design.saved_by(candidate.design), i, candidate)
            for i, one in enumerate(series)
            for candidate in _candidates(one, repeat_variance)
        ]
        saved, at, best = max(options, key=lambda option: option[0], default=(0.0, 0, None))
        if saved < WORTHWHILE:
            break
        found.append(_told(series[at], best, saved))
        series[at] = _after(series[at], best)
    return from_rows([*found, *rest][:n], "next_runs")


def _series(analysis: "Analysis", sweep: "Sweep | None") -> tuple[list[Series], list[dict]]:
    """The groups with a law, and what those without one need."""
    goal = sweep.goals.qps if sweep is not None else None
    series, unfit = [], []
    for key, choice in analysis.choices.groupby(_GROUP, dropna=False):
        names = choice[_GROUP].iloc[0].to_dict()
        tidy, glance, augment = (f[f["group"] == key[0]] for f in (analysis.tidy, analysis.glance, analysis.augment))
        points = augment.drop_duplicates(_SHAPE)
        design = design_of(tidy, glance, points[~_bound(points)], goal)
        if design is None:
            unfit.append({**names, **_too_few(glance, points, key[0])})
        else:
            series.append(Series(names, design, points, _other_specs(points, sweep)))
    return series, unfit


def _bound(points: pd.DataFrame) -> pd.Series:
    """Which points are lower bounds: something else than the server is known to limit them."""
    return ~points["limit_kind"].isin(["", LimitKind.SERVER])


def _candidates(one: Series, repeat_variance: float) -> list[Candidate]:
    bound = one.points[_bound(one.points) & ~one.points["limit_kind"].isin(LEFT_OUT)]
    found = [Candidate("spec", shape, one.design.with_point(shape)) for shape in one.others]
    found += [
        Candidate("threads", shape, one.design.with_point(shape)) for shape in bound[_SHAPE].to_dict("records")
    ]  # fmt: skip
    if np.isfinite(repeat_variance):
        shapes = one.design.points[_SHAPE].to_dict("records")
        # What is only suggested so far has no repeats yet.
        known = set(one.points["spec"])
        found += [
            Candidate("repeats", shape, one.design.with_repeat(i, repeat_variance))
            for i, shape in enumerate(shapes)
            if shape["spec"] in known
        ]
    return found


def _after(one: Series, chosen: Candidate) -> Series:
    same = (one.points["spec"] == chosen.shape["spec"]) & (chosen.suggestion == "threads")
    others = [shape for shape in one.others if shape is not chosen.shape]
    return one._replace(design=chosen.design, points=one.points[~same], others=others)


def _other_specs(points: pd.DataFrame, sweep: "Sweep | None") -> list[dict]:
    if sweep is not None:
        known = set(points["spec"])
        return [{"spec": s.name, "cores": s.cores, "ram_gib": s.ram_gib} for s in sweep.specs if s.name not in known]
    cores = sorted(set(points["cores"]))
    between = [float(np.sqrt(a * b)) for a, b in pairwise(cores)]
    new = {round(c) if c >= 2 else round(c, 2) for c in between} | {2 * cores[-1]}
    return [{"spec": "", "cores": float(c), "ram_gib": np.nan} for c in sorted(new - set(cores))]


def _told(one: Series, chosen: Candidate, saved: float) -> dict:
    shape, names = chosen.shape, one.names
    where = shape["spec"] or f"a server with {shape['cores']:g} cores"
    threads = "" if np.isnan(names["threads"]) else f" {names['threads']:g} threads"
    run = f" at{threads}" if threads else ""
    if chosen.suggestion == "threads":
        run = f" with more than{threads}, where its point is only a lower bound,"
    elif chosen.suggestion == "repeats":
        run += " once more"
    elif (_bound(one.points) & (one.points["cores"] <= shape["cores"])).any():
        run = f" with more than{threads}, which hold smaller specs back,"
    what = "the throughput where the goal is reached" if one.design.term == GOAL else one.design.term
    sentence = (
        f"Workload {names['workload']} on {where}{run} would narrow the interval of {what} by "
        f"{significant(100 * saved, 2)} %."
    )
    return {
        **names, **shape, "suggestion": chosen.suggestion, "term": one.design.term, "reduction": saved,
        "sentence": sentence,
    }  # fmt: skip


def _too_few(glance: pd.DataFrame, points: pd.DataFrame, group: str) -> dict:
    """What a group needs of which no law has an interval."""
    bounds = points[_bound(points)].sort_values(["cores", "ram_gib"])
    if len(bounds):
        largest = bounds.iloc[-1]
        sentence = (
            f"{group}: {len(bounds)} of {len(points)} points are only lower bounds; measure them with more threads, "
            f"{largest['spec']} first."
        )
        return {"suggestion": "threads", **largest[_SHAPE].to_dict(), "reduction": np.nan, "sentence": sentence}
    n = float(glance["n_specs"].max())
    missing = max(LAWS["usl"].min_x - n, 1)
    sentence = (
        f"{group}: {n:g} distinct core counts support no law with an interval; measure {missing:g} more, spread over "
        "the range."
    )
    return {"suggestion": "spec", "reduction": np.nan, "sentence": sentence}


def _ladders(limits: pd.DataFrame, sweep: "Sweep | None") -> list[dict]:
    """One ladder per workload of which no point is shown to be the server's own."""
    found = []
    for (_, outcome, workload), part in limits.groupby(["dataset", "outcome", "workload"]):
        if part["measured"].any() or part.groupby("spec")["threads"].nunique().max() >= LADDER:
            continue
        largest = part.sort_values(["cores", "ram_gib"]).iloc[-1]
        planned = sweep is not None and len(thread_counts(sweep)) >= LADDER
        sentence = (
            f"Workload {workload} on {largest['spec']} with 1, 2, 4, ... threads: there is no thread ladder, and "
            f"nothing shows what limits the points; {'run what the params file plans' if planned else HOW}."
        )
        names = {"group": "", "workload": workload, "threads": np.nan, "outcome": outcome, "suggestion": "ladder"}
        found.append({**names, **largest[_SHAPE].to_dict(), "reduction": np.nan, "sentence": sentence})
    return found
