"""Carry out a sweep: make every planned run that is not in the store yet."""

from dataclasses import asdict, dataclass, replace

from ycsbook.errors import RunError, ServerBusyError
from ycsbook.params import PlannedRun, Sweep, plan
from ycsbook.runner import compatibility, exclusive, generator, session
from ycsbook.runner.clients import demands
from ycsbook.runner.selection import Selection
from ycsbook.servers import kind, lease, quota
from ycsbook.store import lock, schema
from ycsbook.store.runs import RunStore
from ycsbook.verdicts import Outcome, StopReason

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
        ToolError: the load generator or the server's program is missing, or nothing can be measured on such a server.
        ParamsError: no run is planned that the selection asks for.
    """
    kind.require_measurable(sweep)
    sweep = selection.of(sweep)
    identity = kind.identities(sweep)
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
        ServerBusyError: another process is measuring with this store, or on one of the servers.
        RunError: the load phase failed.
    """
    store = store or RunStore()
    available, unavailable = planned_runs(sweep, selection)
    todo = available if selection.force else _missing(available, store)
    unsuccessful: dict[str, str] = {}
    if todo:
        demands.check(todo)
        uris = kind.shared(sweep, dict.fromkeys(planned.spec for planned in todo))
        with lock.exclusive(store.root) as held, exclusive.servers(uris) as also_held:
            # Once more: whoever held the lock a moment ago may have made some of them.
            todo = available if selection.force else _missing(available, store)
            schema.migrate(store.root)
            store.sweep_up()
            quota.remove_stale()
            unsuccessful = _make(selection.of(sweep), todo, store, [held, *also_held]) if todo else {}
    ids = {r.run_id for r in todo}
    return SweepResult(
        tuple(r.run_id for r in todo),
        tuple(r.run_id for r in available if r.run_id not in ids),
        tuple(r.run_id for r in unavailable),
        unsuccessful,
    )


def _missing(planned: list[PlannedRun], store: RunStore) -> list[PlannedRun]:
    return [run for run in planned if not store.is_completed(run.run_id)]


def _make(sweep: Sweep, todo: list[PlannedRun], store: RunStore, held: list[int]) -> dict[str, str]:
    specs = list(dict.fromkeys(planned.spec for planned in todo))
    with session.opened(sweep, store, held) as opened:
        for spec in specs:
            opened.servers.check(spec)
        with lease.held(kind.shared(sweep, specs), opened.guard.pid) as opened.leases:
            return _measure(opened, todo)


def _measure(opened: session.Session, todo: list[PlannedRun]) -> dict[str, str]:
    unsuccessful: dict[str, str] = {}
    for planned in todo:
        target = opened.servers.prepare(planned.spec)
        compatibility.check(opened.generator, target)
        dataset = opened.dataset(planned, target)
        if not dataset.is_ready():
            opened.load(planned, target)
            target = opened.servers.prepare(planned.spec)
        target = replace(target, told={**target.told, **asdict(dataset.size())})
        verdict = opened.measure(planned, "run", target)
        if verdict.outcome != Outcome.COMPLETED:
            unsuccessful[planned.run_id] = "; ".join(verdict.reasons)
        # One that was only away for a while is there for the next run.
        if verdict.stop_reason == StopReason.SERVER_LOST and verdict.outcome == Outcome.INCOMPLETE:
            raise RunError(f"{planned.run_id}: the server was lost; start again to go on", StopReason.SERVER_LOST)
        if opened.leases.lost():
            raise ServerBusyError(f"{opened.leases.lost()}; start again when it is free")
    return unsuccessful
