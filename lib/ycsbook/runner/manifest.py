"""The manifest of a run: its settings, the server, the verdict, and the machine and its speed."""

import contextlib
import os
import platform
import time

import psutil

from ycsbook.facts import as_plain
from ycsbook.params import OF_RECORDS, PlannedRun
from ycsbook.runner.judge import Verdict
from ycsbook.servers.kind import Target
from ycsbook.store.runs import SCHEMA
from ycsbook.units import BYTES_PER_GIB

# Many short rounds rather than few long ones: it is likelier that one of them is not disturbed.
_LOOPS = 25_000
_ROUNDS = 8


def run_id(planned: PlannedRun, phase: str) -> str:
    """The name of a run's folder; a load's says what was loaded instead of the mix."""
    if phase == "run":
        return planned.run_id
    return f"{planned.sweep.name}-{planned.spec.name}-load-{planned.run_id.rpartition('-')[2]}"


def run_manifest(planned: PlannedRun, phase: str, target: Target, verdict: Verdict) -> dict:
    """Settings, server and verdict of one run, as plain JSON values."""
    sweep, workload = planned.sweep, planned.workload
    return {
        "schema": SCHEMA,
        "run_id": run_id(planned, phase),
        "dataset": sweep.name,
        "phase": phase,
        "repeat": planned.repeat,
        "threads": planned.threads,
        "clients": 1,
        "spec": {**planned.spec.model_dump(mode="json", exclude={"uri_env", "server"}), "cache_gib": target.cache_gib},
        "workload": workload.plain(),
        "write_concern": str(sweep.write_concern),
        "read_preference": sweep.read_preference,
        "target_ops_s": sweep.target_ops_s if phase == "run" else None,  # a load is as fast as it can
        # Of a load the settings of the records alone make it another than its siblings.
        "variation": {name: value for name, value in planned.variation if phase == "run" or name in OF_RECORDS},
        "plan": {"seed": sweep.seed, "repeats": sweep.repeats, "min_duration_s": sweep.min_duration},
        "server": {
            "kind": sweep.server_of(planned.spec).kind,
            "reach": target.reach,
            "version": target.version,
            "topology": target.topology,
            "cores_enforced_by": target.cores_enforced_by,
            "rtt_us": target.rtt_us,
            **target.facts,
        },
        "inputs": planned.inputs,
        "outcome": verdict.outcome,
        "reasons": [as_plain(reason) for reason in verdict.reasons],
        "stop_reason": verdict.stop_reason,
        "warnings": [str(w) for w in dict.fromkeys((*verdict.warnings, *target.warnings))],
    }


def host_speed() -> float:
    """Work per CPU-second of a fixed loop: millions of steps, the best of eight rounds of about 3 ms.

    Only a ratio of two of these on the same machine means anything. CPU time, not wall time: being
    scheduled less is not being slower. The best round is the one least disturbed.
    """
    return max(_one_round() for _ in range(_ROUNDS))


def _one_round() -> float:
    begin = time.thread_time()
    state = 1
    for _ in range(_LOOPS):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
    return _LOOPS / (time.thread_time() - begin) / 1e6


def machine() -> dict:
    """What a report says about this machine: no host name, no user, no path.

    Returns
        cpu (model), cores (logical), memory_gib, kernel, os, python.
    """
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count() or 1,
        "memory_gib": round(psutil.virtual_memory().total / BYTES_PER_GIB, 1),
        "kernel": platform.release(),
        "os": _os_name(),
        "python": platform.python_version(),
    }


def _cpu_model() -> str:
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file:
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def _os_name() -> str:
    with contextlib.suppress(OSError):
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    return f"{platform.system()} {platform.mac_ver()[0]}".strip()
