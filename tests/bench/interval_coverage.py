"""How often intervals that say 95 % hold the truth, by simulation.

Design: core counts with n >= 8 points on >= 4 distinct ones; truths from the Universal Scalability Law, on its bounds
and off them; 3 % lognormal noise; a new spec inside the measured range that strays by the same noise. All simulations
of a cell are fitted at once, by the functions `fit` itself calls.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import stats

from ycsbook.scaling import LAWS
from ycsbook.scaling.fitted import run_interval
from ycsbook.scaling.problem import Problem, held_back
from ycsbook.scaling.profile import intervals

NOISE, LAMBDA = 0.03, 1000.0
DESIGNS = {
    "8 points on 4 cores": (2, 2, 4, 4, 8, 8, 16, 16),
    "8 points on 8 cores": (1, 2, 4, 8, 12, 16, 24, 32),
    "16 points on 5 cores": (1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8, 16, 16, 16, 16),
}
TRUTHS = ((0.0, 0.0), (0.05, 0.0), (0.0, 5e-4), (0.03, 5e-4))
# Where in the measured range, as shares of its logarithm, the mean curve and a new run are looked at.
INSIDE = (0.1, 0.5, 0.9)
QUANTITIES = ("lambda", "mean curve", "new run")
# Rows of a batch: few, or all of it waits for its slowest fit.
BATCH = 250


@dataclass(frozen=True)
class Cell:
    """One design and one truth."""

    design: str
    sigma: float
    kappa: float

    @property
    def x(self) -> np.ndarray:
        return np.array(DESIGNS[self.design], dtype=float)

    def __str__(self) -> str:
        return f"{self.design}, sigma {self.sigma:g}, kappa {self.kappa:g}"


def cells() -> Iterator[Cell]:
    for design in DESIGNS:
        for sigma, kappa in TRUTHS:
            yield Cell(design, sigma, kappa)


def log_usl(p: np.ndarray, sigma: float, kappa: float) -> np.ndarray:
    return np.log(LAMBDA * p / (1 + sigma * (p - 1) + kappa * p * (p - 1)))


def places(x: np.ndarray) -> np.ndarray:
    return x.min() * (x.max() / x.min()) ** np.array(INSIDE)


def samples(cell: Cell, simulations: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """ln throughput (simulations, n), and ln of a new run at each place (simulations, places)."""
    rng = np.random.default_rng([seed, *map(ord, str(cell))])
    x = np.append(cell.x, places(cell.x))
    drawn = log_usl(x, cell.sigma, cell.kappa) + rng.normal(0, NOISE, (simulations, len(x)))
    return drawn[:, : len(cell.x)], drawn[:, len(cell.x) :]


def ends(x: np.ndarray, log_y: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The two ends of each quantity's 95 % interval, ln, (simulations, 1 or places); log_y (simulations, n)."""
    law, many, at = LAWS["usl"], len(log_y), np.array([1.0, *places(x)])
    problem = Problem(law, x, log_y)
    bounded = problem.best()
    free = problem.best(bounded=False, extra=bounded.theta)
    df = len(x) - law.parameters
    is_held_back = held_back(bounded.sse, free.sse, df, len(law.terms))
    variance = np.where(is_held_back, bounded.sse, free.sse) / df
    t, quantities = float(stats.t.ppf(0.975, df)), len(at)
    found = intervals(
        Problem(law, x, np.repeat(log_y, quantities, axis=0)), np.repeat(bounded.theta, quantities, axis=0),
        sse=np.repeat(bounded.sse, quantities), cut=np.repeat(t**2 * variance, quantities),
        anchor=np.tile(at, many), index=np.zeros(many * quantities, int),
    )  # fmt: skip
    low, high = (end.reshape(many, quantities) for end in found)
    g, _ = law.log_shape(at[1:], bounded.theta[:, 1:])
    curve = low[:, 1:], high[:, 1:]
    run = run_interval(bounded.theta[:, :1] + g, *curve, t=t, s=np.sqrt(variance)[:, None])
    return dict(zip(QUANTITIES, ((low[:, :1], high[:, :1]), curve, run), strict=True))


def coverage(cell: Cell, simulations: int, seed: int) -> dict[str, tuple[float, ...]]:
    """The share of simulations whose interval holds the truth: of lambda, and of the others at each place."""
    log_y, new = samples(cell, simulations, seed)
    at_one = log_usl(np.ones(1), cell.sigma, cell.kappa)
    at_places = log_usl(places(cell.x), cell.sigma, cell.kappa)
    held: dict[str, np.ndarray] = {quantity: np.zeros(1) for quantity in QUANTITIES}
    for first in range(0, simulations, BATCH):
        rows = slice(first, first + BATCH)
        truth = {"lambda": at_one, "mean curve": at_places, "new run": new[rows]}
        for quantity, (low, high) in ends(cell.x, log_y[rows]).items():
            inside = (low <= truth[quantity]) & (truth[quantity] <= high)
            held[quantity] = held[quantity] + inside.sum(axis=0)
    return {quantity: tuple((count / simulations).tolist()) for quantity, count in held.items()}
