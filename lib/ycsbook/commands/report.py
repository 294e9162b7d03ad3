"""The commands that make reports (of one params file or of tables, of many params files, of the first systems), and the
one that puts them into a tree of documents and checks that what is there follows from its data."""

import itertools
import shlex
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ycsbook import paths
from ycsbook.commands import Json, SourceArgument, Store, is_params
from ycsbook.errors import PublishError, one_line, shown
from ycsbook.messages import text
from ycsbook.params import load
from ycsbook.params.sections import ReportSettings
from ycsbook.printing import paragraph, print_json
from ycsbook.store import atomic

if TYPE_CHECKING:
    from ycsbook.batch.reports import ReportOutcome
    from ycsbook.report import InShort, Written
    from ycsbook.report.site.publishing import Publication

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

    result = reports.report(Study(paths.typed(source), store=store.resolve()), quiet=as_json, force=force)
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
    from ycsbook.tables import keep_texts_as_objects

    keep_texts_as_objects()
    unread: list[tuple[str, str]] = []
    tables = named_tables.read(source, unread=unread)
    reports = named_tables.write_reports(source, out and out.resolve(), params, tables=tables, rejected=unread)
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

    files = [paths.typed(path) for path in params]
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

    files = [*map(paths.typed, params or sorted((paths.PARAMS / reports.SYSTEMS).glob("*.yml")))]
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


def publish(
    folder: Annotated[
        Path | None, typer.Argument(help="A report's folder, such as output/local; with --check a docs tree.")
    ] = None,
    *,
    to: Annotated[Path | None, typer.Option("--to", help="Folder in a docs tree.")] = None,
    site: Annotated[
        str,
        typer.Option("--site", help="What renders the tree: hugo, sphinx or plain; default: params file, then tree."),
    ] = "",
    profile: Annotated[
        str, typer.Option("--profile", help="A vendor's page as well: qingcloud, tencent or a template NAME.md.j2.")
    ] = "",
    check: Annotated[
        bool, typer.Option("--check", help="Fail where a number no longer follows from the data.")
    ] = False,
    atlas: Annotated[
        bool, typer.Option("--atlas", help="All published tables of this repository as one page, atlas.md in --to.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace a page that was edited by hand.")] = False,
    as_json: Json = False,
) -> None:
    """Put a report into a docs tree and its index. Page, figures, data and HTML; never over a page edited by hand."""
    if atlas:
        if to is None or folder is not None:
            raise PublishError("--atlas: expected --to a docs tree and no report, such as --atlas --to docs")
        raise typer.Exit(_atlas(to, check))
    if check:
        docs = to or folder
        if docs is None:
            raise PublishError("--check: of which docs tree? Say it, such as docs/reports")
        raise typer.Exit(_check(docs, as_json))
    if folder is None or to is None:
        raise PublishError("expected a report's folder and --to a docs tree, such as output/local --to docs/reports")
    done = _publish(folder, to, site, profile, force)
    if as_json:
        print_json(asdict(done))
        return
    for path in done.pages:
        print(f"page       {path}")
    print(f"index      {done.index}")
    removed = f", {len(done.removed)} removed" if done.removed else ""
    print(f"files      {len(done.written)} written, {len(done.unchanged)} unchanged{removed}")


def _publish(folder: Path, to: Path, site: str, profile: str, force: bool) -> "Publication":
    from ycsbook.report import site as reports
    from ycsbook.report.site import index, tree

    made_with = atomic.current(folder / "tables", "params.yml")
    settings = load(made_with.resolve()).report if made_with.is_file() else ReportSettings()
    site = site or settings.site or index.site_of(to) or "plain"
    if site not in tree.SITES:
        raise PublishError(f"--site: got {shown(site)}, expected one of {', '.join(tree.SITES)}")
    return reports.publish(folder, to, site=site, profile=profile or settings.profile, force=force)


def _atlas(docs: Path, check: bool) -> int:
    from ycsbook.report import atlas

    path, content = docs / atlas.PAGE, atlas.page(atlas.entries())
    if not check:
        atomic.write_text(path, content)
        print(f"page       {path}")
        return 0
    is_current = path.is_file() and path.read_text(encoding="utf-8") == content
    verdict = "all numbers follow" if is_current else "is not what the tables give; make it again without --check"
    print(f"{path}: {verdict}")
    return 0 if is_current else 1


def _check(docs: Path, as_json: bool) -> int:
    from ycsbook.report.site import check, tree
    from ycsbook.report.site.publishing import edited

    mismatches, changed_by_hand, unfinished = check(docs), edited(docs), atomic.unfinished(docs)
    if as_json:
        rows = [asdict(mismatch) for mismatch in mismatches]
        print_json({"mismatches": rows, "edited": changed_by_hand, "unfinished": unfinished})
        return 1 if mismatches else 0
    for mismatch in mismatches:
        print(one_line(str(mismatch)))
    for path in changed_by_hand:
        print(f"{one_line(str(path))}: edited by hand since it was published")
    for path in unfinished:
        print(f"{one_line(str(path))}: left by a publish that was killed; publish that report again, or remove it")
    n, pages = len(mismatches), len(tree.folders(docs))
    where = f"{docs}: {pages} {'page' if pages == 1 else 'pages'}"
    print(
        f"{where}, {n} of their numbers or files do not follow from the data" if n else f"{where}, all numbers follow"
    )
    return 1 if n else 0
