"""Tidy tables written a batch at a time, in memory that does not grow with them: old or new, never half."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ycsbook.columns import arrow_schema
from ycsbook.store import atomic

# Rows of a row group, about: readers skip whole groups, and this many compress well.
GROUP_ROWS = 122_880
# How the long table is written: of what was tried the quickest that is hardly larger; zstd and dictionaries for every
# column take 2.7 times the CPU and 0.84 of the size, no compression 2.3 of the size.
_COMPRESSION = {"mean_us": "zstd", "throughput_ops_s": "none"}
_SPLIT = ("operations", "mean_us", "max_us", "p99_us", "source_line")


@contextmanager
def tables_written(folder: Path, tables: tuple[str, ...]) -> Iterator[Callable[[str, Any], None]]:
    """A function that appends rows (pyarrow) to `folder/<table>.parquet` of some tables, put in place together when the
    block ends; after an error the old ones stay. StoreError: they cannot be written."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    waiting: dict[str, list] = {table: [] for table in tables}
    writers: dict[str, pq.ParquetWriter] = {}

    def append(table: str, rows: pa.Table) -> None:
        waiting[table].append(rows)
        if sum(map(len, waiting[table])) >= GROUP_ROWS:
            flush(table)

    def flush(table: str) -> None:
        parts, waiting[table] = waiting[table], []
        with atomic.writing(folder):
            if (writer := writers.get(table)) is None:
                schema, options = _options(table)
                # Text that is pointed to here is plain text to whoever reads it.
                writer = pq.ParquetWriter(made / f"{table}.parquet", schema, store_schema=False, **options)
                writers[table] = writer
                writer.add_key_value_metadata(schema.metadata)
            if parts:
                rows = pa.concat_tables(parts)
                if len(parts) > 1:
                    # A second dictionary in a row group would be written as plain text.
                    rows = rows.unify_dictionaries()
                rows = pa.Table.from_arrays(rows.columns, schema=writer.schema)
                groups = max(1, round(len(rows) / GROUP_ROWS))
                writer.write_table(rows, row_group_size=max(1, math.ceil(len(rows) / groups)))

    with atomic.changing(folder) as made:
        try:
            yield append
            for table in tables:
                flush(table)
                with atomic.writing(folder):
                    writers[table].close()
        finally:
            for writer in writers.values():
                with suppress(OSError):  # of an ingest that failed already
                    writer.close()


def _options(table: str) -> tuple[object, dict]:
    import pyarrow as pa

    schema = arrow_schema(table)
    if table != "intervals":
        text = [field.name for field in schema if str(field.type) != "double"]
        return schema, {"compression": "zstd", "compression_level": 1, "use_dictionary": text}
    # Missing figures are NaN, so nothing has to be marked as missing: a quarter of the time.
    schema = pa.schema([field.with_nullable(False) for field in schema], schema.metadata)
    return schema, {
        "compression": {name: _COMPRESSION.get(name, "snappy") for name in schema.names},
        "use_dictionary": ["run_id", "operation", "interval_s"],
        "column_encoding": dict.fromkeys(_SPLIT, "BYTE_STREAM_SPLIT"),
        "write_statistics": ["run_id", "elapsed_s"],
    }
