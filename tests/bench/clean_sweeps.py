"""Simulated sweeps without any fault, and with one planted: what the rules' false alarms and power are measured on.

One workload, 18 specs x {100, 200} threads x some repeats, noise of 3 % in one of NOISES' shapes, latencies that agree
with Little's law. Throughput follows a USL over cores and ignores RAM: equal specs are the hardest case for a rule that
compares them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ycsbook.tables import Tables, from_rows

CORES = (1, 2, 4, 8, 16, 32)
GIB_PER_CORE = (2, 4, 8)
THREADS = (100, 200)
NOISE = 0.03
# A USL without a peak in the range: ops/s of one core, contention, crosstalk.
LAW = (9000.0, 0.02, 1e-4)
# The share of the threads' time spent in the database, and reads' latency as a share of the mean's.
UTILISATION, READ_SHARE = 0.97, 0.8
RUNTIME_S = 1200.0
# How often a run stalls, and what it loses then.
STALLS, STALL_LOSS = 0.05, (0.1, 0.4)
# The spec that is slower at 200 threads, where one is.
PLANTED = "8c32g"


Drawn = Callable[[np.random.Generator, "Sweeps"], np.ndarray]


def _normal(random: np.random.Generator, sweeps: "Sweeps") -> np.ndarray:
    return random.normal(0.0, NOISE, len(sweeps.expected))


def _heavy(random: np.random.Generator, sweeps: "Sweeps") -> np.ndarray:
    """Student's t with 3 degrees of freedom, of the same variance."""
    return NOISE / np.sqrt(3) * random.standard_t(3, len(sweeps.expected))


def _skewed(random: np.random.Generator, sweeps: "Sweeps") -> np.ndarray:
    """Seldom much slower, never much faster: an exponential of the same variance."""
    return NOISE * (1 - random.exponential(1.0, len(sweeps.expected)))


def _stalling(random: np.random.Generator, sweeps: "Sweeps") -> np.ndarray:
    n = len(sweeps.expected)
    loss = np.where(random.random(n) < STALLS, random.uniform(*STALL_LOSS, n), 0.0)
    return _normal(random, sweeps) + np.log1p(-loss)


def _unequal(random: np.random.Generator, sweeps: "Sweeps") -> np.ndarray:
    """Each configuration has its own noise, from half to twice and more of the usual (sd of its logarithm 0.5)."""
    runs = sweeps.tables.runs
    cell = runs.groupby(["spec", "threads"]).ngroup().to_numpy()
    return _normal(random, sweeps) * np.exp(random.normal(0.0, 0.5, cell.max() + 1))[cell]


def _drifting(random: np.random.Generator, sweeps: "Sweeps") -> np.ndarray:
    """The host gets 10 % slower over the sweep, whose runs are made in random order within each round."""
    rounds = sweeps.tables.runs["repeat"].to_numpy()
    order = np.lexsort((random.random(len(rounds)), rounds))
    place = np.empty(len(rounds))
    place[order] = np.linspace(0.0, 1.0, len(rounds))
    return _normal(random, sweeps) + np.log(0.9) * place


def _slow_round(random: np.random.Generator, sweeps: "Sweeps") -> np.ndarray:
    """One round is 10 % slower than the others."""
    rounds = sweeps.tables.runs["repeat"].to_numpy()
    return _normal(random, sweeps) + np.where(rounds == random.choice(np.unique(rounds)), np.log(0.9), 0.0)


# Each of 3 % within a configuration and round, but for the stalls and the unequal.
NOISES: dict[str, Drawn] = {
    "normal": _normal, "heavy-tailed (t3)": _heavy, "skewed": _skewed, "stalling": _stalling, "unequal": _unequal,
    "drift of 10 %": _drifting, "one slow round": _slow_round,
}  # fmt: skip


@dataclass(frozen=True)
class Sweeps:
    """The runs of one sweep and their expected throughput, to draw sweeps from.

    runs, operations: tables whose throughputs and latencies `draw` replaces. expected: ops/s of each run.
    """

    tables: Tables
    expected: np.ndarray

    @classmethod
    def of(cls, repeats: int, gain: float) -> "Sweeps":
        """`gain`: throughput at 200 threads over that at 100."""
        rows = [
            {
                "run_id": f"{cores}c{cores * share}g-t{threads}-r{repeat}", "dataset": "sweep",
                "spec": f"{cores}c{cores * share}g", "cores": float(cores), "ram_gib": float(cores * share),
                "workload": "a", "read_fraction": 0.5, "threads": float(threads), "repeat": float(repeat),
                "phase": "run", "outcome": "completed", "write_concern": "1", "host_speed": 1.0,
                "cores_enforced_by": "cgroup2", "runtime_ms": 1000 * RUNTIME_S, "failed_operations": 0.0,
            }
            for repeat in range(1, repeats + 1) for cores in CORES for share in GIB_PER_CORE for threads in THREADS
        ]  # fmt: skip
        runs = from_rows(rows, "runs")
        names = ("READ", "UPDATE")
        operations = [{"run_id": row["run_id"], "operation": name} for name in names for row in rows]
        rate, contention, crosstalk = LAW
        p = runs["cores"].to_numpy(float)
        expected = rate * p / (1 + contention * (p - 1) + crosstalk * p * (p - 1))
        expected *= np.where(runs["threads"] == THREADS[1], gain, 1.0)
        return cls(Tables(runs=runs, operations=from_rows(operations, "operations")), expected)

    def draw(self, random: np.random.Generator, loss: float = 0.0, noise: str = "normal") -> Tables:
        """One sweep; on the spec PLANTED 200 threads do `loss` less than 100. noise: one of NOISES."""
        runs, expected = self.tables.runs, self.expected
        if loss:
            planted = (runs["spec"] == PLANTED).to_numpy()
            low = expected[planted & (runs["threads"] == THREADS[0]).to_numpy()][0]
            expected = np.where(planted & (runs["threads"] == THREADS[1]).to_numpy(), (1 - loss) * low, expected)
        y = expected * np.exp(NOISES[noise](random, self))
        mean_us = 1e6 * UTILISATION * runs["threads"].to_numpy() / y
        counts = {"operations": y * RUNTIME_S, "throughput_ops_s": y, "goodput_ops_s": y}
        means = np.concatenate([READ_SHARE * mean_us, (2 - READ_SHARE) * mean_us])
        operations = self.tables.operations.assign(count=np.tile(y * RUNTIME_S / 2, 2), mean_us=means)
        return replace(self.tables, runs=runs.assign(**counts), operations=operations)
