"""Small sweeps and time series for the tests of the rules."""

import numpy as np

from ycsbook import anomalies
from ycsbook.anomalies import Evidence
from ycsbook.ingest.runs.steady import steady_state
from ycsbook.tables import Tables, from_rows


def run(cores=1.0, threads=4, repeat=1, throughput=1000.0, **more):
    """A completed run of a sweep with 1 GiB per core."""
    return {
        "run_id": f"{cores:g}c-{more.get('workload', 'a')}-t{threads}-r{repeat}", "dataset": "local",
        "spec": f"{cores:g}c", "cores": cores, "ram_gib": cores, "workload": "a", "read_fraction": 0.5,
        "threads": float(threads), "repeat": float(repeat), "phase": "run", "outcome": "completed",
        "goodput_ops_s": throughput, "throughput_ops_s": throughput, "runtime_ms": 1_500_000.0,
        "operations": 1500 * throughput, "failed_operations": 0.0, "write_concern": "1", "host_speed": 1.0,
        "cores_enforced_by": "cgroup2", "warnings": "", **more,
    }  # fmt: skip


QUOTAS = (0.25, 0.5, 0.75, 1.0)


def sweep(seed=0, noise=0.02, drop=0.0, repeats=3):
    """Proportional growth over QUOTAS at two thread counts; on 0.5 cores 16 threads lose the share `drop`."""
    rng = np.random.default_rng(seed)
    return [
        run(c, t, r, 9000 * c * (1 - drop * (c == 0.5 and t == 16)) * np.exp(rng.normal(0, noise)))
        for r in range(1, repeats + 1) for c in QUOTAS for t in (4, 16)
    ]  # fmt: skip


def tables(rows, **others):
    """Tables of these runs; others: rows of other tables by name."""
    named = {name: from_rows(list(part), name) for name, part in others.items()}
    return Tables(runs=from_rows(rows, "runs"), **named)


def flags(rule, rows, settings=None, *, documents=None, history=None, **others):
    """What one rule yields."""
    evidence = Evidence(tables(rows, **others), history, documents or {})
    return list(anomalies.RULES[rule](evidence, settings))


def says(finding, key=None, **values):
    """Whether a finding's message has that key, by default any, and these values."""
    message = finding.message
    return key in (None, message.key) and {name: message.values.get(name) for name in values} == values


def cell_of(finding, name="cell"):
    """Cores and threads of the cell that a finding's message names."""
    cell = finding.message.values[name].values
    return cell["cores"], cell.get("threads")


def with_series(rate, interval_s=1.0, found_warmup=True, **more):
    """A run and the intervals of a throughput per interval (ops/s), its warm-up found as ingest finds it."""
    rate = np.asarray(rate, dtype=float)
    length = np.full(len(rate), interval_s)
    end = np.cumsum(length)
    state = steady_state(rate * length, length, end)
    said = {"warmup_s": state.warmup_s, "steady_ops_s": state.steady_ops_s} if found_warmup else {"warmup_s": 0.0}
    row = run(throughput=float(rate.mean()), runtime_ms=1000 * float(end[-1]), **said, **more)
    intervals = [
        {"run_id": row["run_id"], "operation": "TOTAL", "elapsed_s": e, "interval_s": interval_s,
         "operations": r * interval_s, "throughput_ops_s": r}
        for e, r in zip(end, rate, strict=True)
    ]  # fmt: skip
    return row, intervals


def noisy(n, seed, level=1000.0, sd=0.03):
    """Lognormal white noise."""
    return level * np.exp(np.random.default_rng(seed).normal(0, sd, n))
