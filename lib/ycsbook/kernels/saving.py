"""How papermill's notebooks reach the disk: whole, without secrets and places, marked until they are done.

Papermill saves non-atomically, with whatever a cell printed: before and after every cell, and while one prints for
long. An engine of ours saves instead: the file always holds a whole notebook whose metadata say how far it is, so one
that was killed says so.
"""

import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ycsbook import paths
from ycsbook.kernels.quick import imports
from ycsbook.secrets import Secret, redact
from ycsbook.store import atomic

with imports():
    import nbformat
    from papermill.engines import NBClientEngine, NotebookExecutionManager, papermill_engines

ENGINE = "ycsbook"
"""What papermill calls the engine; it takes the notebook's `saved`."""
CUT = "killed before it ended; start again"
# Seconds from one write of a notebook under way to the next.
_EVERY_S = 2.0
# From one to the next while a cell goes on: it may be measuring.
_IN_CELL_S = 30.0


class Saved:
    """One notebook being executed, and its file."""

    def __init__(self, path: Path, secrets: Sequence[Secret] = ()):
        self.path, self._secrets = path, tuple(secrets)
        self._notebook: nbformat.NotebookNode | None = None
        self._written_at = float("-inf")

    def save(self, notebook: nbformat.NotebookNode) -> None:
        """Keep the notebook, and write it as it is now unless that was just done.

        Raises
            StoreError: it cannot be written.
        """
        self._notebook = notebook
        if time.monotonic() - self._written_at >= _EVERY_S:
            self._write(self.path, CUT)
            self._written_at = time.monotonic()

    def finish(self, path: Path, state: str) -> None:
        """Write the notebook as it is now under its final name and state; one that never began leaves nothing.

        Raises
            OSError, StoreError: it cannot be written.
        """
        if self._notebook is not None:
            self._write(path, state)
            if path != self.path:
                self.path.unlink(missing_ok=True)

    def _write(self, path: Path, state: str) -> None:
        notebook = cleaned(self._notebook, self._secrets)
        metadata = notebook.setdefault("metadata", {})
        metadata["ycsbook"] = {"state": state}
        if "papermill" in metadata:
            metadata["papermill"]["output_path"] = path.name
        atomic.write_text(path, nbformat.writes(nbformat.from_dict(notebook)) + "\n")


class _Engine(NBClientEngine):
    """Papermill's own, but for what a save is."""

    @classmethod
    def execute_managed_notebook(
        cls, nb_man: NotebookExecutionManager, kernel_name: str, *, saved: Saved, **options: Any
    ) -> None:
        def save() -> None:
            saved.save(nb_man.nb)
            nb_man.last_save_time = nb_man.now()

        nb_man.save, nb_man.autosave_cell_every = save, _IN_CELL_S
        super().execute_managed_notebook(nb_man, kernel_name, **options)


papermill_engines.register(ENGINE, _Engine)


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
