"""The text of a page, as its tables are read from it: without what it does not show, and with pipes for other signs.

Not shown are comments, and what the attribute `hidden`, a style or a class of its style sheet hides. Signs are frames
of `+---+` or box characters, as databases and programs print them; columns set apart by blanks, with lines of = or -
above and below them, as in reStructuredText, or with none, by commas or, as in LaTeX, by &; AsciiDoc's between lines of
`|===`; Jira's below `||headings||`; and the lines of a run, each with a name and a figure, as `* **Threads:** 64`.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ycsbook.ingest.published.page_headings import LATENCIES, columns

# What any drawn table holds, so that most files are done with at a glance.
_RATE = "(?:[oqrt]ps|op.?/s|throughput)"
_NAMES = f"thread.{{1,200}}{_RATE}|{_RATE}.{{1,200}}thread"
_NAMED = re.compile(_NAMES, re.IGNORECASE)
_THREADS_LINE = rb"^[^\n:=|]{0,40}threads?\b[^\n:=|]{0,20}[:=][* `]{0,6}\d|"
MARK = re.compile(
    rb"[-=]\+[-=]|[-=]{2} {1,9}[-=]{2}|\|===|\|\||\xe2[\x94\x95]|" + _THREADS_LINE + _NAMES.encode(),
    re.IGNORECASE | re.MULTILINE,
)
# Stands behind headings with no rule below them. It is a blank to all that read their cells.
ENDS_HEADINGS = "\x1d"
_MAX_LINE = 500
_BOX_LINES, _BOX_BARS, _BOX_NODES = "─━═┄┈", "│┃║┆", "┌┐└┘├┤┬┴┼┏┓┗┛┣┫┳┻╋┡┩╇╔╗╚╝╠╣╦╩╬╞╡╪╒╕╘╛╤╧╭╮╯╰┠┨╂┝┥┿"
_PLAIN = str.maketrans(dict.fromkeys(_BOX_LINES, "-") | dict.fromkeys(_BOX_BARS, "|") | dict.fromkeys(_BOX_NODES, "+"))
_FRAME = re.compile(r"\s*(?=[+|:=-]*-|[+|:=-]*=)[+|]?:?(?:[-=]+:?[+|]:?)+[-=]*:?\s*")
_STROKES = re.compile(r"\s*(?:={2,}(?:\s+={2,})+|-{2,}(?:\s+-{2,})+)\s*")
_JIRA = re.compile(r"\s*\|\|(?:[^|]+\|\|)+\s*")
_ASCIIDOC = re.compile(r"\|={3,}\s*")
_BETWEEN = tuple(map(re.compile, (r"\s{2,}|\t", r"\s*&\s*", r"\s+")))
_QUOTED = (*_BETWEEN, re.compile(r"\s*,\s*"))
# Lines between those of rows: rules of LaTeX, types of columns.
_NO_ROW = re.compile(r"\s*(?:\\[a-z]{4,20}(?:\{[^{}]{0,20}\})?|(?:<[a-z0-9]{3,8}>\s*)+)\s*")
_TYPES = re.compile(r"\s*\|(?:\s*(?:[iuf]\d{1,3}|str|bool)\s*\|)+\s*")
# The name of a figure and what it is, maybe behind a bullet, in bold or as code.
_PAIR = re.compile(
    r"[\s>]*(?P<bullet>[-*+•]\s+)?[*_`]*(?P<name>[^\W\d_][^:=|\n]{0,59}?)[\s*_`]*[:=][\s*_`]*(?P<value>[^|\n]{0,80})"
)
_EMPHASIS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)")
_MOST_FIGURES = 100
_UNIT = re.compile(r"[oqrt]ps\b|/\s?s(?:ec(?:ond)?)?\b|per sec", re.IGNORECASE)
_FIGURE = re.compile(r"[~≈]?\d[\d,.]*[kKM%]?(?![^\s,;])")
_TAG = re.compile(r"(?<!`)<(?P<closes>/?)(?P<name>[a-z][a-z0-9-]*)(?P<attributes>(?:[\s/][^<>]*)?)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([^\s=\"'/]+)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"']+))?")
_HIDES = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)
_STYLE_SHEET = re.compile(r"<style\b[^<>]*>([^<]*)", re.IGNORECASE)
_STYLE_COMMENT = re.compile(r"/\*[^*]*\*/")
_CLASS = re.compile(r"\.[\w-]+")
_TABLE = re.compile(r"<table\b", re.IGNORECASE)
_KINDS = {"td": "cell", "th": "cell", "tr": "row", "thead": "row", "tbody": "row"}
_EMPTY = frozenset(("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
                    "track", "wbr"))  # fmt: skip
_NO_TAGS_INSIDE = frozenset(("script", "style", "textarea"))
# Shown by a script once the page is loaded.
_WHOLE_PAGE = frozenset(("html", "body"))
# What ends an element whose end tag is left out.
_SECTIONS = frozenset(("thead", "tbody", "tfoot"))
_ENDED_BY = {
    **dict.fromkeys(_SECTIONS, _SECTIONS),
    "tr": _SECTIONS | {"tr"},
    **dict.fromkeys(("td", "th"), _SECTIONS | {"tr", "td", "th"}),
    "p": frozenset(("p", "div", "table", "h1", "h2", "h3", "h4")),
    "li": frozenset(("li",)),
}


def without_hidden(text: str) -> tuple[str, str]:
    """A page's text without what it does not show, all else in its lines; and what of its tables was left out so.
    Tables in a hidden part of the page stay: it may be a tab. Hidden tables and templates do not.

    By the tags alone, not by html.parser, which takes quadratic time over comments and tags that are never closed."""
    text = _without_comments(text)
    classes = _hidden_classes(text)
    parts, told, shown_from = [], Counter(), 0
    opened, n_open = [], Counter()
    hidden = ()  # the element that is: how deep, where it begins, its name

    def cut(end: int) -> int:
        """Leave out what is hidden, if it is to be; from where the text goes on."""
        _, start, name = hidden
        inside = text[start:end]
        if (has_table := _TABLE.search(inside)) and name not in ("table", "template"):
            return shown_from
        kind = "table" if has_table else _KINDS.get(name, "text in a cell" if n_open["table"] else "")
        told.update([kind] if kind else [])
        parts.extend((text[shown_from:start], "\n" * inside.count("\n")))
        return end

    for tag in _TAG.finditer(text):
        name, closes = tag["name"].lower(), tag["closes"]
        if opened and opened[-1] in _NO_TAGS_INSIDE and name != opened[-1]:
            continue
        while opened and (n_open[name] if closes else name in _ENDED_BY.get(opened[-1], ())):
            last = opened.pop()
            n_open[last] -= 1
            is_own = bool(closes) and last == name
            if hidden and len(opened) < hidden[0]:
                end = tag.end() if is_own else tag.start()
                hidden, shown_from = (), cut(end)
            if is_own:
                break
        if closes or name in _EMPTY:
            continue
        opened.append(name)
        n_open[name] += 1
        if not hidden and name not in _WHOLE_PAGE and (name == "template" or _is_hidden(tag["attributes"], classes)):
            hidden = (len(opened), tag.start(), name)
    if hidden and (shown_from := cut(len(text))) == len(text):
        told[f"all from line {text.count(chr(10), 0, hidden[1]) + 1} on, as its <{hidden[2]}> is never closed"] += 1
    return "".join([*parts, text[shown_from:]]), ", ".join(f"{kind} ({n})" for kind, n in told.items())


def _without_comments(text: str) -> str:
    parts, position = [], 0
    while (start := text.find("<!--", position)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        parts += [text[position:start], "\n" * text.count("\n", start, end)]
        position = end + 3
    return "".join([*parts, text[position:]])


def _is_hidden(attributes: str, classes: set[str]) -> bool:
    of_tag = {name.lower(): value.strip("\"'") for name, value in _ATTRIBUTE.findall(attributes)}
    of_style = _HIDES.search(of_tag.get("style", ""))
    return "hidden" in of_tag or of_style is not None or not classes.isdisjoint(of_tag.get("class", "").split())


def _hidden_classes(text: str) -> set[str]:
    """The classes that a rule of their own hides, unless others show what has them, as scripts do with parts of a
    page that are folded or stand behind a tab."""
    hidden, others = set(), set()
    for sheet in _STYLE_SHEET.findall(text):
        depth = 0
        for rule in _STYLE_COMMENT.sub("", sheet).split("}"):
            names, _, says = rule.partition("{")
            if _HIDES.search(says) and not depth and "{" not in says:  # else for print or narrow screens
                hidden.update(map(str.strip, names.split(",")))
            elif not _HIDES.search(says):
                others.update(_CLASS.findall(names))
            depth = max(depth + rule.count("{") - 1, 0)
    return {name[1:] for name in hidden - others if _CLASS.fullmatch(name)}


def with_pipes(text: str) -> str:
    """The text with pipes for the signs of such tables and a rule below their headings, every line where it was.

    Examples
        >>> print(with_pipes("threads  qps\\n-------  ----\\n      8  900"))
        | threads | qps |
        |---|---|
        | 8 | 900 |
    """
    if not MARK.search(text.encode()):
        return text
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if len(line) > _MAX_LINE:
            continue
        drawn = line.translate(_PLAIN)
        if _FRAME.fullmatch(drawn) and drawn.count("+"):
            lines[at] = drawn.replace("+", "|").replace("=", "-")
        elif any(bar in line for bar in _BOX_BARS):
            lines[at] = _rule(1) if _TYPES.fullmatch(drawn) else drawn
        elif _JIRA.fullmatch(line) and "||" not in "".join(lines[at + 1 : at + 2]):
            lines[at] = line.replace("||", "|") + ENDS_HEADINGS
    for first, rows in (*_asciidoc(lines), *_spanned(lines), *_parted(lines), *_named(lines)):
        lines[first : first + len(rows)] = rows
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.strip().replace('|', '/') for cell in cells)} |"


def _rule(n: int) -> str:
    return "|" + "---|" * n


def _from(lines: Sequence[str], first: int) -> Iterator[str]:
    return (lines[at] for at in range(first, len(lines)))


def _spanned(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Tables with strokes as wide as their columns below the headings: where they begin, and their lines anew."""
    for at in range(1, len(lines) - 1):
        headings, strokes = lines[at - 1 : at + 1]
        if not (_STROKES.fullmatch(strokes) and headings.strip()) or _STROKES.fullmatch(headings) or "|" in headings:
            continue
        starts = [stroke.start() for stroke in re.finditer("[=-]+", strokes)]
        below = itertools.takewhile(lambda line: line.strip() and not _STROKES.fullmatch(line), _from(lines, at + 1))
        spans = [*itertools.pairwise([0, *starts[1:], _MAX_LINE])]
        rows = [_row([line[start:end] for start, end in spans]) for line in (headings, *below)]
        yield at - 1, [rows[0], _rule(len(starts)), *rows[1:]]


def _parted(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Tables with blanks, commas or & between columns, below headings of threads and throughput. In those of pandas and
    R rows have a number that no heading is of."""
    at = 0
    while at < len(lines):
        # Commas part sentences, too: they are asked for where a page quotes a CSV.
        is_quoted = at > 0 and lines[at - 1].startswith("```")
        has_figure = any(map(str.isdigit, "".join(lines[at + 1 : at + 3])))
        headings = _headings(lines[at], _QUOTED if is_quoted else _BETWEEN) if has_figure else []
        below = itertools.takewhile(str.strip, _from(lines, at + 1)) if headings else ()
        rows = [*itertools.takewhile(_is_row, (_cells(line, len(headings)) for line in below))]
        if any(rows):
            numbered = [line.split() for line, row in zip(_from(lines, at + 1), rows, strict=False) if row]
            if is_numbered := _is_numbered(numbered, len(headings)):
                rows = [numbered.pop(0) if row else row for row in rows]
            headings = [*[""] * is_numbered, *headings]
            yield at, [_row(headings) + ENDS_HEADINGS, *(_row(row) if row else _rule(1) for row in rows)]
        at += 1 + len(rows)


def _named(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Runs whose lines have a name and a figure each, in two lines: a table of one row. The other lines stay: they may
    say more of the run."""
    first, run, is_list = 0, {}, False
    for at, line in enumerate((*lines, "end")):
        pair = _PAIR.fullmatch(line) if len(line) <= _MAX_LINE else None
        if is_list and not line.strip():
            continue
        if not pair or pair["name"] in run or bool(pair["bullet"]) != is_list:
            if _is_run(run):
                yield first, [_row([*run]) + ENDS_HEADINGS, _row([*run.values()])]
            run, is_list = {}, bool(pair and pair["bullet"])
        if pair:
            first = first if run else at
            run[pair["name"]] = _EMPHASIS.sub("", pair["value"]).strip()


def _is_run(figures: dict[str, str]) -> bool:
    """Whether figures by their names are of a run: threads, a throughput with its unit and a latency among them."""
    has_unit = any(_UNIT.search(f"{name} {value}") for name, value in figures.items())
    if not has_unit or not 3 <= len(figures) <= _MOST_FIGURES:
        return False
    names = [role[0].partition("@")[0] for role in columns([*figures]) if role]
    is_one = names.count("threads") == names.count("throughput_ops_s") == 1
    return is_one and not LATENCIES.keys().isdisjoint(names)


def _is_numbered(rows: Sequence[Sequence[str]], n: int) -> bool:
    """Whether rows begin with a number that counts them, before the cells of n headings."""
    first = int(rows[0][0]) if rows[0][0] in ("0", "1") else -1
    return first >= 0 and all(len(row) == n + 1 and row[0] == str(at) for at, row in enumerate(rows, first))


def _headings(line: str, between: Sequence[re.Pattern]) -> list[str]:
    """The headings of threads, throughput and more that a line is, parted by one of `between`; empty: it is none."""
    if len(line) > _MAX_LINE or "|" in line or not _NAMED.search(line):
        return []
    ways = (parted.split(line.strip("# \t\\")) for parted in between)
    named = (way for way in ways if {c[0] for c in columns(way) if c} >= {"threads", "throughput_ops_s"})
    return next((way for way in named if not any(map(_FIGURE.match, way))), [])


def _cells(line: str, n: int) -> list[str]:
    """The n cells of a line, or one more, however they are parted; none of a line that holds no row."""
    if _NO_ROW.fullmatch(line):
        return []
    ways = [parted.split(line.strip(" \t\\")) for parted in _QUOTED]
    return next((cells for of in (n, n + 1) for cells in ways if len(cells) == of), ways[0])


def _is_row(cells: Sequence[str]) -> bool:
    return not cells or any(_FIGURE.fullmatch(cell.strip()) for cell in cells)


def _asciidoc(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Tables between two lines of |===, whose first line has the headings and whose rows may go over several lines."""
    ends = [at for at, line in enumerate(lines) if _ASCIIDOC.fullmatch(line)]
    for first, last in zip(ends[::2], ends[1::2], strict=False):
        bare = enumerate(map(str.strip, lines[first:last]))
        filled = [(at, line.removeprefix("|").split("|")) for at, line in bare if line]
        (_, headings), made, row = (*filled[1:2], (0, []))[0], [_rule(1)] * (last - first), []
        for at, cells in filled[1:]:
            row = [*row, *cells]
            if len(row) >= len(headings):
                made[at], row = _row(row) + ENDS_HEADINGS * (row == headings), []
        if len(headings) > 1:
            yield first, ["", *made[1:], ""]
