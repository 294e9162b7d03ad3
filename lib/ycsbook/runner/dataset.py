"""Whether a server holds the records a run needs, and whose they are.

A marker document beside the records says how they were made: `loading` while a load is under way, `ready`
after it, `changed` once a workload has inserted. Records without our marker are somebody else's: they are
never touched.
"""

from dataclasses import asdict, dataclass

import pymongo

from ycsbook.errors import ToolError
from ycsbook.params import Sweep
from ycsbook.params.secrets import Secret

MARKERS = "ycsbook_datasets"
TIMEOUT_MS = 10_000


@dataclass(frozen=True)
class Shape:
    """What makes two data sets the same."""

    records: int
    field_count: int
    field_length: int

    @classmethod
    def of(cls, sweep: Sweep) -> "Shape":
        return cls(sweep.records, sweep.field_count, sweep.field_length)


class Dataset:
    """The records in one server's YCSB table."""

    def __init__(self, uri: Secret, table: str, shape: Shape):
        self._uri, self._table, self._shape = uri, table, shape

    def is_ready(self) -> bool:
        """Whether exactly these records are there, loaded by us and not changed since."""
        with self._client() as client:
            database = client.get_default_database("ycsb")
            marker = database[MARKERS].find_one({"_id": self._table})
            if not marker or marker["state"] != "ready" or marker["shape"] != asdict(self._shape):
                return False
            return database[self._table].estimated_document_count() == self._shape.records

    def clear(self) -> None:
        """Make room for a load.

        Raises
            ToolError: the table holds records that are not ours.
        """
        with self._client() as client:
            database = client.get_default_database("ycsb")
            ours = database[MARKERS].find_one({"_id": self._table}) is not None
            held = database[self._table].estimated_document_count()
            if held and not ours:
                raise ToolError(
                    f"{database.name}.{self._table}: holds {held:,} records that ycsbook did not load; drop them "
                    "yourself or choose another 'table' in the params file"
                )
            self._mark(database, "loading")
            database[self._table].drop()

    def mark_ready(self) -> None:
        """The load was whole."""
        with self._client() as client:
            self._mark(client.get_default_database("ycsb"), "ready")

    def mark_changed(self) -> None:
        """A workload that inserts is about to run."""
        with self._client() as client:
            self._mark(client.get_default_database("ycsb"), "changed")

    def _mark(self, database: "pymongo.database.Database", state: str) -> None:
        marker = {"_id": self._table, "state": state, "shape": asdict(self._shape)}
        database[MARKERS].with_options(write_concern=pymongo.WriteConcern("majority")).replace_one(
            {"_id": self._table}, marker, upsert=True
        )

    def _client(self) -> pymongo.MongoClient:
        return pymongo.MongoClient(self._uri.reveal(), serverSelectionTimeoutMS=TIMEOUT_MS)
