"""Tidy tables as Parquet files, one file per table, with the schema version inside."""

from dataclasses import fields
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ycsbook import opening
from ycsbook.columns import SCHEMA_VERSION, SCHEMAS, VERSION_KEY
from ycsbook.errors import StoreError
from ycsbook.store import atomic
from ycsbook.tables import Tables, conform


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
            arrow = file.read(use_threads=False)
    except FileNotFoundError:
        raise StoreError(f"{path}: no such table") from None
    except (OSError, pa.ArrowInvalid) as e:
        reason = getattr(e, "strerror", None) or e
        raise StoreError(f"{path}: cannot be read as Parquet: {reason}") from None
    version = (arrow.schema.metadata or {}).get(VERSION_KEY, b"none").decode()
    if version != str(SCHEMA_VERSION):
        raise StoreError(f"{path}: has schema version {version}, expected {SCHEMA_VERSION}; ingest it again")
    return conform(arrow.to_pandas(use_threads=False), table)


def _write_one(frame: pd.DataFrame, path: Path) -> Path:
    table = path.stem
    assert table in SCHEMAS
    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    arrow = arrow.replace_schema_metadata({VERSION_KEY: str(SCHEMA_VERSION).encode()})
    atomic.write_with(path, lambda temporary: pq.write_table(arrow, temporary, compression="zstd"))
    return path
