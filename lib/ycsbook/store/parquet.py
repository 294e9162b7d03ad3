"""Tidy tables as Parquet files, one file per table, with the schema version inside."""

import os
from dataclasses import fields
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ycsbook import opening
from ycsbook.columns import SCHEMA_VERSION, SCHEMAS, VERSION_KEY, arrow_schema
from ycsbook.errors import StoreError, shown
from ycsbook.store import atomic
from ycsbook.tables import Tables, conform

# What is alike compresses to nothing: a small file may claim more rows than memory holds.
MAX_ROWS, MAX_ROWS_PER_BYTE = 1_000_000, 10
_ABOVE_0 = ("cores", "ram_gib")


def write(frames: Tables | dict[str, pd.DataFrame], folder: Path) -> list[Path]:
    """Write each frame to `folder/<table>.parquet`; returns the paths.

    Raises
        StoreError: the folder cannot be written.
    """
    items = frames.items()
    return [_write_one(conform(frame, table), folder / f"{table}.parquet") for table, frame in items]


def read(folder: Path) -> Tables:
    """The measured tables of a folder.

    Raises
        StoreError: no runs.parquet there, or a file of another schema version.
    """
    if not (folder / "runs.parquet").is_file():
        raise StoreError(
            f"{folder}: no runs.parquet there, expected a folder of tables; make one with "
            "'ycsbook ingest PATH... --out DIR' or 'ycsbook report PARAMS'"
        )
    names = [field.name for field in fields(Tables)]
    return Tables(**{n: read_table(folder, n) for n in names if (folder / f"{n}.parquet").is_file()})


def read_table(folder: Path, table: str) -> pd.DataFrame:
    """One table of a folder, its columns typed as in the glossary."""
    path = folder / f"{table}.parquet"
    try:
        # Not read_table, whose machinery for data sets of many files takes longer than one small file.
        with opening.opened(path, root=folder) as opened, pq.ParquetFile(opened) as file:
            if file.metadata.num_rows > MAX_ROWS + MAX_ROWS_PER_BYTE * os.fstat(opened.fileno()).st_size:
                raise pa.ArrowInvalid(f"{file.metadata.num_rows:,} rows in so small a file")
            arrow = file.read(use_threads=False)
    except FileNotFoundError:
        raise StoreError(f"{path}: no such table") from None
    except (OSError, pa.ArrowInvalid) as e:
        reason = getattr(e, "strerror", None) or e
        raise StoreError(f"{path}: cannot be read as Parquet: {reason}") from None
    version = (arrow.schema.metadata or {}).get(VERSION_KEY, b"none").decode()
    if version != str(SCHEMA_VERSION):
        raise StoreError(f"{path}: has schema version {version}, expected {SCHEMA_VERSION}; ingest it again")
    if wrong := _mistake(arrow, table):
        raise StoreError(f"{path}: {wrong}: it was changed since it was written; make the tables again")
    return conform(arrow.to_pandas(use_threads=False), table)


def _mistake(rows: pa.Table, table: str) -> str:
    """What is not as this release writes a table; empty where all is."""
    schema = arrow_schema(table)
    if odd := set(rows.column_names) - set(schema.names):
        return f"has the column {shown(min(odd))}, which {table} has not"
    for field in rows.schema:
        if pa.null() != field.type and _kind(field.type) != _kind(schema.field(field.name).type):
            return f"{field.name} holds {field.type}, expected {schema.field(field.name).type}"
    if table == "runs" and "run_id" in rows.column_names and len(rows["run_id"].unique()) < len(rows):
        return "a run_id stands twice"
    for name in _ABOVE_0 if table == "runs" else ():
        if (
            name in rows.column_names
            and (least := pc.min(rows[name].cast(pa.float64())).as_py()) is not None
            and least <= 0
        ):
            return f"{name} is {least:g}, expected a number above 0"
    return ""


def _kind(type: pa.DataType) -> str:
    value = type.value_type if pa.types.is_dictionary(type) else type
    return str(value).removeprefix("large_")


def _write_one(frame: pd.DataFrame, path: Path) -> Path:
    table = path.stem
    assert table in SCHEMAS
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    arrow = arrow.replace_schema_metadata({VERSION_KEY: str(SCHEMA_VERSION).encode()})
    atomic.write_with(path, lambda temporary: pq.write_table(arrow, temporary, compression="zstd"))
    return path
