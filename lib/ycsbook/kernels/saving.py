"""How papermill's notebooks reach the disk: whole, without secrets and places, marked until they are done.

Papermill saves while it works, non-atomically and with whatever a cell printed. Here every save goes through this
module: the file always holds a whole notebook whose metadata say how far it is, so one that was killed says so.
"""

import json
import re
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


class Saved:
    """One notebook being executed: papermill saves to `address`, the file is `path`."""

    def __init__(self, path: Path, secrets: Sequence[Secret] = ()):
        self.path, self._secrets = path, tuple(secrets)
        self._notebook: dict = {}
        _Handler.open[self.address] = self

    @property
    def address(self) -> str:
        """What papermill takes for the place of the output."""
        return f"{_SCHEME}{self.path}"

    def save(self, text: str, state: str = CUT) -> None:
        """Write the notebook with its state in the metadata.

        Raises
            OSError, StoreError: it cannot be written.
        """
        self._notebook = cleaned(json.loads(text), self._secrets)
        self._write(self.path, state)

    def finish(self, path: Path, state: str) -> None:
        """Give what was saved last its final name and state; without any save there is nothing to name."""
        _Handler.open.pop(self.address, None)
        if self._notebook:
            self._write(path, state)
            if path != self.path:
                self.path.unlink(missing_ok=True)

    def _write(self, path: Path, state: str) -> None:
        metadata = self._notebook.setdefault("metadata", {})
        metadata["ycsbook"] = {"state": state}
        if "papermill" in metadata:
            metadata["papermill"]["output_path"] = path.name
        atomic.write_text(path, json.dumps(self._notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


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


def cleaned(value: object, secrets: Sequence[Secret] = ()) -> object:
    """A notebook's content without secrets, and with the repository's and the home folder's paths shortened."""
    return _mapped(value, lambda text: _shortened(redact(text, secrets)))


def _mapped(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _mapped(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    return value


def _shortened(text: str) -> str:
    for place, instead in ((paths.REPOSITORY, ""), (Path.home(), "~/")):
        if place != Path(place.anchor) and str(place) in text:
            # Not inside a word or base64 data; terminal colours (..m) may stand right before a path.
            found = rf"(?:(?<![\w+])|(?<=\dm)){re.escape(str(place))}(?:/|(?![\w.-]))"
            text = re.sub(found, lambda match, short=instead: short, text)
    return text
