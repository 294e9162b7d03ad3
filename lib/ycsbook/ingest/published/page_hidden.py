"""What a page does not show: comments, and what the attribute `hidden`, a style or a class of its style sheet hides."""

import re
from collections import Counter


def without_hidden(text: str) -> tuple[str, str]:
    """A page's text without what it does not show, all else in its lines; and what of its tables was left out so.
    Tables in a hidden part of the page stay: it may be a tab. Hidden tables and templates do not.

    By the tags alone, not by html.parser, which takes quadratic time over comments and tags that are never closed.

    Examples
        >>> without_hidden("<table><tr hidden><td>1<tr><td>2<i style='display: none'>3</i></table>")
        ('<table><tr><td>2</table>', 'row (1), text in a cell (1)')
    """
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
    """The text without comments, its line breaks where they are."""
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
