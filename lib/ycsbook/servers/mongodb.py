"""A MongoDB server as a benchmark uses it: how it is reached, the records a run needs, and what it says of itself."""

import contextlib
import re
import time
import warnings
from collections.abc import Iterator, Mapping
from urllib.parse import unquote

import pymongo
from pymongo.database import Database
from pymongo.errors import ConfigurationError, InvalidURI, OperationFailure, PyMongoError
from pymongo.read_concern import ReadConcern

from ycsbook.errors import ToolError, shown
from ycsbook.params import Sweep
from ycsbook.params.experiments import EXPERIMENTS
from ycsbook.secrets import Secret, hosts, redact
from ycsbook.servers.kind import BenchmarkRecords, RecordShape, Servers, Target
from ycsbook.units import BYTES_PER_GIB, US_PER_S

LIMIT_S = 5.0
_DEFAULT_DATABASE = "ycsb"
# The load generator's driver knows these, Python's does not.
_JAVA_ONLY = ("maxLifeTimeMS", "sslInvalidHostNameAllowed")
# Not authorised; authentication has failed, as MongoDB and as Atlas say it.
_REFUSALS = {13: "permission", 18: "password", 8000: "password"}
_ADVICE = {
    "password": "wrong user or password; check them and authSource in the URI, and URL-encode : / @ %",
    "permission": "this user is not authorised: {reason}; give it readWrite on the benchmark's database",
    "uri": "not a MongoDB URI: {reason}; expected mongodb://user:password@host:port/database?option=value",
    "name": "the host name cannot be resolved; check its spelling and your DNS",
    "old": "too old: {reason}; upgrade it, or load it with YCSB by hand and read the logs with 'ycsbook ingest'",
    "tls": "no TLS connection: {reason}; check tls and tlsCAFile in the URI and the host name",
    "file": "a file that the URI names cannot be read: {reason}; check its path, its owner and its mode",
    "refused": "the server refuses: {reason}",
    "unreachable": f"not reachable within {LIMIT_S:g} s: {{reason}}; is it running, is the port right, does a "
    "firewall or an access list stand between?",
}
# The last is what an older Java driver called it.
_UNVERIFIED = ("tlsinsecure", "tlsallowinvalidcertificates", "tlsallowinvalidhostnames", "sslinvalidhostnameallowed")
_TLS_FILES = ("tlscafile", "tlscertificatekeyfile", "tlscertificatekeyfilepassword", "tlscrlfile")
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
# By column of samples.csv, where it stands, in places that are added up: to its disk a server writes blocks of data and
# indexes, as they are compressed, and the journal. Operations, evicted pages and CPU time are counted from its start.
COUNTERS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "inserts": (("opcounters", "insert"),),
    "queries": (("opcounters", "query"),),
    "updates": (("opcounters", "update"),),
    "deletes": (("opcounters", "delete"),),
    "commands": (("opcounters", "command"),),
    "connections": (("connections", "current"),),
    "cache_bytes": (("wiredTiger", "cache", "bytes currently in the cache"),),
    "cache_dirty_bytes": (("wiredTiger", "cache", "tracked dirty bytes in the cache"),),
    "evicted_by_application": (("wiredTiger", "cache", "pages evicted by application threads"),),
    "checkpoint_running": (("wiredTiger", "transaction", "transaction checkpoint currently running"),),
    "checkpoint_ms": (("wiredTiger", "transaction", "transaction checkpoint most recent time (msecs)"),),
    "written_bytes": (("wiredTiger", "block-manager", "bytes written"), ("wiredTiger", "log", "log bytes written")),
    "read_bytes": (("wiredTiger", "block-manager", "bytes read"),),
    "network_bytes": (("network", "bytesIn"), ("network", "bytesOut")),
    "cpu_s": (("extra_info", "user_time_us"), ("extra_info", "system_time_us")),
}
# Sections that take time to gather and tell nothing of these.
_LEFT_OUT = dict.fromkeys(
    ("asserts", "flowControl", "indexBuilds", "locks", "metrics", "mirroredReads", "repl", "sharding", "tcmalloc"), 0
)
# Records with their keys and field names, indexes, journal and what a checkpoint keeps twice.
DISK_OVERHEAD = 2


def connect(uri: Secret, **options: object) -> pymongo.MongoClient:
    """A client that gives up after 5 s, where `options` do not say otherwise; close it, or use it in a `with`. Raises
    PyMongoError, ValueError or UserWarning where it is no URI, or an option does not exist."""
    ms = int(LIMIT_S * 1000)
    limits = {"serverSelectionTimeoutMS": ms, "connectTimeoutMS": ms, "socketTimeoutMS": ms}
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        for option in _JAVA_ONLY:
            warnings.filterwarnings("ignore", f"(?i)unknown option: {option}")
        return pymongo.MongoClient(uri.reveal(), **{"appname": "ycsbook", **limits, **options})


def explain(error: Exception, uri: Secret) -> str:
    """One line that says what is wrong with a server and what to do, without user and password."""
    text = str(error) or "no reason given"
    reason = text.partition(", Timeout:")[0].partition(", full error:")[0].splitlines()[0]
    return f"{hosts(uri) or 'the server'}: {_ADVICE[_kind(error)].format(reason=shown(redact(reason, [uri])))}"


def _kind(error: Exception) -> str:
    if isinstance(error, OperationFailure):
        return _REFUSALS.get(error.code, "refused")
    if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError | NotADirectoryError):
        return "file"
    text = str(error)
    if re.search(r"getaddrinfo|Name or service not known|nodename nor servname|name resolution|DNS", text):
        return "name"
    if "wire version" in text:
        return "old"
    if isinstance(error, ConfigurationError | InvalidURI | ValueError | UserWarning):
        return "uri"
    return "tls" if re.search(r"SSL|TLS|certificate", text) else "unreachable"


def benchmark_database(client: pymongo.MongoClient) -> Database:
    """The database that the binding uses with the same URI: the one it names, else ycsb; also of a URI that ends in
    /admin because that is where its user is defined."""
    default = client.get_default_database(_DEFAULT_DATABASE)
    return client[_DEFAULT_DATABASE] if default.name == "admin" else default


def figure(document: object, *place: str) -> float | None:
    """The number at a path in a server's answer; None where there is none."""
    for name in place:
        document = document.get(name) if isinstance(document, Mapping) else None
    return float(document) if isinstance(document, int | float) else None


def uri_options(uri: Secret) -> dict[str, str]:
    """The options of a URI by their names in lower case; the last mention counts."""
    _, _, query = uri.reveal().partition("?")
    pairs = (option.partition("=") for option in query.replace(";", "&").split("&") if option)
    return {name.lower(): unquote(value) for name, _, value in pairs}


def tls_verified(uri: Secret) -> bool | None:
    """Whether certificate and host name are checked; None: no TLS."""
    options = uri_options(uri)
    if any(options.get(name) == "true" for name in _UNVERIFIED):
        return False
    by_name = "tls" if "tls" in options else "ssl"
    if by_name in options:
        return True if options[by_name] == "true" else None
    return True if uri.reveal().startswith("mongodb+srv:") or needs_tls_files(uri) else None


def needs_tls_files(uri: Secret) -> bool:
    """Whether the URI names files, which only a driver that reads such options can use."""
    return bool(uri_options(uri).keys() & set(_TLS_FILES))


class MongoDataset(BenchmarkRecords):
    """The records in one server's YCSB table; their marker is a document beside them."""

    def __init__(self, uri: Secret, table: str, shape: RecordShape):
        super().__init__(table, shape, shape.plain())
        self._uri = uri

    def _called(self, database: Database) -> str:
        return f"{database.name}.{self._table}"

    def _count(self, database: Database, exactly: bool = False) -> int:
        records = database[self._table]
        return records.count_documents({}) if exactly else records.estimated_document_count()

    def _make_anew(self, database: Database, ours: bool) -> None:
        limit = time.monotonic() + ARRIVAL_LIMIT_S
        database[self._table].drop()
        # What a run sent without waiting for an answer may still arrive.
        while ours and (time.sleep(ARRIVAL_S) or self._count(database)):
            if time.monotonic() > limit:
                raise ToolError(f"{self._called(database)}: somebody else inserts records; end that first")
            database[self._table].drop()
        for index in INDEXES.get(self._shape.experiment, ())[: self._shape.indexes]:
            database[self._table].create_index(index)
        self._written(database)

    def size(self) -> dict[str, int]:
        with self._reached() as database:
            self._written(database)
            sizes = database.command("collStats", self._table)
            data, stored, index = (int(figure(sizes, name) or 0) for name in ("size", "storageSize", "totalIndexSize"))
            indexes = {"index_bytes": index} if "totalIndexSize" in sizes else {}
            return {"data_bytes": data, "storage_bytes": stored + index, **indexes}

    def _written(self, database: Database) -> None:
        """Have a checkpoint written: files grow with it, and what was dropped is gone then."""
        # Of a server elsewhere we may not be permitted to ask it.
        if EXPERIMENTS[self._shape.experiment].starts_empty:
            with contextlib.suppress(OperationFailure):
                database.client.admin.command("fsync")

    def ids(self) -> list:
        """The ids of all records that a majority of the members has, in order; raises ToolError without an answer."""
        with self._reached() as database:
            # Once the majority has this, it has all that the primary had before.
            self._mark(database, "changed")
            records = database[self._table].with_options(read_concern=ReadConcern("majority"))
            return [record["_id"] for record in records.find({}, {"_id": 1}).sort("_id")]

    def _check_load(self, database: Database) -> None:
        planned = self._shape.records * self._shape.field_count * self._shape.field_length
        data_bytes = figure(database.command("collStats", self._table), "size")
        if data_bytes is not None and data_bytes < planned:
            raise ToolError(
                f"{self._called(database)}: its records hold {data_bytes:,.0f} bytes after loading, "
                f"expected at least {planned:,} ({self._shape.field_count} fields of "
                f"{self._shape.field_length} bytes each); look at the load's log, then start again"
            )

    def _marker(self, database: Database) -> tuple[str, object] | None:
        marker = database[MARKERS].find_one({"_id": self._table})
        return marker and (marker["state"], marker["shape"])

    def _mark(self, database: Database, state: str) -> None:
        marker = {"_id": self._table, "state": state, "shape": self._settings}
        durable = pymongo.WriteConcern("majority", wtimeout=DATASET_MS)
        database[MARKERS].with_options(write_concern=durable).replace_one({"_id": self._table}, marker, upsert=True)

    @contextlib.contextmanager
    def _reached(self) -> Iterator[Database]:
        try:
            # Dropping a large table may take longer than what else is asked.
            with connect(self._uri, serverSelectionTimeoutMS=DATASET_MS, socketTimeoutMS=None) as client:
                yield benchmark_database(client)
        except PyMongoError as e:
            raise ToolError(explain(e, self._uri)) from None


class MongoCounters(contextlib.AbstractContextManager):
    """Asks a server, as kind.Counters; used in a `with`. One that does not answer or permit it says nothing."""

    def __init__(self, uri: Secret):
        limits = dict.fromkeys(("serverSelectionTimeoutMS", "connectTimeoutMS", "socketTimeoutMS"), ANSWER_MS)
        self._client = connect(uri, **limits, maxPoolSize=1)

    def read(self) -> dict[str, float]:
        try:
            status = self._client.admin.command({"serverStatus": 1, **_LEFT_OUT})
        except PyMongoError:
            return {}
        parts = {name: [figure(status, *place) for place in fields] for name, fields in COUNTERS.items()}
        figures = {name: sum(values) for name, values in parts.items() if None not in values}
        if "cpu_s" in figures:
            figures["cpu_s"] /= US_PER_S
        return figures

    def answers(self) -> bool:
        try:
            self._client.admin.command("ping")
        except PyMongoError as e:
            return isinstance(e, OperationFailure)  # it answers, be it with a refusal
        return True

    def __exit__(self, *_: object) -> None:
        self._client.close()


class MongoServers(Servers):
    def dataset(self, target: Target, table: str, shape: RecordShape) -> MongoDataset:
        return MongoDataset(target.uri, table, shape)

    def counters(self, target: Target) -> MongoCounters:
        return MongoCounters(target.uri)


def records_bytes(sweep: Sweep) -> int:
    sizes = (varied.records * varied.field_count * varied.field_length for _, varied in sweep.variations())
    return DISK_OVERHEAD * max(sizes)


def require_room(needed_bytes: int, free_bytes: float, where: str) -> None:
    if free_bytes < needed_bytes:
        raise ToolError(
            f"{where} has {free_bytes / BYTES_PER_GIB:.1f} GiB free for the data, the load needs about "
            f"{needed_bytes / BYTES_PER_GIB:.1f} GiB (records x field_count x field_length x {DISK_OVERHEAD}); free "
            "some, or lower 'records'"
        )
