"""The commands of `ycsbook`. Imports of everything heavy wait until a command needs them."""

import sys
from typing import Annotated

import typer

from ycsbook import (
    __version__,
    commands_batch,
    commands_compare,
    commands_findings,
    commands_probe,
    commands_publish,
    commands_report,
    commands_scaling,
    commands_store,
    paths,
)
from ycsbook.command_options import Json, Params, Store, study
from ycsbook.errors import YcsbookError
from ycsbook.printing import counts, print_json, table, varied

app = typer.Typer(
    name="ycsbook",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Plain help: rich alone takes longer to load than everything else that --help needs.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    help="Benchmark MongoDB and its peers with YCSB: real runs, tidy tables, scaling laws, findings, reports.",
    epilog="Start with: ycsbook doctor; then: ycsbook report params/local.yml",
)


def _version(value: bool) -> None:
    if value:
        print(f"ycsbook {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


@app.command(epilog="Example: ycsbook doctor --json")
def doctor(as_json: Json = False) -> None:
    """What is here, what is missing, and how to get it."""
    from dataclasses import asdict

    from ycsbook import doctor as examination

    checks = examination.examine()
    if as_json:
        print_json([asdict(c) for c in checks])
    else:
        table(["", "what", "found", "needed for", "how to get it"], [_doctor_row(c) for c in checks])
    if any(c.state == "missing" for c in checks):
        raise typer.Exit(1)


@app.command(epilog="Example: ycsbook plan params/tencent-2020-08.yml")
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


@app.command(
    epilog="Examples: ycsbook run params/local.yml; ycsbook run params/local.yml --only cores=8,threads=200 --dry-run"
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


commands_store.register(app)


def _formats(value: str) -> str:
    if value == "list":
        from ycsbook.ingest.finding.formats import FORMATS

        print("\n".join(FORMATS))
        raise typer.Exit
    return value


@app.command(
    epilog="Examples: ycsbook ingest old-logs/ --out output/old/tables; "
    "ycsbook ingest 'logs/**/*.out.gz' -o tables --pattern '{spec}/{threads}/*.out.gz' --set vendor=mine"
)
def ingest(
    sources: Annotated[
        list[str],
        typer.Argument(help="Logs, folders, patterns, run folders, vendors' pages or CSVs; .gz and .zst too."),
    ],
    out: Annotated[str, typer.Option("--out", "-o", metavar="FOLDER", help="Folder for the tables.")],
    *,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            callback=_formats,
            is_eager=True,
            help="Read every log as this, instead of telling by its content; 'list' lists.",
        ),
    ] = "",
    sets: Annotated[
        list[str], typer.Option("--set", help="What the logs do not say: --set cores=8 --set ram_gib=32.")
    ] = [],  # noqa: B006
    pattern: Annotated[str, typer.Option("--pattern", help="What the paths say: '{spec}/{threads}/run.log'.")] = "",
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, max=64, help="Processes that read.")] = 1,
    force: Annotated[bool, typer.Option("--force", "-f", help="Read again what has not changed.")] = False,
    as_json: Json = False,
) -> None:
    """Read logs into tidy tables (Parquet). What has not changed since the last time is not read again.

    Exit code 0: every file got a row, with figures or a verdict. 3: some file could not be read at all.
    """
    from ycsbook.ingest import command, order

    asked = order.Order(
        sources, out, format=format, sets=sets, pattern=pattern, jobs=jobs, force=force, as_json=as_json
    )
    if code := command.run(asked):
        raise typer.Exit(code)


_PARTS = (
    commands_probe,
    commands_scaling,
    commands_findings,
    commands_compare,
    commands_report,
    commands_batch,
    commands_publish,
)
for part in _PARTS:
    part.register(app)


def _doctor_row(check) -> list[str]:
    mark = {"ok": "✓", "missing": "✗", "limited": "!", "optional": "-"}[check.state]
    return [mark, check.name, check.found, check.needed_for, "" if check.state == "ok" else check.fix]
