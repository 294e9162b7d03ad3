"""The numbers that a page prints, section by section, and where two pages print others."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from ycsbook.report.site import tree

_NUMBER = re.compile(r"(?<![\w.])[-−+]?\d[\d,.]*(?:\s?%)?|\d[\d,.]*(?:\s?%)?")
_HEADING = re.compile(r"#{1,6} ")
# From which share of common numbers on a section is one of the expected page below another heading.
_ALIKE = 0.5


@dataclass(frozen=True)
class Difference:
    """A number that a page prints where the expected one has another; `expected` is empty where it has none."""

    line: int
    heading: str
    printed: str
    expected: str


@dataclass(frozen=True)
class _Token:
    line: int
    text: str


@dataclass(frozen=True)
class _Section:
    """A heading and the numbers below it; those of the heading itself belong to it."""

    heading: str
    numbers: list[_Token]


def count(page: str) -> int:
    """How many numbers a page prints below its front matter."""
    return sum(len(section.numbers) for section in _sections(page))


def differences(page: str, expected: str) -> list[Difference]:
    """Where the page prints a number that the expected page does not print there.

    Words may differ, those of headings as well, and whole sections may be missing. Within a section the numbers must
    be the same, in the same order; a section that the expected page has not may print none.
    """
    ours, theirs = _sections(page), _sections(expected)
    partners = _partners(ours, theirs)
    return [
        difference
        for i, section in enumerate(ours)
        for difference in _compared(
            section.heading, section.numbers, theirs[partners[i]].numbers if i in partners else []
        )
    ]


def _partners(ours: list[_Section], theirs: list[_Section]) -> dict[int, int]:
    """Which section of the expected page each of ours is: by headings in their order, then moved ones, then those
    whose heading was edited, by their numbers."""
    headings = [[section.heading for section in sections] for sections in (ours, theirs)]
    blocks = SequenceMatcher(None, *headings, autojunk=False).get_matching_blocks()
    partners = {block.a + k: block.b + k for block in blocks for k in range(block.size)}
    left = [j for j in range(len(theirs)) if j not in partners.values()]
    for same_heading in (True, False):
        for i in range(len(ours)):
            if i in partners or not (left and ours[i].numbers):
                continue
            like = {
                j: _likeness(ours[i], theirs[j]) for j in left if not same_heading or headings[0][i] == headings[1][j]
            }
            best = max(like, key=like.__getitem__, default=None)
            if best is not None and (same_heading or like[best] >= _ALIKE):
                partners[i] = best
                left.remove(best)
    return partners


def _likeness(ours: _Section, theirs: _Section) -> float:
    numbers = ([token.text for token in section.numbers] for section in (ours, theirs))
    return SequenceMatcher(None, *numbers, autojunk=False).ratio()


def _compared(heading: str, page: list[_Token], expected: list[_Token]) -> list[Difference]:
    ours, theirs = [t.text for t in page], [t.text for t in expected]
    if ours == theirs:
        return []
    found = []
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        for k in range(max(i2 - i1, j2 - j1)):
            printed = ours[i1 + k] if i1 + k < i2 else ""
            at = page[min(i1 + k, i2 - 1)] if i2 > i1 else page[min(i1, len(page) - 1)] if page else _Token(1, "")
            found.append(Difference(at.line, heading, printed, theirs[j1 + k] if j1 + k < j2 else ""))
    return found


def _sections(page: str) -> list[_Section]:
    front = tree.FRONT_MATTER.match(page)
    skipped = page[: front.end()].count("\n") if front else 0
    sections, fenced = [_Section("", [])], ""
    for line, text in enumerate(page.split("\n")[skipped:], skipped + 1):
        mark = re.match(r"\s*(`{3,}|~{3,})", text)
        if mark and (not fenced or text.strip() == fenced):
            fenced = "" if fenced else mark[1]
        if not fenced and _HEADING.match(text):
            sections.append(_Section(text.strip("# ").strip(), []))
        sections[-1].numbers.extend(_Token(line, _plain(m[0])) for m in _NUMBER.finditer(text))
    return sections


def _plain(number: str) -> str:
    return re.sub(r"\s", "", number.replace("−", "-")).rstrip(".,")
