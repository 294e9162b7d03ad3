"""How papermill's notebooks reach the disk: whole, without secrets and places, marked until they are done.

Papermill saves while it works, non-atomically and with whatever a cell printed. Here every save goes through this
module: the file always holds a whole notebook whose metadata say how far it is, so one that was killed says so.
Papermill saves before and after every cell, the whole notebook each time; what follows soon after is not written.
"""

import json
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ycsbook import paths
from ycsbook.kernels.quick import imports
from ycsbook.secrets import Secret, redact
from ycsbook.store import atomic

with imports():
    from papermill.iorw import papermill_io

_SCHEME = "ycsbook-notebook://"
CUT = "killed before it ended; start again"
# Seconds from one write of a notebook under way to the next.
_EVERY_S = 2.0


class Saved:
    """One notebook being executed: papermill saves to `address`, the file is `path`."""

    def __init__(self, path: Path, secrets: Sequence[Secret] = ()):
        self.path, self._secrets = path, tuple(secrets)
        self._text = ""
        self._written_at = float("-inf")
        _Handler.open[self.address] = self

    @property
    def address(self) -> str:
        """What papermill takes for the place of the output."""
        return f"{_SCHEME}{self.path}"

    def save(self, text: str) -> None:
        """Keep the notebook as it is now, and write it unless that was just done.

        Raises
            OSError, StoreError: it cannot be written.
        """
        self._text = text
        if time.monotonic() - self._written_at >= _EVERY_S:
            self._write(self.path, CUT)
            self._written_at = time.monotonic()

    def finish(self, path: Path, state: str) -> None:
        """Give what was saved last its final name and state; without any save there is nothing to name."""
        _Handler.open.pop(self.address, None)
        if self._text:
            self._write(path, state)
            if path != self.path:
                self.path.unlink(missing_ok=True)

    def _write(self, path: Path, state: str) -> None:
        notebook = cleaned(json.loads(self._text), self._secrets)
        metadata = notebook.setdefault("metadata", {})
        metadata["ycsbook"] = {"state": state}
        if "papermill" in metadata:
            metadata["papermill"]["output_path"] = path.name
        atomic.write_text(path, json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


class _Handler:
    """Papermill's interface to a kind of place."""

    open: dict[str, Saved] = {}  # noqa: RUF012  the notebooks being executed, by address

    @classmethod
    def read(cls, path: str) -> str:
        return cls.open[path].path.read_text(encoding="utf-8")

    @classmethod
    def write(cls, text: str, path: str) -> None:
        cls.open[path].save(text)

    @classmethod
    def listdir(cls, path: str) -> list[str]:
        return []

    @classmethod
    def pretty_path(cls, path: str) -> str:
        return path.removeprefix(_SCHEME)


papermill_io.register(_SCHEME, _Handler)


def cleaned(notebook: dict, secrets: Sequence[Secret] = ()) -> dict:
    """A notebook's content without secrets, and with the repository's and the home folder's paths shortened."""
    places = _places()
    return {
        key: _mapped(item, lambda text: _shortened(redact(text, secrets), places)) for key, item in notebook.items()
    }


def _mapped(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _mapped(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    return value


def _places() -> list[tuple[str, re.Pattern, str]]:
    """Paths of this machine, where they stand in a text, and what takes their place."""
    found = []
    for place, instead in ((paths.REPOSITORY, ""), (Path.home(), "~/")):
        if place != Path(place.anchor):
            # Not inside a word or base64 data; terminal colours (..m) may stand right before a path.
            pattern = rf"(?:(?<![\w+])|(?<=\dm)){re.escape(str(place))}(?:/|(?![\w.-]))"
            found.append((str(place), re.compile(pattern), instead))
    return found


def _shortened(text: str, places: list[tuple[str, re.Pattern, str]]) -> str:
    for place, pattern, instead in places:
        if place in text:
            text = pattern.sub(lambda match, short=instead: short, text)
    return text
