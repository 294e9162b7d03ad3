"""What a store holds of a sweep: its runs as planned, as they stand, and those that count."""

import itertools
import json
import os
from collections.abc import Iterable

from ycsbook import params
from ycsbook.params import Sweep, variations
from ycsbook.runner.selection import Selection
from ycsbook.secrets import FILE_SUFFIX
from ycsbook.store import lock
from ycsbook.store.runs import PARTIAL, RunStore
from ycsbook.verdicts import Outcome

# The state of a run that nobody has made.
MISSING = "missing"


def planned(sweep: Sweep, store: RunStore, selection: Selection) -> list[dict]:
    """The runs of a selection in order, a dict each: run_id, spec, workload, threads, repeat, variation (the settings
    that vary, in words), expected_s, state, reasons."""
    from ycsbook.runner.sweep import planned_runs

    available, unavailable = planned_runs(sweep, selection)
    rows = [_plan_row(run, store, "") for run in available]
    return rows + [_plan_row(run, store, f"no server: set {run.spec.uri_env}") for run in unavailable]


def without_address(sweep: Sweep) -> dict[str, str]:
    """The specs whose server nobody has given an address, each with the environment variable for it."""

    def is_set(variable: str) -> bool:
        return any(os.environ.get(name, "").strip() for name in (variable, f"{variable}{FILE_SUFFIX}"))

    return {spec.name: spec.uri_env for spec in sweep.specs if spec.uri_env and not is_set(spec.uri_env)}


def variables(names: Iterable[str]) -> str:
    """Environment variables in a sentence, many that begin alike as one.

    Examples
        >>> variables(["A", "B"]), variables(["URI_2C", "URI_4C", "URI_8C", "URI_16C"])
        ('A, B', 'URI_* (4)')
    """
    found = list(dict.fromkeys(names))
    if len(found) <= 3:
        return ", ".join(found)
    alike = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(min(found), max(found), strict=False))
    return f"{''.join(letter for letter, _ in alike)}* ({len(found)})"


def status(sweep: Sweep, store: RunStore) -> list[dict]:
    """Each planned run as the store has it, a dict each; see Study.status."""
    # What a killed runner left is nobody's run.
    running = store.current() if lock.is_held(store.root) else None
    stored = {_key(m["inputs"]): m for m in held(sweep, store) if m.get("phase") == "run"}
    rows = []
    for run in params.plan(sweep):
        varied = variations.text(dict(run.variation))
        rows.append(_status_row(stored.pop(_key(run.inputs), {}), run.inputs, varied))
    for manifest in stored.values():
        rows.append(_status_row(manifest, manifest["inputs"], variations.text(manifest.get("variation", {}))))
    if running is not None:
        name = running.name.removesuffix(PARTIAL).rpartition("-")[0]
        planned = zip(rows, params.plan(sweep), strict=False)
        named = [row for row, run in planned if run.run_id.rpartition("-")[0] == name]
        # Variations share the name: they are made in the plan's order.
        for row in sorted(named, key=lambda row: row["outcome"] == Outcome.COMPLETED)[:1]:
            row["outcome"] = "running"
    return rows


def held(sweep: Sweep, store: RunStore) -> list[dict]:
    """The manifests of the runs that a sweep asks for: the loads of its data, then the runs in plan order.

    A run counts when it was made with the plan's inputs, whichever client build and server made it; of
    several the newest. Repeats beyond those of the plan count too, behind them.
    """
    planned = [run.inputs for run in params.plan(sweep)]
    wanted = {_key(inputs): i for i, inputs in enumerate(planned)}
    repeated = {_key({**inputs, "repeat": 1}) for inputs in planned}
    data = {_data_key(inputs) for inputs in planned}
    newest: dict[tuple, dict] = {}
    for manifest in store.manifests():
        if manifest.get("dataset") != sweep.name:
            continue
        inputs, phase = manifest.get("inputs", {}), manifest.get("phase")
        if phase == "run" and _key(inputs) in wanted:
            at = ("run", wanted[_key(inputs)], "")
        elif phase == "run" and _key({**inputs, "repeat": 1}) in repeated:
            at = ("run", len(planned) + int(inputs["repeat"]), _key(inputs))
        elif phase == "load" and _data_key(inputs) in data:
            at = ("load", 0, manifest["run_id"])
        else:
            continue
        if at not in newest or _worth(manifest) >= _worth(newest[at]):
            newest[at] = manifest
    return [newest[at] for at in sorted(newest)]


def _plan_row(run: params.PlannedRun, store: RunStore, unavailable: str) -> dict:
    from ycsbook.runner.progress import expected_s

    manifest = store.manifest(run.run_id)
    state = unavailable or (manifest["outcome"] if manifest else MISSING)
    return {
        "run_id": run.run_id,
        "spec": run.spec.name,
        "workload": run.workload.name,
        "threads": run.threads,
        "repeat": run.repeat,
        "variation": variations.text(dict(run.variation)),
        "expected_s": expected_s(run),
        "state": state,
        "reasons": "; ".join(manifest.get("reasons", [])) if manifest else "",
    }


def _status_row(manifest: dict, inputs: dict, variation: str) -> dict:
    return {
        "run_id": manifest.get("run_id", ""),
        "spec": inputs["spec"]["name"],
        "workload": inputs["workload"]["name"],
        "threads": inputs["threads"],
        "repeat": inputs["repeat"],
        "variation": variation,
        "outcome": manifest.get("outcome", MISSING),
        "reasons": "; ".join(manifest.get("reasons", [])),
        "started_at": manifest.get("started_at", ""),
        "ended_at": manifest.get("ended_at", ""),
    }


def _worth(manifest: dict) -> tuple[bool, str]:
    """Which of several runs with the same inputs counts: a completed one before any other, then the newest."""
    return manifest["outcome"] == Outcome.COMPLETED, manifest.get("ended_at", "")


def _key(inputs: dict) -> str:
    """A run's inputs without what made it: the client build and the server's identity."""
    rest = {k: v for k, v in inputs.items() if k != "client"}
    return json.dumps({**rest, "server": _shape(inputs)}, sort_keys=True)


def _data_key(inputs: dict) -> str:
    """What a load is of: the server's kind, the spec, the data."""
    data = {k: inputs.get(k) for k in ("spec", "table", *params.OF_RECORDS)}
    return json.dumps({**data, "server": _shape(inputs)}, sort_keys=True)


def _shape(inputs: dict) -> dict:
    """What is said of a server beside who it is."""
    return {k: v for k, v in inputs.get("server", {}).items() if k != "identity"}
