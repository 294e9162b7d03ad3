"""Carry out a sweep: make every planned run that is not in the store yet."""

from dataclasses import asdict, dataclass, replace

from ycsbook.errors import RunError
from ycsbook.params import PlannedRun, Sweep, plan
from ycsbook.runner import generator, session
from ycsbook.runner.selection import Selection
from ycsbook.servers import kind, quota
from ycsbook.store import lock
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
        ToolError: the load generator or the server's program is missing.
        ParamsError: no run is planned that the selection asks for.
    """
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
    with session.opened(sweep, store, held) as opened:
        for spec in dict.fromkeys(planned.spec for planned in todo):
            opened.servers.check(spec)
        for planned in todo:
            target = opened.servers.prepare(planned.spec)
            dataset = opened.dataset(planned, target)
            if not dataset.is_ready():
                opened.load(planned, target)
                target = opened.servers.prepare(planned.spec)
            target = replace(target, told={**target.told, **asdict(dataset.size())})
            verdict = opened.measure(planned, "run", target)
            if verdict.outcome != Outcome.COMPLETED:
                unsuccessful[planned.run_id] = "; ".join(verdict.reasons)
            if verdict.stop_reason == StopReason.SERVER_LOST:
                raise RunError(f"{planned.run_id}: the server was lost; start again to go on", StopReason.SERVER_LOST)
    return unsuccessful
