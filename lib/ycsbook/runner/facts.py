"""What the manifest says of a run beside times and commands."""

from ycsbook.params import OF_RECORDS, PlannedRun
from ycsbook.runner.judge import Verdict
from ycsbook.servers.kind import Target
from ycsbook.store import schema


def run_id(planned: PlannedRun, phase: str) -> str:
    """The name of a run's folder; a load's says what was loaded instead of the mix."""
    if phase == "run":
        return planned.run_id
    return f"{planned.sweep.name}-{planned.spec.name}-load-{planned.run_id.rpartition('-')[2]}"


def _variation(planned: PlannedRun, phase: str) -> dict:
    """The settings that make the run another than its siblings; a load's are those of the records."""
    return {name: value for name, value in planned.variation if phase == "run" or name in OF_RECORDS}


def facts(planned: PlannedRun, phase: str, target: Target, verdict: Verdict) -> dict:
    """Settings, server and verdict of one run, as plain JSON values."""
    sweep, workload = planned.sweep, planned.workload
    return {
        "schema": schema.VERSION,
        "run_id": run_id(planned, phase),
        "dataset": sweep.name,
        "phase": phase,
        "repeat": planned.repeat,
        "threads": planned.threads,
        "clients": 1,
        "spec": {**planned.spec.model_dump(mode="json", exclude={"uri_env"}), "cache_gib": target.cache_gib},
        "workload": workload.model_dump(mode="json"),
        "write_concern": str(sweep.write_concern),
        "read_preference": sweep.read_preference,
        "target_ops_s": sweep.target_ops_s if phase == "run" else None,  # a load is as fast as it can
        "variation": _variation(planned, phase),
        "plan": {"seed": sweep.seed, "repeats": sweep.repeats, "min_duration_s": sweep.min_duration},
        "server": {
            "kind": sweep.server.kind,
            "reach": target.reach,
            "version": target.version,
            "topology": target.topology,
            "cores_enforced_by": target.cores_enforced_by,
            "rtt_us": target.rtt_us,
            **target.told,
        },
        "inputs": planned.inputs,
        "outcome": verdict.outcome,
        "reasons": list(verdict.reasons),
        "stop_reason": verdict.stop_reason,
        "warnings": [str(w) for w in dict.fromkeys((*verdict.warnings, *target.warnings))],
    }
