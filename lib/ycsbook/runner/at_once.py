"""Several servers measured at once: a thread waits for each run, which client machines of its own drive."""

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import combinations

from ycsbook import messages
from ycsbook.errors import ClientMachineError, RunError, ToolError
from ycsbook.ingest.runs.checks import Verdict
from ycsbook.params import PlannedRun, Spec, Sweep
from ycsbook.params.sections import Cluster
from ycsbook.runner.clients import workers
from ycsbook.runner.dispatch import Dispatch, Job, Order
from ycsbook.runner.following import Making
from ycsbook.runner.session import Session
from ycsbook.servers import exclusive, kind
from ycsbook.verdicts import Outcome, StopReason

# So often a run is begun whose clients are lost: on other machines each time, as long as there are some.
TRIES = 3


def require_apart(sweep: Sweep, specs: Sequence[Spec]) -> None:
    """Refuse specs that have a server in common, which two runs would drive at once: raises ToolError with both specs
    and the server."""
    if sweep.cluster.at_once == 1:
        return
    servers = {spec.name: {a for uri in kind.shared(sweep, [spec]) for a in exclusive.addresses(uri)} for spec in specs}
    for (a, servers_a), (b, servers_b) in combinations(sorted(servers.items()), 2):
        if common := servers_a & servers_b:
            raise ToolError(
                f"cluster.at_once: the specs {a} and {b} have one server, {min(common)}; give each a server of its "
                "own, or measure one after the other with at_once: 1"
            )


def measure(
    opened: Session, todo: Sequence[PlannedRun], making: Making, make: Callable[[Session, PlannedRun], Verdict]
) -> None:
    """Make the runs, several at once, as runner.sweep makes them one after the other.

    A run whose clients are lost is incomplete and is made again by others; a server that is lost or refuses its records
    is left alone from then on. Without enough machines, or without the scheduler, the sweep ends. `making`: what
    becomes of runs, and which follow from them (following.Making); `make` makes one run.
    """
    cluster, needs = todo[0].sweep.cluster, max(int(run.sweep.clients) for run in todo)
    dispatch = Dispatch(workers.machines(cluster), needs, cluster.at_once, [_job(run) for run in todo])
    tries: Counter[str] = Counter()
    under_way: dict[Future, Order] = {}

    def ended(order: Order, future: "Future[Verdict]") -> None:
        run = order.job.run
        reason, server_gone, lost = _why(order, future, cluster)
        dispatch.ended(order, lost)
        tries[run.run_id] += 1
        if not reason:
            dispatch.add(map(_job, making.following(run)), first=True)
        elif lost and not server_gone and tries[run.run_id] < TRIES:
            dispatch.add([order.job], first=True)
        else:
            without_server = dispatch.without(order.job.server) if server_gone else []
            making.without_success([run, *(job.run for job in without_server)], reason)

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
                    if making.behind and dispatch.waiting:
                        making.behind()
                elif dispatch.stuck:
                    raise ToolError(
                        f"cluster: {len(dispatch.machines)} client machines are left, a run takes {needs}; start "
                        "workers and start again: finished runs are kept"
                    )
                elif more := making.chosen():
                    dispatch.add(map(_job, more))
                else:
                    return
        except BaseException:
            # Whatever ends this early ends the runs with it.
            opened.stopping.set()
            opened.guard.close()
            raise


def _why(order: Order, future: "Future[Verdict]", cluster: Cluster) -> tuple[str, bool, set[str]]:
    """Why a run has no success (empty: it has), whether its server is gone, and the machines that are."""
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
