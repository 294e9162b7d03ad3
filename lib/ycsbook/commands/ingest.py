"""`ycsbook ingest`: logs into tidy tables. Heavy imports wait until it is called."""

from typing import Annotated

import typer

from ycsbook.commands.options import Json


def register(app: typer.Typer) -> None:
    """Add the command to `ycsbook`."""
    app.command(
        epilog="Examples: ycsbook ingest old-logs/ --out output/old/tables; "
        "ycsbook ingest 'logs/**/*.out.gz' -o tables --pattern '{spec}/{threads}/*.out.gz' --set vendor=mine"
    )(ingest)


def _formats(value: str) -> str:
    if value == "list":
        from ycsbook.ingest.finding.formats import FORMATS

        print("\n".join(FORMATS))
        raise typer.Exit
    return value


def ingest(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCES...", help="Logs, folders, patterns, run folders, vendors' pages or CSVs; .gz and .zst too."
        ),
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
        list[str],
        typer.Option("--set", metavar="COLUMN=VALUE", help="What the logs do not say: --set cores=8 --set ram_gib=32."),
    ] = [],  # noqa: B006
    pattern: Annotated[str, typer.Option("--pattern", help="What the paths say: '{spec}/{threads}/run.log'.")] = "",
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", metavar="NUMBER", min=1, max=64, help="Processes that read.")
    ] = 1,
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
