"""`ycsbook report`: everything in one go."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ycsbook import paths
from ycsbook.commands.options import Json, Source, Store, is_params, params_file
from ycsbook.messages import text
from ycsbook.printing import paragraph, print_json

if TYPE_CHECKING:
    from ycsbook.report import InShort


def register(app: typer.Typer) -> None:
    """Add the command to `ycsbook`."""
    app.command(epilog="Examples: ycsbook report params/qingcloud-4.0.3.yml; ycsbook report logs/")(report)


def report(
    source: Source,
    store: Store = paths.RUNS,
    force: Annotated[bool, typer.Option("--force", "-f", help="Make it again though nothing has changed.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder of the report, where it is not of a params file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Everything in one go. Of a params file runs what is missing, then makes tables, fits, findings and the report; of
    tables, logs or a published table the report alone."""
    if not is_params(source):
        _of_tables(source, out, as_json)
        return
    if out is not None:
        raise typer.BadParameter("a params file has its folder below output/", param_hint="--out")
    # What executes notebooks takes seconds to load, which --help has no time for.
    from ycsbook.batch import reports
    from ycsbook.study import Study

    result = reports.report(Study(params_file(Path(source)), store=store.resolve()), quiet=as_json, force=force)
    if as_json:
        print_json(result.as_dict())
    else:
        places = {"report": result.html, "markdown": result.markdown}
        _say(result.in_short, {**places, "notebooks": result.notebooks, "tables": result.tables})
    if result.unsuccessful:
        print(f"ycsbook: {text('batch-unsuccessful', runs=len(result.unsuccessful))}", file=sys.stderr)
        raise typer.Exit(1)


def _of_tables(source: str, out: Path | None, as_json: bool) -> None:
    from ycsbook import named_tables

    reports = named_tables.write_reports(source, out and out.resolve())
    if as_json:
        made = [
            {"html": str(written.html), "markdown": str(written.markdown), "in_short": asdict(in_short)}
            for written, in_short in reports
        ]
        print_json(made if len(made) > 1 else made[0])
        return
    for at, (written, in_short) in enumerate(reports):
        if len(reports) > 1:
            print("\n" * (at > 0) + written.html.parent.name)
        _say(in_short, {"report": written.html, "markdown": written.markdown})


def _say(in_short: "InShort", places: dict[str, Path]) -> None:
    """The answer first, as the report says it, and where the rest is."""
    if in_short.verdict:
        paragraph(in_short.verdict)
        print()
    for about, sentences in in_short.lines:
        paragraph(f"{about}: {sentences}", indent="  ")
    print()
    for name, place in places.items():
        print(f"{name:<9}  {place}")
