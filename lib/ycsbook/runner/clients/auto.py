"""How many clients a server needs: as long as the clients are the limit and not the server, twice as many."""

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from ycsbook.ingest.files.scan import SAMPLES
from ycsbook.params import PlannedRun
from ycsbook.runner.clients import gathered, own, shares, workers

# From here on a machine has nothing left: what it does then is all it can do.
CLIENT_FULL = SERVER_FULL = 0.90
# The part of a run that counts: a JVM is busy with itself at first.
FIRST, LAST = 0.25, 0.95
_JVM_CORES = re.compile(r"-XX:ActiveProcessorCount=(\d{1,4})")


def attempt(folder: Path, planned: PlannedRun, n: int, each: Sequence[Mapping]) -> dict:
    """What an attempt with n clients showed, from its samples: for the manifest, and to go on from.

    Parameters
        folder: of the run, with samples.csv.
        each: what the manifest says of each client, of those in workers; none of a single one of this machine.
    Returns
        clients, client_cpu and server_cpu (cores in use in the middle of the run, None: not known), client_cores and
        server_cores (what there is), client_is_limit.
    """
    client, server = (gathered.read(folder / SAMPLES, column) for column in ("client_cpu_s", "server_cpu_s"))
    elsewhere = planned.sweep.cluster.kind != "local"
    host_cores = sum(_cores(one) for one in each) if elsewhere else own.cores()
    client_cores, server_cores = usable_cores(planned, n, host_cores), planned.spec.cores
    client_cpu = server_cpu = math.nan
    if client and server:
        begun, lasted = client[0][0], client[-1][0] - client[0][0]
        window = begun + FIRST * lasted, begun + LAST * lasted
        client_cpu, server_cpu = gathered.cores(client, *window), gathered.cores(server, *window)
    return {
        "clients": n,
        "client_cpu": _known(client_cpu),
        "client_cores": client_cores,
        "server_cpu": _known(server_cpu),
        "server_cores": server_cores,
        "client_is_limit": is_limit(client_cpu, client_cores, server_cpu, server_cores),
    }


def is_limit(client_cpu: float, client_cores: float, server_cpu: float, server_cores: float) -> bool:
    """Whether the clients have nothing left while the server has; False where it is not known.

    Examples
        >>> is_limit(1.9, 2, 3.0, 8), is_limit(1.9, 2, 7.6, 8), is_limit(1.0, 2, 3.0, 8)
        (True, False, False)
    """
    return client_cpu >= CLIENT_FULL * client_cores and server_cpu < SERVER_FULL * server_cores


def usable_cores(planned: PlannedRun, n: int, host_cores: float) -> float:
    """Cores that n clients can use: their machines', and what their Java was told."""
    told = [int(number) for option in planned.sweep.java_options for number in _JVM_CORES.findall(option)]
    return float(min(host_cores, n * told[-1])) if told else float(host_cores)


def following(planned: PlannedRun, tried: Mapping) -> int | None:
    """How many clients to try after this attempt; None: it stays as it is.

    Raises
        ToolError: the scheduler whose workers are to be counted cannot be reached.
    """
    n = tried["clients"]
    # Several clients would insert the same keys.
    if not tried["client_is_limit"] or planned.workload.inserts:
        return None
    more = shares.count(planned, min(2 * n, workers.most(planned.sweep.cluster)))
    return more if more > n else None


def _cores(one: Mapping) -> float:
    """Cores of a client's machine, as its manifest entry says; NaN where it came to nothing."""
    return float(one.get("machine", {}).get("cores", math.nan))


def _known(cores: float) -> float | None:
    return None if math.isnan(cores) else round(cores, 3)
