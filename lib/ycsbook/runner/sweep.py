"""Carries out a sweep: makes what is not in the store yet, one after the other, or several at once in threads."""

import resource
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import combinations

from ycsbook import messages, processes
from ycsbook.errors import ClientMachineError, ParamsError, RunError, ServerBusyError, ToolError
from ycsbook.ingest.runs.checks import Verdict
from ycsbook.params import PlannedRun, Spec, Sweep, plan
from ycsbook.params.sections import Cluster
from ycsbook.runner import following, generator, session
from ycsbook.runner.clients import workers
from ycsbook.runner.dispatch import Dispatch, Job, Order
from ycsbook.runner.following import FollowUps, QuestionRounds
from ycsbook.runner.generator import Generator
from ycsbook.runner.selection import Selection
from ycsbook.servers import exclusive, kind, mongodb, quota
from ycsbook.servers.kind import Target
from ycsbook.store import lock
from ycsbook.store.runs import RunStore
from ycsbook.verdicts import Outcome, StopReason

ALL = Selection()
# Files that a server, a JVM or the runner has open besides its connections; the most have been a mongod's, 120.
OWN_FILES = 256
# How often a run is begun whose clients are lost: on other machines each time, as long as there are some.
TRIES = 3


def planned_runs(
    sweep: Sweep,
    selection: Selection = ALL,
    store: RunStore | None = None,
    client: Callable[[], str] | None = None,
) -> tuple[list[PlannedRun], list[PlannedRun]]:
    """The runs that can be made, and those whose server is not available now. `client` gives the hash of the load
    generator, by default of the one that is here. Raises ToolError where load generator or server are missing, or
    nothing can be measured on such a server; ParamsError where no run is planned that the selection asks for."""
    possible, absent = _possible(sweep, selection, client)
    return _with_following(selection.of(sweep), possible, store), absent


def _possible(
    sweep: Sweep, selection: Selection, client: Callable[[], str] | None = None
) -> tuple[list[PlannedRun], list[PlannedRun]]:
    """The selected runs whose server is available, and the others; of a sweep with a question the first round."""
    kind.require_measurable(sweep)
    sweep = selection.of(sweep)
    if sweep.until:
        sweep = sweep.model_copy(update={"repeats": 1})
    identity = kind.identities(sweep)
    if not any(identity.values()):
        # Nothing can run: the plan is shown all the same, and needs no load generator.
        return [], selection.chosen(plan(sweep))
    digest = client() if client else generator.find().digest
    runs = selection.chosen(plan(sweep, client=digest, servers=identity))
    return [run for run in runs if run.server], [run for run in runs if not run.server]


def _with_following(sweep: Sweep, possible: list[PlannedRun], store: RunStore | None) -> list[PlannedRun]:
    if store is None:
        return possible
    if sweep.until:
        rounds = QuestionRounds(sweep, possible, store)
        return [*rounds.made(), *rounds.following()]
    return following.expanded(possible, store)


def run(
    sweep: Sweep,
    store: RunStore | None = None,
    selection: Selection = ALL,
    after_run: Callable[[], None] | None = None,
    planned: list[PlannedRun] | None = None,
) -> dict[str, str]:
    """Make the sweep's missing runs, in plan order; of a selection that forces, also those that are there.

    A run that fails is kept with its verdict and does not stop the others; it is tried again at the next call.

    Parameters
        after_run: called after each run, before the next one is begun; None: nothing is.
        planned: grows by the runs that follow from what others measured.
    Returns
        the ids of the runs that were made without success, with the reasons.
    Raises
        ToolError: something needed is missing, a server cannot be reached or holds foreign data.
        ServerBusyError: another process is measuring with this store, or on one of the servers.
        RunError: the load phase failed.
    """
    store = store or RunStore()
    possible, _ = _possible(sweep, selection)
    available = _with_following(selection.of(sweep), possible, store)

    def missing() -> list[PlannedRun]:
        return [run for run in available if selection.force or not store.is_completed(run.run_id)]

    if not (todo := missing()):
        return {}
    reachable = {run.spec.name for run in possible}
    for name, reason in kind.absent(sweep).items():
        print(f"left out: spec {name}: {reason}", file=sys.stderr)
    sweep = sweep.model_copy(update={"specs": tuple(spec for spec in sweep.specs if spec.name in reachable)})
    rounds = QuestionRounds(selection.of(sweep), possible, store) if sweep.until else None
    # Which specs a sweep with a question comes to is not known before.
    to_check = possible if rounds else todo
    require_open_files(to_check)
    require_clients(to_check)
    specs = list(dict.fromkeys(run.spec for run in to_check))
    require_apart(sweep, specs)
    uris = kind.shared(sweep, specs)
    processes.end_abandoned()
    with lock.exclusive(store.root) as store_lock, exclusive.locks(uris) as server_locks:
        # Once more: whoever held the lock a moment ago may have made some of them.
        todo = missing()
        store.claim()
        store.sweep_up()
        quota.remove_stale()
        follow_ups = FollowUps(store, rounds, after_run, [] if planned is None else planned)
        if todo:
            _make_runs(selection.of(sweep), todo, specs, [store_lock, *server_locks], follow_ups)
        return follow_ups.unsuccessful


def _make_runs(
    sweep: Sweep, todo: list[PlannedRun], specs: list[Spec], lock_descriptors: list[int], follow_ups: FollowUps
) -> None:
    with session.opened(sweep, follow_ups.store, lock_descriptors) as opened:
        for spec in specs:
            opened.servers.check(spec)
        with exclusive.Leases(kind.shared(sweep, specs), opened.guard.pid) as opened.leases:
            if sweep.cluster.at_once > 1:
                measure_at_once(opened, todo, follow_ups, _make_run)
            else:
                _measure(opened, todo, follow_ups)


def _measure(opened: session.Session, todo: list[PlannedRun], follow_ups: FollowUps) -> None:
    waiting = deque(todo)
    while waiting or (waiting := deque(follow_ups.chosen())):
        planned = waiting.popleft()
        is_drill, fault = planned.sweep.measures.ledger, planned.workload.operation
        if is_drill and (refused := opened.servers.replica_set.refused(fault)):
            # Others of its sweep can be made on this machine.
            follow_ups.without_success([planned], refused)
            continue
        verdict = _make_run(opened, planned)
        if verdict.outcome == Outcome.COMPLETED:
            waiting.extendleft(follow_ups.following(planned))
        else:
            follow_ups.without_success([planned], messages.say(verdict.reason))
        # One that was only away for a while is there for the next run.
        if verdict.stop_reason == StopReason.SERVER_LOST and verdict.outcome == Outcome.INCOMPLETE:
            raise RunError(f"{planned.run_id}: the server was lost; start again to go on", StopReason.SERVER_LOST)
        if taken_hosts := opened.leases.lost():
            raise ServerBusyError(
                f"{taken_hosts}: another runner took the server over meanwhile; start again when it is free"
            )
        if waiting and follow_ups.after_run:
            follow_ups.after_run()


def measure_at_once(
    opened: session.Session,
    todo: Sequence[PlannedRun],
    follow_ups: FollowUps,
    make: Callable[[session.Session, PlannedRun], Verdict],
) -> None:
    """Make the runs, several at once, each by `make`. One whose clients are lost is made again by others; a server that
    is lost or refuses its records is left alone. Without machines or scheduler the sweep ends."""
    cluster, needs = todo[0].sweep.cluster, max(int(run.sweep.clients) for run in todo)
    dispatch = Dispatch(workers.machines(cluster), needs, cluster.at_once, [_job(run) for run in todo])
    tries: Counter[str] = Counter()
    under_way: dict[Future, Order] = {}

    def ended(order: Order, future: "Future[Verdict]") -> None:
        run = order.job.run
        reason, server_gone, lost = _failure(order, future, cluster)
        dispatch.ended(order, lost)
        tries[run.run_id] += 1
        if not reason:
            dispatch.add(map(_job, follow_ups.following(run)), first=True)
        elif lost and not server_gone and tries[run.run_id] < TRIES:
            dispatch.add([order.job], first=True)
        else:
            without_server = dispatch.without(order.job.server) if server_gone else []
            follow_ups.without_success([run, *(job.run for job in without_server)], reason)

    with ThreadPoolExecutor(cluster.at_once, thread_name_prefix="server") as pool:
        try:
            while True:
                while order := dispatch.next():
                    # By the clients of these machines alone.
                    run, narrowed = order.job.run, cluster.model_copy(update={"hosts": order.machines})
                    run = replace(run, sweep=run.sweep.model_copy(update={"cluster": narrowed}))
                    under_way[pool.submit(make, opened.beside(), run)] = order
                if under_way:
                    for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                        ended(under_way.pop(future), future)
                    if follow_ups.after_run and dispatch.waiting:
                        follow_ups.after_run()
                elif dispatch.stuck:
                    raise ToolError(
                        f"cluster: {len(dispatch.machines)} client machines are left, a run takes {needs}; start "
                        "workers and start again: finished runs are kept"
                    )
                elif more := follow_ups.chosen():
                    dispatch.add(map(_job, more))
                else:
                    return
        except BaseException:
            # Whatever ends this early ends the runs with it.
            opened.stopping.set()
            opened.guard.close()
            raise


def _failure(order: Order, future: "Future[Verdict]", cluster: Cluster) -> tuple[str, bool, set[str]]:
    """Why a run failed (empty: it did not), whether its server is gone, and the machines that are lost."""
    try:
        verdict = future.result()
    except ClientMachineError as e:
        return str(e), False, set(order.machines)
    except (RunError, ToolError) as e:
        return str(e), True, set()
    if verdict.outcome == Outcome.COMPLETED:
        return "", False, set()
    remaining = workers.machines(cluster) if verdict.stop_reason == StopReason.KILLED else order.machines
    server_gone = verdict.stop_reason == StopReason.SERVER_LOST
    return messages.say(verdict.reason), server_gone, set(order.machines) - set(remaining)


def _job(run: PlannedRun) -> Job:
    return Job(run, run.spec.name, (run.spec.name, run.workload.name, run.threads, run.variation))


def _make_run(opened: session.Session, planned: PlannedRun) -> Verdict:
    target = opened.servers.prepare(planned.spec)
    require_compatible(opened.generator, target)
    dataset = opened.dataset(planned, target)
    if planned.sweep.measures.starts_empty:
        dataset.clear()
    else:
        if not dataset.is_ready():
            opened.load(planned, target)
            target = opened.servers.prepare(planned.spec)
        target = replace(target, facts={**target.facts, **dataset.size()})
    return opened.measure(planned, "run", target)


def require_compatible(generator: Generator, target: Target) -> None:
    """Refuse what would fail once the JVM runs: ToolError where the URI names TLS files, which an official
    distribution's binding does not read. A server that is too old Python's driver refuses."""
    if generator.official and mongodb.needs_tls_files(target.uri):
        raise ToolError(
            f"{target.reach}: its URI names TLS files, which the MongoDB binding of YCSB_HOME={generator.home} does "
            "not read; unset YCSB_HOME to use the project's own binding"
        )


def require_apart(sweep: Sweep, specs: Sequence[Spec]) -> None:
    """Refuse specs with a common server, which two runs would drive at once: raises ToolError, which names them."""
    if sweep.cluster.at_once == 1:
        return
    servers = {spec.name: {a for uri in kind.shared(sweep, [spec]) for a in exclusive.addresses(uri)} for spec in specs}
    for (a, servers_a), (b, servers_b) in combinations(sorted(servers.items()), 2):
        if common := servers_a & servers_b:
            raise ToolError(
                f"cluster.at_once: the specs {a} and {b} have one server, {min(common)}; give each a server of its "
                "own, or measure one after the other with at_once: 1"
            )


def require_open_files(runs: Iterable[PlannedRun]) -> None:
    """Let server and client open their files, one for each connection; raises ToolError where that is not allowed."""
    threads = max(max(planned.threads, planned.sweep.load_threads) for planned in runs)
    needed = OWN_FILES + threads
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise ToolError(
            f"open files: at most {hard} are allowed here, {threads} threads need about {needed}; allow more with "
            f"'ulimit -n {needed}', or in /etc/security/limits.conf, and start again"
        )
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def require_clients(runs: Iterable[PlannedRun]) -> None:
    """Refuse runs that cannot be made. Raises ParamsError for several clients and a workload that inserts: every YCSB
    client begins to insert after the loaded records, so all would insert the same keys. Raises ToolError where
    dask.distributed is not installed, a scheduler cannot be reached or has too few workers."""
    most_clients = {}
    for planned in runs:
        clients = planned.sweep.clients
        if clients == 1 and planned.sweep.cluster.kind == "local":
            continue
        if planned.workload.changes_records and clients not in (1, "auto"):
            raise ParamsError(
                f"clients: got {clients} with workload {planned.workload.name!r}, which inserts: YCSB's clients would "
                "all insert the same keys; expected 1 client, or a workload without inserts"
            )
        n = 1 if clients == "auto" else workers.possible(planned, clients)
        most_clients[planned.sweep.cluster] = max(n, most_clients.get(planned.sweep.cluster, 1))
    for cluster, n in most_clients.items():
        workers.dask()
        # Of this machine's own workers there may be more than it has cores.
        if cluster.kind != "local" and (most := workers.most(cluster)) < n:
            raise ToolError(f"cluster: found {most} workers, expected {n} (clients); start more or lower clients")
