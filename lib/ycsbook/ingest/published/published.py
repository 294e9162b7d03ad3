"""Published vendor tables, read back as tidy tables: evidence that must not have changed since it was made."""

import csv
import hashlib
import io
import re
from collections.abc import Iterable, Sequence
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ycsbook import closed_loop, opening, paths
from ycsbook.errors import RunLogError, shown
from ycsbook.facts import in_columns
from ycsbook.ingest.published.page_headings import LATENCIES
from ycsbook.operations import TOTAL
from ycsbook.verdicts import Outcome, Warn, columns_unread

if TYPE_CHECKING:
    from ycsbook.tables import Tables

FORMAT = "published"
VENDOR_COLUMNS = (
    "dataset", "vendor", "spec", "spec_label", "cores", "ram_gib", "workload", "read_fraction", "threads",
    "throughput_ops_s", "cpu_utilisation", "ral_us", "wal_us", "source_line",
)  # fmt: skip

# What may differ from row to row, after those columns: only where the page says it of each.
ROW_COLUMNS = ("server_version", "topology", "phase", "records", "clients", "target_ops_s")

_TEXT = {"dataset", "vendor", "spec", "spec_label", "workload", "server_version", "topology", "phase"}
_POSITIVE = {"cores", "ram_gib", "threads", "records", "clients", "target_ops_s"}
_TEXT_FACTS = {"vendor", "server_version", "topology", "write_concern"}
_FACTS = _TEXT_FACTS | {"rtt_us", "records", "clients"}
# What tells a page's runs of one spec and mix apart, with the letter it has in their names.
_SETTINGS = (("t", "threads"), ("c", "clients"), ("x", "target_ops_s"), ("r", "repeat"))
# What a measurement says that is no column of `runs`.
_APART = (*LATENCIES, "percentiles", "averaged", "unread", "inferred", "source_line", "line", "variant")
# What most publishers do not say of a row, and no column where it is missing.
_SELDOM = ("server_version", "topology", "write_concern", "failed_operations", "goodput_ops_s", "printed_noise",
           "repeat")  # fmt: skip
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,17})?", re.ASCII)


class PublishedRows(NamedTuple):
    """The rows of the `runs`, `operations` and `percentiles` tables that a published table gives, one dict each."""

    runs: list[dict]
    operations: list[dict]
    percentiles: list[dict]


def is_vendors(columns: Sequence[str]) -> bool:
    """Whether these are the columns of a vendor's table: VENDOR_COLUMNS, and after them some of ROW_COLUMNS."""
    return tuple(columns) == VENDOR_COLUMNS + tuple(name for name in ROW_COLUMNS if name in columns)


def read_published(csv_path: str | Path) -> "Tables":
    """The runs and operations of a vendor's published table; a relative path counts from the repository. Goodput is NaN
    where a vendor does not say how many operations failed; READ and UPDATE carry the mean latencies (us). Raises
    RunLogError where the CSV or its sidecar is missing or not what it should be, or the sha256 is not the sidecar's."""
    # Only here: pandas comes with it, and no ingest from the command line needs that.
    from ycsbook.tables import Tables, from_rows

    runs, operations, _ = rows(csv_path)
    return Tables(runs=from_rows(runs, "runs"), operations=from_rows(operations, "operations"))


def rows(csv_path: str | Path) -> PublishedRows:
    path = paths.resolve(csv_path)
    sidecar, content = verified(path)
    measured = ((f"{paths.inside(path).as_posix()}:{line}", line, row) for line, row in _rows(path, content))
    return published_rows(path, measured, {**sidecar["facts"], "format": FORMAT})


def published_rows(path: str | Path, measured: Iterable[tuple[str, int, dict]], facts: dict) -> PublishedRows:
    """The rows of the tables from measurements: where each stands, its line, and VENDOR_COLUMNS with it; `path`: what
    errors name, `facts`: columns that hold for all. Raises RunLogError where a measurement stands twice."""
    runs, operations, percentiles, lines_by_id = [], [], [], {}
    for source, line, row in measured:
        missing = [k for k in _SELDOM if row.get(k, "") == "" or (k not in _TEXT_FACTS and isnan(row[k]))]
        columns = {k: v for k, v in row.items() if k not in (*_APART, *missing)}
        phase = row.get("phase", "run")
        # Writes of a load are inserts, whatever their column is called.
        called = LATENCIES if phase == "run" else {**LATENCIES, "wal_us": "INSERT"}
        latencies = {
            called[c]: row[c] for c in ("insert_us", "ral_us", "wal_us", "latency_us") if not isnan(row.get(c, nan))
        }
        ranks = [(called[c], percent, us) for c, percent, us in row.get("percentiles", ())]
        name = row["workload"] if phase == "run" else phase
        settings = (f"{letter}{row[c]:g}" for letter, c in _SETTINGS if not isnan(row.get(c, nan)))
        run_id = "-".join(filter(None, (row["dataset"], row["spec"], name, *settings)))
        if run_id in lines_by_id:
            raise RunLogError(path, line, f"{run_id} already stands in line {lines_by_id[run_id]}")
        lines_by_id[run_id] = line
        rate, reads, threads = (row[c] for c in ("throughput_ops_s", "read_fraction", "threads"))
        read_us, write_us = latencies.get("READ", nan), latencies.get("UPDATE", latencies.get("INSERT", nan))
        all_us = latencies.get(TOTAL, nan)
        _, utilisation = closed_loop.least_of_mix(rate, reads, threads, read_us, write_us, all_us=all_us)
        suspicions = {
            Warn.OPERATIONS_FAILED: row.get("failed_operations", 0) > 0 or row.get("goodput_ops_s", rate) < rate,
            Warn.UNACKED_WRITES: {**row, **facts}.get("write_concern") == "0" and reads != 1,
            Warn.LITTLE_LAW: utilisation > closed_loop.MAX_UTILISATION,
            Warn.PERCENTILES_AVERAGED: row.get("averaged"),
            Warn.OPERATION_UNKNOWN: TOTAL in (*latencies, *(name for name, _, _ in ranks)),
            Warn.COLUMNS_UNREAD: row.get("unread"),
            Warn.SETTINGS_INFERRED: row.get("inferred"),
        }
        runs.append(
            {
                **columns,
                "spec": row["spec"] or Path(path).stem,  # rows that name no server are of one
                **facts,
                **(in_columns("reason", columns_unread(row["unread"])) if row.get("unread") else {}),
                "run_id": run_id,
                "phase": phase,
                "outcome": Outcome.PUBLISHED.value,
                "warnings": " ".join(warning for warning, is_so in suspicions.items() if is_so),
                "source": source,
            }
        )
        of_run = {"run_id": run_id, "source": source}
        operations += [{**of_run, "operation": name, "mean_us": mean} for name, mean in latencies.items()]
        of_run |= {"percentile_source": "summary"}
        percentiles += [{**of_run, "operation": name, "percentile": p, "latency_us": us} for name, p, us in ranks]
    return PublishedRows(runs, operations, percentiles)


def read_sidecar(csv_path: str | Path) -> dict:
    """What is known of a published CSV. Raises RunLogError where there is no sidecar beside it, or none of ours."""
    path = paths.resolve(csv_path).with_suffix(".json")
    try:
        sidecar = opening.json_content(path, root=path.parent)
    except FileNotFoundError:
        raise RunLogError(path, None, "no such sidecar; a published CSV needs one beside it") from None
    except (OSError, ValueError) as e:
        reason = getattr(e, "strerror", None) or e
        raise RunLogError(path, None, f"cannot be read as JSON: {reason}") from None
    if not (
        isinstance(sidecar, dict)
        and isinstance(sidecar.get("csv_sha256"), str)
        and isinstance(sidecar.get("facts"), dict)
        and sidecar["facts"].keys() <= _FACTS
    ):
        raise RunLogError(path, None, f"expected an object with csv_sha256 and facts ({', '.join(sorted(_FACTS))})")
    for name, value in sidecar["facts"].items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e15
        if not (isinstance(value, str) if name in _TEXT_FACTS else is_number):
            expected = "text" if name in _TEXT_FACTS else "a number > 0"
            raise RunLogError(path, None, f"facts.{name}: got {shown(value)}, expected {expected}")
    environment = sidecar.get("environment", {})
    if not isinstance(environment, dict) or not all(isinstance(value, str) for value in environment.values()):
        raise RunLogError(path, None, f"environment: got {shown(environment)}, expected texts by name")
    return sidecar


def verified(path: Path) -> tuple[dict, bytes]:
    """The sidecar of a published CSV, and the CSV's content, which is what the sidecar is of. Raises RunLogError."""
    try:
        content = opening.content(path, opening.MAX_TABLE_BYTES)
    except OSError as e:
        raise RunLogError(path, None, f"cannot be read: {e.strerror or e}") from None
    sidecar = read_sidecar(path)
    digest = hashlib.sha256(content).hexdigest()
    if digest != sidecar["csv_sha256"]:
        raise RunLogError(
            path,
            None,
            f"its sha256 is {digest[:12]}…, its sidecar says {shown(sidecar['csv_sha256'][:12])}…: published evidence "
            "must not change; restore the file from the repository or make both again from the source document",
        )
    return sidecar, content


def _rows(path: Path, content: bytes) -> list[tuple[int, dict]]:
    try:
        reader = csv.reader(io.StringIO(content.decode("utf-8"), newline=""), strict=True)
        lines = [(reader.line_num, cells) for cells in reader]
    except (UnicodeDecodeError, csv.Error) as e:
        raise RunLogError(path, None, f"cannot be read as CSV: {e}") from None
    columns = tuple(lines[0][1]) if lines else ()
    if not is_vendors(columns):
        header = shown(",".join(columns)) if lines else "nothing"
        expected = f"{','.join(VENDOR_COLUMNS)}, and after them any of {','.join(ROW_COLUMNS)}"
        beside = "; 'ycsbook systems' sets it beside measurements" if path.parent == paths.PUBLISHED else ""
        raise RunLogError(path, 1, f"got {header}, expected a vendor's table with {expected}{beside}")
    return [(line, _row(path, line, columns, cells)) for line, cells in lines[1:]]


def _row(path: Path, line: int, columns: tuple[str, ...], cells: list[str]) -> dict:
    if len(cells) != len(columns):
        raise RunLogError(path, line, f"got {len(cells)} cells, expected {len(columns)}")
    row: dict = {}
    for name, cell in zip(columns, cells, strict=True):
        least = " > 0" if name in _POSITIVE else ""
        if name not in _TEXT and cell and not (_NUMBER.fullmatch(cell) and (float(cell) or not least)):
            raise RunLogError(path, line, f"{name}: got {shown(cell)}, expected a number{least}, or nothing")
        row[name] = cell if name in _TEXT else float(cell or "nan")
    if not 0 <= row["read_fraction"] <= 1:
        raise RunLogError(path, line, f"read_fraction: got {row['read_fraction']:g}, expected 0 to 1")
    return row
