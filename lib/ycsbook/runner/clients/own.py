"""Workers of this machine: processes under the guard, which end with the runner whatever ends it."""

import contextlib
import logging
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ycsbook.errors import ToolError, shown
from ycsbook.processes.guard import Guard, GuardedProcess
from ycsbook.runner.clients import package
from ycsbook.runner.clients.package import ALONE_S, NO_PAGES, NOWHERE, START_LIMIT_S

_POLL_S = 0.05
# Not the variables that hold the servers' URIs.
_PASSED_ON = (
    "PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX", "JAVA_HOME", "YCSB_HOME",
)  # fmt: skip


def cores() -> int:
    """The cores of this machine that its clients can use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def started(n: int, guard: Guard, folder: Path) -> Iterator[tuple[Any, tuple[str, ...], tuple[GuardedProcess, ...]]]:
    """A scheduler in this process and workers under the guard, which speak with each other over TLS.

    A scheduler carries out what anybody tells it who reaches it; with certificates made for these processes alone, no
    other user of the machine does.

    Returns
        dask's client, the workers' addresses and their processes.
    """
    distributed = package.dask()
    import dask as configured
    from distributed.security import Security

    try:
        security = Security.temporary()
    except ImportError:
        raise ToolError(package.GET) from None  # `cryptography` is missing
    tls = _written(security, folder)
    with (
        configured.config.set({**NO_PAGES, "distributed.comm.timeouts.connect": "5s"}),
        distributed.LocalCluster(
            n_workers=0, processes=True, host="127.0.0.1", scheduler_port=0, protocol="tls://", security=security,
            dashboard_address=NOWHERE, silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):  # fmt: skip
        argv = [
            sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address, "--no-nanny",
            "--host", "127.0.0.1", "--nthreads", "1", "--memory-limit", "0", "--no-dashboard",
            "--dashboard-address", NOWHERE, "--death-timeout", str(ALONE_S), "--local-directory", folder,
            "--tls-ca-file", tls["ca"], "--tls-cert", tls["cert"], "--tls-key", tls["key"],
        ]  # fmt: skip
        env = {k: os.environ[k] for k in _PASSED_ON if k in os.environ}
        env |= {"DASK_DISTRIBUTED__WORKER__HTTP__ROUTES": "[]", "LC_ALL": "C.UTF-8"}
        said = folder / "workers.log"
        processes = [guard.start([*argv, "--name", f"client-{i}"], stderr=said, env=env, mode=0o600) for i in range(n)]
        try:
            _wait(client, n, processes, said)
            # Whose process is whose: the worker's name says it, its address does not.
            names = {w["name"]: address for address, w in _workers(client).items()}
            addresses = tuple(names[f"client-{i}"] for i in range(n))
            yield client, addresses, tuple(processes)
        finally:
            for process in processes:
                process.stop(0.0)


def _written(security: Any, folder: Path) -> dict[str, Path]:
    """The certificates as files for their owner alone."""
    texts = {"ca": security.tls_ca_file, "cert": security.tls_worker_cert, "key": security.tls_worker_key}
    found = {}
    for name, text in texts.items():
        found[name] = folder / f"dask-{name}.pem"
        descriptor = os.open(found[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(text)
    return found


def _wait(client: Any, n: int, processes: Sequence[GuardedProcess], said: Path) -> None:
    limit = time.monotonic() + START_LIMIT_S
    while len(client.nthreads()) < n:
        ended = [process.poll() for process in processes]
        if any(code is not None for code in ended) or time.monotonic() > limit:
            words = (
                said.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:] if said.exists() else []
            )
            raise ToolError(
                f"of {n} dask workers {len(client.nthreads())} started within {START_LIMIT_S:g} s"
                f"{f'; the last words of one: {shown(words[0])}' if words else ''}; free memory or lower clients"
            )
        time.sleep(_POLL_S)


def _workers(client: Any) -> Mapping[str, Mapping]:
    """What the scheduler knows of all workers, by address."""
    return client.run_on_scheduler(_told)


async def _told(dask_scheduler: Any) -> dict[str, dict]:
    return {address: {"name": worker.name} for address, worker in dask_scheduler.workers.items()}
