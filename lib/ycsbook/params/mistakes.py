"""What is wrong with a params file, in one line that says where."""

import difflib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ValidationError

from ycsbook.errors import shown


def explain(error: ValidationError, path: Path, lines: dict[tuple, int], models: Mapping[str, type[BaseModel]]) -> str:
    """The first problem as one line: file, line and key, what was found, what was expected, how many more there are.

    Parameters
        lines: the line of every key and list item by its path.
        models: the model behind a key of the file, and under "" the file's own; they say which keys there are.
    """
    problems = error.errors(include_url=False)
    first = problems[0]
    at = tuple(first["loc"])
    if at and at[:1] not in lines and ("vary", at[0]) in lines:
        # A value of `vary` is checked as that of the setting itself.
        at = ("vary", *at)
    known = at
    while known and known not in lines:
        known = known[:-1]
    where = f"{path}:{lines.get(known, 1)}: {_dotted(at)}"
    rest = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    match first["type"]:
        case "extra_forbidden":
            model = models.get("" if len(at) == 1 else str(at[0]))
            return f"{where}: unknown key{suggest(at[-1], model)}{rest}"
        case "missing":
            return f"{where}: missing; expected a value for {at[-1]!r}{rest}"
        case "value_error":
            text = str(first["ctx"]["error"])
            # What two keys contradict each other in is known of the whole file, and names the key itself.
            if not at and (key := re.match(r"\w+", text)) and (key[0],) in lines:
                where = f"{path}:{lines[key[0],]}"
            return f"{where}: {text}{rest}"
        case "too_short":
            return f"{where}: got {shown(first['input'])}, expected at least {first['ctx']['min_length']} item{rest}"
        case _:
            wanted = first["msg"].removeprefix("Input should be ").removeprefix("String should ")
            return f"{where}: got {shown(first['input'])}, expected {wanted}{rest}"


def _dotted(at: tuple) -> str:
    out = ""
    for part in at:
        out += f"[{part}]" if isinstance(part, int) else f".{part}" if out else str(part)
    return out or "the file"


def suggest(key: object, model: type[BaseModel] | None) -> str:
    """What may have been meant by a key the model has not, as the end of a message."""
    return near(str(key), list(model.model_fields)) if model is not None else ""


def near(name: str, known: Sequence[str]) -> str:
    """`; did you mean 'this'?`, or the list of what is known.

    Examples
        >>> near("speks", ["name", "specs"])
        "; did you mean 'specs'?"
    """
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(known)}"
