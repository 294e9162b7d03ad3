"""The units that the text around a table says of its columns, above it or below, where their headings say none."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from math import isnan, nan

from ycsbook.errors import shown
from ycsbook.ingest.log.table_columns import Role
from ycsbook.ingest.published.page_headings import LATENCIES, LATENCY_UNITS, QPS, TIMES

# So many lines below a table may speak of it.
_BELOW = 3


def lines_below(elements: Sequence[tuple[int, object]], at: int) -> list[tuple[str, int]]:
    """The text right below the table `elements[at]` of those that `placed` gives, each line with its number, without
    the next table's caption where this one has its own above it."""
    texts: list[tuple[str, int]] = []
    for line, element in elements[at + 1 :]:
        if not isinstance(element, str):
            caption = getattr(element, "caption", "") if elements[at][1].caption else ""
            return [text for text in texts if not (caption and text[0].strip().endswith(caption))]
        texts += [(element, line)] if any(map(str.isalpha, element)) else []
        if len(texts) == _BELOW:
            break
    return texts


def units_in(name: str, text: str) -> Iterator[float]:
    """What a text says of `rate_unit` or `latency_unit`: the factor to ops/s or us."""
    pattern = _RATE_UNIT if name == "rate_unit" else _LATENCY_UNIT
    for match in pattern.finditer(unicodedata.normalize("NFKC", text)):
        said = next(filter(None, match.groups()), "").lower()
        yield float(TIMES[said] if name == "rate_unit" else LATENCY_UNITS[said])


def of_columns(
    headings: Sequence[str], roles: Sequence[Role], facts, below: Sequence[tuple[str, int]], legend: str
) -> tuple[list[Role], dict[int, str]]:
    """The roles of a table's columns with the units of the text where headings have none, NaN where it says two; and by
    place what contradicts: two units, or one `below` that is not the heading's, which stays. `facts`: PageFacts."""
    roles, doubts = list(roles), {}
    for at, (heading, role) in enumerate(zip(headings, roles, strict=True)):
        column, factor = role or ("", nan)
        is_rate = column in (QPS, "tps")
        if not (is_rate or column.partition("@")[0] in LATENCIES):
            continue
        name, own_unit = ("rate_unit", _OWN_RATE) if is_rate else ("latency_unit", _OWN_LATENCY)
        is_told = not isnan(factor) and bool(own_unit.search(heading) or (is_rate and factor != 1.0))
        said = {unit for text, _ in below for unit in units_in(name, text)} if is_told else facts.says(name)
        if said - {factor} if is_told else len(said) > 1:
            lines = " and ".join(map(str, facts.lines(name)))
            reason = f"line {lines} says another unit, expected one; write it in the heading"
            doubts[at] = f"heading {shown(heading)}: {reason}"
        if not is_told and (said or not is_rate):
            of_text = next(iter(said)) if len(said) == 1 else nan
            of_legend = unit_of(heading, legend) if isnan(factor) else nan
            roles[at] = (column, of_legend if not isnan(of_legend) else of_text if said else factor)
    return roles, doubts


def legend(text: str) -> str:
    """The parts of a page that say the unit of something, at most so many that a hostile page costs no time."""
    return "\n".join([part[:500] for part in _PARTS.split(text) if _LEGEND_UNIT.search(part[:500])][:50])


def unit_of(heading: str, legend: str) -> float:
    """The factor to us of the unit that a page's legend gives a heading; NaN where it gives none."""
    legend_entry = re.search(rf"(?<!\w){re.escape(heading)}(?:\W|</\w+>){{0,9}}[:：](?P<says>.{{0,150}})", legend)
    unit = legend_entry and _LEGEND_UNIT.search(legend_entry["says"])
    return LATENCY_UNITS.get(unit[1].lower(), nan) if unit else nan


_PARTS = re.compile(r"\n|<(?:li|p|br|td)\b", re.IGNORECASE)
_LEGEND_UNIT = re.compile(r"(?:unit|单位|單位)\W{0,3}(?:is|为|為|是)?\W{0,3}(微秒|毫秒|秒|[a-zμ]{1,4})", re.IGNORECASE)
_MANY = "(k|thousand|million|[百千]?万|千|m(?=[oqtr]ps))"
_OPS = r"s?\s?(?:of\s)?(?:[oqtr]ps\b|(?:op|operation|query|querie|req|request|transaction)s?\s?(?:/|per\s)s|次)"
_TIME = f"({'|'.join(sorted((u for u in LATENCY_UNITS if '/' not in u), key=len, reverse=True))})(?![\\w/-]| range|级)"
_UNIT_IS = r"(?:units?|单位|單位)\W{0,3}(?:is|are|为|為|是)?\W{0,3}"
_RATE_UNIT = re.compile(
    rf"{_UNIT_IS}(?:(?:[mμu]s|[毫微]秒)\W{{1,3}})?(?:[oqt]ps\s?[/(]\s?{_MANY}|{_MANY}(?:{_OPS}|(?=\W|$)))"
    rf"|(?:\bin\s|[(\[:：]\s?)(?:{_MANY}{_OPS}|[oqtr]ps/s|(?:op|query|querie|req)s?/s)"
    rf"|(?:throughput|[oqt]ps|吞吐[量率]?)\s?(?:(?:is\s)?in\s|[(\[:：]\s?){_MANY}s?\b",
    re.IGNORECASE,
)
_LATENCY_UNIT = re.compile(
    r"(?:(?:latenc(?:y|ies)|response[ -]?times?|(?<!run )\btimes|\b(?:[rw]al|rt|lat)\b|时延|延迟|延时|响应时间)"
    rf"[^.:：;。；\d]{{0,40}}?(?:\b(?:in|are)\s(?:in\s)?|[(\[:：]\s?|{_UNIT_IS})|^\W*{_UNIT_IS}){_TIME}",
    re.IGNORECASE,
)
# A heading that says its unit.
_OWN_RATE = re.compile(r"/|\bper\b|second|每|[(（\[]\s?[oqrt]ps", re.IGNORECASE)
_OWN_LATENCY = re.compile(
    r"(?<![^\W\d_])(?:[nuμmµ]?s|[mun]?secs?|(?:milli|micro|nano)?seconds?)(?![^\W_])|秒", re.IGNORECASE
)
