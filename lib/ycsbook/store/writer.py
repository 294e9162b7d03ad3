"""Tidy tables written a batch at a time, in memory that does not grow with them: old or new, never half."""

import tempfile
from pathlib import Path

from ycsbook.columns import SCHEMAS, arrow_schema
from ycsbook.errors import StoreError
from ycsbook.store import atomic

# Rows of a row group: readers skip whole groups, and this many compress well.
GROUP_ROWS = 122_880


class TablesWriter:
    """Writes `folder/<table>.parquet` for some tables; used as a context.

    The files are put in place together when the block ends; where it ends by an error, nothing is changed.

    Raises
        StoreError: the folder cannot be written or the disk is full; the old tables stay as they were.
    """

    def __init__(self, folder: Path, tables: tuple[str, ...]):
        self.folder, self._tables = folder, tables
        self._writers: dict[str, object] = {}
        self._waiting: dict[str, list] = {}

    def __enter__(self) -> "TablesWriter":
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._made = tempfile.TemporaryDirectory(prefix=".tables-", dir=self.folder)
        except OSError as e:
            raise _unwritable(self.folder, e) from e
        return self

    def write(self, table: str, rows) -> None:
        """Append the rows of a pyarrow table."""
        import pyarrow as pa

        waiting = self._waiting.setdefault(table, [])
        waiting.append(rows)
        if sum(len(r) for r in waiting) >= GROUP_ROWS:
            self._flush(table, pa)

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        import pyarrow as pa

        try:
            if kind is None:
                for table in self._tables:
                    self._waiting.setdefault(table, [])
                    self._flush(table, pa)
            for writer in self._writers.values():
                writer.close()
            if kind is None:
                for table in self._tables:
                    atomic.replace(Path(self._made.name) / f"{table}.parquet", self.folder / f"{table}.parquet")
        except OSError as e:
            raise _unwritable(self.folder, e) from e
        finally:
            self._made.cleanup()

    def _flush(self, table: str, pa) -> None:
        waiting, self._waiting[table] = self._waiting[table], []
        try:
            writer = self._writers.get(table) or self._open(table)
            if waiting:
                writer.write_table(pa.concat_tables(waiting), row_group_size=GROUP_ROWS)
        except OSError as e:
            raise _unwritable(self.folder, e) from e

    def _open(self, table: str):
        import pyarrow.parquet as pq

        schema = arrow_schema(table)
        text = [field.name for field in schema if field.name in SCHEMAS[table] and str(field.type) != "double"]
        self._writers[table] = pq.ParquetWriter(
            Path(self._made.name) / f"{table}.parquet",
            schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=text,
            # Text that is pointed to here is plain text to whoever reads it.
            store_schema=False,
        )
        self._writers[table].add_key_value_metadata(schema.metadata)
        return self._writers[table]


def _unwritable(folder: Path, error: OSError) -> StoreError:
    return StoreError(f"{folder}: cannot be written: {error.strerror or error}; free space or choose another folder")
