"""`ycsbook doctor`: what is here and what is missing."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ycsbook import doctor as examination
from ycsbook import paths
from ycsbook.commands.options import Json, runs_of
from ycsbook.printing import print_json, table

_MARKS = {"ok": "✓", "missing": "✗", "limited": "!", "optional": "-"}


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
        rows = [[_MARKS[c.state], c.name, c.found] for c in checks]
        advice = ["" if c.state == "ok" else f"needed for {c.needed_for} → {c.fix}" for c in checks]
        table(["", "what", "found"], rows, below=advice)
    if any(c.state == "missing" for c in checks):
        raise typer.Exit(1)
