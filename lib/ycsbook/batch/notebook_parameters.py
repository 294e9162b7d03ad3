"""The parameters a notebook takes, as its cell tagged `parameters` declares them, checked before anything runs.

    params: str = "params/local.yml"
    repeat: int = None

A type is str, list[str] (one text alone is a list of one), int, float or bool; without one every plain value will do.
Only a parameter whose default is None may be null.
"""

import ast
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StrictBool, StrictFloat, StrictInt, StrictStr, TypeAdapter

from ycsbook import fingerprints
from ycsbook.errors import ParamsError, shown
from ycsbook.params.values import in_words
from ycsbook.redaction import redact

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

    @property
    def expected(self) -> str:
        """What a value must be, in words."""
        return _TYPES[self.type][1] + (", or null" if self.type and self.default is None else "")

    def value(self, raw: object) -> object:
        """The value as its type: a float for a number, a list for texts.

        Raises
            ValueError: it is none of the values the parameter may have.
        Examples
            >>> Parameter("list[str]", []).value("cores=8")
            ['cores=8']
        """
        if raw is None and self.default is None:
            return None
        return TypeAdapter(_TYPES[self.type][0]).validate_python(raw)


def declared(notebook: Path) -> dict[str, Parameter]:
    """The parameters as the cell tagged `parameters` assigns them; empty without such a cell.

    Raises
        ParamsError: not a notebook, or a cell that assigns something else than literals of these types.
    """
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        tagged = [c for c in cells if "parameters" in c.get("metadata", {}).get("tags", [])]
        statements = [s for cell in tagged for s in ast.parse("".join(cell["source"])).body]
        parameters = {}
        for statement in statements:
            annotated = isinstance(statement, ast.AnnAssign)
            target = statement.target if annotated else statement.targets[0]
            kind = ast.unparse(statement.annotation) if annotated else ""
            parameters[target.id] = Parameter(kind, ast.literal_eval(statement.value))
            parameters[target.id].value(parameters[target.id].default)
    except OSError as e:
        raise ParamsError(f"{fingerprints.short(notebook)}: cannot be read: {e.strerror}") from None
    except (ValueError, SyntaxError, KeyError, TypeError, AttributeError, RecursionError):
        kinds = ", ".join(filter(None, _TYPES))
        raise ParamsError(
            f"{fingerprints.short(notebook)}: expected a notebook whose cell tagged 'parameters' only assigns "
            f"literals, of the types {kinds} where it names one"
        ) from None
    return parameters


def check(notebook: Path, given: Mapping[str, object]) -> dict[str, object]:
    """The values to hand to papermill: those given, typed, and the defaults of all others.

    Parameters
        given: values by name: None, bool, int, float, str, or a list of str.
    Raises
        ParamsError: a name the notebook does not declare, a value of the wrong type, a password.
    """
    parameters = declared(notebook)
    values = {name: parameter.default for name, parameter in parameters.items()}
    for name, raw in given.items():
        # Papermill executes parameter names.
        if name not in parameters:
            expected = ", ".join(parameters) or "none: it has no cell tagged 'parameters'"
            raise ParamsError(f"{fingerprints.short(notebook)}: no parameter {shown(name)}, expected one of {expected}")
        where = f"{fingerprints.short(notebook)}: parameter {name}"
        text = " ".join(map(str, raw)) if isinstance(raw, list | tuple) else str(raw)
        if redact(text) != text:
            # Papermill writes parameters into the notebook.
            raise ParamsError(
                f"{where}: holds a password, which would stand in the notebook; name the environment variable that "
                "holds the URI in the params file (uri_env)"
            )
        try:
            values[name] = parameters[name].value(raw)
        except ValueError:
            raise ParamsError(f"{where}: got {shown(raw)}, expected {parameters[name].expected}") from None
    return values
