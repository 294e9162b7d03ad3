"""What a report says about how its figures came about: machine, server, client, commands, inputs."""

import json
import platform
from collections.abc import Iterable

from ycsbook import __version__, paths
from ycsbook.params import Sweep
from ycsbook.params.secrets import redact

ENFORCED = {
    "cgroup2": "CPU quota (cgroup v2, 10 ms period)",
    "cgroup1": "CPU quota (cgroup v1, 10 ms period)",
    "systemd": "CPU quota (systemd scope, 10 ms period)",
    "duty_cycle": "SIGSTOP/SIGCONT duty cycle (20 ms period)",
    "none": "recorded, not enforced on this system",
    "": "given by the deployment",
}


def environment(sweep: Sweep, manifests: list[dict], inputs: dict[str, str]) -> dict[str, dict[str, str]]:
    """Headed lists of facts, as texts; secrets removed.

    Parameters
        manifests: of the measured runs; none for a sweep that has only a published table.
        inputs: files with their SHA-256.
    """
    facts: dict[str, dict[str, str]] = {}
    if sweep.server.published:
        facts["Published source"] = _published(sweep)
    if manifests:
        facts |= _measured(manifests)
    facts["Made with"] = {"ycsbook": __version__, "Python": platform.python_version()}
    facts["Inputs"] = dict(sorted(inputs.items()))
    return facts


def _published(sweep: Sweep) -> dict[str, str]:
    sidecar = paths.resolve(sweep.server.published).with_suffix(".json")
    facts = json.loads(sidecar.read_text(encoding="utf-8"))
    flat = {k: v for k, v in facts.items() if isinstance(v, str) and "sha256" not in k}
    return flat | {k: str(v) for k, v in facts.get("environment", {}).items()}


def _measured(manifests: list[dict]) -> dict[str, dict[str, str]]:
    machines = [m.get("machine", {}) for m in manifests]
    servers = [m["server"] for m in manifests]
    clients = [m.get("client", {}) for m in manifests]
    speeds = [m["host_speed"]["after"] / m["host_speed"]["before"] - 1 for m in manifests if m["host_speed"]["before"]]
    server = {
        "kind": _distinct(s["kind"] for s in servers),
        "version": _distinct(s["version"] for s in servers),
        "topology": _distinct(s["topology"] for s in servers),
        "cores of a spec": _distinct(ENFORCED[s["cores_enforced_by"]] for s in servers),
        "WiredTiger cache": _distinct(
            f"{m['spec']['cache_gib']:g} GiB" if m["spec"].get("cache_gib") else "as deployed" for m in manifests
        ),
    }
    if speeds:
        server["host speed, largest change during a run"] = f"{max(speeds, key=abs):+.1%}"
    return {
        "Machine": {k: _distinct(str(m.get(k, "")) for m in machines) for k in machines[0]},
        "Server": server,
        "Load generator": {k: _distinct(str(c.get(k, "")) for c in clients) for k in clients[0]},
        "Commands": _commands(manifests),
    }


def _commands(manifests: list[dict]) -> dict[str, str]:
    """One command per phase, workload and threads: the repeats differ in nothing else."""
    commands: dict[str, str] = {}
    for m in manifests:
        name = m["phase"] if m["phase"] == "load" else f"workload {m['workload']['name']}, {m['threads']} threads"
        commands.setdefault(name, redact(m["command"]))
    return commands


def _distinct(values: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(v for v in values if v))
