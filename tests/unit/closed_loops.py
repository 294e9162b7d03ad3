"""Runs of a simulated server behind a closed loop of client threads, for tests of the scaling laws."""

import numpy as np

from ycsbook.tables import from_rows

PER_CORE, IDLE_S, SHARPNESS = 10_000.0, 0.0014, 10.0


def usl(p, sigma=0.0, kappa=0.0, per_core=PER_CORE):
    """What the server alone can do."""
    return per_core * p / (1 + sigma * (p - 1) + kappa * p * (p - 1))


def ceiling(server, threads, sharpness=SHARPNESS):
    """The server's throughput under the ceiling of the threads: N / R0."""
    return (server**-sharpness + (threads / IDLE_S) ** -sharpness) ** (-1 / sharpness)


def runs(cores, threads, *, seed=0, noise=0.03, sigma=0.0, kappa=0.0, per_core=PER_CORE, repeats=1):
    """A runs table, one row per cores x threads x repeat, with lognormal noise."""
    rng = np.random.default_rng(seed)
    return from_rows(
        [
            {
                "run_id": f"{p:g}-{n:g}-{i}", "dataset": "d", "spec": f"{p:g}c", "cores": float(p), "ram_gib": 4.0 * p,
                "workload": "a", "threads": float(n), "phase": "run", "outcome": "completed", "repeat": i + 1.0,
                "throughput_ops_s": ceiling(usl(p, sigma, kappa, per_core), n) * np.exp(rng.normal(0, noise)),
            }
            for p in cores for n in threads for i in range(repeats)
        ],
        "runs",
    )  # fmt: skip
