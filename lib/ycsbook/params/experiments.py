"""What is measured: YCSB's mixes, and experiments, whose workloads are operations of their own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ycsbook.errors import shown
from ycsbook.operations import STANDARD_MIXES
from ycsbook.params import document

YCSB = "ycsb"
# YCSB's six standard workloads, with how each draws its keys where that is not by popularity.
STANDARD: dict[str, dict] = {**STANDARD_MIXES, "d": {**STANDARD_MIXES["d"], "distribution": "latest"}}


@dataclass(frozen=True)
class ExperimentKind:
    """A kind of measurement.

    Parameters
        workload_class: of lib/ycsb-bindings, which makes the operations; `bindings`: the classes that speak to each
            kind of server, of YCSB's own see runner/command.py.
        operations: what `workloads` may name.
        changing: those of them after which the records are not those that were loaded.
        counted: by operation, how many records one of those that end by their number concerns: `one` or `many`, which
            is `batch_size`; all others end by time.
        starts_empty: nothing is loaded: a run inserts the records itself, and queries beside where
            `documents_per_query` says so.
        defaults: settings where the params file says nothing.
        ledger: whether the client keeps a ledger of its writes.
        needs_members: of a replica set of our own; 0: any server serves.
    """

    workload_class: str
    bindings: Mapping[str, str]
    operations: tuple[str, ...]
    changing: frozenset[str] = frozenset()
    counted: Mapping[str, str] = field(default_factory=dict)
    starts_empty: bool = False
    defaults: Mapping[str, Any] = field(default_factory=dict)
    ledger: bool = False
    needs_members: int = 0


CRUD = ExperimentKind(
    workload_class="ycsbook.Crud",
    bindings={**dict.fromkeys(("mongod", "uri", "rest"), "ycsbook.CrudMongo"), "mariadb": "ycsbook.CrudJdbc"},
    operations=(
        "insert-one", "insert-increasing", "insert-many", "update-key", "update-many", "find-key", "find-index",
        "find-prefix", "find-pattern", "find-sorted", "find-compound", "delete-key", "delete-many",
    ),
    changing=frozenset({"insert-one", "insert-increasing", "insert-many", "delete-key", "delete-many"}),
    counted={"delete-key": "one", "delete-many": "many"},
    # A document of about 1 KB, as the tests of 2010 and 2012 had it.
    defaults={"field_count": 4, "field_length": 256, "table": "crud", "indexes": 3, "batch_size": 100},
)  # fmt: skip
# Those that a REST gateway serves.
THROUGH_GATEWAYS = ("find-key", "find-index", "insert-increasing")
# iibench's, with a text of 100 bytes in each document.
INSERTION = ExperimentKind(
    workload_class="ycsbook.Insertion",
    bindings={"mongod": "ycsbook.InsertionMongo", "uri": "ycsbook.InsertionMongo"},
    operations=("insertion",),
    changing=frozenset({"insertion"}),
    counted={"insertion": "many"},
    starts_empty=True,
    defaults={
        "field_count": 1, "field_length": 100, "table": "insertion", "indexes": 3, "batch_size": 100,
        "documents_per_query": 1000, "threads": [1],
    },
)  # fmt: skip
# What happens to a secondary, later to the primary, while documents are inserted (servers/replica_set.py).
FAILOVER = ExperimentKind(
    workload_class="ycsbook.LedgerInserts",
    bindings={"mongod": "ycsbook.LedgerMongo"},
    operations=("kill", "freeze", "cut", "split"),
    changing=frozenset({"kill", "freeze", "cut", "split"}),
    # Writes are meant to fail: how many may is not what a run is judged by.
    counted=dict.fromkeys(("kill", "freeze", "cut", "split"), "one"),
    defaults={
        "records": 100_000, "field_count": 4, "field_length": 256, "threads": [10], "table": "failover",
        "max_failed": 1.0,
        # About throughput, which is not what is measured here.
        "anomalies": dict.fromkeys(
            ("invalid_run", "not_settled", "not_saturated", "stall", "warmup", "sawtooth", "degradation"), False
        ),
    },
    starts_empty=True,
    ledger=True,
    needs_members=3,
)  # fmt: skip
EXPERIMENTS: dict[str, ExperimentKind] = {
    YCSB: ExperimentKind("site.ycsb.workloads.CoreWorkload", bindings={}, operations=tuple(STANDARD)),
    "crud": CRUD,
    "insertion": INSERTION,
    "failover": FAILOVER,
}


def workload(experiment: str, name: str) -> dict:
    """The settings of a workload given by name; raises ValueError where there is no such workload."""
    if experiment == YCSB:
        if name not in STANDARD:
            raise ValueError(
                f"got {shown(name)}, expected one of {', '.join(STANDARD)} or a mapping such as "
                "{name: mine, read: 0.9, update: 0.1}"
            )
        return {"name": name, **STANDARD[name]}
    operations = EXPERIMENTS[experiment].operations
    if name not in operations:
        raise ValueError(f"got {shown(name)}, expected one of {', '.join(operations)}{document.near(name, operations)}")
    return {"name": name, "operation": name}


def with_defaults(settings: Any) -> Any:
    """The settings of a params file with those that its experiment adds where it says nothing."""
    experiment_name = settings.get("experiment") if isinstance(settings, dict) else None
    if experiment_name == YCSB or not isinstance(experiment_name, str) or experiment_name not in EXPERIMENTS:
        return settings
    experiment = EXPERIMENTS[experiment_name]
    return {**experiment.defaults, "workloads": list(experiment.operations), **settings}
