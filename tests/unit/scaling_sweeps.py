"""Made-up runs tables whose truth is known: specs x thread counts x repeats with lognormal noise."""

from functools import cache

import numpy as np
import pandas as pd

from ycsbook import paths, scaling
from ycsbook.ingest.published.published import read_published
from ycsbook.tables import Tables, from_rows

CORES = (1, 2, 4, 8, 16, 32)


def tables(
    throughput, *, cores=CORES, threads=(100, 200), repeats=1, noise=0.0, seed=0, ram=None, p99_us=None, workload="a",
    outcome="completed", cpu=None,
) -> Tables:  # fmt: skip
    """Runs with X = throughput(cores, threads) ops/s, Little-consistent READ latencies and, if asked for, their p99."""
    rng = np.random.default_rng(seed)
    runs, operations, percentiles = [], [], []
    for c in cores:
        for gib in (ram or (lambda n: (4 * n,)))(c):
            for n in threads:
                for r in range(1, repeats + 1):
                    x = float(throughput(c, n) * np.exp(rng.normal(0, noise)))
                    run_id = f"{workload}-{c}c{gib}g-{n}-{r}"
                    runs.append(
                        {"run_id": run_id, "dataset": "made", "spec": f"{c}c{gib}g", "cores": float(c),
                         "ram_gib": float(gib), "workload": workload, "read_fraction": 1.0, "threads": float(n),
                         "repeat": float(r), "phase": "run", "goodput_ops_s": x, "throughput_ops_s": x,
                         "runtime_ms": 60e3, "operations": 60 * x, "outcome": outcome,
                         "cpu_utilisation": np.nan if cpu is None else cpu(c, n)}
                    )  # fmt: skip
                    mean = 0.98 * n / x * 1e6
                    operations.append({"run_id": run_id, "operation": "READ", "count": 60 * x, "mean_us": mean})
                    if p99_us is not None:
                        percentiles.append(
                            {"run_id": run_id, "operation": "READ", "percentile": 99.0, "latency_us": p99_us(c, n)}
                        )
    return Tables(
        runs=from_rows(runs, "runs"), operations=from_rows(operations, "operations"),
        percentiles=from_rows(percentiles, "percentiles"),
    )  # fmt: skip


@cache
def vendors_analysis(name: str) -> scaling.Analysis:
    """Of a published table."""
    published = read_published(paths.PUBLISHED / f"{name}.csv")
    return scaling.analyse(published.runs, published.operations)


def usl(p, sigma=0.03, kappa=3e-3, per_core=5000.0):
    return per_core * p / (1 + sigma * (p - 1) + kappa * p * (p - 1))


def group(found: Tables, threads: float) -> pd.DataFrame:
    """The runs at one thread count."""
    return found.runs[found.runs["threads"] == threads]
