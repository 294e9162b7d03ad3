"""Takes passwords out of text that may be shown or kept, by how they are written; knows no secret itself."""

import functools
import html
import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence

HIDDEN = "REDACTED"
# Every part is bounded: a hostile log costs linear time. A password should have its / and @ encoded; many have not.
_USERINFO = re.compile(
    r"(?P<scheme>\b[a-z][a-z0-9+.-]{0,30}://)[^\s/@:]{0,256}:(?:\S{0,256}@|[^\s/@]{0,4096}@)", re.IGNORECASE
)
# The value of -p mongodb.password=x, "db.passwd"="x", userpass=x, es.auth=u:x, azure.key=x or --password x.
_OPTION = re.compile(
    r"(?P<name>(?:--(?:password|passwd|pass)\s{1,3}"
    r"|(?:(?:password|passwd|passphrase|secret|[_-]token|\btoken|(?:api|access|account|primary|private)[_-]?key)[\w.-]{0,20}"
    r"|passwor[dt]|contraseña|senha|пароль|密码|密碼|口令|パスワード|비밀번호"
    r"|\.key|(?<!by)(?<!com)pass|pwd|\bauth|\bauthorization)[\"']?\s{0,3}[=:＝：]\s{0,3}))"
    r"(?:\"[^\"\n]{1,256}\"|'[^'\n]{1,256}'|(?:(?:basic|bearer) )?[^\s\"',;&]{1,256})",
    re.IGNORECASE,
)
# One of these is part of every option's name, which begins at most so many letters before it: private_key.
_OF_OPTIONS = re.compile("pass|secret|pwd|token|key|auth|senha", re.IGNORECASE)
_OF_OPTIONS_ANYWHERE = re.compile(
    f"{_OF_OPTIONS.pattern}|contraseña|пароль|密码|密碼|口令|パスワード|비밀번호", re.IGNORECASE
)
_BEFORE = 8
# A letter in a URI, in JSON, Java or Python, in HTML; in UTF-8 several octets are one.
_ENCODED = re.compile(
    r"%[c-fC-F][0-9a-fA-F](?:%[89abAB][0-9a-fA-F]){1,3}|%[0-9a-fA-F]{2}"
    r"|\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}"
    r"|[^\w\n])|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8});"
)
# One encoding in another: a URI in a parameter of a URI, in JSON, in HTML.
_LAYERS = 6
_ACCENTS_APART = functools.partial(unicodedata.normalize, "NFD")


def redact(text: str, hidden: Sequence[re.Pattern] = ()) -> str:
    """The text with every user:password@ of a URI, every value of an option or property named as a password, and all
    that `hidden` finds replaced, also where it is encoded, several times over."""
    text = _without(text, _secrets(text, hidden))
    if not ("%" in text or "\\" in text or "&" in text or (hidden and not text.isascii())):
        return text
    return "\n".join(_without(line, _encoded_secrets(line, hidden)) for line in text.split("\n"))


def known(value: str) -> re.Pattern:
    """The pattern of a known secret: as it is, with accents as separate characters, or as octets read as Latin-1."""
    written = {value, *(unicodedata.normalize(form, value) for form in ("NFC", "NFD"))}
    octets = {text.encode("utf-8", "surrogatepass").decode("latin-1") for text in written}
    forms = {unicodedata.normalize("NFD", form) for form in written | octets} | {value}
    return re.compile("|".join(re.escape(form).replace(r"\ ", "[ +]") for form in sorted(forms)))


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    parts, end = [], 0
    for start, stop in sorted(spans):
        if start >= end:
            parts += [text[end:start], HIDDEN]
        end = max(end, stop)
    return "".join([*parts, text[end:]])


def _encoded_secrets(line: str, hidden: Sequence[re.Pattern]) -> Iterator[tuple[int, int]]:
    """Where encoded secrets stand in a line, taking one layer of encoding off after the other."""
    text, offsets = line, list(range(len(line) + 1))
    for _ in range(_LAYERS):
        if hidden and not text.isascii():
            apart, offsets_apart = _replaced(re.finditer(r"[^\0-\x7f]", text), _ACCENTS_APART, text, offsets)
            yield from ((offsets_apart[a], offsets_apart[b]) for p in hidden for a, b in _spans(p, apart))
        before = text
        text, offsets = _replaced(_ENCODED.finditer(text), _plain, text, offsets)
        if text == before:
            return
        yield from ((offsets[a], offsets[b]) for a, b in _secrets(text, hidden))


def _replaced(
    matches: Iterator[re.Match], replacement: Callable[[str], str], text: str, offsets: list[int]
) -> tuple[str, list[int]]:
    """The text with every match replaced, and the offset that each of its letters had at first, the end included."""
    parts, moved, end = [], [], 0
    for match in matches:
        new = replacement(match[0])
        parts += [text[end : match.start()], new]
        moved += [*offsets[end : match.start()], *[offsets[match.start()]] * len(new)]
        end = match.end()
    return "".join([*parts, text[end:]]), [*moved, *offsets[end:]]


def _plain(encoded: str) -> str:
    if encoded[0] == "%":
        return bytes.fromhex(encoded.replace("%", "")).decode("utf-8", "surrogateescape")
    if encoded[0] == "&":
        return html.unescape(encoded)
    if encoded[1] not in "uUx":
        return encoded[1]
    units = [int(unit, 16) for unit in encoded.replace("x", "u").replace("U", "u").split("\\u")[1:]]
    if len(units) == 2:
        return chr(0x10000 + (units[0] - 0xD800) * 0x400 + units[1] - 0xDC00)
    return chr(units[0]) if units[0] <= sys.maxunicode else encoded


def _secrets(text: str, hidden: Sequence[re.Pattern]) -> Iterator[tuple[int, int]]:
    for pattern in hidden:
        yield from _spans(pattern, text)
    # Searching for what cannot be there takes longer than reading the rest of a log.
    if "@" in text and "://" in text:
        start = 0
        # Nothing of an address is white space, so none goes over the end of a line.
        for line in text.split("\n"):
            if "@" in line and "://" in line:
                yield from ((start + m.end("scheme"), start + m.end() - 1) for m in _USERINFO.finditer(line))
            start += len(line) + 1
    yield from _options(text)


def _spans(pattern: re.Pattern, text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in pattern.finditer(text))


def _options(text: str) -> Iterator[tuple[int, int]]:
    """Where the values of _OPTION stand; looks only near the words that such options contain."""
    end, place = 0, 0
    words = _OF_OPTIONS if text.isascii() else _OF_OPTIONS_ANYWHERE
    while word := words.search(text, place):
        starts = range(max(end, word.start() - _BEFORE), word.start() + 1)
        option = next(filter(None, (_OPTION.match(text, start) for start in starts)), None)
        if option:
            yield option.end("name"), option.end()
            end = option.end()
        place = end if option else word.start() + 1
