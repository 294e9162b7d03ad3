"""Passwords taken out of text that may be shown or kept, by how they are written; knows no secret itself."""

import re

HIDDEN = "REDACTED"
# Every part is bounded: a hostile log costs linear time. A password should have its / and @ encoded; many have not.
_USERINFO = re.compile(
    r"(?P<scheme>\b[a-z][a-z0-9+.-]{0,30}://)[^\s/@:]{0,256}:(?:\S{0,256}@|[^\s/@]{0,4096}@)", re.IGNORECASE
)
# The value of -p mongodb.password=x, "db.passwd"="x", es.auth=u:x, azure.key=x or --password x.
_OPTION = re.compile(
    r"(?P<name>(?:--(?:password|passwd|pass)\s{1,3}"
    r"|(?:(?:password|passwd|passphrase|secret|[_-]token|\btoken|(?:api|access|account|primary|private)[_-]?key)[\w.-]{0,20}"
    r"|\.key|\bpass|\bpwd|\bauth|\bauthorization)[\"']?\s{0,3}[=:]\s{0,3}))"
    r"(?:\"[^\"\n]{1,256}\"|'[^'\n]{1,256}'|(?:(?:basic|bearer) )?[^\s\"',;&]{1,256})",
    re.IGNORECASE,
)
# One of these is part of every option's name, which begins at most so many letters before it: private_key.
_OF_OPTIONS, _BEFORE = re.compile("pass|secret|pwd|token|key|auth", re.IGNORECASE), 8


def redact(text: str) -> str:
    """The text with every user:password@ of a URI and every value of an option or property named as a password
    replaced."""
    # Searching for what cannot be there takes longer than reading the rest of a log.
    if "@" in text and "://" in text:
        # Nothing of an address is white space, so none goes over the end of a line.
        text = "\n".join(_without_users(line) for line in text.split("\n"))
    return _without_options(text)


def _without_users(line: str) -> str:
    return _USERINFO.sub(rf"\g<scheme>{HIDDEN}@", line) if "@" in line and "://" in line else line


def _without_options(text: str) -> str:
    """As substituting every _OPTION, which looks at each letter of the text for all that one may begin with."""
    parts, end, place = [], 0, 0
    while word := _OF_OPTIONS.search(text, place):
        starts = range(max(end, word.start() - _BEFORE), word.start() + 1)
        option = next(filter(None, (_OPTION.match(text, start) for start in starts)), None)
        if option:
            parts += [text[end : option.start()], option["name"], HIDDEN]
            end = option.end()
        place = end if option else word.start() + 1
    return "".join([*parts, text[end:]])
