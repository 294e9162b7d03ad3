"""A server's program on this machine: named by an environment variable, asked for its version; the port and the room
that it needs."""

import functools
import os
import re
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ycsbook import processes
from ycsbook.errors import ToolError, shown
from ycsbook.servers.access import HOST

MIN_FREE_BYTES = 400 * 1024**2


@dataclass(frozen=True)
class Program:
    """A server's program.

    Parameters
        name: such as mongod.
        variable: the environment variable that may hold its path.
        how_to_get: advice where there is none.
        version_options: what has it print its version.
        version_pattern: that version, as the first group of a regular expression; `version_line` is an example.
        missing_library: advice where a shared library is missing.
    """

    name: str
    variable: str
    how_to_get: str
    version_options: tuple[str, ...]
    version_pattern: str
    version_line: str
    missing_library: str = ""

    def from_environment(self) -> Path | None:
        """The program that the environment variable names; None where it is not set.

        Raises
            ToolError: it names no executable file.
        """
        named = os.environ.get(self.variable, "").strip()
        if not named:
            return None
        path = Path(named).expanduser()
        if not (path.is_file() and os.access(path, os.X_OK)):
            raise ToolError(
                f"{self.variable}: got {shown(named)}, expected the path of an executable {self.name}; correct it, "
                "or unset it"
            )
        return path

    @functools.cache  # noqa: B019 - a program is a constant of its module
    def version(self, binary: Path) -> str:
        """The version that it prints, such as 6.0.5.

        Raises
            ToolError: it does not run, for instance because a shared library is missing.
        """
        try:
            result = processes.output([binary, *self.version_options])
        except (OSError, subprocess.TimeoutExpired) as e:
            raise ToolError(f"{binary}: does not run: {e}; {self.how_to_get}") from None
        if match := re.search(self.version_pattern, result.stdout):
            return match[1]
        if library := re.search(r"(lib[\w.+-]+\.so[.\d]*): cannot open", result.stderr):
            raise ToolError(
                f"{binary}: the shared library {library[1]} is missing; {self.missing_library or self.how_to_get}"
            )
        output = (result.stderr or result.stdout).strip().splitlines()
        raise ToolError(
            f"{binary}: --version printed {shown(output[-1] if output else '')}, expected {self.version_line!r}"
        )


def free_port() -> int:
    """A port on loopback that nobody has at this moment."""
    with socket.socket() as s:
        s.bind((HOST, 0))
        return s.getsockname()[1]


def require_space(folder: Path, free_bytes: int) -> None:
    """Refuse a folder in which a server could not even make its first files (300 MB for mongod's journal).

    Raises
        ToolError: too little space.
    """
    if free_bytes < MIN_FREE_BYTES:
        raise ToolError(
            f"{folder}: {free_bytes / 1024**2:.0f} MiB free, expected at least {MIN_FREE_BYTES / 1024**2:.0f} MiB "
            "for a new database; free some or choose another folder"
        )
