"""The parameters a notebook takes, as its sidecar <notebook>.params.yml types them, checked before anything runs.

params:
  repeat: {type: integer, default: null, optional: true, min: 1, meaning: repeats instead of the params file's}
"""

import ast
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    JsonValue,
    StrictBool,
    StrictInt,
    StrictStr,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from ycsbook import inputs
from ycsbook.errors import ParamsError, shown
from ycsbook.params import document
from ycsbook.params.values import Strict, in_words
from ycsbook.redaction import redact

SUFFIX = ".params.yml"
_PATH = r"[^\x00-\x1f\x7f]*\S[^\x00-\x1f\x7f]*"


class Parameter(Strict):
    """One parameter: what it is, what it may be, and what it means.

    `path` is text that names a file or folder, `texts` a list of texts (one text alone is a list of one). `min` and
    `max` bound integers and numbers, `pattern` must match a whole text, `choices` are the texts there are. Only an
    `optional` one may be null.
    """

    type: Literal["path", "text", "texts", "integer", "number", "boolean", "choice"]
    default: JsonValue
    meaning: str = Field(min_length=1)
    unit: str = ""
    min: float | None = None
    max: float | None = None
    pattern: str = ""
    choices: tuple[str, ...] = ()
    optional: bool = False

    @model_validator(mode="after")
    def _bounds_fit_the_type(self) -> "Parameter":
        if self.type not in ("integer", "number") and (self.min is not None or self.max is not None):
            raise ValueError("min and max bound integers and numbers only")
        if (self.type == "choice") != bool(self.choices):
            raise ValueError("a choice needs choices, and nothing else has any")
        if self.pattern and self.type not in ("path", "text", "texts"):
            raise ValueError("only texts can match a pattern")
        return self

    def expected(self) -> str:
        """What a value must be, in words."""
        words = f"one of {', '.join(self.choices)}" if self.choices else _WORDS[self.type]
        words += "" if self.min is None else f" from {self.min:g}"
        words += "" if self.max is None else f" up to {self.max:g}"
        words += f" in {self.unit}" if self.unit else ""
        words += f" matching {self.pattern}" if self.pattern else ""
        return f"{words}, or null" if self.optional else words

    def value(self, raw: object) -> object:
        """The value as its type: a whole number for an integer, a float for a number, a list for texts.

        Raises
            ValueError: it is none of the values the parameter may have.
        Examples
            >>> Parameter(type="texts", default=[], meaning="some runs").value("cores=8")
            ['cores=8']
        """
        return None if raw is None and self.optional else TypeAdapter(self._annotation()).validate_python(raw)

    def _annotation(self) -> Any:
        """The values there are, as pydantic takes them."""
        text = Annotated[StrictStr, in_words(self.pattern, "other text")] if self.pattern else StrictStr
        bounds = Field(ge=self.min, le=self.max)
        return {
            "path": Annotated[text, in_words(_PATH, "a path")],
            "text": text,
            "texts": Annotated[list[text], BeforeValidator(lambda raw: [raw] if isinstance(raw, str) else raw)],
            "integer": Annotated[StrictInt, bounds],
            "number": Annotated[float, bounds, Field(strict=True, allow_inf_nan=False)],
            "boolean": StrictBool,
            "choice": Literal[self.choices],
        }[self.type]


class _Sidecar(Strict):
    params: dict[str, Parameter]


def sidecar(notebook: Path) -> Path:
    """The path of a notebook's sidecar, which describes its parameters."""
    return notebook.with_suffix(SUFFIX)


def declared(notebook: Path) -> dict[str, object]:
    """Names and defaults as the cell tagged `parameters` assigns them; empty without such a cell.

    Raises
        ParamsError: not a notebook, or a cell that assigns something else than literals.
    """
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        tagged = [c for c in cells if "parameters" in c.get("metadata", {}).get("tags", [])]
        statements = [s for cell in tagged for s in ast.parse("".join(cell["source"])).body]
        defaults = {}
        for statement in statements:
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            defaults[target.id] = ast.literal_eval(statement.value)
    except OSError as e:
        raise ParamsError(f"{inputs.short(notebook)}: cannot be read: {e.strerror}") from None
    except (ValueError, SyntaxError, KeyError, TypeError, AttributeError):
        raise ParamsError(
            f"{inputs.short(notebook)}: expected a notebook whose cell tagged 'parameters' only assigns literals"
        ) from None
    return defaults


def read(notebook: Path) -> tuple[dict[str, Parameter], dict[str, int]]:
    """The parameters of a notebook that has a sidecar, and the line of each in it.

    Raises
        ParamsError: the sidecar is not what it should be, or a default is none of the values it allows.
    """
    path = sidecar(notebook)
    values, lines = document.read(path, "a mapping with params")
    try:
        parameters = _Sidecar.model_validate(values).params
    except ValidationError as e:
        first = e.errors()[0]
        at = tuple(first["loc"])
        line = next(lines[at[:n]] for n in range(len(at), -1, -1) if at[:n] in lines)
        raise ParamsError(f"{inputs.short(path)}:{line}: {'.'.join(map(str, at))}: {first['msg']}") from None
    places = {name: lines["params", name] for name in parameters}
    for name, parameter in parameters.items():
        try:
            parameter.value(parameter.default)
        except ValueError:
            raise ParamsError(
                f"{inputs.short(path)}:{places[name]}: {name}: default {shown(parameter.default)}, expected "
                f"{parameter.expected()}"
            ) from None
    return parameters, places


def check(notebook: Path, given: Mapping[str, object]) -> dict[str, object]:
    """The values to hand to papermill: those given, typed, and the defaults of all others.

    A notebook without a sidecar takes any plain value under the names of its parameters cell, and nothing is added.

    Parameters
        notebook: the notebook; its sidecar lies beside it.
        given: values by name: None, bool, int, float, str, or a list of str.
    Raises
        ParamsError: a name the notebook does not declare, a value of the wrong type or out of bounds, a password.
    """
    names = declared(notebook)
    typed, lines = read(notebook) if sidecar(notebook).is_file() else ({}, {})
    for name in given:
        # Papermill executes parameter names.
        if name not in names:
            expected = ", ".join(names) or "none: it has no cell tagged 'parameters'"
            raise ParamsError(f"{inputs.short(notebook)}: no parameter {shown(name)}, expected one of {expected}")
    values = {name: parameter.default for name, parameter in typed.items()}
    for name, raw in given.items():
        where = f"{inputs.short(notebook)}: parameter {name}"
        if redact(text := _text(raw)) != text:
            # Papermill writes parameters into the notebook.
            raise ParamsError(
                f"{where}: holds a password, which would stand in the notebook; name the environment variable that "
                "holds the URI in the params file (uri_env)"
            )
        if name not in typed:
            values[name] = _plain(raw, where)
            continue
        try:
            values[name] = typed[name].value(raw)
        except ValueError:
            place = f"{inputs.short(sidecar(notebook))}:{lines[name]}"
            raise ParamsError(f"{where}: got {shown(raw)}, expected {typed[name].expected()} ({place})") from None
    return values


_WORDS = {
    "path": "a path as text", "text": "text", "texts": "a list of texts", "integer": "a whole number",
    "number": "a number", "boolean": "true or false",
}  # fmt: skip


def _plain(raw: object, where: str) -> object:
    items = raw if isinstance(raw, list) else [raw]
    if not all(item is None or isinstance(item, str | int | float) for item in items):
        raise ParamsError(f"{where}: got {shown(raw)}, expected text, a number, true or false, null, or a list of them")
    return raw


def _text(raw: object) -> str:
    """Everything of a value as one text, lists with a space between their items."""
    return " ".join(map(str, raw)) if isinstance(raw, list | tuple) else str(raw)
