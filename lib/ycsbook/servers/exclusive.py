"""Locks and leases, so that two runners never measure on one server at once, whatever their stores and URIs.

A store's lock keeps two runners out of one store. Servers that others can reach are locked besides: on this machine by
a file per host and port, beyond it by a lease, a document on the server itself that expires.

A lease stands in the benchmark's database and carries its owner's token. Who finds none, or one that has expired
by the server's own clock, puts its own in the place, in one atomic operation; who finds another's is refused. Its owner
renews it as long as it lives, and learns from the same operation when it is no longer the owner.
"""

import contextlib
import fcntl
import hashlib
import os
import socket
import stat
import tempfile
import threading
import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pymongo
from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError, PyMongoError
from pymongo.uri_parser import split_hosts

from ycsbook.errors import ServerBusyError, StoreError, ToolError
from ycsbook.secrets import Secret, hosts
from ycsbook.servers.mongodb import LIMIT_S, benchmark_database, connect, explain
from ycsbook.store import lock

_LOOPBACK = {"localhost", "::1", "127.0.0.1", "localhost.localdomain"}
LEASES = "ycsbook_lease"
LASTS_S = 60.0
RENEWED_S = 15.0
# How long a server that may be dead is waited for.
ANSWER_S = 2.0
_ID = "runner"


def addresses(uri: Secret) -> tuple[str, ...]:
    """The servers of a URI, written alike: sorted, lower case, each with its port."""
    names = hosts(uri).lower()
    if uri.reveal().startswith("mongodb+srv:"):
        return (f"srv:{names}",)
    servers = split_hosts(names)
    return tuple(sorted({f"{'127.0.0.1' if host in _LOOPBACK else host}:{port}" for host, port in servers}))


@contextlib.contextmanager
def locks(uris: Iterable[Secret], folder: Path | None = None) -> Iterator[tuple[int, ...]]:
    """Hold the locks of all servers of some URIs; they are free when no process has the descriptors open that this
    yields. `folder`: of the lock files, by default one per user that no login session takes with it.
    ServerBusyError, which carries its pid: another process measures on one of them; StoreError: the folder is unfit."""
    servers = sorted({address for uri in uris for address in addresses(uri)})
    if not servers:
        yield ()
        return
    folder = folder or Path("/tmp" if Path("/tmp").is_dir() else tempfile.gettempdir()) / f"ycsbook-{os.getuid()}"
    with contextlib.ExitStack() as stack:
        descriptors = [stack.enter_context(_lock_folder(folder))]
        for address in servers:
            # Names of hosts may hold what names of files may not.
            path = folder / f"{hashlib.sha256(address.encode()).hexdigest()[:32]}.lock"
            busy = f"{address}: another run is measuring on this server"
            descriptors.append(stack.enter_context(lock.held(path, busy, remove=True)))
        yield tuple(descriptors)


@contextlib.contextmanager
def _lock_folder(folder: Path) -> Iterator[int]:
    """The folder, made where it is missing, and open; refused where another user made it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as e:
        raise StoreError(f"{folder}: cannot be used for locks: {e.strerror}; remove what is there") from e
    try:
        folder_status = os.fstat(descriptor)
        if folder_status.st_uid != os.getuid() or stat.S_IMODE(folder_status.st_mode) & 0o022:
            raise StoreError(f"{folder}: belongs to somebody else or can be written by others; remove it")
        # A lock on the folder keeps systemd-tmpfiles from deleting old files in it: a sweep may last for weeks.
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        yield descriptor
    finally:
        os.close(descriptor)


class Leases:
    """A lease on every server while the block runs; used in a `with`. `guard_pid`: the process that ends everything of
    this runner; `lasts_s`, `renewed_s`: how long a lease outlives its last renewal, and how often it is renewed, s.
    ServerBusyError: another runner holds one, who and until when; ToolError: a server is not reached, or refuses."""

    def __init__(
        self, uris: Iterable[Secret], guard_pid: int, *, lasts_s: float = LASTS_S, renewed_s: float = RENEWED_S
    ):
        self.token = uuid.uuid4().hex
        self._uris, self._lasts_s, self._renewed_s = tuple(uris), lasts_s, renewed_s
        self._holder = {"host": socket.gethostname(), "pid": os.getpid(), **_process_identity(guard_pid)}
        self._taken: list[tuple[Secret, Collection]] = []
        self._lost = ""
        self._ended = threading.Event()
        self._one_at_a_time = threading.Lock()
        self._thread = threading.Thread(target=self._renew_all, name="lease", daemon=True)

    def __enter__(self) -> "Leases":
        with contextlib.ExitStack() as undone:
            undone.push(self.__exit__)
            for uri in self._uris:
                self._take(uri)
            undone.pop_all()
        if self._taken:
            self._thread.start()
        return self

    def lost(self) -> str:
        """The hosts of a server that another runner has taken over, as the servers say now; empty: of none."""
        with self._one_at_a_time:
            for uri, collection in self._taken:
                # A server that does not answer is not lost to somebody else.
                with contextlib.suppress(PyMongoError), pymongo.timeout(ANSWER_S):
                    own_lease = {"_id": _ID, "owner": self.token}
                    if not collection.update_one(own_lease, {"$set": self._document(_now(collection))}).matched_count:
                        self._lost = hosts(uri)
        return self._lost

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()
        for _, collection in self._taken:
            # It expires by itself.
            with contextlib.suppress(PyMongoError), pymongo.timeout(ANSWER_S):
                collection.delete_one({"_id": _ID, "owner": self.token})
            collection.database.client.close()

    def _take(self, uri: Secret) -> None:
        try:
            client = connect(uri)
            majority = pymongo.WriteConcern("majority", wtimeout=int(LIMIT_S * 1000))
            collection = benchmark_database(client).get_collection(
                LEASES, write_concern=majority, read_preference=pymongo.ReadPreference.PRIMARY
            )
            self._taken.append((uri, collection))
            now = _now(collection)
            free = [{"owner": self.token}, {"expires": {"$lt": now}}]
            lease = collection.find_one({"_id": _ID})
            if lease and _has_ended(lease.get("holder", {})):
                # No need to wait for it to expire; whoever is quicker has another token.
                free.append({"owner": lease["owner"]})
            try:
                collection.update_one({"_id": _ID, "$or": free}, {"$set": self._document(now)}, upsert=True)
            except DuplicateKeyError:
                # There is one, and none of the above is true of it.
                raise _leased_error(uri, collection.find_one({"_id": _ID}) or {}, now) from None
        except (PyMongoError, ValueError, OSError, UserWarning) as e:
            raise ToolError(explain(e, uri)) from None

    def _document(self, now: datetime) -> dict:
        return {"owner": self.token, "expires": now + timedelta(seconds=self._lasts_s), "holder": self._holder}

    def _renew_all(self) -> None:
        while not self._ended.wait(self._renewed_s) and not self.lost():
            pass


def _now(collection: Collection) -> datetime:
    """The server's clock, as those of two runners may differ."""
    return collection.database.client.admin.command("hello")["localTime"]


def _leased_error(uri: Secret, lease: dict, now: datetime) -> ServerBusyError:
    holder = lease.get("holder", {})
    pid = holder.get("pid")
    left_s = max(0.0, (lease.get("expires", now) - now).total_seconds())
    return ServerBusyError(
        f"{hosts(uri)}: another run is measuring on this server (process {pid or 'unknown'} on "
        f"{holder.get('host', 'another host')}); wait for it or stop it; should it be dead, its lease ends in "
        f"{left_s:.0f} s, at {(datetime.now(UTC) + timedelta(seconds=left_s)):%H:%M:%S} UTC",
        pid,
    )


def _process_identity(pid: int) -> dict[str, str | int]:
    """The identity of a process among all processes of all machines; empty where the system does not tell it."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        return {}
    state, *fields = text[text.rindex(")") + 2 :].split()
    return {} if state in "ZX" else {"guard": pid, "since": fields[18], "boot": boot, "space": space}


def _has_ended(holder: dict) -> bool:
    """Whether the holder was a process of this machine that is gone; False where that cannot be known."""
    this_process = _process_identity(os.getpid())
    if not this_process or any(holder.get(key) != this_process[key] for key in ("boot", "space")):
        return False
    return _process_identity(holder["guard"]).get("since") != holder["since"]
