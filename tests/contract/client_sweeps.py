"""What the tests of several clients share: params files, and what is to be seen while their runs go on."""

import json
import os
import sys
from pathlib import Path

sys.path.append(os.path.dirname(__file__))
import psutil
import sweeping

from ycsbook.processes import Guard, GuardedProcess

SETTINGS = """
clients: {clients}
cluster: {cluster}
"""


def write_params(folder: Path, name: str, *, clients: object, cluster: object = None, **how: str) -> Path:
    """The params file of a sweep with so many clients."""
    path = sweeping.write_params(folder, name, **how)
    more = SETTINGS.format(clients=clients, cluster=json.dumps(cluster or {"kind": "local"}))
    path.write_text(path.read_text() + more)
    return path


def dask(guard: Guard, folder: Path, n: int) -> tuple[str, GuardedProcess, list[GuardedProcess]]:
    """A scheduler with n workers as a user would start them, telling their log all they can: its address, it, them."""

    def start(part: str, *arguments: str) -> GuardedProcess:
        return guard.start(
            [sys.executable, "-m", f"distributed.cli.dask_{part}", "--host", "127.0.0.1", "--no-dashboard",
             "--dashboard-address", "127.0.0.1:0", "--scheduler-file", folder / "scheduler.json", *arguments],
            stdout=folder / "dask.log", stderr=folder / "dask.log",
            # The end of the guard is that of the workers' own guards: what these would remove stays in `folder`.
            env={**os.environ, "DASK_LOGGING__DISTRIBUTED": "debug", "TMPDIR": str(folder)},
        )  # fmt: skip

    scheduler, file = start("scheduler", "--port", "0"), folder / "scheduler.json"
    sweeping.until(file.exists, 60)
    workers = [start("worker", "--no-nanny", "--nthreads", "1", "--local-directory", str(folder)) for _ in range(n)]
    sweeping.until(lambda: (folder / "dask.log").read_text().count("Register worker") >= n, 60)
    return json.loads(file.read_text())["address"], scheduler, workers


def clients_under_way(folder: Path, n: int) -> list[psutil.Process]:
    """The YCSB processes of n clients below a folder that all measure; none before."""
    found = sweeping.working_for(folder, "java")
    logs = list(folder.glob("ycsbook-client-*/files/run.err"))
    try:
        measuring = [log for log in logs if b" operations; " in log.read_bytes()]
    except FileNotFoundError:  # of a client that has ended since
        return []
    return found if len(found) == len(measuring) == n else []


def run_of(store: Path) -> dict:
    """The manifest of the only run."""
    (found,) = [m for m in sweeping.manifests(store) if m["phase"] == "run"]
    return found
