"""Params files: YAML in, a validated sweep and its planned runs out."""

from ycsbook.params.expand import PlannedRun, plan
from ycsbook.params.sweep import Server, Spec, Sweep, Workload, load

__all__ = ["PlannedRun", "Server", "Spec", "Sweep", "Workload", "load", "plan"]
