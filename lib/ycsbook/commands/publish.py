"""`ycsbook publish`: a report put into a tree of documents, and whether what is there still follows from its data."""

from pathlib import Path
from typing import Annotated

import typer


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
        typer.Option("--site", help="What renders the tree: hugo, sphinx or plain; default: as in the params file."),
    ] = "",
    profile: Annotated[
        str, typer.Option("--profile", help="A vendor's page as well: qingcloud, tencent or a template NAME.md.j2.")
    ] = "",
    check: Annotated[
        bool, typer.Option("--check", help="Fail where a number no longer follows from the data.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace a page that was edited by hand.")] = False,
) -> None:
    """Put a report (page, figures, data, HTML) into a docs tree and its index; never over a page edited by hand."""
    from ycsbook.errors import PublishError

    if check:
        tree = to or folder
        if tree is None:
            raise PublishError("--check: of which docs tree? Say it, such as docs/reports")
        raise typer.Exit(_check(tree))
    if folder is None or to is None:
        raise PublishError("expected a report's folder and --to a docs tree, such as output/local --to docs/reports")
    _publish(folder, to, site, profile, force)


def _publish(folder: Path, to: Path, site: str, profile: str, force: bool) -> None:
    from ycsbook import params
    from ycsbook.errors import PublishError, shown
    from ycsbook.params.sweep import Report
    from ycsbook.report.site import forms, publish

    settings = folder / "tables" / "params.yml"
    told = params.load(settings.resolve()).report if settings.is_file() else Report()
    site = site or told.site or "plain"
    if site not in forms.SITES:
        raise PublishError(f"--site: got {shown(site)}, expected one of {', '.join(forms.SITES)}")
    for path in publish(folder, to, site=site, profile=profile or told.profile, force=force):
        print(path)


def _check(tree: Path) -> int:
    from ycsbook.errors import one_line
    from ycsbook.report.site import check, index
    from ycsbook.report.site.check import edited

    mismatches = check(tree)
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
