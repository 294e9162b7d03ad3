"""Little's law for a closed loop: U = X R / N, the share of the threads' time spent inside the database.

N threads without think time have N = X R, with think time Z more: N = X (R + Z). So U cannot exceed 1.

References
    Little (1961), A proof for the queuing formula L = lambda W.
"""

import math
from collections.abc import Iterable

from ycsbook.ingest.log.operations import DATABASE_OPERATIONS, is_failure_series
from ycsbook.units import MS_PER_S, US_PER_S

# Averaging unequal repeats gives 1 + cv^2: 1.05 takes a spread of 22 %.
MAX_UTILISATION = 1.05


def utilisation(flows: Iterable[tuple[float, float]], threads: float) -> float:
    """X R / N; NaN where the threads or the latency of any flow are unknown.

    Parameters
        flows: rate (ops/s) and mean latency (us) of each kind of operation; those without a rate do not count.
        threads: client threads, N.
    Examples
        >>> utilisation([(1000, 1500.0), (500, 1000.0)], 4)
        0.5
    """
    if not threads > 0:
        return math.nan
    return sum(rate * mean_us for rate, mean_us in flows if rate > 0) / US_PER_S / threads


def of_series(series: Iterable[tuple[str, float, float]], runtime_ms: float, threads: float) -> float:
    """X R / N of a log: operation, count and mean latency (us) of each of its series.

    Failed calls take time as well. READ-MODIFY-WRITE is counted inside its READ and UPDATE, VERIFY is the client's
    own work, CLEANUP is outside the measured time, and Intended- latencies hold waiting before the operation.
    """
    seconds = runtime_ms / MS_PER_S
    if not seconds > 0:
        return math.nan
    return utilisation(((count / seconds, mean_us) for name, count, mean_us in series if is_counted(name)), threads)


def of_mix(throughput_ops_s: float, read_fraction: float, threads: float, read_us: float, write_us: float) -> float:
    """X R / N where only the mix and mean latencies (us) are known; one that no operation has may be NaN.

    Examples
        >>> round(of_mix(52148, 0.5, 200, 8243, 1108), 3)
        1.219
    """
    shares = ((read_fraction, read_us), (1 - read_fraction, write_us))
    return utilisation(((throughput_ops_s * share, mean_us) for share, mean_us in shares), threads)


def is_counted(operation: str) -> bool:
    """Whether a series is time that threads spent in calls of the database, and in no other series as well."""
    return operation in DATABASE_OPERATIONS or is_failure_series(operation)
