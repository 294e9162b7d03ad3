"""The mixes of operations that pages print in headings, sentences, captions and cells."""

import re
import unicodedata
from collections.abc import Iterable
from math import nan

from ycsbook import names

Mix = tuple[str, float]
# The mix of a row of the load phase, and what titles and cells call that.
LOAD = "load"
LOAD_PHASE = re.compile(
    r"(?:[\d.]{1,8}\s?)?(?:(?:data |bulk )?load(?:ing)?(?:(?: test)? data)?(?: phase)?"
    r"(?: (?:results?|performance|throughput))?"
    r"|(?:数据)?(?:加载|装载|导入)(?:数据)?(?:阶段)?(?:性能|结果|测试)?)(?:\s?[(（,，].{0,100})?",
    re.IGNORECASE,
)


def read_fraction(heading: str) -> float | None:
    """The share of reads that a section heading prints; None where it prints no mix of reads and updates."""
    return next(iter(_reads(unicodedata.normalize("NFKC", heading))), None)


def _reads(text: str, *, in_prose: bool = False) -> list[float]:
    """The shares of reads that a text prints, the plainest first. In prose a ratio such as 80/20 may be anything's."""
    if (words := _IN_WORDS.fullmatch(text.strip())) and words["half"]:
        return [0.5]
    # A ratio beside other operations than reads and updates is of these.
    has_inserts = _READ.search(text) and _INSERT.search(text) and not _UPDATE.search(text)
    if has_inserts or _OTHER.search(text):
        return []
    mixes = (m for m in _MIX.finditer(text) if not in_prose or ":" in m[0] or "read" in m[0].lower())
    of_reads = 2 if _WRITES_FIRST.search(text) else 1
    of_mixes = ((float(m[of_reads]), round(float(m[1]) + float(m[2]), 9)) for m in mixes)
    of_ratios = ((float(m[1]), float(m[1]) + float(m[2])) for m in _RATIO.finditer(text))
    return [
        *_shares(text),
        *(reads / total for reads, total in of_mixes if total in (1.0, 100.0)),
        *(reads / total for reads, total in of_ratios if 0 < total <= 10),
    ]


def _shares(text: str) -> list[float]:
    """The shares of reads that a text prints as per cents of operations which add up to all."""
    mixes, parts, end = [], [], 0
    for match in _SHARE.finditer(text):
        if match.start() - end > _NEAR:
            parts = []
        operation = (match["operation"] or match["before"]).lower()
        parts.append((float(match["share"] or match["after"]), operation.startswith(("read", "get", "读", "查"))))
        end = match.end()
        if sum(share for share, _ in parts) == 100:
            mixes.append(sum(share for share, reads in parts if reads) / 100)
            parts = []
    return mixes


def mixes_in_words(labels: Iterable[str]) -> dict[str, str]:
    """The labels that stand beside each other, those in words with their ratio of reads to writes, if all are mixes;
    else as they are. Read-only alone may be a test of another program, with a name of its own."""
    words = {label: _IN_WORDS.fullmatch(unicodedata.normalize("NFKC", label).strip()) for label in labels}
    if not all(found or mix(label) for label, found in words.items()):
        return {label: label for label in words}
    return {label: _RATIOS_IN_WORDS[found.lastgroup] if found else label for label, found in words.items()}


def mixes_in_prose(text: str) -> set[Mix]:
    """The mixes that a sentence prints, as `mix` gives them: each with its shares, else by the letters of workloads."""
    text = unicodedata.normalize("NFKC", text)
    workloads = set(_WORKLOAD_IN_PROSE.findall(text))
    # YCSB-C alone may be the program of that name.
    letters = {letter.lower() for _, letter in workloads if workloads != {("YCSB", "C")}}
    shares = _reads(text, in_prose=True) if letters.isdisjoint(_OTHER_WORKLOADS) else []
    return {(names.mix_name(reads), reads) for reads in shares} or {(letter, nan) for letter in letters}


def mix(text: str) -> Mix | None:
    """The workload's name and share of reads that a text prints; None where it prints no mix.

    The name of one of YCSB's workload files gives a name only: pages change the shares on the command line. Those of D,
    E and F are of other operations than reads and updates, whatever ratio stands beside the letter. That of the load
    phase is LOAD.

    Examples
        >>> mix("读写比 95:5"), mix("Workload A"), mix("workloads")
        (('b', 0.95), ('a', nan), None)
        >>> mix("A (50/50 read/update)"), mix("D (95/5 read latest/insert)"), mix("Workload E (95/5 scan/insert)")
        (('a', 0.5), ('d', nan), ('e', nan))
    """
    if LOAD_PHASE.fullmatch(text):
        return LOAD, 0.0
    letters = {"".join(letters).lower() for letters in _WORKLOAD.findall(text)}
    letter = letters.pop() if len(letters) == 1 else ""
    reads = None if letter in _OTHER_WORKLOADS else read_fraction(text)
    if reads is not None:
        return letter or names.mix_name(reads), reads
    return (letter, nan) if letter else None


_MIX = re.compile(r"(?<![\d.])(\d{1,3}(?:\.\d{1,6})?)\s*(?:%|reads?)?\s*[:/]\s*(\d{1,3}(?:\.\d{1,6})?)(?!\d|\.\d)")
_WRITES_FIRST = re.compile(
    r"(?:writes?|updates?|puts?|sets?|(?<![a-z])w)\s?[:/&-]\s?(?:reads?|gets?|r)(?![a-z])|(?:[写寫]|更新)[:/&]?[读讀]",
    re.I,
)
# Small numbers are a mix only where the words before them say so.
_RATIO = re.compile(
    r"(?:读写(?:混合)?比例?|读[&/](?:写|更新)比?例?|r[:/]w|read[:/]?(?:write|update)s?(?: ratio)?)\s{0,3}[:=为]?\s{0,3}"
    r"(\d{1,2})\s?:\s?(\d{1,2})(?![\d.:])",
    re.IGNORECASE,
)
# The whole of a text: a read-only instance is no mix.
_IN_WORDS = re.compile(
    r"(?:(?P<reads>[只纯全]读|(?:pure |all )reads?|reads?[- ]?only)"
    r"|(?P<half>读写(?:各半|对半|各一半)|half reads?,? half (?:writ|updat)es?)"
    r"|(?P<writes>[只纯全]写|(?:pure |all )(?:writ|updat)es?|(?:writ|updat)es?[- ]?only))"
    r"\s?(?:场景|测试|压测|负载|模式|性能|workload|test|mode|mix)?(?:\s?\(.{0,60})?",
    re.IGNORECASE,
)
_RATIOS_IN_WORDS = {"reads": "100:0", "half": "50:50", "writes": "0:100"}
_OPERATION = "reads?|(?-i:GETs?|SETs?)|读取?|查询|updates?|writes?|inserts?|更新|写入?|插入"
_SHARE = re.compile(
    rf"(?P<share>\d{{1,3}}(?:\.\d{{1,3}})?)\s?%\s?(?:of\s|的)?(?P<operation>{_OPERATION})"
    rf"|(?P<before>{_OPERATION})\s?[:=为占]?\s?(?P<after>\d{{1,3}}(?:\.\d{{1,3}})?)\s?%",
    re.IGNORECASE | re.ASCII,
)
# Between two shares of one mix stand so few characters.
_NEAR = 12
# YCSB-A/B, A, B and C: several.
_ALONE = (
    r"(?![A-Za-z0-9+]|/(?:[Ww]orkload|YCSB)"
    r"|\s?(?:[/,&、]|and|or|to|和|与|[-–](?=\w))\s?(?-i:[A-Fb-f])(?![A-Za-z0-9]))"
)
_WORKLOAD_IN_PROSE = re.compile(rf"(?<![A-Za-z/])([Ww]orkload(?=\s)|YCSB)[\s-]([A-F]){_ALONE}", re.ASCII)
# A letter alone counts where its text goes on behind a bracket or the like.
_WORKLOAD = re.compile(
    rf"(?:^|[^a-z/])(?:workload|ycsb)[\s_-]{{0,2}}([a-f]){_ALONE}|^([a-f])(?=\s?[(:（：]|\s[-–—]\s)",
    re.IGNORECASE | re.ASCII,
)
_OTHER_WORKLOADS = tuple("def")
_READ, _INSERT = re.compile(r"\bread|读|查询", re.IGNORECASE), re.compile(r"\binsert|插入", re.IGNORECASE)
_UPDATE = re.compile(r"\b(?:updat|writ)|更新|写", re.IGNORECASE)
_OTHER = re.compile(r"\bscan|\brmw\b|read[ -]?modify|扫描|范围查询|读[取-]?改[-]?写|读取?-?修改", re.IGNORECASE)
