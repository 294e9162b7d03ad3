"""`ycsbook probe`: what the servers of a params file are; measures nothing."""

import contextlib
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from ycsbook import messages, paths, printing, sweep_runs
from ycsbook.commands import Json, Params
from ycsbook.errors import ParamsError, ToolError, YcsbookError, shown
from ycsbook.params import Spec, Sweep, load
from ycsbook.processes import Guard
from ycsbook.servers import kind
from ycsbook.servers.kind import Servers
from ycsbook.units import MS_PER_S, at_most
from ycsbook.verdicts import Warn

# Servers that stand beside each other in a table.
_BESIDE = 4
_LABELS: Mapping[str, str] = {
    "kind": "kind of server",
    "reach": "where",
    "topology": "topology",
    "spec_cores": "cores of the spec",
    "spec_ram_gib": "RAM of the spec, GiB",
    "cache_gib": "cache, GiB",
    "cores_enforced_by": "cores brought about by",
    "cores": "cores it tells",
    "ram_gib": "RAM it tells, GiB",
    "process": "its process",
    "free_gib": "free for data, GiB",
    "rtt_us": "round trip, shortest, µs",
    "rtt_mean_us": "round trip, mean, µs",
    "rtt_max_us": "round trip, longest, µs",
    "clock_difference_s": "its clock minus ours, ms",
    "tls": "TLS",
    "auth": "user and password",
    "engine": "engine of its tables",
    "engines": "engines it has",
    "durability": "how it makes writes durable",
    "cores_short": "cores of all members",
}
_OF_TARGET = ("reach", "version", "topology", "cache_gib", "cores_enforced_by", "rtt_us")


def probe(
    params: Params,
    spec: Annotated[list[str], typer.Option("--spec", metavar="NAME", help="Only this spec; may be repeated.")] = [],  # noqa: B006
    as_json: Json = False,
) -> None:
    """Start or reach the server of each spec and say what it is. Needs no load generator and loads nothing."""
    sweep = load(paths.typed(params))
    servers = servers_of(sweep, spec)
    if as_json:
        printing.print_json(servers)
    else:
        unset = sweep_runs.without_address(sweep)
        reached = [server for server in servers if not server["error"]]
        for at in range(0, len(reached), _BESIDE):
            group = reached[at : at + _BESIDE]
            names = dict.fromkeys(name for server in group for name in server if name != "spec" and server[name] != "")
            rows = [[_LABELS.get(name, name), *(_text(server.get(name), name) for server in group)] for name in names]
            printing.table(["", *(server["spec"] for server in group)], rows)
        if without := [server["spec"] for server in servers if server["error"] and server["spec"] in unset]:
            variables = sweep_runs.variables(unset[name] for name in without)
            printing.paragraph(f"no server: {', '.join(without)}: not set: {variables}", indent="  ")
        for server in servers:
            if server["error"] and server["spec"] not in unset:
                printing.paragraph(f"no server: {server['error']}", indent="  ")
    if bad := [server for server in servers if server["error"]]:
        raise YcsbookError(f"{params}: {len(bad)} of {len(servers)} specs have no server: {bad[0]['error']}")


def servers_of(sweep: Sweep, specs: Sequence[str] = ()) -> list[dict[str, object]]:
    """Start or reach the server of each spec, or of those named. A mapping for each: spec, error (empty where it was
    found), kind and, where it was found, what it is; as JSON has values, without secrets. Raises ParamsError where
    there is no such spec; ToolError where a private server cannot be started at all."""
    # Of a setting of servers that varies the first value: their number is no question of what is there.
    sweep = sweep.variations()[0][1]
    chosen = [spec for spec in sweep.specs if not specs or spec.name in specs]
    if unknown := set(specs) - {spec.name for spec in chosen}:
        names = ", ".join(spec.name for spec in sweep.specs)
        raise ParamsError(f"--spec: got {shown(min(unknown))}, expected one of {names}")
    absent = kind.absent(sweep)
    # Where none has its program its own error says so.
    startable = sweep.model_copy(update={"specs": tuple(s for s in chosen if s.name not in absent) or tuple(chosen)})
    with tempfile.TemporaryDirectory(prefix="ycsbook-probe-", ignore_cleanup_errors=True) as folder, Guard() as guard:
        guard.remove_at_end(Path(folder), tree=True)
        with contextlib.closing(kind.start(startable, guard, Path(folder))) as servers:
            return [_of_spec(sweep, servers, spec, absent.get(spec.name)) for spec in chosen]


def _of_spec(sweep: Sweep, servers: Servers, spec: Spec, absent: ToolError | None) -> dict[str, object]:
    row = {"spec": spec.name, "error": "", "kind": sweep.server_of(spec).kind, "spec_cores": spec.cores}
    row["spec_ram_gib"] = spec.ram_gib
    if absent:
        return {**row, "error": str(absent)}
    try:
        servers.check(spec)
        target = servers.prepare(spec)
    except ToolError as e:
        return {**row, "error": str(e)}
    facts = {name: getattr(target, name) for name in _OF_TARGET}
    # Why other ways to limit cores do not work here is for the manifest.
    facts |= {name: value for name, value in target.facts.items() if name != "cores_not_enforced_by"}
    facts["warnings"] = [f"{w}: {messages.say(Warn(w).advice)}" for w in target.warnings]
    return {**row, **{name: value for name, value in facts.items() if value not in (None, "", [])}}


def _text(value: object, name: str = "") -> str:
    """A value as a table shows it beside the label of its name, no more precise than it is."""
    if name == "clock_difference_s" and isinstance(value, float):
        # Known to about half a round trip.
        return f"{round(value * MS_PER_S, 1):.1f}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_text(part)}" for name, part in value.items())
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if value is None or isinstance(value, str):
        return messages.text("method-cores-way", way=value) if value and name == "cores_enforced_by" else value or ""
    # A truth value is a number as well.
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,.0f}" if abs(value) >= 1000 else at_most(value, 3)
