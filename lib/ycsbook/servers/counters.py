"""What a mongod says of itself once a second, of all that serverStatus tells: the few figures that explain a run."""

from collections.abc import Mapping

from pymongo.errors import OperationFailure, PyMongoError

from ycsbook.secrets import Secret
from ycsbook.servers.remote import connect
from ycsbook.units import US_PER_S

# Beside a run nobody waits for a server that hangs: the next second asks again.
LIMIT_MS = 500
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
COLUMNS = tuple(_PLACES)
_CPU = (("extra_info", "user_time_us"), ("extra_info", "system_time_us"))
# Sections that take time to gather and tell nothing of these.
_LEFT_OUT = dict.fromkeys(
    ("asserts", "flowControl", "indexBuilds", "locks", "metrics", "mirroredReads", "repl", "sharding", "tcmalloc"), 0
)


class MongoCounters:
    """Asks a server; close it, or use it in a `with`. A server that does not answer, or does not permit it, says
    nothing."""

    def __init__(self, uri: Secret):
        self._client = connect(
            uri, serverSelectionTimeoutMS=LIMIT_MS, connectTimeoutMS=LIMIT_MS, socketTimeoutMS=LIMIT_MS, maxPoolSize=1
        )

    def read(self) -> dict[str, float]:
        """The figures by column, and `cpu_s`, the CPU time that the server process has used; without what it does not
        tell."""
        try:
            status = self._client.admin.command({"serverStatus": 1, **_LEFT_OUT})
        except PyMongoError:
            return {}
        found = {name: value for name, place in _PLACES.items() if (value := _at(status, place)) is not None}
        cpu_us = [_at(status, place) for place in _CPU]
        return found if None in cpu_us else {**found, "cpu_s": sum(cpu_us) / US_PER_S}

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


def _at(status: Mapping, place: tuple[str, ...]) -> float | None:
    for name in place:
        status = status.get(name) if isinstance(status, Mapping) else None
    return float(status) if isinstance(status, int | float) else None
