"""Which runs a sweep with a question makes next, and when it knows enough.

Runs are chosen round by round, from those that are there and nothing else, so that whoever looks at them later sees why
it stopped. What is said holds however often one looks:

- factor: the interval's width decides when to stop, never its place, and of normal noise the two are independent; the
  width is trusted from LEAST_DF degrees of freedom on (Anscombe 1953, Sequential estimation, J. R. Stat. Soc. B 15).
- regression and qps: each of LOOKS looks at a spec spends its share of the 5 % (Lan & DeMets 1983, Discrete sequential
  boundaries for clinical trials, Biometrika 70; spent as by Pocock 1977, Biometrika 64). The shares are added up: more
  careful than the joint distribution of the looks, and right for any.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import e, exp, inf, isfinite, log, nan, sqrt
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from ycsbook.params import Spec, Sweep, thread_counts
from ycsbook.scaling.cells import CONFIDENCE, Noise, run_noise
from ycsbook.scaling.growth import Growth, growths
from ycsbook.scaling.points import with_throughput
from ycsbook.units import SECONDS_PER_HOUR
from ycsbook.verdicts import Outcome

# Fewer degrees of freedom tell too little of the noise to stop by it.
LEAST_DF = 6
# A spec that is not decided after so many rounds is called so: it lies at the border.
LOOKS = 6
# So many comparisons are repeated first, where nothing tells the noise yet.
PILOT = 4
LOST, HOLDS, OPEN = "lost", "holds", "open"
ENOUGH, SHORT = "enough", "short"
REACHED, BORDER, RUNS, HOURS, COST = "reached", "border", "runs", "hours", "cost"


class CellName(NamedTuple):
    workload: str
    spec: str
    threads: int


@dataclass(frozen=True)
class Change:
    """What more threads do to a spec: the ratio of its throughput, its interval, and LOST, HOLDS (no loss as large as
    asked for) or OPEN."""

    workload: str
    spec: str
    threads_from: int
    threads_to: int
    n: int
    ratio: float
    low: float
    high: float
    verdict: str


@dataclass(frozen=True)
class Supply:
    """The answer for one mix: the first spec in order of price or size that delivers enough (empty: none is known to),
    the last one that does not, one at the border (neither is shown), and the most that was measured, ops/s."""

    workload: str
    enough: str
    short: str
    close: str
    most: float


@dataclass(frozen=True)
class Look:
    """What the runs answer. `following`: what to measure next, a round; empty: nothing more would help. `reached`:
    the question is answered; `open`: the specs at the border, of which more looks tell nothing."""

    following: tuple[CellName, ...]
    reached: bool
    growths: tuple[Growth, ...] = ()
    changes: tuple[Change, ...] = ()
    supplies: tuple[Supply, ...] = ()


class Spent(NamedTuple):
    """The cost of runs: how many, hours of measuring, and what the specs cost meanwhile (0 without prices)."""

    runs: int
    hours: float
    cost: float


class Standing(NamedTuple):
    """The state of a sweep with a question: what its runs answer, and those to make next; empty: it stops. stopped:
    why: REACHED, BORDER (what is open lies so near the border that more looks tell nothing), RUNS, HOURS, COST; empty:
    it goes on. spent, most: what the runs there took, and how many the plan's matrix has."""

    look: Look
    following: tuple[CellName, ...]
    stopped: str
    spent: Spent
    most: int


def every_cell(sweep: Sweep) -> list[CellName]:
    return [CellName(w.name, s.name, t) for s in sweep.specs for w in sweep.workloads for t in thread_counts(sweep)]


def look(sweep: Sweep, rows: pd.DataFrame, cells: Collection[CellName] | None = None) -> Look:
    """The answers so far to the question of `sweep.until`, and what to measure next. rows: points.with_throughput of
    the sweep's completed runs. cells: those that can be measured; None: all of the sweep."""
    goal, cells = sweep.until.goal, every_cell(sweep) if cells is None else list(cells)
    rows = rows[rows["y"] > 0]
    runs = _Runs(rows)
    if goal.factor is not None:
        return _factor(sweep, rows, runs, cells, goal.factor)
    return _qps(sweep, runs, cells, goal.qps) if goal.regression is None else _regression(runs, cells, goal.regression)


def state(sweep: Sweep, runs: pd.DataFrame, cells: Collection[CellName] | None = None) -> Standing:
    """What the runs answer, and what to make next within the budget. runs: the sweep's runs as the table has them,
    whatever became of them. cells: those that can be measured; None: all of the sweep."""
    made = runs[runs["outcome"] != Outcome.PUBLISHED]
    answers = look(sweep, with_throughput(made[made["outcome"] == Outcome.COMPLETED]), cells)
    cells_made = [CellName(workload, spec, 0) for workload, spec in zip(made["workload"], made["spec"], strict=True)]
    most = len(every_cell(sweep)) * sweep.repeats
    following = []
    stopped = "" if answers.following else REACHED if answers.reached else BORDER
    for cell in answers.following:
        if stopped := _exceeded(sweep, cost_of(sweep, [*cells_made, *following, cell]), most):
            break
        following.append(cell)
    return Standing(answers, tuple(following), "" if following else stopped, cost_of(sweep, cells_made), most)


def cost_of(sweep: Sweep, cells: Iterable[CellName]) -> Spent:
    workloads = {workload.name: workload for workload in sweep.workloads}
    took = [(cell.spec, sweep.expected_s(workloads[cell.workload]) / SECONDS_PER_HOUR) for cell in cells]
    cost = sum((hours * sweep.prices.get(spec, 0.0) for spec, hours in took), 0.0)
    return Spent(len(took), sum((hours for _, hours in took), 0.0), cost)


def _exceeded(sweep: Sweep, spent: Spent, most: int) -> str:
    """Which limit of the budget is exceeded; that of the plan's matrix counts where none is named."""
    limits = ((HOURS, spent.hours, sweep.until.max_hours), (COST, spent.cost, sweep.until.max_cost))
    named = [(what, used, limit) for what, used, limit in limits if limit is not None] or [(RUNS, spent.runs, most)]
    return next((what for what, used, limit in named if used > limit), "")


class _Runs:
    """How many runs each cell has, the mean of their ln X, and the noise of all."""

    def __init__(self, rows: pd.DataFrame):
        log_y = np.log(rows["y"].astype(float)).groupby([rows[name] for name in CellName._fields])
        self.n, self.mean = log_y.size().to_dict(), log_y.mean().to_dict()
        self.noise = run_noise(rows) if len(rows) else Noise(nan, 0)

    def fewest(self, cells: Iterable[CellName]) -> int:
        return min((self.n.get(cell, 0) for cell in cells), default=0)

    def reach(self, cells: Collection[CellName], at_once: int = 1) -> float:
        """Half the interval of a sum or difference of these cells' means, at the share of this look; `at_once`: so many
        such statements are made at once. Of single runs it is as wide as what no single run is warned of."""
        share = spent(self.fewest(cells)) / at_once
        if self.noise.df < 1:
            return 3 * sqrt(2) * self.noise.assumed
        t = float(stdtrit(self.noise.df, 1 - share / 2))
        return t * sqrt(self.noise.variance * sum(1 / self.n[cell] for cell in cells))


def spent(n: int) -> float:
    """The share of 1 - CONFIDENCE that look n of LOOKS spends; runs that existed before count as one look.

    Examples
        >>> [round(100 * spent(n), 2) for n in (1, 2, 6, 7)]
        [1.26, 1.01, 0.56, 0.56]
        >>> round(sum(map(spent, range(1, LOOKS + 1))), 6)
        0.05
    """
    n = min(n, LOOKS)
    return (1 - CONFIDENCE) * (log(1 + (e - 1) * n / LOOKS) - log(1 + (e - 1) * (n - 1) / LOOKS))


def _factor(sweep: Sweep, rows: pd.DataFrame, runs: _Runs, cells: list[CellName], goal: float) -> Look:
    """The two ends of each series, in rounds: of a straight line no other runs tell as much of its slope."""
    specs = {spec.name: spec for spec in sweep.specs}
    series: dict[tuple[str, int], list[Spec]] = {}
    for cell in cells:
        series.setdefault((cell.workload, cell.threads), []).append(specs[cell.spec])
    pairs = {key: ends(group) for key, group in series.items() if len({spec.cores for spec in group}) > 1}
    played = [CellName(workload, spec.name, threads) for (workload, threads), pair in pairs.items() for spec in pair]
    slopes = tuple(g for g in growths(rows) if (g.workload, int(g.threads)) in pairs) if len(rows) else ()
    fewest = runs.fewest(played)
    is_known = fewest > 1 and runs.noise.df >= LEAST_DF and len(slopes) == len(pairs)
    reached = is_known and all(sqrt(g.high / g.low) - 1 <= goal for g in slopes)
    following = () if reached else tuple(cell for cell in played if runs.n.get(cell, 0) == fewest)
    return Look(following, reached, growths=slopes)


def ends(specs: Collection[Spec]) -> tuple[Spec, Spec]:
    """The specs of the fewest and of the most cores; of several those whose GiB per core are most alike."""
    fewest, most = (bound(spec.cores for spec in specs) for bound in (min, max))
    pairs = [(a, b) for a in specs if a.cores == fewest for b in specs if b.cores == most]
    return min(pairs, key=lambda pair: abs(log(pair[0].ram_gib / fewest) - log(pair[1].ram_gib / most)))


def _regression(runs: _Runs, cells: list[CellName], goal: float) -> Look:
    """Every comparison once, then those that are not decided, round by round."""
    by_spec: dict[tuple[str, str], list[int]] = {}
    for cell in cells:
        by_spec.setdefault((cell.workload, cell.spec), []).append(cell.threads)
    ladders = ([CellName(*key, threads) for threads in sorted(set(counts))] for key, counts in by_spec.items())
    pairs = [pair for ladder in ladders for pair in pairwise(ladder)]
    if unmade := [cell for pair in pairs for cell in pair if cell not in runs.n]:
        return Look(tuple(dict.fromkeys(unmade)), reached=False)
    changes = [_change(runs, *pair, goal) for pair in pairs]
    undecided = [(c, pair) for c, pair in zip(changes, pairs, strict=True) if c.verdict == OPEN and c.n < LOOKS]
    if runs.noise.df < LEAST_DF:
        # What seems to lose most is asked again first: if that was chance, it is taken for noise.
        undecided = sorted(undecided, key=lambda item: item[0].ratio)[:PILOT]
    following = tuple(dict.fromkeys(cell for _, pair in undecided for cell in pair))
    return Look(following, bool(pairs) and all(c.verdict != OPEN for c in changes), changes=tuple(changes))


def _change(runs: _Runs, fewer: CellName, more: CellName, goal: float) -> Change:
    n, difference = runs.fewest((fewer, more)), runs.mean[more] - runs.mean[fewer]
    reach = runs.reach((fewer, more)) if runs.noise.df >= LEAST_DF else inf
    low, high = difference - reach, difference + reach
    # A loss is not said of single runs.
    verdict = LOST if high < 0 and n > 1 else HOLDS if low > log(1 - goal) else OPEN
    interval = (exp(low), exp(high)) if isfinite(reach) else (nan, nan)
    return Change(fewer.workload, fewer.spec, fewer.threads, more.threads, n, exp(difference), *interval, verdict)


def _qps(sweep: Sweep, runs: _Runs, cells: list[CellName], goal: float) -> Look:
    """Halving over the specs of each mix in order of price or size: what is larger is taken to deliver no less."""
    order = sorted(sweep.specs, key=lambda s: (sweep.prices.get(s.name, inf), s.cores, s.ram_gib))
    following, supplies = [], []
    for workload in dict.fromkeys(cell.workload for cell in cells):
        cells_of = {s.name: [c for c in cells if c.workload == workload and c.spec == s.name] for s in order}
        names, close, unmade = [name for name in cells_of if cells_of[name]], "", ()
        below, above = -1, len(names)
        while above - below > 1 and not unmade:
            middle = (below + above) // 2
            verdict, unmade = _delivers(runs, cells_of[names[middle]], goal)
            if verdict == ENOUGH:
                above = middle
            elif not unmade:
                below, close = middle, names[middle] if verdict == OPEN else close
        following += unmade
        most = max((exp(runs.mean[c]) for name in names for c in cells_of[name] if c in runs.mean), default=nan)
        at = (names[above] if above < len(names) else "", names[below] if below >= 0 else "")
        supplies.append(Supply(workload, *at, close, most))
    return Look(tuple(following), bool(supplies) and not following, supplies=tuple(supplies))


def _delivers(runs: _Runs, cells: list[CellName], goal: float) -> tuple[str, tuple[CellName, ...]]:
    """Whether the best of a spec's thread counts delivers the goal, and what to measure where that is open."""
    if unmade := tuple(cell for cell in cells if cell not in runs.n):
        return OPEN, unmade
    over = {cell: runs.mean[cell] - log(goal) for cell in cells}
    reach = {cell: runs.reach([cell], at_once=len(cells)) for cell in cells}
    if any(over[cell] > reach[cell] for cell in cells):
        return ENOUGH, ()
    still = [cell for cell in cells if over[cell] >= -reach[cell]]
    fewest = runs.fewest(still)
    following = tuple(cell for cell in still if runs.n[cell] == fewest) if fewest < LOOKS else ()
    return (OPEN, following) if still else (SHORT, ())
