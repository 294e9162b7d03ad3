"""Where secrets come from, and how they are kept out of everything that is written."""

import os
import re
from urllib.parse import quote, unquote, urlsplit

from ycsbook.errors import ToolError

# Every part is bounded: a hostile log costs linear time. A password should have its / and @ encoded; many have not.
_USERINFO = re.compile(
    r"(?P<scheme>\b[a-z][a-z0-9+.-]{0,30}://)[^\s/@:]{0,256}:(?:\S{0,256}@|[^\s/@]{0,4096}@)", re.IGNORECASE
)
HIDDEN = "REDACTED"


class Secret:
    """A value that never shows itself: `str` and `repr` print REDACTED, `reveal()` gives it."""

    def __init__(self, value: str):
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return HIDDEN

    __str__ = __repr__


def uri_from_env(name: str) -> Secret | None:
    """The MongoDB URI in an environment variable; None where it is unset or empty.

    Raises
        ToolError: set, but not a mongodb:// or mongodb+srv:// URI.
    """
    value = os.environ.get(name, "").strip()
    if not value:
        return None
    if not value.startswith(("mongodb://", "mongodb+srv://")):
        raise ToolError(f"environment variable {name}: expected a URI that starts with mongodb:// or mongodb+srv://")
    return Secret(value)


def hosts(uri: Secret) -> str:
    """The hosts of a URI, without user, password and options: what may be written down."""
    return urlsplit(uri.reveal()).netloc.rpartition("@")[2]


def redact(text: str, secrets: list[Secret] = ()) -> str:
    """The text with every user:password@ of a URI and every known secret, also URL-encoded, replaced."""
    for value in _forms(secrets):
        text = text.replace(value, HIDDEN)
    return _USERINFO.sub(rf"\g<scheme>{HIDDEN}@", text)


def _forms(secrets: list[Secret]) -> list[str]:
    values: set[str] = set()
    for secret in secrets:
        uri = secret.reveal()
        parts = urlsplit(uri)
        values |= {uri, parts.netloc.rpartition("@")[0]}
        if parts.password:
            plain = unquote(parts.password)
            values |= {parts.password, plain, quote(plain, safe="")}
    return sorted((v for v in values if len(v) >= 3), key=len, reverse=True)
