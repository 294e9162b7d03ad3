"""What clients and server used, put together: one samples.csv of the run beside those of its clients."""

import csv
import itertools
import math
from collections.abc import Sequence
from pathlib import Path

from ycsbook.ingest.runs.sample_columns import COLUMNS
from ycsbook.store import atomic

_SUMMED = ("client_cpu_s", "client_rss_bytes")
_DECIMALS = {"client_cpu_s": 3, "client_rss_bytes": 0}

Series = list[tuple[float, float]]


def read(path: Path, column: str) -> Series:
    """Moments (s since 1970) and values of a column of a samples.csv, in order; without cells that are not known."""
    return [(at, value) for row in _rows(path) if (at := _number(row, "epoch_s")) is not None
            and (value := _number(row, column)) is not None]  # fmt: skip


def at(series: Series, moment: float) -> float:
    """The value at a moment: between two by a straight line, outside that of the nearest end; NaN of no series."""
    if not series:
        return math.nan
    if moment <= series[0][0]:
        return series[0][1]
    for (before, low), (after, high) in itertools.pairwise(series):
        if moment <= after:
            return low + (high - low) * (moment - before) / (after - before) if after > before else high
    return series[-1][1]


def cores(series: Series, start: float, end: float) -> float:
    """CPU cores in use between two moments, of cumulative CPU seconds; NaN where they are not known."""
    return (at(series, end) - at(series, start)) / (end - start) if end > start and series else math.nan


def add_clients(samples: Path, clients: Sequence[tuple[Path, float]]) -> None:
    """Put the sum of the clients' CPU time and memory into the server's samples.csv.

    Parameters
        samples: the run's own file, without figures of a client.
        clients: each one's samples.csv, and how far its clock is ahead of the runner's, s. Without one of them the
            sum is not known, and nothing is put in.
    """
    rows = list(_rows(samples))
    for column in _SUMMED:
        each = [[(at_s - ahead, value) for at_s, value in read(path, column)] for path, ahead in clients]
        if not all(each):
            continue
        for row in rows:
            moment = _number(row, "epoch_s")
            if moment is not None:
                row[column] = f"{sum(at(series, moment) for series in each):.{_DECIMALS[column]}f}"
    lines = [",".join(COLUMNS), *(",".join(row.get(c) or "" for c in COLUMNS) for row in rows)]
    atomic.write_text(samples, "".join(f"{line}\n" for line in lines))


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(encoding="ascii", newline="") as file:
            return [row for row in csv.DictReader(file) if None not in row.values()]
    except FileNotFoundError:
        return []


def _number(row: dict[str, str], column: str) -> float | None:
    try:
        return float(row.get(column) or "nan") if row.get(column) else None
    except ValueError:
        return None
