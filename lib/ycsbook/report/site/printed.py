"""The numbers that a page prints, section by section, and where two pages print others."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

_NUMBER = re.compile(r"(?<![\w.])[-−+]?\d[\d,.]*(?:\s?%)?|\d[\d,.]*(?:\s?%)?")
_HEADING = re.compile(r"#{1,6} ")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


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


def count(page: str) -> int:
    """How many numbers a page prints below its front matter."""
    return sum(len(tokens) for _, _, tokens in _sections(page))


def differences(page: str, expected: str) -> list[Difference]:
    """Where the page prints a number that the expected page does not print there.

    Words may differ and whole sections may be missing. Within a section the numbers must be the same, in the same
    order; a section that the expected page has not may print none.
    """
    wanted: dict[tuple[str, int], list[_Token]] = {}
    for heading, nth, tokens in _sections(expected):
        wanted[heading, nth] = tokens
    found = []
    for heading, nth, tokens in _sections(page):
        found += _compared(heading, tokens, wanted.get((heading, nth), []))
    return found


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


def _sections(page: str) -> list[tuple[str, int, list[_Token]]]:
    """Heading, how often it stood before, and the numbers below it; those of the heading itself belong to it."""
    front = _FRONT_MATTER.match(page)
    skipped = page[: front.end()].count("\n") if front else 0
    sections: list[tuple[str, int, list[_Token]]] = [("", 0, [])]
    fenced, seen = "", {}
    for line, text in enumerate(page.split("\n")[skipped:], skipped + 1):
        mark = re.match(r"\s*(`{3,}|~{3,})", text)
        if mark and (not fenced or text.strip() == fenced):
            fenced = "" if fenced else mark[1]
        if not fenced and _HEADING.match(text):
            heading = text.strip("# ").strip()
            seen[heading] = seen.get(heading, -1) + 1
            sections.append((heading, seen[heading], []))
        sections[-1][2].extend(_Token(line, _plain(m[0])) for m in _NUMBER.finditer(text))
    return sections


def _plain(number: str) -> str:
    return re.sub(r"\s", "", number.replace("−", "-")).rstrip(".,")
