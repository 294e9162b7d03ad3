"""One notebook executed with papermill in a process of its own, and its file: whole, without secrets and places.

While it is being executed, the file holds a whole notebook whose metadata say how far it is, so one that was killed
says so.
"""

import glob
import re
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import nbformat
import papermill

from ycsbook import paths
from ycsbook.batch import engine, notebook_parameters
from ycsbook.errors import PublishError, StoreError, YcsbookError, shown
from ycsbook.secrets import Secret, redact
from ycsbook.store import atomic

CUT = "killed before it ended; start again"
# Seconds from one write of a notebook under way to the next.
_EVERY_S = 2.0
# From one to the next while a cell goes on.
_IN_CELL_S = 30.0


def execute(
    notebook: Path,
    target: Path,
    parameters: dict[str, object],
    secrets: Sequence[Secret] = (),
    beside: AbstractContextManager | None = None,
) -> Path:
    """Execute one notebook with these parameters and write it, whole or not at all.

    What an earlier execution left under the same name goes first: results of other inputs beside new ones mislead.
    While it is being executed it stands as <name>.failed.ipynb, which says in its metadata that it did not end.

    Parameters
        secrets: kept out of what is written, beside every user:password@ of a URI.
        beside: entered while the notebook is executed, such as a display of its progress.
    Raises
        ParamsError: the notebook has no such parameter, or a value is not what its sidecar says.
        YcsbookError: what the notebook's own call raised, as one line.
        PublishError: it failed otherwise, or its process ended; the executed part is kept as <name>.failed.ipynb.
        StoreError: the folder cannot be written.
    """
    parameters = notebook_parameters.check(notebook, parameters)
    failed = target.with_name(f"{target.stem}.failed.ipynb")
    saved, final, state = _Saved(failed, secrets), failed, "failed"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # A write that was killed leaves its temporary file.
        cut = target.parent.glob(f".{glob.escape(failed.name)}.*")
        for stale in (target, target.with_suffix(".html"), failed, *cut):
            stale.unlink(missing_ok=True)
        papermill.execute_notebook(
            _literal(notebook),
            None,
            parameters=parameters,
            engine_name=engine.NAME,
            kernel_name="python3",
            cwd=str(paths.REPOSITORY),
            progress_bar=False,
            on_change=saved.save,
            beside=beside,
        )
        # Only now: papermill's own marks also call a notebook ended whose process was killed.
        final, state = target, "completed"
    except papermill.PapermillExecutionError as e:
        message = redact(str(e.evalue), secrets)
        if e.ename in _our_errors():
            raise YcsbookError(" ".join(message.splitlines())) from None
        raise PublishError(f"{notebook.name}: {e.ename}: {shown(message)}; the executed part is {failed}") from None
    except PublishError as e:
        raise PublishError(f"{notebook.name}: {e}; the executed part is {failed}") from None
    except OSError as e:
        raise StoreError(f"{target}: cannot be written: {e.strerror or e}; check owner, mode and free space") from e
    finally:
        saved.finish(final, state)
    return target


def _literal(path: Path) -> str:
    """The path as papermill takes it, which fills in {names}."""
    return str(path).replace("{", "{{").replace("}", "}}")


def _our_errors() -> set[str]:
    """The names of all classes of errors that are ours."""
    names, waiting = set(), [YcsbookError]
    while waiting:
        error = waiting.pop()
        names.add(error.__name__)
        waiting += error.__subclasses__()
    return names


class _Saved:
    """One notebook being executed, and its file."""

    def __init__(self, path: Path, secrets: Sequence[Secret] = ()):
        self.path, self._secrets = path, tuple(secrets)
        self._notebook: nbformat.NotebookNode | None = None
        self._written_at = float("-inf")

    def save(self, notebook: nbformat.NotebookNode, in_cell: bool) -> None:
        """Keep the notebook, and write it as it is now unless that was just done.

        Parameters
            in_cell: a cell is going on, which may be measuring: written less often.
        Raises
            StoreError: it cannot be written.
        """
        self._notebook = notebook
        if time.monotonic() - self._written_at >= (_IN_CELL_S if in_cell else _EVERY_S):
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
    places = []
    for place, instead in ((paths.REPOSITORY, ""), (Path.home(), "~/")):
        if place != Path(place.anchor):
            # Not inside a word or base64 data; terminal colours (..m) may stand right before a path.
            pattern = rf"(?:(?<![\w+])|(?<=\dm)){re.escape(str(place))}(?:/|(?![\w.-]))"
            places.append((str(place), re.compile(pattern), instead))
    return places


def _shortened(text: str, places: list[tuple[str, re.Pattern, str]]) -> str:
    for place, pattern, instead in places:
        if place in text:
            text = pattern.sub(lambda match, short=instead: short, text)
    return text
