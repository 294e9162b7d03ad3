"""The commands that make reports: of one params file or of tables, of many params files, of the first systems."""

import itertools
import shlex
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ycsbook import paths
from ycsbook.commands import Json, SourceArgument, Store, is_params, params_file
from ycsbook.messages import text
from ycsbook.printing import paragraph, print_json

if TYPE_CHECKING:
    from ycsbook.batch.reports import ReportOutcome
    from ycsbook.report import InShort, Written

# What makes reports is loaded by the commands when they are called: --help does not wait for it.


def report(
    source: SourceArgument,
    store: Store = paths.RUNS,
    force: Annotated[bool, typer.Option("--force", "-f", help="Make it again though nothing has changed.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder of the report, where it is not of a params file.")
    ] = None,
    params: Annotated[
        Path | None,
        typer.Option("--params", help="Params file with prices, goals, specs and language, for tables, logs or a CSV."),
    ] = None,
    *,
    as_json: Json = False,
) -> None:
    """Everything in one go. Of a params file runs what is missing, then makes tables, fits, findings and the report; of
    tables, logs or a published table the report alone."""
    if not is_params(source):
        _of_tables(source, out, params, as_json=as_json)
        return
    if out is not None:
        raise typer.BadParameter("a params file has its folder below output/", param_hint="--out")
    if params is not None:
        raise typer.BadParameter("a params file has its own prices and goals", param_hint="--params")
    from ycsbook.batch import reports
    from ycsbook.study import Study

    result = reports.report(Study(params_file(Path(source)), store=store.resolve()), quiet=as_json, force=force)
    if as_json:
        print_json(asdict(result))
    else:
        paths_by_name = {"report": result.html, "markdown": result.markdown}
        _print_answer(result.in_short, {**paths_by_name, "notebooks": result.notebooks, "tables": result.tables})
    if result.unsuccessful:
        print(f"ycsbook: {text('batch-unsuccessful', runs=len(result.unsuccessful))}", file=sys.stderr)
        raise typer.Exit(1)


def _of_tables(source: str, out: Path | None, params: Path | None, *, as_json: bool) -> None:
    from ycsbook import named_tables

    tables = named_tables.read(source)
    reports = named_tables.write_reports(source, out and out.resolve(), params, tables=tables)
    if as_json:
        reports_made = [_plain(written, in_short) for written, in_short in reports]
        print_json(reports_made if len(reports_made) > 1 else reports_made[0])
        return
    for at, (written, in_short) in enumerate(reports):
        if len(reports) > 1:
            print("\n" * (at > 0) + written.html.parent.name)
        _print_answer(in_short, {"report": written.html, "markdown": written.markdown})
    if len(names := named_tables.datasets(tables)) > 1:
        command = shlex.join(["ycsbook", "compare", source, *named_tables.compared_first(tables)])
        print(f"\n{text('batch-compare', command=command, n=len(names))}")


def _plain(written: "Written", in_short: "InShort") -> dict:
    return {"html": written.html, "markdown": written.markdown, "in_short": asdict(in_short)}


def _print_answer(in_short: "InShort", paths_by_name: dict[str, Path]) -> None:
    """Print the answer as the report gives it first, and where the files are."""
    for point in in_short.said:
        paragraph(point)
    print()
    for topic, sentences in in_short.lines:
        for line in f"{topic}: {sentences}".replace("\n", "\n  ").splitlines():
            paragraph(line, indent="    ")
    print()
    for name, place in paths_by_name.items():
        print(f"{name:<9}  {place}")


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
    from ycsbook.batch import reports

    files = [params_file(path) for path in params]
    began, ended = time.monotonic(), itertools.count(1)

    def show(outcome: "ReportOutcome") -> None:
        where = f"{next(ended)}/{len(set(files))}  {outcome.state:<8}  {outcome.params_file.stem}"
        print(f"{where}  ({time.monotonic() - began:.0f} s)", file=sys.stderr, flush=True)

    reports.clear_page(paths.OUTPUT)
    outcomes = reports.many(files, store.resolve(), jobs=jobs, force=force, on_end=show)
    page = reports.write_page(outcomes, paths.OUTPUT)
    if as_json:
        print_json({"page": page, "reports": [outcome.as_dict() for outcome in outcomes]})
    else:
        print(f"page       {page}")
    for outcome in outcomes:
        if outcome.reason:
            print(f"ycsbook: {outcome.params_file.name}: {outcome.reason}", file=sys.stderr)
    if any(outcome.state != "done" for outcome in outcomes):
        raise typer.Exit(1)


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
    from ycsbook.batch import reports

    files = [params_file(path) for path in params] if params else reports.systems_files()
    done = reports.measured_systems(
        files, store=store.resolve(), on_begin=lambda name: print(name, file=sys.stderr, flush=True)
    )
    if as_json:
        answer = _plain(done.written, done.report.in_short)
        print_json({**answer, "left_out": dict(done.left_out), "failed": list(done.failed)})
    else:
        _print_answer(done.report.in_short, {"report": done.written.html, "markdown": done.written.markdown})
    if done.failed:
        print(f"ycsbook: failed or not complete: {', '.join(done.failed)}", file=sys.stderr)
        raise typer.Exit(1)
