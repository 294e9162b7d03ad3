"""The command that says what the servers of a params file are, and measures nothing."""

from collections.abc import Callable, Mapping
from typing import Annotated

import typer

from ycsbook import printing, sweep_runs
from ycsbook.commands.options import Json, Params, params_file
from ycsbook.errors import YcsbookError
from ycsbook.params import load
from ycsbook.servers import probe as asking

# Servers that stand beside each other in a table.
_BESIDE = 4


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(epilog="Examples: ycsbook probe params/local.yml; ycsbook probe params/mine.yml --spec 8c64g --json")(
        probe
    )


def probe(
    params: Params,
    spec: Annotated[list[str], typer.Option("--spec", metavar="NAME", help="Only this spec; may be repeated.")] = [],  # noqa: B006
    as_json: Json = False,
) -> None:
    """Start or reach the server of each spec and say what it is. Needs no load generator and loads nothing."""
    sweep = load(params_file(params))
    servers = asking.probe(sweep, spec)
    if as_json:
        printing.print_json(servers)
    else:
        unset = sweep_runs.without_address(sweep)
        _tables([server for server in servers if not server["error"]], asking.LABELS, asking.text)
        if without := [server["spec"] for server in servers if server["error"] and server["spec"] in unset]:
            variables = sweep_runs.variables(unset[name] for name in without)
            printing.paragraph(f"no server: {', '.join(without)}: not set: {variables}", indent="  ")
        for server in servers:
            if server["error"] and server["spec"] not in unset:
                printing.paragraph(f"no server: {server['error']}", indent="  ")
    if bad := [server for server in servers if server["error"]]:
        raise YcsbookError(f"{params}: {len(bad)} of {len(servers)} specs have no server: {bad[0]['error']}")


def _tables(servers: list[dict], labels: Mapping[str, str], text: Callable[[object, str], str]) -> None:
    """What the servers are, a few of them beside each other."""
    for at in range(0, len(servers), _BESIDE):
        few = servers[at : at + _BESIDE]
        names = dict.fromkeys(name for server in few for name in server if name != "spec" and server[name] != "")
        rows = [[labels.get(name, name), *(text(server.get(name), name) for server in few)] for name in names]
        printing.table(["", *(server["spec"] for server in few)], rows)
