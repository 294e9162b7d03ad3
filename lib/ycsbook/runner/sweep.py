"""Carry out a sweep: make every planned run that is not in the store yet."""

import contextlib
import shutil
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ycsbook import ingest, provenance
from ycsbook.errors import RunError, StoreError
from ycsbook.params import PlannedRun, Sweep, plan
from ycsbook.processes.guard import Guard, GuardedProcess
from ycsbook.runner import command, generator, targets
from ycsbook.runner.dataset import Dataset, Shape
from ycsbook.runner.judge import Verdict, judge
from ycsbook.runner.selection import Selection
from ycsbook.runner.targets import Target
from ycsbook.runner.watchdog import Watchdog, finished_operations
from ycsbook.servers import probe, quota
from ycsbook.servers.counters import Counters
from ycsbook.store import lock
from ycsbook.store.runs import RunStore, redact_logs
from ycsbook.verdicts import Outcome, StopReason

STALL_S = 60.0  # longest time without a finished operation
GRACE_S = 60.0  # what a run may take beyond its planned time
POLL_S = 0.1
CLIENT_GRACE_S = 2.0
SERVER_FOLDER = ".server"
ALL = Selection()


@dataclass(frozen=True)
class SweepResult:
    """What a call did: runs made now, runs that were there, runs whose server is not to be had."""

    made: tuple[str, ...]
    reused: tuple[str, ...]
    unavailable: tuple[str, ...]
    unsuccessful: dict[str, str]

    def __str__(self) -> str:
        parts = [f"{len(self.made)} runs made", f"{len(self.reused)} already there"]
        if self.unavailable:
            parts.append(f"{len(self.unavailable)} without a server")
        if self.unsuccessful:
            parts.append(f"{len(self.unsuccessful)} unsuccessful")
        return ", ".join(parts)


def planned_runs(sweep: Sweep, selection: Selection = ALL) -> tuple[list[PlannedRun], list[PlannedRun]]:
    """The runs that can be made, and those whose server is not to be had now.

    Raises
        ToolError: the load generator or the server's program is missing.
        ParamsError: no run is planned that the selection asks for.
    """
    sweep = selection.of(sweep)
    identity = targets.identities(sweep)
    if not any(identity.values()):
        # Nothing can run: the plan is shown all the same, and needs no load generator.
        return [], selection.chosen(plan(sweep))
    runs = selection.chosen(plan(sweep, client=generator.find().digest, servers=identity))
    return [r for r in runs if r.server], [r for r in runs if not r.server]


def run(sweep: Sweep, store: RunStore | None = None, selection: Selection = ALL) -> SweepResult:
    """Make the sweep's missing runs, in plan order; of a selection that forces, also those that are there.

    A run that fails is kept with its verdict and does not stop the others; it is tried again at the next call.

    Raises
        ToolError: something needed is missing, a server cannot be reached or holds foreign data.
        ServerBusyError: another process is measuring with this store.
        RunError: the load phase failed.
    """
    store = store or RunStore()
    available, unavailable = planned_runs(sweep, selection)
    todo = available if selection.force else _missing(available, store)
    unsuccessful: dict[str, str] = {}
    if todo:
        with lock.exclusive(store.root) as held:
            # Once more: whoever held the lock a moment ago may have made some of them.
            todo = available if selection.force else _missing(available, store)
            store.sweep_up()
            quota.remove_stale()
            unsuccessful = _make(selection.of(sweep), todo, store, held) if todo else {}
    ids = {r.run_id for r in todo}
    return SweepResult(
        tuple(r.run_id for r in todo),
        tuple(r.run_id for r in available if r.run_id not in ids),
        tuple(r.run_id for r in unavailable),
        unsuccessful,
    )


def _missing(planned: list[PlannedRun], store: RunStore) -> list[PlannedRun]:
    return [run for run in planned if not store.is_completed(run.run_id)]


def _make(sweep: Sweep, todo: list[PlannedRun], store: RunStore, held: int) -> dict[str, str]:
    unsuccessful: dict[str, str] = {}
    with _session(sweep, store, held) as session:
        for spec in dict.fromkeys(planned.spec for planned in todo):
            session.servers.check(spec)
        for planned in todo:
            target = session.servers.prepare(planned.spec)
            dataset = Dataset(target.uri, sweep.table, Shape.of(sweep))
            if not dataset.is_ready():
                session.load(planned, target)
                target = session.servers.prepare(planned.spec)
            target = replace(target, told={**target.told, **asdict(dataset.size())})
            verdict = session.measure(planned, "run", target)
            if verdict.outcome != Outcome.COMPLETED:
                unsuccessful[planned.run_id] = "; ".join(verdict.reasons)
            if verdict.stop_reason == StopReason.SERVER_LOST:
                raise RunError(f"{planned.run_id}: the server was lost; start again to go on", StopReason.SERVER_LOST)
    return unsuccessful


@contextlib.contextmanager
def _session(sweep: Sweep, store: RunStore, held: int) -> Iterator["_Session"]:
    folder = store.root / SERVER_FOLDER
    shutil.rmtree(folder, ignore_errors=True)  # left by a runner that was killed; never holds results
    start = targets.KINDS[sweep.server.kind][0]
    # The guard keeps the lock open: it is free only when the last process of ours is gone.
    with Guard(keep_open=[held]) as guard:
        guard.remove_at_end(folder, tree=True)
        _private_folder(folder)
        servers = start(sweep, guard, folder)
        try:
            yield _Session(guard, servers, store, folder)
        finally:
            servers.close()


def _private_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700)
    except OSError as e:
        raise StoreError(f"{folder}: cannot be made: {e.strerror or e}; check owner, mode and free space") from e


class _Session:
    """One guard, one set of servers, many runs."""

    def __init__(self, guard: Guard, servers: targets.Servers, store: RunStore, folder: Path):
        self.guard, self.servers, self.store, self.folder = guard, servers, store, folder
        self.generator = generator.find()
        self.machine = probe.machine()
        self.commit = provenance.commit()
        self._speed: tuple[float, float] | None = None  # when measured, host speed

    def load(self, planned: PlannedRun, target: Target) -> None:
        """Load the records, unthrottled; raises RunError where they are not all there afterwards."""
        dataset = Dataset(target.uri, planned.sweep.table, Shape.of(planned.sweep))
        dataset.clear()
        self.servers.unthrottle()
        loading = replace(planned, threads=planned.sweep.load_threads, repeat=0)
        verdict = self.measure(loading, "load", target)
        if verdict.outcome != Outcome.COMPLETED:
            raise RunError(
                f"{planned.spec.name}: loading {planned.sweep.records:,} records failed: {'; '.join(verdict.reasons)}; "
                f"the logs are in {self.store.folder(_run_id(loading, 'load'))}",
                verdict.stop_reason,
            )
        dataset.mark_ready()

    def measure(self, planned: PlannedRun, phase: str, target: Target) -> Verdict:
        """Make one run, judge it, and put it into the store."""
        if phase == "run" and planned.workload.inserts:
            Dataset(target.uri, planned.sweep.table, Shape.of(planned.sweep)).mark_changed()
        partial = self.store.begin(_run_id(planned, phase))
        before = self._host_speed()
        built = command.build(planned, phase, generator=self.generator, uri=target.uri, folder=partial)
        started = provenance.utc_now()
        try:
            stop_reason = self._execute(built, planned, phase, target, partial)
        finally:
            # Also when it is interrupted: the stock binding prints its whole URL.
            redact_logs(partial, [target.uri])
        after = self._host_speed(fresh=True)
        verdict = judge(ingest.ycsb.parse([partial / "run.out", partial / "run.err"]), planned, phase, stop_reason)
        facts = {
            **_facts(planned, phase, target, verdict),
            "started_at": started,
            "ended_at": provenance.utc_now(),
            "host_speed": {"before": before, "after": after},
            "command": built.shown,
            "client": {**self.generator.versions(), "commit": self.commit},
            "machine": self.machine,
        }
        self.store.finish(partial, facts)
        return verdict

    def _execute(
        self, built: command.Command, planned: PlannedRun, phase: str, target: Target, partial: Path
    ) -> StopReason | None:
        # In the session's folder, which the guard and the next start remove whatever happens.
        secret_file = built.write_properties(self.folder)
        process = None
        try:
            process = self.guard.start(
                built.argv_with(secret_file), stdout=partial / "run.out", stderr=partial / "run.err", env=built.env
            )
            with (
                Counters(target.uri) as counters,
                probe.Sampler(partial / "samples.csv", target.pid, process.pid, counters=counters.read),
            ):
                return self._watch(process, planned, phase, target, partial)
        except OSError as e:
            raise StoreError(f"{partial}: cannot be written: {e.strerror or e}; free space and start again") from e
        finally:
            if process is not None:
                process.stop(CLIENT_GRACE_S)
            secret_file.unlink(missing_ok=True)

    def _watch(
        self, process: GuardedProcess, planned: PlannedRun, phase: str, target: Target, partial: Path
    ) -> StopReason | None:
        timed = phase == "run" and planned.sweep.operations is None
        dog = Watchdog(STALL_S, planned.sweep.min_duration + GRACE_S if timed else None)
        started = time.monotonic()
        while process.poll() is None:
            reason = dog.observe(time.monotonic() - started, finished_operations(partial / "run.err"))
            if reason is None and target.pid is not None and not _alive(target.pid):
                reason = StopReason.SERVER_LOST
            if reason is not None:
                process.stop(CLIENT_GRACE_S)
                return reason
            time.sleep(POLL_S)
        return StopReason.KILLED if _was_killed(process.poll()) else None

    def _host_speed(self, fresh: bool = False) -> float:
        """The host's speed; a figure measured a moment ago serves as the next run's `before`."""
        if fresh or self._speed is None or time.monotonic() - self._speed[0] > 5:
            self._speed = (time.monotonic(), probe.host_speed())
        return self._speed[1]


def _run_id(planned: PlannedRun, phase: str) -> str:
    if phase == "run":
        return planned.run_id
    return f"{planned.sweep.name}-{planned.spec.name}-load-{planned.run_id.rpartition('-')[2]}"


def _facts(planned: PlannedRun, phase: str, target: Target, verdict: Verdict) -> dict:
    """What the manifest says of a run beside times and commands."""
    sweep, workload = planned.sweep, planned.workload
    return {
        "schema": 1,
        "run_id": _run_id(planned, phase),
        "dataset": sweep.name,
        "phase": phase,
        "repeat": planned.repeat,
        "threads": planned.threads,
        "clients": 1,
        "spec": {**planned.spec.model_dump(mode="json", exclude={"uri_env"}), "cache_gib": target.cache_gib},
        "workload": workload.model_dump(mode="json"),
        "write_concern": str(sweep.write_concern),
        "target_ops_s": sweep.target_ops_s,
        "server": {
            "kind": sweep.server.kind,
            "reach": target.reach,
            "version": target.version,
            "topology": target.topology,
            "cores_enforced_by": target.cores_enforced_by,
            "rtt_us": target.rtt_us,
            **target.told,
        },
        "inputs": planned.inputs,
        "outcome": verdict.outcome,
        "reasons": list(verdict.reasons),
        "stop_reason": verdict.stop_reason,
        "warnings": [str(w) for w in verdict.warnings],
    }


def _was_killed(code: int) -> bool:
    """Whether a signal ended the client; a JVM that sees one exits with 128 and its number."""
    return code < 0 or code > 128


def _alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists() if Path("/proc/self").exists() else True
