"""Params files: YAML in, a validated sweep and its planned runs out."""

from ycsbook.params.expand import PlannedRun, plan, thread_counts
from ycsbook.params.sweep import Goals, Server, Spec, Sweep, Workload, load

__all__ = ["Goals", "PlannedRun", "Server", "Spec", "Sweep", "Workload", "load", "plan", "thread_counts"]
