"""Tidy tables as Parquet files, one file per table, with the schema version inside."""

import contextlib
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import BinaryIO

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ycsbook.columns import SCHEMA_VERSION, VERSION_KEY, arrow_schema
from ycsbook.errors import StoreError, shown
from ycsbook.store import atomic
from ycsbook.tables import Tables, conform

# What is alike compresses to nothing: a small file may claim more rows than memory holds.
MAX_ROWS, MAX_ROWS_PER_BYTE = 1_000_000, 10
_ABOVE_0 = math.ulp(0.0)
_LEAST = {"cores": _ABOVE_0, "ram_gib": _ABOVE_0, "threads": _ABOVE_0, "throughput_ops_s": 0.0}


def write(frames: Tables | dict[str, pd.DataFrame], folder: Path, beside: Mapping[str, bytes] | None = None) -> None:
    """Write each frame to `folder/<table>.parquet`, and the files of `beside` by name. A reader sees all the old ones
    or all the new. Raises StoreError where the folder cannot be written."""
    with atomic.changing(folder) as made, atomic.writing(folder):
        for table, frame in frames.items():
            arrow = pa.Table.from_pandas(conform(frame, table), preserve_index=False)
            arrow = arrow.replace_schema_metadata({VERSION_KEY: str(SCHEMA_VERSION).encode()})
            pq.write_table(arrow, made / f"{table}.parquet", compression="zstd")
        for name, content in (beside or {}).items():
            (made / name).write_bytes(content)


def is_in(folder: Path) -> bool:
    return atomic.current(folder, "runs.parquet").is_file()


def folders(root: Path) -> list[Path]:
    return sorted({path.parent for path in root.rglob("runs.parquet")})


def read(folder: Path) -> Tables:
    """The measured tables of a folder, all of one ingest; raises StoreError where there are none of this version."""
    frames = _read(folder, [field.name for field in fields(Tables)])
    if "runs" not in frames:
        raise StoreError(
            f"{folder}: no runs.parquet there, expected a folder of tables; make one with "
            "'ycsbook ingest PATH... --out DIR' or 'ycsbook report PARAMS'"
        )
    return Tables(**frames)


def read_table(folder: Path, table: str) -> pd.DataFrame:
    """One table of a folder, its columns typed as in the glossary."""
    if frame := _read(folder, [table]):
        return frame[table]
    raise StoreError(f"{folder / f'{table}.parquet'}: no such table")


def _read(folder: Path, tables: list[str]) -> dict[str, pd.DataFrame]:
    with _unreadable(folder), atomic.opened(folder, [f"{table}.parquet" for table in tables]) as files:
        return {name.removesuffix(".parquet"): _table(folder / name, file) for name, file in files.items()}


@contextlib.contextmanager
def _unreadable(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowInvalid) as e:
        reason = getattr(e, "strerror", None) or e
        where = getattr(e, "filename", None) or path
        raise StoreError(f"{where}: cannot be read as Parquet: {reason}") from None


def _table(path: Path, opened: BinaryIO) -> pd.DataFrame:
    # Not read_table, whose machinery for data sets of many files takes longer than one small file.
    with _unreadable(path), pq.ParquetFile(opened) as file:
        if file.metadata.num_rows > MAX_ROWS + MAX_ROWS_PER_BYTE * os.fstat(opened.fileno()).st_size:
            raise pa.ArrowInvalid(f"{file.metadata.num_rows:,} rows in so small a file")
        arrow = file.read(use_threads=False)
    table = path.stem
    version = (arrow.schema.metadata or {}).get(VERSION_KEY, b"none").decode()
    if version != str(SCHEMA_VERSION):
        raise StoreError(f"{path}: has schema version {version}, expected {SCHEMA_VERSION}; ingest it again")
    if wrong := _mistake(arrow, table):
        raise StoreError(f"{path}: {wrong}: it was changed since it was written; make the tables again")
    return conform(arrow.to_pandas(use_threads=False), table)


def _mistake(rows: pa.Table, table: str) -> str:
    """How a table differs from what this release writes; empty: not."""
    schema = arrow_schema(table)
    if odd := set(rows.column_names) - set(schema.names):
        return f"has the column {shown(min(odd))}, which {table} has not"
    for field in rows.schema:
        if pa.null() != field.type and _kind(field.type) != _kind(schema.field(field.name).type):
            return f"{field.name} holds {field.type}, expected {schema.field(field.name).type}"
    if missing := set(schema.names) - set(rows.column_names):
        return f"has no column {shown(min(missing))}"
    if table == "runs" and len(rows["run_id"].unique()) < len(rows):
        return "a run_id stands twice"
    for name, least in _LEAST.items() if table == "runs" else ():
        ends = pc.min_max(rows[name].cast(pa.float64())).as_py().values()
        if wrong := [end for end in ends if end is not None and (end < least or end == math.inf)]:
            return f"{name} is {wrong[0]:g}, expected a number {'of 0 or more' if least == 0 else 'above 0'}"
    return ""


def _kind(type: pa.DataType) -> str:
    value = type.value_type if pa.types.is_dictionary(type) else type
    return str(value).removeprefix("large_")
