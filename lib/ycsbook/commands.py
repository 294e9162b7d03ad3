"""The commands of `ycsbook`. Imports of everything heavy wait until a command needs them."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from ycsbook import __version__, commands_compare, commands_findings, commands_scaling, commands_store, paths
from ycsbook.errors import YcsbookError
from ycsbook.printing import print_json, table

app = typer.Typer(
    name="ycsbook",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Benchmark MongoDB and its peers with YCSB: real runs, tidy tables, scaling laws, findings, reports.",
    epilog="Start with [bold]ycsbook doctor[/bold], then [bold]ycsbook report params/local.yml[/bold].",
)

Params = Annotated[Path, typer.Argument(help="Params file; a relative path counts from the repository.")]
Store = Annotated[Path, typer.Option("--store", help="Run store.", show_default="data/runs")]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]


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
    _say_plan(_study(params, store).plan(), as_json)


def _say_plan(frame, as_json: bool, force: bool = False) -> None:
    from ycsbook import units

    if as_json:
        print_json(frame.to_dict(orient="records"))
        return
    columns = ["spec", "workload", "threads", "repeat", "state"]
    table(columns, frame[columns].astype(str).values.tolist())
    left = frame[(frame["state"] != "completed") | force]
    runnable = left[~left["state"].str.startswith("no server")]
    print(
        f"{len(frame)} runs: {len(frame) - len(left)} done, {len(runnable)} to make"
        f" (about {units.duration(runnable['expected_s'].sum())}), {len(left) - len(runnable)} without a server"
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

    selection, study = Selection.parse(only, repeat, force), _study(params, store)
    if dry_run:
        _say_plan(study.plan(selection), as_json, force)
        return
    frame = study.run(selection)
    if as_json:
        print_json(frame.to_dict(orient="records"))
    counts = frame["state"].value_counts()
    if not as_json:
        print(", ".join(f"{n} {state}" for state, n in counts.items()))
    if frame["state"].str.startswith("no server").all():
        raise YcsbookError(f"{params}: none of its specs has a server; set the environment variables named above")
    bad = frame[frame["state"].isin(["failed", "incomplete"])]
    for _, row in bad.iterrows():
        print(f"ycsbook: {row['run_id']}: {row['state']}: {row['reasons']}", file=sys.stderr)
    if len(bad):
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


for part in (commands_scaling, commands_findings, commands_compare):
    part.register(app)


@app.command(epilog="Example: ycsbook report params/qingcloud-4.0.3.yml")
def report(
    params: Params,
    store: Store = paths.RUNS,
    force: Annotated[bool, typer.Option("--force", "-f", help="Make it again though nothing has changed.")] = False,
    as_json: Json = False,
) -> None:
    """Everything in one go: runs what is missing, then tables, fits, findings and the report."""
    from ycsbook import batch

    result = batch.report(_study(params, store), quiet=as_json, force=force)
    if as_json:
        print_json(result.as_dict())
    else:
        print(result)
    if result.unsuccessful:
        print(f"ycsbook: {len(result.unsuccessful)} runs were unsuccessful; the report says why", file=sys.stderr)
        raise typer.Exit(1)


@app.command(epilog="Example: ycsbook publish output/local --to docs/reports")
def publish(
    report_dir: Annotated[Path, typer.Argument(help="A report's folder, such as output/local.")],
    to: Annotated[Path, typer.Option("--to", help="Folder in a docs tree.")],
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace a page that was edited by hand.")] = False,
) -> None:
    """Copy a report (Markdown page, figures, HTML) into a docs tree; never over a page edited by hand."""
    from ycsbook.report import publish as publishing

    for path in publishing.publish(report_dir, to, force=force):
        print(path)


def _study(params: Path, store: Path):
    from ycsbook.study import Study

    # As typed from the working folder where such a file is there, else from the repository.
    return Study(params.resolve() if params.exists() else params, store=store.resolve())


def _doctor_row(check) -> list[str]:
    mark = {"ok": "✓", "missing": "✗", "limited": "!", "optional": "-"}[check.state]
    return [mark, check.name, check.found, check.needed_for, "" if check.state == "ok" else check.fix]
