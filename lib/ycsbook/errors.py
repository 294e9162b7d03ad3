"""Every error ycsbook raises on purpose. A message says where, what was found, what was expected, what to do next."""

import re
from pathlib import Path

from ycsbook.redaction import redact

_LACKING = re.compile(r"((lib[\w+-]+)\.so[.\w]*): cannot open shared object file")

MAX_SHOWN = 200


def shown(value: object) -> str:
    """The value as a message may show it: quoted, without passwords, cut to 200 characters."""
    # Redacted before it is cut, so that no password is cut out of its pattern.
    text = redact(repr(value)[: 20 * MAX_SHOWN])
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def lacking_library(error: ImportError) -> str:
    """What to install where a package did not load for want of a library of the system; empty: it was not that."""
    # A package that needs another may say so in its own words, such as pandas of numpy.
    match = _LACKING.search(f"{error}\n{error.__cause__}")
    if not match:
        return ""
    package = {"libstdc++": "libstdc++6", "libgcc_s": "libgcc-s1", "libssl": "libssl3", "libz": "zlib1g"}.get(match[2])
    advice = f"; on Debian and Ubuntu: apt-get install {package}" if package else "; install the package that has it"
    return f"the shared library {match[1]} is missing{advice}"


def one_line(text: str) -> str:
    """The text as one line that no terminal takes for orders: whatever is not printable is escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class YcsbookError(Exception):
    """Root of the errors ycsbook raises on purpose; command line and notebooks show them without a traceback. Each
    argument is a mistake, told on a line."""

    def __str__(self) -> str:
        return "\n".join(map(str, self.args))

    def lines(self) -> list[str]:
        return [f"ycsbook: {one_line(mistake)}" for mistake in str(self).splitlines()]

    # What IPython shows instead of a traceback, by the name it documents; the cell, and papermill, fail all the same.
    _render_traceback_ = lines


class ParamsError(YcsbookError):
    """A params file, or a value in it, is not what it should be; each argument is a mistake."""


class ToolError(YcsbookError):
    """A tool or a server that is needed is missing, unreachable or refuses us."""


class ClientMachineError(ToolError):
    """A machine on which a client was to run cannot be used; another one may."""


class RunLogError(YcsbookError):
    def __init__(self, path: str | Path, line: int | None, reason: str):
        self.path, self.line, self.reason = str(path), line, reason
        where = f"{path}:{line}" if line is not None else f"{path}"
        super().__init__(f"{where}: {reason}")

    def __reduce__(self):
        # From a worker it comes pickled.
        return RunLogError, (self.path, self.line, self.reason)


class RunError(YcsbookError):
    def __init__(self, message: str, stop_reason: str = ""):
        self.stop_reason = stop_reason
        super().__init__(message)


class ServerBusyError(YcsbookError):
    """Somebody else holds the server or the store."""

    def __init__(self, message: str, pid: int | None = None):
        self.pid = pid
        super().__init__(message)


class StoreError(YcsbookError):
    """The run store under data/ cannot be read or written."""


class FitError(YcsbookError):
    """These points do not support this law."""


class DataError(YcsbookError):
    """A data frame lacks columns, or they hold what they cannot; each argument is a mistake."""


class PublishError(YcsbookError):
    """A report cannot be written or published."""


class MessageError(YcsbookError):
    """A sentence that cannot be said: no such key in the language's catalogue, or a value that it names is missing."""
