"""What people call specs, mixes and cells, as facts."""

import re
from collections.abc import Callable, Iterable, Mapping
from math import isfinite, isnan, nan
from typing import TYPE_CHECKING

from ycsbook.facts import Fact, fact

if TYPE_CHECKING:
    import pandas as pd

# YCSB's workloads of reads and updates alone, and their share of reads; rNN is another such mix.
_UPDATING = {"a": 0.5, "b": 0.95, "c": 1.0}
_OTHER_MIX = re.compile(r"r\d+(\.\d+)?")
# How far the share of a thousand operations lies from what the mix asks for, by chance.
_BY_CHANCE = 0.045
_DIGITS = re.compile(r"\d+")


def natural(column: "pd.Series") -> "pd.Series":
    """A column as the `key` of sort_values: of texts the numbers in them count, not their digits."""
    return column.map(lambda value: _DIGITS.sub(lambda n: n[0].zfill(20), value) if isinstance(value, str) else value)


def mix_name(reads: float) -> str:
    """The workload's name: a, b or c where it is YCSB's read/update mix, else such as r80."""
    return next((name for name, share in _UPDATING.items() if share == reads), f"r{reads * 100:g}")


def share_of_reads(workload: str) -> float:
    """What share of a workload's operations are reads, by its name; NaN of one that is no mix of reads and updates."""
    return _UPDATING.get(workload, float(workload[1:]) / 100 if _OTHER_MIX.fullmatch(workload) else nan)


def mix(row: Mapping) -> Fact:
    """A mix as 50:50 (reads to updates), by `workload` and `read_fraction` of a row; one that is not known, or has
    other operations, as `F (read-modify-write)` or `workload g`."""
    return fact("mix", **_mix(row))


def mixes(table: "pd.DataFrame") -> dict[str, Fact]:
    """Each workload of a table with `workload` and `read_fraction`, as `mix` says it."""
    shares = table.groupby("workload")["read_fraction"].mean()
    return {name: mix({"workload": name, "read_fraction": share}) for name, share in shares.items()}


def doubts(cells: Iterable[Mapping], key: str) -> Fact | str:
    """A clause naming those of the compared cells that break Little's law themselves, told apart by `key`
    (`doubt-threads` or `doubt-spec`); empty if none does."""
    # Only here: it loads numpy, for which --help does not wait.
    from ycsbook.closed_loop import MAX_UTILISATION

    odd = [cell for cell in cells if cell["utilisation"] > MAX_UTILISATION]
    rows = [fact(key, **_cell(cell), utilisation=cell["utilisation"]) for cell in odd]
    return fact("doubt", rows=rows, n=len(rows)) if rows else ""


def listed(name: str, members: Iterable[str | Fact], most: int = 4) -> dict[str, object]:
    """The values `name`, of so many different members, and `name_more`, how many further ones there are."""
    different = list(dict.fromkeys(members))
    return {name: different[:most], f"{name}_more": max(len(different) - most, 0)}


def is_read_update(row: Mapping) -> bool:
    """Whether a row's workload is a known mix of reads and updates; row: workload and read_fraction."""
    return _mix(row)["reads"] is not None


def _cell(row: Mapping) -> dict[str, object]:
    return {**_shape(row), **_mix(row), "threads": row["threads"]}


def _shape(row: Mapping) -> dict[str, object]:
    unit = "GB" if row["vendor"] else "GiB"
    # A name where other specs have the same cores and RAM (scaling.points.throughputs).
    slug = row.get("called") or ("" if isfinite(row["cores"]) else str(row["spec"] or row["run_id"]))
    return {"cores": nan if slug else row["cores"], "ram_gib": row["ram_gib"], "ram_unit": unit, "spec": slug}


def _mix(row: Mapping) -> dict[str, object]:
    name, share = row["workload"], row["read_fraction"]
    planned = share_of_reads(name)
    if isnan(planned):
        return {"reads": None, "writes": None, "workload": name or None}
    # Of a name that YCSB gives to one mix, nobody says another.
    reads = round(100 * (share if abs(share - planned) >= _BY_CHANCE else planned))
    return {"reads": reads, "writes": 100 - reads, "workload": None}


def _called(key: str, *parts: Callable[[Mapping], dict[str, object]]) -> Callable[[Mapping], Fact]:
    return lambda row: fact(key, **{name: value for part in parts for name, value in part(row).items()})


# What a row of a table is called by itself, and in a list. `32 cores, 240 GB`, `0.25 cores, 0.25 GiB`; its name where
# the shape is unknown or several specs have it. Vendors write GB, our own specs are in GiB.
spec = _called("spec", _shape)
spec_listed = _called("spec-listed", _shape)
# `32 cores, 240 GB, 50:50`
spec_and_mix = _called("spec-mix", _shape, _mix)
spec_and_mix_listed = _called("spec-mix-plain", _shape, _mix)
# `32 cores, 240 GB, 100 threads`
spec_and_threads = _called("spec-threads", _shape, lambda row: {"threads": row["threads"]})
# `32 cores, 240 GB, 50:50, 100 threads`
cell = _called("cell", _cell)
cell_listed = _called("row", _cell)
# `32 cores 240 GB 50:50 4,200 µs`
with_write_latency = _called("write_latency_outliers-row", _shape, _mix, lambda row: {"write_us": row["write_us"]})
