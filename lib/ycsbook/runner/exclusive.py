"""Two runners never measure on one server: whatever their stores, and however its URI is written.

A store's lock keeps two runners out of one store. Servers that others can reach are locked besides: on this machine by
a file per host and port, beyond it by a lease document on the server itself (servers/lease.py).
"""

import contextlib
import fcntl
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from ycsbook.errors import StoreError
from ycsbook.secrets import Secret, hosts
from ycsbook.store import lock

DEFAULT_PORT = 27017
_LOOPBACK = {"localhost", "::1", "127.0.0.1", "localhost.localdomain"}


def addresses(uri: Secret) -> tuple[str, ...]:
    """The servers of a URI in one spelling: sorted, lower case, each with its port.

    Examples
        >>> addresses(Secret("mongodb://u:p@B.example,localhost:27018/ycsb?w=1"))
        ('127.0.0.1:27018', 'b.example:27017')
        >>> addresses(Secret("mongodb+srv://Cluster.example/"))
        ('srv:cluster.example',)
    """
    names = hosts(uri).lower().split(",")
    if uri.reveal().startswith("mongodb+srv:"):
        return tuple(sorted(f"srv:{name}" for name in names))
    return tuple(sorted({_address(name) for name in names}))


def _address(name: str) -> str:
    host, mark, port = name.rpartition(":")
    if not mark or port.endswith("]"):
        host, port = name, ""
    host = host.strip("[]")
    return f"{'127.0.0.1' if host in _LOOPBACK else host}:{int(port) if port else DEFAULT_PORT}"


@contextlib.contextmanager
def servers(uris: Iterable[Secret], folder: Path | None = None) -> Iterator[tuple[int, ...]]:
    """Hold the locks of all servers of some URIs; they are free when the last process that has them open is gone.

    Parameters
        folder: where the lock files lie; by default one per user that no login session takes with it.
    Yields
        the descriptors to keep open.
    Raises
        ServerBusyError: another process measures on one of them; carries its pid.
        StoreError: the folder cannot be used.
    """
    wanted = sorted({address for uri in uris for address in addresses(uri)})
    with contextlib.ExitStack() as stack:
        if not wanted:
            yield ()
            return
        folder = folder or Path("/tmp" if Path("/tmp").is_dir() else tempfile.gettempdir()) / f"ycsbook-{os.getuid()}"
        kept = [stack.enter_context(_private(folder))]
        for address in wanted:
            # Names of hosts may hold what names of files may not.
            path = folder / f"{hashlib.sha256(address.encode()).hexdigest()[:32]}.lock"
            kept.append(stack.enter_context(lock.held(path, _busy(address), remove=True)))
        yield tuple(kept)


def _busy(address: str):
    return lambda pid: (
        f"{address}: another run is measuring on this server (process {pid or 'unknown'}); two at once would disturb "
        "each other: wait for it or stop it"
    )


@contextlib.contextmanager
def _private(folder: Path) -> Iterator[int]:
    """The folder, made where it is missing and held open; nobody else may have prepared it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as e:
        raise StoreError(f"{folder}: cannot be used for locks: {e.strerror}; remove what is there") from e
    try:
        found = os.fstat(descriptor)
        if found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) & 0o022:
            raise StoreError(f"{folder}: belongs to somebody else or can be written by others; remove it")
        # A lock on the folder keeps systemd-tmpfiles from deleting old files in it: a sweep may last for weeks.
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        yield descriptor
    finally:
        os.close(descriptor)
