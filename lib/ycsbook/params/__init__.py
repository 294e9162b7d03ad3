"""Params files: YAML in, a validated sweep and its planned runs out."""

from ycsbook.params.expand import PlannedRun, plan, thread_counts
from ycsbook.params.sections import Goals, Server, Spec, Workload
from ycsbook.params.sweep import OF_RECORDS, VARIED, Sweep, load

__all__ = [
    "OF_RECORDS", "VARIED", "Goals", "PlannedRun", "Server", "Spec", "Sweep", "Workload", "load", "plan",
    "thread_counts",
]  # fmt: skip
