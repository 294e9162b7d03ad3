"""A sweep expanded into its planned runs, and the names of its variations."""

import hashlib
import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from ycsbook.params.sections import Spec, Workload
from ycsbook.params.sweep import OF_RECORDS, Sweep

# Settings that change what is measured; titles, report options and sources do not.
_MEASURED = (
    "records", "field_count", "field_length", "operations", "min_duration", "java_options", "write_concern",
    "read_preference", "upsert", "batch_size", "target_ops_s", "max_failed", "table",
)  # fmt: skip
# Younger than the first runs: in a run's inputs only where they are not as then, so that older runs keep their ids.
_LATER = ("clients", "insert_order", "experiment", "indexes", "documents_per_query")
_VARIATION_WORDS: Mapping[str, Callable[[object], str]] = {
    "records": lambda value: f"{_figure(value)} records",
    "field_count": lambda value: f"{_figure(value)} fields",
    "field_length": lambda value: f"fields of {_figure(value)} B",
    "insert_order": lambda value: f"{value} keys",
    "indexes": lambda value: "1 index" if value == 1 else f"{value} indexes",
    "documents_per_query": lambda value: f"1 query per {_figure(value)} documents" if value else "no queries",
    "checkpoint_s": lambda value: "checkpoints as usual" if value is None else f"a checkpoint every {value} s",
    "journal_compressor": lambda value: f"journal compressor {value or 'as usual'}",
    "write_concern": lambda value: f"write concern {value}",
    "read_preference": lambda value: f"reads from {value}",
    "upsert": lambda value: "upserts" if value else "no upserts",
    "target_ops_s": lambda value: "no target" if value is None else f"target {_figure(value)} ops/s",
    "clients": lambda value: "1 client" if value == 1 else f"{_figure(value)} clients",
}


@dataclass(frozen=True)
class PlannedRun:
    """One run to make. `client`: the hash of the load generator's jars; `server`: who the server is, without secrets;
    `variation`: the settings that `vary` gave, which `sweep` has already."""

    sweep: Sweep
    spec: Spec
    workload: Workload
    threads: int
    repeat: int
    client: str
    server: str
    variation: tuple[tuple[str, int | float | str | bool | None], ...] = ()

    @property
    def inputs(self) -> dict:
        server = self.sweep.server_of(self.spec)
        return {
            "server": {"kind": server.kind, "identity": self.server, **server.shape},
            "spec": self.spec.model_dump(mode="json", exclude={"label", "uri_env", "server"}),
            "workload": self.workload.plain(),
            "threads": self.threads,
            "repeat": self.repeat,
            "client": self.client,
            **self.sweep.model_dump(mode="json", include=set(_MEASURED)),
            **self.sweep.model_dump(mode="json", include=set(_LATER), exclude_defaults=True),
        }

    @property
    def operations(self) -> int | None:
        return self.sweep.operations_of(self.workload)

    @property
    def expected_s(self) -> float:
        return self.sweep.expected_s(self.workload)

    @cached_property
    def run_id(self) -> str:
        """A readable slug and the hash of the inputs: any changed field changes it, key order does not."""
        digest = hashlib.sha256(json.dumps(self.inputs, sort_keys=True).encode()).hexdigest()[:12]
        return f"{self.sweep.name}-{self.spec.name}-{self.workload.name}-t{self.threads}-r{self.repeat}-{digest}"


def thread_counts(sweep: Sweep) -> tuple[int, ...]:
    """The client threads of a sweep's runs: as listed, or with `ladder` also one thread and every doubling of it, which
    give the latency without queueing and the knee (scaling.pairs)."""
    if not sweep.ladder:
        return sweep.threads
    doublings = {2**i for i in range(max(sweep.threads).bit_length())}
    return tuple(sorted(doublings | set(sweep.threads)))


def plan(sweep: Sweep, *, client: str = "", servers: dict[str, str] | None = None) -> list[PlannedRun]:
    """The sweep's runs in the order they are made: repeat by repeat, shuffled by the sweep's seed within. That spreads
    a host's slow drift over all specs; within a repeat the runs of a spec stay together, so that its server is set
    up once, and so do variations that share their records, which are loaded once. `client`: hash of the load
    generator; `servers`: who each spec's server is, without secrets."""
    alike_in_records: dict[tuple, list[tuple[dict, Sweep]]] = {}
    for settings, varied in sweep.variations():
        records = tuple(getattr(varied, name) for name in OF_RECORDS)
        alike_in_records.setdefault(records, []).append((settings, varied))
    rng = random.Random(sweep.seed)
    runs: list[PlannedRun] = []
    for repeat in range(1, sweep.repeats + 1):
        specs = list(sweep.specs)
        rng.shuffle(specs)
        for spec in specs:
            identity = (servers or {}).get(spec.name, "")
            for alike in alike_in_records.values():
                mixes = [(v, s, w, t) for v, s in alike for w in s.workloads for t in thread_counts(s)]
                rng.shuffle(mixes)
                runs += [
                    PlannedRun(s, varied, w, t, repeat, client, identity, tuple(v.items()))
                    for v, s, w, t in mixes
                    for varied in s.specs
                    if varied.name == spec.name
                ]
    return runs


def variation_words(name: str, value: object) -> str:
    return _VARIATION_WORDS[name](value) if name in _VARIATION_WORDS else f"{name} {value}"


def variation_text(settings: Mapping[str, object]) -> str:
    return ", ".join(variation_words(name, value) for name, value in settings.items())


def _figure(value: object) -> str:
    return f"{value:,.12g}" if isinstance(value, int | float) else str(value)
