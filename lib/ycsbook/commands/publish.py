"""`ycsbook publish`: a report put into a tree of documents, and whether what is there still follows from its data."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ycsbook.commands.options import Json
from ycsbook.printing import print_json

if TYPE_CHECKING:
    from ycsbook.report.site.publish import Publication


def register(app: typer.Typer) -> None:
    """Add the command to `ycsbook`."""
    app.command(epilog="Example: ycsbook publish output/local --to docs/reports --site sphinx")(publish)


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
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace a page that was edited by hand.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Name every file.")] = False,
    as_json: Json = False,
) -> None:
    """Put a report into a docs tree and its index. Page, figures, data and HTML; never over a page edited by hand."""
    from ycsbook.errors import PublishError

    if check:
        tree = to or folder
        if tree is None:
            raise PublishError("--check: of which docs tree? Say it, such as docs/reports")
        raise typer.Exit(_check(tree, as_json))
    if folder is None or to is None:
        raise PublishError("expected a report's folder and --to a docs tree, such as output/local --to docs/reports")
    done = _publish(folder, to, site, profile, force)
    if as_json:
        print_json(
            {"index": str(done.index), **{k: list(map(str, v)) for k, v in asdict(done).items() if k != "index"}}
        )
        return
    for what in ("written", "unchanged", "removed") if verbose else ():
        for path in getattr(done, what):
            print(f"{what:<10} {path}")
    for path in done.pages:
        print(f"page       {path}")
    print(f"index      {done.index}")
    removed = f", {len(done.removed)} removed" if done.removed else ""
    print(f"files      {len(done.written)} written, {len(done.unchanged)} unchanged{removed}")


def _publish(folder: Path, to: Path, site: str, profile: str, force: bool) -> "Publication":
    from ycsbook import params
    from ycsbook.errors import PublishError, shown
    from ycsbook.params.sweep import ReportSettings
    from ycsbook.report.site import index, publish, tree

    settings = folder / "tables" / "params.yml"
    told = params.load(settings.resolve()).report if settings.is_file() else ReportSettings()
    site = site or told.site or index.site_of(to) or "plain"
    if site not in tree.SITES:
        raise PublishError(f"--site: got {shown(site)}, expected one of {', '.join(tree.SITES)}")
    return publish(folder, to, site=site, profile=profile or told.profile, force=force)


def _check(tree: Path, as_json: bool) -> int:
    from ycsbook.errors import one_line
    from ycsbook.report.site import check, index
    from ycsbook.report.site.check import edited

    mismatches = check(tree)
    if as_json:
        told = [{"path": str(m.path), "line": m.line, "reason": m.reason} for m in mismatches]
        print_json({"mismatches": told, "edited": list(map(str, edited(tree)))})
        return 1 if mismatches else 0
    for mismatch in mismatches:
        print(one_line(str(mismatch)))
    for path in edited(tree):
        print(f"{one_line(str(path))}: edited by hand since it was published")
    n, pages = len(mismatches), len(index.published(tree))
    where = f"{tree}: {pages} {'page' if pages == 1 else 'pages'}"
    print(
        f"{where}, {n} of their numbers or files do not follow from the data" if n else f"{where}, all numbers follow"
    )
    return 1 if n else 0
