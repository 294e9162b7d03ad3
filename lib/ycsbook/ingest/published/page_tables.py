"""The section headings and tables of a page, Markdown and raw HTML mixed, with their line numbers.

Code fences are ignored, because real pages leave them open and the rest would be lost.
"""

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser

MAX_SPAN = 100
MAX_CELLS = 200  # in a row; what is beyond is dropped, so that spans cannot fill the memory
MAX_HEADING = 500
MAX_CAPTION = 120
LOWEST_LEVEL = 7


@dataclass(frozen=True)
class Heading:
    """A section heading; level 1 is the highest, LOWEST_LEVEL that of a line in bold."""

    line: int
    level: int
    text: str


@dataclass(frozen=True)
class NewTable:
    """A table starts; `caption` is the line of text right above it."""

    caption: str = ""


@dataclass(frozen=True)
class Cells:
    """One table row: its cells as plain text. A cell over several rows repeats, over columns leaves blanks.

    A line break inside a cell stays one, so that two numbers do not become one; a raised digit has ^ before it.
    """

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Unclosed:
    """The table just read, which started in this line, has no end tag."""

    line: int


@dataclass(frozen=True)
class Lost:
    """A row that cannot be taken as it stands: the text ends inside it, or its table has ended."""

    line: int
    reason: str


Element = Heading | NewTable | Cells | Unclosed | Lost


def elements(text: str) -> Iterator[Element]:
    """Headings and table rows in the page's order; lines count from 1."""
    starts = _line_starts(text)
    rest, groups = _html_tables(text, starts)
    groups += _html_headings(rest, starts)
    lines = [line.rstrip("\r") for line in rest.split("\n")]
    groups += [(starts[heading.line - 1], [heading]) for heading in _headings(lines)]
    groups += [(starts[line - 1], table) for line, table in _pipe_tables(lines)]
    for _, group in sorted(groups, key=lambda item: item[0]):
        yield from group


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _html_tables(text: str, starts: list[int]) -> tuple[str, list[tuple[int, list[Element]]]]:
    """The text with every closed <table> blanked, all else in its place, and each table's place and elements."""
    groups: list[tuple[int, list[Element]]] = []
    rest: list[str] = []
    position = 0
    while opening := _TABLE.search(text, position):
        rest.append(text[position : opening.start()])
        line = bisect_right(starts, opening.start())
        closing = _TABLE_END.search(text, opening.end())
        if closing is None:
            rows = _html_rows(text[opening.start() :], line)
            groups.append((opening.start(), [NewTable(), *rows, Unclosed(line)]))
            position = opening.start()
            break
        fragment = text[opening.start() : closing.end()]
        groups.append((opening.start(), [NewTable(), *_html_rows(fragment, line)]))
        rest.append(_NOT_A_BREAK.sub(" ", fragment))
        position = closing.end()
    rest.append(text[position:])
    return "".join(rest), groups


def _clean(cell: str) -> str:
    """A cell's text: markup and odd spaces gone, full-width forms made plain."""
    raised = _RAISED.sub(r"^\g<0>", cell)  # NFKC would make the footnote of 9069¹ a digit of the number
    plain = unicodedata.normalize("NFKC", raised).replace("**", "").replace("`", "")
    parts = (" ".join(part.split()).strip(_INVISIBLE) for part in plain.split(_BREAK))
    return "\n".join(filter(None, parts))


_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff"
_BREAK = "\x1e"
_BREAKS = re.compile(r"</?(?:br|p|div|li|sup|sub)\b[^<>]{0,1000}>", re.IGNORECASE)
_RAISED = re.compile(r"[²³¹\u2070-\u2079\u2080-\u2089\u2460-\u24ff]")
_TABLE = re.compile(r"<table\b", re.IGNORECASE)
_TABLE_END = re.compile(r"</table\s*>", re.IGNORECASE)
_TAG = re.compile(
    r"<(?:(?P<ours>/?(?:table|tr|td|th)\b)[^<>]{0,1000}>|(?P<other>/?[a-z][^<>]{0,1000}>)|)", re.IGNORECASE
)
_RULE = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")
_HASHES = re.compile(r"\s{0,3}(#{1,6})\s+(.*)")
_HTML_HEADING = re.compile(r"<h([1-6])\b[^<>]{0,1000}>", re.IGNORECASE)
_HTML_HEADING_END = re.compile(r"</h[1-6]\s{0,9}>", re.IGNORECASE)
_BOLD = re.compile(r"\s{0,3}(?:\*\*|__)(?P<text>[^*_|]{1,200})(?:\*\*|__)\s{0,9}[:：]?\s{0,9}")
_UNDERLINE = re.compile(r"\s{0,3}(?:=+|-{3,})\s*")
_TAGS = re.compile(r"<[^<>]{0,1000}>")
_CUT = "the text ends inside this row; fetch the page again"
_ASTRAY = "a table's row below no table, expected its headings and a line of dashes above; join it to its table"
_NOT_A_BREAK = re.compile(r"[^\n]")


def _html_headings(text: str, starts: list[int]) -> Iterator[tuple[int, list[Element]]]:
    ends = [match.start() for match in _HTML_HEADING_END.finditer(text)]
    for opening in _HTML_HEADING.finditer(text):
        at = bisect_right(ends, opening.end() - 1)
        if at < len(ends) and ends[at] - opening.end() <= MAX_HEADING:
            words = _TAGS.sub(" ", text[opening.end() : ends[at]])
            line = bisect_right(starts, opening.start())
            yield opening.start(), [Heading(line, int(opening[1]), _clean(html.unescape(words)))]


def _headings(lines: list[str]) -> Iterator[Heading]:
    for number, line in enumerate((line[:MAX_HEADING] for line in lines), start=1):
        if match := _HASHES.match(line):
            yield Heading(number, len(match[1]), match[2])
        elif match := _BOLD.fullmatch(line):
            yield Heading(number, LOWEST_LEVEL, match["text"])
        elif number < len(lines) and line.strip() and "|" not in line and _UNDERLINE.fullmatch(lines[number]):
            yield Heading(number, 1 if "=" in lines[number] else 2, line.strip())


def _pipe_tables(lines: list[str]) -> Iterator[tuple[int, list[Element]]]:
    """Each table and its first line: the line above a rule of dashes, and the lines with a pipe below it."""
    number, width = 1, 0
    while number < len(lines):
        end = number + 1
        if "|" in lines[number - 1] and _is_rule(lines[number]) and not _is_rule(lines[number - 1]):
            while end < len(lines) and _goes_on(lines, end):
                end += 1
            of_table = (n for n in range(number - 1, end) if "|" in lines[n] and not _is_rule(lines[n]))
            rows = [Cells(n + 1, _pipe_cells(lines[n])) for n in of_table]
            lost = [Lost(end, _CUT)] if _is_cut(lines, end, lines[number - 1]) else []
            width = len(rows[0].cells)
            yield number, [NewTable(_caption(lines, number - 1)), *(rows[:-1] if lost else rows), *lost]
        elif _is_row(lines[number], width) and not any(map(_is_rule, lines[number + 1 : number + 2])):
            yield number + 1, [Lost(number + 1, _ASTRAY)]
        number = end


def _goes_on(lines: list[str], at: int) -> bool:
    """Whether a table has this line too: a row, or a code fence gone astray between its rows."""
    is_fence = lines[at].strip().startswith("```") and "|" in "".join(lines[at + 1 : at + 2])
    return "|" in lines[at] or is_fence


def _is_cut(lines: list[str], end: int, heading: str) -> bool:
    """Whether the text ends inside the row that ends before `end`."""
    return end == len(lines) and heading.rstrip().endswith("|") and not lines[-1].rstrip().endswith("|")


def _is_row(line: str, width: int) -> bool:
    line = line.strip()
    return width > 2 and line[:1] == line[-1:] == "|" and not _is_rule(line) and len(_pipe_cells(line)) == width


def _caption(lines: list[str], above: int) -> str:
    """The text of the line above, one blank line between them or none."""
    near = [line.strip() for line in lines[max(above - 2, 0) : above]]
    text = next(filter(None, reversed(near)), "")
    return _clean(text) if len(text) <= MAX_CAPTION and "|" not in text else ""


def _is_rule(line: str) -> bool:
    return "|" in line and _RULE.fullmatch(line.strip()) is not None


def _pipe_cells(line: str) -> tuple[str, ...]:
    line = line.strip()
    parts = re.split(r"(?<!\\)\|", line)
    parts = parts[1:] if line.startswith("|") else parts
    parts = parts[:-1] if line.endswith("|") and not line.endswith("\\|") else parts
    broken = (_BREAKS.sub(_BREAK, part.replace("\\|", "|")) for part in parts)
    bare = (html.unescape(re.sub(r"<[^<>]*>", "", part)) for part in broken)
    return tuple(_clean(part) for part in bare)


def _html_rows(fragment: str, first_line: int) -> list[Cells]:
    parser = _TableParser(first_line)
    parser.feed(_tame(fragment))
    parser.close()
    parser.end_row()
    return parser.rows


def _tame(fragment: str) -> str:
    """The table's own tags and its text; line breaks stay where they are.

    html.parser takes quadratic time over comments and tags that are never closed, so it gets to see none.
    """
    parts, position = [], 0
    while (start := fragment.find("<!--", position)) >= 0 and (end := fragment.find("-->", start + 4)) >= 0:
        parts += [fragment[position:start], "\n" * fragment.count("\n", start, end)]
        position = end + 3
    return _TAG.sub(_tame_tag, "".join([*parts, fragment[position:]]))


def _tame_tag(match: re.Match) -> str:
    tag = match[0]
    if match["ours"]:
        paired = all(tag.count(quote) % 2 == 0 for quote in "\"'")
        return tag if paired else f"<{match['ours']}>" + "\n" * tag.count("\n")
    if not match["other"]:
        return "&lt;"
    return (_BREAK if _BREAKS.fullmatch(tag) else " ") + "\n" * tag.count("\n")


class _TableParser(HTMLParser):
    """The rows of one <table>; spans are spread: a cell over several rows repeats, over columns leaves blanks."""

    def __init__(self, first_line: int):
        super().__init__(convert_charrefs=True)
        self.first_line = first_line
        self.rows: list[Cells] = []
        self._line: int | None = None
        self._row: list[list] = []  # text, columns, rows
        self._open = False
        self._below: dict[int, tuple[int, str]] = {}  # column: rows left, text

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.end_row()
            self._line = self.first_line + self.getpos()[0] - 1
        elif tag in ("td", "th") and self._line is not None:
            given = dict(attrs)
            self._row.append(["", _span(given.get("colspan")), _span(given.get("rowspan"))])
            self._open = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._open = False
        elif tag in ("tr", "table"):
            self.end_row()

    def handle_data(self, data: str) -> None:
        if self._open:
            self._row[-1][0] += data

    def end_row(self) -> None:
        if self._line is None:
            return
        out: list[str] = []
        for text, columns, rows in self._row[:MAX_CELLS]:
            self._from_above(out)
            if rows > 1:
                self._below[len(out)] = (rows - 1, _clean(text))
            out += [_clean(text)] + [""] * (columns - 1)
        self._from_above(out)
        if out:
            self.rows.append(Cells(self._line, tuple(out[:MAX_CELLS])))
        self._line, self._row, self._open = None, [], False

    def _from_above(self, out: list[str]) -> None:
        while len(out) in self._below:
            at = len(out)
            left, text = self._below.pop(at)
            if left > 1:
                self._below[at] = (left - 1, text)
            out.append(text)


def _span(value: str | None) -> int:
    return min(max(int(value), 1), MAX_SPAN) if value and value.isascii() and value.isdigit() else 1
