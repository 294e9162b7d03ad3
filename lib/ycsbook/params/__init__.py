"""Params files: YAML in, a validated sweep and its planned runs out."""

from ycsbook.params.expand import PlannedRun, plan, thread_counts
from ycsbook.params.sections import Goals, PricesAndGoals, Server, Spec, Workload
from ycsbook.params.sweep import OF_RECORDS, VARIED, Sweep, UnplannedSweep, load, load_prices_and_goals

__all__ = [
    "OF_RECORDS", "VARIED", "Goals", "PlannedRun", "PricesAndGoals", "Server", "Spec", "Sweep", "UnplannedSweep",
    "Workload", "load", "load_prices_and_goals", "plan", "thread_counts",
]  # fmt: skip
