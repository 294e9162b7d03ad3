"""How many clients a run has, each one's part of it, and the dask workers in which they run: in this process, those of
a scheduler, or started over ssh. With `clients: auto` there are more where the clients are the limit."""

import contextlib
import hashlib
import itertools
import logging
import math
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from ycsbook.errors import ClientMachineError, ToolError, shown
from ycsbook.ingest.runs import samples
from ycsbook.params import PlannedRun, Sweep
from ycsbook.params.sections import Cluster
from ycsbook.servers import quota

# Longest time until all workers are there, s.
START_LIMIT_S = 60.0
# A scheduler started over ssh whose runner is gone, and workers without their scheduler, end after this long.
ALONE_S = 60
# Nothing is served over HTTP, which dask cannot be told not to listen for: no pages, on loopback, on any free port.
NO_PAGES = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}
ANY_PORT = "127.0.0.1:0"
GET_DASK = (
    "clients in dask workers need dask.distributed, which is not installed: pip install 'ycsbook[clients]' "
    "(in a checkout: pip install -e '.[clients]'), or set clients: 1 without a cluster"
)
CONNECT_LIMIT_S = 10.0
# From here on a machine has nothing left: what it does then is all it can do.
CLIENT_FULL = SERVER_FULL = 0.90
# The part of a run that counts: a JVM is busy with itself at first.
FIRST, LAST = 0.25, 0.95
_JVM_CORES = re.compile(r"-XX:ActiveProcessorCount=(\d{1,4})")


def dask() -> ModuleType:
    """The package `distributed`; raises ToolError, which says how to get it, where it is not installed."""
    try:
        import distributed
    except ImportError:
        raise ToolError(GET_DASK) from None
    # What it has to say about our workers is said by us.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return distributed


def unreachable_errors() -> tuple[type[Exception], ...]:
    """What dask raises where a scheduler or a worker is not to be reached; its errors of connections are OSErrors."""
    from distributed import client

    closed = getattr(client, "ClosedClientError", OSError)
    return (OSError, TimeoutError, RuntimeError, ValueError, closed)


@dataclass(frozen=True)
class Workers:
    """Workers that are ready: dask's `client`, and the `addresses` to use, one client each."""

    client: Any
    addresses: tuple[str, ...]

    def lost(self) -> tuple[int, ...]:
        try:
            # dask's client gives up a scheduler that stays away, and then has none to ask.
            reachable = self.client.nthreads() if self.client.scheduler else {}
        except unreachable_errors():
            reachable = {}  # without their scheduler nobody reaches them
        return tuple(i for i, address in enumerate(self.addresses) if address not in reachable)


def most(cluster: Cluster) -> int:
    """How many clients can be had: of this machine one a core, elsewhere one a worker; raises ToolError as `opened`."""
    if cluster.kind == "local":
        return quota.cpus()
    if cluster.kind == "ssh":
        return len(cluster.hosts)
    with _scheduler(cluster.address) as client:
        return len(_of_hosts(client.nthreads(), cluster))


@contextlib.contextmanager
def opened(cluster: Cluster, n: int, folder: Path) -> Iterator[Workers]:
    """n workers that are ready, ended with the block if we started them; ToolError: no dask, or too few workers."""
    if cluster.kind == "local":
        with _local_workers(n, folder) as workers:
            yield workers
    elif cluster.kind == "scheduler":
        with _scheduler(cluster.address) as client:
            threads_by_worker = _of_hosts(client.nthreads(), cluster)
            yield Workers(client, _chosen(threads_by_worker, n, f"the scheduler {cluster.address}"))
    else:
        with _ssh_workers(cluster) as client:
            yield Workers(client, _chosen(client.nthreads(), n, f"the {len(cluster.hosts)} hosts of cluster.hosts"))


def machines(cluster: Cluster) -> list[str]:
    """The client machines: hosts, or where several servers may share one the workers; raises ToolError as `opened`."""
    if cluster.kind == "ssh":
        return list(cluster.hosts)
    with _scheduler(cluster.address) as client:
        addresses = one_per_host(list(_of_hosts(client.nthreads(), cluster)))
    return addresses if cluster.share_hosts else list(dict.fromkeys(str(urlsplit(a).hostname) for a in addresses))


def host_mark(address: str) -> str:
    """A hash that tells a worker's machine from others without naming it: what is measured is published."""
    return hashlib.sha256(str(urlsplit(address).hostname).encode()).hexdigest()[:12]


def _of_hosts(threads: Mapping[str, int], cluster: Cluster) -> dict[str, int]:
    hosts = set(cluster.hosts)
    return {a: n for a, n in threads.items() if not hosts or hosts & {a, urlsplit(a).hostname}}


def one_per_host(addresses: Sequence[str]) -> list[str]:
    """Worker addresses in the order in which they are to be used: first one of each host, then the second ones."""
    by_host: dict[str | None, list[str]] = {}
    for address in sorted(addresses):
        by_host.setdefault(urlsplit(address).hostname, []).append(address)
    rounds = itertools.zip_longest(*by_host.values())
    return [address for addresses_of_round in rounds for address in addresses_of_round if address is not None]


def _chosen(threads: Mapping[str, int], n: int, where: str) -> tuple[str, ...]:
    if len(threads) < n:
        raise ClientMachineError(
            f"{where}: found {len(threads)} workers, expected {n} (clients); start more or lower clients"
        )
    return tuple(one_per_host(list(threads))[:n])


@contextlib.contextmanager
def _local_workers(n: int, folder: Path) -> Iterator[Workers]:
    """A scheduler and workers in this process, which nobody else can reach: a scheduler runs whatever it is sent."""
    distributed = dask()
    import dask as configured

    ours = {"protocol": "inproc://", "dashboard": False, "dashboard_address": ANY_PORT}
    scheduler = {"cls": distributed.Scheduler, "options": {**ours, "port": 0}}
    options = {**ours, "nthreads": 1, "memory_limit": 0, "local_directory": str(folder)}
    workers = {f"client-{i}": {"cls": distributed.Worker, "options": options} for i in range(n)}
    with (
        configured.config.set(NO_PAGES),
        distributed.SpecCluster(workers, scheduler, silence_logs=logging.CRITICAL) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield Workers(client, tuple(client.nthreads()))


@contextlib.contextmanager
def _scheduler(address: str) -> Iterator[Any]:
    """A client of the scheduler at an address; raises ToolError where it cannot be reached."""
    distributed = dask()
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
def _ssh_workers(cluster: Cluster) -> Iterator[Any]:
    """A client of a scheduler started over ssh, with a worker on each host; raises ToolError where that fails."""
    distributed = dask()
    import dask as configured

    options = ssh_options(cluster, encrypted=bool(configured.config.get("distributed.comm.require-encryption")))
    try:
        with configured.config.set(NO_PAGES):
            started = distributed.SSHCluster(**options)
    except Exception as e:  # noqa: BLE001 - asyncssh and dask raise what they like, a bare Exception too
        raise ClientMachineError(
            f"no dask workers on {', '.join(cluster.hosts)}: {shown(str(e) or type(e).__name__)}; check that "
            f"`ssh HOST {cluster.python or sys.executable} -m distributed.cli.dask_spec --help` works for each "
            "without a question (keys, known_hosts), and that cluster.python has ycsbook with its extra `clients`"
        ) from None
    with started, distributed.Client(started) as client:
        # Those that have said that they start have not all reached the scheduler yet.
        with contextlib.suppress(TimeoutError):
            client.wait_for_workers(len(cluster.hosts), timeout=START_LIMIT_S)
        yield client


def ssh_options(cluster: Cluster, encrypted: bool = False) -> dict[str, Any]:
    """The arguments of SSHCluster: the scheduler on the first host, a worker on each; `encrypted`: by TLS.

    Host keys are checked against known_hosts as ssh does. Where the first host is given by its address, and all are the
    same one, nothing listens on any other.
    """
    targets = [_ssh_host(host) for host in (cluster.hosts[0], *cluster.hosts)]
    ours = {"protocol": "tls://" if encrypted else "tcp://", "dashboard": False, "dashboard_address": ANY_PORT}
    host, *names = {host for host, _ in targets}
    # A name stands for other addresses elsewhere; one of digits or with colons is an address.
    bound = {"host": host} if not names and (":" in host or host.replace(".", "").isdecimal()) else {}
    return {
        "hosts": [host for host, _ in targets],
        "connect_options": [options for _, options in targets],
        "scheduler_options": {**ours, **bound, "port": 0, "idle_timeout": f"{ALONE_S}s"},
        "worker_options": {**ours, **bound, "nthreads": 1, "memory_limit": 0, "death_timeout": f"{ALONE_S}s"},
        "worker_class": "distributed.Worker",
        "remote_python": cluster.python or None,
    }


def _ssh_host(text: str) -> tuple[str, dict[str, str | int]]:
    """A host written as user@host:port, split into its name and asyncssh's other options."""
    user, _, place = text.rpartition("@")
    host, colon, port = place.rpartition(":")
    if not colon or ":" in host or not port.isdecimal():
        host, port = place, ""  # an IPv6 address has colons of its own
    options: dict[str, str | int] = {"username": user} if user else {}
    return host, {**options, "port": int(port)} if port else options


def are_needed(sweep: Sweep, n: int) -> bool:
    """Whether n clients of a run need workers: several do, and any elsewhere. A load is made here, by one client."""
    return n > 1 or sweep.cluster.kind != "local"


def spread(total: int, n: int) -> tuple[int, ...]:
    """A whole number in n parts that differ by one at most, the larger ones first."""
    part, remainder = divmod(total, n)
    return tuple(part + (i < remainder) for i in range(n))


def possible(planned: PlannedRun, at_most: int) -> int:
    """How many clients the run can have: each needs a thread, and an operation to make and per second."""
    sweep = planned.sweep
    target = None if sweep.target_ops_s is None else max(1, round(sweep.target_ops_s))
    return min(n for n in (at_most, planned.threads, sweep.operations, target) if n is not None)


def of_run(planned: PlannedRun, n: int) -> tuple[PlannedRun, ...]:
    """Each client's share of a run, as a planned run; failures are allowed to the run as a whole, to a client any."""
    sweep = planned.sweep
    operations = [None] * n if sweep.operations is None else spread(sweep.operations, n)
    # YCSB takes whole operations per second.
    targets = [None] * n if sweep.target_ops_s is None else spread(max(1, round(sweep.target_ops_s)), n)
    return tuple(
        replace(
            planned,
            threads=threads,
            sweep=sweep.model_copy(
                update={"clients": 1, "operations": share, "target_ops_s": target, "max_failed": 1.0}
            ),
        )
        for threads, share, target in zip(spread(planned.threads, n), operations, targets, strict=True)
    )


def attempt(folder: Path, planned: PlannedRun, n: int, client_entries: Sequence[Mapping]) -> dict:
    """What an attempt with n clients showed, from the samples in its folder, for the manifest: clients, client_cpu and
    server_cpu (cores in use in the middle of the run, None: not known), client_cores and server_cores (what there
    is), client_is_limit. `client_entries`: what the manifest says of each client in a worker."""
    rows = samples.read(folder)
    host_cores = quota.cpus()
    if planned.sweep.cluster.kind != "local":
        host_cores = sum(client.get("machine", {}).get("cores", math.nan) for client in client_entries)
    client_cores, server_cores = usable_cores(planned, n, host_cores), planned.spec.cores
    client_cpu = server_cpu = math.nan
    if len(at_s := rows.loc[rows["client_cpu_s"].notna(), "epoch_s"]):
        start_s, length_s = at_s.iloc[0], at_s.iloc[-1] - at_s.iloc[0]
        window = start_s + FIRST * length_s, start_s + LAST * length_s
        client_cpu, server_cpu = (samples.cumulated(rows, f"{who}_cpu_s", *window) for who in ("client", "server"))
    return {
        "clients": n,
        "client_cpu": rounded(client_cpu),
        "client_cores": client_cores,
        "server_cpu": rounded(server_cpu),
        "server_cores": server_cores,
        "client_is_limit": is_limit(client_cpu, client_cores, server_cpu, server_cores),
    }


def is_limit(client_cpu: float, client_cores: float, server_cpu: float, server_cores: float) -> bool:
    """Whether the clients have no CPU left while the server has; False where it is not known."""
    return client_cpu >= CLIENT_FULL * client_cores and server_cpu < SERVER_FULL * server_cores


def usable_cores(planned: PlannedRun, n: int, host_cores: float) -> float:
    """Cores that n clients can use: those of their machines, or those that the Java options allow."""
    jvm_cores = [int(number) for option in planned.sweep.java_options for number in _JVM_CORES.findall(option)]
    return float(min(host_cores, n * jvm_cores[-1])) if jvm_cores else float(host_cores)


def next_count(planned: PlannedRun, tried: Mapping) -> int | None:
    """How many clients to try next; None: no more are needed. Raises ToolError as `most`."""
    n = tried["clients"]
    # Several clients would insert the same keys.
    if not tried["client_is_limit"] or planned.workload.changes_records:
        return None
    more = possible(planned, min(2 * n, most(planned.sweep.cluster)))
    return more if more > n else None


def rounded(figure: float) -> float | None:
    """A figure as a manifest has it, to three decimals; None where it is not known."""
    return None if math.isnan(figure) else round(figure, 3)
