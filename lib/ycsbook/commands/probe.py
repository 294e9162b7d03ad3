"""The command that says what the servers of a params file are, and measures nothing."""

from typing import Annotated

import typer

from ycsbook import printing
from ycsbook.commands.options import Json, Params
from ycsbook.errors import YcsbookError


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(epilog="Examples: ycsbook probe params/local.yml; ycsbook probe params/mine.yml --spec 8c64g --json")(
        probe
    )


def probe(
    params: Params,
    spec: Annotated[list[str], typer.Option("--spec", help="Only this spec; may be repeated.")] = [],  # noqa: B006
    as_json: Json = False,
) -> None:
    """Start or reach the server of each spec and say what it is. Needs no load generator and loads nothing."""
    from ycsbook.params import load
    from ycsbook.servers import probing

    sweep = load(params.resolve() if params.exists() else params)
    found = probing.probe(sweep, spec)
    if as_json:
        printing.print_json(found)
    else:
        names = list(dict.fromkeys(name for one in found for name in one if name != "spec" and one[name] != ""))
        rows = [[probing.LABELS.get(name, name), *(probing.text(one.get(name)) for one in found)] for name in names]
        printing.table(["", *(one["spec"] for one in found)], rows)
    if bad := [one for one in found if one["error"]]:
        raise YcsbookError(f"{params}: {len(bad)} of {len(found)} specs have no server: {bad[0]['error']}")
