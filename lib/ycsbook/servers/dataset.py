"""Whether a server holds the records a run needs, and whose they are.

A marker document beside the records says how they were made: `loading` while a load is under way, `ready`
after it, `changed` once a workload has inserted. Records without our marker are somebody else's: they are
never touched.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import asdict

import pymongo
from pymongo.database import Database
from pymongo.errors import PyMongoError

from ycsbook.errors import ToolError
from ycsbook.secrets import Secret
from ycsbook.servers.kind import Shape, Size
from ycsbook.servers.remote import benchmark_database, connect, explain

MARKERS = "ycsbook_datasets"
TIMEOUT_MS = 10_000


class MongoDataset:
    """The records in one server's YCSB table.

    Every method raises ToolError where the server cannot be reached or refuses.
    """

    def __init__(self, uri: Secret, table: str, shape: Shape):
        self._uri, self._table, self._shape = uri, table, shape

    def is_ready(self) -> bool:
        """Whether exactly these records are there, loaded by us and not changed since."""
        with self._database() as database:
            marker = database[MARKERS].find_one({"_id": self._table})
            if not marker or marker["state"] != "ready":
                return False
            # Markers older than the insert order do not tell it: there was one only.
            if {"insert_order": "hashed", **marker["shape"]} != asdict(self._shape):
                return False
            return database[self._table].estimated_document_count() == self._shape.records

    def clear(self) -> None:
        """Make room for a load.

        Raises
            ToolError: the table holds records that are not ours.
        """
        with self._database() as database:
            ours = database[MARKERS].find_one({"_id": self._table}) is not None
            held = database[self._table].estimated_document_count()
            if held and not ours:
                raise ToolError(
                    f"{database.name}.{self._table}: holds {held:,} records that ycsbook did not load; drop them "
                    "yourself or choose another 'table' in the params file"
                )
            self._mark(database, "loading")
            database[self._table].drop()

    def size(self) -> Size:
        """How large the records are now."""
        with self._database() as database:
            told = database.command("collStats", self._table)
            return Size(int(told.get("size", 0)), int(told.get("storageSize", 0) + told.get("totalIndexSize", 0)))

    def storage_bytes(self) -> int:
        """What the files of the records take now, bytes; 0 where there are none, or the server does not tell."""
        try:
            return self.size().storage_bytes
        except ToolError:
            return 0

    def mark_ready(self) -> None:
        """The load was whole.

        Raises
            ToolError: the server holds another number of records than were loaded, or less of each than was planned.
        """
        with self._database() as database:
            held = database[self._table].count_documents({})
            if held != self._shape.records:
                raise ToolError(
                    f"{database.name}.{self._table}: holds {held:,} records after loading {self._shape.records:,}; "
                    "look at the server's log, then start again"
                )
            planned = self._shape.records * self._shape.field_count * self._shape.field_length
            data_bytes = database.command("collStats", self._table).get("size", 0)
            if data_bytes < planned:
                raise ToolError(
                    f"{database.name}.{self._table}: its records hold {data_bytes:,} bytes after loading, expected at "
                    f"least {planned:,} ({self._shape.field_count} fields of {self._shape.field_length} bytes each); "
                    "look at the load's log, then start again"
                )
            self._mark(database, "ready")

    def mark_changed(self) -> None:
        """A workload that inserts is about to run."""
        with self._database() as database:
            self._mark(database, "changed")

    def _mark(self, database: Database, state: str) -> None:
        marker = {"_id": self._table, "state": state, "shape": asdict(self._shape)}
        durable = pymongo.WriteConcern("majority", wtimeout=TIMEOUT_MS)
        database[MARKERS].with_options(write_concern=durable).replace_one({"_id": self._table}, marker, upsert=True)

    @contextlib.contextmanager
    def _database(self) -> Iterator[Database]:
        try:
            # Dropping a large table may take longer than what else is asked.
            with connect(self._uri, serverSelectionTimeoutMS=TIMEOUT_MS, socketTimeoutMS=None) as client:
                yield benchmark_database(client)
        except PyMongoError as e:
            raise ToolError(explain(e, self._uri)) from None
