"""JSON of one's own as a table: a list of objects, alone or in an object, or an object in each line."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator

_NEXT = re.compile(r"[\s,]*")
_BEGINS = re.compile(r"\s*[\[{]")


def records(text: str) -> list[tuple[int, list[str]]]:
    """The headings, then a row for each object, each with the line in which it begins. Objects inside others give
    columns with both names; what stands beside the list is of all its rows.

    Raises
        ValueError: it is no JSON, or has no such list, or several.
    Examples
        >>> records('{"cores": 4, "runs": [{"threads": 8, "latency": {"avg_us": 9}}]}')
        [(1, ['cores', 'threads', 'latency_avg_us']), (1, ['4', '8', '9'])]
    """
    try:
        rows = [(line, _flat(row)) for line, row in _objects(text)]
    except RecursionError:
        raise ValueError("its parts are nested too deep") from None
    headings = list(dict.fromkeys(name for _, row in rows for name in row))
    return [(1, headings), *((line, [row.get(name, "") for name in headings]) for line, row in rows)]


def _objects(text: str) -> Iterator[tuple[int, dict]]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError:
        of_lines = [(at, json.loads(line)) for at, line in enumerate(text.splitlines(), 1) if line.strip()]
        if not all(isinstance(row, dict) for _, row in of_lines):
            raise ValueError("expected an object in each line") from None
        yield from of_lines
        return
    beside, start = {}, text.find("[")
    if isinstance(data, dict):
        lists = [name for name, value in data.items() if _is_list(value)]
        if len(lists) != 1:
            raise ValueError(f"got {len(lists)} lists of objects, expected one with an object for each run")
        beside = {name: value for name, value in data.items() if name != lists[0]}
        start = text.find("[", text.find(json.dumps(lists[0])))
    elif not _is_list(data):
        raise ValueError("expected a list with an object for each run")
    starts = [match.start() for match in re.finditer(r"^", text, re.MULTILINE)]
    at = _NEXT.match(text, start + 1).end()
    while _BEGINS.match(text, at):
        row, end = json.JSONDecoder().raw_decode(text, at)
        yield bisect_right(starts, at), beside | row
        at = _NEXT.match(text, end).end()


def _is_list(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _flat(row: dict, above: str = "") -> dict[str, str]:
    """The texts of an object by name, those inside others by both names; lists say nothing."""
    flat: dict[str, str] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{above}{name}_")
        elif not isinstance(value, list):
            flat[above + name] = "" if value is None else value if isinstance(value, str) else json.dumps(value)
    return flat
