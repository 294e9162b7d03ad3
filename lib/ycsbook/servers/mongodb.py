"""A MongoDB server as a benchmark uses it: the records a run needs, the room they take, and what it says of itself.

A marker document beside the records says how they were made: `loading` while a load is under way, `ready`
after it, `changed` once a workload has inserted. Records without our marker are somebody else's: they are
never touched.
"""

import contextlib
import time
from collections.abc import Iterator, Mapping

import pymongo
from pymongo.database import Database
from pymongo.errors import OperationFailure, PyMongoError
from pymongo.read_concern import ReadConcern

from ycsbook.errors import ToolError
from ycsbook.params import Sweep
from ycsbook.params.experiments import EXPERIMENTS
from ycsbook.secrets import Secret
from ycsbook.servers.kind import RecordShape, Size, Target
from ycsbook.servers.remote import benchmark_database, connect, explain, figure
from ycsbook.units import BYTES_PER_GIB, US_PER_S

MARKERS = "ycsbook_datasets"
# By experiment, in the order in which `indexes` counts them.
INDEXES: Mapping[str, tuple] = {
    "crud": ("age", "test1", ["age", "test2"]),
    "insertion": (
        ["price", "customerid"],
        ["cashregisterid", "price", "customerid"],
        ["price", "dateandtime", "customerid"],
    ),
}
DATASET_MS = 10_000
# So long after a run without answers nothing more arrives; and so long is waited for that.
ARRIVAL_S, ARRIVAL_LIMIT_S = 0.2, 60.0
# Beside a run nobody waits for a server that hangs: the next second asks again.
ANSWER_MS = 500
# By column of samples.csv, where it stands. Operations, evicted pages and CPU time are counted from the server's start.
_PLACES: Mapping[str, tuple[str, ...]] = {
    "inserts": ("opcounters", "insert"),
    "queries": ("opcounters", "query"),
    "updates": ("opcounters", "update"),
    "deletes": ("opcounters", "delete"),
    "commands": ("opcounters", "command"),
    "connections": ("connections", "current"),
    "cache_bytes": ("wiredTiger", "cache", "bytes currently in the cache"),
    "cache_dirty_bytes": ("wiredTiger", "cache", "tracked dirty bytes in the cache"),
    "evicted_by_application": ("wiredTiger", "cache", "pages evicted by application threads"),
    "checkpoint_running": ("wiredTiger", "transaction", "transaction checkpoint currently running"),
    "checkpoint_ms": ("wiredTiger", "transaction", "transaction checkpoint most recent time (msecs)"),
}
# What is counted in several places: to its disk blocks of data and indexes, as they are compressed, and the journal.
_SUMS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "written_bytes": (("wiredTiger", "block-manager", "bytes written"), ("wiredTiger", "log", "log bytes written")),
    "read_bytes": (("wiredTiger", "block-manager", "bytes read"),),
    "network_bytes": (("network", "bytesIn"), ("network", "bytesOut")),
}
COUNTERS = (*_PLACES, *_SUMS)
_CPU = (("extra_info", "user_time_us"), ("extra_info", "system_time_us"))
# Sections that take time to gather and tell nothing of these.
_LEFT_OUT = dict.fromkeys(
    ("asserts", "flowControl", "indexBuilds", "locks", "metrics", "mirroredReads", "repl", "sharding", "tcmalloc"), 0
)
# Records with their keys and field names, indexes, journal and what a checkpoint keeps twice.
DISK_OVERHEAD = 2


class MongoDataset:
    """The records in one server's YCSB table.

    Every method raises ToolError where the server cannot be reached or refuses.
    """

    def __init__(self, uri: Secret, table: str, shape: RecordShape):
        self._uri, self._table, self._shape = uri, table, shape

    def is_ready(self) -> bool:
        """Whether exactly these records are there, loaded by us and not changed since."""
        with self._database() as database:
            marker = database[MARKERS].find_one({"_id": self._table})
            if not marker or marker["state"] != "ready":
                return False
            if marker["shape"] != self._shape.plain():
                return False
            return database[self._table].estimated_document_count() == self._shape.records

    def clear(self) -> None:
        """Make room for a load.

        Raises
            ToolError: the table holds records that are not ours.
        """
        with self._database() as database:
            ours = database[MARKERS].find_one({"_id": self._table}) is not None
            records = database[self._table].estimated_document_count()
            if records and not ours:
                raise ToolError(
                    f"{database.name}.{self._table}: holds {records:,} records that ycsbook did not load; drop them "
                    "yourself or choose another 'table' in the params file"
                )
            self._mark(database, "loading")
            limit = time.monotonic() + ARRIVAL_LIMIT_S
            database[self._table].drop()
            # What a run sent without waiting for an answer may still arrive.
            while ours and (time.sleep(ARRIVAL_S) or database[self._table].estimated_document_count()):
                if time.monotonic() > limit:
                    raise ToolError(f"{database.name}.{self._table}: somebody else inserts records; end that first")
                database[self._table].drop()
            for index in INDEXES.get(self._shape.experiment, ())[: self._shape.indexes]:
                database[self._table].create_index(index)
            self._written(database)

    def size(self) -> Size:
        """How large the records are now."""
        with self._database() as database:
            self._written(database)
            sizes = database.command("collStats", self._table)
            data, stored, index = (figure(sizes, name) for name in ("size", "storageSize", "totalIndexSize"))
            return Size(int(data or 0), int((stored or 0) + (index or 0)), None if index is None else int(index))

    def _written(self, database: Database) -> None:
        """Have the server write a checkpoint where records are about to be inserted or have just been: files grow with
        it, and what was dropped is gone then."""
        # Of a server elsewhere we may not be permitted to ask it.
        if EXPERIMENTS[self._shape.experiment].starts_empty:
            with contextlib.suppress(OperationFailure):
                database.client.admin.command("fsync")

    def ids(self) -> list:
        """The ids of all records that a majority of the members has, in order, as the primary tells them.

        Raises
            ToolError: they cannot all be read.
        """
        with self._database() as database:
            # Once the majority has this, it has all that the primary had before.
            self._mark(database, "changed")
            records = database[self._table].with_options(read_concern=ReadConcern("majority"))
            return [record["_id"] for record in records.find({}, {"_id": 1}).sort("_id")]

    def storage_bytes(self) -> int:
        """What the files of the records take now, bytes; 0 where there are none, or the server does not tell."""
        try:
            return self.size().storage_bytes
        except ToolError:
            return 0

    def mark_ready(self) -> None:
        """Record that the load was complete.

        Raises
            ToolError: the server holds another number of records than were loaded, or less of each than was planned.
        """
        with self._database() as database:
            records = database[self._table].count_documents({})
            if records != self._shape.records:
                raise ToolError(
                    f"{database.name}.{self._table}: holds {records:,} records after loading {self._shape.records:,}; "
                    "look at the server's log, then start again"
                )
            planned = self._shape.records * self._shape.field_count * self._shape.field_length
            data_bytes = figure(database.command("collStats", self._table), "size")
            if data_bytes is not None and data_bytes < planned:
                raise ToolError(
                    f"{database.name}.{self._table}: its records hold {data_bytes:,.0f} bytes after loading, "
                    f"expected at least {planned:,} ({self._shape.field_count} fields of "
                    f"{self._shape.field_length} bytes each); look at the load's log, then start again"
                )
            self._mark(database, "ready")

    def mark_changed(self) -> None:
        """Record that a workload that inserts is about to change the records."""
        with self._database() as database:
            self._mark(database, "changed")

    def _mark(self, database: Database, state: str) -> None:
        marker = {"_id": self._table, "state": state, "shape": self._shape.plain()}
        durable = pymongo.WriteConcern("majority", wtimeout=DATASET_MS)
        database[MARKERS].with_options(write_concern=durable).replace_one({"_id": self._table}, marker, upsert=True)

    @contextlib.contextmanager
    def _database(self) -> Iterator[Database]:
        try:
            # Dropping a large table may take longer than what else is asked.
            with connect(self._uri, serverSelectionTimeoutMS=DATASET_MS, socketTimeoutMS=None) as client:
                yield benchmark_database(client)
        except PyMongoError as e:
            raise ToolError(explain(e, self._uri)) from None


class MongoCounters:
    """Asks a server; close it, or use it in a `with`. A server that does not answer, or does not permit it, says
    nothing."""

    def __init__(self, uri: Secret):
        self._client = connect(
            uri,
            serverSelectionTimeoutMS=ANSWER_MS,
            connectTimeoutMS=ANSWER_MS,
            socketTimeoutMS=ANSWER_MS,
            maxPoolSize=1,
        )

    def read(self) -> dict[str, float]:
        """The figures by column, and `cpu_s`, the CPU time that the server process has used; without what it does not
        tell."""
        try:
            status = self._client.admin.command({"serverStatus": 1, **_LEFT_OUT})
        except PyMongoError:
            return {}
        figures = {name: value for name, place in _PLACES.items() if (value := figure(status, *place)) is not None}
        for name, places in _SUMS.items():
            parts = [figure(status, *place) for place in places]
            figures |= {name: sum(parts)} if None not in parts else {}
        cpu_us = [figure(status, *place) for place in _CPU]
        return figures if None in cpu_us else {**figures, "cpu_s": sum(cpu_us) / US_PER_S}

    def answers(self) -> bool:
        """Whether the server is there: it answers within half a second, be it with a refusal."""
        try:
            self._client.admin.command("ping")
        except OperationFailure:
            return True
        except PyMongoError:
            return False
        return True

    def __enter__(self) -> "MongoCounters":
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()


class MongoServers:
    """What all kinds of MongoDB servers share of `kind.Servers`."""

    def dataset(self, target: Target, table: str, shape: RecordShape) -> MongoDataset:
        return MongoDataset(target.uri, table, shape)

    def counters(self, target: Target) -> MongoCounters:
        return MongoCounters(target.uri)


def records_bytes(sweep: Sweep) -> int:
    """Bytes that the largest data set of a sweep may take on disk.

    Examples
        >>> from ycsbook.params import Sweep
        >>> specs = [{"name": "1c", "cores": 1, "ram_gib": 1}]
        >>> records_bytes(Sweep.model_validate({"name": "x", "server": {"kind": "mongod"}, "specs": specs}))
        40000000
    """
    sizes = (varied.records * varied.field_count * varied.field_length for _, varied in sweep.variations())
    return DISK_OVERHEAD * max(sizes)


def require_room(needed_bytes: int, free_bytes: float, where: str) -> None:
    """Refuse a load that cannot find room.

    Raises
        ToolError: says how much is missing.
    """
    if free_bytes < needed_bytes:
        raise ToolError(
            f"{where} has {free_bytes / BYTES_PER_GIB:.1f} GiB free for the data, the load needs about "
            f"{needed_bytes / BYTES_PER_GIB:.1f} GiB (records x field_count x field_length x {DISK_OVERHEAD}); free "
            "some, or lower 'records'"
        )
