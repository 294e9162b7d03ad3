"""Which runs would tell most next: how much of an interval each of them would save, before it is made.

What is aimed at is the throughput at the cores where the goal is reached, else the term that decides what may be
claimed: kappa of the USL, else the power law's exponent. A run at other threads belongs to another curve and saves
nothing of this one's interval: it is named for what it would show, without a share.
"""

from collections.abc import Iterable
from math import floor, log2
from typing import NamedTuple

import numpy as np
import pandas as pd

from ycsbook.closed_loop import MAX_UTILISATION
from ycsbook.columns import KIND
from ycsbook.facts import Fact, fact, in_columns
from ycsbook.names import mixes
from ycsbook.params.expand import thread_counts
from ycsbook.params.sections import PricesAndGoals
from ycsbook.scaling.analysis import Analysis
from ycsbook.scaling.design import Design, design_of
from ycsbook.scaling.laws import LAWS
from ycsbook.scaling.limits import CPU_FREE, HELD_TO_A_RATE, LEFT_OUT, LimitKind, flat_sweeps
from ycsbook.scaling.pairs import BEYOND_ASSUMED, FLAT, LADDER
from ycsbook.scaling.points import SHAPE
from ycsbook.tables import dicts, from_rows

# Below this share of its width a run does not change what an interval says.
WORTHWHILE = 0.01
NEARLY = 0.9  # what does less than so much of the most, with fewer cores or other threads, is not worth more runs
CEILING = 2.0  # over so many times the cores the same throughput is a ceiling
_GROUP = ["group", "workload", "threads", "outcome"]
# At the same threads these limit every larger server, too.
_HOLD_BACK = (LimitKind.CONCURRENCY, LimitKind.ELSEWHERE)
_REPEAT_ALL = {"suggestion": "repeats", **in_columns("sentence", fact("next-repeat-all"))}


class LawSeries(NamedTuple):
    """A group's names, the design as it would stand after what was suggested so far, its points and other specs. title:
    dataset and kind, where there are several. measured: every cell of the group, of the table `limits`."""

    names: dict
    title: str | None
    mix: Fact
    design: Design
    points: pd.DataFrame
    measured: pd.DataFrame
    others: list[dict]


def suggest(
    analysis: Analysis, sweep: PricesAndGoals | None = None, n: int = 5, *, repeat_variance: float = float("nan"),
    doubted: pd.Series | None = None,
) -> pd.DataFrame:  # fmt: skip
    """The runs worth making next: first what cannot be right, what is lost, and noise; then what narrows intervals.

    The latter come one after the other: each is judged as if those above were made.

    Parameters
        analysis: of the runs there are (scaling.analyse).
        sweep: the params file the runs are of: its specs that have no run yet, and its goal. None: core counts that can
            be bought are proposed: those measured in any series, doubled and halved, and powers of two. Only where no
            spec inside the measured range helps, the next size beyond.
        n: how many suggestions.
        repeat_variance: of ln X between repeats (cells.noise); NaN: nothing was repeated.
        doubted: of each row of analysis.limits whether it is in doubt (trust); None: those that break Little's law are.
    Returns
        The table `next_runs`, best first; group and threads say which curve. `suggestion`:
            check: rows in doubt once more, those that break Little's law first;
            between: threads between the best count of a spec and the next, which is slower by more than noise;
            spec: a run on a spec with other cores;
            threads: more threads than any measured on a spec whose server is not shown to be the limit;
            client: a second client machine, where the largest servers do the same and none is shown to be busy;
            repeats: more runs of a spec, where the noise between repeats is known, or of all, where it is not;
            ladder: one thread and its doublings, where nothing shows what limits the points.
        reduction: the share of the interval's width saved: of ln X at the goal (term goal), or of the term; NaN where
        there is no interval yet, or the run belongs to another curve.
    """
    series, without_law = _series(analysis, sweep)
    limits = analysis.limits
    doubted = limits["utilisation"] > MAX_UTILISATION if doubted is None else doubted
    chosen = [*_checks(limits[doubted]), *_losses(limits[~doubted]), *_ceilings(limits[~doubted])]
    chosen += [_REPEAT_ALL] if len(analysis.choices) and np.isnan(repeat_variance) else []
    last_resorts = [*_ladders(limits, sweep), *without_law]
    saving: dict[tuple, tuple[LawSeries, str, dict, int, float]] = {}
    while series and len(chosen) + len(saving) < n - min(len(last_resorts), n // 2):
        options = [
            (group.design.saved_by(design), i, suggestion, shape, design)
            for i, group in enumerate(series)
            for suggestion, shape, design in _candidates(group, repeat_variance)
        ]
        if max((option[0] for option in options), default=0.0) < WORTHWHILE:
            break
        saved, at, suggestion, shape, design = max(options, key=lambda option: option[0])
        # The same run once more is no suggestion of its own.
        run = (at, suggestion, *shape.values())
        *_, times, before = saving.get(run, (0, 0.0))
        saving[run] = (series[at], suggestion, shape, times + 1, 1 - (1 - before) * (1 - saved))
        without_law = [other for other in series[at].others if other is not shape]
        series[at] = series[at]._replace(design=design, others=without_law)
    chosen += [_narrows(*run) for run in saving.values()]
    return from_rows([*chosen, *last_resorts][:n], "next_runs")


def _series(analysis: Analysis, sweep: PricesAndGoals | None) -> tuple[list[LawSeries], list[dict]]:
    """The groups with a law, and suggestions for groups without an interval; none where cores change nothing."""
    goal = sweep.goals.qps if sweep is not None else None
    series, more_threads, too_few, mix_of = [], [], {}, mixes(analysis.limits)
    sold, flat = set(analysis.limits["cores"].dropna()), flat_sweeps(analysis.limits)
    # By number of threads, not by the letters of their names.
    choices = analysis.choices.sort_values(["outcome", "workload", "threads"], kind="stable")
    for key, choice in choices.groupby(_GROUP, dropna=False, sort=False):
        names = choice[_GROUP].iloc[0].to_dict()
        tidy, glance, augment = (f[f["group"] == key[0]] for f in (analysis.tidy, analysis.glance, analysis.augment))
        points = augment.drop_duplicates(SHAPE)
        called = analysis.series[names["group"]]
        cells = _cells(analysis.limits, names, called.values["dataset"])
        at = cells["threads"].isna() if np.isnan(names["threads"]) else cells["threads"] == names["threads"]
        # Of each spec at its own threads none is at those of the group.
        at_threads = cells[at] if at.any() else cells
        # Rows whose throughput is 0 are in no cell.
        if cells.empty or (cells["dataset"].iloc[0], names["outcome"], names["workload"]) in flat:
            continue
        if more := _more_threads(called, names, points, cells):
            more_threads.append({**names, **more})
        title, mix = _title(analysis.limits, cells), mix_of[names["workload"]]
        design = design_of(tidy, glance, points[~_bound(points)], goal)
        if design is not None:
            other_specs = _worthwhile(design, _other_specs(points, at_threads, sweep, sold), at_threads["cores"])
            series.append(LawSeries(names, title, mix, design, points, at_threads, other_specs))
        elif not more and not _bound(points).any():
            too_few.setdefault((title, mix, float(glance["n_specs"].max())), []).append(names)
    return series, [*more_threads, *(_too_few(*place, groups) for place, groups in too_few.items())]


def _cells(limits: pd.DataFrame, names: dict, dataset: str | None) -> pd.DataFrame:
    """The cells of a group's dataset (None: the only or unnamed one), kind and workload, at every thread count."""
    cells = limits[(limits["outcome"] == names["outcome"]) & (limits["workload"] == names["workload"])]
    datasets = set(cells["dataset"])
    own_dataset = dataset if dataset is not None else "" if "" in datasets else next(iter(datasets), "")
    return cells[cells["dataset"] == own_dataset]


def _title(limits: pd.DataFrame, cells: pd.DataFrame) -> str | None:
    """The name of these cells' dataset and kind, where there are several; None where there is one only."""
    if cells.empty:
        return None
    dataset, outcome = cells["dataset"].iloc[0], cells["outcome"].iloc[0]
    kinds = limits.loc[limits["dataset"] == dataset, "outcome"].nunique()
    words = [dataset] if limits["dataset"].nunique() > 1 and dataset else []
    words += [outcome] if kinds > 1 else []
    return ", ".join(words) or None


def _bound(points: pd.DataFrame) -> pd.Series:
    """Which points are lower bounds: the server is not known to limit them."""
    return ~points["limit_kind"].isin(["", LimitKind.SERVER])


def _candidates(group: LawSeries, repeat_variance: float) -> list[tuple[str, dict, Design]]:
    candidates = [("spec", shape, group.design.with_point(shape)) for shape in group.others]
    # What is only suggested so far has no repeats yet.
    measured = set(group.points["spec"]) if np.isfinite(repeat_variance) else set()
    return candidates + [
        ("repeats", shape, group.design.with_repeat(i, repeat_variance))
        for i, shape in enumerate(dicts(group.design.points[SHAPE]))
        if shape["spec"] in measured
    ]


def _other_specs(
    points: pd.DataFrame, at_threads: pd.DataFrame, sweep: PricesAndGoals | None, sold: Iterable[float]
) -> list[dict]:
    """Specs without a run at these threads, less those that these threads would hold back again. sold: core counts of
    the other series."""
    cores = sorted({*points["cores"], *at_threads["cores"].dropna()})
    if sweep is not None and sweep.specs:
        unmeasured = [spec for spec in sweep.specs if spec.name not in set(at_threads["spec"])]
        shapes = [{"spec": spec.name, "cores": spec.cores, "ram_gib": spec.ram_gib} for spec in unmeasured]
    else:
        # What can be bought: the sizes that were measured, doubled and halved, and powers of two.
        first, beyond = floor(log2(cores[0])), floor(log2(cores[-1])) + 1
        family = {c / 2.0 ** floor(log2(c)) for c in (*cores, *sold)} | {1.0}
        sizes = {c * 2.0**i for c in family for i in range(first, beyond + 1)} - set(cores)
        shapes = [{"spec": "", "cores": float(c), "ram_gib": np.nan} for c in sorted(sizes) if c > cores[0]]
    too_large, bound = points.loc[points["limit_kind"].isin(_HOLD_BACK), "cores"].min(), _bound(points)
    if bound.any() and points.loc[bound, "cores"].max() > points.loc[~bound, "cores"].max():
        # What is not the server's own on the largest specs is not on larger ones either.
        too_large = np.nanmin([too_large, np.nextafter(cores[-1], np.inf)])
    return [shape for shape in shapes if not shape["cores"] >= too_large]


def _worthwhile(design: Design, shapes: list[dict], cores: pd.Series) -> list[dict]:
    """The specs inside the measured range; where none of them helps, the next size on either side."""
    first, last = cores.min(), cores.max()
    inside = [shape for shape in shapes if first <= shape["cores"] <= last]
    if any(design.saved_by(design.with_point(shape)) >= WORTHWHILE for shape in inside):
        return inside
    larger = sorted((s for s in shapes if s["cores"] > last), key=lambda s: s["cores"])
    smaller = sorted((s for s in shapes if s["cores"] < first), key=lambda s: -s["cores"])
    return [*larger[:1], *smaller[:1]]


def _narrows(group: LawSeries, suggestion: str, shape: dict, times: int, saved: float) -> dict:
    names, term, cores = group.names, group.design.term, group.measured["cores"]
    how = "larger" if shape["cores"] > cores.max() else "smaller" if shape["cores"] < cores.min() else "inside"
    how = "repeat" if suggestion == "repeats" else how
    sentence = fact(
        "next-narrows", title=group.title, mix=group.mix, spec=shape["spec"] or None, how=how, term=term,
        cores=shape["cores"], threads=names["threads"], saved=100 * saved, times=times,
    )  # fmt: skip
    row = {**names, **shape, "suggestion": suggestion, "term": term, "reduction": saved}
    return row | in_columns("sentence", sentence)


def _more_threads(of: Fact, names: dict, points: pd.DataFrame, cells: pd.DataFrame) -> dict | None:
    """More threads for the points that they might raise; None where each has such a run already, or where the last ones
    brought nothing to any. What something else than threads and server limits stays as it is, however many threads
    there are, and what did more with fewer threads gets no better."""
    highest = points["spec"].map(cells.groupby("spec")["threads"].max())
    fixed = points["limit_kind"].isin([LimitKind.ELSEWHERE, LimitKind.RETROGRADE, *LEFT_OUT])
    # What did nearly as much with fewer threads would gain as little by more.
    below = cells[(cells["threads"] < names["threads"]) & ~cells["limit_kind"].isin(LEFT_OUT)]
    here = below["spec"].map(points.drop_duplicates("spec").set_index("spec")["observed"]).astype(float)
    hardly_more = here <= below["observed"] * FLAT ** np.log2(names["threads"] / below["threads"])
    fixed |= points["spec"].isin(below.loc[hardly_more, "spec"])
    bounds = points[_bound(points) & ~fixed & (highest == names["threads"])]
    if bounds.empty:
        return None
    largest = _largest_of_best(bounds)
    sentence = fact("next-more-threads", series=of, n=len(bounds), of=len(points), spec=largest["spec"])
    return {"suggestion": "threads", **largest[SHAPE].to_dict(), **in_columns("sentence", sentence)}


def _largest_of_best(cells: pd.DataFrame) -> pd.Series:
    """The largest of the cells that do most, or nearly so."""
    return cells[cells["observed"] >= NEARLY * cells["observed"].max()].sort_values(["cores", "ram_gib"]).iloc[-1]


def _too_few(title: str | None, mix: Fact, n: float, groups: list[dict]) -> dict:
    counts = [f"{names['threads']:g}" for names in groups]
    sentence = fact("next-too-few", title=title, mix=mix, threads=groups[0]["threads"], several=len(counts) > 1,
                    counts=counts, n=n, more=max(LAWS["usl"].min_x - n, 1))  # fmt: skip
    return {**groups[0], "suggestion": "spec", **in_columns("sentence", sentence)}


def _checks(doubted: pd.DataFrame) -> list[dict]:
    """Of each kind's rows in doubt, of `limits`, the one that breaks Little's law most, if any does."""
    checks = []
    for _, part in doubted.groupby(list(KIND)):
        worst = part.loc[part["utilisation"].fillna(0.0).idxmax()]
        values = {"n": len(part), "more": len(part) - 1, "utilisation": worst["utilisation"],
                  "impossible": bool(worst["utilisation"] > MAX_UTILISATION)}  # fmt: skip
        checks.append(_of_cell("check", doubted, part, worst, threads=worst["threads"], **values))
    return checks


def _losses(limits: pd.DataFrame) -> list[dict]:
    """Threads between the two counts of each kind's greatest loss right after a spec's best count, or one that does
    nearly as much, if any are between; of single runs only a loss beyond the assumed noise counts."""
    losses = []
    best = limits.groupby([*KIND, "workload", "spec"], dropna=False)["observed"].transform("max")
    sure = (limits["conf_high"].notna() & (limits["ratio"] <= NEARLY)) | (limits["ratio"] <= 1 - BEYOND_ASSUMED)
    at_best = (limits["threads"] == limits["threads_from"]) & (limits["observed"] >= NEARLY * best)
    for _, part in limits[limits["retrograde"] & sure & at_best].groupby(list(KIND)):
        worst = part.loc[part["ratio"].idxmin()]
        first, last = worst["threads_from"], worst["threads_to"]
        between = float(f"{np.sqrt(first * last):.2g}")
        if first < between < last:
            values = {"lost": 1 - worst["ratio"], "threads_from": first, "threads_to": last}
            losses.append(_of_cell("between", limits, part, worst, threads=between, **values))
    return losses


def _ceilings(limits: pd.DataFrame) -> list[dict]:
    """A second client for each workload that does the same on the largest servers, of CEILING times the cores and more,
    at any threads, while their CPU is not known to be full: what limits it is none of these."""
    ceilings = []
    sound = limits[~limits["limit_kind"].isin(LEFT_OUT) & (limits["cores"] > 0) & ~limits["retrograde"]]
    for _, part in sound[~sound["reason_key"].isin(HELD_TO_A_RATE)].groupby([*KIND, "workload"]):
        # Too few threads hold back what more of them do.
        most = part.loc[part.groupby(["spec", "cores"])["observed"].idxmax()]
        level = np.log(most["observed"]).groupby(most["cores"]).mean()
        # The fewest cores from which on it hardly differs.
        first = next(cores for cores in level.index if np.ptp(level[cores:]) <= -np.log(NEARLY))
        top, last = part[part["cores"] >= first], level.index[-1]
        busy, by_threads = top["cpu_utilisation"].max(), np.log(top["observed"]).groupby(top["threads"]).mean()
        # What the most threads still raise is theirs.
        is_level = len(by_threads) > 1 and by_threads.iloc[-1] - by_threads.iloc[-2] <= -np.log(NEARLY)
        if last >= CEILING * first and not busy >= CPU_FREE and is_level:
            cell = top.sort_values(["cores", "threads"]).iloc[-1]
            values = {"first": first, "last": last, "ops": float(np.exp(level[first:].mean())), "busy": busy}
            ceilings.append(_of_cell("client", limits, part, cell, **values, threads=cell["threads"]))
    return ceilings


def _of_cell(kind: str, limits: pd.DataFrame, part: pd.DataFrame, cell: pd.Series, **values) -> dict:
    """The suggestion of a run on a cell's spec, at the `threads` among the values if there are any."""
    names = {"suggestion": kind, "threads": values.get("threads", np.nan)}
    place = {"title": _title(limits, part), "mix": mixes(part)[cell["workload"]], "spec": cell["spec"]}
    sentence = in_columns("sentence", fact(f"next-{kind}", **place, **values))
    return {**names, **cell[["workload", "outcome", *SHAPE]].to_dict(), **sentence}


def _ladders(limits: pd.DataFrame, sweep: PricesAndGoals | None) -> list[dict]:
    """The suggestion of a ladder of threads for the first workload without a point that the server limits."""
    lacking = [
        part
        for _, part in limits.groupby([*KIND, "workload"])
        if not (part["measured"].any() or part["reason_key"].eq("limit-held").all())
        and part.groupby("spec")["threads"].nunique().max() < LADDER
    ]
    planned = sweep is not None and sweep.planned and len(thread_counts(sweep)) >= LADDER
    more = len(lacking) - 1
    return [_of_cell("ladder", limits, of, _largest_of_best(of), planned=planned, more=more) for of in lacking[:1]]
