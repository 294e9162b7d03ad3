"""Where secrets come from, and how they are kept out of everything that is written."""

import os
import re
import stat
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from ycsbook import opening, redaction
from ycsbook.errors import ToolError
from ycsbook.redaction import HIDDEN

FILE_SUFFIX = "_FILE"
# What programs need to find each other; not JAVA_TOOL_OPTIONS and its kin, which change what is measured unseen.
_PASSED_ON = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "LANG", "LC_ALL")
# What `hide_uris` took out of the environment.
_hidden: dict[str, str] = {}
_LONGEST_URI = 65_536
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


def clean_environment(*more: str, **changes: str) -> dict[str, str]:
    """The environment for a program that is started: only what it needs to find other programs, and `more`."""
    return {name: os.environ[name] for name in (*_PASSED_ON, *more) if name in os.environ} | changes


def hide_uris() -> None:
    """Take every MongoDB URI out of the environment, which all child processes would see; `variable` still knows it."""
    for name, value in list(os.environ.items()):
        if value.lstrip().startswith(("mongodb://", "mongodb+srv://")):
            _hidden[name] = os.environ.pop(name)


def variable(name: str) -> str:
    """An environment variable, hidden or not; empty where it is not set."""
    return os.environ.get(name, _hidden.get(name, "")).strip()


def uri_from_env(name: str) -> Secret | None:
    """The MongoDB URI in an environment variable, or in the file that the variable `<name>_FILE` names; None where both
    are unset or empty. Raises ToolError for what is no MongoDB URI, for a user or password that is not
    percent-encoded, and for a file that cannot be read, or that others may read."""
    value, path = map(variable, (name, f"{name}{FILE_SUFFIX}"))
    if value and path:
        raise ToolError(f"environment variables {name} and {name}{FILE_SUFFIX} are both set; unset one of them")
    where = f"environment variable {name}"
    if path:
        where = f"{path} (named by {name}{FILE_SUFFIX})"
        value = _private_text(Path(path).expanduser(), where)
    elif not value:
        return None
    if not _URI.fullmatch(value):
        raise ToolError(
            f"{where}: expected mongodb://user:password@host:port/database?option=value (or "
            "mongodb+srv://) with / ? # [ ] @ : % in user and password percent-encoded, such as %2F for /"
        )
    return Secret(value)


def _private_text(path: Path, where: str) -> str:
    try:
        with opening.opened(path) as file:
            # Of the file that is open: what has its name may be another one by now.
            status = os.fstat(file.fileno())
            if status.st_mode & 0o077:
                raise ToolError(
                    f"{where}: others may read it (mode {stat.S_IMODE(status.st_mode):04o}), expected 0600; "
                    f"chmod 600 {path}, and change the password if others use this machine"
                )
            return file.read(_LONGEST_URI + 1).decode("utf-8", "replace").strip()
    except OSError as e:
        raise ToolError(f"{where}: cannot be read: {e.strerror}; check the path and its owner") from None


def hosts(uri: Secret) -> str:
    """The hosts of a URI, without user, password and options: what may be written down; empty where it is none."""
    match = _URI.fullmatch(uri.reveal())
    return match["hosts"] if match else ""


def redact(text: str, secrets: Sequence[Secret] = ()) -> str:
    """The text without known secrets, user:password@ of URIs and values of options named as passwords, even encoded."""
    return redaction.redact(text, _patterns(tuple(secret.reveal() for secret in secrets)))


@cache
def _patterns(values: tuple[str, ...]) -> tuple[re.Pattern, ...]:
    """The patterns that find a URI, its user:password and its password, as written in the URI and plain."""
    hidden: set[str] = set()
    for value in values:
        hidden |= {value, unquote(value)}
        if (match := _URI.fullmatch(value)) and match["password"]:
            for text in (match["password"], f"{match['user']}:{match['password']}"):
                hidden |= {text, unquote(text)}
    return tuple(redaction.known(value) for value in sorted(hidden) if len(value) >= 3)
