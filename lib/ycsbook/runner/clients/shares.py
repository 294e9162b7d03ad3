"""How many clients a run has, and each one's part of it; with `clients: auto` more where the clients are the limit."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ycsbook.ingest.runs import samples
from ycsbook.params import PlannedRun, Sweep
from ycsbook.runner.clients import workers
from ycsbook.servers import quota

# From here on a machine has nothing left: what it does then is all it can do.
CLIENT_FULL = SERVER_FULL = 0.90
# The part of a run that counts: a JVM is busy with itself at first.
FIRST, LAST = 0.25, 0.95
_JVM_CORES = re.compile(r"-XX:ActiveProcessorCount=(\d{1,4})")


def are_needed(sweep: Sweep, n: int) -> bool:
    """Whether n clients of a run need workers: several do, and any elsewhere. A load is made here, by one client."""
    return n > 1 or sweep.cluster.kind != "local"


def spread(total: int, n: int) -> tuple[int, ...]:
    """A whole number in n parts that differ by one at most, the larger ones first.

    Examples
        >>> spread(200, 4), spread(10, 4)
        ((50, 50, 50, 50), (3, 3, 2, 2))
    """
    part, remainder = divmod(total, n)
    return tuple(part + (i < remainder) for i in range(n))


def possible(planned: PlannedRun, at_most: int) -> int:
    """How many clients the run can have: each needs a thread, and an operation to make and per second."""
    sweep = planned.sweep
    target = None if sweep.target_ops_s is None else max(1, round(sweep.target_ops_s))
    return min(n for n in (at_most, planned.threads, sweep.operations, target) if n is not None)


def of_run(planned: PlannedRun, n: int) -> tuple[PlannedRun, ...]:
    """Each client's share of a run, as a planned run.

    Failures are allowed to the run as a whole, so a single client may have any number of them.
    """
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
    is), client_is_limit. `client_entries`: what the manifest says of each client in a worker; none of a single one
    of this machine."""
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
    """Whether the clients have no CPU left while the server has; False where it is not known.

    Examples
        >>> is_limit(1.9, 2, 3.0, 8), is_limit(1.9, 2, 7.6, 8), is_limit(1.0, 2, 3.0, 8)
        (True, False, False)
    """
    return client_cpu >= CLIENT_FULL * client_cores and server_cpu < SERVER_FULL * server_cores


def usable_cores(planned: PlannedRun, n: int, host_cores: float) -> float:
    """Cores that n clients can use: those of their machines, or those that the Java options allow."""
    jvm_cores = [int(number) for option in planned.sweep.java_options for number in _JVM_CORES.findall(option)]
    return float(min(host_cores, n * jvm_cores[-1])) if jvm_cores else float(host_cores)


def next_count(planned: PlannedRun, tried: Mapping) -> int | None:
    """How many clients to try next; None: no more are needed. Raises ToolError where the scheduler whose workers are to
    be counted cannot be reached."""
    n = tried["clients"]
    # Several clients would insert the same keys.
    if not tried["client_is_limit"] or planned.workload.changes_records:
        return None
    more = possible(planned, min(2 * n, workers.most(planned.sweep.cluster)))
    return more if more > n else None


def rounded(figure: float) -> float | None:
    """A figure as a manifest has it, to three decimals; None where it is not known."""
    return None if math.isnan(figure) else round(figure, 3)
