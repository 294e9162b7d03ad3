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
    of = {spec.name: {a for uri in kind.shared(sweep, [spec]) for a in exclusive.addresses(uri)} for spec in specs}
    for (a, own), (b, other) in combinations(sorted(of.items()), 2):
        if common := own & other:
            raise ToolError(
                f"cluster.at_once: the specs {a} and {b} have one server, {min(common)}; give each a server of its "
                "own, or measure one after the other with at_once: 1"
            )


def measure(
    opened: Session, todo: Sequence[PlannedRun], after, make: Callable[[Session, PlannedRun], Verdict]
) -> dict[str, str]:
    """Make the runs, several at once, as runner.sweep makes them one after the other; returns the ids of those without
    success, with the reasons.

    A run whose clients are lost is incomplete and is made again by others; a server that is lost or refuses its records
    is left alone from then on. Without enough machines, or without the scheduler, the sweep ends. `after`: which runs
    follow from those that are made (runner.sweep); `make` makes one run.
    """
    cluster, needs = todo[0].sweep.cluster, max(int(run.sweep.clients) for run in todo)
    dispatch = Dispatch(workers.machines(cluster), needs, cluster.at_once, [_job(run) for run in todo])
    made = _Made(dispatch, after, cluster)
    under_way: dict[Future, Order] = {}
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
                        made.ended(under_way.pop(future), future)
                    if after.behind and dispatch.waiting:
                        after.behind()
                elif dispatch.stuck:
                    raise ToolError(
                        f"cluster: {len(dispatch.machines)} client machines are left, a run takes {needs}; start "
                        "workers and start again: finished runs are kept"
                    )
                elif not made.goes_on():
                    return made.unsuccessful
        except BaseException:
            # Whatever ends this early ends the runs with it.
            opened.stopping.set()
            opened.guard.close()
            raise


class _Made:
    """The runs that have ended, and what follows from them."""

    def __init__(self, dispatch: Dispatch, after, cluster: Cluster):
        self._dispatch, self._after, self._cluster = dispatch, after, cluster
        self._tries: Counter[str] = Counter()
        self.unsuccessful: dict[str, str] = {}

    def goes_on(self) -> bool:
        """Whether there is more to make once nothing waits any more."""
        self._dispatch.add(map(_job, self._after.chosen()))
        return bool(self._dispatch.waiting)

    def ended(self, order: Order, future: "Future[Verdict]") -> None:
        """A run has ended, one way or another."""
        run = order.job.run
        reason, server_gone, lost = self._why(order, future)
        self._dispatch.ended(order, lost)
        self._tries[run.run_id] += 1
        if not reason:
            self._dispatch.add(map(_job, self._after.following(run)), first=True)
        elif lost and not server_gone and self._tries[run.run_id] < TRIES:
            self._dispatch.add([order.job], first=True)
        else:
            others = self._dispatch.without(order.job.server) if server_gone else []
            failed = [run, *(job.run for job in others)]
            self.unsuccessful |= {other.run_id: reason for other in failed}
            self._after.failed += failed

    def _why(self, order: Order, future: "Future[Verdict]") -> tuple[str, bool, set[str]]:
        """Why a run has no success (empty: it has), whether its server is gone, and the machines that are."""
        try:
            verdict = future.result()
        except ClientMachineError as e:
            return str(e), False, set(order.machines)
        except (RunError, ToolError) as e:
            return str(e), True, set()
        if verdict.outcome == Outcome.COMPLETED:
            return "", False, set()
        there = workers.machines(self._cluster) if verdict.stop_reason == StopReason.KILLED else order.machines
        gone = verdict.stop_reason == StopReason.SERVER_LOST
        return messages.say(verdict.reason), gone, set(order.machines) - set(there)


def _job(run: PlannedRun) -> Job:
    return Job(run, run.spec.name, (run.spec.name, run.workload.name, run.threads, run.variation))
