"""How often the intervals of a fit hold the truth, and what a million fits and a whole analysis cost.

    make bench                                          everything: about two minutes of CPU for this part
    .venv/bin/python tests/bench/bench_fits.py --quick  a quarter of it
    .venv/bin/python tests/bench/bench_fits.py --only speed --json

Coverage: seeded simulations of each design and truth in interval_coverage.py. A true 95 % strays by 0.35 % at 4,000
simulations; with fewer the targets are as much wider as three standard errors grow.
Speed: resamples of many groups, each group in one call of our solver, against SciPy's curve_fit on ln X, one by one on
the very same resamples; CPU seconds, alternately, medians of some rounds. curve_fit gets a share of the resamples, and
the rest is proportional.
Analysis: both vendors' published tables, all fits, intervals and rules, imports and reading apart.
A missed target is printed and is no failure; fits that disagree are one (exit code 1).
"""

import argparse
import json
import statistics
import sys
import time
from dataclasses import dataclass, field

import numpy as np
from bench_ingest import Report, table
from interval_coverage import QUANTITIES, cells, coverage
from scipy.optimize import curve_fit

from ycsbook import anomalies, paths
from ycsbook.ingest.published.published import read_published
from ycsbook.scaling import LAWS, analyse
from ycsbook.scaling.problem import Problem, Solution, solve

SEED = 2_026
NOMINAL_LOW, NOMINAL_HIGH = 0.93, 0.97
CORES = np.repeat([1.0, 2, 4, 8, 12, 16, 24, 32, 48, 64], 5)
NOISE = 0.03
AGREEMENT = 1e-5
TABLES = ("qingcloud-4.0.3", "tencent-2020-08")


@dataclass(frozen=True)
class Size:
    """Simulations a cell; groups, resamples of each, and how many fits are left to curve_fit."""

    simulations: int
    groups: int
    resamples: int
    one_by_one: int
    rounds: int


FULL = Size(4_000, 1_000, 1_000, 2_000, 3)
QUICK = Size(1_000, 100, 1_000, 500, 3)


@dataclass
class Fits(Report):
    """The report, with the coverage of every cell."""

    cells: list[dict] = field(default_factory=list)


def intervals_hold(report: Fits, size: Size) -> None:
    """Coverage of lambda, of the mean curve and of a new run: the lowest and the highest of all cells and places."""
    reached: dict[str, list[float]] = {quantity: [] for quantity in QUANTITIES}
    for cell in cells():
        held = coverage(cell, size.simulations, SEED)
        report.cells.append({"cell": str(cell), **held})
        for quantity, shares in held.items():
            reached[quantity] += shares
    for quantity, shares in reached.items():
        how = f"{size.simulations:,} simulations each of {len(report.cells)} designs and truths"
        lowest, highest = 100 * min(shares), 100 * max(shares)
        allowed = _stray(size.simulations) - _stray(FULL.simulations)
        what = f"95 % interval of {quantity}"
        report.compare(f"{what}, lowest coverage", lowest, 100 * (NOMINAL_LOW - allowed), "%", how)
        report.compare(f"{what}, highest coverage", highest, 100 * (NOMINAL_HIGH + allowed), "%", how, at_most=True)


def _stray(simulations: int) -> float:
    """Three standard errors of a share that is 95 %."""
    return 3 * float(np.sqrt(0.95 * 0.05 / simulations))


def many_fits(report: Fits, size: Size) -> None:
    """Resamples of USL, in batches against one by one."""
    each = max(1, size.one_by_one // size.groups)
    ours, theirs, apart, failed = [], [], 0.0, 0
    for number in range(size.rounds):
        groups = [_group(number, g) for g in range(size.groups)]
        started = time.process_time()
        found = [_resampled(log_y, size.resamples, [SEED, number, g]) for g, log_y in enumerate(groups)]
        ours.append(time.process_time() - started)
        failed += sum(int((~batch.converged).sum()) for batch in found)
        started = time.process_time()
        alone = [_one_by_one(log_y, each, size.resamples, [SEED, number, g]) for g, log_y in enumerate(groups)]
        theirs.append((time.process_time() - started) * size.resamples / each)
        for batch, single in zip(found, alone, strict=True):
            apart = max(apart, _apart(batch.theta[:each], single))
    batched, single = statistics.median(ours), statistics.median(theirs)
    what = f"{size.groups:,} groups x {size.resamples:,} resamples of USL, curve_fit"
    how = f"CPU {single:.0f} / {batched:.2f} s; curve_fit on {each} of each group's resamples, scaled by number"
    report.compare(what, single / batched, 25, "x", how)
    how = f"largest relative difference of lambda, sigma and kappa, {size.rounds * size.groups * each:,} fits, in 1e-5"
    report.compare("agreement with curve_fit", apart / AGREEMENT, 1, "e-5", how, at_most=True)
    if apart > AGREEMENT:
        report.problems.append(f"fits in batches and one by one differ by {apart:.1e}")
    report.check("resamples that did not converge", failed, 0)


def whole_analysis(report: Fits, size: Size) -> None:
    """Everything that is said about both published tables."""
    tables = [read_published(paths.PUBLISHED / f"{name}.csv") for name in TABLES]
    costs, said = [], 0
    for _ in range(size.rounds):
        started = time.process_time()
        found = [(analyse(t.runs, t.operations), anomalies.find(t)) for t in tables]
        costs.append(time.process_time() - started)
        said = sum(len(findings) for _, findings in found)
    how = f"{sum(len(t.runs) for t in tables)} rows, {said} findings; CPU, beyond imports and reading"
    report.compare("both published tables analysed", statistics.median(costs), 2, "s", how, at_most=True)


def _group(number: int, group: int) -> np.ndarray:
    """ln throughput of 50 runs: 5 repeats on each of 10 core counts, sigma and kappa well off their bounds."""
    rng = np.random.default_rng([SEED, number, group, 1])
    sigma, kappa = rng.uniform(0.03, 0.1), rng.uniform(3e-4, 2e-3)
    return _log_usl(CORES, np.log(rng.uniform(500, 5000)), sigma, kappa) + rng.normal(0, NOISE, len(CORES))


def _log_usl(p: np.ndarray, log_lambda: float, sigma: float, kappa: float) -> np.ndarray:
    return log_lambda + np.log(p) - np.log(1 + sigma * (p - 1) + kappa * p * (p - 1))


def _drawn(resamples: int, seed: list[int]) -> np.ndarray:
    """Which runs each resample takes, (resamples, n): with replacement, repeats and all."""
    return np.random.default_rng(seed).integers(0, len(CORES), (resamples, len(CORES)))


def _resampled(log_y: np.ndarray, resamples: int, seed: list[int]) -> Solution:
    """All resamples fitted at once, from the fit to all runs; equal cores as their mean, their number its weight."""
    places, place = np.unique(CORES, return_inverse=True)
    drawn = _drawn(resamples, seed)
    cell = (np.arange(resamples)[:, None] * len(places) + place[drawn]).ravel()
    count, total = (
        np.bincount(cell, weights, resamples * len(places)).reshape(resamples, -1)
        for weights in (None, log_y[drawn].ravel())
    )
    start = Problem(LAWS["usl"], CORES, log_y).best().theta
    problem = Problem(LAWS["usl"], places, total / np.maximum(count, 1))
    model = problem.model(np.ones(resamples), np.sqrt(count))
    return solve(model, np.tile(start, (resamples, 1)), *problem.bounds(), least_gain=1e-11)


def _one_by_one(log_y: np.ndarray, fits: int, resamples: int, seed: list[int]) -> np.ndarray:
    """The first resamples of the same draw, each fitted by SciPy from one good start: (fits, 3)."""
    drawn = _drawn(resamples, seed)[:fits]
    start = (log_y[CORES == 1].mean(), 0.05, 1e-3)
    return np.array([curve_fit(_log_usl, CORES[rows], log_y[rows], p0=start)[0] for rows in drawn])


def _apart(batch: np.ndarray, single: np.ndarray) -> float:
    """The largest relative difference; curve_fit knows no bounds, so that what lies on one is not compared."""
    inside = (batch[:, 1:] > 0).all(axis=1)
    if not inside.any():
        return 0.0
    relative = np.abs(batch[inside, 1:] / single[inside, 1:] - 1)
    return float(max(relative.max(), np.abs(np.expm1(batch[inside, 0] - single[inside, 0])).max()))


PARTS = {"coverage": intervals_hold, "speed": many_fits, "analysis": whole_analysis}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="1,000 simulations a cell, 100 groups")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    report = Fits()
    for name in args.only:
        PARTS[name](report, QUICK if args.quick else FULL)
    if args.json:
        print(json.dumps(report.__dict__, indent=1))
        return 1 if report.problems else 0
    print(table(report))
    for cell in report.cells:
        held = ", ".join(f"{q} {' '.join(f'{100 * share:.1f}' for share in cell[q])}" for q in QUANTITIES)
        print(f"     {cell['cell']:45} {held} %")
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
