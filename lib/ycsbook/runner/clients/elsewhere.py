"""Workers that are not this runner's own: those of a dask scheduler, and those started over ssh."""

import contextlib
import ipaddress
import sys
import time
from collections.abc import Iterator
from typing import Any

from ycsbook.errors import ToolError, shown
from ycsbook.params.server import Cluster
from ycsbook.runner.clients import package
from ycsbook.runner.clients.package import ALONE_S, NO_PAGES, NOWHERE

CONNECT_LIMIT_S = 10.0
_POLL_S = 0.05


@contextlib.contextmanager
def scheduler(address: str) -> Iterator[Any]:
    """A client of the scheduler at an address; raises ToolError where it cannot be reached."""
    distributed = package.dask()
    try:
        client = distributed.Client(address, timeout=CONNECT_LIMIT_S)
    except (OSError, TimeoutError, ValueError, TypeError) as e:
        raise ToolError(
            f"the dask scheduler {shown(address)} cannot be reached within {CONNECT_LIMIT_S:g} s "
            f"({shown(str(e) or type(e).__name__)}); check cluster.address, the network, and for tls:// the "
            "certificates in dask's configuration"
        ) from None
    with client:
        yield client


@contextlib.contextmanager
def ssh(cluster: Cluster) -> Iterator[Any]:
    """A client of a scheduler started over ssh, with a worker on each host; raises ToolError where that fails."""
    distributed = package.dask()
    import dask as configured

    options = ssh_options(cluster, encrypted=bool(configured.config.get("distributed.comm.require-encryption")))
    try:
        with configured.config.set(NO_PAGES):
            started = distributed.SSHCluster(**options)
    except Exception as e:  # noqa: BLE001 - asyncssh and dask raise what they like, a bare Exception too
        raise ToolError(
            f"no dask workers on {', '.join(cluster.hosts)}: {shown(str(e) or type(e).__name__)}; check that "
            f"`ssh HOST {cluster.python or sys.executable} -m distributed.cli.dask_spec --help` works for each "
            "without a question (keys, known_hosts), and that cluster.python has ycsbook with its extra `clients`"
        ) from None
    with started, distributed.Client(started) as client:
        # Those that have said that they start have not all reached the scheduler yet.
        limit = time.monotonic() + package.START_LIMIT_S
        while len(client.nthreads()) < len(cluster.hosts) and time.monotonic() < limit:
            time.sleep(_POLL_S)
        yield client


def ssh_options(cluster: Cluster, encrypted: bool = False) -> dict[str, Any]:
    """What SSHCluster is asked for: the scheduler on the first host, a worker on each.

    Host keys are checked against known_hosts as ssh does. Where the first host is given by its address, and all are the
    same one, nothing listens on any other.

    Parameters
        encrypted: whether dask's own configuration asks for TLS.
    """
    named = [_parts(host) for host in (cluster.hosts[0], *cluster.hosts)]
    ours = {"protocol": "tls://" if encrypted else "tcp://", "dashboard": False, "dashboard_address": NOWHERE}
    names = {host for host, _ in named}
    bound = {"host": names.pop()} if len(names) == 1 and _is_address(named[0][0]) else {}
    return {
        "hosts": [host for host, _ in named],
        "connect_options": [options for _, options in named],
        "scheduler_options": {**ours, **bound, "port": 0, "idle_timeout": f"{ALONE_S}s"},
        "worker_options": {**ours, **bound, "nthreads": 1, "memory_limit": 0, "death_timeout": f"{ALONE_S}s"},
        "worker_class": "distributed.Worker",
        "remote_python": cluster.python or None,
    }


def _parts(text: str) -> tuple[str, dict[str, str | int]]:
    """A host as ssh names it, user@host:port, and what asyncssh is told besides its name."""
    user, _, place = text.rpartition("@")
    host, colon, port = place.rpartition(":")
    if not colon or ":" in host or not port.isdecimal():
        host, port = place, ""  # an IPv6 address has colons of its own
    options: dict[str, str | int] = {"username": user} if user else {}
    return host, {**options, "port": int(port)} if port else options


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
