"""`ycsbook plan` and `ycsbook run`: the runs of a sweep. Heavy imports wait until they are called."""

import sys
from typing import Annotated

import typer

from ycsbook import paths
from ycsbook.commands.options import Json, Params, Store, study
from ycsbook.errors import YcsbookError
from ycsbook.printing import counts, print_json, table, varied


def register(app: typer.Typer) -> None:
    """Add the commands to `ycsbook`."""
    app.command(epilog="Example: ycsbook plan params/tencent-2020-08.yml")(plan)
    app.command(
        epilog="Examples: ycsbook run params/local.yml; "
        "ycsbook run params/local.yml --only cores=8,threads=200 --dry-run"
    )(run)


def plan(params: Params, store: Store = paths.RUNS, as_json: Json = False) -> None:
    """The runs a params file asks for, how long they take, and which are done."""
    _say_plan(study(params, store).plan_rows(), as_json)


def _say_plan(rows: list[dict], as_json: bool, force: bool = False) -> None:
    from ycsbook import units

    if as_json:
        print_json(rows)
        return
    columns = ["spec", "workload", "threads", "repeat", *varied(rows), "state"]
    table(columns, [[str(row[column]) for column in columns] for row in rows])
    left = [row for row in rows if force or row["state"] != "completed"]
    runnable = [row for row in left if not row["state"].startswith("no server")]
    print(
        f"{len(rows)} runs: {len(rows) - len(left)} done, {len(runnable)} to make"
        f" (about {units.duration(sum(row['expected_s'] for row in runnable))}), "
        f"{len(left) - len(runnable)} without a server"
    )


def run(
    params: Params,
    store: Store = paths.RUNS,
    *,
    only: Annotated[
        list[str], typer.Option("--only", help="Only these: --only 'cores=8,threads=100|200'; several add up.")
    ] = [],  # noqa: B006
    repeat: Annotated[
        int | None, typer.Option("--repeat", min=1, help="So many repeats instead of the params file's.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", "-f", help="Also those that are completed; the old ones move to quarantine.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Say what would be made, make nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Make the runs that are not there yet. Can be stopped at any time and goes on where it stopped."""
    from ycsbook.runner.selection import Selection

    selection, asked = Selection.parse(only, repeat, force), study(params, store)
    if dry_run:
        _say_plan(asked.plan_rows(selection), as_json, force)
        return
    rows = asked.run_rows(selection)
    if as_json:
        print_json(rows)
    else:
        print(counts(row["state"] for row in rows))
    if all(row["state"].startswith("no server") for row in rows):
        raise YcsbookError(f"{params}: none of its specs has a server; set the environment variables named above")
    bad = [row for row in rows if row["state"] in ("failed", "incomplete")]
    for row in bad:
        print(f"ycsbook: {row['run_id']}: {row['state']}: {row['reasons']}", file=sys.stderr)
    if bad:
        raise typer.Exit(1)
