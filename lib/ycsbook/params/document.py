"""A hostile-safe YAML reader that remembers where each key stands."""

import re
from collections.abc import Iterable
from pathlib import Path

import yaml

from ycsbook import opening, paths
from ycsbook.errors import ParamsError, shown

MAX_BYTES = 1_000_000
MAX_DEPTH = 20


# libyaml reads ten times as fast; PyYAML may have been built without it.
_Fast = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Fast):
    """Safe YAML in which `1:30` stays text."""


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


def read(path: Path, expected: str = "a mapping with name, server and specs") -> tuple[dict, dict[tuple, int]]:
    """The document as plain Python values, and the line of every key and list item by its path.

    Raises
        ParamsError: unreadable, not YAML, too large or too deep, a repeated key, not a mapping.
    """
    try:
        text = opening.content(path, MAX_BYTES).decode("utf-8")
    except FileNotFoundError:
        here = ", ".join(sorted(f"params/{p.name}" for p in paths.PARAMS.glob("*.yml")))
        raise ParamsError(f"{path}: no such params file; the repository has {here}") from None
    except (OSError, UnicodeDecodeError) as e:
        reason = getattr(e, "strerror", None) or e
        raise ParamsError(f"{path}: cannot be read as UTF-8 text: {reason}") from None
    try:
        _check(text)
        values, lines = _construct(_Loader(text), path)
    except yaml.MarkedYAMLError as e:
        mark = e.problem_mark
        where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)
        raise ParamsError(f"{where}: not valid YAML: {e.problem or e.context}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as e:
        raise ParamsError(f"{path}: not valid YAML: {str(e).splitlines()[0]}") from None
    if not isinstance(values, dict):
        raise ParamsError(f"{path}: got {shown(values)}, expected {expected}")
    return values, lines


def _check(text: str) -> None:
    """Refuse what is not YAML, aliases, and what is nested too deeply, at the first place where one of them stands."""
    try:
        _check_events(yaml.parse(text, _Fast))
    except yaml.YAMLError:
        # PyYAML's own reader says better what is wrong.
        _check_events(yaml.parse(text, yaml.SafeLoader))
        raise


def _check_events(events: Iterable[yaml.Event]) -> None:
    depth = 0
    for event in events:
        if isinstance(event, yaml.AliasEvent):
            raise yaml.MarkedYAMLError(problem="aliases are not allowed", problem_mark=event.start_mark)
        if tag := getattr(event, "tag", None):
            raise yaml.MarkedYAMLError(problem=f"tags such as {tag!r} are not allowed", problem_mark=event.start_mark)
        if isinstance(event, yaml.NodeEvent) and depth == MAX_DEPTH:
            raise yaml.MarkedYAMLError(problem=f"more than {MAX_DEPTH} levels deep", problem_mark=event.start_mark)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _construct(loader: _Loader, path: Path) -> tuple[object, dict[tuple, int]]:
    try:
        node = loader.get_single_node()
        lines: dict[tuple, int] = {}
        if node is None:
            return None, lines
        _locate(node, (), lines, path)
        return loader.construct_document(node), lines
    finally:
        loader.dispose()


def _locate(node: yaml.Node, at: tuple, lines: dict[tuple, int], path: Path) -> None:
    lines[at] = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise ParamsError(f"{path}:{key.start_mark.line + 1}: got a list or mapping as a key, expected a name")
            if key.value in seen:
                raise ParamsError(f"{path}:{key.start_mark.line + 1}: the key {key.value!r} stands twice")
            seen.add(key.value)
            _locate(value, (*at, key.value), lines, path)
            lines[*at, key.value] = key.start_mark.line + 1
    elif isinstance(node, yaml.SequenceNode):
        for i, item in enumerate(node.value):
            _locate(item, (*at, i), lines, path)
