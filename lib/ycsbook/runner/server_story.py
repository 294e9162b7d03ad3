"""What the samples beside a run tell of its server: that it went away, or started anew."""

import csv
import math
from dataclasses import dataclass
from pathlib import Path

from ycsbook.ingest.runs.sample_columns import COUNTED
from ycsbook.servers.kind import Counters

# How often a server is asked after a run, half a second each.
ASKED = 4
# What the server itself told; a row that has none of these was written while it did not answer.
_TOLD = (*COUNTED, "connections")


@dataclass(frozen=True)
class ServerStory:
    """`silent_s`: how long the server had been silent at the end, s; 0 where it told something to the end, or never
    did. `restarted_s`: when, from the first sample, a count of the server fell, which only a new process or another
    member of a replica set explains; NaN: never. `gone`: whether it does not answer after the run."""

    silent_s: float = 0.0
    restarted_s: float = math.nan
    gone: bool = False


def answers(counters: Counters) -> bool:
    """Whether the server answers; asked more than once before it is said not to."""
    return any(counters.answers() for _ in range(ASKED))


def read(path: Path, gone: bool = False) -> ServerStory:
    """The story in a samples.csv; little of one where there is no such file, which some clients have not."""
    try:
        with path.open(encoding="ascii", errors="replace", newline="") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError:
        return ServerStory(gone=gone)
    times = [_number(row.get("epoch_s")) for row in rows]
    told = [t for t, row in zip(times, rows, strict=True) if any(_known(row.get(name)) for name in _TOLD)]
    return ServerStory(max(0.0, times[-1] - told[-1]) if told else 0.0, _fell_s(times, rows), gone)


def _fell_s(times: list[float], rows: list[dict]) -> float:
    highest: dict[str, float] = {}
    for at, row in zip(times, rows, strict=True):
        for name in COUNTED:
            value = _number(row.get(name))
            if value < highest.get(name, -math.inf):
                return at - times[0]
            if not math.isnan(value):
                highest[name] = value
    return math.nan


def _known(text: str | None) -> bool:
    return not math.isnan(_number(text))


def _number(text: str | None) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return math.nan
