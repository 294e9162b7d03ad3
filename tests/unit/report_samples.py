"""Small made-up sweeps in the shapes reports have to carry: a local one with repeats, and a vendor's table."""

import numpy as np
import pandas as pd

from ycsbook import anomalies, tables
from ycsbook.facts import fact, in_columns
from ycsbook.params.sweep import Sweep, UnplannedSweep
from ycsbook.report.rows import ReportRows
from ycsbook.report.short import Short
from ycsbook.tables import Tables

ENVIRONMENT = {
    "Machine": {"CPU": "2 cores", "RAM": "7.8 GiB", "System": "Linux"},
    "Server": {"mongod": "6.0.5, standalone, WiredTiger"},
    "Client": {"YCSB": "site.ycsb core 0.17.0", "Java": "17.0.13"},
    "Commands": {
        "run": "java -cp ycsb.jar site.ycsb.Client -t -s -P run.properties\n  -p mongodb.url=mongodb://u:pw@h/ycsb"
    },
    "Inputs": {"params/local.yml": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
}


def local_sweep(**changes: object) -> Sweep:
    specs = [{"name": f"{c:g}c", "cores": c, "ram_gib": c} for c in (0.25, 0.5, 0.75, 1.0)]
    values = {
        "name": "local", "title": "MongoDB on this machine", "server": {"kind": "mongod", "version": "6.0.5"},
        "specs": specs, "workloads": ["a", "b"], "threads": [4, 16], "min_duration": "5s", "repeats": 3,
        "java_options": ["-XX:TieredStopAtLevel=1"],
    }  # fmt: skip
    return Sweep.model_validate(values | changes)


def local_tables(seed: int = 1, seconds: int = 6) -> Tables:
    """4 fractional specs x 2 workloads x 2 thread counts x 3 repeats, percentiles and intervals; one failed run."""
    rng = np.random.default_rng(seed)
    runs, operations, percentiles, intervals = [], [], [], []
    for spec in local_sweep().specs:
        for workload, threads, speed, share in (
            ("a", 4, 9800, 0.5), ("a", 16, 12300, 0.5), ("b", 4, 11900, 0.95), ("b", 16, 14900, 0.95),
        ):  # fmt: skip
            for repeat in (1, 2, 3):
                run_id = f"local-{spec.name}-{workload}-t{threads}-r{repeat}"
                steady = speed * spec.cores**0.97 * rng.normal(1, 0.02)
                runs.append(
                    {
                        "run_id": run_id, "dataset": "local", "server_version": "6.0.5", "topology": "standalone",
                        "spec": spec.name, "cores": spec.cores, "ram_gib": spec.ram_gib, "workload": workload,
                        "read_fraction": share, "threads": threads, "repeat": repeat, "phase": "run",
                        "write_concern": "1", "throughput_ops_s": steady * 0.86, "goodput_ops_s": steady * 0.86,
                        "steady_ops_s": steady, "warmup_s": 2.0, "cpu_utilisation": rng.uniform(0.78, 0.94),
                        "host_speed": rng.normal(1, 0.02), "cores_enforced_by": "cgroup1", "outcome": "completed",
                        "warnings": "SHORT_RUN", "started_at": f"2026-11-20T10:{len(runs):02}:00Z",
                        "source": f"{run_id}/ycsb.log",
                    }
                )  # fmt: skip
                for second in range(1, seconds + 1):
                    ramp = 0.45 if second <= 1 else 0.8 if second == 2 else 1.0
                    intervals.append(
                        {"run_id": run_id, "operation": "TOTAL", "elapsed_s": float(second), "interval_s": 1.0,
                         "throughput_ops_s": steady * ramp * rng.normal(1, 0.03)}
                    )  # fmt: skip
                for operation, part in (("READ", share), ("UPDATE", 1 - share)):
                    mean = threads / steady * 1e6 * rng.normal(0.95, 0.01)
                    operations.append(
                        {"run_id": run_id, "operation": operation, "count": steady * seconds * part, "mean_us": mean}
                    )
                    percentiles += [
                        {"run_id": run_id, "operation": operation, "percentile": p, "latency_us": mean * f}
                        for p, f in ((50.0, 0.7), (90.0, 1.6), (95.0, 2.4), (99.0, 5.5), (99.9, 14.0), (100.0, 40.0))
                    ]
    runs.append(
        {"run_id": "local-1c-a-t4-r4", "dataset": "local", "spec": "1c", "cores": 1.0, "workload": "a", "threads": 4.0,
         "phase": "run", "outcome": "failed", "stop_reason": "stalled", "source": "r4/ycsb.log"}
    )  # fmt: skip
    return Tables(
        runs=tables.from_rows(runs, "runs"), operations=tables.from_rows(operations, "operations"),
        percentiles=tables.from_rows(percentiles, "percentiles"), intervals=tables.from_rows(intervals, "intervals"),
    )  # fmt: skip


def vendor_sweep(cores_ram: tuple[tuple[int, int], ...]) -> Sweep:
    return Sweep.model_validate(
        {
            "name": "vendor", "title": "MongoDB 4.0 of a vendor",
            "server": {"kind": "mongod", "topology": "replica_set"},
            "specs": [{"name": f"{c}c{r}g", "cores": c, "ram_gib": r, "label": f"{c}核{r}GB"} for c, r in cores_ram],
            "write_concern": 0, "source": {"title": "性能测试", "publisher": "a vendor", "date": "2020-08"},
        }
    )  # fmt: skip


EIGHTEEN = tuple((c, c * f) for c in (2, 4, 8, 16, 32) for f in (1, 2, 4, 8))[1:-1]


def vendor_tables(sweep: Sweep, seed: int = 1) -> Tables:
    """One published row per spec, workload and thread count; no repeats, means only."""
    rng = np.random.default_rng(seed)
    runs, operations = [], []
    for spec in sweep.specs:
        for workload, share in (("a", 0.5), ("b", 0.95)):
            for threads in (100, 200):
                run_id = f"vendor-{spec.name}-{workload}-t{threads}"
                speed = 4600 * spec.cores**0.9 * (1.08 if threads == 200 else 1.0) * rng.normal(1, 0.07)
                runs.append(
                    {"run_id": run_id, "dataset": "vendor", "vendor": "a vendor", "server_version": "4.0",
                     "topology": "replica_set", "spec": spec.name, "spec_label": spec.label, "cores": spec.cores,
                     "ram_gib": spec.ram_gib, "workload": workload, "read_fraction": share, "threads": threads,
                     "phase": "run", "write_concern": "0", "throughput_ops_s": round(speed), "outcome": "published",
                     "warnings": "UNACKED_WRITES", "source": "published.csv"}
                )  # fmt: skip
                operations += [
                    {"run_id": run_id, "operation": "READ", "mean_us": round(threads / speed * 1e6 / share)},
                    {"run_id": run_id, "operation": "UPDATE", "mean_us": float(rng.integers(25, 400))},
                ]
    return Tables(runs=tables.from_rows(runs, "runs"), operations=tables.from_rows(operations, "operations"))


def head_of(of: Tables, sweep: Sweep | None = None, **options: object) -> Short:
    """The head of the report of these tables; options: of anomalies.find, which makes their findings."""
    return Short(ReportRows(sweep or UnplannedSweep(name="t", title="t"), of), anomalies.find(of, **options))


def findings(runs: pd.DataFrame) -> pd.DataFrame:
    """Two findings on the last two runs and one on all of them."""
    a, b = runs["run_id"].iloc[-2], runs["run_id"].iloc[-1]
    cell = fact("spec", cores=None, ram_gib=None, ram_unit="", spec=b)
    return tables.from_rows(
        [
            {"rule": "thread_regression", "severity": "warning", "run_ids": f"{a} {b}", "effect": -0.66,
             "evidence": "single", **in_columns("advice", fact("thread_regression-watch-advice")),
             **in_columns("message", fact("server_size-ram", where=None, spec=b, wanted=8, seen=4, outside=False))},
            {"rule": "littles_law", "severity": "error", "run_ids": b, "effect": 1.37, "conf_low": 1.3,
             "conf_high": 1.44, "evidence": "single", **in_columns("advice", fact("little_law-advice")),
             **in_columns("message", fact("little_law", cell=cell, utilisation=2.37, threads=16))},
            {"rule": "unacked_writes", "severity": "note", "run_ids": " ".join(runs["run_id"]), "evidence": "single",
             **in_columns("message", fact("unacked_writes", all=True, n=len(runs), rows=fact("rows", n=len(runs)),
                                          below=0, written=0, rtt_us=None)),
             **in_columns("advice", fact("warning-unacked_writes"))},
        ],
        "findings",
    )  # fmt: skip
