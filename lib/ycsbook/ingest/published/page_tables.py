"""The section headings and tables of a page, Markdown and raw HTML mixed, with their line numbers; and
whether the cells of a row stand where their headings say.

Code fences are ignored, because real pages leave them open and the rest would be lost.
"""

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, zip_longest
from math import isnan, nan
from typing import NamedTuple

from ycsbook.errors import shown
from ycsbook.ingest.published import page_cells
from ycsbook.ingest.published.page_cells import RowError, figure
from ycsbook.ingest.published.page_forms import multiplied, parted, upright
from ycsbook.ingest.published.page_headings import LATENCY_UNITS, QPS, TOOK, column, plain
from ycsbook.ingest.published.page_text import ENDS_HEADINGS, with_pipes, without_hidden

MAX_SPAN = 100
MAX_CELLS = 200  # in a row; what is beyond is dropped, so that spans cannot fill the memory
MAX_HEADING = 500
MAX_CAPTION = 120
LOWEST_LEVEL = 7


class Heading(NamedTuple):
    """A section heading; level 1 is the highest, LOWEST_LEVEL that of a line in bold."""

    level: int
    text: str


class PageRow(NamedTuple):
    """One table row: its cells as plain text. A cell over several rows repeats, over columns leaves blanks.

    A line break inside a cell stays one, so that two numbers do not become one; what is raised has ^ before it."""

    line: int
    cells: tuple[str, ...]

    def changed(self, change: Callable[[str], str]) -> "PageRow":
        return self._replace(cells=tuple(map(change, self.cells)))


class Lost(NamedTuple):
    """What cannot be taken as it stands: a row below no table, or one in which the text ends; or a whole table."""

    line: int
    reason: str
    whole_table: bool = False


class PageTable(NamedTuple):
    """A table; `caption` is the line of text right above it; `unclear` are cells such as 13.205 where nothing tells
    thousands from decimals; `lost`: where the text ends inside it."""

    rows: Sequence[PageRow]
    caption: str = ""
    lost: Lost | None = None
    unclear: frozenset[str] = frozenset()


Element = Heading | PageTable | Lost | str


def check_alignment(cells: tuple[str, ...], first: tuple[str, ...], width: int) -> None:
    """Raises RowError where the cells of a row may not stand below their headings, as those of the first row do."""
    if len(cells) != width:
        raise RowError(f"got {len(cells)} cells, expected {width} as in the heading")
    if not cells[0]:
        return
    if (dropped := _blanks_behind(cells) - _blanks_behind(first)) > 0:
        raise RowError(
            f"{dropped} more blank cells at its end than in the first row, so its cells may have moved left; "
            "expected - for what was not measured"
        )
    if not cells[-1] and _is_number(cells[0]) != _is_number(first[0]):
        raise RowError(f"begins with {shown(cells[0])}, unlike the first row, so its cells may have moved left")


def _blanks_behind(cells: tuple[str, ...]) -> int:
    return next((i for i, cell in enumerate(reversed(cells)) if cell), len(cells))


def below(above: tuple[str, ...], cells: tuple[str, ...]) -> tuple[str, ...]:
    """Headings of two rows as one: those above may span several columns."""
    spanning = accumulate(above, lambda last, cell: cell or last)
    return tuple(cell if cell == group else f"{group} {cell}" for group, cell in zip(spanning, cells, strict=True))


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[\d.,]{1,20}", cell) is not None


def placed(text: str) -> Iterator[tuple[int, Element]]:
    """Headings, tables and prose that a page shows, in its order, each with the line in which it begins, from 1."""
    text = with_pipes(without_hidden(text)[0])
    starts = _line_starts(text)
    without_tables, elements = _html_tables(text, starts)
    without_tables = _COMMANDS.sub(lambda fence: _COMMENT.sub(_blanked, fence[0]), without_tables)
    elements += [
        (match.start(), Heading(int(match["level"]), _clean(html.unescape(_TAGS.sub(" ", match["words"])))))
        for match in _HTML_HEADING.finditer(without_tables)
    ]
    lines = [line.rstrip("\r") for line in without_tables.split("\n")]
    elements += [(starts[line - 1], element) for line, element in (*_headings(lines), *_pipe_tables(lines))]
    prose = _PROSE.finditer(_EMPHASIS.sub(_blanked, without_tables))
    elements += [(match.start(), _clean(html.unescape(match[0]))) for match in prose if "|" not in match[0]]
    is_dotted = bool(_DOTTED.search(text) and not _NOT_DOTTED.search(text))
    for at, element in sorted(elements, key=lambda item: item[0]):
        of_page = _without_dots(element, is_dotted=is_dotted) if isinstance(element, PageTable) else element
        yield bisect_right(starts, at), of_page


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _html_tables(text: str, starts: list[int]) -> tuple[str, list[tuple[int, Element]]]:
    """The text with every closed <table> blanked, all else in its place, and each table with its place."""
    tables: list[tuple[int, Element]] = []

    def taken(table: re.Match) -> str:
        line = bisect_right(starts, table.start())
        lost = None if table["end"] else Lost(line, _UNCLOSED, whole_table=True)
        title = _HTML_CAPTION.match(table[0])
        caption = _clean(html.unescape(_TAGS.sub(" ", title[1]))) if title else ""
        tables.append((table.start(), PageTable(_upright(_html_rows(table[0], line)), caption, lost)))
        return _blanked(table) if table["end"] else table[0]

    return _TABLE.sub(taken, text), tables


def _upright(rows: list[PageRow]) -> list[PageRow]:
    cells = rated(multiplied(parted([row.cells for row in rows])))
    rows = with_points([row._replace(cells=of_row) for row, of_row in zip(rows, cells, strict=True)])
    turned = upright([row.cells for row in rows])
    return [PageRow(rows[0].line, cells) for cells in turned] if turned else rows


def rated(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """A table with its throughput in ops/s in place of both columns, where no column has one. Ops beside a run time may
    be a rate or a count, and is read as neither."""
    names = [*map(plain, rows[0])] if rows else []
    # time_ms may be that of one operation.
    done, took = ([n for n in names if n != "time_ms" and form.fullmatch(n)] for form in (_DONE, TOOK))
    rates = [text for text in rows[0] if (c := column(text)) and c[0] in (QPS, "tps")] if took else []
    if rates in (["Ops"], ["ops"]):
        return [tuple("Ops, a rate or a count" if text in rates else text for text in rows[0]), *rows[1:]]
    if len(done) != 1 or len(took) != 1 or rates:
        return list(rows)
    (n, s), rates = (names.index(*done), names.index(*took)), ["QPS"]
    for row in rows[1:]:
        try:
            us = figure("latency_us", row[s], LATENCY_UNITS.get(names[s].rpartition("_")[2], nan))
            rate = figure("failed_operations", row[n], 1.0) * 1e6 / (us or nan)
        except (RowError, IndexError):
            return list(rows)
        rates.append("" if isnan(rate) else f"{rate:.10g}")
    others = (tuple(cell for at, cell in enumerate(row) if at not in (n, s)) for row in rows)
    return [(*cells, rate) for cells, rate in zip(others, rates, strict=True)]


def with_points(rows: list[PageRow], *, is_one_way: bool = False) -> list[PageRow]:
    """The rows with decimal points, where all numbers of a table can have decimal commas, and two must. One that could
    have either, such as 1,234, needs another such as 1.234,5 beside it, unless all are written in one way."""
    numbers = [match[2] for row in rows[1:] for cell in row.cells if (match := _NUMBER.search(cell))]
    n_certain = sum(map(bool, map(_DECIMAL_COMMA.search, numbers)))
    is_told = is_one_way or any(map(_BOTH.search, numbers)) or not any(map(_EITHER.fullmatch, numbers))
    if n_certain < 2 or not is_told or not all(map(_WITH_COMMA.fullmatch, numbers)):
        return rows

    def with_point(number: re.Match) -> str:
        return number[1] + number[2].replace(".", "").replace(",", ".")

    return [rows[0], *(row.changed(lambda cell: _NUMBER.sub(with_point, cell)) for row in rows[1:])]


def _without_dots(table: PageTable, *, is_dotted: bool) -> PageTable:
    """A table with 13205 for 13.205 where dots group thousands, or with the cells of which that is not known. It may
    be in columns whose numbers all have three digits behind each dot, or no dot and at most four. It is where the page
    says so (`is_dotted`) or one column has both, unless other numbers of the table have decimals or thousands without
    dots."""
    below_first = (row.cells for row in table.rows[1:])
    columns = [[*filter(_NUMBER.match, cells)] for cells in zip_longest(*below_first, fillvalue="")]
    dotted = [[*filter(_GROUPED.match, of)] if all(map(_MAY_BE_GROUPED.match, of)) else [] for of in columns]
    unclear = frozenset(cell for of in dotted for cell in of)
    is_told = is_dotted or any(2 <= len(some) < len(of) for some, of in zip(dotted, columns, strict=True))
    has_others = any(_OTHERWISE.match(cell) for of in columns for cell in of)
    if has_others or not is_told:
        return table._replace(unclear=unclear if has_others == is_told else frozenset())
    bare = {cell: _NUMBER.sub(lambda number: number[0].replace(".", ""), cell) for cell in unclear}
    return table._replace(rows=[row.changed(lambda cell: bare.get(cell, cell)) for row in table.rows])


def _clean(cell: str) -> str:
    bare = _MARKS.sub("", page_cells.plain(cell))
    parts = (" ".join(part.split()).strip(_INVISIBLE) for part in bare.split(_BREAK))
    return "\n".join(filter(None, parts))


# Headings of how many operations there were.
_DONE = re.compile(r"(?:total_|number_of_)?(?:operations|requests)(?:_count)?|total_ops|(?:操作|请求)总?[数量]")
# The number that a cell begins with; one that may have a decimal comma, and one that must.
_NUMBER = re.compile(r"^([~≈]? ?)([\d.,]*\d)", re.ASCII)
_WITH_COMMA = re.compile(r"(?:\d{1,3}(?:\.\d{3}){1,4}|\d{1,15})(?:,\d{1,9})?", re.ASCII)
_BOTH, _EITHER = re.compile(r"\.\d{3},\d", re.ASCII), re.compile(r"\d{1,3}[.,]\d{3}", re.ASCII)
_DECIMAL_COMMA = re.compile(rf",(?:\d\d?|\d{{4,9}})$|{_BOTH.pattern}", re.ASCII)
# 13.205 as a count or a rate, numbers beside which it may be one, and others; what in a text tells how it is meant.
_GROUPED = re.compile(
    r"[~≈]? ?[1-9]\d{0,2}(?:\.\d{3}){1,4}(?![\d.,]| ?(?!ops|req|[qtr]ps|次)[^\W\d_])", re.ASCII | re.IGNORECASE
)
_MAY_BE_GROUPED = re.compile(rf"{_GROUPED.pattern}|[~≈]? ?\d{{1,4}}(?![\d.,])", re.ASCII | re.IGNORECASE)
_OTHERWISE = re.compile(r"[~≈]? ?(?:0\.\d|\d*\.(?:\d\d|\d{4,})(?![\d.])|\d{5}|[\d,]*,\d{3}(?!\d))", re.ASCII)
_DOTTED = re.compile(
    r"(?<![\w.,])(?:[1-9]\d{0,2}(?:\.\d{3}){2}(?![\d.])|[1-9]\d{1,2}\.000(?![\w%]|[.,]\d)"
    r"|\d+,\d\d? ?(?:%|[mµμ]s\b))|[×x]\d+,\d\d?(?![\d,])",
    re.ASCII,
)
_NOT_DOTTED = re.compile(r"(?<![\w.,])(?:[1-9]\d{0,2},\d{3}(?![\w,])|0\.\d+(?![\d.]))", re.ASCII)
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff"
_BREAK = "\x1e"
_BREAKS = re.compile(r"</?(?:br|p|div|li|sup|sub)\b[^<>]{0,1000}>", re.IGNORECASE)
# The mark of a footnote, which may be a link.
_FOOTNOTE = re.compile(
    r"<sup\b[^<>]{0,200}>(?:<a\b[^<>]{0,500}>)?(\[?(?:\d{1,2}|[a-z*†‡§¶※])\]?)(?:</a\s?>)?</sup\s?>", re.IGNORECASE
)
_TABLE = re.compile(r"<table\b.*?(?P<end></table\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"</?[a-z][^<>]{0,1000}>", re.IGNORECASE)
_REST = r"\b[^<>]{0,1000}>"  # of a tag
_NESTED = re.compile(rf"<table{_REST}", re.IGNORECASE)
_HTML_CAPTION = re.compile(rf"<table{_REST}\s{{0,99}}<caption{_REST}(.{{1,1000}}?)</caption", re.IGNORECASE | re.DOTALL)
_ROW = re.compile(rf"<tr{_REST}(?P<cells>.*?)(?=<tr{_REST}|</t(?:r|able){_REST}|\Z)", re.IGNORECASE | re.DOTALL)
_CELL = re.compile(
    rf"<t[dh]\b(?P<attributes>[^<>]{{0,1000}})>(?P<text>.*?)(?=</?t[dh]{_REST}|\Z)", re.IGNORECASE | re.DOTALL
)
_ATTRIBUTE = re.compile(r"\b(colspan|rowspan)\s{0,9}=\s{0,9}(\"|'|)(\d{1,9})\2(?=[\s/]|$)", re.IGNORECASE | re.ASCII)
_RULE = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")
# Of Markdown, of wikis and AsciiDoc, and of Jira.
_HASHES = re.compile(r"\s{0,3}(#{1,6}|={2,6}|h[1-6]\.)\s+(.*?)[\s#=]*$")
_HTML_HEADING = re.compile(
    rf"<h(?P<level>[1-6]){_REST}(?=(?P<words>.{{0,{MAX_HEADING}}}?)</h[1-6]\s{{0,9}}>)", re.IGNORECASE | re.DOTALL
)
# Also what is shown of a folded part.
_BOLD = re.compile(
    r"\s{0,3}(?:(?:\*\*|__|<b>|<strong>)(?P<text>[^*_|<>]{1,200})(?:\*\*|__|</b>|</strong>)\s{0,9}[:：]?\s{0,9}"
    r"|(?:<details\b[^<>]{0,99}>\s{0,9})?<summary\b[^<>]{0,99}>(?:<\w{1,9}>)?(?P<folded>[^<>|]{1,200})</.{0,99})",
    re.IGNORECASE,
)
_UNDERLINE = re.compile(r"\s{0,3}(?:=+|-{3,})\s*")
_TAGS = re.compile(r"<[^<>]{0,1000}>")
_UNCLOSED = "this <table> is never closed: the page was cut; fetch it again"
_CUT = "the text ends inside this row; fetch the page again"
_ASTRAY = "a table's row below no table, expected its headings and a line of dashes above; join it to its table"
_EMPHASIS = re.compile(r"</?(?:b|i|em|strong|code)\b[^<>]{0,1000}>", re.IGNORECASE)
_MARKS = re.compile(r"\*\*|`|\b__|__\b")
_PROSE = re.compile(r"(?:[^\n<>]|(?<=\\)\n){4,}")  # a command goes on behind a backslash
_NOT_A_BREAK = re.compile(r"[^\n]")
# Comments of a shell are no headings, nor do they speak of tables.
_COMMANDS = re.compile(r"^ {0,9}```(?:bash|sh|shell|zsh|console)\b.*?^ {0,9}```", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"^\s*#.*", re.MULTILINE)


def _blanked(match: re.Match) -> str:
    return _NOT_A_BREAK.sub(" ", match[0])


def _headings(lines: list[str]) -> Iterator[tuple[int, Element]]:
    for number, line in enumerate((line[:MAX_HEADING] for line in lines), start=1):
        if match := _HASHES.match(line):
            yield number, Heading(int(match[1].strip("h.")) if match[1][0] == "h" else len(match[1]), _clean(match[2]))
        elif match := _BOLD.fullmatch(line):
            yield number, Heading(LOWEST_LEVEL, _clean(match["text"] or match["folded"]))
        elif number < len(lines) and line.strip() and "|" not in line and _UNDERLINE.fullmatch(lines[number]):
            yield number, Heading(1 if "=" in lines[number] else 2, _clean(line))


def _pipe_tables(lines: list[str]) -> Iterator[tuple[int, Element]]:
    """Each table and its first line: the line above a rule of dashes, and the lines with a pipe below it."""
    number, width = 1, 0
    while number < len(lines):
        end = number + 1
        is_ruled = "|" in lines[number - 1] and _is_rule(lines[number]) and not _is_rule(lines[number - 1])
        if is_ruled or lines[number - 1].endswith(ENDS_HEADINGS):
            while end < len(lines) and _goes_on(lines, end):
                end += 1
            of_table = (n for n in range(number - 1, end) if "|" in lines[n] and not _is_rule(lines[n]))
            rows = [PageRow(n + 1, _pipe_cells(lines[n])) for n in of_table]
            is_closed = not lines[number - 1].rstrip().endswith("|") or lines[-1].rstrip().endswith("|")
            lost = Lost(end, _CUT) if end == len(lines) and not is_closed else None
            width = len(rows[0].cells)
            rows = rows[:-1] if lost else _upright(rows)
            yield number, PageTable(rows, _caption(lines, number - 1), lost)
        elif _is_row(lines[number], width) and not any(map(_is_rule, lines[number + 1 : number + 2])):
            yield number + 1, Lost(number + 1, _ASTRAY)
        number = end


def _goes_on(lines: list[str], at: int) -> bool:
    """Whether a table has this line too: a row, or a code fence gone astray between its rows."""
    is_fence = lines[at].strip().startswith("```") and "|" in "".join(lines[at + 1 : at + 2])
    return "|" in lines[at] or is_fence


def _is_row(line: str, width: int) -> bool:
    is_heading, line = line.endswith(ENDS_HEADINGS), line.strip()
    is_row = width > 2 and line[:1] == line[-1:] == "|" and not is_heading and not _is_rule(line)
    return is_row and len(_pipe_cells(line)) == width


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
    marked = (_FOOTNOTE.sub(r"^\1", part.replace("\\|", "|")) for part in parts)
    broken = (_BREAKS.sub(_BREAK, part) for part in marked)
    bare = (html.unescape(re.sub(r"<[^<>]*>", "", part)) for part in broken)
    return tuple(_clean(part) for part in bare)


_Cell = tuple[int, int, str]  # how many columns and rows it goes over, its text


def _html_rows(table: str, first_line: int) -> list[PageRow]:
    table = _FOOTNOTE.sub(r"^\1", table)
    starts = _line_starts(table)
    rows = (
        (first_line + bisect_right(starts, row.start()) - 1, list(map(_html_cell, _CELL.finditer(row["cells"]))))
        for row in _ROW.finditer(table)
    )
    return list(_spread(rows))


def _html_cell(cell: re.Match) -> _Cell:
    attributes = _ATTRIBUTE.finditer(cell["attributes"])
    spans = {match[1].lower(): min(max(int(match[3]), 1), MAX_SPAN) for match in attributes}
    text = _TAG.sub(lambda tag: _BREAK if _BREAKS.fullmatch(tag[0]) else " ", _NESTED.sub("", cell["text"]))
    return spans.get("colspan", 1), spans.get("rowspan", 1), _clean(html.unescape(text))


def _spread(rows: Iterable[tuple[int, list[_Cell]]]) -> Iterator[PageRow]:
    """The rows with a cell over several rows repeated, and blanks beside one over several columns."""
    below: dict[int, tuple[int, str]] = {}  # by column: of a cell from above, how many rows it still has, and its text
    for line, cells in rows:
        out: list[str] = []
        for cell in [*cells[:MAX_CELLS], None]:
            while (at := len(out)) in below:
                rows_left, text = below.pop(at)
                if rows_left > 1:
                    below[at] = (rows_left - 1, text)
                out.append(text)
            if cell is None:
                break
            columns, rows_left, text = cell
            if rows_left > 1:
                below[at] = (rows_left - 1, text)
            out += [text] + [""] * (columns - 1)
        if out:
            yield PageRow(line, tuple(out[:MAX_CELLS]))
