"""One notebook executed with papermill in a process of its own, and its file: whole, without secrets and places.

A notebook declares what it takes in its cell tagged `parameters`, which is checked before anything runs:

    params: str = "params/local.yml"
    repeat: int = None

A type is str, list[str] (one text alone is a list of one), int, float or bool; without one every plain value will do.
Only a parameter whose default is None may be null.

While it is being executed, the file holds a whole notebook whose metadata say so, also of one that was killed.
"""

import ast
import glob
import json
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import nbformat
import papermill
from pydantic import BeforeValidator, Field, StrictBool, StrictFloat, StrictInt, StrictStr, TypeAdapter

from ycsbook import paths, provenance
from ycsbook.batch import engine
from ycsbook.errors import ParamsError, PublishError, StoreError, YcsbookError, shown
from ycsbook.params.sections import in_words
from ycsbook.secrets import Secret, redact
from ycsbook.store import atomic

# Seconds from one write of a notebook under way to the next, and while a cell goes on.
_EVERY_S, _IN_CELL_S = 2.0, 30.0
_TEXT = Annotated[StrictStr, in_words(r"[^\x00-\x1f\x7f]*", "text without control characters")]
# Not whatever yields values: that may never end.
_STRICT = Field(strict=True)
_PLAIN = None | StrictBool | StrictInt | Annotated[StrictFloat, Field(allow_inf_nan=False)] | StrictStr
# By how a cell writes them: the values there are, and what a message calls them.
_TYPES: Mapping[str, tuple[Any, str]] = {
    "": (_PLAIN | Annotated[list[_PLAIN], _STRICT], "text, a number, true or false, null, or a list of them"),
    "str": (_TEXT, "text"),
    "list[str]": (
        Annotated[list[_TEXT], _STRICT, BeforeValidator(lambda raw: [raw] if isinstance(raw, str) else raw)],
        "a list of texts",
    ),
    "int": (StrictInt, "a whole number"),
    "float": (Annotated[float, Field(strict=True, allow_inf_nan=False)], "a number"),
    "bool": (StrictBool, "true or false"),
}  # fmt: skip


@dataclass(frozen=True)
class Parameter:
    """One parameter: its type as the cell writes it, empty where it writes none, and its default."""

    type: str
    default: object

    def value(self, raw: object) -> object:
        """The value as its type: a float for a number, a list for texts. Raises ValueError where it is none of them."""
        if raw is None and self.default is None:
            return None
        return TypeAdapter(_TYPES[self.type][0]).validate_python(raw)


def declared(notebook: Path) -> dict[str, Parameter]:
    """The parameters as the cell tagged `parameters` assigns them; empty without such a cell. Raises ParamsError where
    it is no notebook, or the cell assigns something else than literals of these types."""
    where = provenance.short(notebook)
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        tagged = [c for c in cells if "parameters" in c.get("metadata", {}).get("tags", [])]
        parameters = {}
        for statement in (s for cell in tagged for s in ast.parse("".join(cell["source"])).body):
            annotated = isinstance(statement, ast.AnnAssign)
            target = statement.target if annotated else statement.targets[0]
            kind = ast.unparse(statement.annotation) if annotated else ""
            parameters[target.id] = Parameter(kind, ast.literal_eval(statement.value))
            parameters[target.id].value(parameters[target.id].default)
    except OSError as e:
        raise ParamsError(f"{where}: cannot be read: {e.strerror}") from None
    except (ValueError, SyntaxError, KeyError, TypeError, AttributeError, RecursionError):
        kinds = ", ".join(filter(None, _TYPES))
        raise ParamsError(
            f"{where}: expected a notebook whose cell tagged 'parameters' only assigns literals, of the types {kinds} "
            "where it names one"
        ) from None
    return parameters


def check(notebook: Path, raw_values: Mapping[str, object]) -> dict[str, object]:
    """The values to hand to papermill: those given, typed, and the defaults of all others. Raises ParamsError for a
    name that the notebook does not declare, a value of the wrong type, and a password."""
    parameters = declared(notebook)
    where = provenance.short(notebook)
    values = {name: parameter.default for name, parameter in parameters.items()}
    for name, raw in raw_values.items():
        # Papermill executes parameter names.
        if name not in parameters:
            expected = ", ".join(parameters) or "none: it has no cell tagged 'parameters'"
            raise ParamsError(f"{where}: no parameter {shown(name)}, expected one of {expected}")
        text = " ".join(map(str, raw)) if isinstance(raw, list | tuple) else str(raw)
        if redact(text) != text:
            # Papermill writes parameters into the notebook.
            raise ParamsError(
                f"{where}: parameter {name}: holds a password, which would stand in the notebook; name the environment "
                "variable that holds the URI in the params file (uri_env)"
            )
        parameter = parameters[name]
        try:
            values[name] = parameter.value(raw)
        except ValueError:
            expected = _TYPES[parameter.type][1] + (", or null" if parameter.type and parameter.default is None else "")
            raise ParamsError(f"{where}: parameter {name}: got {shown(raw)}, expected {expected}") from None
    return values


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
    `secrets` are kept out of what is written, beside every user:password@ of a URI; `beside` is entered meanwhile.

    Raises
        ParamsError: the notebook has no such parameter, or a value is not what its cell says.
        YcsbookError: what the notebook's own call raised, as one line.
        PublishError: it failed otherwise, or its process ended; the executed part is kept as <name>.failed.ipynb.
        StoreError: the folder cannot be written.
    """
    parameters = check(notebook, parameters)
    failed = target.with_name(f"{target.stem}.failed.ipynb")
    saved, final, state = _Saved(failed, secrets), failed, "failed"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # A write that was killed leaves its temporary file.
        cut = target.parent.glob(f".{glob.escape(failed.name)}.*")
        for stale in (target, target.with_suffix(".html"), failed, *cut):
            stale.unlink(missing_ok=True)
        papermill.execute_notebook(
            # Papermill fills in {names} of a path.
            str(notebook).replace("{", "{{").replace("}", "}}"),
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
        if e.ename in _names(YcsbookError):
            raise YcsbookError(" ".join(message.splitlines())) from None
        raise PublishError(f"{notebook.name}: {e.ename}: {shown(message)}; the executed part is {failed}") from None
    except PublishError as e:
        raise PublishError(f"{notebook.name}: {e}; the executed part is {failed}") from None
    except OSError as e:
        raise StoreError(f"{target}: cannot be written: {e.strerror or e}; check owner, mode and free space") from e
    finally:
        saved.finish(final, state)
    return target


def _names(error: type[Exception]) -> set[str]:
    return {error.__name__}.union(*map(_names, error.__subclasses__()))


class _Saved:
    def __init__(self, path: Path, secrets: Sequence[Secret]):
        self.path, self._secrets = path, tuple(secrets)
        self._notebook: nbformat.NotebookNode | None = None
        self._written_at = float("-inf")

    def save(self, notebook: nbformat.NotebookNode, in_cell: bool) -> None:
        """Keep the notebook, and write it as it is now unless that was just done; less often `in_cell`, while a cell
        goes on that may be measuring. Raises StoreError where it cannot be written."""
        self._notebook = notebook
        if time.monotonic() - self._written_at >= (_IN_CELL_S if in_cell else _EVERY_S):
            self._write(self.path, "killed before it ended; start again")
            self._written_at = time.monotonic()

    def finish(self, path: Path, state: str) -> None:
        """Write the notebook under its final name and state, if it ever began; raises OSError or StoreError."""
        if self._notebook is not None:
            self._write(path, state)
            if path != self.path:
                self.path.unlink(missing_ok=True)

    def _write(self, path: Path, state: str) -> None:
        notebook = _cleaned(self._notebook, self._secrets, _places())
        metadata = notebook.setdefault("metadata", {})
        metadata["ycsbook"] = {"state": state}
        if "papermill" in metadata:
            metadata["papermill"]["output_path"] = path.name
        atomic.write_text(path, nbformat.writes(nbformat.from_dict(notebook)) + "\n")


def _cleaned(value: Any, secrets: Sequence[Secret], path_patterns: list[tuple[str, re.Pattern, str]]) -> Any:
    """A part of a notebook without secrets, and with the repository's and the home folder's paths shortened."""
    if isinstance(value, dict):
        return {key: _cleaned(item, secrets, path_patterns) for key, item in value.items()}
    if isinstance(value, list):
        return [_cleaned(item, secrets, path_patterns) for item in value]
    if not isinstance(value, str):
        return value
    text = redact(value, secrets)
    for place, pattern, instead in path_patterns:
        if place in text:
            text = pattern.sub(instead, text)
    return text


def _places() -> list[tuple[str, re.Pattern, str]]:
    """Paths of this machine, where they stand in a text, and what takes their place."""
    path_patterns = []
    for place, instead in ((paths.REPOSITORY, ""), (Path.home(), "~/")):
        if place != Path(place.anchor):
            # Not inside a word or base64 data; terminal colours (..m) may stand right before a path.
            pattern = rf"(?:(?<![\w+])|(?<=\dm)){re.escape(str(place))}(?:/|(?![\w.-]))"
            path_patterns.append((str(place), re.compile(pattern), instead))
    return path_patterns
