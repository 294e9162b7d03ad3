"""What several clients need, looked at before anything is started."""

from collections.abc import Iterable

from ycsbook.errors import ParamsError, ToolError
from ycsbook.params import PlannedRun
from ycsbook.runner.clients import package, shares, workers


def check(runs: Iterable[PlannedRun]) -> None:
    """Refuse runs that cannot be made.

    Raises
        ParamsError: several clients and a workload that inserts. Every YCSB client begins to insert after the loaded
            records, so that all would insert the same keys, and all but the first would fail.
        ToolError: dask.distributed is not installed, a scheduler cannot be reached or has too few workers.
    """
    wanted = {}
    for planned in runs:
        clients = planned.sweep.clients
        if clients == 1 and planned.sweep.cluster.kind == "local":
            continue
        if planned.workload.inserts and clients not in (1, "auto"):
            raise ParamsError(
                f"clients: got {clients} with workload {planned.workload.name!r}, which inserts: YCSB's clients would "
                "all insert the same keys; expected 1 client, or a workload without inserts"
            )
        n = 1 if clients == "auto" else shares.count(planned, clients)
        wanted[planned.sweep.cluster] = max(n, wanted.get(planned.sweep.cluster, 1))
    for cluster, n in wanted.items():
        package.require()
        # Of this machine's own workers there may be more than it has cores.
        if cluster.kind != "local" and (most := workers.most(cluster)) < n:
            raise ToolError(f"cluster: found {most} workers, expected {n} (clients); start more or lower clients")
