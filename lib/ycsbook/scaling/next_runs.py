"""Which runs would tell most next: how much of an interval each of them would save, before it is made.

What is aimed at is the throughput at the cores where the goal is reached, else the term that decides what may be
claimed: kappa of the USL, else the power law's exponent. A run at other threads belongs to another curve and saves
nothing of this one's interval: it is named for what it would show, without a share.
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
# At the same threads these limit every larger server, too.
_HOLD_BACK = (LimitKind.CONCURRENCY, LimitKind.ELSEWHERE)
_MEANING = {
    GOAL: ("the throughput where the goal is reached", ""),
    "kappa": ("kappa", " (kappa: how much each core slows the others down)"),
    "exponent": ("the exponent", " (twice the cores give 2^exponent times the throughput)"),
}
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
    """A group's names, the design as it would stand after what was suggested so far, its points and other specs.

    title: dataset and kind, where there are several. measured: every cell of the group, of the table `limits`.
    """

    names: dict
    title: str
    design: Design
    points: pd.DataFrame
    measured: pd.DataFrame
    others: list[dict]


def suggest(
    analysis: "Analysis", sweep: "Sweep | None" = None, n: int = 5, *, repeat_variance: float = float("nan")
) -> pd.DataFrame:
    """The runs that would reduce the uncertainty most, one after the other: each is judged as if those above were made.

    Parameters
        analysis: of the runs there are (scaling.analyse).
        sweep: the params file the runs are of: its specs that have no run yet, and its goal. None: core counts between
            the measured ones are proposed. Only where no spec inside the measured range helps, the next size beyond.
        n: how many suggestions.
        repeat_variance: of ln X between repeats (cells.noise); NaN: nothing was repeated.
    Returns
        The table `next_runs`, best first; group and threads say which curve. `suggestion`:
            spec: a run on a spec with other cores;
            threads: more threads than any measured on a spec whose server is not shown to be the limit;
            repeats: one more run of a spec, where the noise between repeats is known, or of all, where it is not;
            ladder: one thread and its doublings, where nothing shows what limits the points.
        reduction: the share of the interval's width saved: of ln X at the goal (term goal), or of the term; NaN where
        there is no interval yet, or the run belongs to another curve.
    """
    series, others = _series(analysis, sweep)
    found: list[dict] = []
    rest = [*_ladders(analysis.limits, sweep), *others]
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
        explained = {row["term"] for row in found}
        found.append(_told(series[at], best, saved, explain=series[at].design.term not in explained))
        series[at] = _after(series[at], best)
    return from_rows([*found, *rest][:n], "next_runs")


def _series(analysis: "Analysis", sweep: "Sweep | None") -> tuple[list[Series], list[dict]]:
    """The groups with a law, and what any group needs that saves nothing of a law's interval."""
    goal = sweep.goals.qps if sweep is not None else None
    series, rest = [], []
    for key, choice in analysis.choices.groupby(_GROUP, dropna=False):
        names = choice[_GROUP].iloc[0].to_dict()
        tidy, glance, augment = (f[f["group"] == key[0]] for f in (analysis.tidy, analysis.glance, analysis.augment))
        points = augment.drop_duplicates(_SHAPE)
        cells = _cells(analysis.limits, names)
        threads = cells["threads"]
        same = cells[threads.isna() if np.isnan(names["threads"]) else threads == names["threads"]]
        told = _more_threads(names, points, cells)
        design = design_of(tidy, glance, points[~_bound(points)], goal)
        if design is None:
            told = told or _too_few(glance, points, key[0])
        else:
            others = _worthwhile(design, _other_specs(points, same, sweep), same["cores"])
            series.append(Series(names, _title(analysis.limits, cells), design, points, same, others))
        rest += [{**names, **told}] if told else []
    return series, rest


def _cells(limits: pd.DataFrame, names: dict) -> pd.DataFrame:
    """The cells of a group's dataset, kind and workload, at every thread count."""
    cells = limits[(limits["outcome"] == names["outcome"]) & (limits["workload"] == names["workload"])]
    datasets = sorted(set(cells["dataset"]), key=len, reverse=True)
    # A group's label begins with its dataset where there are several.
    own = next((d for d in datasets if names["group"].startswith(f"{d}: ")), None)
    own = own if own is not None else "" if "" in datasets else next(iter(datasets), "")
    return cells[cells["dataset"] == own]


def _title(limits: pd.DataFrame, cells: pd.DataFrame) -> str:
    """What tells these cells' dataset and kind from the others: "" where there is one only."""
    if cells.empty:
        return ""
    dataset, outcome = cells["dataset"].iloc[0], cells["outcome"].iloc[0]
    kinds = limits.loc[limits["dataset"] == dataset, "outcome"].nunique()
    words = [dataset] if limits["dataset"].nunique() > 1 and dataset else []
    words += [outcome] if kinds > 1 else []
    return f"{', '.join(words)}: " if words else ""


def _bound(points: pd.DataFrame) -> pd.Series:
    """Which points are lower bounds: the server is not known to limit them."""
    return ~points["limit_kind"].isin(["", LimitKind.SERVER])


def _candidates(one: Series, repeat_variance: float) -> list[Candidate]:
    found = [Candidate("spec", shape, one.design.with_point(shape)) for shape in one.others]
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
    return one._replace(design=chosen.design, others=[shape for shape in one.others if shape is not chosen.shape])


def _other_specs(points: pd.DataFrame, same: pd.DataFrame, sweep: "Sweep | None") -> list[dict]:
    """Specs without a run at these threads, but those that the same threads would hold back again."""
    cores = sorted({*points["cores"], *same["cores"].dropna()})
    if sweep is not None:
        known = set(same["spec"])
        found = [{"spec": s.name, "cores": s.cores, "ram_gib": s.ram_gib} for s in sweep.specs if s.name not in known]
    else:
        between = [float(np.sqrt(a * b)) for a, b in pairwise(cores)]
        new = {round(c) if c >= 2 else round(c, 2) for c in between} | {2 * cores[-1]}
        found = [{"spec": "", "cores": float(c), "ram_gib": np.nan} for c in sorted(new - set(cores))]
    held = points.loc[points["limit_kind"].isin(_HOLD_BACK), "cores"].min()
    return [shape for shape in found if not shape["cores"] >= held]


def _worthwhile(design: Design, others: list[dict], cores: pd.Series) -> list[dict]:
    """The specs inside the measured range; where none of them helps, the next size on either side."""
    first, last = cores.min(), cores.max()
    inside = [shape for shape in others if first <= shape["cores"] <= last]
    if any(design.saved_by(design.with_point(shape)) >= WORTHWHILE for shape in inside):
        return inside
    larger = sorted((s for s in others if s["cores"] > last), key=lambda s: s["cores"])
    smaller = sorted((s for s in others if s["cores"] < first), key=lambda s: -s["cores"])
    return [*larger[:1], *smaller[:1]]


def _told(one: Series, chosen: Candidate, saved: float, *, explain: bool) -> dict:
    shape, names = chosen.shape, one.names
    where = shape["spec"] or f"a server with {shape['cores']:g} cores"
    run = "" if np.isnan(names["threads"]) else f" at {names['threads']:g} threads"
    if chosen.suggestion == "repeats":
        run += " once more"
    elif shape["cores"] > one.measured["cores"].max():
        run += ", one size larger than any measured,"
    elif shape["cores"] < one.measured["cores"].min():
        run += ", one size smaller than any measured,"
    what, meaning = _MEANING[one.design.term]
    sentence = (
        f"{one.title}Workload {names['workload']} on {where}{run} would narrow the interval of {what} by "
        f"{significant(100 * saved, 2)} %{meaning if explain else ''}."
    )
    return {
        **names, **shape, "suggestion": chosen.suggestion, "term": one.design.term, "reduction": saved,
        "sentence": sentence,
    }  # fmt: skip


def _more_threads(names: dict, points: pd.DataFrame, cells: pd.DataFrame) -> dict | None:
    """More threads for the points that they might raise; None where each has such a run already.

    What something else than threads and server limits stays as it is, however many threads there are.
    """
    highest = points["spec"].map(cells.groupby("spec")["threads"].max())
    fixed = points["limit_kind"].isin([LimitKind.ELSEWHERE, *LEFT_OUT])
    bounds = points[_bound(points) & ~fixed & (highest == names["threads"])].sort_values(["cores", "ram_gib"])
    if bounds.empty:
        return None
    largest = bounds.iloc[-1]
    sentence = (
        f"{names['group']}: nothing shows that the server is the limit of {len(bounds)} of {len(points)} specs, and "
        f"none of these was measured with more threads; do so, {largest['spec']} first."
    )
    return {"suggestion": "threads", **largest[_SHAPE].to_dict(), "reduction": np.nan, "sentence": sentence}


def _too_few(glance: pd.DataFrame, points: pd.DataFrame, group: str) -> dict | None:
    """What a group needs of which no law has an interval; None where its own threads are in the way."""
    if _bound(points).any():
        return None
    n = float(glance["n_specs"].max())
    missing = max(LAWS["usl"].min_x - n, 1)
    sentence = (
        f"{group}: {n:g} different numbers of cores are too few for any law with an interval; measure {missing:g} "
        "more, spread over the range."
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
        how = "run what the params file plans" if planned else HOW
        sentence = (
            f"{_title(limits, part)}Workload {workload} on {largest['spec']} with 1, 2, 4, ... threads: there is no "
            f"thread ladder, and nothing shows what limits the points; {how}."
        )
        names = {"group": "", "workload": workload, "threads": np.nan, "outcome": outcome, "suggestion": "ladder"}
        found.append({**names, **largest[_SHAPE].to_dict(), "reduction": np.nan, "sentence": sentence})
    return found
