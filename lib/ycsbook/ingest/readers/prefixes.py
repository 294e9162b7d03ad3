r"""What stands around the lines of a log: who printed them and when, quotes, tags, ends of lines that are spelt out.

ycsb-1  | 2026-11-21T08:00:00Z [OVERALL], RunTime(ms), 1000
[pod/ycsb-0/client] [OVERALL], RunTime(ms), 1000
2026-11-21 08:00:00,123 INFO client-1: [OVERALL], RunTime(ms), 1000
{"log": "[OVERALL], RunTime(ms), 1000\n", "stream": "stdout"}
"stdout": "[OVERALL], RunTime(ms), 1000\n[OVERALL], Throughput(ops/sec), 1000.0",
| **Load** | [OVERALL], RunTime(ms), 1000<br/>[OVERALL], Throughput(ops/sec), 1000.0 |
[OVERALL], RunTime(ms), 1000[OVERALL], Throughput(ops/sec), 1000.0
"""

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from ycsbook.ingest.files.sources import CHUNK_BYTES, MAX_LINE, Source

# Containers and services whose lines one file may hold.
MAX_PRINTERS = 500
# A name and a time.
_MOST = 2
# Longer than what any program prints before a line; words before a figure are no name.
_MAX_BEFORE, _MAX_WORDS, _MOST_COMMAS = 300, 4, 4
_COLOUR = re.compile(r"\x1b\[[\d;]{0,20}[A-Za-z]")
# Tags but headings, which say what a log is of.
TAGS = re.compile(r"</?(?!h[1-6][ >])[A-Za-z][^<>]{0,200}>", re.ASCII | re.IGNORECASE)
# A client's own clock has a blank between date and time.
_PREFIX = re.compile(
    r"(?:([\w.-]{1,80}) {1,40}\|(?: |$)|\[(pod/[^\]\s]{1,200})\](?: |$)"
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)(?: (?:stdout|stderr) [FP])?(?: |$)"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d (\S{1,80} \S{1,80}):(?: |$))",
    re.ASCII,
)
# What only a line of a log begins with.
_BEGINS = (
    r"(?:\[[A-Z][^\[\]]{0,79}\],[ \t]{0,8}[\w>*]|YCSB Client \d|Command line: -"
    r"|(?:(?<![^\s\"'`>])/[^\s\"]{1,200}/)?\bjava\s{1,4}-"
    r"|(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[:.,]\d{1,3} {1,8})?\d{1,10} sec: \d{1,18} operations;"
    # go-ycsb, and the ports to C++
    r"|[A-Z][A-Z_]{1,40} {1,6}- (?:Takes\(s\): \d|Count: \d{1,15}, Avg\()|Run finished, takes \d"
    r"|\*{17} properties \*|\"[\w.-]{1,80}\"=\""
    r"|(?:Load|Run) [a-z ]{1,20}\((?:sec|ops|ops/sec)\): \d|# (?:Load|Transaction|Run) throughput \(K)"
)
_LINE = re.compile(_BEGINS, re.ASCII)
# One of them is in every such line; to look for them costs next to nothing.
_SIGNS = (
    "],", "]</", " sec: ", "YCSB Client ", "Command line: ", "ycsb.Client ", "akes", ", Avg(us)", '"="', "propert",
    "(ops", "(sec", "(K",
)  # fmt: skip
_QUOTED = re.compile(r'\{".*\}|\[\d.*\]|"(?:[^"\\]|\\.)*",?', re.ASCII)
# Ends of lines inside a string of a program, or between the strings of a list, and in cells of a table.
_BREAK = r'(?:(?:\\{1,4}r)?\\{1,4}n|<br\s?/?>|\|(?=[^|<]{1,300}<br)|"\]?,\s?(?:"[\w.]{1,80}":\s?\[?)?"|\r)'
_BROKEN = re.compile(rf"{_BREAK}\s?{_BEGINS}", re.ASCII | re.IGNORECASE)
_BREAKS = re.compile(_BREAK, re.ASCII | re.IGNORECASE)
# A line of a summary without brackets, which Markdown and copying take away.
_BARE = re.compile(
    r"([A-Z][A-Z-]{1,40})\]?, (?=(?:RunTime|Throughput|[\w.]{1,30}Latency)\((?:[a-z/]+)\),|Operations,|Return=)",
    re.ASCII,
)
# One with a colon before its figure, as people print it again, or in cells of a spreadsheet or a table.
_COLON = re.compile(
    r"\[([A-Z][A-Z-]{1,40})\](?:[,;\t]| \|)? {0,2}"
    r"((?:RunTime|Throughput|[\w.]{1,30}Latency)\((?:[mun]?s|ops/sec)\)|Operations|Return=[\w-]{1,40})"
    r"(?:[,:;\t]| \|) {0,4}(?=\d)",
    re.ASCII,
)
# Between the lines of a summary whose ends were lost.
_JOINED = re.compile(
    r"(?<=[\w.)])(?:\s{0,8}(?=\[[A-Z][^\[\]]{0,79}\], ?[\w>])|\s{1,8}(?=[A-Z][A-Z_]{1,40} {1,6}- Takes\(s\): \d))",
    re.ASCII,
)
# What differs from line to line: times, numbers of lines, levels, streams.
_VARYING = re.compile(
    r"\d{1,4}([-/])\d\d\1\d{1,4}(?:[T:]|\b)|\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?|\b\d{9,13}(?:\.\d{1,9})?\b"
    r"|:\d{1,9}(?=\W)|\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|stdout|stderr|out|err)\b",
    re.ASCII | re.IGNORECASE,
)
_TIME = rb"(?:\d{4}-\d\d-\d\dT?)?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?|\d{4}-\d\d-\d\d\b"
# What tells one printer from another: a word with a number or a mark in it.
_NAME = re.compile(r"\d+[cuvU核][\w-]*\d+[gG]\w*|[A-Za-z][\w@]*(?:\d|[.@/-]\w)[\w.@/-]*|\d+(?:[.,]\d+)+", re.ASCII)


def lines(text: str) -> list[tuple[str, str]]:
    r"""The lines of a log in a line of a file, each with who printed it, as far as that is said; one that begins with ?
    is guessed.

    Examples
        >>> lines("ycsb-1  | YCSB Client 0.17.0"), lines("YCSB Client 0.17.0")
        ([('ycsb-1', 'YCSB Client 0.17.0')], [('', 'YCSB Client 0.17.0')])
        >>> lines(r'"msg": "[READ], Operations, 4\n[READ], Return=OK, 4",')
        [('', '[READ], Operations, 4'), ('', '[READ], Return=OK, 4",')]
    """
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    text = _BARE.sub(r"[\1], ", text, count=1) if _BARE.match(text) else text
    is_joined = text.count("],") > 1 or text.count("akes") > 1
    if _LINE.match(text) and not ("\\" in text or "<" in text or is_joined):
        return [("", text)]
    text = text.replace("&nbsp;", " ").replace("\xa0", " ")
    if _QUOTED.fullmatch(text) and (inside := _of_json(text)):
        return [_line(part) for part in inside.splitlines()]
    if may_hold_line(text) and _BROKEN.search(text):
        return [_line(part) for part in _BREAKS.split(text)]
    return [_line(part) for part in _JOINED.split(text)] if is_joined else [_line(text)]


@dataclass(frozen=True)
class Bare(Source):
    """A file without what stands around its lines: those of one printer, and blank ones for the others'. `printer`:
    empty for all of them."""

    printer: str = ""

    @classmethod
    def of(cls, source: Source) -> "list[Bare]":
        """A file as each of its printers wrote it."""
        printers = dict.fromkeys(name for raw in source.lines() for name, text in _printed(raw) if _LINE.match(text))
        several = printers if len(printers) <= MAX_PRINTERS else [""]
        return [cls(source.path, source.label, source.root, source.limit, name) for name in several or [""]]

    def lines(self, limit: int = MAX_LINE) -> Iterator[bytes]:
        for raw in super().lines(limit):
            end = b"\n" if raw.endswith(b"\n") else b""
            texts = [text for name, text in _printed(raw) if not self.printer or name in ("", self.printer)]
            yield from (text.encode() + (end if i == len(texts) else b"\n") for i, text in enumerate(texts, 1))
            yield from () if texts else (b"\n",)

    def chunks(self, size: int = CHUNK_BYTES) -> Iterator[bytes]:
        lines = iter(self.lines())
        while chunk := b"".join(islice(lines, size // MAX_LINE)):
            yield chunk

    def head(self, size: int) -> bytes:
        return b"".join(islice(self.lines(), size))[:size]


def bare(part: bytes) -> bytes:
    """A part of a file without what stands around its lines, whoever printed them."""
    return b"\n".join(text.encode() for raw in part.splitlines() for _, text in _printed(raw)) + b"\n"


def _printed(raw: bytes) -> list[tuple[str, str]]:
    text = raw.decode("utf-8", errors="replace").strip("\r\n")
    if '""' in text and text.endswith('"'):  # a cell of a CSV
        text = next(csv.reader([text]))[-1]
    inside = text.lstrip("\ufeff\t >")  # indentation may matter, but for strings and mails
    text = inside if text.startswith(">") or inside.startswith(('"', "{")) else text
    return [(name, part.rstrip("\r")) for name, part in lines(text)]


def with_commas(text: str) -> str:
    """A line of a file with what people print again of a summary as YCSB prints it."""
    plain = _COLON.sub(r"[\1], \2, ", text) if "]" in text else text
    return re.sub(r"(?<=\d),(?=\d+$)", ".", plain) if ";" in text and plain != text else plain


def stripped(chunk: bytes, line: bytes) -> tuple[str, bytes] | None:
    """Lines without what stands around one of them, given without its end, and the name in it; None where other lines
    of a log have something else around them."""
    (name, text), *more = lines(line.decode("utf-8", errors="replace").lstrip())
    if more or not text or text.encode() not in line:
        return None
    before, _, behind = line.partition(text.encode())
    around = [(rb"(?:" + _TIME + rb")").join(map(re.escape, re.split(_TIME, part))) for part in (before, behind)]
    begin, end = around[0], around[1] + rb"$" if behind else b""
    unlike_lines = re.findall(rb"(?m)^(?!" + begin + (rb".*" + end if behind else b"") + rb").+", chunk)
    if any(map(_LINE.search, b"\n".join(unlike_lines).decode("utf-8", errors="replace").split("\n"))):
        return None
    return name, re.sub(rb"(?m)^" + begin + (rb"(.*)" + end if behind else b"()"), rb"\1", chunk)


def _line(text: str) -> tuple[str, str]:
    if _LINE.match(text):
        return "", text
    names, at = "", 0
    for _ in range(_MOST):
        if match := _PREFIX.match(text, at):
            names, at = names + next(filter(None, match.groups()), ""), match.end()
    text = text[at:]
    if not may_hold_line(text):
        return names, text
    plain = re.sub(r"\\([\[\]_*])", r"\1", TAGS.sub("", text)) if "<" in text or "\\[" in text else text
    begin = _LINE.search(plain)
    if not begin or begin.start() > _MAX_BEFORE:
        return names, text
    before, plain = plain[: begin.start()], plain[begin.start() :]
    # A line that another one was torn by: within a word or a list of figures.
    if before[-1:].isalnum() or before.count(", ") > _MOST_COMMAS:
        return names, text
    if (quote := before[-1:]) and quote in "\"'`":
        plain = re.match(rf"(?:[^{quote}\\]|\\.)*", plain)[0]
    words = _VARYING.sub(" ", before).split()
    guessed = _NAME.findall(" ".join(words)) if len(words) <= _MAX_WORDS and not names else ()
    return names or "".join(f"?{name}" for name in guessed), plain


def may_hold_line(text: str) -> bool:
    return any(sign in text for sign in _SIGNS)


def _of_json(text: str) -> str:
    """The string that a line of JSON is, or those inside it that are of a log, or called so."""
    try:
        quoted = json.loads(text.removesuffix(","))
    except (ValueError, RecursionError):
        return ""
    strings = list(_strings(quoted))
    is_log = isinstance(quoted, str) or "log" in quoted
    return "\n".join(strings[:1] if is_log else filter(_LINE.search, strings))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for inside in value.values() if isinstance(value, dict) else value:
            yield from _strings(inside)
