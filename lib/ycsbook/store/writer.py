"""Tidy tables written a batch at a time, in memory that does not grow with them: old or new, never half."""

import math
from contextlib import ExitStack, suppress
from pathlib import Path

from ycsbook.columns import arrow_schema
from ycsbook.store import atomic

# Rows of a row group, about: readers skip whole groups, and this many compress well.
GROUP_ROWS = 122_880
# How the long table is written; CPU time and size of 363,000 rows, these settings = 1: zstd for every column, without
# BYTE_STREAM_SPLIT, nullable 2.7 and 0.84, not nullable 2.4 and 0.84; with BYTE_STREAM_SPLIT zstd 1.5 and 0.84, lz4 1.1
# and 1.02, snappy 1.0 and 1.06; snappy without 1.25 and 1.11; no compression (nullable) 1.0 and 2.3. elapsed_s: zstd
# instead of snappy 1.14 and 0.96, as a dictionary 1.11 and 0.98; mean_us: none 0.87 and 1.13; throughput_ops_s, whose
# digits have no pattern: snappy 1.07 and 0.96. No statistics 0.90; pages of 128 KiB instead of 1 MiB 0.96 and 1.03.
_INTERVALS = {
    "dictionary": ("run_id", "operation", "interval_s"),
    "split": ("operations", "mean_us", "max_us", "p99_us", "source_line"),
    "compression": {"mean_us": "zstd", "throughput_ops_s": "none"},
    "statistics": ["run_id", "elapsed_s"],
}


class TablesWriter:
    """Writes `folder/<table>.parquet` for some tables; used as a context, at whose end they are put in place together.
    Where it ends by an error, the old tables stay as they were. Raises StoreError where they cannot be written."""

    def __init__(self, folder: Path, tables: tuple[str, ...]):
        self.folder, self._tables = folder, tables
        self._writers: dict[str, object] = {}
        self._waiting: dict[str, list] = {table: [] for table in tables}

    def __enter__(self) -> "TablesWriter":
        with ExitStack() as entered:
            self._made = entered.enter_context(atomic.changing(self.folder))
            entered.push(self._end)
            self._entered = entered.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._entered.__exit__(*error)

    def write(self, table: str, rows) -> None:
        """Append the rows of a pyarrow table."""
        waiting = self._waiting[table]
        waiting.append(rows)
        if sum(len(r) for r in waiting) >= GROUP_ROWS:
            self._flush(table)

    def _end(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        try:
            for table in self._tables if kind is None else ():
                self._flush(table)
                with atomic.writing(self.folder):
                    self._writers[table].close()
        finally:
            for writer in self._writers.values():
                with suppress(OSError):  # of an ingest that failed already
                    writer.close()

    def _flush(self, table: str) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        waiting, self._waiting[table] = self._waiting[table], []
        with atomic.writing(self.folder):
            if (writer := self._writers.get(table)) is None:
                schema, options = _options(table)
                path = self._made / f"{table}.parquet"
                # Text that is pointed to here is plain text to whoever reads it.
                writer = self._writers[table] = pq.ParquetWriter(path, schema, store_schema=False, **options)
                writer.add_key_value_metadata(schema.metadata)
            if waiting:
                rows = pa.concat_tables(waiting)
                if len(waiting) > 1:
                    # A second dictionary in a row group would be written as plain text.
                    rows = rows.unify_dictionaries()
                rows = pa.Table.from_arrays(rows.columns, schema=writer.schema)
                groups = max(1, round(len(rows) / GROUP_ROWS))
                writer.write_table(rows, row_group_size=max(1, math.ceil(len(rows) / groups)))


def _options(table: str) -> tuple[object, dict]:
    """The schema that a table is written in and how."""
    import pyarrow as pa

    schema = arrow_schema(table)
    if table != "intervals":
        text = [field.name for field in schema if str(field.type) != "double"]
        return schema, {"compression": "zstd", "compression_level": 1, "use_dictionary": text}
    # Missing figures are NaN, so nothing has to be marked as missing: a quarter of the time.
    schema = pa.schema([field.with_nullable(False) for field in schema], schema.metadata)
    return schema, {
        "compression": {name: _INTERVALS["compression"].get(name, "snappy") for name in schema.names},
        "use_dictionary": list(_INTERVALS["dictionary"]),
        "column_encoding": dict.fromkeys(_INTERVALS["split"], "BYTE_STREAM_SPLIT"),
        "write_statistics": _INTERVALS["statistics"],
    }
