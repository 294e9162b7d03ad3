"""Holds what lives as long as a sweep is being made: the guard, the servers, the store."""

import contextlib
import copy
import math
import shutil
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ycsbook import ingest, messages, provenance
from ycsbook.errors import RunError, StoreError
from ycsbook.facts import as_plain, fact
from ycsbook.ingest.runs.checks import Verdict
from ycsbook.params import OF_RECORDS, PlannedRun, Sweep
from ycsbook.processes import Guard
from ycsbook.runner import client, command, failover, generator, samples
from ycsbook.runner.clients import workers
from ycsbook.runner.clients.run import execute
from ycsbook.runner.judge import CLOCK_TOLERANCE_S, by_clock, judge, server_samples
from ycsbook.servers import kind
from ycsbook.servers.exclusive import Leases
from ycsbook.servers.kind import BenchmarkRecords, RecordShape, Servers, Target
from ycsbook.store import atomic
from ycsbook.store.runs import SCHEMA, RunStore
from ycsbook.verdicts import Outcome, StopReason

SERVER_FOLDER = ".server"
# A status line of every operation with all its figures, and a row of samples: 1.5 kB in the real logs, per second.
SECOND_BYTES = 4 * 1024
# .hdr files (a few 100 kB each), summary, manifest, and what others write meanwhile.
BASE_BYTES = 32 * 1024 * 1024
# What a ledger has of each write, and the id that is read back.
LEDGER_BYTES = 200
# A run that ends by its operations: nobody knows when; an hour of them.
UNKNOWN_S = 3600.0


@contextlib.contextmanager
def opened(sweep: Sweep, store: RunStore, lock_descriptors: Sequence[int]) -> Iterator["Session"]:
    """An open session: guard and servers are started, and ended at the end of the block."""
    folder = store.root / SERVER_FOLDER
    shutil.rmtree(folder, ignore_errors=True)  # left by a runner that was killed; never holds results
    # The guard keeps the locks open: they are free only when the last process of ours is gone.
    with Guard(keep_open=lock_descriptors) as guard:
        guard.remove_at_end(folder, tree=True)
        with atomic.writing(folder):
            folder.mkdir(mode=0o700)
        with contextlib.closing(kind.start(sweep, guard, folder)) as servers:
            yield Session(guard, servers, store, folder)


class Session:
    def __init__(self, guard: Guard, servers: Servers, store: RunStore, folder: Path):
        self.guard, self.servers, self.store, self.folder = guard, servers, store, folder
        self.generator = generator.find()
        self.machine = samples.machine()
        self.commit = provenance.commit()
        self.leases: Leases | None = None  # of servers that others can reach
        self.stopping = threading.Event()  # runs that others wait for end early

    def beside(self) -> "Session":
        """A copy for a run made at the same time as others, with a folder of its own for secrets."""
        session = copy.copy(self)
        session.folder = self.folder / uuid.uuid4().hex
        with atomic.writing(session.folder):
            session.folder.mkdir(mode=0o700)
        return session

    def dataset(self, planned: PlannedRun, target: Target) -> BenchmarkRecords:
        return self.servers.dataset(target, planned.sweep.table, RecordShape.of(planned.sweep))

    def load(self, planned: PlannedRun, target: Target) -> None:
        """Load the records, unthrottled; raises RunError where they are not all there afterwards."""
        dataset = self.dataset(planned, target)
        dataset.clear()
        self.servers.unthrottle()
        loading = replace(planned, threads=planned.sweep.load_threads, repeat=0)
        verdict = self.measure(loading, "load", target)
        if verdict.outcome != Outcome.COMPLETED:
            why = messages.say(verdict.reason)
            raise RunError(
                f"{planned.spec.name}: loading {planned.sweep.records:,} records failed: {why}; "
                f"the logs are in {self.store.folder(run_id(loading, 'load'))}",
                verdict.stop_reason,
            )
        dataset.mark_ready()

    def measure(self, planned: PlannedRun, phase: str, target: Target) -> Verdict:
        """Make one run, judge and store it; with `clients: auto` again with more as long as clients are the limit."""
        clients = planned.sweep.clients if phase == "run" else 1
        following, tried = (1, []) if clients == "auto" else (clients, None)
        while following:
            verdict, following = self._attempt(planned, phase, target, following, tried)
        return verdict

    def _attempt(
        self, planned: PlannedRun, phase: str, target: Target, clients: int, tried: list[dict] | None
    ) -> tuple[Verdict, int | None]:
        """Make a run with so many clients; its verdict, and how many clients are to be tried next, if any: then it
        counts as incomplete, so that the next start makes it again should this one be killed in between."""
        n = workers.possible(planned, clients) if phase == "run" else 1
        if phase == "run" and planned.workload.changes_records:
            self.dataset(planned, target).mark_changed()
        require_room(self.store.root, planned, n)
        partial = self.store.begin(run_id(planned, phase))
        before = samples.host_speed()
        http = phase == "run" and target.http
        if http:
            built, versions = command.build_wrk(planned, http, partial), {"program": "wrk"}
            command.warm_up(self.guard, planned, http)
        else:
            built = command.build(planned, phase, generator=self.generator, uri=target.uri, folder=partial)
            versions = self.generator.versions(command.binding(planned, self.generator))
        started = provenance.utc_now()
        begun_s, epoch_s = time.monotonic(), _epoch_s()
        verdict, of_clients = self._execute(planned, phase, n, target, built=built, partial=partial)
        stepped_s, took_s = _epoch_s() - epoch_s, time.monotonic() - begun_s
        if phase == "run":
            verdict = by_clock(verdict, stepped_s, took_s)
        after = samples.host_speed()
        if self.leases is not None and (taken_hosts := self.leases.lost()):
            reasons = (*verdict.reasons, fact("reason-server-taken", hosts=taken_hosts))
            verdict = Verdict(Outcome.INCOMPLETE, reasons, verdict.stop_reason)
        following = None
        if tried is not None:
            tried.append(workers.attempt(partial, planned, n, of_clients.get("each_client", [])))
            if verdict.outcome == Outcome.COMPLETED and (following := workers.next_count(planned, tried[-1])):
                reason = fact("reason-client-was-the-limit", clients=following)
                verdict = Verdict(Outcome.INCOMPLETE, (reason,), warnings=verdict.warnings)
        if planned.sweep.measures.starts_empty and verdict.outcome == Outcome.COMPLETED:
            target = replace(target, facts={**target.facts, **self.dataset(planned, target).size()})
        facts = {
            **run_manifest(planned, phase, target, verdict),
            "started_at": started,
            "ended_at": provenance.utc_now(),
            "host_speed": {"before": before, "after": after},
            **({"clock_stepped_s": round(stepped_s, 3)} if abs(stepped_s) > CLOCK_TOLERANCE_S else {}),
            "command": built.shown,
            "client": {**versions, "commit": self.commit},
            "machine": self.machine,
            **of_clients,
            **({} if tried is None else {"clients_tried": tried}),
        }
        folder = self.store.finish(partial, facts)
        if verdict.stop_reason == StopReason.DISK_FULL:
            raise StoreError(
                f"{folder}: the disk is full, the run was ended; free space and start again: finished runs are kept"
            )
        return verdict, following

    def _execute(
        self, planned: PlannedRun, phase: str, n: int, target: Target, *, built: command.Command, partial: Path
    ) -> tuple[Verdict, dict]:
        timed = phase == "run" and planned.operations is None  # else nobody knows how long it takes
        with self.servers.counters(target) as counters:
            settings = {
                "partial": partial,
                "secrets": self.folder,
                "wall_s": planned.sweep.min_duration + client.GRACE_S if timed else None,
                "server_pids": target.pids,
                "counters": counters,
            }
            if phase == "run" and planned.sweep.measures.ledger:
                dataset = self.dataset(planned, target)
                return failover.execute(self.guard, built, planned, self.servers.replica_set, dataset, **settings)
            if phase == "run" and workers.are_needed(planned.sweep, n):
                return execute(planned, n, uri=target.uri, stopping=self.stopping, **settings)
            stop_reason = client.execute(self.guard, built, **settings)
            server = server_samples(partial, counters)
        if phase == "run" and target.http:
            logs = ingest.http_load.parse_operation(partial / "run.out", planned.workload.operation)
        else:
            logs = ingest.ycsb.parse([partial / "run.out", partial / "run.err"])
        return judge(logs, planned, phase, stop_reason, server), {}


def run_id(planned: PlannedRun, phase: str) -> str:
    """The name of a run's folder; a load's says what was loaded instead of the mix."""
    if phase == "run":
        return planned.run_id
    return f"{planned.sweep.name}-{planned.spec.name}-load-{planned.run_id.rpartition('-')[2]}"


def run_manifest(planned: PlannedRun, phase: str, target: Target, verdict: Verdict) -> dict:
    sweep, workload = planned.sweep, planned.workload
    return {
        "schema": SCHEMA,
        "run_id": run_id(planned, phase),
        "dataset": sweep.name,
        "phase": phase,
        "repeat": planned.repeat,
        "threads": planned.threads,
        "clients": 1,
        "spec": {**planned.spec.model_dump(mode="json", exclude={"uri_env", "server"}), "cache_gib": target.cache_gib},
        "workload": workload.plain(),
        "write_concern": str(sweep.write_concern),
        "read_preference": sweep.read_preference,
        "target_ops_s": sweep.target_ops_s if phase == "run" else None,  # a load is as fast as it can
        # Of a load the settings of the records alone make it another than its siblings.
        "variation": {name: value for name, value in planned.variation if phase == "run" or name in OF_RECORDS},
        "plan": {"seed": sweep.seed, "repeats": sweep.repeats, "min_duration_s": sweep.min_duration},
        "server": {
            "kind": sweep.server_of(planned.spec).kind,
            "reach": target.reach,
            "version": target.version,
            "topology": target.topology,
            "cores_enforced_by": target.cores_enforced_by,
            "rtt_us": target.rtt_us,
            **target.facts,
        },
        "inputs": planned.inputs,
        "outcome": verdict.outcome,
        "reasons": [as_plain(reason) for reason in verdict.reasons],
        "stop_reason": verdict.stop_reason,
        "warnings": [str(w) for w in dict.fromkeys((*verdict.warnings, *target.warnings))],
    }


def _epoch_s() -> float:
    """The difference of the two clocks, s: when it changes, somebody has set the clock."""
    return time.time() - time.monotonic()


def require_room(folder: Path, run: PlannedRun, clients: int) -> None:
    """Refuse a run that may not find room on the disk of a folder, by a generous estimate: raises StoreError."""
    seconds = run.sweep.min_duration if run.operations is None else UNKNOWN_S
    ledger = LEDGER_BYTES * run.operations if run.sweep.measures.ledger else 0
    needed = BASE_BYTES + ledger + clients * math.ceil(seconds) * SECOND_BYTES
    try:
        free = shutil.disk_usage(folder).free
    except OSError as e:
        raise StoreError(f"{folder}: cannot be looked at: {e.strerror or e}") from e
    if free < needed:
        raise StoreError(
            f"{folder}: {free / 1e6:,.0f} MB are free, the next run asks for {needed / 1e6:,.0f} MB; free space, or "
            "choose another --store, and start again: finished runs are kept"
        )
