"""Summaries that print the same lines with other figures, as tables of figures: a row per log, a column per line."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ycsbook.ingest.log.summary import key_of
from ycsbook.ingest.readers import ycsb
from ycsbook.operations import COMMIT, DATABASE_OPERATIONS, OK, READ_MODIFY_WRITE, is_failure_series, is_of_workload
from ycsbook.redaction import redact

_IGNORED = ("TOTAL_GC",)
_FIGURE = re.compile(rb", (\d{1,19}(?:\.\d{1,19})?)\n")


@dataclass(frozen=True)
class Operation:
    """Where the figures of one operation stand among the lines of a summary; -1: nowhere."""

    name: str
    line: int
    count: int
    mean_us: int
    min_us: int = -1
    max_us: int = -1
    ok: int = -1
    percentiles: tuple[tuple[float, int], ...] = ()


@dataclass(frozen=True)
class Template:
    """What the lines of a summary are, whatever their figures. `database` and `rmw`: the operations that count."""

    runtime: int
    throughput: int
    operations: tuple[Operation, ...]
    database: tuple[Operation, ...]
    rmw: Operation | None
    phase: str


class SameLines(NamedTuple):
    """Summaries with the same lines: which they are, and their figures (a row each, a column per line)."""

    template: Template
    indices: list[int]
    table: np.ndarray


def read(texts: Sequence[bytes]) -> list[SameLines]:
    """The summaries that hold nothing but a whole run's figures in the forms that current releases print."""
    groups: dict[bytes, tuple[list[int], list[bytes]]] = {}
    for i, text in enumerate(texts):
        # What is before each number, each number, and the rest: nothing, if every line is of that form.
        *pieces, rest = _FIGURE.split(text)
        key = b"\n".join(pieces[::2])
        if pieces and not rest and key.count(b"\n") + 1 == len(pieces) // 2:
            indices, numbers = groups.setdefault(key, ([], []))
            indices.append(i)
            numbers += pieces[1::2]
    same = []
    for key, (indices, numbers) in groups.items():
        if template := _template(key):
            same.append(SameLines(template, indices, np.array([*map(float, numbers)]).reshape(len(indices), -1)))
    return same


@lru_cache(maxsize=4096)
def _template(key: bytes) -> Template | None:
    """What the lines of a summary are, given without their numbers; None where one is of another kind."""
    overall: dict[str, int] = {}
    operations: dict[str, dict] = {}
    for line, prefix in enumerate(key.split(b"\n")):
        match = ycsb.SUMMARY.fullmatch((prefix + b", 0").decode("utf-8", errors="replace"))
        if not match:
            return None
        name, metric = match[1], match[2]
        if name == "OVERALL" and metric not in overall:
            overall[metric] = line
        elif name.startswith(_IGNORED):
            continue
        else:
            figure = key_of(metric)
            lines = operations.setdefault(name, {"line": line, "percentiles": []})
            is_known = name in DATABASE_OPERATIONS or not (is_of_workload(name) or name == COMMIT)
            if not _is_plain(figure) or figure in lines or is_failure_series(name) or not is_known:
                return None
            lines[figure] = line
            if figure[0] == "us":
                lines["percentiles"].append((figure[1], line))
    return _assembled(overall, operations)


def _is_plain(key: object) -> bool:
    if isinstance(key, str):
        return key in ("count", "mean_us", "min_us", "max_us")
    return key is not None and (key == ("return", OK) or (key[0] == "us" and key[1] <= 100))


def _assembled(overall: dict[str, int], operations: dict[str, dict]) -> Template | None:
    if not {"RunTime(ms)", "Throughput(ops/sec)"} <= overall.keys():
        return None
    if any("count" not in lines or "mean_us" not in lines for lines in operations.values()):
        return None
    listed = tuple(
        Operation(
            redact(name),
            lines["line"],
            *(lines.get(key, -1) for key in ("count", "mean_us", "min_us", "max_us", ("return", OK))),
            percentiles=tuple(sorted(lines["percentiles"])),
        )
        for name, lines in operations.items()
    )
    database = tuple(o for name in DATABASE_OPERATIONS for o in listed if o.name == name)
    if not database or any(o.ok < 0 for o in database):
        return None
    return Template(
        overall["RunTime(ms)"],
        overall["Throughput(ops/sec)"],
        listed,
        database,
        next((o for o in listed if o.name == READ_MODIFY_WRITE), None),
        "load" if [o.name for o in database] == ["INSERT"] else "run",
    )
