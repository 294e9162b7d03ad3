"""Reports put into a docs tree: page, figures, data and evidence, never over somebody's edits; and whether the numbers
that published reports print, section by section, still follow from the data published with them."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ycsbook import confined, paths
from ycsbook.errors import PublishError, YcsbookError
from ycsbook.report.site import evidence, index, tree
from ycsbook.report.site.tree import Planned, Record, Site
from ycsbook.report.vendor import profiles

_COPIED = {"figures": (".svg", ".png"), "data": (".csv",)}


@dataclass(frozen=True)
class Publication:
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


# CPU time for a page or an index: what takes a fortieth of it is large.
SECONDS = 300.0
_AGAIN = "publish the report again"
_CUT = f"a publication into it was cut; {_AGAIN}"


@dataclass(frozen=True)
class Mismatch:
    path: Path
    line: int | None
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}" if self.line else f"{self.path}: {self.reason}"


@dataclass(frozen=True)
class Difference:
    line: int
    heading: str
    printed: str
    expected: str


def check(to: Path) -> list[Mismatch]:
    """Derive every published page at or below `to` from its evidence once more and compare the numbers. Words may have
    been edited, and sections left out. Evidence and pictures must be as published, the vendors' tables of this
    repository those the pages follow from, and each index that of its pages. PublishError: nothing was published there.
    """
    folders = tree.folders(to)
    if not folders:
        raise PublishError(f"{to}: holds no published report; make one with 'ycsbook publish REPORT --to {to}'")
    trees = dict.fromkeys(folder.parent for folder in folders if folder != to)
    works = [*(partial(_of_page, folder) for folder in folders), *(partial(_of_index, root) for root in trees)]
    folders_checked = [*folders, *trees]
    mismatches = [m for place, work in zip(folders_checked, works, strict=True) for m in _bounded(place, work)]
    return list(dict.fromkeys(mismatches))  # an index tells of its pages' records once more


def _bounded(place: Path, work: Callable[[], list[Mismatch]]) -> list[Mismatch]:
    """The mismatches of one check, run in bounded memory and time, or one that says why it cannot be done."""
    try:
        return confined.answer(work, SECONDS)
    except YcsbookError as e:
        text, at = str(e), f"{place / tree.RECORD}: "
        is_record = text.startswith(at)
        return [Mismatch(place / tree.RECORD if is_record else place, None, text.removeprefix(at))]


def edited(to: Path) -> list[Path]:
    edited = []
    for folder in tree.folders(to):
        try:
            record = tree.read(folder)
        except PublishError:
            continue  # `check` says that it is no record
        edited += [
            folder / name
            for name in record.files
            if (folder / name).is_file() and not record.is_ours(name, tree.sha256(tree.content(folder / name)))
        ]
    return edited


def _of_page(target: Path) -> list[Mismatch]:
    page = tree.read(target)
    if page.coming:
        return [Mismatch(target, None, _CUT)]
    if not page.report:
        return [Mismatch(target, None, f"was published without its evidence; {_AGAIN}")]
    mismatches = _files(target, page)
    if any(m.path.parent.name == evidence.FOLDER for m in mismatches):
        return mismatches
    # Vendors' tables of this repository that are others now; elsewhere than here there are none to compare.
    for name, sha in page.published.items():
        table = paths.resolve(name)
        if table.is_file() and tree.sha256(tree.content(table)) != sha:
            why = f"is not the table that {page.report['slug']} follows from; {_AGAIN}"
            mismatches.append(Mismatch(Path(name), None, why))
    try:
        derived = evidence.read(target)
        template = target.resolve() / evidence.FOLDER / f"{page.profile}{profiles.SUFFIX}"
        expected = derived.vendor_page(str(template), page.site) if page.profile else tree.page(derived.page, page.site)
        wrong = ["deviations"] if page.profile and page.report.get("deviations") != derived.deviations else []
        if index.printed(page.report["numbers"]) != index.printed(index.main_numbers(derived)["numbers"]):
            wrong.append("main numbers")
        mismatches += [
            Mismatch(target / tree.RECORD, None, f"its {what} are not those of its data; {_AGAIN}") for what in wrong
        ]
    except YcsbookError as e:
        return [*mismatches, Mismatch(target, None, str(e))]
    path = target / tree.PAGE
    if path.is_file():
        mismatches += [_different(path, d) for d in differences(tree.text(path), expected)]
    return mismatches


def _files(target: Path, page: Record) -> list[Mismatch]:
    """Files that are gone, and those whose numbers cannot be read that are no longer as published."""
    mismatches = []
    for name, sha in page.files.items():
        path = target / name
        if not path.is_file():
            mismatches.append(Mismatch(path, None, f"is gone; {_AGAIN}"))
        elif name != tree.PAGE and tree.sha256(tree.content(path)) != sha:
            mismatches.append(Mismatch(path, None, f"is not as it was published; restore it or {_AGAIN}"))
    return mismatches


def _of_index(to: Path) -> list[Mismatch]:
    of_tree = tree.read(to)
    if of_tree.coming:
        return [Mismatch(to, None, _CUT)]
    if not of_tree.site:
        return []
    path = to / tree.index_name(of_tree.site)
    present = index.present_block(path)
    if present is None:
        return []
    offset = tree.text(path).split(index.BEGIN)[0].count("\n") + 1
    # The index itself may be edited outside its block; its pictures may not.
    mismatches = _files(to, replace(of_tree, files={n: sha for n, sha in of_tree.files.items() if n != path.name}))
    changes = differences(present, index.block(index.published(to), of_tree.site), words=True)
    return [*mismatches, *(_different(path, change, offset) for change in changes)]


def _different(path: Path, d: Difference, offset: int = 0) -> Mismatch:
    below = f" below {d.heading!r}" if d.heading else ""
    printed = f"prints {d.printed}" if d.printed else "prints nothing"
    expected = f"its data give {d.expected}" if d.expected else "its data give none there"
    return Mismatch(path, d.line + offset, f"{printed}{below}, {expected}")


# What stands behind a figure and changes what it says; of prose figures with these are compared, of tables each word.
_UNITS = (
    r"%|× ?[A-F]\b|百万|[千万亿倍核秒]|[毫微]秒|线程|(?:[µμmn]?s|min|h|[kM]|[kKMG]i?B|ops/s|hundred|thousand|million"
    r"|billion|cores?|threads?|times)\b"
)
_FIGURE = re.compile(rf"(?:(?<![\w.])[-−+])?\d(?:[\d,.]*\d)?(?:[A-Za-zµμ]+|\s?(?:{_UNITS}))?")
_WORD = re.compile(r"[^\s|<>*_]*[^\W_][^\s|<>*_]*")
_ROW = re.compile(r"\s*(?:\||</?t)")
_HEADING = re.compile(r"#{1,6} ")
# From which share of common numbers on a section is one of the expected page below another heading.
_ALIKE = 0.5


class _Section(NamedTuple):
    """A heading, and the numbers in and below it with their lines; of tables the words as well."""

    heading: str
    numbers: list[str]
    lines: list[int]


def differences(page: str, expected: str, *, words: bool = False) -> list[Difference]:
    """Where the page prints a number that the expected page does not print there.

    Words may differ, those of headings as well, and whole sections may be missing. Within a section the numbers with
    their units and the words of tables must be the same, in the same order; a section that the expected page has not
    may have none. Of the front matter the numbers of the title count. words: those of prose must be the same as well.
    """
    printed, derived = _sections(page, words), _sections(expected, words)
    partners = _partners(printed, derived)
    pairs = ((section, derived[partners[i]].numbers if i in partners else []) for i, section in enumerate(printed))
    return [difference for section, numbers in pairs for difference in _compared(section, numbers)]


def _partners(printed: list[_Section], derived: list[_Section]) -> dict[int, int]:
    """The section of the derived page for each printed one: by headings in their order, then moved ones, then those
    whose heading was edited, by their numbers."""
    headings = [[section.heading for section in sections] for sections in (printed, derived)]
    blocks = SequenceMatcher(None, *headings, autojunk=False).get_matching_blocks()
    partners = {block.a + k: block.b + k for block in blocks for k in range(block.size)}
    for same_heading in (True, False):
        for i, section in enumerate(printed):
            if i in partners or not section.numbers:
                continue
            like = {
                j: SequenceMatcher(None, section.numbers, other.numbers, autojunk=False).ratio()
                for j, other in enumerate(derived)
                if j not in partners.values() and (not same_heading or section.heading == other.heading)
            }
            best = max(like, key=like.__getitem__, default=None)
            if best is not None and (same_heading or like[best] >= _ALIKE):
                partners[i] = best
    return partners


def _compared(section: _Section, expected: list[str]) -> Iterator[Difference]:
    if section.numbers == expected:
        return
    lines = section.lines or [1]
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, section.numbers, expected, autojunk=False).get_opcodes():
        for k in range(max(i2 - i1, j2 - j1) if kind != "equal" else 0):
            printed = section.numbers[i1 + k] if i1 + k < i2 else ""
            line = lines[min(i1 + k, i2 - 1) if i2 > i1 else min(i1, len(lines) - 1)]
            yield Difference(line, section.heading, printed, expected[j1 + k] if j1 + k < j2 else "")


def _sections(page: str, words: bool) -> list[_Section]:
    front = tree.FRONT_MATTER.match(page)
    skipped = page[: front.end()].count("\n") if front else 0
    sections, fenced = [_Section("", [], [])], ""
    for line, text in enumerate(page.split("\n"), 1):
        if line <= skipped and not text.startswith("title:"):
            continue
        mark = re.match(r"\s*(`{3,}|~{3,})", text)
        if mark and (not fenced or text.strip() == fenced):
            fenced = "" if fenced else mark[1]
        if not fenced and _HEADING.match(text):
            sections.append(_Section(text.strip("# ").strip(), [], []))
        for match in (_WORD if words or _ROW.match(text) else _FIGURE).finditer(text):
            sections[-1].numbers.append(re.sub(r"\s", "", match[0].replace("−", "-")).rstrip(".,"))
            sections[-1].lines.append(line)
    return sections
