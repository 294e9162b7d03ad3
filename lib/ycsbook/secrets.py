"""Where secrets come from, and how they are kept out of everything that is written."""

import os
import re
from collections.abc import Sequence
from urllib.parse import quote, unquote

from ycsbook import redaction
from ycsbook.errors import ToolError
from ycsbook.redaction import HIDDEN

__all__ = ["HIDDEN", "Secret", "hosts", "redact", "uri_from_env"]

# A URI whose every @ but the one before the hosts is encoded, so that it is clear where user and password end.
_HOST = r"(?:\[[0-9A-Fa-f:.]+\]|[^\s/?#@:,\[\]]+)(?::\d{1,5})?"
_URI = re.compile(
    r"mongodb(?:\+srv)?://(?:(?P<user>[^\s:/?#\[\]@]*)(?::(?P<password>[^\s:/?#\[\]@]*))?@)?"
    rf"(?P<hosts>{_HOST}(?:,{_HOST})*)(?:/[^\s?#@]*)?(?:\?[^\s#@]*)?"
)


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
        ToolError: set, but not a MongoDB URI, or with a user or password that is not percent-encoded.
    """
    value = os.environ.get(name, "").strip()
    if not value:
        return None
    if not _URI.fullmatch(value):
        raise ToolError(
            f"environment variable {name}: expected mongodb://user:password@host:port/database?option=value (or "
            "mongodb+srv://) with / ? # [ ] @ : % in user and password percent-encoded, such as %2F for /"
        )
    return Secret(value)


def hosts(uri: Secret) -> str:
    """The hosts of a URI, without user, password and options: what may be written down; empty where it is none."""
    match = _URI.fullmatch(uri.reveal())
    return match["hosts"] if match else ""


def redact(text: str, secrets: Sequence[Secret] = ()) -> str:
    """The text with every known secret, also URL-encoded, every user:password@ of a URI and every value of an option
    or property named as a password replaced."""
    for value in _forms(secrets):
        text = text.replace(value, HIDDEN)
    return redaction.redact(text)


def _forms(secrets: Sequence[Secret]) -> list[str]:
    values: set[str] = set()
    for secret in secrets:
        uri = secret.reveal()
        values.add(uri)
        if (match := _URI.fullmatch(uri)) and match["password"]:
            plain = unquote(match["password"])
            values |= {f"{match['user']}:{match['password']}", match["password"], plain, quote(plain, safe="")}
    return sorted((v for v in values if len(v) >= 3), key=len, reverse=True)
