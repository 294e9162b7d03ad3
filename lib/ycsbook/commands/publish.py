"""`ycsbook publish`: puts a report into a tree of documents, and checks that what is there follows from its data."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ycsbook import params
from ycsbook.commands import Json
from ycsbook.errors import PublishError, one_line, shown
from ycsbook.params.sections import ReportSettings
from ycsbook.printing import print_json
from ycsbook.store import atomic

if TYPE_CHECKING:
    from ycsbook.report.site.publish import Publication

# What makes pages is loaded by the functions that need it: --help does not wait for it.


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
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Name every file.")] = False,
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
    for change in ("written", "unchanged", "removed") if verbose else ():
        for path in getattr(done, change):
            print(f"{change:<10} {path}")
    for path in done.pages:
        print(f"page       {path}")
    print(f"index      {done.index}")
    removed = f", {len(done.removed)} removed" if done.removed else ""
    print(f"files      {len(done.written)} written, {len(done.unchanged)} unchanged{removed}")


def _publish(folder: Path, to: Path, site: str, profile: str, force: bool) -> "Publication":
    from ycsbook.report import site as reports
    from ycsbook.report.site import index, tree

    params_file = atomic.current(folder / "tables", "params.yml")
    settings = params.load(params_file.resolve()).report if params_file.is_file() else ReportSettings()
    site = site or settings.site or index.site_of(to) or "plain"
    if site not in tree.SITES:
        raise PublishError(f"--site: got {shown(site)}, expected one of {', '.join(tree.SITES)}")
    return reports.publish(folder, to, site=site, profile=profile or settings.profile, force=force)


def _atlas(docs: Path, check: bool) -> int:
    from ycsbook.report import atlas

    status = 0
    for name, text in atlas.files(atlas.entries()).items():
        path = docs / name
        if not check:
            atomic.write_text(path, text)
            print(f"{'page' if name == atlas.PAGE else 'picture':10} {path}")
            continue
        is_current = path.is_file() and path.read_text(encoding="utf-8") == text
        verdict = "all numbers follow" if is_current else "is not what the tables give; make it again without --check"
        print(f"{path}: {verdict}")
        status |= not is_current
    return status


def _check(docs: Path, as_json: bool) -> int:
    from ycsbook.report.site import check, tree
    from ycsbook.report.site.check import edited

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
