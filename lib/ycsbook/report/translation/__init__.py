"""English sentences of findings, fits and warnings in another language.

Rules, laws and limits make their sentences in English, and tables keep them so. Here each sentence is recognised by
the pattern it was made from and said again; what stands in its places is translated in turn where it is a phrase and
stays as it is where it is data.
"""

import re
from functools import cache, lru_cache

from ycsbook.report.strings import texts
from ycsbook.report.translation.matching import Pattern, ordered

# What joins clauses and lists, the loosest first.
_JOINTS = (("; ", "；"), (". ", "。"), (", ", "，"), (" and ", "和"), (" or ", "或"))
_PREFIX = re.compile(r"([\w.:+-]+|unnamed dataset): (.+)", re.DOTALL)
_PROSE = re.compile(r"[a-z]{2,}[ ,;:]+[a-z]{2,}")
_CJK = re.compile("[\u3000-\u9fff]")
_QUOTED = re.compile("“[^”]*”")
_CJK_SPACE = re.compile(
    r"(?<=[\u3000-\u9fff，。；：（）、“”]) +(?=[\u3000-\u9fff“”])|(?<=[，。；：（）、]) | (?=[，。；：（）、])"
)
_MORE = re.compile(r" \((?:beside )?(\d+) (more like it|single ones?)\)$")
_DEPTH = 12


def said(text: str, lang: str) -> str:
    """A sentence of a finding, a fit, a limit or a warning in a language.

    Parameters
        text: English, as the tables hold it.
        lang: en or zh.
    Returns
        The sentence in that language, with rules by their names; the English text itself where it is not in the
        catalogue, so that a reader sees one language per sentence.

    Examples
        >>> said("repeat the pairs that matter at least 3 times", "zh")
        '对重要的配对至少重复测量 3 次'
    """
    if lang != "zh" or not text:
        return "; ".join(": ".join(filter(None, _named(part, "en"))) for part in _members().split(text))
    found = "；".join(_member(part) for part in _members().split(text))
    return text if is_prose(found) else found


def is_prose(text: str) -> bool:
    """Whether English sentences stand in the text, outside of “quotations”."""
    return bool(_PROSE.search(_QUOTED.sub("", text)))


def is_english(text: str) -> bool:
    """Whether a text that stands in another language's page is English as a whole."""
    return is_prose(text) and not _CJK.search(_QUOTED.sub("", text))


@cache
def _members() -> re.Pattern:
    """What stands between the messages of findings with one cause: a semicolon and the name of the next rule."""
    return re.compile(rf"; (?=(?:{'|'.join(texts('zh')['rules'])}): )")


def _member(text: str) -> str:
    """One message of a group: the rule that speaks, what it says, how many more there are like it."""
    name, message = _named(text, "zh")
    more = _MORE.search(message)
    if more:
        message = message[: more.start()]
    end = "" if not more else f"（另有 {more[1]} 条{'类似' if 'like' in more[2] else '单独的'}）"
    return f"{name}{'：' if name else ''}{_of_dataset(message)}{end}"


def _named(text: str, lang: str) -> tuple[str, str]:
    """The name of the rule that speaks, none where it does not say, and what it says."""
    rule, _, rest = text.partition(": ")
    name = texts(lang)["rules"].get(rule, "")
    return name, rest if name else text


def _of_dataset(message: str) -> str:
    """A message that may begin with the name of its dataset."""
    prefix = _PREFIX.fullmatch(message)
    if prefix:
        told = _phrase(prefix[2], 0)
        if told != prefix[2] and not is_prose(told):
            return f"{_phrase(prefix[1], 0)}：{told}"
    return _phrase(message, 0)


@lru_cache(maxsize=4096)
def _phrase(text: str, depth: int) -> str:
    exact, patterns = _catalogue()
    if text in exact:
        return exact[text]
    if depth > _DEPTH:
        return text
    for one in patterns:
        found = one.match(text)
        if found is not None:
            return _filled(one, found, depth)
    return _parts(text, depth)


def _filled(one: Pattern, found: dict[str, str], depth: int) -> str:
    values = {name: _phrase(value, depth + 1) if value else "" for name, value in found.items()}
    return _CJK_SPACE.sub("", one.target.format(**values))


def _parts(text: str, depth: int) -> str:
    """A text that is not a pattern of its own: clauses, lists, or a name and what is said of it."""
    prefix = _PREFIX.fullmatch(text)
    if prefix:
        told = _phrase(prefix[2], depth + 1)
        if told != prefix[2]:
            return f"{_phrase(prefix[1], depth + 1)}：{told}"
    for joint, mark in _JOINTS:
        pieces = text.split(joint)
        if len(pieces) > 1:
            told = [_phrase(piece, depth + 1) if piece else "" for piece in pieces]
            if told != pieces:
                return mark.join(told)
    # A sentence at the end of others keeps its full stop.
    if text.endswith(".") and len(text) > 1:
        told = _phrase(text[:-1], depth + 1)
        if told != text[:-1]:
            return f"{told}。"
    return text


@cache
def _catalogue() -> tuple[dict[str, str], tuple[Pattern, ...]]:
    from ycsbook.report.translation import (
        catalogue_advice,
        catalogue_rest,
        catalogue_rules,
        catalogue_scaling,
        catalogue_tables,
    )

    modules = (catalogue_rules, catalogue_tables, catalogue_advice, catalogue_scaling, catalogue_rest)
    pairs = [pair for module in modules for pair in module.PAIRS]
    exact = {source: target for source, target in pairs if "{" not in source}
    return exact, ordered(pairs)
