"""Reads a params file safely, keeps the line of each key, and reports what is wrong where."""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import yaml
from pydantic import BaseModel, ValidationError

from ycsbook import opening, paths
from ycsbook.errors import ParamsError, shown

MAX_BYTES = 1_000_000
MAX_DEPTH = 20
# libyaml reads ten times as fast; PyYAML may have been built without it.
_Fast = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Fast):
    """A safe YAML loader for which `1:30` is text."""


# YAML 1.1 reads 1:30 as 90 and 2020-08 as a date; here only plain integers and decimals are numbers.
_REPLACED = {"tag:yaml.org,2002:int", "tag:yaml.org,2002:float", "tag:yaml.org,2002:timestamp"}
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _REPLACED]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_NUMBER_START = list("-+.0123456789")
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"[-+]?[0-9]{1,18}$"), _NUMBER_START)
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?(?:[0-9]{1,40}\.[0-9]{0,40}|\.[0-9]{1,40}|[0-9]{1,40}(?=[eE]))(?:[eE][-+]?[0-9]{1,4})?$"),
    _NUMBER_START,
)


def read(path: Path, expected: str) -> tuple[dict, dict[tuple, int]]:
    """The document as plain Python values, and the line of every key and list item by its path. Raises ParamsError
    where it is unreadable, not YAML, too large or too deep, repeats a key, or is not a mapping."""
    try:
        text = opening.content(path, MAX_BYTES).decode("utf-8")
    except FileNotFoundError:
        listed = ", ".join(sorted(f"params/{p.name}" for p in paths.PARAMS.glob("*.yml")))
        raise ParamsError(f"{path}: no such params file; the repository has {listed}") from None
    except (OSError, UnicodeDecodeError) as e:
        reason = getattr(e, "strerror", None) or e
        raise ParamsError(f"{path}: cannot be read as UTF-8 text: {reason}") from None
    try:
        values, lines = _construct(text, path)
    except yaml.MarkedYAMLError as e:
        mark = e.problem_mark
        where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        raise ParamsError(f"{where}: not valid YAML: {e.problem or e.context}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as e:
        raise ParamsError(f"{path}: not valid YAML: {str(e).splitlines()[0]}") from None
    if not isinstance(values, dict):
        raise ParamsError(f"{path}: got {shown(values)}, expected {expected}")
    return values, lines


def _construct(text: str, path: Path) -> tuple[object, dict[tuple, int]]:
    try:
        _check(yaml.parse(text, _Fast))
    except yaml.YAMLError:
        # PyYAML's own reader says better what is wrong.
        _check(yaml.parse(text, yaml.SafeLoader))
        raise
    loader, lines = _Loader(text), {}
    try:
        node = loader.get_single_node()
        if node is None:
            return None, lines
        _locate(node, (), lines, path)
        return loader.construct_document(node), lines
    finally:
        loader.dispose()


def _check(events: Iterable[yaml.Event]) -> None:
    """Refuse aliases, tags and deep nesting, at the first place where one stands."""
    depth = 0
    for event in events:
        if isinstance(event, yaml.AliasEvent):
            raise yaml.MarkedYAMLError(problem="aliases are not allowed", problem_mark=event.start_mark)
        if tag := getattr(event, "tag", None):
            raise yaml.MarkedYAMLError(problem=f"tags such as {tag!r} are not allowed", problem_mark=event.start_mark)
        if isinstance(event, yaml.NodeEvent) and depth == MAX_DEPTH:
            raise yaml.MarkedYAMLError(problem=f"more than {MAX_DEPTH} levels deep", problem_mark=event.start_mark)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)


def _locate(node: yaml.Node, at: tuple, lines: dict[tuple, int], path: Path) -> None:
    lines[at] = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise ParamsError(f"{path}:{line}: got a list or mapping as a key, expected a name")
            if (*at, key.value) in lines:
                raise ParamsError(f"{path}:{line}: the key {key.value!r} stands twice")
            _locate(value, (*at, key.value), lines, path)
            lines[*at, key.value] = line
    elif isinstance(node, yaml.SequenceNode):
        for i, item in enumerate(node.value):
            _locate(item, (*at, i), lines, path)


# What pydantic expects, in words; of everything else it says itself what it wants.
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
    """A validation error with a text for each place of a file, for a validator of the whole file to raise."""
    details = [
        {"type": "value_error", "loc": at, "input": None, "ctx": {"error": ValueError(text)}}
        for at, text in problems.items()
    ]
    return ValidationError.from_exception_data("params", details)


def mistakes(
    error: ValidationError, path: Path, lines: dict[tuple, int], models: Mapping[str, type[BaseModel]]
) -> list[str]:
    """Every mistake as one line, in the file's order: file, line and key, what was found, what was expected. `lines`:
    of every key and list item by its path; `models`: behind each key of the file, and under "" the file's own."""
    expected: dict[tuple[int, str, str], list[str]] = {}
    for problem in error.errors(include_url=False):
        if problem["type"] == "too_short" and problem["input"]:
            continue  # of its items none is as it should be, which is told of each
        at, written = _place(tuple(problem["loc"]), lines)
        line = lines.get(written, 1)
        if problem["type"] == "missing":
            expected[line, _dotted(at), f"missing; expected a value for {at[-1]!r}"] = []
        elif problem["type"] == "extra_forbidden":
            model = models.get("" if len(at) == 1 else str(at[0]))
            expected[line, _dotted(at), f"unknown key{near(str(at[-1]), [*model.model_fields]) if model else ''}"] = []
        elif problem["type"] == "value_error":
            text = str(problem["ctx"]["error"])
            # What two keys contradict each other in is known of the whole file, and names the key itself.
            if not at and (key := re.match(r"\w+", text)) and (key[0],) in lines:
                expected[lines[key[0],], "", text] = []
            else:
                expected[line, _dotted(written), text] = []
        else:
            # What may be of several kinds is told once, with all of them.
            choices = expected.setdefault((line, _dotted(written), f"got {shown(problem['input'])}, expected "), [])
            choices.append(_expected(problem, written, models))
    return [
        f"{path}:{line}: {f'{key}: ' if key else ''}{text}{', or '.join(choices)}"
        for (line, key, text), choices in sorted(expected.items(), key=lambda mistake: mistake[0][0])
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
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in at)
    return "".join(parts).removeprefix(".") or "the file"


def near(name: str, names: Sequence[str]) -> str:
    """The end of a message about an unknown name: `; did you mean 'this'?`, or the list of all names."""
    close = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(names)}"
