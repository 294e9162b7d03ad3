"""Runs of a sweep on several days: what a day does to all cells, to each by itself, and what every run does."""

import numpy as np

from ycsbook.tables import Tables, from_rows

CELLS, REPEATS = 6, 3


def occasion(day: int, seed: int, *, factor=1.0, occasions=0.01, own=0.005, noise=0.01, repeats=REPEATS, **columns):
    """The runs of a day: what the day does to all cells, to each by itself, and what every run does."""
    rng = np.random.default_rng([seed, day])
    shared, factors = rng.normal(0, occasions), np.broadcast_to(factor, CELLS)
    rows = [
        {
            "run_id": f"{day}-{cell}-{repeat}", "outcome": "completed", "dataset": "x", "workload": "a",
            "read_fraction": 0.5, "spec": f"{cell + 1}c", "cores": cell + 1.0, "ram_gib": 1.0, "threads": 100.0,
            "repeat": repeat, "started_at": f"2026-01-{day:02d}T00:{cell:02d}:{repeat:02d}Z",
            "goodput_ops_s": 1000 * (cell + 1) * factors[cell] * np.exp(shared + of_cell + rng.normal(0, noise)),
        }
        | columns
        for cell, of_cell in enumerate(rng.normal(0, own, CELLS))
        for repeat in range(1, repeats + 1)
    ]  # fmt: skip
    return Tables(runs=from_rows(rows, "runs"))
