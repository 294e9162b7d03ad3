"""Whether the numbers of published reports still follow from the data that was published with them."""

from dataclasses import dataclass, replace
from pathlib import Path

from ycsbook import paths
from ycsbook.errors import PublishError, YcsbookError
from ycsbook.report.site import evidence, headline, index, printed, tree
from ycsbook.report.site.tree import Record
from ycsbook.report.vendor import profiles

_AGAIN = "publish the report again"
_CUT = f"a publication into it was cut; {_AGAIN}"


@dataclass(frozen=True)
class Mismatch:
    """What does not follow from its data: a file, its line where it is a text, and why."""

    path: Path
    line: int | None
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}" if self.line else f"{self.path}: {self.reason}"


def check(to: Path) -> list[Mismatch]:
    """Derive every published page at or below `to` from its evidence once more and compare the numbers.

    Words may have been edited, and sections left out. Evidence and pictures must be as published, the vendors'
    tables of this repository those the pages follow from, and each index that of its pages.

    Raises
        PublishError: nothing was published there.
    """
    pages = tree.pages(to)
    if not pages:
        raise PublishError(f"{to}: holds no published report; make one with 'ycsbook publish REPORT --to {to}'")
    found = [mismatch for folder, page in pages.items() for mismatch in _of_page(folder, page)]
    trees = dict.fromkeys(folder.parent for folder in pages if folder != to)
    return [*found, *(mismatch for root in trees for mismatch in _of_index(root))]


def edited(to: Path) -> list[Path]:
    """The published files that somebody edited since."""
    return [
        folder / name
        for folder, page in tree.pages(to).items()
        for name in page.files
        if (folder / name).is_file() and not page.is_ours(name, tree.sha256(tree.content(folder / name)))
    ]


def _of_page(target: Path, page: Record) -> list[Mismatch]:
    if page.coming:
        return [Mismatch(target, None, _CUT)]
    if not page.report:
        return [Mismatch(target, None, f"was published without its evidence; {_AGAIN}")]
    found = _files(target, page)
    if any(m.path.parent.name == evidence.FOLDER for m in found):
        return found
    found += _vendor_tables(page)
    try:
        derived = evidence.read(target)
        expected = _page(target, page, derived)
        if page.profile and page.report.get("deviations") != derived.deviations:
            found.append(Mismatch(target / tree.RECORD, None, f"its deviations are not those of its data; {_AGAIN}"))
        found += _main_numbers(target / tree.RECORD, page.report.get("numbers"), headline.of(derived)["numbers"])
    except YcsbookError as e:
        return [*found, Mismatch(target, None, str(e))]
    path = target / tree.PAGE
    if path.is_file():
        found += [_different(path, d) for d in printed.differences(tree.text(path), expected)]
    return found


def _main_numbers(path: Path, recorded: object, expected: list[dict]) -> list[Mismatch]:
    """What indexes print of a page, compared as it is printed."""
    try:
        same = headline.printed(recorded) == headline.printed(expected)
    except (TypeError, ValueError, AttributeError):
        same = False
    return [] if same else [Mismatch(path, None, f"its main numbers are not those of its data; {_AGAIN}")]


def _page(target: Path, page: Record, derived: evidence.PublishedEvidence) -> str:
    if not page.profile:
        return tree.page(derived.page, page.site)
    template = target.resolve() / evidence.FOLDER / f"{page.profile}{profiles.SUFFIX}"
    return derived.vendor_page(str(template), page.site)


def _files(target: Path, page: Record) -> list[Mismatch]:
    """Files that are gone, and those whose numbers cannot be read that are no longer as published."""
    found = []
    for name, sha in page.files.items():
        path = target / name
        if not path.is_file():
            found.append(Mismatch(path, None, f"is gone; {_AGAIN}"))
        elif name != tree.PAGE and tree.sha256(tree.content(path)) != sha:
            found.append(Mismatch(path, None, f"is not as it was published; restore it or {_AGAIN}"))
    return found


def _vendor_tables(page: Record) -> list[Mismatch]:
    """Vendors' tables of this repository that are others now; elsewhere than here there are none to compare."""
    found = []
    for name, sha in page.published.items():
        path = paths.resolve(name)
        if path.is_file() and tree.sha256(tree.content(path)) != sha:
            found.append(
                Mismatch(Path(name), None, f"is not the table that {page.report['slug']} follows from; {_AGAIN}")
            )
    return found


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
    found = _files(to, replace(of_tree, files={n: sha for n, sha in of_tree.files.items() if n != path.name}))
    for d in printed.differences(present, index.block(index.published(to), of_tree.site)):
        found.append(_different(path, d, offset))
    return found


def _different(path: Path, d: printed.Difference, offset: int = 0) -> Mismatch:
    below = f" below {d.heading!r}" if d.heading else ""
    said = f"prints {d.printed}" if d.printed else "prints no number"
    wanted = f"its data give {d.expected}" if d.expected else "its data give none there"
    return Mismatch(path, d.line + offset, f"{said}{below}, {wanted}")
