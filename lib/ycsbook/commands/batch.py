"""`ycsbook batch`: many reports in one go."""

import itertools
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ycsbook import paths
from ycsbook.commands.options import Json, Store, params_file
from ycsbook.printing import print_json

if TYPE_CHECKING:
    from ycsbook.batch.reports import ReportOutcome


def register(app: typer.Typer) -> None:
    """Add the command to `ycsbook`."""
    app.command(epilog="Example: ycsbook batch params/*.yml -j 2")(batch)


def batch(
    params: Annotated[list[Path], typer.Argument(help="Params files, such as params/*.yml.")],
    store: Store = paths.RUNS,
    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="NUMBER", min=1, max=64, help="Reports at a time.")] = 1,
    *,
    force: Annotated[bool, typer.Option("--force", "-f", help="Make them again though nothing has changed.")] = False,
    as_json: Json = False,
) -> None:
    """The reports of many params files, and one page of links. One that fails does not stop the others.

    Sweeps with runs to make measure one after another. Exit code 1 where one report failed or holds unsuccessful runs.
    """
    # What executes notebooks takes seconds to load, which --help has no time for.
    from ycsbook.batch import reports

    files = [params_file(path) for path in params]
    began, ended = time.monotonic(), itertools.count(1)

    def show(outcome: "ReportOutcome") -> None:
        where = f"{next(ended)}/{len(set(files))}  {_state(outcome):<8}  {outcome.params_file.stem}"
        print(f"{where}  ({time.monotonic() - began:.0f} s)", file=sys.stderr, flush=True)

    reports.clear_page(paths.OUTPUT)
    outcomes = reports.many(files, store.resolve(), jobs=jobs, force=force, on_end=show)
    page = reports.write_page(outcomes, paths.OUTPUT)
    if as_json:
        print_json({"page": str(page), "reports": [_as_dict(outcome) for outcome in outcomes]})
    else:
        print(f"page       {page}")
    for outcome in outcomes:
        if outcome.reason:
            print(f"ycsbook: {outcome.params_file.name}: {outcome.reason}", file=sys.stderr)
    if any(outcome.result is None or outcome.result.unsuccessful for outcome in outcomes):
        raise typer.Exit(1)


def _state(outcome: "ReportOutcome") -> str:
    return "failed" if outcome.result is None else "partly" if outcome.result.unsuccessful else "done"


def _as_dict(outcome: "ReportOutcome") -> dict:
    result = outcome.result.as_dict() if outcome.result else {}
    return {"params": str(outcome.params_file), "state": _state(outcome), "reason": outcome.reason, **result}
