"""`ycsbook doctor`: what is here and what is missing."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ycsbook import doctor as examination
from ycsbook import paths
from ycsbook.commands.options import Json, runs_of
from ycsbook.doctor import Check
from ycsbook.printing import print_json, table


def register(app: typer.Typer) -> None:
    """Add the command to `ycsbook`."""
    app.command(epilog="Example: ycsbook doctor --json")(doctor)


def doctor(
    params: Annotated[
        Path | None, typer.Argument(help="A params file: what its runs need is required.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """What is here, what is missing, and how to get it."""
    checks = examination.examine(runs_of(params, paths.RUNS).sweep if params else None)
    if as_json:
        print_json([asdict(c) for c in checks])
    else:
        table(["", "what", "found", "needed for", "how to get it"], [_doctor_row(c) for c in checks])
    if any(c.state == "missing" for c in checks):
        raise typer.Exit(1)


def _doctor_row(check: Check) -> list[str]:
    mark = {"ok": "✓", "missing": "✗", "limited": "!", "optional": "-"}[check.state]
    return [mark, check.name, check.found, check.needed_for, "" if check.state == "ok" else check.fix]
