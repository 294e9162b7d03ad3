"""The dask workers in which the clients run: processes of our own, those of a scheduler, or started over ssh."""

import contextlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ycsbook.errors import ToolError
from ycsbook.params.server import Cluster
from ycsbook.processes.guard import Guard, GuardedProcess
from ycsbook.runner.clients import elsewhere, own, package


@dataclass(frozen=True)
class Workers:
    """Workers that are ready.

    `client` is dask's; `addresses` are those to use, one client each. `scratch`: the folder for files of clients on
    this machine; empty where they are on others. `processes`: of workers of our own.
    """

    client: Any
    addresses: tuple[str, ...]
    scratch: str = ""
    processes: tuple[GuardedProcess, ...] = ()

    def lost(self) -> tuple[int, ...]:
        """The clients whose worker is gone, by number."""
        ended = {i for i, process in enumerate(self.processes) if process.poll() is not None}
        try:
            there = self.client.nthreads()
        except package.gone():
            there = {}  # without their scheduler nobody reaches them
        return tuple(i for i, address in enumerate(self.addresses) if i in ended or address not in there)


def most(cluster: Cluster) -> int:
    """How many clients can be had: of this machine as many as it has cores for us, elsewhere one a worker.

    Raises
        ToolError: the scheduler cannot be reached.
    """
    if cluster.kind == "local":
        return own.cores()
    if cluster.kind == "ssh":
        return len(cluster.hosts)
    with elsewhere.scheduler(cluster.address) as client:
        return len(client.nthreads())


@contextlib.contextmanager
def opened(cluster: Cluster, n: int, guard: Guard, folder: Path) -> Iterator[Workers]:
    """n workers that are ready; those that were started are ended at the block's end.

    Parameters
        guard: ends workers of this machine, however the runner ends.
        folder: private; removed at the end by whoever made it.
    Raises
        ToolError: dask is not installed, or so many workers are not to be had.
    """
    if cluster.kind == "local":
        with own.started(n, guard, folder) as (client, addresses, processes):
            yield Workers(client, addresses, str(folder), processes)
    elif cluster.kind == "scheduler":
        with elsewhere.scheduler(cluster.address) as client:
            yield Workers(client, _chosen(client.nthreads(), n, f"the scheduler {cluster.address}"))
    else:
        with elsewhere.ssh(cluster) as client:
            yield Workers(client, _chosen(client.nthreads(), n, f"the {len(cluster.hosts)} hosts of cluster.hosts"))


def one_per_host(addresses: Sequence[str]) -> list[str]:
    """Worker addresses in the order in which they are to be used: first one of each host, then the second ones.

    Examples
        >>> one_per_host(["tcp://a:1", "tcp://a:2", "tcp://b:1"])
        ['tcp://a:1', 'tcp://b:1', 'tcp://a:2']
    """
    by_host: dict[str | None, list[str]] = {}
    for address in sorted(addresses):
        by_host.setdefault(urlsplit(address).hostname, []).append(address)
    rounds = itertools.zip_longest(*by_host.values())
    return [address for some in rounds for address in some if address is not None]


def _chosen(threads: Mapping[str, int], n: int, where: str) -> tuple[str, ...]:
    if len(threads) < n:
        raise ToolError(f"{where}: found {len(threads)} workers, expected {n} (clients); start more or lower clients")
    return tuple(one_per_host(list(threads))[:n])
