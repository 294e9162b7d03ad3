"""The mistakes of a params file, one line each with the place in the file."""

import difflib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ValidationError

from ycsbook.errors import shown

# What the validating library expects, in words; of everything else it says itself what it wants.
_EXPECTED = {
    "int_type": "a whole number", "int_parsing": "a whole number", "int_from_float": "a whole number",
    "float_type": "a number", "float_parsing": "a number", "finite_number": "a finite number",
    "bool_type": "true or false", "bool_parsing": "true or false", "string_type": "text",
    "dict_type": "names with values, such as {name: value}", "tuple_type": "a list",
}  # fmt: skip
_LISTS = {
    "threads": "[4, 16]", "workloads": "[a, b]", "specs": "[{name: 8c32g, cores: 8, ram_gib: 32}]",
    "java_options": "[-Xmx4g]", "hosts": "[client-1, client-2]",
}  # fmt: skip


def located(problems: Mapping[tuple, str]) -> ValidationError:
    """An error with a text for each place of a file, for a validator of the whole file to raise."""
    return ValidationError.from_exception_data(
        "params",
        [
            {"type": "value_error", "loc": at, "input": None, "ctx": {"error": ValueError(text)}}
            for at, text in problems.items()
        ],
    )


def explain(
    error: ValidationError, path: Path, lines: dict[tuple, int], models: Mapping[str, type[BaseModel]]
) -> list[str]:
    """Every mistake as one line, in the file's order: file, line and key, what was found, what was expected.

    Parameters
        lines: the line of every key and list item by its path.
        models: the model behind a key of the file, and under "" the file's own; they say which keys there are.
    """
    mistakes: dict[tuple[int, str, str], list[str]] = {}
    for problem in error.errors(include_url=False):
        if problem["type"] == "too_short" and problem["input"]:
            continue  # of its items none is as it should be, which is told of each
        at, written = _place(tuple(problem["loc"]), lines)
        line = lines.get(written, 1)
        if problem["type"] == "missing":
            mistakes[line, _dotted(at), f"missing; expected a value for {at[-1]!r}"] = []
        elif problem["type"] == "extra_forbidden":
            model = models.get("" if len(at) == 1 else str(at[0]))
            mistakes[line, _dotted(at), f"unknown key{suggest(at[-1], model)}"] = []
        elif problem["type"] == "value_error":
            text = str(problem["ctx"]["error"])
            # What two keys contradict each other in is known of the whole file, and names the key itself.
            if not at and (key := re.match(r"\w+", text)) and (key[0],) in lines:
                mistakes[lines[key[0],], "", text] = []
            else:
                mistakes[line, _dotted(written), text] = []
        else:
            # What may be of several kinds is told once, with all of them.
            wanted = mistakes.setdefault((line, _dotted(written), f"got {shown(problem['input'])}, expected "), [])
            wanted.append(_expected(problem, written, models))
    return [
        f"{path}:{line}: {f'{key}: ' if key else ''}{text}{', or '.join(wanted)}"
        for (line, key, text), wanted in sorted(mistakes.items(), key=lambda mistake: mistake[0][0])
    ]


def _place(at: tuple, lines: dict[tuple, int]) -> tuple[tuple, tuple]:
    """The path of a problem, and the part of that path which exists in the file."""
    if at and at[:1] not in lines and ("vary", at[0]) in lines:
        # A value of `vary` is checked as that of the setting itself.
        at = ("vary", *at)
    written = at
    while written and written not in lines:
        written = written[:-1]
    return at, written


def _expected(problem: Mapping, at: tuple, models: Mapping[str, type[BaseModel]]) -> str:
    name = str(at[-1]) if at else ""
    match problem["type"]:
        case "too_short":
            return f"at least {problem['ctx']['min_length']} item"
        case "model_type" if model := models.get(str(at[0])):
            needed = [key for key, field in model.model_fields.items() if field.is_required()]
            return f"a mapping with {', '.join(needed or model.model_fields)}"
        case "tuple_type" if name in _LISTS:
            return f"a list such as {_LISTS[name]}"
        case kind:
            return _EXPECTED.get(kind) or problem["msg"].removeprefix("Input should be ")


def _dotted(at: tuple) -> str:
    out = ""
    for part in at:
        out += f"[{part}]" if isinstance(part, int) else f".{part}" if out else str(part)
    return out or "the file"


def suggest(key: object, model: type[BaseModel] | None) -> str:
    """The end of a message about an unknown key: the key that was probably meant."""
    return near(str(key), list(model.model_fields)) if model is not None else ""


def near(name: str, names: Sequence[str]) -> str:
    """The end of a message about an unknown name: `; did you mean 'this'?`, or the list of all names.

    Examples
        >>> near("speks", ["name", "specs"])
        "; did you mean 'specs'?"
    """
    close = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(names)}"
