"""A report put into a docs tree: its page, figures, data and evidence, and never over somebody's edits."""

from dataclasses import dataclass, replace
from pathlib import Path

from ycsbook import paths
from ycsbook.errors import PublishError
from ycsbook.report.site import evidence, index, tree
from ycsbook.report.site.check import differences
from ycsbook.report.site.tree import Planned, Record, Site
from ycsbook.report.vendor import profiles

_COPIED = {"figures": (".svg", ".png"), "data": (".csv",)}


@dataclass(frozen=True)
class Publication:
    """The paths of pages and index, and of the files written, unchanged or removed."""

    pages: tuple[Path, ...]
    index: Path
    written: tuple[Path, ...]
    unchanged: tuple[Path, ...]
    removed: tuple[Path, ...]


def publish(report: Path, to: Path, *, site: Site = "plain", profile: str = "", force: bool = False) -> Publication:
    """Put a report into `to/<its name>/` and list it in the index of `to`.

    report.md becomes index.md, so that the folder is a page. The tables it follows from go into evidence/ beside it.
    A record holds the SHA-256 of each file, so that one edited since is noticed; files of an earlier report that are
    no longer part of it are removed, its main numbers are kept as history.

    Parameters
        report: folder with report.md, report.html, figures/ and tables/, as `ycsbook report` makes it.
        to: a folder of a docs tree.
        site: what renders the tree.
        profile: a vendor's page to put into `to/<name>-<profile>/` as well.
        force: replace files that were edited, or that were not published by ycsbook.
    Raises
        PublishError: there is no report, its page does not follow from its tables, or a file in the way is somebody's
            own, or `to` is among the results or for another site; nothing is changed then.
        StoreError: the target cannot be written.
    """
    if not (report / "report.md").is_file():
        raise PublishError(f"{report}: holds no report.md; make one with 'ycsbook report PARAMS'")
    _check_place(report, to)
    files = evidence.files(report)
    kept_evidence = evidence.of(files)
    numbers, tables = index.main_numbers(kept_evidence), evidence.published_inputs(report)
    target = to / kept_evidence.sweep.name
    pages = [_planned(target, {**_report(report, site, kept_evidence), **files}, Record(site, "", numbers, {}, tables))]
    if profile:
        name = profiles.name_of(profile)
        blank = Record(site, name, {**numbers, "deviations": kept_evidence.deviations}, {}, tables)
        template = profiles.find(profile)
        # The page, and the template that it is made with.
        made = {
            tree.PAGE: kept_evidence.vendor_page(profile, site).encode(),
            f"{evidence.FOLDER}/{template.name}{profiles.SUFFIX}": template.text.encode(),
        }
        pages.append(_planned(to / f"{target.name}-{name}", {**made, **files}, blank))
    for page in pages:
        _check(page, to, force)
    listed = index.planned(to, site, [(page.target.name, page.record) for page in pages], force=force)
    content = {page.target / name: file for page in (*pages, listed) for name, file in page.files.items()}
    gone = [page.target / name for page in pages for name in page.gone]
    changed = {path: not path.is_file() or tree.content(path) != file for path, file in content.items()}
    publication = Publication(
        pages=tuple(page.target / tree.PAGE for page in pages), index=to / tree.index_name(site),
        written=tuple(path for path in content if changed[path]),
        unchanged=tuple(path for path in content if not changed[path]),
        removed=tuple(path for path in gone if path.is_file()),
    )  # fmt: skip
    listed.announce()
    for page in pages:
        page.announce()
        page.write()
    listed.write()
    return publication


def _check_place(report: Path, to: Path) -> None:
    """Refuse what is no docs tree: the folder of results, which make clean empties, and the report's own."""
    place, own_folder = to.resolve(), report.resolve()
    for results in (own_folder, paths.OUTPUT.resolve()):
        if place.is_relative_to(results):
            raise PublishError(f"{to}: lies in {results}, which holds results; publish into a docs tree elsewhere")
    if own_folder.parent == place:
        raise PublishError(f"{to}: holds the report itself; publish into a docs tree elsewhere")


def _report(report: Path, site: Site, derived: evidence.PublishedEvidence) -> dict[str, bytes]:
    path = report / "report.md"
    text = tree.text(path)
    for d in differences(text, derived.page):
        raise PublishError(
            f"{path}:{d.line}: prints {d.printed or 'no number'} where its tables give {d.expected or 'none'}; "
            "make the report again with 'ycsbook report PARAMS'"
        )
    files = {tree.PAGE: tree.page(text, site).encode()}
    # Hugo takes any HTML file for a page of its own, and refuses it.
    if site != "hugo" and (report / "report.html").is_file():
        files["report.html"] = tree.content(report / "report.html")
    for folder, suffixes in _COPIED.items():
        copied = (path for path in sorted((report / folder).glob("*")) if path.is_file() and path.suffix in suffixes)
        files |= {f"{folder}/{path.name}": tree.content(path) for path in copied}
    return files


def _planned(target: Path, files: dict[str, bytes], blank: Record) -> Planned:
    """The page with its record; that of a report carries on the history of the one before."""
    before = tree.read(target)
    now, history = blank.report, []
    if not blank.profile:
        runs = next(content for name, content in files.items() if name.startswith(f"{evidence.FOLDER}/runs.csv"))
        now = {**now, "runs_sha256": tree.sha256(runs)}
        history = index.continued(before, now)
        files = files | index.trend_lines(history, now)
    hashes = {name: tree.sha256(content) for name, content in sorted(files.items())}
    return Planned(target, files, replace(blank, report=now, files=hashes, history=history), before)


def _check(page: Planned, to: Path, force: bool) -> None:
    """Refuse to write over what is not ours, or anywhere but below `to`."""
    root = to.resolve()
    for name in (*page.files, *page.gone):
        path = page.target / name
        if not path.parent.resolve().is_relative_to(root):
            raise PublishError(f"{path.parent}: a link leads out of {to}; replace it with a folder")
        if force or not path.is_file():
            continue
        present = tree.content(path)
        if present == page.files.get(name) or page.before.is_ours(name, tree.sha256(present)):
            continue
        why = "was not published by ycsbook; move it away"
        if name in page.before.files:
            why = "was edited since it was published; keep the edit elsewhere"
        raise PublishError(f"{path}: {why} or replace it with --force")
