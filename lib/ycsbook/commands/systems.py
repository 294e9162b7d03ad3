"""`ycsbook systems`: every system of docs/systems.md measured, in one report."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ycsbook import paths
from ycsbook.commands.options import Json, Store, params_file
from ycsbook.printing import paragraph, print_json


def register(app: typer.Typer) -> None:
    """Add the command to `ycsbook`."""
    app.command(epilog="Example: ycsbook systems params/systems/crud.yml")(systems)


def systems(
    params: Annotated[
        list[Path] | None, typer.Argument(help="Params files; default params/systems/*.yml.", show_default=False)
    ] = None,
    store: Store = paths.RUNS,
    as_json: Json = False,
) -> None:
    """Every system of the first documents, small, in one report.

    Those documents are what this project starts from: docs/systems.md. What is measured already is not measured again.
    A system whose programs are not here is left out with a line. Exit code 1 where a system failed or holds
    unsuccessful runs.
    """
    # What makes reports takes seconds to load, which --help has no time for.
    from ycsbook import systems as measuring

    files = [params_file(path) for path in params] if params else measuring.files()
    done = measuring.measure(
        files, store=store.resolve(), on_begin=lambda name: print(name, file=sys.stderr, flush=True)
    )
    if as_json:
        places = {"html": str(done.written.html), "markdown": str(done.written.markdown)}
        answer = asdict(done.report.in_short)
        print_json({**places, "in_short": answer, "left_out": dict(done.left_out), "failed": list(done.failed)})
    else:
        paragraph(done.report.in_short.verdict)
        print()
        for about, sentences in done.report.in_short.lines:
            paragraph(f"{about}: {sentences}", indent="  ")
        print(f"\nreport     {done.written.html}\nmarkdown   {done.written.markdown}")
    if done.failed:
        print(f"ycsbook: failed or not complete: {', '.join(done.failed)}", file=sys.stderr)
        raise typer.Exit(1)
