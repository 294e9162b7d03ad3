"""`ycsbook report`: everything in one go."""

import sys
from typing import Annotated

import typer

from ycsbook import paths
from ycsbook.commands.options import Json, Params, Store, params_file
from ycsbook.messages import text
from ycsbook.printing import print_json


def register(app: typer.Typer) -> None:
    """Add the command to `ycsbook`."""
    app.command(epilog="Example: ycsbook report params/qingcloud-4.0.3.yml")(report)


def report(
    params: Params,
    store: Store = paths.RUNS,
    force: Annotated[bool, typer.Option("--force", "-f", help="Make it again though nothing has changed.")] = False,
    as_json: Json = False,
) -> None:
    """Everything in one go. Runs what is missing, then makes tables, fits, findings and the report."""
    # What executes notebooks takes seconds to load, which --help has no time for.
    from ycsbook.batch import reports
    from ycsbook.study import Study

    result = reports.report(Study(params_file(params), store=store.resolve()), quiet=as_json, force=force)
    if as_json:
        print_json(result.as_dict())
    else:
        print(result)
    if result.unsuccessful:
        print(f"ycsbook: {text('batch-unsuccessful', runs=len(result.unsuccessful))}", file=sys.stderr)
        raise typer.Exit(1)
