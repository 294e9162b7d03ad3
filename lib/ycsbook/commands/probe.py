"""The command that says what the servers of a params file are, and measures nothing."""

from typing import Annotated

import typer

from ycsbook import printing
from ycsbook.commands.options import Json, Params
from ycsbook.errors import YcsbookError

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
    from ycsbook import sweep_runs
    from ycsbook.params import load
    from ycsbook.servers import probing

    sweep = load(params.resolve() if params.exists() else params)
    found = probing.probe(sweep, spec)
    if as_json:
        printing.print_json(found)
    else:
        _say(found, sweep_runs.without_address(sweep))
    if bad := [one for one in found if one["error"]]:
        raise YcsbookError(f"{params}: {len(bad)} of {len(found)} specs have no server: {bad[0]['error']}")


def _say(found: list[dict], unset: dict[str, str]) -> None:
    """Tables of the servers that were found, and a line for each reason why others were not."""
    from ycsbook import sweep_runs
    from ycsbook.servers import probing

    reached = [one for one in found if not one["error"]]
    for at in range(0, len(reached), _BESIDE):
        few = reached[at : at + _BESIDE]
        names = list(dict.fromkeys(name for one in few for name in one if name != "spec" and one[name] != ""))
        rows = [[probing.LABELS.get(n, n), *(probing.text(one.get(n), n) for one in few)] for n in names]
        printing.table(["", *(one["spec"] for one in few)], rows)
    without = [one["spec"] for one in found if one["error"] and one["spec"] in unset]
    if without:
        variables = sweep_runs.variables(unset[spec] for spec in without)
        print(f"no server: {', '.join(without)}: not set: {variables}")
    for one in found:
        if one["error"] and one["spec"] not in unset:
            print(f"no server: {one['error']}")
