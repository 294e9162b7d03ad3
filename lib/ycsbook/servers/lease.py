"""A server that is reached over a network, held by one runner at a time: a document on it that expires.

The document stands in the benchmark's database and carries its owner's token. Who finds none, or one that has expired
by the server's own clock, puts its own in the place, in one atomic operation; who finds another's is refused. Its owner
renews it as long as it lives, and learns from the same operation when it is no longer the owner.
"""

import contextlib
import os
import socket
import threading
import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pymongo
from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError, PyMongoError

from ycsbook.errors import ServerBusyError, ToolError
from ycsbook.secrets import Secret, hosts
from ycsbook.servers.remote import LIMIT_S, benchmark_database, connect, explain

COLLECTION = "ycsbook_lease"
LASTS_S = 60.0
RENEWED_S = 15.0
# How long a server that may be dead is waited for.
ANSWER_S = 2.0
_ID = "runner"


class Leases:
    """The leases of one runner; `held` makes them."""

    def __init__(self, guard_pid: int, lasts_s: float = LASTS_S, renewed_s: float = RENEWED_S):
        self.token = uuid.uuid4().hex
        self._lasts_s, self._renewed_s = lasts_s, renewed_s
        self._holder = {"host": socket.gethostname(), "pid": os.getpid(), **_process(guard_pid)}
        self._held: list[tuple[Secret, Collection]] = []
        self._lost = ""
        self._ended = threading.Event()
        self._one_at_a_time = threading.Lock()
        self._thread = threading.Thread(target=self._keep, name="lease", daemon=True)

    def lost(self) -> str:
        """Asked now: who has taken a server over since, as a reason against what was measured; empty: nobody."""
        with self._one_at_a_time:
            for uri, collection in self._held:
                # A server that does not answer is not lost to somebody else.
                with contextlib.suppress(PyMongoError), pymongo.timeout(ANSWER_S):
                    if not self._renew(collection):
                        self._lost = f"{hosts(uri)}: another runner took the server over meanwhile"
        return self._lost

    def _take(self, uri: Secret) -> None:
        try:
            client = connect(uri)
            majority = pymongo.WriteConcern("majority", wtimeout=int(LIMIT_S * 1000))
            collection = benchmark_database(client).get_collection(
                COLLECTION, write_concern=majority, read_preference=pymongo.ReadPreference.PRIMARY
            )
            self._held.append((uri, collection))
            self._acquire(uri, collection)
        except (PyMongoError, ValueError, OSError, UserWarning) as e:
            raise ToolError(explain(e, uri)) from None

    def _acquire(self, uri: Secret, collection: Collection) -> None:
        now = _now(collection)
        free = [{"owner": self.token}, {"expires": {"$lt": now}}]
        found = collection.find_one({"_id": _ID})
        if found and _has_ended(found.get("holder", {})):
            # No need to wait for it to expire; whoever is quicker has another token.
            free.append({"owner": found["owner"]})
        try:
            collection.update_one({"_id": _ID, "$or": free}, {"$set": self._document(now)}, upsert=True)
        except DuplicateKeyError:
            # There is one, and none of the above is true of it.
            raise _busy(uri, collection.find_one({"_id": _ID}) or {}, now) from None

    def _renew(self, collection: Collection) -> bool:
        mine = {"_id": _ID, "owner": self.token}
        return collection.update_one(mine, {"$set": self._document(_now(collection))}).matched_count == 1

    def _document(self, now: datetime) -> dict:
        return {"owner": self.token, "expires": now + timedelta(seconds=self._lasts_s), "holder": self._holder}

    def _keep(self) -> None:
        while not self._ended.wait(self._renewed_s) and not self.lost():
            pass

    def _release(self) -> None:
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()
        for _, collection in self._held:
            # It expires by itself.
            with contextlib.suppress(PyMongoError), pymongo.timeout(ANSWER_S):
                collection.delete_one({"_id": _ID, "owner": self.token})
            collection.database.client.close()


@contextlib.contextmanager
def held(
    uris: Iterable[Secret], guard_pid: int, *, lasts_s: float = LASTS_S, renewed_s: float = RENEWED_S
) -> Iterator[Leases]:
    """Hold a lease on every server while the block runs.

    Parameters
        guard_pid: the process that ends everything of this runner: once it is gone, so is the lease's use.
        lasts_s, renewed_s: how long a lease outlives its last renewal, and how often it is renewed, s.
    Raises
        ServerBusyError: another runner holds one; the message says who and until when.
        ToolError: a server cannot be reached or refuses.
    """
    leases = Leases(guard_pid, lasts_s, renewed_s)
    try:
        for uri in uris:
            leases._take(uri)
        if leases._held:
            leases._thread.start()
        yield leases
    finally:
        leases._release()


def _now(collection: Collection) -> datetime:
    """The server's clock: those of two runners may differ."""
    return collection.database.client.admin.command("hello")["localTime"]


def _busy(uri: Secret, found: dict, now: datetime) -> ServerBusyError:
    holder = found.get("holder", {})
    pid = holder.get("pid")
    left_s = max(0.0, (found.get("expires", now) - now).total_seconds())
    return ServerBusyError(
        f"{hosts(uri)}: another run is measuring on this server (process {pid or 'unknown'} on "
        f"{holder.get('host', 'another host')}); wait for it or stop it; should it be dead, its lease ends in "
        f"{left_s:.0f} s, at {(datetime.now(UTC) + timedelta(seconds=left_s)):%H:%M:%S} UTC",
        pid,
    )


def _process(pid: int) -> dict[str, str | int]:
    """What tells a process from every other one on every machine; empty where the system does not say."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        return {}
    state, *rest = text[text.rindex(")") + 2 :].split()
    return {} if state in "ZX" else {"guard": pid, "since": rest[18], "boot": boot, "space": space}


def _has_ended(holder: dict) -> bool:
    """Whether the holder was a process of this machine that is gone; False where that cannot be known."""
    here = _process(os.getpid())
    if not here or any(holder.get(key) != here[key] for key in ("boot", "space")):
        return False
    return _process(holder["guard"]).get("since") != holder["since"]
